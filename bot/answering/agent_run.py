"""A turn that the model answers: the loop, made from what was read, and the decision that comes of it."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import structlog

from bot.agent import history, prompt
from bot.agent.cost import Account
from bot.agent.guardrails.evidence import Evidence
from bot.agent.history import Past
from bot.agent.loop import Answered, HandedOff, Limits, Loop, Outcome
from bot.agent.recorder import RunRecorder
from bot.agent.replay import replay
from bot.agent.state import Progress
from bot.answering import media_input, offered_choices
from bot.answering.commit import parts_of
from bot.answering.context import TurnContext
from bot.answering.decision import HandOver, Reply, RunEnd
from bot.core.services import Services
from bot.core.settings import Settings
from bot.intents.choices import Question
from bot.llm.base import Block, ModelClient
from models import catalog, conversation, run
from models.catalog import Offer
from models.handoff import Reason
from models.message import Author
from models.run import NewStep, Run, RunStep, StepKind
from tools import TOOLS
from tools.contract import ToolContext
from tools.facts import Upcoming
from tools.toolbox import Toolbox

log = structlog.get_logger()


@dataclass(frozen=True)
class AgentRun:
    """A run that is begun, here or by a worker that crashed: then `steps` are what that one recorded."""

    services: Services
    turn: TurnContext
    run_id: int
    through_seq: int
    loop: Loop
    recorder: RunRecorder
    steps: list[RunStep]

    def decide(self) -> tuple[Reply | HandOver, RunEnd]:
        """Run the loop, from where a crashed worker left it."""
        final = replay(self.loop.progress, self.loop.toolbox, self.steps, self.loop.limits)
        if final is None:
            outcome = sayable(self.loop.run())
        else:
            outcome = sayable(self.loop.after_final(*final, self.loop.progress.wants_person or ""))
        totals = self.recorder.account.totals()
        match outcome:
            case Answered(text):
                return self._reply(text), RunEnd(self.run_id, self.through_seq, run.Outcome.ANSWERED, totals)
            case HandedOff(reason, text, writes, detail):
                end = RunEnd(self.run_id, self.through_seq, run.Outcome.HANDED_OFF, totals)
                return HandOver(reason, text, writes, detail), end

    def _reply(self, text: str) -> Reply:
        asked = self._question(text) if self.turn.tenant.buttons else None
        if asked is None:
            return Reply(text, Author.BOT)
        # Beside a list the text has numbers, for where no list can be sent.
        body = asked.numbered() if asked.button else asked.body
        return Reply(body, Author.BOT, asked.extra(tappable=True))

    def _question(self, text: str) -> Question | None:
        """What the answer lets the customer tap; None where it asks nothing, or takes several messages."""
        parts = parts_of(text)
        if len(parts) != 1:
            return None
        with self.services.db.reading() as session:
            done = run.steps(session, [self.run_id])[self.run_id]
        return offered_choices.of_run(parts[0], done)


def sayable(outcome: Outcome) -> Outcome:
    """Words of which WhatsApp would show nothing are no words."""
    if outcome.text is None or parts_of(outcome.text):
        return outcome
    if isinstance(outcome, Answered):
        return HandedOff(Reason.RESPOSTA_VAZIA, writes=outcome.writes)
    return replace(outcome, text=None)


def begin(services: Services, turn: TurnContext) -> AgentRun:
    """Begin a run, or take up the one that was left behind. Raises LeaseLost."""
    model, steps = services.model_for(turn.tenant), turn.left_steps
    blocks = _input_blocks(turn, steps)
    shown = media_input.with_pictures(services, turn, blocks)
    if turn.left is not None and turn.left.id is not None:
        run_id, through = turn.left.id, turn.left.through_seq
        log.info("run_resumed", run=run_id, steps=len(steps))
    else:
        run_id, through = _start_run(services, turn, model, blocks), turn.claim.through_seq
    account = Account(services.prices, model.provider, model.model)
    account.add_steps(steps)
    recorder = RunRecorder(services.db, turn.claim, run_id, services.now, account, position=len(steps) or 1)
    loop = _loop(services, turn, model, recorder, shown)
    return AgentRun(services, turn, run_id, through, loop, recorder, steps)


def _start_run(services: Services, turn: TurnContext, model: ModelClient, blocks: list[Block]) -> int:
    """A run and its first step, that which opens it."""
    claim, now = turn.claim, services.now()
    version = prompt.version(prompt.system_prompt(turn.tenant), prompt.tool_specs(TOOLS))
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


def _input_blocks(turn: TurnContext, steps: Sequence[RunStep]) -> list[Block]:
    """What opens the run; a resumed run repeats its own, byte for byte."""
    for step in steps:
        if step.kind == StepKind.INPUT:
            blocks: list[Block] = step.content
            return blocks
    facts = prompt.TurnFacts(
        now=turn.now,
        tenant=turn.tenant,
        customer_name=turn.customer_name,
        appointments=turn.appointments,
        known=(Upcoming(turn.visits), *turn.answering.facts),
        staff_note=_fresh_note(turn.past),
        written=turn.answering.lines,
    )
    return prompt.input_blocks(facts, turn.inputs)


def _fresh_note(past: Past) -> str:
    """The note with which people gave the conversation back, in the first turn after that."""
    if past.episodes and past.episodes[-1].closed_seq is not None:
        last = past.episodes[-1]
        answered_since = any(one.from_seq >= (last.closed_seq or 0) and one.outcome for one in past.runs)
        return "" if answered_since else last.note
    return ""


def _loop(
    services: Services, turn: TurnContext, model: ModelClient, recorder: RunRecorder, blocks: list[Block]
) -> Loop:
    settings = services.settings
    before = history.window(
        turn.past, max_turns=settings.agent_history_turns, max_tokens=settings.agent_history_tokens
    )
    return Loop(
        model=model,
        toolbox=Toolbox(
            TOOLS, _tool_context(services, turn), max_identical=settings.agent_max_identical_calls
        ),
        system=prompt.system_prompt(turn.tenant),
        specs=prompt.tool_specs(TOOLS),
        limits=_limits(settings),
        recorder=recorder,
        progress=Progress(
            messages=history.joined([*before, {"role": "user", "content": blocks}]),
        ),
        evidence=_evidence(services, turn),
    )


def _tool_context(services: Services, turn: TurnContext) -> ToolContext:
    claim = turn.claim
    return ToolContext(
        db=services.db,
        tenant_id=claim.tenant_id,
        customer_id=claim.customer_id,
        conversation_id=claim.conversation_id,
        turn_key=f"{claim.conversation_id}:{claim.answered_seq}",
        now=services.now(),
        hold=lambda session: conversation.hold(session, claim),
    )


def _evidence(services: Services, turn: TurnContext) -> Evidence:
    def offers() -> Sequence[Offer]:
        with services.db.reading() as session:
            return catalog.offers(session, turn.claim.tenant_id)

    return Evidence(
        appointments=turn.appointments,
        today=services.now().astimezone(turn.tenant.zone).date(),
        waits=tuple(line for line in turn.answering.lines if "lista de espera" in line),
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
