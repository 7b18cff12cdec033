"""The way out: one queued line after the other, sent once; and what becomes of it afterwards."""

from dataclasses import dataclass
from datetime import datetime, timedelta

import structlog
from sqlmodel import Session

from bot.core.services import Services
from bot.sending import content_templates, fixed_texts, proactive
from bot.whatsapp import error_codes
from bot.whatsapp.base import Sender, SendError, Sent
from bot.whatsapp.error_codes import Action
from models import conversation, customer, delivery, handoff, message
from models.delivery import Outgoing, Progress
from models.handoff import Reason
from models.message import Author, Status
from models.tenant import Tenant

log = structlog.get_logger()

# A request to the provider ends within a minute: after this a worker that is still `sending` is gone.
STALE = timedelta(minutes=2)
DOUBT = timedelta(minutes=1)
# How long we try to look before people are told.
GIVE_UP_AFTER = timedelta(hours=1)
# How far before it was due a line is looked for: for clocks that differ, and for its own earlier tries.
LOOK_BACK = timedelta(minutes=15)
SORRY = "Desculpe, uma mensagem minha não chegou até você."
TWILIO = "twilio"
MAX_SENDS = 3  # of a line that is in doubt each time
EARLY_KEPT = timedelta(days=7)


@dataclass(frozen=True)
class Retry:
    """It was not sent: once more, this much later."""

    after: timedelta


@dataclass(frozen=True)
class Fail:
    """It was not sent, and people must know."""


@dataclass(frozen=True)
class Doubt:
    """Nobody knows: look it up before anything else."""


Decision = Retry | Fail | Doubt

# Waits before the second try, the third, …; after the last one it fails.
SHORT = tuple(timedelta(seconds=seconds) for seconds in (2, 4, 8, 16, 32, 60, 120))
# WhatsApp takes about one message in 6 s for one pair of numbers.
PACED = tuple(timedelta(seconds=seconds) for seconds in (6, 12, 24, 48, 96, 180))
LONG = tuple(timedelta(minutes=minutes) for minutes in (1, 5, 15, 30, 60))


_WAITS = {
    Action.ALARM: LONG,
    Action.LATER: LONG,
    Action.OUTAGE: LONG[:3],
    Action.RETRY: PACED,
    Action.ONCE: LONG[:1],
}


def decide(error: SendError, attempt: int) -> Decision:
    """What follows the failure of the `attempt`-th try (from 1)."""
    if not error.surely_not_sent:
        return Doubt()
    if error.permanent:
        return Fail()
    return again(error.code, attempt) or Fail()


def again(code: int | None, attempt: int) -> Retry | None:
    """The next try after one that surely came to nothing for a reason that passes; None: it is enough."""
    waits = _WAITS.get(error_codes.action(code), SHORT)
    return Retry(waits[attempt - 1]) if attempt <= len(waits) else None


def send_next(services: Services, conversation_id: int | None = None) -> bool:
    """Send the oldest line that may go out; says whether there was one.

    Claimed in one transaction, sent in none, recorded in another. A crash between them leaves the line
    `sending`, and `settle` finds out what became of it.
    """
    with services.db.writing() as session:
        outgoing = delivery.claim_outgoing(session, services.now(), conversation_id)
    if outgoing is None:
        return False
    content = outgoing.content
    try:
        sender = services.sender_for(outgoing.tenant_id)
        content = content or content_templates.of(services, outgoing)
        sent = sender.send(outgoing.address, outgoing.text, reference=outgoing.id, content=content)
    except SendError as error:
        content_templates.forget_unknown(services, outgoing, content, error.code)
        _not_sent(services, outgoing, error)
    else:
        _accepted(services, outgoing, sent)
    return True


def _accepted(services: Services, outgoing: Outgoing, sent: Sent) -> None:
    now = services.now()
    with services.db.writing() as session:
        _record(session, now, outgoing, sent)
    log.info("message_sent", message_id=outgoing.id, tenant_id=outgoing.tenant_id, attempt=outgoing.attempts)


def _record(session: Session, now: datetime, outgoing: Outgoing, sent: Sent) -> None:
    status = Status(sent.status)
    progress = delivery.mark_accepted(session, now, outgoing, sent.sid, status, sent.error_code)
    _follow_up(session, now, progress)


def _not_sent(services: Services, outgoing: Outgoing, error: SendError) -> None:
    decision, now = decide(error, outgoing.attempts), services.now()
    with services.db.writing() as session:
        match decision:
            case Retry(after):
                services.meters.calls.counting(TWILIO)(str(error.code or error))
                delivery.requeue(session, outgoing, now + after)
            case Doubt():
                delivery.mark_in_doubt(session, outgoing)
            case Fail():
                if not _as_text(session, now, outgoing, error.code):
                    _fail(session, now, outgoing, error.code)
    _log(
        "message_not_sent",
        error.code,
        message_id=outgoing.id,
        tenant_id=outgoing.tenant_id,
        attempt=outgoing.attempts,
        error=str(error),
        decision=type(decision).__name__.lower(),
    )


def _log(event: str, code: int | None, **values: object) -> None:
    write = log.error if error_codes.needs_operator(code) else log.warning
    write(event, code=code, **values)


