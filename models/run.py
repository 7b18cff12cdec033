"""What the agent did: each model answer and each tool result as it happens.

From these rows a run resumes after a crash, the next turn's history is built, and staff see what happened.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

from sqlalchemy import (
    JSON,
    ForeignKeyConstraint,
    Index,
    Insert,
    Integer,
    UniqueConstraint,
    bindparam,
    exists,
    insert,
    select,
    text,
    update,
)
from sqlalchemy.exc import IntegrityError
from sqlmodel import Field, Session, SQLModel, col

from models.conversation import Claim, Conversation, Holder
from models.customer import FORGOTTEN
from models.db import UtcDateTime, change, moment, table
from models.errors import LeaseLost, NotFound


class Run(SQLModel, table=True):
    """One agent run: it answers the inbound messages after `from_seq` up to and with `through_seq`.

    `outcome` is None while it is going; then "answered", "handed_off", "superseded" or "crashed". `provider`
    and `model` are those that were asked first; once it has ended, those that answered last.
    `cost_microdollars` is None where the price of a model is not known.
    """

    __table_args__ = (
        UniqueConstraint("tenant_id", "id"),
        ForeignKeyConstraint(["tenant_id", "conversation_id"], ["conversation.tenant_id", "conversation.id"]),
        Index("ix_run_conversation", "conversation_id", "id"),
        Index("ix_run_conversation_day", "tenant_id", "conversation_id", "started_at"),
        Index("ix_run_tenant_day", "tenant_id", "started_at", "conversation_id"),
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
    cost_microdollars: int | None = None


class RunStep(SQLModel, table=True):
    """One thing that happened in a run, in order.

    kind "input": `content` is the content (list of blocks) of the user message that opens the run, kept so
    that a resumed run repeats it byte for byte. kind "answer": a model answer as it came (blocks),
    `stop_reason`, `usage`, `model` (that which answered, as it names itself); `kept` False for an answer that
    must not be replayed (cut off, refused).
    kind "result": one tool result {"tool_use_id", "name", "input", "text"}, `is_error`, `error_class`.
    kind "nudge": a user text of ours (re-prompt), `content` is its list of blocks.
    kind "final": the forced final answer, `error_class` is the handoff reason that forced it.
    """

    __tablename__ = "run_step"
    __table_args__ = (
        UniqueConstraint("run_id", "position"),
        Index(
            "ix_run_step_error",
            "tenant_id",
            "at",
            sqlite_where=text("kind = 'result' and error_class is not null"),
            postgresql_where=text("kind = 'result' and error_class is not null"),
        ),
    )

    id: int | None = Field(default=None, primary_key=True)
    tenant_id: int
    run_id: int = Field(foreign_key="run.id")
    position: int
    kind: str = Field(max_length=10)
    content: Any = Field(default=None, sa_type=JSON)
    kept: bool = True
    stop_reason: str | None = Field(default=None, max_length=60)
    usage: dict[str, Any] | None = Field(default=None, sa_type=JSON)
    model: str | None = Field(default=None, max_length=120)
    is_error: bool = False
    error_class: str | None = Field(default=None, max_length=40)
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


class StepKind(StrEnum):
    INPUT = "input"
    ANSWER = "answer"
    RESULT = "result"
    NUDGE = "nudge"
    FINAL = "final"


class Outcome(StrEnum):
    """How a run ended."""

    ANSWERED = "answered"
    HANDED_OFF = "handed_off"
    SUPERSEDED = "superseded"  # a person took over, or another worker did: nothing of it was sent
    CRASHED = "crashed"


def latest(session: Session, mine: Claim, most: int) -> list[Run]:
    """The newest runs of the conversation, oldest first."""
    given = {"tenant": mine.tenant_id, "conversation": mine.conversation_id, "most": most}
    return list(reversed(session.scalars(_LATEST, given).all()))


_LATEST = (
    select(Run)
    .where(col(Run.tenant_id) == bindparam("tenant"))
    .where(col(Run.conversation_id) == bindparam("conversation"))
    .order_by(col(Run.id).desc())
    .limit(bindparam("most", type_=Integer))
)


def left_behind(runs: Sequence[Run], mine: Claim) -> Run | None:
    """Which of these a crashed worker left behind in the very turn that this claim is about."""
    open_ones = [one for one in runs if one.outcome is None]
    left = open_ones[-1] if open_ones else None
    if left is None or left.epoch != mine.epoch or left.from_seq != mine.answered_seq:
        return None
    return left


def supersede(session: Session, now: datetime, mine: Claim) -> None:
    """Close what earlier turns left without an outcome: nobody will go on with it."""
    given = {"tenant": mine.tenant_id, "conversation": mine.conversation_id, "now": now}
    session.execute(_SUPERSEDE, given)


_RUN = table(Run)
_SUPERSEDE = (
    update(_RUN)
    .where(_RUN.c.tenant_id == bindparam("tenant"), _RUN.c.conversation_id == bindparam("conversation"))
    .where(_RUN.c.outcome.is_(None))
    .values(outcome=Outcome.SUPERSEDED, finished_at=moment("now"))
)


def unfinished(session: Session, tenant_id: int, conversation_id: int) -> Run | None:
    """The newest run of the conversation without an outcome, if there is one."""
    query = (
        select(Run)
        .where(
            col(Run.tenant_id) == tenant_id,
            col(Run.conversation_id) == conversation_id,
            col(Run.outcome).is_(None),
        )
        .order_by(col(Run.id).desc())
        .limit(1)
    )
    return session.scalar(query)


def find(session: Session, tenant_id: int, conversation_id: int, run_id: int) -> Run:
    """A run of this conversation. Raises NotFound, for one of another business or conversation too."""
    query = select(Run).where(
        col(Run.tenant_id) == tenant_id, col(Run.conversation_id) == conversation_id, col(Run.id) == run_id
    )
    found: Run | None = session.scalar(query)
    if found is None:
        raise NotFound("run")
    return found


def start(session: Session, run: Run) -> int:
    """Add the run; gives its id."""
    return int(session.execute(_START, run.model_dump(exclude={"id"})).scalar_one())


_START = insert(_RUN).returning(_RUN.c.id)


@dataclass(frozen=True)
class NewStep:
    """A step to record, with the fields of RunStep."""

    kind: StepKind
    content: Any
    kept: bool = True
    stop_reason: str | None = None
    usage: dict[str, Any] | None = None
    model: str | None = None
    is_error: bool = False
    error_class: str | None = None
    milliseconds: int = 0


def add_step(session: Session, now: datetime, mine: Claim, run_id: int, position: int, step: NewStep) -> None:
    """Record one step, if the claim still stands. Raises LeaseLost otherwise, and where that position is
    taken: another worker resumed the run.
    """
    place = {"tenant_id": mine.tenant_id, "run_id": run_id, "position": position, "at": now}
    fence = {"conversation": mine.conversation_id, "token": mine.token, "epoch": mine.epoch}
    try:
        added = change(session, _ADD_STEP, place | vars(step) | fence)
    except IntegrityError:
        raise LeaseLost from None
    if added != 1:
        raise LeaseLost


def _add_step() -> Insert:
    """One statement that inserts only while the worker holds the conversation; built once, it is hot."""
    steps, conversations = table(RunStep), table(Conversation)
    columns = [column for column in steps.columns if column.name != "id"]
    held = exists().where(
        conversations.c.id == bindparam("conversation"),
        conversations.c.lease_token == bindparam("token"),
        conversations.c.epoch == bindparam("epoch"),
        conversations.c.holder == Holder.BOT,
    )
    values = select(*(bindparam(column.name, type_=column.type) for column in columns)).where(held)
    statement = insert(steps).from_select([column.name for column in columns], values)
    # Without it the number of added rows is not kept for an INSERT on every database.
    return statement.execution_options(preserve_rowcount=True)


_ADD_STEP = _add_step()


def steps(session: Session, run_ids: Collection[int]) -> dict[int, list[RunStep]]:
    """The steps of several runs, in order, by run."""
    found: dict[int, list[RunStep]] = {run_id: [] for run_id in run_ids}
    if run_ids:
        for step in session.scalars(_STEPS, {"runs": list(run_ids)}):
            found[step.run_id].append(step)
    return found


_STEPS = (
    select(RunStep)
    .where(col(RunStep.run_id).in_(bindparam("runs", expanding=True)))
    .order_by(col(RunStep.run_id), col(RunStep.position))
)


def end(session: Session, run_id: int, now: datetime, outcome: Outcome, **totals: object) -> None:
    """Close a run with its outcome and totals (columns of Run); a run that has an outcome keeps it."""
    session.execute(_END, {"run": run_id, "outcome": outcome, "finished_at": now} | totals)


# What it is given beside `run` are the columns to set.
_END = update(_RUN).where(_RUN.c.id == bindparam("run"), _RUN.c.outcome.is_(None))


def times_of_forgotten(session: Session, since: datetime) -> list[tuple[datetime, datetime]]:
    """When runs began and ended, from `since` on, of customers whose data were erased."""
    runs, talks = table(Run).c, table(Conversation).c
    query = (
        select(runs.started_at, runs.finished_at)
        .join(Conversation, talks.id == runs.conversation_id)
        .where(talks.address.startswith(FORGOTTEN), runs.started_at >= since)
        .order_by(runs.id)
    )
    return [(began, ended or began) for began, ended in session.execute(query)]
