"""The addresses of the agenda, each with who may reach it: nobody sees or changes a stranger's row.

`test_routes` holds that there are no others.
"""

import re
from dataclasses import dataclass, field

import pytest
from flask.testing import FlaskClient
from sqlmodel import SQLModel, select
from werkzeug.test import TestResponse

from models.acts import team_acts
from models.appointment import AppointmentStatus
from models.db import Database
from tests.bot.web.days import TODAY, TOMORROW, Salon
from tests.bot.web.office import ANA, LEAK, Office, token

VISIT = "/agenda/<int(max=2147483647):appointment_id>"
BLOCK = "/agenda/bloqueio/<any(folga, fechamento):kind>/<int(max=2147483647):block_id>"
ENTRY = "/agenda/espera/<int(max=2147483647):entry_id>/tirar"
PERSON = "/agenda/calendarios/<int(max=2147483647):professional_id>"
ICS = ("GET", "/agenda/ics/<token>.ics")
# What each form holds, so that it is a whole one.
MOVE = {"dia": str(TOMORROW), "horario": "outro", "hora": "09:00"}
BOOK = {"servico": "1", "prof": "1", "nome": "Rosa", **MOVE}
STRETCH = {"prof": "1", "dia": str(TOMORROW), "de": "16:00", "fim": "17:00"}
FORMS: dict[tuple[str, str], dict[str, str]] = {
    ("GET", "/agenda"): {},
    ("GET", "/agenda/dia.csv"): {},
    ("GET", "/agenda/novo"): {},
    ("POST", "/agenda/novo"): BOOK,
    ("GET", "/agenda/bloquear"): {},
    ("POST", "/agenda/bloquear"): STRETCH,
    ("GET", BLOCK): {},
    ("POST", f"{BLOCK}/remover"): {},
    ("GET", "/agenda/espera"): {},
    ("GET", ENTRY): {},
    ("POST", ENTRY): {"estado": "waiting"},
    ("GET", "/agenda/calendarios"): {},
    ("POST", f"{PERSON}/renovar"): {},
    ("POST", f"{PERSON}/revogar"): {},
    ("GET", VISIT): {},
    ("GET", f"{VISIT}/remarcar"): {},
    ("POST", f"{VISIT}/remarcar"): {"prof": "1", **MOVE},
    ("GET", f"{VISIT}/cancelar"): {},
    ("POST", f"{VISIT}/cancelar"): {"avisar": "on", "aviso": "Desculpe!", "chave": "k"},
    ("POST", f"{VISIT}/veio"): {},
    ("POST", f"{VISIT}/faltou"): {},
    ("POST", f"{VISIT}/desfazer"): {"estado": "0.done"},
    ("POST", f"{VISIT}/manter"): {},
    ("POST", f"{VISIT}/avisar"): {"aviso": "Até já!", "chave": "k"},
}
AGENDA = {**dict.fromkeys(FORMS, "staff"), ICS: "public"}
WITH_ID = [route for route in FORMS if "_id>" in route[1]]
POSTS = [route for route in FORMS if route[0] == "POST"]
Route = tuple[str, str]


@dataclass(frozen=True)
class Rows:
    """One row of each kind that an address can name; `done` is a visit that was kept."""

    visit: int
    done: int
    block: int
    professional: int
    entry: int


MISSING = Rows(*[987654] * 5)


@dataclass
class House:
    """Two businesses with the same day each; `theirs` is full of the marker."""

    office: Office
    ours: Rows = field(init=False)
    theirs: Rows = field(init=False)

    def __post_init__(self) -> None:
        self.ours = furnished(self.office, "nosso")
        office = self.office
        mine = (office.bela, office.ana)
        office.bela, office.ana = office.outra, office.carla
        self.theirs = furnished(office, LEAK)
        office.bela, office.ana = mine

    def ask(
        self,
        route: Route,
        rows: Rows,
        *,
        client: FlaskClient | None = None,
        signed: bool = True,
    ) -> TestResponse:
        """One request with a whole form and its token, unless `signed` is False."""
        client = client or self.office.client()
        form = {"estado": "0.booked", **FORMS[route]} if route[0] == "POST" else {}
        if signed and form:
            form["csrf_token"] = token(client)
        path = path_of(route, rows)
        answer: TestResponse = client.open(path, method=route[0], data=form or None)
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


