"""What the model says it did is held against the business's own names and prices, from message to answer."""

import pytest

from models.db import Database
from models.run import StepKind
from tests.fakes.claude import answer, text, tool_use
from tests.fakes.twilio import START
from tests.stage import Stage

WISH = {"servico_id": 1, "profissional_id": 1, "data": "2026-12-03", "hora": "10:00"}
TRUE = "Marcado! Corte feminino com a Ana, quinta-feira, 03/12, às 10:00, por R$ 120,00."


@pytest.mark.parametrize(
    "wrong",
    [
        TRUE.replace("Ana", "Bia"),
        TRUE.replace("Ana", "Juliana"),
        TRUE.replace("Corte feminino", "Escova"),
        TRUE.replace("120", "100"),
        TRUE.replace("10:00", "11:00"),
        "You're all set for Thursday at 10:00 with Bia!",
    ],
)
def test_a_wrong_fact_is_not_sent(sqlite_db: Database, wrong: str) -> None:
    """The model is told once, and what it then says rightly goes out."""
    script = [answer(tool_use("agendar", WISH)), answer(text(wrong)), answer(text(TRUE))]
    stage = Stage(sqlite_db, START, script)
    assert stage.say("sim, pode marcar") == [TRUE]
    assert [step.kind for step in stage.steps].count(StepKind.NUDGE) == 1


def test_what_is_right_goes_out_at_once(sqlite_db: Database) -> None:
    stage = Stage(sqlite_db, START, [answer(tool_use("agendar", WISH)), answer(text(TRUE))])
    assert stage.say("sim, pode marcar") == [TRUE]
    assert StepKind.NUDGE not in [step.kind for step in stage.steps]


def test_a_place_on_the_waiting_list_is_no_word_alone(sqlite_db: Database) -> None:
    """Said twice without the tool, people take over."""
    claim = answer(text("Pronto, coloquei você na lista de espera de quinta!"))
    stage = Stage(sqlite_db, START, [claim, claim])
    stage.say("me põe na lista de espera de quinta")
    assert [episode.reason for episode in stage.handoffs] == ["promessa_sem_acao"]
