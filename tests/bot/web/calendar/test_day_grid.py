"""A column of the agenda: what is free, what is taken, what overlaps, and where it stands on the grid."""

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.web.calendar import day_grid
from bot.web.calendar.day_grid import BlockItem, Column, FreeItem, NowItem, Source, VisitItem
from models.availability import Agenda, Block, Busy, Code, Window
from models.pages.calendar_page import Blocked, Visit

ZONE = ZoneInfo("America/Sao_Paulo")
DAY = date(2026, 12, 2)  # a Wednesday
WORK = (Window(2, 9 * 60, 12 * 60), Window(2, 13 * 60, 18 * 60))


def at(clock: str, day: date = DAY, zone: ZoneInfo = ZONE) -> datetime:
    hour, minute = map(int, clock.split(":"))
    wall = datetime.combine(day, datetime.min.time(), zone) + timedelta(hours=hour, minutes=minute)
    return wall.astimezone(UTC)


EVENING_BEFORE = at("20:00", DAY - timedelta(days=1))


def visit(start: str, end: str, key: int = 1, **more: object) -> Visit:
    made = Visit(
        id=key,
        professional_id=1,
        professional="Ana",
        customer_id=1,
        customer="Maria",
        conversation_id=None,
        address="",
        starts_at=at(start),
        ends_at=at(end),
        busy_from=at(start),
        busy_until=at(end),
        status="booked",
        squeeze_in=False,
        confirmed=False,
        created_by="bot",
        created_at=EVENING_BEFORE,
        cancel_reason="",
        version=0,
        state="0.booked",
        services=("Corte", "Barba"),
        service_ids=(1, 2),
    )
    return replace(made, **more)


def column(*visits: Visit, now: datetime = EVENING_BEFORE, **more: object) -> Column:
    """Ana's Wednesday."""
    busy = tuple(
        Busy(each.busy_from, each.busy_until) for each in visits if each.status in day_grid.OCCUPYING
    )
    blocks = more.pop("stretches", ())
    source = Source(1, DAY, "Ana", "", Agenda(WORK, blocks, busy), visits, (), **more)
    (found,) = day_grid.build([source], now, ZONE).columns
    return found


def free(of: Column) -> list[str]:
    return [f"{item.starts}-{item.ends}" for item in of.items if isinstance(item, FreeItem)]


@pytest.mark.parametrize(
    ("visits", "left"),
    [
        ([], ["09:00-12:00", "13:00-18:00"]),
        ([("09:00", "10:00")], ["10:00-12:00", "13:00-18:00"]),
        ([("10:00", "11:00")], ["09:00-10:00", "11:00-12:00", "13:00-18:00"]),
        ([("11:30", "13:30")], ["09:00-11:30", "13:30-18:00"]),
        ([("09:00", "12:00"), ("13:00", "18:00")], []),
        ([("08:00", "19:00")], []),
        ([("09:00", "11:50")], ["13:00-18:00"]),
        ([("09:00", "11:45")], ["11:45-12:00", "13:00-18:00"]),
        ([("09:00", "10:00"), ("09:30", "10:30")], ["10:30-12:00", "13:00-18:00"]),
    ],
)
def test_what_is_left(visits: list[tuple[str, str]], left: list[str]) -> None:
    """Gaps of less than a quarter of an hour are not worth a line."""
    assert free(column(*(visit(*each, key=n) for n, each in enumerate(visits)))) == left


def test_buffers_take_time_too() -> None:
    assert free(column(visit("09:00", "10:00", busy_until=at("10:30"))))[0] == "10:30-12:00"


@pytest.mark.parametrize(
    ("now", "left"),
    [
        ("08:00", ["09:00-12:00", "13:00-18:00"]),
        ("10:20", ["10:20-12:00", "13:00-18:00"]),
        ("10:21", ["10:25-12:00", "13:00-18:00"]),
        ("12:30", ["13:00-18:00"]),
        ("17:50", []),
        ("18:00", []),
    ],
)
def test_only_from_now_on(now: str, left: list[str]) -> None:
    assert free(column(now=at(now))) == left


def test_yesterday_is_over() -> None:
    assert free(column(now=at("08:00", DAY + timedelta(days=1)))) == []


