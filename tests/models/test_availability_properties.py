"""What must hold for every business: properties, and a second opinion that counts minute by minute.

AGENDA_EXAMPLES asks for more than the default, before a release.
"""

import os
import random
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from functools import cache
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from models import availability
from models.availability import Agenda, Block, Busy, Code, Rules, Span, Window

EXAMPLES = int(os.environ.get("AGENDA_EXAMPLES", "100"))
# Weekdays without and with a clock change, at midnight, by half an hour, by a whole day.
DAYS = [
    ("America/Sao_Paulo", date(2026, 12, 7)),
    ("America/Sao_Paulo", date(2018, 11, 4)),
    ("America/Sao_Paulo", date(2018, 2, 17)),
    ("America/Sao_Paulo", date(2018, 2, 18)),
    ("America/New_York", date(2026, 3, 8)),
    ("America/New_York", date(2026, 11, 1)),
    ("America/Rio_Branco", date(2013, 11, 10)),
    ("Australia/Lord_Howe", date(2026, 10, 4)),
    ("Australia/Lord_Howe", date(2026, 4, 5)),
    ("Pacific/Apia", date(2011, 12, 30)),
]
BRAZIL = [
    "America/Sao_Paulo",
    "America/Bahia",
    "America/Fortaleza",
    "America/Recife",
    "America/Maceio",
    "America/Belem",
    "America/Santarem",
    "America/Araguaina",
    "America/Cuiaba",
    "America/Campo_Grande",
    "America/Manaus",
    "America/Porto_Velho",
    "America/Boa_Vista",
    "America/Rio_Branco",
    "America/Eirunepe",
    "America/Noronha",
]


