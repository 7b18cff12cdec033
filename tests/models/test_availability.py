"""Free starts: the table of cases from public bug reports, and why each refused start is refused.

Unless said otherwise: São Paulo; a service of 30 minutes without buffers; step 30; Monday to Saturday
09:00-12:00 and 13:00-18:00; no notice; 60 days; now is Monday 2026-12-07, 08:00, and the day asked for is
the same.
"""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

import pytest

from models import availability
from models.availability import Agenda, Block, Busy, Code, Rules, Span, Window

SAO_PAULO = ZoneInfo("America/Sao_Paulo")
NEW_YORK = ZoneInfo("America/New_York")
DAY = date(2026, 12, 7)
RULES = Rules(SAO_PAULO, step_minutes=30, notice_minutes=0, horizon_days=60)
HALF_HOUR = Span(30)
BASE = [f"{hour:02d}:{half}" for hour in (9, 10, 11, 13, 14, 15, 16, 17) for half in ("00", "30")]


def minute(text: str) -> int:
    return int(text[:2]) * 60 + int(text[3:])


def at(text: str, day: date = DAY, zone: ZoneInfo = SAO_PAULO) -> datetime:
    """A local time as an instant, by the standard library alone."""
    return datetime.combine(day, time.fromisoformat(text), zone).astimezone(UTC)


NOW = at("08:00")


def works(*windows: str, weekdays: Sequence[int] = range(6)) -> tuple[Window, ...]:
    pairs = [tuple(minute(part) for part in window.split("-")) for window in windows]
    return tuple(Window(weekday, *pair) for weekday in weekdays for pair in pairs)


def taken(window: str, before: int = 0, after: int = 0, day: date = DAY) -> Busy:
    start, end = window.split("-")
    return Busy(at(start, day) - timedelta(minutes=before), at(end, day) + timedelta(minutes=after))


def rules(step: int = 30, **changes: object) -> Rules:
    return replace(RULES, step_minutes=step, **changes)


def listed(
    agenda: Agenda, span: Span = HALF_HOUR, *, with_rules: Rules = RULES, day: date = DAY, now: datetime = NOW
) -> list[str]:
    found = availability.slots(with_rules, agenda, span, day, now)
    assert [start.tzinfo for start in found] == [UTC] * len(found)
    return [f"{start.astimezone(with_rules.zone):%H:%M}" for start in found]


USUAL = Agenda(works("09:00-12:00", "13:00-18:00"))


def test_usual_day() -> None:
    """A slot may end exactly at the break and at closing; nothing begins in the break."""
    assert listed(USUAL) == BASE


@pytest.mark.parametrize(
    ("case", "windows", "minutes", "step", "expected"),
    [
        ("S11 ends at closing", ["09:00-16:45"], 20, 20, "16:20"),
        ("S12 until midnight", ["21:00-24:00"], 60, 60, "21:00 22:00 23:00"),
        ("S12 whole day", ["00:00-24:00"], 720, 720, "00:00 12:00"),
        (
            "S14 not into the break",
            ["09:30-12:00", "12:30-17:00"],
            60,
            30,
            "09:30 10:00 10:30 11:00 12:30 13:00 13:30 14:00 14:30 15:00 15:30 16:00",
        ),
        ("S20 step is not the duration", ["14:00-20:00"], 240, 60, "14:00 15:00 16:00"),
        ("S23 late window first", ["14:00-16:00", "09:00-11:00"], 60, 60, "09:00 10:00 14:00 15:00"),
        ("S23 overlapping", ["09:00-12:00", "11:00-15:00"], 60, 60, "09:00 10:00 11:00 12:00 13:00 14:00"),
        ("S23 touching", ["12:00-14:00", "09:00-12:00"], 90, 90, "09:00 10:30 12:00"),
        ("S23 one inside the other", ["09:00-12:00", "10:00-11:00"], 60, 60, "09:00 10:00 11:00"),
        ("each window starts its grid", ["09:00-10:00", "12:20-13:30"], 30, 30, "09:00 09:30 12:20 12:50"),
        ("too short a window", ["09:00-09:29"], 30, 30, ""),
        ("just long enough", ["09:00-09:30"], 30, 30, "09:00"),
        ("no window", [], 30, 30, ""),
    ],
)
def test_hours_and_grid(case: str, windows: list[str], minutes: int, step: int, expected: str) -> None:
    found = listed(Agenda(works(*windows)), Span(minutes), with_rules=rules(step), now=at("00:00"))
    assert found[-1:] == [expected] if case == "S11 ends at closing" else found == expected.split()


