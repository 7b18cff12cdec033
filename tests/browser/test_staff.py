"""The staff pages in a real browser: phone and desk, day and night, with and without JavaScript."""

import base64
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from urllib.parse import quote

import pytest
from playwright.sync_api import Browser, Locator, Page, expect
from sqlmodel import select

from bot.core import sanitise
from bot.web.shared import whatsapp_html
from models import canned_reply
from models.acts import conversation_acts, team_acts
from models.conversation import WINDOW, Conversation, Holder
from models.customer import Customer
from models.db import Database
from models.handoff import Reason
from models.message import Author, Status
from models.run import NewStep, Outcome, StepKind
from models.staff import Staff
from models.tenant import Tenant
from tests.bot.web.office import ANA, BRUNO, Office, result
from tests.browser import looks
from tests.browser.conftest import Complaints
from tests.browser.looks import PHONE, SIZES
from tests.browser.site import Site, opened
from tests.fakes.talk import PASSWORD, hire

pytestmark = [pytest.mark.browser, pytest.mark.timeout(120)]

# One black pixel.
PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNgAAAAAgABSK+kcQAAAABJRU5ErkJggg=="
)
XSS = '<img src=x onerror="window.__xss=1;alert(1)">'


@pytest.fixture
def site(sqlite_db: Database, browser: Browser, complaints: Complaints) -> Iterator[Site]:
    with opened(sqlite_db, browser, complaints) as found:
        yield found


def waiting(office: Office, text: str = "Posso falar com alguém?", **more: str) -> int:
    conversation_id = office.says(text, **more)
    office.flags(conversation_id)
    return conversation_id


def busy(office: Office) -> dict[str, int]:
    """A morning at the salon: one conversation of every kind."""
    end = office.clock.at
    office.clock.at = end - timedelta(days=1, minutes=40)
    maria = office.says("Oi! Queria marcar um corte", name="Maria Aparecida")
    run_id = office.works(
        maria,
        NewStep(
            StepKind.ANSWER,
            [{"type": "text", "text": "Vou ver os horários."}],
            stop_reason="tool_use",
            usage={"input_tokens": 1200, "output_tokens": 30},
        ),
        result("buscar_horarios", {"data": "2026-12-03", "servico_id": 1}, "Ana Souza: 09:00, 10:00, 14:00"),
        result(
            "agendar", {"data": "2026-12-03", "hora": "14"}, "A hora é HH:MM.", error_class="invalid_input"
        ),
    )
    office.answers(maria, "Marcado! Corte feminino com Ana Souza, quinta, 03/12, às 14h.", run_id=run_id)
    office.clock.at = end - timedelta(minutes=22)
    office.says("Será que dá para encaixar minha filha junto?", name="Maria Aparecida")
    run_id = office.works(maria, outcome=Outcome.HANDED_OFF, handoff_reason=Reason.PEDIDO_DO_CLIENTE)
    office.answers(maria, "Vou chamar uma pessoa da equipe.", run_id=run_id, status=Status.DELIVERED)
    office.flags(maria, detail="Quer encaixar a filha no mesmo horário.")
    office.books(maria, starts_in=timedelta(days=1, hours=4))
    office.clock.at = end - timedelta(minutes=8)
    audio = office.says("", name="João Pedro", phone="+5511988887777", kind="audio")
    office.flags(audio, Reason.MIDIA_NAO_SUPORTADA)
    office.clock.at = end - timedelta(hours=2)
    mine = waiting(office, "Preciso remarcar", name="Karina", phone="+5511966665555")
    office.takes(mine, office.ana)
    said = {"author": Author.STAFF, "staff_id": office.ana}
    office.answers(mine, "Para quando?", status=Status.DELIVERED, **said)
    office.answers(mine, "Temos sexta às 15h.", status=Status.FAILED, error_code=63024, **said)
    his = waiting(office, "Oi", name="Zilda", phone="+5511933332222")
    office.takes(his, office.bruno)
    office.clock.at = end - WINDOW
    shut = waiting(office, "Tem vaga hoje?", name="Wesley", phone="+5511944443333")
    office.clock.at = end
    return {"maria": maria, "audio": audio, "mine": mine, "his": his, "shut": shut}


def prepared(office: Office) -> None:
    """Two ready answers."""
    with office.db.writing() as session:
        for name, text in (
            ("endereco", "Oi, {nome}! Ficamos na Rua Augusta, 1000."),
            ("pix", "Aceitamos Pix e cartão."),
        ):
            canned_reply.save(session, office.clock(), office.bela.tenant, office.ana, name=name, text=text)


# Look, and who can use it


State = Callable[[Site, Page], None]


def _login(site: Site, page: Page) -> None:
    page.goto("/entrar")


def _refused(site: Site, page: Page) -> None:
    page.goto("/entrar")
    page.get_by_label("E-mail").fill("ninguem@bela.test")
    page.get_by_label("Senha").fill("uma senha qualquer")
    page.get_by_role("button", name="Entrar").click()
    expect(page.get_by_role("alert")).to_be_visible()


def _empty(site: Site, page: Page) -> None:
    page.goto("/fila")


def _full(site: Site, page: Page) -> None:
    busy(site.office)
    page.goto("/fila")


def _all(site: Site, page: Page) -> None:
    busy(site.office)
    page.goto("/fila?aba=todas")


def _conversation(site: Site, page: Page) -> None:
    page.goto(f"/fila/{busy(site.office)['maria']}#fim")


def _tools(site: Site, page: Page) -> None:
    page.goto(f"/fila/{busy(site.office)['maria']}")
    page.locator("details.work summary").first.click()


def _mine(site: Site, page: Page) -> None:
    page.goto(f"/fila/{busy(site.office)['mine']}#fim")
    page.get_by_text("Devolver ao assistente").click()


def _his(site: Site, page: Page) -> None:
    page.goto(f"/fila/{busy(site.office)['his']}#fim")


def _shut(site: Site, page: Page) -> None:
    page.goto(f"/fila/{busy(site.office)['shut']}#fim")


def _conflict(site: Site, page: Page) -> None:
    conversation_id = waiting(site.office)
    page.goto(f"/fila/{conversation_id}#fim")
    site.office.takes(conversation_id, site.office.bruno)
    page.get_by_label("Sua resposta").fill("Claro, pode vir às 15h.")
    page.get_by_role("button", name="Enviar").click()
    expect(page.get_by_role("alert")).to_contain_text("Bruno Reis já assumiu esta conversa.")


def _expired(site: Site, page: Page) -> None:
    page.goto(f"/fila/{waiting(site.office)}#fim")
    page.get_by_label("Sua resposta").fill("Claro, pode vir às 15h.")
    site.office.clock.forward(hours=13)
    page.locator("#reply").evaluate("form => form.submit()")  # as without JavaScript
    expect(page.get_by_label("Seu texto, para copiar")).to_have_value("Claro, pode vir às 15h.")


def _lost(site: Site, page: Page) -> None:
    page.goto(f"/fila/{waiting(site.office)}#fim")
    page.get_by_label("Sua resposta").fill("Claro, pode vir às 15h.")
    site.office.clock.forward(hours=13)
    page.get_by_role("button", name="Enviar").click()
    expect(page.get_by_role("link", name="Entrar de novo")).to_be_visible()


def _agenda(site: Site, page: Page) -> None:
    busy(site.office)
    page.goto("/agenda?dia=2026-12-03")


def _missing(site: Site, page: Page) -> None:
    page.goto("/fila/987654")


