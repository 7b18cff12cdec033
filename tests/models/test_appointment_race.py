"""Twelve at once: one winner, the others a clean refusal, never a lock error.

AGENDA_ROUNDS asks for more rounds than the default.
"""

import os
import threading
from collections import Counter
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from typing import TypeVar

import pytest
from sqlalchemy import func
from sqlmodel import select, update

from models import appointment
from models.appointment import Appointment, AppointmentStatus
from models.db import Database
from models.errors import Refusal
from models.tenant import Tenant
from tests.fakes import agenda
from tests.fakes.agenda import Ids

THREADS = 12
ROUNDS = int(os.environ.get("AGENDA_ROUNDS", "4"))
_T = TypeVar("_T")


@pytest.fixture
def ids(db: Database, now: datetime) -> Ids:
    with db.writing() as session:
        # Each round has a week of its own.
        rules = {"max_open_appointments": 10_000, "slot_step_minutes": 15, "horizon_days": 7 * ROUNDS + 7}
        return agenda.studio(session, now, **rules)


@pytest.fixture
def customers(db: Database, ids: Ids, now: datetime) -> list[int]:
    with db.writing() as session:
        return [agenda.customer(session, now, ids.tenant, phone=f"+55119{n:08d}") for n in range(THREADS)]


def together(work: Sequence[Callable[[], _T]]) -> list[_T | str]:
    """Run all at the same moment; of each its result, the code of its refusal, or the name of its error."""
    results: list[_T | str] = ["never ran"] * len(work)
    gate = threading.Barrier(len(work))

    def run(n: int) -> None:
        gate.wait()
        try:
            results[n] = work[n]()
        except Refusal as refusal:
            results[n] = str(refusal)
        except Exception as error:
            results[n] = repr(error)

    threads = [threading.Thread(target=run, args=(n,)) for n in range(len(work))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results


def booking(
    db: Database, ids: Ids, now: datetime, customer: int, start: datetime, who: int
) -> Callable[[], str]:
    def book() -> str:
        with db.writing() as session:
            tenant = session.get_one(Tenant, ids.tenant)
            appointment.book(session, now, tenant, customer, who, [ids.corte], start, "bot")
        return "ok"

    return book


def thursday(hour: int, minute: int = 0, week: int = 0) -> datetime:
    return datetime(2026, 12, 3, hour + 3, minute, tzinfo=UTC) + timedelta(weeks=week)


def booked(db: Database) -> int:
    with db.reading() as session:
        rows = session.exec(
            select(func.count())
            .select_from(Appointment)
            .where(Appointment.status == AppointmentStatus.BOOKED)
        )
        return rows.one()


@pytest.mark.parametrize(
    ("case", "starts"),
    [
        ("S31 the same start", [(10, 0)]),
        ("S31 overlapping starts, which no unique index would see", [(10, 0), (10, 15), (10, 45)]),
    ],
)
def test_one_slot(
    db: Database, ids: Ids, now: datetime, customers: list[int], case: str, starts: list[tuple[int, int]]
) -> None:
    for week in range(ROUNDS):
        work = [
            booking(db, ids, now, customer, thursday(*starts[n % len(starts)], week), ids.ana)
            for n, customer in enumerate(customers)
        ]
        assert Counter(together(work)) == {"ok": 1, "OCUPADO": THREADS - 1}
    assert booked(db) == ROUNDS


def test_limit_of_one_customer_over_many_professionals(db: Database, ids: Ids, now: datetime) -> None:
    """S34: the professional's lock alone does not guard it."""
    with db.writing() as session:
        session.exec(update(Tenant).values(max_open_appointments=2))
    for week in range(ROUNDS):
        starts = [thursday(9 + n % 3, week=week) for n in range(THREADS)]
        work = [
            booking(db, ids, now, ids.customer, start, (ids.ana, ids.bia)[n % 2])
            for n, start in enumerate(starts)
        ]
        # Six different visits are wanted, each by two threads; whoever asks again for one finds it.
        assert set(together(work)) == {"ok", "LIMITE_CLIENTE"}
        assert booked(db) == 2
        with db.writing() as session:
            session.exec(update(Appointment).values(status=AppointmentStatus.CANCELLED))


def test_same_wish_of_one_customer(db: Database, ids: Ids, now: datetime) -> None:
    """All are told that it is booked, and it is booked once."""
    for week in range(ROUNDS):
        work = [booking(db, ids, now, ids.customer, thursday(10, week=week), ids.ana)] * THREADS
        assert Counter(together(work)) == {"ok": THREADS}
    assert booked(db) == ROUNDS


def test_crosswise_moves_do_not_deadlock(db: Database, ids: Ids, now: datetime, customers: list[int]) -> None:
    """Half go from Ana to Bia and half from Bia to Ana, all to one hour; each gets one."""

    def moving(key: int, customer: int, who: int, start: datetime) -> Callable[[], str]:
        def move() -> str:
            with db.writing() as session:
                tenant = session.get_one(Tenant, ids.tenant)
                appointment.move(session, now, tenant, customer, key, start, who)
            return "ok"

        return move

    for week in range(ROUNDS):
        work = []
        for n, customer in enumerate(customers):
            here, there = (ids.ana, ids.bia) if n % 2 else (ids.bia, ids.ana)
            start = thursday((9, 10, 11, 13, 14, 15)[n // 2], week=week) + timedelta(days=1)
            with db.writing() as session:
                tenant = session.get_one(Tenant, ids.tenant)
                made = appointment.book(session, now, tenant, customer, here, [ids.corte], start, "bot")
                assert made.appointment.id is not None
            work.append(moving(made.appointment.id, customer, there, thursday(15, week=week)))
        assert Counter(together(work)) == {"ok": 2, "OCUPADO": THREADS - 2}
        with db.writing() as session:
            session.exec(update(Appointment).values(status=AppointmentStatus.CANCELLED))


def test_cancel_and_book_at_once(db: Database, ids: Ids, now: datetime, customers: list[int]) -> None:
    """Whoever comes after the cancellation gets the hour; never two."""
    first, *others = customers

    def cancelling(key: int) -> Callable[[], str]:
        def cancel() -> str:
            with db.writing() as session:
                appointment.cancel(session, now, session.get_one(Tenant, ids.tenant), first, key)
            return "cancelled"

        return cancel

    for week in range(ROUNDS):
        start = thursday(10, week=week)
        with db.writing() as session:
            tenant = session.get_one(Tenant, ids.tenant)
            made = appointment.book(session, now, tenant, first, ids.ana, [ids.corte], start, "bot")
            assert made.appointment.id is not None
            key = made.appointment.id
        work = [cancelling(key), *(booking(db, ids, now, other, start, ids.ana) for other in others)]
        results = Counter(together(work))
        assert results["cancelled"] == 1
        assert results["ok"] <= 1
        assert results["OCUPADO"] == THREADS - 1 - results["ok"]
