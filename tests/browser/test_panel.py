"""The pages for who answers for the business, in a real browser: figures, cases, runs, log, team, account."""

from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any
from urllib.parse import quote

import pytest
from playwright.sync_api import Browser, Page, expect

from models import audit
from models.acts import team_acts
from models.db import Database
from models.handoff import Reason
from models.message import Status
from models.run import NewStep, Outcome, StepKind
from models.staff import Staff
from models.tenant import Tenant
from tests.bot.web.office import BRUNO, Office, result
from tests.browser import looks
from tests.browser.conftest import Complaints
from tests.browser.looks import DESK, PHONE, SIZES
from tests.browser.site import Site, opened
from tests.browser.test_staff import NASTY, XSS
from tests.fakes.talk import hire

pytestmark = [pytest.mark.browser, pytest.mark.timeout(120)]


@pytest.fixture
def site(sqlite_db: Database, browser: Browser, complaints: Complaints) -> Iterator[Site]:
    """Ana is the owner."""
    with opened(sqlite_db, browser, complaints) as found:
        with found.office.db.writing() as session:
            session.get_one(Staff, found.office.ana).role = "owner"
        yield found


def busy(office: Office) -> tuple[int, int]:
    """A week with something of everything; gives a conversation and a run of it, full of markup."""
    end, talk = office.clock.at, office.says(XSS, name=XSS)
    office.answers(talk, "Oi!", status=Status.FAILED, error_code=63024)
    for number in range(90):
        office.clock.at = end - timedelta(hours=120 - number)
        cut = number >= 45 and number % 3 == 0
        office.works(
            talk,
            outcome=Outcome.HANDED_OFF if cut else Outcome.ANSWERED,
            handoff_reason=Reason.RESPOSTA_TRUNCADA if cut else None,
            prompt_version="1" if number < 45 else "2",
            cost_microdollars=None if number % 9 == 0 else 700,
        )
    office.clock.at = end - timedelta(hours=5)
    office.flags(talk, Reason.RESPOSTA_TRUNCADA, detail=XSS)
    office.books(talk, starts_in=timedelta(hours=30))
    usage = {"input_tokens": 320, "output_tokens": 80, "cache_read_tokens": 2100}
    call = {"type": "tool_use", "id": "t", "name": XSS, "input": {"x": XSS}}
    run_id = office.works(
        talk,
        NewStep(StepKind.INPUT, [{"type": "text", "text": XSS}]),
        NewStep(StepKind.ANSWER, [call], stop_reason="tool_use", usage=usage, milliseconds=1840, model=XSS),
        result("buscar_horarios", {"data": "2026-12-03"}, "09:00, 10:00"),
        result(XSS, {"x": XSS}, XSS, error_class="unknown_tool"),
        outcome=Outcome.HANDED_OFF,
        handoff_reason=Reason.RESPOSTA_TRUNCADA,
    )
    office.clock.at = end
    with office.db.writing() as session:
        session.get_one(Tenant, office.bela.tenant).handoff_hours = {
            str(day): [[540, 1080]] for day in range(6)
        }
        place = (session, end, office.bela.tenant, office.ana)
        team_acts.invite(*place, email="nina@bela.test", name=XSS, role="manager")
        session.get_one(Staff, office.bruno).name = XSS
    return talk, run_id


# Look, and who can use it


def _empty(site: Site, page: Page) -> None:
    page.goto("/painel")


def _figures(site: Site, page: Page) -> None:
    busy(site.office)
    page.goto("/painel")


def _table(site: Site, page: Page) -> None:
    busy(site.office)
    page.goto("/painel?periodo=30")
    page.get_by_text("Ver como tabela").click()


def _dates(site: Site, page: Page) -> None:
    busy(site.office)
    page.goto("/painel?periodo=datas&de=x")


def _year(site: Site, page: Page) -> None:
    busy(site.office)
    page.goto("/painel?periodo=datas&de=2026-01-01&ate=2026-12-02")


