"""The Twilio stand-in: what it accepts and refuses, and how it plays deliveries."""

import json
import threading
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta

import pytest
from twilio.request_validator import RequestValidator
from werkzeug.datastructures import MultiDict

from bot.demo import fake_twilio
from bot.demo.fake_twilio import Account, Alarm, ApiError, Line, Person, StandIn
from bot.demo.fake_twilio_content import Unusable
from bot.intents.choices import Choice, Question
from bot.whatsapp import content_api, forms
from bot.whatsapp.content_api import Rich

PUBLIC = "http://127.0.0.1:8000"
BUSINESS = "whatsapp:+551130001000"
ACCOUNT = Account("AC" + "0" * 32, "segredo")
MARINA = Person("Marina", "whatsapp:+5511990000001", "whatsapp:BR.1001")


class ByHand:
    """Jobs that run when the test says so, in the order of their time."""

    def __init__(self) -> None:
        self.jobs: list[tuple[float, Callable[[], None]]] = []
        self.at = 0.0

    def __call__(self, seconds: float, job: Callable[[], None]) -> None:
        self.jobs.append((self.at + seconds, job))

    def run(self) -> None:
        while self.jobs:
            self.jobs.sort(key=lambda pair: pair[0])
            self.at, job = self.jobs.pop(0)
            job()


class Server:
    """Takes the posts of the stand-in; answers `status`."""

    def __init__(self) -> None:
        self.status: int | None = 200
        self.posts: list[tuple[str, dict[str, str], str]] = []

    def __call__(self, url: str, form: Mapping[str, str], headers: Mapping[str, str]) -> int | None:
        self.posts.append((url, dict(form), headers["X-Twilio-Signature"]))
        return self.status


class Setting:
    def __init__(self, now: datetime) -> None:
        self.now = now
        self.later = ByHand()
        self.server = Server()
        self.twilio = StandIn(
            ACCOUNT, PUBLIC, [BUSINESS], now=lambda: self.now, later=self.later, post=self.server
        )

    def statuses(self) -> list[str]:
        return [
            form["MessageStatus"] for _url, form, _signature in self.server.posts if "MessageStatus" in form
        ]


@pytest.fixture
def setting(now: datetime) -> Setting:
    return Setting(now)


def reply(**changes: str) -> dict[str, str]:
    return {"From": BUSINESS, "To": MARINA.address, "Body": "Olá!"} | changes


def test_what_a_customer_writes_reaches_the_webhook_as_a_signed_form(setting: Setting) -> None:
    """Twilio's own validator accepts the signature, and the form says who wrote what to whom."""
    line = setting.twilio.write(MARINA, BUSINESS, fake_twilio.text("Tem horário amanhã? É às 10h & só 1"))
    assert line.status == "sent"
    setting.later.run()
    [(url, form, signature)] = setting.server.posts
    assert url == f"{PUBLIC}/twilio/inbound"
    assert RequestValidator(ACCOUNT.token).validate(url, form, signature)
    assert form["MessageSid"] == line.sid
    assert (form["From"], form["To"], form["ProfileName"]) == (MARINA.address, BUSINESS, "Marina")
    assert form["Body"] == "Tem horário amanhã? É às 10h & só 1"
    assert line.status == "delivered"


@pytest.mark.parametrize("answer", [None, 403, 500])
def test_a_delivery_that_the_server_does_not_take_is_seen_as_failed(
    setting: Setting, answer: int | None
) -> None:
    setting.server.status = answer
    line = setting.twilio.write(MARINA, BUSINESS, fake_twilio.text("Oi"))
    setting.later.run()
    assert line.status == "failed"
    assert setting.twilio.exchanges[-1].answer == answer


def test_a_repeated_delivery_is_the_same_in_every_byte_and_one_line(setting: Setting) -> None:
    line = setting.twilio.write(MARINA, BUSINESS, fake_twilio.text("Oi"))
    setting.later.run()
    assert setting.twilio.repeat(line.sid)
    setting.later.run()
    first, second = setting.server.posts
    assert first == second
    assert setting.twilio.between(MARINA.address, BUSINESS) == [line]
    assert not setting.twilio.repeat("SM" + "f" * 32)


def test_media_and_location_come_as_twilio_writes_them(setting: Setting) -> None:
    setting.twilio.write(MARINA, BUSINESS, fake_twilio.location("-23.56", "-46.65", "Av. Paulista", "Casa"))
    setting.twilio.write(MARINA, BUSINESS, fake_twilio.media("audio", "audio/ogg"))
    setting.later.run()
    place, voice = [form for _url, form, _signature in setting.server.posts]
    assert (place["MessageType"], place["Body"], place["NumMedia"]) == ("location", "", "0")
    assert place["Latitude"] == "-23.56"
    assert voice["MediaContentType0"] == "audio/ogg"
    assert voice["MessageSid"].startswith("MM")
    assert voice["MediaUrl0"].startswith(
        f"{PUBLIC}/demo/twilio/2010-04-01/Accounts/{ACCOUNT.sid}/Messages/MM"
    )