def _searched(site: Site, page: Page) -> None:
    busy(site.office)
    page.goto("/fila")
    page.get_by_label("Buscar por nome, telefone ou texto").fill("maria")
    page.get_by_role("button", name="Buscar").click()
    page.get_by_text("Filtrar").click()


def _resolved(site: Site, page: Page) -> None:
    busy(site.office)
    page.goto("/fila?aba=encerradas")


def _menu(site: Site, page: Page) -> None:
    page.goto("/fila")
    page.locator("details.menu summary").click()


def _help(site: Site, page: Page) -> None:
    page.goto("/fila")
    page.keyboard.press("?")
    expect(page.get_by_role("dialog")).to_be_visible()


def _card(site: Site, page: Page) -> None:
    page.goto(f"/fila/{busy(site.office)['maria']}")
    if not page.locator("details.card").evaluate("it => it.open"):
        page.get_by_text("Ficha do cliente").click()
    expect(page.get_by_label("Nome do cliente")).to_be_visible()


def _note(site: Site, page: Page) -> None:
    page.goto(f"/fila/{busy(site.office)['mine']}#fim")
    page.locator("#note-open").click()


def _more(site: Site, page: Page) -> None:
    page.goto(f"/fila/{busy(site.office)['mine']}#fim")
    page.get_by_text("Mais", exact=True).click()


def _asleep(site: Site, page: Page) -> None:
    talk = busy(site.office)["mine"]
    site.office.snoozes(talk, site.office.ana)
    page.goto(f"/fila/{talk}#fim")
    page.get_by_text("Mais", exact=True).click()


def _ready(site: Site, page: Page) -> None:
    prepared(site.office)
    page.goto(f"/fila/{busy(site.office)['mine']}#fim")
    page.get_by_label("Sua resposta").press_sequentially("/")
    expect(page.get_by_role("listbox")).to_be_visible()


def _templates(site: Site, page: Page) -> None:
    with site.office.db.writing() as session:
        tenant = session.get_one(Tenant, site.office.bela.tenant)
        tenant.template_contact = tenant.template_reminder = "HX" + "0" * 32
    page.goto(f"/fila/{busy(site.office)['shut']}#fim")


def _opted_out(site: Site, page: Page) -> None:
    with site.office.db.writing() as session:
        session.get_one(Tenant, site.office.bela.tenant).template_contact = "HX" + "0" * 32
    talk = busy(site.office)["shut"]
    with site.office.db.writing() as session:
        customer_id = session.get_one(Conversation, talk).customer_id
        session.get_one(Customer, customer_id).opted_out_at = site.office.clock()
    page.goto(f"/fila/{talk}#fim")
    expect(page.get_by_text("esta pessoa pediu para não receber mensagens")).to_be_visible()


def _closing(site: Site, page: Page) -> None:
    talk = busy(site.office)["maria"]
    with site.office.db.writing() as session:
        row = session.get_one(Conversation, talk)
        row.last_inbound_at = site.office.clock() - timedelta(hours=21)
    page.goto(f"/fila/{talk}")
    expect(page.get_by_text("A janela do WhatsApp fecha às 13:20")).to_be_visible()
    expect(page.get_by_role("status")).to_have_text("Janela do WhatsApp fecha às 13:20")


def _closing_rows(site: Site, page: Page) -> None:
    busy(site.office)
    with site.office.db.writing() as session:
        for row in session.exec(select(Conversation)):
            row.last_inbound_at = site.office.clock() - timedelta(hours=21)
    page.goto("/fila?aba=todas")
    expect(page.get_by_text("Janela fecha às 13:20")).to_have_count(5)


def _own(site: Site, page: Page) -> None:
    busy(site.office)
    page.goto("/fila?aba=minhas")
    expect(page.get_by_text("Última mensagem não entregue")).to_be_visible()


def _attached(site: Site, page: Page) -> None:
    talk = site.office.says("Olha a cor", kind="image", name="Maria", file=("image/png", PNG))
    site.office.says("", kind="audio", name="Maria", file=("audio/ogg", b"OggS" + bytes(60)))
    site.office.says("", kind="document", name="Maria", file=("application/pdf", b"%PDF-"))
    site.office.flags(talk)
    page.goto(f"/fila/{talk}#fim")
    expect(page.get_by_role("link", name="Baixar")).to_be_visible()


def _take_over(site: Site, page: Page) -> None:
    page.goto(f"/fila/{busy(site.office)['his']}/assumir-mesmo-assim")


def _trace(site: Site, page: Page) -> None:
    page.goto(f"/fila/{busy(site.office)['maria']}/execucao/1")


def _canned(site: Site, page: Page) -> None:
    prepared(site.office)
    page.goto("/respostas")
    page.locator("summary", has_text="/endereco").click()


def _canned_empty(site: Site, page: Page) -> None:
    page.goto("/respostas")
    page.get_by_label("Nome curto").fill("!!")
    page.get_by_label("Texto").fill("Aceitamos Pix.")
    page.get_by_role("button", name="Guardar").click()
    expect(page.get_by_role("alert")).to_be_visible()


def _team(site: Site, page: Page) -> None:
    page.goto("/equipe")
    page.get_by_text("Alterar Bruno Reis").click()


def _invited(site: Site, page: Page) -> None:
    page.goto("/equipe")
    page.get_by_label("Nome").fill("Nina Prado")
    page.get_by_label("E-mail").fill("nina@bela.test")
    page.get_by_role("button", name="Criar o convite").click()
    expect(page.get_by_label("Link")).to_be_visible()


def _door(site: Site, page: Page) -> None:
    with site.office.db.writing() as session:
        token = team_acts.invite(
            session,
            site.office.clock(),
            site.office.bela.tenant,
            site.office.ana,
            email="nina@bela.test",
            name="Nina Prado",
            role="attendant",
        )
    page.goto(f"/convite/{token}")


def _door_shut(site: Site, page: Page) -> None:
    page.goto("/convite/nada")


def _log(site: Site, page: Page) -> None:
    busy(site.office)
    page.goto("/registro")


def _account(site: Site, page: Page) -> None:
    page.goto("/conta")


def _forbidden(site: Site, page: Page) -> None:
    with site.office.db.writing() as session:
        session.get_one(Staff, site.office.ana).role = "attendant"
    page.goto("/equipe")


STATES: dict[str, State] = {
    "login": _login,
    "login refused": _refused,
    "login by link": _door,
    "login by an old link": _door_shut,
    "queue empty": _empty,
    "queue full": _full,
    "queue all": _all,
    "queue resolved": _resolved,
    "queue searched": _searched,
    "menu": _menu,
    "help": _help,
    "conversation": _conversation,
    "tool calls": _tools,
    "card": _card,
    "own conversation": _mine,
    "colleague's conversation": _his,
    "take over": _take_over,
    "note": _note,
    "more": _more,
    "asleep": _asleep,
    "ready answers": _ready,
    "window shut": _shut,
    "templates": _templates,
    "opted out": _opted_out,
    "window closing": _closing,
    "queue with windows closing": _closing_rows,
    "queue mine": _own,
    "attachments": _attached,
    "conflict": _conflict,
    "session ended": _lost,
    "form expired": _expired,
    "trace": _trace,
    "canned": _canned,
    "canned refused": _canned_empty,
    "team": _team,
    "invited": _invited,
    "log": _log,
    "account": _account,
    "agenda": _agenda,
    "missing": _missing,
    "forbidden": _forbidden,
}


