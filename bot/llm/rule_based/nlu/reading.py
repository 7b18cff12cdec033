"""One reading of what a customer wrote: days, hours, topics, yes or no, in one pass over the lines.

Later lines and corrections ("na verdade 16h") win over earlier ones, lines that only add ("à tarde") add.
"""

import re
from dataclasses import dataclass, field, replace
from datetime import date, datetime

from bot.llm.rule_based.nlu.dates import Days, DaysRead, day_of_month, read_days
from bot.llm.rule_based.nlu.normalise import normalise
from bot.llm.rule_based.nlu.times import Hours, HoursRead, hour_named, read_hours
from bot.llm.rule_based.nlu.topics import Topic, topics_in
from bot.llm.rule_based.nlu.yes_no import leaves_choice

_CORRECTION = re.compile(
    r"(?:, |^| )"
    r"(?:na verdade|alias|quer dizer|digo|ou melhor|corrigindo|na real|melhor ainda|pensando bem) ?,? "
)
_GREETINGS = re.compile(r"\b(?:bom dia|boa tarde|boa noite)\b")
_DATE = r"\d{4}-\d\d-\d\d\b|\d{1,2}[-.]\d{1,2}[-.]\d{4}\b"
_PRIVATE_NUMBERS = re.compile(rf"(?<!\d)(?!{_DATE})\+?\d[\d .()-]{{7,}}\d")  # telephone, CPF
_NUMBER = re.compile(
    r"(?:(?:o|a|as|opcao|numero|n|nao|quero|prefiro|pode ser|pode|entao|melhor|umas|dia|e|sim|acho que|,) )*"
    r"(\d{1,2})(?: (\d{2}))?o?(?: (?:por favor|mesmo|esta bom|ok|,|obrigad[oa]|pode ser|serve|entao|👍))*"
)
_ORDINALS = {
    word: number
    for number, words in enumerate(
        (
            "primeiro primeira 1o 1a",
            "segundo segunda 2o 2a",
            "terceiro terceira 3o",
            "quarto 4o",
            "quinto 5o",
        ),
        start=1,
    )
    for word in words.split()
}
_ORDINAL = re.compile(
    rf"(?:quero |pode ser |prefiro |ser )?(?:o |a )?({'|'.join(_ORDINALS)}|ultimo|ultima)"
    r"(?: (?:opcao|horario|mesmo|por favor|da lista))*"
)


@dataclass(frozen=True)
class Segment:
    """A stretch of what was said. `correction`: it takes back what came before it."""

    text: str
    correction: bool = False


@dataclass(frozen=True)
class Reading:
    """What one or several messages in a row say.

    `text` is all of it, normalised; `segments` keep its parts with days and hours masked, for the names.
    `number`: the one number that is the whole answer; `number_minute` where a second one follows ("10 30").
    `ordinal`: "o segundo" is 2, "o último" is -1.
    """

    text: str = ""
    segments: tuple[Segment, ...] = ()
    days: DaysRead = field(default_factory=DaysRead)
    hours: HoursRead = field(default_factory=HoursRead)
    topics: frozenset[Topic] = frozenset()
    number: int | None = None
    number_minute: int = 0
    ordinal: int | None = None

    @property
    def rest(self) -> str:
        return " , ".join(segment.text for segment in self.segments)

    @property
    def has_facts(self) -> bool:
        hours = self.hours
        return bool(
            self.days.wanted
            or self.days.refused
            or hours.wanted
            or hours.shift
            or hours.same
            or hours.compare
        )

    @property
    def whichever(self) -> bool:
        """Whether the choice is left to us."""
        return leaves_choice(self.text)

    def number_as_day(self, today: date) -> Days | None:
        return day_of_month(self.number, today) if self.number else None

    def number_as_hour(self) -> Hours | None:
        return None if self.number is None else hour_named(self.number, self.number_minute)


def read(lines: tuple[str, ...], now: datetime, names: tuple[str, ...] = ()) -> Reading:
    """What the customer's `lines` mean at `now` (the business's local time).

    `names` (normalised) are kept from being read as days or hours: a service may be called "Meia perna às 8".
    """
    texts = _joined_alternatives([normalise(line) for line in lines])
    reading = Reading(text=" , ".join(texts), topics=topics_in(" , ".join(texts)))
    for segment in _segments(texts):
        reading = _added(reading, segment, now, names)
    return _numbered(reading, texts[-1] if texts else "")


def _joined_alternatives(texts: list[str]) -> list[str]:
    """A line that begins with "ou" goes on with the line before it."""
    joined: list[str] = []
    for text in filter(None, texts):
        if joined and text.startswith("ou "):
            joined[-1] += " " + text
        else:
            joined.append(text)
    return joined


def _segments(texts: list[str]) -> list[Segment]:
    found = []
    for text in texts:
        for place, part in enumerate(_CORRECTION.split(text)):
            if part.strip(" ,"):
                found.append(Segment(part, correction=place > 0))
    return found


def _added(reading: Reading, segment: Segment, now: datetime, names: tuple[str, ...]) -> Reading:
    cleaned = _PRIVATE_NUMBERS.sub(" ", _GREETINGS.sub(" ", segment.text))
    hidden, masked = _hide(cleaned, names)
    days = read_days(masked, now.date())
    hours = read_hours(days.rest, now)
    rest = Segment(_shown(hours.rest, hidden), segment.correction)
    return replace(
        reading,
        segments=(*reading.segments, rest),
        days=_later_days(reading.days, days),
        hours=_later_hours(reading.hours, hours),
    )


def _later_days(first: DaysRead, second: DaysRead) -> DaysRead:
    return DaysRead(
        wanted=second.wanted or first.wanted,
        source=second.source or first.source,
        target=second.target or first.target,
        refused=first.refused + second.refused,
    )


def _later_hours(first: HoursRead, second: HoursRead) -> HoursRead:
    return HoursRead(
        wanted=second.wanted or first.wanted,
        source=second.source or first.source,
        target=second.target or first.target,
        day=second.day or first.day,
        shift=second.shift or first.shift,
        same=second.same or first.same,
        compare=second.compare or first.compare,
    )


# Names, hidden while days and hours are read


def _hide(text: str, names: tuple[str, ...]) -> tuple[list[str], str]:
    """Each known name becomes one letter of Unicode's private area, which no pattern knows."""
    hidden: list[str] = []
    for name in sorted(filter(None, names), key=len, reverse=True):
        pattern = re.compile(rf"(?<!\w){re.escape(name)}(?!\w)")
        if pattern.search(text):
            text = pattern.sub(chr(0xE000 + len(hidden)), text)
            hidden.append(name)
    return hidden, text


def _shown(text: str, hidden: list[str]) -> str:
    for place, name in enumerate(hidden):
        text = text.replace(chr(0xE000 + place), name)
    return text


# Answers by number


def _numbered(reading: Reading, last_line: str) -> Reading:
    line = last_line.strip(" ,")
    if ordinal := _ORDINAL.fullmatch(line):
        return replace(reading, ordinal=_ORDINALS.get(ordinal[1], -1))
    if number := _NUMBER.fullmatch(line):
        return replace(reading, number=int(number[1]), number_minute=int(number[2] or 0))
    return reading
