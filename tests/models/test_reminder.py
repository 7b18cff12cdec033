"""When reminders are due, and that their rows follow the appointment."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlmodel import select, update

from models import appointment, message, quiet_hours, reminder
from models.db import Database
from models.errors import Refusal
from models.message import Author, Message, Status
from models.reminder import Reminder, State
from models.tenant import Tenant
from tests.fakes import agenda
from tests.fakes.agenda import Ids
from tests.models.test_appointment_race import together

SAO_PAULO = ZoneInfo("America/Sao_Paulo")
ZONES = ("America/Sao_Paulo", "America/Manaus", "America/Noronha", "America/Rio_Branco", "Europe/Lisbon")
# NOW is Wednesday 2026-12-02, 10:20 in São Paulo.
FRIDAY = datetime(2026, 12, 4, 17, 0, tzinfo=UTC)  # 14:00 there


def local(day: int, hour: int, minute: int = 0) -> datetime:
    """A moment of December 2026 on São Paulo's clock."""
    return datetime(2026, 12, day, hour, minute, tzinfo=SAO_PAULO).astimezone(UTC)


# When


@pytest.mark.parametrize(
    ("booked", "starts", "hours", "due"),
    [
        (local(2, 10), local(4, 14), 24, local(3, 14)),
        (local(2, 10), local(4, 14), 2, local(4, 12)),
        (local(3, 13, 59), local(4, 14), 24, local(3, 14)),
        (local(3, 14), local(4, 14), 24, None),  # its moment has come already
        (local(4, 11), local(4, 14), 24, None),
        (local(2, 10), local(4, 10), 2, local(4, 8)),  # the night is over
        (local(2, 10), local(4, 9, 59), 2, local(3, 20)),  # the evening before
        (local(2, 10), local(4, 9), 2, local(3, 20)),
        (local(3, 19), local(4, 9), 2, local(3, 20)),
        (local(3, 19, 1), local(4, 9), 2, local(4, 8)),  # booked too shortly before that evening
        (local(4, 1), local(4, 9), 2, local(4, 8)),
        (local(4, 1), local(4, 8, 16), 2, local(4, 8)),
        (local(4, 1), local(4, 8, 15), 2, None),  # too close to the start
        (local(4, 1), local(4, 7), 2, None),  # the night ends after the start
        (local(2, 10), local(4, 22, 59), 2, local(4, 20, 59)),
        (local(2, 10), local(4, 23), 2, local(4, 20)),
        (local(2, 10), local(5, 0, 30), 2, local(4, 20)),
        (local(2, 10), local(4, 7), 24, local(2, 20)),  # 07:00 of the day before: the evening before that
        (local(2, 19, 30), local(4, 7), 24, local(3, 8)),
    ],
)
def test_due(booked: datetime, starts: datetime, hours: int, due: datetime | None) -> None:
    assert reminder.due(SAO_PAULO, starts, hours, booked) == due


def test_what_the_night_puts_together_is_said_once() -> None:
    """Three and two hours before nine in the morning both come to the evening before: one line, the last."""
    assert reminder.schedule(SAO_PAULO, local(4, 9), [24, 3, 2], local(2, 10)) == {
        24: local(3, 9),
        2: local(3, 20),
    }


YEAR = datetime(2026, 1, 1, tzinfo=UTC)
moments = st.timedeltas(timedelta(0), timedelta(days=730)).map(lambda ahead: YEAR + ahead)


@given(
    st.sampled_from(ZONES),
    moments,
    st.timedeltas(timedelta(minutes=1), timedelta(days=60)),
    st.lists(st.integers(1, 336), unique=True, max_size=6),
)
def test_reminders_never_wake_anybody_and_never_come_too_late(
    zone_name: str, now: datetime, ahead: timedelta, hours: list[int]
) -> None:
    """Never in the night, never before or at the booking, never near or after the start, each moment once."""
    zone, starts_at = ZoneInfo(zone_name), now + ahead
    found = reminder.schedule(zone, starts_at, hours, now)
    assert set(found) <= set(hours)
    assert len(set(found.values())) == len(found)
    for each, at in found.items():
        assert not quiet_hours.is_night(zone, at)
        assert now < at < starts_at - reminder.LEAST
        assert starts_at - timedelta(hours=each) > now
        if not quiet_hours.is_night(zone, starts_at - timedelta(hours=each)):
            assert at == starts_at - timedelta(hours=each)


