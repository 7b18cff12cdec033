"""A write tool does its work once: its result is a row, stored in the same transaction as what it wrote.

The key is made of the turn, the tool and its arguments, so a re-run after a crash, or the same wish in a
fresh model answer with a new id, finds the first result. Only successes are stored: a refusal may be over
in a minute.
"""

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass

from sqlalchemy import insert, select
from sqlalchemy.exc import IntegrityError
from sqlmodel import Session

from models import appointment
from models.appointment import AppointmentStatus, Details
from models.db import table
from models.run import WriteKey
from models.tenant import Tenant
from tools import facts, portuguese
from tools.contract import Arguments, ToolContext, ToolOutcome
from tools.facts import Changed, Fact, Visit

_KEY = table(WriteKey)


@dataclass(frozen=True)
class Written:
    """What a write did: the text for the model, the fact, and the appointment as it was left, if it is about
    one.
    """

    text: str
    fact: Fact
    details: Details | None = None


def key(context: ToolContext, tool: str, arguments: Arguments) -> str:
    """A hex digest that is the same for the same wish in the same turn."""
    canonical = arguments.model_dump(mode="json", exclude_none=True)
    parts = [context.tenant_id, context.turn_key, tool, canonical]
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


def once(
    context: ToolContext, tool: str, arguments: Arguments, act: Callable[[Session], Written]
) -> ToolOutcome:
    """What `act` did, in one transaction with its key; of a second run, what the first did.

    Whatever `act` raises undoes both; it runs again where the database failed by chance. Raises LeaseLost if
    the conversation is in other hands by now.
    """
    digest = key(context, tool, arguments)

    def work(session: Session) -> ToolOutcome:
        context.hold(session)
        again = _again(session, context, digest)
        if again is not None:
            return again
        written = act(session)
        session.execute(insert(_KEY).values(**_row(context, tool, digest, written)))
        return ToolOutcome(written.text, (written.fact,))

    try:
        return context.db.retrying(work)
    except IntegrityError:
        # On PostgreSQL a twin may commit between our look and our insert: then its result is ours.
        again = earlier(context, tool, arguments)
        if again is None:
            raise
        return again


def earlier(context: ToolContext, tool: str, arguments: Arguments) -> ToolOutcome | None:
    """What a first run did that was committed, in the words of a second; None if there was none."""
    with context.db.reading() as session:
        return _again(session, context, key(context, tool, arguments))


def _row(context: ToolContext, tool: str, digest: str, written: Written) -> dict[str, object]:
    details = written.details
    result = {
        "text": written.text,
        "facts": facts.dump([written.fact]),
        "appointment_id": details.id if details else None,
        "state": _state(details) if details else None,
    }
    return {
        "tenant_id": context.tenant_id,
        "key": digest,
        "tool": tool,
        "result": json.dumps(result, ensure_ascii=False),
        "at": context.now,
    }


def _again(session: Session, context: ToolContext, digest: str) -> ToolOutcome | None:
    stored = session.execute(
        select(_KEY.c.result).where(_KEY.c.tenant_id == context.tenant_id, _KEY.c.key == digest)
    ).scalar()
    if stored is None:
        return None
    first = json.loads(stored)
    # The facts are of the first run: what was written in this turn was written in it, whoever tells of it.
    same = ToolOutcome(_already(first["text"]), facts.load(first.get("facts")))
    if first["appointment_id"] is None:
        return same
    now = appointment.details(session, context.tenant_id, first["appointment_id"])
    return same if _state(now) == first["state"] else _changed(session, context, now)


def _changed(session: Session, context: ToolContext, now: Details) -> ToolOutcome:
    zone = session.get_one(Tenant, context.tenant_id).zone
    text = (
        f"Este pedido já tinha sido atendido (agendamento_id {now.id}) e depois houve outra mudança: "
        f"{portuguese.visit(now, zone)}, {portuguese.STATUS[AppointmentStatus(now.status)]}. "
        "Nada foi feito agora."
    )
    return ToolOutcome(text, (Changed(Visit.of(now, zone), now.status),))


def _state(details: Details) -> list[object]:
    return [details.status, details.starts_at.isoformat(), details.professional_id]


def _already(text: str) -> str:
    return text if text.startswith("Já ") else f"Já estava {text[0].lower()}{text[1:]}"