@pytest.mark.parametrize("state", STATES)
@SIZES
def test_every_state_is_usable_by_everybody(site: Site, state: str, size: Any) -> None:
    """axe finds nothing, nothing sticks out to the side, the browser has nothing to complain about."""
    with site.office.db.writing() as session:
        session.get_one(Staff, site.office.ana).role = "owner"
    page = site.visit(None if state.startswith("login") else ANA, viewport=size)
    STATES[state](site, page)
    looks.check(page, state, size)


# Working


@pytest.mark.parametrize("javascript", [True, False], ids=["with JavaScript", "without"])
def test_take_answer_give_back(site: Site, javascript: bool) -> None:
    conversation_id = waiting(site.office, name="Maria")
    page = site.visit(java_script_enabled=javascript, viewport=PHONE)
    page.get_by_role("link", name="Maria").click()
    page.get_by_role("button", name="Assumir").click()
    expect(page.locator("#situation")).to_contain_text("Com você")
    page.get_by_label("Sua resposta").fill("Oi, Maria! Pode vir às 15h.")
    page.get_by_role("button", name="Enviar").click()
    expect(page.get_by_role("log")).to_contain_text("Oi, Maria! Pode vir às 15h.")
    expect(page.get_by_role("log")).to_contain_text("Na fila de envio")
    expect(page.get_by_label("Sua resposta")).to_have_value("")
    page.get_by_text("Devolver ao assistente").click()
    page.get_by_label("Recado para o assistente").fill("Combinado às 15h.")
    page.get_by_role("button", name="Devolver").click()
    expect(page.get_by_role("status")).to_contain_text("Conversa devolvida ao assistente.")
    assert site.office.row(conversation_id).holder == Holder.BOT
    texts = [line.text for line in site.office.lines(conversation_id)]
    assert texts[1] == "Oi, Maria! Pode vir às 15h."
    assert len(texts) == 3


def quickly(page: Page, path: str) -> Page:
    """Open the page with a clock that the test moves: polls come when it says so."""
    page.clock.install()
    page.goto(path)
    return page


def poll(page: Page) -> None:
    with page.expect_response(lambda answer: "/linhas" in answer.url):
        page.clock.run_for(5000)


def test_the_list_keeps_itself_current(site: Site) -> None:
    page = quickly(site.visit(), "/fila")
    expect(page.get_by_text("Ninguém esperando.")).to_be_visible()
    waiting(site.office, name="Maria")
    poll(page)
    expect(page.get_by_role("link", name="Maria")).to_be_visible()
    expect(page).to_have_title("(1) Fila · Hora Certa")
    page.get_by_role("link", name="Maria").focus()
    waiting(site.office, name="João", phone="+5511911112222")
    poll(page)
    expect(page.get_by_role("link", name="João")).to_be_visible()
    expect(page.get_by_role("link", name="Maria")).to_be_focused()


def test_draft_caret_and_focus_survive_everything_that_arrives(site: Site) -> None:
    conversation_id = waiting(site.office)
    page = quickly(site.visit(viewport=PHONE), f"/fila/{conversation_id}#fim")
    box = page.get_by_label("Sua resposta")
    box.type("Pode vir às 15h")
    box.evaluate("box => box.setSelectionRange(4, 4)")
    for number in range(5):
        site.office.says(f"mensagem {number}")
        poll(page)
        expect(page.get_by_role("log")).to_contain_text(f"mensagem {number}")
    expect(box).to_be_focused()
    assert box.input_value() == "Pode vir às 15h"
    assert box.evaluate("box => box.selectionStart") == 4
    page.reload()
    assert page.get_by_label("Sua resposta").input_value() == "Pode vir às 15h"


def test_delivery_moves_on_in_place(site: Site) -> None:
    conversation_id = waiting(site.office)
    site.office.answers(conversation_id, "Oi!", status=Status.SENT)
    page = quickly(site.visit(), f"/fila/{conversation_id}#fim")
    expect(page.get_by_role("log")).to_contain_text("Enviado")
    with site.office.db.writing() as session:
        line = site.office.lines(conversation_id)[-1]
        session.merge(line).status = Status.READ
    poll(page)
    expect(page.get_by_role("log")).to_contain_text("Lido")
    expect(page.get_by_text("Oi!", exact=True)).to_have_count(1)


def test_what_came_meanwhile_stops_the_reply_and_the_draft_stays(site: Site) -> None:
    conversation_id = waiting(site.office, name="Maria")
    page = quickly(site.visit(), f"/fila/{conversation_id}#fim")
    box = page.get_by_label("Sua resposta")
    box.fill("Pode vir às 15h")
    site.office.says("Mudei de ideia", name="Maria")
    page.get_by_role("button", name="Enviar").click()
    expect(page.get_by_role("alert")).to_contain_text("Maria escreveu enquanto você escrevia.")
    expect(page.get_by_role("alert")).to_be_focused()
    expect(page.get_by_role("log")).to_contain_text("Mudei de ideia")
    assert box.input_value() == "Pode vir às 15h"
    page.get_by_role("button", name="Enviar").click()
    expect(page.get_by_role("log")).to_contain_text("Pode vir às 15h")
    expect(page.get_by_role("alert")).to_have_count(0)
    assert [line.text for line in site.office.lines(conversation_id)][1:] == [
        "Mudei de ideia",
        "Pode vir às 15h",
    ]


def test_two_people_one_conversation(site: Site) -> None:
    """Ana's open page learns by itself that Bruno took it; what she wrote is not lost."""
    conversation_id = waiting(site.office)
    ana = quickly(site.visit(), f"/fila/{conversation_id}#fim")
    ana.get_by_label("Sua resposta").fill("Oi, aqui é a Ana")
    bruno = site.visit(BRUNO)
    bruno.goto(f"/fila/{conversation_id}")
    bruno.get_by_role("button", name="Assumir").click()
    expect(bruno.locator("#situation")).to_contain_text("Com você")
    poll(ana)
    expect(ana.get_by_role("status")).to_contain_text("Com Bruno Reis. Só quem assumiu responde por aqui.")
    expect(ana.get_by_label("Seu texto não foi enviado")).to_have_value("Oi, aqui é a Ana")
    expect(ana.get_by_label("Seu texto não foi enviado")).to_be_focused()
    site.office.snoozes(conversation_id, site.office.bruno)
    poll(ana)
    expect(ana.locator("#situation")).to_contain_text("Adiada até")
    expect(ana.get_by_label("Seu texto não foi enviado")).to_have_value("Oi, aqui é a Ana")
    expect(ana.get_by_label("Seu texto não foi enviado")).to_be_focused()
    bruno.get_by_text("Devolver ao assistente").click()
    bruno.get_by_role("button", name="Devolver").click()
    bruno.wait_for_url("**/fila")
    poll(ana)
    expect(ana.get_by_label("Sua resposta")).to_have_value("Oi, aqui é a Ana")
    expect(ana.get_by_label("Sua resposta")).to_be_focused()


@pytest.mark.parametrize(
    ("at", "then"),
    [
        ("#text", "#standing .notice"),  # nothing typed: the words that say who has it
        ("#resolve", "#standing .notice"),
        ("#remark", "#remark"),
        ("#q", "#q"),  # whoever is elsewhere is left there
    ],
)
def test_who_loses_the_conversation_keeps_a_place(site: Site, at: str, then: str) -> None:
    talk = waiting(site.office)
    page = quickly(site.visit(viewport=PHONE), f"/fila/{talk}#fim")
    page.evaluate("document.querySelector('.head').insertAdjacentHTML('beforeend', '<input id=q>')")
    if at == "#remark":
        page.locator("#note-open").click()
        page.get_by_label("Nota interna").fill("Liga depois")
        page.get_by_label("Nota interna").evaluate("box => box.setSelectionRange(4, 4)")
    page.locator(at).focus()
    site.office.takes(talk, site.office.bruno)
    poll(page)
    expect(page.get_by_role("status")).to_contain_text("Com Bruno Reis.")
    expect(page.locator(then)).to_be_focused()
    if at == "#remark":
        expect(page.get_by_label("Nota interna")).to_have_value("Liga depois")
        assert page.get_by_label("Nota interna").evaluate("box => box.selectionStart") == 4


