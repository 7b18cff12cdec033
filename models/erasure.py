"""A customer who asks for it is forgotten.

What a business must go on knowing stays: that a time was taken, why a conversation came to people, what a run
cost. Who it was, and every word, does not. Whoever writes from that phone afterwards is somebody new.
"""

import json
import secrets
import sqlite3
from collections.abc import Collection
from datetime import datetime
from typing import Any

from sqlalchemy import and_, or_, update
from sqlalchemy.orm.attributes import flag_modified
from sqlmodel import Session, col, select

from models import audit, audit_redaction, conversation, customer_data, provider_deletion, reminder, waitlist
from models.audit import AuditEvent
from models.conversation import Conversation
from models.customer import FORGOTTEN, Customer, CustomerAddress
from models.customer_data import Rows
from models.db import Database, table
from models.errors import Conflict, NotFound
from models.handoff import CloseReason
from models.message import UNSENT, Message, Status
from models.run import RunStep, StepKind, WriteKey

BLANK = "[apagado]"
ERASED = "os dados do cliente foram apagados"


def forget(session: Session, now: datetime, tenant_id: int, phone: str) -> int:
    """Make the customer with this phone anonymous; gives their id. Raises NotFound, and as `anonymise`."""
    customer = customer_data.find(session, tenant_id, phone)
    assert customer.id is not None
    anonymise(session, now, tenant_id, customer.id)
    return customer.id


def anonymise(
    session: Session, now: datetime, tenant_id: int, customer_id: int, detail: dict[str, Any] | None = None
) -> None:
    """Make a customer anonymous, for good, here and soon at the provider; `detail` is for the audit.

    An open episode of people ends with it. Raises NotFound, and Conflict while the bot answers them or is
    about to, or a line to them is on its way.
    """
    customer = _found(session, tenant_id, customer_id)
    _lock_addresses(session, tenant_id, customer_id)
    talk = _locked(session, tenant_id, customer_id)
    rows = customer_data.load(session, customer)
    if talk is not None:
        _require_quiet(session, talk)
        _end(talk, rows, now)
    customer.name = customer.folded_name = ""
    flag_modified(customer, "name")  # written also where it was empty: somebody may be giving a name just now
    for known in rows.addresses:
        known.address = known.match_key = _nobody()
    for visit in rows.appointments:
        visit.cancel_reason = ""
        reminder.withdraw(session, now, tenant_id, visit.id or 0)
    for entry in waitlist.of_customer(session, tenant_id, customer_id):
        waitlist.close(session, entry.id or 0, waitlist.State.CANCELLED, ERASED)
    _remove_there(session, now, rows)
    _blank_words(session, rows)
    _blank_events(session, rows)
    audit.record(session, now, tenant_id, "customer.forget", subject_id=customer_id, detail=detail)
    session.flush()


def scrub(db: Database) -> bool:
    """Rebuild an SQLite file, in which what was deleted stays readable until something is written over it.

    False if it is too busy for that now. On PostgreSQL that is the work of its vacuum.
    """
    if not db.is_sqlite:
        return True
    connection = db.engine.raw_connection()  # in no transaction, which VACUUM does not stand
    try:
        cursor = connection.cursor()
        cursor.execute("VACUUM")
        cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        [busy, *_] = cursor.fetchone() or [1]
    except sqlite3.OperationalError:
        return False
    finally:
        connection.close()
    return not busy


def _found(session: Session, tenant_id: int, customer_id: int) -> Customer:
    query = select(Customer).where(Customer.tenant_id == tenant_id, Customer.id == customer_id)
    customer = session.exec(query).first()
    if customer is None:
        raise NotFound("customer")
    return customer


def _remove_there(session: Session, now: datetime, rows: Rows) -> None:
    """The provider's record of each message goes, and its attachments with it."""
    sids = [line.provider_sid for line in rows.messages if line.provider_sid]
    provider_deletion.want(session, now, rows.customer.tenant_id, provider_deletion.Kind.MESSAGE, sids)


def _nobody() -> str:
    return f"{FORGOTTEN}{secrets.token_hex(16)}"


