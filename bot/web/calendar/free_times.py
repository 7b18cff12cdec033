"""Choosing a time: what a form says, the free times of a day, and what a refusal asks to be confirmed."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime

from sqlmodel import Session

from bot.web.calendar import shared, tell_customer
from bot.web.shared import request_context
from models import alternatives, appointment, availability, catalog
from models.acts.visit_acts import Leave
from models.availability import Agenda, Code, Rules, Span
from models.errors import Refusal

OTHER = "outro"
LATE = "fora"  # behind a time: it is free, but breaks the notice
MOST_TIMES = 60


@dataclass(frozen=True)
class Choice:
    """What a form says: a professional (None: anybody), a day, a time, and what was confirmed.

    `picked` is the value of the chosen time ("3 14:30", "3 14:30 fora" or OTHER), `clock` the time that was
    typed.
    """

    professional_id: int | None = None
    day: date | None = None
    picked: str = ""
    clock: str = ""
    outside: bool = False
    overlap: bool = False

    @classmethod
    def of(cls, values: Mapping[str, str]) -> "Choice":
        """From an address or a form. A time that was picked names its professional."""
        picked = values.get("horario", "")
        parts = picked.split(" ")
        who = shared.id_of(parts[0]) if len(parts) >= 2 else shared.id_of(values.get("prof", ""))
        return cls(
            professional_id=who,
            day=shared.day_of(values.get("dia", "")),
            picked=picked[:40],
            clock=parts[1] if len(parts) >= 2 else values.get("hora", "")[:8],
            outside="fora" in values or parts[-1] == LATE,
            overlap="encaixe" in values,
        )

    def over(self, professional_id: int | None, day: date) -> "Choice":
        """With these where the form says nothing."""
        return replace(self, professional_id=self.professional_id or professional_id, day=self.day or day)

    def start(self) -> datetime | None:
        """The instant that was chosen; None where it is none."""
        minute = shared.minute_of(self.clock)
        if minute is None or self.day is None or not shared.is_bookable(self.day):
            return None
        return shared.instant(self.day, minute)

    def missing(self) -> str:
        """Why there is no instant."""
        if self.day is None or not shared.is_bookable(self.day):
            return "Escolha um dia, de um mês atrás até dois anos à frente."
        if shared.minute_of(self.clock) is None:
            return "Escolha um horário."
        if shared.instant(self.day, shared.minute_of(self.clock) or 0) is None:
            return "Essa hora não existe nesse dia, por causa da mudança do relógio."
        return "Escolha o profissional."

    @property
    def leave(self) -> Leave:
        return Leave(outside=self.outside, overlap=self.overlap)


@dataclass(frozen=True)
class Time:
    """One free time: its value in the form, the words, and whether it breaks the notice."""

    value: str
    words: str
    late: bool


@dataclass(frozen=True)
class Offered:
    """The free times of a day and who does the work (id → name); where there are none, the nearest ones.

    `nearest` are (professional id, ISO date, "HH:MM", words).
    """

    names: dict[int, str]
    times: tuple[Time, ...] = ()
    nearest: tuple[tuple[int, str, str, str], ...] = ()


def offered(
    session: Session,
    service_ids: Sequence[int],
    choice: Choice,
    span: Span,
    *,
    without: int | None = None,
) -> Offered:
    """What can be chosen for these services with this professional, or anybody, on that day."""
    names = catalog.offering(session, request_context.tenant_id(), service_ids)
    if choice.day is None or not shared.is_bookable(choice.day):
        return Offered(names)
    wanted = [choice.professional_id] if choice.professional_id in names else list(names)
    people = [key for key in wanted if key is not None]
    found = _free(session, choice.day, people, span, without, also=choice.start())
    many = len(wanted) > 1
    listed = tuple(
        Time(
            f"{key} {_clock(start)}{f' {LATE}' if late else ''}",
            f"{_clock(start)} · {names[key]}" if many else _clock(start),
            late,
        )
        for start, key, late in found[:MOST_TIMES]
    )
    if listed or not names:
        return Offered(names, listed)
    return Offered(names, (), _nearest(session, choice, names, span, without))


def _free(
    session: Session,
    day: date,
    people: Sequence[int],
    span: Span,
    without: int | None,
    also: datetime | None,
) -> list[tuple[datetime, int, bool]]:
    """Free starts by time, those within the notice marked as late; the horizon binds nobody here.

    `also`: a start beside the grid, a gap that was tapped; it is among them where there is room.
    """
    tenant, now = request_context.current_tenant(), request_context.now()
    rules = catalog.rules(tenant)
    at_once = replace(rules, notice_minutes=0, horizon_days=shared.MOST_AHEAD.days)
    loaded = appointment.agendas(session, tenant, people, span, day, day, without=without)
    starts = {
        key: {
            *availability.slots(at_once, agenda, span, day, now),
            *_fitting(at_once, agenda, span, also, now),
        }
        for key, agenda in loaded.items()
    }
    return sorted(
        (start, key, availability.check_rules(rules, loaded[key], span, start, now) is not None)
        for key, each in starts.items()
        for start in each
    )


def _fitting(
    rules: Rules, agenda: Agenda, span: Span, start: datetime | None, now: datetime
) -> Iterator[datetime]:
    """The start, where it is free and in the hours."""
    taken = start is not None and availability.is_taken(agenda, span, start)
    if start is not None and not taken and availability.check_rules(rules, agenda, span, start, now) is None:
        yield start


def _nearest(
    session: Session, choice: Choice, names: dict[int, str], span: Span, without: int | None
) -> tuple[tuple[int, str, str, str], ...]:
    assert choice.day is not None
    minute = shared.minute_of(choice.clock) or 9 * 60
    people = [choice.professional_id] if choice.professional_id in names else list(names)
    found = alternatives.near(
        session,
        request_context.now(),
        request_context.current_tenant(),
        [key for key in people if key is not None],
        span,
        choice.day,
        minute,
        without=without,
    )
    return tuple(
        (
            each.professional_id,
            f"{each.starts_at.astimezone(shared.zone()):%Y-%m-%d}",
            _clock(each.starts_at),
            f"{shared.when(each.starts_at)}, com {names[each.professional_id]}",
        )
        for each in found
    )


def _clock(moment: datetime) -> str:
    return f"{moment.astimezone(shared.zone()):%H:%M}"


@dataclass(frozen=True)
class Needs:
    """What a form asks to be confirmed: a time `outside` the rules, an `overlap`."""

    outside: bool = False
    overlap: bool = False


def needs(refused: Refusal | None, choice: Choice) -> Needs:
    """What was confirmed already stays asked for."""
    code = refused.code if refused else None
    return Needs(
        outside=choice.outside or code in tell_customer.OUTSIDE,
        overlap=choice.overlap or code == Code.OCUPADO,
    )