@pytest.mark.parametrize(
    ("case", "windows", "span", "step", "busy", "expected"),
    [
        ("S15 end of the slot", "17:00-19:00", Span(45), 15, taken("18:00-18:30"), "17:00 17:15"),
        ("S15 inside the slot", "17:00-18:30", Span(30), 30, taken("17:40-17:50"), "17:00 18:00"),
        ("S35 inside the slot", "10:00-13:00", Span(60), 60, taken("10:15-10:45"), "11:00 12:00"),
        ("S21 next after", "13:00-13:20", Span(5), 5, taken("13:00-13:05"), "13:05 13:10 13:15"),
        (
            "S24 buffers of the booking",
            "08:00-18:00",
            Span(60),
            60,
            taken("11:00-12:00", 60, 60),
            "08:00 09:00 13:00 14:00 15:00 16:00 17:00",
        ),
        (
            "S24 buffers of the candidate",
            "08:00-18:00",
            Span(60, 60, 60),
            60,
            taken("11:00-12:00"),
            "08:00 09:00 13:00 14:00 15:00 16:00 17:00",
        ),
        (
            "buffers add up",
            "08:00-18:00",
            Span(60, 60, 60),
            60,
            taken("12:00-13:00", 60, 60),
            "08:00 09:00 15:00 16:00 17:00",
        ),
        (
            "S27 step of service and buffer",
            "10:00-11:40",
            Span(20, after_minutes=5),
            25,
            taken("10:00-10:20", after=5),
            "10:25 10:50 11:15",
        ),
        (
            "S27 step of the service",
            "10:00-11:40",
            Span(20, after_minutes=5),
            20,
            taken("10:00-10:20", after=5),
            "10:40 11:00 11:20",
        ),
        (
            "S29 around an outside event",
            "14:30-18:00",
            Span(30, 30, 30),
            15,
            taken("16:00-16:45"),
            "14:30 14:45 15:00 17:15 17:30",
        ),
        (
            "S30 buffers may spill, the service may not",
            "12:50-16:00",
            Span(60, before_minutes=15),
            5,
            taken("12:50-13:50"),
            "14:05 14:10 14:15 14:20 14:25 14:30 14:35 14:40 14:45 14:50 14:55 15:00",
        ),
        ("touching both sides", "09:00-12:00", Span(60), 60, taken("10:00-11:00"), "09:00 11:00"),
        ("bookings do not move the grid", "09:00-12:00", Span(30), 60, taken("09:00-09:10"), "10:00 11:00"),
    ],
)
def test_busy_time(case: str, windows: str, span: Span, step: int, busy: Busy, expected: str) -> None:
    agenda = Agenda(works(windows), busy=(busy,))
    assert listed(agenda, span, with_rules=rules(step)) == expected.split()


