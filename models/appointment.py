"""Appointments: book, move, cancel, and what stands in the agenda.

Who writes takes locks in one order, so that no two writers wait for each other: the appointment itself, then
the professionals by id, then the customer. Each lock is a row that the writer changes or selects for update;
what is checked after it still holds when the write comes.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from enum import StrEnum
from itertools import groupby
from typing import Any, NamedTuple

from sqlalchemy import (
    CheckConstraint,
    ForeignKeyConstraint,
    Index,
    Select,
    UniqueConstraint,
    bindparam,
    func,
    select,
    update,
)
from sqlalchemy.exc import IntegrityError
from sqlmodel import Field, Session, SQLModel

from models import availability, catalog, reminder, stranded, waitlist
from models.availability import Agenda, Busy, Code, Span
from models.catalog import Offer, Professional, Service
from models.customer import Customer
from models.db import UtcDateTime, moment, table
from models.errors import NotFound, Refusal
from models.reminder import Visit
from models.tenant import Tenant


class AppointmentStatus(StrEnum):
    """`booked` and `done` occupy their time; `cancelled` and `no_show` do not."""

    BOOKED = "booked"
    CANCELLED = "cancelled"
    DONE = "done"
    NO_SHOW = "no_show"


class Appointment(SQLModel, table=True):
    """One visit. `busy_from`/`busy_until` are the stored interval with buffers that may not overlap.

    The database refuses overlaps of one professional by itself (see the first migration), except where
    `squeeze_in` is set, which only staff can do. Price, duration and buffers are snapshots of the day it
    was booked.
    """

    __table_args__ = (
        UniqueConstraint("tenant_id", "id"),
        ForeignKeyConstraint(["tenant_id", "professional_id"], ["professional.tenant_id", "professional.id"]),
        ForeignKeyConstraint(["tenant_id", "customer_id"], ["customer.tenant_id", "customer.id"]),
        CheckConstraint("busy_from <= starts_at and starts_at < ends_at and ends_at <= busy_until"),
        CheckConstraint("status in ('booked', 'cancelled', 'done', 'no_show')"),
        # The tenant comes first in all of them: every query names it, and SQLite, which keeps no figures,
        # would else take the day's index for any of them and walk through the whole business.
        Index("ix_appointment_agenda", "tenant_id", "professional_id", "busy_from"),
        Index("ix_appointment_customer", "tenant_id", "customer_id", "starts_at"),
        Index("ix_appointment_day", "tenant_id", "starts_at"),
        Index("ix_appointment_made", "tenant_id", "created_at", "created_by"),
    )

    id: int | None = Field(default=None, primary_key=True)
    tenant_id: int = Field(foreign_key="tenant.id")
    professional_id: int
    customer_id: int
    starts_at: datetime = Field(sa_type=UtcDateTime)
    ends_at: datetime = Field(sa_type=UtcDateTime)
    busy_from: datetime = Field(sa_type=UtcDateTime)
    busy_until: datetime = Field(sa_type=UtcDateTime)
    status: str = Field(default=AppointmentStatus.BOOKED, max_length=10)
    squeeze_in: bool = False
    created_by: str = Field(default="bot", max_length=10)  # "bot" or "staff"
    created_at: datetime = Field(sa_type=UtcDateTime)
    schedule_version: int = 0  # rises at each move: a reminder belongs to one version
    confirmed_at: datetime | None = Field(default=None, sa_type=UtcDateTime)  # of this version
    cancelled_at: datetime | None = Field(default=None, sa_type=UtcDateTime)
    cancel_reason: str = Field(default="", max_length=300)


class AppointmentService(SQLModel, table=True):
    """One service of a visit, in its order, with the name, minutes and price of the day it was booked."""

    __tablename__ = "appointment_service"
    __table_args__ = (
        ForeignKeyConstraint(["tenant_id", "appointment_id"], ["appointment.tenant_id", "appointment.id"]),
        ForeignKeyConstraint(["tenant_id", "service_id"], ["service.tenant_id", "service.id"]),
    )

    tenant_id: int
    appointment_id: int = Field(primary_key=True)
    position: int = Field(primary_key=True)
    service_id: int
    name: str = Field(max_length=120)
    duration_minutes: int
    buffer_minutes: int = 0
    price_cents: int | None = None


# No visit with its buffers is longer. It bounds how far back a query must look for what reaches into a day.
LONGEST_BUSY = timedelta(days=2)
OCCUPYING = (AppointmentStatus.BOOKED, AppointmentStatus.DONE)

_APPOINTMENT = table(Appointment)
_PART = table(AppointmentService)
_SERVICE = table(Service)
_PROFESSIONAL = table(Professional)
_CUSTOMER = table(Customer)


@dataclass(frozen=True, slots=True)
class Booked:
    """`already_existed`: the customer had this very visit before, nothing was written."""

    appointment: Appointment
    already_existed: bool


@dataclass(frozen=True, slots=True)
class Moved:
    """The appointment at its new time, and where it was; `unchanged` if nothing was to be done."""

    appointment: Appointment
    previous_start: datetime
    previous_professional_id: int
    unchanged: bool


@dataclass(frozen=True, slots=True)
class Cancelled:
    """`already_cancelled`: it was so before, nothing was written."""

    appointment: Appointment
    already_cancelled: bool


@dataclass(frozen=True, slots=True)
class Details:
    """One appointment as people speak of it, with the prices of the day it was booked.

    `price_cents` is None if any of its services has no fixed price.
    """

    id: int
    services: tuple[str, ...]
    service_ids: tuple[int, ...]
    professional_id: int
    professional: str
    starts_at: datetime
    minutes: int
    price_cents: int | None
    status: str
    confirmed: bool = False


def span_of(services: Sequence[Offer]) -> Span:
    """Several services follow one another without a pause; the longest of their buffers comes after them.

    A holiday stops the visit unless all of them are done on holidays.
    """
    return Span(
        minutes=sum(service.duration_minutes for service in services),
        after_minutes=max(service.buffer_minutes for service in services),
        on_holidays=all(service.on_holidays for service in services),
    )


def book(
    session: Session,
    now: datetime,
    tenant: Tenant,
    customer_id: int,
    professional_id: int,
    service_ids: Sequence[int],
    starts_at: datetime,
    created_by: str,
) -> Booked:
    """Book one visit, or find that the customer has it already.

    Raises NotFound ("professional", "customer" or "service"), and Refusal without alternatives.
    """
    tenant_id = _id(tenant)
    active = lock_professionals(session, tenant_id, (professional_id,))
    lock_customer(session, tenant_id, customer_id)
    existing = same_visit(session, tenant_id, customer_id, professional_id, service_ids, starts_at)
    if existing:
        return Booked(existing, already_existed=True)
    if not active[professional_id]:
        raise NotFound("professional")
    services = catalog.chosen(session, tenant_id, service_ids)
    if services is None:
        raise NotFound("service")
    require_offered(session, tenant_id, professional_id, service_ids)
    _require_below_limit(session, now, tenant, customer_id)
    span = span_of(services)
    _require_free(session, now, tenant, professional_id, span, starts_at)
    appointment = enter(session, now, tenant, customer_id, professional_id, services, starts_at, created_by)
    return Booked(appointment, already_existed=False)


def move(
    session: Session,
    now: datetime,
    tenant: Tenant,
    customer_id: int,
    appointment_id: int,
    starts_at: datetime,
    professional_id: int | None = None,
) -> Moved:
    """Give a customer's appointment a new time, and perhaps another professional, in one UPDATE.

    Its own old time counts as free. It keeps its id and its snapshot of services. Raises NotFound
    ("appointment" or "professional"), and Refusal without alternatives.
    """
    tenant_id = _id(tenant)
    appointment = own(session, tenant_id, customer_id, appointment_id, lock=True)
    previous = (appointment.starts_at, appointment.professional_id)
    target = professional_id or appointment.professional_id
    _require_still_ahead(appointment, now)
    if previous == (starts_at, target):
        return Moved(appointment, *previous, unchanged=True)
    _require_in_time(appointment, now, tenant)
    active = lock_professionals(session, tenant_id, (appointment.professional_id, target))
    require_able(session, appointment, target, active[target])
    span = booked_span(session, appointment)
    _require_free(session, now, tenant, target, span, starts_at, without=appointment.id)
    relocate(session, now, tenant, appointment, target, starts_at)
    return Moved(appointment, *previous, unchanged=False)


def cancel(
    session: Session, now: datetime, tenant: Tenant, customer_id: int, appointment_id: int, reason: str = ""
) -> Cancelled:
    """Cancel a customer's appointment. Raises NotFound("appointment"), and Refusal when it is too late."""
    appointment = own(session, _id(tenant), customer_id, appointment_id, lock=True)
    if appointment.status == AppointmentStatus.CANCELLED:
        return Cancelled(appointment, already_cancelled=True)
    _require_still_ahead(appointment, now)
    _require_in_time(appointment, now, tenant)
    call_off(session, now, appointment, reason)
    return Cancelled(appointment, already_cancelled=False)


