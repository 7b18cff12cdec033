"""What customers wrote while our door was shut is fetched: once, for its business alone, and answered."""

from collections.abc import Iterator
from dataclasses import replace

import pytest
from sqlmodel import select

from bot.core.services import Services
from bot.process import missed_messages
from bot.whatsapp.base import Inbox, SendError
from bot.whatsapp.credentials import Account
from bot.whatsapp.twilio import TwilioInbox, twilio_client
from models.db import Database
from models.tenant import Tenant
from tests.bot.edge import Edge, add_tenant
from tests.fakes import twilio as fakes
from tests.fakes.media import media_url
from tests.fakes.twilio import ACCOUNT, CUSTOMER, SENDER, TOKEN, Behaviour


@pytest.fixture
def edge(db: Database) -> Iterator[Edge]:
    with Edge(db) as made:
        yield made


def services(edge: Edge) -> Services:
    def inbox_for(tenant: Tenant) -> Inbox:
        client = twilio_client(Account(ACCOUNT, (TOKEN,), ""), edge.http, None)
        return TwilioInbox(client, None)

    return replace(edge.services, inbox_for=inbox_for)


def write(edge: Edge, text: str, **fields: str) -> str:
    """A customer writes, and nobody opens the door."""
    _, form = edge.fake.inbound_form(text, **fields)
    return form["MessageSid"]


def fill(edge: Edge, minutes: float = 5) -> int:
    now = edge.clock.forward(minutes=minutes)
    return missed_messages.fill(services(edge), now)


def test_what_never_came_is_taken_in_as_if_it_had(edge: Edge) -> None:
    sid = write(edge, "quero marcar um corte")
    assert fill(edge) == 1
    [line] = edge.messages()
    assert (line.provider_sid, line.text, line.kind, line.extra) == (
        sid,
        "quero marcar um corte",
        "text",
        {"gap": True},
    )
    row = edge.conversation()
    assert (row.address, row.due_at) == (CUSTOMER, edge.clock.at + edge.services.debounce)
    assert edge.services.wake_agent.is_set()


def test_nothing_is_taken_in_twice(edge: Edge) -> None:
    edge.says("oi")
    write(edge, "tem alguém aí?")
    assert fill(edge) == 1
    assert fill(edge) == 0
    assert [line.text for line in edge.messages()] == ["oi", "tem alguém aí?"]


def test_a_webhook_that_comes_after_all_changes_nothing(edge: Edge) -> None:
    headers, form = edge.fake.inbound_form("oi")
    assert fill(edge) == 1
    edge.deliver("/twilio/inbound", headers, form)
    assert len(edge.messages()) == 1


def test_what_is_just_on_its_way_is_left_to_the_webhook(edge: Edge) -> None:
    """It tells more: the name, and what was tapped."""
    write(edge, "oi")
    assert fill(edge, minutes=1) == 0
    assert fill(edge, minutes=5) == 1


def test_a_gap_in_the_middle_is_found(edge: Edge) -> None:
    """What came and was stored afterwards hides nothing that is older."""
    fill(edge)
    edge.clock.forward(hours=3)
    write(edge, "primeira")
    edge.clock.forward(hours=2)
    edge.says("segunda")
    assert fill(edge) == 1
    assert [line.text for line in edge.messages()] == ["segunda", "primeira"]


def test_the_oldest_comes_first(edge: Edge) -> None:
    for text in ("um", "dois", "três"):
        write(edge, text)
        edge.clock.forward(seconds=10)
    assert fill(edge) == 3
    assert [line.text for line in edge.messages()] == ["um", "dois", "três"]


def test_what_was_before_the_business_was_here_is_not_for_us(edge: Edge) -> None:
    edge.clock.forward(hours=-1)
    write(edge, "antes")
    edge.clock.forward(hours=1)
    assert fill(edge) == 0


def test_what_cannot_be_answered_any_more_is_left(edge: Edge) -> None:
    """WhatsApp's 24 hours are over."""
    fill(edge)
    write(edge, "velha")
    edge.clock.forward(hours=2)
    write(edge, "nova")
    assert fill(edge, minutes=23 * 60) == 1
    assert [line.text for line in edge.messages()] == ["nova"]


def test_attachments_are_fetched_with_it(edge: Edge) -> None:
    voice = {"NumMedia": "1", "MediaUrl0": media_url(), "MediaContentType0": "audio/ogg"}
    write(edge, "", MessageSid=f"MM{1:032x}", **voice)
    assert fill(edge) == 1
    [line] = edge.messages()
    assert (line.kind, line.media) == ("audio", [{"url": media_url(), "content_type": "audio/ogg"}])


def test_our_own_lines_and_other_numbers_are_not_taken_for_customers(edge: Edge) -> None:
    edge.fake.accept_elsewhere("oi", to=f"whatsapp:{SENDER}")
    write(edge, "oi", To="whatsapp:+551130009999")
    assert fill(edge) == 0


def test_each_business_gets_its_own(edge: Edge) -> None:
    other = add_tenant(edge.db, "outro", "+551130009999")
    write(edge, "para um")
    write(edge, "para outro", To="whatsapp:+551130009999")
    assert fill(edge) == 2
    assert {(line.tenant_id, line.text) for line in edge.messages()} == {
        (edge.tenant_id, "para um"),
        (other, "para outro"),
    }


@pytest.mark.parametrize("behaviour", [fakes.STALL, fakes.RESET, fakes.TOO_MANY, fakes.refuse(20003, 401)])
def test_while_twilio_does_not_answer_nothing_is_taken_for_seen(edge: Edge, behaviour: Behaviour) -> None:
    write(edge, "oi")
    edge.fake.listing.append(behaviour)
    assert fill(edge) == 0
    assert fill(edge, minutes=1) == 1


def test_one_business_without_an_account_does_not_hold_the_others(edge: Edge) -> None:
    """The first one in order has no token."""
    add_tenant(edge.db, "outro", "+551130009999")
    write(edge, "oi", To="whatsapp:+551130009999")
    working = services(edge).inbox_for
    assert working is not None

    def inbox_for(tenant: Tenant) -> Inbox:
        if tenant.id == edge.tenant_id:
            raise SendError("TWILIO_AUTH_TOKEN is not set", permanent=False, surely_not_sent=True)
        return working(tenant)

    now = edge.clock.forward(minutes=5)
    assert missed_messages.fill(replace(edge.services, inbox_for=inbox_for), now) == 1


def test_another_worker_that_has_just_looked_is_enough(edge: Edge) -> None:
    assert fill(edge) == 0
    write(edge, "oi")
    assert fill(edge, minutes=3) == 0
    assert edge.fake.arrived
    assert fill(edge, minutes=3) == 1
    with edge.db.reading() as session:
        assert session.exec(select(Tenant)).one().inbound_seen_at == edge.clock.at


def test_who_has_no_twilio_looks_nowhere(edge: Edge) -> None:
    write(edge, "oi")
    assert missed_messages.fill(edge.services, edge.clock.forward(minutes=5)) == 0
