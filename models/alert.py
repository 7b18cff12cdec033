"""That staff are to be told of something: a row is made where it happens, and told of a little later."""

from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from sqlalchemy import (
    CheckConstraint,
    ForeignKeyConstraint,
    Index,
    and_,
    func,
    or_,
    select,
    text,
    update,
)
from sqlmodel import Field, Session, SQLModel

from models import push
from models.conversation import WINDOW, Conversation, Holder
from models.db import UtcDateTime, table


class Kind(StrEnum):
    """What there is to tell."""

    WAITING = "waiting"  # a conversation has come into the queue
    STILL_WAITING = "still_waiting"  # and nobody has taken it
    WINDOW = "window"  # WhatsApp will soon take no free text to a customer who waits


class Channel(StrEnum):
    """By what it is told, beside the pages that are open."""

    MAIL = "mail"
    PUSH = "push"


class Alert(SQLModel, table=True):
    """One thing to tell, by one channel, so that each is told once and tried again by itself.

    It holds no words of anybody. `settled_at`: told, or not worth telling any more.
    """

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
    channel: str = Field(default=Channel.MAIL, max_length=10)
    due_at: datetime = Field(sa_type=UtcDateTime)
    attempts: int = 0
    told: int = 0  # how many people, or browsers, it reached
    settled_at: datetime | None = Field(default=None, sa_type=UtcDateTime)
    created_at: datetime = Field(sa_type=UtcDateTime)


# So long an alert is held back: who takes the conversation at once wants no sound.
HOLD = timedelta(seconds=3)


def add(session: Session, now: datetime, tenant_id: int, conversation_id: int, kind: Kind) -> None:
    """Note that staff are to be told, in the transaction in which it happens."""
    channels = Channel if push.is_wanted(session, tenant_id) else (Channel.MAIL,)
    session.add_all(
        Alert(
            tenant_id=tenant_id,
            conversation_id=conversation_id,
            kind=kind,
            channel=channel,
            due_at=now + HOLD,
            created_at=now,
        )
        for channel in channels
    )


@dataclass(frozen=True)
class Pulse:
    """What calls for one of the staff.

    How many conversations nobody has, and the newest alert that is about one of them, or warns of a window
    in one's own (0: none). Of their own conversations, how many have something unread, and how much in all.
    """

    waiting: int
    newest: int
    mine: int
    unread: int


def pulse(session: Session, now: datetime, tenant_id: int, staff_id: int) -> Pulse:
    """An alert that is held back is not told yet: whoever takes the conversation by then silences it."""
    alerts, conversations = table(Alert), table(Conversation)
    ours = conversations.c.tenant_id == tenant_id
    queued, own = conversations.c.holder == Holder.QUEUE, conversations.c.assignee_id == staff_id
    unread = conversations.c.unread > 0
    newest = (
        select(func.max(alerts.c.id))
        .join(conversations, conversations.c.id == alerts.c.conversation_id)
        .where(ours, alerts.c.created_at <= now - HOLD)
    )
    count = select(func.count()).select_from(conversations).where(ours)
    # Two questions for the newest: one with "or" would find no index.
    parts = (
        count.where(queued),
        newest.where(queued),
        newest.where(own, alerts.c.kind == Kind.WINDOW),
        count.where(own, unread),
        select(func.sum(conversations.c.unread)).where(ours, own, unread),
    )
    row = session.execute(select(*(part.scalar_subquery() for part in parts))).one()
    waiting, of_queue, of_own, mine, in_all = (number or 0 for number in row)
    return Pulse(waiting, max(of_queue, of_own), mine, in_all)


# An alert is taken, told, and settled. One that could not be told comes back, later each time.
RETRY = timedelta(minutes=1)
TRIES = 6
# Who has just been told looks at the queue: more that comes into it is no second mail.
APART = timedelta(minutes=5)


@dataclass(frozen=True)
class Taken:
    """An alert in the hands of whoever tells it."""

    id: int
    tenant_id: int
    channel: Channel


def take_due(session: Session, now: datetime) -> list[Taken]:
    """Take what is to be told now, so that nobody else does until it would be tried again."""
    alerts = table(Alert)
    due = (alerts.c.settled_at.is_(None), alerts.c.due_at <= now)
    session.execute(update(alerts).where(*due, alerts.c.attempts >= TRIES).values(settled_at=now))
    found = session.execute(
        select(alerts.c.id, alerts.c.tenant_id, alerts.c.channel, alerts.c.attempts)
        .where(*due)
        .order_by(alerts.c.id)
        .with_for_update(skip_locked=True)
    ).all()
    for attempts in {row.attempts for row in found}:
        session.execute(
            update(alerts)
            .where(alerts.c.id.in_([row.id for row in found if row.attempts == attempts]))
            .values(attempts=attempts + 1, due_at=now + RETRY * 2**attempts)
        )
    return [Taken(row.id, row.tenant_id, Channel(row.channel)) for row in found]


@dataclass(frozen=True)
class Standing:
    """What is to be told: how many conversations of each kind, and which they are."""

    kinds: "Counter[Kind]"
    conversations: frozenset[int]


def standing(
    session: Session, now: datetime, tenant_id: int, channel: Channel, ids: Collection[int]
) -> Standing:
    """Of these alerts of one channel what is still so, and worth telling."""
    alerts, conversations = table(Alert), table(Conversation)
    shut_by = conversations.c.last_inbound_at > now - WINDOW
    query = (
        select(alerts.c.kind, alerts.c.conversation_id)
        .join(conversations, conversations.c.id == alerts.c.conversation_id)
        .where(alerts.c.tenant_id == tenant_id, alerts.c.id.in_(ids))
        .where(
            or_(
                and_(alerts.c.kind != Kind.WINDOW, conversations.c.holder == Holder.QUEUE),
                and_(alerts.c.kind == Kind.WINDOW, conversations.c.waiting_since.is_not(None), shut_by),
            )
        )
        .distinct()
    )
    found = session.execute(query).all()
    kinds = Counter(Kind(row.kind) for row in found)
    if set(kinds) <= {Kind.WAITING} and _just_told(session, now, tenant_id, channel):
        return Standing(Counter(), frozenset())
    return Standing(kinds, frozenset(row.conversation_id for row in found))


def _just_told(session: Session, now: datetime, tenant_id: int, channel: Channel) -> bool:
    alerts = table(Alert)
    query = select(alerts.c.id).where(
        alerts.c.tenant_id == tenant_id,
        alerts.c.channel == channel,
        alerts.c.told > 0,
        alerts.c.settled_at > now - APART,
    )
    return session.execute(query.limit(1)).first() is not None


def settle(session: Session, now: datetime, ids: Collection[int], told: int) -> None:
    """These reached so many people, or are not worth telling any more."""
    alerts = table(Alert)
    session.execute(update(alerts).where(alerts.c.id.in_(ids)).values(settled_at=now, told=told))
