"""Public holidays by country and state."""

from datetime import date

import pytest

from models import holiday


@pytest.mark.parametrize(
    ("state", "day", "name"),
    [
        (None, date(2026, 12, 25), "Natal"),
        (None, date(2027, 1, 1), "Confraternização Universal"),
        (None, date(2026, 12, 24), None),
        # Optional: the business decides, by its closures.
        (None, date(2026, 2, 17), None),
        (None, date(2026, 6, 4), None),
        (None, date(2026, 12, 31), None),
        # 20 November is a holiday of the whole country since 2024 only.
        (None, date(2023, 11, 20), None),
        (None, date(2026, 11, 20), "Dia Nacional de Zumbi e da Consciência Negra"),
        ("SP", date(2026, 7, 9), "Revolução Constitucionalista"),
        ("MG", date(2026, 7, 9), None),
        ("São Paulo Capital", date(2027, 1, 25), "Aniversário da Cidade de São Paulo"),
        (None, date(9999, 12, 25), None),
    ],
)
def test_names_are_in_portuguese(state: str | None, day: date, name: str | None) -> None:
    """Whatever the language of the process."""
    assert holiday.name_of("BR", state, day) == name


@pytest.mark.parametrize(("country", "state"), [("ZZ", None), ("BR", "XX")])
def test_unknown_place(country: str, state: str | None) -> None:
    with pytest.raises(NotImplementedError):
        holiday.name_of(country, state, date(2026, 12, 25))
