"""Reminders: what is due is said, once, as it is true at that moment."""

from dataclasses import dataclass
from datetime import datetime, timedelta

import structlog
from sqlalchemy.exc import SQLAlchemyError
from sqlmodel import Session

from bot.core.services import Services
from bot.intents import reminder_buttons
from bot.sending import fixed_texts, proactive
from bot.sending.proactive import Notice
from models import appointment, conversation, customer, erasure, quiet_hours, reminder
from models.appointment import Appointment, AppointmentStatus
from models.conversation import Conversation
from models.customer import Customer
from models.reminder import LEAST, Claimed, State
from models.tenant import Tenant

log = structlog.get_logger()

# What is due shortly before the night may come out shortly after its beginning.
GRACE = timedelta(minutes=5)


@dataclass(frozen=True)
class Wait:
    """Not now: at `until`."""

    until: datetime


@dataclass(frozen=True)
class Drop:
    """Not at all."""

    state: State
    reason: str = ""


def send_due(services: Services, now: datetime) -> None:
    """Queue every reminder that is due. Safe to run twice, also at the same moment in two workers."""
    with services.db.writing() as session:
        reminder.revive(session, now)
    count = 0
    while _send_one(services, now):
        count += 1
    if count:
        services.wake_outbox.set()


def _send_one(services: Services, now: datetime) -> bool:
    """See to the reminder that is due longest; says whether there was one.

    It is claimed and its line is queued in one transaction: there is no moment between the two.
    """
    claimed = None
    try:
        with services.db.writing() as session:
            claimed = reminder.claim(session, now)
            if claimed is None:
                return False
            outcome = _say(session, now, claimed)
    except SQLAlchemyError:
        raise  # the database's affair: nothing happened, the next tick tries again
    except Exception:  # a bug over one reminder must not hold up all others
        if claimed is None:
            raise
        log.exception("reminder_broken", reminder=claimed.id, tenant_id=claimed.tenant_id)
        with services.db.writing() as session:
            reminder.close(session, claimed, State.FAILED, "erro interno")
            visit = session.get_one(Appointment, claimed.appointment_id)
            row = conversation.of_customer(session, claimed.tenant_id, visit.customer_id)
            _tell_staff(session, now, row, visit, fixed_texts.UNSAID_BY_FAULT)
        return True
    log.info("reminder_settled", reminder=claimed.id, tenant_id=claimed.tenant_id, outcome=outcome)
    return True


def _say(session: Session, now: datetime, mine: Claimed) -> str:
    """Queue the line, unless something speaks against it; gives what became of it, for the log."""
    tenant = session.get_one(Tenant, mine.tenant_id)
    visit = session.get_one(Appointment, mine.appointment_id)
    match _against(session, now, mine, tenant, visit):
        case Wait(until):
            reminder.postpone(session, mine, until)
            return "postponed"
        case Drop(state, reason):
            reminder.close(session, mine, state, reason)
            return str(state)
    row = _conversation(session, now, mine.tenant_id, visit.customer_id)
    notice = _notice(session, now, tenant, visit)
    if row is None or not proactive.has_way(row, notice, now):
        reason = proactive.NO_TEMPLATE if row is not None else proactive.NO_ADDRESS
        reminder.close(session, mine, State.FAILED, reason)
        _tell_staff(session, now, row, visit, fixed_texts.UNSAID_WITHOUT_TEMPLATE)
        return str(State.FAILED)
    reminder.queued(session, mine, proactive.queue(session, now, row, notice))
    return str(State.SENT)


def _tell_staff(
    session: Session, now: datetime, row: Conversation | None, visit: Appointment, why: str
) -> None:
    """Where there is a conversation to note it in; else the list of what failed alone tells it."""
    if row is not None:
        tenant = session.get_one(Tenant, visit.tenant_id)
        proactive.tell_staff(
            session, now, row, fixed_texts.unsaid(fixed_texts.REMINDER, tenant, visit.starts_at, why)
        )


def _against(
    session: Session, now: datetime, mine: Claimed, tenant: Tenant, visit: Appointment
) -> Wait | Drop | None:
    """What speaks against saying it now; None: nothing."""
    gone = visit.status != AppointmentStatus.BOOKED or visit.schedule_version != mine.version
    if gone or visit.starts_at <= now:
        return Drop(State.OBSOLETE)
    if tenant.disabled_at is not None:
        return Drop(State.SKIPPED, "atendimento desligado")
    if visit.starts_at - now <= LEAST:
        return Drop(State.SKIPPED, "tarde demais")
    if reminder.is_overtaken(session, mine, now):
        return Drop(State.SKIPPED, "o lembrete seguinte já era devido")
    if customer.is_forgotten(session, mine.tenant_id, visit.customer_id):
        return Drop(State.SKIPPED, erasure.ERASED)
    if session.get_one(Customer, visit.customer_id).opted_out_at is not None:
        return Drop(State.SKIPPED, "o cliente não quer mensagens")
    if quiet_hours.is_night(tenant.zone, now) and now - mine.due_at > GRACE:
        return _tomorrow(tenant, visit, now)
    return None


def _tomorrow(tenant: Tenant, visit: Appointment, now: datetime) -> Wait | Drop:
    morning = quiet_hours.morning(tenant.zone, now)
    return Wait(morning) if visit.starts_at - morning > LEAST else Drop(State.SKIPPED, "era noite")


def _conversation(session: Session, now: datetime, tenant_id: int, customer_id: int) -> Conversation | None:
    """The customer's conversation; who never wrote is written to at their address, if there is one."""
    row = conversation.of_customer(session, tenant_id, customer_id)
    if row is not None:
        return row
    address = customer.address_of(session, tenant_id, customer_id)
    return conversation.begin(session, now, tenant_id, customer_id, address) if address else None


def _notice(session: Session, now: datetime, tenant: Tenant, visit: Appointment) -> Notice:
    assert visit.id is not None
    details = appointment.details(session, visit.tenant_id, visit.id)
    name = fixed_texts.first_name(session.get_one(Customer, visit.customer_id).name)
    when = fixed_texts.when(tenant, details.starts_at, now)
    # "Amanhã" is only true until midnight, and nobody is to be woken by what waited in the outbox.
    ends = quiet_hours.nightfall(tenant.zone, now) + GRACE
    return Notice(
        text=fixed_texts.reminder(tenant, name, details, now),
        content=proactive.content(
            tenant.template_reminder, name, when, fixed_texts.what(details), str(details.id)
        ),
        send_before=min(ends, details.starts_at - LEAST),
        taps=reminder_buttons.of_reminder(details.id),
    )
