"""The waiting list as the model uses it: for full days only, once, and honest about what follows."""

from datetime import UTC, date, datetime, timedelta

import pytest
from sqlmodel import select, update

from models import customer
from models.appointment import Appointment
from models.audit import AuditEvent
from models.customer import Customer
from models.db import Database
from models.tenant import Tenant
from models.waitlist import WaitlistEntry
from tests.fakes import agenda
from tests.fakes.agenda import Ids
from tests.tools.conftest import Model, close
from tools import TOOLS
from tools.toolbox import Call, Toolbox

MONDAY = "2026-12-07"
JOINED = (
    "Na lista de espera: Corte feminino (servico_id 1), segunda-feira, 07/12/2026. Se abrir um horário, o "
    "cliente recebe uma mensagem e tem um tempo limitado para responder."
)


def local(hour: int) -> datetime:
    return datetime(2026, 12, 7, hour + 3, tzinfo=UTC)


@pytest.fixture
def full(db: Database, ids: Ids, now: datetime) -> Ids:
    """On that Monday both are taken all day; an approved template for offers is there."""
    with db.writing() as session:
        somebody = agenda.customer(session, now, ids.tenant, phone="+5511999990009")
        for who in (ids.ana, ids.bia):
            taken(session, ids, somebody, who, 9, 18, now)
        session.execute(update(Tenant).values(template_waitlist_offer="HX" + "0" * 32))
    return ids


def taken(
    session: object, ids: Ids, customer_id: int, who: int, first: int, last: int, now: datetime
) -> None:
    visit = Appointment(
        tenant_id=ids.tenant,
        professional_id=who,
        customer_id=customer_id,
        starts_at=local(first),
        ends_at=local(last),
        busy_from=local(first),
        busy_until=local(last),
        created_at=now,
    )
    session.add(visit)


def entries(db: Database) -> list[WaitlistEntry]:
    with db.reading() as session:
        return list(session.exec(select(WaitlistEntry).order_by(WaitlistEntry.id)))


def test_on_a_full_day_the_customer_waits(db: Database, full: Ids, model: Model, now: datetime) -> None:
    assert model.done("lista_de_espera", servico_id=full.corte, data=MONDAY) == JOINED
    [entry] = entries(db)
    assert (entry.tenant_id, entry.customer_id, entry.service_id) == (full.tenant, full.customer, full.corte)
    assert (entry.date, entry.state, entry.professional_id, entry.period, entry.created_at) == (
        date(2026, 12, 7),
        "waiting",
        None,
        None,
        now,
    )
    with db.reading() as session:
        acts = session.exec(select(AuditEvent.action).order_by(AuditEvent.id)).all()
    assert acts == ["waitlist.join"]


def test_wishes_are_kept_and_told(db: Database, full: Ids, model: Model) -> None:
    said = model.done(
        "lista_de_espera", servico_id=full.corte, data=MONDAY, profissional_id=full.bia, periodo="tarde"
    )
    assert said.startswith(
        "Na lista de espera: Corte feminino (servico_id 1), segunda-feira, 07/12/2026, à tarde, com Bia Lima."
    )
    [entry] = entries(db)
    assert (entry.professional_id, entry.period) == (full.bia, "tarde")


def test_without_a_template_it_is_said_when_the_offer_arrives(db: Database, full: Ids, model: Model) -> None:
    with db.writing() as session:
        session.execute(update(Tenant).values(template_waitlist_offer=None))
    said = model.done("lista_de_espera", servico_id=full.corte, data=MONDAY)
    assert said.endswith("só chega se o cliente tiver escrito aqui nas últimas 24 horas; diga isso a ele.")


def test_twice_is_once(db: Database, full: Ids, model: Model) -> None:
    """In the same turn (a crash), and in a later one; the newer wishes count, the place stays."""
    wish = {"servico_id": full.corte, "data": MONDAY}
    model.done("lista_de_espera", turn="t", **wish)
    assert model.done("lista_de_espera", turn="t", **wish) == "Já estava na" + JOINED.removeprefix("Na")
    assert model.done("lista_de_espera", **wish) == "Já estava na" + JOINED.removeprefix("Na")
    said = model.done("lista_de_espera", periodo="manha", **wish)
    assert said.startswith("Já estava na lista de espera: Corte feminino (servico_id 1), segunda-feira, ")
    [entry] = entries(db)
    assert entry.period == "manha"


