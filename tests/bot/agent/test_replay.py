"""A run goes on from its recorded steps as if nothing had been, wherever the worker died."""

from typing import Any

import pytest

from bot.agent.loop import MAX_CALLS, Answered, HandedOff, Outcome
from bot.agent.replay import replay
from bot.llm.base import ModelReply
from models.handoff import Reason
from models.run import RunStep, StepKind
from tests.bot.agent.test_loop import LIMITS, MemoryRecorder, MemoryToolbox, loop_over
from tests.fakes.claude import FakeClaude, answer, refusal, text, tool_use
from tools import facts
from tools.toolbox import Result


class Tape(MemoryRecorder):
    """Records steps as the database would, and dies after so many of them."""

    def __init__(self, dies_after: int = 1000) -> None:
        super().__init__()
        self.steps: list[RunStep] = []
        self.dies_after = dies_after

    def _add(self, kind: StepKind, content: Any, **values: Any) -> None:
        if len(self.steps) == self.dies_after:
            raise KeyboardInterrupt
        step = RunStep(kind=kind, content=content, position=len(self.steps), **values)
        self.steps.append(step)

    def answer(self, reply: ModelReply, *, kept: bool, milliseconds: int) -> None:
        usage = vars(reply.usage)
        self._add(StepKind.ANSWER, reply.content, kept=kept, stop_reason=reply.stop_reason, usage=usage)

    def result(self, result: Result) -> None:
        content = {"tool_use_id": result.call.id, "name": result.call.name, "input": result.call.input}
        content |= {"text": result.text, "facts": facts.dump(result.facts)}
        self._add(StepKind.RESULT, content, is_error=result.is_error, error_class=result.error_class)

    def nudge(self, kind: str, text: str) -> None:
        self._add(StepKind.NUDGE, {"kind": kind, "text": text})

    def final(self, reply: ModelReply, reason: Reason, *, milliseconds: int) -> None:
        usage = vars(reply.usage)
        self._add(
            StepKind.FINAL, reply.content, stop_reason=reply.stop_reason, usage=usage, error_class=reason
        )


def cut() -> dict[str, Any]:
    return answer(tool_use("marcar", {}, id="cut"), stop_reason="max_tokens")


SCRIPTS: dict[str, list[dict[str, Any]]] = {
    "tools": [
        answer(tool_use("ver", id="a"), tool_use("marcar", {"n": 1}, id="b")),
        answer(tool_use("ver", {"n": 2}, id="c")),
        answer(text("Temos às 10h.")),
    ],
    "cut, then whole": [cut(), answer(tool_use("marcar", {"n": 1}, id="d")), answer(text("Olá."))],
    "cut twice": [cut(), cut(), answer(text("Uma pessoa vai continuar."))],
    "empty, then text": [
        answer(tool_use("ver", id="e")),
        answer(stop_reason="end_turn"),
        answer(text("Oi.")),
    ],
    "calls at the end": [
        answer(text("Marcando"), tool_use("marcar", id="f"), tool_use("ver", id="g"), stop_reason="end_turn"),
        answer(text("Posso marcar?")),
    ],
    "person": [
        answer(tool_use("ver", id="h"), tool_use("chamar", id="i")),
        answer(text("Uma pessoa vai continuar.")),
    ],
    "refusal": [answer(tool_use("ver", id="j")), refusal("bio")],
    "flood": [
        answer(*(tool_use("ver", {"n": n}, id=f"k{n}") for n in range(MAX_CALLS + 2))),
        answer(text("Oi.")),
    ],
    "pause": [answer(text("Um momento"), stop_reason="pause_turn"), answer(text("Oi."))],
}


def run(script: list[dict[str, Any]], tape: Tape, before: list[RunStep]) -> tuple[Outcome, MemoryToolbox]:
    """One life of a worker: replays what is on the tape already, then goes on. `script` is what is left."""
    toolbox = MemoryToolbox()
    fake = FakeClaude(script)
    loop = loop_over(fake, toolbox, tape)
    final = replay(loop.progress, toolbox, before, LIMITS)
    wanted = loop.progress.wants_person or ""
    outcome = loop.after_final(*final, wanted) if final else loop.run()
    assert fake.refusals == []
    return outcome, toolbox


@pytest.mark.parametrize("name", SCRIPTS)
def test_killed_after_any_step(name: str) -> None:
    """The outcome is that of a run without a crash, and no call is executed that would not have been."""
    script = SCRIPTS[name]
    whole = Tape()
    expected, untouched = run(script, whole, [])
    executed = [call.id for call in untouched.executed]
    for dies_after in range(len(whole.steps) + 1):
        first = Tape(dies_after)
        try:
            outcome, toolbox = run(script, first, [])
        except KeyboardInterrupt:
            asked = sum(step.kind in (StepKind.ANSWER, StepKind.FINAL) for step in first.steps)
            second = Tape()
            second.steps = list(first.steps)
            outcome, toolbox = run(script[asked:], second, first.steps)
            kinds = [(step.kind, step.content, step.is_error) for step in second.steps]
            assert kinds == [(step.kind, step.content, step.is_error) for step in whole.steps]
        assert outcome == expected, f"died after {dies_after} steps"
        assert {call.id for call in toolbox.executed} <= set(executed)


def test_calls_of_a_finished_answer_are_not_run_after_a_crash() -> None:
    """One was answered as not executed before the crash: the other is too."""
    script = SCRIPTS["calls at the end"]
    first = Tape(2)
    with pytest.raises(KeyboardInterrupt):
        run(script, first, [])
    outcome, toolbox = run(script[1:], Tape(), first.steps)
    assert toolbox.executed == []
    assert outcome == Answered("Posso marcar?")


def test_motive_survives_the_crash() -> None:
    """The forced answer was recorded, the hand-over was not committed."""
    whole = Tape()
    run(SCRIPTS["person"], whole, [])
    outcome, _ = run([], Tape(), whole.steps)
    assert outcome == HandedOff(
        Reason.PEDIDO_DO_CLIENTE, "Uma pessoa vai continuar.", detail="quer uma pessoa"
    )