def confirm(
    session: Session, now: datetime, tenant_id: int, customer_id: int, appointment_id: int
) -> Appointment:
    """The customer says that they will come; the first time stands. Nothing hangs on it.

    Raises NotFound("appointment"), and Refusal if it is not ahead any more.
    """
    appointment = own(session, tenant_id, customer_id, appointment_id, lock=True)
    _require_still_ahead(appointment, now)
    appointment.confirmed_at = appointment.confirmed_at or now
    session.flush()
    return appointment


def own(
    session: Session, tenant_id: int, customer_id: int, appointment_id: int, *, lock: bool = False
) -> Appointment:
    """This customer's appointment. Raises NotFound("appointment"), also for somebody else's."""
    query = (
        select(Appointment)
        .where(_APPOINTMENT.c.id == appointment_id, _APPOINTMENT.c.tenant_id == tenant_id)
        .where(_APPOINTMENT.c.customer_id == customer_id)
        .execution_options(populate_existing=True)
    )
    return _found(session, query, lock=lock)


def locked(session: Session, tenant_id: int, appointment_id: int) -> Appointment:
    """Any appointment of the tenant, locked as it is now. Raises NotFound("appointment")."""
    query = (
        select(Appointment)
        .where(_APPOINTMENT.c.id == appointment_id, _APPOINTMENT.c.tenant_id == tenant_id)
        .execution_options(populate_existing=True)
    )
    return _found(session, query, lock=True)


