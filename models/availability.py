"""Free starts as plain arithmetic: the one predicate that listing and booking share.

Nothing here touches a database or a clock. Instants are aware UTC datetimes, minutes count from local
midnight (1440 is midnight at the day's end), intervals are half-open: what touches does not overlap.

The grid of a day starts anew at the start of each working window and is laid on the wall clock, so bookings
never move it. A local time that the clocks skip is not on it; one that they repeat is there once, at its
first occurrence. Durations are added to instants, never to wall clocks.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, time, timedelta
from enum import StrEnum
from functools import lru_cache
from zoneinfo import ZoneInfo

from models.errors import Alternative

MINUTES_OF_DAY = 24 * 60
WHOLE_DAY = (0, MINUTES_OF_DAY)
MAX_ALTERNATIVES = 3


class Code(StrEnum):
    """Why a start, a day or a change is refused."""

    PASSADO = "PASSADO"
    HORIZONTE = "HORIZONTE"
    FERIADO = "FERIADO"
    FECHADO = "FECHADO"
    FOLGA = "FOLGA"
    FORA_DO_EXPEDIENTE = "FORA_DO_EXPEDIENTE"
    INTERVALO = "INTERVALO"
    ANTECEDENCIA = "ANTECEDENCIA"
    OCUPADO = "OCUPADO"
    FORA_DA_GRADE = "FORA_DA_GRADE"
    HORA_INEXISTENTE = "HORA_INEXISTENTE"
    DIA_SEMANA_ERRADO = "DIA_SEMANA_ERRADO"
    SERVICO_NAO_ATENDIDO = "SERVICO_NAO_ATENDIDO"
    LIMITE_CLIENTE = "LIMITE_CLIENTE"
    JA_COMECOU = "JA_COMECOU"
    JA_CANCELADO = "JA_CANCELADO"
    PRAZO_DE_MUDANCA = "PRAZO_DE_MUDANCA"


@dataclass(frozen=True, slots=True)
class Rules:
    """What the whole business agrees on."""

    zone: ZoneInfo
    step_minutes: int
    notice_minutes: int
    horizon_days: int


@dataclass(frozen=True, slots=True)
class Span:
    """How long a visit takes, what is kept free around it, and whether it is done on holidays too."""

    minutes: int
    before_minutes: int = 0
    after_minutes: int = 0
    on_holidays: bool = False


@dataclass(frozen=True, slots=True)
class Window:
    """Local minutes of a weekday (0 = Monday) in which somebody works."""

    weekday: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Block:
    """No work from `first` through `last`, the last day included, in this part of each of those days."""

    code: Code
    first: date
    last: date
    start: int = 0
    end: int = MINUTES_OF_DAY
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Busy:
    """Taken time, with the buffers of what takes it."""

    begins: datetime
    ends: datetime


@dataclass(frozen=True, slots=True)
class Agenda:
    """One professional: weekly hours, and what stands in the way on the days that were loaded."""

    windows: tuple[Window, ...] = ()
    blocks: tuple[Block, ...] = ()
    busy: tuple[Busy, ...] = ()


@dataclass(frozen=True, slots=True)
class Reason:
    """A code with the plain values that a sentence about it needs."""

    code: Code
    detail: dict[str, object] = field(default_factory=dict)


def slots(
    rules: Rules, agenda: Agenda, span: Span, day: date, now: datetime, part: tuple[int, int] = WHOLE_DAY
) -> list[datetime]:
    """The free starts of one local date, in order; with `part`, those within these local minutes."""
    if check_date(rules, day, now):
        return []
    plan = _Plan(rules, agenda, day, now)
    return [start for start in plan.grid(part) if plan.refuses(span, start) is None]


def check(rules: Rules, agenda: Agenda, span: Span, start: datetime, now: datetime) -> Reason | None:
    """None if `start` can be booked, which is exactly when `slots` lists it; else why not."""
    day = start.astimezone(rules.zone).date()
    if reason := check_date(rules, day, now):
        return reason
    plan = _Plan(rules, agenda, day, now)
    if reason := plan.refuses(span, start):
        return reason
    return None if start in plan.grid() else Reason(Code.FORA_DA_GRADE, {"step": rules.step_minutes})


def check_rules(rules: Rules, agenda: Agenda, span: Span, start: datetime, now: datetime) -> Reason | None:
    """Which rule a start breaks, whether its time is taken or not; the grid binds nobody here."""
    reason = check(rules, replace(agenda, busy=()), span, start, now)
    return None if reason and reason.code == Code.FORA_DA_GRADE else reason


def check_place(rules: Rules, agenda: Agenda, visit: Span, start: datetime) -> Reason | None:
    """Why a visit that stands already does not fit the hours and blocks of its day; None if it does.

    It ends on that day: of one that lasts over midnight, ask for each day's part.
    """
    return check_rules(replace(rules, notice_minutes=0), agenda, visit, start, now=start)


def is_taken(agenda: Agenda, span: Span, start: datetime) -> bool:
    """Whether something takes any of the time of a visit from `start`, buffers included."""
    begins = start - timedelta(minutes=span.before_minutes)
    ends = start + timedelta(minutes=span.minutes + span.after_minutes)
    return any(busy.begins < ends and begins < busy.ends for busy in agenda.busy)


def check_date(rules: Rules, day: date, now: datetime) -> Reason | None:
    """None if the local date lies between today and the horizon, both included."""
    today = now.astimezone(rules.zone).date()
    last = today + timedelta(days=rules.horizon_days)
    if day < today:
        return Reason(Code.PASSADO)
    return Reason(Code.HORIZONTE, {"last": last, "days": rules.horizon_days}) if day > last else None


def why_none(
    rules: Rules, agenda: Agenda, span: Span, day: date, now: datetime, part: tuple[int, int] = WHOLE_DAY
) -> Reason:
    """The reason that explains best why `slots` is empty."""
    if reason := check_date(rules, day, now):
        return reason
    plan = _Plan(rules, agenda, day, now)
    reasons = [reason for start in plan.grid(part) if (reason := plan.refuses(span, start))]
    reasons += [Reason(block.code, {"reason": block.reason}) for block in plan.whole_day_blocks(span)]
    return most_telling(reasons) or plan.outside()


# What a customer can do most about comes first: another hour, a later hour, another day.
_TELLING = (
    Code.OCUPADO,
    Code.ANTECEDENCIA,
    Code.FERIADO,
    Code.FECHADO,
    Code.FOLGA,
    Code.INTERVALO,
    Code.FORA_DO_EXPEDIENTE,
    Code.PASSADO,
    Code.HORIZONTE,
)


def most_telling(reasons: Iterable[Reason]) -> Reason | None:
    """Of several reasons against a day, the one to give; None of none."""
    return min(reasons, key=_telling, default=None)


def _telling(reason: Reason) -> tuple[bool, int]:
    """Who is off tells least: it may be another who could have done it."""
    off = reason.code == Code.FORA_DO_EXPEDIENTE and not reason.detail.get("hours")
    return off, _TELLING.index(reason.code)


def nearest(
    rules: Rules,
    agendas: Mapping[int, Agenda],
    span: Span,
    days: Iterable[date],
    minute: int,
    now: datetime,
    preferred: int | None = None,
) -> list[Alternative]:
    """Up to three free starts: day by day as given, the preferred professional first, close to `minute`."""
    found: list[Alternative] = []
    for day in days:
        wish = instant(rules.zone, day, minute)
        ranked = sorted(
            (professional_id != preferred, abs(start - wish), start, professional_id)
            for professional_id, agenda in agendas.items()
            for start in slots(rules, agenda, span, day, now)
        )
        found += [Alternative(professional_id, start) for _, _, start, professional_id in ranked]
        if len(found) >= MAX_ALTERNATIVES:
            break
    return found[:MAX_ALTERNATIVES]


def instant(zone: ZoneInfo, day: date, minute: int) -> datetime:
    """The instant of a local minute; of one that the clocks skip, the instant at which they skip it."""
    wall = datetime.combine(day, time()) + timedelta(minutes=minute)
    while not _exists(zone, wall):
        wall += timedelta(minutes=1)
    return wall.replace(tzinfo=zone).astimezone(UTC)


def exists(zone: ZoneInfo, day: date, minute: int) -> bool:
    """False for a local minute that the clocks skip on that day."""
    return _exists(zone, datetime.combine(day, time()) + timedelta(minutes=minute))


def _exists(zone: ZoneInfo, wall: datetime) -> bool:
    there = wall.replace(tzinfo=zone).astimezone(UTC)
    return there.astimezone(zone).replace(tzinfo=None, fold=0) == wall


def merged(windows: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Sorted, with those that overlap or touch made one."""
    result: list[tuple[int, int]] = []
    for start, end in sorted(windows):
        if result and start <= result[-1][1]:
            result[-1] = (result[-1][0], max(end, result[-1][1]))
        else:
            result.append((start, end))
    return result


