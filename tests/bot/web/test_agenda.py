"""The day as staff read it: in the business's own time, and only its own."""

from datetime import timedelta

import pytest

from models.db import Database
from tests.bot.web.office import LEAK, Office


@pytest.fixture
def office(sqlite_db: Database) -> Office:
    return Office(sqlite_db)


def test_a_day_shows_its_visits_in_local_time(office: Office) -> None:
    conversation_id = office.says(name="Maria")
    office.books(conversation_id, starts_in=timedelta(hours=1))
    page = office.client().get("/agenda").text
    assert "hoje, quarta, 2 de dezembro" in page
    assert "11:20–12:20" in page
    assert "Maria" in page
    assert "Corte feminino" in page


def test_the_day_ends_at_the_business_s_midnight(office: Office) -> None:
    """22:50 in São Paulo is the next day in UTC."""
    office.books(office.says(name="Maria"), starts_in=timedelta(hours=12, minutes=30))
    client = office.client()
    assert "22:50" in client.get("/agenda?dia=2026-12-02").text
    assert "Nenhum horário marcado neste dia." in client.get("/agenda?dia=2026-12-03").text


def test_a_day_leads_to_its_neighbours(office: Office) -> None:
    page = office.client().get("/agenda?dia=2026-12-31").text
    assert 'href="/agenda?dia=2026-12-30"' in page
    assert 'href="/agenda?dia=2027-01-01"' in page
    assert "1 de janeiro de 2027" in office.client().get("/agenda?dia=2027-01-01").text


@pytest.mark.parametrize("day", ["x", "2026-13-01", "0001-01-01", "9999-12-31", "2026-12-02T10:00"])
def test_what_is_no_day_is_no_page(office: Office, day: str) -> None:
    assert office.client().get(f"/agenda?dia={day}").status_code == 404


def test_another_business_s_day_is_its_own(office: Office) -> None:
    theirs = office.says(name=f"Cliente {LEAK}", ids=office.outra)
    office.books(theirs, starts_in=timedelta(hours=1), ids=office.outra)
    assert LEAK not in office.client().get("/agenda").text
