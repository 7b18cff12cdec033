"""The agenda in a real browser: phone and desk, day and night, with and without JavaScript, on paper."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from models import waitlist
from models.catalog import Professional
from models.db import Database
from models.message import Author
from tests.bot.web import days
from tests.bot.web.days import TOMORROW, Salon
from tests.browser import looks
from tests.browser.conftest import Complaints
from tests.browser.looks import PHONE, PICTURES, SIZES
from tests.browser.site import Site, opened
from tests.fakes import agenda as shop

pytestmark = [pytest.mark.browser, pytest.mark.timeout(120)]

MARIA = "+5511900000001"


@pytest.fixture
def site(sqlite_db: Database, browser: Browser, complaints: Complaints) -> Iterator[Site]:
    with opened(sqlite_db, browser, complaints) as found:
        yield found


# Look, and who can use it


State = Callable[[Site, Page], None]


def _empty(site: Site, page: Page) -> None:
    page.goto("/agenda")


def _day(site: Site, page: Page) -> None:
    days.full(site.office)
    page.goto("/agenda")


def _cancelled(site: Site, page: Page) -> None:
    days.full(site.office)
    page.goto("/agenda")
    page.get_by_text("1 cancelado").click()


def _one(site: Site, page: Page) -> None:
    days.full(site.office)
    page.goto("/agenda")
    page.get_by_label("Profissionais").get_by_role("link", name="Bia Lima").click()


def _week(site: Site, page: Page) -> None:
    days.full(site.office)
    page.goto("/agenda")
    page.get_by_role("link", name="Semana", exact=True).click()


def _visit(site: Site, page: Page) -> None:
    page.goto(f"/agenda/{days.full(site.office)['booked']}")


def _lost(site: Site, page: Page) -> None:
    page.goto(f"/agenda/{days.full(site.office)['lost']}")


def _gone(site: Site, page: Page) -> None:
    page.goto(f"/agenda/{days.full(site.office)['cancelled']}")


def _cancel(site: Site, page: Page) -> None:
    page.goto(f"/agenda/{days.full(site.office)['booked']}/cancelar")


def _cancel_by_phone(site: Site, page: Page) -> None:
    page.goto(f"/agenda/{days.full(site.office)['late']}/cancelar")


def _move(site: Site, page: Page) -> None:
    page.goto(f"/agenda/{days.full(site.office)['booked']}/remarcar?dia=2026-12-03")


def _move_refused(site: Site, page: Page) -> None:
    page.goto(f"/agenda/{days.full(site.office)['tomorrow']}/remarcar?dia=2026-12-02")
    page.get_by_label("Hora", exact=True).fill("15:00")
    page.get_by_role("button", name="Remarcar").click()
    expect(page.get_by_role("alert")).to_contain_text("A agenda de Ana Souza já está ocupada")


def _book(site: Site, page: Page) -> None:
    page.goto("/agenda/novo")


def _book_search(site: Site, page: Page) -> None:
    days.full(site.office)
    page.goto(f"/agenda/novo?busca=a&servico={site.office.bela.corte}&dia=2026-12-02")


def _book_chosen(site: Site, page: Page) -> None:
    """A day that is full: the nearest times are shown."""
    salon = Salon(site.office)
    salon.blocks("00:00", "24:00", "Curso", day=TOMORROW, who=None)
    maria = salon.writes("Maria", MARIA)
    page.goto(f"/agenda/novo?cliente={maria}&servico={site.office.bela.corte}&dia=2026-12-03")


def _block(site: Site, page: Page) -> None:
    page.goto("/agenda/bloquear?prof=todos")


def _block_conflict(site: Site, page: Page) -> None:
    days.full(site.office)
    page.goto(f"/agenda/bloquear?prof={site.office.bela.ana}&dia=2026-12-02&de=11:00&fim=16:00")
    page.get_by_role("button", name="Bloquear").click()
    expect(page.get_by_role("alert")).to_contain_text("Há 4 horários marcados ali.")


def _blocked(site: Site, page: Page) -> None:
    days.full(site.office)
    page.goto("/agenda/bloqueio/folga/1")


def _feeds(site: Site, page: Page) -> None:
    page.goto("/agenda/calendarios")
    page.get_by_role("button", name="Criar endereço de Ana Souza").click()
    expect(page.get_by_label("Endereço para assinar")).to_have_value(
        re.compile(r"^http://127.0.0.1:\d+/agenda/ics/[\w-]{43}\.ics$")
    )


def _unlisted(site: Site, page: Page) -> None:
    page.goto("/agenda/espera")


def _waiting(site: Site, page: Page) -> None:
    """From the day, which says how many wait."""
    days.waiting(site.office)
    page.goto("/agenda")
    page.get_by_role("link", name="Lista de espera 3").click()
    expect(page.get_by_role("heading", name="Lista de espera 3")).to_be_visible()


def _unlist(site: Site, page: Page) -> None:
    page.goto(f"/agenda/espera/{days.waiting(site.office)['offered']}/tirar")


def _unlist_too_late(site: Site, page: Page) -> None:
    key = days.waiting(site.office)["anybody"]
    page.goto(f"/agenda/espera/{key}/tirar")
    with site.office.db.writing() as session:
        waitlist.close(session, key, waitlist.State.EXPIRED, waitlist.UNANSWERED)
    page.get_by_role("button", name="Tirar da lista").click()
    expect(page.get_by_role("alert")).to_contain_text("Esta espera já terminou")


STATES: dict[str, State] = {
    "empty day": _empty,
    "day": _day,
    "cancelled ones": _cancelled,
    "one professional": _one,
    "week": _week,
    "visit": _visit,
    "visit without a place": _lost,
    "cancelled visit": _gone,
    "cancel": _cancel,
    "cancel by phone": _cancel_by_phone,
    "move": _move,
    "move refused": _move_refused,
    "book": _book,
    "book, searching": _book_search,
    "book, full day": _book_chosen,
    "block": _block,
    "block conflict": _block_conflict,
    "blocked": _blocked,
    "calendars": _feeds,
    "empty waiting list": _unlisted,
    "waiting list": _waiting,
    "take off the waiting list": _unlist,
    "take off, too late": _unlist_too_late,
}


@pytest.mark.parametrize("state", STATES)
@SIZES
def test_every_state_is_usable_by_everybody(site: Site, state: str, size: Any) -> None:
    """axe finds nothing, nothing sticks out to the side, the browser has nothing to complain about."""
    page = site.visit(viewport=size)
    STATES[state](site, page)
    looks.check(page, state, size, whole=True)


# Where things stand


def box(found: Locator) -> dict[str, float]:
    made = found.bounding_box()
    assert made is not None
    return {**made, "right": made["x"] + made["width"], "bottom": made["y"] + made["height"]}


def test_the_grid_is_true_to_the_clock(site: Site) -> None:
    """A visit begins at its hour and lasts as long as it lasts; what overlaps stands side by side."""
    found = days.full(site.office)
    page = site.visit(viewport={"width": 1280, "height": 1600})
    page.goto("/agenda")

    def tile(name: str) -> dict[str, float]:
        return box(page.locator(f'.slots a[href="/agenda/{found[name]}"]'))

    def hour(words: str) -> float:
        # The words stand a little above the line that they name.
        line = page.locator(".scale li", has_text=words)
        return box(line)["y"] + float(line.evaluate("li => parseFloat(getComputedStyle(li).fontSize) * .6"))

    for name, clock in (("booked", "11:00"), ("late", "15:00"), ("beside", "16:00"), ("lost", "16:00")):
        assert abs(tile(name)["y"] - hour(clock)) < 3, name
    assert abs(tile("booked")["height"] / tile("beside")["height"] - 2) < 0.15
    one, other = tile("late"), tile("squeezed")
    assert one["right"] <= other["x"] + 1
    assert one["y"] < other["y"] < one["bottom"]
    now = box(page.locator("#agora").first)["y"]
    assert hour("10:00") + 20 < now < hour("10:00") + 45
    ana, bia = (box(page.get_by_role("heading", name=name)) for name in ("Ana Souza", "Bia Lima"))
    assert ana["right"] <= bia["x"] + 1


def test_a_phone_shows_a_list_in_order(site: Site) -> None:
    days.full(site.office)
    page = site.visit(viewport=PHONE)
    page.goto("/agenda")
    column = page.locator(".column").first
    tops = [box(item)["y"] for item in column.locator(".slots > li").all()]
    assert tops == sorted(tops)
    assert [box(item)["height"] for item in column.locator(".slots .tile").all()] >= [44.0] * 8
    times = column.locator(".hours").all_inner_texts()
    assert times[:3] == ["09:00–10:00", "10:20–11:00", "11:00–12:00"]
    expect(page.get_by_text("Agora, 10:20").first).to_be_visible()


def test_a_long_day_opens_at_the_present_hour(site: Site) -> None:
    days.full(site.office)
    site.office.clock.forward(hours=6)
    page = site.visit(viewport={"width": 1280, "height": 500})
    page.goto("/agenda")
    board, now = box(page.locator("#board")), box(page.locator("#agora").first)
    assert board["y"] < now["y"] < board["bottom"]
    head = box(page.get_by_role("heading", name="Ana Souza"))
    assert abs(head["y"] - board["y"]) < 4


def test_on_paper_there_is_only_the_day(site: Site) -> None:
    """With the customers' phones, and without bars, buttons and free time."""
    days.full(site.office)
    page = site.visit()
    page.goto("/agenda")
    page.emulate_media(media="print")
    expect(page.get_by_text("+55 11 90000-0001")).to_be_visible()
    expect(page.get_by_role("heading", name="Hoje, quarta, 2 de dezembro")).to_be_visible()
    for hidden in (".bar", ".does", ".people", ".tools", ".free", ".further", ".lost-list", ".now"):
        expect(page.locator(hidden).first).to_be_hidden()
    if PICTURES:
        page.screenshot(path=Path(PICTURES) / "paper.png", full_page=True)
    tops = [box(item)["y"] for item in page.locator(".slots .visit").all()]
    assert tops == sorted(tops)


