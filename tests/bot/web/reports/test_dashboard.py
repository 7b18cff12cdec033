"""/painel: who may see it, what it says, what it lets nobody inject, and that it agrees with /metrics."""

import csv
import html
import io
import re
from datetime import timedelta

import pytest
from sqlalchemy import event, update

from bot.web.shared.labels import REASONS
from models.db import Database, table
from models.handoff import Handoff, Reason
from models.message import Status
from models.run import Outcome, Run
from models.staff import Staff
from tests.bot.web.office import BRUNO, LEAK, Office, result
from tests.fakes.agenda import Ids

XSS = '<img src=x onerror="alert(1)">'
FORMULA = "=cmd|' /C calc'!A0"
PAGES = (
    "/painel",
    "/painel/dias.csv",
    "/painel/resumo.csv",
    "/painel/casos?motivo=refusal",
    "/painel/casos?erro=domain_rule",
)


@pytest.fixture
def office(sqlite_db: Database) -> Office:
    """Ana is a manager, Bruno an attendant; the other business has had one of everything today."""
    made = Office(sqlite_db)
    role(made, made.ana, "manager")
    role(made, made.bruno, "attendant")
    failed = result("agendar", {}, LEAK, error_class="domain_rule")
    theirs = made.says(name=f"Cliente {LEAK}", ids=made.outra)
    made.works(theirs, failed, outcome=Outcome.HANDED_OFF, handoff_reason=Reason.REFUSAL, model=LEAK)
    made.flags(theirs, Reason.REFUSAL, detail=LEAK)
    made.answers(theirs, LEAK, status=Status.FAILED, error_code=63016)
    return made


def role(office: Office, staff_id: int, name: str) -> None:
    with office.db.writing() as session:
        session.get_one(Staff, staff_id).role = name


def handed_over(
    office: Office,
    reason: Reason,
    *,
    name: str = "Maria",
    ids: Ids | None = None,
    phone: str = "+5511900000001",
) -> int:
    """A run that ends with people; gives the conversation."""
    conversation_id = office.says(name=name, ids=ids, phone=phone)
    run_id = office.works(
        conversation_id,
        result("agendar", {}, "Recusado.", error_class="domain_rule"),
        outcome=Outcome.HANDED_OFF,
        handoff_reason=reason,
    )
    office.flags(conversation_id, reason)
    handoffs = table(Handoff)
    with office.db.writing() as session:
        session.execute(
            update(handoffs).where(handoffs.c.conversation_id == conversation_id).values(run_id=run_id)
        )
    return conversation_id


def sheet(office: Office, path: str) -> list[list[str]]:
    answer = office.client().get(path)
    assert answer.status_code == 200, answer.text
    return list(csv.reader(io.StringIO(answer.data.decode("utf-8-sig")), delimiter=";"))


def words(page: str) -> str:
    """What a reader sees, in one line."""
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", page)).split())


@pytest.mark.parametrize("path", PAGES)
@pytest.mark.parametrize(("name", "status"), [("attendant", 403), ("manager", 200), ("owner", 200)])
def test_only_for_who_answers_for_the_business(office: Office, path: str, name: str, status: int) -> None:
    role(office, office.ana, name)
    answer = office.client().get(path)
    assert answer.status_code == status
    assert ("/painel" in office.client().get("/fila").text) == (status == 200)


@pytest.mark.parametrize("path", PAGES)
def test_nothing_of_another_business(office: Office, path: str) -> None:
    """Not its names, and not its numbers."""
    answer = office.client().get(path)
    assert LEAK not in answer.text
    assert "Nada aconteceu neste período." in office.client().get("/painel").text


def test_the_figures_stand_on_the_page(office: Office) -> None:
    office.works(office.says(phone="+5511900000002"))
    handed_over(office, Reason.REFUSAL)
    page = words(office.client().get("/painel").text)
    for said in (
        "26/11 a 02/12/2026",
        "Conversas 2 antes 0",
        "Só com o assistente 50% antes –",
        "Passadas para a equipe 1 antes 0",
        "O assistente não pôde responder 1",
        "1 ainda espera a primeira resposta.",
        "regra da agenda 1 Agendamento (1)",
        "Nenhuma falha de entrega no período (antes 0).",
    ):
        assert said in page, said


def test_a_failed_delivery_is_told_with_its_cause(office: Office) -> None:
    conversation_id = office.says()
    office.answers(conversation_id, "Oi!", status=Status.FAILED, error_code=63024)
    page = words(office.client().get("/painel").text)
    assert (
        "1 mensagem não foi entregue (antes 0): esta pessoa não pode receber mensagens no WhatsApp (1)."
        in page
    )


