"""/agenda/<id>: one visit, and what staff do with it."""

import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from flask import Response, flash, make_response, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue
from sqlmodel import Session

from bot.core import sanitise
from bot.web.calendar import day_grid, free_times, shared, tell_customer
from bot.web.calendar.free_times import Choice
from bot.web.calendar.shared import VISIT, blueprint
from bot.web.shared import labels, request_context
from models import appointment, customer_search
from models.acts.visit_acts import CHANGES, REVERSIBLE, Action, Reception, markable
from models.appointment import AppointmentStatus
from models.customer_search import Client
from models.errors import Conflict, Refusal
from models.pages import calendar_page
from models.pages.calendar_page import Event, Visit

MAX_REASON = 200
MAX_KEY = 40


@dataclass(frozen=True)
class Card:
    """One visit with whom it is for and what was done with it."""

    visit: Visit
    client: Client
    story: list[Event]
    lost: str  # why it wants attention, in words; empty where it does not

    @property
    def told(self) -> bool:
        """Whether the customer knows of the last change."""
        said = [event.action for event in self.story if event.action in (*CHANGES, Action.TELL)]
        return said[-1:] == [Action.TELL]

    @property
    def last(self) -> str | None:
        """The last change."""
        return next((event.action for event in reversed(self.story) if event.action in CHANGES), None)


def card(session: Session, appointment_id: int) -> Card:
    """Raises NotFound("appointment")."""
    visit = calendar_page.visit(session, request_context.tenant_id(), appointment_id)
    waiting = calendar_page.attention(session, request_context.tenant_id(), request_context.now())
    return Card(
        visit=visit,
        client=customer_search.client(
            session, request_context.now(), request_context.tenant_id(), visit.customer_id
        ),
        story=calendar_page.story(session, request_context.tenant_id(), appointment_id),
        lost=next(
            (tell_customer.WHY[entry.why] for entry in waiting if entry.visit.id == appointment_id), ""
        ),
    )


@blueprint.get(VISIT)
def show(appointment_id: int) -> ResponseReturnValue:
    return _page(appointment_id, telling=request.args.get("avisar") == "1")


@blueprint.get(f"{VISIT}/remarcar")
def move_form(appointment_id: int) -> ResponseReturnValue:
    return _move_page(appointment_id, Choice.of(request.args))


@blueprint.post(f"{VISIT}/remarcar")
def move(appointment_id: int) -> ResponseReturnValue:
    choice = Choice.of(request.form)
    start = choice.start()
    if start is None or choice.professional_id is None:
        return _move_page(appointment_id, choice, problem=choice.missing(), status=422)

    def act(desk: Reception) -> bool:
        assert choice.professional_id is not None
        moved = desk.move(appointment_id, _state(), choice.professional_id, start, choice.leave)
        return moved.unchanged

    try:
        unchanged = shared.receive(act)
    except Refusal as refused:
        return _move_page(appointment_id, choice, refused=refused, status=422)
    except Conflict:
        return _page(appointment_id, problem=tell_customer.changed(), status=409)
    flash("O horário já era este." if unchanged else "Horário remarcado.")
    return _to(appointment_id, telling=not unchanged)


@blueprint.get(f"{VISIT}/cancelar")
def cancel_form(appointment_id: int) -> ResponseReturnValue:
    return _cancel_page(appointment_id)


@blueprint.post(f"{VISIT}/cancelar")
def cancel(appointment_id: int) -> ResponseReturnValue:
    """With the text in the same transaction: who is to be told is not cancelled in silence."""
    said = _text() if "avisar" in request.form else ""
    if "avisar" in request.form and not said:
        return _cancel_page(
            appointment_id, problem="Escreva o aviso, ou desmarque a opção de avisar.", status=422
        )

    def act(desk: Reception) -> bool:
        done = desk.cancel(appointment_id, _state(), shared.line(request.form.get("motivo", ""), MAX_REASON))
        if said and not done.already_cancelled:
            desk.tell(appointment_id, said, _key())
        return done.already_cancelled

    try:
        already = shared.receive(act)
    except Refusal as refused:
        return _cancel_page(appointment_id, problem=tell_customer.refusal(refused, ""), status=422)
    except Conflict:
        return _page(appointment_id, problem=tell_customer.changed(), status=409)
    request_context.services().wake_outbox.set()
    told = " O aviso está na fila de envio." if said else ""
    flash("Este horário já estava cancelado." if already else f"Horário cancelado.{told}")
    return _to(appointment_id)