@given(st.sampled_from(ZONES), moments)
def test_a_night_lies_between_an_evening_and_a_morning(zone_name: str, at: datetime) -> None:
    zone = ZoneInfo(zone_name)
    if quiet_hours.is_night(zone, at):
        evening, morning = quiet_hours.evening(zone, at), quiet_hours.morning(zone, at)
        assert evening < at < morning
        assert morning - evening <= timedelta(hours=13)
        assert not quiet_hours.is_night(zone, evening)
        assert not quiet_hours.is_night(zone, morning)
        assert quiet_hours.is_night(zone, morning - timedelta(microseconds=1))


# The rows follow the appointment


@pytest.fixture
def ids(db: Database, now: datetime) -> Ids:
    with db.writing() as session:
        return agenda.studio(session, now, reminders_hours=[24, 2])


def book(db: Database, ids: Ids, now: datetime, starts_at: datetime = FRIDAY) -> int:
    with db.writing() as session:
        tenant = session.get_one(Tenant, ids.tenant)
        booked = appointment.book(
            session, now, tenant, ids.customer, ids.ana, [ids.corte], starts_at, "bot"
        ).appointment
    assert booked.id is not None
    return booked.id


def move(db: Database, ids: Ids, now: datetime, appointment_id: int, starts_at: datetime) -> None:
    with db.writing() as session:
        tenant = session.get_one(Tenant, ids.tenant)
        appointment.move(session, now, tenant, ids.customer, appointment_id, starts_at)


def cancel(db: Database, ids: Ids, now: datetime, appointment_id: int) -> None:
    with db.writing() as session:
        tenant = session.get_one(Tenant, ids.tenant)
        appointment.cancel(session, now, tenant, ids.customer, appointment_id)


def rows(db: Database) -> list[tuple[int, int, datetime, str]]:
    with db.reading() as session:
        query = select(Reminder).order_by(Reminder.id)
        return [(row.version, row.hours, row.due_at, row.state) for row in session.exec(query)]


def test_a_booking_has_its_reminders(db: Database, ids: Ids, now: datetime) -> None:
    book(db, ids, now)
    book(db, ids, now)  # the same visit once more
    assert sorted(rows(db)) == [(0, 2, local(4, 12), "pending"), (0, 24, local(3, 14), "pending")]


def test_a_move_makes_new_ones_of_the_old(db: Database, ids: Ids, now: datetime) -> None:
    key = book(db, ids, now)
    move(db, ids, now, key, FRIDAY + timedelta(hours=1))
    move(db, ids, now, key, FRIDAY + timedelta(hours=1))  # unchanged
    assert sorted(rows(db)) == [
        (0, 2, local(4, 12), "obsolete"),
        (0, 24, local(3, 14), "obsolete"),
        (1, 2, local(4, 13), "pending"),
        (1, 24, local(3, 15), "pending"),
    ]


def test_moved_there_and_back_counts_anew(db: Database, ids: Ids, now: datetime) -> None:
    """The third version has rows of its own: none is taken for that of the first."""
    key = book(db, ids, now)
    move(db, ids, now, key, FRIDAY + timedelta(hours=1))
    move(db, ids, now, key, FRIDAY)
    assert [row for row in sorted(rows(db)) if row[3] == "pending"] == [
        (2, 2, local(4, 12), "pending"),
        (2, 24, local(3, 14), "pending"),
    ]


def test_a_cancelled_visit_is_not_reminded_of(db: Database, ids: Ids, now: datetime) -> None:
    key = book(db, ids, now)
    cancel(db, ids, now, key)
    cancel(db, ids, now, key)
    assert {state for *_, state in rows(db)} == {"obsolete"}


