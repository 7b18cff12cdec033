"""Appointments that fit now and would not fit any more: whoever takes hours away has to see them first.

Compares plain windows, closures, time off and holidays before and after the import.
"""

import datetime as dt
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import groupby
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

from sqlalchemy import Row, select
from sqlmodel import Session

from models.appointment import Appointment, AppointmentService, AppointmentStatus
from models.business_file.compare import columns_of
from models.business_file.shape import Away, BusinessFile, Closed, Hours
from models.business_file.state import Pairs, State, closed_of
from models.db import table
from models.holiday import Calendar
from models.stranded import Why
from models.tenant import Tenant

Span = tuple[dt.datetime, dt.datetime]


@dataclass(frozen=True)
class Stranded:
    """`starts_at` is in the zone that the customer was told; `reasons` are why it would not fit any more.

    `why` is the gravest of them, for the list of what wants attention.
    """

    appointment_id: int
    starts_at: dt.datetime
    professional: str
    services: tuple[str, ...]
    reasons: tuple[str, ...]
    why: Why


class Reason(NamedTuple):
    """One cause, for the list and in words."""

    why: Why
    words: str


@dataclass(frozen=True)
class Visit:
    """A booked appointment, with its services as (id, name) in their order."""

    id: int
    professional_id: int
    starts_at: dt.datetime
    ends_at: dt.datetime
    services: tuple[tuple[int, str], ...]


@dataclass(frozen=True)
class Roster:
    """When a professional works, and the ids of what they offer."""

    service_ids: frozenset[int]
    hours: Hours
    time_off: tuple[Away, ...]


@dataclass(frozen=True)
class Agenda:
    """All that decides whether a visit fits; only what is in use is in it."""

    zone: ZoneInfo
    holidays: Calendar | None
    closures: tuple[Closed, ...]
    service_ids: frozenset[int]
    on_holidays: frozenset[int]  # of the services, those that holidays do not stop
    rosters: dict[int, Roster]


def find(
    session: Session, state: State, pairs: Pairs, file: BusinessFile, now: dt.datetime
) -> list[Stranded]:
    """The future booked appointments that the file would strand, earliest first."""
    if state.tenant is None:
        return []
    assert state.tenant.id is not None
    before, after = _before(state, state.tenant), _after(pairs, file)
    names = {person.id: person.row.name for person in state.people}
    found = []
    for visit in _visits(session, state.tenant.id, now):
        worse = [reason for reason in _reasons(visit, after) if reason not in _reasons(visit, before)]
        worse += _moved(visit, before.zone, after.zone)
        if worse:
            local = visit.starts_at.astimezone(before.zone)
            services = tuple(name for _, name in visit.services)
            words = tuple(reason.words for reason in worse)
            why = min((reason.why for reason in worse), key=lambda each: each != Why.TIME_ZONE)
            found.append(Stranded(visit.id, local, names[visit.professional_id], services, words, why))
    return found


def _visits(session: Session, tenant_id: int, now: dt.datetime) -> list[Visit]:
    appointment, service = table(Appointment).c, table(AppointmentService).c
    rows = session.execute(
        select(
            appointment.id,
            appointment.professional_id,
            appointment.starts_at,
            appointment.ends_at,
            service.service_id,
            service.name,
        )
        .select_from(table(Appointment))
        .outerjoin(table(AppointmentService), service.appointment_id == appointment.id)
        .where(appointment.tenant_id == tenant_id)
        .where(appointment.status == AppointmentStatus.BOOKED, appointment.starts_at > now)
        .order_by(appointment.starts_at, appointment.id, service.position)
    )
    return [_visit(list(lines)) for _, lines in groupby(rows, key=lambda row: row.id)]


def _visit(rows: list[Row[Any]]) -> Visit:
    """One visit from its rows, one for each service."""
    first = rows[0]
    services = tuple((row.service_id, row.name) for row in rows if row.service_id is not None)
    return Visit(first.id, first.professional_id, first.starts_at, first.ends_at, services)


def _before(state: State, tenant: Tenant) -> Agenda:
    return Agenda(
        zone=tenant.zone,
        holidays=tenant.holidays,
        closures=tuple(closed_of(row) for row in state.closures),
        service_ids=frozenset(row.id for row in state.services if row.active and row.id is not None),
        on_holidays=frozenset(row.id for row in state.services if row.on_holidays and row.id is not None),
        rosters={
            person.id: Roster(person.service_ids, person.hours, person.time_off)
            for person in state.people
            if person.row.active
        },
    )


