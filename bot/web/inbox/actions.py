"""What staff do with a conversation: each a POST that ends at a page, works without JavaScript, and tells a
loser who won. What was typed is kept whatever becomes of it.
"""

from datetime import datetime

from flask import Blueprint, abort, flash, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue
from sqlmodel import Session

from bot.core import sanitise
from bot.sending import fixed_texts
from bot.web import login
from bot.web.inbox import conversation_view
from bot.web.inbox.conversation import ROUTE, back_to, number, page
from bot.web.inbox.conversation_view import MAX_NAME, MAX_NOTE, MAX_TEXT, Draft
from bot.web.shared import labels, request_context
from bot.whatsapp.text_parts import split
from models import audit, conversation, customer, staff
from models.acts import conversation_acts
from models.conversation import Holder
from models.errors import Conflict, Forgotten, Refusal
from models.message import Content
from models.pages import conversation_page
from models.staff import Staff

blueprint = Blueprint("acts", __name__, url_prefix="/fila")
blueprint.before_request(login.require)

MAX_BODY = 20_000  # what is kept of a draft, also of one that is too long to send
MAX_KEY = 40
SHUT = (
    "Faz mais de 24 horas que a pessoa escreveu. O WhatsApp só aceita um modelo aprovado, "
    "então por aqui não dá para enviar agora."
)
BAD_TIME = "Escolha um horário no futuro, em até 14 dias."


@blueprint.errorhandler(Forgotten)
def forgotten(_error: Forgotten) -> ResponseReturnValue:
    """The page says that nobody is there to write to; what was typed for them is on it."""
    typed = sanitise.text(request.form.get("text", ""), MAX_BODY).strip()
    return page((request.view_args or {})["conversation_id"], draft=Draft(text=typed), status=409)


@blueprint.post(f"{ROUTE}/assumir")
def take(conversation_id: int) -> ResponseReturnValue:
    try:
        with request_context.services().db.writing() as session:
            conversation_acts.take(*_place(session, conversation_id))
            conversation_page.seen(session, request_context.tenant_id(), conversation_id, _seen())
    except Conflict as lost:
        return page(conversation_id, problem=_taken(lost), status=409)
    return back_to(conversation_id)


@blueprint.get(f"{ROUTE}/assumir-mesmo-assim")
def ask_take_over(conversation_id: int) -> ResponseReturnValue:
    """The step in between: who has it, and when they were last here."""
    with request_context.services().db.reading() as session:
        card = conversation_page.card(session, request_context.tenant_id(), conversation_id)
        conversation.require_known(card.conversation)
        holder_id = card.conversation.assignee_id
        if card.conversation.holder != Holder.STAFF or holder_id in (None, request_context.staff_id()):
            return back_to(conversation_id)
        seen_at = staff.last_seen(session, holder_id or 0)
    now, zone = request_context.now(), request_context.current_tenant().zone
    return render_template(
        "staff/inbox/take_over.html",
        tenant=request_context.current_tenant(),
        id=conversation_id,
        name=labels.person(card.customer.name, card.conversation.address),
        holder=card.assignee_name,
        holder_id=holder_id,
        seen=labels.moment(seen_at, now, zone) if seen_at else "",
    )


@blueprint.post(f"{ROUTE}/substituir")
def take_over(conversation_id: int) -> ResponseReturnValue:
    holder_id = number(request.form.get("holder_id", ""))
    if holder_id is None:
        abort(400)
    try:
        with request_context.services().db.writing() as session:
            conversation_acts.take_over(*_place(session, conversation_id), holder_id=holder_id)
    except Conflict as lost:
        return page(conversation_id, problem=_taken(lost), status=409)
    return back_to(conversation_id)


@blueprint.post(f"{ROUTE}/soltar")
def release(conversation_id: int) -> ResponseReturnValue:
    try:
        with request_context.services().db.writing() as session:
            conversation_acts.release(*_place(session, conversation_id))
    except Conflict as lost:
        return page(conversation_id, problem=_taken(lost), status=409)
    flash("Conversa de volta na fila.")
    return redirect(url_for("queue.index"), 303)


@blueprint.post(f"{ROUTE}/passar")
def pass_on(conversation_id: int) -> ResponseReturnValue:
    to_id = number(request.form.get("to", ""))
    if to_id is None:
        return page(conversation_id, problem="Escolha para quem passar.", status=422)
    try:
        with request_context.services().db.writing() as session:
            conversation_acts.pass_on(*_place(session, conversation_id), to_id=to_id)
            name = session.get_one(Staff, to_id).name
    except Conflict as lost:
        return page(conversation_id, problem=_taken(lost), status=409)
    flash(f"Conversa passada para {name}.")
    return redirect(url_for("queue.index"), 303)


