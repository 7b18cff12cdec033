"""Every address is declared here with who may reach it, and keeps to that: nobody sees a stranger's row."""

import re
from dataclasses import dataclass, replace
from typing import Any

import pytest
from sqlmodel import SQLModel, select
from werkzeug.test import TestResponse

from bot.web.twilio_webhook import webhook
from models import business_file, canned_reply
from models.acts import conversation_acts, team_acts
from models.business_file import BusinessVersion
from models.canned_reply import CannedReply
from models.catalog import Professional, Service
from models.db import Database
from models.handoff import Reason
from models.staff import Staff, StaffSession
from models.staff_invite import StaffInvite
from models.tenant import Tenant
from tests.bot.web.calendar.test_calendar_routes import AGENDA
from tests.bot.web.office import ANA, BRUNO, LEAK, Office, result, token
from tests.fakes import agenda
from tests.fakes.push import Browser
from tests.fakes.talk import hire

PUBLIC, STAFF, MANAGER, SIGNED = "public", "staff", "manager", "signed"
MISSING = 987654

TALK, PERSON = "/fila/<int(max=2147483647):conversation_id>", "/equipe/<int(max=2147483647):staff_id>"
ROW = "<int(max=2147483647):{}_id>"
READY, LOGIN = "/respostas/<int(max=2147483647):reply_id>", "/conta/sessoes/<int(max=2147483647):session_id>"

