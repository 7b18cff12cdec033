"""The built-in model: a request in, a reply out, by rules. It keeps nothing between two requests, so one
instance serves any number of threads: where a talk stands comes back to it in a block of its own.
"""

import hashlib
import json
from dataclasses import asdict
from functools import lru_cache

from bot.llm.base import Block, ModelReply, ModelRequest, ToolSpec, Usage
from bot.llm.blocks import wire_message
from bot.llm.rule_based import nlg
from bot.llm.rule_based.policy.closing import closing
from bot.llm.rule_based.policy.decide import conversation
from bot.llm.rule_based.policy.steps import Call, Reply, Result, Talk
from bot.llm.rule_based.request import Request, request_of
from bot.llm.rule_based.state.block import block_of

MOST_ROUNDS = 6  # answers with calls in one turn
_CHARACTERS_A_TOKEN = 4


class OfflineModel:
    """A model made of rules, behind the same interface as a real one."""

    provider = "offline"
    model = "offline"

    def complete(self, request: ModelRequest, *, seconds: float) -> ModelReply:  # noqa: ARG002  # it needs no time
        """Answer at once. Never raises ModelError."""
        told = request_of(request)
        step = closing(told) if told.text_only else _step(told)
        content = _answer(step) if isinstance(step, Reply) else _calls(step, _digest(request))
        return ModelReply(
            content=content,
            stop_reason="end_turn" if isinstance(step, Reply) else "tool_use",
            usage=_usage(request, content),
            model=self.model,
        )


def _step(told: Request) -> Reply | tuple[Call, ...]:
    """The next calls, or the text that ends the turn."""
    if any(result.kind == "failed" for result in told.results.values()):
        return closing(told)
    return _next(conversation(told), told)


def _next(talk: Talk, told: Request) -> Reply | tuple[Call, ...]:
    """Run the talk over the results that are there already, up to the first calls without one."""
    try:
        calls = next(talk)
        while not (open_calls := _open(calls, told.results)):
            calls = talk.send(tuple(told.results[call.key] for call in calls))
    except StopIteration as end:
        reply: Reply = end.value
        return reply
    talk.close()
    possible = told.rounds < MOST_ROUNDS and all(told.can(call.name) for call in open_calls)
    return open_calls if possible else Reply(nlg.NOT_HERE)


def _open(calls: tuple[Call, ...], results: dict[str, Result]) -> tuple[Call, ...]:
    return tuple(call for call in dict.fromkeys(calls) if call.key not in results)


def _answer(reply: Reply) -> list[Block]:
    """The text, what it lets the customer choose from, and where the talk stands then."""
    text: Block = {"type": "text", "text": nlg.spoken(reply)}
    asked = nlg.question(reply)
    offered = nlg.tappable(asked) if asked else None
    return [text | ({"offers": asdict(offered)} if offered else {}), block_of(reply.state)]


def _digest(request: ModelRequest) -> str:
    return hashlib.sha256(json.dumps(request.messages, sort_keys=True, default=repr).encode()).hexdigest()


def _calls(calls: tuple[Call, ...], digest: str) -> list[Block]:
    """Ids follow from the request: the same request gets the same ones, another gets others."""
    return [
        {"type": "tool_use", "id": f"toolu_{digest[:20]}_{place}", "name": call.name, "input": call.input}
        for place, call in enumerate(calls, start=1)
    ]


def _usage(request: ModelRequest, content: list[Block]) -> Usage:
    """Plausible token counts, so that budgets and figures have something to count."""
    told = [wire_message(message) for message in request.messages]
    sent = len(json.dumps([request.system, told], ensure_ascii=False, default=repr))
    received = len(json.dumps(content, ensure_ascii=False))
    sent += sum(_size(tool) for tool in request.tools)
    return Usage(sent // _CHARACTERS_A_TOKEN, max(1, received // _CHARACTERS_A_TOKEN))


@lru_cache(maxsize=64)
def _size(tool: ToolSpec) -> int:
    return len(json.dumps(asdict(tool), ensure_ascii=False))
