"""Any server that speaks OpenAI's chat completions, however freely."""

import json
import random
import re
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from bot.core.http import Http
from bot.llm import image_blocks
from bot.llm.base import Block, ChatMessage, ModelReply, ModelRequest, ToolSpec, Usage
from bot.llm.blocks import blocks_of, joined_text, merged, safe_content, safe_count, used_ids
from bot.llm.retry import REJECTED_STATUSES, CallFailed, Failure
from bot.llm.transport import Answer, Endpoint, Unreadable, decode, ignore

NEW_LIMIT, OLD_LIMIT = "max_completion_tokens", "max_tokens"
CHARACTERS_A_TOKEN = 3
EMPTY_RESULT = "(sem conteúdo)"
ERROR_PREFIX = "ERRO: "

# All of these say that the answer is whole, and `stop` may well come with calls.
CALLING = ("tool_calls", "function_call")
WHOLE = ("stop", *CALLING)
CUT_OR_BLOCKED = {"length": "max_tokens", "content_filter": "refusal"}


class OpenAIClient:
    """An OpenAI-compatible server. As safe for threads as its `http` is."""

    provider = "openai"

    def __init__(
        self,
        http: Http,
        *,
        key: str | None,
        model: str,
        base_url: str = "https://api.openai.com/v1",
        timeout: float = 45.0,
        parallel_tools: bool = True,
        images: bool = False,
        sleep: Callable[[float], object] = time.sleep,
        clock: Callable[[], float] = time.monotonic,
        rand: Callable[[], float] = random.random,
        retried: Callable[[str], object] = ignore,
    ) -> None:
        """`key` may be None for a local server; `timeout` is the longest silence of the server in seconds;
        `images`: the model sees pictures.
        """
        self.model = model
        self._parallel_tools = parallel_tools
        self._images = images
        self._limit = NEW_LIMIT
        self._endpoint = Endpoint(
            http,
            base_url.rstrip("/") + "/chat/completions",
            {"authorization": f"Bearer {key}"} if key else {},
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
            return self._sent(request, deadline)
        except CallFailed as error:
            in_words = replace(request, messages=image_blocks.without(request.messages))
            if not _refuses_pictures(error.failure) or in_words == request:
                raise
        return self._sent(in_words, deadline)

    def _sent(self, request: ModelRequest, deadline: float) -> ModelReply:
        limit = self._limit
        try:
            return self._send(request, limit, deadline)
        except CallFailed as error:
            unknown = error.failure.status in REJECTED_STATUSES and NEW_LIMIT in error.failure.message
            if limit != NEW_LIMIT or not unknown:
                raise
        self._limit = OLD_LIMIT
        return self._send(request, OLD_LIMIT, deadline)

    def _send(self, request: ModelRequest, limit: str, deadline: float) -> ModelReply:
        body = {
            "model": self.model,
            "messages": list(_messages(request, images=self._images)),
            limit: request.max_tokens,
            **_tools(request, self._parallel_tools),
        }
        return self._endpoint.post(body, lambda answer: read_reply(answer, request), deadline=deadline)


def _refuses_pictures(failure: Failure) -> bool:
    return failure.status in REJECTED_STATUSES and "image" in failure.message.lower()


# The request.


def _tools(request: ModelRequest, parallel_tools: bool) -> dict[str, Any]:
    if not request.tools:
        return {}
    tools = {"tools": [_tool(spec) for spec in request.tools], "tool_choice": request.tool_choice}
    return tools if parallel_tools else {**tools, "parallel_tool_calls": False}


def _tool(spec: ToolSpec) -> dict[str, Any]:
    function = {"name": spec.name, "description": spec.description, "parameters": spec.input_schema}
    return {"type": "function", "function": function}


def _messages(request: ModelRequest, *, images: bool) -> Iterator[ChatMessage]:
    """Neighbours of one role become one message: many chat templates insist on turns."""
    yield {"role": "system", "content": request.system}
    ids = _WireIds()
    for message in merged(request.messages if images else image_blocks.without(request.messages)):
        if message["role"] == "assistant":
            yield from _assistant(message, ids)
        else:
            yield from _results_and_text(message, ids)


class _WireIds:
    """Ids for the wire, in order of appearance: nine letters and digits, which is what the strictest take."""

    def __init__(self) -> None:
        self._known: dict[str, str] = {}

    def __getitem__(self, call_id: str) -> str:
        return self._known.setdefault(call_id, f"call{len(self._known):05d}")


def _assistant(message: ChatMessage, ids: _WireIds) -> Iterator[ChatMessage]:
    text, calls = joined_text(message["content"]), blocks_of(message, "tool_use")
    if calls:
        yield {"role": "assistant", "content": text or None, "tool_calls": [_call(c, ids) for c in calls]}
    elif text:
        yield {"role": "assistant", "content": text}


def _call(block: Block, ids: _WireIds) -> dict[str, Any]:
    # A server that parses the history chokes on what the model once wrote in place of an object.
    given = block["input"] if isinstance(block["input"], dict) else {}
    function = {"name": block["name"], "arguments": json.dumps(given, ensure_ascii=False)}
    return {"id": ids[block["id"]], "type": "function", "function": function}


def _results_and_text(message: ChatMessage, ids: _WireIds) -> Iterator[ChatMessage]:
    for block in blocks_of(message, "tool_result"):
        prefix = ERROR_PREFIX if block.get("is_error") else ""
        content = prefix + block["content"] or EMPTY_RESULT
        yield {"role": "tool", "tool_call_id": ids[block["tool_use_id"]], "content": content}
    if content := _words_and_pictures(message):
        yield {"role": "user", "content": content}


def _words_and_pictures(message: ChatMessage) -> str | list[Block]:
    """Words alone as the plain text that every server takes."""
    if not blocks_of(message, "image"):
        return joined_text(message["content"])
    return [_part(block) for block in message["content"] if block["type"] in ("text", "image")]


def _part(block: Block) -> Block:
    if block["type"] == "text":
        return {"type": "text", "text": block["text"]}
    source = block["source"]
    return {"type": "image_url", "image_url": {"url": f"data:{source['media_type']};base64,{source['data']}"}}


# The answer.


def read_reply(answer: Answer, request: ModelRequest) -> ModelReply:
    """The neutral form of an answer to `request`. Raises ValueError for one without a choice."""
    body = answer.body
    choice, message = _choice(body)
    # Some servers call tools though told not to: such calls were not asked for.
    may_call = bool(request.tools) and request.tool_choice == "auto"
    text, calls = _text(message), _calls(message) if may_call else []
    content = safe_content([{"type": "text", "text": text}, *calls], used_ids(request))
    finish = "content_filter" if _is_refusal(message) else choice.get("finish_reason")
    reason = _stop_reason(finish, called=bool(calls) or (may_call and finish in CALLING))
    if reason in ("end_turn", "tool_use") and _output(body) >= request.max_tokens:
        # Some servers put a better label over the true one, and mend what was cut.
        reason = "max_tokens"
    return ModelReply(
        content=content,
        stop_reason=reason,
        usage=_usage(body.get("usage"), request, f"{text}{calls}"),
        model=_string(body.get("model"))[:100],
        request_id=(answer.headers.get("x-request-id") or _string(body.get("id")))[:100] or None,
        detail="content_filter" if finish == "content_filter" else "",
    )


def _choice(body: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    choices = body.get("choices")
    choice = choices[0] if isinstance(choices, list) and choices else None
    message = choice.get("message") if isinstance(choice, dict) else None
    if not isinstance(choice, dict) or not isinstance(message, dict):
        raise Unreadable("answer_without_choice")
    return choice, message


def _is_refusal(message: dict[str, Any]) -> bool:
    return bool(_string(message.get("refusal")).strip())


def _stop_reason(finish: object, *, called: bool) -> str | None:
    if not isinstance(finish, str):
        return None
    if finish not in WHOLE:
        return CUT_OR_BLOCKED.get(finish, finish[:64])
    return "tool_use" if called else "end_turn"


def _output(body: dict[str, Any]) -> int:
    usage = body.get("usage")
    return safe_count(usage.get("completion_tokens")) if isinstance(usage, dict) else 0


def _string(value: object) -> str:
    return value if isinstance(value, str) else ""


def _text(message: dict[str, Any]) -> str:
    """What the model says to the customer; never `reasoning_content`, never thinking between tags."""
    content = message.get("content")
    if isinstance(content, list):
        content = "".join(part["text"] for part in content if _is_text(part))
    return _without_reasoning(content) if isinstance(content, str) else ""


def _is_text(part: object) -> bool:
    return isinstance(part, dict) and part.get("type") == "text" and isinstance(part.get("text"), str)


def _without_reasoning(text: str) -> str:
    # The opening tag may stand in the prompt, and the closing one may be cut off.
    _, end, after = text.rpartition("</think>")
    rest = after if end else text
    return re.sub(r"<think>.*", "", rest, flags=re.DOTALL).strip()


def _calls(message: dict[str, Any]) -> list[Block]:
    listed = message.get("tool_calls")
    calls = list(listed) if isinstance(listed, list) else []
    if not calls and isinstance(message.get("function_call"), dict):
        calls = [{"function": message["function_call"]}]
    return [_read_call(call) for call in calls if _has_function(call)]


def _has_function(call: object) -> bool:
    return isinstance(call, dict) and isinstance(call.get("function"), dict)


def _read_call(call: dict[str, Any]) -> Block:
    function = call["function"]
    given = read_arguments(function.get("arguments"))
    return {"type": "tool_use", "id": call.get("id"), "name": function.get("name"), "input": given}


def read_arguments(given: object) -> Any:
    """The arguments of a call: an object where they can be read as one, else what was sent, for the toolbox
    to refuse. Blank ones are an empty object: whether that will do is for the tool to say.
    """
    value = given
    for _ in range(2):  # an object may be encoded once too often
        if not isinstance(value, str):
            break
        value = _parsed(value)
    if value is None:
        return {}
    return value if isinstance(value, dict) else given


def _parsed(text: str) -> Any:
    """The JSON value in a text, fenced or not; None in a blank text; the text itself where it holds none."""
    bare = re.sub(r"\A```[a-zA-Z]*\s*|\s*```\Z", "", text.strip()).strip()
    if not bare:
        return None
    try:
        return decode(bare)
    except ValueError:
        return text


def _usage(usage: object, request: ModelRequest, answered: str) -> Usage:
    """Tokens as the server counts them, or an estimate from the characters."""
    given = usage if isinstance(usage, dict) else {}
    details = given.get("prompt_tokens_details")
    prompt = safe_count(given.get("prompt_tokens")) or _prompt_tokens(request)
    cached = min(safe_count(details.get("cached_tokens")), prompt) if isinstance(details, dict) else 0
    return Usage(
        input_tokens=prompt - cached,
        output_tokens=safe_count(given.get("completion_tokens")) or _estimate(len(answered)),
        cache_read_tokens=cached,
    )


def _estimate(characters: int) -> int:
    return -(-characters // CHARACTERS_A_TOKEN)


def _prompt_tokens(request: ModelRequest) -> int:
    tools = [[tool.name, tool.description, tool.input_schema] for tool in request.tools]
    said, shown = image_blocks.weighed(request.messages)
    return _estimate(len(request.system) + len(json.dumps([said, tools], ensure_ascii=False))) + shown
