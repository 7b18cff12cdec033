"""All that a turn reads before the model is asked."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlmodel import Session, col, select

from bot import replies
from bot.agent.history import Past
from bot.replies import Answering
from models import appointment, message, run
from models.conversation import Claim
from models.customer import Customer
from models.handoff import Handoff
from models.message import Direction, Message
from models.run import Run, RunStep
from models.tenant import Tenant
from tools import speech

LINES_LOADED = 120
EPISODES_LOADED = 10


@dataclass(frozen=True)
class Material:
    """What there is to answer, what was before, and what a crashed worker left behind."""

    tenant: Tenant
    customer_name: str
    appointments: tuple[str, ...]
    inputs: tuple[Message, ...]
    past: Past
    left: Run | None  # what a crashed worker left behind
    left_steps: list[RunStep]
    answering: Answering


def load(session: Session, now: datetime, claim: Claim, turns: int) -> Material:
    """Read it in one transaction; `turns` is how many earlier runs the history may show."""
    tenant = session.get_one(Tenant, claim.tenant_id)
    customer = session.get_one(Customer, claim.customer_id)
    lines = message.transcript(session, claim.tenant_id, claim.conversation_id, limit=LINES_LOADED)
    left = run.left_behind(session, claim)
    inputs = _inputs(lines, claim, left.through_seq if left else claim.through_seq)
    if not inputs:
        # Its messages are too far back to be loaded: what is newer is answered anew.
        left, inputs = None, _inputs(lines, claim, claim.through_seq)
    runs = _runs(session, claim, turns + 1)
    steps = run.steps(session, [one.id for one in runs if one.id is not None])
    return Material(
        tenant=tenant,
        customer_name=customer.name,
        appointments=tuple(
            speech.appointment_line(details, tenant.zone)
            for details in appointment.upcoming(session, claim.tenant_id, claim.customer_id, now)
        ),
        inputs=inputs,
        past=Past(
            messages=[
                line for line in lines if line.direction == Direction.OUT or line.seq <= claim.answered_seq
            ],
            runs=runs,
            steps=steps,
            episodes=_episodes(session, claim),
            zone=tenant.zone,
        ),
        left=left,
        left_steps=steps.get(left.id or 0, []) if left else [],
        answering=_answering(session, now, tenant, customer, lines, inputs),
    )


def _answering(
    session: Session,
    now: datetime,
    tenant: Tenant,
    customer: Customer,
    lines: Sequence[Message],
    inputs: Sequence[Message],
) -> Answering:
    if not inputs or customer.id is None:
        return Answering()
    talk = [line for line in lines if line.seq <= inputs[-1].seq]
    return replies.read(session, now, tenant, customer.id, talk, inputs[0].seq)


def _inputs(lines: Sequence[Message], claim: Claim, through: int) -> tuple[Message, ...]:
    return tuple(
        line for line in lines if line.direction == Direction.IN and claim.answered_seq < line.seq <= through
    )


def _runs(session: Session, claim: Claim, most: int) -> Sequence[Run]:
    query = (
        select(Run)
        .where(Run.tenant_id == claim.tenant_id, Run.conversation_id == claim.conversation_id)
        .order_by(col(Run.id).desc())
        .limit(most)
    )
    return list(reversed(session.exec(query).all()))


def _episodes(session: Session, claim: Claim) -> Sequence[Handoff]:
    query = (
        select(Handoff)
        .where(
            Handoff.tenant_id == claim.tenant_id,
            Handoff.conversation_id == claim.conversation_id,
            col(Handoff.closed_at).is_not(None),
        )
        .order_by(col(Handoff.id).desc())
        .limit(EPISODES_LOADED)
    )
    return list(reversed(session.exec(query).all()))
