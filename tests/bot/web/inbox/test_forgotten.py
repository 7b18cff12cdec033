"""A customer whose data were erased: staff still read the conversation, and can do nothing in it."""

from datetime import timedelta

import pytest
from flask.testing import FlaskClient
from sqlmodel import Session, select

from bot.outreach import reminders
from models import customer_search, erasure
from models.acts import conversation_acts
from models.acts.visit_acts import Leave, Reception
from models.appointment import Appointment
from models.audit import AuditEvent
from models.conversation import WINDOW, Conversation, Holder
from models.customer import FORGOTTEN, Customer
from models.db import Database
from models.errors import Forgotten
from models.handoff import Reason
from models.reminder import Reminder
from models.tenant import Tenant
from tests.bot.web.inbox.test_queue import act
from tests.bot.web.office import Office, post

SENTENCE = "Os dados deste cliente foram apagados. Não há para onde escrever."
TEMPLATE = "HX" + "0" * 32


@pytest.fixture
def office(db: Database) -> Office:
    return Office(db)


@pytest.fixture
def talk(office: Office) -> int:
    """A conversation in which a template could be sent, of somebody with a visit ahead; then forgotten."""
    with office.db.writing() as session:
        tenant = session.get_one(Tenant, office.bela.tenant)
        tenant.template_contact = tenant.template_reminder = TEMPLATE
    talk = office.says("Oi", name="Maria")
    office.flags(talk)
    office.clock.at += WINDOW
    office.books(talk, starts_in=timedelta(days=1))
    forget(office, talk)
    return talk


@pytest.fixture
def client(office: Office, talk: int) -> FlaskClient:
    """Logged in afterwards: a day had passed."""
    return office.client()


def forget(office: Office, talk: int) -> None:
    with office.db.writing() as session:
        customer_id = session.get_one(Conversation, talk).customer_id
        erasure.anonymise(session, office.clock(), office.bela.tenant, customer_id)


def hold(office: Office, talk: int, holder: Holder, staff_id: int | None = None) -> None:
    """As such a conversation was left behind while it could still be taken."""
    with office.db.writing() as session:
        row = session.get_one(Conversation, talk)
        row.holder, row.assignee_id = holder, staff_id


def state(office: Office, talk: int) -> tuple[str, int | None, int, int]:
    row = office.row(talk)
    return row.holder, row.assignee_id, row.epoch, row.last_seq


@pytest.mark.parametrize("holder", list(Holder))
def test_the_page_says_so_and_offers_nothing(
    office: Office, client: FlaskClient, talk: int, holder: Holder
) -> None:
    hold(office, talk, holder, office.bruno if holder == Holder.STAFF else None)
    page = client.get(f"/fila/{talk}").text
    assert page.count(SENTENCE) == 1
    for verb in ("responder", "modelo", "assumir", "assumir-mesmo-assim", "nome", "adiar", "passar", "nota"):
        assert f"/fila/{talk}/{verb}" not in page, verb
    assert "/agenda/novo?cliente" not in page
    assert "Janela do WhatsApp" not in page
    assert (f"/fila/{talk}/encerrar" in page) is (holder == Holder.QUEUE)
    assert SENTENCE in client.get(f"/fila/{talk}/linhas").text


@pytest.mark.parametrize(
    ("verb", "form"),
    [
        ("assumir", {}),
        ("substituir", {"holder_id": "1"}),
        ("responder", {"text": "Oi, Maria?"}),
        ("modelo", {"template": "contato"}),
        ("modelo", {"template": "lembrete"}),
        ("adiar", {"until": "2h"}),
        ("passar", {"to": "2"}),
        ("nome", {"name": "Maria"}),
    ],
)
@pytest.mark.parametrize("holder", [Holder.BOT, Holder.QUEUE])
def test_the_server_refuses_what_an_old_page_sends(
    office: Office, client: FlaskClient, talk: int, holder: Holder, verb: str, form: dict[str, str]
) -> None:
    hold(office, talk, holder)
    before = state(office, talk)
    answer = act(client, talk, verb, **form)
    assert answer.status_code == 409
    assert SENTENCE in answer.text
    assert form.get("text", "") in answer.text, "what was typed is kept"
    assert state(office, talk) == before
    with office.db.reading() as session:
        assert session.get_one(Customer, office.row(talk).customer_id).name == ""


def test_who_holds_it_cannot_answer_and_can_end_it(office: Office, client: FlaskClient, talk: int) -> None:
    hold(office, talk, Holder.STAFF, office.ana)
    assert act(client, talk, "responder", text="Oi").status_code == 409
    assert len(office.lines(talk)) == 1
    assert act(client, talk, "encerrar").status_code == 303
    assert office.row(talk).holder == Holder.BOT


def test_nobody_is_asked_whether_to_take_it_over(office: Office, client: FlaskClient, talk: int) -> None:
    hold(office, talk, Holder.STAFF, office.bruno)
    answer = client.get(f"/fila/{talk}/assumir-mesmo-assim")
    assert (answer.status_code, SENTENCE in answer.text) == (409, True)


def test_a_note_may_still_be_made(office: Office, client: FlaskClient, talk: int) -> None:
    assert act(client, talk, "nota", remark="pediu por e-mail").status_code == 303
    assert [line.text for line in office.lines(talk)] == [erasure.BLANK, "pediu por e-mail"]