# Working


BOTH = pytest.mark.parametrize("javascript", [True, False], ids=["with JavaScript", "without"])


@BOTH
def test_a_walk_in_from_a_free_time_to_a_booked_visit(site: Site, javascript: bool) -> None:
    page = site.visit(java_script_enabled=javascript, viewport=PHONE)
    page.goto("/agenda?dia=2026-12-03")
    page.get_by_role("link", name="09:00–12:00").first.click()
    page.get_by_role("checkbox", name="Escova · 45 min").check()
    page.get_by_role("button", name="Ver horários livres").click()
    expect(page.get_by_role("radio", name="09:00")).to_be_checked()
    page.get_by_role("radio", name="10:30").check()
    page.get_by_label("Nome do cliente novo").fill("Rosa Maria")
    page.get_by_label("Telefone").fill("(11) 98888-7777")
    page.get_by_role("button", name="Marcar").click()
    expect(page.get_by_role("status")).to_have_text("Horário marcado.")
    expect(page.get_by_role("heading", name="Rosa Maria")).to_be_visible()
    expect(page.get_by_text("amanhã, quinta, 3 de dezembro, às 10:30")).to_be_visible()
    expect(page.get_by_text("a pessoa nunca escreveu para cá")).to_be_visible()
    page.get_by_role("link", name="Agenda do dia").click()
    expect(page.get_by_role("link", name="10:30–11:15 Rosa Maria Escova")).to_be_visible()


