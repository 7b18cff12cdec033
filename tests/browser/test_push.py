"""Notices with no page open, as far as a browser without a vendor goes: its part is played by a script."""

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, Worker, expect
from sqlmodel import select

from bot.core.http import ThreadClients
from bot.process import bootstrap
from bot.web.shared.request_context import EXTENSION
from models.db import Database
from models.push import PushSubscription
from tests.bot.edge import settings
from tests.browser import looks
from tests.browser.conftest import Complaints
from tests.browser.looks import SIZES
from tests.browser.site import Site, opened
from tests.fakes import push

pytestmark = [pytest.mark.browser, pytest.mark.timeout(120)]

GIVEN = push.Browser().given
ON, OFF = "Avisar neste aparelho", "Desligar os avisos em Chrome no Linux"
# What the vendor and the browser agree on outlives the page.
VENDOR = """
  const given = () => JSON.parse(localStorage.getItem("vendor"));
  const kept = () => given() && {
    endpoint: given().endpoint,
    toJSON: () => ({ endpoint: given().endpoint, keys: { p256dh: given().p256dh, auth: given().auth } }),
    unsubscribe: async () => localStorage.removeItem("vendor"),
  };
  PushManager.prototype.getSubscription = async () => kept();
  PushManager.prototype.subscribe = async (wanted) => {
    localStorage.setItem("asked", JSON.stringify(wanted));
    localStorage.setItem("vendor", JSON.stringify(%s));
    return kept();
  };
  Notification.requestPermission = async () => "%s";
  Object.defineProperty(Notification, "permission", { get: () => "%s" });
  if ("%s" !== "granted") PushManager.prototype.subscribe = () => Promise.reject(new Error("denied"));
"""


@pytest.fixture
def site(sqlite_db: Database, browser: Browser, complaints: Complaints) -> Iterator[Site]:
    pusher = bootstrap.pusher(
        settings(vapid_private_key=push.KEY, vapid_subject=push.SUBJECT), ThreadClients()
    )
    with opened(sqlite_db, browser, complaints) as found:
        found.office.app.extensions[EXTENSION] = replace(found.office.services, pusher=pusher)
        yield found


def account(site: Site, permission: str = "granted", **options: Any) -> Page:
    page = site.visit(**options)
    page.add_init_script(VENDOR % (json.dumps(GIVEN), *[permission] * 3))
    page.goto("/conta")
    return page


def known(site: Site) -> list[dict[str, str]]:
    with site.office.db.reading() as session:
        return [
            {name: getattr(row, name) for name in GIVEN} for row in session.exec(select(PushSubscription))
        ]


@SIZES
def test_on_and_off_again(site: Site, size: Any) -> None:
    page = account(site, viewport=size, user_agent="Mozilla/5.0 (X11; Linux x86_64) Chrome/140")
    looks.check(page, "notices off", size)
    page.get_by_role("button", name=ON).click()
    expect(page.get_by_role("status")).to_have_text("Avisos ligados neste aparelho.")
    assert known(site) == [GIVEN]
    asked = page.evaluate("JSON.parse(localStorage.asked)")
    assert (asked["userVisibleOnly"], len(push.decoded(asked["applicationServerKey"]))) == (True, 65)
    expect(page.get_by_role("button", name=OFF)).to_be_visible()
    expect(page.get_by_role("button", name=ON)).to_be_hidden()
    looks.check(page, "notices on", size)
    page.get_by_role("button", name=OFF).click()
    expect(page.get_by_role("button", name=ON)).to_be_visible()
    assert (known(site), page.evaluate("localStorage.vendor ?? null")) == ([], None)


def test_leaving_ends_it_at_the_vendor_too(site: Site) -> None:
    page = account(site)
    page.get_by_role("button", name=ON).click()
    expect(page.get_by_text("esta sessão")).to_have_count(2)
    page.locator("details.menu summary").click()
    page.get_by_role("button", name="Sair", exact=True).click()
    page.wait_for_url("**/entrar")
    assert (known(site), page.evaluate("localStorage.vendor ?? null")) == ([], None)


def test_who_forbids_it_is_told_where_to_allow_it(site: Site) -> None:
    page = account(site, "denied")
    page.get_by_role("button", name=ON).click()
    expect(page.get_by_role("alert")).to_contain_text("O navegador não permite avisos deste site.")
    assert known(site) == []


def test_without_javascript_there_is_nothing_of_it(site: Site) -> None:
    page = account(site, java_script_enabled=False)
    expect(page.get_by_text("Avisos com a página fechada")).to_be_hidden()


def working(page: Page) -> Worker:
    """The service worker of a browser where notices are on; what it shows and opens is noted."""
    page.get_by_role("button", name=ON).click()
    expect(page.get_by_role("status")).to_be_visible()
    [worker] = page.context.service_workers
    worker.evaluate(
        """() => {
          self.said = new Promise((tell) => {
            registration.showNotification = async (title, { body, data }) => tell([title, body, data]);
          });
          clients.openWindow = async (url) => { self.came = `new ${url}`; };
          WindowClient.prototype.focus = async function () { self.came = new URL(this.url).pathname; };
        }"""
    )
    return worker


def test_the_worker_shows_what_comes_and_brings_its_page(site: Site) -> None:
    page = account(site)
    worker, cdp = working(page), page.context.new_cdp_session(page)
    cdp.send("ServiceWorker.enable")
    notice = {"title": "Conversa aguardando · Studio Bela", "body": "Uma conversa aguarda.", "url": "/fila/1"}
    came = {"origin": site.url, "registrationId": "0", "data": json.dumps(notice)}
    cdp.send("ServiceWorker.deliverPushMessage", came)
    assert worker.evaluate("self.said") == list(notice.values())
    worker.evaluate("open('/fila/1')")
    assert worker.evaluate("self.came") == "new /fila/1"
    worker.evaluate("open('/conta')")
    assert worker.evaluate("self.came") == "/conta", "the page is open already"
