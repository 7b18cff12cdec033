"""The business on pages, in a real browser: each page looked at, one change made and taken back."""

from collections.abc import Iterator
from datetime import timedelta

import pytest
from playwright.sync_api import Browser, ViewportSize, expect

from bot.web.business.sections import SECTIONS
from models.db import Database
from models.staff import Staff
from tests.browser import looks
from tests.browser.conftest import Complaints
from tests.browser.looks import PHONE, SIZES
from tests.browser.site import Site, opened

pytestmark = [pytest.mark.browser, pytest.mark.timeout(120)]


@pytest.fixture
def site(sqlite_db: Database, browser: Browser, complaints: Complaints) -> Iterator[Site]:
    """Ana is the owner."""
    with opened(sqlite_db, browser, complaints) as found:
        with found.office.db.writing() as session:
            session.get_one(Staff, found.office.ana).role = "owner"
        yield found


@SIZES
def test_every_page_of_the_settings_can_be_used_by_everybody(site: Site, size: ViewportSize) -> None:
    page = site.visit(viewport=size)
    rows = ("servicos", "servicos/1", "profissionais", "profissionais/1", "perguntas", "historico")
    for path in ("", *SECTIONS, *rows):
        page.goto(f"/ajustes/{path}".rstrip("/"))
        looks.check(page, f"ajustes {path.replace('/', ' ')}", size, whole=True)


@SIZES
def test_hours_are_cut_with_the_visit_that_loses_its_place_in_sight(site: Site, size: ViewportSize) -> None:
    office = site.office
    office.books(office.says(), starts_in=timedelta(days=1))
    page = site.visit(viewport=size)
    page.goto("/ajustes")
    page.get_by_role("link", name="Profissionais").click()
    page.get_by_role("link", name="Ana Souza").click()
    page.get_by_label("Quinta, das").first.fill("9 da manhã")
    page.get_by_role("button", name="Guardar").click()
    expect(page.get_by_text("Quinta: complete as duas horas.")).to_be_visible()
    looks.check(page, "ajustes errado", size, whole=True)
    for edge in ("das", "até"):
        for each in page.get_by_label(f"Quinta, {edge}").all():
            each.fill("")
    page.get_by_role("button", name="Guardar").click()
    expect(page.get_by_role("heading", name="Confira antes de guardar")).to_be_visible()
    looks.check(page, "ajustes confira", size, whole=True)
    page.get_by_label("Manter").check()
    page.get_by_role("button", name="Guardar assim").click()
    expect(page.get_by_role("status")).to_contain_text("Guardado.")
    page.goto("/ajustes/historico")
    page.locator(".card-link").last.click()
    looks.check(page, "ajustes como era", size, whole=True)
    page.get_by_role("button", name="Voltar a ser assim").click()
    expect(page.get_by_role("status")).to_be_visible()


def test_a_form_works_without_javascript(site: Site) -> None:
    page = site.visit(viewport=PHONE, java_script_enabled=False)
    page.goto("/ajustes/regras")
    page.locator("#horizon_days").fill("30")
    page.get_by_role("button", name="Guardar").click()
    expect(page.get_by_role("status")).to_contain_text("Guardado.")