# (methods, rule): who. What is not in this table fails the first test.
ROUTES = {
    ("GET", "/"): PUBLIC,
    ("GET", "/static/<path:filename>"): PUBLIC,
    ("GET", "/static/v-<mark>/<path:filename>"): PUBLIC,
    ("GET", "/healthz"): PUBLIC,
    ("GET", "/readyz"): PUBLIC,
    ("GET", "/metrics"): PUBLIC,
    ("GET", "/avisos.js"): PUBLIC,
    ("GET", "/entrar"): PUBLIC,
    ("POST", "/entrar"): PUBLIC,
    ("POST", "/sair"): PUBLIC,
    ("GET", "/convite/<token>"): PUBLIC,
    ("POST", "/convite/<token>"): PUBLIC,
    ("GET", "/fila"): STAFF,
    ("GET", "/fila/linhas"): STAFF,
    ("GET", "/fila/pulso"): STAFF,
    ("GET", TALK): STAFF,
    ("GET", f"{TALK}/linhas"): STAFF,
    ("GET", f"{TALK}/execucao/<int(max=2147483647):run_id>"): MANAGER,
    ("GET", f"{TALK}/anexo/<int(max=2147483647):seq>/<int(max=99):place>"): STAFF,
    ("GET", f"{TALK}/assumir-mesmo-assim"): STAFF,
    ("POST", f"{TALK}/substituir"): STAFF,
    ("POST", f"{TALK}/assumir"): STAFF,
    ("POST", f"{TALK}/responder"): STAFF,
    ("POST", f"{TALK}/modelo"): STAFF,
    ("POST", f"{TALK}/nota"): STAFF,
    ("POST", f"{TALK}/nome"): STAFF,
    ("POST", f"{TALK}/passar"): STAFF,
    ("POST", f"{TALK}/soltar"): STAFF,
    ("POST", f"{TALK}/adiar"): STAFF,
    ("POST", f"{TALK}/retomar"): STAFF,
    ("POST", f"{TALK}/encerrar"): STAFF,
    ("POST", f"{TALK}/devolver"): STAFF,
    ("POST", f"{TALK}/lida"): STAFF,
    ("GET", "/respostas"): STAFF,
    ("POST", "/respostas"): STAFF,
    ("POST", READY): STAFF,
    ("POST", f"{READY}/apagar"): STAFF,
    ("GET", "/conta"): STAFF,
    ("POST", "/conta/senha"): STAFF,
    ("POST", "/conta/preferencias"): STAFF,
    ("POST", "/conta/avisos"): STAFF,
    ("POST", "/conta/avisos/desligar"): STAFF,
    ("POST", f"{LOGIN}/encerrar"): STAFF,
    ("POST", "/conta/sessoes/encerrar"): STAFF,
    ("POST", "/conta/sessoes/encerrar-todas"): STAFF,
    ("GET", "/equipe"): MANAGER,
    ("POST", "/equipe/convidar"): MANAGER,
    ("POST", f"{PERSON}/senha"): MANAGER,
    ("POST", f"{PERSON}/papel"): MANAGER,
    ("POST", f"{PERSON}/desativar"): MANAGER,
    ("POST", f"{PERSON}/reativar"): MANAGER,
    ("POST", f"{PERSON}/sair"): MANAGER,
    ("POST", "/equipe/convites/<int(max=2147483647):invite_id>/cancelar"): MANAGER,
    ("GET", "/registro"): MANAGER,
    ("GET", "/painel"): MANAGER,
    ("GET", "/painel/dias.csv"): MANAGER,
    ("GET", "/painel/resumo.csv"): MANAGER,
    ("GET", "/painel/casos"): MANAGER,
    ("GET", "/ajustes"): MANAGER,
    ("GET", "/ajustes/<slug>"): MANAGER,
    ("POST", "/ajustes/<slug>"): MANAGER,
    ("GET", "/ajustes/servicos"): MANAGER,
    ("GET", "/ajustes/servicos/novo"): MANAGER,
    ("POST", "/ajustes/servicos/novo"): MANAGER,
    ("GET", f"/ajustes/servicos/{ROW.format('service')}"): MANAGER,
    ("POST", f"/ajustes/servicos/{ROW.format('service')}"): MANAGER,
    ("POST", f"/ajustes/servicos/{ROW.format('service')}/tirar"): MANAGER,
    ("POST", f"/ajustes/servicos/{ROW.format('retired_service')}/voltar"): MANAGER,
    ("GET", "/ajustes/profissionais"): MANAGER,
    ("GET", "/ajustes/profissionais/novo"): MANAGER,
    ("POST", "/ajustes/profissionais/novo"): MANAGER,
    ("GET", f"/ajustes/profissionais/{ROW.format('professional')}"): MANAGER,
    ("POST", f"/ajustes/profissionais/{ROW.format('professional')}"): MANAGER,
    ("POST", f"/ajustes/profissionais/{ROW.format('professional')}/tirar"): MANAGER,
    ("POST", f"/ajustes/profissionais/{ROW.format('retired_professional')}/voltar"): MANAGER,
    ("GET", "/ajustes/perguntas"): MANAGER,
    ("POST", "/ajustes/perguntas"): MANAGER,
    ("POST", "/ajustes/perguntas/apagar"): MANAGER,
    ("GET", "/ajustes/historico"): MANAGER,
    ("GET", f"/ajustes/historico/{ROW.format('version')}"): MANAGER,
    ("POST", f"/ajustes/historico/{ROW.format('version')}/voltar"): MANAGER,
    ("GET", "/ajustes/arquivo.yaml"): MANAGER,
    ("POST", "/twilio/inbound"): SIGNED,
    ("POST", "/twilio/status"): SIGNED,
}
Route = tuple[str, str]
OF_STAFF = [route for route, who in ROUTES.items() if who in (STAFF, MANAGER)]
OF_MANAGERS = [route for route, who in ROUTES.items() if who == MANAGER]
WITH_ID = [route for route in OF_STAFF if "_id>" in route[1]]
# Forms of many fields, of which FORM fills but a few.
UNFILLED = [
    ("POST", f"/ajustes/{each}")
    for each in ("<slug>", "servicos/novo", "perguntas", f"servicos/{ROW.format('service')}")
]
POSTS = [route for route, who in ROUTES.items() if route[0] == "POST" and who != SIGNED]
# Logged in as its owner, Ana may do everything that anybody may.
FORM = {
    "text": "x",
    "note": "x",
    "remark": "x",
    "name": "x",
    "last_seen_seq": "9",
    "client_key": "k",
    "until": "30m",
    "template": "contato",
    "old": "x",
    "new": "uma senha bem comprida",
    "again": "uma senha bem comprida",
    "email": "nova@bela.test",
    "role": "attendant",
    **Browser().given,
}


