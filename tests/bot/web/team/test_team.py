"""The people of a business: invited by a link that opens once, disabled, given roles; one's own account."""

import re
from datetime import timedelta

import pytest
from flask.testing import FlaskClient
from sqlalchemy import event
from sqlmodel import select

from bot.web.team.my_account import device
from models import staff
from models.acts.team_acts import LINK_LIFE
from models.conversation import Holder
from models.db import Database
from models.staff import Staff
from models.staff_invite import StaffInvite
from tests.bot.web.office import ANA, BRUNO, PASSWORD, Office, post, token

NEW = "outra senha bem comprida"


@pytest.fixture
def office(sqlite_db: Database) -> Office:
    made = Office(sqlite_db)
    role(made, made.ana, "owner")
    return made


@pytest.fixture
def client(office: Office) -> FlaskClient:
    return office.client()


def role(office: Office, staff_id: int, name: str) -> None:
    with office.db.writing() as session:
        session.get_one(Staff, staff_id).role = name


def person(office: Office, staff_id: int) -> Staff:
    with office.db.reading() as session:
        return session.get_one(Staff, staff_id)


def link_of(page: str) -> str:
    found = re.search(r'value="http://localhost(/convite/[^"]+)"', page)
    assert found, page
    return found[1]


# Inviting


def test_invited_by_a_link_that_opens_once(office: Office, client: FlaskClient) -> None:
    page = post(client, "/equipe/convidar", email=" Nina@Bela.test", name="Nina", role="manager").text
    link = link_of(page)
    assert "Mande este link para <b><bdi>Nina</bdi></b>" in page
    assert link not in client.get("/equipe").text, "shown this once"
    with office.db.reading() as session:
        invite = session.exec(select(StaffInvite)).one()
    assert link.rpartition("/")[2] not in repr(invite), "kept as a hash"
    visitor = office.client(None)
    assert "Olá, <bdi>Nina</bdi>!" in visitor.get(link).text
    answer = post(visitor, link, page=link, new=NEW, again=NEW)
    assert (answer.status_code, answer.location) == (303, "/entrar")
    entered = post(visitor, "/entrar", page="/entrar", email="nina@bela.test", password=NEW)
    assert entered.status_code == 303
    assert visitor.get("/equipe").status_code == 200
    assert office.client(None).get(link).status_code == 410
    assert post(client, link, new=NEW, again=NEW).status_code == 410


def test_a_link_lives_for_an_hour(office: Office, client: FlaskClient) -> None:
    link = link_of(
        post(client, "/equipe/convidar", email="nina@bela.test", name="Nina", role="attendant").text
    )
    office.clock.at += LINK_LIFE - timedelta(seconds=1)
    assert office.client(None).get(link).status_code == 200
    office.clock.at += timedelta(seconds=1)
    visitor = office.client(None)
    assert "Este link não abre mais" in visitor.get(link).text
    assert post(visitor, link, page="/entrar", new=NEW, again=NEW).status_code == 410


def test_the_newer_link_shuts_the_older(office: Office, client: FlaskClient) -> None:
    form = {"email": "nina@bela.test", "name": "Nina", "role": "attendant"}
    older, newer = (link_of(post(client, "/equipe/convidar", **form).text) for _ in range(2))
    assert office.client(None).get(older).status_code == 410
    assert office.client(None).get(newer).status_code == 200


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"email": "nina"}, "Confira o e-mail."),
        ({"name": " "}, "Escreva o nome"),
        ({"role": "boss"}, "Escolha um papel."),
        ({"email": BRUNO}, "Este e-mail já tem acesso."),
        ({"email": "carla@outra.test"}, "Este e-mail já tem acesso."),
    ],
)
def test_an_invitation_that_makes_no_sense(
    client: FlaskClient, office: Office, change: dict[str, str], problem: str
) -> None:
    form = {"email": "nina@bela.test", "name": "Nina", "role": "attendant"} | change
    answer = post(client, "/equipe/convidar", **form)
    assert answer.status_code == 422
    assert problem in answer.text
    with office.db.reading() as session:
        assert session.exec(select(StaffInvite)).all() == []


@pytest.mark.parametrize(
    ("new", "again", "problem"),
    [("curta", "curta", "A senha deve ter de 12 a 128 caracteres."), (NEW, f"{NEW}!", "não são iguais")],
)
def test_a_password_that_will_not_do_leaves_the_link_open(
    office: Office, client: FlaskClient, new: str, again: str, problem: str
) -> None:
    link = link_of(
        post(client, "/equipe/convidar", email="nina@bela.test", name="Nina", role="attendant").text
    )
    visitor = office.client(None)
    answer = post(visitor, link, page=link, new=new, again=again)
    assert answer.status_code == 422
    assert problem in answer.text
    assert visitor.get(link).status_code == 200


