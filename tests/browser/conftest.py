"""A real Chromium for the tests of the pages. Skipped where there is none, unless CI is set."""

import os
import shutil
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import pytest
from flask import Flask
from playwright.sync_api import Browser, Page, sync_playwright
from werkzeug.serving import make_server

# The one without windows needs half the time.
KINDS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
CHROMIUM = next(filter(None, map(shutil.which, KINDS)), None)
QUIET = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--no-first-run",
    "--disable-sync",
    "--disable-quic",
]


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """One browser for the session; make a context of your own for each test."""
    if CHROMIUM is None and not os.environ.get("CI"):
        pytest.skip("no Chromium on this machine")
    assert CHROMIUM, "CI must have a Chromium"
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=CHROMIUM, args=QUIET)
        yield running
        running.close()


@dataclass
class Complaints:
    """What the browser says about a page: errors of scripts, of the console, of the content policy."""

    heard: list[str] = field(default_factory=list)

    def listen(self, page: Page) -> Page:
        page.on("console", lambda said: self._hear(said.type, said.text))
        page.on("pageerror", lambda error: self.heard.append(f"error: {error}"))
        page.on("dialog", lambda dialog: self.heard.append(f"dialog: {dialog.message}"))
        return page

    def _hear(self, kind: str, text: str) -> None:
        # A browser notes every answer of 400 and more; those that a test wants are no fault.
        if kind in ("error", "warning") and not text.startswith("Failed to load resource"):
            self.heard.append(f"{kind}: {text}")


@pytest.fixture
def complaints() -> Iterator[Complaints]:
    """Collects complaints of every page it listens to; there may be none at the end of the test."""
    collected = Complaints()
    yield collected
    assert collected.heard == []


@contextmanager
def served(app: Flask) -> Iterator[str]:
    """The application behind a real server on a free port of this machine; yields its address."""
    server = make_server("127.0.0.1", 0, app, threaded=True)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