@BOTH
def test_move_tell_cancel_and_take_back(site: Site, javascript: bool) -> None:
    salon = Salon(site.office)
    key = salon.books(salon.writes("Maria", MARIA), "14:00", day=TOMORROW)
    page = site.visit(java_script_enabled=javascript, viewport=PHONE)
    page.goto("/agenda?dia=2026-12-03")
    page.get_by_role("link", name="14:00–15:00 Maria").click()
    page.get_by_role("link", name="Remarcar").click()
    page.get_by_label("Profissional").select_option("Bia Lima")
    page.get_by_label("Novo dia").fill("2026-12-04")
    page.get_by_role("button", name="Ver horários livres").click()
    page.get_by_role("radio", name="16:00").check()
    page.get_by_role("button", name="Remarcar").click()
    expect(page.get_by_role("status")).to_have_text("Horário remarcado.")
    expect(page.get_by_label("Mensagem no WhatsApp")).to_have_value(
        "Oi, Maria! Mudamos o seu horário: Corte feminino com Bia Lima agora é sexta, 4 de dezembro, às "
        "16:00. Se não for bom para você, é só responder por aqui."
    )
    page.get_by_role("button", name="Enviar aviso").click()
    expect(page.get_by_role("status")).to_have_text("O aviso está na fila de envio.")
    page.get_by_role("link", name="Cancelar horário").click()
    page.get_by_label("Motivo").fill("Bia está doente")
    page.get_by_label("Mensagem ao cliente").fill("Oi, Maria. A Bia ficou doente; podemos remarcar?")
    page.get_by_role("button", name="Cancelar horário").click()
    expect(page.get_by_role("status")).to_have_text("Horário cancelado. O aviso está na fila de envio.")
    assert site.now(key).status == "cancelled"
    page.get_by_role("button", name="Desfazer o cancelamento").click()
    expect(page.get_by_role("status")).to_have_text("Mudança desfeita.")
    assert (site.now(key).status, site.now(key).professional) == ("booked", "Bia Lima")
    said = [
        line.text
        for line in site.office.lines(site.now(key).conversation_id or 0)
        if line.author == Author.STAFF
    ]
    assert len(said) == 2
    assert said[1] == "Oi, Maria. A Bia ficou doente; podemos remarcar?"
    page.get_by_role("link", name="Ver conversa").click()
    expect(page.get_by_role("log")).to_contain_text("A Bia ficou doente")