@pytest.mark.parametrize("status", ["cancelled", "no_show"])
def test_who_does_not_come_leaves_room(status: str) -> None:
    found = column(visit("09:00", "12:00", status=status))
    assert free(found) == ["09:00-12:00", "13:00-18:00"]
    shown = [item for item in found.items if isinstance(item, VisitItem)]
    assert (len(shown), len(found.cancelled)) == ((0, 1) if status == "cancelled" else (1, 0))


def test_blocks_and_holidays_are_said_once() -> None:
    closed = Block(Code.FECHADO, DAY, DAY, 17 * 60, 18 * 60)
    off = Block(Code.FOLGA, DAY, DAY)
    found = column(stretches=(closed,))
    assert free(found) == ["09:00-12:00", "13:00-17:00"]
    blocks = [
        Blocked(7, None, DAY, DAY, 17 * 60, 18 * 60, "Reunião", "Rita"),
        Blocked(8, 1, DAY, DAY, 0, 1440, "", None),
    ]
    source = Source(1, DAY, "Ana", "", Agenda(WORK, (closed, off)), (), blocks, "Natal")
    (found,) = day_grid.build([source], EVENING_BEFORE, ZONE).columns
    assert free(found) == []
    assert [
        (item.label, item.starts, item.ends, item.removes)
        for item in found.items
        if isinstance(item, BlockItem)
    ] == [
        ("Folga", "09:00", "18:00", None),
        ("Feriado: Natal", "09:00", "18:00", None),
        ("Fechado: Reunião · por Rita", "17:00", "18:00", ("fechamento", 7)),
    ]


@pytest.mark.parametrize(
    ("now", "line"), [("09:00", "09:00"), ("10:20", "10:20"), ("08:59", None), ("18:00", None)]
)
def test_the_line_of_now(now: str, line: str | None) -> None:
    """Only on its own day, and only where the board reaches."""
    found = [item.starts for item in column(now=at(now)).items if isinstance(item, NowItem)]
    assert found == ([line] if line else [])


def test_the_scale_holds_everything() -> None:
    """In whole hours; nine to six where there is nothing."""
    early = visit("07:40", "08:00")
    late = visit("22:30", "23:30", key=2)
    source = Source(1, DAY, "Ana", "", Agenda(WORK), (early, late), ())
    found = day_grid.build([source], EVENING_BEFORE, ZONE)
    assert (found.hours[0], found.hours[-1], found.rows) == (("07:00", 1), ("23:00", 193), 17 * 12)
    (item,) = [each for each in found.columns[0].items if isinstance(each, VisitItem) and each.id == 1]
    assert (item.place.row, item.place.rows) == (9, 4)
    empty = day_grid.build([Source(1, DAY, "Ana", "", Agenda(), (), ())], EVENING_BEFORE, ZONE)
    assert (empty.hours[0][0], empty.hours[-1][0]) == ("09:00", "17:00")
    assert day_grid.build([], EVENING_BEFORE, ZONE).columns == ()


def test_a_visit_over_midnight_has_its_part_on_each_day() -> None:
    night = visit("23:00", "25:00")
    sources = [Source(1, DAY + timedelta(days=n), "Ana", "", Agenda(), (night,), ()) for n in (0, 1)]
    found = day_grid.build(sources, EVENING_BEFORE, ZONE)
    items = [item for each in found.columns for item in each.items if isinstance(item, VisitItem)]
    assert [(item.minute, item.place.rows) for item in items] == [(23 * 60, 12), (0, 12)]
    assert [item.marks for item in items] == [
        (("next", "Até o dia seguinte"),),
        (("back", "Desde a véspera"),),
    ]


def test_a_visit_until_midnight_is_of_one_day() -> None:
    (item,) = (item for item in column(visit("23:00", "24:00")).items if isinstance(item, VisitItem))
    assert (item.minute, item.place.rows, item.ends, item.marks) == (23 * 60, 12, "00:00", ())


