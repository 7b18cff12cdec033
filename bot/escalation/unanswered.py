"""When nobody answers a customer who waits for people: alerts, a second text, the claim released.

What is due is decided once without a lock and once more under the conversation's: two workers do it once.
"""

from datetime import datetime

import structlog
from sqlmodel import Session, col, select

from bot.core.services import Services
from bot.sending import fixed_texts
from models import alert, conversation, message, unanswered
from models.acts import conversation_acts
from models.message import Author
from models.tenant import Tenant
from models.unanswered import Patience, Standing, Step

log = structlog.get_logger()


def keep(services: Services, now: datetime) -> int:
    """Do all that is due; gives how many steps were done. Safe to run twice, also at the same moment."""
    with services.db.reading() as session:
        found = unanswered.standing(session)
        tenants = _tenants(session, {at.tenant_id for at in found})
    count = 0
    for at in found:
        tenant = tenants[at.tenant_id]
        if unanswered.due(at, Patience.of(tenant), now):
            with services.db.writing() as session:
                count += _see_to(session, now, tenant, at.conversation_id)
    if count:
        services.wake_outbox.set()
    return count


def _tenants(session: Session, ids: set[int]) -> dict[int, Tenant]:
    rows = session.exec(select(Tenant).where(col(Tenant.id).in_(ids))) if ids else ()
    return {row.id: row for row in rows if row.id is not None}


def _see_to(session: Session, now: datetime, tenant: Tenant, conversation_id: int) -> int:
    assert tenant.id is not None
    row = conversation.lock(session, tenant.id, conversation_id)
    at = unanswered.standing_of(session, conversation_id)
    if at is None:
        return 0
    steps = unanswered.due(at, Patience.of(tenant), now)
    for step in steps:
        _do(session, now, tenant, at, step, row.epoch)
        log.info("nobody_answered", step=step, conversation_id=conversation_id, tenant_id=tenant.id)
    return len(steps)


def _do(session: Session, now: datetime, tenant: Tenant, at: Standing, step: Step, epoch: int) -> None:
    match step:
        case Step.RELEASE:
            _release(session, now, at)
            return
        case Step.ACKNOWLEDGE:
            _tell(session, now, at, step, fixed_texts.came_back(tenant, now), epoch)
        case Step.SECOND_TEXT:
            _tell(session, now, at, step, fixed_texts.still_waiting(at.reason), epoch)
        case Step.REALERT:
            alert.add(session, now, at.tenant_id, at.conversation_id, alert.Kind.STILL_WAITING)
        case Step.WARN:
            alert.add(session, now, at.tenant_id, at.conversation_id, alert.Kind.WINDOW)
    unanswered.done(session, now, at, step)


def _release(session: Session, now: datetime, at: Standing) -> None:
    assert at.assignee_id is not None
    conversation_acts.let_go(
        session,
        now,
        at.tenant_id,
        at.conversation_id,
        holder_id=at.assignee_id,
        held_since=at.held_since,
        why="disabled" if at.disabled else "no_reply",
    )


def _tell(session: Session, now: datetime, at: Standing, step: Step, text: str, epoch: int) -> None:
    """A fixed text to the customer, dropped if somebody takes the conversation before it goes out."""
    message.add(
        session,
        now,
        at.tenant_id,
        at.conversation_id,
        message.Line(
            author=Author.SYSTEM,
            text=text,
            epoch=epoch,
            client_key=f"{step}:{at.episode_id}",
        ),
    )
