"""A question with a few answers to choose from, and what of them a customer chose. Pure.

The answers go out as buttons or a list where that is possible, and always as a numbered text. Their ids are
ours: whatever comes back, a tapped button, a number or the words, is one of them.
"""

import re
from dataclasses import dataclass
from typing import Any

from models.message import Message
from tools.speech import folded


@dataclass(frozen=True)
class Choice:
    """One answer. `title` is what the customer reads and taps."""

    id: str
    title: str


@dataclass(frozen=True)
class Question:
    """`body` asks; the customer chooses one of `choices`."""

    body: str
    choices: tuple[Choice, ...]

    def text(self) -> str:
        """The question with its answers numbered."""
        numbered = (f"{number}. {choice.title}" for number, choice in enumerate(self.choices, 1))
        return "\n".join([self.body, *numbered])

    def extra(self) -> dict[str, Any]:
        """As the line that asks keeps it."""
        return {"choices": [{"id": choice.id, "title": choice.title} for choice in self.choices]}


def offered(line: Message | None) -> tuple[Choice, ...]:
    """What a line of ours let the customer choose from."""
    kept = line.extra.get("choices", ()) if line is not None else ()
    return tuple(Choice(one["id"], one["title"]) for one in kept)


def chosen(choices: tuple[Choice, ...], answer: Message) -> Choice | None:
    """The one that a message chooses; None for any other answer."""
    by_id = {choice.id: choice for choice in choices}
    by_number = {str(number): choice for number, choice in enumerate(choices, 1)}
    by_title = {_words(choice.title): choice for choice in choices}
    tapped = (by_id.get(answer.extra.get(key, "")) for key in ("button_payload", "list_id"))
    words = _words(answer.text)
    return next(filter(None, tapped), None) or by_number.get(words) or by_title.get(words)


def _words(text: str) -> str:
    """The words alone: "Opção 2." and "2️⃣" are "2"."""
    return re.sub(r"^(?:opcao|a|o|numero|n) (?=\d+$)", "", " ".join(re.findall(r"\w+", folded(text))))