@pytest.mark.parametrize(
    ("blocks", "expected"),
    [
        # S52: two blocks of part of the day do not hide the day.
        (["09:00-10:00", "15:00-16:00"], "10:00 11:00 12:00 13:00 14:00 16:00 17:00"),
        (["00:00-24:00"], ""),
        (["08:00-09:00", "18:00-20:00"], "09:00 10:00 11:00 12:00 13:00 14:00 15:00 16:00 17:00"),
        (["09:30-09:31"], "10:00 11:00 12:00 13:00 14:00 15:00 16:00 17:00"),
    ],
)
def test_closed_parts_of_a_day(blocks: list[str], expected: str) -> None:
    closed = tuple(
        Block(Code.FECHADO, DAY, DAY, *(minute(part) for part in block.split("-"))) for block in blocks
    )
    agenda = Agenda(works("09:00-18:00"), closed)
    assert listed(agenda, Span(60), with_rules=rules(60)) == expected.split()


@pytest.mark.parametrize(("day", "count"), [(6, 0), (7, 0), (8, 0), (11, 0), (12, 16)])
def test_last_day_off_counts(day: int, count: int) -> None:
    """S51: time off from the 7th through the 11th."""
    away = Agenda(USUAL.windows, (Block(Code.FOLGA, date(2026, 12, 7), date(2026, 12, 11)),))
    found = listed(away, day=date(2026, 12, day), now=at("08:00", date(2026, 12, 1)))
    assert len(found) == count


@pytest.mark.parametrize(
    ("zone", "day", "starts"),
    [
        # S01: each day has the offset of that day.
        (NEW_YORK, date(2026, 10, 31), ["13:00", "14:00", "15:00"]),
        (NEW_YORK, date(2026, 11, 1), ["14:00", "15:00", "16:00"]),
        (NEW_YORK, date(2026, 11, 2), ["14:00", "15:00", "16:00"]),
        # S04: no daylight saving in Brazil any more; S08: zones of the units.
        (SAO_PAULO, date(2026, 12, 15), ["12:00", "13:00", "14:00"]),
        (SAO_PAULO, date(2027, 7, 15), ["12:00", "13:00", "14:00"]),
        (ZoneInfo("America/Manaus"), date(2026, 12, 15), ["13:00", "14:00", "15:00"]),
        (ZoneInfo("America/Noronha"), date(2026, 12, 15), ["11:00", "12:00", "13:00"]),
        (ZoneInfo("America/Rio_Branco"), date(2026, 12, 15), ["14:00", "15:00", "16:00"]),
    ],
)
def test_offset_of_the_day(zone: ZoneInfo, day: date, starts: list[str]) -> None:
    found = availability.slots(
        rules(60, zone=zone, horizon_days=400),
        Agenda(works("09:00-12:00", weekdays=range(7))),
        Span(60),
        day,
        datetime(2026, 10, 20, 12, tzinfo=UTC),
    )
    assert [f"{start:%H:%M}" for start in found] == starts


def test_notice_reaching_a_clock_change_keeps_the_grid() -> None:
    """S02."""
    found = listed(
        Agenda(works("09:00-12:00", weekdays=range(7))),
        Span(60),
        with_rules=rules(60, zone=NEW_YORK, notice_minutes=7 * 24 * 60),
        day=date(2026, 11, 1),
        now=at("09:00", date(2026, 10, 25), NEW_YORK),
    )
    assert found == ["09:00", "10:00", "11:00"]


