"""Public holidays as python-holidays knows them, and which of them a business closes on.

Optional days (Carnaval, Corpus Christi, 24 and 31 December) are no holidays by themselves: salons open and
are full. A business names those that it closes on, and the holidays that it opens on.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from functools import lru_cache
from typing import NamedTuple

import holidays

ALL = "all"  # in place of the names of optional days: every one of them
_PUBLIC, _OPTIONAL = "public", "optional"
_CITY = " Capital"  # how the library tells a city from the state of the same name
_KNOWN_YEARS = range(2020, 2051)


class Place(NamedTuple):
    """Where a business is. Its holidays are those of the country, the state and the city together.

    What the library does not know raises NotImplementedError in every question about the place.
    """

    country: str
    state: str | None = None
    city: str | None = None

    def names(self) -> list[str]:
        """Every name of a holiday or an optional day of these years, sorted."""
        return self._names(_PUBLIC, _OPTIONAL)

    def optional_names(self) -> list[str]:
        """The names of the optional days, sorted."""
        return self._names(_OPTIONAL)

    def _names(self, *categories: str) -> list[str]:
        years = [_days(self, category, year) for category in categories for year in _KNOWN_YEARS]
        return sorted({name for days in years for names in days.values() for name in names})

    def is_named(self, day: date) -> bool:
        """Whether the date is a holiday or an optional day."""
        return any(day in _days(self, category, day.year) for category in (_PUBLIC, _OPTIONAL))


@dataclass(frozen=True, slots=True)
class Calendar:
    """The holidays on which one business closes.

    `optional` are names of optional days, or ALL alone; `opened` are names of holidays and ISO dates.
    """

    place: Place
    optional: tuple[str, ...] = ()
    opened: tuple[str, ...] = ()

    def name_of(self, day: date) -> str | None:
        """The holiday's name, in Portuguese where the library has it; None on a day of work."""
        return _closing(self, day.year).get(day)


def countries() -> Mapping[str, list[str]]:
    """The two-letter codes of the countries, each with its states."""
    known = holidays.list_supported_countries().items()
    return {code: states for code, states in known if len(code) == 2}


def states(country: str) -> list[str]:
    """The states of a country whose own holidays are known, by their codes."""
    return [place for place in countries().get(country, []) if not place.endswith(_CITY)]


def cities(country: str) -> list[str]:
    """The cities of a country whose own holidays are known."""
    return [place.removesuffix(_CITY) for place in countries().get(country, []) if place.endswith(_CITY)]


@lru_cache(maxsize=512)
def _closing(calendar: Calendar, year: int) -> Mapping[date, str]:
    """The days of a year on which the business closes."""
    closing: dict[date, list[str]] = {}
    for category in (_PUBLIC, _OPTIONAL):
        for day, names in _days(calendar.place, category, year).items():
            if day.isoformat() not in calendar.opened:
                closing.setdefault(day, []).extend(
                    name for name in names if _closes(calendar, category, name)
                )
    return {day: " e ".join(dict.fromkeys(names)) for day, names in closing.items() if names}


def _closes(calendar: Calendar, category: str, name: str) -> bool:
    if name in calendar.opened:
        return False
    return category == _PUBLIC or name in calendar.optional or ALL in calendar.optional


def _days(place: Place, category: str, year: int) -> Mapping[date, list[str]]:
    """The days of one category, of state and city together, with their names."""
    if place.city is None:
        return _year(place.country, place.state, category, year)
    found: dict[date, list[str]] = {}
    for part in (place.state, place.city + _CITY):
        for day, names in _year(place.country, part, category, year).items():
            found[day] = list(dict.fromkeys([*found.get(day, []), *names]))
    return found


@lru_cache(maxsize=1024)
def _year(country: str, part: str | None, category: str, year: int) -> Mapping[date, list[str]]:
    about = holidays.country_holidays(country, subdiv=part)
    if category not in about.supported_categories:
        return {}
    # Without a language that they have, the names come in that of the process's LANG.
    portuguese = [each for each in ("pt_BR", "pt_PT", "pt_AO") if each in about.supported_languages]
    language = next(iter(portuguese), about.default_language)
    named = holidays.country_holidays(
        country, subdiv=part, years=year, language=language, categories=category
    )
    return {day: names.split("; ") for day, names in named.items()}
