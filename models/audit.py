"""Who did what and when: rows are only ever added."""

from datetime import datetime
from typing import Any

from sqlalchemy import JSON, Index
from sqlmodel import Field, Session, SQLModel

from models.db import UtcDateTime


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
