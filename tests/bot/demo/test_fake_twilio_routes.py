"""The stand-in's addresses, asked by twilio's own REST client."""

import base64
import logging
from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient
from twilio.base.exceptions import TwilioRestException
from twilio.http import HttpClient
from twilio.http.response import Response
from twilio.rest import Client

from bot.demo.fake_twilio import Account, Person, StandIn, media, text
from bot.demo.fake_twilio_routes import standin as addresses
from bot.llm import image_blocks
from bot.media.staff_downloads import kind_of

PUBLIC = "http://127.0.0.1:8000"
BUSINESS = "whatsapp:+551130001000"
ACCOUNT = Account("AC" + "0" * 32, "segredo")
MARINA = "whatsapp:+5511990000001"
MESSAGES = f"/demo/twilio/2010-04-01/Accounts/{ACCOUNT.sid}/Messages"


class InProcess(HttpClient):
    """The transport of twilio's client, into the application under test."""

    def __init__(self, web: FlaskClient) -> None:
        super().__init__(logging.getLogger(__name__), is_async=False)
        self.web = web

    def request(
        self,
        method: str,
        uri: str,
        params: Mapping[str, Any] | None = None,
        data: Mapping[str, Any] | None = None,
        headers: Mapping[str, str] | None = None,
        auth: tuple[str, str] | None = None,
        timeout: float | None = None,
        allow_redirects: bool = False,
    ) -> Response:
        answer = self.web.open(
            uri.removeprefix(PUBLIC), method=method, query_string=params, data=data, auth=auth
        )
        return Response(answer.status_code, answer.text, dict(answer.headers))


@pytest.fixture
def twilio(now: datetime) -> StandIn:
    return StandIn(
        ACCOUNT, PUBLIC, [BUSINESS], now=lambda: now, later=lambda _s, _j: None, post=lambda _u, _f, _h: 200
    )


@pytest.fixture
def web(twilio: StandIn) -> FlaskClient:
    app = Flask(__name__)
    app.register_blueprint(addresses(twilio))
    return app.test_client()


def client(web: FlaskClient, token: str = ACCOUNT.token) -> Client:
    made = Client(ACCOUNT.sid, token, http_client=InProcess(web))
    made.api.base_url = made.messaging.base_url = f"{PUBLIC}/demo/twilio"
    return made


def test_twilios_client_sends_fetches_and_lists(web: FlaskClient, twilio: StandIn, now: datetime) -> None:
    messages = client(web).messages
    sent = messages.create(from_=BUSINESS, to=MARINA, body="Olá, *Marina*!")
    assert (sent.status, sent.body, sent.date_created) == ("queued", "Olá, *Marina*!", now)
    assert messages(sent.sid).fetch().sid == sent.sid
    twilio.accept({"From": BUSINESS, "To": "whatsapp:+5511990000002", "Body": "outra"})
    found = messages.list(to=MARINA, date_sent_after=now)
    assert [message.sid for message in found] == [sent.sid]


def test_twilios_client_reads_the_list_page_by_page(web: FlaskClient, twilio: StandIn) -> None:
    for number in range(5):
        twilio.accept({"From": BUSINESS, "To": MARINA, "Body": str(number)})
    twilio.accept({"From": BUSINESS, "To": "whatsapp:+5511990000002", "Body": "outra"})
    found = client(web).messages.list(to=MARINA, page_size=2)
    assert sorted(message.body for message in found) == ["0", "1", "2", "3", "4"]


def test_a_refusal_is_twilios(web: FlaskClient) -> None:
    with pytest.raises(TwilioRestException) as refused:
        client(web).messages.create(from_=BUSINESS, to=MARINA, body="a" * 1601)
    assert (refused.value.status, refused.value.code) == (400, 21617)


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"Authorization": "Bearer segredo"},
        {"Authorization": "Basic " + base64.b64encode(f"{ACCOUNT.sid}:errado".encode()).decode()},
    ],
)
def test_without_the_accounts_token_nothing_is_said(web: FlaskClient, headers: dict[str, str]) -> None:
    for answer in (
        web.get(f"{MESSAGES}.json", headers=headers),
        web.post(f"{MESSAGES}.json", headers=headers, data={"Body": "x"}),
        web.get(f"{MESSAGES}/SMx.json", headers=headers),
        web.post("/demo/twilio/v2/Indicators/Typing.json", headers=headers, data={"messageId": "SMx"}),
    ):
        assert answer.status_code == 401
        assert answer.json is not None
        assert answer.json["code"] == 20003


