"""A stretch of a business's own days, and the one of the same length before it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from enum import StrEnum
from typing import Any
from zoneinfo import ZoneInfo

from sqlalchemy import ColumnElement, String, and_, case, func, literal
from sqlmodel import Session

from models.availability import instant

LONGEST = 366  # days
_DAY, _MINUTE = timedelta(days=1), timedelta(minutes=1)
_TICK = timedelta(microseconds=1)  # what happens at this very moment belongs to the day


class Stretch(StrEnum):
    """Which of the two something lies in. What a day that is not over leaves between them is a gap."""

    NOW = "now"
    BEFORE = "before"
    GAP = "gap"


@dataclass(frozen=True)
class Period:
    """The local days from `first` through `last`, as far as they are over.

    It is the half-open [begins, ends) of instants; what it is compared with is [before, before_ends): as many
    days, ending at the same time of the day.
    """

    zone: ZoneInfo
    first: date
    last: date
    before: datetime
    before_ends: datetime
    begins: datetime
    ends: datetime

    @classmethod
    def of(cls, zone: ZoneInfo, now: datetime, first: date, last: date) -> "Period":
        """Days that are still to come are left out; the first is never after the last, nor after today."""
        last = min(last, now.astimezone(zone).date())
        first = max(min(first, last), last - (LONGEST - 1) * _DAY)
        back = last - first + _DAY
        ends = min(now + _TICK, instant(zone, last + _DAY, 0))
        wall = ends.astimezone(zone).replace(tzinfo=None) - back
        return cls(
            zone=zone,
            first=first,
            last=last,
            before=instant(zone, first - back, 0),
            before_ends=wall.replace(tzinfo=zone).astimezone(UTC),
            begins=instant(zone, first, 0),
            ends=ends,
        )

    def days(self) -> Iterator[date]:
        day = self.first
        while day <= self.last:
            yield day
            day += _DAY

    def day_of(self, at: datetime) -> date:
        return at.astimezone(self.zone).date()

    def stretch_of(self, at: datetime) -> Stretch:
        if self.begins <= at < self.ends:
            return Stretch.NOW
        return Stretch.BEFORE if self.before <= at < self.before_ends else Stretch.GAP

    # The same in SQL

    def covers(self, column: ColumnElement[datetime]) -> ColumnElement[bool]:
        """Rows of the period, of the one before, and of the gap between them."""
        return and_(column >= self.before, column < self.ends)

    def stretch(self, column: ColumnElement[datetime]) -> ColumnElement[str]:
        return case(
            (column >= self.begins, Stretch.NOW.value),
            (column < self.before_ends, Stretch.BEFORE.value),
            else_=Stretch.GAP.value,
        )

    def day(self, session: Session, column: ColumnElement[datetime]) -> ColumnElement[str]:
        """The local date ("2026-12-02") of an instant that the period covers.

        Reckoned with this program's own data of time zones: a database may know others.
        """
        (_, at_first), *changes = self._clocks()
        if session.get_bind().dialect.name == "postgresql":
            shift = _stepwise(column, literal(at_first), [(since, literal(by)) for since, by in changes])
            return func.to_char(func.timezone("UTC", column) + shift, "YYYY-MM-DD", type_=String)
        words = [(since, literal(_modifier(by))) for since, by in changes]
        return func.date(column, _stepwise(column, literal(_modifier(at_first)), words), type_=String)

    def _clocks(self) -> Iterator[tuple[datetime, timedelta]]:
        """How far local time is from UTC, from when on: another each time that the clocks are set."""
        at, end = self.before, self.ends + _DAY
        yield at, self._offset(at)
        while at < end:
            following = at + _DAY
            if self._offset(at) != self._offset(following):
                change = self._change(at, following)
                yield change, self._offset(change)
            at = following

    def _change(self, low: datetime, high: datetime) -> datetime:
        """The first whole minute after `low` at which the clocks show what they show at `high`."""
        while high - low > _MINUTE:
            middle = low + (high - low) // 2 // _MINUTE * _MINUTE
            low, high = (middle, high) if self._offset(middle) == self._offset(low) else (low, middle)
        return high

    def _offset(self, at: datetime) -> timedelta:
        return at.astimezone(self.zone).utcoffset() or timedelta()


def _stepwise(
    column: ColumnElement[datetime],
    at_first: ColumnElement[Any],
    changes: Sequence[tuple[datetime, ColumnElement[Any]]],
) -> ColumnElement[Any]:
    """The value since the last of these instants, or the first value."""
    later = [(column >= since, value) for since, value in reversed(changes)]
    return case(*later, else_=at_first) if later else at_first


def _modifier(by: timedelta) -> str:
    """What SQLite's date function takes to move a time."""
    return f"{by // timedelta(seconds=1):+d} seconds"