def test_an_accepted_message_is_sent_delivered_and_read_with_signed_callbacks(setting: Setting) -> None:
    """The statuses go to the address that the request named, query and all."""
    setting.twilio.write(MARINA, BUSINESS, fake_twilio.text("Oi"))
    callback = f"{PUBLIC}/twilio/status?o=7"
    line = setting.twilio.accept(reply(StatusCallback=callback))
    assert line.status == "queued"
    setting.later.run()
    assert setting.statuses() == ["sent", "delivered", "read"]
    for url, form, signature in setting.server.posts[1:]:
        assert url == callback
        assert form["MessageSid"] == line.sid
        assert RequestValidator(ACCOUNT.token).validate(url, form, signature)
    assert line.status == "read"


@pytest.mark.parametrize("hours", [24, 25])
def test_a_free_text_outside_the_24_hours_comes_back_undelivered(setting: Setting, hours: int) -> None:
    setting.twilio.write(MARINA, BUSINESS, fake_twilio.text("Oi"))
    setting.now += timedelta(hours=hours)
    line = setting.twilio.accept(reply())
    setting.later.run()
    assert setting.statuses() == ["undelivered"]
    assert setting.server.posts[-1][1]["ErrorCode"] == "63016"
    assert line.error_code == 63016


def test_a_template_is_delivered_outside_the_24_hours_too(setting: Setting) -> None:
    """Its own words only Twilio knows: on the phone stand its variables."""
    form = reply(ContentSid="HX" + "0" * 32, ContentVariables='{"1": "Maria", "2": "amanhã, às 10:00"}')
    del form["Body"]
    line = setting.twilio.accept(form)
    setting.later.run()
    assert (line.status, line.text) == ("read", "Modelo HX0000…: Maria; amanhã, às 10:00")


def test_variables_that_are_none_are_refused(setting: Setting) -> None:
    form = reply(ContentSid="HX" + "0" * 32, ContentVariables="[1]")
    del form["Body"]
    with pytest.raises(ApiError, match="ContentVariables"):
        setting.twilio.accept(form)


REFUSED = [
    (reply(To=""), 21604),
    (reply(To="+5511990000001"), 21211),
    (reply(From="whatsapp:+15550000000"), 63007),
    (reply(Body=""), 21602),
    (reply(Body="a" * 1601), 21617),
    (reply(StatusCallback="http://elsewhere.example/twilio/status"), 21609),
    (reply(StatusCallback=f"{PUBLIC}.elsewhere.example/twilio/status"), 21609),
]


@pytest.mark.parametrize(("form", "code"), REFUSED)
def test_what_twilio_refuses_is_refused_with_its_code(
    setting: Setting, form: dict[str, str], code: int
) -> None:
    with pytest.raises(ApiError) as refused:
        setting.twilio.accept(form)
    assert (refused.value.status, refused.value.code) == (400, code)
    assert setting.twilio.listed({}) == []
    assert setting.later.jobs == []


def test_a_body_of_exactly_1600_characters_is_accepted(setting: Setting) -> None:
    assert setting.twilio.accept(reply(Body="é" * 1600)).status == "queued"


def test_what_is_deleted_is_gone_there_and_not_on_the_phone(setting: Setting) -> None:
    setting.twilio.write(MARINA, BUSINESS, fake_twilio.text("oi"))
    setting.later.run()
    [theirs] = setting.twilio.between(MARINA.address, BUSINESS)
    ours = setting.twilio.accept({"From": BUSINESS, "To": MARINA.address, "Body": "Oi!"})
    with pytest.raises(ApiError) as refused:
        setting.twilio.delete(ours.sid)
    assert (refused.value.status, refused.value.code) == (409, 20009)
    setting.later.run()
    for line in (theirs, ours):
        setting.twilio.delete(line.sid)
        with pytest.raises(ApiError) as missing:
            setting.twilio.delete(line.sid)
        assert (missing.value.status, missing.value.code) == (404, 20404)
    assert setting.twilio.listed({}) == []
    assert setting.twilio.between(MARINA.address, BUSINESS) == [theirs, ours]


def test_an_attachment_is_deleted_alone(setting: Setting) -> None:
    line = setting.twilio.write(MARINA, BUSINESS, fake_twilio.media("image", "image/jpeg"))
    assert setting.twilio.attached(line.sid) is line
    setting.twilio.delete_media(line.sid)
    for gone in (setting.twilio.attached, setting.twilio.delete_media):
        with pytest.raises(ApiError):
            gone(line.sid)
    assert setting.twilio.record(line.sid) is line


