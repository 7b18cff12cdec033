"""A strict stand-in of Claude's Messages API: it refuses what the documented rules refuse.

Every request of every test goes through it. Rules that hold for the neutral form come from
`bot.llm.request_rules`; what exists only on the wire is checked here.
"""

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator
from itertools import count
from typing import Any

import httpx

from bot.llm.base import ModelRequest, ToolSpec
from bot.llm.request_rules import broken_rules
from tests.fakes.scripted import Body, Refused, Reply, ScriptedServer, Step

VERSIONS = {"2023-06-01", "2026-10-21"}
SAMPLING = ("temperature", "top_p", "top_k")
TOP_LEVEL = {
    *("model", "max_tokens", "messages", "system", "tools", "tool_choice", "metadata", "stop_sequences"),
    *("stream", "thinking", "service_tier", "output_config", "cache_control"),
}
BLOCK_FIELDS = {
    "text": {"type", "text", "citations", "cache_control"},
    "image": {"type", "source", "cache_control"},
    "tool_use": {"type", "id", "name", "input", "caller", "toolset_name", "cache_control"},
    "tool_result": {"type", "tool_use_id", "content", "is_error", "toolset_name", "cache_control"},
    "thinking": {"type", "thinking", "signature"},
    "redacted_thinking": {"type", "data"},
}
TOOL_FIELDS = {"name", "description", "input_schema", "strict", "type", "cache_control"}
CHOICE_FIELDS = {"auto": {"type", "disable_parallel_tool_use"}, "none": {"type"}}
MAX_OUTPUT = 128_000
NOT_BOUND = (
    "Invalid `signature` in `thinking` block. The block is bound to a different conversation. Remove the"
    ' block, or set `thinking.block_binding.prefix_mismatch_behavior` to "drop_block".'
)

FITTING = "(what fits the blocks)"
_numbers = count(1)


def text(words: str) -> Body:
    return {"type": "text", "text": words}


def tool_use(name: str, input: object = None, id: str | None = None) -> Body:
    """A call; `input` is {} where none is given."""
    return {
        "type": "tool_use",
        "id": id or f"toolu_{next(_numbers):04d}",
        "name": name,
        "input": {} if input is None else input,
    }


def thinking(words: str = "") -> Body:
    """A thinking block. The stand-in signs it for the conversation that it answers."""
    return {"type": "thinking", "thinking": words}


def answer(
    *blocks: Body, stop_reason: str | None = FITTING, usage: tuple[int, int] = (900, 40), **more: Any
) -> Body:
    """A message of the model. Where no reason is given it is that of a whole answer; `usage` is (in, out)."""
    called = any(block["type"] == "tool_use" for block in blocks)
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "claude-haiku-5-5",
        "content": list(blocks),
        "stop_reason": stop_reason if stop_reason != FITTING else "tool_use" if called else "end_turn",
        "stop_sequence": None,
        "usage": {
            "input_tokens": usage[0],
            "output_tokens": usage[1],
            "cache_creation_input_tokens": None,
            "cache_read_input_tokens": None,
        },
        **more,
    }


def refusal(category: str | None = None) -> Body:
    details = {"type": "refusal", "category": category, "explanation": None}
    return answer(stop_reason="refusal", stop_details=details, usage=(900, 0))


def error(status: int, kind: str = "api_error", message: str = "", **headers: str) -> Reply:
    """An HTTP error. Header names are given with underscores: `retry_after="1"`."""
    body = {"type": "error", "error": {"type": kind, "message": message}, "request_id": "req_1"}
    return Reply(status, body, {name.replace("_", "-"): value for name, value in headers.items()})


