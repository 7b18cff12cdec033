"""/registro: who did what, filtered by person, kind and day, in pages; every act has words."""

import ast
import html
import re
from datetime import timedelta
from pathlib import Path

import pytest
from flask.testing import FlaskClient

from bot.web.reports import audit_log
from bot.web.shared import labels
from models import audit
from models.acts import conversation_acts, visit_acts
from models.db import Database
from models.staff import Staff
from tests.bot.web.office import BRUNO, Office

ROOT = Path(__file__).parents[4]
XSS = "<script>alert(1)</script>"


@pytest.fixture
def office(sqlite_db: Database) -> Office:
    """What is recorded before a test begins is that Ana came in."""
    made = Office(sqlite_db)
    with made.db.writing() as session:
        session.get_one(Staff, made.ana).role = "manager"
    return made


@pytest.fixture
def client(office: Office) -> FlaskClient:
    return office.client()


def acts(page: str) -> list[str]:
    """The lines of the log, as a reader sees them, without their times."""
    lines = re.findall(r"<li><span>(.*?)</span> <time", page, re.DOTALL)
    return [" ".join(html.unescape(re.sub("<[^>]+>", " ", line)).split()) for line in lines]


def record(office: Office, action: str, **values: object) -> None:
    with office.db.writing() as session:
        audit.record(session, office.clock(), office.bela.tenant, action, **values)


def test_it_tells_who_did_what(office: Office, client: FlaskClient) -> None:
    talk = office.says()
    office.takes(talk, office.bruno)
    page = client.get("/registro").text
    assert acts(page) == ["Bruno Reis assumiu uma conversa ver a conversa", "Ana Souza entrou"]
    assert f'href="/fila/{talk}"' in page


def _constants(call: ast.Call) -> list[ast.Constant]:
    """Those among the arguments, also of a choice between two."""
    choices = [[each.body, each.orelse] if isinstance(each, ast.IfExp) else [each] for each in call.args]
    return [one for both in choices for one in both if isinstance(one, ast.Constant)]


def recorded() -> set[str]:
    """Every act that the source writes down: what stands in calls of `audit.record`, and the two lists."""
    found = {str(each) for each in visit_acts.Action}
    for file in (file for room in ("models", "tools", "bot") for file in (ROOT / room).rglob("*.py")):
        for call in (
            node for node in ast.walk(ast.parse(file.read_text("utf-8"))) if isinstance(node, ast.Call)
        ):
            said = [str(one.value) for one in _constants(call)]
            called = ast.unparse(call.func)
            if called == "audit.record":
                found |= set(said)
            elif called == "_log" and file.name == "conversation_acts.py":
                found |= {f"conversation.{act}" for act in said}
    return found


def test_every_act_that_is_recorded_has_words_and_a_kind() -> None:
    """Found in the source, so that a new one is not forgotten here."""
    nouns = {noun for _, each in audit_log.KINDS.values() for noun in each}
    known = {"staff.log_in", "conversation.take", "appointment.book", "business.import", "waitlist.join"}
    assert known < recorded()
    assert {act for act in recorded() if labels.logged(act, "X", {}) == act} == set()
    assert {act.partition(".")[0] for act in recorded()} == nouns


def test_by_person(office: Office, client: FlaskClient) -> None:
    office.takes(office.says(), office.bruno)
    record(office, "business.import")
    assert acts(client.get(f"/registro?quem={office.ana}").text) == ["Ana Souza entrou"]
    assert acts(client.get("/registro?quem=sistema").text) == ["O sistema importou os dados da empresa"]
    assert acts(client.get(f"/registro?quem={office.carla}").text) == [], "a stranger is nobody"
    assert "Carla" not in client.get(f"/registro?quem={office.carla}").text
    assert "Nada com estes filtros." in client.get("/registro?quem=98765").text


@pytest.mark.parametrize(
    ("action", "who"),
    [
        ("appointment.book", "O assistente"),
        ("waitlist.leave", "O assistente"),
        ("conversation.acknowledge", "O sistema"),
    ],
)
def test_what_nobody_of_the_staff_did(office: Office, client: FlaskClient, action: str, who: str) -> None:
    record(office, action)
    assert [act.startswith(who) for act in acts(client.get("/registro?quem=sistema").text)] == [True]


def test_what_the_program_forgot_by_itself_says_why(office: Office, client: FlaskClient) -> None:
    record(office, "customer.forget", detail={"after_days": 365})
    page = client.get("/registro").text
    assert "O sistema" in page
    assert "apagou os dados de um cliente" in page
    assert "sem contato há mais de 365 dias" in page


