"""Numbers as people in Brazil write them, and nothing rounded into a lie."""

from datetime import timedelta

import pytest

from bot.web.shared import number_format
from bot.web.shared.number_format import change, decimal, dollars, length, number, percent, points


def test_numbers() -> None:
    assert [number(0), number(999), number(1234567)] == ["0", "999", "1.234.567"]
    assert [decimal(0.04), decimal(1234.56), decimal(2, 2)] == ["0,0", "1.234,6", "2,00"]


@pytest.mark.parametrize(
    ("part", "whole", "said"),
    [
        (0, 0, "–"),
        (0, 9, "0%"),
        (1, 3, "33%"),
        (1, 1000, "menos de 1%"),
        (999, 1000, "mais de 99%"),
        (9, 9, "100%"),
        (99, 100, "99%"),
        (1, 100, "1%"),
    ],
)
def test_shares(part: int, whole: int, said: str) -> None:
    assert percent(part, whole) == said


@pytest.mark.parametrize(
    ("microdollars", "said"),
    [
        (0, "US$ 0,00"),
        (1, "menos de US$ 0,0001"),
        (700, "US$ 0,0007"),
        (10_000, "US$ 0,01"),
        (1_234_567_890, "US$ 1.234,57"),
    ],
)
def test_money(microdollars: int, said: str) -> None:
    assert dollars(microdollars) == said


@pytest.mark.parametrize(
    ("span", "said"),
    [
        (None, "–"),
        (timedelta(), "0 s"),
        (timedelta(seconds=59.9), "59 s"),
        (timedelta(minutes=1), "1 min"),
        (timedelta(minutes=59, seconds=59), "59 min"),
        (timedelta(minutes=65), "1 h 05"),
        (timedelta(hours=24), "1 dia"),
        (timedelta(hours=51, minutes=59), "2 dias 3 h"),
    ],
)
def test_lengths(span: timedelta | None, said: str) -> None:
    assert length(span) == said


def test_comparisons() -> None:
    assert [change(5, 4), change(3, 4), change(4, 4), change(4, 0), change(0, 4)] == [
        "+25%",
        "−25%",
        "igual",
        "",
        "−100%",
    ]
    assert points((3, 4), (1, 2)) == "+25 pontos"
    assert points((51, 100), (52, 100)) == "−1 ponto"
    assert points((1, 2), (2, 4)) == "igual"
    assert points((0, 0), (1, 2)) == points((1, 2), (0, 0)) == ""
    assert number_format.change(1000, 1001) == "igual"
