"""Recorded model traffic, played again through the real client and the real loop.

A recording (see bot/llm/recording.py) holds the exchanges of one run. The server gives its answers in order
and refuses what the strict stand-ins refuse; the tools give the results that the recorded requests hold.
"""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any

import httpx

from bot.agent.guardrails.evidence import Evidence
from bot.agent.loop import Limits, Loop, Outcome
from bot.agent.state import Progress
from bot.llm.anthropic import AnthropicClient
from bot.llm.base import Block, ChatMessage, ModelClient, ModelReply, ModelRequest, ToolSpec
from bot.llm.blocks import blocks_of, merged
from bot.llm.openai import ERROR_PREFIX, OpenAIClient
from models.handoff import Reason
from tests.fakes.claude import FakeClaude, _neutral
from tests.fakes.openai import FakeOpenAI
from tests.fakes.scripted import Body, Reply, Step
from tests.fakes.visits import BOOKED
from tools import TOOLS
from tools.facts import Fact, PersonCalled
from tools.toolbox import BROKEN, UNAVAILABLE, UNCERTAIN, Call, ErrorClass, Result

FOLDER = Path(__file__).parents[1] / "fixtures" / "recorded"
OURS = {BROKEN: ErrorClass.bug, UNAVAILABLE: ErrorClass.infrastructure, UNCERTAIN: ErrorClass.infrastructure}


@dataclass(frozen=True)
class Recording:
    """One run: its exchanges, and the requests among them in the neutral form."""

    exchanges: Sequence[Body]

    @classmethod
    def load(cls, file: Path) -> "Recording":
        return cls(json.loads(file.read_text("utf-8"))["exchanges"])

    @property
    def speaks_claude(self) -> bool:
        return str(self.exchanges[0]["path"]).endswith("/v1/messages")

    @property
    def requests(self) -> list[ModelRequest]:
        read = _neutral if self.speaks_claude else _from_openai
        return [read(exchange["request"]) for exchange in self.exchanges]

    @property
    def results(self) -> list[Block]:
        """What the tools gave in this run, in the order of the calls."""
        first, *_, last = [_results(request.messages) for request in [*self.requests, self.requests[-1]]]
        return last[len(first) :]


@dataclass
class Replayed:
    """What came of it. `sent` are the requests in the neutral form, `refusals` what the server refused."""

    outcome: Outcome
    sent: list[ModelRequest]
    refusals: list[str]
    replies: list[ModelReply]
    unused: int


def replay(recording: Recording) -> Replayed:
    """The run once more, with the code of today."""
    first = recording.requests[0]
    server = _claude(recording) if recording.speaks_claude else _openai(recording)
    tools = RecordedTools(recording.results)
    recorder = Heard()
    loop = Loop(
        model=_client(recording, server),
        toolbox=tools,
        system=first.system,
        specs=first.tools,
        limits=_limits(recording),
        recorder=recorder,
        progress=Progress(messages=first.messages),
        evidence=_evidence(first),
    )
    outcome = loop.run()
    read = _neutral if recording.speaks_claude else _from_openai
    return Replayed(
        outcome,
        [read(body) for body in server.requests],
        server.refusals,
        recorder.replies,
        len(tools.results) + len(recording.exchanges) - len(server.requests),
    )


@dataclass
class RecordedTools:
    """Stands in for the toolbox: whatever is called, the next recorded result comes."""

    results: list[Block]

    def execute(self, calls: Sequence[Call], on_result: Any, **_: object) -> list[Result]:
        made = [self._next(call) for call in calls]
        for result in made:
            on_result(result)
        return made

    def not_executed(self, calls: Sequence[Call], text: str) -> list[Result]:
        return [self._next(call) for call in calls]

    def _next(self, call: Call) -> Result:
        block = self.results.pop(0)
        text = str(block["content"])
        if block.get("is_error"):
            kind = next((kind for words, kind in OURS.items() if words == text), ErrorClass.domain_rule)
            return Result(call, text, is_error=True, error_class=kind)
        return Result(call, text, facts=_facts(call))


def _facts(call: Call) -> tuple[Fact, ...]:
    """What matters to the loop: that something was written, or that a person was called."""
    if call.name == "chamar_atendente":
        return (PersonCalled(str(call.input["motivo"]) if isinstance(call.input, dict) else ""),)
    return (BOOKED,) if call.name in {tool.name for tool in TOOLS if tool.writes} else ()