@blueprint.post(f"{VISIT}/veio")
def came(appointment_id: int) -> ResponseReturnValue:
    return _mark(appointment_id, AppointmentStatus.DONE, "Marcado como atendido.")


@blueprint.post(f"{VISIT}/faltou")
def missed(appointment_id: int) -> ResponseReturnValue:
    return _mark(appointment_id, AppointmentStatus.NO_SHOW, "Marcado como falta.")


def _mark(appointment_id: int, status: AppointmentStatus, said: str) -> ResponseReturnValue:
    return _act(appointment_id, lambda desk: desk.mark(appointment_id, _state(), status), said)


@blueprint.post(f"{VISIT}/desfazer")
def undo(appointment_id: int) -> ResponseReturnValue:
    return _act(
        appointment_id, lambda desk: desk.undo(appointment_id, _state()), "Mudança desfeita.", telling=True
    )


@blueprint.post(f"{VISIT}/manter")
def keep(appointment_id: int) -> ResponseReturnValue:
    return _act(
        appointment_id,
        lambda desk: desk.keep(appointment_id),
        "O horário continua como está, e saiu da lista de atenção.",
        telling=True,
    )


@blueprint.post(f"{VISIT}/avisar")
def tell(appointment_id: int) -> ResponseReturnValue:
    text = _text()
    if not text:
        return _page(appointment_id, problem="Escreva o aviso antes de enviar.", telling=True, status=422)
    key = _key()
    answer = _act(
        appointment_id, lambda desk: desk.tell(appointment_id, text, key), "O aviso está na fila de envio."
    )
    request_context.services().wake_outbox.set()
    return answer


def _act(
    appointment_id: int, work: Callable[[Reception], object], said: str, *, telling: bool = False
) -> ResponseReturnValue:
    """Do it, and lead back to the visit; what stops it is said there."""
    try:
        shared.receive(work)
    except Refusal as refused:
        with request_context.services().db.reading() as session:
            visit = calendar_page.visit(session, request_context.tenant_id(), appointment_id)
            problem = tell_customer.refusal(refused, visit.professional, shared.in_the_way(session, refused))
        return _page(appointment_id, problem=problem, status=422)
    except Conflict:
        return _page(appointment_id, problem=tell_customer.changed(), status=409)
    flash(said)
    return _to(appointment_id, telling=telling)


def _to(appointment_id: int, *, telling: bool = False) -> ResponseReturnValue:
    told = "1" if telling else None
    return redirect(url_for("agenda.show", appointment_id=appointment_id, avisar=told), 303)


def _state() -> str:
    return request.form.get("estado", "")[:40]


def _text() -> str:
    return sanitise.text(request.form.get("aviso", ""), tell_customer.MAX_TEXT).strip()


def _key() -> str:
    key = request.form.get("chave", "")
    fit = key.isascii() and key.isprintable() and 0 < len(key) <= MAX_KEY
    return key if fit else secrets.token_urlsafe(12)


def _page(appointment_id: int, *, problem: str = "", telling: bool = False, status: int = 200) -> Response:
    with request_context.services().db.reading() as session:
        found = card(session, appointment_id)
    page = render_template(
        "staff/calendar/visit.html",
        problem=problem,
        telling=telling,
        story=[
            (shared.at(event.at), event.staff or "Assistente", tell_customer.told(event, shared.zone()))
            for event in found.story
        ],
        **_shared(found),
    )
    return make_response(page, status)


