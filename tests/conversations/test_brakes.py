"""What the owner sees of a run that a brake has ended: never a success."""

from typing import Any

import pytest

from models.db import Database
from models.handoff import Reason
from models.message import Direction
from tests.fakes.claude import answer, text, tool_use
from tests.fakes.twilio import START
from tests.stage import Stage


class Wanderer:
    """Looks up one day after the other, and never ends by itself."""

    def __init__(self, **usage: tuple[int, int]) -> None:
        self.asked = 0
        self.usage = usage

    def __call__(self, body: dict[str, Any]) -> Any:
        if body["tool_choice"]["type"] == "none":
            return answer(text("Ainda não encontrei. Uma pessoa vai continuar."))
        self.asked += 1
        wish = {"servico_id": 1, "data": f"2026-12-{self.asked + 2:02}"}
        return answer(tool_use("buscar_horarios", wish, id=f"toolu_{self.asked}"), **self.usage)


@pytest.mark.parametrize(
    ("model", "reason", "iterations"),
    [
        (Wanderer(), Reason.LIMITE_ITERACOES, 8),
        (Wanderer(usage=(15_000, 40)), Reason.LIMITE_TOKENS, 2),
    ],
)
def test_a_brake_is_told_as_one(
    sqlite_db: Database, model: Wanderer, reason: Reason, iterations: int
) -> None:
    """R16, R18: the run, the hand-over and the customer's text all say that it did not end by itself."""
    stage = Stage(sqlite_db, START, model)
    [said] = stage.say("tem horário?")
    assert said.startswith("Ainda não encontrei. Uma pessoa vai continuar.")
    [run] = stage.runs
    assert (run.outcome, run.handoff_reason, run.iterations) == ("handed_off", reason, iterations)
    assert [episode.reason for episode in stage.handoffs] == [reason]
    assert stage.claude.refusals == []
    assert len([row for row in stage.messages if row.direction == Direction.OUT]) == 1