def test_a_window_about_to_shut_is_told_where_one_writes(site: Site) -> None:
    """It comes while somebody writes, and moves neither the words nor the caret; when it shuts, they stay."""
    talk = waiting(site.office)
    page = quickly(site.visit(viewport=PHONE), f"/fila/{talk}#fim")
    box = page.get_by_label("Sua resposta")
    box.type("Pode vir às 15h")
    box.evaluate("box => box.setSelectionRange(4, 4)")
    with site.office.db.writing() as session:
        session.get_one(Conversation, talk).last_inbound_at = site.office.clock() - timedelta(hours=21)
    poll(page)
    expect(page.get_by_role("status")).to_have_text("Janela do WhatsApp fecha às 13:20")
    expect(box).to_be_focused()
    assert box.evaluate("box => box.selectionStart") == 4
    with site.office.db.writing() as session:
        session.get_one(Conversation, talk).last_inbound_at = site.office.clock() - WINDOW
    poll(page)
    expect(page.get_by_role("status")).to_be_empty()
    expect(page.get_by_label("Seu texto não foi enviado")).to_be_focused()
    expect(page.get_by_label("Seu texto não foi enviado")).to_have_value("Pode vir às 15h")


@pytest.mark.parametrize(
    ("status", "words"), [(500, "Algo deu errado"), (403, "Sem acesso"), (413, "Texto grande demais")]
)
def test_a_send_that_fails_says_so_and_keeps_the_draft(site: Site, status: int, words: str) -> None:
    talk = waiting(site.office)
    page = site.visit()
    page.goto(f"/fila/{talk}#fim")
    page.get_by_label("Sua resposta").fill("Oi!")
    body = f"<!doctype html><title>x</title><h1>{words}</h1>"
    page.route("**/responder", lambda route: route.fulfill(status=status, body=body), times=1)
    page.get_by_role("button", name="Enviar").click()
    expect(page.get_by_role("alert")).to_contain_text(words)
    expect(page.get_by_label("Sua resposta")).to_have_value("Oi!")
    page.get_by_role("button", name="Enviar").click()
    expect(page.get_by_role("log")).to_contain_text("Oi!")
    assert len(site.office.lines(talk)) == 2


def test_one_click_too_many_sends_once(site: Site) -> None:
    conversation_id = waiting(site.office)
    page = site.visit()
    page.goto(f"/fila/{conversation_id}#fim")
    page.get_by_label("Sua resposta").fill("Oi!")
    page.get_by_role("button", name="Enviar").dblclick()
    expect(page.get_by_role("log")).to_contain_text("Oi!")
    expect(page.get_by_label("Sua resposta")).to_have_value("")
    assert len(site.office.lines(conversation_id)) == 2


def test_without_network_the_draft_stays_and_the_same_text_goes_once(site: Site) -> None:
    """The answer to a send is lost: the second try carries the same key."""
    conversation_id = waiting(site.office)
    page = site.visit()
    page.goto(f"/fila/{conversation_id}#fim")
    page.get_by_label("Sua resposta").fill("Oi!")

    def lose(route: Any) -> None:
        route.fetch()
        route.abort()

    page.route("**/responder", lose, times=1)
    page.get_by_role("button", name="Enviar").click()
    expect(page.get_by_role("alert")).to_contain_text("Sem conexão")
    assert page.get_by_label("Sua resposta").input_value() == "Oi!"
    page.get_by_role("button", name="Enviar").click()
    expect(page.get_by_label("Sua resposta")).to_have_value("")
    assert len(site.office.lines(conversation_id)) == 2


def test_enter_sends_at_a_desk(site: Site) -> None:
    conversation_id = waiting(site.office)
    page = site.visit()
    page.goto(f"/fila/{conversation_id}#fim")
    box = page.get_by_label("Sua resposta")
    box.press_sequentially("Oi")
    box.press("Shift+Enter")
    box.press_sequentially("tudo bem?")
    box.press("Enter")
    expect(page.get_by_role("log")).to_contain_text("tudo bem?")
    assert site.office.lines(conversation_id)[-1].text == "Oi\ntudo bem?"
    expect(box).to_be_focused()


def test_enter_breaks_the_line_on_a_phone(site: Site) -> None:
    conversation_id = waiting(site.office)
    page = site.visit(viewport=PHONE, has_touch=True, is_mobile=True)
    page.goto(f"/fila/{conversation_id}#fim")
    box = page.get_by_label("Sua resposta")
    box.press_sequentially("Oi")
    box.press("Enter")
    assert box.input_value() == "Oi\n"
    assert len(site.office.lines(conversation_id)) == 1


def test_a_reader_far_up_is_not_moved(site: Site) -> None:
    conversation_id = waiting(site.office)
    for number in range(40):
        site.office.answers(conversation_id, f"linha {number}")
    page = quickly(site.visit(viewport=PHONE), f"/fila/{conversation_id}")
    page.evaluate("scrollTo(0, 300)")
    before = page.locator("[data-seq='5']").bounding_box()
    site.office.says("novidade")
    poll(page)
    expect(page.get_by_role("button", name="Nova mensagem")).to_be_visible()
    after = page.locator("[data-seq='5']").bounding_box()
    assert before
    assert after
    assert abs(before["y"] - after["y"]) <= 2
    assert site.office.row(conversation_id).unread == 2, "nobody has seen it"
    with page.expect_response("**/lida"):
        page.get_by_role("button", name="Nova mensagem").click()
    assert site.office.row(conversation_id).unread == 0


def test_a_hidden_tab_asks_for_nothing_but_whether_somebody_waits(site: Site) -> None:
    conversation_id = waiting(site.office)
    page = quickly(site.visit(), f"/fila/{conversation_id}#fim")
    poll(page)
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    hide = "Object.defineProperty(document, 'hidden', {configurable: true, get: () => %s});" \
        "document.dispatchEvent(new Event('visibilitychange'))"  # fmt: skip
    page.evaluate(hide % "true")
    page.clock.run_for(60_000)
    page.wait_for_timeout(200)
    assert {url.removeprefix(site.url) for url in asked} <= {"/fila/pulso"}
    with page.expect_response(lambda answer: "/linhas" in answer.url):
        page.evaluate(hide % "false")


def enter(page: Page, email: str = ANA) -> None:
    page.get_by_label("E-mail").fill(email)
    page.get_by_label("Senha").fill(PASSWORD)
    page.get_by_role("button", name="Entrar").click()


