"""Coming in and going out: one answer for every failure, sessions that end, no way to another site."""

import re
from html import unescape
from urllib.parse import parse_qs, urlsplit

import pytest
from flask import request

from bot.web.login import safe_next
from models import staff
from models.acts import team_acts
from models.db import Database
from tests.bot.web.office import ANA, PASSWORD, Office, post, token


@pytest.fixture
def office(sqlite_db: Database) -> Office:
    return Office(sqlite_db)


def test_right_password_opens_the_queue(office: Office) -> None:
    client = office.client(None)
    answer = post(client, "/entrar", page="/entrar", email=f" {ANA.upper()} ", password=PASSWORD)
    assert (answer.status_code, answer.location) == (303, "/fila")
    assert client.get("/fila").status_code == 200


@pytest.mark.parametrize(
    ("email", "password"),
    [(ANA, "senha errada qualquer"), ("ninguem@bela.test", PASSWORD), ("saiu@bela.test", PASSWORD), ("", ""),
     ("a\x00@bela.test", "\x00")],
    ids=["wrong password", "unknown", "disabled", "empty", "odd characters"],
)  # fmt: skip
def test_every_failure_reads_the_same(office: Office, email: str, password: str) -> None:
    """Nobody learns from the page which e-mails have a login."""
    with office.db.writing() as session:
        gone = staff.add(session, office.clock(), office.bela.tenant, "saiu@bela.test", "Saiu", PASSWORD)
    assert gone.id is not None
    team_acts.disable(office.db, office.clock(), gone.id)
    answer = post(office.client(None), "/entrar", page="/entrar", email=email, password=password)
    assert answer.status_code == 401
    assert "E-mail ou senha não conferem." in answer.text
    assert not any(cookie in answer.headers.get("Set-Cookie", "") for cookie in ("_user_id", "token"))


def test_too_many_tries_have_to_wait_even_with_the_right_password(office: Office) -> None:
    client = office.client(None)
    for _ in range(5):
        post(client, "/entrar", page="/entrar", email=ANA, password="senha errada qualquer")
    answer = post(client, "/entrar", page="/entrar", email=ANA, password=PASSWORD)
    assert answer.status_code == 429
    assert int(answer.headers["Retry-After"]) > 0
    office.clock.forward(minutes=1)
    assert post(client, "/entrar", page="/entrar", email=ANA, password=PASSWORD).status_code == 303


def test_a_browser_that_was_there_is_not_held_up_by_a_stranger(office: Office) -> None:
    """K11: not even by one behind the same address. The cookie itself opens nothing."""
    mine, strangers = office.client(None), office.client(None)
    post(mine, "/entrar", page="/entrar", email=ANA, password=PASSWORD)
    post(mine, "/sair")
    for _ in range(6):
        post(strangers, "/entrar", page="/entrar", email=ANA, password="senha errada qualquer")
    assert post(mine, "/entrar", page="/entrar", email=ANA, password="senha errada").status_code == 401
    assert (
        post(mine, "/entrar", page="/entrar", email=f" {ANA.upper()}", password=PASSWORD).status_code == 303
    )
    known = mine.get_cookie("horacerta-known")
    assert known is not None
    assert (
        office.client(None).get("/fila", headers={"Cookie": f"horacerta-known={known.value}"}).status_code
        == 303
    )
    strangers.set_cookie("horacerta-known", known.value[:-2] + "xx")
    assert post(strangers, "/entrar", page="/entrar", email=ANA, password=PASSWORD).status_code == 429


def test_without_login_every_page_leads_to_the_form_and_back(office: Office) -> None:
    client = office.client(None)
    asked = client.get("/fila?aba=todas")
    assert (asked.status_code, asked.location) == (303, "/entrar?next=/fila?aba%3Dtodas")
    form = client.get(asked.location)
    assert 'name="next" value="/fila?aba=todas"' in form.text
    back = post(client, "/entrar", page="/entrar", email=ANA, password=PASSWORD, next="/fila?aba=todas")
    assert back.location == "/fila?aba=todas"