@dataclass(frozen=True)
class Ids:
    """One row of each kind that an address can name."""

    conversation: int
    run: int
    staff: int
    reply: int
    session: int
    invite: int
    service: int
    professional: int
    retired_service: int
    retired_professional: int
    version: int

    def path(self, rule: str) -> str:
        for name, value in vars(self).items():
            rule = re.sub(rf"<[^>]*:{name}(_id)?>", str(value), rule)
        rule = re.sub("<[^>]*:seq>/<[^>]*:place>", "1/0", rule)
        return rule.replace("<token>", "x").replace("<path:filename>", "nada.css").replace("<slug>", "regras")


NOWHERE = Ids(*[MISSING] * 11)


@dataclass
class House:
    """Two businesses, each with one waiting conversation. `theirs` is full of the marker."""

    office: Office
    ours: Ids
    theirs: Ids

    def ask(
        self, route: Route, ids: Ids, *, email: str | None = ANA, signed: bool = True, client: Any = None
    ) -> TestResponse:
        """One request as this person, with a whole form and its token, unless `signed` is False."""
        method, rule = route
        client = client or self.office.client(email)
        form = {**FORM, "to": str(ids.staff), "holder_id": str(ids.staff), "versao": str(ids.version)}
        if signed:
            form["csrf_token"] = token(client, "/fila" if email else "/entrar")
        answer: TestResponse = client.open(
            ids.path(rule), method=method, data=form if method == "POST" else None
        )
        return answer

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


def furnished(office: Office, place: agenda.Ids, person: int, mark: str) -> Ids:
    """Rows of one business, each with the marker in it, and one more session of `person`."""
    picture = ("image/gif", b"GIF89a" + mark.encode())
    conversation_id = office.says(f"segredo {mark}", name=f"Cliente {mark}", ids=place, file=picture)
    run_id = office.works(conversation_id, result("agendar", {"x": mark}, mark))
    office.answers(conversation_id, mark, run_id=run_id)
    office.flags(conversation_id, Reason.ERRO_INTERNO, detail=mark)
    with office.db.writing() as session:
        canned_reply.save(session, office.clock(), place.tenant, person, name=mark, text=mark)
        reply = session.scalars(select(CannedReply).where(CannedReply.tenant_id == place.tenant)).one()
        other = hire(session, office.clock(), place.tenant, f"zoe-{mark.lower()}@bela.test", f"Zoe {mark}")
        place_ = (session, office.clock(), place.tenant, conversation_id, person)
        conversation_acts.note(*place_, text=f"nota {mark}", client_key="n")
        open_ = StaffSession(
            staff_id=person, token_hash=mark, created_at=office.clock(), last_seen_at=office.clock()
        )
        invite = StaffInvite(
            tenant_id=place.tenant,
            email=f"convite-{mark.lower()}@bela.test",
            name=f"Convite {mark}",
            role="attendant",
            token_hash=f"hash {mark}",
            made_by=person,
            created_at=office.clock(),
            expires_at=office.clock() + team_acts.LINK_LIFE,
        )
        retired = [
            Service(tenant_id=place.tenant, name=f"Fora {mark}", duration_minutes=30, active=False),
            Professional(tenant_id=place.tenant, name=f"Fora {mark}", active=False),
        ]
        file = business_file.current(session, session.get_one(Tenant, place.tenant).slug)
        version = BusinessVersion(
            tenant_id=place.tenant,
            source="page",
            staff_id=person,
            document=business_file.document(file),
            ids={"services": {}, "professionals": {}},
            made_at=office.clock(),
        )
        session.add_all([open_, invite, *retired, version])
        session.flush()
        assert reply.id is not None
        assert open_.id is not None
        assert invite.id is not None
        more = (place.corte, place.ana, retired[0].id, retired[1].id, version.id)
        return Ids(conversation_id, run_id, other, reply.id, open_.id, invite.id, *more)  # type: ignore[arg-type]  # flushed