def test_an_ended_session_is_told_with_the_way_back(site: Site) -> None:
    """From the poll and from a try to send: the same page, and what was typed, after the login."""
    conversation_id = waiting(site.office)
    page = quickly(site.visit(viewport=PHONE), f"/fila/{conversation_id}#fim")
    alert, again = page.get_by_role("alert"), page.get_by_role("alert").get_by_role("link")
    site.office.clock.forward(hours=13)
    poll(page)
    expect(alert).to_have_text("Sua sessão terminou. Entrar de novo")
    page.get_by_label("Sua resposta").fill("Pode vir às 15h")
    page.get_by_role("button", name="Enviar").click()
    kept = "O que você escreveu continua guardado nesta aba."
    expect(alert).to_have_text(f"Sua sessão terminou ou mudou em outra aba. {kept} Entrar de novo")
    assert again.get_attribute("href") == f"/entrar?next=/fila/{conversation_id}"
    page.reload()
    page.goto(f"/entrar?next=/fila/{conversation_id}%23fim")
    enter(page)
    page.wait_for_url(f"**/fila/{conversation_id}#fim")
    expect(page.get_by_label("Sua resposta")).to_have_value("Pode vir às 15h")
    site.office.clock.forward(hours=13)
    poll(page)
    expect(alert).to_have_text(f"Sua sessão terminou. {kept} Entrar de novo")
    site.office.says("Ainda está aí?")  # within WhatsApp's window again
    again.click()
    enter(page)
    page.wait_for_url(f"**/fila/{conversation_id}#fim")
    page.get_by_role("button", name="Enviar").click()
    expect(page.get_by_role("log")).to_contain_text("Pode vir às 15h")


def test_a_note_and_a_word_to_the_assistant_outlive_a_session(site: Site) -> None:
    conversation_id = waiting(site.office)
    page = quickly(site.visit(viewport=PHONE), f"/fila/{conversation_id}")
    page.locator("#note-open").click()
    page.get_by_label("Nota interna").fill("Prefere a Ana")
    page.get_by_text("Devolver", exact=False).first.click()
    page.get_by_label("Recado para o assistente").fill("Já combinamos sexta")
    site.office.clock.forward(hours=13)
    poll(page)
    page.get_by_role("link", name="Entrar de novo").click()
    enter(page)
    page.wait_for_url(f"**/fila/{conversation_id}")
    note, word = page.locator("#remark"), page.locator("#note")
    expect(note).to_have_value("Prefere a Ana")
    expect(word).to_have_value("Já combinamos sexta")
    if not note.is_visible():
        page.locator("#note-open").click()
    page.get_by_role("button", name="Guardar nota").click()
    expect(page.get_by_role("log")).to_contain_text("Prefere a Ana")
    expect(note).to_have_value("")
    expect(word).to_have_value("Já combinamos sexta")


def test_a_note_that_came_too_late_is_no_lost_one(site: Site) -> None:
    conversation_id = waiting(site.office)
    page = quickly(site.visit(), f"/fila/{conversation_id}")
    page.locator("#note-open").click()
    page.get_by_label("Nota interna").fill("Prefere a Ana")
    site.office.clock.forward(hours=13)
    page.get_by_role("button", name="Guardar nota").click()
    expect(page.get_by_role("alert")).to_contain_text("O que você escreveu continua guardado nesta aba.")
    page.get_by_role("link", name="Entrar de novo").click()
    enter(page)
    page.wait_for_url(f"**/fila/{conversation_id}")
    page.get_by_role("button", name="Guardar nota").click()
    expect(page.get_by_role("log")).to_contain_text("Prefere a Ana")
    page.reload()
    expect(page.locator("#remark")).to_have_value("")
    page.get_by_text("Devolver", exact=False).first.click()
    page.get_by_label("Recado para o assistente").fill("Pode seguir")
    page.locator("form[action$='/devolver']").get_by_role("button").click()
    expect(page.get_by_role("status")).to_have_text("Conversa devolvida ao assistente.")
    assert page.evaluate("sessionStorage.length") == 0


def test_no_name_of_an_answer_goes_to_a_customer(site: Site) -> None:
    office = site.office
    with office.db.writing() as session:
        place = (session, office.clock(), office.bela.tenant, office.ana)
        canned_reply.save(*place, name="endereco", text="Rua Augusta, 1000")
    page = site.visit()
    page.goto(f"/fila/{waiting(office)}")
    reply = page.get_by_label("Sua resposta")
    hint = page.get_by_text("Nenhuma resposta pronta começa assim.")
    reply.press_sequentially("/zzz")
    expect(hint).to_be_visible()
    reply.press("Enter")
    expect(reply).to_have_value("/zzz")
    reply.press("Escape")
    expect(hint).to_be_hidden()
    reply.fill("")
    reply.press_sequentially("/endereç")
    reply.press("Enter")
    expect(reply).to_have_value("Rua Augusta, 1000")


def test_a_slash_without_ready_answers_leads_to_them(site: Site) -> None:
    page = site.visit(viewport=PHONE)
    page.goto(f"/fila/{waiting(site.office)}")
    page.get_by_label("Sua resposta").press_sequentially("/")
    hint = page.get_by_text("A equipe ainda não tem respostas prontas.")
    expect(hint).to_be_visible()
    page.get_by_label("Sua resposta").press_sequentially("2 ")
    expect(hint).to_be_hidden()
    page.get_by_label("Sua resposta").fill("/")
    page.get_by_role("link", name="Criar a primeira").click()
    page.wait_for_url("**/respostas")


def test_the_list_of_an_ended_session_leads_back_too(site: Site) -> None:
    page = quickly(site.visit(), "/fila?aba=todas")
    site.office.clock.forward(hours=13)
    poll(page)
    expect(page.get_by_role("alert")).to_have_text("Sua sessão terminou. Entrar de novo")
    page.get_by_role("link", name="Entrar de novo").click()
    enter(page)
    page.wait_for_url("**/fila?aba=todas")


def test_a_login_in_another_tab_needs_no_third(site: Site) -> None:
    conversation_id = waiting(site.office)
    page = site.visit()
    page.goto(f"/fila/{conversation_id}#fim")
    page.get_by_label("Sua resposta").fill("Pode vir às 15h")
    other = site.complaints.listen(page.context.new_page())
    other.goto("/fila")
    other.locator("details.menu summary").click()
    other.get_by_role("button", name="Sair").click()
    enter(other)
    other.wait_for_url("**/fila")
    page.get_by_role("button", name="Enviar").click()
    expect(page.get_by_role("alert")).to_have_text(
        "A página perdeu a validade. O que você escreveu continua guardado nesta aba. Abrir de novo"
    )
    page.get_by_role("link", name="Abrir de novo").click()
    page.wait_for_url(f"**/fila/{conversation_id}")
    expect(page.get_by_label("Sua resposta")).to_have_value("Pode vir às 15h")
    page.get_by_role("button", name="Enviar").click()
    expect(page.get_by_role("log")).to_contain_text("Pode vir às 15h")


def test_a_colleague_who_logs_in_after_it_finds_no_draft(site: Site) -> None:
    conversation_id = waiting(site.office)
    page = quickly(site.visit(), f"/fila/{conversation_id}#fim")
    page.get_by_label("Sua resposta").fill("segredo da Ana")
    site.office.clock.forward(hours=13)
    poll(page)
    page.get_by_role("link", name="Entrar de novo").click()
    enter(page, BRUNO)
    page.wait_for_url(f"**/fila/{conversation_id}#fim")
    expect(page.get_by_label("Sua resposta")).to_have_value("")


# What strangers can write

NASTY = [
    XSS,
    "<svg/onload=window.__xss=1>",
    '"><script>window.__xss=1</script>',
    "' autofocus onfocus='window.__xss=1",
    "{{7*7}}{% raw %}",
    "</textarea><script>window.__xss=1</script>",
    "</title><script>window.__xss=1</script>",
    "javascript:window.__xss=1",
    '<b hx-get="/sair" hx-trigger="load">x</b>',
    "<form action=//evil><button>x</button></form>",
    "&lt;script&gt;window.__xss=1&lt;/script&gt;",
    "\u202edlo\u200b" + "\u0301" * 50,
    "*a* _b_ ~c~ https://evil.test/?<script>",
    "semespaço" * 40,
]