@blueprint.post(f"{ROUTE}/adiar")
def snooze(conversation_id: int) -> ResponseReturnValue:
    until = _until()
    try:
        if until is None:
            raise Refusal("PRAZO")
        with request_context.services().db.writing() as session:
            conversation_acts.snooze(*_place(session, conversation_id), until=until)
    except Refusal:
        return page(conversation_id, problem=BAD_TIME, status=422)
    except Conflict as lost:
        return page(conversation_id, problem=_taken(lost), status=409)
    when = labels.moment(until, request_context.now(), request_context.current_tenant().zone)
    flash(f"Conversa adiada até {when}. Se a pessoa escrever antes, ela volta.")
    return redirect(url_for("queue.index", aba="minhas"), 303)


@blueprint.post(f"{ROUTE}/retomar")
def wake(conversation_id: int) -> ResponseReturnValue:
    try:
        with request_context.services().db.writing() as session:
            conversation_acts.wake(*_place(session, conversation_id))
    except Conflict as lost:
        return page(conversation_id, problem=_taken(lost), status=409)
    return back_to(conversation_id)


@blueprint.post(f"{ROUTE}/encerrar")
def resolve(conversation_id: int) -> ResponseReturnValue:
    seen = _seen()
    try:
        with request_context.services().db.writing() as session:
            conversation_acts.resolve(
                *_place(session, conversation_id),
                grace=request_context.current_tenant().reopen_grace,
                last_seen_seq=seen,
            )
    except Conflict as lost:
        problem = _taken(lost) if lost.winner else ""
        return page(conversation_id, problem=problem, seen=seen, status=409)
    flash("Atendimento encerrado. O assistente cuida do que vier depois.")
    return redirect(url_for("queue.index"), 303)


@blueprint.post(f"{ROUTE}/responder")
def reply(conversation_id: int) -> ResponseReturnValue:
    draft = Draft(text=sanitise.text(request.form.get("text", ""), MAX_BODY).strip(), key=_key())
    seen = _seen()
    problem = _unsendable(draft.text)
    if problem:
        return page(conversation_id, draft=draft, problem=problem, status=422)
    try:
        with request_context.services().db.writing() as session:
            for part, text in enumerate(split(draft.text)):
                _say(session, conversation_id, text, f"{draft.key}.{part}", seen)
    except Conflict as lost:
        problem = _taken(lost) if lost.winner else ""
        return page(conversation_id, draft=draft, problem=problem, seen=seen, status=409)
    except Refusal:
        return page(conversation_id, draft=draft, problem=SHUT, status=422)
    request_context.services().wake_outbox.set()
    return back_to(conversation_id)


@blueprint.post(f"{ROUTE}/modelo")
def send_template(conversation_id: int) -> ResponseReturnValue:
    """An approved template, where WhatsApp takes nothing else."""
    key, seen = _key(), _seen()
    with request_context.services().db.reading() as session:
        shown = conversation_view.read(session, conversation_id)
    conversation.require_known(shown.card.conversation)
    offered = conversation_view.templates(shown)
    chosen = next((each for each in offered if each.key == request.form.get("template")), None)
    if chosen is None:
        return page(conversation_id, problem="Escolha um modelo.", status=422)
    try:
        with request_context.services().db.writing() as session:
            _say(session, conversation_id, chosen.text, key, seen, chosen.content)
    except Conflict as lost:
        problem = _taken(lost) if lost.winner else ""
        return page(conversation_id, problem=problem, seen=seen, status=409)
    request_context.services().wake_outbox.set()
    return back_to(conversation_id)


@blueprint.post(f"{ROUTE}/nota")
def note(conversation_id: int) -> ResponseReturnValue:
    draft = Draft(remark=sanitise.text(request.form.get("remark", ""), MAX_BODY).strip())
    problem = _unfit(draft.remark, "A nota")
    if problem:
        return page(conversation_id, draft=draft, problem=problem, status=422)
    with request_context.services().db.writing() as session:
        conversation_acts.note(*_place(session, conversation_id), text=draft.remark, client_key=f"{_key()}.n")
    return back_to(conversation_id)