def _found(session: Session, query: Select[Appointment], *, lock: bool) -> Appointment:
    # A weaker lock than FOR UPDATE: rows that merely point at the appointment may come in meanwhile.
    found = session.scalar(query.with_for_update(key_share=True) if lock else query)
    if found is None:
        raise NotFound("appointment")
    return found


# What follows is written without asking whether it may: for whoever holds the locks and has checked. The
# database's own guard against overlaps still stands behind it, and answers with Refusal(OCUPADO).


def enter(
    session: Session,
    now: datetime,
    tenant: Tenant,
    customer_id: int,
    professional_id: int,
    services: Sequence[Offer],
    starts_at: datetime,
    created_by: str,
    *,
    squeeze_in: bool = False,
) -> Appointment:
    """A new visit with all that follows from it."""
    times = _Times.of(starts_at, span_of(services))
    appointment = Appointment(
        tenant_id=_id(tenant),
        professional_id=professional_id,
        customer_id=customer_id,
        created_by=created_by,
        created_at=now,
        squeeze_in=squeeze_in,
        starts_at=times.starts_at,
        ends_at=times.ends_at,
        busy_from=times.busy_from,
        busy_until=times.busy_until,
    )
    _insert(session, appointment, services)
    _announce(session, now, tenant, appointment, [service.id for service in services])
    return appointment


