"""Browsers that tell staff with no page open. Each belongs to a login, and goes when that ends."""

from datetime import datetime

from sqlalchemy import ColumnElement, ForeignKeyConstraint, delete, or_, select
from sqlmodel import Field, Session, SQLModel

from models.db import UtcDateTime, table


class PushSubscription(SQLModel, table=True):
    """Where a browser's vendor takes notices for it, and the two keys that they are sealed with.

    `session_id` is the login that it was made in; None when that is long ago.
    """

    __tablename__ = "push_subscription"
    __table_args__ = (ForeignKeyConstraint(["tenant_id", "staff_id"], ["staff.tenant_id", "staff.id"]),)

    id: int | None = Field(default=None, primary_key=True)
    tenant_id: int = Field(foreign_key="tenant.id", index=True)
    staff_id: int = Field(index=True)
    session_id: int | None = Field(foreign_key="staff_session.id", ondelete="SET NULL", index=True)
    endpoint: str = Field(unique=True, max_length=1000)
    p256dh: str = Field(max_length=100)
    auth: str = Field(max_length=40)
    agent: str = Field(default="", max_length=200)  # the browser, as it names itself
    created_at: datetime = Field(sa_type=UtcDateTime)


KNOWN = table(PushSubscription).c


def keep(session: Session, row: PushSubscription) -> None:
    """Tell this browser from now on, in place of what is known of it, or of its login."""
    drop(session, or_(KNOWN.endpoint == row.endpoint, KNOWN.session_id == row.session_id))
    session.add(row)


def all_of(session: Session, *which: ColumnElement[bool]) -> list[PushSubscription]:
    return list(session.scalars(select(PushSubscription).where(*which).order_by(KNOWN.id)))


def is_wanted(session: Session, tenant_id: int) -> bool:
    """Whether a business has any browser to tell."""
    return session.scalar(select(KNOWN.id).where(KNOWN.tenant_id == tenant_id).limit(1)) is not None


def drop(session: Session, *which: ColumnElement[bool]) -> None:
    session.execute(delete(PushSubscription).where(*which))
