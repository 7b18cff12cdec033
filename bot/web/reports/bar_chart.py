"""Bars of a chart as plain numbers for an SVG. Pure.

The drawing is ten units a bar wide and `HEIGHT` high, and is stretched to the width of the page: all words
stand beside it as text.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta

BAR = 10  # units wide, its gap included
HEIGHT = 60
WIDEST = 56  # pixels a bar
LEAST = 2.5  # what is not nothing can be seen
MOST_BARS = 100  # of more days each bar is a week


@dataclass(frozen=True)
class Bar:
    """One bar, and the words for it."""

    x: float
    y: float
    height: float
    words: str


@dataclass(frozen=True)
class Mark:
    """A line across the chart before a bar."""

    x: float
    words: str


@dataclass(frozen=True)
class Chart:
    """`summary` says in a sentence what is to be seen; `top` is the value of a bar of full height.

    `width` is in units of the drawing, `wide` in pixels where there is room.
    """

    width: int
    wide: int
    bars: tuple[Bar, ...]
    marks: tuple[Mark, ...]
    top: int
    summary: str


@dataclass(frozen=True)
class Bin:
    """The days of one bar."""

    first: date
    last: date

    @property
    def words(self) -> str:
        if self.first == self.last:
            return f"{self.first:%d/%m}"
        return f"{self.first:%d/%m} a {self.last:%d/%m}"

    def days(self) -> Iterator[date]:
        day = self.first
        while day <= self.last:
            yield day
            day += timedelta(days=1)


def bins(days: Sequence[date]) -> list[Bin]:
    """A bar a day; of many days a bar a week, Monday to Sunday."""
    if len(days) <= MOST_BARS:
        return [Bin(day, day) for day in days]
    found: list[Bin] = []
    for day in days:
        if found and day.weekday():
            found[-1] = Bin(found[-1].first, day)
        else:
            found.append(Bin(day, day))
    return found


def draw(over: Sequence[Bin], values: Sequence[int], marks: Sequence[tuple[date, str]] = ()) -> Chart:
    """Values one a bin, and what is marked on which day."""
    top = max(values, default=0)
    return Chart(
        width=BAR * len(over),
        wide=WIDEST * len(over),
        bars=tuple(
            _bar(place, value, top, each)
            for place, (each, value) in enumerate(zip(over, values, strict=True))
            if value
        ),
        marks=tuple(Mark(_x(over, day), words) for day, words in marks),
        top=top,
        summary=_summary(over, values),
    )


def _bar(place: int, value: int, top: int, over: Bin) -> Bar:
    height = max(LEAST, round(HEIGHT * value / top, 2))
    return Bar(BAR * place + BAR * 0.1, round(HEIGHT - height, 2), height, f"{over.words}: {value}")


def _x(over: Sequence[Bin], day: date) -> float:
    return BAR * next((n for n, each in enumerate(over) if day <= each.last), len(over))


def _summary(over: Sequence[Bin], values: Sequence[int]) -> str:
    total, top = sum(values), max(values, default=0)
    if not total:
        return "Nenhuma no período."
    busiest = over[values.index(top)]
    unit = "na semana de" if busiest.last - busiest.first >= timedelta(days=1) else "em"
    return f"{total} no período; mais {unit} {busiest.words} ({top})."