def _lock_addresses(session: Session, tenant_id: int, customer_id: int) -> None:
    """Whoever receives a message of theirs meanwhile waits, and then finds nobody with that phone."""
    mine = select(CustomerAddress.id).where(
        CustomerAddress.tenant_id == tenant_id, CustomerAddress.customer_id == customer_id
    )
    session.exec(mine.with_for_update()).all()


def _locked(session: Session, tenant_id: int, customer_id: int) -> Conversation | None:
    query = select(Conversation.id).where(
        Conversation.tenant_id == tenant_id, Conversation.customer_id == customer_id
    )
    found = session.exec(query).first()
    return None if found is None else conversation.lock(session, tenant_id, found)


def _require_quiet(session: Session, talk: Conversation) -> None:
    """What waits to be sent is not sent any more; what may be under way at this moment is in the way."""
    if talk.lease_token is not None or talk.due_at is not None:
        raise Conflict("the bot is answering")
    lines = table(Message)
    mine = lines.c.conversation_id == talk.id
    waits = mine & (lines.c.status == Status.QUEUED)
    session.execute(update(lines).where(waits).values(status=Status.DROPPED))
    if session.execute(select(lines.c.id).where(mine, lines.c.status.in_(UNSENT)).limit(1)).first():
        raise Conflict("a message is on its way")


def _end(talk: Conversation, rows: Rows, now: datetime) -> None:
    """Nothing of the conversation is open afterwards, and no text can be sent in it."""
    talk.address, talk.preview = _nobody(), ""
    conversation.to_bot(talk)
    talk.last_inbound_at = None
    for episode in rows.handoffs:
        episode.detail = episode.note = ""
        if episode.closed_at is None:
            episode.closed_at, episode.closed_seq = now, talk.last_seq
            episode.close_reason = CloseReason.RETURNED_TO_BOT


def _blank_words(session: Session, rows: Rows) -> None:
    """Every text; the provider's number of a message goes too, since the provider knows its phone."""
    for key in _write_keys(session, rows):
        session.delete(key)
    for line in rows.messages:
        line.text, line.media, line.extra = BLANK, [], {}
        line.provider_sid = line.client_key = line.content_variables = None
    for steps in rows.steps.values():
        invented = {step.content["name"] for step in steps if step.error_class == "unknown_tool"}
        for step in steps:
            step.content = _blank(step, invented)


def _blank(step: RunStep, invented: set[str]) -> Any:
    """The content without words: what pages and figures read of it is still there."""
    match step.kind:
        case StepKind.RESULT:
            name = step.content["name"]
            return {
                "tool_use_id": "",
                "name": BLANK if name in invented else name,
                "input": {},
                "text": BLANK,
            }
        case StepKind.NUDGE:
            return {"kind": step.content["kind"], "text": BLANK}
        case _:
            return []


def _write_keys(session: Session, rows: Rows) -> list[WriteKey]:
    """The results of this customer's writes. Their rows name nobody: they are known by what they wrote."""
    if not rows.runs:
        return []
    visits = {visit.id for visit in rows.appointments}
    texts = {
        step.content["text"]
        for steps in rows.steps.values()
        for step in steps
        if step.kind == StepKind.RESULT
    }
    query = select(WriteKey).where(
        WriteKey.tenant_id == rows.customer.tenant_id, col(WriteKey.at) >= rows.runs[0].started_at
    )
    return [key for key in session.exec(query) if _is_of(key, visits, texts)]


def _is_of(key: WriteKey, visits: Collection[int | None], texts: Collection[str]) -> bool:
    result = json.loads(key.result)
    return result.get("appointment_id") in visits or result["text"] in texts


def _blank_events(session: Session, rows: Rows) -> None:
    subjects = {
        "customer": [rows.customer.id],
        "conversation": [rows.conversation.id] if rows.conversation else [],
        "appointment": [visit.id for visit in rows.appointments],
    }
    about = [
        and_(col(AuditEvent.action).startswith(f"{noun}."), col(AuditEvent.subject_id).in_(ids))
        for noun, ids in subjects.items()
    ]
    query = select(AuditEvent).where(AuditEvent.tenant_id == rows.customer.tenant_id, or_(*about))
    for event in session.exec(query):
        event.detail = audit_redaction.kept(event.detail)
