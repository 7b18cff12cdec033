"""Writes down what a run does, each step in its own short transaction, fenced by the lease."""

from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from datetime import datetime

from bot.agent.cost import Account
from bot.llm.base import ModelReply
from models import run
from models.conversation import Claim
from models.db import Database
from models.handoff import Reason
from models.run import NewStep, StepKind
from tools import facts
from tools.toolbox import Result


@dataclass
class RunRecorder:
    """The steps of a run from `position` on, and what it used up. Raises LeaseLost once the claim is gone."""

    db: Database
    claim: Claim
    run_id: int
    now: Callable[[], datetime]
    account: Account
    position: int

    def answer(self, reply: ModelReply, *, kept: bool, milliseconds: int) -> None:
        self.account.add(reply, self.now())
        self._add(_answer_step(StepKind.ANSWER, reply, milliseconds, kept=kept))

    def final(self, reply: ModelReply, reason: Reason, *, milliseconds: int) -> None:
        self.account.add(reply, self.now(), iteration=False)
        step = _answer_step(StepKind.FINAL, reply, milliseconds, kept=False)
        self._add(replace(step, error_class=reason))

    def result(self, result: Result) -> None:
        content = {
            "tool_use_id": result.call.id,
            "name": result.call.name,
            "input": result.call.input,
            "text": result.text,
            "facts": facts.dump(result.facts),
        }
        self._add(
            NewStep(
                StepKind.RESULT,
                content,
                is_error=result.is_error,
                error_class=result.error_class,
                milliseconds=result.milliseconds,
            )
        )

    def nudge(self, kind: str, text: str) -> None:
        self._add(NewStep(StepKind.NUDGE, {"kind": kind, "text": text}))

    def _add(self, step: NewStep) -> None:
        with self.db.writing() as session:
            run.add_step(session, self.now(), self.claim, self.run_id, self.position, step)
        self.position += 1


def _answer_step(kind: StepKind, reply: ModelReply, milliseconds: int, *, kept: bool) -> NewStep:
    return NewStep(
        kind,
        reply.content,
        kept=kept,
        stop_reason=reply.stop_reason and reply.stop_reason[:60],
        usage=asdict(reply.usage),
        model=reply.model[:120] or None,
        milliseconds=milliseconds,
    )
