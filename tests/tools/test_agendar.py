"""Booking as the model does it."""

from datetime import UTC, datetime, timedelta

import pytest
from sqlmodel import Session, col, select, update

from models.appointment import Appointment
from models.audit import AuditEvent
from models.catalog import Professional, ProfessionalService, Service
from models.customer import Customer
from models.db import Database
from models.tenant import Tenant
from tests.fakes import agenda
from tests.fakes.agenda import Ids
from tests.tools.conftest import Model

WISH = {"servico_id": 1, "profissional_id": 1, "data": "2026-12-04", "hora": "10:00"}


def test_booked(db: Database, ids: Ids, now: datetime, model: Model) -> None:
    text = model.done("agendar", dia_semana="sexta", **WISH)
    assert text == (
        "Agendado (agendamento_id 1): Corte feminino com Ana Souza, sexta-feira, 04/12/2026, às 10:00 "
        "(60 min, R$ 120,00)."
    )
    with db.reading() as session:
        row = session.exec(select(Appointment)).one()
        event = session.exec(select(AuditEvent)).one()
    assert (row.tenant_id, row.customer_id, row.professional_id) == (ids.tenant, ids.customer, ids.ana)
    assert (row.starts_at, row.created_by) == (datetime(2026, 12, 4, 13, tzinfo=UTC), "bot")
    assert (event.action, event.subject_id, event.staff_id, event.at) == ("appointment.book", 1, None, now)


def test_several_services_in_one_visit(model: Model) -> None:
    text = model.done("agendar", **{**WISH, "servico_id": None, "servico_ids": [1, 3]})
    assert text == (
        "Agendado (agendamento_id 1): Corte feminino e Barba com Ana Souza, sexta-feira, 04/12/2026, "
        "às 10:00 "
        "(90 min, R$ 170,00)."
    )


def test_price_on_request(model: Model) -> None:
    assert model.done("agendar", **{**WISH, "servico_id": 2}).endswith("(45 min, preço sob consulta).")


def test_every_listed_time_can_be_booked_and_no_other(db: Database, model: Model) -> None:
    """What is listed can be booked; every other quarter of an hour is refused with a reason."""
    with db.writing() as session:
        session.exec(update(Tenant).values(max_open_appointments=100))
    model.done("agendar", **{**WISH, "servico_id": 3})
    listed = model.done(
        "buscar_horarios", servico_id=2, profissional_id=1, data="2026-12-04", periodo="manha"
    )
    times = listed.splitlines()[1].split(": ")[1].split(", ")
    assert times == ["09:00", "11:00"]
    for quarter in range(8 * 4, 12 * 4):
        hour = f"{quarter // 4:02d}:{quarter % 4 * 15:02d}"
        result = model("agendar", **{**WISH, "servico_id": 2, "hora": hour})
        assert result.is_error == (hour not in times)
        if result.is_error:
            assert result.error_class == "domain_rule"
        else:
            model.done("cancelar", agendamento_id=int(result.text.split("agendamento_id ")[1].split(")")[0]))


NEAR = "Horários mais próximos:"