def test_nobody_is_booked_for(office: Office, client: FlaskClient, talk: int) -> None:
    customer_id = office.row(talk).customer_id
    form = {
        "cliente": customer_id,
        "servico": office.bela.corte,
        "prof": office.bela.ana,
        "dia": "2026-12-08",
        "hora": "10:00",
    }
    answer = post(client, "/agenda/novo", page="/agenda/novo", **form)
    assert answer.status_code == 422
    assert "O cliente, o serviço ou o profissional não existe mais." in answer.text
    assert (
        f'name="cliente" value="{customer_id}"' not in client.get(f"/agenda/novo?cliente={customer_id}").text
    )
    with office.db.reading() as session:
        assert len(session.exec(select(Appointment)).all()) == 1


def test_nobody_finds_them_by_what_stands_for_their_number(office: Office, talk: int) -> None:
    """What stands there is drawn by lot, and may hold any four digits."""
    with office.db.reading() as session:
        address = session.get_one(Conversation, talk).address
        known = customer_search.client(
            session, office.clock(), office.bela.tenant, office.row(talk).customer_id
        )
        assert address.startswith(FORGOTTEN)
        assert known.forgotten
        assert customer_search.search(session, office.bela.tenant, "0123456789") == []


def test_the_visits_page_says_so(office: Office, client: FlaskClient, talk: int) -> None:
    with office.db.reading() as session:
        [visit] = session.exec(select(Appointment.id)).all()
    page = client.get(f"/agenda/{visit}?avisar=1").text
    assert SENTENCE in page
    assert "faz mais de 24 horas" not in page


def test_who_writes_again_from_that_phone_is_taken_as_ever(
    office: Office, client: FlaskClient, talk: int
) -> None:
    again = office.says("Oi de novo", name="Maria")
    office.flags(again, Reason.PEDIDO_DO_CLIENTE)
    assert again != talk
    assert SENTENCE not in client.get(f"/fila/{again}").text
    assert act(client, again, "responder", text="Oi!").status_code == 303


def test_desk_refuses_by_itself(office: Office, talk: int) -> None:
    place = (office.clock(), office.bela.tenant, talk, office.ana)
    with office.db.writing() as session, pytest.raises(Forgotten):
        conversation_acts.take(session, *place)
    with office.db.writing() as session, pytest.raises(Forgotten):
        conversation_acts.reply(session, *place, text="Oi", last_seen_seq=9, client_key="k")


def test_a_visit_that_is_moved_afterwards_is_not_reminded_of(
    office: Office, client: FlaskClient, talk: int
) -> None:
    """The visit stands, staff may move it, and its new time makes reminders like any other."""
    with office.db.writing() as session:
        tenant = session.get_one(Tenant, office.bela.tenant)
        tenant.reminders_hours = [2]
        visit = session.exec(select(Appointment)).one()
        state, starts_at = f"{visit.schedule_version}.{visit.status}", visit.starts_at + timedelta(days=7)
        desk_of = reception(office, session)
        desk_of.move(visit.id or 0, state, visit.professional_id, starts_at, Leave(outside=True))
    office.clock.at = starts_at - timedelta(hours=1)
    reminders.send_due(office.services, office.clock())
    with office.db.reading() as session:
        known = {(one.state, one.reason) for one in session.exec(select(Reminder))}
    assert ("skipped", erasure.ERASED) in known
    assert [line.text for line in office.lines(talk)] == [erasure.BLANK]


def test_what_became_of_the_conversation_stays_true(office: Office) -> None:
    """Who did not answer is told as before; a name that was corrected is not."""
    talk = office.says("Oi", name="Maria")
    office.flags(talk)
    office.takes(talk, office.bruno)
    client = office.client()
    assert act(client, talk, "nome", name="Maria Jabuticaba").status_code == 303
    row = office.row(talk)
    assert row.held_since is not None
    with office.db.writing() as session:
        place = (session, office.clock(), office.bela.tenant, talk)
        conversation_acts.let_go(*place, holder_id=office.bruno, held_since=row.held_since, why="no_reply")
    before = client.get(f"/fila/{talk}").text
    told = "Voltou para a fila: Bruno Reis não respondeu a tempo"
    assert told in before
    forget(office, talk)
    assert told in client.get(f"/fila/{talk}").text
    with office.db.reading() as session:
        assert "Jabuticaba" not in str([event.detail for event in session.exec(select(AuditEvent))])


def test_a_move_can_be_taken_back_as_before(office: Office) -> None:
    talk = office.says("Oi", name="Maria")
    office.books(talk, starts_in=timedelta(days=1))
    with office.db.writing() as session:
        session.get_one(Conversation, talk).due_at = None
        visit = session.exec(select(Appointment)).one()
        key, was = visit.id or 0, visit.starts_at
        state, later = f"{visit.schedule_version}.{visit.status}", was + timedelta(days=7)
        reception(office, session).move(key, state, visit.professional_id, later, Leave(outside=True))
        state = f"{visit.schedule_version}.{visit.status}"
    forget(office, talk)
    with office.db.writing() as session:
        assert reception(office, session).undo(key, state).starts_at == was


def reception(office: Office, session: Session) -> Reception:
    return Reception(session, office.clock(), session.get_one(Tenant, office.bela.tenant), office.ana)
