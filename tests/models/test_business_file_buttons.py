"""Whether a business wants buttons: said in its file, kept on the tenant."""

from datetime import datetime

import pytest
from sqlmodel import select

from models.business_file import BusinessFileErrors, parse, render
from models.db import Database
from models.tenant import Tenant
from tests.models.businesses import BASE, imported


def with_buttons(value: str) -> str:
    return BASE.replace("tenant:\n", f"tenant:\n  buttons: {value}\n", 1)


def wanted(db: Database) -> bool:
    with db.reading() as session:
        return session.exec(select(Tenant)).one().buttons


def test_pictures_are_allowed_and_then_not(db: Database, now: datetime) -> None:
    def allowed() -> bool:
        with db.reading() as session:
            return session.exec(select(Tenant)).one().images

    imported(db, BASE, now)
    assert not allowed()
    wish = BASE.replace("tenant:\n", "tenant:\n  images: true\n", 1)
    assert "  images: false → true" in render(imported(db, wish, now))
    assert allowed()
    with pytest.raises(BusinessFileErrors, match='"images" must be'):
        parse(wish.replace("images: true", "images: talvez"))


def test_buttons_are_wanted_and_then_not(db: Database, now: datetime) -> None:
    imported(db, BASE, now)
    assert not wanted(db)
    assert "  buttons: false → true" in render(imported(db, with_buttons("true"), now))
    assert wanted(db)
    imported(db, BASE, now)
    assert not wanted(db)


@pytest.mark.parametrize("value", ["maybe", "1", '"true"', "[true]"])
def test_another_word_is_an_error_with_its_line(value: str) -> None:
    with pytest.raises(BusinessFileErrors) as caught:
        parse(with_buttons(value))
    line = with_buttons(value).split("\n").index(f"  buttons: {value}") + 1
    [error] = [str(error) for error in caught.value.errors]
    assert error.startswith(f'line {line}: "buttons" must be')
