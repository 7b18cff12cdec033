"""Reminders of appointments: when each is due, and what became of it.

The rows are the truth. They are made in the transaction that books or moves, and withdrawn in the one that
moves or cancels; whoever sends one claims its row and queues the line in one transaction as well.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any
from zoneinfo import ZoneInfo

from sqlalchemy import (
    CheckConstraint,
    ForeignKeyConstraint,
    Index,
    Row,
    UniqueConstraint,
    and_,
    exists,
    insert,
    or_,
    select,
    update,
)
from sqlmodel import Field, Session, SQLModel, col

from models import delivery, quiet_hours
from models.db import UtcDateTime, change, table
from models.message import Message, Status
from models.tenant import Tenant


class State(StrEnum):
    """What became of it. `sent`: its line is with the outbox, and the line's own status tells the rest."""

    PENDING = "pending"
    SENT = "sent"
    SKIPPED = "skipped"  # nothing to say by then: too late, not wanted
    OBSOLETE = "obsolete"  # the appointment was moved or cancelled
    FAILED = "failed"  # there was no way to say it: staff see it


class Reminder(SQLModel, table=True):
    """One reminder, so many hours before one version of an appointment's time. `reason` is for staff."""

    __table_args__ = (
        UniqueConstraint("appointment_id", "hours", "version"),
        UniqueConstraint("message_id"),
        ForeignKeyConstraint(["tenant_id", "appointment_id"], ["appointment.tenant_id", "appointment.id"]),
        CheckConstraint("state in ('pending', 'sent', 'skipped', 'obsolete', 'failed')"),
        Index("ix_reminder_due", "state", "due_at"),
        Index("ix_reminder_newest", "tenant_id", "due_at"),
    )

    id: int | None = Field(default=None, primary_key=True)
    tenant_id: int = Field(foreign_key="tenant.id")
    appointment_id: int
    hours: int
    version: int
    due_at: datetime = Field(sa_type=UtcDateTime)
    state: str = Field(default=State.PENDING, max_length=10)
    reason: str = Field(default="", max_length=120)
    message_id: int | None = Field(default=None, foreign_key="message.id")


# Closer to the start than this, nobody is reminded.
LEAST = timedelta(minutes=15)
# What would come sooner after the booking than this is no reminder.
EARLIEST = timedelta(hours=1)
# A line is dropped on the day on which it was queued, or never.
DROPPED_WITHIN = timedelta(days=2)
FAILED_SHOWN = 100
_REMINDER = table(Reminder)


def due(zone: ZoneInfo, starts_at: datetime, hours: int, now: datetime) -> datetime | None:
    """When to remind of a visit that is booked (or moved) now; None: not at all.

    What falls into the night comes on the evening before, else at the night's end.
    """
    wanted = starts_at - timedelta(hours=hours)
    if wanted <= now:
        return None
    if not quiet_hours.is_night(zone, wanted):
        return wanted
    evening, morning = quiet_hours.evening(zone, wanted), quiet_hours.morning(zone, wanted)
    if evening >= now + EARLIEST:
        return evening
    return morning if starts_at - morning > LEAST else None


def schedule(zone: ZoneInfo, starts_at: datetime, hours: Iterable[int], now: datetime) -> dict[int, datetime]:
    """When to remind, by hours before; of several that the night puts together only the last."""
    by_moment = {
        at: each
        for each in sorted(hours, reverse=True)
        if (at := due(zone, starts_at, each, now)) is not None
    }
    return {each: at for at, each in by_moment.items()}


@dataclass(frozen=True)
class Visit:
    """An appointment to come, and the version of its time."""

    id: int
    version: int
    starts_at: datetime


def plan(session: Session, now: datetime, tenant: Tenant, visit: Visit) -> None:
    """Make the reminders of an appointment's (new) time, by the rules of its business."""
    _insert(session, tenant, visit, schedule(tenant.zone, visit.starts_at, tenant.reminders_hours, now))


def _insert(session: Session, tenant: Tenant, visit: Visit, moments: Mapping[int, datetime]) -> None:
    rows = [
        {
            "tenant_id": tenant.id,
            "appointment_id": visit.id,
            "hours": hours,
            "version": visit.version,
            "due_at": at,
            "state": State.PENDING,
            "reason": "",
        }
        for hours, at in moments.items()
    ]
    if rows:
        session.execute(insert(_REMINDER), rows)


def withdraw(session: Session, now: datetime, tenant_id: int, appointment_id: int) -> None:
    """What was to be said of this appointment's time is not said, as far as it is not on its way."""
    mine = (_REMINDER.c.tenant_id == tenant_id, _REMINDER.c.appointment_id == appointment_id)
    # In this order: whoever claims a row holds it until its line is queued, and then the second sees that.
    session.execute(
        update(_REMINDER).where(*mine, _REMINDER.c.state == State.PENDING).values(state=State.OBSOLETE)
    )
    lines = select(_REMINDER.c.message_id).where(*mine, _REMINDER.c.state == State.SENT)
    stopped = delivery.stop(session, now, tenant_id, lines)
    if stopped:
        session.execute(
            update(_REMINDER).where(_REMINDER.c.message_id.in_(stopped)).values(state=State.OBSOLETE)
        )


def plan_anew(session: Session, now: datetime, tenant: Tenant, visits: Sequence[Visit]) -> None:
    """Bring what is still to be said of these visits to the rules of their business as they are now.

    What is due by now, was said or came to nothing stays as it is.
    """
    known = _of_visits(session, [visit.id for visit in visits])
    for visit in visits:
        wanted = schedule(tenant.zone, visit.starts_at, tenant.reminders_hours, now)
        found = known.get((visit.id, visit.version), {})
        for hours, row in found.items():
            _adapt(session, now, row, wanted.get(hours))
        _insert(session, tenant, visit, {hours: at for hours, at in wanted.items() if hours not in found})


