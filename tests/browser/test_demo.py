"""The demo played as a visitor would: the real command, a real Chromium, from booking to a staff reply."""

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, BrowserContext, Page, expect

from models.holiday import Calendar, Place
from tests.browser.conftest import Complaints

pytestmark = [pytest.mark.browser, pytest.mark.timeout(180)]

PATIENCE = 20_000  # milliseconds for an answer on a busy machine
WIDE, NARROW = {"width": 1280, "height": 900}, {"width": 360, "height": 740}
WEEKDAYS = ("segunda", "terça", "quarta", "quinta", "sexta")


@dataclass(frozen=True)
class Running:
    """The demo as it runs: where, and the staff's password."""

    url: str
    password: str


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """`horacerta demo` itself, without any key, on a free port; SIGTERM must end it with 0."""
    data = tmp_path_factory.mktemp("demo")
    kept = {name: value for name, value in os.environ.items() if not name.endswith("_API_KEY")}
    program = subprocess.Popen(
        [sys.executable, "-m", "bot", "demo", "--port", "0", "--data", str(data)],
        cwd=Path(__file__).parents[2],
        env=kept | {"LLM_PROVIDER": "offline", "INBOUND_DEBOUNCE_SECONDS": "0.3", "LOG_LEVEL": "ERROR"},
        stdout=subprocess.PIPE,
        text=True,
    )
    assert program.stdout
    with program, program.stdout as out:
        lines = []
        for line in out:
            lines.append(line)
            if "Ctrl-C" in line:
                break
        printed = "".join(lines)
        url = re.search(r"(http://\S+)/demo", printed)
        password = re.search(r"password (\S+)", printed)
        assert url, printed
        assert password, printed
        yield Running(url[1], password[1])
        program.send_signal(signal.SIGTERM)
        assert program.wait(30) == 0


@pytest.fixture
def context(browser: Browser) -> Iterator[BrowserContext]:
    made = browser.new_context(viewport=WIDE, locale="pt-BR")
    made.set_default_timeout(PATIENCE)
    yield made
    made.close()


class Phone:
    """The page of one conversation."""

    def __init__(self, page: Page, running: Running, slug: str, person: str) -> None:
        self.page = page
        self.page.goto(f"{running.url}/demo?negocio={slug}&cliente={person}")
        self.mine = self.page.locator(".bubble.mine:not(.waiting)")
        self.theirs = self.page.locator(".bubble.theirs")

    def say(self, text: str) -> str:
        """Write with the keyboard; gives the answer."""
        before = self.theirs.count()
        self.page.get_by_label("Mensagem", exact=True).fill(text)
        self.page.keyboard.press("Enter")
        expect(self.theirs).not_to_have_count(before, timeout=PATIENCE)
        expect(self.page.locator("#typing")).to_be_hidden(timeout=PATIENCE)
        return self.theirs.last.inner_text()


SP = Calendar(Place("BR", "SP"))


def an_open_weekday() -> datetime:
    """A day next week on which the salon works, whatever day the tests run."""
    day = datetime.now(UTC) + timedelta(days=6)
    while day.weekday() > 4 or SP.name_of(day.date()) or day.strftime("%m-%d") > "12-23":
        day += timedelta(days=1)
    return day


def test_from_the_first_message_to_a_booked_appointment_and_a_reply_of_staff(
    context: BrowserContext, running: Running, complaints: Complaints
) -> None:
    """A visitor books by chatting, asks for a person, takes the staff's side and answers."""
    phone = Phone(complaints.listen(context.new_page()), running, "studio-bela", "marina")
    phone.page.get_by_role("button", name="Oi", exact=True).click()
    expect(phone.theirs.first).to_be_visible(timeout=PATIENCE)
    expect(phone.mine.first.get_by_role("img", name="Lida")).to_be_visible(timeout=PATIENCE)
    expect(phone.page.locator(".run").first).to_contain_text("Respondida")

    day = an_open_weekday()
    phone.say(f"quero marcar corte feminino com a Ana {WEEKDAYS[day.weekday()]}, dia {day:%d/%m}, às 15h")
    booked = phone.page.locator(".call code").get_by_text("agendar", exact=True)
    for _ in range(3):
        if booked.count():
            break
        phone.say("sim")
    expect(booked).to_have_count(1)
    assert f"{day:%d/%m}" in phone.theirs.last.inner_text()

    phone.say("Quero falar com uma pessoa")
    expect(phone.page.locator("#live")).to_contain_text("pedido_do_cliente", timeout=PATIENCE)
    expect(phone.page.locator("#live")).to_contain_text("Na fila")

    staff = context.new_page()
    staff.goto(f"{running.url}/fila")
    staff.get_by_label("E-mail").fill("equipe@studio-bela.example")
    staff.get_by_label("Senha").fill(running.password)
    staff.get_by_role("button", name="Entrar").click()
    staff.get_by_role("link", name=re.compile("Marina")).click()
    staff.get_by_label(re.compile("Sua resposta")).fill("Oi, Marina! Aqui é a Patrícia, em que posso ajudar?")
    staff.get_by_role("button", name="Enviar").click()

    expect(phone.theirs.last).to_contain_text("Aqui é a Patrícia", timeout=PATIENCE)
    expect(phone.page.locator("#live")).to_contain_text("Patrícia Gomes atende", timeout=PATIENCE)
    agenda = context.new_page()
    agenda.goto(f"{running.url}/agenda?dia={day:%Y-%m-%d}")
    expect(agenda.get_by_text("Marina").first).to_be_visible()


