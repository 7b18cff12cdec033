"""/agenda/espera: who waits for a time on a full day; staff take somebody off the list."""

from dataclasses import dataclass
from datetime import date
from itertools import groupby

from flask import Response, flash, make_response, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue

from bot.sending import fixed_texts, proactive
from bot.web.calendar import shared
from bot.web.calendar.shared import blueprint
from bot.web.shared import labels, request_context
from models import waitlist
from models.errors import Conflict
from models.pages import waitlist_page
from models.pages.waitlist_page import Waiter
from models.waitlist import OPEN, State

ENTRY = "/espera/<int(max=2147483647):entry_id>/tirar"
PERIODS = {"manha": "de manhã", "tarde": "à tarde", "noite": "à noite"}
UNSAID = {proactive.NO_TEMPLATE: fixed_texts.UNSAID_WITHOUT_TEMPLATE}


@dataclass(frozen=True)
class Line:
    """One entry in words. `book`: what the page that books is told of it."""

    id: int
    conversation_id: int | None
    customer: str
    what: str
    since: str
    offered: bool
    standing: str
    passed_over: str
    book: dict[str, object]


@blueprint.get("/espera")
def waiting_list() -> ResponseReturnValue:
    with request_context.services().db.reading() as session:
        found = waitlist_page.waiters(session, request_context.tenant_id())
    days = [(day, list(each)) for day, each in groupby(found, key=lambda waiter: waiter.date)]
    return render_template(
        "staff/calendar/waitlist.html",
        tenant=request_context.current_tenant(),
        count=len(found),
        days=[(day, _headline(day), [_line(waiter) for waiter in each]) for day, each in days],
    )


@blueprint.get(ENTRY)
def unlist_form(entry_id: int) -> ResponseReturnValue:
    return _page(entry_id)


@blueprint.post(ENTRY)
def unlist(entry_id: int) -> ResponseReturnValue:
    seen = request.form.get("estado", "")
    try:
        shared.receive(
            lambda desk: waitlist.remove(
                desk.session, desk.now, request_context.tenant_id(), entry_id, desk.staff_id, seen
            )
        )
    except Conflict:
        return _page(entry_id, changed=True)
    flash("Cliente fora da lista de espera.")
    return redirect(url_for("agenda.waiting_list"), 303)


def _page(entry_id: int, *, changed: bool = False) -> Response:
    """The question before it is done; of what is over, or has `changed`, how it stands now."""
    with request_context.services().db.reading() as session:
        found = waitlist_page.waiter(session, request_context.tenant_id(), entry_id)
    page = render_template(
        "staff/calendar/leave_waitlist.html",
        tenant=request_context.current_tenant(),
        problem=f"{_now(found)} Nada foi mudado." if changed else "",
        ended="" if found.state in OPEN else _now(found),
        line=_line(found),
        day=_headline(found.date),
        state=found.state,
        said=found.state == State.OFFERED and found.said,
    )
    return make_response(page, 409 if changed else 200)


def _now(waiter: Waiter) -> str:
    """What has become of an entry, in a sentence."""
    match waiter.state:
        case State.WAITING:
            return "Este cliente está aguardando, sem oferta."
        case State.OFFERED:
            return "Este cliente recebeu uma oferta enquanto a página estava aberta. Confira antes de tirar."
        case State.BOOKED:
            return "Este cliente já tem horário marcado nesse dia, e saiu da lista."
        case State.EXPIRED:
            return f"Esta espera já terminou: {waiter.reason}."
    return f"Este cliente já saiu da lista: {waiter.reason}."


def _line(waiter: Waiter) -> Line:
    offered = waiter.state == State.OFFERED
    return Line(
        id=waiter.id,
        conversation_id=waiter.conversation_id,
        customer=labels.person(waiter.customer, waiter.address),
        what=_what(waiter),
        since=shared.at(waiter.since),
        offered=offered,
        standing=_offer(waiter) if offered else "Aguardando",
        passed_over="" if offered or waiter.state not in OPEN else UNSAID.get(waiter.reason, waiter.reason),
        book=_booking(waiter),
    )


def _what(waiter: Waiter) -> str:
    """ "Corte feminino · com Ana Souza · à tarde" """
    who = f"com {waiter.professional}" if waiter.professional else "qualquer profissional"
    part = PERIODS[waiter.period] if waiter.period else "qualquer hora"
    return f"{waiter.service} · {who} · {part}"


def _offer(waiter: Waiter) -> str:
    """ "Oferta enviada (14:30 com Ana Souza), guardada até 11:00" """
    assert waiter.offered_start is not None
    assert waiter.offer_until is not None
    time = labels.clock(waiter.offered_start, shared.zone())
    sent = "Oferta enviada" if waiter.said else "Oferta saindo"
    held = "guardada até" if request_context.now() < waiter.offer_until else "vencida desde"
    until = labels.moment(waiter.offer_until, request_context.now(), shared.zone())
    return f"{sent} ({time} com {waiter.offered_professional}), {held} {until}"


def _booking(waiter: Waiter) -> dict[str, object]:
    """Of an offer its very time."""
    wish: dict[str, object] = {
        "cliente": waiter.customer_id,
        "servico": waiter.service_id,
        "dia": waiter.date,
        "prof": waiter.professional_id,
    }
    if waiter.state == State.OFFERED and waiter.offered_start is not None:
        wish["prof"] = waiter.offered_professional_id
        wish["hora"] = labels.clock(waiter.offered_start, shared.zone())
    return wish


def _headline(day: date) -> str:
    return labels.headline(day, shared.today())
