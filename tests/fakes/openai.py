"""A strict stand-in of a chat completions server: refusing what OpenAI and usual local servers refuse."""

import json
import re
from collections.abc import Callable, Iterable, Iterator
from itertools import count
from typing import Any, Literal

import httpx

from bot.llm import image_blocks
from tests.fakes.scripted import Body, Refused, Reply, ScriptedServer, Step

TOP_LEVEL = {
    *(
        "model",
        "messages",
        "tools",
        "tool_choice",
        "parallel_tool_calls",
        "max_completion_tokens",
        "max_tokens",
    ),
    *("temperature", "top_p", "n", "stop", "stream", "seed", "user", "response_format"),
}
MESSAGE_FIELDS = {
    "system": {"role", "content"},
    "user": {"role", "content"},
    "assistant": {"role", "content", "tool_calls"},
    "tool": {"role", "content", "tool_call_id"},
}
CALL_FIELDS = {"id", "type", "function"}
NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")

FITTING = "(what fits the calls)"
_numbers = count(1)


def call(name: object, arguments: object = "{}", id: object = None) -> Body:
    """One entry of `tool_calls`."""
    function = {"name": name, "arguments": arguments}
    return {"id": f"call_{next(_numbers)}" if id is None else id, "type": "function", "function": function}


def completion(
    content: object = None,
    *calls: Body,
    finish: object = FITTING,
    usage: tuple[int, int] | None = (900, 40),
    **message: Any,
) -> Body:
    """An answer with one choice. The finish reason is that of a whole answer where none is given."""
    said = {"role": "assistant", "content": content, **message}
    if calls:
        said["tool_calls"] = list(calls)
    reason = finish if finish != FITTING else "tool_calls" if calls else "stop"
    body: Body = {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "model": "local-model",
        "choices": [{"index": 0, "message": said, "finish_reason": reason}],
    }
    if usage is not None:
        body["usage"] = {"prompt_tokens": usage[0], "completion_tokens": usage[1], "total_tokens": sum(usage)}
    return body


def error(status: int, message: str = "", code: str | None = None, **headers: str) -> Reply:
    """An HTTP error. Header names are given with underscores: `retry_after="1"`."""
    body = {"error": {"message": message, "type": "invalid_request_error", "param": None, "code": code}}
    return Reply(status, body, {name.replace("_", "-"): value for name, value in headers.items()})


class FakeOpenAI(ScriptedServer):
    """A chat completions server. `limit` is the one name of the output limit that it knows."""

    def __init__(
        self,
        script: Iterable[Step] | Callable[[Body], Step],
        *,
        limit: Literal["max_completion_tokens", "max_tokens"] = "max_completion_tokens",
        key: str | None = "k",
    ) -> None:
        super().__init__(script)
        self._limit = limit
        self._key = key

    def refusal(self, refused: Refused) -> Reply:
        return error(refused.status, refused.message, refused.kind)

    def check(self, request: httpx.Request, body: Body) -> None:
        if request.method != "POST" or not request.url.path.endswith("/chat/completions"):
            raise Refused(404, "not_found", "Not Found")
        if self._key and request.headers.get("authorization") != f"Bearer {self._key}":
            raise Refused(401, "invalid_api_key", "You didn't provide an API key.")
        for fault in self._faults(body):
            raise Refused(400, "invalid_request_error", fault)

    def _faults(self, body: Body) -> Iterator[str]:
        other = ({"max_completion_tokens", "max_tokens"} - {self._limit}).pop()
        if other in body:
            yield f"Unsupported parameter: '{other}' is not supported. Use '{self._limit}' instead."
        for name in sorted(body.keys() - TOP_LEVEL):
            yield f"Unrecognized request argument supplied: {name}"
        yield from _tool_faults(body)
        yield from _shape_faults([self.without_state(message) for message in body["messages"]])
        yield from _pairing_faults(body["messages"])

    def without_state(self, message: Body) -> Body:
        """The message without what only this server knows. Raise Refused where that is not as it gave it."""
        return message