@blueprint.post(f"{ROUTE}/devolver")
def give_back(conversation_id: int) -> ResponseReturnValue:
    draft = Draft(note=sanitise.text(request.form.get("note", ""), MAX_BODY).strip())
    seen = _seen()
    if len(draft.note) > MAX_NOTE:
        problem = f"O recado tem {len(draft.note)} caracteres; o limite é {MAX_NOTE}."
        return page(conversation_id, draft=draft, problem=problem, status=422)
    try:
        with request_context.services().db.writing() as session:
            conversation_acts.give_back(
                *_place(session, conversation_id),
                note=draft.note,
                greeting=fixed_texts.back_text(request_context.current_tenant()),
                last_seen_seq=seen,
            )
    except Conflict as lost:
        problem = _taken(lost) if lost.winner else ""
        return page(conversation_id, draft=draft, problem=problem, seen=seen, status=409)
    request_context.services().wake_outbox.set()
    request_context.services().wake_agent.set()
    flash("Conversa devolvida ao assistente.")
    return redirect(url_for("queue.index"), 303)


@blueprint.post(f"{ROUTE}/nome")
def rename(conversation_id: int) -> ResponseReturnValue:
    """Correct the customer's name; it may be empty."""
    name = sanitise.line(request.form.get("name", ""), MAX_BODY)
    if len(name) > MAX_NAME:
        draft = Draft(name=name)
        problem = f"O nome tem {len(name)} caracteres; o limite é {MAX_NAME}."
        return page(conversation_id, draft=draft, problem=problem, status=422)
    with request_context.services().db.writing() as session:
        card = conversation_page.card(session, request_context.tenant_id(), conversation_id)
        customer_id = card.customer.id
        assert customer_id is not None
        before = customer.rename(session, request_context.tenant_id(), customer_id, name)
        if before != name:
            audit.record(
                session,
                request_context.now(),
                request_context.tenant_id(),
                "customer.rename",
                staff_id=request_context.staff_id(),
                subject_id=customer_id,
                detail={"before": before, "after": name},
            )
    return redirect(url_for("conversation.show", conversation_id=conversation_id), 303)


@blueprint.post(f"{ROUTE}/lida")
def read(conversation_id: int) -> ResponseReturnValue:
    """The page says that somebody looked: nothing up to `last_seen_seq` is unread any more."""
    with request_context.services().db.writing() as session:
        conversation_page.seen(session, request_context.tenant_id(), conversation_id, _seen())
    return "", 204


def _place(session: Session, conversation_id: int) -> tuple[Session, datetime, int, int, int]:
    """The first arguments of every act."""
    return (
        session,
        request_context.now(),
        request_context.tenant_id(),
        conversation_id,
        request_context.staff_id(),
    )


def _say(
    session: Session, conversation_id: int, text: str, key: str, seen: int, content: Content | None = None
) -> None:
    conversation_acts.reply(
        *_place(session, conversation_id),
        text=text,
        last_seen_seq=seen,
        client_key=key,
        content=content,
    )


def _until() -> datetime | None:
    """When a snooze is to end: one of the choices, or a local time that was typed."""
    chosen = request.form.get("until", "")
    offered = {word: moment for word, _label, moment in conversation_view.snoozes(request_context.now())}
    if chosen in offered:
        return offered[chosen]
    try:
        typed = datetime.fromisoformat(request.form.get("when", ""))
    except ValueError:
        return None
    return typed.replace(tzinfo=request_context.current_tenant().zone) if typed.tzinfo is None else None


def _unsendable(text: str) -> str:
    if not text:
        return "Escreva a mensagem antes de enviar."
    if len(text) > MAX_TEXT:
        return f"A mensagem tem {len(text)} caracteres; o limite é {MAX_TEXT}. Divida em partes."
    return ""


def _unfit(text: str, what: str) -> str:
    if not text:
        return f"{what} está vazia."
    return f"{what} tem {len(text)} caracteres; o limite é {MAX_NOTE}." if len(text) > MAX_NOTE else ""


def _taken(lost: Conflict) -> str:
    return f"{lost.winner or 'Outra pessoa'} já assumiu esta conversa."


def _seen() -> int:
    seen = number(request.form.get("last_seen_seq", ""))
    return seen if seen is not None else abort(400)


def _key() -> str:
    key = request.form.get("client_key", "")
    return key if key.isascii() and key.isprintable() and 0 < len(key) <= MAX_KEY else abort(400)
