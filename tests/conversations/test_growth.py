"""A conversation that lasts: requests stop growing, and what a cache can keep stays the same bytes."""

import json
from datetime import datetime
from itertools import pairwise
from typing import Any

import pytest

from bot.agent.history import CHARACTERS_A_TOKEN
from models.db import Database
from tests.fakes.claude import answer, text, tool_use
from tests.stage import JOAO, MARIA, STUDIO, Stage

TURNS = 60
DAYS = ("2026-12-03", "2026-12-04", "2026-12-09", "2026-12-10")


class Chatty:
    """Looks up a day in each turn, then says much; keeps every request."""

    def __init__(self) -> None:
        self.bodies: list[dict[str, Any]] = []

    def __call__(self, body: dict[str, Any]) -> dict[str, Any]:
        self.bodies.append(body)
        if self.opens:
            day = DAYS[len(self.bodies) % len(DAYS)]
            return answer(tool_use("buscar_horarios", {"data": day, "servico_id": 1}))
        return answer(text("Esses são os horários que tenho. " * 12 + "Qual você prefere?"))

    @property
    def opens(self) -> bool:
        """Whether the last request opens a run: nothing was looked up in it yet."""
        return self.bodies[-1]["messages"][-1]["content"][0]["type"] == "text"

    def opening(self) -> list[dict[str, Any]]:
        """The first request of each run."""
        return [body for body in self.bodies if body["messages"][-1]["content"][0]["type"] == "text"]


def tokens(value: Any) -> int:
    """Estimated as the product does it."""
    return len(json.dumps(value, ensure_ascii=False)) // CHARACTERS_A_TOKEN


def unmarked(value: Any) -> Any:
    """Without the cache marks, which move."""
    if isinstance(value, dict):
        return {key: unmarked(item) for key, item in value.items() if key != "cache_control"}
    return [unmarked(item) for item in value] if isinstance(value, list) else value


def talk(db: Database, now: datetime, turns: int, **settings: object) -> tuple[Stage, Chatty]:
    model = Chatty()
    stage = Stage(db, now, model, **settings)
    for turn in range(turns):
        assert stage.say(f"e no outro dia, tem horário? é a pergunta número {turn}")
    return stage, model


@pytest.mark.parametrize("limit", [3000, 6000])
def test_requests_level_off(sqlite_db: Database, now: datetime, limit: int) -> None:
    """Sixty turns: the history grows up to AGENT_HISTORY_TOKENS and no further."""
    settings = {"agent_history_tokens": limit, "agent_history_turns": 1000}
    _, model = talk(sqlite_db, now, TURNS, **settings)
    history = [tokens(unmarked(body["messages"][:-1])) for body in model.opening()]
    assert len(history) == TURNS
    assert max(history) <= limit
    early, late = history[: limit // 1000], history[TURNS // 2 :]
    assert all(before < after for before, after in pairwise(early))
    # A turn more would not have fitted: the room is used, and all late requests are alike.
    assert min(late) > limit - 1000
    assert max(late) - min(late) < 1000


def test_without_the_limit_they_would_not(sqlite_db: Database, now: datetime) -> None:
    """What the limit saves: the same talk with an endless window."""
    settings = {"agent_history_tokens": 10**6, "agent_history_turns": 1000}
    _, model = talk(sqlite_db, now, 25, **settings)
    history = [tokens(unmarked(body["messages"][:-1])) for body in model.opening()]
    assert history[-1] > 6000
    assert all(before < after for before, after in pairwise(history))


def test_turns_are_limited_too(sqlite_db: Database, now: datetime) -> None:
    _, model = talk(sqlite_db, now, 8, agent_history_turns=3)
    assert [sum(_asks(message) for message in body["messages"]) for body in model.opening()] == [
        *(1, 2, 3),
        *[4] * 5,
    ]


def _asks(message: dict[str, Any]) -> int:
    return sum("pergunta número" in block.get("text", "") for block in message["content"])


def test_system_and_tools_are_the_same_bytes(sqlite_db: Database, now: datetime) -> None:
    """Through a run and between runs, for every customer, on another day; the tools for all businesses."""
    stage, model = talk(sqlite_db, now, 3)
    stage.clock.forward(days=3)
    stage.say("oi", JOAO, ProfileName="João")
    ours = list(model.bodies)
    assert len({json.dumps(body["system"]) for body in ours}) == 1
    stage.say("oi", MARIA, "barbearia-rio-negro")
    assert len({json.dumps(body["system"]) for body in model.bodies}) == 2
    assert len({json.dumps(body["tools"]) for body in model.bodies}) == 1
    assert stage.tenant(STUDIO).name in ours[0]["system"][0]["text"]


def test_requests_of_a_run_only_grow_at_the_end(sqlite_db: Database, now: datetime) -> None:
    """Each begins with the one before it: all of that is read from the cache."""
    _, model = talk(sqlite_db, now, 4)
    for before, after in zip(model.bodies[::2], model.bodies[1::2], strict=True):
        kept = unmarked(before["messages"])
        assert unmarked(after["messages"])[: len(kept)] == kept
        assert len(after["messages"]) == len(kept) + 2


def test_marks_stand_where_the_next_request_looks(sqlite_db: Database, now: datetime) -> None:
    """On the last tool, on the system text, on the newest block: three, at any length."""
    _, model = talk(sqlite_db, now, 5)
    for body in model.bodies:
        assert "cache_control" in body["tools"][-1]
        assert "cache_control" in body["system"][-1]
        assert "cache_control" in body["messages"][-1]["content"][-1]
        assert json.dumps(body).count("cache_control") == 3
