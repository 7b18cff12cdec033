"""The one place that ends a claim: what was decided is written whole, or not at all."""

from dataclasses import replace
from datetime import datetime

import structlog
from sqlmodel import Session

from bot.agent.state import is_visible
from bot.answering.decision import (
    ConfirmVisit,
    Decision,
    Deed,
    GoOn,
    HandOver,
    KeepChoice,
    LeaveWaitlist,
    Reply,
    RunEnd,
    Silence,
)
from bot.core.services import Services
from bot.sending import fixed_texts
from bot.whatsapp.formatting import whatsapp_text
from bot.whatsapp.text_parts import split
from models import appointment, audit, conversation, handoff, message, run, waitlist
from models.conversation import Claim
from models.errors import NotFound, Refusal
from models.message import Author, Line
from models.tenant import Tenant

log = structlog.get_logger()


def commit(
    services: Services, claim: Claim, tenant: Tenant, decision: Decision, ended: RunEnd | None = None
) -> bool:
    """Write a decision, and the end of its run: watermark, texts, deed, hand-over. Says whether that ends the
    turn; where its deed cannot be done any more, nothing is written. Raises LeaseLost.
    """
    now = services.now()
    try:
        with services.db.writing() as session:
            _write(session, now, claim, tenant, decision, ended)
    except (NotFound, Refusal):
        return False
    log.info("decided", decision=type(decision).__name__, **_told(decision, ended))
    return not isinstance(decision, GoOn)


def parts_of(text: str) -> list[str]:
    """The messages that a text becomes; none where WhatsApp would show nothing of it."""
    return [part for part in split(whatsapp_text(text)) if is_visible(part)]


def _write(
    session: Session, now: datetime, claim: Claim, tenant: Tenant, decision: Decision, ended: RunEnd | None
) -> None:
    if isinstance(decision, GoOn | Reply) and decision.deed is not None:
        _do(session, now, claim, decision.deed)
    through = ended.through_seq if ended else claim.through_seq
    match decision:
        case GoOn():
            conversation.hold(session, claim)
        case Silence():
            conversation.finish(session, claim, answered_seq=through)
        case Reply(text, author):
            conversation.finish(session, claim, answered_seq=through)
            run_id = ended.run_id if ended else None
            line = Line(author, "", epoch=claim.epoch, run_id=run_id, extra=decision.extra)
            _queue(session, now, claim, text, line)
        case HandOver():
            _hand_over(session, now, claim, tenant, decision, ended)
    if ended is not None:
        reason = decision.reason if isinstance(decision, HandOver) else None
        run.end(session, ended.run_id, now, ended.outcome, handoff_reason=reason, **ended.totals)


def _do(session: Session, now: datetime, claim: Claim, deed: Deed) -> None:
    """Before the conversation is locked: whoever changes these rows for staff locks them in this order."""
    match deed:
        case ConfirmVisit(visit):
            appointment.confirm(session, now, claim.tenant_id, claim.customer_id, visit.id)
            audit.record(session, now, claim.tenant_id, "appointment.confirm", subject_id=visit.id)
        case LeaveWaitlist(entries):
            waitlist.leave(session, now, claim.tenant_id, entries, waitlist.ASKED)
            for entry_id in entries:
                audit.record(session, now, claim.tenant_id, "waitlist.leave", subject_id=entry_id)
        case KeepChoice(line, choice_id):
            message.annotate(session, line, chosen=choice_id)


def _queue(session: Session, now: datetime, claim: Claim, text: str, line: Line) -> None:
    """Queue a text in its parts, each as `line` says; what the customer may choose stands with the last."""
    *first, last = parts_of(text)
    for part in first:
        whole = replace(line, text=part, extra={})
        message.add(session, now, claim.tenant_id, claim.conversation_id, whole)
    message.add(session, now, claim.tenant_id, claim.conversation_id, replace(line, text=last))


def _hand_over(
    session: Session, now: datetime, claim: Claim, tenant: Tenant, decision: HandOver, ended: RunEnd | None
) -> None:
    run_id, through = (ended.run_id, ended.through_seq) if ended else (None, claim.through_seq)
    conversation.hand_over(session, claim, answered_seq=through)
    reason, said = decision.reason, decision.said
    text = fixed_texts.handoff_text(reason, tenant, now, said=said, writes=decision.writes)
    # Without an epoch: these words go out even if somebody takes the conversation at once.
    _queue(session, now, claim, text, Line(Author.BOT if said else Author.SYSTEM, "", run_id=run_id))
    handoff.open_episode(
        session,
        now,
        claim.tenant_id,
        claim.conversation_id,
        reason=reason,
        trigger_seq=through,
        run_id=run_id,
        detail=decision.detail,
    )


def _told(decision: Decision, ended: RunEnd | None) -> dict[str, object]:
    """What the log keeps of it."""
    reason = {"reason": decision.reason} if isinstance(decision, HandOver) else {}
    return reason | ({"run": ended.run_id, **ended.totals} if ended else {})
