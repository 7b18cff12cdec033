"""Time that staff block by hand: a part of one professional's days, or of the whole business's."""

import datetime as dt
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from sqlalchemy import select
from sqlmodel import Session, SQLModel

from models import appointment, audit, availability, stranded, stranded_recheck
from models.appointment import LONGEST_BUSY, Appointment, AppointmentStatus
from models.catalog import Closure, Professional, TimeOff
from models.db import table
from models.errors import NotFound, Refusal
from models.stranded import Why
from models.tenant import Tenant

MOST_DAYS = 370

_APPOINTMENT, _PROFESSIONAL = table(Appointment), table(Professional)


class Stop(StrEnum):
    """Why a block is not made."""

    HORARIOS_NO_BLOQUEIO = "HORARIOS_NO_BLOQUEIO"  # detail: "appointments", the ids of what stands there


@dataclass(frozen=True, slots=True)
class Stretch:
    """Local days from `first` through `last`, of each the part from `start` to `end` (minutes).

    `professional_id` None is the whole business.
    """

    professional_id: int | None
    first: dt.date
    last: dt.date
    start: int = 0
    end: int = availability.MINUTES_OF_DAY
    reason: str = ""

    def days(self) -> list[dt.date]:
        return [self.first + timedelta(days=n) for n in range((self.last - self.first).days + 1)]


def add(
    session: Session,
    now: datetime,
    tenant: Tenant,
    staff_id: int,
    stretch: Stretch,
    *,
    anyway: bool = False,
) -> list[int]:
    """Block it; gives the booked appointments ahead that stand there, which stay as they are.

    They are put on the list of what wants attention. Raises NotFound("professional"), and, unless `anyway`,
    Refusal(HORARIOS_NO_BLOQUEIO) where there are any.
    """
    assert 0 <= stretch.start < stretch.end <= availability.MINUTES_OF_DAY
    assert stretch.first <= stretch.last
    assert tenant.id is not None
    people = _lock(session, tenant.id, stretch.professional_id)
    under = _under(session, now, tenant, people, stretch)
    if under and not anyway:
        raise Refusal(Stop.HORARIOS_NO_BLOQUEIO, {"appointments": under})
    rows = _rows(tenant.id, staff_id, stretch)
    session.add_all(rows)
    session.flush()
    why = Why.CLOSURE if stretch.professional_id is None else Why.TIME_OFF
    stranded.strand(session, now, tenant.id, dict.fromkeys(under, why))
    audit.record(
        session,
        now,
        tenant.id,
        "block.add",
        staff_id=staff_id,
        subject_id=stretch.professional_id,
        detail=_told(stretch) | {"stranded": len(under)},
    )
    return under


def remove(
    session: Session,
    now: datetime,
    tenant: Tenant,
    staff_id: int,
    kind: type[TimeOff] | type[Closure],
    key: int,
) -> None:
    """Take one row away that staff have blocked; visits that fit again need no attention any more.

    Raises NotFound("block"), also for what stands in the business file.
    """
    assert tenant.id is not None
    row = _own(session, tenant.id, kind, key, lock=True)
    _lock(session, tenant.id, row.professional_id if isinstance(row, TimeOff) else None)
    session.delete(row)
    session.flush()
    stranded_recheck.settle_fitting(session, now, tenant)
    audit.record(
        session,
        now,
        tenant.id,
        "block.remove",
        staff_id=staff_id,
        subject_id=row.professional_id if isinstance(row, TimeOff) else None,
        detail=_told(_stretch(row)),
    )


def find(session: Session, tenant_id: int, kind: type[TimeOff] | type[Closure], key: int) -> Stretch:
    """One row that staff have blocked. Raises NotFound("block"), also for the business file's."""
    return _stretch(_own(session, tenant_id, kind, key, lock=False))


def _own(
    session: Session, tenant_id: int, kind: type[TimeOff] | type[Closure], key: int, *, lock: bool
) -> TimeOff | Closure:
    columns = table(kind).c
    query = select(kind).where(
        columns.tenant_id == tenant_id, columns.id == key, columns.staff_id.is_not(None)
    )
    row = session.scalar(query.with_for_update() if lock else query)
    if row is None:
        raise NotFound("block")
    assert isinstance(row, TimeOff | Closure)
    return row


def _lock(session: Session, tenant_id: int, professional_id: int | None) -> list[int]:
    """Keep bookings away until the transaction ends: whoever books bumps these rows first."""
    if professional_id is None:
        everybody = select(_PROFESSIONAL.c.id).where(_PROFESSIONAL.c.tenant_id == tenant_id)
        people = list(session.scalars(everybody))
    else:
        people = [professional_id]
    return list(appointment.lock_professionals(session, tenant_id, people))


def _under(session: Session, now: datetime, tenant: Tenant, people: list[int], stretch: Stretch) -> list[int]:
    """The booked visits ahead that overlap the stretch, earliest first."""
    begins, ends = _instants(tenant, stretch.first, stretch)[0], _instants(tenant, stretch.last, stretch)[1]
    rows = session.execute(
        select(_APPOINTMENT.c.id, _APPOINTMENT.c.starts_at, _APPOINTMENT.c.ends_at)
        .where(_APPOINTMENT.c.tenant_id == tenant.id, _APPOINTMENT.c.professional_id.in_(people))
        .where(_APPOINTMENT.c.status == AppointmentStatus.BOOKED, _APPOINTMENT.c.starts_at > now)
        .where(_APPOINTMENT.c.starts_at > begins - LONGEST_BUSY, _APPOINTMENT.c.starts_at < ends)
        .order_by(_APPOINTMENT.c.starts_at, _APPOINTMENT.c.id)
    )
    parts = [_instants(tenant, day, stretch) for day in stretch.days()]
    return [
        key
        for key, starts_at, ends_at in rows
        if any(starts_at < end and start < ends_at for start, end in parts)
    ]


def _instants(tenant: Tenant, day: dt.date, stretch: Stretch) -> tuple[datetime, datetime]:
    return (
        availability.instant(tenant.zone, day, stretch.start),
        availability.instant(tenant.zone, day, stretch.end),
    )


def _rows(tenant_id: int, staff_id: int, stretch: Stretch) -> list[SQLModel]:
    if stretch.professional_id is None:
        return [
            Closure(
                tenant_id=tenant_id,
                date=day,
                start_minute=stretch.start,
                end_minute=stretch.end,
                reason=stretch.reason,
                staff_id=staff_id,
            )
            for day in stretch.days()
        ]
    return [
        TimeOff(
            tenant_id=tenant_id,
            professional_id=stretch.professional_id,
            first_date=stretch.first,
            last_date=stretch.last,
            start_minute=stretch.start,
            end_minute=stretch.end,
            reason=stretch.reason,
            staff_id=staff_id,
        )
    ]


def _stretch(row: TimeOff | Closure) -> Stretch:
    if isinstance(row, Closure):
        return Stretch(None, row.date, row.date, row.start_minute, row.end_minute, row.reason)
    return Stretch(
        row.professional_id, row.first_date, row.last_date, row.start_minute, row.end_minute, row.reason
    )


def _told(stretch: Stretch) -> dict[str, object]:
    """For the audit."""
    return {
        "first": stretch.first.isoformat(),
        "last": stretch.last.isoformat(),
        "start": stretch.start,
        "end": stretch.end,
        "reason": stretch.reason,
    }
