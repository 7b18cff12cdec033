"""Some life for the demo's businesses: what customers wrote and booked in the last days, so to speak.

It goes the real way, with the clock set back: the message comes in, the offline model answers, the outbox
sends.
"""

import secrets
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from sqlmodel import Session

from bot.answering import turn
from bot.core.services import Services
from bot.llm.rule_based import OfflineModel
from bot.sending import outbox
from bot.whatsapp.base import Sent
from models import alternatives, appointment, catalog, conversation, customer, message
from models.acts import conversation_acts
from models.appointment import AppointmentStatus
from models.db import Database
from models.message import Incoming, Status
from models.tenant import Tenant


@dataclass(frozen=True)
class Visit:
    """An appointment near an hour of a day, counted from today; of the past it has been kept."""

    customer: str
    address: str
    service: str
    days: int
    hour: int


@dataclass(frozen=True)
class Said:
    """What a customer wrote, so many minutes ago; with `answer`, what staff replied a few minutes later.

    Where nobody was there to answer, it was earlier.
    """

    customer: str
    address: str
    text: str
    minutes: int
    answer: str = ""


VISITS = {
    "studio-bela": (
        Visit("Camila Torres", "whatsapp:+5511900000011", "Corte feminino", -6, 10),
        Visit("Beatriz Ramos", "whatsapp:+5511900000012", "Manicure", -2, 14),
        Visit("Letícia Nunes", "whatsapp:+5511900000013", "Escova", 0, 11),
        Visit("Rosana Prado", "whatsapp:+5511900000014", "Manicure", 0, 15),
        Visit("Helena Couto", "whatsapp:+5511900000015", "Corte feminino", 0, 14),
        Visit("Beatriz Ramos", "whatsapp:+5511900000012", "Hidratação", 0, 17),
        Visit("Camila Torres", "whatsapp:+5511900000011", "Hidratação", 1, 9),
        Visit("Letícia Nunes", "whatsapp:+5511900000013", "Coloração", 1, 11),
        Visit("Rosana Prado", "whatsapp:+5511900000014", "Corte feminino", 2, 16),
    ),
    "barbearia-rio-negro": (
        Visit("Paulo Mendes", "whatsapp:+5592900000021", "Corte masculino", -4, 17),
        Visit("Caio Duarte", "whatsapp:+5592900000022", "Corte e barba", 0, 16),
        Visit("Paulo Mendes", "whatsapp:+5592900000021", "Barba", 1, 18),
        Visit("Ivan Castro", "whatsapp:+5592900000023", "Corte masculino", 1, 11),
    ),
}
SAID = {
    "studio-bela": (
        Said("Letícia Nunes", "whatsapp:+5511900000013", "Oi, quais são os serviços?", 260),
        Said(
            "Camila Torres",
            "whatsapp:+5511900000011",
            "Quero falar com uma pessoa",
            190,
            "Oi, Camila! Aqui é a Patrícia. Pode trazer a sua filha, sim: temos um cantinho com brinquedos.",
        ),
        Said("Beatriz Ramos", "whatsapp:+5511900000012", "Quero falar com uma pessoa", 24),
    ),
    "barbearia-rio-negro": (
        Said("Paulo Mendes", "whatsapp:+5592900000021", "Oi, quais são os serviços?", 150),
        Said("Ivan Castro", "whatsapp:+5592900000023", "Quero falar com uma pessoa", 9),
    ),
}
NOTE = "Pedido resolvido pela equipe."
REPLY_AFTER = timedelta(minutes=6)


def begin(services: Services, tenant: Tenant, staff_id: int) -> None:
    """Customers, appointments before and after now, a conversation that was answered and one that waits.

    For a business of the samples that has no customers yet; no worker may be running.
    """
    now = services.now()
    with services.db.writing() as session:
        for visit in VISITS[tenant.slug]:
            _book(session, now, tenant, visit)
    for said in SAID[tenant.slug]:
        _talk(services, tenant, said, staff_id)


def _book(session: Session, now: datetime, tenant: Tenant, visit: Visit) -> None:
    """At the free start that is nearest, made a few days before."""
    assert tenant.id is not None
    day = now.astimezone(tenant.zone).date() + timedelta(days=visit.days)
    then = now - timedelta(days=3 + max(-visit.days, 0))
    customer_id = customer.find_or_create(session, then, tenant.id, [visit.address], visit.customer)
    offer = next(offer for offer in catalog.offers(session, tenant.id) if offer.name == visit.service)
    who = [professional_id for professional_id, _name in offer.professionals]
    span = appointment.span_of([offer])
    start = alternatives.near(session, then, tenant, who, span, day, visit.hour * 60)[0]
    booked = appointment.book(
        session, then, tenant, customer_id, start.professional_id, [offer.id], start.starts_at, "bot"
    ).appointment
    if booked.ends_at <= now:
        booked.status = AppointmentStatus.DONE


def _talk(services: Services, tenant: Tenant, said: Said, staff_id: int) -> None:
    assert tenant.id is not None
    at = services.now() - timedelta(minutes=said.minutes)
    if said.answer:
        at = _attended(tenant, at)
    then = replace(services, now=lambda: at, model=OfflineModel, sender_for=lambda _tenant_id: _Phone())
    words = Incoming(tenant.id, (said.address,), _sid(), text=said.text, profile_name=said.customer)
    conversation_id = message.receive(services.db, words, at, timedelta(0)).conversation_id
    turn.take_turn(then)
    if said.answer:
        _answer(services.db, at + REPLY_AFTER, tenant.id, conversation_id, staff_id, said.answer)
    then = replace(then, now=lambda: at + REPLY_AFTER)
    while outbox.send_next(then, conversation_id):
        pass


def _attended(tenant: Tenant, at: datetime) -> datetime:
    """The same, or so many hours earlier that people were there to answer: staff do not work at night."""
    while tenant.handoff_hours and not all(
        tenant.next_attendance(moment) == moment for moment in (at, at + REPLY_AFTER)
    ):
        at -= timedelta(hours=1)
    return at


def _answer(
    db: Database, at: datetime, tenant_id: int, conversation_id: int, staff_id: int, words: str
) -> None:
    """Staff reply and give the conversation back."""
    with db.writing() as session:
        last = conversation.find(session, tenant_id, conversation_id).last_seq
        conversation_acts.reply(
            session,
            at,
            tenant_id,
            conversation_id,
            staff_id,
            text=words,
            last_seen_seq=last,
            client_key=_sid(),
        )
        conversation_acts.give_back(session, at, tenant_id, conversation_id, staff_id, note=NOTE)


def _sid() -> str:
    return f"SM{secrets.token_hex(16)}"


class _Phone:
    """Takes every message and reads it at once."""

    def send(self, *_what: object, **_how: object) -> Sent:
        return Sent(_sid(), Status.READ)

    def find(self, *_what: object, **_how: object) -> Sent | None:
        return None
