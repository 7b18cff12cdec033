"""What the assistant asked last and what had been settled by then, read back from its own last answer.

Whatever is open stands in the last paragraph: what is settled, the numbered choices, the question. So the
last paragraph can be said again, and any other text (of another model, of people) leaves nothing open.
"""

import re
from dataclasses import dataclass, replace
from datetime import date, time
from enum import StrEnum

from bot.llm.rule_based.nlu.dates import Days
from bot.llm.rule_based.nlu.times import Hours
from bot.llm.rule_based.state.wish import (
    Wish,
    appointment_told,
    day_told,
    days_told,
    hours_told,
    joined,
    names_of,
    read_told,
    told,
)
from bot.llm.rule_based.tool_results import Appointment, Person, read_day, read_time

SO_FAR = "Então seria: "
MOVING = "Vamos mudar: "
NEW_TIME = "Para: "
AFTERWARDS = "Depois vemos: "
PUZZLED = "Desculpe, não entendi"
IN_NAME = "Em nome de "
CAN_WAIT = "Também posso colocar você na lista de espera de "


class Asked(StrEnum):
    """What is open. The value is the question, or its first words."""

    NOTHING = ""
    SERVICE = "Qual serviço você gostaria?"
    PERSON = "Com quem você prefere?"
    DAY = "Que dia fica bom para você?"
    WHICH_DAY = "Qual desses dias?"
    TIME = "Qual horário você prefere?"
    ONE_OCLOCK = "Você quer dizer às 13:00?"
    SLOT = "Qual deles você prefere?"
    BOOK = "Posso confirmar: "
    MOVE = "Posso remarcar: "
    CANCEL = "Posso cancelar: "
    WHICH_CANCEL = "Qual deles você quer cancelar?"
    WHICH_MOVE = "Qual deles você quer remarcar?"
    MOVE_OR_CANCEL = "Você quer remarcar ou cancelar?"
    WAIT = "Posso colocar você na lista de espera: "
    STAFF = "Quer que eu chame uma pessoa da equipe?"
    CHANGES = "O que você prefere mudar?"
    WANT = "Quer ver os horários"


@dataclass(frozen=True)
class Visit:
    """An appointment as it is told to the customer, without its number."""

    what: str
    day: date
    time: time

    def is_of(self, appointment: Appointment) -> bool:
        who = f"{appointment.service} com {appointment.person.name}"
        return (self.what, self.day, self.time) == (who, appointment.day, appointment.time)


@dataclass(frozen=True)
class Full:
    """A day, or a part of it ("de manhã"), on which nothing is free, and for which one may wait."""

    day: date
    part: str = ""

    @property
    def told(self) -> str:
        return ", ".join(filter(None, (day_told(self.day), self.part)))


@dataclass(frozen=True)
class Choice:
    """A numbered choice: its text, and the day, time and professional that it names if it is a dated one."""

    text: str
    day: date | None = None
    start: time | None = None
    person: str = ""


@dataclass(frozen=True)
class Memory:
    """`names`, `days`, `hours`: what is settled. `visit`: the appointment to be moved or cancelled.

    Of a move, `names` holds only somebody new. `choices`: the numbered ones; `offered`: days of which
    times were shown. `full`: what was asked for and is taken. `open_words`: the paragraph that asks.
    `puzzled`: nothing was understood last time. `customer`: in whose name it is to be booked. `later`: what
    wants a visit of its own.
    """

    asked: Asked = Asked.NOTHING
    names: str = ""
    days: Days | None = None
    hours: Hours | None = None
    visit: Visit | None = None
    choices: tuple[Choice, ...] = ()
    offered: tuple[date, ...] = ()
    full: Full | None = None
    open_words: str = ""
    puzzled: bool = False
    customer: str = ""
    later: str = ""

    @property
    def moving(self) -> bool:
        """Whether what is settled is the new time of a visit."""
        return self.visit is not None or self.asked == Asked.WHICH_MOVE

    @property
    def booking(self) -> bool:
        """Whether a new visit is being arranged."""
        return bool(self.names or self.days or self.hours) and not self.moving

    @property
    def settled_words(self) -> str:
        """What is settled, to stand before another question."""
        parts = (
            self.names,
            days_told(self.days) if self.days else "",
            hours_told(self.hours) if self.hours else "",
        )
        words = ", ".join(filter(None, parts))
        if self.visit is None:
            if self.moving:
                return ""
            return "\n".join(filter(None, (f"{SO_FAR}{words}." if words else "", afterwards(self.later))))
        if self.asked == Asked.CANCEL:
            return ""
        moving = f"{MOVING}{self.visit.what}, {day_told(self.visit.day)}, às {self.visit.time:%H:%M}."
        return "\n".join(filter(None, (moving, new_time(words))))


