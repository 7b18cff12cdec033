"""/agenda/novo: book for a customer who stands at the desk or telephones."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import phonenumbers
from flask import Response, flash, make_response, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue
from sqlmodel import Session
from werkzeug.datastructures import MultiDict

from bot.web.calendar import day_grid, free_times, shared, tell_customer
from bot.web.calendar.free_times import Choice, Offered
from bot.web.calendar.shared import blueprint
from bot.web.shared import labels, request_context
from models import appointment, catalog, customer_search, folding
from models.acts.visit_acts import Reception
from models.catalog import Offer
from models.customer_search import Client, Known
from models.errors import NotFound, Refusal
from models.pages import calendar_page
from tools import portuguese

MAX_SERVICES = 5
MAX_NAME = 120
MAX_PHONE = 40
MAX_SEARCH = 80


@dataclass(frozen=True)
class Wish:
    """What the form says. `customer_id` None: a new customer of this name and phone, or nobody yet."""

    customer_id: int | None
    search: str
    name: str
    phone: str
    service_ids: tuple[int, ...]
    choice: Choice

    @classmethod
    def of(cls, values: MultiDict[str, str]) -> "Wish":
        keys = [shared.id_of(text) for text in values.getlist("servico")]
        return cls(
            customer_id=shared.id_of(values.get("cliente", "")),
            search=shared.line(values.get("busca", ""), MAX_SEARCH),
            name=shared.line(values.get("nome", ""), MAX_NAME),
            phone=shared.line(values.get("telefone", ""), MAX_PHONE),
            service_ids=tuple(dict.fromkeys(key for key in keys if key is not None)),
            choice=Choice.of(values),
        )

    @property
    def address(self) -> str | None:
        """The new customer's address, as WhatsApp writes it; "" without a phone, None for what is none."""
        if not self.phone:
            return ""
        try:
            number = phonenumbers.parse(self.phone, "BR")
        except phonenumbers.NumberParseException:
            return None
        if not phonenumbers.is_possible_number(number):
            return None
        return f"whatsapp:{phonenumbers.format_number(number, phonenumbers.PhoneNumberFormat.E164)}"

    def problem(self) -> str:
        """What is missing before it can be booked; empty if nothing is."""
        if self.customer_id is None and not folding.folded(self.name):
            return "Escolha um cliente, ou escreva o nome do novo."
        if self.customer_id is None and self.address is None:
            return "Este telefone não parece completo. Escreva com DDD, ou deixe em branco."
        if not self.service_ids:
            return "Escolha o serviço."
        if len(self.service_ids) > MAX_SERVICES:
            return f"São no máximo {MAX_SERVICES} serviços por visita."
        if self.choice.start() is None or self.choice.professional_id is None:
            return self.choice.missing()
        return ""


@blueprint.get("/novo")
def book_form() -> ResponseReturnValue:
    wish = Wish.of(request.args)
    asks_for_times = "ver" in request.args and not wish.service_ids
    return _page(wish, problem="Escolha o serviço." if asks_for_times else "")


@blueprint.post("/novo")
def book() -> ResponseReturnValue:
    wish = Wish.of(request.form)
    problem = wish.problem()
    if problem:
        return _page(wish, problem=problem, status=422)
    try:
        key, existed = shared.receive(lambda desk: _book(desk, wish))
    except Refusal as refused:
        return _page(wish, refused=refused, status=422)
    except Known as known:
        wish = replace(wish, customer_id=known.customer_id)
        problem = "Este telefone já é deste cliente. Se for a mesma pessoa, é só confirmar."
        return _page(wish, problem=problem, status=422)
    except NotFound:
        problem = "O cliente, o serviço ou o profissional não existe mais. Escolha de novo."
        return _page(replace(wish, customer_id=None), problem=problem, status=422)
    flash("Este horário já está marcado." if existed else "Horário marcado.")
    told = None if existed else "1"
    return redirect(url_for("agenda.show", appointment_id=key, avisar=told), 303)


