"""The agenda as staff read it: visits, blocked time, what wants attention, and the story of one visit."""

import datetime as dt
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Row, Select, func, select
from sqlmodel import Session

from models.appointment import LONGEST_BUSY, Appointment, AppointmentService, AppointmentStatus
from models.audit import AuditEvent
from models.catalog import Closure, Professional, TimeOff
from models.conversation import Conversation
from models.customer import Customer, CustomerAddress
from models.db import table
from models.errors import NotFound
from models.staff import Staff
from models.stranded import StrandedAppointment

MOST = 5000  # services at once

_APPOINTMENT, _PART = table(Appointment), table(AppointmentService)
_PROFESSIONAL, _CUSTOMER, _ADDRESS = table(Professional), table(Customer), table(CustomerAddress)
_CONVERSATION, _STAFF = table(Conversation), table(Staff)
_TIME_OFF, _CLOSURE = table(TimeOff), table(Closure)
_EVENT, _STRANDED = table(AuditEvent), table(StrandedAppointment)


@dataclass(frozen=True)
class Visit:
    """One appointment, whatever its status, with the names of the day it was booked.

    `conversation_id` is None where the customer has never written, `address` empty where none is known.
    `confirmed`: the customer has said that they come. `version` rises with every change of time; `state`
    tells it and the status: who has seen it has seen the visit as it is.
    """

    id: int
    professional_id: int
    professional: str
    customer_id: int
    customer: str
    conversation_id: int | None
    address: str
    starts_at: datetime
    ends_at: datetime
    busy_from: datetime
    busy_until: datetime
    status: str
    squeeze_in: bool
    confirmed: bool
    created_by: str
    created_at: datetime
    cancel_reason: str
    version: int
    state: str
    services: tuple[str, ...]
    service_ids: tuple[int, ...]


def visits(
    session: Session, tenant_id: int, begins: datetime, ends: datetime, professional_id: int | None = None
) -> list[Visit]:
    """The visits that touch [begins, ends), by the professional's name and time, in one statement."""
    query = _visits(
        _APPOINTMENT.c.tenant_id == tenant_id,
        _APPOINTMENT.c.starts_at > begins - LONGEST_BUSY,
        _APPOINTMENT.c.starts_at < ends,
        _APPOINTMENT.c.ends_at > begins,
    )
    if professional_id is not None:
        query = query.where(_APPOINTMENT.c.professional_id == professional_id)
    return _gathered(session.execute(query))


def visit(session: Session, tenant_id: int, appointment_id: int) -> Visit:
    """One visit of this tenant. Raises NotFound("appointment")."""
    query = _visits(_APPOINTMENT.c.tenant_id == tenant_id, _APPOINTMENT.c.id == appointment_id)
    for found in _gathered(session.execute(query)):
        return found
    raise NotFound("appointment")


def some(session: Session, tenant_id: int, appointment_ids: Iterable[int]) -> list[Visit]:
    """These visits of the tenant, by the professional's name and time."""
    query = _visits(_APPOINTMENT.c.tenant_id == tenant_id, _APPOINTMENT.c.id.in_(list(appointment_ids)))
    return _gathered(session.execute(query))


def _visits(*conditions: ColumnElement[bool]) -> Select[Any]:
    # Who has never written may have a number all the same: staff have put it down.
    newest = (
        select(_ADDRESS.c.address)
        .where(_ADDRESS.c.customer_id == _CUSTOMER.c.id)
        .order_by(_ADDRESS.c.id.desc())
        .limit(1)
        .correlate(_CUSTOMER)
    )
    return (
        select(
            _APPOINTMENT,
            _PROFESSIONAL.c.name.label("professional"),
            _CUSTOMER.c.name.label("customer"),
            _CONVERSATION.c.id.label("conversation_id"),
            func.coalesce(_CONVERSATION.c.address, newest.scalar_subquery()).label("address"),
            _PART.c.service_id,
            _PART.c.name.label("service"),
        )
        .join(_PROFESSIONAL, _PROFESSIONAL.c.id == _APPOINTMENT.c.professional_id)
        .join(_CUSTOMER, _CUSTOMER.c.id == _APPOINTMENT.c.customer_id)
        .outerjoin(_CONVERSATION, _CONVERSATION.c.customer_id == _APPOINTMENT.c.customer_id)
        .outerjoin(_PART, _PART.c.appointment_id == _APPOINTMENT.c.id)
        .where(*conditions)
        .order_by(
            _PROFESSIONAL.c.name,
            _PROFESSIONAL.c.id,
            _APPOINTMENT.c.starts_at,
            _APPOINTMENT.c.id,
            _PART.c.position,
        )
        .limit(MOST)
    )


def _gathered(rows: Iterable[Row[Any]]) -> list[Visit]:
    """One visit from its rows, one for each service."""
    found: dict[int, Visit] = {}
    for row in rows:
        known = found.get(row.id) or _visit(row)
        if row.service_id is not None:
            known = replace(
                known,
                services=(*known.services, row.service),
                service_ids=(*known.service_ids, row.service_id),
            )
        found[row.id] = known
    return list(found.values())


