"""The documented rules of a request to the model, one small function each.

A broken rule is our bug: a request that breaks one would be refused, again and again, so it is never sent.
"""

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from bot.llm import image_blocks
from bot.llm.base import Block, ChatMessage, ModelRequest, ToolSpec
from bot.llm.blocks import ID, NAME, blocks_of, merged

Rule = Callable[[ModelRequest], Iterator[str]]
Schema = dict[str, Any]

MAX_BYTES = 32 * 1024 * 1024
MAX_MESSAGES = 100_000
MAX_STRICT_TOOLS = 20
MAX_OPTIONAL = 24
MAX_UNIONS = 16

USER_BLOCKS = {"text", "tool_result", "image"}
KNOWN_FIELDS: dict[str, dict[str, type]] = {
    "text": {"text": str},
    "tool_use": {"id": str, "name": str},
    "image": {"source": dict},
    "tool_result": {"tool_use_id": str, "content": str},
    "thinking": {"thinking": str, "signature": str},
    "redacted_thinking": {"data": str},
}
STRICT_KEYWORDS = {
    *("type", "enum", "const", "anyOf", "allOf", "$ref", "$defs", "definitions", "default", "required"),
    *("properties", "additionalProperties", "items", "minItems", "format", "pattern", "description", "title"),
}
STRICT_FORMATS = {
    *("date-time", "time", "date", "duration", "email", "hostname", "uri", "ipv4", "ipv6", "uuid"),
}
LOOKAROUND = re.compile(r"\(\?[=!<]|\\[1-9bB]")


def broken_rules(request: ModelRequest) -> list[str]:
    """What the API would refuse in the request, in its own words where they are known. Empty: it is valid.

    Pure. No messages make it raise: the rules that read blocks run only if those have their shape.
    """
    for stage in (_SHAPE, _RULES):
        found = [fault for rule in stage for fault in rule(request)]
        if found:
            return found
    return []


# Shape: what must hold before the other rules can read the request.


def _is_json(request: ModelRequest) -> Iterator[str]:
    """2.22, 2.23: valid Unicode, finite numbers, JSON types, below 32 MB."""
    size = 0
    for where, part in _parts(request):
        try:
            size += _size_of_tool(part) if isinstance(part, ToolSpec) else _size(part)
        except (ValueError, TypeError, RecursionError) as error:
            yield f"{where}: the request body is not valid JSON: {type(error).__name__}"
    if size >= MAX_BYTES:
        yield f"request_too_large: {size} bytes"


def _size(part: object) -> int:
    return len(json.dumps(part, ensure_ascii=False, allow_nan=False).encode())


@lru_cache(maxsize=256)
def _size_of_tool(tool: ToolSpec) -> int:
    return _size([tool.name, tool.description, tool.input_schema])


def _parts(request: ModelRequest) -> Iterator[tuple[str, object]]:
    yield "system", request.system
    for n, tool in enumerate(request.tools):
        yield f"tools.{n}", tool
    for n, message in enumerate(request.messages):
        yield f"messages.{n}", message


def _messages_are_lists_of_blocks(request: ModelRequest) -> Iterator[str]:
    for n, message in enumerate(request.messages):
        if not isinstance(message, dict) or message.keys() != {"role", "content"}:
            yield f"messages.{n}: has other keys than role and content"
        elif message["role"] not in ("user", "assistant"):
            yield f"messages.{n}: the role is neither user nor assistant"
        elif not isinstance(message["content"], list):
            yield f"messages.{n}: the content is no list of blocks"
        else:
            yield from _misshapen_blocks(f"messages.{n}", message["content"])


def _misshapen_blocks(where: str, content: list[object]) -> Iterator[str]:
    for n, block in enumerate(content):
        if not isinstance(block, dict) or not isinstance(block.get("type"), str):
            yield f"{where}.content.{n}: is no block with a type"
            continue
        for key, kind in KNOWN_FIELDS.get(block["type"], {}).items():
            if not isinstance(block.get(key), kind):
                yield f"{where}.content.{n}.{block['type']}.{key}: Input should be a valid string"
        if block["type"] == "tool_use" and "input" not in block:
            yield f"{where}.content.{n}.tool_use.input: Field required"