def test_the_host_of_a_link_is_a_setting(sqlite_db: Database) -> None:
    """Not what a request says: a forged Host header would send the link to somebody else's site."""
    office = Office(sqlite_db, values={"public_url": "https://bot.bela.test"})
    role(office, office.ana, "owner")
    client = office.client(None)
    secure = {"base_url": "https://evil.test", "headers": {"Referer": "https://evil.test/"}}
    csrf = re.search(r'name="csrf_token" value="([^"]+)"', client.get("/entrar", **secure).text)
    assert csrf
    client.post("/entrar", data={"csrf_token": csrf[1], "email": ANA, "password": PASSWORD}, **secure)
    csrf = re.search(r'name="csrf_token" value="([^"]+)"', client.get("/equipe", **secure).text)
    assert csrf
    form = {"csrf_token": csrf[1], "email": "nina@bela.test", "name": "Nina", "role": "attendant"}
    page = client.post("/equipe/convidar", data=form, **secure).text
    assert 'value="https://bot.bela.test/convite/' in page


# Who may do what


def test_a_manager_manages_attendants_only(office: Office) -> None:
    role(office, office.bruno, "manager")
    client = office.client(BRUNO)
    page = client.get("/equipe").text
    assert "Desativar o acesso" not in page, "an owner and oneself are all there is"
    for path, form in (
        (f"/equipe/{office.ana}/desativar", {}),
        (f"/equipe/{office.ana}/papel", {"role": "attendant"}),
        (f"/equipe/{office.ana}/senha", {}),
    ):
        answer = post(client, path, **form)
        assert answer.status_code == 403
        assert "Seu papel não permite isso." in answer.text
    invited = post(client, "/equipe/convidar", email="nina@bela.test", name="Nina", role="owner")
    assert invited.status_code == 422
    assert person(office, office.ana).role == "owner"
    assert person(office, office.ana).disabled_at is None


def test_nobody_disables_or_lowers_themselves(office: Office, client: FlaskClient) -> None:
    """So the last owner stays."""
    for path, form in (
        (f"/equipe/{office.ana}/desativar", {}),
        (f"/equipe/{office.ana}/papel", {"role": "attendant"}),
    ):
        answer = post(client, path, **form)
        assert answer.status_code == 403
        assert "outra pessoa da equipe precisa fazer por você" in answer.text
    assert (person(office, office.ana).role, person(office, office.ana).disabled_at) == ("owner", None)


def test_disabled_they_are_out_and_their_conversations_wait(office: Office, client: FlaskClient) -> None:
    talk = office.says()
    office.takes(talk, office.bruno)
    bruno = office.client(BRUNO)
    assert post(client, f"/equipe/{office.bruno}/desativar").location == "/equipe"
    assert "Acesso desativado. Uma conversa voltou para a fila." in client.get("/equipe").text
    assert bruno.get("/fila").status_code == 303
    assert office.row(talk).holder == Holder.QUEUE
    assert post(client, f"/equipe/{office.bruno}/reativar").status_code == 303
    assert office.client(BRUNO).get("/fila").status_code == 200


def test_a_role_is_changed(office: Office, client: FlaskClient) -> None:
    bruno = office.client(BRUNO)
    assert bruno.get("/registro").status_code == 403
    assert post(client, f"/equipe/{office.bruno}/papel", role="manager").status_code == 303
    assert bruno.get("/registro").status_code == 200
    assert "mudou o papel de Bruno Reis para Gerente" in bruno.get("/registro").text
    assert post(client, f"/equipe/{office.bruno}/papel", role="boss").status_code == 422


def test_a_link_for_a_new_password_ends_the_old_one(office: Office, client: FlaskClient) -> None:
    bruno = office.client(BRUNO)
    link = link_of(post(client, f"/equipe/{office.bruno}/senha").text)
    visitor = office.client(None)
    assert post(visitor, link, page=link, new=NEW, again=NEW).status_code == 303
    assert bruno.get("/fila").status_code == 303, "his sessions are over"
    assert post(visitor, "/entrar", page="/entrar", email=BRUNO, password=PASSWORD).status_code == 401
    assert post(visitor, "/entrar", page="/entrar", email=BRUNO, password=NEW).status_code == 303


