"""Customers who wait for people: what is due when nobody answers. Decided purely, from one moment's state."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any

from sqlalchemy import Row, Select, and_, select
from sqlmodel import Session

from models.attendance import Attendance
from models.conversation import WINDOW, Conversation, Holder
from models.db import table
from models.handoff import Handoff
from models.message import Author, Message, Status
from models.staff import Staff
from models.tenant import Tenant


class Step(StrEnum):
    """What is done, each but the release once an episode."""

    ACKNOWLEDGE = "acknowledge"  # tell a customer who came back that people will answer
    REALERT = "realert"  # tell staff once more
    SECOND_TEXT = "second_text"  # tell the customer that the wait goes on, and the way back to the bot
    RELEASE = "release"  # take it from somebody who does not answer
    WARN = "warn"  # tell staff that WhatsApp's window is about to shut


# In the middle of a talk nobody is told that people will answer.
LIVE_TALK = timedelta(minutes=5)
WARN_BEFORE = timedelta(hours=4)
# Also earlier, where no more than this of people's time is left until the window shuts.
LAST_CHANCE = timedelta(hours=1)


@dataclass(frozen=True)
class Patience:
    """How long a business lets people wait, counted in the time in which its staff answer."""

    attendance: Attendance
    realert: timedelta
    second_text: timedelta
    release: timedelta

    @classmethod
    def of(cls, tenant: Tenant) -> "Patience":
        return cls(
            attendance=tenant.attendance,
            realert=timedelta(minutes=tenant.handoff_realert_minutes),
            second_text=timedelta(minutes=tenant.handoff_second_text_minutes),
            release=timedelta(minutes=tenant.handoff_release_minutes),
        )


@dataclass(frozen=True)
class Standing:
    """An open episode, who holds the conversation, and what was done already.

    `spoke_at` is when one of the staff last wrote to the customer, in an episode that came back.
    """

    tenant_id: int
    conversation_id: int
    episode_id: int
    holder: Holder
    assignee_id: int | None
    disabled: bool  # whoever holds it cannot log in any more
    held_since: datetime
    waiting_since: datetime | None
    last_inbound_at: datetime | None
    snoozed_until: datetime | None
    reason: str | None
    reopened: bool
    spoke_at: datetime | None
    acknowledged_at: datetime | None
    realerted_at: datetime | None
    second_text_at: datetime | None
    window_warned_at: datetime | None

    @property
    def shuts_at(self) -> datetime | None:
        """When WhatsApp's window shuts."""
        return None if self.last_inbound_at is None else self.last_inbound_at + WINDOW


def due(at: Standing, patience: Patience, now: datetime) -> list[Step]:
    """What is to be done now, in order."""
    steps = _unclaimed(at, patience, now) if at.holder == Holder.QUEUE else _claimed(at, patience, now)
    return [*steps, *([Step.WARN] if _is_closing(at, patience, now) else [])]


def _unclaimed(at: Standing, patience: Patience, now: datetime) -> list[Step]:
    idle = patience.attendance.between(at.held_since, now)
    steps = []
    if at.waiting_since is not None and _window_open(at, now):
        if at.reopened and at.acknowledged_at is None and not _in_live_talk(at, now):
            steps.append(Step.ACKNOWLEDGE)
        if at.second_text_at is None and idle >= patience.second_text:
            steps.append(Step.SECOND_TEXT)
    if at.realerted_at is None and idle >= patience.realert:
        steps.append(Step.REALERT)
    return steps


def _claimed(at: Standing, patience: Patience, now: datetime) -> list[Step]:
    if at.disabled:
        return [Step.RELEASE]
    if at.waiting_since is None:
        return []
    since = max(filter(None, (at.held_since, at.waiting_since, at.snoozed_until)))
    return [Step.RELEASE] if patience.attendance.between(since, now) >= patience.release else []


def _is_closing(at: Standing, patience: Patience, now: datetime) -> bool:
    shuts = at.shuts_at
    if shuts is None or at.waiting_since is None or not now < shuts:
        return False
    if at.window_warned_at is not None and at.window_warned_at >= shuts - WINDOW:
        return False
    if now >= shuts - WARN_BEFORE:
        return True
    return patience.attendance.is_open(now) and patience.attendance.between(now, shuts) <= LAST_CHANCE


def _window_open(at: Standing, now: datetime) -> bool:
    return at.shuts_at is not None and now < at.shuts_at


def _in_live_talk(at: Standing, now: datetime) -> bool:
    return at.spoke_at is not None and now < at.spoke_at + LIVE_TALK


def standing(session: Session) -> list[Standing]:
    """Every open episode of every business, the longest open first."""
    opened = table(Handoff).c
    return [_standing(row) for row in session.execute(_open().order_by(opened.opened_at, opened.id))]


def standing_of(session: Session, conversation_id: int) -> Standing | None:
    """The open episode of one conversation, as it is now."""
    row = session.execute(_open().where(table(Conversation).c.id == conversation_id)).first()
    return None if row is None else _standing(row)


def _open() -> Select[Any]:
    conversations, handoffs, people = table(Conversation), table(Handoff), table(Staff)
    messages = table(Message)
    spoke_at = (
        select(messages.c.created_at)
        .where(messages.c.conversation_id == conversations.c.id, messages.c.author == Author.STAFF)
        .where(messages.c.status != Status.NOTE, handoffs.c.reopened)
        .order_by(messages.c.seq.desc())
        .limit(1)
        .scalar_subquery()
    )
    return (
        select(
            conversations,
            handoffs.c.id.label("episode_id"),
            *(handoffs.c[name] for name in _OF_EPISODE),
            people.c.disabled_at,
            spoke_at.label("spoke_at"),
        )
        .join(
            handoffs, and_(handoffs.c.conversation_id == conversations.c.id, handoffs.c.closed_at.is_(None))
        )
        .outerjoin(people, people.c.id == conversations.c.assignee_id)
    )


_OF_EPISODE = (
    *("opened_at", "reason", "reopened", "acknowledged_at", "realerted_at", "second_text_at"),
    "window_warned_at",
)


def _standing(row: Row[Any]) -> Standing:
    return Standing(
        tenant_id=row.tenant_id,
        conversation_id=row.id,
        episode_id=row.episode_id,
        holder=Holder(row.holder),
        assignee_id=row.assignee_id,
        disabled=row.disabled_at is not None,
        held_since=row.held_since or row.opened_at,
        waiting_since=row.waiting_since,
        last_inbound_at=row.last_inbound_at,
        snoozed_until=row.snoozed_until,
        reason=row.reason,
        reopened=row.reopened,
        spoke_at=row.spoke_at,
        acknowledged_at=row.acknowledged_at,
        realerted_at=row.realerted_at,
        second_text_at=row.second_text_at,
        window_warned_at=row.window_warned_at,
    )


_DONE_AT = {
    Step.ACKNOWLEDGE: "acknowledged_at",
    Step.REALERT: "realerted_at",
    Step.SECOND_TEXT: "second_text_at",
    Step.WARN: "window_warned_at",
}


def done(session: Session, now: datetime, at: Standing, step: Step) -> None:
    """Note that a step of the episode was done, under the lock of its conversation."""
    episode = session.get_one(Handoff, at.episode_id)
    setattr(episode, _DONE_AT[step], now)
