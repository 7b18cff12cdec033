"""The businesses of an installation, as whoever runs it sees them: which there are, and their end."""

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import ColumnElement, Table, delete, false, func, select
from sqlmodel import Session, SQLModel, col

from models import audit
from models.conversation import Conversation, Holder
from models.customer import Customer
from models.db import change, table
from models.errors import Conflict
from models.staff import Staff, StaffSession
from models.tenant import Tenant


@dataclass(frozen=True)
class Standing:
    """One business at a glance, without a word of its customers'. `waiting_since`: who waits longest."""

    slug: str
    name: str
    whatsapp: str
    disabled_at: datetime | None
    disabled_silently: bool
    customers: int
    waiting: int
    waiting_since: datetime | None
    last_message_at: datetime | None


def standings(session: Session) -> list[Standing]:
    """All businesses by slug."""
    talk = table(Conversation).c
    talks = (
        select(
            talk.tenant_id,
            func.count().filter(talk.holder == Holder.QUEUE).label("waiting"),
            func.min(talk.waiting_since).filter(talk.holder == Holder.QUEUE).label("waiting_since"),
            func.max(talk.last_message_at).label("last_message_at"),
        )
        .group_by(talk.tenant_id)
        .subquery()
    )
    customers = (
        select(col(Customer.tenant_id), func.count().label("number"))
        .group_by(col(Customer.tenant_id))
        .subquery()
    )
    query = (
        select(Tenant, customers.c.number, talks.c.waiting, talks.c.waiting_since, talks.c.last_message_at)
        .outerjoin(customers, customers.c.tenant_id == col(Tenant.id))
        .outerjoin(talks, talks.c.tenant_id == col(Tenant.id))
        .order_by(col(Tenant.slug))
    )
    return [
        Standing(
            slug=tenant.slug,
            name=tenant.name,
            whatsapp=tenant.whatsapp,
            disabled_at=tenant.disabled_at,
            disabled_silently=tenant.disabled_silently,
            customers=number or 0,
            waiting=waiting or 0,
            waiting_since=since,
            last_message_at=last,
        )
        for tenant, number, waiting, since, last in session.execute(query)
    ]


def disable(session: Session, now: datetime, tenant_id: int, *, silently: bool) -> None:
    """Serve it no longer: its customers get a fixed text, or nothing; no model is asked."""
    tenant = session.get_one(Tenant, tenant_id)
    tenant.disabled_at, tenant.disabled_silently = tenant.disabled_at or now, silently
    session.add(tenant)
    audit.record(session, now, tenant_id, "business.disable", detail={"silently": silently})


def enable(session: Session, now: datetime, tenant_id: int) -> None:
    tenant = session.get_one(Tenant, tenant_id)
    tenant.disabled_at, tenant.disabled_silently = None, False
    session.add(tenant)
    audit.record(session, now, tenant_id, "business.enable")


def remove(session: Session, tenant_id: int) -> int:
    """Delete a disabled business with all that belongs to it, for good; gives how many rows that were.

    Raises Conflict where it is still served: then workers may be at it.
    """
    if session.get_one(Tenant, tenant_id).disabled_at is None:
        raise Conflict("it is still served")
    session.expunge_all()
    tables = reversed(SQLModel.metadata.sorted_tables)  # what refers to others goes before them
    return sum(change(session, delete(each).where(_is_of(each, tenant_id))) for each in tables)


def _is_of(rows: Table, tenant_id: int) -> ColumnElement[bool]:
    """Which rows of a table belong to the business."""
    if rows is table(Tenant):
        return rows.c.id == tenant_id
    if rows is table(StaffSession):
        staff = table(Staff).c
        return rows.c.staff_id.in_(select(staff.id).where(staff.tenant_id == tenant_id))
    return rows.c.tenant_id == tenant_id if "tenant_id" in rows.c else false()
