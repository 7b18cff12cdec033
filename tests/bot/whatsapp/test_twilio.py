"""Twilio's client over our HTTP: what is asked of Twilio, and what each of its failures means."""

from collections.abc import Iterator
from datetime import timedelta

import httpx
import pytest

from bot.core.http import ThreadClients
from bot.whatsapp import error_codes
from bot.whatsapp.base import SendError
from bot.whatsapp.credentials import Account
from bot.whatsapp.error_codes import Action
from bot.whatsapp.twilio import Patience, TwilioSender, twilio_client
from models.message import Status
from tests.fakes import twilio as fakes
from tests.fakes.twilio import (
    ACCOUNT,
    BSUID,
    CUSTOMER,
    PUBLIC_URL,
    SENDER,
    START,
    TOKEN,
    Behaviour,
    FakeTwilio,
)

PATIENT = Patience()


@pytest.fixture
def fake() -> FakeTwilio:
    return FakeTwilio()


def sender_over(
    transport: httpx.BaseTransport | None,
    api_url: str | None = None,
    public_url: str | None = PUBLIC_URL,
    patience: Patience = PATIENT,
) -> tuple[TwilioSender, ThreadClients]:
    http = ThreadClients(transport=transport)
    client = twilio_client(Account(ACCOUNT, (TOKEN, "old"), ""), http, api_url, patience)
    return TwilioSender(client, SENDER, public_url), http


@pytest.fixture
def sender(fake: FakeTwilio) -> Iterator[TwilioSender]:
    made, http = sender_over(fake.transport())
    yield made
    http.close()


def test_a_message_is_created_with_our_id_in_the_callback(fake: FakeTwilio, sender: TwilioSender) -> None:
    sent = sender.send(CUSTOMER, "Olá! Às 10h = R$ 120 & café + 👍", reference=42)
    assert fake.requests == [
        {
            "To": CUSTOMER,
            "From": f"whatsapp:{SENDER}",
            "Body": "Olá! Às 10h = R$ 120 & café + 👍",
            "StatusCallback": f"{PUBLIC_URL}/twilio/status?o=42",
        }
    ]
    assert (sent.sid, sent.status) == (fake.sent[0].sid, Status.ACCEPTED)


def test_a_person_without_a_number_is_written_to_by_their_id(fake: FakeTwilio, sender: TwilioSender) -> None:
    sender.send(BSUID, "oi", reference=1)
    assert fake.sent[0].to == BSUID


def test_without_a_public_address_no_callback_is_asked_for(fake: FakeTwilio) -> None:
    sender, http = sender_over(fake.transport(), public_url=None)
    sender.send(CUSTOMER, "oi", reference=1)
    assert "StatusCallback" not in fake.requests[0]
    http.close()


ambiguous = (False, False, None)
passing = (False, True, None)


@pytest.mark.parametrize(
    ("behaviour", "meaning"),
    [
        (fakes.STALL, ambiguous),
        (fakes.ACCEPT_THEN_STALL, ambiguous),
        (fakes.RESET, ambiguous),
        (fakes.ACCEPT_THEN_RESET, ambiguous),
        (fakes.BAD_GATEWAY, ambiguous),
        (fakes.refuse(20500, 500), (False, False, 20500)),
        (fakes.refuse(20503, 503), (False, False, 20503)),
        (Behaviour(accept=False, status=408, html=True), ambiguous),
        (Behaviour(accept=True, html=True), ambiguous),  # a 201 that cannot be read
        (fakes.REFUSE_CONNECTION, passing),
        (fakes.TOO_MANY, (False, True, 20429)),
        (Behaviour(accept=False, status=429, html=True), (False, True, 20429)),
        (fakes.refuse(63018, 429), (False, True, 63018)),
        (fakes.refuse(20003, 401), (False, True, 20003)),
        (Behaviour(accept=False, status=403, html=True), (False, True, 20003)),
        (Behaviour(accept=False, status=302, html=True), (False, True, 20404)),
        (fakes.refuse(99999), (True, True, 99999)),
        (Behaviour(accept=False, status=400, html=True), (True, True, None)),
        (Behaviour(accept=False, status=422), (True, True, None)),
    ],
)
def test_what_a_failure_means(
    fake: FakeTwilio, sender: TwilioSender, behaviour: Behaviour, meaning: tuple[bool, bool, int | None]
) -> None:
    """(permanent, surely not sent, code): where the request may have been carried out, nothing is sure."""
    fake.script.append(behaviour)
    with pytest.raises(SendError) as caught:
        sender.send(CUSTOMER, "oi", reference=1)
    assert (caught.value.permanent, caught.value.surely_not_sent, caught.value.code) == meaning
    assert "5531" not in str(caught.value)


@pytest.mark.parametrize(("code", "action"), sorted(error_codes.ACTIONS.items()))
def test_every_known_code(fake: FakeTwilio, sender: TwilioSender, code: int, action: Action) -> None:
    fake.script.append(fakes.refuse(code))
    with pytest.raises(SendError) as caught:
        sender.send(CUSTOMER, "oi", reference=1)
    assert caught.value.surely_not_sent
    assert caught.value.permanent == (action not in error_codes.PASSING)
    assert caught.value.code == code