def relocate(
    session: Session,
    now: datetime,
    tenant: Tenant,
    appointment: Appointment,
    professional_id: int,
    starts_at: datetime,
    *,
    squeeze_in: bool = False,
    staff_id: int | None = None,
) -> None:
    """A new time, and perhaps another professional, with the span of the day it was booked."""
    assert appointment.id is not None
    times = _Times.of(starts_at, _kept_span(appointment))
    appointment.professional_id = professional_id
    appointment.squeeze_in = squeeze_in
    appointment.schedule_version += 1
    appointment.confirmed_at = None
    appointment.starts_at, appointment.ends_at, appointment.busy_from, appointment.busy_until = times
    with _overlap_refused():
        session.flush()
    _withdraw(session, now, appointment, stranded.Outcome.MOVED, staff_id)
    services = service_ids(session, appointment.tenant_id, appointment.id)
    _announce(session, now, tenant, appointment, services)


def call_off(
    session: Session, now: datetime, appointment: Appointment, reason: str, staff_id: int | None = None
) -> None:
    """Cancelled: its time is free again."""
    appointment.status = AppointmentStatus.CANCELLED
    appointment.cancelled_at = now
    appointment.cancel_reason = reason[:300]
    session.flush()
    _withdraw(session, now, appointment, stranded.Outcome.CANCELLED, staff_id)


def reinstate(session: Session, now: datetime, tenant: Tenant, appointment: Appointment) -> None:
    """Booked again at the time it had, from now on a version of its own."""
    assert appointment.id is not None
    appointment.status = AppointmentStatus.BOOKED
    appointment.cancelled_at, appointment.cancel_reason = None, ""
    appointment.schedule_version += 1
    with _overlap_refused():
        session.flush()
    services = service_ids(session, appointment.tenant_id, appointment.id)
    _announce(session, now, tenant, appointment, services)


def _withdraw(
    session: Session,
    now: datetime,
    appointment: Appointment,
    outcome: stranded.Outcome,
    staff_id: int | None,
) -> None:
    """Nothing more is said of the time that it had, and nobody has to see to it."""
    assert appointment.id is not None
    reminder.withdraw(session, now, appointment.tenant_id, appointment.id)
    stranded.settle(session, now, appointment.tenant_id, [appointment.id], outcome, staff_id)


def upcoming(session: Session, tenant_id: int, customer_id: int, now: datetime) -> list[Details]:
    """The customer's appointments that are still to come, earliest first; at most 100 services of them."""
    return _details(session, _UPCOMING, {"tenant": tenant_id, "customer": customer_id, "now": now})


def ahead(session: Session, tenant_id: int, now: datetime) -> list[Visit]:
    """All of a business's visits that are still to come, as its reminders know them."""
    rows = session.execute(
        select(_APPOINTMENT.c.id, _APPOINTMENT.c.schedule_version, _APPOINTMENT.c.starts_at)
        .where(_APPOINTMENT.c.tenant_id == tenant_id, _APPOINTMENT.c.status == AppointmentStatus.BOOKED)
        .where(_APPOINTMENT.c.starts_at > now)
    )
    return [Visit(*row) for row in rows]


def details(session: Session, tenant_id: int, appointment_id: int) -> Details:
    """One appointment of the tenant, whatever its status. Raises NotFound("appointment")."""
    found = _details(session, _ONE, {"tenant": tenant_id, "appointment": appointment_id})
    if not found:
        raise NotFound("appointment")
    return found[0]


def service_ids(session: Session, tenant_id: int, appointment_id: int) -> tuple[int, ...]:
    """The services of an appointment, in their order."""
    rows = session.execute(
        select(_PART.c.service_id)
        .where(_PART.c.tenant_id == tenant_id, _PART.c.appointment_id == appointment_id)
        .order_by(_PART.c.position)
    )
    return tuple(rows.scalars())


def booked_span(session: Session, appointment: Appointment) -> Span:
    """Length and buffers of a visit as they were when it was booked; holidays stop it as they do now."""
    stopped = session.scalar(
        select(func.count())
        .select_from(_PART)
        .join(_SERVICE, _SERVICE.c.id == _PART.c.service_id)
        .where(_PART.c.tenant_id == appointment.tenant_id, _PART.c.appointment_id == appointment.id)
        .where(_SERVICE.c.on_holidays.is_(False))
    )
    return replace(_kept_span(appointment), on_holidays=not stopped)


