"""What tokens cost: the list, its steps and days, and prices of one's own."""

import json
from datetime import date
from decimal import Decimal
from pathlib import Path

import pytest

from bot.core.pricing import LIST, with_given
from bot.llm.base import Usage

DAY = date(2026, 12, 2)
MILLION = 1_000_000


@pytest.mark.parametrize(
    ("model", "usage", "dollars"),
    [
        ("claude-sonnet-5-5", Usage(input_tokens=MILLION), "2"),
        ("claude-sonnet-5-5", Usage(output_tokens=MILLION), "10"),
        ("claude-sonnet-5-5", Usage(cache_read_tokens=MILLION), "0.10"),
        ("claude-sonnet-5-5", Usage(cache_write_tokens=MILLION), "2.50"),
        ("claude-opus-5-5", Usage(1000, 1000, 1000, 1000), "0.0292"),
        ("claude-fable-5-1", Usage(1000, 1000, 1000, 1000), "0.07275"),
        ("claude-haiku-4-5", Usage(1000, 1000, 1000, 1000), "0.00735"),
        # The worst case of one turn, at the brake.
        ("claude-haiku-5-5", Usage(60_000, 4000), "0.008"),
        ("claude-sonnet-5-5", Usage(60_000, 4000), "0.16"),
        ("offline", Usage(MILLION, MILLION, MILLION, MILLION), "0"),
    ],
)
def test_list(model: str, usage: Usage, dollars: str) -> None:
    assert LIST.microdollars(model, usage, DAY) == Decimal(dollars) * MILLION


@pytest.mark.parametrize(
    ("usage", "microdollars"),
    [
        (Usage(100_000, 1000), 10_000 + 500),
        (Usage(100_001, 1000), Decimal("50000.5") + 2500),
        # What the cache gave is part of the prompt.
        (Usage(1, 0, 100_000), Decimal("0.5") + 5000),
        (Usage(0, 0, 0, 100_001), Decimal("62500.625")),
    ],
)
def test_long_prompts_cost_more(usage: Usage, microdollars: Decimal) -> None:
    """Above 100,000 input tokens every token of that call has the higher price."""
    assert LIST.microdollars("claude-haiku-5-5", usage, DAY) == microdollars


def test_a_dated_name_is_the_same_model() -> None:
    usage = Usage(1000)
    dated = LIST.microdollars("claude-haiku-5-5-20261007", usage, DAY)
    assert dated == LIST.microdollars("claude-haiku-5-5", usage, DAY) == 100


@pytest.mark.parametrize("model", ["gpt-9", "", "claude-haiku-5-5-fast", "claude-haiku-5-5-1007"])
def test_unknown_model_has_no_price(model: str) -> None:
    """None, which is not nothing."""
    assert LIST.microdollars(model, Usage(1000), DAY) is None


def test_a_price_holds_from_its_day_on() -> None:
    prices = with_given(
        json.dumps({"m": [{"input": 2, "output": 2, "since": "2026-12-02"}, {"input": 1, "output": 1}]})
    )
    usage = Usage(10)
    assert prices.microdollars("m", usage, date(2026, 12, 1)) == 10
    assert prices.microdollars("m", usage, date(2026, 12, 2)) == 20
    assert LIST.microdollars("claude-haiku-5-5", usage, date(2026, 10, 6)) is None


def test_given_prices_stand_in_place_of_the_list(tmp_path: Path) -> None:
    """As text or as a file; what is not given keeps its price; a cache without a price costs as input."""
    text = '{"claude-haiku-5-5": {"input": 0.3, "output": 1.5}, "gpt-x": {"input": "1", "output": 0}}'
    file = tmp_path / "prices.json"
    file.write_text(text)
    for prices in (with_given(text), with_given(str(file))):
        assert prices.microdollars("claude-haiku-5-5", Usage(10, 10, 10, 10), DAY) == 24
        assert prices.microdollars("gpt-x", Usage(10, 10), DAY) == 10
        assert prices.microdollars("claude-opus-5-5", Usage(10), DAY) == 40
    assert with_given(None) is LIST


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", "is no JSON"),
        ("no-such-file.json", "path of a JSON file"),
        ("[1]", "valid dictionary"),
        ('{"m": {"input": 1}}', r"m\.0\.output"),
        ('{"m": {"input": -1, "output": 1}}', r"m\.0\.input"),
        ('{"m": {"input": NaN, "output": 1}}', r"m\.0\.input"),
        ('{"m": {"input": 1, "output": 1, "tax": 1}}', r"m\.0\.tax"),
        ('{"m": []}', "m: "),
    ],
)
def test_wrong_prices_are_refused(text: str, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        with_given(text)
