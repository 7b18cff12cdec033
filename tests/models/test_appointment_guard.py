"""The database by itself refuses two appointments of one professional at a time, whatever code forgets."""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import pytest
from sqlalchemy import text
from sqlalchemy.exc import IntegrityError
from sqlmodel import select

from models import appointment
from models.appointment import Appointment
from models.availability import Code
from models.db import Database
from models.errors import Refusal
from models.tenant import Tenant
from tests.fakes import agenda
from tests.fakes.agenda import Ids

INSERT = text(
    """
    insert into appointment (id, tenant_id, professional_id, customer_id, starts_at, ends_at, busy_from,
        busy_until, status, squeeze_in, created_by, created_at, schedule_version, cancel_reason)
    values (:id, :tenant_id, :professional_id, :customer_id, :starts_at, :ends_at, :starts_at, :ends_at,
        :status, :squeeze_in, 'bot', :starts_at, 0, '')
    """
)
UPDATE = "update appointment set {} where id = 1"


@pytest.fixture
def ids(db: Database, now: datetime) -> Ids:
    with db.writing() as session:
        return agenda.studio(session, now)


@pytest.fixture
def raw(db: Database, ids: Ids, now: datetime) -> Callable[..., None]:
    """Insert one appointment by raw SQL, so many minutes from now."""

    def inserted(key: int, start: int, end: int, **changes: Any) -> None:
        values = {
            "id": key,
            "tenant_id": ids.tenant,
            "professional_id": ids.ana,
            "customer_id": ids.customer,
            "starts_at": moment(db, now, start),
            "ends_at": moment(db, now, end),
            "status": "booked",
            "squeeze_in": False,
        }
        with db.engine.begin() as connection:
            connection.execute(INSERT, {**values, **changes})

    return inserted


def moment(db: Database, now: datetime, minutes: int) -> datetime | str:
    then = now + timedelta(minutes=minutes)
    return then.strftime("%Y-%m-%d %H:%M:%S.%f") if db.is_sqlite else then


@pytest.mark.parametrize(
    ("start", "end"), [(0, 60), (-30, 30), (30, 90), (10, 20), (-30, 90), (59, 61), (-1, 1)]
)
def test_overlap_is_refused(raw: Callable[..., None], start: int, end: int) -> None:
    raw(1, 0, 60)
    with pytest.raises(IntegrityError, match="no_overlap"):
        raw(2, start, end)


@pytest.mark.parametrize(("start", "end"), [(-60, 0), (60, 120), (200, 260)])
def test_touching_and_apart_are_fine(raw: Callable[..., None], start: int, end: int) -> None:
    raw(1, 0, 60)
    raw(2, start, end)


@pytest.mark.parametrize("status", ["cancelled", "no_show"])
def test_what_does_not_occupy_is_free(
    db: Database, now: datetime, raw: Callable[..., None], status: str
) -> None:
    """It leaves room, and cannot come back onto what was taken meanwhile."""
    raw(1, 0, 60, status=status)
    raw(2, 0, 60)
    raw(3, 0, 60, status=status)
    with pytest.raises(IntegrityError, match="no_overlap"), db.engine.begin() as connection:
        connection.execute(text(UPDATE.format("status = 'booked'")))


def test_what_is_done_occupies(raw: Callable[..., None]) -> None:
    raw(1, 0, 60, status="done")
    with pytest.raises(IntegrityError, match="no_overlap"):
        raw(2, 0, 60)


def test_move_over_itself(db: Database, now: datetime, raw: Callable[..., None]) -> None:
    """In one UPDATE; but not over another."""
    raw(1, 0, 60)
    raw(2, 90, 150)
    to = text(UPDATE.format("starts_at = :a, ends_at = :b, busy_from = :a, busy_until = :b"))
    with db.engine.begin() as connection:
        connection.execute(to, {"a": moment(db, now, 30), "b": moment(db, now, 90)})
    with pytest.raises(IntegrityError, match="no_overlap"), db.engine.begin() as connection:
        connection.execute(to, {"a": moment(db, now, 60), "b": moment(db, now, 120)})


def test_squeezing_in_is_allowed_on_purpose(db: Database, raw: Callable[..., None]) -> None:
    """And undone only where there is room."""
    raw(1, 0, 60, squeeze_in=True)
    raw(2, 0, 60)
    with pytest.raises(IntegrityError, match="no_overlap"), db.engine.begin() as connection:
        connection.execute(text(UPDATE.format("squeeze_in = false")))


def test_another_professional_is_free(db: Database, ids: Ids, raw: Callable[..., None]) -> None:
    raw(1, 0, 60)
    raw(2, 0, 60, professional_id=ids.bia)
    with pytest.raises(IntegrityError, match="no_overlap"), db.engine.begin() as connection:
        connection.execute(text(UPDATE.format(f"professional_id = {ids.bia}")))


@pytest.mark.parametrize(("start", "end"), [(0, 0), (60, 0)])
def test_empty_and_inverted_times_are_refused(
    db: Database, raw: Callable[..., None], start: int, end: int
) -> None:
    with pytest.raises(Exception, match=r"(?i)check|range lower bound"):
        raw(1, start, end)


def test_rows_of_two_tenants_cannot_be_mixed(
    db: Database, ids: Ids, now: datetime, raw: Callable[..., None]
) -> None:
    with db.writing() as session:
        other = agenda.studio(session, now, slug="b", name="B", whatsapp="+551130001001")
    for foreign in ({"professional_id": other.ana}, {"customer_id": other.customer}):
        with pytest.raises(IntegrityError, match=r"(?i)foreign key"):
            raw(1, 0, 60, **foreign)


def test_guard_behind_the_check_says_occupied(
    db: Database, ids: Ids, now: datetime, raw: Callable[..., None]
) -> None:
    """A row longer than any visit is too old for the check to see: the refusal is the same, and whole."""
    raw(100, -4 * 24 * 60, 4 * 24 * 60)
    start = now + timedelta(hours=23, minutes=40)  # Thursday 10:00
    with pytest.raises(Refusal) as refusal, db.writing() as session:
        tenant = session.get_one(Tenant, ids.tenant)
        appointment.book(session, now, tenant, ids.customer, ids.ana, [ids.corte], start, "bot")
    assert refusal.value.code == Code.OCUPADO
    with db.reading() as session:
        assert [row.id for row in session.exec(select(Appointment)).all()] == [100]