def test_on_a_phone_the_free_times_come_into_view(site: Site) -> None:
    """Whoever asked for them is led to them; what is not asked for (parts of a whole day) is not shown."""
    page = site.visit(viewport=PHONE)
    page.goto("/agenda/novo?dia=2026-12-03")
    page.get_by_label("Corte feminino").check()
    page.get_by_role("button", name="Ver horários livres").click()
    expect(page.get_by_text("Escolha o horário")).to_be_in_viewport()
    page.goto("/agenda/bloquear?dia=2026-12-03")
    page.get_by_label("O dia inteiro").check()
    expect(page.get_by_label("Das")).to_be_hidden()


def test_a_long_list_of_the_lost_does_not_bury_the_day(site: Site) -> None:
    salon = Salon(site.office)
    for hour in range(13, 18):
        salon.books(salon.client(f"Cliente {hour}"), f"{hour}:00", day=TOMORROW)
    salon.blocks("13:00", "18:00", "Dentista", day=TOMORROW, who=None)
    page = site.visit(viewport=PHONE)
    page.goto("/agenda")
    rows = page.locator(".lost-list li")
    expect(rows).to_have_count(5)
    expect(rows.nth(2)).to_be_visible()
    expect(rows.nth(3)).to_be_hidden()
    page.get_by_text("Ver mais 2").click()
    expect(rows.nth(4)).to_contain_text("Cliente 17")


@SIZES
def test_many_professionals_scroll_on_the_board_alone(site: Site, size: Any) -> None:
    """The page stays as wide as the window, and no longer than what it shows."""
    bela = site.office.bela
    with site.office.db.writing() as session:
        for n in range(12):
            who = Professional(tenant_id=bela.tenant, name=f"Profissional de nome comprido {n}")
            session.add(who)
            session.flush()
            shop.work(session, bela.tenant, who.id or 0, TOMORROW.weekday(), "08:00-24:00")
    page = site.visit(viewport=size)
    page.goto(f"/agenda?dia={TOMORROW}")
    expect(page.get_by_role("region").get_by_role("heading")).to_have_count(14)
    assert page.evaluate("document.documentElement.scrollWidth") <= size["width"]
    ends = page.evaluate("document.querySelector('main').getBoundingClientRect().bottom + scrollY")
    assert page.evaluate("document.documentElement.scrollHeight") <= max(ends + 1, size["height"])
    assert page.get_by_label("Profissionais").bounding_box()["height"] < 120


@BOTH
def test_squeeze_in_on_purpose(site: Site, javascript: bool) -> None:
    salon = Salon(site.office)
    salon.books(salon.client("Rui"), "14:00", day=TOMORROW)
    page = site.visit(java_script_enabled=javascript)
    page.goto(f"/agenda/novo?servico={site.office.bela.corte}&dia=2026-12-03&prof={site.office.bela.ana}")
    if not javascript:
        page.get_by_label("Outro horário").check()
    page.get_by_label("Hora", exact=True).fill("14:30")
    page.get_by_label("Nome do cliente novo").fill("Zoe")
    page.get_by_role("button", name="Marcar").click()
    expect(page.get_by_role("alert")).to_contain_text("A agenda de Ana Souza já está ocupada")
    if javascript:
        expect(page.get_by_role("alert")).to_be_focused()
    page.get_by_role("link", name="Continuar assim mesmo").click()
    expect(page.get_by_role("group", name="Confirme para continuar")).to_be_in_viewport()
    page.get_by_label("Encaixe: fica ao mesmo tempo que outro horário").check()
    page.get_by_role("button", name="Marcar").click()
    expect(page.get_by_role("status")).to_have_text("Horário marcado.")
    page.get_by_role("link", name="Agenda do dia").click()
    expect(page.get_by_role("link", name="14:30–15:30 Encaixe Zoe Corte feminino")).to_be_visible()