@dataclass
class Heard:
    """A recorder that keeps the answers."""

    replies: list[ModelReply] = field(default_factory=list)

    def answer(self, reply: ModelReply, *, kept: bool, milliseconds: int) -> None:
        self.replies.append(reply)

    def result(self, result: Result) -> None:
        pass

    def nudge(self, kind: str, text: str) -> None:
        pass

    def final(self, reply: ModelReply, reason: Reason, *, milliseconds: int) -> None:
        self.replies.append(reply)


class RecordedClaude(FakeClaude):
    """Strict, but for what no stand-in can know: whether the real server signed a thinking block."""

    def finish(self, answer: Body, body: Body) -> Body:
        for block in answer.get("content", []):
            self._own_fields |= {(block.get("type"), name) for name in block}
        return answer

    def check(self, request: httpx.Request, body: Body) -> None:
        bare = {**body, "messages": [_without_thinking(message) for message in body["messages"]]}
        super().check(request, bare)


def _claude(recording: Recording) -> RecordedClaude:
    return RecordedClaude([_step(exchange) for exchange in recording.exchanges])


def _openai(recording: Recording) -> FakeOpenAI:
    old = any("max_tokens" in exchange["request"] for exchange in recording.exchanges)
    return FakeOpenAI(
        [_step(exchange) for exchange in recording.exchanges],
        limit="max_tokens" if old else "max_completion_tokens",
    )


def _step(exchange: Body) -> Step:
    if "error" in exchange:
        kind = getattr(httpx, exchange["error"], httpx.ReadTimeout)
        return kind("recorded")
    if exchange["status"] == 200:
        return exchange["response"]
    return Reply(exchange["status"], exchange["response"], exchange["headers"])


def _client(recording: Recording, server: FakeClaude | FakeOpenAI) -> ModelClient:
    model = recording.exchanges[0]["request"]["model"]
    if recording.speaks_claude:
        choice = recording.exchanges[0]["request"].get("tool_choice", {})
        return AnthropicClient(
            server.client(),
            key="k",
            model=model,
            parallel_tools=not choice.get("disable_parallel_tool_use"),
            sleep=lambda seconds: None,
        )
    return OpenAIClient(server.client(), key="k", model=model, sleep=lambda seconds: None)


def _limits(recording: Recording) -> Limits:
    lengths = [request.max_tokens for request in recording.requests]
    return Limits(
        max_iterations=8,
        max_input_tokens=60_000,
        max_tokens=lengths[0],
        retry_max_tokens=max(lengths),
        seconds=3600,
        call_seconds=3600,
    )


def _evidence(first: ModelRequest) -> Evidence:
    """What the context of the run tells: the customer's appointments, and the day."""
    contexts = [
        block["text"]
        for message in first.messages
        for block in blocks_of(message, "text")
        if "<contexto>" in block["text"]
    ]
    context = contexts[-1].partition("</contexto>")[0] if contexts else ""
    today = re.search(r"^Agora: [^,\n]+, (\d{4}-\d\d-\d\d)", context, re.MULTILINE)
    return Evidence(
        appointments=tuple(re.findall(r"^- (.+)$", context, re.MULTILINE)),
        today=date.fromisoformat(today[1]) if today else None,
    )


def _results(messages: Sequence[ChatMessage]) -> list[Block]:
    return [block for message in messages for block in blocks_of(message, "tool_result")]


def _without_thinking(message: Body) -> Body:
    return {**message, "content": [one for one in message["content"] if "thinking" not in one["type"]]}


def _from_openai(body: Body) -> ModelRequest:
    system, *messages = body["messages"]
    return ModelRequest(
        system=system["content"],
        messages=merged([_neutral_message(message) for message in messages]),
        tools=tuple(
            ToolSpec(one["function"]["name"], one["function"]["description"], one["function"]["parameters"])
            for one in body.get("tools", [])
        ),
        tool_choice=body.get("tool_choice", "auto"),
        max_tokens=body.get("max_completion_tokens") or body["max_tokens"],
    )


def _neutral_message(message: Body) -> ChatMessage:
    if message["role"] == "tool":
        text = message["content"]
        block = {
            "type": "tool_result",
            "tool_use_id": message["tool_call_id"],
            "content": text.removeprefix(ERROR_PREFIX),
            "is_error": text.startswith(ERROR_PREFIX),
        }
        return {"role": "user", "content": [block]}
    texts = [{"type": "text", "text": message["content"]}] if message.get("content") else []
    calls = [
        {
            "type": "tool_use",
            "id": call["id"],
            "name": call["function"]["name"],
            "input": json.loads(call["function"]["arguments"]),
        }
        for call in message.get("tool_calls", [])
    ]
    return {"role": message["role"], "content": [*texts, *calls]}
