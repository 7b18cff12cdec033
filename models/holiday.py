"""Public holidays by country and state, as python-holidays knows them.

Optional days (Carnaval, Corpus Christi, 24 and 31 December) are not among them: salons open and are full,
so a business that closes then says so in its closures.
"""

from collections.abc import Mapping
from datetime import date
from functools import lru_cache

import holidays


def name_of(country: str, state: str | None, day: date) -> str | None:
    """The holiday's name, in Portuguese where the library has it; None on any other day.

    Raises NotImplementedError for a country or state that the library does not know.
    """
    return _year(country, state, day.year).get(day)


@lru_cache(maxsize=512)
def _year(country: str, state: str | None, year: int) -> Mapping[date, str]:
    # Without `language` the names come in the language of the process's LANG.
    return dict(holidays.country_holidays(country, subdiv=state, years=year, language="pt_BR"))