def furnished(office: Office, mark: str) -> Rows:
    """The day of one business: what `office.bela` and `office.ana` are at the moment."""
    salon = Salon(office)
    customer = office.says(name=f"Cliente {mark}", phone="+5511955554444", ids=office.bela)
    customer = office.row(customer).customer_id
    done = salon.books(customer, "09:00")
    salon.marks(done, AppointmentStatus.DONE)
    visit = salon.books(customer, "10:00")
    salon.blocks("11:00", "12:00", f"Motivo {mark}", day=TODAY, who="ana")
    with office.db.reading() as session:
        row = session.execute(
            select(SQLModel.metadata.tables["time_off"].c.id).order_by(
                SQLModel.metadata.tables["time_off"].c.id.desc()
            )
        ).first()
    assert row is not None
    return Rows(visit, done, row[0], office.bela.ana, salon.waits(customer))


def path_of(route: Route, rows: Rows) -> str:
    visit = rows.done if route[1].endswith("/desfazer") else rows.visit
    rule = route[1].replace("<any(folga, fechamento):kind>", "folga")
    for name, value in (
        ("appointment", visit),
        ("block", rows.block),
        ("professional", rows.professional),
        ("entry", rows.entry),
    ):
        rule = re.sub(rf"<[^>]*:{name}_id>", str(value), rule)
    return rule


@pytest.fixture
def house(sqlite_db: Database) -> House:
    return House(Office(sqlite_db))


@pytest.mark.parametrize("route", WITH_ID)
def test_a_foreign_row_answers_as_a_missing_one_and_nothing_changes(house: House, route: Route) -> None:
    before = house.everything()
    foreign, missing = house.ask(route, house.theirs), house.ask(route, MISSING)
    assert house.everything() == before
    assert foreign.status_code == missing.status_code == 404
    assert foreign.text == missing.text
    assert LEAK not in foreign.text


@pytest.mark.parametrize("route", WITH_ID)
@pytest.mark.parametrize("odd", ["99999999999999999999", "-1", "x", "1%00", "1/..%2f2"])
def test_what_is_no_id_is_missing(house: House, route: Route, odd: str) -> None:
    path = re.sub("<int[^>]*>", odd, route[1]).replace("<any(folga, fechamento):kind>", "folga")
    client = house.office.client()
    form = {"csrf_token": token(client)} if route[0] == "POST" else None
    # 405 where the same address without a number would have a page to read.
    assert client.open(path, method=route[0], data=form).status_code in (404, 405)


@pytest.mark.parametrize("route", FORMS)
def test_ones_own_row_answers(house: House, route: Route) -> None:
    answer = house.ask(route, house.ours)
    assert answer.status_code == (200 if route[0] == "GET" else 303), answer.text
    assert LEAK not in answer.text


@pytest.mark.parametrize("route", POSTS)
def test_an_act_leaves_the_others_alone(house: House, route: Route) -> None:
    """Whatever is done in one business, no row of the other changes."""
    theirs = house.office.outra.tenant

    def others() -> dict[str, list[tuple[object, ...]]]:
        tables = SQLModel.metadata.tables
        return {
            name: [row for row in rows if row[list(tables[name].c.keys()).index("tenant_id")] == theirs]
            for name, rows in house.everything().items()
            if "tenant_id" in tables[name].c
        }

    before = others()
    house.ask(route, house.ours)
    assert others() == before


@pytest.mark.parametrize("route", FORMS)
@pytest.mark.parametrize("who", ["nobody", "disabled"])
def test_without_login_there_is_nothing(house: House, route: Route, who: str) -> None:
    office = house.office
    client = office.client(None if who == "nobody" else ANA)
    form = {"estado": "0.booked", **FORMS[route]}
    form["csrf_token"] = token(client, "/entrar" if who == "nobody" else "/fila")
    team_acts.disable(office.db, office.clock(), office.ana)
    before = house.everything()
    path = path_of(route, house.ours)
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


@pytest.mark.parametrize("route", [route for route in FORMS if route[0] == "GET"])
def test_a_get_changes_nothing(house: House, route: Route) -> None:
    before = house.everything()
    house.ask(route, house.ours)
    assert house.everything() == before


@pytest.mark.parametrize("route", [route for route in FORMS if route[0] == "GET"])
@pytest.mark.parametrize(
    "query",
    [
        "dia=2026-12-02&ver=semana&prof={professional}",
        "prof={professional}&servico={service}&cliente={customer}&dia=2026-12-03",
        "busca=Cliente",
        "dia=2026-12-03&horario=outro&hora=99:99&prof=x",
    ],
)
def test_no_query_brings_another_business_s_rows(house: House, route: Route, query: str) -> None:
    theirs = house.office.outra
    asked = query.format(professional=theirs.ana, service=theirs.corte, customer=theirs.customer)
    client = house.office.client()
    answer = client.get(f"{path_of(route, house.ours)}?{asked}")
    assert answer.status_code == 200
    assert LEAK not in answer.text


def test_the_calendar_needs_no_login_and_knows_only_its_own(house: House) -> None:
    answer = house.office.client(None).get("/agenda/ics/x.ics")
    assert answer.status_code == 404
