"""Any server that speaks OpenAI's chat completions, however freely."""

import json
import random
import re
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from bot.core.http import Http
from bot.llm import image_blocks
from bot.llm.base import Block, ChatMessage, ModelReply, ModelRequest, ToolSpec, Usage
from bot.llm.blocks import (
    STATE,
    blocks_of,
    joined_text,
    merged,
    safe_content,
    safe_count,
    used_ids,
    without_state,
)
from bot.llm.retry import REJECTED_STATUSES, CallFailed, Failure
from bot.llm.transport import Answer, Endpoint, Unreadable, decode, ignore

NEW_LIMIT, OLD_LIMIT = "max_completion_tokens", "max_tokens"
CHARACTERS_A_TOKEN = 3
EMPTY_RESULT = "(sem conteúdo)"
ERROR_PREFIX = "ERRO: "

# Finish reasons, however a server spells them. The first two say that the answer is whole, and the first may
# well come with calls.
WHOLE = {"stop", "eos", "eos_token", "end_turn", "stop_sequence", "complete", "completed"}
CALLING = {"tool_calls", "tool_call", "tool_use", "function_call", "function_calls"}
CUT = {"length", "max_tokens", "max_length", "model_length", "max_output_tokens"}
BLOCKED = {
    *("content_filter", "content_filtered", "safety", "recitation", "blocklist", "spii", "sensitive"),
    *("prohibited_content", "guardrail_intervened", "refusal", "model_armor"),
}
# The server gave up in the middle, or could not read what the model wrote.
FAILED = {
    *("error", "network_error", "insufficient_system_resource", "abort", "aborted", "cancelled"),
    *("malformed_function_call", "unexpected_tool_call"),
}

# What a message, a call and its function hold that has a place in the neutral form, or is for reading only.
READ_OF_MESSAGE = {"role", "content", "tool_calls", "function_call", "refusal", "audio", "annotations"}
READ_OF_CALL = {"id", "type", "function", "index"}
READ_OF_FUNCTION = {"name", "arguments"}


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
        self._ways = Ways(pictures=images)
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
        """One answer within `seconds` of wall clock, transport retries included. Raises ModelError.

        What this server refuses is put in another way, each thing once.
        """
        deadline, ways = self._endpoint.deadline(seconds), self._ways
        while True:
            try:
                reply = self._send(request, ways, deadline)
            except CallFailed as error:
                other = _another_way(ways, error.failure, request)
                if other is None:
                    raise
                ways = other
            else:
                self._ways = replace(self._ways, limit=ways.limit)
                return reply

    def _send(self, request: ModelRequest, ways: "Ways", deadline: float) -> ModelReply:
        body = {
            "model": self.model,
            "messages": list(_messages(request, ways)),
            ways.limit: request.max_tokens,
            **_tools(request, self._parallel_tools),
        }
        return self._endpoint.post(body, lambda answer: read_reply(answer, request), deadline=deadline)


@dataclass(frozen=True)
class Ways:
    """How a request is put, where servers differ: what the limit is called, what stands beside calls for no
    words; and what goes along: pictures, the server's own state of earlier answers, calls of earlier turns.
    """

    pictures: bool
    limit: str = NEW_LIMIT
    no_words: str | None = ""
    state: bool = True
    past_calls: bool = True


def _another_way(ways: Ways, failure: Failure, request: ModelRequest) -> Ways | None:
    """What may please a server that refuses the request; None where nothing is left."""
    if failure.status not in REJECTED_STATUSES:
        return None
    complaint = failure.message.lower()
    if ways.limit == NEW_LIMIT and NEW_LIMIT in complaint:
        return replace(ways, limit=OLD_LIMIT)
    if ways.pictures and "image" in complaint and image_blocks.without(request.messages) != request.messages:
        return replace(ways, pictures=False)
    if ways.no_words == "" and re.search(r"\bcontent\b", complaint) and _has_bare_calls(request):
        return replace(ways, no_words=None)
    if ways.state and ways.past_calls and _has_state(request):
        return replace(ways, state=False)
    if ways.past_calls and _without_past_calls(request.messages) != request.messages:
        # They may be another model's, and lack what this one wants to see beside its own.
        return replace(ways, state=True, past_calls=False)
    return None


def _has_bare_calls(request: ModelRequest) -> bool:
    return any(
        blocks_of(message, "tool_use") and not blocks_of(message, "text") for message in request.messages
    )


def _has_state(request: ModelRequest) -> bool:
    return any(
        block["type"] == STATE or "state" in block
        for message in request.messages
        for block in message["content"]
    )


def _without_past_calls(messages: list[ChatMessage]) -> list[ChatMessage]:
    """The messages, before the last one that answers no call, in words alone."""
    last = max((n for n, message in enumerate(messages) if not _is_exchange(message)), default=0)
    earlier = [{**message, "content": blocks_of(message, "text")} for message in messages[:last]]
    return [*(message for message in earlier if message["content"]), *messages[last:]]


def _is_exchange(message: ChatMessage) -> bool:
    return message["role"] == "assistant" or bool(blocks_of(message, "tool_result"))


# The request.


def _tools(request: ModelRequest, parallel_tools: bool) -> dict[str, Any]:
    if not request.tools:
        return {}
    tools = {"tools": [_tool(spec) for spec in request.tools], "tool_choice": request.tool_choice}
    return tools if parallel_tools else {**tools, "parallel_tool_calls": False}