# The request around the messages.


def _limits_make_sense(request: ModelRequest) -> Iterator[str]:
    tokens = request.max_tokens
    if not isinstance(tokens, int) or isinstance(tokens, bool) or tokens < 1:
        yield "max_tokens: must be greater than or equal to 1"


def _system_has_text(request: ModelRequest) -> Iterator[str]:
    if not request.system.strip():
        yield "system: text content blocks must be non-empty"


def _choice_fits_tools(request: ModelRequest) -> Iterator[str]:
    """2.15, 2.16: only auto and none are safe on every model, and none only beside tools."""
    if request.tool_choice not in ("auto", "none"):
        yield 'tool_choice: type "tool" and "any" are not supported for this model.'
    elif request.tool_choice == "none" and not request.tools:
        yield "tool_choice: may only be specified while providing `tools`."


def _tools_are_named(request: ModelRequest) -> Iterator[str]:
    """2.8: names of a safe form, each once."""
    for n, tool in enumerate(request.tools):
        if not NAME.fullmatch(tool.name):
            yield f"tools.{n}.custom.name: String should match pattern '^[a-zA-Z0-9_-]{{1,64}}$'"
    if len({tool.name for tool in request.tools}) < len(request.tools):
        yield "tools: Tool names must be unique."


def _schemas_are_strict(request: ModelRequest) -> Iterator[str]:
    """2.19: what `strict: true` can compile."""
    if len(request.tools) > MAX_STRICT_TOOLS:
        yield f"tools: at most {MAX_STRICT_TOOLS} strict tools"
    found = [_strictness(tool) for tool in request.tools]
    for n, one in enumerate(found):
        yield from (f"tools.{n}.custom.input_schema{fault}" for fault in one.faults)
    if sum(one.optional for one in found) > MAX_OPTIONAL:
        yield f"tools: at most {MAX_OPTIONAL} optional parameters"
    if sum(one.unions for one in found) > MAX_UNIONS:
        yield f"tools: at most {MAX_UNIONS} parameters of a union type"


@dataclass(frozen=True)
class _Strictness:
    """What strict mode makes of one tool's schema: its faults, and how many parameters are of which kind."""

    faults: tuple[str, ...]
    optional: int
    unions: int


@lru_cache(maxsize=256)
def _strictness(tool: ToolSpec) -> _Strictness:
    schema = tool.input_schema
    nodes = list(_walk(schema, schema, ()))
    shape = [] if schema.get("type") == "object" else [".type: Input should be 'object'"]
    faults = [f": {text}" for node, fault in nodes for text in (fault, *_node_faults(node)) if text]
    return _Strictness(
        faults=(*shape, *faults),
        optional=sum(_optional(node) for node, _ in nodes),
        unions=sum("anyOf" in node or isinstance(node.get("type"), list) for node, _ in nodes),
    )


def _walk(node: object, root: Schema, seen: tuple[str, ...]) -> Iterator[tuple[Schema, str]]:
    """Every schema below `node`, references followed, with a fault of the way to it (or "")."""
    if not isinstance(node, dict):
        yield {}, "a schema is no object"
        return
    yield node, ""
    for child in _children(node):
        yield from _walk(child, root, seen)
    reference = node.get("$ref")
    if isinstance(reference, str):
        yield from _follow(reference, root, seen)


def _follow(reference: str, root: Schema, seen: tuple[str, ...]) -> Iterator[tuple[Schema, str]]:
    definitions = {**_dict(root.get("definitions")), **_dict(root.get("$defs"))}
    name = reference.rpartition("/")[2]
    if not reference.startswith(("#/$defs/", "#/definitions/")) or name not in definitions:
        yield {}, f"external $ref {reference[:60]}"
    elif reference in seen:
        yield {}, f"recursive $ref {reference[:60]}"
    else:
        yield from _walk(definitions[name], root, (*seen, reference))


