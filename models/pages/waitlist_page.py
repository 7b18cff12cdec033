"""The waiting list as staff read it: who waits for what, and what they are offered. See `models.waitlist`."""

import datetime as dt
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, Row, Select, func, select
from sqlmodel import Session

from models.catalog import Professional, Service
from models.conversation import Conversation
from models.customer import Customer
from models.db import table
from models.errors import NotFound
from models.message import UNSENT, Message
from models.waitlist import OPEN, WaitlistEntry

MOST = 1000  # entries at once

_ENTRY, _CUSTOMER, _CONVERSATION = table(WaitlistEntry), table(Customer), table(Conversation)
_SERVICE, _MESSAGE = table(Service), table(Message)
_WISHED, _OFFERED = table(Professional).alias("wished"), table(Professional).alias("offered")


@dataclass(frozen=True)
class Waiter:
    """One entry of the list with its names. `professional` None: whoever does it.

    `said`: the line with the offer has left, as far as is known. `reason`: why it ended, or why the customer
    was passed over.
    """

    id: int
    state: str
    reason: str
    date: dt.date
    period: str | None
    since: dt.datetime
    customer_id: int
    customer: str
    conversation_id: int | None
    address: str
    service_id: int
    service: str
    professional_id: int | None
    professional: str | None
    offered_start: dt.datetime | None
    offered_professional_id: int | None
    offered_professional: str | None
    offer_until: dt.datetime | None
    said: bool


def count(session: Session, tenant_id: int) -> int:
    """How many are on the list."""
    query = select(func.count()).select_from(_ENTRY).where(*_open(tenant_id))
    return session.scalar(query) or 0


def waiters(session: Session, tenant_id: int) -> list[Waiter]:
    """Who is on the list: by day, first come first; in one statement."""
    query = _waiters(*_open(tenant_id)).order_by(_ENTRY.c.date, _ENTRY.c.created_at, _ENTRY.c.id).limit(MOST)
    return [_waiter(row) for row in session.execute(query)]


def waiter(session: Session, tenant_id: int, entry_id: int) -> Waiter:
    """One entry of this tenant, also one that is over. Raises NotFound("waitlist")."""
    row = session.execute(_waiters(_ENTRY.c.tenant_id == tenant_id, _ENTRY.c.id == entry_id)).first()
    if row is None:
        raise NotFound("waitlist")
    return _waiter(row)


def _open(tenant_id: int) -> tuple[ColumnElement[bool], ...]:
    return _ENTRY.c.tenant_id == tenant_id, _ENTRY.c.state.in_(OPEN)


def _waiters(*conditions: ColumnElement[bool]) -> Select[Any]:
    return (
        select(
            _ENTRY,
            _CUSTOMER.c.name.label("customer"),
            _CONVERSATION.c.id.label("conversation_id"),
            _CONVERSATION.c.address,
            _SERVICE.c.name.label("service"),
            _WISHED.c.name.label("professional"),
            _OFFERED.c.name.label("offered_professional"),
            _MESSAGE.c.status,
        )
        .join(_CUSTOMER, _CUSTOMER.c.id == _ENTRY.c.customer_id)
        .join(_SERVICE, _SERVICE.c.id == _ENTRY.c.service_id)
        .outerjoin(_CONVERSATION, _CONVERSATION.c.customer_id == _ENTRY.c.customer_id)
        .outerjoin(_WISHED, _WISHED.c.id == _ENTRY.c.professional_id)
        .outerjoin(_OFFERED, _OFFERED.c.id == _ENTRY.c.offered_professional_id)
        .outerjoin(_MESSAGE, _MESSAGE.c.id == _ENTRY.c.message_id)
        .where(*conditions)
    )


def _waiter(row: Row[Any]) -> Waiter:
    return Waiter(
        id=row.id,
        state=row.state,
        reason=row.reason,
        date=row.date,
        period=row.period,
        since=row.created_at,
        customer_id=row.customer_id,
        customer=row.customer,
        conversation_id=row.conversation_id,
        address=row.address or "",
        service_id=row.service_id,
        service=row.service,
        professional_id=row.professional_id,
        professional=row.professional,
        offered_start=row.offered_start,
        offered_professional_id=row.offered_professional_id,
        offered_professional=row.offered_professional,
        offer_until=row.offer_until,
        said=row.status is not None and row.status not in UNSENT,
    )