class FakeClaude(ScriptedServer):
    """The Messages API: `client()` for an AnthropicClient, the address of `serve()` for a whole process."""

    def __init__(self, script: Iterable[Step] | Callable[[Body], Step]) -> None:
        super().__init__(script)
        self._own_fields: set[tuple[str, str]] = set()

    def refusal(self, refused: Refused) -> Reply:
        return error(refused.status, refused.kind, refused.message)

    def finish(self, answer: Body, body: Body) -> Body:
        if not isinstance(answer.get("content"), list):
            return answer
        # Fields of its own answers are taken back, also those that are new to everybody.
        blocks = [block for block in _blocks(answer["content"]) if isinstance(block.get("type"), str)]
        self._own_fields |= {(block["type"], name) for block in blocks for name in block}
        return {**answer, "content": list(_signed(answer["content"], body))}

    def check(self, request: httpx.Request, body: Body) -> None:
        _check_address(request)
        for fault in _wire_faults(body, self._own_fields):
            raise _invalid(fault)
        for fault in broken_rules(_neutral(body)):
            raise _invalid(fault)
        for fault in _unbound_thinking(body):
            raise _invalid(fault)


def _invalid(message: str) -> Refused:
    return Refused(400, "invalid_request_error", message)


def _check_address(request: httpx.Request) -> None:
    if request.method != "POST" or request.url.path != "/v1/messages":
        raise Refused(404, "not_found_error", "Not found")
    if not request.headers.get("x-api-key"):
        raise Refused(401, "authentication_error", "x-api-key header is required")
    if request.headers.get("anthropic-version") not in VERSIONS:
        raise _invalid("anthropic-version: header is required")
    if not request.headers.get("content-type", "").startswith("application/json"):
        raise _invalid("content-type: must be application/json")


# What exists only on the wire.


def _wire_faults(body: Body, own_fields: set[tuple[str, str]]) -> Iterator[str]:
    for check in (_top_faults, _tool_faults, _choice_faults):
        yield from check(body)
    yield from _message_faults(body, own_fields)
    yield from _mark_faults(body)


def _top_faults(body: Body) -> Iterator[str]:
    for name in SAMPLING:
        if name in body:
            yield f"{name}: not supported for this model."
    yield from _extra("", body, TOP_LEVEL)
    for name in ("model", "max_tokens", "messages"):
        if name not in body:
            yield f"{name}: Field required"
    tokens = body.get("max_tokens")
    if isinstance(tokens, int) and tokens > MAX_OUTPUT:
        yield (
            f"max_tokens: {tokens} > {MAX_OUTPUT}, which is the maximum allowed number of output"
            f" tokens for {body['model']}"
        )
    if body.get("thinking", {}).get("type") == "enabled":
        yield '"thinking.type.enabled" is not supported for this model.'


def _tool_faults(body: Body) -> Iterator[str]:
    for n, tool in enumerate(body.get("tools", [])):
        yield from _extra(f"tools.{n}.custom.", tool, TOOL_FIELDS)
        if tool.get("strict") is not True:
            yield f"tools.{n}: not strict"  # a rule of ours


def _choice_faults(body: Body) -> Iterator[str]:
    choice = body.get("tool_choice")
    if choice is None:
        return
    if not body.get("tools"):
        yield "tool_choice: may only be specified while providing `tools`."
    if choice.get("type") not in CHOICE_FIELDS:
        yield 'tool_choice: type "tool" and "any" are not supported for this model.'
    else:
        yield from _extra(f"tool_choice.{choice['type']}.", choice, CHOICE_FIELDS[choice["type"]])


def _message_faults(body: Body, own_fields: set[tuple[str, str]]) -> Iterator[str]:
    for n, message in enumerate(body["messages"]):
        yield from _extra(f"messages.{n}.", message, {"role", "content"})
        for m, block in enumerate(_blocks(message.get("content"))):
            kind = block.get("type")
            if kind in BLOCK_FIELDS:
                allowed = BLOCK_FIELDS[kind] | {name for owner, name in own_fields if owner == kind}
                yield from _extra(f"messages.{n}.content.{m}.{kind}.", block, allowed)
            if kind == "tool_use" and not isinstance(block.get("input"), dict):
                yield f"messages.{n}.content.{m}.tool_use.input: Input should be a valid dictionary"
            if message["role"] == "user" and block.get("citations"):
                yield f"messages.{n}.content.{m}.text.citations: not supported in user messages"


