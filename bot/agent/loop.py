"""The loop around the model: a closed table from stop reason to step, the brakes, the emergency exit.

It is given a model, a toolbox, limits and a recorder, and knows neither Flask nor Twilio nor SQL. What it
returns is closed: an answer, or a hand-over with the words that could still be found for the customer.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Protocol

import structlog

from bot.agent import guardrails, nudges
from bot.agent.guardrails.evidence import Evidence
from bot.agent.history import estimate
from bot.agent.state import PAUSE, Progress, calls_of, text_of
from bot.agent.stop_reasons import LEAVES_NO_TRACE, Step, step_after
from bot.llm.base import ModelClient, ModelError, ModelReply, ModelRequest, ToolSpec
from bot.llm.request_rules import broken_rules
from models.handoff import Reason
from tools.toolbox import Result, Toolbox

log = structlog.get_logger()

MAX_PAUSES = 2
MAX_CALLS = 12  # of one answer: no wish needs half of them, and each is work for the database and the model
FINAL_SECONDS = 15.0  # kept back from the wall clock for the forced final answer


@dataclass(frozen=True)
class Limits:
    """The brakes of one run. Seconds are wall clock."""

    max_iterations: int
    max_input_tokens: int
    max_tokens: int
    retry_max_tokens: int
    seconds: float
    call_seconds: float


class Recorder(Protocol):
    """Writes down what happens, as it happens. May raise to stop the run (a lost lease)."""

    def answer(self, reply: ModelReply, *, kept: bool, milliseconds: int) -> None: ...
    def result(self, result: Result) -> None: ...
    def nudge(self, kind: str, text: str) -> None: ...
    def final(self, reply: ModelReply, reason: Reason, *, milliseconds: int) -> None: ...


@dataclass(frozen=True)
class Answered:
    """The run is done: this text goes to the customer. `writes` as for HandedOff."""

    text: str
    writes: tuple[str, ...] = ()


@dataclass(frozen=True)
class HandedOff:
    """People take over. `text` is what the model could still say, or None: a fixed text is due then.

    `writes` are the results of what was done in this run, so that a fixed text can tell them. `detail` is the
    customer's motive in the model's words, for staff.
    """

    reason: Reason
    text: str | None = None
    writes: tuple[str, ...] = ()
    detail: str = ""


Outcome = Answered | HandedOff


@dataclass
class Loop:
    """One run. `progress` may come from a crashed one; `clock` counts seconds."""

    model: ModelClient
    toolbox: Toolbox
    system: str
    specs: tuple[ToolSpec, ...]
    limits: Limits
    recorder: Recorder
    progress: Progress
    evidence: Evidence
    clock: Callable[[], float] = time.monotonic

    def run(self) -> Outcome:
        """Until there is an outcome. Raises only what the recorder raises."""
        self._began = self.clock()
        while True:
            outcome = self._advance()
            if outcome is not None:
                return outcome

    def _advance(self) -> Outcome | None:
        """Do the one thing that is due."""
        progress = self.progress
        if progress.missing_calls:
            # After a crash: the calls of an answer that said it was finished are never run.
            self._run_tools() if progress.step is Step.RUN_TOOLS else self._refuse_calls()
            return None
        if progress.wants_person is not None:
            return self._force(Reason.PEDIDO_DO_CLIENTE, progress.wants_person)
        if progress.undecided is not None:
            return self._decide(progress.undecided)
        brake = self._brake()
        return self._force(brake) if brake else self._ask()

    def _brake(self) -> Reason | None:
        progress, limits = self.progress, self.limits
        if progress.iterations >= limits.max_iterations:
            return Reason.LIMITE_ITERACOES
        if self._left() <= self._reserve():
            return Reason.LIMITE_TEMPO
        if progress.iterations and progress.input_tokens + 2 * self._next_input() > limits.max_input_tokens:
            # Twice: the call that would follow, and the final answer after it.
            return Reason.LIMITE_TOKENS
        return None

    def _next_input(self) -> int:
        """Input tokens of the next call: what the last one took, its answer, and what has come since."""
        return self.progress.last_input_tokens + estimate(self.progress.messages[-2:])

    def _left(self) -> float:
        return self.limits.seconds - (self.clock() - self._began)

    def _reserve(self) -> float:
        return min(FINAL_SECONDS, self.limits.seconds / 4)

    # Asking

    def _ask(self) -> Outcome | None:
        max_tokens = self._max_tokens()
        request = ModelRequest(self.system, self.progress.messages, self.specs, "auto", max_tokens)
        began = self.clock()
        try:
            reply = self._send(request, self._left() - self._reserve())
        except ModelError as error:
            return self._no_answer(error)
        except InvalidRequest:
            return self._exit(Reason.ERRO_INTERNO)
        reply = replace(reply, content=self.progress.with_fresh_ids(reply.content))
        kept = step_after(reply, max_tokens) not in LEAVES_NO_TRACE
        self.recorder.answer(reply, kept=kept, milliseconds=_ms(self.clock() - began))
        self.progress.take_answer(reply, step_after(reply, max_tokens))
        return None

    def _max_tokens(self) -> int:
        return max_tokens(self.progress, self.limits)

    def _send(self, request: ModelRequest, seconds: float) -> ModelReply:
        broken = broken_rules(request)
        if broken:
            # Ours to fix: a request that is known to be refused is never sent.
            log.error("request_breaks_rules", rules=broken)
            raise InvalidRequest("; ".join(broken))
        return self.model.complete(request, seconds=max(0.1, min(self.limits.call_seconds, seconds)))

    def _no_answer(self, error: ModelError) -> Outcome:
        log.warning("model_failed", kind=error.kind, error=str(error))
        if self._left() <= self._reserve():
            return self._force(Reason.LIMITE_TEMPO)
        return self._exit(Reason.MODELO_INDISPONIVEL)

    # Deciding

    def _decide(self, reply: ModelReply) -> Outcome | None:
        match self.progress.step:
            case Step.ANSWER:
                return self._answer(reply)
            case Step.RUN_TOOLS:
                return self._nudge_or_exit("empty", nudges.NUDGE_EMPTY, Reason.RESPOSTA_VAZIA)
            case Step.RESUME:
                return self._resume()
            case Step.TRUNCATED:
                return self._truncated(reply)
            case Step.REFUSED:
                log.info("model_refused", detail=reply.detail)
                return self._exit(Reason.REFUSAL)
            case Step.UNKNOWN:
                log.error("unknown_stop_reason", stop_reason=reply.stop_reason)
                return self._exit(Reason.STOP_REASON_DESCONHECIDO)

    def _answer(self, reply: ModelReply) -> Outcome | None:
        if calls_of(reply.content):
            self.progress.keep(reply.content)
            return None
        text = text_of(reply.content)
        if not text:
            return self._nudge_or_exit("empty", nudges.NUDGE_EMPTY, Reason.RESPOSTA_VAZIA)
        fault = guardrails.fault(text, self._evidence(), final=bool(self.progress.broken_tools))
        if fault is not None:
            return self._nudge_or_exit(fault.kind, fault.nudge, fault.reason)
        if self.progress.broken_tools:
            return HandedOff(Reason.ERRO_INTERNO, text, tuple(self.progress.writes))
        return Answered(text, tuple(self.progress.writes))

    def _refuse_calls(self) -> None:
        """Calls in an answer that says it is finished: answered as not executed, and the model goes on."""
        for result in self.toolbox.not_executed(self.progress.missing_calls, nudges.CALL_AFTER_END):
            self.recorder.result(result)
            self.progress.take_result(result)

    def _nudge_or_exit(self, kind: str, text: str, reason: Reason) -> Outcome | None:
        if kind in self.progress.nudges:
            return self._exit(reason)
        self._nudge(kind, text)
        return None

    def _resume(self) -> Outcome | None:
        if self.progress.pauses >= MAX_PAUSES:
            return self._force(Reason.LIMITE_ITERACOES)
        # We have no server tools, so a list that ends with this answer would be refused as a prefill:
        # the answer goes back as it is, with a word of ours behind it.
        self._nudge(f"{PAUSE}{self.progress.pauses}", nudges.NUDGE_CONTINUE)
        return None

    def _nudge(self, kind: str, text: str) -> None:
        self.recorder.nudge(kind, text)
        self.progress.take_nudge(kind, text)

    def _truncated(self, reply: ModelReply) -> Outcome | None:
        if self.progress.cuts == 1:
            self.progress.drop()
            return None  # the same request once more, with room for a longer answer
        if calls_of(reply.content):
            return self._force(Reason.TOOL_USE_TRUNCADO)
        whole = nudges.whole_sentences(text_of(reply.content))
        if not whole or guardrails.fault(whole, self._evidence(), final=True):
            return self._exit(Reason.RESPOSTA_TRUNCADA)
        return HandedOff(Reason.RESPOSTA_TRUNCADA, whole, tuple(self.progress.writes))

    def _run_tools(self) -> None:
        def take(result: Result) -> None:
            self.recorder.result(result)
            self.progress.take_result(result)

        calls = self.progress.open_calls
        missing, excess = self.progress.missing_calls, calls[MAX_CALLS:]
        names = {call.name for call in calls}
        self.toolbox.execute([call for call in missing if call not in excess], take, beside=names)
        for result in self.toolbox.not_executed(
            [call for call in missing if call in excess], nudges.TOO_MANY_CALLS.format(most=MAX_CALLS)
        ):
            take(result)

    def _evidence(self) -> Evidence:
        return self.evidence.with_writes(self.progress.writes)

    # Ending

    def _exit(self, reason: Reason, detail: str = "") -> HandedOff:
        """Hand over without asking the model again."""
        return HandedOff(reason, None, tuple(self.progress.writes), detail)

    def _force(self, reason: Reason, detail: str = "") -> HandedOff:
        """One last call in which tools are not allowed; whatever it gives, the run ends."""
        self.progress.drop()
        messages = nudges.with_instruction(self.progress.messages, nudges.final_instruction(reason))
        request = ModelRequest(self.system, messages, self.specs, "none", self.limits.max_tokens)
        began = self.clock()
        try:
            reply = self._send(request, max(self._left(), self._reserve()))
        except (ModelError, InvalidRequest) as error:
            log.warning("final_answer_failed", reason=reason, error=str(error))
            return self._exit(reason, detail)
        self.recorder.final(reply, reason, milliseconds=_ms(self.clock() - began))
        return self.after_final(reply, reason, detail)

    def after_final(self, reply: ModelReply, reason: Reason, detail: str = "") -> HandedOff:
        """The outcome of a forced answer, fresh or recorded: its text if that may be sent."""
        text = text_of(reply.content)
        usable = step_after(reply, self.limits.max_tokens) == Step.ANSWER and not calls_of(reply.content)
        if not usable or not text or guardrails.fault(text, self._evidence(), final=True):
            return self._exit(reason, detail)
        return HandedOff(reason, text, tuple(self.progress.writes), detail)


class InvalidRequest(Exception):
    """Our own request breaks a documented rule."""


def max_tokens(progress: Progress, limits: Limits) -> int:
    """How long the next answer may be: a cut-off one is asked for again with more room."""
    return limits.retry_max_tokens if progress.cuts else limits.max_tokens


def _ms(seconds: float) -> int:
    return round(seconds * 1000)