@dataclass(frozen=True)
class Nasty:
    """A talk with a stranger, whose name, number and texts they are, and its run."""

    text: str
    phone: str
    talk: int
    run: int


def infested(office: Office, number: int, nasty: str) -> Nasty:
    """The text in every place that a customer, the model, a colleague or an owner can write to."""
    phone = f"+55119555500{number:02}"
    with office.db.writing() as session:
        colleague = hire(session, office.clock(), office.bela.tenant, f"{number}@bela.test", nasty[:120])
        place = (session, office.clock(), office.bela.tenant, office.ana)
        canned_reply.save(*place, name=f"pix-{number}", text=nasty)
    conversation_id = office.says(nasty, name=nasty, phone=phone)
    run_id = office.works(conversation_id, result(nasty[:60], {nasty: nasty}, nasty, error_class="bug"))
    office.answers(conversation_id, nasty, run_id=run_id)
    office.flags(conversation_id, detail=nasty)
    office.books(conversation_id, starts_in=timedelta(hours=1 + number))
    with office.db.writing() as session:
        place = (session, office.clock(), office.bela.tenant, conversation_id, colleague)
        conversation_acts.note(*place, text=nasty, client_key="n")
        conversation_acts.take(*place)
    return Nasty(nasty, phone, conversation_id, run_id)


def rename(office: Office, nasty: str) -> None:
    """What stands at the head of every page."""
    with office.db.writing() as session:
        session.get_one(Tenant, office.bela.tenant).name = nasty[:60]


def harmless(page: Page, path: str) -> None:
    page.goto(path)
    assert page.evaluate("window.__xss") is None, path
    assert page.url.endswith(path)
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"], path


@pytest.mark.parametrize("part", [0, 1])
def test_nothing_that_strangers_write_runs(site: Site, part: int) -> None:
    """In every place at once; also what comes by polling and what is given back after a conflict."""
    office = site.office
    with office.db.writing() as session:
        session.get_one(Staff, office.ana).role = "owner"
    strangers = [infested(office, number, nasty) for number, nasty in enumerate(NASTY[part::2])]
    page = site.visit(viewport=PHONE)
    for path in ("/fila", "/fila?aba=todas", "/agenda", "/respostas", "/equipe", "/registro", "/conta"):
        harmless(page, path)
    page.clock.install()
    for each in strangers:
        rename(office, each.text)
        _in_one_talk(office, page, each)


def _in_one_talk(office: Office, page: Page, stranger: Nasty) -> None:
    talk, nasty = stranger.talk, stranger.text
    for path in (f"/fila?q={quote(nasty[:60])}", f"/fila/{talk}/assumir-mesmo-assim",
                 f"/fila/{talk}/execucao/{stranger.run}"):  # fmt: skip
        harmless(page, path)
    page.goto(f"/fila/{talk}#fim")
    office.says(nasty, name=nasty, phone=stranger.phone)
    poll(page)
    expect(page.locator(".line.in .text")).to_have_count(2)
    assert page.locator(".line.in .text").all_inner_texts() == [unmarked(nasty)] * 2
    with office.db.writing() as session:
        holder = office.row(talk).assignee_id
        conversation_acts.release(session, office.clock(), office.bela.tenant, talk, holder or 0)
    poll(page)
    page.get_by_label("Sua resposta").fill(nasty)
    office.takes(talk, office.bruno)
    page.get_by_role("button", name="Enviar").click()
    expect(page.get_by_role("alert")).to_be_visible()
    expect(page.get_by_label("Seu texto não foi enviado")).to_have_value(sanitise.text(nasty, 5000))
    assert page.evaluate("window.__xss") is None
    assert page.locator("a[href^='javascript:'], a[href*='evil'], form[action*='evil']").count() == 0


def unmarked(text: str) -> str:
    """As it is read: WhatsApp's marks are gone into bold and the like."""
    return whatsapp_html.shown(text).striptags()


# Every act, with and without JavaScript


BOTH = pytest.mark.parametrize("javascript", [True, False], ids=["with JavaScript", "without"])


def more(page: Page) -> None:
    page.get_by_text("Mais", exact=True).click()


@BOTH
@SIZES
def test_put_aside_taken_up_passed_on_and_ended(site: Site, javascript: bool, size: Any) -> None:
    talk = waiting(site.office, name="Maria")
    page = site.visit(java_script_enabled=javascript, viewport=size)
    page.goto(f"/fila/{talk}#fim")
    more(page)
    page.get_by_label("Por quanto tempo?").select_option("2h")
    page.get_by_role("button", name="Adiar a conversa").click()
    expect(page.get_by_role("status")).to_contain_text("Conversa adiada até 12:20.")
    expect(page.get_by_role("link", name="Maria")).to_contain_text("Adiada até 12:20")
    page.get_by_role("link", name="Maria").click()
    more(page)
    page.get_by_role("button", name="Retomar agora").click()
    expect(page.get_by_text("Ana Souza retomou a conversa")).to_be_visible()
    page.locator("#note-open").click()
    page.get_by_label("Nota interna").fill("Prefere de manhã.")
    page.get_by_role("button", name="Guardar nota").click()
    expect(page.get_by_role("log")).to_contain_text("Prefere de manhã.")
    more(page)
    page.get_by_label("Passar para").select_option("Bruno Reis")
    page.get_by_role("button", name="Passar a conversa").click()
    expect(page.get_by_role("status")).to_contain_text("Conversa passada para Bruno Reis.")
    assert site.office.row(talk).assignee_id == site.office.bruno
    bruno = site.visit(BRUNO, java_script_enabled=javascript, viewport=size)
    bruno.goto("/fila?aba=minhas")
    bruno.get_by_role("link", name="Maria").click()
    bruno.get_by_role("button", name="Encerrar").click()
    expect(bruno.get_by_role("status")).to_contain_text("Atendimento encerrado.")
    bruno.get_by_role("link", name="Encerradas 1").click()
    expect(bruno.get_by_role("link", name="Maria")).to_be_visible()
    assert site.office.row(talk).holder == Holder.BOT
    assert [line.text for line in site.office.lines(talk) if line.status != Status.NOTE] == [
        "Posso falar com alguém?"
    ], "nothing of it was said to the customer"


@BOTH
def test_let_go_for_everybody(site: Site, javascript: bool) -> None:
    talk = waiting(site.office, name="Maria")
    site.office.takes(talk, site.office.ana)
    page = site.visit(java_script_enabled=javascript, viewport=PHONE)
    page.goto(f"/fila/{talk}#fim")
    more(page)
    page.get_by_role("button", name="Soltar a conversa").click()
    expect(page.get_by_role("status")).to_contain_text("Conversa de volta na fila.")
    expect(page.get_by_role("link", name="Aguardando 1")).to_be_visible()


def test_two_press_take_at_once(site: Site) -> None:
    """Both pages show the button; who is later reads who was faster, and where."""
    talk = waiting(site.office)
    ana, bruno = site.visit(), site.visit(BRUNO, viewport=PHONE)
    for page in (ana, bruno):
        quickly(page, f"/fila/{talk}#fim")
    bruno.get_by_role("button", name="Assumir").click()
    expect(bruno.locator("#situation")).to_contain_text("Com você")
    ana.get_by_role("button", name="Assumir").click()
    expect(ana.get_by_role("alert")).to_contain_text("Bruno Reis já assumiu esta conversa.")
    expect(ana.get_by_role("alert")).to_be_focused()
    assert site.office.row(talk).assignee_id == site.office.bruno


