"""Offers of the waiting list: a time that has opened goes to the first in line who can take it."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta

import structlog
from sqlmodel import Session, col, select

from bot.core.services import Services
from bot.intents.choices import Choice
from bot.sending import fixed_texts, proactive
from bot.sending.proactive import Notice
from models import appointment, availability, catalog, conversation, quiet_hours, waitlist
from models.availability import Agenda, Busy
from models.catalog import Offer
from models.conversation import Conversation, Holder
from models.customer import Customer
from models.errors import Alternative
from models.tenant import Tenant
from models.waitlist import State, WaitlistEntry
from tools.argument_types import PERIODS

log = structlog.get_logger()

# Their words say it all: the context of the turn tells what is offered.
TAKE_IT = (Choice("want", "Quero"), Choice("pass", "Não quero"))


def offer_freed(services: Services, now: datetime) -> None:
    """Offer what has opened, and end what is over. Safe to run twice, also in two workers at once.

    A time is not kept from others by its offer: whoever asks for it by themselves may book it.
    """
    with services.db.reading() as session:
        businesses = waitlist.businesses(session)
    for tenant_id in businesses:
        try:
            _serve(services, now, tenant_id)
        except Exception:  # one business must not hold up the others
            log.exception("waitlist_broken", tenant_id=tenant_id)


def _serve(services: Services, now: datetime, tenant_id: int) -> None:
    hold = timedelta(minutes=services.settings.waitlist_hold_minutes)
    with services.db.writing() as session:
        tenant = session.get_one(Tenant, tenant_id)
        waitlist.expire(session, now, tenant_id, now.astimezone(tenant.zone).date())
    if tenant.disabled_at is not None or quiet_hours.is_night(tenant.zone, now):
        return
    while _serve_one(services, now, tenant_id, hold):
        services.wake_outbox.set()


def _serve_one(services: Services, now: datetime, tenant_id: int, hold: timedelta) -> bool:
    """One change to the line; False if there is nothing to do, or another worker is at it."""
    with services.db.reading() as session:
        if _Board(session, now, session.get_one(Tenant, tenant_id), hold).next_step() is None:
            return False
    with services.db.writing() as session:
        tenant = _locked(session, tenant_id)
        if tenant is None:
            return False
        board = _Board(session, now, tenant, hold)
        step = board.next_step()
        return step is not None and board.take(step)


def _locked(session: Session, tenant_id: int) -> Tenant | None:
    """The business, locked against other workers (and imports); None if one of them has it."""
    query = select(Tenant).where(col(Tenant.id) == tenant_id)
    return session.exec(query.with_for_update(key_share=True, skip_locked=True)).first()


@dataclass(frozen=True)
class _Offering:
    """This time for this entry, by this line."""

    entry_id: int
    found: Alternative
    row: Conversation
    notice: Notice


@dataclass(frozen=True)
class _Passing:
    """The entry keeps its place, but could not be told of this time; why, and in whose conversation."""

    entry_id: int
    reason: str
    start: datetime
    row: Conversation


@dataclass(frozen=True)
class _Ending:
    """Nothing can be offered to the entry any more; why."""

    entry_id: int
    reason: str


_Step = _Offering | _Passing | _Ending


class _Board:
    """The line of one business, and what is free for it, as one transaction sees it."""

    def __init__(self, session: Session, now: datetime, tenant: Tenant, hold: timedelta) -> None:
        assert tenant.id is not None
        self._session = session
        self._now = now
        self._tenant = tenant
        self._tenant_id = tenant.id
        self._until = now + hold
        self._rules = catalog.rules(tenant)
        self._offers = waitlist.offered(session, self._tenant_id)
        self._held = self._holds()
        self._agendas: dict[tuple[int, date], Mapping[int, Agenda]] = {}

    def next_step(self) -> _Step | None:
        """What is to be done for the first in line for whom something is."""
        for entry in waitlist.line(self._session, self._tenant_id):
            step = self._step(entry)
            if step is not None:
                return step
        return None

    def take(self, step: _Step) -> bool:
        """Do it; False if the entry has changed meanwhile."""
        session = self._session
        match step:
            case _Ending(entry_id, reason):
                waitlist.close(session, entry_id, State.CANCELLED, reason)
            case _Passing(entry_id, reason, start, row):
                waitlist.pass_over(session, entry_id, reason)
                text = fixed_texts.unsaid(
                    fixed_texts.OFFER, self._tenant, start, fixed_texts.UNSAID_WITHOUT_TEMPLATE
                )
                proactive.tell_staff(session, self._now, row, text)
            case _Offering(entry_id, found, row, notice):
                who, start = found.professional_id, found.starts_at
                if not waitlist.offer(session, entry_id, who, start, self._until):
                    return False
                waitlist.queued(session, entry_id, proactive.queue(session, self._now, row, notice))
                log.info("waitlist_offered", entry=entry_id, tenant_id=self._tenant_id)
        return True

    def _step(self, entry: WaitlistEntry) -> _Step | None:
        assert entry.id is not None
        services = catalog.chosen(self._session, self._tenant_id, [entry.service_id])
        if services is None:
            return _Ending(entry.id, "o serviço não é mais oferecido")
        who = self._session.get_one(Customer, entry.customer_id)
        if who.opted_out_at is not None:
            return _Ending(entry.id, "o cliente não quer mensagens")
        found = self._first_free(entry, services[0])
        row = conversation.of_customer(self._session, self._tenant_id, entry.customer_id)
        if found is None or row is None or self._is_busy(row, entry):
            return None
        notice = self._notice(services[0], found, who)
        if proactive.has_way(row, notice, self._now):
            return _Offering(entry.id, found, row, notice)
        if entry.reason == proactive.NO_TEMPLATE:
            return None
        return _Passing(entry.id, proactive.NO_TEMPLATE, found.starts_at, row)

    def _is_busy(self, row: Conversation, entry: WaitlistEntry) -> bool:
        """Whether this is no time for an offer: people speak with the customer, who has one already, or could
        not take it.
        """
        if row.holder != Holder.BOT or any(one.customer_id == entry.customer_id for one in self._offers):
            return True
        ahead = appointment.upcoming(self._session, self._tenant_id, entry.customer_id, self._now)
        return len(ahead) >= self._tenant.max_open_appointments

    def _first_free(self, entry: WaitlistEntry, service: Offer) -> Alternative | None:
        """The earliest start that fits, and can still be booked when the offer ends."""
        part = PERIODS[entry.period] if entry.period else availability.WHOLE_DAY
        span = appointment.span_of([service])
        free = [
            Alternative(who, start)
            for who, agenda in self._agendas_of(service, entry.date).items()
            if entry.professional_id in (None, who)
            for start in availability.slots(self._rules, agenda, span, entry.date, self._until, part)
        ]
        return min(free, key=lambda one: (one.starts_at, one.professional_id), default=None)

    def _agendas_of(self, service: Offer, day: date) -> Mapping[int, Agenda]:
        """Of all who do it, with what is held for others as taken."""
        key = (service.id, day)
        if key not in self._agendas:
            names = catalog.offering(self._session, self._tenant_id, [service.id])
            span = appointment.span_of([service])
            loaded = appointment.agendas(self._session, self._tenant, names, span, day, day)
            self._agendas[key] = {
                who: replace(agenda, busy=(*agenda.busy, *self._held.get(who, ())))
                for who, agenda in loaded.items()
            }
        return self._agendas[key]

    def _holds(self) -> Mapping[int, tuple[Busy, ...]]:
        """By professional, the times that others were offered."""
        held: dict[int, tuple[Busy, ...]] = {}
        for entry in self._offers:
            who, start = entry.offered_professional_id, entry.offered_start
            services = catalog.chosen(self._session, self._tenant_id, [entry.service_id])
            if who is None or start is None or services is None:
                continue
            span = appointment.span_of(services)
            ends = start + timedelta(minutes=span.minutes + span.after_minutes)
            begins = start - timedelta(minutes=span.before_minutes)
            held[who] = (*held.get(who, ()), Busy(begins, ends))
        return held

    def _notice(self, service: Offer, found: Alternative, who: Customer) -> Notice:
        tenant, name = self._tenant, fixed_texts.first_name(who.name)
        professional = catalog.professional_name(self._session, self._tenant_id, found.professional_id)
        what = f"{service.name} com {professional}"
        when = fixed_texts.when(tenant, found.starts_at, self._now)
        ends = f"{self._until.astimezone(tenant.zone):%H:%M}"
        return Notice(
            text=fixed_texts.offer(
                tenant, name, what=what, start=found.starts_at, until=self._until, now=self._now
            ),
            content=proactive.content(tenant.template_waitlist_offer, name, when, what, ends),
            send_before=self._until,
            taps=TAKE_IT,
        )
