"""What prompt caching bills, by Claude's documented rules: a model of the server's cache, with a clock.

Tokens are estimated from characters: what counts are ratios.
"""

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

CHARACTERS_A_TOKEN = 4
SECONDS = 300.0  # of the five-minute cache; each read renews it
MINIMUM = 512  # tokens; a shorter prefix is not kept
LOOKS_BACK = 20  # blocks before a mark in which an earlier end of a prefix is looked for
READ, WRITE = 0.1, 1.25  # of the price of plain input


@dataclass(frozen=True)
class Billed:
    """Input tokens of one request: as they come, read from and written to the cache."""

    plain: int = 0
    read: int = 0
    written: int = 0

    def __add__(self, other: "Billed") -> "Billed":
        return Billed(self.plain + other.plain, self.read + other.read, self.written + other.written)

    @property
    def worth(self) -> float:
        """In tokens of plain input that cost the same."""
        return self.plain + READ * self.read + WRITE * self.written


@dataclass
class Cache:
    """`until` holds for each known prefix when it is forgotten."""

    until: dict[str, float] = field(default_factory=dict)

    def ask(self, body: dict[str, Any], at: float) -> Billed:
        """Bill one request that comes at `at` seconds."""
        ends = list(_ends(body))
        marks = [place for place, end in enumerate(ends) if end.marked]
        total = ends[-1].tokens
        if not marks:
            return Billed(plain=total)
        known = {place for mark in marks if (place := self._known(ends, mark, at)) is not None}
        kept = {mark for mark in marks if ends[mark].tokens >= MINIMUM}
        for place in known | kept:
            self.until[ends[place].digest] = at + SECONDS
        read = max((ends[place].tokens for place in known), default=0)
        written = max((ends[place].tokens for place in kept), default=read) - read
        return Billed(total - read - written, read, written)

    def _known(self, ends: list["End"], mark: int, at: float) -> int | None:
        """The last place up to a mark at which a prefix ends that is still kept."""
        places = range(mark, max(mark - LOOKS_BACK, -1), -1)
        return next((place for place in places if self.until.get(ends[place].digest, -1.0) > at), None)


@dataclass(frozen=True)
class End:
    """Where a block ends: the digest and tokens of everything up to there, and whether it bears a mark."""

    digest: str
    tokens: int
    marked: bool


def _ends(body: dict[str, Any]) -> Iterator[End]:
    digest, characters = hashlib.sha256(), 0
    for where, block in _blocks(body):
        bare = {key: value for key, value in block.items() if key != "cache_control"}
        words = where + json.dumps(bare, ensure_ascii=False)
        digest.update(words.encode())
        characters += len(words)
        yield End(digest.hexdigest(), characters // CHARACTERS_A_TOKEN, "cache_control" in block)


def _blocks(body: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """In the order in which the server reads them."""
    for tool in body.get("tools", []):
        yield "tool", tool
    for block in body.get("system", []):
        yield "system", block
    for message in body["messages"]:
        for block in message["content"]:
            yield message["role"], block
