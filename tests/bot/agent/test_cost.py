"""A run's account: what every answer used up, with the price of the model that gave it."""

from datetime import UTC, datetime
from typing import Any

import pytest

from bot.agent.cost import LARGEST, Account
from bot.core.pricing import LIST
from bot.llm.base import ModelReply, Usage
from models.run import RunStep, StepKind

AT = datetime(2026, 12, 2, tzinfo=UTC)


@pytest.fixture
def account() -> Account:
    return Account(LIST, "anthropic", "claude-haiku-5-5")


def reply(model: str = "", provider: str = "", **usage: int) -> ModelReply:
    return ModelReply([], "end_turn", Usage(**usage), model, provider)


def test_answers_add_up(account: Account) -> None:
    """All four kinds of token; the forced answer costs, and is no iteration."""
    account.add(reply(input_tokens=900, output_tokens=40, cache_read_tokens=3000, cache_write_tokens=5), AT)
    account.add(reply(input_tokens=100, output_tokens=10), AT, iteration=False)
    assert account.totals() == {
        "provider": "anthropic",
        "model": "claude-haiku-5-5",
        "iterations": 1,
        "input_tokens": 1000,
        "output_tokens": 50,
        "cache_read_tokens": 3000,
        "cache_write_tokens": 5,
        "cost_microdollars": 156,  # 100 + 25 + 30 + 0.625, rounded once
    }


def test_each_answer_costs_as_the_model_that_gave_it(account: Account) -> None:
    """A second provider took over: it is named, and has its own price."""
    account.add(reply("claude-haiku-5-5", input_tokens=1000), AT)
    account.add(reply("offline", "offline", input_tokens=1000), AT)
    totals = account.totals()
    assert (totals["provider"], totals["model"]) == ("offline", "offline")
    assert totals["cost_microdollars"] == 100


def test_one_unknown_price_leaves_the_sum_unknown(account: Account) -> None:
    """Half a sum would look like a whole one."""
    for model in ("claude-haiku-5-5", "gpt-9", "claude-haiku-5-5"):
        account.add(reply(model, input_tokens=1000), AT)
    totals = account.totals()
    assert totals["cost_microdollars"] is None
    assert totals["input_tokens"] == 3000


def test_steps_of_a_crashed_worker_count(account: Account) -> None:
    """Answers and forced answers, as if they had been given here; nothing else."""
    usage = {
        "input_tokens": 10,
        "output_tokens": 1,
        "cache_read_tokens": 2,
        "cache_write_tokens": 3,
    }
    kinds: list[tuple[StepKind, dict[str, Any] | None]] = [
        (StepKind.INPUT, None),
        (StepKind.ANSWER, usage),
        (StepKind.RESULT, None),
        (StepKind.FINAL, usage),
    ]
    account.add_steps(
        RunStep(tenant_id=1, run_id=1, position=n, kind=kind, usage=tokens, at=AT, model=None)
        for n, (kind, tokens) in enumerate(kinds)
    )
    assert (account.iterations, account.usage) == (1, Usage(20, 2, 4, 6))


def test_sums_fit_their_columns(account: Account) -> None:
    """A server that counts wildly does not break the end of a run."""
    for _ in range(4):
        account.add(reply(input_tokens=10**9, output_tokens=10**9), AT)
    totals = account.totals()
    assert totals["input_tokens"] == totals["cost_microdollars"] == LARGEST
