"""Messages that Twilio has and we do not: our door was shut when they were brought, and nobody brings them
again. They are fetched, and taken in as if they had just come.
"""

from collections.abc import Collection, Sequence
from dataclasses import replace
from datetime import datetime, timedelta

import structlog
from sqlmodel import Session, select

from bot.core.services import Services
from bot.sending import fixed_texts
from bot.whatsapp import forms
from bot.whatsapp.base import Inbox, SendError
from bot.whatsapp.forms import Inbound
from models import message, provider_deletion
from models.message import Message
from models.tenant import Tenant

log = structlog.get_logger()

EVERY = timedelta(minutes=4)  # a little less than the timer's, which is not exact
OVERLAP = timedelta(minutes=15)
# What is younger may be on its way to our door, and a webhook tells more of it.
ON_ITS_WAY = timedelta(minutes=2)
# WhatsApp's window: what is older cannot be answered any more.
FARTHEST = timedelta(hours=24)


def fill(services: Services, now: datetime) -> int:
    """Take in what is missing, business by business; gives how many. Safe to run twice at once."""
    if services.inbox_for is None:
        return 0
    with services.db.reading() as session:
        tenants = _due(session, now)
    return sum(_fill(services, now, tenant) for tenant in tenants)


def _due(session: Session, now: datetime) -> Sequence[Tenant]:
    """Those whom no worker has seen to just now."""
    tenants = session.exec(select(Tenant).order_by(Tenant.id)).all()  # type: ignore[arg-type]  # a column
    return [one for one in tenants if one.inbound_seen_at is None or one.inbound_seen_at <= now - EVERY]


def _fill(services: Services, now: datetime, tenant: Tenant) -> int:
    assert tenant.id is not None
    assert services.inbox_for is not None
    try:
        count = _take(services, now, tenant, services.inbox_for(tenant))
    except SendError as error:
        log.warning("gap_not_looked_for", tenant_id=tenant.id, code=error.code, error=str(error))
        return 0
    with services.db.writing() as session:
        session.get_one(Tenant, tenant.id).inbound_seen_at = now
    return count


def _since(tenant: Tenant, now: datetime) -> datetime:
    """From when on something may be missing: what came before the business was here is not for us."""
    seen = tenant.inbound_seen_at
    return max(tenant.created_at if seen is None else seen - OVERLAP, now - FARTHEST)


def _take(services: Services, now: datetime, tenant: Tenant, inbox: Inbox) -> int:
    found = inbox.received(tenant.whatsapp, _since(tenant, now))
    listed = [one for one in found if one.at <= now - ON_ITS_WAY]
    with services.db.reading() as session:
        known = _known(session, [one.sid for one in listed])
    missing = [one for one in listed if one.sid not in known]
    taken = 0
    for one in sorted(missing, key=lambda one: one.at):
        event = forms.parse(inbox.form(one))
        if isinstance(event, Inbound):
            taken += _store(services, now, tenant, event)
    if taken:
        services.wake_agent.set()
        services.wake_outbox.set()
    return taken


def _known(session: Session, sids: Collection[str]) -> set[str]:
    """Those that we have, and those that we had: of who is forgotten nothing comes back."""
    query = select(Message.provider_sid).where(Message.provider_sid.in_(sids))  # type: ignore[union-attr]  # a column
    return {sid for sid in session.exec(query) if sid is not None} | provider_deletion.is_wanted(
        session, sids
    )


def _store(services: Services, now: datetime, tenant: Tenant, event: Inbound) -> bool:
    assert tenant.id is not None
    event = replace(event, extra=event.extra | {"gap": True})
    received = message.receive(
        services.db, fixed_texts.with_confirmation(tenant, event.incoming(tenant.id)), now, services.debounce
    )
    if not received.duplicate:
        log.warning("gap_filled", tenant_id=tenant.id, conversation_id=received.conversation_id)
    return not received.duplicate