def test_a_refused_move_changes_nothing(db: Database, ids: Ids, now: datetime) -> None:
    key = book(db, ids, now)
    before = rows(db)
    with pytest.raises(Refusal):
        move(db, ids, now, key, local(6, 10))  # a Sunday
    assert rows(db) == before


def plan_anew(
    db: Database, ids: Ids, now: datetime, hours: list[int], zone: str = "America/Sao_Paulo"
) -> None:
    with db.writing() as session:
        tenant = session.get_one(Tenant, ids.tenant)
        tenant.reminders_hours, tenant.timezone = hours, zone
        reminder.plan_anew(session, now, tenant, appointment.ahead(session, ids.tenant, now))


def test_new_rules_hold_for_visits_that_are_booked_already(db: Database, ids: Ids, now: datetime) -> None:
    """Hours that are gone, that stay and that are new; and back again, without a second row for any."""
    book(db, ids, now)
    plan_anew(db, ids, now, [24, 4])
    assert sorted(rows(db)) == [
        (0, 2, local(4, 12), "obsolete"),
        (0, 4, local(4, 10), "pending"),
        (0, 24, local(3, 14), "pending"),
    ]
    plan_anew(db, ids, now, [2])
    plan_anew(db, ids, now, [2])
    assert [row for row in sorted(rows(db)) if row[3] == "pending"] == [(0, 2, local(4, 12), "pending")]
    assert len(rows(db)) == 3


def test_what_was_said_or_is_due_stays_as_it_is(db: Database, ids: Ids, now: datetime) -> None:
    book(db, ids, now)
    with db.writing() as session:
        claimed = reminder.claim(session, local(3, 14))
    assert claimed is not None
    plan_anew(db, ids, local(4, 12), [4])
    assert sorted(rows(db)) == [(0, 2, local(4, 12), "pending"), (0, 24, local(3, 14), "sent")]


def test_visits_of_the_past_and_cancelled_ones_get_none(db: Database, ids: Ids, now: datetime) -> None:
    cancel(db, ids, now, book(db, ids, now))
    before = rows(db)
    plan_anew(db, ids, now, [3])
    assert rows(db) == before
    book(db, ids, now, local(3, 14))
    before = rows(db)
    plan_anew(db, ids, local(3, 14), [3])
    assert rows(db) == before


def test_a_new_zone_has_other_nights(db: Database, ids: Ids, now: datetime) -> None:
    """Eleven in the morning minus three is five in Rio Branco: there it waits for the evening before."""
    book(db, ids, now, local(4, 11))
    plan_anew(db, ids, now, [3])
    assert (0, 3, local(4, 8), "pending") in rows(db)
    plan_anew(db, ids, now, [3], "America/Rio_Branco")
    [(_, _, at, _)] = [row for row in rows(db) if row[3] == "pending"]
    assert at != local(4, 8)
    assert not quiet_hours.is_night(ZoneInfo("America/Rio_Branco"), at)


def test_a_move_takes_the_confirmation_back(db: Database, ids: Ids, now: datetime) -> None:
    """It was given for the other time."""
    key = book(db, ids, now)
    with db.writing() as session:
        first = appointment.confirm(session, now, ids.tenant, ids.customer, key).confirmed_at
        later = now + timedelta(hours=1)
        assert appointment.confirm(session, later, ids.tenant, ids.customer, key).confirmed_at == first == now
    move(db, ids, now, key, FRIDAY + timedelta(hours=1))
    with db.reading() as session:
        assert appointment.own(session, ids.tenant, ids.customer, key).confirmed_at is None


# Claiming


def claimed(db: Database, now: datetime) -> int | None:
    with db.writing() as session:
        found = reminder.claim(session, now)
        return found.id if found else None


def test_what_is_due_is_claimed_once_and_in_order(db: Database, ids: Ids, now: datetime) -> None:
    book(db, ids, now)
    assert claimed(db, local(3, 13, 59)) is None
    with db.reading() as session:
        by_hours = {row.hours: row.id for row in session.exec(select(Reminder))}
    assert [claimed(db, local(4, 12)) for _ in range(3)] == [by_hours[24], by_hours[2], None]


