"""The one interface behind which models are exchanged, in the neutral form that the loop speaks.

The neutral form is that of Claude's Messages API: messages {"role": "user" | "assistant", "content": blocks}
with blocks "text" {"text"}, "tool_use" {"id", "name", "input"}, "tool_result" {"tool_use_id", "content": str,
"is_error"?}, and "thinking"/"redacted_thinking"/unknown ones, which are passed back untouched within a run.
A text or a result may have "facts" (of `tools.facts`) beside its words; no vendor's API is sent them.
The `input` of a call is an object where the model did as it should, and any JSON value where it did not.
"""

from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

Block = dict[str, Any]
ChatMessage = dict[str, Any]


@dataclass(frozen=True, eq=False)
class ToolSpec:
    """What the model is told of a tool. `input_schema` is strict JSON Schema.

    Each is itself, so that what was found out of one can be remembered: a request holds the same ones each
    time.
    """

    name: str
    description: str
    input_schema: dict[str, Any]


@dataclass(frozen=True)
class ModelRequest:
    """One call. `system` and `tools` are the same through a whole run; only `messages`, `tool_choice` and
    `max_tokens` change.
    """

    system: str
    messages: list[ChatMessage]
    tools: tuple[ToolSpec, ...]
    tool_choice: Literal["auto", "none"] = "auto"
    max_tokens: int = 4096


@dataclass(frozen=True)
class Usage:
    """Tokens of one call. `input_tokens` leaves out what was read from or written to the cache."""

    input_tokens: int = 0
    output_tokens: int = 0
    cache_read_tokens: int = 0
    cache_write_tokens: int = 0

    @property
    def total_input(self) -> int:
        return self.input_tokens + self.cache_read_tokens + self.cache_write_tokens

    def __add__(self, other: "Usage") -> "Usage":
        return Usage(
            self.input_tokens + other.input_tokens,
            self.output_tokens + other.output_tokens,
            self.cache_read_tokens + other.cache_read_tokens,
            self.cache_write_tokens + other.cache_write_tokens,
        )


@dataclass(frozen=True)
class ModelReply:
    """One answer: blocks as they came, cleaned of what JSON or the API would refuse on replay.

    `stop_reason` is in Claude's words whatever the provider ("end_turn", "tool_use", "max_tokens", …), the
    provider's own word where it fits none, None where it gave none. `detail` is for logs (refusal category).
    `provider` is set where another one answered than the client's own.
    """

    content: list[Block]
    stop_reason: str | None
    usage: Usage = field(default_factory=Usage)
    model: str = ""
    provider: str = ""
    request_id: str | None = None
    detail: str = ""


class ModelError(Exception):
    """The model gave no answer, after the transport's own retries.

    `kind`: "unavailable" (network, overload, 5xx, time-out), "configuration" (key, model name, spend limit:
    somebody must act), "rejected" (the request itself was refused: a bug of ours). The text is for logs only.
    """

    def __init__(self, kind: Literal["unavailable", "configuration", "rejected"], message: str) -> None:
        super().__init__(message)
        self.kind = kind


class ModelClient(Protocol):
    """A model. Safe for use by one thread at a time per instance unless it says otherwise."""

    provider: str
    model: str

    def complete(self, request: ModelRequest, *, seconds: float) -> ModelReply:
        """One answer within `seconds` of wall clock, transport retries included. Raises ModelError."""
        ...