def test_a_jump_is_marked(office: Office) -> None:
    conversation_id = office.says()
    for number in range(80):
        office.clock.at += timedelta(seconds=1)
        cut = number >= 40 and number % 4 == 0
        office.works(
            conversation_id,
            outcome=Outcome.HANDED_OFF if cut else Outcome.ANSWERED,
            handoff_reason=Reason.RESPOSTA_TRUNCADA if cut else None,
            prompt_version="1" if number < 40 else "2",
        )
    office.flags(conversation_id, Reason.RESPOSTA_TRUNCADA)
    page = office.client().get("/painel").text
    said = (
        "Aumentou depois que as instruções do assistente mudaram, em 02/12 às 10:20: de 0 para 25,0 em cada"
    )
    assert said in words(page)
    assert '<line class="mark"' in page


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("", "26/11 a 02/12/2026"),
        ("?periodo=hoje", "02/12/2026, comparado"),
        ("?periodo=30", "03/11 a 02/12/2026"),
        ("?periodo=90", "04/09 a 02/12/2026"),
        ("?periodo=datas&de=2026-11-01&ate=2026-11-30", "01/11 a 30/11/2026"),
        ("?periodo=datas&de=2026-11-30&ate=2026-11-01", "01/11 a 30/11/2026"),
        ("?periodo=datas&de=2025-12-30&ate=2026-01-02", "30/12/2025 a 02/01/2026"),
        ("?periodo=datas&de=2026-12-01&ate=2030-01-01", "01/12 a 02/12/2026"),
        ("?periodo=datas&de=0001-01-01&ate=9999-12-31", "02/12/2025 a 02/12/2026"),
        ("?periodo=datas&de=2025-12-01&ate=2026-12-02", "São no máximo 366 dias de uma vez"),
        ("?periodo=datas&de=0001-01-01&ate=0001-01-02", "Estas datas são antigas demais."),
        ("?periodo=datas&de=1999-01-01&ate=2000-01-01", "01/01/1999 a 01/01/2000"),
        ("?periodo=datas&de=2026-11-31&ate=2026-11-01", "Escolha a primeira e a última data."),
        ("?periodo=datas", "Escolha a primeira e a última data."),
        ("?periodo=datas&de=2027-01-01&ate=2027-01-02", "Estas datas ainda não chegaram."),
        (f"?periodo={XSS}", "26/11 a 02/12/2026"),
    ],
)
def test_periods(office: Office, query: str, said: str) -> None:
    for path in ("/painel", "/painel/dias.csv"):
        answer = office.client().get(path + query)
        assert answer.status_code == 200
        assert XSS not in answer.text
    assert said in words(office.client().get("/painel" + query).text)


def test_nothing_is_said_of_as_many_days_as_there_may_be(office: Office) -> None:
    """And what is shown is what stands in the fields."""
    client = office.client()
    assert "no máximo" not in client.get("/painel?periodo=datas&de=2025-12-02&ate=2026-12-02").text
    page = client.get("/painel?periodo=datas&de=2025-12-01&ate=2026-12-02").text
    assert 'name="de" type="date" value="2025-12-02"' in page


def test_the_day_is_the_business_own(office: Office) -> None:
    """At half past eleven in the evening in São Paulo it is tomorrow in UTC, and still today."""
    office.clock.at = office.clock.at.replace(hour=2, minute=30) + timedelta(days=1)
    handed_over(office, Reason.REFUSAL)
    assert [row[0] for row in sheet(office, "/painel/dias.csv?periodo=hoje")] == ["Dia", "2026-12-02"]
    assert sheet(office, "/painel/dias.csv?periodo=hoje")[1][2] == "1"


def test_a_line_a_day_to_download(office: Office) -> None:
    handed_over(office, Reason.REFUSAL)
    head, *days = sheet(office, "/painel/dias.csv")
    assert [row[0] for row in days] == [
        f"2026-{day}" for day in ("11-26", "11-27", "11-28", "11-29", "11-30", "12-01", "12-02")
    ]
    today = dict(zip(head, days[-1], strict=True))
    assert today["Passadas para a equipe"] == today["O assistente não pôde responder"] == "1"
    assert today["Tokens lidos"] == "1830"
    assert today["Erros de ferramentas"] == "1"
    assert set(days[0][1:]) == {"0", "0,00"}


def test_what_models_and_tools_are_called_runs_in_no_spreadsheet(office: Office) -> None:
    """A model may ask for a tool of any name; a server may call its model as it likes."""
    conversation_id = office.says()
    run_id = office.works(conversation_id, result(FORMULA, {}, "?", error_class="unknown_tool"))
    with office.db.writing() as session:
        session.get_one(Run, run_id).model = FORMULA
    rows = sheet(office, "/painel/resumo.csv")
    assert ["Erros de ferramentas: ferramenta inexistente", f"'{FORMULA}", "1", "0"] in rows
    assert not [cell for row in rows for cell in row if cell[:1] in "=+-@" and cell]


