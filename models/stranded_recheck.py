"""Appointments that had lost their place and fit once more: nobody has to see to them any longer."""

import datetime as dt
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import NamedTuple
from zoneinfo import ZoneInfo

from sqlalchemy import select
from sqlmodel import Session

from models import availability, catalog, stranded
from models.appointment import Appointment, AppointmentService, AppointmentStatus
from models.availability import Span
from models.catalog import Offer
from models.db import table
from models.stranded import Outcome, StrandedAppointment, Why
from models.tenant import Tenant

_APPOINTMENT, _PART, _ENTRY = table(Appointment), table(AppointmentService), table(StrandedAppointment)


@dataclass(frozen=True)
class _Visit:
    """One with an open entry. `offered`: its professional does all of it today; `on_holidays`: also then."""

    id: int
    professional_id: int
    starts_at: datetime
    ends_at: datetime
    offered: bool = True
    on_holidays: bool = True


class _Part(NamedTuple):
    """What of a visit lies on one local day: from when, for how many minutes."""

    visit: _Visit
    start: datetime
    span: Span


def settle_fitting(session: Session, now: datetime, tenant: Tenant) -> int:
    """Settle the entries of the tenant whose visit has a place again, as things stand; gives how many.

    Of a new time zone nothing is settled by itself: the customer was told another time.
    """
    assert tenant.id is not None
    visits = _open(session, now, tenant.id)
    unfit = {
        visit.id
        for day, parts in _by_day(visits, tenant.zone).items()
        for visit in _unfit(session, tenant, day, parts)
    }
    fitting = [visit.id for visit in visits if visit.offered and visit.id not in unfit]
    return stranded.settle(session, now, tenant.id, fitting, Outcome.FITS)


def _open(session: Session, now: datetime, tenant_id: int) -> list[_Visit]:
    offers = {offer.id: offer for offer in catalog.offers(session, tenant_id)}
    rows = session.execute(
        select(
            _APPOINTMENT.c.id,
            _APPOINTMENT.c.professional_id,
            _APPOINTMENT.c.starts_at,
            _APPOINTMENT.c.ends_at,
            _PART.c.service_id,
        )
        .join(_ENTRY, _ENTRY.c.appointment_id == _APPOINTMENT.c.id)
        .join(_PART, _PART.c.appointment_id == _APPOINTMENT.c.id)
        .where(_ENTRY.c.tenant_id == tenant_id, _ENTRY.c.settled_at.is_(None))
        .where(_ENTRY.c.reason != Why.TIME_ZONE)
        .where(_APPOINTMENT.c.status == AppointmentStatus.BOOKED, _APPOINTMENT.c.starts_at > now)
    )
    found: dict[int, _Visit] = {}
    for *columns, service_id in rows:
        visit = found.get(columns[0]) or _Visit(*columns)
        found[visit.id] = _doing(visit, offers.get(service_id))
    return list(found.values())


def _doing(visit: _Visit, offer: Offer | None) -> _Visit:
    """The visit with one more of its services, as it is offered today."""
    if offer is None or all(key != visit.professional_id for key, _ in offer.professionals):
        return replace(visit, offered=False)
    return replace(visit, on_holidays=visit.on_holidays and offer.on_holidays)


def _by_day(visits: Iterable[_Visit], zone: ZoneInfo) -> dict[dt.date, list[_Part]]:
    """Each visit on its day; one that lasts over midnight with a part on each."""
    found: dict[dt.date, list[_Part]] = defaultdict(list)
    for visit in visits:
        start = visit.starts_at
        while start < visit.ends_at:
            day = start.astimezone(zone).date()
            end = min(visit.ends_at, availability.instant(zone, day, availability.MINUTES_OF_DAY))
            span = Span((end - start) // timedelta(minutes=1), on_holidays=visit.on_holidays)
            found[day].append(_Part(visit, start, span))
            start = end
    return found


def _unfit(session: Session, tenant: Tenant, day: dt.date, parts: list[_Part]) -> Iterator[_Visit]:
    rules = catalog.rules(tenant)
    agendas = catalog.hours(session, tenant, {part.visit.professional_id for part in parts}, day, day)
    for visit, start, span in parts:
        if availability.check_place(rules, agendas[visit.professional_id], span, start):
            yield visit
