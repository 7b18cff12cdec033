"""What tool results say, read back from their Portuguese: services, free times, appointments."""

import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import date, datetime, time
from typing import Literal, TypeVar

WHEN = r"[a-záç]+(?:-feira)?, (?P<day>\d\d/\d\d/\d{4}), às (?P<time>\d\d:\d\d)"

_SERVICE = re.compile(
    r"- (?P<name>.+) \(servico_id (?P<id>\d+)\): (?P<minutes>\d+) min, (?P<price>.+?)\."
    r"(?: (?:Com: (?P<team>.+)\.|Sem profissional.*))?$"
)
_PERSON = re.compile(r"(?:^|, )(?P<name>.+?) \(profissional_id (?P<id>\d+)\)")
_FREE = re.compile(r"- (?P<name>.+) \(profissional_id (?P<id>\d+)\): (?P<times>\d\d:\d\d.*)$")
_NEAREST = re.compile(rf"- {WHEN}, com (?P<name>.+) \(profissional_id (?P<id>\d+)\)\.?$")
_APPOINTMENT = re.compile(
    r"- agendamento_id (?P<id>\d+): (?P<service>.+) com (?P<name>.+?) \(profissional_id (?P<person>\d+)\), "
    rf"{WHEN}"
)
_HELD = re.compile(
    r"Oferta da lista de espera: (?P<service>.+) \(servico_id \d+\) com (?P<name>.+?) "
    rf"\(profissional_id (?P<person>\d+)\), {WHEN}"
)
_DONE = re.compile(r"(?P<verb>[^(\n]+?) \(agendamento_id \d+\): (?P<what>.+)")
_MORE = re.compile(r"\be mais (\d+)")
_MORE_TIMES = re.compile(r"\d\d:\d\d e mais \d+$")
_MORE_PEOPLE = re.compile(r"\(profissional_id \d+\) e mais \d+\.$")
_IDS = re.compile(r" ?\((?:servico|profissional|agendamento)_id \d+\)|(?<=agendamento)_id \d+")
_FOR_MODELS = re.compile(r"\w_\w|\bferramenta|\bargumento|\bidentificador", re.IGNORECASE)
_BROKEN = re.compile(
    r"não tente de novo|indisponível no momento|^Não executada|^Esta chamada já foi feita|^A ferramenta ",
    re.IGNORECASE,
)

_CLOCK = re.compile(r"\b(?:[01]\d|2[0-3]):[0-5]\d\b")
_T = TypeVar("_T")

Kind = Literal["ok", "refused", "failed"]


@dataclass(frozen=True)
class Result:
    """One tool result. `refused`: a rule said no, and `text` says why; `failed`: it did not work."""

    kind: Kind
    text: str = ""


@dataclass(frozen=True)
class Person:
    id: int
    name: str


@dataclass(frozen=True)
class Service:
    id: int
    name: str
    minutes: int
    price: str
    team: tuple[Person, ...]

    @property
    def cents(self) -> int | None:
        """The price as a number: "R$ 1.120,00" is 112000, "preço sob consulta" none."""
        digits = "".join(filter(str.isdigit, self.price))
        return int(digits) if digits else None


@dataclass(frozen=True)
class Catalogue:
    """Services as a tool listed them. `cut`: there are more services, or more people, than it showed."""

    services: tuple[Service, ...] = ()
    cut: bool = False

    @property
    def team(self) -> tuple[Person, ...]:
        """Everybody, each once, in the order of the services."""
        return tuple(dict.fromkeys(person for service in self.services for person in service.team))


@dataclass(frozen=True)
class Slot:
    """One possible start. `day` and `time` are local to the business."""

    day: date
    time: time
    person: Person


@dataclass(frozen=True)
class Gaps:
    """A shortened line of free times: between its first and its last there are more than it shows."""

    first: Slot
    last: time

    def may_hold(self, earliest: time, latest: time) -> bool:
        """Whether a start from `earliest` through `latest` may be among what is not shown."""
        return self.first.time < latest and earliest < self.last


@dataclass(frozen=True)
class Found:
    """What a search gave: free slots of the asked day, or why there are none and what is nearest."""

    slots: tuple[Slot, ...] = ()
    gaps: tuple[Gaps, ...] = ()
    reason: str = ""
    nearest: tuple[Slot, ...] = field(default=())


@dataclass(frozen=True)
class Appointment:
    id: int
    service: str
    person: Person
    day: date
    time: time


@dataclass(frozen=True)
class Held:
    """A time that the waiting list keeps for the customer."""

    service: str
    person: Person
    day: date
    time: time


