"""What the staff pages read: the list and its counts, one conversation's card and lines, the agent's acts."""

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import Any, Self

from sqlalchemy import ColumnElement, Select, and_, case, func, literal, select, tuple_, update
from sqlmodel import Session, col

from models.conversation import Conversation, Holder
from models.customer import Customer
from models.db import UtcDateTime, table
from models.errors import NotFound
from models.handoff import Handoff
from models.message import Direction, Message
from models.run import Run, RunStep, StepKind
from models.staff import Staff

PAGE = 50
LINES = 100
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class Tab(StrEnum):
    """The queue's tabs: nobody's yet, one's own, every conversation of the business."""

    WAITING = "waiting"
    MINE = "mine"
    ALL = "all"


@dataclass(frozen=True)
class Counts:
    """How many conversations stand under each tab."""

    waiting: int
    mine: int
    all: int


@dataclass(frozen=True)
class Position:
    """Where a page of the list ends: the sort key of its last entry."""

    rank: int
    at: datetime
    conversation_id: int

    def __str__(self) -> str:
        return f"{self.rank}-{(self.at - _EPOCH) // timedelta(microseconds=1)}-{self.conversation_id}"

    @classmethod
    def parse(cls, text: str) -> Self | None:
        """The position that `str` wrote; None for any other text."""
        parts = text.split("-")
        if len(parts) != 3 or not all(part.isascii() and part.isdigit() and len(part) < 19 for part in parts):
            return None
        rank, micros, conversation_id = map(int, parts)
        try:
            return cls(rank, _EPOCH + timedelta(microseconds=micros), conversation_id)
        except OverflowError:
            return None


@dataclass(frozen=True)
class Entry:
    """One line of the list. `reason` is None where staff took the conversation, or where the bot holds it."""

    conversation_id: int
    customer_name: str
    address: str
    holder: str
    assignee_id: int | None
    assignee_name: str | None
    reason: str | None
    preview: str
    unread: int
    waiting_since: datetime | None
    last_message_at: datetime
    position: Position


def counts(session: Session, tenant_id: int, staff_id: int) -> Counts:
    """How many conversations stand under each tab for this person."""
    conversations = table(Conversation)
    ours = select(func.count()).where(conversations.c.tenant_id == tenant_id)
    statement = select(
        ours.where(_under(Tab.WAITING, staff_id)).scalar_subquery(),
        ours.where(_under(Tab.MINE, staff_id)).scalar_subquery(),
        ours.scalar_subquery(),
    )
    waiting, mine, everything = session.execute(statement).one()
    return Counts(waiting, mine, everything)


def entries(
    session: Session,
    tenant_id: int,
    staff_id: int,
    tab: Tab,
    *,
    after: Position | None = None,
    limit: int = PAGE,
) -> list[Entry]:
    """One page of a tab. Those who wait come first, longest wait first; under ALL, the latest talk first."""
    conversations, customers, handoffs, people = (
        table(Conversation),
        table(Customer),
        table(Handoff),
        table(Staff),
    )
    key = _key(tab)
    query: Select[Any] = (
        select(
            conversations,
            customers.c.name.label("customer_name"),
            people.c.name.label("assignee_name"),
            handoffs.c.reason,
            *(part.label(f"key_{number}") for number, part in enumerate(key[:2])),
        )
        .join(customers, customers.c.id == conversations.c.customer_id)
        .outerjoin(people, people.c.id == conversations.c.assignee_id)
        .outerjoin(
            handoffs, and_(handoffs.c.conversation_id == conversations.c.id, handoffs.c.closed_at.is_(None))
        )
        .where(conversations.c.tenant_id == tenant_id, _under(tab, staff_id))
        .order_by(*(part.desc() if tab == Tab.ALL else part for part in key))
        .limit(limit)
    )
    if after is not None:
        query = query.where(_beyond(tab, key, after))
    return [_entry(row) for row in session.execute(query)]


def _under(tab: Tab, staff_id: int) -> ColumnElement[bool]:
    conversations = table(Conversation)
    if tab == Tab.WAITING:
        return conversations.c.holder == Holder.QUEUE
    if tab == Tab.MINE:
        return and_(conversations.c.holder == Holder.STAFF, conversations.c.assignee_id == staff_id)
    return literal(True)


def _key(tab: Tab) -> tuple[ColumnElement[Any], ...]:
    conversations = table(Conversation)
    if tab == Tab.ALL:
        return literal(0), conversations.c.last_message_at, conversations.c.id
    answered = case((conversations.c.waiting_since.is_(None), 1), else_=0)
    since = func.coalesce(conversations.c.waiting_since, conversations.c.last_message_at)
    return answered, since, conversations.c.id


def _beyond(tab: Tab, key: tuple[ColumnElement[Any], ...], after: Position) -> ColumnElement[bool]:
    place = tuple_(literal(after.rank), literal(after.at, UtcDateTime()), literal(after.conversation_id))
    return tuple_(*key) < place if tab == Tab.ALL else tuple_(*key) > place