@pytest.mark.parametrize(
    ("error", "sure"),
    [
        (httpx.ConnectError("x"), True),
        (httpx.ConnectTimeout("x"), True),
        (httpx.PoolTimeout("x"), True),
        (httpx.ProxyError("x"), True),
        (httpx.ReadTimeout("x"), False),
        (httpx.WriteTimeout("x"), False),
        (httpx.WriteError("x"), False),
        (httpx.ReadError("x"), False),
        (httpx.RemoteProtocolError("x"), False),
        (httpx.DecodingError("x"), False),
    ],
)
def test_only_what_never_left_is_surely_not_sent(error: httpx.HTTPError, sure: bool) -> None:
    def fail(request: httpx.Request) -> httpx.Response:
        raise error

    sender, http = sender_over(httpx.MockTransport(fail))
    with pytest.raises(SendError) as caught:
        sender.send(CUSTOMER, "oi", reference=1)
    assert (caught.value.permanent, caught.value.surely_not_sent) == (False, sure)
    http.close()


@pytest.mark.parametrize(
    "body", ["[]", "null", "{}", '"x"', '{"sid": null}', '{"sid": "SM1", "date_created": 7}']
)
def test_a_strange_success_is_ambiguous(body: str) -> None:
    answer = httpx.MockTransport(lambda request: httpx.Response(201, text=body))
    sender, http = sender_over(answer)
    with pytest.raises(SendError) as caught:
        sender.send(CUSTOMER, "oi", reference=1)
    assert not caught.value.surely_not_sent
    http.close()


def test_a_server_that_trickles_is_left_in_the_end() -> None:
    """Each read comes in time, the whole never: the wall clock counts, and the outcome is open."""
    answer = httpx.MockTransport(lambda request: httpx.Response(201, text="{}"))
    sender, http = sender_over(answer, patience=Patience(total=-1))
    with pytest.raises(SendError) as caught:
        sender.send(CUSTOMER, "oi", reference=1)
    assert not caught.value.surely_not_sent
    http.close()


def test_find_sees_what_was_accepted_even_before_twilio_sent_it(
    fake: FakeTwilio, sender: TwilioSender
) -> None:
    """A queued message has no date of sending yet."""
    accepted = sender.send(CUSTOMER, "Olá,\n tudo bem?", reference=1)
    assert sender.find(CUSTOMER, "Olá,\n tudo bem?", START) == accepted
    assert sender.find(CUSTOMER, "Olá, tudo bem? ", START - timedelta(minutes=5)) == accepted


def test_find_wants_the_very_text_address_and_time(fake: FakeTwilio, sender: TwilioSender) -> None:
    sender.send(CUSTOMER, "oi", reference=1)
    assert sender.find(CUSTOMER, "oi!", START) is None
    assert sender.find("whatsapp:+553198966398", "oi", START) is None
    assert sender.find(CUSTOMER, "oi", START + timedelta(seconds=1)) is None


def test_find_gives_the_newest_and_how_far_it_came(fake: FakeTwilio, sender: TwilioSender) -> None:
    sender.send(CUSTOMER, "oi", reference=1)
    fake.now = lambda: START + timedelta(minutes=1)
    sender.send(CUSTOMER, "oi", reference=2)
    fake.sent[1].status = "undelivered"
    found = sender.find(CUSTOMER, "oi", START)
    assert found is not None
    assert (found.sid, found.status) == (fake.sent[1].sid, Status.FAILED)


def test_find_that_fails_says_so(fake: FakeTwilio, sender: TwilioSender) -> None:
    fake.listing.append(fakes.refuse(20003, 401))
    with pytest.raises(SendError):
        sender.find(CUSTOMER, "oi", START)


def test_another_address_replaces_every_host_of_twilio(
    fake: FakeTwilio, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also with a path of its own, and whatever the environment says of edges and regions."""
    monkeypatch.setenv("TWILIO_EDGE", "sao-paulo")
    monkeypatch.setenv("TWILIO_REGION", "us1")
    seen: list[httpx.URL] = []

    def answer(request: httpx.Request) -> httpx.Response:
        seen.append(request.url)
        return fake.transport().handle_request(request)

    sender, http = sender_over(httpx.MockTransport(answer), "http://127.0.0.1:9/demo/twilio")
    sender.send(CUSTOMER, "oi", reference=1)
    sender.find(CUSTOMER, "oi", START)
    path = f"/demo/twilio/2010-04-01/Accounts/{ACCOUNT}/Messages.json"
    assert [(url.host, url.port, url.path) for url in seen] == [("127.0.0.1", 9, path)] * 2
    http.close()


def test_over_a_real_socket(fake: FakeTwilio) -> None:
    """The same against a server: an answer, a reset, a door that is shut."""
    with fake.server() as url:
        sender, http = sender_over(None, url)
        sender.send(CUSTOMER, "oi", reference=1)
        assert sender.find(CUSTOMER, "oi", START) is not None
        fake.script.append(fakes.ACCEPT_THEN_RESET)
        with pytest.raises(SendError) as caught:
            sender.send(CUSTOMER, "de novo", reference=2)
        assert not caught.value.surely_not_sent
        http.close()
    sender, http = sender_over(None, url)
    with pytest.raises(SendError) as caught:
        sender.send(CUSTOMER, "oi", reference=3)
    assert caught.value.surely_not_sent
    assert fake.bodies == ["oi", "de novo"]
    http.close()


def test_a_real_stall_ends_by_itself(fake: FakeTwilio) -> None:
    """The library has no time-out of its own."""
    with fake.server() as url:
        sender, http = sender_over(None, url, patience=Patience(silence=0.05))
        fake.script.append(fakes.ACCEPT_THEN_STALL)
        with pytest.raises(SendError) as caught:
            sender.send(CUSTOMER, "oi", reference=1)
        http.close()
    assert not caught.value.surely_not_sent
    assert fake.bodies == ["oi"]
