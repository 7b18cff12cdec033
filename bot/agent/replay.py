"""A run that a crashed worker left behind goes on from its recorded steps."""

from collections.abc import Sequence
from typing import Any

from bot.agent.loop import Limits, max_tokens
from bot.agent.state import Progress
from bot.agent.stop_reasons import step_after
from bot.llm.base import ModelReply, Usage
from models.handoff import Reason
from models.run import RunStep, StepKind
from tools import facts
from tools.toolbox import Call, ErrorClass, Result, Toolbox


def replay(
    progress: Progress, toolbox: Toolbox, steps: Sequence[RunStep], limits: Limits
) -> tuple[ModelReply, Reason] | None:
    """Bring progress and toolbox to where the steps end. Gives the forced final answer if it was reached."""
    for step in steps:
        match step.kind:
            case StepKind.ANSWER:
                reply = reply_of(step)
                progress.with_fresh_ids(reply.content)
                progress.take_answer(reply, step_after(reply, max_tokens(progress, limits)))
            case StepKind.RESULT:
                result = result_of(step)
                if result.error_class != ErrorClass.not_executed:
                    toolbox.remember(result.call, result.is_error)
                progress.take_result(result)
            case StepKind.NUDGE:
                progress.take_nudge(step.content["kind"], step.content["text"])
            case StepKind.FINAL:
                return reply_of(step), Reason(step.error_class or "")
    return None


def reply_of(step: RunStep) -> ModelReply:
    return ModelReply(step.content, step.stop_reason, Usage(**(step.usage or {})))


def result_of(step: RunStep) -> Result:
    content: dict[str, Any] = step.content
    call = Call(content["tool_use_id"], content["name"], content["input"])
    error_class = ErrorClass(step.error_class) if step.error_class else None
    return Result(
        call,
        content["text"],
        is_error=step.is_error,
        error_class=error_class,
        milliseconds=step.milliseconds,
        facts=facts.load(content.get("facts")),
    )
