"""What every answer carries: whatever its kind, nothing of a page may be framed, kept or fed with scripts."""

import re
from pathlib import Path

import pytest

from bot.web.app import TEMPLATES
from bot.web.shared import headers
from bot.web.twilio_webhook import webhook
from models.db import Database
from tests.bot.web.office import Office, token


@pytest.fixture
def office(sqlite_db: Database) -> Office:
    return Office(sqlite_db)


# (who, method, path, status): one of every kind of answer.
ANSWERS = [
    (True, "GET", "/fila", 200),
    (True, "GET", "/fila/1", 200),
    (True, "GET", "/fila/1/linhas", 200),
    (True, "GET", "/agenda", 200),
    (False, "GET", "/entrar", 200),
    (False, "GET", "/fila", 303),
    (False, "GET", "/fila/linhas", 401),
    (True, "POST", "/fila/1/assumir", 400),
    (True, "GET", "/fila/987654", 404),
    (True, "GET", "/nada", 404),
    (True, "GET", "/sair", 405),
    (False, "GET", "/healthz", 200),
    (False, "GET", "/readyz", 503),
    (False, "GET", "/metrics", 200),
    (False, "GET", "/static/staff.css", 200),
    (False, "GET", "/static/nada.css", 404),
]


@pytest.mark.parametrize(("logged_in", "method", "path", "status"), ANSWERS)
def test_every_kind_of_answer_is_secure(
    office: Office, logged_in: bool, method: str, path: str, status: int
) -> None:
    client = office.client() if logged_in else office.client(None)
    answer = client.open(path, method=method)
    answer.close()
    assert answer.status_code == status
    for name, value in headers.ALWAYS.items():
        assert answer.headers[name] == value
    assert answer.headers["Cache-Control"] == "no-store"
    assert "Strict-Transport-Security" not in answer.headers


def test_the_policy_lets_nothing_in() -> None:
    """No inline script or style, no other site, no frame: not even one source beyond our own."""
    rules = dict(rule.split(" ", 1) for rule in headers.CONTENT_SECURITY_POLICY.split("; "))
    assert rules["default-src"] == rules["frame-ancestors"] == rules["base-uri"] == "'none'"
    assert {rules[name] for name in ("script-src", "style-src", "img-src", "connect-src", "form-action")} == {
        "'self'"
    }


def test_a_bug_shows_nothing_of_itself(office: Office) -> None:
    office.own_app().config["PROPAGATE_EXCEPTIONS"] = False

    @office.app.get("/bug")
    def bug() -> str:
        raise RuntimeError("select * from secret")

    answer = office.client().get("/bug")
    assert answer.status_code == 500
    assert "Algo deu errado" in answer.text
    assert "secret" not in answer.text
    assert answer.headers["Content-Security-Policy"] == headers.CONTENT_SECURITY_POLICY


@pytest.mark.parametrize("public_url", ["https://bot.bela.test", "http://bot.bela.test"])
def test_strict_transport_only_where_the_site_has_https(sqlite_db: Database, public_url: str) -> None:
    office = Office(sqlite_db, values={"public_url": public_url})
    told = "Strict-Transport-Security" in office.client(None).get("/entrar").headers
    assert told is public_url.startswith("https")


def test_assets_may_be_kept_for_ever_under_the_name_of_their_content(office: Office) -> None:
    client = office.client(None)
    page = client.get("/entrar").text
    address = page.split('rel="stylesheet" href="')[1].split('"')[0]
    answer = client.get(address)
    answer.close()
    assert answer.headers["Cache-Control"] == headers.FOREVER
    assert client.get("/static/nada.css?v=1").headers["Cache-Control"] == "no-store"


def test_a_post_from_another_site_is_refused_even_with_a_token(office: Office) -> None:
    client = office.client()
    conversation_id = office.says()
    form = {"csrf_token": client.get("/fila").text.split('name="csrf_token" value="')[1].split('"')[0]}
    answer = client.post(
        f"/fila/{conversation_id}/assumir", data=form, headers={"Sec-Fetch-Site": "cross-site"}
    )
    assert answer.status_code == 403
    assert office.row(conversation_id).holder == "bot"


def test_the_token_of_another_session_is_worth_nothing(office: Office) -> None:
    conversation_id = office.says()
    other = office.client(None)
    form = {"csrf_token": other.get("/entrar").text.split('name="csrf_token" value="')[1].split('"')[0]}
    assert office.client().post(f"/fila/{conversation_id}/assumir", data=form).status_code == 400


def test_the_token_lives_as_long_as_the_session(office: Office) -> None:
    """A draft of three hours is no reason to lose it."""
    client = office.client()
    conversation_id = office.says()
    form = {"csrf_token": token(client), "last_seen_seq": "1"}
    office.clock.forward(hours=3)
    assert client.post(f"/fila/{conversation_id}/assumir", data=form).status_code == 303


@pytest.mark.parametrize(
    ("referrer", "status"), [("https://localhost/fila/1", 303), ("https://evil.test/", 400)]
)
def test_over_https_the_referrer_that_we_ask_for_is_enough(
    office: Office, referrer: str, status: int
) -> None:
    client = office.client()
    conversation_id = office.says()
    form = {"csrf_token": token(client), "last_seen_seq": "1"}
    answer = client.post(
        f"/fila/{conversation_id}/assumir",
        data=form,
        base_url="https://localhost",
        headers={"Referer": referrer},
    )
    assert answer.status_code == status


@pytest.mark.parametrize(
    "template", sorted((TEMPLATES / "staff").rglob("*.html")), ids=lambda path: path.name
)
def test_templates_hold_nothing_that_the_policy_forbids(template: Path) -> None:
    """No inline style or script, no attribute without quotes, nothing marked as safe but our own icons."""
    text = template.read_text()
    assert not re.search(r"\sstyle=|\son\w+=|<style|<script(?! src=)|https?://", text)
    assert not re.search(r"=\{\{", text), "an attribute without quotes"
    assert ("|safe" in text) is (template.name == "_icons.html")


def test_the_webhook_needs_no_token_and_refuses_by_signature(office: Office) -> None:
    office.own_app().register_blueprint(webhook(office.services))
    assert office.client(None).post("/twilio/inbound", data={"Body": "oi"}).status_code == 403
