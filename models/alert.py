"""That staff are to be told of something: a row is made where it happens, and told of a little later."""

from datetime import datetime, timedelta
from enum import StrEnum

from sqlalchemy import CheckConstraint, ForeignKeyConstraint, Index, text
from sqlmodel import Field, Session, SQLModel

from models.db import UtcDateTime


class Kind(StrEnum):
    """What there is to tell."""

    WAITING = "waiting"  # a conversation has come into the queue
    STILL_WAITING = "still_waiting"  # and nobody has taken it
    WINDOW = "window"  # WhatsApp will soon take no free text to a customer who waits


class Alert(SQLModel, table=True):
    """One thing to tell. It holds no words of anybody. `settled_at`: told, or not worth telling any more."""

    __table_args__ = (
        ForeignKeyConstraint(["tenant_id", "conversation_id"], ["conversation.tenant_id", "conversation.id"]),
        CheckConstraint("kind in ('waiting', 'still_waiting', 'window')"),
        Index(
            "ix_alert_due",
            "due_at",
            sqlite_where=text("settled_at is null"),
            postgresql_where=text("settled_at is null"),
        ),
        Index("ix_alert_conversation", "conversation_id", "id"),
    )

    id: int | None = Field(default=None, primary_key=True)
    tenant_id: int = Field(foreign_key="tenant.id")
    conversation_id: int
    kind: str = Field(max_length=20)
    due_at: datetime = Field(sa_type=UtcDateTime)
    attempts: int = 0
    told: int = 0  # how many people it reached
    settled_at: datetime | None = Field(default=None, sa_type=UtcDateTime)
    created_at: datetime = Field(sa_type=UtcDateTime)


# So long an alert is held back: who takes the conversation at once wants no sound.
HOLD = timedelta(seconds=3)


def add(session: Session, now: datetime, tenant_id: int, conversation_id: int, kind: Kind) -> None:
    """Note that staff are to be told, in the transaction in which it happens."""
    session.add(
        Alert(
            tenant_id=tenant_id,
            conversation_id=conversation_id,
            kind=kind,
            due_at=now + HOLD,
            created_at=now,
        )
    )
