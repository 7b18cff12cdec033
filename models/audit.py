"""Who did what and when: rows are only ever added."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import JSON, ColumnElement, Index, Table, or_, select
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


@dataclass(frozen=True)
class Wanted:
    """Which acts: of one person or of the program itself, with some nouns, in [begins, ends)."""

    staff_id: int | None = None
    by_program: bool = False
    nouns: tuple[str, ...] = ()
    begins: datetime | None = None
    ends: datetime | None = None

    def conditions(self, events: Table) -> Iterator[ColumnElement[bool]]:
        if self.by_program:
            yield events.c.staff_id.is_(None)
        elif self.staff_id is not None:
            yield events.c.staff_id == self.staff_id
        if self.nouns:
            yield or_(*(events.c.action.startswith(f"{noun}.", autoescape=True) for noun in self.nouns))
        if self.begins is not None:
            yield events.c.at >= self.begins
        if self.ends is not None:
            yield events.c.at < self.ends


ALL = Wanted()


def page(session: Session, tenant_id: int, wanted: Wanted = ALL, *, before: int | None = None) -> list[Entry]:
    """The newest acts of a business, or those before an id; one more than PAGE where there are more."""
    events, people = table(AuditEvent), AuditEvent.metadata.tables["staff"]
    query = (
        select(events, people.c.name.label("who"))
        .outerjoin(people, people.c.id == events.c.staff_id)
        .where(events.c.tenant_id == tenant_id, *wanted.conditions(events))
        .order_by(events.c.id.desc())
        .limit(PAGE + 1)
    )
    if before is not None:
        query = query.where(events.c.id < before)
    rows = session.execute(query).all()
    names = _names(session, tenant_id, {other for row in rows if (other := _other(row)) is not None})
    return [
        Entry(row.id, row.at, row.action, row.subject_id, row.detail, row.who, names.get(_other(row) or 0))
        for row in rows
    ]


def _names(session: Session, tenant_id: int, staff_ids: Collection[int]) -> dict[int, str]:
    people = AuditEvent.metadata.tables["staff"]
    query = select(people.c.id, people.c.name).where(
        people.c.tenant_id == tenant_id, people.c.id.in_(staff_ids)
    )
    return {row.id: row.name for row in session.execute(query)}


def _other(row: Any) -> int | None:
    other = (
        row.subject_id if row.action.startswith("staff.") else row.detail.get("to", row.detail.get("from"))
    )
    return other if isinstance(other, int) else None
