"""What is kept no longer goes by itself, at Twilio too: tried until it is gone, and never brought back."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta

import pytest
from sqlmodel import col, select

from bot.core.services import Services
from bot.process import missed_messages, retention
from bot.whatsapp.credentials import Account
from bot.whatsapp.twilio import TwilioArchive, TwilioInbox, twilio_client
from models import erasure, provider_deletion
from models.audit import AuditEvent
from models.conversation import Conversation
from models.customer import Customer
from models.db import Database
from models.message import Message
from models.provider_deletion import Kind, Removal
from models.tenant import Tenant
from tests.bot.edge import Edge
from tests.fakes import twilio as fakes
from tests.fakes.media import media_url
from tests.fakes.twilio import Behaviour

ELSEWHERE = "AC" + "9" * 32


@pytest.fixture
def edge(db: Database) -> Iterator[Edge]:
    with Edge(db) as made:
        yield made


def services(edge: Edge) -> Services:
    client = twilio_client(Account(edge.fake.account, (edge.fake.token,), ""), edge.http, None)
    return replace(
        edge.services,
        archive_for=lambda tenant: TwilioArchive(client),
        inbox_for=lambda tenant: TwilioInbox(client, None),
    )


def keep(edge: Edge, *, customers: int | None = None, media: int | None = None) -> None:
    with edge.db.writing() as session:
        tenant = session.get_one(Tenant, edge.tenant_id)
        tenant.retention_customers_days, tenant.retention_media_days = customers, media


def quiet(edge: Edge) -> None:
    """The bot owes them nothing."""
    with edge.db.writing() as session:
        for row in session.exec(select(Conversation)).all():
            row.due_at = None


def sent(edge: Edge) -> None:
    """Something of ours that arrived."""
    edge.queue("Oi!")
    edge.send_all()
    edge.fake.sent[-1].status = "delivered"


def names(edge: Edge) -> list[str]:
    with edge.db.reading() as session:
        return list(session.exec(select(Customer.name).order_by(col(Customer.id))))


def waiting(edge: Edge) -> list[tuple[str, int]]:
    with edge.db.reading() as session:
        return [(row.kind, row.attempts) for row in session.exec(select(Removal).order_by(col(Removal.id)))]


def sweep(edge: Edge, **later: float) -> None:
    now = edge.clock.forward(**later)
    retention.forget_old(services(edge), now)
    retention.delete_there(services(edge), now)


def test_nothing_goes_by_itself_where_nobody_said_so(edge: Edge) -> None:
    edge.says("oi", NumMedia="1", MediaUrl0=media_url(), MediaContentType0="image/jpeg")
    quiet(edge)
    sweep(edge, days=4000)
    assert (names(edge), len(edge.fake.arrived), waiting(edge)) == (["Ana"], 1, [])


def test_who_is_silent_goes_here_and_there(edge: Edge) -> None:
    """The day before nothing; that day all of it, on record; the day after nothing more."""
    edge.says("meu endereço é Rua das Flores, 5")
    sent(edge)
    quiet(edge)
    keep(edge, customers=365)
    sweep(edge, days=365)
    assert (names(edge), len(edge.fake.arrived), len(edge.fake.sent)) == (["Ana"], 1, 1)
    sweep(edge, days=1)
    assert (names(edge), edge.fake.arrived, edge.fake.sent) == ([""], [], [])
    assert waiting(edge) == []
    assert {line.text for line in edge.messages()} == {erasure.BLANK}
    with edge.db.reading() as session:
        [event] = session.exec(select(AuditEvent).where(AuditEvent.action == "customer.forget")).all()
    assert (event.staff_id, event.detail) == (None, {"after_days": 365})
    sweep(edge, days=1)
    with edge.db.reading() as session:
        assert len(session.exec(select(AuditEvent)).all()) == 1


def test_whom_the_bot_is_about_to_answer_is_left_for_tomorrow(edge: Edge) -> None:
    edge.says("oi")
    keep(edge, customers=30)
    sweep(edge, days=31)
    assert names(edge) == ["Ana"]
    quiet(edge)
    sweep(edge, days=1)
    assert names(edge) == [""]


def test_attachments_go_there_and_the_words_stay(edge: Edge) -> None:
    photo = {"NumMedia": "1", "MediaContentType0": "image/jpeg"}
    edge.says("olha", MediaUrl0=media_url(1), MessageSid=f"MM{1:032x}", **photo)
    edge.clock.forward(days=20)
    edge.says("e essa", MediaUrl0=media_url(2), MessageSid=f"MM{2:032x}", **photo)
    keep(edge, media=30)
    sweep(edge, days=11)
    assert [len(line.media) for line in edge.fake.arrived] == [0, 1]
    assert [(line.text, bool(line.media)) for line in edge.messages()] == [("olha", False), ("e essa", True)]
    assert waiting(edge) == []


FAILURES = [
    fakes.refuse(20009, 409),
    fakes.refuse(20003, 401),
    fakes.refuse(20429, 429),
    fakes.refuse(0, 404),
    fakes.BAD_GATEWAY,
    fakes.REFUSE_CONNECTION,
]


@pytest.mark.parametrize("failure", FAILURES, ids=str)
def test_what_fails_is_tried_again(edge: Edge, failure: Behaviour) -> None:
    """A record that is not final, wrong credentials, haste, trouble: it is there still."""
    edge.says("oi")
    quiet(edge)
    keep(edge, customers=30)
    edge.fake.deletes.append(failure)
    sweep(edge, days=31)
    assert (names(edge), waiting(edge), len(edge.fake.arrived)) == ([""], [("message", 1)], 1)
    retention.delete_there(services(edge), edge.clock())
    assert waiting(edge) == [("message", 1)]  # not at once
    sweep(edge, minutes=2)
    assert (waiting(edge), edge.fake.arrived) == ([], [])


def test_a_failure_does_not_stop_the_others(edge: Edge) -> None:
    edge.says("oi", From="whatsapp:+5511911112222", WaId="5511911112222", ExternalUserId=None)
    edge.says("oi", From="whatsapp:+5511933334444", WaId="5511933334444", ExternalUserId=None)
    quiet(edge)
    keep(edge, customers=30)
    edge.fake.deletes.append(fakes.BAD_GATEWAY)
    sweep(edge, days=31)
    assert (waiting(edge), len(edge.fake.arrived)) == ([("message", 1)], 1)


@pytest.mark.parametrize(
    "failure",
    [fakes.REFUSE_CONNECTION, fakes.STALL, fakes.refuse(20003, 401), fakes.refuse(20429, 429)],
    ids=["no way", "no answer", "credentials", "haste"],
)
def test_where_nothing_gets_through_it_is_tried_once(edge: Edge, failure: Behaviour) -> None:
    """And not with each of hundreds: the rest waits for the next look, none the worse."""
    for number in range(3):
        phone = f"551191111222{number}"
        edge.says("oi", From=f"whatsapp:+{phone}", WaId=phone, ExternalUserId=None)
    quiet(edge)
    keep(edge, customers=30)
    edge.fake.deletes.append(failure)
    sweep(edge, days=31)
    assert waiting(edge) == [("message", 1), ("message", 0), ("message", 0)]
    sweep(edge, minutes=2)
    assert (waiting(edge), edge.fake.arrived) == ([], [])


def test_what_is_gone_already_is_gone(edge: Edge) -> None:
    edge.says("oi")
    quiet(edge)
    edge.fake.arrived.clear()
    keep(edge, customers=30)
    sweep(edge, days=31)
    assert waiting(edge) == []


@pytest.mark.parametrize(
    "reference",
    [media_url(1, account=ELSEWHERE), "https://evil.test/2010-04-01/", media_url(1) + "/../../x", "../Calls"],
)
def test_what_is_not_of_our_account_is_not_asked_for(edge: Edge, reference: str) -> None:
    """An address came from a form: it leads nowhere but to attachments of this account."""
    edge.fake.deletes.append(fakes.BAD_GATEWAY)
    with edge.db.writing() as session:
        provider_deletion.want(session, edge.clock(), edge.tenant_id, Kind.MEDIA, [reference])
    sweep(edge)
    assert (waiting(edge), len(edge.fake.deletes)) == ([], 1)


def test_who_is_forgotten_is_not_brought_back(edge: Edge) -> None:
    """Twilio lists their messages until they are deleted there: what we had is not missing."""
    edge.says("oi")
    quiet(edge)
    edge.clock.forward(minutes=5)
    with edge.db.writing() as session:
        erasure.anonymise(session, edge.clock(), edge.tenant_id, 1)
    assert missed_messages.fill(services(edge), edge.clock()) == 0
    with edge.db.reading() as session:
        assert [line.text for line in session.exec(select(Message))] == [erasure.BLANK]


def test_where_nothing_can_be_deleted_the_wish_stays(edge: Edge) -> None:
    edge.says("oi")
    quiet(edge)
    keep(edge, customers=30)
    now = edge.clock.forward(days=31)
    retention.forget_old(edge.services, now)
    retention.delete_there(edge.services, now)
    assert waiting(edge) == [("message", 0)]


def test_a_message_that_comes_meanwhile_saves_them(edge: Edge, monkeypatch: pytest.MonkeyPatch) -> None:
    edge.says("oi")
    quiet(edge)
    keep(edge, customers=30)
    now = edge.clock.forward(days=31)
    find = retention.retention.silent

    def slow(*args: object) -> object:
        found = find(*args)
        with edge.db.writing() as session:
            session.get_one(Conversation, 1).last_message_at = now - timedelta(seconds=1)
        return found

    monkeypatch.setattr(retention.retention, "silent", slow)
    retention.forget_old(services(edge), now)
    assert names(edge) == ["Ana"]