def test_the_list_is_filtered_by_address_and_day(setting: Setting) -> None:
    old = Line("SMold", BUSINESS, MARINA.address, "ontem", datetime(2026, 12, 1, 23, 59, tzinfo=UTC))
    setting.twilio.remember([old])
    new = setting.twilio.accept(reply())
    listed = setting.twilio.listed
    assert listed({"To": MARINA.address}) == [new, old]
    assert listed({"From": MARINA.address}) == []
    assert listed({"DateSent": "2026-12-01"}) == [old]
    assert listed({"DateSent>": "2026-12-02"}) == [new]
    assert listed({"DateSent<": "2026-12-01T23:59:59Z"}) == [old]
    with pytest.raises(ApiError):
        listed({"DateSent": "ontem"})


def test_two_chats_of_one_business_are_kept_apart(setting: Setting) -> None:
    joao = Person("João", "whatsapp:+5511990000002", "whatsapp:BR.1002")
    mine = setting.twilio.write(MARINA, BUSINESS, fake_twilio.text("Oi"))
    setting.twilio.write(joao, BUSINESS, fake_twilio.text("E aí"))
    answer = setting.twilio.accept(reply())
    assert setting.twilio.between(MARINA.address, BUSINESS) == [mine, answer]


def test_the_alarm_runs_jobs_in_order_and_survives_a_broken_one() -> None:
    later, done = Alarm(), threading.Event()
    order: list[str] = []

    def broken() -> None:
        raise ValueError("broken")

    later(0.02, lambda: order.append("late"))
    later(0.03, done.set)
    later(0, broken)
    later(0, lambda: order.append("early"))
    assert done.wait(10)
    assert order == ["early", "late"]


# Questions with buttons and lists

BUTTONS = content_api.rich(
    Question("Posso confirmar?\nCorte às 10:00", (Choice("yes", "Sim"), Choice("no", "Não")))
)
LIST = content_api.rich(
    Question(
        'Qual "horário"?',
        (Choice("slot:1:2026-12-03T10:00", "10:00", "Ana Souza"), Choice("slot:2:2026-12-03T11:00", "11:00")),
        button="Ver horários",
    )
)


def asked(setting: Setting, made: Rich | None) -> Line:
    """The question, as the product lays it down and sends it."""
    assert made is not None
    sid = str(setting.twilio.forms.lay_down(made.document())["sid"])
    form = reply(ContentSid=sid, ContentVariables=json.dumps(made.variables))
    del form["Body"]
    return setting.twilio.accept(form)


def test_buttons_stand_on_the_phone_as_they_were_asked(setting: Setting) -> None:
    line = asked(setting, BUTTONS)
    assert line.text == "Posso confirmar?\nCorte às 10:00"
    assert [(one.id, one.title) for one in line.options] == [("yes", "Sim"), ("no", "Não")]
    assert line.button == ""


def test_a_list_as_well(setting: Setting) -> None:
    line = asked(setting, LIST)
    assert (line.text, line.button) == ('Qual "horário"?', "Ver horários")
    assert [(one.id, one.title, one.description) for one in line.options] == [
        ("slot:1:2026-12-03T10:00", "10:00", "Ana Souza"),
        ("slot:2:2026-12-03T11:00", "11:00", ""),
    ]


@pytest.mark.parametrize(
    ("made", "told"),
    [
        (BUTTONS, {"ButtonPayload": "yes", "ButtonText": "Sim", "Body": "Sim"}),
        (LIST, {"ListId": "slot:1:2026-12-03T10:00", "ListTitle": "10:00", "Body": "10:00"}),
    ],
)
def test_a_tap_tells_what_was_tapped_and_under_which_message(
    setting: Setting, made: Rich | None, told: dict[str, str]
) -> None:
    line = asked(setting, made)
    setting.twilio.write(MARINA, BUSINESS, fake_twilio.tap(line, line.options[0]))
    setting.later.run()
    [form] = [form for _, form, _ in setting.server.posts if "Body" in form]
    assert form.items() >= told.items()
    assert form["OriginalRepliedMessageSid"] == line.sid
    assert forms.parse(MultiDict(form)).incoming(1).extra["quoted_sid"] == line.sid


def test_a_question_of_the_session_opens_no_new_one(setting: Setting) -> None:
    """Unlike an approved template: 63016 comes."""
    line = asked(setting, BUTTONS)
    setting.later.run()
    assert (line.status, line.error_code) == ("undelivered", 63016)


@pytest.mark.parametrize(
    "document",
    [
        None,
        [],
        {"types": {}},
        {"types": {"twilio/text": {"body": "x"}}},
        {"types": {"twilio/quick-reply": {"body": "x", "actions": [{"title": "Sim"}]}}},
        {"types": {"twilio/quick-reply": {"actions": []}}},
        {"types": {"twilio/list-picker": {"body": "x", "items": [{"id": "1", "item": "a"}]}}},
    ],
)
def test_what_is_no_form_is_not_laid_down(setting: Setting, document: object) -> None:
    with pytest.raises(Unusable):
        setting.twilio.forms.lay_down(document)
