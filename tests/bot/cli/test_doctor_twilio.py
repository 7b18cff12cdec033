"""What `horacerta doctor` finds at Twilio: how senders and templates are set up, with the exact cure."""

import base64
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import httpx
import pytest

from bot.cli import doctor_twilio
from bot.cli.finding import Finding
from bot.core.http import ThreadClients
from models.db import Database
from tests.bot.edge import add_tenant, settings
from tests.fakes import contract
from tests.fakes.twilio import ACCOUNT, PUBLIC_URL, SENDER, TOKEN

REMINDER, OFFER = "HX" + "1" * 32, "HX" + "2" * 32
XE = "XE" + "0" * 32
GOOD = {
    "callback_url": f"{PUBLIC_URL}/twilio/inbound#rc=2",
    "callback_method": "POST",
    "fallback_url": f"{PUBLIC_URL}/twilio/inbound",
    "status_callback_url": f"{PUBLIC_URL}/twilio/status",
}


@dataclass
class Console:
    """As much of Twilio's API as tells how an account is set up."""

    webhook: dict[str, str] = field(default_factory=lambda: dict(GOOD))
    status: str = "ONLINE"
    number: str = f"whatsapp:{SENDER}"
    account: str = "active"
    token: str = TOKEN
    templates: dict[str, tuple[dict[str, Any], dict[str, str]]] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)

    def __call__(self, request: httpx.Request) -> httpx.Response:
        given = base64.b64encode(f"{ACCOUNT}:{self.token}".encode()).decode()
        if request.headers.get("authorization") != f"Basic {given}":
            return httpx.Response(401, json={"code": 20003})
        self.asked.append(str(request.url))
        match request.url.path.strip("/").split("/"):
            case ["2010-04-01", "Accounts", _]:
                return httpx.Response(200, json={"sid": ACCOUNT, "status": self.account})
            case ["v2", "Channels", "Senders"]:
                sender = {"sid": XE, "sender_id": self.number, "status": self.status, "webhook": self.webhook}
                return httpx.Response(200, json={"senders": [sender], "meta": {"key": "senders"}})
            case ["v1", "Content", sid] if sid in self.templates:
                return httpx.Response(200, json={"sid": sid, "types": self.templates[sid][0]})
            case ["v1", "Content", sid, "ApprovalRequests"] if sid in self.templates:
                return httpx.Response(200, json={"sid": sid, "whatsapp": self.templates[sid][1]})
        return httpx.Response(404, json={"code": 20404})


def check(
    db: Database, console: Callable[[httpx.Request], httpx.Response], **tenant: object
) -> list[Finding]:
    add_tenant(db, **tenant)
    http = ThreadClients(transport=httpx.MockTransport(console))
    try:
        return list(doctor_twilio.examine(settings(database_url=str(db.url)), {}, http))
    finally:
        http.close()


def test_a_good_set_up_is_ok(sqlite_db: Database) -> None:
    found = check(sqlite_db, Console())
    assert [one.ok for one in found] == [True, True]
    assert found[1].text == f"{SENDER} is online and calls {PUBLIC_URL}/twilio/inbound"


def test_without_a_fallback_it_is_ok_and_told(sqlite_db: Database) -> None:
    found = check(sqlite_db, Console(webhook={**GOOD, "fallback_url": ""}))
    assert found[1].ok
    assert found[1].text.endswith("a fallback URL may be the same address")


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"callback_url": ""}, f"its webhook is not set and must be {PUBLIC_URL}/twilio/inbound by POST"),
        (
            {"callback_url": "https://old.example.com/twilio/inbound"},
            "its webhook is https://old.example.com",
        ),
        ({"callback_url": f"{PUBLIC_URL}/twilio/inbound/"}, "its webhook is"),
        ({"callback_method": "GET"}, "by POST"),
        (
            {"status_callback_url": ""},
            f"its status callback is not set and must be {PUBLIC_URL}/twilio/status",
        ),
        ({"status_callback_url": f"{PUBLIC_URL}/twilio/inbound"}, "its status callback is"),
        ({"fallback_url": "https://old.example.com"}, "its fallback is https://old.example.com and must be"),
    ],
)
def test_a_wrong_address_is_named_with_its_cure(
    sqlite_db: Database, wrong: dict[str, str], said: str
) -> None:
    """The cure is a request that sets all of them; no secret stands in it."""
    [_, found] = check(sqlite_db, Console(webhook={**GOOD, **wrong}))
    assert not found.ok
    assert said in found.text
    cure = f'/v2/Channels/Senders/{XE} -u "{ACCOUNT}:$TWILIO_AUTH_TOKEN"'
    assert f"curl -X POST https://messaging.twilio.com{cure}" in found.text
    assert TOKEN not in found.text
    body = json.loads(found.text.partition(" -d '")[2].rstrip("'"))
    assert body["webhook"]["status_callback_url"] == f"{PUBLIC_URL}/twilio/status"
    assert body["webhook"]["callback_url"].startswith(f"{PUBLIC_URL}/twilio/inbound#")
    content_type = {"content-type": "application/json"}
    contract.check("POST", f"/v2/Channels/Senders/{XE}", content_type, json.dumps(body).encode())


