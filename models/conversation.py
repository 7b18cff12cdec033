"""Who holds a conversation, and whose turn it is.

The conversation row is the queue: "due and not leased". A worker claims it with one conditional UPDATE,
renews the lease by its heartbeat, and commits only while lease and epoch are still its own.
"""

import secrets
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from functools import cache
from typing import Any

from sqlalchemy import (
    CheckConstraint,
    ForeignKeyConstraint,
    Index,
    UniqueConstraint,
    UpdateBase,
    and_,
    bindparam,
    case,
    func,
    insert,
    or_,
    select,
    text,
    update,
)
from sqlmodel import Field, Session, SQLModel, col

from models.customer import FORGOTTEN
from models.db import UtcDateTime, change, moment, table
from models.errors import Forgotten, LeaseLost, NotFound


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


_CONVERSATION = table(Conversation)
_OF_CUSTOMER = (
    _CONVERSATION.c.tenant_id == bindparam("tenant"),
    _CONVERSATION.c.customer_id == bindparam("customer"),
)
_CLEAR_REOPENING = update(_CONVERSATION).where(*_OF_CUSTOMER).values(reopen_until=None)
_INSERT = insert(_CONVERSATION)


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
    given: dict[str, object] = {
        "tenant": tenant_id,
        "customer": customer_id,
        "now": now,
        "whence": address,
        "words": preview,
    }
    if due_at is not None:
        given |= {"due": due_at, "long_ago": now - PATIENCE * (due_at - now)}
    statement = _arrival(wanting=due_at is not None)
    row = session.execute(statement, given).first()
    if row is None:
        _create(session, now, tenant_id, customer_id, address)
        row = session.execute(statement, given).one()
    # Whatever puts a conversation into people's hands clears the mark: where it stands, this message did.
    reopened = row.holder == Holder.QUEUE and row.reopen_until is not None
    if reopened:
        session.execute(_CLEAR_REOPENING, given)
    return Place(
        row.id,
        row.last_seq,
        holder=Holder(row.holder),
        due=due_at is not None and row.holder == Holder.BOT,
        reopened=reopened,
    )


PATIENCE = 6  # debounces that a burst may last before it is answered all the same


@cache
def _arrival(*, wanting: bool) -> UpdateBase:
    """One more message of a customer; with `wanting` they want an answer."""
    changes: dict[str, Any] = {
        "last_seq": _CONVERSATION.c.last_seq + 1,
        "last_inbound_at": moment("now"),
        "last_message_at": moment("now"),
        "preview": bindparam("words"),
        "address": bindparam("whence"),
    }
    return (
        update(_CONVERSATION)
        .where(*_OF_CUSTOMER)
        .values(changes | (_wanting() if wanting else {}))
        .returning(
            _CONVERSATION.c.id,
            _CONVERSATION.c.last_seq,
            _CONVERSATION.c.holder,
            _CONVERSATION.c.reopen_until,
        )
    )


def _wanting() -> dict[str, Any]:
    """What changes when the customer wants an answer: from the bot, or from people."""
    row, now = _CONVERSATION.c, moment("now")
    bot_holds = row.holder == Holder.BOT
    reopens = and_(bot_holds, row.reopen_until > now)
    bot_answers = and_(bot_holds, or_(row.reopen_until.is_(None), ~reopens))
    # Who goes on writing would push the answer away for ever.
    enough = and_(bot_answers, row.lease_token.is_(None), row.waiting_since <= moment("long_ago"))
    return {
        "holder": case((reopens, Holder.QUEUE.value), else_=row.holder),
        "epoch": case((reopens, row.epoch + 1), else_=row.epoch),
        "resolved_at": case((reopens, None), else_=row.resolved_at),
        "snoozed_until": None,
        "due_at": case((enough, now), (bot_answers, moment("due")), else_=row.due_at),
        "unread": case((bot_answers, row.unread), else_=row.unread + 1),
        "waiting_since": func.coalesce(row.waiting_since, now, type_=UtcDateTime()),
    }