@pytest.fixture
def house(sqlite_db: Database) -> House:
    office = Office(sqlite_db)
    office.own_app().register_blueprint(webhook(office.services))
    with office.db.writing() as session:
        session.get_one(Staff, office.ana).role = "owner"
        for place in (office.bela, office.outra):
            session.get_one(Tenant, place.tenant).template_contact = "HX" + "0" * 32
    ours = furnished(office, office.bela, office.ana, "nosso")
    theirs = furnished(office, office.outra, office.carla, LEAK)
    return House(office, ours, theirs)


def test_every_route_is_declared(house: House) -> None:
    found = {
        (method, rule.rule)
        for rule in house.office.app.url_map.iter_rules()
        for method in (rule.methods or set()) - {"HEAD", "OPTIONS"}
    }
    assert found == set(ROUTES) | set(AGENDA)


@pytest.mark.parametrize("route", WITH_ID)
def test_a_foreign_row_answers_as_a_missing_one_and_nothing_changes(house: House, route: Route) -> None:
    before = house.everything()
    foreign, missing = house.ask(route, house.theirs), house.ask(route, NOWHERE)
    assert house.everything() == before
    if route[1].endswith("/lida"):
        # It says "seen" of whatever there is, and tells nothing back.
        assert (foreign.status_code, missing.status_code) == (204, 204)
        return
    assert foreign.status_code == missing.status_code == 404
    assert foreign.text == missing.text
    assert LEAK not in foreign.text
    assert foreign.content_type == missing.content_type


@pytest.mark.parametrize(
    ("rule", "field"), [(f"{TALK}/passar", "staff"), (f"{TALK}/execucao/<int(max=2147483647):run_id>", "run")]
)
def test_a_foreign_row_beside_ones_own_is_missing_too(house: House, rule: str, field: str) -> None:
    """A colleague, or a run, of another business in an address or form whose conversation is one's own."""
    before = house.everything()
    route = ("POST" if rule.endswith("passar") else "GET", rule)
    mixed = replace(house.ours, **{field: getattr(house.theirs, field)})
    nowhere = replace(house.ours, **{field: MISSING})
    foreign, missing = house.ask(route, mixed), house.ask(route, nowhere)
    assert (foreign.status_code, foreign.text) == (missing.status_code, missing.text)
    assert foreign.status_code == 404
    assert house.everything() == before


def test_a_run_of_another_conversation_is_missing(house: House) -> None:
    other = house.office.says(phone="+5511911112222")
    route = ("GET", f"{TALK}/execucao/<int(max=2147483647):run_id>")
    assert house.ask(route, replace(house.ours, conversation=other)).status_code == 404


@pytest.mark.parametrize("route", WITH_ID)
@pytest.mark.parametrize("odd", ["99999999999999999999", "-1", "x", "1%00", "1/..%2f2"])
def test_what_is_no_id_is_missing(house: House, route: Route, odd: str) -> None:
    path = re.sub("<[^>]*>", odd, route[1])
    client = house.office.client()
    form = {"csrf_token": token(client)} if route[0] == "POST" else None
    assert client.open(path, method=route[0], data=form).status_code == 404


@pytest.mark.parametrize("route", OF_STAFF)
def test_ones_own_row_answers(house: House, route: Route) -> None:
    answer = house.ask(route, house.ours)
    # The old password of the form is wrong, the window of WhatsApp open.
    allowed = {f"{TALK}/modelo": 303, "/conta/senha": 422, "/equipe/convidar": 200, f"{PERSON}/senha": 200}
    if route in UNFILLED:
        assert answer.status_code == 422
    elif route[0] == "POST" and route[1] in allowed:
        assert answer.status_code == allowed[route[1]], answer.text
    else:
        assert answer.status_code in (200, 204, 303)
    assert LEAK not in answer.text