def test_another_day_or_service_is_another_entry(db: Database, full: Ids, model: Model) -> None:
    model.done("lista_de_espera", servico_id=full.corte, data=MONDAY)
    model.done("lista_de_espera", servico_id=full.escova, data=MONDAY)
    assert len(entries(db)) == 2


def test_free_times_are_offered_instead(db: Database, ids: Ids, model: Model) -> None:
    said = model.refused("lista_de_espera", servico_id=ids.corte, data=MONDAY)
    assert said.startswith("Não coloquei o cliente na lista de espera, porque há horários livres.")
    assert "- Ana Souza (profissional_id 1): 09:00" in said
    assert "- Bia Lima (profissional_id 2): 09:00" in said
    assert entries(db) == []


def test_only_free_times_that_fit_count(db: Database, ids: Ids, model: Model, now: datetime) -> None:
    """Ana's afternoon is taken: who wants that afternoon with her may wait; who takes Bia may not."""
    with db.writing() as session:
        somebody = agenda.customer(session, now, ids.tenant, phone="+5511999990009")
        taken(session, ids, somebody, ids.ana, 13, 18, now)
    wish = {"servico_id": ids.corte, "data": MONDAY, "periodo": "tarde"}
    assert "Bia Lima" in model.refused("lista_de_espera", **wish)
    model.done("lista_de_espera", profissional_id=ids.ana, **wish)
    assert "09:00" in model.refused(
        "lista_de_espera", **(wish | {"periodo": "manha"}), profissional_id=ids.ana
    )
    assert len(entries(db)) == 1


@pytest.mark.parametrize(
    ("day", "why"),
    [
        ("2026-12-06", "Studio Bela não abre nesse dia"),
        ("2026-12-01", "essa data ou hora já passou"),
        ("2027-06-07", "a agenda está aberta só até"),
    ],
)
def test_where_nothing_could_open_nobody_waits(
    db: Database, full: Ids, model: Model, day: str, why: str
) -> None:
    said = model.refused("lista_de_espera", servico_id=full.corte, data=day)
    assert said.startswith("Não coloquei o cliente na lista de espera, porque nesse dia não abriria nenhum")
    assert why in said
    assert "Horários mais próximos:" in said
    assert entries(db) == []


def test_on_a_closed_day_nobody_waits(db: Database, full: Ids, model: Model) -> None:
    close(db, full, date(2026, 12, 7), "Reforma")
    assert "fechado (Reforma)" in model.refused("lista_de_espera", servico_id=full.corte, data=MONDAY)


def test_today_too_late_nobody_waits(full: Ids, model: Model) -> None:
    """What opens now could not be booked any more."""
    evening = local(17) + timedelta(minutes=30)
    result = model("lista_de_espera", now=evening, servico_id=full.corte, data=MONDAY)
    assert result.error_class == "domain_rule"


def test_what_does_not_exist_is_named(full: Ids, model: Model) -> None:
    assert "Não existe serviço com servico_id 99" in model.refused(
        "lista_de_espera", servico_id=99, data=MONDAY
    )
    assert "Não existe profissional com profissional_id 99" in model.refused(
        "lista_de_espera", servico_id=full.corte, data=MONDAY, profissional_id=99
    )
    assert "Bia Lima não faz Escova" in model.refused(
        "lista_de_espera", servico_id=full.escova, data=MONDAY, profissional_id=full.bia
    )


def test_who_wants_no_messages_cannot_wait_for_one(
    db: Database, full: Ids, model: Model, now: datetime
) -> None:
    with db.writing() as session:
        customer.opt_out(session, now, full.tenant, full.customer)
    assert "“voltar”" in model.refused("lista_de_espera", servico_id=full.corte, data=MONDAY)
    with db.writing() as session:
        session.execute(update(Customer).values(opted_out_at=None))
    model.done("lista_de_espera", servico_id=full.corte, data=MONDAY)


def test_the_customer_sees_first_that_the_day_is_full(db: Database, full: Ids, model: Model) -> None:
    """In one answer with the search it is refused."""
    box = Toolbox(TOOLS, model.context, max_identical=1)
    wish = {"servico_id": full.corte, "data": MONDAY}
    results = box.execute(
        [Call("1", "buscar_horarios", wish), Call("2", "lista_de_espera", wish)], lambda _result: None
    )
    assert [result.error_class for result in results] == [None, "domain_rule"]
    assert entries(db) == []
