"""Who holds a conversation, and whose turn it is.

The conversation row is the queue: "due and not leased". A worker claims it with one conditional UPDATE,
renews the lease by its heartbeat, and commits only while lease and epoch are still its own.
"""

import secrets
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from sqlalchemy import (
    CheckConstraint,
    ColumnElement,
    ForeignKeyConstraint,
    Index,
    UniqueConstraint,
    and_,
    case,
    func,
    or_,
    select,
    text,
    update,
)
from sqlmodel import Field, Session, SQLModel, col

from models.db import UtcDateTime, change, table
from models.errors import LeaseLost, NotFound


class Holder(StrEnum):
    """Who answers: the bot, nobody yet (the customer waits in the queue), or one of the staff."""

    BOT = "bot"
    QUEUE = "queue"
    STAFF = "staff"


class Conversation(SQLModel, table=True):
    """The one lasting conversation of a customer with a business.

    `epoch` rises at each change of holder; `last_seq` numbers the messages; `answered_seq` is the watermark:
    every inbound message up to it has been dealt with. `due_at` None means nothing to do for the bot.
    Until `reopen_until` a conversation that staff have resolved comes back to them when the customer writes.
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
        Index("ix_conversation_latest", "tenant_id", "last_message_at", "id"),
        Index(
            "ix_conversation_assignee",
            "tenant_id",
            "assignee_id",
            sqlite_where=text("assignee_id is not null"),
            postgresql_where=text("assignee_id is not null"),
        ),
        Index(
            "ix_conversation_resolved",
            "tenant_id",
            "resolved_at",
            "id",
            sqlite_where=text("resolved_at is not null"),
            postgresql_where=text("resolved_at is not null"),
        ),
        Index(
            "ix_conversation_lease",
            "lease_until",
            sqlite_where=text("lease_token is not null"),
            postgresql_where=text("lease_token is not null"),
        ),
    )

    id: int | None = Field(default=None, primary_key=True)
    tenant_id: int = Field(foreign_key="tenant.id")
    customer_id: int
    address: str = Field(max_length=160)  # the address that wrote last: answers go there, byte for byte
    holder: str = Field(default=Holder.BOT, max_length=10)
    epoch: int = 0
    assignee_id: int | None = None
    held_since: datetime | None = Field(default=None, sa_type=UtcDateTime)  # by its holder of now
    snoozed_until: datetime | None = Field(default=None, sa_type=UtcDateTime)  # or until the customer writes
    resolved_at: datetime | None = Field(default=None, sa_type=UtcDateTime)  # and with people since no more
    reopen_until: datetime | None = Field(default=None, sa_type=UtcDateTime)
    due_at: datetime | None = Field(default=None, sa_type=UtcDateTime)
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


@dataclass(frozen=True)
class Place:
    """Where an inbound message lands: who holds the conversation now. `due`: the bot does and will answer.

    `reopened`: staff had resolved it a little before, and it has come back to them with this message.
    """

    conversation_id: int
    seq: int
    holder: Holder
    due: bool
    reopened: bool


def arrive(
    session: Session,
    now: datetime,
    tenant_id: int,
    customer_id: int,
    *,
    address: str,
    preview: str,
    due_at: datetime | None,
) -> Place:
    """Make room for an inbound message in the customer's conversation, creating it at the first one.

    With `due_at` given it becomes due for the bot, or unread for people, by who holds it.
    """
    conversations = table(Conversation)
    changes: dict[str, object] = {
        "last_seq": conversations.c.last_seq + 1,
        "last_inbound_at": now,
        "last_message_at": now,
        "preview": preview,
        "address": address,
    }
    if due_at is not None:
        changes |= _wanting(now, due_at)
    mine = (conversations.c.tenant_id == tenant_id, conversations.c.customer_id == customer_id)
    returning = (
        conversations.c.id,
        conversations.c.last_seq,
        conversations.c.holder,
        conversations.c.reopen_until,
    )
    update_row = update(conversations).where(*mine).values(changes).returning(*returning)
    row = session.execute(update_row).first()
    if row is None:
        _create(session, now, tenant_id, customer_id, address)
        row = session.execute(update_row).one()
    # Whatever puts a conversation into people's hands clears the mark: where it stands, this message did.
    reopened = row.holder == Holder.QUEUE and row.reopen_until is not None
    if reopened:
        session.execute(update(conversations).where(*mine).values(reopen_until=None))
    return Place(
        row.id,
        row.last_seq,
        holder=Holder(row.holder),
        due=due_at is not None and row.holder == Holder.BOT,
        reopened=reopened,
    )


PATIENCE = 6  # debounces that a burst may last before it is answered all the same


def _wanting(now: datetime, due_at: datetime) -> dict[str, object]:
    """What changes when the customer wants an answer: from the bot, or from people."""
    conversations = table(Conversation)
    bot_holds = conversations.c.holder == Holder.BOT
    reopens = and_(bot_holds, conversations.c.reopen_until > now)
    bot_answers = and_(bot_holds, or_(conversations.c.reopen_until.is_(None), ~reopens))
    # Who goes on writing would push the answer away for ever.
    waited = conversations.c.waiting_since <= now - PATIENCE * (due_at - now)
    enough = and_(bot_answers, conversations.c.lease_token.is_(None), waited)
    return {
        "holder": case((reopens, Holder.QUEUE.value), else_=conversations.c.holder),
        "epoch": case((reopens, conversations.c.epoch + 1), else_=conversations.c.epoch),
        "resolved_at": case((reopens, None), else_=conversations.c.resolved_at),
        "snoozed_until": None,
        "due_at": case((enough, now), (bot_answers, due_at), else_=conversations.c.due_at),
        "unread": case((bot_answers, conversations.c.unread), else_=conversations.c.unread + 1),
        "waiting_since": func.coalesce(conversations.c.waiting_since, now, type_=UtcDateTime()),
    }


def _create(session: Session, now: datetime, tenant_id: int, customer_id: int, address: str) -> None:
    session.add(
        Conversation(
            tenant_id=tenant_id,
            customer_id=customer_id,
            address=address,
            last_message_at=now,
            created_at=now,
        )
    )
    session.flush()


def next_seq(
    session: Session, now: datetime, tenant_id: int, conversation_id: int, *, preview: str | None
) -> int:
    """Number a line of ours. With `preview` it is the newest line shown in lists; a note changes no order."""
    conversations = table(Conversation)
    changes: dict[str, object] = {"last_seq": conversations.c.last_seq + 1}
    if preview is not None:
        changes |= {"preview": preview, "last_message_at": now}
    statement = (
        update(conversations)
        .where(conversations.c.id == conversation_id, conversations.c.tenant_id == tenant_id)
        .values(changes)
        .returning(conversations.c.last_seq)
    )
    seq = session.execute(statement).scalar()
    if seq is None:
        raise NotFound("conversation")
    return int(seq)


@dataclass(frozen=True)
class Claim:
    """A conversation in the hands of one worker: it answers what stands between the two seqs."""

    conversation_id: int
    tenant_id: int
    customer_id: int
    address: str
    epoch: int
    token: str
    answered_seq: int
    through_seq: int
    attempts: int


def claim(session: Session, now: datetime, lease: timedelta) -> Claim | None:
    """Take the conversation that is due longest, or whose worker's lease has ended; None if there is none."""
    conversations = table(Conversation)
    free = and_(conversations.c.lease_token.is_(None), conversations.c.due_at <= now)
    abandoned = conversations.c.lease_until <= now
    candidate = (
        select(conversations.c.id)
        .where(conversations.c.holder == Holder.BOT, or_(free, abandoned))
        .order_by(func.coalesce(conversations.c.due_at, conversations.c.lease_until))
        .limit(1)
        .with_for_update(skip_locked=True)
        .scalar_subquery()
    )
    statement = (
        update(conversations)
        .where(conversations.c.id == candidate)
        .values(
            lease_token=secrets.token_hex(8),
            lease_until=now + lease,
            due_at=None,
            attempts=conversations.c.attempts + 1,
        )
        .returning(conversations)
    )
    row = session.execute(statement).first()
    if row is None:
        return None
    return Claim(
        conversation_id=row.id,
        tenant_id=row.tenant_id,
        customer_id=row.customer_id,
        address=row.address,
        epoch=row.epoch,
        token=row.lease_token,
        answered_seq=row.answered_seq,
        through_seq=row.last_seq,
        attempts=row.attempts,
    )


