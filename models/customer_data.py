"""Everything that is kept of one customer, as plain data for them to have."""

import re
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlmodel import Session, col, select

from models import run as runs_room
from models.appointment import Appointment, AppointmentService
from models.catalog import Professional
from models.conversation import Conversation, Holder
from models.customer import Customer, CustomerAddress, match_key
from models.errors import NotFound
from models.handoff import Handoff
from models.message import Message
from models.run import Run, RunStep, StepKind
from models.tenant import Tenant

Json = dict[str, Any]
When = Callable[[datetime | None], str | None]
_NUMBER = re.compile(r"\+[1-9][0-9]{7,14}")


def parse_phone(text: str) -> str:
    """A phone as "+5511987654321", with whatever signs it was written. Raises ValueError."""
    phone = re.sub(r"[\s().-]", "", text).removeprefix("whatsapp:")
    if not _NUMBER.fullmatch(phone):
        raise ValueError("must be a phone with its country, like +5511987654321")
    return phone


def find(session: Session, tenant_id: int, phone: str) -> Customer:
    """The person with this phone, with or without the ninth digit. Raises NotFound."""
    address = f"whatsapp:{phone}"
    query = (
        select(Customer, CustomerAddress.address)
        .join(CustomerAddress, col(CustomerAddress.customer_id) == col(Customer.id))
        .where(Customer.tenant_id == tenant_id, CustomerAddress.tenant_id == tenant_id)
        .where(CustomerAddress.match_key == match_key(address))
        .order_by(col(CustomerAddress.id))
    )
    found = session.exec(query).all()
    if not found:
        raise NotFound("customer")
    # Should two people have come to share a number, it is meant as it is written.
    return min(found, key=lambda row: row[1] != address)[0]


@dataclass(frozen=True)
class Rows:
    """All rows of one customer, each kind oldest first; `steps` are those of each run."""

    customer: Customer
    addresses: Sequence[CustomerAddress]
    conversation: Conversation | None
    appointments: Sequence[Appointment]
    messages: Sequence[Message]
    handoffs: Sequence[Handoff]
    runs: Sequence[Run]
    steps: dict[int, list[RunStep]]


def load(session: Session, customer: Customer) -> Rows:
    """Everything there is of this customer."""
    assert customer.id is not None
    of_person = {"tenant_id": customer.tenant_id, "customer_id": customer.id}
    talks = _all(session, Conversation, of_person)
    talk = talks[0] if talks else None
    of_talk = {"tenant_id": customer.tenant_id, "conversation_id": talk.id if talk else None}
    runs = _all(session, Run, of_talk)
    return Rows(
        customer=customer,
        addresses=_all(session, CustomerAddress, of_person),
        conversation=talk,
        appointments=_all(session, Appointment, of_person, "starts_at"),
        messages=_all(session, Message, of_talk, "seq"),
        handoffs=_all(session, Handoff, of_talk),
        runs=runs,
        steps=runs_room.steps(session, [one.id for one in runs if one.id is not None]),
    )


def _all(
    session: Session, model: type[Any], whose: Mapping[str, int | None], order: str = "id"
) -> Sequence[Any]:
    query = select(model).filter_by(**whose).order_by(getattr(model, order), model.id)
    return session.exec(query).all()


def export(session: Session, tenant: Tenant, customer: Customer) -> Json:
    """One JSON object, each list oldest first, times in ISO 8601 with the business's offset."""

    def when(at: datetime | None) -> str | None:
        return None if at is None else at.astimezone(tenant.zone).isoformat()

    rows = load(session, customer)
    return {
        "customer": {
            "name": customer.name,
            "addresses": [one.address for one in rows.addresses],
            "opted_out": customer.opted_out_at is not None,
        },
        "conversation": {"holder": rows.conversation.holder if rows.conversation else Holder.BOT},
        "appointments": _appointments(session, rows.appointments, when),
        "messages": [_message(line, when) for line in rows.messages],
        "handoffs": [
            {
                "reason": episode.reason,
                "opened_at": when(episode.opened_at),
                "claimed_at": when(episode.claimed_at),
                "closed_at": when(episode.closed_at),
            }
            for episode in rows.handoffs
        ],
        "runs": [_run(run, rows.steps[run.id]) for run in rows.runs if run.id is not None],
    }


def _appointments(session: Session, appointments: Sequence[Appointment], when: When) -> list[Json]:
    services: dict[int, list[str]] = defaultdict(list)
    for part in session.exec(
        select(AppointmentService)
        .where(col(AppointmentService.appointment_id).in_([one.id for one in appointments]))
        .order_by(col(AppointmentService.position))
    ):
        services[part.appointment_id].append(part.name)
    keys = {one.professional_id for one in appointments}
    people = session.exec(select(Professional).where(col(Professional.id).in_(keys))).all()
    names = {person.id: person.name for person in people}
    return [
        {
            "id": one.id,
            "service": " + ".join(services[one.id or 0]),
            "professional": names[one.professional_id],
            "starts_at": when(one.starts_at),
            "ends_at": when(one.ends_at),
            "status": one.status,
        }
        for one in appointments
    ]


def _message(line: Message, when: When) -> Json:
    return {
        "direction": line.direction,
        "author": line.author,
        "text": line.said,
        "at": when(line.created_at),
        "status": line.status,
    }


def _run(run: Run, steps: Sequence[RunStep]) -> Json:
    """A run; its input tokens are all that the model read, whether a cache gave it or not."""
    return {
        "outcome": run.outcome,
        "stop_reasons": [
            step.stop_reason for step in steps if step.kind in (StepKind.ANSWER, StepKind.FINAL)
        ],
        "iterations": run.iterations,
        "input_tokens": run.input_tokens + run.cache_read_tokens + run.cache_write_tokens,
        "output_tokens": run.output_tokens,
        "tool_calls": [
            {
                "name": step.content["name"],
                "input": step.content["input"],
                "is_error": step.is_error,
                "error_class": step.error_class,
            }
            for step in steps
            if step.kind == StepKind.RESULT
        ],
    }
