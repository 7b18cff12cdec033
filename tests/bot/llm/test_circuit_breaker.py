"""A provider that is down is not asked for a while, and is tried again with one call."""

from typing import Literal

import pytest

from bot.llm.base import ModelError, ModelReply, ModelRequest
from bot.llm.circuit_breaker import Breaker, GuardedClient
from tests.bot.llm.stopwatch import Stopwatch

REQUEST = ModelRequest("s", [{"role": "user", "content": [{"type": "text", "text": "oi"}]}], ())
REPLY = ModelReply([], "end_turn")
DOWN: Literal["unavailable"] = "unavailable"
Outcome = ModelReply | Literal["unavailable", "configuration", "rejected"]


class Scripted:
    """A model that answers or fails as told, and counts how often it was asked."""

    provider = "anthropic"
    model = "claude"

    def __init__(self, *outcomes: Outcome) -> None:
        self.outcomes = list(outcomes)
        self.seconds: list[float] = []

    def complete(self, request: ModelRequest, *, seconds: float) -> ModelReply:
        self.seconds.append(seconds)
        outcome = self.outcomes.pop(0)
        if isinstance(outcome, ModelReply):
            return outcome
        raise ModelError(outcome, "scripted")


def breaker(watch: Stopwatch) -> Breaker:
    return Breaker(threshold=3, cooldown=30.0, clock=watch)


def opened(watch: Stopwatch) -> Breaker:
    result = breaker(watch)
    for _ in range(3):
        result.failed()
    return result


def test_it_opens_after_failures_in_a_row_only() -> None:
    it = breaker(Stopwatch())
    for _ in range(4):
        it.failed()
        it.failed()
        it.succeeded()
        assert it.state == "closed"
        assert it.admits()


def test_open_it_admits_nobody_and_half_open_one() -> None:
    watch = Stopwatch()
    it = opened(watch)
    states = []
    for watch.now in (0.0, 29.9, 30.0):
        states.append(it.state)
        assert it.state == "half_open" or not it.admits()
    assert states == ["open", "open", "half_open"]
    assert [it.admits() for _ in range(3)] == [True, False, False]


def test_the_one_that_tries_decides() -> None:
    watch = Stopwatch()
    it = opened(watch)
    watch.now = 30.0
    assert it.admits()
    it.failed()
    watch.now = 59.9
    assert not it.admits()
    watch.now = 60.0
    assert it.admits()
    it.succeeded()
    assert it.state == "closed"
    assert it.admits()


def test_one_that_never_reports_does_not_shut_it_for_ever() -> None:
    watch = Stopwatch()
    it = opened(watch)
    watch.now = 30.0
    assert it.admits()
    watch.now = 60.0
    assert it.admits()


def ask(client: GuardedClient, seconds: float = 45.0) -> str:
    try:
        client.complete(REQUEST, seconds=seconds)
    except ModelError as error:
        return str(error)
    return "answered"


def test_a_model_that_is_down_is_soon_not_asked() -> None:
    """So that the fourth customer does not wait for a time-out too."""
    model = Scripted(*[DOWN] * 3, REPLY)
    watch = Stopwatch()
    client = GuardedClient(model, breaker(watch))
    assert [ask(client) for _ in range(5)] == ["scripted"] * 3 + ["anthropic is down; not asked"] * 2
    assert len(model.seconds) == 3
    watch.now = 30.0
    assert ask(client) == "answered"
    assert (client.provider, client.model) == ("anthropic", "claude")


@pytest.mark.parametrize("outcome", ["configuration", "rejected"])
def test_a_model_that_refuses_is_not_down(outcome: Literal["configuration", "rejected"]) -> None:
    """It answers, so it also ends a row of failures."""
    client = GuardedClient(Scripted(DOWN, DOWN, outcome, DOWN, DOWN, outcome), breaker(Stopwatch()))
    assert [ask(client) for _ in range(6)] == ["scripted"] * 6


def test_a_call_without_time_says_nothing_about_the_model() -> None:
    """The run's own wall clock was nearly over."""
    client = GuardedClient(Scripted(*[DOWN] * 5), breaker(Stopwatch()))
    assert [ask(client, seconds=0.5) for _ in range(5)] == ["scripted"] * 5