def _kept_span(appointment: Appointment) -> Span:
    return Span(
        minutes=_minutes(appointment.ends_at - appointment.starts_at),
        before_minutes=_minutes(appointment.starts_at - appointment.busy_from),
        after_minutes=_minutes(appointment.busy_until - appointment.ends_at),
    )


def busy(
    session: Session,
    tenant_id: int,
    professional_ids: Collection[int],
    begins: datetime,
    ends: datetime,
    *,
    without: int | None = None,
) -> dict[int, tuple[Busy, ...]]:
    """What takes the time of these professionals between two instants, in one statement.

    Squeezed-in appointments count as well. `without` leaves one appointment out: the one to be moved.
    """
    given = {
        "tenant": tenant_id,
        "professionals": list(professional_ids),
        "reach": begins - LONGEST_BUSY,
        "begins": begins,
        "ends": ends,
        "without": without or 0,
    }
    found: dict[int, list[Busy]] = defaultdict(list)
    for key, start, end in session.execute(_BUSY, given):
        found[key].append(Busy(start, end))
    return {key: tuple(taken) for key, taken in found.items()}


_BUSY = (
    select(_APPOINTMENT.c.professional_id, _APPOINTMENT.c.busy_from, _APPOINTMENT.c.busy_until)
    .where(_APPOINTMENT.c.tenant_id == bindparam("tenant"))
    .where(_APPOINTMENT.c.professional_id.in_(bindparam("professionals", expanding=True)))
    .where(_APPOINTMENT.c.busy_from > moment("reach"), _APPOINTMENT.c.busy_from < moment("ends"))
    .where(_APPOINTMENT.c.busy_until > moment("begins"), _APPOINTMENT.c.status.in_(OCCUPYING))
    .where(_APPOINTMENT.c.id != bindparam("without"))
)


def in_the_way(
    session: Session,
    tenant_id: int,
    professional_id: int,
    span: Span,
    start: datetime,
    *,
    without: int | None = None,
) -> list[int]:
    """The visits that take any of the time of one from `start`, buffers included."""
    begins = start - timedelta(minutes=span.before_minutes)
    ends = start + timedelta(minutes=span.minutes + span.after_minutes)
    query = select(_APPOINTMENT.c.id).where(
        _APPOINTMENT.c.tenant_id == tenant_id,
        _APPOINTMENT.c.professional_id == professional_id,
        _APPOINTMENT.c.status.in_(OCCUPYING),
        _APPOINTMENT.c.busy_from > begins - LONGEST_BUSY,
        _APPOINTMENT.c.busy_from < ends,
        _APPOINTMENT.c.busy_until > begins,
    )
    return [key for key in session.scalars(query) if key != without]


def agendas(
    session: Session,
    tenant: Tenant,
    professional_ids: Collection[int],
    span: Span,
    first: date,
    last: date,
    *,
    without: int | None = None,
) -> dict[int, Agenda]:
    """All that decides on a visit of this span from `first` through `last`, in four statements."""
    hours = catalog.hours(session, tenant, professional_ids, first, last)
    begins = availability.instant(tenant.zone, first, 0) - timedelta(minutes=span.before_minutes)
    ends = availability.instant(tenant.zone, last, availability.MINUTES_OF_DAY)
    # Staff may let a visit last over midnight.
    ends += timedelta(minutes=span.minutes + span.after_minutes)
    taken = busy(session, _id(tenant), professional_ids, begins, ends, without=without)
    return {key: replace(agenda, busy=taken.get(key, ())) for key, agenda in hours.items()}


_DETAILS = (
    select(
        _APPOINTMENT.c.id,
        _APPOINTMENT.c.professional_id,
        _APPOINTMENT.c.starts_at,
        _APPOINTMENT.c.ends_at,
        _APPOINTMENT.c.status,
        _APPOINTMENT.c.confirmed_at,
        _PROFESSIONAL.c.name.label("professional"),
        _PART.c.service_id,
        _PART.c.name.label("service"),
        _PART.c.price_cents,
    )
    .join(_PROFESSIONAL, _PROFESSIONAL.c.id == _APPOINTMENT.c.professional_id)
    .join(_PART, _PART.c.appointment_id == _APPOINTMENT.c.id)
    .where(_APPOINTMENT.c.tenant_id == bindparam("tenant"))
    .order_by(_APPOINTMENT.c.starts_at, _APPOINTMENT.c.id, _PART.c.position)
    .limit(100)
)
_ONE = _DETAILS.where(_APPOINTMENT.c.id == bindparam("appointment"))
_UPCOMING = _DETAILS.where(
    _APPOINTMENT.c.customer_id == bindparam("customer"),
    _APPOINTMENT.c.status == AppointmentStatus.BOOKED,
    _APPOINTMENT.c.starts_at > moment("now"),
)


