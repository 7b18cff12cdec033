"""/fila/<id>: one conversation, and what staff do with it."""

import hashlib
import secrets
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from flask import (
    Blueprint,
    Response,
    abort,
    flash,
    make_response,
    redirect,
    render_template,
    request,
    url_for,
)
from flask.typing import ResponseReturnValue
from sqlmodel import Session

from bot import texts
from bot.web import context, login, rows, thread, words
from bot.whatsapp import clean
from bot.whatsapp.split import split
from models import appointment, conversation, desk, queue
from models.appointment import Details
from models.conversation import WINDOW, Conversation, Holder
from models.errors import Conflict, Refusal
from models.message import Author
from models.queue import LINES, Acts, Card, Line

ROUTE = "/<int(max=2147483647):conversation_id>"
MAX_TEXT = 4000  # characters of one reply, sent in as many messages as WhatsApp needs
MAX_NOTE = 1000
MAX_BODY = 20_000  # what is kept of a draft, also of one that is too long to send
MAX_KEY = 40
MOST = 1000  # lines of one refresh
OVERLAP = 30  # a refresh repeats that many lines: their delivery may have moved on
WINDOW_ENDS_SOON = timedelta(hours=4)

blueprint = Blueprint("conversation", __name__, url_prefix="/fila")
blueprint.before_request(login.require)


@dataclass(frozen=True)
class Draft:
    """What somebody is writing: kept whatever becomes of the request. `key` makes a repeated send one."""

    text: str = ""
    note: str = ""
    key: str = field(default_factory=lambda: secrets.token_urlsafe(12))


@dataclass(frozen=True)
class Window:
    """WhatsApp's 24 hours: "open", "closing" (then `closes` is the local time) or "shut"."""

    state: str
    closes: str = ""


@blueprint.get(ROUTE)
def show(conversation_id: int) -> ResponseReturnValue:
    return _page(conversation_id, before=_number(request.args.get("antes", "")))


@blueprint.get(f"{ROUTE}/linhas")
def lines(conversation_id: int) -> ResponseReturnValue:
    """What changed, for polling: 204 while the page has it all, else the lines after `depois` and around."""
    with context.services().db.reading() as session:
        version = _version(session, conversation_id)
        if request.args.get("v") == version:
            return "", 204
        seen = _number(request.args.get("depois", "")) or 0
        shown = _read(session, conversation_id, after=max(0, seen - OVERLAP), limit=MOST)
    answer = make_response(render_template("staff/_changes.html", **_words(shown, Draft())))
    answer.headers["X-Version"] = version
    return answer


@blueprint.post(f"{ROUTE}/assumir")
def take(conversation_id: int) -> ResponseReturnValue:
    try:
        with context.services().db.writing() as session:
            desk.take(session, context.now(), context.tenant_id(), conversation_id, context.staff_id())
            queue.seen(session, context.tenant_id(), conversation_id, _seen())
    except Conflict as lost:
        return _page(conversation_id, problem=_taken(lost), status=409)
    return _to(conversation_id)


@blueprint.post(f"{ROUTE}/responder")
def reply(conversation_id: int) -> ResponseReturnValue:
    draft = Draft(text=clean.text(request.form.get("text", ""), MAX_BODY).strip(), key=_key())
    seen = _seen()
    problem = _unsendable(draft.text)
    if problem:
        return _page(conversation_id, draft=draft, problem=problem, status=422)
    try:
        with context.services().db.writing() as session:
            _send(session, conversation_id, draft, seen)
    except Conflict as lost:
        problem = _taken(lost) if lost.winner else ""
        return _page(conversation_id, draft=draft, problem=problem, seen=seen, status=409)
    except Refusal:
        return _page(conversation_id, draft=draft, problem=SHUT, status=422)
    context.services().wake_outbox.set()
    return _to(conversation_id)


