"""When people answer: windows of the local week, holidays, and clocks that are set forward and back."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from models.attendance import Attendance, Meter
from models.holiday import Calendar, Place

SAO_PAULO, NEW_YORK = ZoneInfo("America/Sao_Paulo"), ZoneInfo("America/New_York")
WEEK = {str(day): [[540, 720], [780, 1080]] for day in range(5)} | {"5": [[540, 780]]}
SHOP = Attendance(SAO_PAULO, WEEK)
ALWAYS = Attendance(SAO_PAULO, {})
BRAZIL = Attendance(SAO_PAULO, WEEK, Calendar(Place("BR", "SP")))


def local(text: str, zone: ZoneInfo = SAO_PAULO) -> datetime:
    """ "02 10:20" of December 2026: Tuesday is the 1st."""
    day, clock = text.split()
    return datetime(2026, 12, int(day), int(clock[:2]), int(clock[3:]), tzinfo=zone).astimezone(UTC)


@pytest.mark.parametrize(
    ("at", "is_open", "opens"),
    [
        ("02 10:20", True, "02 10:20"),
        ("02 08:59", False, "02 09:00"),
        ("02 09:00", True, "02 09:00"),
        ("02 12:00", False, "02 13:00"),
        ("02 18:00", False, "03 09:00"),
        ("05 12:59", True, "05 12:59"),
        ("05 13:00", False, "07 09:00"),
        ("06 10:00", False, "07 09:00"),
    ],
)
def test_open_and_next(at: str, is_open: bool, opens: str) -> None:
    assert SHOP.is_open(local(at)) is is_open
    assert SHOP.next_open(local(at)) == local(opens)


@pytest.mark.parametrize(
    ("begins", "ends", "minutes"),
    [
        ("02 10:00", "02 10:15", 15),
        ("02 11:50", "02 13:10", 20),
        ("02 17:50", "03 09:10", 20),
        ("05 12:50", "07 09:10", 20),
        ("02 10:00", "02 10:00", 0),
        ("02 10:15", "02 10:00", 0),
        ("06 00:00", "06 23:59", 0),
        ("01 00:00", "08 00:00", 5 * 480 + 240),
    ],
)
def test_how_much_of_a_stretch(begins: str, ends: str, minutes: int) -> None:
    assert SHOP.between(local(begins), local(ends)) == timedelta(minutes=minutes)


def test_without_hours_people_always_answer() -> None:
    at = local("06 03:00")
    assert ALWAYS.is_open(at)
    assert ALWAYS.next_open(at) == at
    assert ALWAYS.between(at, at + timedelta(hours=30)) == timedelta(hours=30)
    assert ALWAYS.between(at, at - timedelta(hours=1)) == timedelta()


def test_nobody_answers_on_a_holiday_that_the_business_keeps() -> None:
    assert not BRAZIL.is_open(local("25 10:00"))
    assert BRAZIL.next_open(local("24 18:00")) == local("26 09:00")
    assert BRAZIL.between(local("24 17:00"), local("26 10:00")) == timedelta(hours=2)


def test_a_week_without_people_ends() -> None:
    assert Attendance(SAO_PAULO, {"0": []}).next_open(local("02 10:00")) is None


def test_the_day_the_clocks_change() -> None:
    """In New York the night of 1 November 2026 is an hour longer, that of 8 March an hour shorter."""
    night = Attendance(NEW_YORK, {"6": [[0, 360]]})
    for month, day, hours in ((11, 1, 7), (3, 8, 5), (11, 8, 6)):
        begins = datetime(2026, month, day, tzinfo=NEW_YORK)
        whole_day = night.between(begins, begins + timedelta(days=1))
        assert whole_day == timedelta(hours=hours), (month, day)


MINUTE = st.integers(0, 14 * 24 * 60)


@given(st.lists(MINUTE, min_size=3, max_size=3))
def test_between_is_the_sum_of_open_minutes(marks: list[int]) -> None:
    """Parts add up, and each agrees with asking minute by minute."""
    first, middle, last = (local("01 00:00") + timedelta(minutes=mark) for mark in sorted(marks))
    whole = SHOP.between(first, last)
    assert whole == SHOP.between(first, middle) + SHOP.between(middle, last)
    hour = first + timedelta(hours=1)
    counted = sum(SHOP.is_open(first + timedelta(minutes=minute)) for minute in range(60))
    assert SHOP.between(first, hour) == timedelta(minutes=counted)


@given(st.sampled_from([SHOP, BRAZIL, ALWAYS]), st.lists(MINUTE, min_size=2, max_size=2), st.booleans())
def test_a_meter_says_the_same(attendance: Attendance, marks: list[int], late: bool) -> None:
    """Also for a stretch that ends before it begins, and over the holidays of Christmas."""
    base = local("20 00:00") if late else local("01 00:00")
    meter = Meter(attendance, base, base + timedelta(days=14))
    begins, ends = (base + timedelta(minutes=mark) for mark in marks)
    assert meter.between(begins, ends) == attendance.between(begins, ends)


@pytest.mark.parametrize("minutes", [1, 60, 300, 480, 481, 2000])
def test_going_back_is_the_other_way_round(minutes: int) -> None:
    """Since that moment exactly so much was worked, and since a moment later less."""
    now, worked = local("09 16:30"), timedelta(minutes=minutes)
    found = SHOP.back(now, worked)
    assert found is not None
    assert SHOP.between(found, now) == worked
    assert SHOP.between(found + timedelta(seconds=1), now) < worked


def test_who_never_answers_has_nothing_to_go_back_to() -> None:
    assert Attendance(SAO_PAULO, {"0": []}).back(local("02 10:00"), timedelta(minutes=1)) is None