def _children(node: Schema) -> Iterator[object]:
    yield from _dict(node.get("properties")).values()
    if "items" in node:
        yield node["items"]
    for key in ("anyOf", "allOf"):
        if isinstance(node.get(key), list):
            yield from node[key]


def _node_faults(node: Schema) -> Iterator[str]:
    if unknown := node.keys() - STRICT_KEYWORDS:
        yield f"{', '.join(sorted(unknown))} not permitted for strict tools"
    if node.get("type") == "object" and node.get("additionalProperties") is not False:
        yield "additionalProperties must be false"
    if node.get("minItems", 0) not in (0, 1):
        yield "minItems may only be 0 or 1"
    if "format" in node and node["format"] not in STRICT_FORMATS:
        yield "this format is not permitted for strict tools"
    if LOOKAROUND.search(str(node.get("pattern", ""))):
        yield "lookaround, backreferences and word boundaries are not permitted in a pattern"


def _optional(node: Schema) -> int:
    return len(_dict(node.get("properties")).keys() - set(node.get("required") or ()))


def _dict(value: object) -> Schema:
    return value if isinstance(value, dict) else {}


# Each message by itself.


def _messages_hold_something(request: ModelRequest) -> Iterator[str]:
    """2.9"""
    for n, message in enumerate(request.messages):
        if not message["content"]:
            yield (
                f"messages.{n}: all messages must have non-empty content except for the optional final"
                " assistant message"
            )


def _text_is_not_blank(request: ModelRequest) -> Iterator[str]:
    """2.9"""
    if any(not block["text"].strip() for _, block in _blocks(request, "text")):
        yield "messages: text content blocks must be non-empty"


def _blocks_fit_the_role(request: ModelRequest) -> Iterator[str]:
    for n, message in enumerate(request.messages):
        for block in message["content"]:
            kind = block["type"]
            if message["role"] == "user" and kind not in USER_BLOCKS:
                yield f"messages.{n}: `{kind}` blocks can only be in `assistant` messages"
            if message["role"] == "assistant" and kind in ("tool_result", "image"):
                yield f"messages.{n}: `{kind}` blocks can only be in `user` messages"


def _pictures_can_be_shown(request: ModelRequest) -> Iterator[str]:
    """2.22: of a kind, a size and a number that the API takes."""
    shown = list(_blocks(request, "image"))
    if len(shown) > image_blocks.MAX_PICTURES:
        yield f"messages: at most {image_blocks.MAX_PICTURES} images"
    for where, block in shown:
        if fault := image_blocks.fault_of_block(block):
            yield f"{where}.image.{fault}"


def _ids_are_safe(request: ModelRequest) -> Iterator[str]:
    """2.7"""
    for where, block in _blocks(request, "tool_use"):
        if not ID.fullmatch(block["id"]):
            yield f"{where}.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'"


def _ids_are_unique(request: ModelRequest) -> Iterator[str]:
    """2.6"""
    seen: set[str] = set()
    for where, block in _blocks(request, "tool_use"):
        if block["id"] in seen:
            yield f"{where}: `tool_use` ids must be unique"
        seen.add(block["id"])


def _called_names_are_safe(request: ModelRequest) -> Iterator[str]:
    """2.8: a made-up name in the history is checked too."""
    for where, block in _blocks(request, "tool_use"):
        if not NAME.fullmatch(block["name"]):
            yield f"{where}.tool_use.name: String should match pattern '^[a-zA-Z0-9_-]{{1,64}}$'"


def _errors_have_text(request: ModelRequest) -> Iterator[str]:
    """2.17"""
    for where, block in _blocks(request, "tool_result"):
        if not isinstance(block.get("is_error", False), bool):
            yield f"{where}.tool_result.is_error: Input should be a valid boolean"
        elif block.get("is_error") and not block["content"].strip():
            yield f"{where}.tool_result: content cannot be empty if `is_error` is true"


def _marks_are_left_to_the_client(request: ModelRequest) -> Iterator[str]:
    """2.20: the client sets its marks, and knows that four is the most."""
    for n, message in enumerate(request.messages):
        if any("cache_control" in block for block in message["content"]):
            yield f"messages.{n}: cache_control is not the caller's to set"