@pytest.mark.parametrize("route", OF_MANAGERS)
def test_an_attendant_reaches_nothing_of_managers(house: House, route: Route) -> None:
    """By address, and not only because no link leads there; also not what does not exist."""
    before = house.everything()
    for ids in (house.ours, house.theirs, NOWHERE):
        answer = house.ask(route, ids, email=BRUNO)
        assert answer.status_code == 403
        assert "nosso" not in answer.text
    assert house.everything() == before


@pytest.mark.parametrize("route", OF_MANAGERS)
def test_a_role_that_is_taken_away_is_gone_at_the_next_request(house: House, route: Route) -> None:
    client = house.office.client()
    with house.office.db.writing() as session:
        session.get_one(Staff, house.office.ana).role = "attendant"
    assert house.ask(route, house.ours, client=client).status_code == 403


@pytest.mark.parametrize("route", OF_STAFF)
@pytest.mark.parametrize("who", ["nobody", "disabled"])
def test_without_login_there_is_nothing(house: House, route: Route, who: str) -> None:
    """Also for a login that was disabled while its browser was open; and nothing is changed."""
    office = house.office
    client = office.client(None if who == "nobody" else ANA)
    form = {**FORM, "csrf_token": token(client, "/entrar" if who == "nobody" else "/fila")}
    team_acts.disable(office.db, office.clock(), office.ana)
    before = house.everything()
    path = house.ours.path(route[1])
    answer = client.open(path, method=route[0], data=form if route[0] == "POST" else None)
    assert (answer.status_code, answer.headers.get("Location", "/entrar")[:7]) in (
        (303, "/entrar"),
        (401, "/entrar"),
    )
    assert "nosso" not in answer.text
    assert house.everything() == before


@pytest.mark.parametrize("route", POSTS)
def test_a_post_without_token_is_refused(house: House, route: Route) -> None:
    before = house.everything()
    assert house.ask(route, house.ours, signed=False).status_code == 400
    assert house.everything() == before


@pytest.mark.parametrize("route", POSTS)
def test_a_post_with_another_session_s_token_is_refused(house: House, route: Route) -> None:
    client, other = house.office.client(), house.office.client(None)
    form = {**FORM, "to": "1", "holder_id": "1", "csrf_token": token(other, "/entrar")}
    before = house.everything()
    assert client.post(house.ours.path(route[1]), data=form).status_code == 400
    assert house.everything() == before


@pytest.mark.parametrize("route", [route for route in ROUTES if route[0] == "GET"])
def test_a_get_changes_nothing(house: House, route: Route) -> None:
    before = house.everything()
    house.ask(route, house.ours)
    assert house.everything() == before


@pytest.mark.parametrize("route", [route for route in ROUTES if route[0] == "GET"])
def test_no_page_holds_anything_of_another_business(house: House, route: Route) -> None:
    """A crawl with the marker in every table of theirs: names, messages, notes, ready answers, the log."""
    assert LEAK not in house.ask(route, house.ours).text


@pytest.mark.parametrize("route", [route for route, who in ROUTES.items() if who == SIGNED])
def test_a_webhook_without_signature_is_refused(house: House, route: Route) -> None:
    before = house.everything()
    assert house.ask(route, house.ours, email=None, signed=False).status_code == 403
    assert house.everything() == before


def test_roles_and_businesses_are_not_taken_from_a_form(house: House) -> None:
    """Nothing but what a form is for: no mass assignment."""
    client = house.office.client(BRUNO)
    form = {"csrf_token": token(client), "role": "owner", "tenant_id": "2", "staff_id": "1"}
    for path in ("/conta/preferencias", "/respostas", f"/fila/{house.ours.conversation}/nome"):
        client.post(path, data={**form, "name": "x", "text": "y"})
    with house.office.db.reading() as session:
        bruno = session.get_one(Staff, house.office.bruno)
        theirs = session.scalars(
            select(CannedReply).where(CannedReply.tenant_id == house.office.outra.tenant)
        )
        assert [reply.name for reply in theirs] == [canned_reply.short(LEAK)]
    assert (bruno.role, bruno.tenant_id) == ("attendant", house.office.bela.tenant)