# --- writing -----------------------------------------------------------------------------------------------


def settled(wish: Wish) -> str:
    """The lines that say what is known so far; "" if nothing is."""
    words = told(wish)
    if wish.moving is None:
        so_far = f"{SO_FAR}{words}." if words else ""
        return "\n".join(filter(None, (so_far, afterwards(joined(wish.later)))))
    return "\n".join(filter(None, (f"{MOVING}{appointment_told(wish.moving)}.", new_time(words))))


def afterwards(names: str) -> str:
    """The line that says which services come after this visit; "" if none."""
    return f"{AFTERWARDS}{names}." if names else ""


def want(wish: Wish) -> str:
    """The paragraph that offers to look for times."""
    words = told(wish)
    asked = f"{Asked.WANT.value} para {words}?" if words else f"{Asked.WANT.value}?"
    return "\n".join(filter(None, (afterwards(joined(wish.later)), asked)))


def new_time(words: str) -> str:
    """The line that says to when a visit is to be moved; "" if nothing of it is known."""
    return f"{NEW_TIME}{words}." if words else ""


def question(wish: Wish, asked: Asked, *choices: str) -> str:
    """The paragraph that leaves `asked` open."""
    return "\n".join(filter(None, (settled(wish), *choices, asked.value)))


def booking_proposal(wish: Wish, day: date, start: time) -> str:
    return f"{Asked.BOOK.value}{names_of(wish)}, {day_told(day)}, às {start:%H:%M}?"


def move_proposal(appointment: Appointment, day: date, start: time, person: Person | None) -> str:
    what = f"{appointment.service} com {appointment.person.name}"
    before = f"{day_told(appointment.day)}, às {appointment.time:%H:%M}"
    new_person = f", com {person.name}" if person and person != appointment.person else ""
    return f"{Asked.MOVE.value}{what}, de {before}, para {day_told(day)}, às {start:%H:%M}{new_person}?"


def cancel_proposal(appointment: Appointment) -> str:
    return f"{Asked.CANCEL.value}{appointment_told(appointment)}?"


def in_name(customer: str) -> str:
    """The line that says in whose name a proposal is."""
    return f"{IN_NAME}{customer}."


def wait_proposal(names: str, full: Full, later: str = "") -> str:
    asked = f"{Asked.WAIT.value}{names}, {full.told}?"
    return "\n".join(filter(None, (asked, afterwards(later))))


def can_wait(full: Full) -> str:
    """The line that says that one may wait for it."""
    return f"{CAN_WAIT}{full.told}."


def numbered(options: list[str]) -> str:
    return "\n".join(f"{place}. {option}" for place, option in enumerate(options, start=1))


# --- reading -----------------------------------------------------------------------------------------------

_WHEN = r"[a-záç-]+, (?P<{0}day>\d\d/\d\d/\d{{4}}), às (?P<{0}time>\d\d:\d\d)"
_PROPOSALS = {
    Asked.BOOK: re.compile(rf"^{Asked.BOOK}(?P<what>.+), {_WHEN.format('')}\?", re.MULTILINE),
    Asked.CANCEL: re.compile(rf"^{Asked.CANCEL}(?P<what>.+), {_WHEN.format('')}\?", re.MULTILINE),
    Asked.MOVE: re.compile(
        rf"^{Asked.MOVE}(?P<what>.+), de {_WHEN.format('old')}, para {_WHEN.format('')}"
        r"(?:, com (?P<person>.+))?\?",
        re.MULTILINE,
    ),
}
_FULL = r"[a-záç-]+, (?P<day>\d\d/\d\d/\d{4})(?:, (?P<part>de manhã|à tarde|à noite))?"
_WAIT = re.compile(rf"^{Asked.WAIT}(?P<what>.+), {_FULL}\?$", re.MULTILINE)
_CAN_WAIT = re.compile(rf"^{CAN_WAIT}{_FULL}\.$", re.MULTILINE)
_LATER = re.compile(rf"^{AFTERWARDS}(.+)\.$", re.MULTILINE)
_IN_NAME = re.compile(rf"^{IN_NAME}(.+)\.$", re.MULTILINE)
_MENU = re.compile(r"(?:\n\d+\. [a-zá]{3}, \d\d/\d\d às \d\d:\d\d.*)+\s*$")
_MOVING = re.compile(rf"^{MOVING}(?P<what>.+), {_WHEN.format('')}\.$", re.MULTILINE)
_WANT = re.compile(rf"^{Asked.WANT}(?: para (?P<names>.+))?\?$", re.MULTILINE)
_OPTION = re.compile(r"^\d+\. (.+)$", re.MULTILINE)
_DATED = re.compile(
    r"[a-záç-]+, (?P<day>\d\d/\d\d/\d{4})(?:, às (?P<time>\d\d:\d\d))?(?:, com (?P<person>.+))?"
)
_OFFERED = re.compile(r"^- [a-záç-]+, (\d\d/\d\d/\d{4}):", re.MULTILINE)


