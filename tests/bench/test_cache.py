"""The benchmark's model of a prompt cache: it bills as the documented rules say."""

from typing import Any

import pytest

from tests.bench.cache import SECONDS, Billed, Cache

MARK = {"cache_control": {"type": "ephemeral"}}
LONG = "x" * 4000  # 1000 tokens


def block(words: str, *, mark: bool = False) -> dict[str, Any]:
    return {"type": "text", "text": words} | (MARK if mark else {})


def body(*blocks: dict[str, Any]) -> dict[str, Any]:
    return {
        "system": [block(LONG, mark=True)],
        "messages": [{"role": "user", "content": [one]} for one in blocks],
    }


def test_first_request_is_written_and_the_same_again_is_read() -> None:
    cache = Cache()
    first = cache.ask(body(block(LONG, mark=True)), 0)
    assert (first.plain, first.read) == (0, 0)
    assert first.written > 2000
    assert cache.ask(body(block(LONG, mark=True)), 1) == Billed(read=first.written)


def test_longer_conversation_reads_the_old_part_and_writes_the_new_one() -> None:
    """The mark has moved on; the place where it stood is found, looking back."""
    cache = Cache()
    first = cache.ask(body(block(LONG, mark=True)), 0)
    second = cache.ask(body(block(LONG), block(LONG, mark=True)), 1)
    assert second.read == first.written
    assert second.written == pytest.approx(1000, abs=40)


def test_what_stands_behind_the_last_mark_is_plain() -> None:
    billed = Cache().ask(body(block(LONG, mark=True), block(LONG)), 0)
    assert billed.plain == pytest.approx(1000, abs=40)


@pytest.mark.parametrize(("later", "read"), [(SECONDS - 1, True), (SECONDS + 1, False)])
def test_prefix_is_forgotten_unless_it_is_read(later: float, read: bool) -> None:
    cache = Cache()
    cache.ask(body(block(LONG, mark=True)), 0)
    assert (cache.ask(body(block(LONG, mark=True)), later).read > 0) is read
    assert (cache.ask(body(block(LONG, mark=True)), later + SECONDS - 1).read > 0) is True


def test_a_changed_beginning_is_another_prefix() -> None:
    """Only what stands before the change is read."""
    cache = Cache()
    cache.ask(body(block("a" * 4000, mark=True)), 0)
    billed = cache.ask(body(block("b" * 4000, mark=True)), 1)
    assert billed.read == pytest.approx(1000, abs=40)


def test_short_prefix_is_not_kept() -> None:
    cache, short = Cache(), {"system": [block("x", mark=True)], "messages": []}
    assert cache.ask(short, 0).written == cache.ask(short, 1).read == 0


def test_without_marks_everything_is_plain() -> None:
    bare = {"system": [block(LONG)], "messages": [{"role": "user", "content": [block(LONG)]}]}
    billed = Cache().ask(bare, 0)
    assert billed == Billed(plain=billed.plain)
    assert billed.worth == billed.plain > 2000
