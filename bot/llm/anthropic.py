"""Claude over the Messages API."""

import random
import time
from collections.abc import Callable
from typing import Any, Literal

from bot.core.http import Http
from bot.llm import image_blocks
from bot.llm.base import Block, ChatMessage, ModelReply, ModelRequest, ToolSpec, Usage
from bot.llm.blocks import safe_content, safe_count, used_ids, wire_message, without_state
from bot.llm.retry import CallFailed, Failure
from bot.llm.transport import Answer, Endpoint, Unreadable, ignore

VERSION = "2026-10-21"
MARK = {"type": "ephemeral"}
THINKING = ("thinking", "redacted_thinking")


class AnthropicClient:
    """Claude. As safe for threads as its `http` is: with `ThreadClients` one instance serves them all.

    Sends no sampling parameter, no `thinking` field, no forced tool and no prefill: newer models refuse them.
    """

    provider = "anthropic"

    def __init__(
        self,
        http: Http,
        *,
        key: str,
        model: str,
        base_url: str = "https://api.anthropic.com",
        timeout: float = 45.0,
        parallel_tools: bool = True,
        version: str = VERSION,
        sleep: Callable[[float], object] = time.sleep,
        clock: Callable[[], float] = time.monotonic,
        rand: Callable[[], float] = random.random,
        retried: Callable[[str], object] = ignore,
    ) -> None:
        """`timeout` is the longest silence of the server in seconds."""
        self.model = model
        self._parallel_tools = parallel_tools
        self._endpoint = Endpoint(
            http,
            base_url.rstrip("/") + "/v1/messages",
            {"x-api-key": key, "anthropic-version": version},
            timeout=timeout,
            sleep=sleep,
            clock=clock,
            rand=rand,
            retried=retried,
        )

    def complete(self, request: ModelRequest, *, seconds: float) -> ModelReply:
        """One answer within `seconds` of wall clock, transport retries included. Raises ModelError."""
        deadline = self._endpoint.deadline(seconds)
        try:
            return self._send(request, request.messages, deadline)
        except CallFailed as error:
            bare = _without_the_cause(error.failure, request.messages)
            if bare == request.messages:
                raise
        return self._send(request, bare, deadline)

    def _send(self, request: ModelRequest, messages: list[ChatMessage], deadline: float) -> ModelReply:
        body = _body(request, messages, model=self.model, parallel_tools=self._parallel_tools)
        taken = used_ids(request)
        return self._endpoint.post(body, lambda answer: read_reply(answer, set(taken)), deadline=deadline)


def _without_the_cause(failure: Failure, messages: list[ChatMessage]) -> list[ChatMessage]:
    """The messages without what the server refuses in them, where that can be spared."""
    if _refuses_thinking(failure):
        return without_thinking(messages)
    return image_blocks.without(messages) if _refuses_pictures(failure) else messages


def without_thinking(messages: list[ChatMessage]) -> list[ChatMessage]:
    """The messages without any thinking; those that held nothing else fall out."""
    return [bare for message in messages if (bare := _bare(message))["content"]]


def read_reply(answer: Answer, taken: set[str]) -> ModelReply:
    """The neutral form of an answer. `taken` are the ids of earlier calls. Raises ValueError."""
    body = answer.body
    content, reason, model = body.get("content"), body.get("stop_reason"), body.get("model")
    if not isinstance(content, list):
        raise Unreadable("answer_without_content")
    return ModelReply(
        content=safe_content(content, taken),
        stop_reason=reason[:64] if isinstance(reason, str) else None,
        usage=_usage(body.get("usage")),
        model=model[:100] if isinstance(model, str) else "",
        request_id=answer.headers.get("request-id", "")[:100] or None,
        detail=_refusal_category(body.get("stop_details")),
    )


def _body(
    request: ModelRequest, messages: list[ChatMessage], *, model: str, parallel_tools: bool
) -> dict[str, Any]:
    body = {
        "model": model,
        "max_tokens": request.max_tokens,
        "system": [{"type": "text", "text": request.system, "cache_control": MARK}],
        "messages": _with_moving_mark(_on_the_wire(messages)),
    }
    if request.tools:
        body["tools"] = _tools(request.tools)
        body["tool_choice"] = _tool_choice(request.tool_choice, parallel_tools)
    return body


def _tools(tools: tuple[ToolSpec, ...]) -> list[dict[str, Any]]:
    listed: list[dict[str, Any]] = [
        {
            "name": tool.name,
            "description": tool.description,
            "input_schema": tool.input_schema,
            "strict": True,
        }
        for tool in tools
    ]
    # Of its own, since the tools are the same for all businesses and the system text is not.
    listed[-1]["cache_control"] = MARK
    return listed


def _tool_choice(choice: Literal["auto", "none"], parallel_tools: bool) -> dict[str, Any]:
    if choice == "auto" and not parallel_tools:
        return {"type": "auto", "disable_parallel_tool_use": True}
    return {"type": choice}


def _on_the_wire(messages: list[ChatMessage]) -> list[ChatMessage]:
    """As the API takes them: what another server wanted back is not for this one."""
    return [
        {"role": own["role"], "content": [_wire_block(block) for block in own["content"]]}
        for message in messages
        if (own := without_state(wire_message(message)))["content"]
    ]


def _wire_block(block: Block) -> Block:
    # The toolbox has answered a call whose input is no object; the API takes only objects in the history.
    if block["type"] == "tool_use" and not isinstance(block["input"], dict):
        return {**block, "input": {}}
    return block


def _with_moving_mark(messages: list[ChatMessage]) -> list[ChatMessage]:
    """The messages with a cache mark on the last block of the last message that may carry one."""
    if not messages:
        return messages
    *earlier, last = messages
    content = list(last["content"])
    for n in reversed(range(len(content))):
        if _may_be_marked(content[n]):
            content[n] = {**content[n], "cache_control": MARK}
            break
    return [*earlier, {**last, "content": content}]


def _may_be_marked(block: Block) -> bool:
    return bool(block.get("text") or block.get("content"))


def _bare(message: ChatMessage) -> ChatMessage:
    return {**message, "content": [block for block in message["content"] if block["type"] not in THINKING]}


def _refuses_thinking(failure: Failure) -> bool:
    words = failure.message.lower()
    return failure.status == 400 and "thinking" in words and ("signature" in words or "modified" in words)


def _refuses_pictures(failure: Failure) -> bool:
    """Damaged in a way that only who decodes them sees; or the request is too large."""
    return failure.status == 413 or (failure.status == 400 and "image" in failure.message.lower())


def _usage(usage: object) -> Usage:
    given = usage if isinstance(usage, dict) else {}
    return Usage(
        input_tokens=safe_count(given.get("input_tokens")),
        output_tokens=safe_count(given.get("output_tokens")),
        cache_read_tokens=safe_count(given.get("cache_read_input_tokens")),
        cache_write_tokens=safe_count(given.get("cache_creation_input_tokens")),
    )


def _refusal_category(details: object) -> str:
    category = details.get("category") if isinstance(details, dict) else None
    return category[:64] if isinstance(category, str) else ""
