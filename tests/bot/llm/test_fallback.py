"""Where one model cannot answer the next is asked, within the same wall clock."""

from dataclasses import replace

import pytest

from bot.llm.base import ModelError, ModelReply
from bot.llm.fallback import FallbackClient
from tests.bot.llm.stopwatch import Stopwatch
from tests.bot.llm.test_circuit_breaker import REQUEST, Scripted

REPLY = ModelReply([], "end_turn", model="second")
NAMED = replace(REPLY, provider="anthropic")


def test_a_good_first_model_is_the_only_one_asked() -> None:
    first, second = Scripted(REPLY), Scripted()
    assert FallbackClient([first, second]).complete(REQUEST, seconds=45.0) == NAMED
    assert second.seconds == []


@pytest.mark.parametrize("kind", ["unavailable", "configuration"])
def test_the_next_is_asked_where_one_cannot_answer(kind: str) -> None:
    first, second = Scripted(kind), Scripted(REPLY)
    assert FallbackClient([first, second], clock=Stopwatch()).complete(REQUEST, seconds=45.0) == NAMED
    assert first.seconds == [30.0]
    assert second.seconds == [45.0]


def test_a_request_that_is_wrong_is_wrong_for_all() -> None:
    second = Scripted(REPLY)
    with pytest.raises(ModelError):
        FallbackClient([Scripted("rejected"), second]).complete(REQUEST, seconds=45.0)
    assert second.seconds == []


def test_the_last_error_is_the_error() -> None:
    with pytest.raises(ModelError) as caught:
        FallbackClient([Scripted("configuration"), Scripted("unavailable")]).complete(REQUEST, seconds=45.0)
    assert caught.value.kind == "unavailable"


def test_one_model_alone_has_all_the_time() -> None:
    only = Scripted(REPLY)
    client = FallbackClient([only], clock=Stopwatch())
    client.complete(REQUEST, seconds=45.0)
    assert only.seconds == [45.0]
    assert (client.provider, client.model) == ("anthropic", "claude")


def test_the_next_has_what_the_first_left() -> None:
    watch = Stopwatch()

    class Slow(Scripted):
        def complete(self, request: object, *, seconds: float) -> ModelReply:
            watch.now += seconds
            raise ModelError("unavailable", "slow")

    second = Scripted(REPLY)
    FallbackClient([Slow(), second], clock=watch).complete(REQUEST, seconds=45.0)
    assert second.seconds == [15.0]
