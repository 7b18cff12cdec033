"""One turn: what the outcome of the loop becomes."""

import pytest

from bot.agent.loop import Answered, HandedOff, Outcome
from bot.turn import sayable
from models.handoff import Reason


@pytest.mark.parametrize(
    ("outcome", "becomes"),
    [
        (Answered("Oi!"), Answered("Oi!")),
        (Answered("\x80"), HandedOff(Reason.RESPOSTA_VAZIA)),
        (Answered("\u200b \u200d"), HandedOff(Reason.RESPOSTA_VAZIA)),
        (HandedOff(Reason.REFUSAL), HandedOff(Reason.REFUSAL)),
        (HandedOff(Reason.LIMITE_TEMPO, "\x80"), HandedOff(Reason.LIMITE_TEMPO)),
        (HandedOff(Reason.LIMITE_TEMPO, "Já volto."), HandedOff(Reason.LIMITE_TEMPO, "Já volto.")),
    ],
)
def test_words_that_nobody_sees_are_no_words(outcome: Outcome, becomes: Outcome) -> None:
    """An answer of invisible characters would be silence."""
    assert sayable(outcome) == becomes