def _details(session: Session, query: Select[Any], given: dict[str, object]) -> list[Details]:
    result = []
    for key, group in groupby(session.execute(query, given), key=lambda row: row.id):
        parts = list(group)
        head = parts[0]
        prices = [part.price_cents for part in parts]
        result.append(
            Details(
                id=key,
                services=tuple(part.service for part in parts),
                service_ids=tuple(part.service_id for part in parts),
                professional_id=head.professional_id,
                professional=head.professional,
                starts_at=head.starts_at,
                minutes=_minutes(head.ends_at - head.starts_at),
                price_cents=None if None in prices else sum(prices),
                status=head.status,
                confirmed=head.confirmed_at is not None,
            )
        )
    return result


def _id(tenant: Tenant) -> int:
    assert tenant.id is not None
    return tenant.id


def _minutes(length: timedelta) -> int:
    return length // timedelta(minutes=1)


class _Times(NamedTuple):
    starts_at: datetime
    ends_at: datetime
    busy_from: datetime
    busy_until: datetime

    @classmethod
    def of(cls, starts_at: datetime, span: Span) -> "_Times":
        ends_at = starts_at + timedelta(minutes=span.minutes)
        return cls(
            starts_at,
            ends_at,
            starts_at - timedelta(minutes=span.before_minutes),
            ends_at + timedelta(minutes=span.after_minutes),
        )


def lock_professionals(session: Session, tenant_id: int, professional_ids: Iterable[int]) -> dict[int, bool]:
    """Lock the rows; of each, whether they can be booked. Raises NotFound("professional")."""
    return {key: _lock_professional(session, tenant_id, key) for key in sorted(set(professional_ids))}


def _lock_professional(session: Session, tenant_id: int, professional_id: int) -> bool:
    active: bool | None = session.execute(
        update(_PROFESSIONAL)
        .where(_PROFESSIONAL.c.id == professional_id, _PROFESSIONAL.c.tenant_id == tenant_id)
        .values(agenda_version=_PROFESSIONAL.c.agenda_version + 1)
        .returning(_PROFESSIONAL.c.active)
    ).scalar()
    if active is None:
        raise NotFound("professional")
    return active


def lock_customer(session: Session, tenant_id: int, customer_id: int) -> None:
    """Lock the row behind the customer's limit. Raises NotFound("customer")."""
    bumped = session.execute(
        update(_CUSTOMER)
        .where(_CUSTOMER.c.id == customer_id, _CUSTOMER.c.tenant_id == tenant_id)
        .values(bookings_version=_CUSTOMER.c.bookings_version + 1)
        .returning(_CUSTOMER.c.id)
    ).scalar()
    if bumped is None:
        raise NotFound("customer")


def same_visit(
    session: Session,
    tenant_id: int,
    customer_id: int,
    professional_id: int,
    wanted: Sequence[int],
    starts_at: datetime,
) -> Appointment | None:
    """The customer's booked visit of these services, in this order, at this time."""
    rows = session.execute(
        select(Appointment)
        .where(_APPOINTMENT.c.tenant_id == tenant_id, _APPOINTMENT.c.customer_id == customer_id)
        .where(_APPOINTMENT.c.professional_id == professional_id, _APPOINTMENT.c.starts_at == starts_at)
        .where(_APPOINTMENT.c.status == AppointmentStatus.BOOKED)
        .order_by(_APPOINTMENT.c.id)
    ).scalars()
    found: Appointment
    for found in rows:
        if found.id is not None and service_ids(session, tenant_id, found.id) == tuple(wanted):
            return found
    return None