@pytest.mark.parametrize(
    ("kind", "action"),
    [
        ("acessos", "staff.disable"),
        ("conversas", "conversation.resolve"),
        ("agenda", "appointment.cancel"),
        ("agenda", "block.add"),
        ("clientes", "customer.forget"),
        ("respostas", "canned.save"),
        ("empresa", "business.import"),
    ],
)
def test_by_kind(office: Office, client: FlaskClient, kind: str, action: str) -> None:
    record(office, action, staff_id=office.ana)
    said = labels.logged(action, None, {})
    with_kind = acts(client.get(f"/registro?tipo={kind}").text)
    assert any(said in line for line in with_kind)
    others = [other for other in audit_log.KINDS if other != kind]
    assert not any(
        said in line for other in others for line in acts(client.get(f"/registro?tipo={other}").text)
    )


def test_by_day_of_the_business(office: Office, client: FlaskClient) -> None:
    """Half past eleven in the evening is the same day, whatever UTC says."""
    office.clock.at = office.clock.at.replace(hour=2, minute=30)  # the 1st, 23:30 in São Paulo
    record(office, "business.import")
    office.clock.at += timedelta(hours=11)
    for query, found in (
        ("de=2026-12-01&ate=2026-12-01", True),
        ("de=2026-12-02", False),
        ("ate=2026-11-30", False),
        ("ate=2026-12-01", True),
    ):
        assert ("O sistema importou" in " ".join(acts(client.get(f"/registro?{query}").text))) == found, query


@pytest.mark.parametrize(
    "query",
    [
        "quem=x&tipo=x&de=x&ate=x&antes=x",
        "de=0001-01-01&ate=9999-12-31",
        "quem=99999999999999999999",
        "antes=-1",
        f"tipo={XSS}&quem={XSS}&de={XSS}",
    ],
)
def test_nonsense_filters_nothing(client: FlaskClient, query: str) -> None:
    answer = client.get(f"/registro?{query}")
    assert answer.status_code == 200
    assert XSS not in answer.text


def test_a_date_that_is_none_is_told(client: FlaskClient) -> None:
    """It filters nothing, and is not carried on."""
    told = "Não reconheci a data pedida, e ela não filtra nada."
    page = client.get("/registro?de=x&tipo=acessos").text
    assert told in page
    assert "Limpar" in page
    assert "Limpar" not in client.get("/registro?ate=9999-12-31").text
    for fine in ("", "?de=2026-12-01", "?de=&ate="):
        assert told not in client.get(f"/registro{fine}").text


def test_pages_keep_the_filters(office: Office, client: FlaskClient) -> None:
    """Each act once; and a parameter of Flask's own finds no way into the next address."""
    talk = office.says()
    for _ in range(110):
        office.takes(talk, office.bruno)
        with office.db.writing() as session:
            conversation_acts.release(session, office.clock(), office.bela.tenant, talk, office.bruno)
    seen: list[str] = []
    path = f"/registro?quem={office.bruno}&tipo=conversas&_external=1&_scheme=javascript"
    while path:
        page = client.get(path).text
        seen += acts(page)
        found = re.search(r'href="([^"]*antes=[^"]*)">Ver mais', page)
        path = html.unescape(found[1]) if found else ""
        assert not path or path.startswith("/registro?")
        assert "_scheme" not in path
    assert len(seen) == 220
    assert {line.split(" ver ")[0] for line in seen} == {
        "Bruno Reis assumiu uma conversa",
        "Bruno Reis devolveu uma conversa para a fila",
    }


def test_exactly_one_page_has_no_next_one(office: Office, client: FlaskClient) -> None:
    for _ in range(99):
        record(office, "business.import")
    assert "Ver mais antigos" not in client.get("/registro").text
    record(office, "business.import")
    assert "Ver mais antigos" in client.get("/registro").text


def test_what_was_changed_is_told_and_runs_no_script(office: Office, client: FlaskClient) -> None:
    record(office, "customer.rename", staff_id=office.bruno, detail={"before": XSS, "after": "Maria"})
    record(office, "customer.rename", staff_id=office.bruno)  # of a customer who was forgotten
    record(
        office,
        "staff.set_role",
        staff_id=office.ana,
        subject_id=office.bruno,
        detail={"before": "attendant", "after": "manager"},
    )
    page = client.get("/registro").text
    assert XSS not in page
    assert acts(page)[:3] == [
        "Ana Souza mudou o papel de Bruno Reis para Gerente (antes: Atendente)",
        "Bruno Reis mudou o nome de um cliente",
        f"Bruno Reis mudou o nome de um cliente (de “{XSS}” para “Maria”)",
    ]


def test_only_for_managers(office: Office) -> None:
    assert office.client(BRUNO).get("/registro").status_code == 403