class Business:
    """A random business on a random day, with what a reference and the product both need."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        zone, self.day = self.random.choice(DAYS)
        self.zone = ZoneInfo(zone)
        pick = self.random.choice
        self.rules = Rules(
            self.zone,
            pick((5, 10, 15, 20, 30, 45, 60, 90)),
            pick((0, 0, 0, 1, 60, 600)),
            pick((0, 1, 60, 60, 60)),
        )
        self.span = Span(
            pick((5, 20, 30, 45, 60, 120, 250)), pick((0, 0, 10)), pick((0, 0, 15)), pick((False, True))
        )
        midnight = datetime.combine(self.day, datetime.min.time(), self.zone).astimezone(UTC)
        self.now = midnight + timedelta(minutes=self.random.randrange(-1400, 1100), seconds=pick((0, 0, 30)))
        weekday = self.day.weekday()
        self.agenda = Agenda(
            windows=(
                *(Window(weekday, *self._part()) for _ in range(pick((0, 1, 2, 2, 3)))),
                Window((weekday + 1) % 7, *self._part()),
            ),
            blocks=tuple(self._block() for _ in range(pick((0, 0, 1, 2)))),
            busy=tuple(self._busy(midnight) for _ in range(pick((0, 1, 3)))),
        )

    def _part(self) -> tuple[int, int]:
        """Boundaries on the hour: in an hour that comes twice no other boundary has one meaning."""
        start, end = sorted(self.random.sample(range(25), 2))
        return start * 60, end * 60

    def _short_part(self) -> tuple[int, int]:
        start = self.random.randrange(22)
        return start * 60, (start + self.random.choice((1, 1, 2))) * 60

    def _block(self) -> Block:
        first = self.day - timedelta(days=self.random.randrange(3))
        last = first + timedelta(days=self.random.randrange(3))
        part = (0, 1440) if self.random.random() < 0.1 else self._short_part()
        return Block(self.random.choice((Code.FOLGA, Code.FECHADO, Code.FERIADO)), first, last, *part)

    def _busy(self, midnight: datetime) -> Busy:
        begins = midnight + timedelta(minutes=self.random.randrange(-120, 1440))
        return Busy(begins, begins + timedelta(minutes=self.random.randrange(1, 200)))

    def local(self, moment: datetime) -> tuple[date, int]:
        return _walls(self.zone, self.day)[moment]

    def moments(self) -> Iterator[datetime]:
        """Each minute that shows this day on the wall."""
        return (moment for moment, wall in _walls(self.zone, self.day).items() if wall[0] == self.day)


@cache
def _walls(zone: ZoneInfo, day: date) -> dict[datetime, tuple[date, int]]:
    """Some days of minutes, each with the date and minute that the wall clock shows."""
    noon = datetime.combine(day, datetime.min.time(), UTC) + timedelta(hours=12)
    moments = [noon + timedelta(minutes=n) for n in range(-60 * 60, 60 * 60)]
    there = [moment.astimezone(zone) for moment in moments]
    return {
        moment: (local.date(), local.hour * 60 + local.minute)
        for moment, local in zip(moments, there, strict=True)
    }


def reference(business: Business) -> list[datetime]:
    """Free starts by walking through minutes: nothing is shared with the product but the plain values."""
    b = business
    weekday = b.day.weekday()
    open_ = {m for w in b.agenda.windows if w.weekday == weekday for m in range(w.start, w.end)}
    stops = [k for k in b.agenda.blocks if k.code != Code.FERIADO or not b.span.on_holidays]
    closed = {m for k in stops if k.first <= b.day <= k.last for m in range(k.start, k.end)}
    taken = {m for busy in b.agenda.busy for m in _minutes(busy.begins, busy.ends)}
    earliest = b.now + timedelta(minutes=b.rules.notice_minutes)
    if not 0 <= (b.day - b.now.astimezone(b.zone).date()).days <= b.rules.horizon_days:
        return []
    anchor = 0
    seen: set[int] = set()
    found = []
    for moment in b.moments():
        wall = b.local(moment)[1]
        if wall in seen or wall not in open_:
            continue
        # A clock that jumps may jump over the opening minute: look for it backwards, not in `seen`.
        anchor = (
            next(m for m in range(wall, -1, -1) if m - 1 not in open_) if wall - 1 not in seen else anchor
        )
        seen.add(wall)
        on_grid = (wall - anchor) % b.rules.step_minutes == 0
        if on_grid and moment >= earliest and _fits(b, moment, open_ - closed, taken):
            found.append(moment)
    return found


def _minutes(begins: datetime, ends: datetime) -> Iterator[datetime]:
    while begins < ends:
        yield begins
        begins += timedelta(minutes=1)


def _fits(b: Business, start: datetime, working: set[int], taken: set[datetime]) -> bool:
    end = start + timedelta(minutes=b.span.minutes)
    before, after = timedelta(minutes=b.span.before_minutes), timedelta(minutes=b.span.after_minutes)
    days, walls = zip(*(b.local(moment) for moment in _minutes(start, end)), strict=True)
    # Also what the clocks skip: a visit does not go on behind a break that the jump made invisible.
    worked = set(days) == {b.day} and working.issuperset(range(min(walls), max(walls) + 1))
    return worked and taken.isdisjoint(_minutes(start - before, end + after))


@pytest.mark.parametrize("part", range(4))
def test_agrees_with_the_minute_by_minute_reference(part: int) -> None:
    """Thousands of random businesses, most of them on days with a clock change."""
    for seed in range(part, EXAMPLES * 10, 4):
        b = Business(seed)
        assert availability.slots(b.rules, b.agenda, b.span, b.day, b.now) == reference(b), seed


seeds = st.integers(0, 10**9)


@settings(max_examples=EXAMPLES // 5)
@given(seeds)
def test_listed_exactly_when_bookable(seed: int) -> None:
    """Every listed start passes the check, every other minute is refused with a reason; and none is empty
    without one."""
    b = Business(seed)
    listed = availability.slots(b.rules, b.agenda, b.span, b.day, b.now)
    free = [m for m in b.moments() if availability.check(b.rules, b.agenda, b.span, m, b.now) is None]
    assert free == listed
    if not listed:
        assert availability.why_none(b.rules, b.agenda, b.span, b.day, b.now).code in Code


@settings(max_examples=EXAMPLES)
@given(seeds)
def test_nothing_depends_on_order_or_pieces(seed: int) -> None:
    """Windows, blocks and busy times may come in any order, and in pieces that touch."""
    b = Business(seed)
    windows = [piece for w in b.agenda.windows for piece in _halves(w)]
    busy = [piece for taken in b.agenda.busy for piece in _split(taken)]
    b.random.shuffle(windows)
    b.random.shuffle(busy)
    pieces = Agenda(tuple(windows), tuple(reversed(b.agenda.blocks)), tuple(busy))
    assert availability.slots(b.rules, pieces, b.span, b.day, b.now) == availability.slots(
        b.rules, b.agenda, b.span, b.day, b.now
    )


def _halves(window: Window) -> list[Window]:
    middle = (window.start + window.end) // 2
    return [Window(window.weekday, window.start, middle), Window(window.weekday, middle, window.end)]


def _split(busy: Busy) -> list[Busy]:
    middle = busy.begins + (busy.ends - busy.begins) / 2
    return [Busy(busy.begins, middle), Busy(middle, busy.ends)]


@settings(max_examples=EXAMPLES)
@given(seeds, st.integers(1, 3000))
def test_time_only_takes_from_the_front(seed: int, minutes: int) -> None:
    """As long as the day is within the horizon, a later now leaves a tail of the list."""
    b = Business(seed)
    if availability.check_date(b.rules, b.day, b.now):
        return
    before = availability.slots(b.rules, b.agenda, b.span, b.day, b.now)
    after = availability.slots(b.rules, b.agenda, b.span, b.day, b.now + timedelta(minutes=minutes))
    assert after == before[len(before) - len(after) :]


def _inside_hours(zone: ZoneInfo, day: date) -> None:
    agenda = Agenda((Window(day.weekday(), 0, 150), Window(day.weekday(), 1320, 1440)))
    now = datetime.combine(day - timedelta(days=2), datetime.min.time(), UTC)
    for start in availability.slots(Rules(zone, 30, 0, 60), agenda, Span(30), day, now):
        local = start.astimezone(zone)
        assert local.date() == day
        assert not 150 <= local.hour * 60 + local.minute < 1320


@settings(max_examples=EXAMPLES)
@given(st.sampled_from(BRAZIL), st.dates(date(2004, 1, 1), date(2029, 12, 31)))
def test_slots_show_times_inside_the_hours(zone: str, day: date) -> None:
    """In every Brazilian zone, on every day since 2004."""
    _inside_hours(ZoneInfo(zone), day)


@pytest.mark.parametrize("name", BRAZIL)
def test_days_follow_one_another_without_a_gap(name: str) -> None:
    """Each day ends where the next begins; on those that a clock change makes longer or shorter the hours
    hold as well."""
    zone = ZoneInfo(name)
    day, begins = date(2004, 1, 1), availability.instant(zone, date(2004, 1, 1), 0)
    while day < date(2030, 1, 1):
        ends = availability.instant(zone, day, 1440)
        assert begins < ends == availability.instant(zone, day + timedelta(days=1), 0)
        assert begins.astimezone(zone).date() == day
        if ends - begins != timedelta(days=1):
            _inside_hours(zone, day)
        day, begins = day + timedelta(days=1), ends