def result_of(text: str, is_error: bool) -> Result:
    """A refusal speaks of the agenda; whatever else went wrong is a failure."""
    if not is_error:
        return Result("ok", text)
    speaks = not _BROKEN.search(text) and reason_in(text)
    return Result("refused" if speaks else "failed", text)


def catalogue_in(text: str) -> Catalogue:
    """The services that buscar_servicos listed."""
    services = _lines(_SERVICE, text, _service)
    last = text.strip().rpartition("\n")[2]
    shortened = any(_MORE_PEOPLE.search(line) for line in text.splitlines())
    return Catalogue(
        tuple(services), cut=shortened or (not last.startswith("-") and bool(_MORE.search(last)))
    )


def _service(match: re.Match[str]) -> Service:
    team = tuple(Person(int(m["id"]), m["name"]) for m in _PERSON.finditer(match["team"] or ""))
    return Service(int(match["id"]), match["name"], int(match["minutes"]), match["price"], team)


def found_in(text: str, day: date) -> Found:
    """A search's result for `day`. Lines of free times count only before "Horários mais próximos"."""
    lines = [line.strip() for line in text.splitlines()]
    free = [(line, slots) for line in lines if (slots := _free(line, day))]
    gaps = [Gaps(slots[0], slots[-1].time) for line, slots in free if _MORE_TIMES.search(line)]
    found = [slot for _, slots in free for slot in slots]
    return Found(tuple(found), tuple(gaps), reason_in(text), nearest_in(text))


def _free(line: str, day: date) -> list[Slot]:
    match = _FREE.match(line)
    if not match:
        return []
    person = Person(int(match["id"]), match["name"])
    return [Slot(day, read_time(clock), person) for clock in _CLOCK.findall(match["times"])]


def nearest_in(text: str) -> tuple[Slot, ...]:
    """The alternatives that a refusal names."""
    return tuple(_lines(_NEAREST, text, _slot))


def appointments_in(text: str) -> tuple[Appointment, ...]:
    """The customer's own, from the tool or the context."""
    return tuple(_lines(_APPOINTMENT, text, _appointment))


def _lines(pattern: re.Pattern[str], text: str, build: Callable[[re.Match[str]], _T]) -> Iterator[_T]:
    """What the fitting lines hold; a line with a date that does not exist holds nothing."""
    for line in text.splitlines():
        if match := pattern.match(line.strip()):
            with suppress(ValueError):  # 30/02: such a line holds nothing
                yield build(match)


def _slot(match: re.Match[str]) -> Slot:
    return Slot(read_day(match["day"]), read_time(match["time"]), Person(int(match["id"]), match["name"]))


def _appointment(match: re.Match[str]) -> Appointment:
    person = Person(int(match["person"]), match["name"])
    return Appointment(
        int(match["id"]), match["service"], person, read_day(match["day"]), read_time(match["time"])
    )


def done_in(text: str) -> tuple[str, str]:
    """("Agendado", "Corte feminino com …") from the line of a write; ("", "") if it is none."""
    match = _DONE.match(text.strip())
    return (match["verb"], match["what"].strip()) if match else ("", "")


def held_in(context: str) -> Held | None:
    """The offer of the waiting list that the context tells."""
    return next(iter(_lines(_HELD, context, _held)), None)


def _held(match: re.Match[str]) -> Held:
    person = Person(int(match["person"]), match["name"])
    return Held(match["service"], person, read_day(match["day"]), read_time(match["time"]))


def waiting_in(text: str) -> str:
    """The line of the waiting list, fit for the customer."""
    told = _IDS.sub("", text.strip().splitlines()[0] if text.strip() else "")
    return told.replace("o cliente", "você").replace("; diga isso a ele", "")


def reason_in(text: str) -> str:
    """The sentence of a refusal, fit for the customer: no ids, nothing that is meant for a model; else ""."""
    told = text.partition("Horários mais próximos")[0].strip()
    sentence = _IDS.sub("", told.splitlines()[0] if told else "").strip()
    return "" if _FOR_MODELS.search(sentence) else sentence.replace("o cliente já", "você já")


def read_day(text: str) -> date:
    """From dd/mm/yyyy. Raises ValueError for a day that does not exist."""
    return datetime.strptime(text, "%d/%m/%Y").date()  # noqa: DTZ007  a day has no zone


def read_time(clock: str) -> time:
    """From HH:MM. Raises ValueError for what no clock shows."""
    hour, minute = clock.split(":")
    return time(int(hour), int(minute))
