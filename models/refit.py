"""Appointments that had lost their place and fit once more: nobody has to see to them any longer."""

import datetime as dt
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import select
from sqlmodel import Session

from models import availability, catalog, stranded
from models.appointment import Appointment, AppointmentService, AppointmentStatus
from models.db import table
from models.stranded import Outcome, StrandedAppointment, Why
from models.tenant import Tenant

_APPOINTMENT, _PART, _ENTRY = table(Appointment), table(AppointmentService), table(StrandedAppointment)


@dataclass(frozen=True)
class _Visit:
    id: int
    professional_id: int
    starts_at: datetime
    ends_at: datetime


def settle_fitting(session: Session, now: datetime, tenant: Tenant) -> int:
    """Settle the entries of the tenant whose visit has a place again, as things stand; gives how many.

    Of a new time zone nothing is settled by itself: the customer was told another time.
    """
    assert tenant.id is not None
    offered = _offered(session, tenant.id)
    fitting = [
        visit.id
        for day, visits in _by_day(session, now, tenant).items()
        for visit in _fitting(session, tenant, day, visits)
        if offered[visit.id]
    ]
    return stranded.settle(session, now, tenant.id, fitting, Outcome.FITS)


def _by_day(session: Session, now: datetime, tenant: Tenant) -> dict[dt.date, list[_Visit]]:
    rows = session.execute(
        select(
            _APPOINTMENT.c.id,
            _APPOINTMENT.c.professional_id,
            _APPOINTMENT.c.starts_at,
            _APPOINTMENT.c.ends_at,
        )
        .join(_ENTRY, _ENTRY.c.appointment_id == _APPOINTMENT.c.id)
        .where(_ENTRY.c.tenant_id == tenant.id, _ENTRY.c.settled_at.is_(None))
        .where(_ENTRY.c.reason != Why.TIME_ZONE)
        .where(_APPOINTMENT.c.status == AppointmentStatus.BOOKED, _APPOINTMENT.c.starts_at > now)
    )
    found: dict[dt.date, list[_Visit]] = defaultdict(list)
    for row in rows:
        found[row.starts_at.astimezone(tenant.zone).date()].append(_Visit(*row))
    return found


def _fitting(session: Session, tenant: Tenant, day: dt.date, visits: list[_Visit]) -> Iterator[_Visit]:
    rules = catalog.rules(tenant)
    agendas = catalog.hours(session, tenant, {visit.professional_id for visit in visits}, day, day)
    for visit in visits:
        agenda = agendas[visit.professional_id]
        if availability.check_place(rules, agenda, visit.starts_at, visit.ends_at) is None:
            yield visit


def _offered(session: Session, tenant_id: int) -> dict[int, bool]:
    """Of each visit with an open entry, whether its professional offers its services today."""
    now_offered = {
        offer.id: {key for key, _ in offer.professionals} for offer in catalog.offers(session, tenant_id)
    }
    rows = session.execute(
        select(_APPOINTMENT.c.id, _APPOINTMENT.c.professional_id, _PART.c.service_id)
        .join(_ENTRY, _ENTRY.c.appointment_id == _APPOINTMENT.c.id)
        .join(_PART, _PART.c.appointment_id == _APPOINTMENT.c.id)
        .where(_ENTRY.c.tenant_id == tenant_id, _ENTRY.c.settled_at.is_(None))
    )
    found: dict[int, bool] = {}
    for key, professional_id, service_id in rows:
        found[key] = found.get(key, True) and professional_id in now_offered.get(service_id, set())
    return found