def test_of_several_that_are_due_the_last_speaks(db: Database, ids: Ids, now: datetime) -> None:
    """Whatever their hours: here the one for twelve hours comes to 20:00, that for thirteen to 20:30."""
    with db.writing() as session:
        session.execute(update(Tenant).values(reminders_hours=[13, 12], slot_step_minutes=30))
    book(db, ids, now, local(4, 9, 30))
    assert sorted(rows(db)) == [(0, 12, local(3, 20), "pending"), (0, 13, local(3, 20, 30), "pending")]
    with db.writing() as session:
        first, at = reminder.claim(session, local(3, 20, 30)), local(3, 20, 30)
        assert first is not None
        assert reminder.is_overtaken(session, first, at)
        last = reminder.claim(session, at)
        assert last is not None
        assert last.hours == 13
        assert not reminder.is_overtaken(session, last, at)


def test_twelve_workers_share_what_is_due(db: Database, ids: Ids, now: datetime) -> None:
    """No reminder is claimed by two, none is left."""
    with db.writing() as session:
        session.execute(
            update(Tenant).values(max_open_appointments=100, slot_step_minutes=60, reminders_hours=[4, 3, 2])
        )
    for hour in (13, 14, 15, 16, 17):
        book(db, ids, now, local(4, hour))
    results = together([lambda: [claimed(db, local(4, 17)), claimed(db, local(4, 17))]] * 12)
    found = [key for pair in results for key in pair if isinstance(pair, list) and key is not None]
    while (key := claimed(db, local(4, 17))) is not None:  # who found a row held went on without it
        found.append(key)
    assert sorted(found) == sorted(set(found))
    assert len(found) == 15


def test_a_claim_that_is_rolled_back_is_none(db: Database, ids: Ids, now: datetime) -> None:
    """Killed between the claim and the line: it is due as before."""
    book(db, ids, now)
    with pytest.raises(ZeroDivisionError), db.writing() as session:
        assert reminder.claim(session, local(3, 14)) is not None
        raise ZeroDivisionError
    assert claimed(db, local(3, 14)) is not None


@pytest.mark.parametrize(
    ("status", "state"), [(Status.QUEUED, "obsolete"), (Status.SENDING, "sent"), (Status.READ, "sent")]
)
def test_what_is_not_sent_yet_is_stopped(
    db: Database, ids: Ids, now: datetime, status: Status, state: str
) -> None:
    """Moved between the claim and the sending: the line has no time left; what is out stays as it is."""
    key = book(db, ids, now)
    at = local(3, 14)
    with db.writing() as session:
        mine = reminder.claim(session, at)
        assert mine is not None
        seq = message.add(
            session, at, ids.tenant, ids.conversation, message.Line(author=Author.SYSTEM, text="Lembrete")
        )
        line = message.id_of(session, ids.conversation, seq)
        reminder.queued(session, mine, line)
        session.execute(update(Message).where(Message.id == line).values(status=status))
    move(db, ids, at, key, FRIDAY + timedelta(hours=1))
    with db.reading() as session:
        found = reminder.of_message(session, ids.tenant, line)
        assert found is not None
        assert found.state == state
        assert session.get_one(Message, line).send_before == (None if status == Status.READ else at)
        assert reminder.of_message(session, ids.tenant + 1, line) is None


def test_failed_ones_are_those_of_the_business(db: Database, ids: Ids, now: datetime) -> None:
    with db.writing() as session:
        other = agenda.studio(
            session, now, slug="b", name="B", whatsapp="+551130001001", reminders_hours=[24]
        )
    book(db, ids, now)
    book(db, other, now)
    with db.writing() as session:
        while (mine := reminder.claim(session, local(3, 14))) is not None:
            reminder.close(session, mine, State.FAILED, "sem modelo")
    with db.reading() as session:
        assert [(row.hours, row.reason) for row in reminder.failed(session, ids.tenant)] == [
            (24, "sem modelo")
        ]
        assert len(reminder.failed(session, other.tenant)) == 1