def _tool(spec: ToolSpec) -> dict[str, Any]:
    function = {"name": spec.name, "description": spec.description, "parameters": spec.input_schema}
    return {"type": "function", "function": function}


def _messages(request: ModelRequest, ways: Ways) -> Iterator[ChatMessage]:
    """Neighbours of one role become one message: many chat templates insist on turns."""
    yield {"role": "system", "content": request.system}
    ids = _WireIds()
    for message in merged(_put(request.messages, ways)):
        if message["role"] == "assistant":
            yield from _assistant(message, ids, ways.no_words)
        else:
            yield from _results_and_text(message, ids)


def _put(messages: list[ChatMessage], ways: Ways) -> Iterator[ChatMessage]:
    """What of the messages goes along; an answer of neither words nor calls is none."""
    shown = messages if ways.pictures else image_blocks.without(messages)
    for message in shown if ways.past_calls else _without_past_calls(shown):
        if message["role"] == "user" or blocks_of(message, "text") or blocks_of(message, "tool_use"):
            yield message if ways.state else without_state(message)


class _WireIds:
    """Ids for the wire, in order of appearance: nine letters and digits, which is what the strictest take."""

    def __init__(self) -> None:
        self._known: dict[str, str] = {}

    def __getitem__(self, call_id: str) -> str:
        return self._known.setdefault(call_id, f"call{len(self._known):05d}")


def _assistant(message: ChatMessage, ids: _WireIds, no_words: str | None) -> Iterator[ChatMessage]:
    text, calls = joined_text(message["content"]), blocks_of(message, "tool_use")
    state = {key: value for block in blocks_of(message, STATE) for key, value in block["fields"].items()}
    if calls:
        said = {"role": "assistant", "content": text or no_words}
        yield {**state, **said, "tool_calls": [_call(block, ids) for block in calls]}
    elif text:
        yield {**state, "role": "assistant", "content": text}


def _call(block: Block, ids: _WireIds) -> dict[str, Any]:
    # A server that parses the history chokes on what the model once wrote in place of an object.
    given = block["input"] if isinstance(block["input"], dict) else {}
    function = {"name": block["name"], "arguments": json.dumps(given, ensure_ascii=False)}
    state = block.get("state", {})
    whole = {**state.get("function", {}), **function}
    return {**state, "id": ids[block["id"]], "type": "function", "function": whole}


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
    content = safe_content([*_state(message), {"type": "text", "text": text}, *calls], used_ids(request))
    if all(block["type"] == STATE for block in content):
        content = []
    calls = [block for block in content if block["type"] == "tool_use"]
    finish = "content_filter" if _is_refusal(message) else _finish(choice)
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
        detail=finish if finish in BLOCKED else "",
    )


def _choice(body: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    choices = body.get("choices")
    choice = choices[0] if isinstance(choices, list) and choices else None
    if isinstance(choice, dict) and (isinstance(choice.get("error"), dict) or _finish(choice) in FAILED):
        raise Unreadable("answer_with_error", choice.get("error"))
    message = choice.get("message") if isinstance(choice, dict) else None
    if not isinstance(choice, dict) or not isinstance(message, dict):
        raise Unreadable("answer_without_choice")
    return choice, message


def _finish(choice: dict[str, Any]) -> str | None:
    """Why the answer ended, in one spelling: "MAX_TOKENS", "maxTokens" and "max-tokens" are one."""
    given = choice.get("finish_reason")
    if not isinstance(given, str):
        return None
    parted = re.sub(r"(?<=[a-z])(?=[A-Z])|[ -]", "_", given[:64].strip())
    return parted.lower().removeprefix("finish_reason_")


def _state(message: dict[str, Any]) -> list[Block]:
    """What the server wants back with this answer, whatever it is: see `STATE`."""
    fields = _beside(message, READ_OF_MESSAGE)
    return [{"type": STATE, "fields": fields}] if fields else []


def _beside(given: dict[str, Any], known: set[str]) -> dict[str, Any]:
    return {
        key: value for key, value in given.items() if key not in known and value not in (None, "", [], {})
    }


def _is_refusal(message: dict[str, Any]) -> bool:
    return bool(_string(message.get("refusal")).strip())


def _stop_reason(finish: str | None, *, called: bool) -> str | None:
    if finish is None:
        return None
    if finish in WHOLE | CALLING:
        return "tool_use" if called else "end_turn"
    return "max_tokens" if finish in CUT else "refusal" if finish in BLOCKED else finish


def _output(body: dict[str, Any]) -> int:
    usage = body.get("usage")
    return safe_count(usage.get("completion_tokens")) if isinstance(usage, dict) else 0


def _string(value: object) -> str:
    return value if isinstance(value, str) else ""


def _text(message: dict[str, Any]) -> str:
    """What the model says, in one piece or in parts; never `reasoning_content`."""
    content = message.get("content")
    if isinstance(content, list):
        content = "".join(part["text"] for part in content if _is_text(part))
    return content if isinstance(content, str) else ""


def _is_text(part: object) -> bool:
    return isinstance(part, dict) and part.get("type") == "text" and isinstance(part.get("text"), str)


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
    block = {"type": "tool_use", "id": call.get("id"), "name": function.get("name"), "input": given}
    state, of_function = _beside(call, READ_OF_CALL), _beside(function, READ_OF_FUNCTION)
    if of_function:
        state["function"] = of_function
    return {**block, "state": state} if state else block


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
    bare = text.strip()
    if fence := re.match(r"```[a-zA-Z]*", bare):
        bare = bare[fence.end() :].removesuffix("```").strip()
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