def next_due(session: Session) -> datetime | None:
    """When the next conversation becomes claimable, by debounce or by the end of a lease."""
    conversations = table(Conversation)
    bot = conversations.c.holder == Holder.BOT
    due = select(func.min(conversations.c.due_at)).where(bot, conversations.c.lease_token.is_(None))
    lease = select(func.min(conversations.c.lease_until)).where(bot, conversations.c.lease_token.is_not(None))
    times = [time for query in (due, lease) if (time := session.execute(query).scalar()) is not None]
    return min(times, default=None)


def renew(session: Session, tokens: Collection[str], until: datetime) -> int:
    """Lengthen the leases of the claims that a worker has in hand; gives how many still stand."""
    conversations = table(Conversation)
    mine = conversations.c.lease_token.in_(tokens)
    return change(session, update(conversations).where(mine).values(lease_until=until))


def hold(session: Session, mine: Claim) -> None:
    """Fence a write of a run: raises LeaseLost unless the claim still stands. Locks the row until commit."""
    conversations = table(Conversation)
    # Sets what is there already: it locks the row and counts it.
    statement = update(conversations).where(_held(mine)).values(lease_token=mine.token)
    if change(session, statement) != 1:
        raise LeaseLost


def _held(mine: Claim) -> ColumnElement[bool]:
    conversations = table(Conversation)
    return and_(
        conversations.c.id == mine.conversation_id,
        conversations.c.lease_token == mine.token,
        conversations.c.epoch == mine.epoch,
        conversations.c.holder == Holder.BOT,
    )