# The order of the messages, read as the API does: neighbours of one role are one message.


def _a_user_begins(request: ModelRequest) -> Iterator[str]:
    """2.11, 2.12"""
    if not request.messages:
        yield "messages: at least one message is required"
    elif request.messages[0]["role"] != "user":
        yield 'messages: first message must use the "user" role'
    if len(request.messages) > MAX_MESSAGES:
        yield f"messages: at most {MAX_MESSAGES} messages"


def _a_user_ends(request: ModelRequest) -> Iterator[str]:
    """0.4, 2.10"""
    if request.messages and request.messages[-1]["role"] != "user":
        yield (
            "This model does not support assistant message prefill."
            " The conversation must end with a user message."
        )


def _calls_end_their_message(request: ModelRequest) -> Iterator[str]:
    """2.5"""
    for n, message in enumerate(merged(request.messages)):
        kinds = [block["type"] for block in message["content"]]
        if "tool_use" in kinds and "text" in kinds[kinds.index("tool_use") :]:
            yield f"messages.{n}: text after a `tool_use` block"


def _calls_are_answered(request: ModelRequest) -> Iterator[str]:
    """2.1, 2.4"""
    messages = merged(request.messages)
    for n, message in enumerate(messages):
        answered = _answered(messages[n + 1]) if n + 1 < len(messages) else []
        called = [block["id"] for block in blocks_of(message, "tool_use")]
        if missing := [call for call in called if call not in answered]:
            yield (
                f"messages.{n}: `tool_use` ids were found without `tool_result` blocks immediately after:"
                f" {', '.join(missing)}. Each `tool_use` block must have a corresponding `tool_result` block"
                " in the next message."
            )


def _results_answer_calls(request: ModelRequest) -> Iterator[str]:
    """2.2: each result has its call in the message before, and is the only one."""
    called: set[str] = set()
    for n, message in enumerate(merged(request.messages)):
        answered = _answered(message)
        for call in answered:
            if call not in called:
                yield (
                    f"messages.{n}: unexpected `tool_use_id` found in `tool_result` blocks: {call}. Each"
                    " `tool_result` block must have a corresponding `tool_use` block in the previous message."
                )
        if len(set(answered)) < len(answered):
            yield f"messages.{n}: each tool_use must have a single result"
        called = {block["id"] for block in blocks_of(message, "tool_use")}


def _results_come_first(request: ModelRequest) -> Iterator[str]:
    """2.3"""
    for n, message in enumerate(merged(request.messages)):
        results = len(_answered(message))
        if any(block["type"] != "tool_result" for block in message["content"][:results]):
            yield f"messages.{n}: Did not find {results} `tool_result` block(s) at the beginning of it"


def _tools_stay_listed(request: ModelRequest) -> Iterator[str]:
    """2.14"""
    if not request.tools and any(_blocks(request, "tool_use", "tool_result")):
        yield "Requests which include `tool_use` or `tool_result` blocks must define tools."


def _answered(message: ChatMessage) -> list[str]:
    return [block["tool_use_id"] for block in blocks_of(message, "tool_result")]


def _blocks(request: ModelRequest, *kinds: str) -> Iterator[tuple[str, Block]]:
    for n, message in enumerate(request.messages):
        for m, block in enumerate(message["content"]):
            if block["type"] in kinds:
                yield f"messages.{n}.content.{m}", block


_SHAPE: tuple[Rule, ...] = (_is_json, _messages_are_lists_of_blocks)
_RULES: tuple[Rule, ...] = (
    _limits_make_sense,
    _system_has_text,
    _choice_fits_tools,
    _tools_are_named,
    _schemas_are_strict,
    _messages_hold_something,
    _text_is_not_blank,
    _blocks_fit_the_role,
    _pictures_can_be_shown,
    _ids_are_safe,
    _ids_are_unique,
    _called_names_are_safe,
    _errors_have_text,
    _marks_are_left_to_the_client,
    _a_user_begins,
    _a_user_ends,
    _calls_end_their_message,
    _calls_are_answered,
    _results_answer_calls,
    _results_come_first,
    _tools_stay_listed,
)