def _create(session: Session, now: datetime, tenant_id: int, customer_id: int, address: str) -> None:
    new = Conversation(
        tenant_id=tenant_id,
        customer_id=customer_id,
        address=address,
        last_message_at=now,
        created_at=now,
    )
    session.execute(_INSERT, new.model_dump(exclude={"id"}))


def next_seq(
    session: Session, now: datetime, tenant_id: int, conversation_id: int, *, preview: str | None
) -> int:
    """Number a line of ours. With `preview` it is the newest line shown in lists; a note changes no order."""
    given: dict[str, object] = {"tenant": tenant_id, "conversation": conversation_id}
    if preview is not None:
        given |= {"now": now, "words": preview}
    seq = session.execute(_next(shown=preview is not None), given).scalar()
    if seq is None:
        raise NotFound("conversation")
    return int(seq)


@cache
def _next(*, shown: bool) -> UpdateBase:
    row = _CONVERSATION.c
    changes: dict[str, Any] = {"last_seq": row.last_seq + 1}
    if shown:
        changes |= {"preview": bindparam("words"), "last_message_at": moment("now")}
    mine = (row.id == bindparam("conversation"), row.tenant_id == bindparam("tenant"))
    return update(_CONVERSATION).where(*mine).values(changes).returning(row.last_seq)


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
    given = {"now": now, "token": secrets.token_hex(8), "until": now + lease}
    row = session.execute(_CLAIM, given).first()
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


def _claim() -> UpdateBase:
    row = _CONVERSATION.c
    free = and_(row.lease_token.is_(None), row.due_at <= moment("now"))
    abandoned = row.lease_until <= moment("now")
    candidate = (
        select(row.id)
        .where(row.holder == Holder.BOT, or_(free, abandoned))
        .order_by(func.coalesce(row.due_at, row.lease_until), row.id)
        .limit(1)
        .with_for_update(skip_locked=True)
        .scalar_subquery()
    )
    return (
        update(_CONVERSATION)
        .where(row.id == candidate)
        .values(
            lease_token=bindparam("token"),
            lease_until=moment("until"),
            due_at=None,
            attempts=row.attempts + 1,
        )
        .returning(_CONVERSATION)
    )


_CLAIM = _claim()


def next_due(session: Session) -> datetime | None:
    """When the next conversation becomes claimable, by debounce or by the end of a lease."""
    times = [time for query in _NEXT if (time := session.execute(query).scalar()) is not None]
    return min(times, default=None)


_BOT = _CONVERSATION.c.holder == Holder.BOT
_NEXT = (
    select(func.min(_CONVERSATION.c.due_at)).where(_BOT, _CONVERSATION.c.lease_token.is_(None)),
    select(func.min(_CONVERSATION.c.lease_until)).where(_BOT, _CONVERSATION.c.lease_token.is_not(None)),
)


def renew(session: Session, tokens: Collection[str], until: datetime) -> int:
    """Lengthen the leases of the claims that a worker has in hand; gives how many still stand."""
    mine = _CONVERSATION.c.lease_token.in_(tokens)
    return change(session, update(_CONVERSATION).where(mine).values(lease_until=until))


def hold(session: Session, mine: Claim) -> None:
    """Fence a write of a run: raises LeaseLost unless the claim still stands. Locks the row until commit."""
    if change(session, _HOLD, _fence(mine)) != 1:
        raise LeaseLost


_HELD = and_(
    _CONVERSATION.c.id == bindparam("conversation"),
    _CONVERSATION.c.lease_token == bindparam("token"),
    _CONVERSATION.c.epoch == bindparam("claimed_epoch"),
    _CONVERSATION.c.holder == Holder.BOT,
)