@blueprint.post(f"{ROUTE}/devolver")
def give_back(conversation_id: int) -> ResponseReturnValue:
    draft = Draft(note=clean.text(request.form.get("note", ""), MAX_BODY).strip())
    seen = _seen()
    if len(draft.note) > MAX_NOTE:
        problem = f"O recado tem {len(draft.note)} caracteres; o limite é {MAX_NOTE}."
        return _page(conversation_id, draft=draft, problem=problem, status=422)
    try:
        with context.services().db.writing() as session:
            _return(session, conversation_id, draft.note, seen)
    except Conflict as lost:
        problem = _taken(lost) if lost.winner else ""
        return _page(conversation_id, draft=draft, problem=problem, seen=seen, status=409)
    context.services().wake_outbox.set()
    context.services().wake_agent.set()
    flash("Conversa devolvida ao assistente.")
    return redirect(url_for("queue.index"), 303)


@blueprint.post(f"{ROUTE}/lida")
def read(conversation_id: int) -> ResponseReturnValue:
    """The page says that somebody looked: nothing up to `last_seen_seq` is unread any more."""
    with context.services().db.writing() as session:
        queue.seen(session, context.tenant_id(), conversation_id, _seen())
    return "", 204


def _send(session: Session, conversation_id: int, draft: Draft, seen: int) -> None:
    for number, part in enumerate(split(draft.text)):
        desk.reply(
            session,
            context.now(),
            context.tenant_id(),
            conversation_id,
            context.staff_id(),
            text=part,
            last_seen_seq=seen,
            client_key=f"{draft.key}.{number}",
        )


def _return(session: Session, conversation_id: int, note: str, seen: int) -> None:
    """Give back, unless something was said that the writer has not seen: the bot would pass over it."""
    row = conversation.lock(session, context.tenant_id(), conversation_id)
    if row.holder != Holder.BOT and row.last_seq > seen:
        raise Conflict("newer")
    desk.give_back(
        session,
        context.now(),
        context.tenant_id(),
        conversation_id,
        context.staff_id(),
        note=note,
        greeting=texts.back_text(context.current_tenant()),
    )


SHUT = (
    "Faz mais de 24 horas que a pessoa escreveu. O WhatsApp só aceita um modelo aprovado, "
    "então por aqui não dá para enviar agora."
)


def _unsendable(text: str) -> str:
    if not text:
        return "Escreva a mensagem antes de enviar."
    if len(text) > MAX_TEXT:
        return f"A mensagem tem {len(text)} caracteres; o limite é {MAX_TEXT}. Divida em partes."
    return ""


def _taken(lost: Conflict) -> str:
    return f"{lost.winner or 'Outra pessoa'} já assumiu esta conversa."


def _news(lines: list[Line], seen: int, customer: str) -> str:
    """Who spoke while somebody was writing."""
    fresh = [
        line for line in lines if line.message.seq > seen and line.message.staff_id != context.staff_id()
    ]
    authors = {line.message.author: line.staff_name for line in fresh}
    if Author.STAFF in authors:
        what = f"{authors[Author.STAFF]} respondeu"
    elif Author.CUSTOMER in authors:
        what = f"{customer} escreveu"
    else:
        what = "O assistente respondeu"
    return f"{what} enquanto você escrevia. Confira antes de enviar."


def _to(conversation_id: int) -> ResponseReturnValue:
    return redirect(url_for("conversation.show", conversation_id=conversation_id, _anchor="fim"), 303)