class _Plan:
    """One local day of one agenda, in instants."""

    def __init__(self, rules: Rules, agenda: Agenda, day: date, now: datetime) -> None:
        self._rules = rules
        self._day = day
        self._now = now
        self._earliest = now + timedelta(minutes=rules.notice_minutes)
        self._clock = _clock(rules.zone, day)
        weekday = day.weekday()
        self._hours = merged((w.start, w.end) for w in agenda.windows if w.weekday == weekday)
        self._windows = [(self._clock.at(start), self._clock.at(end)) for start, end in self._hours]
        self._blocks = [
            (self._clock.at(block.start), self._clock.at(block.end), block)
            for block in agenda.blocks
            if block.first <= day <= block.last
        ]
        self._agenda = agenda

    def grid(self, part: tuple[int, int] = WHOLE_DAY) -> list[datetime]:
        """Every start that the working windows offer in a part of the day, free or not."""
        step = self._rules.step_minutes
        return [
            self._clock.at(minute)
            for start, end in self._hours
            for minute in range(start, end, step)
            if part[0] <= minute < part[1] and self._clock.shows(minute)
        ]

    def refuses(self, span: Span, start: datetime) -> Reason | None:
        """None if a visit from `start` fits; says nothing of the grid and the horizon."""
        if start < self._now:
            return Reason(Code.PASSADO)
        end = start + timedelta(minutes=span.minutes)
        for begins, ends, block in self._blocks:
            if start < ends and begins < end and _stops(block, span):
                return Reason(block.code, {"reason": block.reason})
        if not any(opens <= start and end <= closes for opens, closes in self._windows):
            return self._outside(start, end)
        if start < self._earliest:
            return Reason(Code.ANTECEDENCIA, {"minutes": self._rules.notice_minutes})
        return Reason(Code.OCUPADO) if is_taken(self._agenda, span, start) else None

    def _outside(self, start: datetime, end: datetime) -> Reason:
        if self._windows and self._windows[0][0] <= start and end <= self._windows[-1][1]:
            return Reason(Code.INTERVALO, {"hours": self._hours})
        return self.outside()

    def outside(self) -> Reason:
        return Reason(Code.FORA_DO_EXPEDIENTE, {"hours": self._hours})

    def whole_day_blocks(self, span: Span) -> Iterator[Block]:
        for _, _, block in self._blocks:
            if block.start == 0 and block.end == MINUTES_OF_DAY and _stops(block, span):
                yield block


def _stops(block: Block, span: Span) -> bool:
    return not (span.on_holidays and block.code == Code.FERIADO)


class _Clock:
    """Local minutes of one day as instants, by addition where no clock change is near."""

    def __init__(self, zone: ZoneInfo, day: date) -> None:
        self._zone = zone
        self._day = day
        self._midnight = instant(zone, day, 0)
        self._even = instant(zone, day, MINUTES_OF_DAY) - self._midnight == timedelta(days=1)

    def at(self, minute: int) -> datetime:
        if self._even:
            return self._midnight + timedelta(minutes=minute)
        return instant(self._zone, self._day, minute)

    def shows(self, minute: int) -> bool:
        return self._even or exists(self._zone, self._day, minute)


@lru_cache(maxsize=512)
def _clock(zone: ZoneInfo, day: date) -> _Clock:
    return _Clock(zone, day)