def _fence(mine: Claim) -> dict[str, object]:
    """What `_HELD` is given."""
    return {"conversation": mine.conversation_id, "token": mine.token, "claimed_epoch": mine.epoch}


# Sets what is there already: it locks the row and counts it.
_HOLD = update(_CONVERSATION).where(_HELD).values(lease_token=bindparam("token"))
_FREE: dict[str, Any] = {"lease_token": None, "lease_until": None}


def finish(session: Session, mine: Claim, *, answered_seq: int) -> None:
    """End a claim: everything up to `answered_seq` is dealt with. Due again if something newer came.

    Raises LeaseLost if the claim does not stand any more: the caller's whole transaction is to be dropped.
    """
    statement = _finish(whole=answered_seq >= mine.through_seq)
    if change(session, statement, _fence(mine) | {"answered": answered_seq}) != 1:
        raise LeaseLost


@cache
def _finish(*, whole: bool) -> UpdateBase:
    row = _CONVERSATION.c
    values = _FREE | {"attempts": 0, "answered_seq": bindparam("answered")}
    if whole:
        # Who wrote meanwhile waits since then: `due_at` was cleared by the claim, so something newer set it.
        values |= {"waiting_since": case((row.due_at.is_not(None), row.last_inbound_at), else_=None)}
    else:
        # A resumed run answers what its worker had seen; this claim took the mark of what came after that.
        newer = func.coalesce(row.due_at, row.last_inbound_at)
        values |= {"due_at": newer, "waiting_since": row.last_inbound_at}
    return update(_CONVERSATION).where(_HELD).values(values)


def hand_over(session: Session, mine: Claim, *, answered_seq: int) -> int:
    """End a claim by putting the conversation into the human queue; gives the new epoch. Raises LeaseLost.

    `waiting_since` stays: the customer waits from their first unanswered message on.
    """
    epoch = session.execute(_HAND_OVER, _fence(mine) | {"answered": answered_seq}).scalar()
    if epoch is None:
        raise LeaseLost
    return int(epoch)


_HAND_OVER = (
    update(_CONVERSATION)
    .where(_HELD)
    .values(
        _FREE
        | {
            "attempts": 0,
            "answered_seq": bindparam("answered"),
            "due_at": None,
            "holder": Holder.QUEUE,
            "resolved_at": None,
            "reopen_until": None,
            "epoch": _CONVERSATION.c.epoch + 1,
            "unread": _CONVERSATION.c.unread + 1,
        }
    )
    .returning(_CONVERSATION.c.epoch)
)


def release(session: Session, mine: Claim, due_at: datetime) -> None:
    """Give a claim back unfinished, to be taken up again at `due_at` (a stop, a passing fault)."""
    session.execute(_RELEASE, _fence(mine) | {"due": due_at})


_RELEASE = update(_CONVERSATION).where(_HELD).values(_FREE | {"due_at": moment("due")})


def release_all(session: Session, tokens: Collection[str], now: datetime) -> int:
    """Give back all that a stopping worker still holds; another one goes on at once. Gives how many."""
    held = and_(_CONVERSATION.c.lease_token.in_(tokens), _BOT)
    return change(session, update(_CONVERSATION).where(held).values(_FREE | {"due_at": now, "attempts": 0}))


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


def at_address(session: Session, tenant_id: int, address: str) -> int | None:
    """The conversation of whoever wrote last from this address; None if there is none."""
    query = select(Conversation).where(
        col(Conversation.tenant_id) == tenant_id, col(Conversation.address) == address
    )
    found = session.scalar(query)
    return found.id if found is not None else None


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


def is_forgotten(row: Conversation) -> bool:
    """Whether the customer's data were erased: nothing can be said here any more. See models/erasure.py."""
    return row.address.startswith(FORGOTTEN)


def require_known(row: Conversation) -> None:
    """Raises Forgotten where there is nobody any more to write to."""
    if is_forgotten(row):
        raise Forgotten("conversation")


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