def require_offered(session: Session, tenant_id: int, professional_id: int, wanted: Collection[int]) -> None:
    """Raises Refusal unless the professional is active and offers all of these services."""
    if professional_id not in catalog.offering(session, tenant_id, wanted):
        raise Refusal(Code.SERVICO_NAO_ATENDIDO)


def require_able(session: Session, appointment: Appointment, target: int, active: bool) -> None:
    """May this professional take over the visit? Who has it already keeps it, unless deactivated."""
    same = target == appointment.professional_id
    if not active:
        raise Refusal(Code.SERVICO_NAO_ATENDIDO) if same else NotFound("professional")
    if not same:
        assert appointment.id is not None
        wanted = service_ids(session, appointment.tenant_id, appointment.id)
        require_offered(session, appointment.tenant_id, target, wanted)


def _require_below_limit(session: Session, now: datetime, tenant: Tenant, customer_id: int) -> None:
    open_ones = session.execute(
        select(func.count())
        .where(_APPOINTMENT.c.tenant_id == tenant.id, _APPOINTMENT.c.customer_id == customer_id)
        .where(_APPOINTMENT.c.status == AppointmentStatus.BOOKED, _APPOINTMENT.c.starts_at > now)
    ).scalar_one()
    if open_ones >= tenant.max_open_appointments:
        raise Refusal(Code.LIMITE_CLIENTE, {"limit": tenant.max_open_appointments})


def _require_still_ahead(appointment: Appointment, now: datetime) -> None:
    if appointment.status == AppointmentStatus.CANCELLED:
        raise Refusal(Code.JA_CANCELADO)
    if appointment.status != AppointmentStatus.BOOKED or appointment.starts_at <= now:
        raise Refusal(Code.JA_COMECOU)


def _require_in_time(appointment: Appointment, now: datetime, tenant: Tenant) -> None:
    if appointment.starts_at < now + timedelta(minutes=tenant.cancel_notice_minutes):
        raise Refusal(Code.PRAZO_DE_MUDANCA, {"minutes": tenant.cancel_notice_minutes})


def _require_free(
    session: Session,
    now: datetime,
    tenant: Tenant,
    professional_id: int,
    span: Span,
    starts_at: datetime,
    *,
    without: int | None = None,
) -> None:
    rules = catalog.rules(tenant)
    day = starts_at.astimezone(rules.zone).date()
    loaded = agendas(session, tenant, (professional_id,), span, day, day, without=without)
    reason = availability.check(rules, loaded[professional_id], span, starts_at, now)
    if reason:
        raise Refusal(reason.code, dict(reason.detail))


def _insert(session: Session, appointment: Appointment, services: Sequence[Offer]) -> None:
    with _overlap_refused():
        session.add(appointment)
        session.flush()
    assert appointment.id is not None
    session.add_all(
        AppointmentService(
            tenant_id=appointment.tenant_id,
            appointment_id=appointment.id,
            position=position,
            service_id=service.id,
            name=service.name,
            duration_minutes=service.duration_minutes,
            buffer_minutes=service.buffer_minutes,
            price_cents=service.price_cents,
        )
        for position, service in enumerate(services)
    )
    session.flush()


def _announce(
    session: Session, now: datetime, tenant: Tenant, appointment: Appointment, services: Collection[int]
) -> None:
    """What follows from a visit's (new) time: its reminders, and the end of waiting for such a one."""
    assert appointment.id is not None
    visit = Visit(appointment.id, appointment.schedule_version, appointment.starts_at)
    reminder.plan(session, now, tenant, visit)
    day = appointment.starts_at.astimezone(tenant.zone).date()
    waitlist.fulfil(session, appointment.tenant_id, appointment.customer_id, services, day)


@contextmanager
def _overlap_refused() -> Iterator[None]:
    """The database's own guard answers in the predicate's words; the transaction is lost all the same."""
    try:
        yield
    except IntegrityError as error:
        if "no_overlap" not in str(error.orig):
            raise
        raise Refusal(Code.OCUPADO) from error
