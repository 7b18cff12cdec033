"""Who did what and when: rows are only ever added."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import JSON, Index, select
from sqlmodel import Field, Session, SQLModel

from models.db import UtcDateTime, table

PAGE = 100


class AuditEvent(SQLModel, table=True):
    """One act. `action` is a verb with a noun ("conversation.take"); `detail` never holds message texts."""

    __tablename__ = "audit_event"
    __table_args__ = (
        Index("ix_audit_event_tenant", "tenant_id", "id"),
        Index("ix_audit_event_subject", "tenant_id", "subject_id", "id"),
    )

    id: int | None = Field(default=None, primary_key=True)
    tenant_id: int = Field(foreign_key="tenant.id")
    staff_id: int | None = Field(default=None, foreign_key="staff.id")
    action: str = Field(max_length=60)
    subject_id: int | None = None
    detail: dict[str, Any] = Field(default_factory=dict, sa_type=JSON)
    at: datetime = Field(sa_type=UtcDateTime)


def record(
    session: Session,
    now: datetime,
    tenant_id: int,
    action: str,
    *,
    staff_id: int | None = None,
    subject_id: int | None = None,
    detail: dict[str, Any] | None = None,
) -> None:
    """Add one event in the caller's transaction."""
    session.add(
        AuditEvent(
            tenant_id=tenant_id,
            staff_id=staff_id,
            action=action,
            subject_id=subject_id,
            detail=detail or {},
            at=now,
        )
    )


@dataclass(frozen=True)
class Entry:
    """One act as a person reads it: `who` did it (None: the program), `other` is the colleague concerned."""

    id: int
    at: datetime
    action: str
    subject_id: int | None
    detail: dict[str, Any]
    who: str | None
    other: str | None


def page(session: Session, tenant_id: int, *, before: int | None = None) -> list[Entry]:
    """The newest acts of a business, or those before an id; at most PAGE."""
    events, people = table(AuditEvent), AuditEvent.metadata.tables["staff"]
    query = (
        select(events, people.c.name.label("who"))
        .outerjoin(people, people.c.id == events.c.staff_id)
        .where(events.c.tenant_id == tenant_id)
        .order_by(events.c.id.desc())
        .limit(PAGE)
    )
    if before is not None:
        query = query.where(events.c.id < before)
    rows = session.execute(query).all()
    others = {_other(row) for row in rows} - {None}
    found = session.execute(
        select(people.c.id, people.c.name).where(people.c.tenant_id == tenant_id, people.c.id.in_(others))
    )
    names: dict[int | None, str] = {row.id: row.name for row in found}
    return [
        Entry(row.id, row.at, row.action, row.subject_id, row.detail, row.who, names.get(_other(row)))
        for row in rows
    ]


def _other(row: Any) -> int | None:
    other = (
        row.subject_id if row.action.startswith("staff.") else row.detail.get("to", row.detail.get("from"))
    )
    return other if isinstance(other, int) else None
