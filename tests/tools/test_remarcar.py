"""Moving as the model does it."""

from datetime import UTC, datetime

import pytest
from sqlmodel import col, select, update

from models.appointment import Appointment
from models.audit import AuditEvent
from models.catalog import Professional
from models.db import Database
from tests.fakes.agenda import Ids
from tests.tools.conftest import Model

WISH = {"servico_id": 1, "profissional_id": 1, "data": "2026-12-04", "hora": "10:00"}


@pytest.fixture
def booked(model: Model) -> int:
    model.done("agendar", **WISH)
    return 1


def test_moved(db: Database, ids: Ids, now: datetime, model: Model, booked: int) -> None:
    text = model.done(
        "remarcar", agendamento_id=booked, data="2026-12-07", hora="09:30", dia_semana="segunda"
    )
    assert text == (
        "Remarcado (agendamento_id 1): Corte feminino com Ana Souza, de sexta-feira, 04/12/2026, às "
        "10:00, para "
        "segunda-feira, 07/12/2026, às 09:30."
    )
    with db.reading() as session:
        row = session.exec(select(Appointment)).one()
        event = session.exec(select(AuditEvent).where(AuditEvent.action == "appointment.move")).one()
    assert (row.id, row.starts_at) == (1, datetime(2026, 12, 7, 12, 30, tzinfo=UTC))
    assert event.detail == {"from": {"starts_at": "2026-12-04T13:00:00+00:00", "professional_id": ids.ana}}


def test_to_another_professional(model: Model, booked: int) -> None:
    text = model.done("remarcar", agendamento_id=booked, data="2026-12-04", hora="10:00", profissional_id=2)
    assert "Corte feminino com Bia Lima, de sexta-feira" in text


def test_over_its_own_old_time(model: Model, booked: int) -> None:
    assert model.done("remarcar", agendamento_id=booked, data="2026-12-04", hora="10:30").startswith(
        "Remarcado"
    )


def test_to_where_it_is(db: Database, model: Model, booked: int) -> None:
    text = model.done("remarcar", agendamento_id=booked, data="2026-12-04", hora="10:00")
    assert text == (
        "Já estava agendado (agendamento_id 1): Corte feminino com Ana Souza, sexta-feira, "
        "04/12/2026, às 10:00."
    )
    with db.reading() as session:
        assert not session.exec(select(AuditEvent).where(AuditEvent.action == "appointment.move")).all()


def test_refused_with_alternatives(model: Model, booked: int) -> None:
    """Its own old time is among them."""
    text = model.refused("remarcar", agendamento_id=booked, data="2026-12-04", hora="11:30")
    assert text.splitlines() == [
        "Não remarquei Corte feminino (agendamento_id 1) para sexta-feira, 04/12/2026, às 11:30, com "
        "Ana Souza: o "
        "atendimento passaria pelo intervalo de Ana Souza, que atende das 09:00 às 12:00 e das 13:00 "
        "às 18:00 "
        "nesse dia.",
        "Horários mais próximos:",
        "- sexta-feira, 04/12/2026, às 10:00, com Ana Souza (profissional_id 1)",
        "- sexta-feira, 04/12/2026, às 10:30, com Ana Souza (profissional_id 1)",
        "- sexta-feira, 04/12/2026, às 11:00, com Ana Souza (profissional_id 1)",
    ]


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({"agendamento_id": 99}, "Este cliente não tem agendamento_id 99."),
        ({"agendamento_id": 99, "data": "2026-12-01"}, "Este cliente não tem agendamento_id 99."),
        ({"profissional_id": 99}, "Não existe profissional com profissional_id 99."),
        ({"dia_semana": "sexta"}, "Nada foi feito: a data é segunda-feira, 07/12/2026, e não sexta."),
    ],
)
def test_refused(model: Model, booked: int, changes: dict[str, object], text: str) -> None:
    wish = {"agendamento_id": booked, "data": "2026-12-07", "hora": "09:30", **changes}
    assert model.refused("remarcar", **wish).startswith(text)


def test_cancelled_one(model: Model, booked: int) -> None:
    model.done("cancelar", agendamento_id=booked)
    text = model.refused("remarcar", agendamento_id=booked, data="2026-12-07", hora="09:30")
    assert text.endswith("esse agendamento já foi cancelado.")


def test_too_late(model: Model, booked: int) -> None:
    late = datetime(2026, 12, 4, 11, 30, tzinfo=UTC)
    text = model.refused("remarcar", now=late, agendamento_id=booked, data="2026-12-07", hora="09:30")
    assert text.endswith("só são aceitos com pelo menos 2 horas de antecedência.")


def test_professional_who_left(db: Database, ids: Ids, model: Model, booked: int) -> None:
    """Others are offered instead."""
    with db.writing() as session:
        session.exec(update(Professional).where(col(Professional.id) == ids.ana).values(active=False))
    lines = model.refused("remarcar", agendamento_id=booked, data="2026-12-07", hora="09:00").splitlines()
    assert lines[0].endswith("com Ana Souza: Ana Souza não faz esse atendimento.")
    assert lines[2] == "- segunda-feira, 07/12/2026, às 09:00, com Bia Lima (profissional_id 2)"
