"""Periods in a business's own days, in Python and in SQL alike, also where clocks are set."""

from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from sqlalchemy import insert, select

from models.db import Database, table
from models.period import LONGEST, Period, Stretch
from models.worker import WorkerBeat

SAO_PAULO, NEW_YORK, KATHMANDU = (
    ZoneInfo(name) for name in ("America/Sao_Paulo", "America/New_York", "Asia/Kathmandu")
)
D = date(2026, 12, 2)
TICK = timedelta(microseconds=1)  # this very moment is part of the day


def local(day: date, hour: int, minute: int = 0, zone: ZoneInfo = SAO_PAULO) -> datetime:
    return datetime(day.year, day.month, day.day, hour, minute, tzinfo=zone).astimezone(UTC)


def test_today_is_compared_with_yesterday_up_to_this_hour(now: datetime) -> None:
    """Half a day against a whole one would look like a fall every morning."""
    today = Period.of(SAO_PAULO, now, D, D)
    assert (today.begins, today.ends) == (local(D, 0), now + TICK)
    yesterday = D - timedelta(days=1)
    assert (today.before, today.before_ends) == (local(yesterday, 0), local(yesterday, 10, 20) + TICK)
    assert list(today.days()) == [D]


def test_days_that_are_over_are_compared_with_as_many_before(now: datetime) -> None:
    week = Period.of(SAO_PAULO, now, D - timedelta(days=7), D - timedelta(days=1))
    assert (week.begins, week.ends) == (local(D - timedelta(days=7), 0), local(D, 0))
    assert (week.before, week.before_ends) == (local(D - timedelta(days=14), 0), week.begins)
    assert len(list(week.days())) == 7


@pytest.mark.parametrize(
    ("first", "last", "found"),
    [
        (D, D + timedelta(days=9), (D, D)),
        (D + timedelta(days=3), D + timedelta(days=9), (D, D)),
        (D, D - timedelta(days=3), (D - timedelta(days=3), D - timedelta(days=3))),
        (date(1, 1, 1), D, (D - timedelta(days=LONGEST - 1), D)),
    ],
)
def test_odd_dates(now: datetime, first: date, last: date, found: tuple[date, date]) -> None:
    period = Period.of(SAO_PAULO, now, first, last)
    assert (period.first, period.last) == found
    assert period.before < period.before_ends <= period.begins < period.ends


@pytest.mark.parametrize(
    ("zone", "noon"),
    [
        (SAO_PAULO, datetime(2026, 12, 2, 15, tzinfo=UTC)),
        (KATHMANDU, datetime(2026, 12, 2, 6, 15, tzinfo=UTC)),
        (NEW_YORK, datetime(2026, 11, 2, 17, tzinfo=UTC)),  # clocks went back on the 1st
        (NEW_YORK, datetime(2026, 3, 9, 16, tzinfo=UTC)),  # and forward on the 8th of March
        (SAO_PAULO, datetime(2018, 11, 5, 14, tzinfo=UTC)),  # forward at midnight: the 4th began at 01:00
    ],
)
def test_sql_counts_the_same_days(db: Database, zone: ZoneInfo, noon: datetime) -> None:
    """Every quarter of an hour of four days lies on the same date, and in the same stretch, in both."""
    today = noon.astimezone(zone).date()
    period = Period.of(zone, noon, today - timedelta(days=1), today)
    beats = table(WorkerBeat)
    moments = [period.before + timedelta(minutes=15) * n for n in range(4 * 24 * 4)]
    moments = [moment for moment in moments if moment < period.ends]
    with db.writing() as session:
        session.execute(insert(beats), [{"owner": str(n), "at": moment} for n, moment in enumerate(moments)])
    query = select(beats.c.at, period.stretch(beats.c.at)).where(period.covers(beats.c.at))
    with db.reading() as session:
        found = session.execute(query.add_columns(period.day(session, beats.c.at))).all()
    assert len(found) == len(moments) > 250
    for at, stretch, day in found:
        assert (stretch, day) == (period.stretch_of(at), period.day_of(at).isoformat()), at
    assert {row[1] for row in found} == set(Stretch)
