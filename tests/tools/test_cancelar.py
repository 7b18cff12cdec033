"""Cancelling as the model does it."""

from datetime import UTC, datetime

import pytest
from sqlmodel import select, update

from models.appointment import Appointment, AppointmentStatus
from models.audit import AuditEvent
from models.db import Database
from tests.tools.conftest import Model

VISIT = "(agendamento_id 1): Corte feminino com Ana Souza, sexta-feira, 04/12/2026, às 10:00."


@pytest.fixture(autouse=True)
def booked(model: Model) -> None:
    model.done("agendar", servico_id=1, profissional_id=1, data="2026-12-04", hora="10:00")


def test_cancelled(db: Database, now: datetime, model: Model) -> None:
    assert model.done("cancelar", agendamento_id=1, motivo=" Vai viajar ") == f"Cancelado {VISIT}"
    with db.reading() as session:
        row = session.exec(select(Appointment)).one()
        actions = session.exec(select(AuditEvent.action).order_by(AuditEvent.id)).all()
    assert (row.status, row.cancelled_at, row.cancel_reason) == ("cancelled", now, "Vai viajar")
    assert actions == ["appointment.book", "appointment.cancel"]


def test_cancelled_already(model: Model) -> None:
    """Also in another turn, and when it would be too late by now."""
    model.done("cancelar", agendamento_id=1)
    late = datetime(2026, 12, 4, 12, 59, tzinfo=UTC)
    assert model.done("cancelar", agendamento_id=1, now=late) == f"Já estava cancelado {VISIT}"


def test_time_is_free_again(model: Model) -> None:
    model.done("cancelar", agendamento_id=1)
    again = model.done("agendar", servico_id=1, profissional_id=1, data="2026-12-04", hora="10:00")
    assert again.startswith("Agendado (agendamento_id 2)")


@pytest.mark.parametrize(
    ("hour", "clause"),
    [
        (11, "mudanças e cancelamentos só são aceitos com pelo menos 2 horas de antecedência"),
        (14, "esse agendamento já começou ou já passou"),
    ],
)
def test_too_late(model: Model, hour: int, clause: str) -> None:
    late = datetime(2026, 12, 4, hour, 1, tzinfo=UTC)
    text = model.refused("cancelar", now=late, agendamento_id=1)
    assert text == f"Não cancelei o agendamento_id 1: {clause}."


def test_over(db: Database, model: Model) -> None:
    with db.writing() as session:
        session.exec(update(Appointment).values(status=AppointmentStatus.DONE))
    assert "já começou ou já passou" in model.refused("cancelar", agendamento_id=1)


def test_missing(model: Model) -> None:
    assert model.refused("cancelar", agendamento_id=7) == (
        "Este cliente não tem agendamento_id 7. Use meus_agendamentos para ver os identificadores."
    )


def test_a_flood_of_a_motive_is_refused_and_cancels_nothing(db: Database, model: Model) -> None:
    assert model("cancelar", agendamento_id=1, motivo="x" * 5000).error_class == "invalid_input"
    with db.reading() as session:
        assert session.exec(select(Appointment)).one().status == "booked"
    model.done("cancelar", agendamento_id=1, motivo="x" * 300)
    with db.reading() as session:
        assert session.exec(select(Appointment)).one().cancel_reason == "x" * 300