def _mark_faults(body: Body) -> Iterator[str]:
    marked = [block for block in _markable(body) if "cache_control" in block]
    if len(marked) > 4:
        yield f"A maximum of 4 blocks with cache_control may be provided. Found {len(marked)}."
    for block in marked:
        if block["cache_control"] not in ({"type": "ephemeral"}, {"type": "ephemeral", "ttl": "1h"}):
            yield "cache_control: Input should be ephemeral"
        if block.get("type") == "text" and not block["text"]:
            yield "cache_control cannot be set for empty text blocks"


def _markable(body: Body) -> Iterator[Body]:
    yield from body.get("tools", [])
    yield from _blocks(body.get("system"))
    for message in body["messages"]:
        yield from _blocks(message["content"])


def _extra(where: str, given: Body, allowed: set[str]) -> Iterator[str]:
    for name in sorted(given.keys() - allowed):
        yield f"{where}{name}: Extra inputs are not permitted"


def _blocks(content: object) -> list[Body]:
    if isinstance(content, str):
        return [text(content)]
    return [block for block in content if isinstance(block, dict)] if isinstance(content, list) else []


# The same request in the neutral form, for the rules.


def _neutral(body: Body) -> ModelRequest:
    return ModelRequest(
        system="".join(block["text"] for block in _blocks(body.get("system", "-"))),
        messages=[{**message, "content": _plain(message["content"])} for message in body["messages"]],
        tools=tuple(
            ToolSpec(tool["name"], tool.get("description", ""), tool["input_schema"])
            for tool in body.get("tools", [])
        ),
        tool_choice=body.get("tool_choice", {"type": "auto"})["type"],
        max_tokens=body["max_tokens"],
    )


def _plain(content: object) -> list[Body]:
    blocks = [
        {key: value for key, value in block.items() if key != "cache_control"} for block in _blocks(content)
    ]
    return [_plain_result(block) if block.get("type") == "tool_result" else block for block in blocks]


def _plain_result(block: Body) -> Body:
    content = block.get("content", "")
    if isinstance(content, list):
        content = "".join(part.get("text", "") for part in content)
    return {**block, "content": content}


# Thinking is bound to the conversation before it. The signature that the stand-in gives is the hash of that
# conversation behind the hash of the thinking before, so that any other stand-in can check it.


def _unbound_thinking(body: Body) -> Iterator[str]:
    previous = None
    for where, n, block in _thinking(body["messages"]):
        link, _, digest = block["signature"].partition(".")
        # At the beginning thinking may be left out, in the middle not: the link to it shows.
        unlinked = previous is not None and link != previous
        if unlinked or digest != _digest(body, body["messages"][:n], block):
            yield f"{where}: {NOT_BOUND}"
        previous = digest


def _signed(content: list[Any], body: Body) -> Iterator[Any]:
    """The blocks of an answer to `body`; thinking without a signature gets one."""
    link = ""
    for _, _, block in _thinking(body["messages"]):
        link = block["signature"].partition(".")[2]
    for block in content:
        if isinstance(block, dict) and block.get("type") == "thinking" and "signature" not in block:
            digest = _digest(body, body["messages"], block)
            block = {**block, "signature": f"{link}.{digest}"}
            link = digest
        yield block


def _thinking(messages: list[Body]) -> Iterator[tuple[str, int, Body]]:
    for n, message in enumerate(messages):
        for m, block in enumerate(_blocks(message["content"])):
            if block.get("type") == "thinking":
                yield f"messages.{n}.content.{m}", n, block


def _digest(body: Body, before: list[Body], block: Body) -> str:
    conversation = [
        [part for part in _plain(message["content"]) if "thinking" not in part["type"]] for message in before
    ]
    bound = [_plain(body.get("system")), _plain(body.get("tools")), conversation, block.get("thinking")]
    return hashlib.sha256(json.dumps(bound).encode()).hexdigest()[:24]
