"""How long somebody waits, in words: counted in the hours in which people answer."""

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest
from markupsafe import escape

from bot.web.inbox import queue_row
from models.attendance import Attendance
from models.db import Database
from tests.bot.web.office import Office

SAO_PAULO = ZoneInfo("America/Sao_Paulo")
DAYS = {str(weekday): [[9 * 60, 12 * 60], [13 * 60, 18 * 60]] for weekday in range(5)}


def at(day: int, hour: int, minute: int = 0) -> datetime:
    """A local time in December 2026; the 2nd is a Wednesday."""
    return datetime(2026, 12, day, hour, minute, tzinfo=SAO_PAULO).astimezone(UTC)


def wait(since: datetime, now: datetime, windows: dict[str, list[list[int]]]) -> tuple[str, str]:
    found = queue_row.wait(since, now, queue_row.limits(Attendance(SAO_PAULO, windows), now))
    assert found
    return found.text, found.level


@pytest.mark.parametrize(
    ("since", "now", "text", "level"),
    [
        (at(2, 10), at(2, 10), "Chegou agora", "fine"),
        (at(2, 10), at(2, 10, 4), "Espera há 4 min", "fine"),
        (at(2, 10), at(2, 10, 5), "Espera há 5 min", "slow"),
        (at(2, 10), at(2, 10, 14), "Espera há 14 min", "slow"),
        (at(2, 10), at(2, 10, 15), "Atrasado: espera há 15 min", "late"),
        # Over the lunch hour nobody becomes late.
        (at(2, 11, 50), at(2, 12, 30), "Espera há 40 min", "fine"),
        (at(2, 11, 50), at(2, 13, 4), "Espera há 1 h", "slow"),
        (at(2, 11, 50), at(2, 13, 5), "Atrasado: espera há 1 h", "late"),
        # Nor overnight, nor by the night alone in the morning.
        (at(2, 15), at(2, 18), "Espera há 3 h", "fine"),
        (at(2, 20), at(3, 3), "Espera há 7 h", "fine"),
        (at(2, 20), at(3, 9), "Espera há 13 h", "fine"),
        (at(2, 20), at(3, 9, 15), "Atrasado: espera há 13 h", "late"),
        (at(2, 17, 50), at(3, 9, 5), "Atrasado: espera há 15 h", "late"),
        # Over a weekend.
        (at(4, 19), at(6, 12), "Espera há 1 dia", "fine"),
        (at(4, 19), at(7, 9, 5), "Espera há 2 dias", "slow"),
    ],
)
def test_nobody_is_late_while_nobody_works(since: datetime, now: datetime, text: str, level: str) -> None:
    assert wait(since, now, DAYS) == (text, level)


@pytest.mark.parametrize(
    ("text", "ours", "shown"),
    [
        ("Oi, *tudo* bem?", False, "Oi, tudo bem?"),
        ("Seu horário: *sexta*", True, "Nós: Seu horário: sexta"),
        ("[audio]", False, "Áudio"),
        ("<b>oi</b>", False, "<b>oi</b>"),
    ],
)
def test_the_last_line_says_whose_it_is(sqlite_db: Database, text: str, ours: bool, shown: str) -> None:
    office = Office(sqlite_db)
    talk = office.says("Oi" if ours else text)
    if ours:
        office.clock.forward(minutes=1)
        office.answers(talk, text)
    office.flags(talk)
    page = office.client().get("/fila").text
    assert f'<span class="preview soft" dir="auto">{escape(shown)}</span>' in page


def test_where_no_hours_are_given_people_always_answer() -> None:
    assert wait(at(2, 3), at(2, 3, 15), {}) == ("Atrasado: espera há 15 min", "late")


def test_a_business_that_never_answers_has_nobody_late() -> None:
    assert wait(at(2, 3), at(3, 3), {"0": []})[1] == "fine"


@pytest.mark.parametrize(
    ("since", "found"),
    [
        (at(1, 14, 1), queue_row.Window("open")),
        (at(1, 14), queue_row.Window("closing", "14:00")),
        (at(1, 10, 1), queue_row.Window("closing", "10:01")),
        (at(1, 10), queue_row.Window("shut")),
        (None, queue_row.Window("shut")),
    ],
)
def test_whatsapps_window_in_words(since: datetime | None, found: queue_row.Window) -> None:
    assert queue_row.window(since, at(2, 10), SAO_PAULO) == found