def _visit(row: Row[Any]) -> Visit:
    return Visit(
        id=row.id,
        professional_id=row.professional_id,
        professional=row.professional,
        customer_id=row.customer_id,
        customer=row.customer,
        conversation_id=row.conversation_id,
        address=row.address or "",
        starts_at=row.starts_at,
        ends_at=row.ends_at,
        busy_from=row.busy_from,
        busy_until=row.busy_until,
        status=row.status,
        squeeze_in=row.squeeze_in,
        confirmed=row.confirmed_at is not None,
        created_by=row.created_by,
        created_at=row.created_at,
        cancel_reason=row.cancel_reason,
        version=row.schedule_version,
        state=f"{row.schedule_version}.{row.status}",
        services=(),
        service_ids=(),
    )


def professionals(session: Session, tenant_id: int) -> dict[int, str]:
    """The active professionals: id → name, by name."""
    rows = session.execute(
        select(_PROFESSIONAL.c.id, _PROFESSIONAL.c.name)
        .where(_PROFESSIONAL.c.tenant_id == tenant_id, _PROFESSIONAL.c.active)
        .order_by(_PROFESSIONAL.c.name, _PROFESSIONAL.c.id)
    )
    return {row[0]: row[1] for row in rows}


@dataclass(frozen=True)
class Blocked:
    """Time in which nobody is booked, from `first` through `last` in this part (minutes) of each day.

    `professional_id` None is the whole business. `staff` is who blocked it; None: it stands in the business
    file, and changes there.
    """

    id: int
    professional_id: int | None
    first: dt.date
    last: dt.date
    start: int
    end: int
    reason: str
    staff: str | None


def blocked(session: Session, tenant_id: int, first: dt.date, last: dt.date) -> list[Blocked]:
    """Closures, then time off, that touch these days, in two statements."""
    closures = session.execute(
        select(_CLOSURE, _STAFF.c.name.label("staff"))
        .outerjoin(_STAFF, _STAFF.c.id == _CLOSURE.c.staff_id)
        .where(_CLOSURE.c.tenant_id == tenant_id, _CLOSURE.c.date.between(first, last))
        .order_by(_CLOSURE.c.date, _CLOSURE.c.start_minute, _CLOSURE.c.id)
    )
    absences = session.execute(
        select(_TIME_OFF, _STAFF.c.name.label("staff"))
        .outerjoin(_STAFF, _STAFF.c.id == _TIME_OFF.c.staff_id)
        .where(_TIME_OFF.c.tenant_id == tenant_id)
        .where(_TIME_OFF.c.first_date <= last, _TIME_OFF.c.last_date >= first)
        .order_by(_TIME_OFF.c.first_date, _TIME_OFF.c.start_minute, _TIME_OFF.c.id)
    )
    return [
        *(
            Blocked(row.id, None, row.date, row.date, row.start_minute, row.end_minute, row.reason, row.staff)
            for row in closures
        ),
        *(
            Blocked(
                row.id,
                row.professional_id,
                row.first_date,
                row.last_date,
                row.start_minute,
                row.end_minute,
                row.reason,
                row.staff,
            )
            for row in absences
        ),
    ]


@dataclass(frozen=True)
class Attention:
    """A visit that lost its place: why (`models.stranded.Why`), and since when."""

    visit: Visit
    why: str
    since: datetime


def attention(session: Session, tenant_id: int, now: datetime) -> list[Attention]:
    """The booked visits ahead that staff have to see to, earliest first."""
    query = _visits(
        _STRANDED.c.tenant_id == tenant_id,
        _STRANDED.c.settled_at.is_(None),
        _APPOINTMENT.c.status == AppointmentStatus.BOOKED,
        _APPOINTMENT.c.starts_at > now,
    )
    query = query.add_columns(_STRANDED.c.reason, _STRANDED.c.since).join(
        _STRANDED, _STRANDED.c.appointment_id == _APPOINTMENT.c.id
    )
    rows = session.execute(query).all()
    why = {row.id: (row.reason, row.since) for row in rows}
    found = [Attention(each, *why[each.id]) for each in _gathered(rows)]
    return sorted(found, key=lambda entry: (entry.visit.starts_at, entry.visit.id))


@dataclass(frozen=True)
class Event:
    """One act upon a visit. `staff` None: the bot, for the customer."""

    id: int
    action: str
    staff: str | None
    at: datetime
    detail: dict[str, Any]


def changed(session: Session, tenant_id: int, appointment_ids: Iterable[int]) -> dict[int, datetime]:
    """When something was last done with each of these visits; those with no act on record are left out."""
    rows = session.execute(
        select(_EVENT.c.subject_id, func.max(_EVENT.c.at))
        .where(_EVENT.c.tenant_id == tenant_id, _EVENT.c.subject_id.in_(list(appointment_ids)))
        .where(_EVENT.c.action.like("appointment.%"))
        .group_by(_EVENT.c.subject_id)
    )
    return {row[0]: row[1] for row in rows}


def story(session: Session, tenant_id: int, appointment_id: int) -> list[Event]:
    """What was done with a visit, oldest first."""
    rows = session.execute(
        select(_EVENT, _STAFF.c.name.label("staff"))
        .outerjoin(_STAFF, _STAFF.c.id == _EVENT.c.staff_id)
        .where(_EVENT.c.tenant_id == tenant_id, _EVENT.c.subject_id == appointment_id)
        .where(_EVENT.c.action.like("appointment.%"))
        .order_by(_EVENT.c.id)
    )
    return [Event(row.id, row.action, row.staff, row.at, row.detail) for row in rows]
