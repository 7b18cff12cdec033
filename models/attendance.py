"""When people of a business answer: its `handoff_hours` as arithmetic over instants. Pure."""

from bisect import bisect_right
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from zoneinfo import ZoneInfo

from models.availability import instant
from models.holiday import Calendar

Span = tuple[datetime, datetime]
DAYS_AHEAD = 21  # over the holidays at the end of a year


@dataclass(frozen=True)
class Attendance:
    """`windows`: weekday ("0" is Monday) → [start, end] in minutes of the local day. None given: always.

    On the holidays that the business closes on nobody answers.
    """

    zone: ZoneInfo
    windows: Mapping[str, list[list[int]]]
    holidays: Calendar | None = None

    def is_open(self, at: datetime) -> bool:
        return not self.windows or any(begins <= at < ends for begins, ends in self._spans(at, at))

    def next_open(self, at: datetime) -> datetime | None:
        """The first moment from `at` on when people answer (UTC); None where there is none for weeks."""
        if not self.windows:
            return at
        for begins, ends in self._spans(at, at + timedelta(days=DAYS_AHEAD)):
            if at < ends:
                return max(at, begins)
        return None

    def between(self, begins: datetime, ends: datetime) -> timedelta:
        """How much of [begins, ends) people answer in."""
        if not self.windows:
            return max(ends - begins, timedelta())
        parts = (min(end, ends) - max(begin, begins) for begin, end in self._spans(begins, ends))
        return sum((part for part in parts if part > timedelta()), timedelta())

    def back(self, at: datetime, worked: timedelta) -> datetime | None:
        """The latest moment since which people have answered for `worked`; None: not in the last weeks."""
        if not self.windows:
            return at - worked
        for begins, ends in self._backwards(at):
            part = min(ends, at) - begins
            if part >= worked:
                return min(ends, at) - worked
            worked -= max(part, timedelta())
        return None

    def _backwards(self, last: datetime) -> Iterator[Span]:
        """The windows up to the local day of `last`, the latest first."""
        day = last.astimezone(self.zone).date()
        for ago in range(DAYS_AHEAD):
            yield from reversed(list(self._of(day - timedelta(days=ago))))

    def _spans(self, first: datetime, last: datetime) -> Iterator[Span]:
        """The windows of the local days from `first` through `last`, in order."""
        day, end = first.astimezone(self.zone).date(), last.astimezone(self.zone).date()
        while day <= end:
            yield from self._of(day)
            day += timedelta(days=1)

    def _of(self, day: date) -> Iterator[Span]:
        if self.holidays is not None and self.holidays.name_of(day):
            return
        for start, end in sorted(self.windows.get(str(day.weekday()), ())):
            yield instant(self.zone, day, start), instant(self.zone, day, end)


class Meter:
    """`Attendance.between` for many questions about one stretch of time: its windows are looked up once."""

    def __init__(self, attendance: Attendance, first: datetime, last: datetime) -> None:
        self._always = not attendance.windows
        self._spans = () if self._always else tuple(attendance._spans(first, last))
        self._begins = [begins for begins, _ in self._spans]
        self._before = [timedelta()]  # how much was open before each window
        for begins, ends in self._spans:
            self._before.append(self._before[-1] + (ends - begins))

    def between(self, begins: datetime, ends: datetime) -> timedelta:
        """How much of [begins, ends) people answer in; both lie in the meter's stretch."""
        if self._always:
            return max(ends - begins, timedelta())
        return max(self._open_until(ends) - self._open_until(begins), timedelta())

    def _open_until(self, at: datetime) -> timedelta:
        place = bisect_right(self._begins, at) - 1
        if place < 0:
            return timedelta()
        begins, ends = self._spans[place]
        return self._before[place] + (min(at, ends) - begins)