@pytest.mark.parametrize(
    ("changes", "reason", "first"),
    [
        (
            {"hora": "11:30"},
            "o atendimento passaria pelo intervalo de Ana Souza, que atende das 09:00 às 12:00 e das "
            "13:00 às "
            "18:00 nesse dia",
            "sexta-feira, 04/12/2026, às 10:00, com Ana Souza (profissional_id 1)",
        ),
        (
            {"hora": "10:10"},
            "os atendimentos de Ana Souza não começam nesse minuto",
            "sexta-feira, 04/12/2026, às 09:30, com Ana Souza (profissional_id 1)",
        ),
        (
            {"data": "2026-12-02", "hora": "10:00"},
            "essa data ou hora já passou",
            "quarta-feira, 02/12/2026, às 13:00, com Ana Souza (profissional_id 1)",
        ),
        (
            {"data": "2026-12-02", "hora": "11:00"},
            "é preciso agendar com pelo menos 1 hora de antecedência",
            "quarta-feira, 02/12/2026, às 13:00, com Ana Souza (profissional_id 1)",
        ),
        (
            {"data": "2027-03-01"},
            "a agenda está aberta só até domingo, 31/01/2027",
            "sábado, 30/01/2027, às 09:30, com Ana Souza (profissional_id 1)",
        ),
        (
            {"servico_id": 2, "profissional_id": 2},
            "Bia Lima não faz esse atendimento",
            "sexta-feira, 04/12/2026, às 09:30, com Ana Souza (profissional_id 1)",
        ),
    ],
)
def test_refused_with_reason_and_alternatives(
    model: Model, changes: dict[str, object], reason: str, first: str
) -> None:
    lines = model.refused("agendar", **{**WISH, **changes}).splitlines()
    assert lines[0].startswith("Não agendei ")
    assert lines[0].endswith(f": {reason}.")
    assert lines[1:3] == [NEAR, f"- {first}"]
    assert len(lines) == 5


def test_taken(db: Database, ids: Ids, now: datetime, model: Model) -> None:
    """Her next times first."""
    with db.writing() as session:
        other = agenda.customer(session, now, ids.tenant, phone="+5511999990002")
    model.done("agendar", customer=other, **WISH)
    assert model.refused("agendar", **WISH).splitlines() == [
        "Não agendei Corte feminino com Ana Souza para sexta-feira, 04/12/2026, às 10:00: a agenda "
        "de Ana Souza "
        "já está ocupada.",
        NEAR,
        "- sexta-feira, 04/12/2026, às 09:00, com Ana Souza (profissional_id 1)",
        "- sexta-feira, 04/12/2026, às 11:00, com Ana Souza (profissional_id 1)",
        "- sexta-feira, 04/12/2026, às 13:00, com Ana Souza (profissional_id 1)",
    ]


def test_listed_long_ago(model: Model) -> None:
    """S42: the customer answers an hour later."""
    late = datetime(2026, 12, 4, 13, 5, tzinfo=UTC)
    assert "já passou" in model.refused("agendar", now=late, **WISH)


def test_wrong_weekday_books_nothing(db: Database, model: Model) -> None:
    """S59: the model may be wrong about the date as well."""
    text = model.refused("agendar", dia_semana="quinta", **WISH)
    assert text == (
        "Nada foi feito: a data é sexta-feira, 04/12/2026, e não quinta. Confirme com o cliente qual "
        "é a data "
        "certa."
    )
    with db.reading() as session:
        assert not session.exec(select(Appointment)).all()


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({"servico_id": 99}, "Não existe serviço com servico_id 99."),
        ({"servico_id": None, "servico_ids": [1, 98]}, "Não existe serviço com servico_id 98."),
        ({"profissional_id": 99}, "Não existe profissional com profissional_id 99."),
    ],
)
def test_missing(model: Model, changes: dict[str, object], text: str) -> None:
    assert model.refused("agendar", **{**WISH, **changes}).startswith(text)


def test_deactivated_professional_is_missing(db: Database, ids: Ids, model: Model) -> None:
    with db.writing() as session:
        session.exec(update(Professional).where(col(Professional.id) == ids.ana).values(active=False))
    assert "Não existe profissional com profissional_id 1" in model.refused("agendar", **WISH)


def test_limit(db: Database, model: Model) -> None:
    """No other time would help, so none is offered."""
    with db.writing() as session:
        session.exec(update(Tenant).values(max_open_appointments=1))
    model.done("agendar", **WISH)
    assert model.refused("agendar", **{**WISH, "hora": "15:00"}) == (
        "Não agendei Corte feminino com Ana Souza para sexta-feira, 04/12/2026, às 15:00: o cliente "
        "já chegou ao "
        "máximo de agendamentos futuros, que é 1."
    )


