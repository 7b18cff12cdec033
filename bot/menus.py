"""What the bot's own words let the customer choose from: times that it offers, or a yes to its question.

Pure. Read from the final text of a run and from what the run's searches found: a time becomes a choice only
if both name it.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import date, time
from typing import Any

from bot import choices
from bot.choices import Choice, Question
from bot.llm.offline.results import Slot, found_in, nearest_in
from tools import speech

MAX_CHOICES = 10
BUTTON = "Ver horários"
YES, NO, OTHER = Choice("yes", "Sim"), Choice("no", "Não"), Choice("other", "Outro horário")


@dataclass(frozen=True)
class Found:
    """What a tool said in this run: its name, its arguments and its result."""

    tool: str
    arguments: Any
    text: str


def question(text: str, results: Sequence[Found]) -> Question | None:
    """The question that a text asks, with its answers; None where it asks none that can be tapped."""
    if "?" not in text or _ASKS_SERVICE.search(speech.folded(text.rpartition("?")[0].rpartition("\n")[2])):
        return None
    text = text.replace("'", "’")  # what a variable may hold, here already: by it the line is found again
    slots = _named(text, _slots(results))
    if 2 <= len(slots) <= MAX_CHOICES:
        return Question(text, tuple(map(_choice, slots)), BUTTON)
    if len(slots) <= 1 and _wants_yes(text):
        return Question(text, (YES, NO) if _CANCELS.search(speech.folded(text)) else (YES, NO, OTHER))
    return None


# Times


def _slots(results: Iterable[Found]) -> list[Slot]:
    """Every start that the run has seen free, once, in order of time."""
    seen = (slot for result in results for slot in _slots_of(result))
    return sorted(dict.fromkeys(seen), key=lambda slot: (slot.day, slot.time, slot.person.id))


def _slots_of(result: Found) -> Iterable[Slot]:
    day = _day(result.arguments)
    if result.tool == "buscar_horarios" and day is not None:
        found = found_in(result.text, day)
        return (*found.slots, *found.nearest)
    return nearest_in(result.text)


def _day(arguments: Any) -> date | None:
    try:
        return date.fromisoformat(arguments["data"])
    except (TypeError, KeyError, ValueError):
        return None


_CLOCK = re.compile(r"\b([01]?\d|2[0-3])(?::([0-5]\d)|\s?h(?:oras?\b|([0-5]\d)?\b))")
_DAY = re.compile(r"\b([0-3]?\d)/([01]?\d)\b")


def _named(text: str, slots: Sequence[Slot]) -> list[Slot]:
    """The slots that the text names: by time, and by day and person where it names any of those at all."""
    times = {time(int(found[1]), int(found[2] or found[3] or 0)) for found in _CLOCK.finditer(text)}
    days = {(int(found[1]), int(found[2])) for found in _DAY.finditer(text)}
    words = set(re.findall(r"\w+", speech.folded(text)))
    named = [slot for slot in slots if slot.time in times]
    named = _narrowed(named, lambda slot: (slot.day.day, slot.day.month) in days)
    return _narrowed(named, lambda slot: speech.folded(slot.person.name).split()[0] in words)


def _narrowed(slots: list[Slot], test: Callable[[Slot], bool]) -> list[Slot]:
    return [slot for slot in slots if test(slot)] or slots


def _choice(slot: Slot) -> Choice:
    name = speech.shortened(slot.person.name, 60)
    title = f"{_SHORT[slot.day.weekday()]}, {slot.day:%d/%m} às {slot.time:%H:%M}"
    return Choice(choices.slot_id(slot.person.id, slot.day, slot.time), title, f"com {name}")


_SHORT = ("seg", "ter", "qua", "qui", "sex", "sáb", "dom")


# What is neither answered by a time nor by a yes, whatever was found beside it.
_ASKS_SERVICE = re.compile(r"\b(?:qual|quais|que) (?:d[eo]s?s?[ea]?s? )?servicos?\b[^.!?]*$")

# A yes

_ASKS = re.compile(
    r"\b(?:(?:posso|podemos|quer que eu|devo|vamos) (?:ja )?"
    r"(?:confirm|marc|agend|reserv|remarc|cancel|mud|troc)\w*|"
    r"confirma\w*|pode ser|esta (?:certo|correto)|tudo certo|certo|correto|fechado|combinado)\b"
)
_CANCELS = re.compile(r"\bcancel")
# Behind the question, what a yes or a no would not answer.
_ASKS_MORE = re.compile(r"\b(?:se|ou|prefer\w*|outr[oa]s?|diga|avis\w+|escolh\w+|qual|quer\w*)\b")


def _wants_yes(text: str) -> bool:
    """Whether a text ends with a question that can be answered by yes or no."""
    asked, _, rest = text.rpartition("?")
    last = speech.folded(re.split(r"[.!?\n]", asked)[-1])
    return bool(_ASKS.search(last)) and " ou " not in last and not _ASKS_MORE.search(speech.folded(rest))
