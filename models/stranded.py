"""Appointments that a change of the business left without a place: the list that staff work off.

An entry is opened by whoever takes the place away, and settled by whatever gives the visit one again: it is
moved, cancelled, kept as it is by one of the staff, or fits once more. Taking such an act back opens it anew.
"""

from collections.abc import Collection, Mapping
from datetime import datetime
from enum import StrEnum

from sqlalchemy import CheckConstraint, ForeignKeyConstraint, Index, insert, select, text, update
from sqlmodel import Field, Session, SQLModel

from models.db import UtcDateTime, change, table


class Why(StrEnum):
    """What took the place away."""

    PROFESSIONAL = "professional"  # does not work here any more
    SERVICE = "service"  # is not offered any more
    OFFER = "offer"  # the professional does not offer it any more
    HOURS = "hours"
    TIME_OFF = "time_off"
    CLOSURE = "closure"
    HOLIDAY = "holiday"
    TIME_ZONE = "time_zone"  # the customer was told another local time


class Outcome(StrEnum):
    """How an entry ended."""

    MOVED = "moved"
    CANCELLED = "cancelled"
    KEPT = "kept"
    FITS = "fits"


class StrandedAppointment(SQLModel, table=True):
    """One entry. `settled_by` is the one of the staff who settled it, None for the bot, or by itself."""

    __tablename__ = "stranded_appointment"
    __table_args__ = (
        ForeignKeyConstraint(["tenant_id", "appointment_id"], ["appointment.tenant_id", "appointment.id"]),
        ForeignKeyConstraint(["tenant_id", "settled_by"], ["staff.tenant_id", "staff.id"]),
        CheckConstraint("(settled_at is null) = (outcome is null)"),
        Index(
            "ix_stranded_open",
            "appointment_id",
            unique=True,
            sqlite_where=text("settled_at is null"),
            postgresql_where=text("settled_at is null"),
        ),
        Index(
            "ix_stranded_tenant",
            "tenant_id",
            sqlite_where=text("settled_at is null"),
            postgresql_where=text("settled_at is null"),
        ),
    )

    id: int | None = Field(default=None, primary_key=True)
    tenant_id: int
    appointment_id: int
    reason: str = Field(max_length=20)
    since: datetime = Field(sa_type=UtcDateTime)
    settled_at: datetime | None = Field(default=None, sa_type=UtcDateTime)
    settled_by: int | None = None
    outcome: str | None = Field(default=None, max_length=10)


_ENTRY = table(StrandedAppointment)


def strand(session: Session, now: datetime, tenant_id: int, found: Mapping[int, Why]) -> None:
    """Open an entry for each of these appointments that has none. The caller holds their professionals."""
    open_already = set(
        session.scalars(
            select(_ENTRY.c.appointment_id).where(
                _ENTRY.c.tenant_id == tenant_id,
                _ENTRY.c.appointment_id.in_(found),
                _ENTRY.c.settled_at.is_(None),
            )
        )
    )
    rows = [
        {"tenant_id": tenant_id, "appointment_id": key, "reason": why, "since": now}
        for key, why in found.items()
        if key not in open_already
    ]
    if rows:
        session.execute(insert(_ENTRY), rows)


def settle(
    session: Session,
    now: datetime,
    tenant_id: int,
    appointment_ids: Collection[int],
    outcome: Outcome,
    staff_id: int | None = None,
) -> int:
    """Close the open entries of these appointments; gives how many there were."""
    statement = (
        update(_ENTRY)
        .where(_ENTRY.c.tenant_id == tenant_id, _ENTRY.c.appointment_id.in_(appointment_ids))
        .where(_ENTRY.c.settled_at.is_(None))
        .values(settled_at=now, settled_by=staff_id, outcome=outcome)
    )
    return change(session, statement)


def reopen(session: Session, tenant_id: int, appointment_id: int, settled_at: datetime) -> int:
    """Open the entry of this appointment that was closed at that moment; gives whether there was one."""
    statement = (
        update(_ENTRY)
        .where(_ENTRY.c.tenant_id == tenant_id, _ENTRY.c.appointment_id == appointment_id)
        .where(_ENTRY.c.settled_at == settled_at)
        .values(settled_at=None, settled_by=None, outcome=None)
    )
    return change(session, statement)