SITES_OWN = ["/fila?x=1", "/%09/evil.test", "/%2F/evil.test", "/@evil.test"]
ELSEWHERE = ["//evil.test", "///evil.test", "/\\evil.test", "\\\\evil.test", "/\t/evil.test", "/\n/evil.test",
             "//app.test@evil.test", " //evil.test", "http:///evil.test", "https://evil.test",
             "javascript:alert(1)", "data:text/html,x", "", "fila", "/" + "a" * 600, "/\x7f"]  # fmt: skip


@pytest.mark.parametrize("address", SITES_OWN)
def test_next_may_name_a_page_of_ours(address: str) -> None:
    assert safe_next(address) == address


@pytest.mark.parametrize("address", ELSEWHERE)
def test_next_never_leads_elsewhere(office: Office, address: str) -> None:
    assert safe_next(address) is None
    answer = post(office.client(None), "/entrar", page="/entrar", email=ANA, password=PASSWORD, next=address)
    assert answer.location == "/fila"


def test_a_planted_session_is_worth_nothing_after_login(office: Office) -> None:
    """Session fixation: what the cookie held before login is gone after it."""
    client = office.client(None)
    with client.session_transaction() as cookie:
        cookie["planted"] = "x"
        cookie["_user_id"] = "a-token-that-somebody-knows"
    assert client.get("/fila").status_code == 303
    post(client, "/entrar", page="/entrar", email=ANA, password=PASSWORD)
    with client.session_transaction() as cookie:
        assert "planted" not in cookie
        assert cookie["_user_id"] != "a-token-that-somebody-knows"


def test_logout_ends_the_session_on_the_server_too(office: Office) -> None:
    client = office.client()
    with client.session_transaction() as cookie:
        known = cookie["_user_id"]
    assert post(client, "/sair").location == "/entrar"
    with client.session_transaction() as cookie:
        assert "_user_id" not in cookie
        cookie["_user_id"] = known
    assert client.get("/fila").status_code == 303


def test_a_disabled_person_is_out_at_the_next_request(office: Office) -> None:
    client = office.client()
    team_acts.disable(office.db, office.clock(), office.ana)
    assert client.get("/fila").status_code == 303


def test_polling_does_not_keep_a_session_alive(office: Office) -> None:
    """A forgotten tab refreshes itself all day; after the idle limit it is logged out all the same."""
    client = office.client()
    for _ in range(9):
        office.clock.forward(hours=1)
        last = client.get("/fila/linhas").status_code
    assert last == 401
    active = office.client()
    for _ in range(9):
        office.clock.forward(hours=1)
        last = active.get("/fila").status_code
    assert last == 200


def test_a_reply_typed_into_a_dead_session_is_given_back(office: Office) -> None:
    conversation_id = office.says()
    client = office.client()
    form = {"csrf_token": token(client), "text": "Um texto <longo>"}
    with office.db.writing() as session:
        staff.end_all(session, office.clock(), office.ana)
    answer = client.post(f"/fila/{conversation_id}/responder", data=form)
    assert answer.status_code == 401
    assert "Um texto &lt;longo&gt;" in answer.text
    assert "Sua sessão terminou ou mudou em outra aba" in answer.text
    assert f'href="/entrar?next=/fila/{conversation_id}"' in answer.text
    assert len(office.lines(conversation_id)) == 1


def test_a_booking_that_came_too_late_leads_back_with_what_it_said(office: Office) -> None:
    client = office.client()
    secret = token(client)
    office.clock.forward(hours=13)
    form = {"nome": "Zoë Sá", "servico": ["1", "2"], "dia": "2026-12-03", "horario": "1 10:00"}
    answer = client.post("/agenda/novo", data={"csrf_token": secret, **form})
    again = re.search(r'id="again" href="([^"]+)"', answer.text)
    assert again
    (back,) = parse_qs(urlsplit(unescape(again[1])).query)["next"]
    post(client, "/entrar", email=ANA, password=PASSWORD, page="/entrar")
    page = client.get(back).text
    assert 'name="nome" value="Zoë Sá"' in page
    assert re.search(r'value="1 10:00" checked', page)


