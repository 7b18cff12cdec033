"""A question with a few answers to choose from, and what of them a customer chose. Pure.

The answers go out as buttons or a list where the business wants that and it is possible, else as a text.
Their ids are ours: whatever comes back, a tapped button, a number or the words, is one of them.
"""

import re
from collections import Counter
from dataclasses import dataclass
from datetime import date, datetime, time

from models.message import ChoiceData, Extra, Message
from tools import portuguese
from tools.portuguese import folded


@dataclass(frozen=True)
class Choice:
    """One answer. `title` is what the customer reads and taps; in a list `description` stands below it."""

    id: str
    title: str
    description: str = ""

    def line(self) -> str:
        return f"{self.title}, {self.description}" if self.description else self.title

    def data(self) -> ChoiceData:
        return {"id": self.id, "title": self.title, "description": self.description}


@dataclass(frozen=True)
class Question:
    """`body` asks; the customer chooses one of `choices`. With `button` it is a list, opened by that."""

    body: str
    choices: tuple[Choice, ...]
    button: str = ""

    def numbered(self) -> str:
        """The question with its answers numbered."""
        lines = (f"{number}. {choice.line()}" for number, choice in enumerate(self.choices, 1))
        return "\n".join([self.body, *lines])

    def extra(self, *, tappable: bool) -> Extra:
        """As the line that asks keeps it; only with `tappable` it goes out with buttons or a list."""
        found: Extra = {"choices": [choice.data() for choice in self.choices]}
        if tappable:
            found["menu"] = {"body": self.body, "button": self.button}
        return found


def menu_of(extra: Extra) -> Question | None:
    """What is to go out with buttons or a list, of what a line keeps."""
    menu = extra.get("menu")
    return Question(menu["body"], _choices(extra), menu["button"]) if menu else None


def offered(line: Message | None) -> tuple[Choice, ...]:
    """What a line of ours let the customer choose from."""
    return _choices(line.extra) if line is not None else ()


def _choices(extra: Extra) -> tuple[Choice, ...]:
    return tuple(Choice(**one) for one in extra.get("choices", ()))


def chosen(choices: tuple[Choice, ...], answer: Message) -> Choice | None:
    """The one that a message chooses; None for any other answer."""
    by_id = {choice.id: choice for choice in choices}
    words = _words(answer.text)
    tapped = map(by_id.get, (answer.extra.get("button_payload", ""), answer.extra.get("list_id", "")))
    return next(filter(None, tapped), None) or _by_number(choices).get(words) or _by_title(choices).get(words)


def _by_number(choices: tuple[Choice, ...]) -> dict[str, Choice]:
    return {str(number): choice for number, choice in enumerate(choices, 1)}


def _by_title(choices: tuple[Choice, ...]) -> dict[str, Choice]:
    titles = [_words(choice.title) for choice in choices]
    counts = Counter(titles)
    return {title: choice for title, choice in zip(titles, choices, strict=True) if counts[title] == 1}


def _words(text: str) -> str:
    """The words alone: "Opção 2." and "2️⃣" are "2"."""
    return re.sub(r"^(?:opcao|a|o|numero|n) (?=\d+$)", "", " ".join(re.findall(r"\w+", folded(text))))


# Ids that tell more than their title

_SLOT = re.compile(r"slot:(\d{1,9}):(\d{4}-\d\d-\d\dT\d\d:\d\d)", re.ASCII)


def slot_id(professional_id: int, day: date, at: time) -> str:
    """The id of a free start, local to the business."""
    return f"slot:{professional_id}:{day.isoformat()}T{at:%H:%M}"


def tells_more(choice_id: str) -> bool:
    """Whether an id means more than its title says."""
    return bool(_SLOT.fullmatch(choice_id))


def words(message: Message) -> list[str]:
    """What a chosen id means, as the model reads it; nothing where its title says it all."""
    extra = message.extra
    told = (extra.get("chosen", ""), extra.get("button_payload", ""), extra.get("list_id", ""))
    ids = map(_SLOT.fullmatch, told)
    return [line for found in filter(None, ids) if (line := _slot_words(int(found[1]), found[2]))][:1]


def _slot_words(professional_id: int, start: str) -> str:
    try:
        at = datetime.fromisoformat(start)
    except ValueError:
        return ""
    return (
        f"[Horário que o cliente escolheu na lista: {portuguese.WEEKDAYS[at.weekday()]}, data {at:%Y-%m-%d}, "
        f"hora {at:%H:%M}, profissional_id {professional_id}.]"
    )