def _as_text(session: Session, now: datetime, line: Outgoing | Progress, code: int | None) -> bool:
    """Send a line once more without what it has to tap, where that may be what was refused."""
    if error_codes.action(code) != Action.GIVE_UP:
        return False
    if isinstance(line, Outgoing):
        return delivery.requeue_as_text(session, line, now)
    return delivery.send_as_text(session, line, now)


def _fail(session: Session, now: datetime, outgoing: Outgoing, code: int | None) -> None:
    if delivery.mark_failed(session, outgoing, code):
        _undelivered(session, now, outgoing, code)


def _undelivered(session: Session, now: datetime, line: Outgoing | Progress, code: int | None) -> None:
    """The customer should have had this line and never will: people must know.

    The customer is told so where they wait for an answer and another line may reach them.
    """
    row = conversation.lock(session, line.tenant_id, line.conversation_id)
    action = error_codes.action(code)
    owed = line.run_id is not None or row.waiting_since is not None
    unasked = proactive.undelivered(session, now, line, code)
    if action == Action.OPT_OUT:
        customer.opt_out(session, now, line.tenant_id, row.customer_id)
        if not owed:
            return  # it is as they wish: nothing for people to do
    if unasked:
        return
    flagged = handoff.flag(session, now, line.tenant_id, line.conversation_id, Reason.FALHA_NO_ENVIO)
    if flagged and owed and action not in error_codes.SHUT:
        tenant = session.get_one(Tenant, line.tenant_id)
        text = fixed_texts.handoff_text(Reason.FALHA_NO_ENVIO, tenant, now, said=SORRY)
        session.flush()
        message.add(
            session, now, line.tenant_id, line.conversation_id, message.Line(author=Author.SYSTEM, text=text)
        )


def report(
    services: Services,
    tenant_id: int,
    *,
    sid: str,
    status: Status,
    error_code: int | None = None,
    message_id: int | None = None,
) -> None:
    """Take a delivery report, in any order, repeated, also for a line that is not known (yet)."""
    now = services.now()
    with services.db.writing() as session:
        progress = delivery.apply_status(
            session, now, tenant_id, sid=sid, status=status, error_code=error_code, message_id=message_id
        )
        if progress is not None:
            _follow_up(session, now, progress)


def _follow_up(session: Session, now: datetime, progress: Progress) -> None:
    """What a failure after the provider had taken the line leads to."""
    if not progress.changed or progress.status != Status.FAILED:
        return
    code = progress.error_code
    retry = again(code, progress.attempts) if error_codes.action(code) in error_codes.PASSING else None
    _log(
        "message_undelivered",
        code,
        message_id=progress.message_id,
        tenant_id=progress.tenant_id,
        retried=retry is not None,
    )
    if retry is not None:
        delivery.send_anew(session, progress, now + retry.after)
    elif not _as_text(session, now, progress, code):
        _undelivered(session, now, progress, code)


def settle(services: Services, now: datetime) -> int:
    """Find out what became of lines in doubt, and of those that a crashed worker had in hand; gives how many
    it took up. Safe to run twice, also at the same moment.
    """
    with services.db.writing() as session:
        for progress in delivery.apply_late(session, now):
            _follow_up(session, now, progress)
        delivery.forget_early(session, now - EARLY_KEPT)
    count = 0
    while (outgoing := _doubtful(services, now)) is not None:
        count += 1
        if not _look_up(services, now, outgoing):
            break  # each further look would wait as long in vain; the next sweep begins with the others
    return count


def _doubtful(services: Services, now: datetime) -> Outgoing | None:
    with services.db.writing() as session:
        return delivery.claim_doubtful(session, now, sending_before=now - STALE, in_doubt_before=now - DOUBT)


def _look_up(services: Services, now: datetime, outgoing: Outgoing) -> bool:
    """Settle one line, where the provider tells; False if the provider does not answer at all."""
    try:
        sender = services.sender_for(outgoing.tenant_id)
        found = _find(sender, outgoing)
    except SendError as error:
        log.warning("message_not_looked_up", message_id=outgoing.id, code=error.code, error=str(error))
        if now >= outgoing.due_at + GIVE_UP_AFTER:
            with services.db.writing() as session:
                _fail(session, now, outgoing, error.code)
        return error.code is not None
    with services.db.writing() as session:
        outcome = _settled(session, now, outgoing, found)
    log.info("message_settled", message_id=outgoing.id, tenant_id=outgoing.tenant_id, outcome=outcome)
    return True


def _find(sender: Sender, outgoing: Outgoing) -> Sent | None:
    since = outgoing.due_at - LOOK_BACK
    if outgoing.mark:
        return sender.find(outgoing.address, outgoing.mark, since, within=True)
    return sender.find(outgoing.address, outgoing.text, since)


def _settled(session: Session, now: datetime, outgoing: Outgoing, found: Sent | None) -> str:
    # An equal text of an earlier line is not this one.
    if found is not None and not delivery.sid_is_known(session, found.sid):
        _record(session, now, outgoing, found)
        return "found"
    if outgoing.attempts < MAX_SENDS:
        delivery.requeue(session, outgoing, now)
        return "sent_again"
    _fail(session, now, outgoing, None)
    return "given_up"
