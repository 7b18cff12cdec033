"""Twilio's Content API in the demo: questions with buttons or a list, laid down and then filled in."""

import json
import re
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

QUICK_REPLY, LIST_PICKER = "twilio/quick-reply", "twilio/list-picker"
_VARIABLE = re.compile(r"{{(\w{1,16})}}")


class Unusable(Exception):
    """The document is no form that this account could have."""


@dataclass(frozen=True)
class Option:
    """One thing to tap."""

    id: str
    title: str
    description: str = ""


@dataclass(frozen=True)
class Shown:
    """A form as it stands on the phone. With `button` its options are a list, opened by that."""

    body: str
    options: tuple[Option, ...]
    button: str = ""


@dataclass
class Forms:
    """What was laid down since the demo began, by its sid."""

    _forms: dict[str, tuple[str, dict[str, Any]]] = field(default_factory=dict)

    def lay_down(self, document: object) -> dict[str, object]:
        """Keep a form; gives what Twilio answers. Raises Unusable."""
        kind, form = _form_in(document)
        sid = f"HX{secrets.token_hex(16)}"
        self._forms[sid] = kind, form
        return {"sid": sid, "types": {kind: form}}

    def show(self, sid: str, variables: Mapping[str, str]) -> Shown | None:
        """The form filled in; None where none was laid down under this sid."""
        if sid not in self._forms:
            return None
        kind, form = self._forms[sid]
        filled = json.loads(_filled(json.dumps(form), variables))
        if kind == QUICK_REPLY:
            options = tuple(Option(str(one["id"]), str(one["title"])) for one in filled["actions"])
            return Shown(str(filled["body"]), options)
        options = tuple(
            Option(str(one["id"]), str(one["item"]), str(one.get("description", "")))
            for one in filled["items"]
        )
        return Shown(str(filled["body"]), options, str(filled["button"]))


def _form_in(document: object) -> tuple[str, dict[str, Any]]:
    types = document.get("types") if isinstance(document, dict) else None
    if not isinstance(types, dict) or len(types) != 1:
        raise Unusable
    [(kind, form)] = types.items()
    parts = {QUICK_REPLY: ("actions", "title"), LIST_PICKER: ("items", "item")}.get(kind)
    if parts is None or not isinstance(form, dict) or not isinstance(form.get("body"), str):
        raise Unusable
    listed, name = form.get(parts[0]), parts[1]
    if not isinstance(listed, list) or not all(
        isinstance(one, dict) and {"id", name} <= set(one) for one in listed
    ):
        raise Unusable
    if kind == LIST_PICKER and not form.get("button"):
        raise Unusable
    return kind, form


def _filled(text: str, variables: Mapping[str, str]) -> str:
    """The JSON of a form with its variables in place, each as it stands inside a JSON string."""
    return _VARIABLE.sub(lambda found: json.dumps(str(variables.get(found[1], "")))[1:-1], text)