def test_taken_over_from_under_a_draft(site: Site) -> None:
    """The colleague's page learns it, keeps the text, and the thread says who did it."""
    talk = waiting(site.office, name="Maria")
    site.office.takes(talk, site.office.bruno)
    bruno = quickly(site.visit(BRUNO), f"/fila/{talk}#fim")
    bruno.get_by_label("Sua resposta").fill("Já te digo")
    ana = site.visit(viewport=PHONE)
    ana.goto(f"/fila/{talk}#fim")
    ana.get_by_role("link", name="Assumir mesmo assim").click()
    expect(ana.get_by_role("heading", name="Assumir mesmo assim?")).to_be_visible()
    ana.get_by_role("button", name="Assumir a conversa").click()
    expect(ana.locator("#situation")).to_contain_text("Com você")
    bruno.get_by_role("button", name="Enviar").click()
    expect(bruno.get_by_role("alert")).to_contain_text("Ana Souza já assumiu esta conversa.")
    expect(bruno.get_by_label("Seu texto não foi enviado")).to_have_value("Já te digo")
    expect(bruno.get_by_role("log")).to_contain_text("Ana Souza assumiu no lugar de Bruno Reis")
    assert len(site.office.lines(talk)) == 1


@BOTH
def test_search_and_filters_stand_in_the_address(site: Site, javascript: bool) -> None:
    busy(site.office)
    page = site.visit(java_script_enabled=javascript)
    page.get_by_label("Buscar por nome, telefone ou texto").fill("98888")
    page.get_by_role("button", name="Buscar").click()
    assert "q=98888" in page.url
    expect(page.locator(".row")).to_have_count(1)
    expect(page.get_by_role("link", name="João Pedro")).to_be_visible()
    page.reload()
    expect(page.locator(".row")).to_have_count(1)
    page.get_by_role("link", name="Limpar").click()
    page.goto("/fila?aba=todas")
    page.get_by_text("Filtrar").click()
    page.get_by_label("Pessoa").select_option("Bruno Reis")
    page.get_by_role("button", name="Aplicar").click()
    expect(page.locator(".row")).to_have_count(1)
    expect(page.get_by_role("link", name="Zilda")).to_be_visible()


@BOTH
def test_a_template_where_the_window_is_shut(site: Site, javascript: bool) -> None:
    with site.office.db.writing() as session:
        session.get_one(Tenant, site.office.bela.tenant).template_contact = "HX" + "0" * 32
    talk = busy(site.office)["shut"]
    page = site.visit(java_script_enabled=javascript, viewport=PHONE)
    page.goto(f"/fila/{talk}#fim")
    expect(page.get_by_label("Sua resposta")).to_have_count(0)
    page.get_by_role("button", name="Enviar modelo").click()
    expect(page.get_by_role("log")).to_contain_text("Podemos continuar por aqui?")
    assert site.office.lines(talk)[-1].content_sid == "HX" + "0" * 32


def test_the_window_shuts_while_somebody_writes(site: Site) -> None:
    """Refused by the server too, though the page did not know yet; what was written stays."""
    talk = waiting(site.office)
    page = quickly(site.visit(), f"/fila/{talk}#fim")
    page.get_by_label("Sua resposta").fill("Pode vir às 15h")
    with site.office.db.writing() as session:
        session.get_one(Conversation, talk).last_inbound_at = site.office.clock() - WINDOW
    page.get_by_role("button", name="Enviar").click()
    expect(page.get_by_role("alert")).to_contain_text("O WhatsApp só aceita um modelo aprovado")
    expect(page.get_by_label("Seu texto não foi enviado")).to_have_value("Pode vir às 15h")
    assert len(site.office.lines(talk)) == 1


def test_a_slash_offers_the_ready_answers(site: Site) -> None:
    """By keyboard alone: chosen with Enter, which does not send; what is typed on narrows the list."""
    prepared(site.office)
    talk = busy(site.office)["mine"]
    page = site.visit()
    page.goto(f"/fila/{talk}#fim")
    box = page.get_by_label("Sua resposta")
    before = len(site.office.lines(talk))
    box.press_sequentially("Bom dia! /")
    options = page.get_by_role("listbox", name="Respostas prontas").get_by_role("option")
    expect(options).to_have_count(2)
    box.press("ArrowDown")
    expect(options.filter(has_text="/pix")).to_have_attribute("aria-selected", "true")
    box.press_sequentially("en")
    expect(options).to_have_count(1)
    box.press("Enter")
    expect(box).to_have_value("Bom dia! Oi, Karina! Ficamos na Rua Augusta, 1000.")
    expect(page.get_by_role("listbox")).to_be_hidden()
    box.press_sequentially(" /p")
    box.press("Escape")
    expect(page.get_by_role("listbox")).to_be_hidden()
    assert len(site.office.lines(talk)) == before


def test_older_messages_come_in_above_and_nothing_jumps(site: Site) -> None:
    talk = waiting(site.office)
    for number in range(150):
        site.office.answers(talk, f"linha {number}")
    page = quickly(site.visit(viewport=PHONE), f"/fila/{talk}")
    page.evaluate("scrollTo(0, 0)")
    line = page.locator("[data-seq='52']")
    expect(page.locator("[data-seq='51']")).to_have_count(0)
    before = line.bounding_box()
    page.get_by_role("link", name="Ver mensagens anteriores").click()
    expect(page.locator("[data-seq='2']")).to_have_count(1)
    after = line.bounding_box()
    assert before
    assert after
    assert abs(before["y"] - after["y"]) <= 2
    expect(page.get_by_role("link", name="Ver mensagens anteriores")).to_have_count(0)


def test_from_the_conversation_to_the_agenda(site: Site) -> None:
    talk = busy(site.office)["maria"]
    page = site.visit(viewport=PHONE)
    page.goto(f"/fila/{talk}")
    page.get_by_role("link", name="amanhã").click()
    expect(page.get_by_role("heading", name="Maria Aparecida")).to_be_visible()
    expect(page.get_by_role("link", name="Remarcar")).to_be_visible()
    expect(page.get_by_role("link", name="Cancelar horário")).to_be_visible()
    page.go_back()
    page.get_by_role("link", name="Marcar horário").click()
    expect(page.get_by_text("Maria Aparecida").first).to_be_visible()


def test_a_picture_is_looked_at_in_a_tab_of_its_own(site: Site) -> None:
    """In its sandbox, and what only calls itself a picture is saved, and never opened."""
    talk = site.office.says("Olha", kind="image", name="Maria", file=("image/png", PNG))
    script = b"<svg xmlns='http://www.w3.org/2000/svg' onload='alert(1)'/>"
    site.office.says("", kind="image", name="Maria", file=("image/png", script))
    page = site.visit()
    page.goto(f"/fila/{talk}")
    with page.context.expect_page() as opened:
        page.get_by_role("link", name="Ver").first.click()
    tab = site.complaints.listen(opened.value)
    tab.wait_for_load_state()
    assert tab.evaluate("document.images[0].naturalWidth") == 1
    link = page.get_by_role("link", name="Ver").last
    link.evaluate("it => it.removeAttribute('target')")  # a tab that only saves something shuts at once
    with page.expect_download() as saved:
        link.click()
    assert saved.value.suggested_filename == "anexo-2-1.bin"


# Keys


