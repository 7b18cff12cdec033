"""The waiting list: who wants to be told when a time opens on a day that is full.

First come, first offered. An offer holds for a while: nobody else in line is offered that time meanwhile, but
who asks for it by themselves can book it. An offer that nobody takes up ends the entry.
"""

import datetime as dt
from collections.abc import Collection
from dataclasses import dataclass
from enum import StrEnum

from sqlalchemy import (
    CheckConstraint,
    ForeignKeyConstraint,
    Index,
    UniqueConstraint,
    bindparam,
    select,
    text,
    update,
)
from sqlalchemy.exc import IntegrityError
from sqlmodel import Field, Session, SQLModel, col

from models import audit, delivery
from models.db import UtcDateTime, change, table
from models.errors import Conflict, NotFound
from models.message import UNSENT, Message, Status


class State(StrEnum):
    WAITING = "waiting"
    OFFERED = "offered"
    BOOKED = "booked"  # the customer has such a visit on that day
    EXPIRED = "expired"  # the day is over, or an offer was not taken up
    CANCELLED = "cancelled"  # it cannot be offered any more, or is not wanted


class WaitlistEntry(SQLModel, table=True):
    """One customer waits for one service on one local date.

    `period` is "manha", "tarde", "noite" or None; `professional_id` None is anybody who does it. `reason` is
    for staff: why it ended, or why the customer was passed over.
    """

    __tablename__ = "waitlist"
    __table_args__ = (
        ForeignKeyConstraint(["tenant_id", "customer_id"], ["customer.tenant_id", "customer.id"]),
        ForeignKeyConstraint(["tenant_id", "service_id"], ["service.tenant_id", "service.id"]),
        ForeignKeyConstraint(["tenant_id", "professional_id"], ["professional.tenant_id", "professional.id"]),
        ForeignKeyConstraint(
            ["tenant_id", "offered_professional_id"], ["professional.tenant_id", "professional.id"]
        ),
        UniqueConstraint("message_id"),
        CheckConstraint("state in ('waiting', 'offered', 'booked', 'expired', 'cancelled')"),
        CheckConstraint("state <> 'offered' or (offered_start is not null and offer_until is not null)"),
        Index(
            "ix_waitlist_open",
            "tenant_id",
            "customer_id",
            "service_id",
            "date",
            unique=True,
            sqlite_where=text("state in ('waiting', 'offered')"),
            postgresql_where=text("state in ('waiting', 'offered')"),
        ),
    )

    id: int | None = Field(default=None, primary_key=True)
    tenant_id: int = Field(foreign_key="tenant.id")
    customer_id: int
    service_id: int
    professional_id: int | None = None
    date: dt.date
    period: str | None = Field(default=None, max_length=10)
    state: str = Field(default=State.WAITING, max_length=10)
    reason: str = Field(default="", max_length=120)
    created_at: dt.datetime = Field(sa_type=UtcDateTime)
    offered_start: dt.datetime | None = Field(default=None, sa_type=UtcDateTime)
    offered_professional_id: int | None = None
    offer_until: dt.datetime | None = Field(default=None, sa_type=UtcDateTime)
    message_id: int | None = Field(default=None, foreign_key="message.id")


@dataclass(frozen=True)
class Joined:
    """`already`: the customer waited for this before, and keeps their place."""

    entry: WaitlistEntry
    already: bool


OPEN = (State.WAITING, State.OFFERED)
UNANSWERED = "a oferta não foi aceita a tempo"
OVER = "o dia passou"
ASKED, REMOVED = "o cliente pediu para sair", "retirado pela equipe"
_ENTRY = table(WaitlistEntry)
_NO_OFFER: dict[str, object] = {
    "offered_start": None,
    "offered_professional_id": None,
    "offer_until": None,
    "message_id": None,
}


def join(session: Session, wish: WaitlistEntry) -> Joined:
    """Put a customer into the line. Of an entry that waits already, the newer wishes count."""
    try:
        with session.begin_nested():
            session.add(wish)
    except IntegrityError:
        known = _open(session, wish)
        if known is None:
            raise
        if known.state == State.WAITING:
            known.professional_id, known.period = wish.professional_id, wish.period
        session.flush()
        return Joined(known, already=True)
    return Joined(wish, already=False)


def _open(session: Session, wish: WaitlistEntry) -> WaitlistEntry | None:
    query = select(WaitlistEntry).where(
        col(WaitlistEntry.tenant_id) == wish.tenant_id,
        col(WaitlistEntry.customer_id) == wish.customer_id,
        col(WaitlistEntry.service_id) == wish.service_id,
        col(WaitlistEntry.date) == wish.date,
        col(WaitlistEntry.state).in_(OPEN),
    )
    return session.scalar(query)


def businesses(session: Session) -> list[int]:
    """Those in which somebody waits or has an offer."""
    return list(session.scalars(select(_ENTRY.c.tenant_id).where(_ENTRY.c.state.in_(OPEN)).distinct()))


def line(session: Session, tenant_id: int) -> list[WaitlistEntry]:
    """Who waits, first come first."""
    query = (
        select(WaitlistEntry)
        .where(col(WaitlistEntry.tenant_id) == tenant_id, col(WaitlistEntry.state) == State.WAITING)
        .order_by(col(WaitlistEntry.created_at), col(WaitlistEntry.id))
    )
    return list(session.scalars(query))