def _entry(row: Any) -> Entry:
    return Entry(
        conversation_id=row.id,
        customer_name=row.customer_name,
        address=row.address,
        holder=row.holder,
        assignee_id=row.assignee_id,
        assignee_name=row.assignee_name,
        reason=row.reason,
        preview=row.preview,
        unread=row.unread,
        waiting_since=row.waiting_since,
        last_message_at=row.last_message_at,
        position=Position(row.key_0, row.key_1, row.id),
    )


@dataclass(frozen=True)
class Card:
    """One conversation with whom it is about: `handoff` is the open episode, `assignee_name` who holds it."""

    conversation: Conversation
    customer: Customer
    handoff: Handoff | None
    assignee_name: str | None


def card(session: Session, tenant_id: int, conversation_id: int) -> Card:
    """The card of a conversation of this tenant; raises NotFound, for a foreign one too."""
    query = (
        select(Conversation, Customer, Handoff, col(Staff.name))
        .join(Customer, col(Customer.id) == col(Conversation.customer_id))
        .outerjoin(
            Handoff,
            and_(col(Handoff.conversation_id) == col(Conversation.id), col(Handoff.closed_at).is_(None)),
        )
        .outerjoin(Staff, col(Staff.id) == col(Conversation.assignee_id))
        .where(col(Conversation.tenant_id) == tenant_id, col(Conversation.id) == conversation_id)
    )
    row = session.execute(query).first()
    if row is None:
        raise NotFound("conversation")
    return Card(row[0], row[1], row[2], row[3])


@dataclass(frozen=True)
class Line:
    """One line of the transcript, with the name of whoever of the staff wrote it."""

    message: Message
    staff_name: str | None


def lines(
    session: Session,
    tenant_id: int,
    conversation_id: int,
    *,
    after: int = 0,
    before: int | None = None,
    limit: int = LINES,
) -> list[Line]:
    """The newest `limit` lines whose seq lies between `after` and `before` (both left out), oldest first."""
    query = (
        select(Message, col(Staff.name))
        .outerjoin(Staff, col(Staff.id) == col(Message.staff_id))
        .where(
            col(Message.tenant_id) == tenant_id,
            col(Message.conversation_id) == conversation_id,
            col(Message.seq) > after,
        )
        .order_by(col(Message.seq).desc())
        .limit(limit)
    )
    if before is not None:
        query = query.where(col(Message.seq) < before)
    return [Line(message, name) for message, name in reversed(session.execute(query).all())]


@dataclass(frozen=True)
class Acts:
    """A run, and the results of the tools that it called, in order."""

    run: Run
    results: list[RunStep] = field(default_factory=list)


def acts(
    session: Session, tenant_id: int, conversation_id: int, *, from_seq: int, before: int | None = None
) -> list[Acts]:
    """What the agent did in answer to lines from `from_seq` on, below `before` where given, run by run."""
    query = (
        select(Run, RunStep)
        .outerjoin(RunStep, and_(col(RunStep.run_id) == col(Run.id), col(RunStep.kind) == StepKind.RESULT))
        .where(
            col(Run.tenant_id) == tenant_id,
            col(Run.conversation_id) == conversation_id,
            col(Run.through_seq) >= from_seq,
        )
        .order_by(col(Run.id), col(RunStep.position))
    )
    if before is not None:
        query = query.where(col(Run.through_seq) < before)
    found: dict[int | None, Acts] = {}
    for run, step in session.execute(query):
        done = found.setdefault(run.id, Acts(run))
        if step is not None:
            done.results.append(step)
    return list(found.values())


@dataclass(frozen=True)
class Pulse:
    """What of a conversation's page can change: `mark` differs whenever its lines or its holder do."""

    mark: tuple[object, ...]
    last_inbound_at: datetime | None
    waiting_since: datetime | None


def pulse(session: Session, tenant_id: int, conversation_id: int) -> Pulse:
    """What polling compares, read by index. Raises NotFound, for a foreign conversation too."""
    conversations, messages, runs = table(Conversation), table(Message), table(Run)
    finished = select(func.max(runs.c.finished_at)).where(runs.c.conversation_id == conversations.c.id)
    row = session.execute(
        select(
            conversations.c.last_seq,
            conversations.c.epoch,
            conversations.c.assignee_id,
            finished.scalar_subquery(),
            conversations.c.last_inbound_at,
            conversations.c.waiting_since,
        ).where(conversations.c.tenant_id == tenant_id, conversations.c.id == conversation_id)
    ).first()
    if row is None:
        raise NotFound("conversation")
    states = session.execute(
        select(messages.c.status)
        .where(messages.c.conversation_id == conversation_id, messages.c.direction == Direction.OUT)
        .order_by(messages.c.seq.desc())
        .limit(LINES)
    ).scalars()
    return Pulse((*row[:4], *states), row.last_inbound_at, row.waiting_since)


def seen(session: Session, tenant_id: int, conversation_id: int, through_seq: int) -> None:
    """Staff have read everything up to `through_seq`: nothing is unread unless something newer came."""
    conversations = table(Conversation)
    session.execute(
        update(conversations)
        .where(
            conversations.c.tenant_id == tenant_id,
            conversations.c.id == conversation_id,
            conversations.c.last_seq <= through_seq,
        )
        .values(unread=0)
    )