def test_hour_that_the_clocks_skip(db: Database, model: Model) -> None:
    with db.writing() as session:
        session.exec(update(Tenant).values(timezone="America/New_York"))
    march = datetime(2027, 3, 1, 12, tzinfo=UTC)
    text = model.refused("agendar", now=march, **{**WISH, "data": "2027-03-14", "hora": "02:30"})
    assert "essa hora não existe nesse dia, por causa da mudança do relógio" in text


# --- names


def name_of(session: Session, ids: Ids) -> str:
    return session.get_one(Customer, ids.customer).name


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("João D'Ávila 💈", "João D'Ávila 💈"),
        ("  Maria\n  da  Silva ", "Maria da Silva"),
        ("Joa\u0303o", "João"),
        ("Zoë 李 Ñ", "Zoë 李 Ñ"),
        ("محمد", "محمد"),
        ("x" * 120, "x" * 120),
        ("ab\x00\ud83d", "ab \ufffd"),
        (" \u0000 ", ""),
        ("'; drop table customer; --", "'; drop table customer; --"),
    ],
)
def test_name_is_kept_where_none_was_known(
    db: Database, ids: Ids, model: Model, given: str, kept: str
) -> None:
    """S58: any script and emoji, cleaned and bounded."""
    with db.writing() as session:
        session.exec(update(Customer).values(name=""))
    model.done("agendar", nome_cliente=given, **WISH)
    with db.reading() as session:
        assert name_of(session, ids) == kept


def test_known_name_is_not_overwritten(db: Database, ids: Ids, model: Model) -> None:
    model.done("agendar", nome_cliente="Outra Pessoa", **WISH)
    with db.reading() as session:
        assert name_of(session, ids) == "Maria"


def test_refused_booking_keeps_no_name(db: Database, ids: Ids, model: Model) -> None:
    with db.writing() as session:
        session.exec(update(Customer).values(name=""))
    model.refused("agendar", nome_cliente="Maria", **{**WISH, "hora": "11:30"})
    with db.reading() as session:
        assert name_of(session, ids) == ""


def test_accents_in_a_service_name(db: Database, ids: Ids, model: Model) -> None:
    """S58."""
    with db.writing() as session:
        service = Service(tenant_id=ids.tenant, name="Depilação à cera 'íntima' 🌸", duration_minutes=30)
        session.add(service)
        session.flush()
        assert service.id is not None
        key = service.id
        session.add(ProfessionalService(tenant_id=ids.tenant, professional_id=ids.ana, service_id=key))
    assert "Depilação à cera 'íntima' 🌸 com Ana Souza" in model.done(
        "agendar", **{**WISH, "servico_id": key}
    )
    assert "🌸" in model.done("buscar_servicos", termo="depilacao a cera")


def test_a_visit_of_another_length_around_a_shorter_one(model: Model) -> None:
    """S35: the old one lies strictly inside."""
    model.done("agendar", **{**WISH, "servico_id": 3, "hora": "10:30"})
    assert "ocupada" in model.refused("agendar", **{**WISH, "servico_ids": [1, 1], "servico_id": None})


def test_same_service_twice_in_a_visit(model: Model) -> None:
    """For two children, say."""
    text = model.done("agendar", **{**WISH, "servico_id": None, "servico_ids": [3, 3]})
    assert "Barba e Barba com Ana Souza" in text
    assert "(60 min, R$ 100,00)" in text


def test_window_of_the_last_bookable_day(db: Database, now: datetime, model: Model) -> None:
    with db.writing() as session:
        session.exec(update(Tenant).values(horizon_days=5))
    last = (now + timedelta(days=5)).date()
    model.done("agendar", **{**WISH, "data": str(last)})
    assert "só até" in model.refused("agendar", **{**WISH, "data": str(last + timedelta(days=1))})