FREE: dict[str, object] = {"lease_token": None, "lease_until": None}


def finish(session: Session, mine: Claim, *, answered_seq: int) -> None:
    """End a claim: everything up to `answered_seq` is dealt with. Due again if something newer came.

    Raises LeaseLost if the claim does not stand any more: the caller's whole transaction is to be dropped.
    """
    conversations = table(Conversation)
    # Who wrote meanwhile waits since then: `due_at` was cleared by the claim, so something newer set it.
    waiting = case((conversations.c.due_at.is_not(None), conversations.c.last_inbound_at), else_=None)
    values = FREE | {"attempts": 0, "answered_seq": answered_seq, "waiting_since": waiting}
    if answered_seq < mine.through_seq:
        # A resumed run answers what its worker had seen; this claim took the mark of what came after that.
        newer = func.coalesce(conversations.c.due_at, conversations.c.last_inbound_at)
        values |= {"due_at": newer, "waiting_since": conversations.c.last_inbound_at}
    if change(session, update(conversations).where(_held(mine)).values(values)) != 1:
        raise LeaseLost


def hand_over(session: Session, mine: Claim, *, answered_seq: int) -> int:
    """End a claim by putting the conversation into the human queue; gives the new epoch. Raises LeaseLost.

    `waiting_since` stays: the customer waits from their first unanswered message on.
    """
    conversations = table(Conversation)
    statement = (
        update(conversations)
        .where(_held(mine))
        .values(
            FREE
            | {
                "attempts": 0,
                "answered_seq": answered_seq,
                "due_at": None,
                "holder": Holder.QUEUE,
                "resolved_at": None,
                "reopen_until": None,
                "epoch": conversations.c.epoch + 1,
                "unread": conversations.c.unread + 1,
            }
        )
        .returning(conversations.c.epoch)
    )
    epoch = session.execute(statement).scalar()
    if epoch is None:
        raise LeaseLost
    return int(epoch)


