"""Over a day's limit the model is not asked: people take over, once, and nobody is left in silence."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest

from models.acts import conversation_acts
from models.conversation import Holder
from models.db import Database
from models.handoff import Reason
from models.message import Author
from tests.fakes.claude import answer, text
from tests.fakes.fragile import FragileModel
from tests.fakes.talk import hire
from tests.stage import JOAO, MARIA, STUDIO, Stage

PAUSE = "Recebi muitas mensagens por hoje"


def talkative(body: dict[str, Any]) -> dict[str, Any]:
    return answer(text("Pois não?"), usage=(900, 10))


@pytest.fixture
def stage_of(db: Database, now: datetime) -> Callable[..., Stage]:
    """A stage with a model that always answers, and the given settings."""
    return lambda at=now, **settings: Stage(db, at, talkative, **settings)


def give_back(stage: Stage) -> None:
    """One of the staff takes the only open conversation and returns it at once."""
    [episode] = [one for one in stage.handoffs if one.closed_at is None]
    with stage.db.writing() as session:
        person = hire(session, stage.clock(), episode.tenant_id, f"a{episode.id}@b.br", "Carla")
        conversation_acts.take(session, stage.clock(), episode.tenant_id, episode.conversation_id, person)
        conversation_acts.give_back(
            session, stage.clock(), episode.tenant_id, episode.conversation_id, person
        )
    stage.clock.forward(seconds=1)


def test_customer_over_the_limit_goes_to_people(stage_of: Callable[..., Stage]) -> None:
    """The third message finds the limit of two: fixed text, one episode with its reason, no model call."""
    stage = stage_of(limit_customer_runs_per_day=2)
    assert stage.say("oi") == ["Pois não?"]
    assert stage.say("oi") == ["Pois não?"]
    [said] = stage.say("oi")
    assert said.startswith(PAUSE)
    assert "Uma pessoa da equipe" in said
    [episode] = stage.handoffs
    assert (episode.reason, episode.run_id) == (Reason.LIMITE_DE_USO, None)
    assert episode.detail == (
        "Este cliente chegou ao limite do dia: 2 respostas automáticas, 1.800 tokens lidos."
    )
    assert len(stage.claude.requests) == len(stage.runs) == 2
    assert stage.messages[-1].author == Author.SYSTEM


def test_the_pause_is_said_once(stage_of: Callable[..., Stage]) -> None:
    """What the customer writes while they wait is for people: no second text, no second episode."""
    stage = stage_of(limit_customer_runs_per_day=1)
    stage.say("oi")
    assert len(stage.say("oi")) == 1
    assert stage.say("alguém aí?") == []
    assert stage.say("???") == []
    assert len(stage.handoffs) == 1
    assert stage.conversations[0].holder == Holder.QUEUE


def test_others_are_not_stopped(stage_of: Callable[..., Stage]) -> None:
    """One customer's limit is theirs alone."""
    stage = stage_of(limit_customer_runs_per_day=1)
    stage.say("oi", MARIA)
    stage.say("oi", MARIA)
    assert stage.say("oi", JOAO) == ["Pois não?"]


def test_business_over_its_limit_answers_everybody_with_people(stage_of: Callable[..., Stage]) -> None:
    """Each customer of that business, but no other business's, hears that a person comes."""
    stage = stage_of(limit_tenant_runs_per_day=2)
    stage.say("oi", MARIA)
    stage.say("oi", JOAO)
    for sender in (MARIA, JOAO):
        [said] = stage.say("oi", sender)
        assert said.startswith(PAUSE)
    assert [episode.reason for episode in stage.handoffs] == [Reason.LIMITE_DE_USO] * 2
    assert stage.handoffs[0].detail.startswith("O negócio chegou ao limite")
    assert stage.say("oi", MARIA, "barbearia-rio-negro") == ["Pois não?"]


def test_given_back_the_customer_may_go_on(stage_of: Callable[..., Stage]) -> None:
    """People decided so: another allowance, and after that another pause that is told again."""
    stage = stage_of(limit_customer_runs_per_day=2)
    for _ in range(3):
        stage.say("oi")
    give_back(stage)
    assert stage.say("oi") == ["Pois não?"]
    assert stage.say("oi") == ["Pois não?"]
    [said] = stage.say("oi")
    assert said.startswith(PAUSE)
    assert len(stage.handoffs) == 2


def test_given_back_under_the_businesss_limit_is_answered_each_time(stage_of: Callable[..., Stage]) -> None:
    """The limit stands, so the conversation returns to people, with a text and an episode of its own."""
    stage = stage_of(limit_tenant_runs_per_day=1)
    stage.say("oi")
    for episodes in (1, 2, 3):
        [said] = stage.say("oi")
        assert said.startswith(PAUSE)
        assert len(stage.handoffs) == episodes
        give_back(stage)
    assert len(stage.claude.requests) == 1


def test_midnight_of_the_business_ends_the_limit(stage_of: Callable[..., Stage]) -> None:
    """At 23:59 in São Paulo the limit holds; at midnight, with UTC hours ahead, it does not."""
    stage = stage_of(datetime(2026, 12, 3, 2, 50, tzinfo=UTC), limit_customer_runs_per_day=1)
    stage.say("oi")
    stage.clock.now = datetime(2026, 12, 3, 2, 59, 50, tzinfo=UTC)
    assert stage.say("oi")[0].startswith(PAUSE)
    give_back(stage)
    stage.clock.now = datetime(2026, 12, 3, 3, 0, tzinfo=UTC)
    assert stage.say("oi") == ["Pois não?"]


def test_run_that_was_begun_is_finished(stage_of: Callable[..., Stage]) -> None:
    """A crash at the last allowed run: its resumption is not taken for one more."""

    stage = stage_of(limit_customer_runs_per_day=1)
    stage.model = FragileModel(stage.model, {1})
    stage.deliver("oi", slug=STUDIO)
    stage.work()
    stage.clock.forward(seconds=5)
    stage.work()
    assert stage.twilio.bodies == ["Pois não?"]
    assert stage.handoffs == []