def test_single_keys_work_where_nobody_types_and_can_be_switched_off(site: Site) -> None:
    prepared(site.office)
    waiting(site.office, name="Maria")
    waiting(site.office, name="João", phone="+5511911112222")
    page = site.visit()
    press = page.keyboard.press
    press("j")
    expect(page.get_by_role("link", name="Maria")).to_be_focused()
    press("j")
    expect(page.get_by_role("link", name="João")).to_be_focused()
    press("k")
    press("/")
    expect(page.get_by_label("Buscar por nome, telefone ou texto")).to_be_focused()
    page.keyboard.type("jkrn?")
    expect(page.get_by_label("Buscar por nome, telefone ou texto")).to_have_value("jkrn?")
    page.get_by_label("Buscar por nome, telefone ou texto").blur()
    press("?")
    expect(page.get_by_role("dialog")).to_be_visible()
    expect(page.get_by_role("button", name="Fechar")).to_be_focused()
    press("Escape")
    expect(page.get_by_role("dialog")).to_be_hidden()
    page.get_by_role("link", name="Maria").click()
    page.wait_for_url("**/fila/*#fim")
    press("n")
    expect(page.get_by_label("Nota interna")).to_be_focused()
    page.locator("#note-open").click()
    page.locator("#note-open").blur()
    press("r")
    expect(page.get_by_label("Sua resposta")).to_be_focused()
    page.get_by_label("Sua resposta").blur()
    press("u")
    page.wait_for_url("**/fila")
    page.goto("/conta")
    page.get_by_label("Atalhos do teclado de uma só letra").uncheck()
    page.get_by_role("button", name="Guardar").first.click()
    page.goto("/fila")
    press("/")
    expect(page.get_by_label("Buscar por nome, telefone ou texto")).not_to_be_focused()


# Alerts


SPY = """
  window.heard = 0; window.shown = [];
  HTMLMediaElement.prototype.play = function () { window.heard++; return window.mute ? Promise.reject(new Error()) : Promise.resolve(); };
  window.Notification = class { constructor(title, more) { window.shown.push(`${title}|${more.body}`); } };
  Notification.permission = "granted";
  Notification.requestPermission = async () => "granted";
"""  # noqa: E501
HIDE = (
    "Object.defineProperty(document, 'hidden', {configurable: true, get: () => %s});"
    "document.dispatchEvent(new Event('visibilitychange'))"
)


def spied(site: Site, path: str = "/fila") -> Page:
    """A page whose sounds and notices are counted, with a first look at the pulse behind it."""
    page = site.visit()
    page.add_init_script(SPY)
    page.clock.install()
    with page.expect_response("**/pulso"):
        page.goto(path)
    return page


def pulse(page: Page) -> None:
    with page.expect_response("**/pulso"):
        page.clock.run_for(21_000)
    page.evaluate("new Promise(done => done())")


def soon(page: Page, expression: str, wanted: object) -> None:
    """The page's clock stands still: its promises are waited for by ours."""
    for _ in range(60):
        found = page.evaluate(expression)
        if found == wanted:
            return
        page.wait_for_timeout(50)
    assert found == wanted


def arrives(site: Site, **more: str) -> None:
    waiting(site.office, **more)
    site.office.clock.forward(seconds=4)


def test_sound_only_after_a_click_and_the_title_always(site: Site) -> None:
    page = spied(site)
    arrives(site, name="Maria")
    pulse(page)
    expect(page).to_have_title(re.compile(r"^\(1\) "))
    assert page.evaluate("[heard, shown]") == [0, []], "nobody asked for it"
    page.get_by_role("button", name="Ativar som").click()
    expect(page.get_by_role("button", name="Som ativado")).to_have_attribute("aria-pressed", "true")
    soon(page, "heard", 1)  # one hears at once what it will sound like
    arrives(site, name="João", phone="+5511911112222")
    pulse(page)
    expect(page).to_have_title(re.compile(r"^\(2\) "))
    soon(page, "heard", 2)
    pulse(page)
    assert page.evaluate("heard") == 2, "nothing new, nothing heard"
    page.get_by_role("button", name="Som ativado").click()
    expect(page.get_by_role("button", name="Ativar som")).to_have_attribute("aria-pressed", "false")


def test_a_browser_that_plays_nothing_is_no_error(site: Site) -> None:
    page = spied(site)
    page.evaluate("window.mute = true")
    page.get_by_role("button", name="Ativar som").click()
    expect(page.get_by_role("button", name="Ativar som")).to_have_attribute("aria-pressed", "false")
    arrives(site)
    pulse(page)
    expect(page).to_have_title(re.compile(r"^\(1\) "))
    expect(page.get_by_role("alert")).to_have_count(0)


def test_who_has_it_hears_what_their_customer_writes(site: Site) -> None:
    talk = waiting(site.office, name="Maria")
    site.office.takes(talk, site.office.ana)
    page = spied(site)
    page.get_by_role("button", name="Ativar som").click()
    site.office.says("Ainda está aí?", name="Maria")
    pulse(page)
    expect(page).to_have_title(re.compile(r"^\(1\) "))
    soon(page, "heard", 2)
    pulse(page)
    assert page.evaluate("heard") == 2


def test_a_notice_on_the_desk_for_a_hidden_tab_without_a_word_of_it(site: Site) -> None:
    page = spied(site)
    page.get_by_role("button", name="Ativar avisos na tela").click()
    expect(page.get_by_role("button", name="Avisos na tela ativados")).to_be_visible()
    arrives(site, name="Maria")
    pulse(page)
    assert page.evaluate("shown") == [], "the page is seen"
    page.evaluate(HIDE % "true")
    arrives(site, name="João", phone="+5511911112222")
    pulse(page)
    soon(page, "shown", ["Hora Certa|Há uma conversa aguardando na fila."])


def test_who_takes_it_at_once_is_not_rung(site: Site) -> None:
    page = spied(site)
    page.get_by_role("button", name="Ativar som").click()
    talk = waiting(site.office)
    site.office.takes(talk, site.office.bruno)
    site.office.clock.forward(seconds=4)
    pulse(page)
    assert page.evaluate("heard") == 1


def walk_to(page: Page, target: Locator) -> None:
    """Tab until it has the focus; it must not be far."""
    for _ in range(12):
        page.keyboard.press("Tab")
        if target.evaluate("it => it === document.activeElement"):
            return
    pytest.fail(f"no way by keyboard to {target}")


def test_by_keyboard_alone(site: Site) -> None:
    """From the login to a sent reply without a mouse; the first stop of every page skips to its content."""
    conversation_id = waiting(site.office, name="Maria")
    page = site.visit(None)
    page.goto("/entrar")
    expect(page.locator("input[name=email]")).to_be_focused()
    page.keyboard.type(ANA)
    page.keyboard.press("Tab")
    page.keyboard.type(PASSWORD)
    page.keyboard.press("Enter")
    page.wait_for_url("**/fila")
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Pular para o conteúdo")).to_be_focused()
    page.keyboard.press("Enter")
    walk_to(page, page.get_by_role("link", name="Maria"))
    page.keyboard.press("Enter")
    page.wait_for_url(f"**/fila/{conversation_id}#fim")
    page.get_by_label("Sua resposta").focus()
    page.keyboard.type("Oi!")
    page.keyboard.press("Tab")
    expect(page.get_by_role("button", name="Enviar")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_role("log")).to_contain_text("Oi!")


def test_drafts_do_not_outlive_the_login(site: Site) -> None:
    conversation_id = waiting(site.office)
    page = site.visit()
    page.goto(f"/fila/{conversation_id}#fim")
    page.get_by_label("Sua resposta").fill("segredo")
    page.locator("details.menu summary").click()
    page.get_by_role("button", name="Sair").click()
    page.wait_for_url("**/entrar")
    assert page.evaluate("sessionStorage.length") == 0
