"""What is kept no longer: after the time that a business gives it, or by a customer's wish; at Twilio too."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from pathlib import Path

import structlog
from sqlmodel import Session, select

from bot.core.services import Services
from bot.llm.recording import recorded_at
from bot.whatsapp.base import SendError
from bot.whatsapp.twilio import CREDENTIALS, TOO_MANY
from models import erasure, provider_deletion, retention, run
from models.db import Database
from models.errors import Conflict
from models.provider_deletion import Kind, Removal
from models.tenant import Tenant

log = structlog.get_logger()

BEFORE = timedelta(seconds=5)  # between a run's row and its recording
BATCH = 200  # rows of one transaction, and requests of one tick


def forget_old(services: Services, now: datetime) -> None:
    """Forget whom and what each business keeps no longer."""
    with services.db.reading() as session:
        tenants = session.exec(select(Tenant).order_by(Tenant.id)).all()  # type: ignore[arg-type]  # a column
    forgotten = sum(_forget_silent(services, now, tenant) for tenant in tenants)
    dropped = sum(_drop_media(services, now, tenant) for tenant in tenants)
    if forgotten or dropped:
        log.info("retention", customers=forgotten, messages_with_media=dropped)
    if forgotten and not erasure.scrub(services.db):
        log.warning("retention_not_scrubbed")


def forget_recordings(db: Database, folder: Path | None) -> int:
    """Delete what was recorded here while a forgotten customer was answered; gives how many files.

    A recording names nobody, so those of the same moments go with it.
    """
    found = {file: at for file in folder.glob("*.json") if (at := recorded_at(file))} if folder else {}
    if not found:
        return 0
    with db.reading() as session:
        times = run.times_of_forgotten(session, min(found.values()) - timedelta(hours=1))
    gone = [
        file
        for file, at in found.items()
        if any(began - BEFORE <= at <= ended + BEFORE for began, ended in times)
    ]
    for file in gone:
        file.unlink(missing_ok=True)
    return len(gone)


def _forget_silent(services: Services, now: datetime, tenant: Tenant) -> int:
    days, tenant_id = tenant.retention_customers_days, tenant.id
    if days is None or tenant_id is None:
        return 0
    with services.db.reading() as session:
        found = retention.silent(session, tenant_id, now, days)
    return sum(_forget(services, now, tenant_id, customer_id, days) for customer_id in found)


def _forget(services: Services, now: datetime, tenant_id: int, customer_id: int, days: int) -> bool:
    def work(session: Session) -> bool:
        if not retention.is_silent(session, tenant_id, customer_id, now, days):
            return False  # they have written meanwhile
        erasure.anonymise(session, now, tenant_id, customer_id, {"after_days": days})
        return True

    try:
        return services.db.retrying(work)
    except Conflict:
        return False  # tomorrow is another day


def _drop_media(services: Services, now: datetime, tenant: Tenant) -> int:
    days, tenant_id, total = tenant.retention_media_days, tenant.id, 0
    if days is None or tenant_id is None:
        return 0
    while True:
        with services.db.writing() as session:
            dropped = retention.drop_media(session, tenant_id, now, days, BATCH)
        total += dropped
        if dropped < BATCH:
            return total


def delete_there(services: Services, now: datetime) -> None:
    """Delete at Twilio what is to go. Twice at once does no harm: what is gone already is gone."""
    if services.archive_for is None:
        return
    for tenant, wishes in _due(services, now):
        for wish in wishes:
            fault = _delete(services, tenant, wish)
            _settle(services, now, wish, gone=fault is None)
            if fault is not None and _concerns_all(fault):
                break


def _due(services: Services, now: datetime) -> Sequence[tuple[Tenant, list[Removal]]]:
    with services.db.reading() as session:
        wishes = provider_deletion.due(session, now, BATCH)
        keys = sorted({wish.tenant_id for wish in wishes})
        return [
            (session.get_one(Tenant, key), [wish for wish in wishes if wish.tenant_id == key]) for key in keys
        ]


def _concerns_all(fault: SendError) -> bool:
    """Whether the account, or the way to it, is out of order: all would wait for the same time-out."""
    return fault.status is None or fault.code in (CREDENTIALS, TOO_MANY)


def _delete(services: Services, tenant: Tenant, wish: Removal) -> SendError | None:
    """Delete it; what was in the way, if it is there still."""
    assert services.archive_for is not None
    try:
        services.archive_for(tenant).delete(Kind(wish.kind), wish.reference)
    except SendError as error:
        log.info(
            "not_deleted_there", tenant_id=tenant.id, removal_id=wish.id, code=error.code, error=str(error)
        )
        return error
    return None


def _settle(services: Services, now: datetime, wish: Removal, *, gone: bool) -> None:
    assert wish.id is not None
    with services.db.writing() as session:
        if gone:
            provider_deletion.done(session, wish.id)
        elif not provider_deletion.failed(session, now, wish.id):
            # The number leads to nobody but at Twilio, where a person has to look for it.
            log.error("never_deleted_there", tenant_id=wish.tenant_id, reference=wish.reference)