def test_several_faults_are_one_line_and_one_cure(sqlite_db: Database) -> None:
    [_, found] = check(sqlite_db, Console(webhook={}))
    assert "its webhook is not set" in found.text
    assert "its status callback is not set" in found.text
    assert found.text.count("curl") == 1


@pytest.mark.parametrize(
    ("console", "said"),
    [
        (Console(status="OFFLINE"), "is OFFLINE, not online"),
        (Console(number="whatsapp:+551199999999"), "is no WhatsApp sender of this account"),
    ],
)
def test_a_sender_that_cannot_send_is_named(sqlite_db: Database, console: Console, said: str) -> None:
    [_, found] = check(sqlite_db, console)
    assert not found.ok
    assert said in found.text


def test_a_wrong_token_ends_the_examination_of_its_account(sqlite_db: Database) -> None:
    [found] = check(sqlite_db, Console(token="another"))
    assert not found.ok
    assert found.text.endswith("see TWILIO_ACCOUNT_SID and TWILIO_AUTH_TOKEN")


@pytest.mark.parametrize("status", [500, 502, 503, 429, None])
def test_a_twilio_that_does_not_answer_says_nothing_of_the_token(
    sqlite_db: Database, status: int | None
) -> None:
    def away(request: httpx.Request) -> httpx.Response:
        if status is None:
            raise httpx.ConnectError("no way there")
        return httpx.Response(status, text="<html>")

    [found] = check(sqlite_db, away)
    assert not found.ok
    assert "Twilio does not answer" in found.text
    assert "TWILIO_AUTH_TOKEN" not in found.text


def test_a_database_that_cannot_be_opened_is_left_to_its_own_check() -> None:
    http = ThreadClients(transport=httpx.MockTransport(Console()))
    bad = settings(database_url="sqlite:////proc/none/x.db")
    assert [one.ok for one in doctor_twilio.examine(bad, {}, http)] == [True]
    http.close()


# Templates

TEXT = {"twilio/text": {"body": "Olá, {{1}}! Seu horário é {{2}}: {{3}}."}}
APPROVED = {"status": "approved", "rejection_reason": ""}


@pytest.mark.parametrize(
    ("types", "approval", "said"),
    [
        (TEXT, APPROVED, None),
        ({"twilio/quick-reply": {"body": "{{1}}", "actions": [{"id": "confirm:{{4}}"}]}}, APPROVED, None),
        (TEXT, {"status": "pending"}, "is pending at WhatsApp; submit it"),
        (TEXT, {"status": "rejected", "rejection_reason": "TAG_CONTENT_MISMATCH"}, "(TAG_CONTENT_MISMATCH)"),
        (TEXT, {}, "is not submitted at WhatsApp"),
        ({"twilio/list-picker": {"body": "{{1}}", "items": []}}, APPROVED, "is a list picker"),
        (
            {"twilio/text": {"body": "{{1}} {{5}} {{nome}}"}},
            APPROVED,
            "uses 5, nome, and is given only the variables 1 to 4",
        ),
    ],
)
def test_a_template_is_approved_and_asks_for_what_it_is_given(
    sqlite_db: Database, types: dict[str, Any], approval: dict[str, str], said: str | None
) -> None:
    console = Console(templates={REMINDER: (types, approval)})
    found = check(sqlite_db, console, template_reminder=REMINDER)[-1]
    assert found.subject == "template reminder of studio-bela"
    assert found.ok == (said is None)
    assert (said or "is approved") in found.text


def test_a_template_of_another_account_is_not_there(sqlite_db: Database) -> None:
    console = Console(templates={REMINDER: (TEXT, APPROVED)})
    found = check(sqlite_db, console, template_reminder=REMINDER, template_waitlist_offer=OFFER)
    assert [one.ok for one in found[-2:]] == [True, False]
    assert f"{OFFER} is not in this account" in found[-1].text


def test_reminders_without_a_template_are_told_of(sqlite_db: Database) -> None:
    found = check(sqlite_db, Console(), reminders_hours=[24])[-1]
    assert found.ok
    assert "who has not written for 24 hours is not reminded" in found.text
