"""Every address is declared here with who may reach it, and keeps to that: nobody sees a stranger's row."""

import re
from dataclasses import dataclass

import pytest
from sqlmodel import SQLModel, select
from werkzeug.test import TestResponse

from bot.web.webhook import webhook
from models import team
from models.db import Database
from models.handoff import Reason
from tests.bot.web.office import ANA, LEAK, Office, token
from tests.bot.web.test_agenda_routes import AGENDA

PUBLIC, STAFF, SIGNED = "public", "staff", "signed"
MISSING = 987654

# (methods, rule): who. What is not in this table fails the first test.
ROUTES = {
    ("GET", "/"): PUBLIC,
    ("GET", "/static/<path:filename>"): PUBLIC,
    ("GET", "/healthz"): PUBLIC,
    ("GET", "/readyz"): PUBLIC,
    ("GET", "/metrics"): PUBLIC,
    ("GET", "/entrar"): PUBLIC,
    ("POST", "/entrar"): PUBLIC,
    ("POST", "/sair"): PUBLIC,
    ("GET", "/fila"): STAFF,
    ("GET", "/fila/linhas"): STAFF,
    ("GET", "/fila/<int(max=2147483647):conversation_id>"): STAFF,
    ("GET", "/fila/<int(max=2147483647):conversation_id>/linhas"): STAFF,
    ("POST", "/fila/<int(max=2147483647):conversation_id>/assumir"): STAFF,
    ("POST", "/fila/<int(max=2147483647):conversation_id>/responder"): STAFF,
    ("POST", "/fila/<int(max=2147483647):conversation_id>/devolver"): STAFF,
    ("POST", "/fila/<int(max=2147483647):conversation_id>/lida"): STAFF,
    ("POST", "/twilio/inbound"): SIGNED,
    ("POST", "/twilio/status"): SIGNED,
}
OF_STAFF = [route for route, who in ROUTES.items() if who == STAFF]
WITH_ID = [route for route in OF_STAFF if "conversation_id" in route[1]]
POSTS = [route for route, who in ROUTES.items() if route[0] == "POST" and who != SIGNED]


@dataclass
class House:
    """Two businesses, each with one waiting conversation. `theirs` is full of the marker."""

    office: Office
    ours: int
    theirs: int

    def ask(
        self, route: tuple[str, str], conversation_id: int, *, email: str | None = ANA, signed: bool = True
    ) -> TestResponse:
        """One request as this person, with a whole form and its token, unless `signed` is False."""
        method, rule = route
        client = self.office.client(email)
        form = {"text": "x", "note": "x", "last_seen_seq": "9", "client_key": "k"}
        if signed:
            form["csrf_token"] = token(client, "/fila" if email else "/entrar")
        path = re.sub("<[^>]*>", str(conversation_id), rule)
        return client.open(path, method=method, data=form if method == "POST" else None)

    def everything(self) -> dict[str, list[tuple[object, ...]]]:
        """Every row of every table, but for what logging in itself writes."""
        with self.office.db.reading() as session:
            rows = {
                name: [tuple(row) for row in session.execute(select(each))]
                for name, each in SQLModel.metadata.tables.items()
                if name not in {"staff_session", "login_attempt"}
            }
        rows["audit_event"] = [row for row in rows["audit_event"] if "staff.log_in" not in row]
        return rows


@pytest.fixture
def house(sqlite_db: Database) -> House:
    office = Office(sqlite_db)
    office.app.register_blueprint(webhook(office.services))
    ours = office.says("nosso")
    theirs = office.says(f"segredo {LEAK}", name=f"Cliente {LEAK}", ids=office.outra)
    office.flags(ours)
    office.flags(theirs, Reason.ERRO_INTERNO, detail=LEAK)
    return House(office, ours, theirs)


def test_every_route_is_declared(house: House) -> None:
    found = {
        (method, rule.rule)
        for rule in house.office.app.url_map.iter_rules()
        for method in (rule.methods or set()) - {"HEAD", "OPTIONS"}
    }
    assert found == set(ROUTES) | set(AGENDA)


@pytest.mark.parametrize("route", WITH_ID)
def test_a_foreign_row_answers_as_a_missing_one_and_nothing_changes(
    house: House, route: tuple[str, str]
) -> None:
    before = house.everything()
    foreign, missing = house.ask(route, house.theirs), house.ask(route, MISSING)
    assert house.everything() == before
    if route[1].endswith("/lida"):
        # It says "seen" of whatever there is, and tells nothing back.
        assert (foreign.status_code, missing.status_code) == (204, 204)
        return
    assert foreign.status_code == missing.status_code == 404
    assert foreign.text == missing.text
    assert LEAK not in foreign.text
    assert foreign.content_type == missing.content_type


@pytest.mark.parametrize("route", WITH_ID)
@pytest.mark.parametrize("odd", ["99999999999999999999", "-1", "x", "1%00", "1/..%2f2"])
def test_what_is_no_id_is_missing(house: House, route: tuple[str, str], odd: str) -> None:
    path = re.sub("<[^>]*>", odd, route[1])
    client = house.office.client()
    form = {"csrf_token": token(client)} if route[0] == "POST" else None
    assert client.open(path, method=route[0], data=form).status_code == 404


@pytest.mark.parametrize("route", OF_STAFF)
def test_ones_own_row_answers(house: House, route: tuple[str, str]) -> None:
    answer = house.ask(route, house.ours)
    assert answer.status_code in (200, 204, 303)
    assert LEAK not in answer.text


@pytest.mark.parametrize("route", OF_STAFF)
@pytest.mark.parametrize("who", ["nobody", "disabled"])
def test_without_login_there_is_nothing(house: House, route: tuple[str, str], who: str) -> None:
    """Also for a login that was disabled while its browser was open; and nothing is changed."""
    office = house.office
    client = office.client(None if who == "nobody" else ANA)
    form = {"text": "x", "note": "x", "last_seen_seq": "9", "client_key": "k"}
    form["csrf_token"] = token(client, "/entrar" if who == "nobody" else "/fila")
    team.disable(office.db, office.clock(), office.ana)
    before = house.everything()
    path = re.sub("<[^>]*>", str(house.ours), route[1])
    answer = client.open(path, method=route[0], data=form if route[0] == "POST" else None)
    assert (answer.status_code, answer.headers.get("Location", "/entrar")[:7]) in (
        (303, "/entrar"),
        (401, "/entrar"),
    )
    assert "nosso" not in answer.text
    assert house.everything() == before


@pytest.mark.parametrize("route", POSTS)
def test_a_post_without_token_is_refused(house: House, route: tuple[str, str]) -> None:
    before = house.everything()
    assert house.ask(route, house.ours, signed=False).status_code == 400
    assert house.everything() == before


@pytest.mark.parametrize("route", [route for route in ROUTES if route[0] == "GET"])
def test_a_get_changes_nothing(house: House, route: tuple[str, str]) -> None:
    before = house.everything()
    house.ask(route, house.ours)
    assert house.everything() == before


@pytest.mark.parametrize("route", [route for route, who in ROUTES.items() if who == SIGNED])
def test_a_webhook_without_signature_is_refused(house: House, route: tuple[str, str]) -> None:
    before = house.everything()
    assert house.ask(route, house.ours, email=None, signed=False).status_code == 403
    assert house.everything() == before
