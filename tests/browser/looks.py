"""How a page must look to everybody: on a phone and on a desk, in light and dark."""

import os
from pathlib import Path
from typing import Any, Literal

import pytest
from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import Page, ViewportSize

PHONE, DESK = ViewportSize(width=360, height=740), ViewportSize(width=1280, height=860)
SCHEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")
# What is not a colour is the same by day and by night. Of what passed, a page of results need not be written.
RULES: dict[str, dict[str, Any]] = {
    "light": {"resultTypes": ["violations"]},
    "dark": {
        "resultTypes": ["violations"],
        "runOnly": {"type": "rule", "values": ["color-contrast", "link-in-text-block"]},
    },
}
PICTURES = os.environ.get("PICTURES")  # a folder: keep a picture of every state there, to be looked at
SIZES = pytest.mark.parametrize("size", [PHONE, DESK], ids=["phone", "desk"])


def check(page: Page, state: str, size: ViewportSize, *, whole: bool = False) -> None:
    """axe finds nothing, and nothing sticks out to the side. Leaves pictures in the folder PICTURES."""
    page.evaluate(AXE_SCRIPT)
    for scheme in SCHEMES:
        page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
        if PICTURES:
            page.screenshot(path=Path(PICTURES) / f"{state} {size['width']} {scheme}.png", full_page=whole)
        found = page.evaluate(
            "rules => axe.run(document, rules).then(each => each.violations)", RULES[scheme]
        )
        assert [(each["id"], [node["html"] for node in each["nodes"]]) for each in found] == [], scheme
        assert page.evaluate("document.documentElement.scrollWidth") <= size["width"], scheme