def _number(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else None


def _seen() -> int:
    seen = _number(request.form.get("last_seen_seq", ""))
    return seen if seen is not None else abort(400)


def _key() -> str:
    key = request.form.get("client_key", "")
    return key if key.isascii() and key.isprintable() and 0 < len(key) <= MAX_KEY else abort(400)


@dataclass(frozen=True)
class Shown:
    """What the page of one conversation was read from."""

    card: Card
    lines: list[Line]
    acts: list[Acts]
    upcoming: list[Details]


def _read(
    session: Session, conversation_id: int, *, after: int = 0, before: int | None = None, limit: int = LINES
) -> Shown:
    tenant_id = context.tenant_id()
    card = queue.card(session, tenant_id, conversation_id)
    lines = queue.lines(session, tenant_id, conversation_id, after=after, before=before, limit=limit)
    first, last = (lines[0].message.seq, lines[-1].message.seq) if lines else (0, 0)
    acts = queue.acts(
        session,
        tenant_id,
        conversation_id,
        from_seq=max(0, first - 1),
        before=None if before is None else last,
    )
    assert card.customer.id is not None
    upcoming = appointment.upcoming(session, tenant_id, card.customer.id, context.now())
    return Shown(card, lines, acts, upcoming)


def _page(
    conversation_id: int,
    *,
    draft: Draft | None = None,
    problem: str = "",
    seen: int | None = None,
    before: int | None = None,
    status: int = 200,
) -> Response:
    """The whole page. After a conflict `seen` is what the writer knew: what came later is marked as new."""
    with context.services().db.reading() as session:
        shown = _read(session, conversation_id, before=before)
    values = _words(shown, draft or Draft(), seen)
    if seen is not None and not problem:
        problem = _news(shown.lines, seen, str(values["name"]))
    page = render_template(
        "staff/conversation.html",
        tenant=context.current_tenant(),
        problem=problem,
        past=before is not None,
        **values,
    )
    return make_response(page, status)


def _words(shown: Shown, draft: Draft, seen: int | None = None) -> dict[str, object]:
    """What the templates are given: words, never rows."""
    row, now, zone = shown.card.conversation, context.now(), context.current_tenant().zone
    name = words.person(shown.card.customer.name, row.address)
    mine = row.assignee_id == context.staff_id()
    window = _window(row, now, zone)
    first = shown.lines[0].message.seq if shown.lines else 0
    return {
        "id": row.id,
        "name": name,
        "customer_id": shown.card.customer.id,
        "phone": words.phone(row.address),
        "holder": rows.holder(row.holder, shown.card.assignee_name, mine=mine),
        "holding": "mine" if mine else row.holder,
        "wait": rows.wait(row.waiting_since, now) if row.holder != Holder.BOT else None,
        "window": window,
        "episode": _episode(shown.card, now, zone),
        "opted_out": shown.card.customer.opted_out_at is not None,
        "upcoming": [_visit(details, now, zone) for details in shown.upcoming],
        "items": thread.build(shown.lines, shown.acts, now, zone, customer=name, fresh_after=seen),
        "last_seq": max(
            [row.last_seq if not shown.lines else 0, *(line.message.seq for line in shown.lines)]
        ),
        "older": first if first > 1 else None,
        "draft": draft,
        "max_text": MAX_TEXT,
        "max_note": MAX_NOTE,
    }


@dataclass(frozen=True)
class Episode:
    """Why the conversation is with people: the reason in words, the detail as it was given, since when."""

    reason: words.Sign
    detail: str
    since: str


def _episode(card: Card, now: datetime, zone: ZoneInfo) -> Episode | None:
    if card.handoff is None:
        return None
    opened = card.handoff.opened_at
    day = words.day(opened.astimezone(zone).date(), now.astimezone(zone).date())
    since = f"{day}, {words.clock(opened, zone)}"
    return Episode(words.reason(card.handoff.reason), card.handoff.detail, since)


def _visit(details: Details, now: datetime, zone: ZoneInfo) -> tuple[int, str, str]:
    start = details.starts_at.astimezone(zone)
    when = f"{words.day(start.date(), now.astimezone(zone).date())}, {start:%H:%M}"
    return details.id, when, f"{' + '.join(details.services)} com {details.professional}"


def _window(row: Conversation, now: datetime, zone: ZoneInfo) -> Window:
    if row.last_inbound_at is None or not conversation.window_open(row, now):
        return Window("shut")
    closes = row.last_inbound_at + WINDOW
    return Window("closing" if closes - now <= WINDOW_ENDS_SOON else "open", words.clock(closes, zone))


def _version(session: Session, conversation_id: int) -> str:
    """A mark of all that the page shows: when it differs, there is something new to show."""
    pulse = queue.pulse(session, context.tenant_id(), conversation_id)
    now = context.now()
    waiting = rows.wait(pulse.waiting_since, now)
    shut = pulse.last_inbound_at is None or now >= pulse.last_inbound_at + WINDOW
    return hashlib.sha256(repr((pulse.mark, waiting, shut)).encode()).hexdigest()[:16]