def test_the_reason_of_a_cancellation_is_given_back(office: Office) -> None:
    client = office.client()
    secret = token(client)
    office.clock.forward(hours=13)
    answer = client.post("/agenda/1/cancelar", data={"csrf_token": secret, "motivo": "Ana doente"})
    assert ">Ana doente</textarea>" in answer.text


def test_a_form_without_token_gives_the_text_back(office: Office) -> None:
    conversation_id = office.says()
    answer = office.client().post(f"/fila/{conversation_id}/responder", data={"text": "Um texto <longo>"})
    assert answer.status_code == 400
    assert "Um texto &lt;longo&gt;" in answer.text
    assert f'href="/fila/{conversation_id}"' in answer.text
    assert "A página perdeu a validade" in answer.text


def test_a_note_is_given_back_too(office: Office) -> None:
    answer = office.client().post(f"/fila/{office.says()}/nota", data={"remark": "Liga depois"})
    assert ">Liga depois</textarea>" in answer.text


@pytest.mark.parametrize(
    ("form", "back"),
    [
        ("/fila/{id}/nota", "/entrar?next=/fila/{id}"),
        ("/agenda/7/cancelar", "/entrar?next=/agenda/7"),
        ("/respostas", "/entrar?next=/respostas"),
        ("/conta/preferencias", "/entrar?next=/conta"),
        ("/equipe/convidar", "/entrar?next=/equipe"),
        ("/entrar", "/entrar?next=/agenda"),
        ("/convite/abc", "/convite/abc"),
    ],
)
def test_a_late_form_leads_back_to_its_page(office: Office, form: str, back: str) -> None:
    """By the login, but for the page that asks for none."""
    talk = office.says()
    answer = office.client(None).post(form.format(id=talk), data={"next": "/agenda"})
    assert answer.status_code == 400
    assert f'href="{back.format(id=talk)}"' in answer.text
    assert ("Entrar de novo" in answer.text) is back.startswith("/entrar")


@pytest.mark.parametrize(
    ("public_url", "name", "secure"),
    [("https://bot.bela.test", "__Host-horacerta", True), ("http://bot.bela.test", "horacerta", False),
     (None, "horacerta", False)],
)  # fmt: skip
def test_cookie(sqlite_db: Database, public_url: str | None, name: str, secure: bool) -> None:
    """Where the site is reached by https the cookie is bound to this very host."""
    office = Office(sqlite_db, values={"public_url": public_url})
    cookie = office.client(None).get("/entrar").headers["Set-Cookie"]
    assert cookie.startswith(f"{name}=")
    assert ("Secure" in cookie) is secure
    assert "HttpOnly" in cookie
    assert "SameSite=Lax" in cookie
    assert "Path=/" in cookie
    assert "Domain" not in cookie


@pytest.mark.parametrize(
    ("public_url", "peer", "believed"),
    [("https://bot.bela.test", "127.0.0.1", True), ("https://bot.bela.test", "8.8.8.8", False),
     (None, "127.0.0.1", False)],
)  # fmt: skip
def test_forwarded_address(sqlite_db: Database, public_url: str | None, peer: str, believed: bool) -> None:
    """A proxy nearby is believed when it names the visitor; a stranger who writes the header is not."""
    office = Office(sqlite_db, values={"public_url": public_url})
    seen: list[str | None] = []

    @office.app.before_request
    def note() -> None:
        seen.append(request.remote_addr)

    headers = {
        "X-Forwarded-For": "6.6.6.6, 7.7.7.7",
        "X-Forwarded-Proto": "https",
        "X-Forwarded-Host": "evil.test",
    }
    office.app.test_client().get("/entrar", headers=headers, environ_base={"REMOTE_ADDR": peer})
    assert seen == ["7.7.7.7" if believed else peer]
