"""Who holds a conversation, and whose turn it is.

The conversation row is the queue: "due and not leased". A worker claims it with one conditional UPDATE,
renews the lease by its heartbeat, and commits only while lease and epoch are still its own.
"""

from datetime import datetime
from enum import StrEnum

from sqlalchemy import CheckConstraint, ForeignKeyConstraint, Index, UniqueConstraint, text
from sqlmodel import Field, SQLModel

from models.db import UtcDateTime


class Holder(StrEnum):
    """Who answers: the bot, nobody yet (the customer waits in the queue), or one of the staff."""

    BOT = "bot"
    QUEUE = "queue"
    STAFF = "staff"


class Conversation(SQLModel, table=True):
    """The one lasting conversation of a customer with a business.

    `epoch` rises at each change of holder; `last_seq` numbers the messages; `answered_seq` is the watermark:
    every inbound message up to it has been dealt with. `due_at` None means nothing to do for the bot.
    """

    __table_args__ = (
        UniqueConstraint("tenant_id", "id"),
        UniqueConstraint("tenant_id", "customer_id"),
        ForeignKeyConstraint(["tenant_id", "customer_id"], ["customer.tenant_id", "customer.id"]),
        ForeignKeyConstraint(["tenant_id", "assignee_id"], ["staff.tenant_id", "staff.id"]),
        CheckConstraint("holder in ('bot', 'queue', 'staff')"),
        CheckConstraint("(holder = 'staff') = (assignee_id is not null)"),
        Index(
            "ix_conversation_due",
            "due_at",
            sqlite_where=text("due_at is not null"),
            postgresql_where=text("due_at is not null"),
        ),
        Index("ix_conversation_holder", "tenant_id", "holder", "last_message_at"),
        Index("ix_conversation_lease", "lease_owner"),
    )

    id: int | None = Field(default=None, primary_key=True)
    tenant_id: int = Field(foreign_key="tenant.id")
    customer_id: int
    address: str = Field(max_length=160)  # the address that wrote last: answers go there, byte for byte
    holder: str = Field(default=Holder.BOT, max_length=10)
    epoch: int = 0
    assignee_id: int | None = None
    due_at: datetime | None = Field(default=None, sa_type=UtcDateTime)
    lease_owner: str | None = Field(default=None, max_length=64)
    lease_token: str | None = Field(default=None, max_length=32)
    lease_until: datetime | None = Field(default=None, sa_type=UtcDateTime)
    attempts: int = 0  # claims since the last finished turn
    last_seq: int = 0
    answered_seq: int = 0
    unread: int = 0  # inbound messages that no staff member has seen while a person was due
    last_inbound_at: datetime | None = Field(default=None, sa_type=UtcDateTime)
    last_message_at: datetime = Field(sa_type=UtcDateTime)
    waiting_since: datetime | None = Field(default=None, sa_type=UtcDateTime)  # first unanswered inbound
    preview: str = Field(default="", max_length=200)
    created_at: datetime = Field(sa_type=UtcDateTime)