def _of_visits(session: Session, visits: Sequence[int]) -> dict[tuple[int, int], dict[int, Row[Any]]]:
    """By visit and version, the reminders by their hours."""
    found: dict[tuple[int, int], dict[int, Row[Any]]] = {}
    for row in session.execute(select(_REMINDER).where(_REMINDER.c.appointment_id.in_(visits))):
        found.setdefault((row.appointment_id, row.version), {})[row.hours] = row
    return found


def _adapt(session: Session, now: datetime, row: Row[Any], wanted: datetime | None) -> None:
    values: dict[str, object] = {"state": State.OBSOLETE}
    if wanted is not None:
        values = {"state": State.PENDING, "due_at": wanted}
    ahead = row.state == State.PENDING and row.due_at > now
    if ahead or (row.state == State.OBSOLETE and wanted is not None):
        session.execute(update(_REMINDER).where(_REMINDER.c.id == row.id).values(values))


@dataclass(frozen=True)
class Claimed:
    """A reminder in the hands of whoever says it: so many hours before this version of a visit's time."""

    id: int
    tenant_id: int
    appointment_id: int
    hours: int
    version: int
    due_at: datetime


def claim(session: Session, now: datetime) -> Claimed | None:
    """Take the reminder that is due longest, as sent; `close` it otherwise in the same transaction."""
    candidate = (
        select(_REMINDER.c.id)
        .where(_REMINDER.c.state == State.PENDING, _REMINDER.c.due_at <= now)
        .order_by(_REMINDER.c.due_at, _REMINDER.c.id)
        .limit(1)
        .with_for_update(skip_locked=True)
        .scalar_subquery()
    )
    statement = (
        update(_REMINDER)
        .where(_REMINDER.c.id == candidate, _REMINDER.c.state == State.PENDING)
        .values(state=State.SENT)
        .returning(*(_REMINDER.c[name] for name in Claimed.__dataclass_fields__))
    )
    row = session.execute(statement).first()
    return Claimed(*row) if row is not None else None


def revive(session: Session, now: datetime) -> int:
    """What was dropped unsent was not said: it is pending again. Gives how many."""
    messages = table(Message)
    dropped = exists().where(messages.c.id == _REMINDER.c.message_id, messages.c.status == Status.DROPPED)
    statement = (
        update(_REMINDER)
        .where(_REMINDER.c.state == State.SENT, _REMINDER.c.due_at > now - DROPPED_WITHIN, dropped)
        .values(state=State.PENDING, message_id=None)
    )
    return change(session, statement)


def is_overtaken(session: Session, mine: Claimed, now: datetime) -> bool:
    """Whether another reminder of the same visit is due as well: the last of them speaks for all."""
    later = exists().where(
        _REMINDER.c.appointment_id == mine.appointment_id,
        _REMINDER.c.version == mine.version,
        _REMINDER.c.state == State.PENDING,
        _REMINDER.c.due_at <= now,
    )
    return bool(session.execute(select(later)).scalar())


def queued(session: Session, mine: Claimed, message_id: int) -> None:
    """Its line is with the outbox."""
    _set(session, mine, message_id=message_id)


def postpone(session: Session, mine: Claimed, due_at: datetime) -> None:
    """Not now: it is pending again."""
    _set(session, mine, state=State.PENDING, due_at=due_at)


def close(session: Session, mine: Claimed, state: State, reason: str = "") -> None:
    """It is not said; why, for staff."""
    _set(session, mine, state=state, reason=reason[:120])


def _set(session: Session, mine: Claimed, **values: object) -> None:
    session.execute(update(_REMINDER).where(_REMINDER.c.id == mine.id).values(values))


def of_message(session: Session, tenant_id: int, message_id: int) -> Reminder | None:
    """The reminder that this line says, if it says one."""
    query = select(Reminder).where(
        col(Reminder.tenant_id) == tenant_id, col(Reminder.message_id) == message_id
    )
    return session.scalar(query)


def last_sent(session: Session, tenant_id: int, conversation_id: int) -> Reminder | None:
    """The newest reminder that this conversation was sent."""
    query = (
        select(Reminder)
        .join(Message, col(Message.id) == col(Reminder.message_id))
        .where(
            col(Reminder.tenant_id) == tenant_id,
            col(Reminder.state) == State.SENT,
            col(Message.conversation_id) == conversation_id,
            col(Message.status) != Status.DROPPED,
        )
        .order_by(col(Message.seq).desc())
        .limit(1)
    )
    return session.scalar(query)


@dataclass(frozen=True)
class Failure:
    """A reminder that the customer did not get. `error_code` is the provider's, where it took the line."""

    appointment_id: int
    hours: int
    due_at: datetime
    reason: str
    error_code: int | None


def failed(session: Session, tenant_id: int) -> list[Failure]:
    """What staff should know, newest first; at most 100."""
    messages = table(Message)
    lost = and_(_REMINDER.c.state == State.SENT, messages.c.status == Status.FAILED)
    rows = session.execute(
        select(
            _REMINDER.c.appointment_id,
            _REMINDER.c.hours,
            _REMINDER.c.due_at,
            _REMINDER.c.reason,
            messages.c.error_code,
        )
        .outerjoin(messages, messages.c.id == _REMINDER.c.message_id)
        .where(_REMINDER.c.tenant_id == tenant_id, or_(_REMINDER.c.state == State.FAILED, lost))
        .order_by(_REMINDER.c.due_at.desc(), _REMINDER.c.id.desc())
        .limit(FAILED_SHOWN)
    )
    return [Failure(*row) for row in rows]
