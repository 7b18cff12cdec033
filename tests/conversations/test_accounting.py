"""What each run used up and cost is on its row, however it ended, and in the figures."""

from dataclasses import replace
from datetime import datetime
from typing import Any

from bot.core.pricing import with_given
from models.acts import conversation_acts
from models.db import Database
from models.run import Outcome
from tests.fakes.claude import answer, text, tool_use
from tests.fakes.fragile import FragileModel
from tests.fakes.talk import hire
from tests.stage import STUDIO, Stage

USAGE = {
    "input_tokens": 1000,
    "output_tokens": 100,
    "cache_read_input_tokens": 3000,
    "cache_creation_input_tokens": 200,
}
COST = 205  # micro-dollars of one such call of claude-haiku-5-5: 100 + 50 + 30 + 25


def billed(*blocks: dict[str, Any], **more: Any) -> dict[str, Any]:
    return answer(*blocks) | {"usage": USAGE} | more


def test_run_tells_tokens_cost_and_model(db: Database, now: datetime) -> None:
    stage = Stage(db, now, [billed(tool_use("buscar_servicos")), billed(text("Temos corte."))])
    stage.say("o que vocês fazem?")
    [run] = stage.runs
    assert (run.iterations, run.input_tokens, run.output_tokens) == (2, 2000, 200)
    assert (run.cache_read_tokens, run.cache_write_tokens) == (6000, 400)
    assert run.cost_microdollars == 2 * COST
    assert (run.provider, run.model) == ("anthropic", "claude-haiku-5-5")
    assert [step.model for step in stage.steps if step.kind == "answer"] == ["claude-haiku-5-5"] * 2


def test_model_that_answered_is_named(db: Database, now: datetime) -> None:
    """The server's own name for it, and no cost where that one has no price."""
    stage = Stage(db, now, [billed(text("Oi."), model="claude-nova-9")])
    stage.say("oi")
    [run] = stage.runs
    assert (run.model, run.cost_microdollars, run.input_tokens) == ("claude-nova-9", None, 1000)


def test_prices_can_be_given(db: Database, now: datetime) -> None:
    stage = Stage(db, now, [billed(text("Oi."), model="claude-nova-9")])
    stage.services = replace(
        stage.services, prices=with_given('{"claude-nova-9": {"input": 1, "output": 2, "cache_read": 0}}')
    )
    stage.say("oi")
    assert stage.runs[0].cost_microdollars == 1000 + 200 + 200


def test_dropped_run_has_cost_what_it_cost(db: Database, now: datetime) -> None:
    """People took over while the model thought: nothing is sent, and the tokens are spent."""

    def taken(body: dict[str, Any]) -> dict[str, Any]:
        tenant = stage.tenant(STUDIO)
        with db.writing() as session:
            person = hire(session, now, tenant.id, "a@b.br", "Carla")
            conversation_acts.take(session, now, tenant.id, stage.conversations[0].id, person)
        return billed(text("Oi!"))

    stage = Stage(db, now, [billed(tool_use("buscar_servicos")), taken])
    assert stage.say("oi") == []
    [run] = stage.runs
    assert (run.outcome, run.iterations) == (Outcome.SUPERSEDED, 1)
    assert run.cost_microdollars == COST


def test_crashed_run_has_cost_what_it_cost(db: Database, now: datetime) -> None:
    """Each attempt's answers were recorded, so they are counted once each."""

    stage = Stage(db, now, [billed(tool_use("buscar_servicos"))])
    stage.model = FragileModel(stage.model, range(2, 100))
    stage.deliver("oi")
    for _ in range(5):
        stage.clock.forward(seconds=30)
        stage.work()
    [run] = stage.runs
    assert (run.outcome, run.iterations, run.cost_microdollars) == (Outcome.CRASHED, 1, COST)


def test_resumed_run_counts_every_answer_once(db: Database, now: datetime) -> None:
    stage = Stage(db, now, [billed(tool_use("buscar_servicos")), billed(text("Temos corte."))])
    stage.model = FragileModel(stage.model, {2})
    stage.deliver("oi")
    for _ in range(3):
        stage.clock.forward(seconds=30)
        stage.work()
    [run] = stage.runs
    assert (run.outcome, run.iterations, run.cost_microdollars) == (Outcome.ANSWERED, 2, 2 * COST)


def test_figures_are_on_the_metrics_page(db: Database, now: datetime) -> None:
    """All of one talk, and nothing that names the customer."""
    stage = Stage(db, now, [billed(tool_use("buscar_servicos")), billed(text("Temos corte."))])
    stage.say("o que vocês fazem?")
    client = stage.client()
    client.get("/healthz")
    page = client.get("/metrics", base_url="http://localhost").text
    for line in (
        'horacerta_runs_total{handoff_reason="none",outcome="answered"} 1.0',
        'horacerta_model_calls_total{model="claude-haiku-5-5",stop_reason="tool_use"} 1.0',
        'horacerta_tool_calls_total{error_class="none",tool="buscar_servicos"} 1.0',
        'horacerta_tokens_total{kind="cache_read",model="claude-haiku-5-5"} 6000.0',
        f'horacerta_cost_microdollars_total{{model="claude-haiku-5-5"}} {2 * COST}.0',
        'horacerta_http_request_seconds_count{endpoint="health.alive",status="2xx"} 1.0',
    ):
        assert line in page.splitlines()
    assert "maria" not in page.lower()
    assert "98765" not in page
