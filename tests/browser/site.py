"""An office behind a real server, and browsers that come to it."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from playwright.sync_api import Browser, BrowserContext, Page

from models.db import Database
from models.pages import calendar_page
from models.pages.calendar_page import Visit
from tests.bot.web.office import ANA, Office
from tests.browser.conftest import Complaints, served
from tests.browser.looks import DESK

COOKIE = "horacerta"


@dataclass
class Site:
    office: Office
    url: str
    browser: Browser
    complaints: Complaints

    def visit(self, email: str | None = ANA, **options: Any) -> Page:
        """A new browser, logged in as this person and at the queue, or as nobody and nowhere."""
        options = {"viewport": DESK, "locale": "pt-BR", "reduced_motion": "reduce", **options}
        context = self.browser.new_context(base_url=self.url, **options)
        context.set_default_timeout(10_000)
        context.set_default_navigation_timeout(30_000)  # a busy machine is no fault of the page
        page = self.complaints.listen(context.new_page())
        if email:
            self._log_in(context, email)
            page.goto("/fila")
        return page

    def _log_in(self, context: BrowserContext, email: str) -> None:
        """Without the page for it, which has tests of its own."""
        cookie = self.office.client(email).get_cookie(COOKIE)
        assert cookie is not None
        context.add_cookies([{"name": COOKIE, "value": cookie.value, "url": self.url}])

    def now(self, key: int) -> Visit:
        with self.office.db.reading() as session:
            return calendar_page.visit(session, self.office.bela.tenant, key)


@contextmanager
def opened(db: Database, browser: Browser, complaints: Complaints) -> Iterator[Site]:
    office = Office(db)
    with served(office.app) as url:
        yield Site(office, url, browser, complaints)
        for context in browser.contexts:
            context.close()
