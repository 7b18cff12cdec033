"""Values of the business file as they are shown to the owner: in the file's own notation."""

import itertools
from typing import cast

from models.business_file.shape import Away, Closed, Hours
from models.business_file.values import DAYS, clock_text
from models.catalog import MINUTES_OF_DAY


def shown(field: str, value: object) -> str:
    """The value of a field of a row, as the file writes it."""
    if field in ("hours", "handoff_hours"):
        return hours_text(cast(Hours, value or ()))
    if field == "price":
        return price_text(cast(int | None, value))
    if field == "limit_monthly_budget_cents":
        return "" if value is None else price_text(cast(int, value))
    if field == "time_off":
        return "; ".join(away_text(away) for away in cast(tuple[Away, ...], value or ()))
    if field == "faq":
        return "; ".join(question for question, _ in cast(tuple[tuple[str, str], ...], value or ()))
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, tuple):
        texts = all(isinstance(item, str) for item in value)
        return ", ".join(value) if texts else f"{list(value)}"
    return "" if value is None else str(value)


def price_text(cents: int | None) -> str:
    return "on request" if cents is None else f"{cents // 100}.{cents % 100:02}"


def hours_text(hours: Hours) -> str:
    """Such as "mon-fri 09:00-12:00 13:00-18:00, sat 09:00-13:00"."""
    days = [
        (day, " ".join(_span(window.start, window.end) for window in hours if window.weekday == day))
        for day in range(7)
    ]
    runs = [(text, [day for day, _ in run]) for text, run in itertools.groupby(days, key=lambda day: day[1])]
    return ", ".join(f"{_days(run)} {text}" for text, run in runs if text) or "none"


def _days(run: list[int]) -> str:
    return DAYS[run[0]] if len(run) == 1 else f"{DAYS[run[0]]}-{DAYS[run[-1]]}"


def _span(start: int, end: int) -> str:
    return f"{clock_text(start)}-{clock_text(end)}"


def away_text(away: Away) -> str:
    dates = f"{away.first}" if away.first == away.last else f"{away.first} to {away.last}"
    return _with_reason(f"{dates}{_part_of_day(away.start, away.end)}", away.reason)


def closed_text(closed: Closed) -> str:
    return _with_reason(f"{closed.date}{_part_of_day(closed.start, closed.end)}", closed.reason)


def _part_of_day(start: int, end: int) -> str:
    return "" if (start, end) == (0, MINUTES_OF_DAY) else f" {_span(start, end)}"


def _with_reason(text: str, reason: str) -> str:
    return f"{text} ({reason})" if reason else text
