"""Blocks of the neutral form: made safe where they come in, read and joined the same way everywhere."""

import re
from collections.abc import Iterable, Iterator
from itertools import count
from typing import Any

from bot.llm.base import Block, ChatMessage, ModelRequest

NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")
ID = re.compile(r"[a-zA-Z0-9_-]{1,64}")
NAMELESS = "sem_nome"
MAX_DEPTH = 64
MAX_COUNT = 10**9  # tokens; more is no count, and would not fit a column

# Surrogates that stand alone cannot be sent again, PostgreSQL refuses NUL, and no text needs the rest.
_UNSAFE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff\ufffe\uffff]")


def blocks_of(message: ChatMessage, kind: str) -> list[Block]:
    """The blocks of one type in a message, in order."""
    return [block for block in message["content"] if block["type"] == kind]


def wire_message(message: ChatMessage) -> ChatMessage:
    """The message as it may leave: without the facts that stand beside its words for readers of ours."""
    if not any("facts" in block for block in message["content"]):
        return message
    content = [{key: value for key, value in block.items() if key != "facts"} for block in message["content"]]
    return {**message, "content": content}


def joined_text(blocks: Iterable[Block]) -> str:
    """All the text of the blocks, a blank line between two of them."""
    return "\n\n".join(block["text"] for block in blocks if block["type"] == "text")


def merged(messages: Iterable[ChatMessage]) -> list[ChatMessage]:
    """The messages as the API reads them: neighbours of one role are one message."""
    result: list[ChatMessage] = []
    for message in messages:
        if result and result[-1]["role"] == message["role"]:
            both = [*result[-1]["content"], *message["content"]]
            result[-1] = {"role": message["role"], "content": both}
        else:
            result.append(message)
    return result


def used_ids(request: ModelRequest) -> set[str]:
    """The ids of all tool calls that the request already holds."""
    return {block["id"] for message in request.messages for block in blocks_of(message, "tool_use")}


def safe_text(text: str) -> str:
    """The text without what JSON, the API or a database would refuse: control characters, half surrogates."""
    return _UNSAFE.sub(lambda hit: "\ufffd" if hit.group() >= "\ud800" else "", text)


def safe_value(value: Any, depth: int = 0) -> Any:
    """A decoded JSON value with every string made safe. Raises ValueError if nested too deep."""
    if isinstance(value, str):
        return safe_text(value)
    if depth > MAX_DEPTH:
        raise ValueError("nested too deeply")
    if isinstance(value, dict):
        return {safe_text(key): safe_value(item, depth + 1) for key, item in value.items()}
    if isinstance(value, list):
        return [safe_value(item, depth + 1) for item in value]
    return value


def safe_name(name: object) -> str:
    """A tool name that may stand in the history. The same odd name always becomes the same safe one."""
    text = name.strip() if isinstance(name, str) else ""
    return re.sub(r"[^a-zA-Z0-9_-]+", "_", text)[:64] or NAMELESS


def safe_count(value: object) -> int:
    """A number of tokens as a server gives it; anything that is none counts as zero."""
    return min(max(value, 0), MAX_COUNT) if isinstance(value, int) and not isinstance(value, bool) else 0


def safe_content(content: Iterable[object], taken: set[str]) -> list[Block]:
    """The blocks of a model's answer, without what the API would refuse when they are sent back.

    `taken` holds the ids of earlier tool calls: a bad or repeated id is replaced by one of ours. Text that
    follows a call is moved before the calls, because a call must be answered by what stands after it.
    """
    ids = _fresh_ids(taken)
    kept = [block for item in content if (block := _safe_block(item, taken, ids)) is not None]
    first = next((n for n, block in enumerate(kept) if block["type"] == "tool_use"), len(kept))
    late_text = [block for block in kept[first:] if block["type"] == "text"]
    rest = [block for block in kept[first:] if block["type"] != "text"]
    return kept[:first] + late_text + rest


def _fresh_ids(taken: set[str]) -> Iterator[str]:
    return (name for n in count(len(taken) + 1) if (name := f"call_{n}") not in taken)


def _safe_block(item: object, taken: set[str], ids: Iterator[str]) -> Block | None:
    if not isinstance(item, dict):
        return None
    # A mark of somebody else's would count against the four that are allowed.
    block: Block = {key: value for key, value in item.items() if key != "cache_control"}
    kind = block.get("type")
    if kind == "tool_use":
        return _safe_call(block, taken, ids)
    if kind == "text":
        text = block.get("text")
        return block if isinstance(text, str) and text.strip() else None
    if kind == "thinking":
        return block if _has_strings(block, "thinking", "signature") else None
    if kind == "redacted_thinking":
        return block if _has_strings(block, "data") else None
    return block if isinstance(kind, str) and kind != "tool_result" else None


def _safe_call(block: Block, taken: set[str], ids: Iterator[str]) -> Block:
    given = block.get("id")
    if not isinstance(given, str) or not ID.fullmatch(given) or given in taken:
        given = next(ids)
    taken.add(given)
    return {**block, "id": given, "name": safe_name(block.get("name")), "input": block.get("input")}


def _has_strings(block: Block, *keys: str) -> bool:
    return all(isinstance(block.get(key), str) for key in keys)
