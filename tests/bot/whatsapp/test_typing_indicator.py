"""Typing is shown where it can be, and whatever becomes of it, nobody waits for it."""

import threading
from collections.abc import Iterator

import pytest
from twilio.rest import Client

from bot.core.http import ThreadClients
from bot.whatsapp.base import SendError
from bot.whatsapp.credentials import Account
from bot.whatsapp.twilio import twilio_client
from bot.whatsapp.typing_indicator import WAITING, TypingIndicator
from models.tenant import Tenant
from tests.conftest import NOW
from tests.fakes import twilio as fakes
from tests.fakes.twilio import ACCOUNT, TOKEN, Behaviour, FakeTwilio

STUDIO = Tenant(
    id=1,
    slug="studio-bela",
    name="Studio Bela",
    whatsapp="+551130001000",
    timezone="America/Sao_Paulo",
    created_at=NOW,
)


@pytest.fixture
def fake() -> FakeTwilio:
    return FakeTwilio()


@pytest.fixture
def client(fake: FakeTwilio) -> Iterator[Client]:
    http = ThreadClients(transport=fake.transport())
    yield twilio_client(Account(ACCOUNT, (TOKEN,), ""), http, None)
    http.close()


def test_it_is_shown_in_the_chat_of_the_message(fake: FakeTwilio, client: Client) -> None:
    indicator = TypingIndicator(lambda tenant: client)
    sid = fake.sid()
    indicator(STUDIO, sid)
    indicator.close()
    assert fake.typing == [{"channel": "whatsapp", "messageId": sid}]


@pytest.mark.parametrize("sid", ["", "terminal-1", "SM1", "XX" + "0" * 32])
def test_what_is_no_message_of_twilios_is_not_asked_for(fake: FakeTwilio, client: Client, sid: str) -> None:
    indicator = TypingIndicator(lambda tenant: client)
    indicator(STUDIO, sid)
    indicator.close()
    assert fake.typing == []


@pytest.mark.parametrize(
    "behaviour", [fakes.STALL, fakes.RESET, fakes.TOO_MANY, fakes.refuse(20404, 404), fakes.REFUSE_CONNECTION]
)
def test_a_failure_ends_where_it_happens(fake: FakeTwilio, client: Client, behaviour: Behaviour) -> None:
    """And the next one is shown."""
    asked = threading.Semaphore(0)

    def client_for(tenant: Tenant) -> Client:
        asked.release()
        return client

    fake.typing_refused = behaviour
    indicator = TypingIndicator(client_for)
    for _ in range(2):
        indicator(STUDIO, fake.sid())
        asked.acquire()
    indicator.close()
    assert len(fake.typing) == 2


def test_an_account_that_is_not_set_up_is_no_failure_either(fake: FakeTwilio) -> None:
    def unset(tenant: Tenant) -> Client:
        raise SendError("TWILIO_AUTH_TOKEN is not set", permanent=False, surely_not_sent=True)

    indicator = TypingIndicator(unset)
    indicator(STUDIO, fake.sid())
    indicator.close()
    assert fake.typing == []


def test_nobody_waits_and_nothing_piles_up(fake: FakeTwilio, client: Client) -> None:
    """Twilio hangs: every call returns at once, and what comes too late to be seen is left out."""
    hangs = threading.Event()

    def slow(tenant: Tenant) -> Client:
        hangs.wait()
        return client

    indicator = TypingIndicator(slow)
    for _ in range(WAITING + 10):
        indicator(STUDIO, fake.sid())
    hangs.set()
    indicator(STUDIO, fake.sid())
    indicator.close()
    assert len(fake.typing) <= WAITING
    indicator(STUDIO, fake.sid())  # after the end
