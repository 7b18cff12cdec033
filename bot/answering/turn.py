"""One conversation, one turn: claim → agent → commit. No transaction is held while the model thinks."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

import structlog
from sqlmodel import Session

from bot.agent import history, prompt
from bot.agent.cost import Account
from bot.agent.guardrails.evidence import Evidence
from bot.agent.history import Past
from bot.agent.loop import Answered, HandedOff, Limits, Loop, Outcome
from bot.agent.recorder import RunRecorder
from bot.agent.replay import replay
from bot.agent.state import Progress, is_visible
from bot.answering import media_input, offered_choices, shortcuts, waitlist_leave
from bot.answering.context import Material, load
from bot.answering.shortcuts import Plain
from bot.core.services import Services
from bot.core.settings import Settings
from bot.intents import choices
from bot.intents.choices import Question
from bot.llm.base import Block, ModelClient, ToolSpec
from bot.sending import fixed_texts
from bot.whatsapp.formatting import whatsapp_text
from bot.whatsapp.text_parts import split
from models import appointment, audit, catalog, conversation, handoff, message, run, usage
from models.catalog import Offer
from models.conversation import Claim
from models.errors import LeaseLost, NotFound, Refusal
from models.handoff import Reason
from models.message import Author
from models.run import NewStep, Run, RunStep, StepKind
from models.tenant import Tenant
from models.usage import Limit, Over
from tools import TOOLS
from tools.contract import ToolContext
from tools.toolbox import Toolbox

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
        material = load(session, services.now(), claim, services.settings.agent_history_turns)
        # A run that was begun is finished: it was counted when it began.
        over = _over_limit(session, services, claim, material.tenant) if material.left is None else None
    if not material.inputs:
        with services.db.writing() as session:
            conversation.finish(session, claim, answered_seq=claim.through_seq)
        return
    if material.left is None and _receive(services, claim, material, over):
        return
    if services.typing is not None:
        services.typing(material.tenant, material.inputs[-1].provider_sid or "")
    turn = _begin(services, claim, material)
    outcome = turn.outcome()
    _commit(services, turn, outcome)


def _receive(services: Services, claim: Claim, material: Material, over: Over | None) -> bool:
    """Answer what needs no model, or may not have one; says whether that was all."""
    if (wish := shortcuts.wish(material)) is not None:
        _answer_plainly(services, claim, wish)
        return True
    if waitlist_leave.answer(services, claim, material):
        return True
    if material.answering.confirms and _confirm(services, claim, material):
        return True
    if over is not None:
        _pause(services, claim, over)
        return True
    media_input.hear(services, claim, material)
    media_input.see(services, claim, material)
    _note_choice(services, claim, material)
    match shortcuts.answer(material):
        case Plain() as plain:
            _answer_plainly(services, claim, plain)
        case Reason() as reason:
            _to_people(services, claim, reason)
        case None:
            return False
    return True


def _note_choice(services: Services, claim: Claim, material: Material) -> None:
    """Keep with a "2" what it chose: later nobody would know."""
    line, choice = shortcuts.choice(material) or (None, None)
    if line is not None and choice is not None and choices.tells_more(choice.id):
        with services.db.writing() as session:
            conversation.hold(session, claim)
            message.annotate(session, line, chosen=choice.id)


@dataclass(frozen=True)
class Turn:
    """A turn that has a run: what it needs to think, and to commit."""

    claim: Claim
    tenant: Tenant
    run_id: int
    through_seq: int
    loop: Loop
    recorder: RunRecorder
    steps: list[RunStep]

    def outcome(self) -> Outcome:
        """Run the loop, from where a crashed worker left it."""
        final = replay(self.loop.progress, self.loop.toolbox, self.steps, self.loop.limits)
        if final is None:
            return sayable(self.loop.run())
        return sayable(self.loop.after_final(*final, self.loop.progress.wants_person or ""))


def sayable(outcome: Outcome) -> Outcome:
    """Words of which WhatsApp would show nothing are no words."""
    if outcome.text is None or _parts(outcome.text):
        return outcome
    if isinstance(outcome, Answered):
        return HandedOff(Reason.RESPOSTA_VAZIA, writes=outcome.writes)
    return replace(outcome, text=None)


def _parts(text: str) -> list[str]:
    return [part for part in split(whatsapp_text(text)) if is_visible(part)]


def _begin(services: Services, claim: Claim, material: Material) -> Turn:
    model = services.model()
    system = prompt.system_prompt(material.tenant)
    specs = prompt.tool_specs(TOOLS)
    steps = material.left_steps
    blocks = _input_blocks(services, material, steps)
    shown = media_input.with_pictures(services, material, blocks)
    if material.left is not None and material.left.id is not None:
        run_id, through = material.left.id, material.left.through_seq
        log.info("run_resumed", run=run_id, steps=len(steps))
    else:
        through = claim.through_seq
        run_id = _start_run(services, claim, model, prompt.version(system, specs), blocks)
    account = Account(services.prices, model.provider, model.model)
    account.add_steps(steps)
    recorder = RunRecorder(services.db, claim, run_id, services.now, account, position=len(steps) or 1)
    return Turn(
        claim=claim,
        tenant=material.tenant,
        run_id=run_id,
        through_seq=through,
        loop=_loop(services, claim, material, model, system, specs, recorder, shown),
        recorder=recorder,
        steps=steps,
    )


def _start_run(
    services: Services, claim: Claim, model: ModelClient, version: str, blocks: list[Block]
) -> int:
    """A run and its first step, that which opens it."""
    now = services.now()
    new = Run(
        tenant_id=claim.tenant_id,
        conversation_id=claim.conversation_id,
        from_seq=claim.answered_seq,
        through_seq=claim.through_seq,
        epoch=claim.epoch,
        provider=model.provider,
        model=model.model,
        prompt_version=version,
        started_at=now,
    )
    with services.db.writing() as session:
        conversation.hold(session, claim)
        run.supersede(session, now, claim)
        run_id = run.start(session, new)
        run.add_step(session, now, claim, run_id, 0, NewStep(StepKind.INPUT, blocks))
    return run_id


def _input_blocks(services: Services, material: Material, steps: Sequence[RunStep]) -> list[Block]:
    """What opens the run; a resumed run repeats its own, byte for byte."""
    for step in steps:
        if step.kind == StepKind.INPUT:
            blocks: list[Block] = step.content
            return blocks
    facts = prompt.TurnFacts(
        now=services.now(),
        tenant=material.tenant,
        customer_name=material.customer_name,
        appointments=material.appointments,
        staff_note=_fresh_note(material.past),
        written=material.answering.lines,
    )
    return prompt.input_blocks(facts, material.inputs)


def _fresh_note(past: Past) -> str:
    """The note with which people gave the conversation back, in the first turn after that."""
    if past.episodes and past.episodes[-1].closed_seq is not None:
        last = past.episodes[-1]
        answered_since = any(one.from_seq >= (last.closed_seq or 0) and one.outcome for one in past.runs)
        return "" if answered_since else last.note
    return ""


def _loop(
    services: Services,
    claim: Claim,
    material: Material,
    model: ModelClient,
    system: str,
    specs: tuple[ToolSpec, ...],
    recorder: RunRecorder,
    blocks: list[Block],
) -> Loop:
    settings = services.settings
    before = history.window(
        material.past, max_turns=settings.agent_history_turns, max_tokens=settings.agent_history_tokens
    )
    context = ToolContext(
        db=services.db,
        tenant_id=claim.tenant_id,
        customer_id=claim.customer_id,
        conversation_id=claim.conversation_id,
        turn_key=f"{claim.conversation_id}:{claim.answered_seq}",
        now=services.now(),
        hold=lambda session: conversation.hold(session, claim),
    )
    return Loop(
        model=model,
        toolbox=Toolbox(TOOLS, context, max_identical=settings.agent_max_identical_calls),
        system=system,
        specs=specs,
        limits=_limits(settings),
        recorder=recorder,
        progress=Progress(
            messages=history.joined([*before, {"role": "user", "content": blocks}]),
        ),
        evidence=_evidence(services, claim, material),
    )


def _evidence(services: Services, claim: Claim, material: Material) -> Evidence:
    def offers() -> Sequence[Offer]:
        with services.db.reading() as session:
            return catalog.offers(session, claim.tenant_id)

    return Evidence(
        appointments=material.appointments,
        today=services.now().astimezone(material.tenant.zone).date(),
        waits=tuple(line for line in material.answering.lines if "lista de espera" in line),
        offers=offers,
    )


def _limits(settings: Settings) -> Limits:
    return Limits(
        max_iterations=settings.agent_max_iterations,
        max_input_tokens=settings.agent_max_input_tokens,
        max_tokens=settings.agent_max_tokens,
        retry_max_tokens=settings.agent_retry_max_tokens,
        seconds=settings.agent_timeout_seconds,
        call_seconds=settings.llm_timeout_seconds,
    )


# Committing


def _commit(services: Services, turn: Turn, outcome: Outcome) -> None:
    """All or nothing: the answer queued, the hand-over opened, the watermark moved, the run closed."""
    now = services.now()
    with services.db.writing() as session:
        match outcome:
            case Answered(text):
                _queue_answer(session, now, turn, text)
                run.end(session, turn.run_id, now, run.Outcome.ANSWERED, **turn.recorder.account.totals())
            case HandedOff():
                _hand_over(session, now, turn, outcome)
    log.info("run_ended", run=turn.run_id, outcome=_outcome_name(outcome), **turn.recorder.account.totals())


def _outcome_name(outcome: Outcome) -> str:
    return f"handed_off:{outcome.reason}" if isinstance(outcome, HandedOff) else "answered"


def _queue_answer(session: Session, now: datetime, turn: Turn, text: str) -> None:
    claim = turn.claim
    conversation.finish(session, claim, answered_seq=turn.through_seq)
    asked = _question(session, turn, text) if turn.tenant.buttons else None
    extra = None
    if asked is not None:
        # Beside a list the text has numbers, for where no list can be sent.
        text, extra = asked.numbered() if asked.button else asked.body, asked.extra(tappable=True)
    author, epoch, run_id = Author.BOT, claim.epoch, turn.run_id
    _queue(session, now, claim, text, author=author, epoch=epoch, run_id=run_id, extra=extra)


def _question(session: Session, turn: Turn, text: str) -> Question | None:
    """What the answer lets the customer tap; None where it is too long for one message, or asks nothing."""
    parts = _parts(text)
    if len(parts) != 1:
        return None
    done = run.steps(session, [turn.run_id])[turn.run_id]
    found = [
        offered_choices.Found(step.content["name"], step.content["input"], step.content["text"])
        for step in done
        if step.kind == StepKind.RESULT
    ]
    return offered_choices.question(parts[0], found)


def _hand_over(session: Session, now: datetime, turn: Turn, outcome: HandedOff) -> None:
    claim = turn.claim
    conversation.hand_over(session, claim, answered_seq=turn.through_seq)
    text = fixed_texts.handoff_text(
        outcome.reason, turn.tenant, now, said=outcome.text, writes=outcome.writes
    )
    author = Author.BOT if outcome.text else Author.SYSTEM
    # Without an epoch: these words go out even if somebody takes the conversation at once.
    _queue(session, now, claim, text, author=author, epoch=None, run_id=turn.run_id)
    handoff.open_episode(
        session,
        now,
        claim.tenant_id,
        claim.conversation_id,
        reason=outcome.reason,
        trigger_seq=turn.through_seq,
        run_id=turn.run_id,
        detail=outcome.detail,
    )
    run.end(
        session,
        turn.run_id,
        now,
        run.Outcome.HANDED_OFF,
        handoff_reason=outcome.reason,
        **turn.recorder.account.totals(),
    )


def _queue(
    session: Session,
    now: datetime,
    claim: Claim,
    text: str,
    *,
    author: Author,
    epoch: int | None,
    run_id: int | None,
    extra: Mapping[str, object] | None = None,
) -> None:
    """Queue a text in its parts; what it lets the customer choose stands with the last one."""
    parts = _parts(text)
    for number, part in enumerate(parts, 1):
        message.add(
            session,
            now,
            claim.tenant_id,
            claim.conversation_id,
            author=author,
            text=part,
            epoch=epoch,
            run_id=run_id,
            extra=extra if number == len(parts) else None,
        )


# When there is no run


def _answer_plainly(services: Services, claim: Claim, plain: Plain) -> None:
    now = services.now()
    with services.db.writing() as session:
        conversation.finish(session, claim, answered_seq=claim.through_seq)
        message.add(
            session,
            now,
            claim.tenant_id,
            claim.conversation_id,
            author=Author.SYSTEM,
            text=plain.text,
            epoch=claim.epoch,
            extra=plain.extra,
        )
    log.info("answered_plainly")


def _confirm(services: Services, claim: Claim, material: Material) -> bool:
    """Note that the customer comes to the visit of their reminder; False if it is not ahead any more."""
    now, visit = services.now(), material.answering.visit
    assert visit is not None
    try:
        with services.db.writing() as session:
            # The appointment before the conversation: whoever changes it for staff locks them in this order.
            appointment.confirm(session, now, claim.tenant_id, claim.customer_id, visit.id)
            conversation.finish(session, claim, answered_seq=claim.through_seq)
            audit.record(session, now, claim.tenant_id, "appointment.confirm", subject_id=visit.id)
            text = fixed_texts.confirmed(material.tenant, visit, now)
            _queue(session, now, claim, text, author=Author.SYSTEM, epoch=claim.epoch, run_id=None)
    except (NotFound, Refusal):
        return False
    log.info("visit_confirmed", appointment=visit.id)
    return True


def _over_limit(session: Session, services: Services, claim: Claim, tenant: Tenant) -> Over | None:
    settings = services.settings
    return usage.over(
        session,
        services.now(),
        tenant,
        claim.conversation_id,
        customer=Limit(settings.limit_customer_runs_per_day, settings.limit_customer_input_tokens_per_day),
        business=Limit(settings.limit_tenant_runs_per_day, settings.limit_tenant_input_tokens_per_day),
    )


def _pause(services: Services, claim: Claim, over: Over) -> None:
    """Over a limit the model is not asked: a fixed text, and the human queue."""
    log.warning("usage_limit_reached", scope=over.scope, runs=over.used.runs, tokens=over.used.input_tokens)
    _to_people(services, claim, Reason.LIMITE_DE_USO, fixed_texts.limit_detail(over))


def _to_people(services: Services, claim: Claim, reason: Reason, detail: str = "") -> None:
    with services.db.writing() as session:
        _hand_over_plainly(session, services.now(), claim, reason, detail=detail)


def _hand_over_plainly(
    session: Session,
    now: datetime,
    claim: Claim,
    reason: Reason,
    *,
    left: Run | None = None,
    detail: str = "",
) -> None:
    """A fixed text, with what the run that is `left` behind did, and the human queue."""
    run_id = left.id if left else None
    conversation.hand_over(session, claim, answered_seq=claim.through_seq)
    tenant = session.get_one(Tenant, claim.tenant_id)
    text = fixed_texts.handoff_text(reason, tenant, now, said=None, writes=_writes(session, run_id))
    _queue(session, now, claim, text, author=Author.SYSTEM, epoch=None, run_id=run_id)
    handoff.open_episode(
        session,
        now,
        claim.tenant_id,
        claim.conversation_id,
        reason=reason,
        trigger_seq=claim.through_seq,
        run_id=run_id,
        detail=detail,
    )


# When things go wrong


def _superseded(services: Services, claim: Claim) -> None:
    """The conversation went into other hands meanwhile: nothing of this run is sent."""
    log.info("run_superseded")
    with services.db.writing() as session:
        left = run.unfinished(session, claim.tenant_id, claim.conversation_id)
        row = conversation.find(session, claim.tenant_id, claim.conversation_id)
        # Where only the lease went to another worker, the run is that worker's to finish.
        if left is not None and left.id is not None and row.epoch != left.epoch:
            totals = _totals(session, services, left)
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
    now = services.now()
    with services.db.writing() as session:
        left = run.left_behind(run.latest(session, claim, 1), claim)
        _hand_over_plainly(session, now, claim, Reason.ERRO_INTERNO, left=left)
        if left is not None and left.id is not None:
            totals = _totals(session, services, left)
            run.end(session, left.id, now, run.Outcome.CRASHED, handoff_reason=Reason.ERRO_INTERNO, **totals)


def _totals(session: Session, services: Services, left: Run) -> dict[str, object]:
    """What a run that ends without an answer has cost all the same."""
    assert left.id is not None
    account = Account(services.prices, left.provider, left.model)
    account.add_steps(run.steps(session, [left.id])[left.id])
    return account.totals()


def _writes(session: Session, run_id: int | None) -> list[str]:
    """What write tools did in a run: the customer is told, however the run ends."""
    writers = {tool.name for tool in TOOLS if tool.writes}
    steps = run.steps(session, [run_id])[run_id] if run_id is not None else []
    return [
        step.content["text"]
        for step in steps
        if step.kind == StepKind.RESULT and not step.is_error and step.content["name"] in writers
    ]
