"""Bars as numbers: in proportion, never invisible, a week each where there are too many days."""

from datetime import date, timedelta

from bot.web.reports import bar_chart
from bot.web.reports.bar_chart import Bin

D = date(2026, 12, 2)  # Wednesday


def days(count: int) -> list[date]:
    return [D + timedelta(days=n) for n in range(count)]


def test_bars_are_in_proportion_and_nothing_draws_nothing() -> None:
    drawn = bar_chart.draw(bar_chart.bins(days(4)), [2, 0, 4, 1])
    assert [(bar.x, bar.height) for bar in drawn.bars] == [(1, 30), (21, 60), (31, 15)]
    assert all(bar.y + bar.height == bar_chart.HEIGHT for bar in drawn.bars)
    assert [bar.words for bar in drawn.bars] == ["02/12: 2", "04/12: 4", "05/12: 1"]
    assert (drawn.width, drawn.top) == (40, 4)
    assert drawn.summary == "7 no período; mais em 04/12 (4)."


def test_one_beside_a_thousand_can_be_seen() -> None:
    drawn = bar_chart.draw(bar_chart.bins(days(2)), [1000, 1])
    assert drawn.bars[1].height == bar_chart.LEAST


def test_nothing_at_all() -> None:
    drawn = bar_chart.draw(bar_chart.bins(days(3)), [0, 0, 0])
    assert (drawn.bars, drawn.summary) == ((), "Nenhuma no período.")


def test_many_days_are_weeks_from_monday() -> None:
    """Whole, without a gap, and the same days in all."""
    many = days(200)
    over = bar_chart.bins(many)
    assert over[0] == Bin(D, date(2026, 12, 6))
    assert all(each.first.weekday() == 0 for each in over[1:])
    assert [day for each in over for day in each.days()] == many
    assert over[1].words == "07/12 a 13/12"
    assert bar_chart.draw(over, [1, 3, *[0] * (len(over) - 2)]).summary == (
        "4 no período; mais na semana de 07/12 a 13/12 (3)."
    )
    assert len(bar_chart.bins(days(bar_chart.MOST_BARS))) == bar_chart.MOST_BARS


def test_a_mark_stands_before_the_bar_of_its_day() -> None:
    drawn = bar_chart.draw(bar_chart.bins(days(4)), [1, 1, 1, 1], [(D + timedelta(days=2), "mudou")])
    assert [(mark.x, mark.words) for mark in drawn.marks] == [(20, "mudou")]
