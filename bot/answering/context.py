"""All that a turn reads before the model is asked."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime

from sqlmodel import Session

from bot.agent.history import Past
from bot.answering import reminder_replies
from bot.answering.reminder_replies import Answering
from bot.core.settings import Settings
from models import appointment, handoff, message, run, usage
from models.conversation import Claim
from models.customer import Customer
from models.message import Direction, Message
from models.run import Run, RunStep
from models.tenant import Tenant
from models.usage import Limit, Over
from tools import portuguese
from tools.facts import Visit

LINES_LOADED = 120
EPISODES_LOADED = 10


@dataclass(frozen=True)
class TurnContext:
    """What there is to answer, what was before, and what a crashed worker left behind."""

    claim: Claim
    now: datetime
    tenant: Tenant
    customer_name: str
    appointments: tuple[str, ...]
    visits: tuple[Visit, ...]
    inputs: tuple[Message, ...]
    past: Past
    left: Run | None  # what a crashed worker left behind
    left_steps: list[RunStep]
    answering: Answering
    over: Over | None  # the limit that forbids another run
    pictures: dict[int, bytes] = field(default_factory=dict)  # by the id of the line that brought it


def load(session: Session, now: datetime, claim: Claim, settings: Settings) -> TurnContext:
    """Read it in one transaction."""
    tenant = session.get_one(Tenant, claim.tenant_id)
    customer = session.get_one(Customer, claim.customer_id)
    lines = message.transcript(session, claim.tenant_id, claim.conversation_id, limit=LINES_LOADED)
    runs = run.latest(session, claim, settings.agent_history_turns + 1)
    steps = run.steps(session, [one.id for one in runs if one.id is not None])
    left = run.left_behind(runs, claim)
    inputs = _inputs(lines, claim, left.through_seq if left else claim.through_seq)
    if not inputs:
        # Its messages are too far back to be loaded: what is newer is answered anew.
        left, inputs = None, _inputs(lines, claim, claim.through_seq)
    upcoming = appointment.upcoming(session, claim.tenant_id, claim.customer_id, now)
    return TurnContext(
        claim=claim,
        now=now,
        tenant=tenant,
        customer_name=customer.name,
        appointments=tuple(portuguese.appointment_line(details, tenant.zone) for details in upcoming),
        visits=tuple(Visit.of(details, tenant.zone) for details in upcoming),
        inputs=inputs,
        past=Past(
            messages=[
                line for line in lines if line.direction == Direction.OUT or line.seq <= claim.answered_seq
            ],
            runs=runs,
            steps=steps,
            episodes=handoff.closed(session, claim.tenant_id, claim.conversation_id, EPISODES_LOADED),
            zone=tenant.zone,
        ),
        left=left,
        left_steps=steps.get(left.id or 0, []) if left else [],
        answering=_answering(session, now, tenant, customer, lines, inputs),
        # A run that was begun is finished: it was counted when it began.
        over=None if left else _over_limit(session, now, claim, tenant, settings),
    )


def _over_limit(
    session: Session, now: datetime, claim: Claim, tenant: Tenant, settings: Settings
) -> Over | None:
    return usage.over(
        session,
        now,
        tenant,
        claim.conversation_id,
        customer=Limit(settings.limit_customer_runs_per_day, settings.limit_customer_input_tokens_per_day),
        business=Limit(settings.limit_tenant_runs_per_day, settings.limit_tenant_input_tokens_per_day),
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
    return reminder_replies.read(session, now, tenant, customer.id, talk, inputs[0].seq)


def _inputs(lines: Sequence[Message], claim: Claim, through: int) -> tuple[Message, ...]:
    return tuple(
        line for line in lines if line.direction == Direction.IN and claim.answered_seq < line.seq <= through
    )
