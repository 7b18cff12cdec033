"""The list of conversations as staff read it: tabs and their counts, filters, search, pages by key."""

from collections import defaultdict
from collections.abc import Collection
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import Any, Self

from sqlalchemy import (
    ColumnElement,
    Select,
    and_,
    case,
    exists,
    func,
    literal,
    select,
    tuple_,
    union_all,
)
from sqlmodel import Session

from models import customer_search
from models.appointment import OCCUPYING, Appointment, AppointmentService
from models.conversation import Conversation, Holder
from models.customer import Customer
from models.db import UtcDateTime, table
from models.handoff import Handoff, Reason
from models.message import Message, Status
from models.pages import search
from models.staff import Staff

PAGE = 50
# So many of a business's newest lines are searched: more would let one search hold up the page.
SEARCHED_LINES = 30_000
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_TALK, _CUSTOMER, _EPISODE, _STAFF = table(Conversation), table(Customer), table(Handoff), table(Staff)


class Tab(StrEnum):
    """The queue's tabs: nobody's yet, one's own, every conversation of the business, and what is settled."""

    WAITING = "waiting"
    MINE = "mine"
    ALL = "all"
    RESOLVED = "resolved"


class Cause(StrEnum):
    """Why a conversation is with people where the bot gave no reason: staff took it, or it came back."""

    STAFF = "staff"
    REOPENED = "reopened"


@dataclass(frozen=True)
class Wanted:
    """What of a tab is wanted: an episode's reason, one of the staff, words in name, phone or text."""

    tab: Tab = Tab.WAITING
    reason: Reason | Cause | None = None
    person: int | None = None
    words: str = ""


@dataclass(frozen=True)
class Counts:
    """How many conversations stand under each tab."""

    waiting: int
    mine: int
    all: int
    resolved: int


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
    """One line of the list. `cause` is why people have it, or had it last where it is settled."""

    conversation_id: int
    customer_id: int
    customer_name: str
    address: str
    holder: str
    assignee_id: int | None
    assignee_name: str | None
    cause: Reason | Cause | None
    preview: str
    unread: int
    undelivered: bool  # the last line of ours did not arrive
    waiting_since: datetime | None
    snoozed_until: datetime | None
    last_inbound_at: datetime | None
    last_message_at: datetime
    position: Position


def counts(session: Session, tenant_id: int, staff_id: int) -> Counts:
    """How many conversations stand under each tab for this person."""
    ours = select(func.count()).select_from(_TALK).where(_TALK.c.tenant_id == tenant_id)
    order = (Tab.WAITING, Tab.MINE, Tab.ALL, Tab.RESOLVED)
    row = session.execute(select(*(ours.where(_under(tab, staff_id)).scalar_subquery() for tab in order)))
    return Counts(*row.one())


def entries(
    session: Session,
    now: datetime,
    tenant_id: int,
    staff_id: int,
    wanted: Wanted,
    *,
    after: Position | None = None,
    limit: int = PAGE,
) -> list[Entry]:
    """One page of a tab. Those who wait come first, longest wait first, those put aside last.

    Under ALL the latest talk comes first, under RESOLVED what was settled last.
    """
    key, newest_first = _key(wanted.tab, now), wanted.tab in (Tab.ALL, Tab.RESOLVED)
    query: Select[Any] = (
        select(
            _TALK,
            _CUSTOMER.c.name.label("customer_name"),
            _STAFF.c.name.label("assignee_name"),
            _EPISODE.c.id.label("episode_id"),
            _EPISODE.c.reason,
            _EPISODE.c.reopened,
            _undelivered().label("undelivered"),
            *(part.label(f"key_{number}") for number, part in enumerate(key[:2])),
        )
        .join(_CUSTOMER, _CUSTOMER.c.id == _TALK.c.customer_id)
        .outerjoin(_STAFF, _STAFF.c.id == _TALK.c.assignee_id)
        .outerjoin(_EPISODE, _of_episode(wanted.tab))
        .where(_TALK.c.tenant_id == tenant_id, _under(wanted.tab, staff_id))
        .where(*_filters(session, tenant_id, wanted))
        # A constant in front would keep the database from reading them in the order of an index.
        .order_by(*((part.desc() for part in key[1:]) if newest_first else key))
        .limit(limit)
    )
    if after is not None:
        query = query.where(_beyond(key, after, newest_first=newest_first))
    return [_entry(row) for row in session.execute(query)]


def _undelivered() -> ColumnElement[bool]:
    last = table(Message).alias("last")
    return exists().where(
        last.c.conversation_id == _TALK.c.id, last.c.seq == _TALK.c.last_seq, last.c.status == Status.FAILED
    )


def _under(tab: Tab, staff_id: int) -> ColumnElement[bool]:
    match tab:
        case Tab.WAITING:
            return _TALK.c.holder == Holder.QUEUE
        case Tab.MINE:
            return and_(_TALK.c.holder == Holder.STAFF, _TALK.c.assignee_id == staff_id)
        case Tab.RESOLVED:
            return _TALK.c.resolved_at.is_not(None)
        case Tab.ALL:
            return literal(True)


def _of_episode(tab: Tab) -> ColumnElement[bool]:
    """The open episode of the conversation; of a settled one its last."""
    if tab != Tab.RESOLVED:
        return and_(_EPISODE.c.conversation_id == _TALK.c.id, _EPISODE.c.closed_at.is_(None))
    of_talk = _EPISODE.alias("of_talk")
    last = select(func.max(of_talk.c.id)).where(of_talk.c.conversation_id == _TALK.c.id)
    return _EPISODE.c.id == last.correlate(_TALK).scalar_subquery()