def _after(pairs: Pairs, file: BusinessFile) -> Agenda:
    tenant = Tenant(**columns_of(file))
    ids = {offer.name: row.id for row, offer in pairs.services.wanted if row is not None and row.id}
    return Agenda(
        zone=tenant.zone,
        holidays=tenant.holidays,
        closures=file.closures,
        service_ids=frozenset(ids.values()),
        on_holidays=frozenset(
            row.id for row, offer in pairs.services.wanted if row is not None and row.id and offer.on_holidays
        ),
        rosters={
            person.id: Roster(
                frozenset(ids[name] for name in worker.services if name in ids), worker.hours, worker.time_off
            )
            for person, worker in pairs.people.wanted
            if person is not None
        },
    )


def _reasons(visit: Visit, agenda: Agenda) -> list[Reason]:
    roster = agenda.rosters.get(visit.professional_id)
    if roster is None:
        return [Reason(Why.PROFESSIONAL, "the professional is gone")]
    reasons = [reason for service in visit.services if (reason := _why_not(service, roster, agenda))]
    if not _covers(_working(visit, roster.hours, agenda.zone), visit):
        reasons.append(Reason(Why.HOURS, "outside the working hours"))
    if _touches(_away(visit, roster.time_off, agenda.zone), visit):
        reasons.append(Reason(Why.TIME_OFF, "time off"))
    if _touches(_closed(visit, agenda.closures, agenda.zone), visit):
        reasons.append(Reason(Why.CLOSURE, "closure"))
    if _on_a_holiday(visit, agenda):
        reasons.append(Reason(Why.HOLIDAY, "holiday"))
    return reasons


def _on_a_holiday(visit: Visit, agenda: Agenda) -> bool:
    if agenda.holidays is None or all(key in agenda.on_holidays for key, _ in visit.services):
        return False
    return any(map(agenda.holidays.name_of, _dates(visit, agenda.zone)))


def _why_not(service: tuple[int, str], roster: Roster, agenda: Agenda) -> Reason | None:
    service_id, name = service
    if service_id not in agenda.service_ids:
        return Reason(Why.SERVICE, f'the service "{name}" is gone')
    if service_id not in roster.service_ids:
        return Reason(Why.OFFER, f'the professional no longer offers "{name}"')
    return None


def _moved(visit: Visit, old: ZoneInfo, new: ZoneInfo) -> list[Reason]:
    """A new zone keeps the instant, but the customer was told a local time."""
    was, would_be = (visit.starts_at.astimezone(zone).replace(tzinfo=None) for zone in (old, new))
    words = f"the new time zone makes it {would_be:%Y-%m-%d %H:%M}"
    return [] if was == would_be else [Reason(Why.TIME_ZONE, words)]


# Local days and minutes as instants


def _dates(visit: Visit, zone: ZoneInfo) -> list[dt.date]:
    """The local dates that a visit touches."""
    first = visit.starts_at.astimezone(zone).date()
    last = (visit.ends_at - dt.timedelta.resolution).astimezone(zone).date()
    return [first + dt.timedelta(days) for days in range((last - first).days + 1)]


def _span(date: dt.date, start: int, end: int, zone: ZoneInfo) -> Span:
    midnight = dt.datetime.combine(date, dt.time(), zone)
    # Wall-clock arithmetic on purpose: the minutes are what a clock on the wall shows.
    opening, closing = (midnight + dt.timedelta(minutes=minute) for minute in (start, end))
    return opening.astimezone(dt.UTC), closing.astimezone(dt.UTC)


def _working(visit: Visit, hours: Hours, zone: ZoneInfo) -> list[Span]:
    return sorted(
        _span(date, window.start, window.end, zone)
        for date in _dates(visit, zone)
        for window in hours
        if window.weekday == date.weekday()
    )


def _away(visit: Visit, time_off: Iterable[Away], zone: ZoneInfo) -> list[Span]:
    return [
        _span(date, away.start, away.end, zone)
        for date in _dates(visit, zone)
        for away in time_off
        if away.first <= date <= away.last
    ]


def _closed(visit: Visit, closures: Iterable[Closed], zone: ZoneInfo) -> list[Span]:
    dates = _dates(visit, zone)
    return [_span(c.date, c.start, c.end, zone) for c in closures if c.date in dates]


def _covers(spans: list[Span], visit: Visit) -> bool:
    """Whether sorted spans, touching ones taken together, hold the whole visit. Buffers may spill over."""
    reached = visit.starts_at
    for start, end in spans:
        if start <= reached:
            reached = max(reached, end)
    return reached >= visit.ends_at


def _touches(spans: list[Span], visit: Visit) -> bool:
    return any(start < visit.ends_at and visit.starts_at < end for start, end in spans)