def test_a_disabled_login_gets_no_new_password(office: Office, client: FlaskClient) -> None:
    link = link_of(post(client, f"/equipe/{office.bruno}/senha").text)
    post(client, f"/equipe/{office.bruno}/desativar")
    visitor = office.client(None)
    assert post(visitor, link, page=link, new=NEW, again=NEW).status_code == 410


def test_out_of_all_browsers_by_a_colleague(office: Office, client: FlaskClient) -> None:
    """Of a lost phone, say; the password stays, so that they come in again."""
    browsers = [office.client(BRUNO), office.client(BRUNO)]
    assert post(client, f"/equipe/{office.bruno}/sair").location == "/equipe"
    assert [each.get("/fila").status_code for each in browsers] == [303, 303]
    assert "Bruno Reis saiu de todos os aparelhos." in client.get("/equipe").text
    assert office.client(BRUNO).get("/fila").status_code == 200
    assert "fez Bruno Reis sair de todos os aparelhos" in client.get("/registro").text


# Invitations that are open


def test_an_invitation_is_listed_and_can_be_taken_back(office: Office, client: FlaskClient) -> None:
    link = link_of(invite(client))
    page = client.get("/equipe").text
    assert "nina@bela.test" in page
    assert "vale por mais 60 min" in page
    assert link not in page, "it is shown once"
    found = re.search(r'action="(/equipe/convites/\d+/cancelar)"', page)
    assert found
    assert post(client, found[1]).status_code == 303
    assert office.client(None).get(link).status_code == 410
    assert "nina@bela.test" not in client.get("/equipe").text
    assert post(client, found[1]).status_code == 303, "twice is fine"
    assert client.get("/registro").text.count("cancelou um convite") == 1


def test_a_manager_takes_no_manager_s_invitation_back(office: Office, client: FlaskClient) -> None:
    link = link_of(invite(client, role="manager"))
    role(office, office.bruno, "manager")
    bruno = office.client(BRUNO)
    assert "/cancelar" not in bruno.get("/equipe").text
    with office.db.reading() as session:
        (open_,) = session.exec(select(StaffInvite)).all()
    assert post(bruno, f"/equipe/convites/{open_.id}/cancelar").status_code == 403
    assert office.client(None).get(link).status_code == 200


@pytest.mark.parametrize("act", ["desativar", "papel"])
def test_who_loses_power_leaves_no_door_open(office: Office, client: FlaskClient, act: str) -> None:
    """Not even one that they opened before: an invitation would bring them back in."""
    role(office, office.bruno, "owner")
    bruno = office.client(BRUNO)
    invited = link_of(invite(bruno, role="owner"))
    renewed = link_of(post(bruno, f"/equipe/{office.ana}/senha").text)
    post(client, f"/equipe/{office.bruno}/{act}", role="attendant")
    visitor = office.client(None)
    assert [visitor.get(each).status_code for each in (invited, renewed)] == [410, 410]


def invite(client: FlaskClient, **form: str) -> str:
    """The page that shows the link."""
    values = {"name": "Nina", "email": "nina@bela.test", "role": "attendant", **form}
    return post(client, "/equipe/convidar", **values).text


# One's own account


def test_a_new_password_ends_the_other_sessions_and_keeps_this(office: Office) -> None:
    here, elsewhere = office.client(BRUNO), office.client(BRUNO)
    form = {"old": PASSWORD, "new": NEW, "again": NEW}
    assert post(here, "/conta/senha", **form).location == "/conta"
    assert "As outras sessões foram encerradas." in here.get("/conta").text
    assert elsewhere.get("/fila").status_code == 303
    assert post(office.client(None), "/entrar", page="/entrar", email=BRUNO, password=NEW).status_code == 303


@pytest.mark.parametrize(
    ("form", "problem"),
    [
        ({"old": "errada errada errada"}, "A senha atual não confere."),
        ({"again": "outra"}, "não são iguais"),
        ({"new": PASSWORD, "again": PASSWORD}, "Esta já é a sua senha."),
        ({"old": "errada errada errada", "new": PASSWORD, "again": PASSWORD}, "A senha atual não confere."),
        ({"new": "curta", "again": "curta"}, "A senha deve ter de 12 a 128 caracteres."),
    ],
)
def test_a_password_is_not_changed(office: Office, form: dict[str, str], problem: str) -> None:
    client, elsewhere = office.client(BRUNO), office.client(BRUNO)
    answer = post(client, "/conta/senha", **({"old": PASSWORD, "new": NEW, "again": NEW} | form))
    assert answer.status_code == 422
    assert problem in answer.text
    assert elsewhere.get("/fila").status_code == 200