@BOTH
def test_block_over_a_visit_and_work_it_off(site: Site, javascript: bool) -> None:
    salon = Salon(site.office)
    key = salon.books(salon.writes("Maria", MARIA), "14:00", day=TOMORROW)
    page = site.visit(java_script_enabled=javascript, viewport=PHONE)
    page.goto("/agenda?dia=2026-12-03")
    page.get_by_role("link", name="Bloquear").click()
    page.get_by_label("Quem fica bloqueado").select_option("Ana Souza")
    page.get_by_label("O dia inteiro").check()
    page.get_by_label("Motivo").fill("Curso")
    page.get_by_role("button", name="Bloquear").click()
    expect(page.get_by_role("alert")).to_contain_text("Há um horário marcado ali.")
    page.get_by_label("Bloquear mesmo assim").check()
    page.get_by_role("button", name="Bloquear").click()
    expect(page.get_by_role("status")).to_have_text(
        "Horário bloqueado. 1 horário marcado ali precisa de atenção."
    )
    todo = page.get_by_role("region", name="Precisam de atenção")
    expect(todo).to_contain_text("amanhã, quinta, 3 de dezembro, às 14:00 · Maria")
    todo.get_by_role("link", name="Remarcar Maria").click()
    page.get_by_label("Profissional").select_option("Bia Lima")
    page.get_by_role("button", name="Ver horários livres").click()
    page.get_by_role("radio", name="14:00").check()
    page.get_by_role("button", name="Remarcar").click()
    expect(page.get_by_role("status")).to_have_text("Horário remarcado.")
    page.goto("/agenda?dia=2026-12-03")
    expect(page.get_by_role("region", name="Precisam de atenção")).to_have_count(0)
    assert site.now(key).professional == "Bia Lima"
    page.get_by_role("link", name="Folga: Curso").click()
    page.get_by_role("button", name="Remover bloqueio").click()
    expect(page.get_by_role("status")).to_have_text("Bloqueio removido.")
    expect(page.get_by_text("Folga: Curso")).to_have_count(0)


@BOTH
def test_take_somebody_off_the_waiting_list(site: Site, javascript: bool) -> None:
    days.waiting(site.office)
    page = site.visit(java_script_enabled=javascript, viewport=PHONE)
    page.goto("/agenda/espera")
    page.get_by_role("link", name="Tirar da lista Rui").click()
    page.get_by_role("link", name="Manter na lista").click()
    page.get_by_role("link", name="Tirar da lista Rui").click()
    page.get_by_role("button", name="Tirar da lista").click()
    expect(page.get_by_role("status")).to_have_text("Cliente fora da lista de espera.")
    expect(page.get_by_text("Rui")).to_have_count(0)
    page.get_by_role("link", name="Marcar horário para Maria Aparecida de Souza").click()
    page.get_by_role("radio", name="09:00 · Ana Souza").check()
    page.get_by_role("button", name="Marcar").click()
    expect(page.get_by_role("status")).to_have_text("Horário marcado.")
    page.goto("/agenda/espera")
    expect(page.get_by_role("link", name="Tirar da lista")).to_have_count(1)


def test_two_desks_and_one_visit(site: Site) -> None:
    """The second one learns that it has changed, and changes nothing."""
    salon = Salon(site.office)
    key = salon.books(salon.client("Rui"), "10:00")
    one, other = site.visit(), site.visit()
    for page in (one, other):
        page.goto(f"/agenda/{key}")
    one.get_by_role("button", name="Atendido").click()
    expect(one.get_by_role("status")).to_have_text("Marcado como atendido.")
    other.get_by_role("button", name="Não veio").click()
    expect(other.get_by_role("alert")).to_contain_text("mudou enquanto a página estava aberta")
    expect(other.get_by_text("Atendido", exact=True)).to_be_visible()
    assert site.now(key).status == "done"


def test_the_keyboard_reaches_everything(site: Site) -> None:
    """From the board to a visit and back, without a mouse."""
    days.full(site.office)
    page = site.visit()
    page.goto("/agenda")
    page.locator("#board").focus()
    names = []
    for _ in range(12):
        page.keyboard.press("Tab")
        names.append(
            page.evaluate("document.activeElement.getAttribute('href') || document.activeElement.tagName")
        )
    assert len(set(names)) == 12
    assert all(name.startswith("/agenda/") or name == "SUMMARY" for name in names)
    page.locator("#board").focus()
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Joana")).to_be_visible()


def test_a_stranger_s_name_does_nothing(site: Site) -> None:
    salon = Salon(site.office)
    name = '<img src=x onerror="window.__xss=1">'
    key = salon.books(salon.writes(name, MARIA), "15:00")
    page = site.visit()
    for path in ("/agenda", "/agenda?ver=semana", f"/agenda/{key}", f"/agenda/{key}/cancelar"):
        page.goto(path)
        expect(page.get_by_text(name).first).to_be_visible()
        assert page.evaluate("window.__xss") is None
