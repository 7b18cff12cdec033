"""What a request tells, as data: the facts beside its texts, the last answer's state, this turn's results."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, TypeVar

from bot.llm.base import Block, ChatMessage, ModelRequest, ToolSpec
from bot.llm.rule_based.policy.steps import Result, call_key
from bot.llm.rule_based.state.block import state_in
from bot.llm.rule_based.state.slots import FRESH, State
from tools.facts import Context, Fact, Held, LeftWaitlist, Picked, Reminded, Upcoming, Visit, Waiting, load

_F = TypeVar("_F", bound=Fact)


@dataclass(frozen=True)
class Request:
    """One request, read. `context` is None where it holds no facts (of a run from before there were any).

    `state` is that of the last answer, as far as it still stands, and `before` as it was; `spoken`: there was
    an answer before.
    `results` are this turn's by `call_key`, `rounds` its answers with calls.
    """

    context: Context | None = None
    visits: tuple[Visit, ...] = ()
    waits: tuple[Waiting, ...] = ()
    held: Held | None = None
    left: tuple[LeftWaitlist, ...] = ()
    reminded: int | None = None
    chosen: str = ""
    state: State = FRESH
    before: State = FRESH
    spoken: bool = False
    results: dict[str, Result] = field(default_factory=dict)
    rounds: int = 0
    tools: dict[str, ToolSpec] = field(default_factory=dict)
    text_only: bool = False

    def can(self, tool: str) -> bool:
        return tool in self.tools


def request_of(request: ModelRequest) -> Request:
    """Read one request; what is missing in it stays empty."""
    opening = _opening(request.messages)
    before, turn = request.messages[: max(opening, 0)], request.messages[max(opening, 0) :]
    facts = list(_facts_in(turn[:1]))
    context = _first(facts, Context)
    picked, reminded = _first(facts, Picked), _first(facts, Reminded)
    return Request(
        context=context,
        visits=next((one.visits for one in facts if isinstance(one, Upcoming)), ()),
        waits=tuple(one for one in facts if isinstance(one, Waiting)),
        held=_first(facts, Held),
        left=tuple(one for one in facts if isinstance(one, LeftWaitlist)),
        reminded=reminded.appointment_id if reminded else None,
        chosen=(context.chosen if context else "") or (_slot_id(picked) if picked else ""),
        state=_standing([*before, *turn[:1]], interrupted=reminded is not None),
        before=_standing([*before, *turn[:1]], whole=True),
        spoken=any(message["role"] == "assistant" for message in before),
        results=_results(turn),
        rounds=sum(bool(_of_type([message], "tool_use")) for message in turn),
        tools={tool.name: tool for tool in request.tools},
        text_only=request.tool_choice == "none",
    )


def _first(facts: Iterable[Fact], kind: type[_F]) -> _F | None:
    return next((one for one in facts if isinstance(one, kind)), None)


def _slot_id(picked: Picked) -> str:
    return f"slot:{picked.professional_id}:{picked.starts_at:%Y-%m-%dT%H:%M}"


def _opening(messages: list[ChatMessage]) -> int:
    """The message with which this turn begins: the newest of the user with a context; -1 if there is none."""
    opens = (n for n in range(len(messages) - 1, -1, -1) if _has_context(messages[n]))
    return next(opens, -1)


def _has_context(message: ChatMessage) -> bool:
    facts = _facts_in([message]) if message["role"] == "user" else ()
    return any(isinstance(fact, Context) for fact in facts)


def _facts_in(messages: Iterable[ChatMessage]) -> Iterator[Fact]:
    for block in _blocks(messages):
        if block.get("type") == "text":
            yield from facts_of(block)


def facts_of(block: Block) -> tuple[Fact, ...]:
    """The facts beside a block; none where they are not ours."""
    try:
        return load(block.get("facts"))
    except ValueError:
        return ()


def _blocks(messages: Iterable[ChatMessage]) -> Iterator[Block]:
    for message in messages:
        content = message.get("content") or []
        yield from [] if isinstance(content, str) else content


def _of_type(messages: Iterable[ChatMessage], kind: str) -> list[Block]:
    return [block for block in _blocks(messages) if block.get("type") == kind]


def _standing(messages: list[ChatMessage], *, interrupted: bool = False, whole: bool = False) -> State:
    """The state of the last answer, by the rule of `state.block`: who spoke since may void or close it."""
    last = next((n for n in range(len(messages) - 1, -1, -1) if _is_answer(messages[n])), None)
    if last is None:
        return FRESH
    state = state_in(messages[last]["content"])
    since = [block.get("from") for block in _blocks(messages[last + 1 :])]
    if "staff" in since:
        return FRESH
    return state.quietly() if ("product" in since or interrupted) and not whole else state


def _is_answer(message: ChatMessage) -> bool:
    return message["role"] == "assistant" and not _of_type([message], "tool_use")


# This turn's calls


def _results(turn: list[ChatMessage]) -> dict[str, Result]:
    """This turn's results. A call that was never answered counts as failed: it is not made twice."""
    calls = {
        block.get("id"): call_key(str(block.get("name")), block.get("input"))
        for block in _of_type(turn, "tool_use")
    }
    answered = {
        calls[block.get("tool_use_id")]: _result(block)
        for block in _of_type(turn, "tool_result")
        if block.get("tool_use_id") in calls
    }
    return {key: answered.get(key, Result("failed")) for key in calls.values()}


def _result(block: dict[str, Any]) -> Result:
    """A refusal has facts; what went wrong otherwise has none."""
    facts = facts_of(block)
    if block.get("is_error"):
        return Result("refused" if facts else "failed", facts)
    return Result("ok", facts)