def release(session: Session, mine: Claim, due_at: datetime) -> None:
    """Give a claim back unfinished, to be taken up again at `due_at` (a stop, a passing fault)."""
    conversations = table(Conversation)
    session.execute(update(conversations).where(_held(mine)).values(FREE | {"due_at": due_at}))


def release_all(session: Session, tokens: Collection[str], now: datetime) -> int:
    """Give back all that a stopping worker still holds; another one goes on at once. Gives how many."""
    conversations = table(Conversation)
    held = and_(conversations.c.lease_token.in_(tokens), conversations.c.holder == Holder.BOT)
    return change(session, update(conversations).where(held).values(FREE | {"due_at": now, "attempts": 0}))


def find(session: Session, tenant_id: int, conversation_id: int) -> Conversation:
    """The conversation of this tenant; raises NotFound, for a foreign one too."""
    query = select(Conversation).where(
        col(Conversation.tenant_id) == tenant_id, col(Conversation.id) == conversation_id
    )
    found = session.scalar(query)
    if found is None:
        raise NotFound("conversation")
    return found


def of_customer(session: Session, tenant_id: int, customer_id: int) -> Conversation | None:
    """The conversation of a customer; None if there has been none."""
    query = select(Conversation).where(
        col(Conversation.tenant_id) == tenant_id, col(Conversation.customer_id) == customer_id
    )
    return session.scalar(query)


def begin(session: Session, now: datetime, tenant_id: int, customer_id: int, address: str) -> Conversation:
    """A conversation in which we speak first. Raises IntegrityError if the customer writes meanwhile."""
    _create(session, now, tenant_id, customer_id, address)
    made = of_customer(session, tenant_id, customer_id)
    assert made is not None
    return made


def lock(session: Session, tenant_id: int, conversation_id: int) -> Conversation:
    """Like `find`, with the row locked until the end of the transaction."""
    query = (
        select(Conversation)
        .where(col(Conversation.tenant_id) == tenant_id, col(Conversation.id) == conversation_id)
        .with_for_update()
    )
    found = session.scalar(query)
    if found is None:
        raise NotFound("conversation")
    return found


def to_queue(row: Conversation, now: datetime) -> None:
    """Put a locked row into the queue: it is nobody's, and the bot is silent."""
    _pass(row, Holder.QUEUE)
    row.held_since = now
    row.resolved_at = None


def to_staff(row: Conversation, now: datetime, staff_id: int) -> None:
    """Put a locked row into the hands of one of the staff."""
    _pass(row, Holder.STAFF)
    row.assignee_id, row.held_since = staff_id, now
    row.resolved_at = None


def to_bot(row: Conversation) -> None:
    """Give a locked row back to the bot, which passes over all that was said with people."""
    _pass(row, Holder.BOT)
    row.answered_seq = row.last_seq
    row.unread = 0
    row.waiting_since = None


def _pass(row: Conversation, holder: Holder) -> None:
    row.holder = holder
    row.epoch += 1
    row.assignee_id = row.held_since = row.snoozed_until = row.reopen_until = None
    row.due_at = row.lease_token = row.lease_until = None


def held_by(session: Session, tenant_id: int, staff_id: int) -> list[int]:
    """The ids of the conversations that one of the staff holds."""
    query = (
        select(col(Conversation.id))
        .where(col(Conversation.tenant_id) == tenant_id, col(Conversation.assignee_id) == staff_id)
        .order_by(col(Conversation.id))
    )
    return [row for row in session.scalars(query) if row is not None]


def window_open(row: Conversation, now: datetime) -> bool:
    """WhatsApp takes free text only within 24 hours (exclusive) of the customer's last message."""
    return is_open(row.last_inbound_at, now)


def is_open(last_inbound_at: datetime | None, now: datetime) -> bool:
    """The same of the plain moment of that last message."""
    return last_inbound_at is not None and now < last_inbound_at + WINDOW


WINDOW = timedelta(hours=24)
