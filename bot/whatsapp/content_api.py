"""A question as Twilio's Content API wants it: quick replies or a list picker. Pure.

A form is laid down once and sent with variables; so it consists only of how many lines and answers there
are, and of what never changes. Variables may stand side by side, and begin or end a text, where each has a
sample, as ours have; besides, the rule is for templates that WhatsApp approves (Twilio, "Using variables with
Content Templates").
"""

import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from bot.intents.choices import Choice, Question
from bot.whatsapp.text_parts import units

MAX_BODY, MAX_LINES = 1024, 12
MAX_BUTTONS, MAX_BUTTON = 3, 20  # more buttons want an approval by WhatsApp
MAX_ITEMS, MAX_ITEM, MAX_DESCRIPTION, MAX_ID = 10, 24, 72, 200
LANGUAGE = "pt_BR"


@dataclass(frozen=True)
class Rich:
    """`types` is the form, `variables` what this message says in it; `digest` is the form's own."""

    types: dict[str, Any]
    variables: dict[str, str]
    digest: str

    def document(self) -> dict[str, object]:
        """What the Content API is asked to lay down."""
        return {
            "friendly_name": f"horacerta_{self.digest[:12]}",
            "language": LANGUAGE,
            "variables": {name: f"exemplo {name}" for name in self.variables},
            "types": self.types,
        }


def rich(question: Question) -> Rich | None:
    """The question with buttons, or as a list; None where it goes beyond what WhatsApp takes."""
    if units(question.body) > MAX_BODY or question.body.count("\n") >= MAX_LINES:
        return None
    variables = _Variables()
    body = _body(question.body, variables)
    types = (
        _list(question, body, variables) if question.button else _buttons(question.choices, body, variables)
    )
    return Rich(types, variables.values, _digest(types)) if types else None


@dataclass
class _Variables:
    """What differs from message to message, numbered in the order in which it is met."""

    values: dict[str, str] = field(default_factory=dict)

    def take(self, text: str) -> str:
        name = str(len(self.values) + 1)
        self.values[name] = text
        return f"{{{{{name}}}}}"


def plain(text: str) -> str:
    """As a variable may be: Twilio refuses tabs and wide gaps in it, and is said to refuse a "'" (21656).

    Only what is sent is made so: the line itself stays as it was written, or the model would not know its
    own words again.
    """
    return " ".join(text.replace("'", "’").split())


def _body(text: str, variables: _Variables) -> str:
    """Each line is a variable: line ends are refused inside of one."""
    return "\n".join(variables.take(line) if (line := plain(raw)) else "" for raw in text.split("\n"))


def _buttons(choices: Iterable[Choice], body: str, variables: _Variables) -> dict[str, Any]:
    actions = [
        {"type": "QUICK_REPLY", "title": choice.title, "id": _button_id(choice.id, variables)}
        for choice in choices
    ]
    fitting = all(units(action["title"]) <= MAX_BUTTON for action in actions)
    if not fitting or not 1 <= len(actions) <= MAX_BUTTONS:
        return {}
    return {"twilio/quick-reply": {"body": body, "actions": actions}}


def _button_id(choice_id: str, variables: _Variables) -> str:
    """The row behind a ":" differs from message to message, the word before it does not."""
    word, colon, row = choice_id.partition(":")
    return f"{word}:{variables.take(row)}" if colon else word


def _list(question: Question, body: str, variables: _Variables) -> dict[str, Any]:
    choices = question.choices
    if (
        not 1 <= len(choices) <= MAX_ITEMS
        or units(question.button) > MAX_BUTTON
        or not all(map(_fits, choices))
    ):
        return {}
    items = [_item(choice, variables) for choice in choices]
    return {"twilio/list-picker": {"body": body, "button": question.button, "items": items}}


def _fits(choice: Choice) -> bool:
    return (
        units(choice.title) <= MAX_ITEM
        and units(choice.description) <= MAX_DESCRIPTION
        and len(choice.id) <= MAX_ID
    )


def _item(choice: Choice, variables: _Variables) -> dict[str, str]:
    item = {"id": variables.take(choice.id), "item": variables.take(plain(choice.title))}
    if choice.description:
        item["description"] = variables.take(plain(choice.description))
    return item


def _digest(types: dict[str, Any]) -> str:
    return hashlib.sha256(json.dumps(types, sort_keys=True, ensure_ascii=False).encode()).hexdigest()