def _key(tab: Tab, now: datetime) -> tuple[ColumnElement[Any], ...]:
    """Rank, moment, id. The moment never moves by what is said meanwhile, but for an answer."""
    if tab == Tab.ALL:
        return literal(0), _TALK.c.last_message_at, _TALK.c.id
    if tab == Tab.RESOLVED:
        return literal(0), _TALK.c.resolved_at, _TALK.c.id
    rank = case(
        (_TALK.c.snoozed_until > now, 2),
        (_TALK.c.waiting_since.is_(None), 1),
        else_=0,
    )
    moment = func.coalesce(_TALK.c.waiting_since, _TALK.c.held_since, _TALK.c.last_message_at)
    return rank, moment, _TALK.c.id


def _beyond(
    key: tuple[ColumnElement[Any], ...], after: Position, *, newest_first: bool
) -> ColumnElement[bool]:
    place = literal(after.rank), literal(after.at, UtcDateTime()), literal(after.conversation_id)
    if newest_first:
        return tuple_(*key[1:]) < tuple_(*place[1:])
    return tuple_(*key) > tuple_(*place)


def _filters(session: Session, tenant_id: int, wanted: Wanted) -> list[ColumnElement[bool]]:
    found: list[ColumnElement[bool]] = []
    if wanted.reason is not None:
        found.append(_because(wanted.reason))
    if wanted.person is not None:
        settled = wanted.tab == Tab.RESOLVED
        whose = _EPISODE.c.closed_by if settled else _TALK.c.assignee_id
        found.append(whose == wanted.person)
    if wanted.words:
        found.append(_TALK.c.id.in_(_matching(session, tenant_id, wanted.words)))
    return found


def _because(reason: Reason | Cause) -> ColumnElement[bool]:
    match reason:
        case Cause.STAFF:
            return and_(_EPISODE.c.id.is_not(None), _EPISODE.c.reason.is_(None), ~_EPISODE.c.reopened)
        case Cause.REOPENED:
            return _EPISODE.c.reopened
        case _:
            return _EPISODE.c.reason == reason


def _matching(session: Session, tenant_id: int, words: str) -> Select[Any]:
    """The ids of the business's conversations in whose name, phone or newest lines the words stand."""
    dialect = session.get_bind().dialect.name
    messages = table(Message)
    newest = (
        select(messages.c.conversation_id, messages.c.text)
        .where(messages.c.tenant_id == tenant_id)
        .order_by(messages.c.id.desc())
        .limit(SEARCHED_LINES)
        .subquery()
    )
    talk = _TALK.alias("talk")
    # Of the business, though the customers say it: else SQLite looks through all of its conversations.
    by_name = select(talk.c.id).where(
        talk.c.tenant_id == tenant_id, talk.c.customer_id.in_(customer_search.found(tenant_id, words))
    )
    by_text = select(newest.c.conversation_id).where(search.contains(newest.c.text, words, dialect))
    return select(union_all(by_name, by_text).subquery().c[0])


def _entry(row: Any) -> Entry:
    return Entry(
        conversation_id=row.id,
        customer_id=row.customer_id,
        customer_name=row.customer_name,
        address=row.address,
        holder=row.holder,
        assignee_id=row.assignee_id,
        assignee_name=row.assignee_name,
        cause=None if row.episode_id is None else cause(row.reason, reopened=row.reopened),
        preview=row.preview,
        unread=row.unread,
        undelivered=bool(row.undelivered),
        waiting_since=row.waiting_since,
        snoozed_until=row.snoozed_until,
        last_inbound_at=row.last_inbound_at,
        last_message_at=row.last_message_at,
        position=Position(row.key_0, row.key_1, row.id),
    )


def cause(reason: str | None, *, reopened: bool) -> Reason | Cause:
    """Why an episode was opened."""
    if reason is not None:
        return Reason(reason)
    return Cause.REOPENED if reopened else Cause.STAFF


@dataclass(frozen=True)
class Today:
    """A visit of today. `services` in their order."""

    starts_at: datetime
    services: tuple[str, ...]


def visits_of(
    session: Session, tenant_id: int, customer_ids: Collection[int], begins: datetime, ends: datetime
) -> dict[int, list[Today]]:
    """The visits of these customers that start in [begins, ends) and stand, by customer, earliest first."""
    if not customer_ids:
        return {}
    visits, parts = table(Appointment), table(AppointmentService)
    query = (
        select(visits.c.id, visits.c.customer_id, visits.c.starts_at, parts.c.name)
        .outerjoin(parts, parts.c.appointment_id == visits.c.id)
        .where(visits.c.tenant_id == tenant_id, visits.c.customer_id.in_(customer_ids))
        .where(visits.c.starts_at >= begins, visits.c.starts_at < ends, visits.c.status.in_(OCCUPYING))
        .order_by(visits.c.starts_at, visits.c.id, parts.c.position)
    )
    found: dict[int, dict[int, Today]] = defaultdict(dict)
    for visit_id, customer_id, starts_at, name in session.execute(query):
        before = found[customer_id].get(visit_id, Today(starts_at, ()))
        found[customer_id][visit_id] = Today(starts_at, (*before.services, *([name] if name else [])))
    return {customer_id: list(visits.values()) for customer_id, visits in found.items()}