def remembered(said: str) -> Memory:
    """What the last answer left open; nothing, if it holds a date that does not exist: it is not ours."""
    try:
        said = _MENU.sub("", said)  # times that the product numbered below the question
        later = _LATER.search(said.split("\n\n")[-1])
        return replace(_remembered(said), later=later[1] if later else "")
    except ValueError:
        return Memory()


def _remembered(said: str) -> Memory:
    first, last = said.partition("\n")[0], said.split("\n\n")[-1]
    puzzled = first.startswith(PUZZLED)
    for asked, pattern in _PROPOSALS.items():
        if match := pattern.search(last):
            return _proposed(asked, match, last, puzzled)
    if match := _WAIT.search(last):
        return _waiting(match, last, puzzled)
    if match := _WANT.search(last):
        names, days, _ = read_told(match["names"] or "")
        return Memory(Asked.WANT, names, days, open_words=last, puzzled=puzzled)
    closing = last.rpartition("\n")[2]
    asked = next((one for one in Asked if one.value and closing == one.value), Asked.NOTHING)
    if asked == Asked.NOTHING:
        return Memory(puzzled=puzzled)
    return _asked(asked, last, puzzled)


def _asked(asked: Asked, last: str, puzzled: bool) -> Memory:
    lines = last.split("\n")
    moving = _MOVING.search(last)
    new = moving or asked == Asked.WHICH_MOVE
    names, days, hours = read_told(_after(NEW_TIME if new else SO_FAR, lines))
    choices = tuple(_choice(option) for option in _OPTION.findall(last))
    full = _CAN_WAIT.search(last)
    return Memory(
        asked=asked,
        names=names,
        days=days,
        hours=hours,
        visit=_visit(moving) if moving else None,
        choices=choices,
        offered=_offered(asked, choices) or tuple(read_day(day) for day in _OFFERED.findall(last)),
        full=_full(full) if full else None,
        open_words=last,
        puzzled=puzzled,
    )


def _offered(asked: Asked, choices: tuple[Choice, ...]) -> tuple[date, ...]:
    days = (choice.day for choice in choices if asked == Asked.SLOT and choice.day)
    return tuple(dict.fromkeys(days))


def _full(match: re.Match[str]) -> Full:
    return Full(read_day(match["day"]), match["part"] or "")


def _waiting(match: re.Match[str], last: str, puzzled: bool) -> Memory:
    full = _full(match)
    days = Days((full.day,))
    return Memory(Asked.WAIT, match["what"], days, full=full, open_words=last, puzzled=puzzled)


def _choice(option: str) -> Choice:
    match = _DATED.fullmatch(option)
    if match is None:
        return Choice(option)
    clock = read_time(match["time"]) if match["time"] else None
    return Choice(option, read_day(match["day"]), clock, match["person"] or "")


def _after(label: str, lines: list[str]) -> str:
    line = next((line for line in lines if line.startswith(label)), label)
    return line.removeprefix(label).removesuffix(".")


def _visit(match: re.Match[str], prefix: str = "") -> Visit:
    return Visit(match["what"], read_day(match[f"{prefix}day"]), read_time(match[f"{prefix}time"]))


def _proposed(asked: Asked, match: re.Match[str], last: str, puzzled: bool) -> Memory:
    """A proposal: its day and hour, and for a move or cancellation the visit that it is about."""
    when = _visit(match)
    open_ = Memory(asked, open_words=last, puzzled=puzzled)
    if asked == Asked.CANCEL:
        return replace(open_, visit=when)
    open_ = replace(open_, days=Days((when.day,)), hours=Hours(starts=(when.time,)))
    if asked == Asked.BOOK:
        customer = _IN_NAME.search(last)
        return replace(open_, names=when.what, customer=customer[1] if customer else "")
    names = f"com {match['person']}" if match["person"] else ""
    return replace(open_, names=names, visit=_visit(match, "old"))
