"""One conversation, read and put into words for its page."""

import secrets
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, time, timedelta
from zoneinfo import ZoneInfo

from sqlmodel import Session

from bot.sending import fixed_texts
from bot.web.inbox import queue_row, template_messages, thread
from bot.web.inbox.template_messages import Template
from bot.web.shared import labels, request_context
from models import appointment, canned_reply, conversation, staff
from models.appointment import AppointmentStatus, Details
from models.availability import instant
from models.canned_reply import CannedReply
from models.conversation import Holder
from models.errors import NotFound
from models.handoff import CloseReason, Handoff
from models.message import Author, Status
from models.pages import conversation_page, inbox_list
from models.pages.conversation_page import LINES, Acts, Card, Event, Line, Past
from models.staff import Staff

MAX_TEXT = 4000  # characters of one reply, sent in as many messages as WhatsApp needs
MAX_NOTE = 1000
MAX_NAME = 200
MORNING = time(9)

VISITS = {
    AppointmentStatus.BOOKED: "não informado",
    AppointmentStatus.DONE: "veio",
    AppointmentStatus.CANCELLED: "cancelado",
    AppointmentStatus.NO_SHOW: "não veio",
}


@dataclass(frozen=True)
class Draft:
    """What somebody is writing: kept whatever becomes of the request. `key` makes a repeated send one.

    `note` is for the assistant, `remark` stays with the team, `name` is the customer's.
    """

    text: str = ""
    note: str = ""
    remark: str = ""
    name: str | None = None
    key: str = field(default_factory=lambda: secrets.token_urlsafe(12))


@dataclass(frozen=True)
class Shown:
    """What the page of one conversation was read from."""

    card: Card
    lines: list[Line]
    acts: list[Acts]
    events: list[Event]
    upcoming: list[Details]
    past: Past
    ready: list[CannedReply]
    people: list[Staff]


def read(
    session: Session, conversation_id: int, *, after: int = 0, before: int | None = None, limit: int = LINES
) -> Shown:
    tenant_id, now = request_context.tenant_id(), request_context.now()
    card = conversation_page.card(session, tenant_id, conversation_id)
    # One more than is shown: what was done after it belongs to this page.
    found = conversation_page.lines(
        session, tenant_id, conversation_id, after=after, before=before, limit=limit + 1
    )
    lines = found[-limit:]
    first, last = (lines[0].message.seq, lines[-1].message.seq) if lines else (0, 0)
    acts = conversation_page.acts(
        session,
        tenant_id,
        conversation_id,
        from_seq=max(0, first - 1),
        before=None if before is None else last,
    )
    events = conversation_page.events(
        session,
        tenant_id,
        conversation_id,
        since=found[0].message.created_at if len(found) > limit or after else None,
        until=lines[-1].message.created_at if lines and before is not None else None,
    )
    customer_id = card.customer.id
    assert customer_id is not None
    return Shown(
        card=card,
        lines=lines,
        acts=acts,
        events=events,
        upcoming=appointment.upcoming(session, tenant_id, customer_id, now),
        past=conversation_page.past(session, tenant_id, customer_id, conversation_id, now),
        ready=canned_reply.list_of(session, tenant_id),
        people=staff.list_of(session, tenant_id),
    )


def ready(conversation_id: int, reply_id: int | None) -> str:
    """The text of a ready answer for this customer; "" for none, and for one that does not exist."""
    if reply_id is None:
        return ""
    with request_context.services().db.reading() as session:
        card = conversation_page.card(session, request_context.tenant_id(), conversation_id)
        try:
            found = canned_reply.find(session, request_context.tenant_id(), reply_id)
        except NotFound:
            return ""
    return found.for_customer(fixed_texts.first_name(card.customer.name))


def words_of(shown: Shown, draft: Draft, seen: int | None = None) -> dict[str, object]:
    """What the templates are given: words, never rows."""
    row, now, zone = shown.card.conversation, request_context.now(), request_context.current_tenant().zone
    customer = shown.card.customer
    name = labels.person(customer.name, row.address)
    first = shown.lines[0].message.seq if shown.lines else 0
    newest = [row.last_seq if not shown.lines else 0, *(line.message.seq for line in shown.lines)]
    return {
        "id": row.id,
        "name": name,
        "customer_id": shown.card.customer.id,
        "phone": labels.phone(row.address),
        "customer_name": customer.name if draft.name is None else draft.name,
        **_holding(shown, now, zone),
        "forgotten": conversation.is_forgotten(row),
        "opted_out": customer.opted_out_at is not None,
        "upcoming": [_visit(details, now, zone) for details in shown.upcoming],
        "past_visits": [_past_visit(visit, now, zone) for visit in shown.past.visits],
        "no_shows": shown.past.no_shows,
        "past_episodes": [_past_episode(each, now, zone) for each in shown.past.episodes],
        "items": thread.build(
            shown.lines, shown.acts, shown.events, now, zone, customer=name, fresh_after=seen
        ),
        "last_seq": max(newest),
        "older": first if first > 1 else None,
        "opens": request_context.services().files is not None,
        "draft": draft,
        "ready": _ready(shown.ready, fixed_texts.first_name(customer.name)),
        "templates": templates(shown),
        "people": _colleagues(shown.people, row.assignee_id),
        "snoozes": snoozes(now),
        "max_text": MAX_TEXT,
        "max_note": MAX_NOTE,
        "max_name": MAX_NAME,
    }


