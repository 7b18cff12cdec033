"""One turn: claim → shortcut or agent → commit. Nothing is locked while the model thinks."""

from collections.abc import Sequence
from datetime import timedelta

import structlog
from sqlmodel import Session

from bot.agent.cost import Account
from bot.answering import agent_run, media_input
from bot.answering.commit import commit
from bot.answering.context import TurnContext, load
from bot.answering.decision import HandOver, RunEnd
from bot.answering.shortcuts import SHORTCUTS, SHORTCUTS_ONCE_HEARD, Shortcut
from bot.core.services import Services
from models import conversation, run
from models.conversation import Claim
from models.errors import LeaseLost
from models.handoff import Reason
from models.run import Run, RunStep, StepKind
from models.tenant import Tenant
from tools import TOOLS

log = structlog.get_logger()

LEASE = timedelta(seconds=30)
MAX_ATTEMPTS = 3
RETRY_AFTER = timedelta(seconds=2)


def take_turn(services: Services) -> bool:
    """Claim the conversation that is due longest and answer it. False if there was none."""
    with services.db.writing() as session:
        claim = conversation.claim(session, services.now(), LEASE)
    if claim is None:
        return False
    answer(services, claim)
    return True


def answer(services: Services, claim: Claim) -> None:
    """Answer one claimed conversation; whatever fails, the claim ends with a message to the customer."""
    with structlog.contextvars.bound_contextvars(conversation=claim.conversation_id, tenant=claim.tenant_id):
        try:
            _answer(services, claim)
        except LeaseLost:
            _superseded(services, claim)
        except Exception:  # the last net: a bug must not leave the customer in silence
            log.exception("turn_failed", attempt=claim.attempts)
            _fail(services, claim)


def _answer(services: Services, claim: Claim) -> None:
    if claim.attempts > MAX_ATTEMPTS:
        _give_up(services, claim)
        return
    with services.db.reading() as session:
        turn = load(session, services.now(), claim, services.settings)
    if turn.left is None and _needs_no_model(services, turn):
        return
    if services.typing is not None:
        services.typing(turn.tenant, turn.inputs[-1].provider_sid or "")
    agent = agent_run.begin(services, turn)
    decision, ended = agent.decide()
    commit(services, claim, turn.tenant, decision, ended)


def _needs_no_model(services: Services, turn: TurnContext) -> bool:
    """Answer what needs no model, or may not have one; says whether that was all."""
    if _shortcut(services, turn, SHORTCUTS):
        return True
    media_input.hear(services, turn)
    media_input.see(services, turn)
    return _shortcut(services, turn, SHORTCUTS_ONCE_HEARD)


def _shortcut(services: Services, turn: TurnContext, shortcuts: Sequence[Shortcut]) -> bool:
    """Commit what the first of them decides that ends the turn; False if none does."""
    decisions = (decision for shortcut in shortcuts if (decision := shortcut(turn)) is not None)
    return any(commit(services, turn.claim, turn.tenant, decision) for decision in decisions)


# When things go wrong


def _superseded(services: Services, claim: Claim) -> None:
    """The conversation went into other hands meanwhile: nothing of this run is sent."""
    log.info("run_superseded")
    with services.db.writing() as session:
        left = run.unfinished(session, claim.tenant_id, claim.conversation_id)
        row = conversation.find(session, claim.tenant_id, claim.conversation_id)
        # Where only the lease went to another worker, the run is that worker's to finish.
        if left is not None and left.id is not None and row.epoch != left.epoch:
            totals = _totals(services, left, run.steps(session, [left.id])[left.id])
            run.end(session, left.id, services.now(), run.Outcome.SUPERSEDED, **totals)


def _fail(services: Services, claim: Claim) -> None:
    """After a bug: another try a little later, or the emergency exit when there were enough of them."""
    try:
        if claim.attempts >= MAX_ATTEMPTS:
            _give_up(services, claim)
            return
        with services.db.writing() as session:
            conversation.release(session, claim, services.now() + RETRY_AFTER * claim.attempts)
    except LeaseLost:
        _superseded(services, claim)
    except Exception:  # the database itself is away: the lease ends by itself, and another tries
        log.exception("turn_not_released")


def _give_up(services: Services, claim: Claim) -> None:
    """The emergency exit that needs neither model nor tools: a fixed text, and the human queue."""
    with services.db.reading() as session:
        tenant = session.get_one(Tenant, claim.tenant_id)
        left, steps = _left_behind(session, claim)
    decision = HandOver(Reason.ERRO_INTERNO, writes=_writes(steps))
    ended = None
    if left is not None and left.id is not None:
        ended = RunEnd(left.id, claim.through_seq, run.Outcome.CRASHED, _totals(services, left, steps))
    commit(services, claim, tenant, decision, ended)


def _left_behind(session: Session, claim: Claim) -> tuple[Run | None, list[RunStep]]:
    left = run.left_behind(run.latest(session, claim, 1), claim)
    if left is None or left.id is None:
        return None, []
    return left, run.steps(session, [left.id])[left.id]


def _totals(services: Services, left: Run, steps: Sequence[RunStep]) -> dict[str, object]:
    """What a run that ends without an answer has cost all the same."""
    account = Account(services.prices, left.provider, left.model)
    account.add_steps(steps)
    return account.totals()


def _writes(steps: Sequence[RunStep]) -> tuple[str, ...]:
    """What write tools did in a run: the customer is told, however the run ends."""
    writers = {tool.name for tool in TOOLS if tool.writes}
    results = [step for step in steps if step.kind == StepKind.RESULT and not step.is_error]
    return tuple(step.content["text"] for step in results if step.content["name"] in writers)