def _book(desk: Reception, wish: Wish) -> tuple[int, bool]:
    """The appointment, and whether it was there before."""
    start, who = wish.choice.start(), wish.choice.professional_id
    assert start is not None
    assert who is not None
    if wish.customer_id is None and not wish.phone:
        twin = customer_search.standing(desk.session, request_context.tenant_id(), wish.name, who, start)
        if twin is not None:
            return twin, True
    try:
        customer_id = wish.customer_id or customer_search.register(
            desk.session, desk.now, request_context.tenant_id(), wish.name, wish.address or ""
        )
    except Known as known:
        if not _is_sent_twice(desk, wish, known.customer_id):
            raise
        customer_id = known.customer_id
    booked = desk.book(customer_id, who, wish.service_ids, start, wish.choice.leave)
    assert booked.appointment.id is not None
    return booked.appointment.id, booked.already_existed


def _is_sent_twice(desk: Reception, wish: Wish, customer_id: int) -> bool:
    """Whether the customer of this phone is the new one, by name and with the very visit of the form."""
    start, who = wish.choice.start(), wish.choice.professional_id
    assert start is not None
    assert who is not None
    tenant_id = request_context.tenant_id()
    known = customer_search.client(desk.session, desk.now, tenant_id, customer_id)
    visit = appointment.same_visit(desk.session, tenant_id, customer_id, who, wish.service_ids, start)
    return visit is not None and folding.folded(known.name) == folding.folded(wish.name)


def _page(wish: Wish, *, problem: str = "", refused: Refusal | None = None, status: int = 200) -> Response:
    with request_context.services().db.reading() as session:
        client = _client(session, wish)
        offers = catalog.offers(session, request_context.tenant_id())
        people = calendar_page.professionals(session, request_context.tenant_id())
        found = (
            customer_search.search(session, request_context.tenant_id(), wish.search) if wish.search else []
        )
        choice = wish.choice.over(None, shared.today())
        services = [offer for offer in offers if offer.id in wish.service_ids]
        offered = _offered(session, wish, choice, services)
        if refused is not None:
            who = people.get(choice.professional_id or 0, "o profissional")
            problem = tell_customer.refusal(refused, who, shared.in_the_way(session, refused))
    page = render_template(
        "staff/calendar/new_visit.html",
        tenant=request_context.current_tenant(),
        problem=problem,
        wish=wish,
        choice=choice,
        client=client,
        client_name=labels.person(client.name, client.address) if client else "",
        client_phone=labels.phone(client.address) if client and client.address else "",
        found=[(key, labels.person(name, address), _phone(address)) for key, name, address in found],
        services=_listed(offers, choice, wish),
        chosen=services,
        people=people,
        offered=offered,
        needs=free_times.needs(refused, choice),
        **_limits(),
    )
    return make_response(page, status)


def _limits() -> dict[str, int]:
    return {"max_name": MAX_NAME, "max_phone": MAX_PHONE, "max_search": MAX_SEARCH}


def _client(session: Session, wish: Wish) -> Client | None:
    """Whom it is for; a foreign customer is as good as none, and so is one who was forgotten."""
    if wish.customer_id is None:
        return None
    try:
        found = customer_search.client(
            session, request_context.now(), request_context.tenant_id(), wish.customer_id
        )
    except NotFound:
        return None
    return None if found.forgotten else found


def _offered(session: Session, wish: Wish, choice: Choice, services: Sequence[Offer]) -> Offered | None:
    """The free times, once it is known what is to be done."""
    by_id: Mapping[int, Offer] = {offer.id: offer for offer in services}
    if not by_id or by_id.keys() != set(wish.service_ids) or len(by_id) > MAX_SERVICES:
        return None
    span = appointment.span_of([by_id[key] for key in wish.service_ids])
    return free_times.offered(session, wish.service_ids, choice, span)


def _listed(offers: Sequence[Offer], choice: Choice, wish: Wish) -> list[tuple[int, str, bool]]:
    """The services that can be chosen: (id, words, chosen); of one professional, only theirs."""
    return [
        (offer.id, _told(offer), offer.id in wish.service_ids)
        for offer in offers
        if offer.professionals
        and (
            choice.professional_id is None
            or offer.id in wish.service_ids
            or any(key == choice.professional_id for key, _ in offer.professionals)
        )
    ]


def _told(offer: Offer) -> str:
    """ "Corte feminino · 1 h · R$ 120,00" """
    return (
        f"{offer.name} · {day_grid.length_of(offer.duration_minutes)} · {portuguese.price(offer.price_cents)}"
    )


def _phone(address: str) -> str:
    return labels.phone(address) if address else ""