def test_a_model_that_makes_names_up_does_not_fill_the_page(office: Office) -> None:
    calls = [result(f"inventada_{n}", {}, "?", error_class="unknown_tool") for n in range(40)]
    office.works(office.says(), *calls, result("inventada_7", {}, "?", error_class="unknown_tool"))
    page = words(office.client().get("/painel").text)
    assert "ferramenta inexistente 41 inventada_7 (2), " in page
    assert "e mais 34" in page
    assert page.count("inventada_") == 6
    rows = sheet(office, "/painel/resumo.csv")
    assert sum(row[0].startswith("Erros de ferramentas") for row in rows) == 40


def test_names_run_no_script(office: Office) -> None:
    handed_over(office, Reason.REFUSAL, name=XSS)
    office.works(office.says(), result(XSS, {}, "?", error_class="unknown_tool"))
    for path in ("/painel", "/painel/casos?motivo=refusal", "/painel/casos?erro=unknown_tool"):
        page = office.client().get(path).text
        assert XSS not in page
        assert html.escape(XSS).replace("&quot;", "&#34;") in page


def test_the_cases_behind_a_figure(office: Office) -> None:
    conversation_id = handed_over(office, Reason.REFUSAL)
    office.clock.at += timedelta(minutes=1)
    other = handed_over(office, Reason.PEDIDO_DO_CLIENTE, name="João", phone="+5511900000003")
    client = office.client()
    page = client.get("/painel/casos?motivo=refusal").text
    assert f'href="/fila/{conversation_id}"' in page
    assert f'href="/fila/{other}"' not in page
    trace = re.search(rf'href="(/fila/{conversation_id}/execucao/\d+)"', page)
    assert trace
    assert client.get(trace[1]).status_code == 200
    errors = client.get("/painel/casos?erro=domain_rule").text
    assert [f'href="/fila/{each}"' in errors for each in (conversation_id, other)] == [True, True]
    assert client.get("/painel/casos?motivo=nenhum").status_code == 404
    assert client.get("/painel/casos?erro=nenhum").status_code == 404
    both = client.get("/painel/casos").text
    assert [f'href="/fila/{each}"' in both for each in (conversation_id, other)] == [True, True]
    assert "O assistente não pôde responder" in both
    assert (
        "Nenhum caso no período."
        in client.get("/painel/casos?motivo=refusal&periodo=datas&de=2026-01-01&ate=2026-01-02").text
    )


def test_many_cases_come_by_page(office: Office) -> None:
    """Each once, newest first; and no parameter of the address finds its way into the next one."""
    conversation_id = office.says()
    for _ in range(120):
        office.works(conversation_id, result("agendar", {}, "Não.", error_class="domain_rule"))
    client, seen, path = (
        office.client(),
        [],
        "/painel/casos?erro=domain_rule&periodo=30&_external=1&_scheme=javascript",
    )
    while path:
        page = client.get(path).text
        seen += re.findall(r"/execucao/(\d+)", page)
        found = re.search(r'href="([^"]*antes=[^"]*)"', page)
        path = html.unescape(found[1]) if found else ""
        assert path.startswith("/painel/casos?") or not path
        assert "_scheme" not in path
    assert len(seen) == len(set(seen)) == 120
    assert seen == sorted(seen, key=int, reverse=True)


def test_the_same_as_metrics(office: Office) -> None:
    for reason, phone in ((Reason.REFUSAL, 4), (Reason.REFUSAL, 5), (Reason.LIMITE_TEMPO, 6)):
        handed_over(office, reason, phone=f"+551190000000{phone}")
    handed_over(office, Reason.LIMITE_TEMPO, ids=office.outra, phone="+5511900000007")
    metrics = dict(
        line.rsplit(" ", 1)
        for line in office.client().get("/metrics").text.splitlines()
        if line.startswith("horacerta_handoffs_total")
    )
    role(office, office.carla, "manager")
    counted: dict[str, float] = {}
    for email in ("ana@bela.test", "carla@outra.test"):
        answer = office.client(email).get("/painel/resumo.csv")
        for row in csv.reader(io.StringIO(answer.data.decode("utf-8-sig")), delimiter=";"):
            if row[0] == "Passadas para a equipe":
                counted[row[1]] = counted.get(row[1], 0) + int(row[2])
    for reason in Reason:
        assert counted[REASONS[reason].words] == float(
            metrics[f'horacerta_handoffs_total{{reason="{reason}"}}']
        )


def test_as_many_statements_however_much_there_is(office: Office) -> None:
    statements: list[str] = []
    client = office.client()
    client.get("/painel")
    event.listen(office.db.engine, "before_cursor_execute", lambda *args: statements.append(args[2]))
    counts = []
    for number in range(2):
        statements.clear()
        assert client.get("/painel?periodo=90").status_code == 200
        counts.append(sum(each.startswith("SELECT") for each in statements))
        for phone in range(20 * (number + 1)):
            handed_over(office, Reason.REFUSAL, phone=f"+55119{phone:08d}")
    assert counts[0] == counts[1] <= 10


def test_an_attendant_is_not_led_there(office: Office) -> None:
    assert "/painel" not in office.client(BRUNO).get("/fila").text
