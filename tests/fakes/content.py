"""Twilio's Content API, as far as questions with buttons and lists go: strict, in memory."""

import itertools
import re
from dataclasses import dataclass, field
from typing import Any

VARIABLE = re.compile(r"{{(\w{1,16})}}")
QUICK_REPLY, LIST_PICKER = "twilio/quick-reply", "twilio/list-picker"


@dataclass(frozen=True)
class Offer:
    """One thing to tap, as it stands on the phone."""

    id: str
    title: str
    description: str = ""


@dataclass(frozen=True)
class Shown:
    """A message on the phone; `button` opens a list."""

    body: str
    offers: tuple[Offer, ...]
    button: str = ""


class Unfit(Exception):
    """Twilio refuses it, with this code."""

    def __init__(self, code: int) -> None:
        super().__init__(str(code))
        self.code = code


@dataclass
class FakeContent:
    """`documents` are the forms that were laid down, by sid."""

    documents: dict[str, dict[str, Any]] = field(default_factory=dict)
    _numbers: "itertools.count[int]" = field(default_factory=lambda: itertools.count(1))

    def lay_down(self, document: dict[str, Any]) -> dict[str, Any]:
        """The new form, as it is answered. Raises Unfit."""
        if not document.get("language") or len(document.get("types", {})) != 1:
            raise Unfit(20001)
        [(kind, form)] = document["types"].items()
        used = set(VARIABLE.findall(str(form)))
        samples = document.get("variables", {})
        if kind not in (QUICK_REPLY, LIST_PICKER) or used != set(samples) or len(samples) > 100:
            raise Unfit(20001)
        if not all(isinstance(sample, str) and sample for sample in samples.values()):
            raise Unfit(20001)
        sid = f"HX{next(self._numbers):032x}"
        self.documents[sid] = document
        return {"sid": sid, "friendly_name": document.get("friendly_name"), "types": document["types"]}

    def show(self, sid: str, variables: dict[str, str]) -> Shown:
        """What a message in this form looks like. Raises Unfit where WhatsApp would not take it."""
        [(kind, form)] = self.documents[sid]["types"].items()

        def said(text: str) -> str:
            return VARIABLE.sub(lambda found: variables[found[1]], text)

        shown = _buttons(form, said) if kind == QUICK_REPLY else _list(form, said)
        if not shown.body.strip() or _units(shown.body) > 1024:
            raise Unfit(63005)
        if len({offer.id for offer in shown.offers}) != len(shown.offers):
            raise Unfit(63005)
        return shown


def _buttons(form: dict[str, Any], said: Any) -> Shown:
    offers = tuple(Offer(said(action["id"]), said(action["title"])) for action in form["actions"])
    titles = {offer.title for offer in offers}
    if not 1 <= len(offers) <= 3 or len(titles) < len(offers):
        raise Unfit(63005)
    if any(not 1 <= _units(offer.title) <= 20 for offer in offers):
        raise Unfit(63005)
    return Shown(said(form["body"]), offers)


def _list(form: dict[str, Any], said: Any) -> Shown:
    offers = tuple(
        Offer(said(item["id"]), said(item["item"]), said(item.get("description", "")))
        for item in form["items"]
    )
    button = said(form["button"])
    fitting = (
        1 <= _units(offer.title) <= 24 and _units(offer.description) <= 72 and 1 <= len(offer.id) <= 200
        for offer in offers
    )
    if not 1 <= len(offers) <= 10 or not 1 <= _units(button) <= 20 or not all(fitting):
        raise Unfit(63005)
    return Shown(said(form["body"]), offers, button)


def _units(text: str) -> int:
    return len(text.encode("utf-16-le")) // 2