@pytest.mark.parametrize(
    ("zone", "day", "window", "minutes", "expected"),
    [
        # 02:00-03:00 does not exist; the hour before it is followed at once by 03:00.
        (NEW_YORK, date(2026, 3, 8), "00:00-05:00", 60, "00:00 01:00 03:00 04:00"),
        (NEW_YORK, date(2026, 3, 8), "00:00-04:00", 120, "00:00 01:00"),
        (NEW_YORK, date(2026, 3, 8), "02:00-03:00", 60, ""),
        (NEW_YORK, date(2026, 3, 8), "02:30-04:30", 60, "03:30"),
        # 01:00-02:00 happens twice: offered once, and a visit may last through the second.
        (NEW_YORK, date(2026, 11, 1), "00:00-04:00", 60, "00:00 01:00 02:00 03:00"),
        (NEW_YORK, date(2026, 11, 1), "01:00-02:00", 120, "01:00"),
        (NEW_YORK, date(2026, 11, 1), "01:00-02:00", 121, ""),
        # Brazil changed its clocks at midnight: that hour is missing, or the one before it comes twice.
        (SAO_PAULO, date(2018, 11, 4), "00:00-03:00", 60, "01:00 02:00"),
        (SAO_PAULO, date(2018, 2, 17), "21:00-24:00", 60, "21:00 22:00 23:00"),
        (SAO_PAULO, date(2018, 2, 17), "21:00-24:00", 240, "21:00"),
        (SAO_PAULO, date(2018, 2, 18), "00:00-02:00", 60, "00:00 01:00"),
        # Samoa skipped a whole day.
        (ZoneInfo("Pacific/Apia"), date(2011, 12, 30), "09:00-12:00", 60, ""),
        (ZoneInfo("Pacific/Apia"), date(2011, 12, 31), "09:00-12:00", 60, "09:00 10:00 11:00"),
    ],
)
def test_clock_changes(zone: ZoneInfo, day: date, window: str, minutes: int, expected: str) -> None:
    agenda = Agenda(works(window, weekdays=range(7)))
    now = datetime.combine(day - timedelta(days=3), datetime.min.time(), UTC)
    found = listed(agenda, Span(minutes), with_rules=rules(60, zone=zone), day=day, now=now)
    assert found == expected.split()


@pytest.mark.parametrize("now", [at("17:08"), at("17:15")])
def test_past_of_today(now: datetime) -> None:
    """S48: what begins this very moment is still free."""
    agenda = Agenda(works("09:00-18:00"))
    assert listed(agenda, Span(15), with_rules=rules(15), now=now) == ["17:15", "17:30", "17:45"]


@pytest.mark.parametrize(
    ("notice", "first"), [(0, "09:00"), (59, "09:00"), (60, "09:00"), (61, "09:30"), (24 * 60 + 1, None)]
)
def test_notice_is_inclusive(notice: int, first: str | None) -> None:
    found = listed(USUAL, with_rules=rules(notice_minutes=notice))
    assert (found or [None])[0] == first


@pytest.mark.parametrize(("days", "open_"), [(0, True), (60, True), (61, False), (-1, False), (400, False)])
def test_horizon_is_a_local_date(days: int, open_: bool) -> None:
    """The last day of the horizon is whole, however late it is today."""
    every_day = Agenda(works("00:00-24:00", weekdays=range(7)))
    now = at("23:30")
    found = listed(every_day, day=DAY + timedelta(days=days), now=now)
    assert bool(found) == open_
    assert len(found) in (0, 1, 48)


def test_today_is_the_business_day() -> None:
    """S05: half past one in UTC is still Sunday in São Paulo."""
    now = datetime(2026, 12, 7, 1, 30, tzinfo=UTC)
    only_today = rules(horizon_days=0)
    late = Agenda(works("22:00-24:00", weekdays=range(7)))
    assert listed(late, with_rules=only_today, day=date(2026, 12, 6), now=now) == ["22:30", "23:00", "23:30"]
    assert listed(late, with_rules=only_today, day=date(2026, 12, 7), now=now) == []


def test_leap_day() -> None:
    """S09."""
    leap = date(2028, 2, 29)
    assert listed(USUAL, day=leap, now=at("08:00", date(2028, 2, 28))) == BASE


def test_only_the_asked_day() -> None:
    """S46."""
    day = date(2026, 12, 9)
    found = availability.slots(RULES, USUAL, HALF_HOUR, day, NOW)
    assert {start.astimezone(SAO_PAULO).date() for start in found} == {day}


def test_part_of_the_day() -> None:
    found = availability.slots(RULES, USUAL, HALF_HOUR, DAY, NOW, (minute("11:30"), minute("13:30")))
    assert [f"{start.astimezone(SAO_PAULO):%H:%M}" for start in found] == ["11:30", "13:00"]