def test_guessing_the_old_password_is_throttled(office: Office) -> None:
    """Whoever sits down at an open session cannot try for ever."""
    client = office.client(BRUNO)
    form = {"old": "errada errada errada", "new": NEW, "again": NEW}
    for _ in range(5):
        assert post(client, "/conta/senha", **form).status_code == 422
    answer = post(client, "/conta/senha", **(form | {"old": PASSWORD}))
    assert answer.status_code == 429
    assert int(answer.headers["Retry-After"]) > 0
    office.clock.forward(minutes=1)
    assert post(client, "/conta/senha", **(form | {"old": PASSWORD})).status_code == 303


def test_sessions_are_listed_and_ended(office: Office) -> None:
    here, elsewhere = office.client(BRUNO), office.app.test_client()
    agent = {
        "User-Agent": "Mozilla/5.0 (Linux; Android 14) AppleWebKit/537.36 Chrome/120 Mobile Safari/537.36"
    }
    csrf = token(elsewhere, "/entrar")
    elsewhere.post("/entrar", data={"csrf_token": csrf, "email": BRUNO, "password": PASSWORD}, headers=agent)
    page = here.get("/conta").text
    assert "Chrome no Android" in page
    assert page.count("esta sessão") == 1
    found = re.search(r'action="(/conta/sessoes/\d+/encerrar)"', page)
    assert found
    assert post(here, found[1]).status_code == 303
    assert elsewhere.get("/fila").status_code == 303
    assert here.get("/fila").status_code == 200
    assert post(here, found[1]).status_code == 404, "ended already"


def test_somebody_elses_session_is_not_there(office: Office) -> None:
    bruno = office.client(BRUNO)
    office.client(ANA)
    with office.db.reading() as session:
        (other,) = staff.sessions_of(session, office.clock(), office.ana)
    assert post(bruno, f"/conta/sessoes/{other.id}/encerrar").status_code == 404
    with office.db.reading() as session:
        assert len(staff.sessions_of(session, office.clock(), office.ana)) == 1


def test_all_other_sessions_at_once(office: Office) -> None:
    here, elsewhere = office.client(BRUNO), office.client(BRUNO)
    ana = office.client(ANA)
    post(here, "/conta/sessoes/encerrar")
    assert [each.get("/fila").status_code for each in (here, elsewhere, ana)] == [200, 303, 200]


def test_out_of_all_browsers_and_of_this_one(office: Office) -> None:
    here, elsewhere = office.client(BRUNO), office.client(BRUNO)
    ana = office.client(ANA)
    answer = post(here, "/conta/sessoes/encerrar-todas")
    assert answer.location == "/entrar"
    assert "Você saiu de todos os aparelhos." in here.get("/entrar").text
    assert [each.get("/fila").status_code for each in (here, elsewhere, ana)] == [303, 303, 200]


def test_keys_and_mails_can_be_switched_off(office: Office) -> None:
    client = office.client(BRUNO)
    assert "data-shortcuts" in client.get("/fila").text
    post(client, "/conta/preferencias")
    assert "data-shortcuts" not in client.get("/fila").text
    assert not person(office, office.bruno).email_alerts
    post(client, "/conta/preferencias", shortcuts="on", email_alerts="on")
    assert "data-shortcuts" in client.get("/fila").text
    assert person(office, office.bruno).email_alerts


def test_a_page_view_writes_at_most_once_a_minute(office: Office) -> None:
    """Reading a page needs no writing transaction: SQLite has but one writer."""
    client = office.client(BRUNO)
    begun: list[str] = []
    event.listen(office.db.engine, "before_cursor_execute", lambda *call: begun.append(call[2]))
    for seconds, writes in ((0, 0), (59, 0), (1, 1), (59, 0)):
        office.clock.forward(seconds=seconds)
        begun.clear()
        assert client.get("/fila").status_code == 200
        assert begun.count("BEGIN IMMEDIATE") == writes, seconds


@pytest.mark.parametrize(
    ("agent", "name"),
    [
        (
            "Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 Chrome/120 Safari/537.36 Edg/120",
            "Edge no Windows",
        ),
        (
            "Mozilla/5.0 (iPhone; CPU iPhone OS 17_0 like Mac OS X) Version/17.0 Safari/604.1",
            "Safari no iPhone",
        ),
        ("Mozilla/5.0 (X11; Linux x86_64; rv:120.0) Gecko/20100101 Firefox/120.0", "Firefox no Linux"),
        ("curl/8", "Navegador desconhecido"),
        ("", "Navegador desconhecido"),
    ],
)
def test_a_browser_by_its_name(agent: str, name: str) -> None:
    assert device(agent) == name
