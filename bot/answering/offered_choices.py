"""What the bot's own words let the customer choose from: times that it offers, or a yes to its question.

Pure. An answer may say itself what it offers; then exactly that is shown. Else it is read from the final text
of a run and from what the run's searches found: a time becomes a choice only if both name it.
"""

import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import date, time

from bot.intents import choices
from bot.intents.choices import Choice, Question
from bot.whatsapp.content_api import MAX_ITEM
from bot.whatsapp.text_parts import units
from models.run import RunStep, StepKind
from tools import portuguese
from tools.facts import Fact, FreeStarts, Named, NoneFree, Refused, load

MAX_CHOICES = 10
BUTTON = "Ver horários"
YES, NO, OTHER = Choice("yes", "Sim"), Choice("no", "Não"), Choice("other", "Outro horário")


@dataclass(frozen=True)
class Slot:
    """A free start, local to the business."""

    day: date
    time: time
    person: Named


def of_run(text: str, steps: Sequence[RunStep]) -> Question | None:
    """The question that a run's answer asks: as the answer itself tells it, else as its text and what was
    found say.
    """
    answers = [step.content for step in steps if step.kind == StepKind.ANSWER and step.kept]
    blocks = answers[-1] or [] if answers else []
    declared = next((block["offers"] for block in blocks if block.get("offers")), None)
    if declared is not None:
        choices = tuple(Choice(**one) for one in declared["choices"])
        return Question(declared["body"], choices, declared["button"])
    results = [step.content.get("facts") for step in steps if step.kind == StepKind.RESULT]
    return question(text, [fact for found in results for fact in load(found)])


def question(text: str, facts: Sequence[Fact]) -> Question | None:
    """The question that a text asks, with its answers; None where it asks none that can be tapped."""
    if "?" not in text or _ASKS_SERVICE.search(
        portuguese.folded(text.rpartition("?")[0].rpartition("\n")[2])
    ):
        return None
    yes = _wants_yes(text)
    slots = _named(text, _slots(facts), moves=yes and bool(_MOVES.search(portuguese.folded(text))))
    if 2 <= len(slots) <= MAX_CHOICES:
        return Question(text, _choices(slots), BUTTON)
    if len(slots) <= 1 and yes:
        return Question(text, (YES, NO) if _CANCELS.search(portuguese.folded(text)) else (YES, NO, OTHER))
    return None


# Times


def _slots(facts: Iterable[Fact]) -> list[Slot]:
    """Every start that the run has seen free, once, in order of time."""
    seen = (slot for fact in facts for slot in _slots_of(fact))
    return sorted(dict.fromkeys(seen), key=lambda slot: (slot.day, slot.time, slot.person.id))


def _slots_of(fact: Fact) -> Iterable[Slot]:
    match fact:
        case FreeStarts():
            return [Slot(fact.day, start, one.professional) for one in fact.free for start in one.starts]
        case NoneFree() | Refused():
            near = [(one.starts_at, one.professional) for one in fact.nearest]
            return [Slot(start.date(), start.time(), person) for start, person in near]
    return ()


_CLOCK = re.compile(r"\b([01]?\d|2[0-3])(?::([0-5]\d)|\s?h(?:oras?\b|([0-5]\d)?\b))")
_DAY = re.compile(r"\b([0-3]?\d)/([01]?\d)\b")


def _named(text: str, slots: Sequence[Slot], *, moves: bool) -> list[Slot]:
    """The slots that the text names: by time, and by day and person where it names any of those at all.

    Where it `moves` a visit, its old time is none of them.
    """
    offering = text.rpartition(" para ")[2] if moves else text
    times = {time(int(found[1]), int(found[2] or found[3] or 0)) for found in _CLOCK.finditer(offering)}
    days = {(int(found[1]), int(found[2])) for found in _DAY.finditer(offering)}
    words = set(_words(text))
    named = [slot for slot in slots if slot.time in times]
    named = _narrowed(named, lambda slot: (slot.day.day, slot.day.month) in days)
    return _narrowed(named, lambda slot: portuguese.folded(_first_name(slot.person)) in words)