def _shared(found: Card) -> dict[str, object]:
    """What every page about a visit is given: words, never rows."""
    visit, client = found.visit, found.client
    day = visit.starts_at.astimezone(shared.zone()).date()
    booked = visit.status == AppointmentStatus.BOOKED
    return {
        "tenant": request_context.current_tenant(),
        "id": visit.id,
        "state": visit.state,
        "customer": labels.person(visit.customer, client.address),
        "phone": labels.phone(client.address) if client.address else "",
        "call": _call(client.address),
        "conversation_id": client.conversation_id,
        "what": " + ".join(visit.services),
        "professional": visit.professional,
        "professional_id": visit.professional_id,
        "when": shared.when(visit.starts_at),
        "until": labels.clock(visit.ends_at, shared.zone()),
        "day": day,
        "status": day_grid.STATUS[AppointmentStatus(visit.status)],
        "squeezed": visit.squeeze_in,
        "confirmed": visit.confirmed and booked,
        "reason": visit.cancel_reason,
        "lost": found.lost,
        "booked": booked,
        "may_mark": markable(visit.starts_at, request_context.now(), shared.zone()) if booked else (),
        "reverse": tell_customer.REVERSES.get(Action(found.last)) if found.last in REVERSIBLE else None,
        "reachable": client.reachable,
        "forgotten": client.forgotten,
        "opted_out": client.opted_out,
        "told": found.told,
        "text": _text() or ("" if found.told else tell_customer.text(found.last, visit, shared.zone())),
        "max_text": tell_customer.MAX_TEXT,
        "key": secrets.token_urlsafe(12),
    }


def _call(address: str) -> str:
    """The number for a link that dials it; empty where there is none."""
    number = address.removeprefix("whatsapp:")
    return number if number.startswith("+") and number[1:].isdigit() else ""


def _cancel_page(appointment_id: int, *, problem: str = "", status: int = 200) -> Response:
    with request_context.services().db.reading() as session:
        found = card(session, appointment_id)
    values = _shared(found)
    if not _text():
        values["text"] = tell_customer.farewell(found.visit, shared.zone())
    page = render_template(
        "staff/calendar/cancel.html",
        problem=problem,
        telling=request.method == "GET" or "avisar" in request.form,
        written=shared.line(request.form.get("motivo", ""), MAX_REASON),
        max_reason=MAX_REASON,
        **values,
    )
    return make_response(page, status)


def _move_page(
    appointment_id: int,
    choice: Choice,
    *,
    problem: str = "",
    refused: Refusal | None = None,
    status: int = 200,
) -> Response:
    with request_context.services().db.reading() as session:
        found = card(session, appointment_id)
        visit = found.visit
        row = appointment.own(session, request_context.tenant_id(), visit.customer_id, appointment_id)
        span = appointment.booked_span(session, row)
        asked = choice.over(visit.professional_id, visit.starts_at.astimezone(shared.zone()).date())
        offered = free_times.offered(session, visit.service_ids, asked, span, without=appointment_id)
        if refused is not None:
            names = offered.names | {visit.professional_id: visit.professional}
            who = names.get(asked.professional_id or 0, "o profissional")
            problem = tell_customer.refusal(refused, who, shared.in_the_way(session, refused))
    page = render_template(
        "staff/calendar/move.html",
        problem=problem,
        choice=asked,
        offered=offered,
        needs=free_times.needs(refused, choice),
        **_shared(found),
    )
    return make_response(page, status)


def listed(found: Sequence[Visit]) -> list[tuple[int, str, str]]:
    """Visits as a short list: (id, when, who and what)."""
    return [(each.id, shared.when(each.starts_at), _who(each)) for each in found]


def _who(visit: Visit) -> str:
    customer = labels.person(visit.customer, visit.address)
    return f"{customer} · {' + '.join(visit.services)} com {visit.professional}"
