"""What the agent did: each model answer and each tool result as it happens.

From these rows a run resumes after a crash, the next turn's history is built, and staff see what happened.
"""

from datetime import datetime
from typing import Any

from sqlalchemy import JSON, ForeignKeyConstraint, Index, UniqueConstraint
from sqlmodel import Field, SQLModel

from models.db import UtcDateTime


class Run(SQLModel, table=True):
    """One agent run: it answers the inbound messages after `from_seq` up to and with `through_seq`.

    `outcome` is None while it is going; then "answered", "handed_off", "superseded" or "crashed".
    """

    __table_args__ = (
        UniqueConstraint("tenant_id", "id"),
        ForeignKeyConstraint(["tenant_id", "conversation_id"], ["conversation.tenant_id", "conversation.id"]),
        Index("ix_run_conversation", "conversation_id", "id"),
    )

    id: int | None = Field(default=None, primary_key=True)
    tenant_id: int
    conversation_id: int
    from_seq: int
    through_seq: int
    epoch: int
    provider: str = Field(max_length=20)
    model: str = Field(max_length=120)
    prompt_version: str = Field(max_length=16)
    started_at: datetime = Field(sa_type=UtcDateTime)
    finished_at: datetime | None = Field(default=None, sa_type=UtcDateTime)
    outcome: str | None = Field(default=None, max_length=20)
    handoff_reason: str | None = Field(default=None, max_length=40)
    iterations: int = 0
    input_tokens: int = 0  # uncached
    output_tokens: int = 0
    cache_read_tokens: int = 0
    cache_write_tokens: int = 0


class RunStep(SQLModel, table=True):
    """One thing that happened in a run, in order.

    kind "input": `content` is the content (list of blocks) of the user message that opens the run, kept so
    that a resumed run repeats it byte for byte. kind "answer": a model answer as it came (blocks),
    `stop_reason`, `usage`; `kept` False for an answer that must not be replayed (cut off, refused).
    kind "result": one tool result {"tool_use_id", "name", "input", "text"}, `is_error`, `error_class`.
    kind "nudge": a user text of ours (re-prompt), `content` is its list of blocks.
    """

    __tablename__ = "run_step"
    __table_args__ = (UniqueConstraint("run_id", "position"),)

    id: int | None = Field(default=None, primary_key=True)
    tenant_id: int
    run_id: int = Field(foreign_key="run.id")
    position: int
    kind: str = Field(max_length=10)
    content: Any = Field(default=None, sa_type=JSON)
    kept: bool = True
    stop_reason: str | None = Field(default=None, max_length=60)
    usage: dict[str, Any] | None = Field(default=None, sa_type=JSON)
    is_error: bool = False
    error_class: str | None = Field(default=None, max_length=20)
    milliseconds: int = 0
    at: datetime = Field(sa_type=UtcDateTime)


class WriteKey(SQLModel, table=True):
    """The result of a write tool, stored in the same transaction as what it wrote.

    `key` is a digest of conversation, first message of the turn, tool and canonical arguments: a re-run, or
    the same wish in a fresh model answer with a new id, finds the first result.
    """

    __tablename__ = "write_key"
    __table_args__ = (UniqueConstraint("tenant_id", "key"),)

    id: int | None = Field(default=None, primary_key=True)
    tenant_id: int = Field(foreign_key="tenant.id")
    key: str = Field(max_length=64)
    tool: str = Field(max_length=64)
    result: str
    at: datetime = Field(sa_type=UtcDateTime)
