"""Every line said, in or out: inbox, outbox and transcript are three queries on one table."""

from datetime import datetime
from enum import StrEnum
from typing import Any

from sqlalchemy import JSON, ForeignKeyConstraint, Index, UniqueConstraint, text
from sqlmodel import Field, SQLModel

from models.db import UtcDateTime


class Direction(StrEnum):
    IN = "in"
    OUT = "out"


class Author(StrEnum):
    """Who speaks. `system` marks fixed texts and markers that no person and no model wrote."""

    CUSTOMER = "customer"
    BOT = "bot"
    STAFF = "staff"
    SYSTEM = "system"


class Status(StrEnum):
    """Delivery. Inbound rows are `received`; `note` rows are never sent (markers, staff notes)."""

    RECEIVED = "received"
    NOTE = "note"
    QUEUED = "queued"
    SENDING = "sending"
    IN_DOUBT = "in_doubt"  # the request may or may not have reached the provider
    ACCEPTED = "accepted"
    SENT = "sent"
    DELIVERED = "delivered"
    READ = "read"
    FAILED = "failed"
    DROPPED = "dropped"  # a person took the conversation before it went out


class Message(SQLModel, table=True):
    """One line. `seq` counts up within the conversation without gaps in order of commit.

    `kind` is "text", "image", "audio", "location", …; `media` lists {"url", "content_type"}; `extra` keeps
    what else the form said (button payload, location). `client_key` makes a repeated staff POST one message.
    """

    __table_args__ = (
        UniqueConstraint("conversation_id", "seq"),
        UniqueConstraint("provider_sid"),
        UniqueConstraint("conversation_id", "client_key"),
        ForeignKeyConstraint(["tenant_id", "conversation_id"], ["conversation.tenant_id", "conversation.id"]),
        ForeignKeyConstraint(["tenant_id", "staff_id"], ["staff.tenant_id", "staff.id"]),
        Index(
            "ix_message_outbox",
            "send_after",
            sqlite_where=text("status in ('queued', 'sending', 'in_doubt')"),
            postgresql_where=text("status in ('queued', 'sending', 'in_doubt')"),
        ),
        Index(
            "ix_message_unsent",
            "conversation_id",
            "seq",
            sqlite_where=text("status in ('queued', 'sending', 'in_doubt')"),
            postgresql_where=text("status in ('queued', 'sending', 'in_doubt')"),
        ),
    )

    id: int | None = Field(default=None, primary_key=True)
    tenant_id: int
    conversation_id: int
    seq: int
    direction: str = Field(max_length=3)
    author: str = Field(max_length=10)
    kind: str = Field(default="text", max_length=20)
    text: str = Field(default="")
    media: list[dict[str, Any]] = Field(default_factory=list, sa_type=JSON)
    extra: dict[str, Any] = Field(default_factory=dict, sa_type=JSON)
    status: str = Field(max_length=10)
    error_code: int | None = None
    provider_sid: str | None = Field(default=None, max_length=64)
    client_key: str | None = Field(default=None, max_length=64)
    staff_id: int | None = None
    run_id: int | None = Field(default=None, foreign_key="run.id")
    epoch: int | None = None  # the conversation's epoch when a bot text was queued
    attempts: int = 0
    send_after: datetime | None = Field(default=None, sa_type=UtcDateTime)
    sending_since: datetime | None = Field(default=None, sa_type=UtcDateTime)
    created_at: datetime = Field(sa_type=UtcDateTime)
    sent_at: datetime | None = Field(default=None, sa_type=UtcDateTime)


class EarlyStatus(SQLModel, table=True):
    """A status callback for a message that is not known (yet): it may beat our own commit of the sid."""

    __tablename__ = "early_status"

    provider_sid: str = Field(primary_key=True, max_length=64)
    status: str = Field(max_length=10)
    error_code: int | None = None
    at: datetime = Field(sa_type=UtcDateTime)
