"""The servers that people put behind OPENAI_BASE_URL, each as strict as it is documented to be.

What each gives beside a call and wants to see again, unchanged, is in `Kind`; where it has a rule of its own
for it, that is the sentence it refuses with.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, Literal

from tests.fakes.openai import FakeOpenAI, call, completion
from tests.fakes.scripted import Body, Refused, Reply, Step


@dataclass(frozen=True)
class Kind:
    """`message` and `call` are the server's own fields of an answer with a call; `missing` is what it says
    where they do not come back ("": it does not mind), `no_null` where the content beside calls is null.
    `botched` is how it says that the model wrote a call that cannot be read.
    """

    message: Body = field(default_factory=dict)
    call: Body = field(default_factory=dict)
    function: Body = field(default_factory=dict)
    missing: str = ""
    no_null: str = ""
    botched: Reply | Body = field(default_factory=lambda: Reply(500, {"error": {"message": "parse error"}}))
    finish: str = "tool_calls"
    limit: Literal["max_completion_tokens", "max_tokens"] = "max_completion_tokens"

    def answer(self, name: str, arguments: str) -> Body:
        """An answer with one call."""
        entry = {**call(name, arguments, "call_9"), **self.call}
        entry["function"] = {**entry["function"], **self.function}
        return completion(None, entry, finish=self.finish, **self.message)


def _error(message: str, **more: Any) -> Body:
    return {"error": {"message": message, "type": "invalid_request_error", **more}}


KINDS: dict[str, Kind] = {
    "vLLM": Kind(
        message={"reasoning": "o cliente quer…", "reasoning_content": "o cliente quer…", "annotations": None},
        botched=completion("x", finish="abort"),
    ),
    "Ollama": Kind(
        message={"reasoning": "o cliente quer…"},
        no_null="invalid message content type: <nil>",
        botched=Reply(
            500, _error("error parsing tool call: raw='{\"data', err=unexpected end of JSON input")
        ),
        finish="stop",
    ),
    "llama.cpp": Kind(
        message={"reasoning_content": "o cliente quer…"},
        botched=Reply(500, _error("Failed to parse input at pos 12", code=500)),
    ),
    "LM Studio": Kind(
        no_null="Invalid 'content': 'content' field must be a string or an array of objects.",
        botched=Reply(500, {"error": "Failed to parse tool call"}),
    ),
    "Groq": Kind(
        message={"reasoning": "o cliente quer…"},
        botched=Reply(
            400, _error("Failed to call a function.", code="tool_use_failed", failed_generation="<")
        ),
    ),
    "DeepSeek": Kind(
        message={"reasoning_content": "o cliente quer…"},
        missing="The `reasoning_content` in the thinking mode must be passed back to the API.",
        botched=completion("", finish="insufficient_system_resource"),
        limit="max_tokens",
    ),
    "Gemini": Kind(
        call={"extra_content": {"google": {"thought_signature": "Q2lnbmF0dXJl"}}},
        missing="Function call is missing a thought_signature in functionCall parts.",
        botched=completion("", finish="MALFORMED_FUNCTION_CALL"),
    ),
    "OpenRouter": Kind(
        message={
            "reasoning": "o cliente quer…",
            "reasoning_details": [{"type": "reasoning.encrypted", "data": "Zm9v", "index": 0}],
        },
        missing="reasoning_details must be passed back unmodified",
        botched={
            "choices": [
                {"finish_reason": "error", "message": {"content": ""}, "error": {"code": 502, "message": "x"}}
            ]
        },
    ),
    "Mistral": Kind(
        limit="max_tokens", botched=Reply(500, {"message": "Service unavailable", "code": "3000"})
    ),
    "LiteLLM": Kind(
        message={
            "thinking_blocks": [{"type": "thinking", "thinking": "…", "signature": "c2ln"}],
            "provider_specific_fields": {"citations": ["x"]},
        },
        call={"provider_specific_fields": {"thought_signature": "Q2ln"}},
        function={"provider_specific_fields": {"thought_signature": "Q2ln"}},
        missing="Expected `thinking` or `redacted_thinking`, but found `tool_use`.",
        botched=Reply(500, _error("litellm.APIConnectionError: Unable to parse tool call", code="500")),
    ),
}


class Server(FakeOpenAI):
    """A server of one kind. `forgetful`: it refuses even what it gave itself."""

    def __init__(
        self, kind: Kind, script: Iterable[Step] | Callable[[Body], Step], *, forgetful: bool = False
    ) -> None:
        super().__init__(script, limit=kind.limit)
        self.kind = kind
        self._forgetful = forgetful

    def without_state(self, message: Body) -> Body:
        calls = message.get("tool_calls", [])
        if not calls:
            return message
        kind = self.kind
        if kind.no_null and message["content"] is None:
            raise Refused(400, "invalid_request_error", kind.no_null)
        given = {key: value for key, value in kind.message.items() if value}
        if kind.missing and not self._forgetful:
            whole = message.items() >= given.items() and all(_holds(entry, kind) for entry in calls)
            if not whole:
                raise Refused(400, "invalid_request_error", kind.missing)
        if self._forgetful:
            return message
        bare = {key: value for key, value in message.items() if key not in given}
        return {**bare, "tool_calls": [_bare(entry, kind) for entry in calls]}


def _holds(entry: Body, kind: Kind) -> bool:
    return entry.items() >= kind.call.items() and entry["function"].items() >= kind.function.items()


def _bare(entry: Body, kind: Kind) -> Body:
    function = {key: value for key, value in entry["function"].items() if key not in kind.function}
    return {**{key: value for key, value in entry.items() if key not in kind.call}, "function": function}