def test_another_account_is_not_found(web: FlaskClient) -> None:
    other = MESSAGES.replace(ACCOUNT.sid, "AC" + "1" * 32)
    assert web.get(f"{other}.json", auth=(ACCOUNT.sid, ACCOUNT.token)).status_code == 404


def test_typing_is_shown_in_the_chat_of_a_known_message(web: FlaskClient, twilio: StandIn) -> None:
    person = Person("Marina", MARINA, "whatsapp:BR.1")
    sid = twilio.write(person, BUSINESS, text("oi")).sid
    indicator = client(web).messaging.v2.typing_indicator
    assert indicator.create(channel="whatsapp", message_id=sid).success
    with pytest.raises(TwilioRestException) as refused:
        indicator.create(channel="whatsapp", message_id="SM" + "0" * 32)
    assert refused.value.status == 404


def test_an_unknown_message_is_not_found(web: FlaskClient) -> None:
    assert web.get(f"{MESSAGES}/SMx.json", auth=(ACCOUNT.sid, ACCOUNT.token)).status_code == 404


# Forms and pictures


def test_a_form_is_laid_down_by_twilios_own_client(twilio: StandIn, web: FlaskClient) -> None:
    document = {
        "friendly_name": "x",
        "language": "pt_BR",
        "variables": {"1": "exemplo"},
        "types": {"twilio/quick-reply": {"body": "{{1}}", "actions": [{"id": "yes", "title": "Sim"}]}},
    }
    login = (ACCOUNT.sid, ACCOUNT.token)
    made = web.post("/demo/twilio/v1/Content", json=document, auth=login)
    assert made.status_code == 201
    assert made.json is not None
    shown = twilio.forms.show(made.json["sid"], {"1": 'Posso "confirmar"?'})
    assert shown is not None
    assert (shown.body, shown.options[0].id) == ('Posso "confirmar"?', "yes")
    assert web.post("/demo/twilio/v1/Content", json={"types": 1}, auth=login).status_code == 400
    assert web.post("/demo/twilio/v1/Content", json=document).status_code == 401


def test_a_photo_can_be_fetched_as_the_form_says(twilio: StandIn, web: FlaskClient) -> None:
    """By who has the account alone; what it shows is a picture that a model takes."""
    person = Person("Marina", MARINA, "whatsapp:BR.1")
    line = twilio.write(person, BUSINESS, media("image", "image/jpeg"))
    path = line.form["MediaUrl0"].removeprefix(PUBLIC)
    assert web.get(path).status_code == 401
    found = web.get(path, auth=(ACCOUNT.sid, ACCOUNT.token))
    assert found.status_code == 200
    assert image_blocks.fault_of(found.data) == ""
    no_media = twilio.write(person, BUSINESS, text("oi"))
    for other in ("MM" + "0" * 32, no_media.sid):
        assert web.get(path.replace(line.sid, other), auth=(ACCOUNT.sid, ACCOUNT.token)).status_code == 404


def test_a_voice_message_can_be_heard(twilio: StandIn, web: FlaskClient) -> None:
    """As a phone records it: Opus in Ogg, and so small that nobody waits for it."""
    person = Person("Marina", MARINA, "whatsapp:BR.1")
    voice = twilio.write(person, BUSINESS, media("audio", "audio/ogg"))
    path = voice.form["MediaUrl0"].removeprefix(PUBLIC)
    assert web.get(path).status_code == 401
    found = web.get(path, auth=(ACCOUNT.sid, ACCOUNT.token))
    assert (found.status_code, found.mimetype) == (200, "audio/ogg")
    assert kind_of(found.data) == "audio/ogg"
    assert found.data[28:36] == b"OpusHead"
    assert len(found.data) < 20_000
    twilio.remember([replace(voice, form={})])  # as after a restart
    assert web.get(path, auth=(ACCOUNT.sid, ACCOUNT.token)).data == found.data


def test_twilios_client_deletes(web: FlaskClient, twilio: StandIn) -> None:
    line = twilio.write(Person("Marina", MARINA, "whatsapp:BR.1"), BUSINESS, media("image", "image/jpeg"))
    messages, photo = client(web).messages, line.form["MediaUrl0"].rpartition("/")[2]
    assert messages(line.sid).media(photo).delete()
    with pytest.raises(TwilioRestException) as gone:
        messages(line.sid).media(photo).delete()
    assert (gone.value.status, gone.value.code) == (404, 20404)
    assert messages(line.sid).delete()
    with pytest.raises(TwilioRestException) as gone:
        messages(line.sid).fetch()
    assert (gone.value.status, gone.value.code) == (404, 20404)
    assert web.delete(f"{MESSAGES}/{line.sid}.json").status_code == 401