def _tool_faults(body: Body) -> Iterator[str]:
    if "tools" in body and not body["tools"]:
        yield "[] is too short - 'tools'"
    for name in ("tool_choice", "parallel_tool_calls"):
        if name in body and not body.get("tools"):
            yield f"'{name}' is only allowed when 'tools' are specified"
    if body.get("tool_choice", "auto") not in ("auto", "none"):
        yield "tool_choice: forced choice is not for us"  # a rule of ours
    for tool in body.get("tools", []):
        function = tool.get("function", {})
        if tool.keys() != {"type", "function"} or not NAME.fullmatch(function.get("name", "")):
            yield "Invalid 'tools[0].function.name': string does not match pattern"


def _shape_faults(messages: list[Body]) -> Iterator[str]:
    if [n for n, message in enumerate(messages) if message["role"] == "system"] != [0]:
        yield "exactly one system message, and it comes first"  # a rule of many chat templates
    for n, message in enumerate(messages):
        if message.keys() - MESSAGE_FIELDS.get(message["role"], set()):
            yield f"Additional properties are not allowed - 'messages.{n}'"
        calls = message.get("tool_calls", [])
        content = message.get("content")
        if isinstance(content, list) and message["role"] == "user" and content:
            yield from (fault for part in content for fault in _part_faults(part))
        elif calls == [] and not (isinstance(content, str) and content):
            yield f"Invalid value for 'content' of messages.{n}: expected a string, got null."
        for entry in calls:
            yield from _call_faults(n, entry)


def _part_faults(part: Body) -> Iterator[str]:
    match part:
        case {"type": "text", "text": str(words), **rest} if words and not rest:
            return
        case {"type": "image_url", "image_url": {"url": str(url)}}:
            head, _, data = url.partition(";base64,")
            source = {"type": "base64", "media_type": head.removeprefix("data:"), "data": data}
            if fault := image_blocks.fault_of_block({"type": "image", "source": source}):
                yield f"Invalid image: {fault}"
        case _:
            yield f"Invalid content part: {str(part)[:60]}"


def _call_faults(n: int, entry: Body) -> Iterator[str]:
    try:
        arguments = json.loads(entry["function"]["arguments"])
    except (ValueError, TypeError):
        arguments = None
    if not isinstance(arguments, dict):
        yield f"messages.{n}: arguments are not valid JSON"
    if entry.keys() - CALL_FIELDS or entry["function"].keys() - {"name", "arguments"}:
        yield f"Additional properties are not allowed - 'messages.{n}.tool_calls'"
    if not NAME.fullmatch(entry["function"]["name"]):
        yield f"Invalid 'messages[{n}].tool_calls[0].function.name': string does not match pattern"
    if not re.fullmatch(r"[a-zA-Z0-9]{9}", entry["id"]):
        yield "Tool call IDs should be alphanumeric strings with length 9!"


def _pairing_faults(messages: list[Body]) -> Iterator[str]:
    open_ids: list[str] = []
    previous = "system"
    for message in messages[1:]:
        role = message["role"]
        if role == "tool":
            answered = message["tool_call_id"]
            if answered not in open_ids:
                yield f"'tool_call_id' of '{answered}' not found in 'tool_calls' of previous message."
                return
            open_ids.remove(answered)
        elif open_ids:
            yield (
                "An assistant message with 'tool_calls' must be followed by tool messages responding to each"
                f" 'tool_call_id'. The following did not have response messages: {', '.join(open_ids)}"
            )
        elif role == previous:
            yield "Conversation roles must alternate user/assistant/user/assistant/..."
        open_ids += [entry["id"] for entry in message.get("tool_calls", [])]
        previous = role
    if open_ids or previous == "assistant":
        yield "Expected last role User or Tool"
