"""Blocks of the neutral form: made safe where they come in, read and joined the same way everywhere."""

import re
from collections.abc import Iterable, Iterator
from itertools import count

from bot.llm.base import Block, ChatMessage, ModelRequest
from bot.llm.spoken import spoken

NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")
ID = re.compile(r"[a-zA-Z0-9_-]{1,64}")
NAMELESS = "sem_nome"
# A server's own fields of a message, to be given back to it unchanged ("fields"); those of a call stand in
# the call's block ("state"). They are nobody else's business, and no other server is shown them.
STATE = "server_state"
# Where the built-in model keeps how a talk stands: passed back untouched, to it alone.
TALK_STATE = "offline_state"
# What stands beside the words for readers of ours, and no API knows.
OWN_KEYS = frozenset({"facts", "from", "offers"})
MAX_COUNT = 10**9  # tokens; more is no count, and would not fit a column


def blocks_of(message: ChatMessage, kind: str) -> list[Block]:
    """The blocks of one type in a message, in order."""
    return [block for block in message["content"] if block["type"] == kind]


def wire_message(message: ChatMessage) -> ChatMessage:
    """The message as it may leave: without what stands in it for readers of ours."""
    content = message["content"]
    if not any(block["type"] == TALK_STATE or block.keys() & OWN_KEYS for block in content):
        return message
    kept = [block for block in content if block["type"] != TALK_STATE]
    return {**message, "content": [{k: v for k, v in block.items() if k not in OWN_KEYS} for block in kept]}


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


def without_state(message: ChatMessage) -> ChatMessage:
    """The message without what belongs to one server only."""
    kept = [block for block in message["content"] if block["type"] != STATE]
    bare = [{key: value for key, value in block.items() if key != "state"} for block in kept]
    return {**message, "content": bare}


def used_ids(request: ModelRequest) -> set[str]:
    """The ids of all tool calls that the request already holds."""
    return {block["id"] for message in request.messages for block in blocks_of(message, "tool_use")}


def safe_name(name: object) -> str:
    """A tool name that may stand in the history. The same odd name always becomes the same safe one."""
    text = name.strip() if isinstance(name, str) else ""
    return re.sub(r"[^a-zA-Z0-9_-]+", "_", text)[:64] or NAMELESS


def safe_count(value: object) -> int:
    """A number of tokens as a server gives it; anything that is none counts as zero."""
    return min(max(value, 0), MAX_COUNT) if isinstance(value, int) and not isinstance(value, bool) else 0


def safe_content(content: Iterable[object], taken: set[str]) -> list[Block]:
    """The blocks of a model's answer: texts as what is said to the customer, and without what the API would
    refuse when they are sent back. An answer ends where its model begins to write in somebody else's name.

    `taken` holds the ids of earlier tool calls: a bad or repeated id is replaced by one of ours. Text that
    follows a call is moved before the calls, because a call must be answered by what stands after it.
    """
    ids = _fresh_ids(taken)
    kept = [block for item in _up_to_its_end(content) if (block := _safe_block(item, taken, ids)) is not None]
    first = next((n for n, block in enumerate(kept) if block["type"] == "tool_use"), len(kept))
    late_text = [block for block in kept[first:] if block["type"] == "text"]
    rest = [block for block in kept[first:] if block["type"] != "text"]
    return kept[:first] + late_text + rest


def _up_to_its_end(content: Iterable[object]) -> Iterator[Block]:
    for item in content:
        if not isinstance(item, dict):
            continue
        if item.get("type") != "text" or not isinstance(item.get("text"), str):
            yield item
            continue
        said = spoken(item["text"])
        yield {**item, "text": said.text}
        if said.ended:
            return


def _fresh_ids(taken: set[str]) -> Iterator[str]:
    return (name for n in count(len(taken) + 1) if (name := f"call_{n}") not in taken)


def _safe_block(item: Block, taken: set[str], ids: Iterator[str]) -> Block | None:
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
