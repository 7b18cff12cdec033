"""What the page of one conversation reads: its card, lines, the agent's acts, what staff did, its past."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from sqlalchemy import and_, func, select, update
from sqlmodel import Session, col

from models.appointment import Appointment, AppointmentService, AppointmentStatus
from models.audit import AuditEvent
from models.catalog import Professional
from models.conversation import Conversation
from models.customer import Customer
from models.db import table
from models.errors import NotFound
from models.handoff import Handoff
from models.message import Direction, Message
from models.run import Run, RunStep, StepKind
from models.staff import Staff

LINES = 100
PAST_VISITS, PAST_EPISODES = 5, 10


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
            conversations.c.snoozed_until,
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
    return Pulse((*row[:5], *states), row.last_inbound_at, row.waiting_since)


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


@dataclass(frozen=True)
class Event:
    """What one of the staff did with the conversation, or the program by itself (`name` is None then).

    `act` is the audit's verb; `detail` its plain values; `other` the name of the colleague in them.
    """

    id: int
    at: datetime
    act: str
    name: str | None
    detail: dict[str, Any]
    other: str | None


def events(
    session: Session,
    tenant_id: int,
    conversation_id: int,
    *,
    since: datetime | None,
    until: datetime | None = None,
) -> list[Event]:
    """What was done from `since` on (and up to `until`), oldest first; the newest LINES of them."""
    audits, people = table(AuditEvent), table(Staff)
    query = (
        select(audits, people.c.name)
        .outerjoin(people, people.c.id == audits.c.staff_id)
        .where(audits.c.tenant_id == tenant_id, audits.c.subject_id == conversation_id)
        .where(audits.c.action.startswith("conversation."))
        .order_by(audits.c.id.desc())
        .limit(LINES)
    )
    if since is not None:
        query = query.where(audits.c.at >= since)
    if until is not None:
        query = query.where(audits.c.at <= until)
    rows = list(reversed(session.execute(query).all()))
    names = _names(session, tenant_id, {_other(row.detail) for row in rows} - {None})
    return [
        Event(
            id=row.id,
            at=row.at,
            act=row.action.removeprefix("conversation."),
            name=row.name,
            detail=row.detail,
            other=names.get(_other(row.detail)),
        )
        for row in rows
    ]


def _other(detail: dict[str, Any]) -> int | None:
    other = detail.get("to", detail.get("from"))
    return other if isinstance(other, int) else None


def _names(session: Session, tenant_id: int, ids: set[int | None]) -> dict[int | None, str]:
    if not ids:
        return {}
    query = select(col(Staff.id), col(Staff.name)).where(
        col(Staff.tenant_id) == tenant_id, col(Staff.id).in_(ids)
    )
    return {row.id: row.name for row in session.execute(query)}


@dataclass(frozen=True)
class Visit:
    """A visit that is over, or was to be."""

    starts_at: datetime
    status: str
    services: tuple[str, ...]
    professional: str


@dataclass(frozen=True)
class Episode:
    """An earlier time with people, and who ended it."""

    handoff: Handoff
    closed_by: str | None


@dataclass(frozen=True)
class Past:
    """What is known of a customer from before: the last visits, how often they did not come, episodes."""

    visits: list[Visit]
    no_shows: int
    episodes: list[Episode]


def past(session: Session, tenant_id: int, customer_id: int, conversation_id: int, now: datetime) -> Past:
    """The newest first; each list is short."""
    appointments = table(Appointment)
    ours = (appointments.c.tenant_id == tenant_id, appointments.c.customer_id == customer_id)
    no_shows = session.execute(
        select(func.count()).where(*ours, appointments.c.status == AppointmentStatus.NO_SHOW)
    ).scalar_one()
    return Past(
        _past_visits(session, tenant_id, customer_id, now),
        no_shows,
        _past_episodes(session, tenant_id, conversation_id),
    )


def _past_visits(session: Session, tenant_id: int, customer_id: int, now: datetime) -> list[Visit]:
    visits, parts, people = table(Appointment), table(AppointmentService), table(Professional)
    last = (
        select(visits)
        .where(visits.c.tenant_id == tenant_id, visits.c.customer_id == customer_id)
        .where(visits.c.starts_at <= now)
        .order_by(visits.c.starts_at.desc(), visits.c.id)
        .limit(PAST_VISITS)
        .subquery()
    )
    query = (
        select(last.c.id, last.c.starts_at, last.c.status, people.c.name, parts.c.name.label("service"))
        .join(people, people.c.id == last.c.professional_id)
        .outerjoin(parts, parts.c.appointment_id == last.c.id)
        .order_by(last.c.starts_at.desc(), last.c.id, parts.c.position)
    )
    found: dict[int, Visit] = {}
    for row in session.execute(query):
        before = found[row.id].services if row.id in found else ()
        services = (*before, row.service) if row.service else before
        found[row.id] = Visit(row.starts_at, row.status, services, row.name)
    return list(found.values())


def _past_episodes(session: Session, tenant_id: int, conversation_id: int) -> list[Episode]:
    query = (
        select(Handoff, col(Staff.name))
        .outerjoin(Staff, col(Staff.id) == col(Handoff.closed_by))
        .where(col(Handoff.tenant_id) == tenant_id, col(Handoff.conversation_id) == conversation_id)
        .where(col(Handoff.closed_at).is_not(None))
        .order_by(col(Handoff.id).desc())
        .limit(PAST_EPISODES)
    )
    return [Episode(handoff, name) for handoff, name in session.execute(query)]