def _cases(site: Site, page: Page) -> None:
    busy(site.office)
    page.goto("/painel/casos?erro=unknown_tool")


def _no_cases(site: Site, page: Page) -> None:
    page.goto("/painel/casos")


def _run(site: Site, page: Page) -> None:
    talk, run_id = busy(site.office)
    page.goto(f"/fila/{talk}/execucao/{run_id}")
    page.locator(".step details").evaluate_all("all => all.forEach(each => { each.open = true })")


def _log(site: Site, page: Page) -> None:
    busy(site.office)
    page.goto(f"/registro?quem={site.office.ana}&tipo=acessos&de=2026-12-01")


def _no_log(site: Site, page: Page) -> None:
    page.goto("/registro?quem=987")


def _team(site: Site, page: Page) -> None:
    busy(site.office)
    page.goto("/equipe")
    page.locator(".lines summary").first.click()


def _account(site: Site, page: Page) -> None:
    site.office.client()
    page.goto("/conta")


STATES: dict[str, Callable[[Site, Page], None]] = {
    "figures, none": _empty,
    "figures": _figures,
    "figures as table": _table,
    "figures, odd dates": _dates,
    "figures of a year": _year,
    "cases": _cases,
    "cases, none": _no_cases,
    "run": _run,
    "log, filtered": _log,
    "log, none": _no_log,
    "team with invitation": _team,
    "account": _account,
}


@pytest.mark.parametrize("state", STATES)
@SIZES
def test_every_state_is_usable_by_everybody(site: Site, state: str, size: Any) -> None:
    """axe finds nothing, nothing sticks out to the side, no name or text of strangers runs as a script."""
    page = site.visit(viewport=size)
    STATES[state](site, page)
    looks.check(page, state, size, whole=True)
    assert page.evaluate("window.__xss") is None


def test_nothing_that_strangers_write_runs(site: Site) -> None:
    """Each text as the name of a customer, a tool, a model, a colleague and a guest, all on one page."""
    office = site.office
    for number, nasty in enumerate(NASTY):
        talk = office.says(nasty, name=nasty, phone=f"+55119000001{number:02}")
        step = result(nasty[:60], {nasty: nasty}, nasty, error_class="unknown_tool")
        run_id = office.works(talk, step, model=nasty[:100], prompt_version=nasty[:16])
        office.flags(talk, Reason.ERRO_INTERNO, detail=nasty)
        with office.db.writing() as session:
            colleague = hire(session, office.clock(), office.bela.tenant, f"n{number}@bela.test", nasty[:120])
            place = (session, office.clock(), office.bela.tenant, office.ana)
            team_acts.invite(*place, email=f"i{number}@bela.test", name=nasty[:120], role="attendant")
            detail = {"before": nasty, "after": nasty}
            audit.record(*place[:3], "customer.rename", staff_id=colleague, detail=detail)
    page = site.visit()
    for path in ("/painel", "/painel/casos", "/painel/casos?erro=unknown_tool", "/registro", "/equipe",
                 f"/registro?quem={quote(XSS)}", f"/fila/{talk}/execucao/{run_id}"):  # fmt: skip
        page.goto(path)
        assert page.evaluate("window.__xss") is None, path
        assert page.url.startswith(site.url)
        assert page.locator("a[href^='javascript:'], a[href*='evil'], form[action*='evil']").count() == 0
    page.goto("/painel")
    for nasty in NASTY:
        expect(page.get_by_role("region", name="Uso por modelo")).to_contain_text(nasty[:100])


# Working


