"""The closed table from stop reason to step."""

from enum import Enum

from bot.llm.base import ModelReply


class Step(Enum):
    """What follows from an answer. Only RUN_TOOLS ever runs a tool."""

    ANSWER = "answer"
    RUN_TOOLS = "run_tools"
    RESUME = "resume"
    TRUNCATED = "truncated"
    REFUSED = "refused"
    UNKNOWN = "unknown"


STEPS = {
    "end_turn": Step.ANSWER,
    "stop_sequence": Step.ANSWER,
    "tool_use": Step.RUN_TOOLS,
    "pause_turn": Step.RESUME,
    "max_tokens": Step.TRUNCATED,
    "model_context_window_exceeded": Step.TRUNCATED,
    "refusal": Step.REFUSED,
}
LEAVES_NO_TRACE = (Step.TRUNCATED, Step.REFUSED, Step.UNKNOWN)


def step_after(reply: ModelReply, max_tokens: int) -> Step:
    """The one step that follows. An answer that used up its tokens was cut off, whatever its label says."""
    step = STEPS.get(reply.stop_reason or "", Step.UNKNOWN)
    if step in (Step.ANSWER, Step.RUN_TOOLS) and reply.usage.output_tokens >= max_tokens:
        return Step.TRUNCATED
    return step