HOURS = {"hours": [(540, 720), (780, 1080)]}


@pytest.mark.parametrize(
    ("start", "code", "detail"),
    [
        ("09:00", None, {}),
        ("17:30", None, {}),
        ("07:30", Code.PASSADO, {}),
        ("08:30", Code.FORA_DO_EXPEDIENTE, HOURS),
        ("17:45", Code.FORA_DO_EXPEDIENTE, HOURS),
        ("18:00", Code.FORA_DO_EXPEDIENTE, HOURS),
        ("11:45", Code.INTERVALO, HOURS),
        ("12:15", Code.INTERVALO, HOURS),
        ("12:45", Code.INTERVALO, HOURS),
        ("09:10", Code.FORA_DA_GRADE, {"step": 30}),
        ("14:00", Code.OCUPADO, {}),
        ("13:45", Code.OCUPADO, {}),
        ("16:00", Code.FOLGA, {"reason": "dentista"}),
        ("15:45", Code.FOLGA, {"reason": "dentista"}),
    ],
)
def test_why_not(start: str, code: Code | None, detail: dict[str, object]) -> None:
    dentist = Block(Code.FOLGA, DAY, DAY, minute("16:00"), minute("17:00"), "dentista")
    agenda = Agenda(USUAL.windows, (dentist,), (taken("14:00-14:30"),))
    reason = availability.check(RULES, agenda, HALF_HOUR, at(start), NOW)
    assert (reason and (reason.code, reason.detail)) == (code and (code, detail))


@pytest.mark.parametrize(
    ("case", "start", "with_rules", "code"),
    [
        ("S42 the hour went by", at("07:59"), RULES, Code.PASSADO),
        ("S42 the day went by", at("09:00", date(2026, 12, 5)), RULES, Code.PASSADO),
        ("S43 notice", at("09:30"), rules(notice_minutes=120), Code.ANTECEDENCIA),
        ("S43 horizon", at("09:00", DAY + timedelta(days=61)), RULES, Code.HORIZONTE),
        ("closed weekday", at("09:00", date(2026, 12, 13)), RULES, Code.FORA_DO_EXPEDIENTE),
        ("second of a minute", at("09:00") + timedelta(seconds=1), RULES, Code.FORA_DA_GRADE),
    ],
)
def test_rules_hold_without_the_list(case: str, start: datetime, with_rules: Rules, code: Code) -> None:
    reason = availability.check(with_rules, USUAL, HALF_HOUR, start, NOW)
    assert reason is not None
    assert reason.code == code


def test_time_inside_a_buffer_is_busy() -> None:
    """S26: also off the grid, the reason is what a customer can understand."""
    agenda = Agenda(works("08:00-18:00"), busy=(taken("11:00-12:00", 60, 60),))
    reason = availability.check(rules(60), agenda, Span(60), at("09:30"), NOW)
    assert reason is not None
    assert reason.code == Code.OCUPADO


def test_second_occurrence_of_a_repeated_hour_is_not_bookable() -> None:
    """It cannot be told from the first by its local time, so it is not offered."""
    agenda = Agenda(works("00:00-04:00", weekdays=range(7)))
    now = datetime(2026, 10, 30, tzinfo=UTC)
    first = datetime(2026, 11, 1, 5, tzinfo=UTC)
    verdicts = [
        availability.check(rules(60, zone=NEW_YORK), agenda, Span(60), start, now)
        for start in (first, first + timedelta(hours=1))
    ]
    assert verdicts[0] is None
    assert verdicts[1] is not None
    assert verdicts[1].code == Code.FORA_DA_GRADE


FERIADO = Block(Code.FERIADO, DAY, DAY, reason="Natal")