@pytest.mark.parametrize(
    ("spans", "lanes"),
    [
        ([("09:00", "10:00"), ("10:00", "11:00")], [(1, 1), (1, 1)]),
        ([("09:00", "10:00"), ("09:30", "10:30")], [(1, 2), (2, 2)]),
        ([("09:00", "11:00"), ("09:30", "10:00"), ("10:00", "10:30")], [(1, 2), (2, 2), (2, 2)]),
        ([("09:00", "10:00")] * 3, [(1, 3), (2, 3), (3, 3)]),
        ([("09:00", "10:00")] * 8, [(1, 6), (2, 6), (3, 6), (4, 6), (5, 6), (6, 6), (6, 6), (6, 6)]),
    ],
)
def test_what_overlaps_stands_side_by_side(
    spans: list[tuple[str, str]], lanes: list[tuple[int, int]]
) -> None:
    found = column(*(visit(*each, key=n) for n, each in enumerate(spans, 1)))
    placed = sorted((item.id, item.place) for item in found.items if isinstance(item, VisitItem))
    assert [(place.lane, place.lanes) for _, place in placed] == lanes


SPANS = st.lists(
    st.tuples(st.integers(0, 280), st.integers(1, 20)).map(lambda each: (each[0] * 5, each[1] * 5)),
    max_size=12,
)


@given(spans=SPANS, now=st.integers(0, 1439))
def test_nothing_free_is_taken_and_no_lane_holds_two(spans: list[tuple[int, int]], now: int) -> None:
    visits = [
        visit(
            f"{start // 60}:{start % 60:02}",
            f"{(start + length) // 60}:{(start + length) % 60:02}",
            key=n,
        )
        for n, (start, length) in enumerate(spans, 1)
    ]
    found = column(*visits, now=at(f"{now // 60}:{now % 60:02}"))
    shown = [item for item in found.items if isinstance(item, VisitItem)]
    for item in found.items:
        if isinstance(item, FreeItem):
            start, end = item.minute, item.minute + item.place.rows * 5
            assert start >= now
            assert any(window.start <= start and end <= window.end for window in WORK)
            assert all(end <= begins or begins + length <= start for begins, length in spans)
    for one in shown:
        for other in shown:
            lanes = {one.place.lanes, other.place.lanes}
            if one.id < other.id and one.place.lane == other.place.lane and max(lanes) < day_grid.MOST_LANES:
                first, second = one.place, other.place
                assert first.row + first.rows <= second.row or second.row + second.rows <= first.row
    assert [item.minute for item in found.items] == sorted(item.minute for item in found.items)


def test_a_day_that_loses_an_hour_still_stands() -> None:
    """In New York on 2026-03-08 there is no 02:30."""
    zone = ZoneInfo("America/New_York")
    day = date(2026, 3, 8)
    start = at("01:30", day, zone)
    night = visit("0:00", "0:00", starts_at=start, ends_at=start + timedelta(hours=1))
    night = replace(night, busy_from=night.starts_at, busy_until=night.ends_at)
    source = Source(1, day, "Ana", "", Agenda((Window(6, 0, 300),)), (night,), ())
    (found,) = day_grid.build([source], start - timedelta(days=2), zone).columns
    (item,) = [each for each in found.items if isinstance(each, VisitItem)]
    assert (item.starts, item.ends) == ("01:30", "03:30")


def test_words() -> None:
    assert [day_grid.length_of(minutes) for minutes in (45, 60, 90, 125)] == [
        "45 min",
        "1 h",
        "1 h 30",
        "2 h 05",
    ]
    found = column(visit("09:00", "10:00", squeeze_in=True), visit("13:00", "13:15", key=2, status="done"))
    assert found.summary == "2 horários · 6 h 45 livres"
    looks = {item.id: (item.look, item.marks) for item in found.items if isinstance(item, VisitItem)}
    assert looks == {
        1: ("is-booked squeezed", (("squeeze", "Encaixe"),)),
        2: ("is-done short", (("tick", "Atendido"),)),
    }
    told = column(
        visit("09:00", "10:00", confirmed=True), visit("13:00", "14:00", key=2, confirmed=True, status="done")
    )
    marks = {item.id: item.marks for item in told.items if isinstance(item, VisitItem)}
    assert marks == {1: (("ticks", "Confirmou"),), 2: (("tick", "Atendido"),)}
    assert column().summary == "ninguém marcado · 8 h livres"
    assert day_grid.week_of(DAY)[0] == date(2026, 11, 30)