def offered(session: Session, tenant_id: int) -> list[WaitlistEntry]:
    """The offers that hold."""
    query = select(WaitlistEntry).where(
        col(WaitlistEntry.tenant_id) == tenant_id, col(WaitlistEntry.state) == State.OFFERED
    )
    return list(session.scalars(query))


def of_customer(session: Session, tenant_id: int, customer_id: int) -> list[WaitlistEntry]:
    """What a customer waits for, and what they are offered; by day."""
    return list(session.scalars(_OF_CUSTOMER, {"tenant": tenant_id, "customer": customer_id}))


_OF_CUSTOMER = (
    select(WaitlistEntry)
    .where(
        col(WaitlistEntry.tenant_id) == bindparam("tenant"),
        col(WaitlistEntry.customer_id) == bindparam("customer"),
        col(WaitlistEntry.state).in_(OPEN),
    )
    .order_by(col(WaitlistEntry.date), col(WaitlistEntry.id))
)


def of_message(session: Session, tenant_id: int, message_id: int) -> WaitlistEntry | None:
    """The entry whose offer this line says, if it says one."""
    query = select(WaitlistEntry).where(
        col(WaitlistEntry.tenant_id) == tenant_id, col(WaitlistEntry.message_id) == message_id
    )
    return session.scalar(query)


def offer(
    session: Session, entry_id: int, professional_id: int, start: dt.datetime, until: dt.datetime
) -> bool:
    """Hold a time for somebody who waits; False if they do not wait any more."""
    statement = (
        update(_ENTRY)
        .where(_ENTRY.c.id == entry_id, _ENTRY.c.state == State.WAITING)
        .values(
            state=State.OFFERED,
            reason="",
            offered_professional_id=professional_id,
            offered_start=start,
            offer_until=until,
        )
    )
    return change(session, statement) == 1


def queued(session: Session, entry_id: int, message_id: int) -> None:
    """The line that says the offer is with the outbox."""
    session.execute(update(_ENTRY).where(_ENTRY.c.id == entry_id).values(message_id=message_id))


def close(session: Session, entry_id: int, state: State, reason: str) -> None:
    """End an entry that is open; why, for staff."""
    session.execute(
        update(_ENTRY)
        .where(_ENTRY.c.id == entry_id, _ENTRY.c.state.in_(OPEN))
        .values(state=state, reason=reason)
    )


def leave(
    session: Session,
    now: dt.datetime,
    tenant_id: int,
    entries: Collection[int],
    reason: str,
    states: Collection[str] = OPEN,
) -> int:
    """End these open entries of the business, and what was to be said of them; gives how many there were."""
    mine = (_ENTRY.c.tenant_id == tenant_id, _ENTRY.c.id.in_(entries), _ENTRY.c.state.in_(states))
    lines = select(_ENTRY.c.message_id).where(*mine, _ENTRY.c.message_id.is_not(None))
    delivery.stop(session, now, tenant_id, lines)
    return change(session, update(_ENTRY).where(*mine).values(state=State.CANCELLED, reason=reason))


def remove(
    session: Session, now: dt.datetime, tenant_id: int, entry_id: int, staff_id: int, seen: str
) -> None:
    """Staff take somebody off the line whom they saw in this open state.

    Raises NotFound, and Conflict("changed") for who is in another state by now.
    """
    known = session.get(WaitlistEntry, entry_id)
    if known is None or known.tenant_id != tenant_id:
        raise NotFound("waitlist")
    if seen not in OPEN or not leave(session, now, tenant_id, [entry_id], REMOVED, [seen]):
        raise Conflict("changed")
    audit.record(session, now, tenant_id, "waitlist.remove", staff_id=staff_id, subject_id=entry_id)


def pass_over(session: Session, entry_id: int, reason: str) -> None:
    """They keep waiting, but could not be told of a time; why, for staff."""
    session.execute(
        update(_ENTRY).where(_ENTRY.c.id == entry_id, _ENTRY.c.state == State.WAITING).values(reason=reason)
    )


def fulfil(
    session: Session, tenant_id: int, customer_id: int, service_ids: Collection[int], day: dt.date
) -> None:
    """The customer has a visit on that day: nobody waits for it any more."""
    session.execute(
        update(_ENTRY)
        .where(_ENTRY.c.tenant_id == tenant_id, _ENTRY.c.customer_id == customer_id)
        .where(_ENTRY.c.service_id.in_(service_ids), _ENTRY.c.date == day, _ENTRY.c.state.in_(OPEN))
        .values(state=State.BOOKED, reason="")
    )


def expire(session: Session, now: dt.datetime, tenant_id: int, today: dt.date) -> int:
    """End what is over by `now`, on the business's date `today`; gives how many entries changed.

    An offer that was never sent was none: who should have got it waits again.
    """
    mine = _ENTRY.c.tenant_id == tenant_id
    over = (mine, _ENTRY.c.state == State.OFFERED, _ENTRY.c.offer_until <= now)
    unsaid = select(col(Message.id)).where(col(Message.status).in_((*UNSENT, Status.DROPPED)))
    again = update(_ENTRY).where(*over, _ENTRY.c.message_id.in_(unsaid))
    unanswered = update(_ENTRY).where(*over)
    past = update(_ENTRY).where(mine, _ENTRY.c.state == State.WAITING, _ENTRY.c.date < today)
    return (
        change(session, again.values(state=State.WAITING, **_NO_OFFER))
        + change(session, unanswered.values(state=State.EXPIRED, reason=UNANSWERED))
        + change(session, past.values(state=State.EXPIRED, reason=OVER))
    )