def templates(shown: Shown) -> list[Template]:
    """The approved templates that may be sent to this customer."""
    card = shown.card
    if conversation.is_forgotten(card.conversation):
        return []
    return template_messages.offered(
        request_context.current_tenant(),
        card.customer,
        card.conversation.last_inbound_at,
        shown.upcoming,
        request_context.now(),
    )


def _holding(shown: Shown, now: datetime, zone: ZoneInfo) -> dict[str, object]:
    """Who has the conversation, since when somebody waits, and what may still be said."""
    row = shown.card.conversation
    mine = row.assignee_id == request_context.staff_id()
    snoozed = queue_row.snoozed(row.snoozed_until, now, zone)
    waits = row.holder != Holder.BOT and not snoozed
    bounds = queue_row.limits(request_context.current_tenant().attendance, now)
    return {
        "holder": queue_row.holder(row.holder, shown.card.assignee_name, mine=mine),
        "holding": "mine" if mine else row.holder,
        "holder_id": row.assignee_id,
        "wait": queue_row.wait(row.waiting_since, now, bounds) if waits else None,
        "snoozed": snoozed,
        "window": queue_row.window(row.last_inbound_at, now, zone),
        "episode": _episode(shown.card, now, zone),
    }


@dataclass(frozen=True)
class Episode:
    """Why the conversation is with people: the reason in words, the detail as it was given, since when."""

    reason: labels.Sign
    detail: str
    since: str


def _episode(card: Card, now: datetime, zone: ZoneInfo) -> Episode | None:
    if card.handoff is None:
        return None
    opened = card.handoff.opened_at
    day = labels.day(opened.astimezone(zone).date(), now.astimezone(zone).date())
    return Episode(_reason(card.handoff), card.handoff.detail, f"{day}, {labels.clock(opened, zone)}")


def _reason(handoff: Handoff) -> labels.Sign:
    return labels.reason(inbox_list.cause(handoff.reason, reopened=handoff.reopened))


def _visit(details: Details, now: datetime, zone: ZoneInfo) -> tuple[int, str, str]:
    start = details.starts_at.astimezone(zone)
    when = f"{labels.day(start.date(), now.astimezone(zone).date())}, {start:%H:%M}"
    return details.id, when, f"{' + '.join(details.services)} com {details.professional}"


def _past_visit(visit: conversation_page.Visit, now: datetime, zone: ZoneInfo) -> tuple[str, str, str]:
    when = labels.short_day(visit.starts_at.astimezone(zone).date(), now.astimezone(zone).date())
    what = f"{' + '.join(visit.services)} com {visit.professional}"
    return when, what, VISITS[AppointmentStatus(visit.status)]


def _past_episode(
    each: conversation_page.Episode, now: datetime, zone: ZoneInfo
) -> tuple[str, str, str, str]:
    """When, why, how it ended and by whom, and the note for the assistant."""
    opened = each.handoff.opened_at.astimezone(zone).date()
    ending = labels.ENDINGS[CloseReason(each.handoff.close_reason or CloseReason.RETURNED_TO_BOT)]
    who = f"{ending} por {each.closed_by}" if each.closed_by else ending
    return (
        labels.short_day(opened, now.astimezone(zone).date()),
        _reason(each.handoff).words,
        who,
        each.handoff.note,
    )


def _ready(replies: Sequence[CannedReply], first_name: str) -> list[tuple[int | None, str, str]]:
    """Id, name and text of each ready answer, as this customer would read it."""
    return [(reply.id, reply.name, reply.for_customer(first_name)) for reply in replies]


def _colleagues(people: Sequence[Staff], holder_id: int | None) -> list[tuple[int | None, str]]:
    """To whom the conversation may be passed."""
    without = (request_context.staff_id(), holder_id)
    return [
        (person.id, person.name)
        for person in people
        if person.disabled_at is None and person.id not in without
    ]


def snoozes(now: datetime) -> list[tuple[str, str, datetime]]:
    """What a conversation may be put aside for: a word for the form, its label, the moment."""
    tenant = request_context.current_tenant()
    tomorrow = now.astimezone(tenant.zone).date() + timedelta(days=1)
    opens = tenant.attendance.next_open(instant(tenant.zone, tomorrow, 0)) if tenant.handoff_hours else None
    morning = opens or instant(tenant.zone, tomorrow, MORNING.hour * 60)
    return [
        ("30m", "30 minutos", now + timedelta(minutes=30)),
        ("2h", "2 horas", now + timedelta(hours=2)),
        ("manha", f"Até {labels.moment(morning, now, tenant.zone)}", morning),
    ]


def news(lines: Sequence[Line], seen: int, customer: str) -> str:
    """Who spoke to whom while somebody was writing."""
    fresh = [
        line
        for line in lines
        if line.message.seq > seen
        and line.message.staff_id != request_context.staff_id()
        and line.message.status != Status.NOTE
    ]
    authors = {line.message.author: line.staff_name for line in fresh}
    if Author.STAFF in authors:
        what = f"{authors[Author.STAFF]} respondeu"
    elif Author.CUSTOMER in authors:
        what = f"{customer} escreveu"
    else:
        what = "O assistente respondeu"
    return f"{what} enquanto você escrevia. Confira antes de enviar."
