"""One turn: what the outcome of the loop becomes."""

from dataclasses import replace
from datetime import datetime

import pytest

from bot.agent.loop import Answered, HandedOff, Outcome
from bot.answering.agent_run import sayable
from models.db import Database
from models.handoff import Reason
from tests.fakes.claude import answer, text
from tests.stage import STUDIO, Stage


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


def test_typing_is_shown_before_the_model_is_asked(db: Database, now: datetime) -> None:
    """In the chat of the newest message, once a run; not where a fixed text answers."""
    shown: list[tuple[str, str, int]] = []
    stage = Stage(db, now, [answer(text("Pois não?"))])
    stage.services = replace(
        stage.services,
        typing=lambda tenant, sid: shown.append((tenant.slug, sid, len(stage.claude.requests))),
    )
    stage.deliver("oi")
    sid = stage.deliver("tudo bem?")
    stage.work()
    assert shown == [(STUDIO, sid, 0)]
    stage.say("parar")
    assert len(shown) == 1