def test_the_same_delivery_twice_gets_one_answer(
    context: BrowserContext, running: Running, complaints: Complaints
) -> None:
    phone = Phone(complaints.listen(context.new_page()), running, "studio-bela", "joao")
    phone.say("Oi")
    answers = phone.theirs.count()
    phone.page.locator("#attach summary").click()
    phone.page.get_by_role("button", name="Entregar a última de novo").click()
    expect(phone.page.locator("#live")).to_contain_text("a mesma, de novo", timeout=PATIENCE)
    phone.say("Quais são os serviços?")
    expect(phone.mine).to_have_count(2)
    assert phone.theirs.count() == answers + 1


def test_photo_voice_and_place_are_answered(
    context: BrowserContext, running: Running, complaints: Complaints
) -> None:
    """What the assistant cannot read is never met with silence."""
    phone = Phone(complaints.listen(context.new_page()), running, "barbearia-rio-negro", "marina")
    for name in ("Enviar foto", "Enviar localização", "Enviar mensagem de voz"):
        before = phone.theirs.count()
        phone.page.locator("#attach summary").click()
        phone.page.get_by_role("button", name=name).click()
        expect(phone.theirs).not_to_have_count(before, timeout=PATIENCE)


def test_a_phone_is_filled_by_the_phone(browser: Browser, running: Running, complaints: Complaints) -> None:
    """On a phone's width the chat takes the screen; what is behind it is one tap away, and back."""
    context = browser.new_context(viewport=NARROW, locale="pt-BR", has_touch=True, is_mobile=True)
    phone = Phone(complaints.listen(context.new_page()), running, "studio-bela", "marina")
    box = phone.page.locator(".phone").bounding_box()
    assert box
    assert (box["width"], box["height"]) == (NARROW["width"], NARROW["height"])
    assert phone.page.evaluate("document.documentElement.scrollWidth") == NARROW["width"]
    behind = phone.page.locator("#bastidores")
    expect(behind).to_be_hidden()
    phone.page.get_by_role("link", name="Ver os bastidores").click()
    expect(behind).to_be_visible()
    phone.page.get_by_role("link", name="Voltar à conversa").click()
    expect(behind).to_be_hidden()
    context.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", [WIDE, NARROW], ids=["wide", "narrow"])
def test_nothing_on_the_page_shuts_anybody_out(
    browser: Browser, running: Running, complaints: Complaints, scheme: str, size: dict[str, int]
) -> None:
    """axe finds nothing, in light and dark, on a phone and beside one."""
    context = browser.new_context(viewport=size, color_scheme=scheme, locale="pt-BR")
    phone = Phone(complaints.listen(context.new_page()), running, "barbearia-rio-negro", "joao")
    if phone.theirs.count() == 0:
        phone.say("Oi")
    for place in ("", "#bastidores"):
        phone.page.evaluate("place => { location.hash = place }", place)
        found = Axe().run(phone.page, options={"runOnly": ["wcag2a", "wcag2aa", "wcag21aa", "best-practice"]})
        assert found.violations_count == 0, found.generate_report()
    context.close()


def test_without_scripts_a_visitor_can_still_talk(browser: Browser, running: Running) -> None:
    context = browser.new_context(viewport=NARROW, locale="pt-BR", java_script_enabled=False)
    page = context.new_page()
    page.goto(f"{running.url}/demo?negocio=barbearia-rio-negro&cliente=joao")
    before = page.locator(".bubble.mine").count()
    page.get_by_label("Mensagem", exact=True).fill("Vocês abrem no sábado?")
    page.get_by_role("button", name="Enviar", exact=True).click()
    expect(page.locator(".bubble.mine")).to_have_count(before + 1)
    expect(page.locator(".bubble.mine").last).to_contain_text("Vocês abrem no sábado?")
    context.close()