@pytest.mark.parametrize(
    ("case", "agenda", "with_rules", "now", "code"),
    [
        ("no hours", Agenda(), RULES, NOW, Code.FORA_DO_EXPEDIENTE),
        ("holiday", Agenda(USUAL.windows, (FERIADO,)), RULES, NOW, Code.FERIADO),
        ("holiday on a closed weekday", Agenda((), (FERIADO,)), RULES, NOW, Code.FERIADO),
        ("full", Agenda(USUAL.windows, busy=(taken("09:00-18:00"),)), RULES, NOW, Code.OCUPADO),
        ("late in the day", USUAL, rules(notice_minutes=90), at("16:30"), Code.ANTECEDENCIA),
        ("after closing", USUAL, RULES, at("18:30"), Code.PASSADO),
        ("yesterday", USUAL, RULES, at("09:00", DAY + timedelta(days=1)), Code.PASSADO),
        ("far away", USUAL, RULES, at("09:00", DAY - timedelta(days=61)), Code.HORIZONTE),
        ("too long for the day", Agenda(works("09:00-09:20")), RULES, NOW, Code.FORA_DO_EXPEDIENTE),
    ],
)
def test_why_a_day_is_empty(case: str, agenda: Agenda, with_rules: Rules, now: datetime, code: Code) -> None:
    assert listed(agenda, with_rules=with_rules, now=now) == []
    assert availability.why_none(with_rules, agenda, HALF_HOUR, DAY, now).code == code


def test_holiday_is_that_day_only() -> None:
    """S49."""
    agenda = Agenda(USUAL.windows, (FERIADO,))
    days = [DAY + timedelta(days=n) for n in range(-1, 2)]
    early = at("08:00", date(2026, 12, 1))
    assert [len(listed(agenda, day=day, now=early)) for day in days] == [0, 0, 16]  # Sunday, holiday, Tuesday


@pytest.mark.parametrize(
    ("case", "blocks", "count", "code"),
    [
        ("the holiday alone", (FERIADO,), 16, None),
        ("closed as well", (FERIADO, Block(Code.FECHADO, DAY, DAY)), 0, Code.FECHADO),
        ("closed in the morning", (FERIADO, Block(Code.FECHADO, DAY, DAY, 0, minute("12:00"))), 10, None),
        ("away as well", (FERIADO, Block(Code.FOLGA, DAY, DAY)), 0, Code.FOLGA),
    ],
)
def test_a_service_that_is_done_on_holidays(
    case: str, blocks: tuple[Block, ...], count: int, code: Code | None
) -> None:
    """S49: "atende feriado" opens the holiday, and nothing else that is closed."""
    agenda, span = Agenda(USUAL.windows, blocks), replace(HALF_HOUR, on_holidays=True)
    assert len(listed(agenda, span)) == count
    if code:
        assert availability.why_none(RULES, agenda, span, DAY, NOW).code == code
    assert listed(agenda) == []


def test_alternatives_prefer_the_day_then_the_person_then_the_hour() -> None:
    """Near 14:00: what Ana has that day, then the others that day, then the next day."""
    full = (taken("09:00-13:30"), taken("14:00-18:00"))
    agendas = {1: Agenda(USUAL.windows, busy=full), 2: Agenda(works("13:00-14:00")), 3: Agenda()}
    days = [DAY, DAY + timedelta(days=1)]
    near = availability.nearest(RULES, agendas, HALF_HOUR, days, minute("14:00"), NOW, preferred=1)
    found = [(a.professional_id, f"{a.starts_at.astimezone(SAO_PAULO):%H:%M}") for a in near]
    assert found == [(1, "13:30"), (2, "13:30"), (2, "13:00")]


def test_alternatives_are_few() -> None:
    assert len(availability.nearest(RULES, {1: USUAL}, HALF_HOUR, [DAY], 0, NOW)) == 3


def test_no_alternatives() -> None:
    assert availability.nearest(RULES, {1: Agenda()}, HALF_HOUR, [DAY], 0, NOW) == []