def _narrowed(slots: list[Slot], test: Callable[[Slot], bool]) -> list[Slot]:
    return [slot for slot in slots if test(slot)] or slots


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", portuguese.folded(text))


def _first_name(person: Named) -> str:
    """What a text calls them by: "Zé" of "💈 Zé Luz", "Bia" of "Dra. Bia", "Ávila" of "D'Ávila"."""
    told = unicodedata.normalize("NFC", person.name)
    names: list[str] = re.findall(r"\w\w+", told) or re.findall(r"\w+", told) or [told]
    return next((name for name in names if portuguese.folded(name) not in _HONORIFICS), names[0])


_HONORIFICS = ("dr", "dra", "sr", "sra", "prof", "profa")


def _choices(slots: Sequence[Slot]) -> tuple[Choice, ...]:
    """A row of a list for each, by the first way of putting it that tells them apart in its space."""
    ways = ([way(slot) for slot in slots] for way in _TITLES_OF_SLOTS)
    fitting = (titles for titles in ways if _tell_apart(titles))
    titles = next(fitting, [f"{number}. {_plainest(slot)}" for number, slot in enumerate(slots, 1)])
    return tuple(map(_choice, slots, titles))


def _tell_apart(titles: Sequence[str]) -> bool:
    return len(set(titles)) == len(titles) and all(units(title) <= MAX_ITEM for title in titles)


def _choice(slot: Slot, title: str) -> Choice:
    name = portuguese.shortened(slot.person.name, 60)
    return Choice(choices.slot_id(slot.person.id, slot.day, slot.time), title, f"com {name}")


def _plainest(slot: Slot) -> str:
    return f"{slot.day:%d/%m} {slot.time:%H:%M}"


_SHORT = ("seg", "ter", "qua", "qui", "sex", "sáb", "dom")
# At the same time there may be several people.
_TITLES_OF_SLOTS: tuple[Callable[[Slot], str], ...] = (
    lambda slot: f"{_SHORT[slot.day.weekday()]}, {slot.day:%d/%m} às {slot.time:%H:%M}",
    lambda slot: f"{_SHORT[slot.day.weekday()]} {_plainest(slot)} {_first_name(slot.person)}",
    lambda slot: f"{_plainest(slot)} {_first_name(slot.person)}",
    lambda slot: f"{_plainest(slot)} {slot.person.name}",
    lambda slot: f"{_plainest(slot)} {portuguese.shortened(_first_name(slot.person), 12)}",
)


# What is neither answered by a time nor by a yes, whatever was found beside it.
_ASKS_SERVICE = re.compile(r"\b(?:qual|quais|que) (?:d[eo]s?s?[ea]?s? )?servicos?\b[^.!?]*$")

# A yes

_ASKS = re.compile(
    r"\b(?:(?:posso|podemos|quer que eu|devo|vamos) (?:ja )?"
    r"(?:confirm|marc|agend|reserv|remarc|cancel|mud|troc)\w*|"
    r"confirma\w*|pode ser|esta (?:certo|correto)|tudo certo|certo|correto|fechado|combinado)\b"
)
_MOVES = re.compile(r"\b(?:remarc|mud|troc|pass)\w{0,12}.{0,200} para ")
_CANCELS = re.compile(r"\bcancel")
# Behind the question, what a yes or a no would not answer.
_ASKS_MORE = re.compile(r"\b(?:se|ou|prefer\w*|outr[oa]s?|diga|avis\w+|escolh\w+|qual|quer\w*)\b")


def _wants_yes(text: str) -> bool:
    """Whether a text ends with a question that can be answered by yes or no."""
    asked, _, rest = text.rpartition("?")
    last = portuguese.folded(re.split(r"[.!?\n]", asked)[-1])
    return bool(_ASKS.search(last)) and " ou " not in last and not _ASKS_MORE.search(portuguese.folded(rest))