@pytest.mark.parametrize("javascript", [True, False], ids=["with JavaScript", "without"])
def test_from_a_figure_to_the_run(site: Site, javascript: bool) -> None:
    """From the jump that is marked down to the step that went wrong, by links alone."""
    busy(site.office)
    page = site.visit(java_script_enabled=javascript, viewport=PHONE)
    page.get_by_role("link", name="Painel").click()
    expect(page.get_by_text("Aumentou depois que as instruções do assistente mudaram")).to_be_visible()
    page.get_by_role("link", name="ferramenta inexistente").click()
    page.get_by_role("link", name="passo a passo").click()
    expect(page.get_by_role("heading", name="Passo a passo do assistente")).to_be_visible()
    expect(page.get_by_text("ferramenta inexistente")).to_be_visible()
    page.get_by_role("link", name="Conversa", exact=True).click()
    page.wait_for_url("**/fila/*")


def test_periods_and_own_dates(site: Site) -> None:
    busy(site.office)
    page = site.visit(viewport=PHONE)
    page.goto("/painel")
    page.get_by_role("link", name="30 dias").click()
    expect(page.get_by_text("03/11 a 02/12/2026")).to_be_visible()
    expect(page.get_by_role("link", name="30 dias")).to_have_attribute("aria-current", "page")
    page.get_by_text("Escolher datas").click()
    page.get_by_label("De", exact=True).fill("2026-11-30")
    page.get_by_label("Até", exact=True).fill("2026-12-01")
    page.get_by_role("button", name="Mostrar").click()
    expect(page.get_by_text("30/11 a 01/12/2026")).to_be_visible()
    with page.expect_download() as download:
        page.get_by_role("link", name="Baixar por dia").click()
    assert download.value.suggested_filename == "horacerta-dias-2026-11-30-2026-12-01.csv"


def test_the_bars_say_what_the_table_says(site: Site) -> None:
    """Who sees no bars hears the sum and the day with most; the table holds every number."""
    busy(site.office)
    page = site.visit(viewport=DESK)
    page.goto("/painel")
    chart = page.get_by_role("img", name="Todas as passagens")
    expect(chart).to_have_attribute("aria-label", "Todas as passagens: 1 no período; mais em 02/12 (1).")
    page.get_by_text("Ver como tabela").click()
    table = page.get_by_role("region", name="Passagens por dia e motivo")
    expect(table.get_by_role("row", name="02/12")).to_contain_text("1")
    expect(table.get_by_role("row", name="Período")).to_contain_text("1")
    table.focus()
    expect(table).to_be_focused()


def test_the_log_is_filtered(site: Site) -> None:
    talk = site.office.says()
    site.office.takes(talk, site.office.bruno)
    page = site.visit(viewport=PHONE)
    page.goto("/registro")
    page.get_by_label("Quem").select_option("Bruno Reis")
    page.get_by_label("O quê").select_option("Conversas")
    page.get_by_role("button", name="Filtrar").click()
    expect(page.get_by_role("listitem").filter(has_text="Bruno Reis assumiu uma conversa")).to_be_visible()
    expect(page.get_by_text("Ana Souza entrou")).to_have_count(0)
    expect(page.get_by_label("Quem")).to_have_value(str(site.office.bruno))
    page.get_by_role("link", name="Limpar").click()
    expect(page.get_by_text("entrou").first).to_be_visible()


def test_thrown_out_everywhere(site: Site) -> None:
    """By a colleague, and by oneself: the open page leads to the login at the next step."""
    bruno = site.visit(BRUNO)
    page = site.visit(viewport=PHONE)
    page.goto("/equipe")
    page.get_by_text("Alterar").click()
    page.get_by_role("button", name="Sair de todos os aparelhos").click()
    expect(page.get_by_role("status")).to_contain_text("Bruno Reis saiu de todos os aparelhos.")
    bruno.goto("/agenda")
    expect(bruno).to_have_url(f"{site.url}/entrar?next=/agenda")
    page.goto("/conta")
    page.get_by_role("button", name="Sair de todos os aparelhos").click()
    expect(page.get_by_role("status")).to_contain_text("Você saiu de todos os aparelhos.")
