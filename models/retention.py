"""How long a business keeps what customers left: after that it goes without anybody asking."""

from collections.abc import Sequence
from datetime import datetime, timedelta

from sqlalchemy import ColumnElement, String, and_, cast, exists, func, or_, select
from sqlmodel import Session

from models import provider_deletion
from models.appointment import Appointment
from models.conversation import Conversation
from models.customer import FORGOTTEN, Customer, CustomerAddress
from models.db import table
from models.handoff import Handoff
from models.message import Direction, Message
from models.provider_deletion import Kind

_CUSTOMER, _ADDRESS, _TALK = table(Customer), table(CustomerAddress), table(Conversation)
_EPISODE, _VISIT, _MESSAGE = table(Handoff), table(Appointment), table(Message)


def silent(session: Session, tenant_id: int, now: datetime, days: int) -> Sequence[int]:
    """Customers of whom nothing was heard for so many days: no message, to them or from them, and no visit.

    Whoever has a visit ahead or waits for a person is not among them.
    """
    query = select(_CUSTOMER.c.id).where(_is_silent(tenant_id, now - timedelta(days=days)))
    return session.scalars(query.order_by(_CUSTOMER.c.id)).all()


def is_silent(session: Session, tenant_id: int, customer_id: int, now: datetime, days: int) -> bool:
    """Whether it is so for this one, as `silent` means it."""
    query = select(_CUSTOMER.c.id).where(_is_silent(tenant_id, now - timedelta(days=days)))
    return session.scalar(query.where(_CUSTOMER.c.id == customer_id)) is not None


def count_silent(session: Session, tenant_id: int, now: datetime, days: int) -> int:
    query = select(func.count()).select_from(_CUSTOMER)
    return session.scalar(query.where(_is_silent(tenant_id, now - timedelta(days=days)))) or 0


def _is_silent(tenant_id: int, since: datetime) -> ColumnElement[bool]:
    of_customer = and_(_TALK.c.tenant_id == tenant_id, _TALK.c.customer_id == _CUSTOMER.c.id)
    spoke = exists().where(of_customer, _TALK.c.last_message_at >= since)
    waits = exists().where(
        of_customer, _EPISODE.c.conversation_id == _TALK.c.id, _EPISODE.c.closed_at.is_(None)
    )
    came = exists().where(
        _VISIT.c.tenant_id == tenant_id, _VISIT.c.customer_id == _CUSTOMER.c.id, _VISIT.c.starts_at >= since
    )
    # Of whom it is known who they are: nobody is forgotten twice.
    known = exists().where(
        _ADDRESS.c.tenant_id == tenant_id,
        _ADDRESS.c.customer_id == _CUSTOMER.c.id,
        ~_ADDRESS.c.address.startswith(FORGOTTEN),
    )
    return and_(
        _CUSTOMER.c.tenant_id == tenant_id,
        _CUSTOMER.c.created_at < since,
        or_(known, _CUSTOMER.c.name != ""),
        ~spoke,
        ~waits,
        ~came,
    )


def drop_media(session: Session, tenant_id: int, now: datetime, days: int, limit: int) -> int:
    """Let go of attachments older than so many days, here and at the provider; gives of how many messages."""
    query = (
        select(Message)
        .where(_MESSAGE.c.tenant_id == tenant_id, _MESSAGE.c.direction == Direction.IN)
        .where(_MESSAGE.c.created_at < now - timedelta(days=days), cast(_MESSAGE.c.media, String) != "[]")
        .order_by(_MESSAGE.c.id)
        .limit(limit)
    )
    lines = session.scalars(query).all()
    urls = [item["url"] for line in lines for item in line.media if item.get("url")]
    provider_deletion.want(session, now, tenant_id, Kind.MEDIA, urls)
    for line in lines:
        line.media = []
    session.flush()
    return len(lines)
