"""Twelve processes at once, each with its own connections: one winner, clean refusals, never a lock error.

What threads of one process cannot show: nothing but the database stands between them. AGENDA_ROUNDS asks for
more rounds than the default; the order of the rows' locks alone keeps them apart, nothing is tried again.
"""

import itertools
import os
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import select

from models import appointment, block
from models.acts.visit_acts import Reception
from models.appointment import OCCUPYING, Appointment, AppointmentStatus
from models.block import Stretch
from models.db import Database, table
from models.pages import calendar_page
from models.tenant import Tenant
from tests.fakes import agenda as shop
from tests.fakes.agenda import Ids
from tests.fakes.crew import Crew, Task, crew
from tests.fakes.talk import hire

pytestmark = pytest.mark.timeout(1800)

SIZE = 12
ROUNDS = int(os.environ.get("AGENDA_ROUNDS", "3"))
VISIT = table(Appointment)


@pytest.fixture
def workers() -> Iterator[Crew]:
    with crew(SIZE) as ready:
        yield ready


# What the processes do. Each is one transaction, as a tool or a page would have it.


def books(
    db: Database, now: datetime, ids: Ids, customer: int, who: int, services: Sequence[int], start: datetime
) -> str:
    with db.writing() as session:
        tenant = session.get_one(Tenant, ids.tenant)
        appointment.book(session, now, tenant, customer, who, services, start, "bot")
    return "ok"


def moves(db: Database, now: datetime, ids: Ids, customer: int, key: int, start: datetime, who: int) -> str:
    with db.writing() as session:
        tenant = session.get_one(Tenant, ids.tenant)
        appointment.move(session, now, tenant, customer, key, start, who)
    return "ok"


def cancels(db: Database, now: datetime, ids: Ids, customer: int, key: int) -> str:
    with db.writing() as session:
        appointment.cancel(session, now, session.get_one(Tenant, ids.tenant), customer, key)
    return "cancelled"


def blocks(db: Database, now: datetime, ids: Ids, staff: int, stretch: Stretch, anyway: bool) -> str:
    with db.writing() as session:
        tenant = session.get_one(Tenant, ids.tenant)
        block.add(session, now, tenant, staff, stretch, anyway=anyway)
    return "blocked"


def takes_back(db: Database, now: datetime, ids: Ids, staff: int, key: int) -> str:
    with db.writing() as session:
        tenant = session.get_one(Tenant, ids.tenant)
        Reception(session, now, tenant, staff).undo(key, "0.cancelled")
    return "ok"


class Shop:
    """One business with twelve customers, on one of the databases."""

    def __init__(self, db: Database, now: datetime, workers: Crew) -> None:
        self.db, self.now, self.workers = db, now, workers
        with db.writing() as session:
            self.ids = shop.studio(
                session, now, max_open_appointments=10_000, slot_step_minutes=5, horizon_days=10_000
            )
            self.staff = hire(session, now, self.ids.tenant, "rita@bela.test", "Rita")
            self.customers = [
                shop.customer(session, now, self.ids.tenant, phone=f"+55119{n:08d}") for n in range(SIZE)
            ]

    def task(self, run: object, *args: object) -> Task:
        assert callable(run)
        return Task(run, (self.now, self.ids, *args))

    def together(self, tasks: Sequence[Task]) -> Counter[str]:
        return Counter(self.workers.together(self.db, tasks))

    def made(self, customer: int, who: int, start: datetime) -> int:
        with self.db.writing() as session:
            tenant = session.get_one(Tenant, self.ids.tenant)
            made = appointment.book(session, self.now, tenant, customer, who, [self.ids.corte], start, "bot")
        assert made.appointment.id is not None
        return made.appointment.id

    def call_off(self, key: int) -> None:
        """By staff: that it can be taken back stands in the audit."""
        with self.db.writing() as session:
            tenant = session.get_one(Tenant, self.ids.tenant)
            Reception(session, self.now, tenant, self.staff).cancel(key, "0.booked")

    def clear(self) -> None:
        with self.db.writing() as session:
            session.execute(VISIT.update().values(status=AppointmentStatus.CANCELLED))

    def limit(self, visits: int) -> None:
        with self.db.writing() as session:
            session.get_one(Tenant, self.ids.tenant).max_open_appointments = visits

    def occupied(self) -> int:
        """How many visits take up time; none may overlap another of the same professional."""
        with self.db.reading() as session:
            rows = session.execute(
                select(VISIT.c.professional_id, VISIT.c.busy_from, VISIT.c.busy_until)
                .where(VISIT.c.status.in_(OCCUPYING))
                .order_by(VISIT.c.professional_id, VISIT.c.busy_from)
            ).all()
        for one, other in itertools.pairwise(rows):
            assert one.professional_id != other.professional_id or one.busy_until <= other.busy_from
        return len(rows)


@pytest.fixture
def studio(db: Database, now: datetime, workers: Crew) -> Shop:
    return Shop(db, now, workers)


def thursday(hour: int, minute: int = 0, week: int = 0) -> datetime:
    return datetime(2026, 12, 3, hour + 3, minute, tzinfo=UTC) + timedelta(weeks=week)


def test_one_slot(studio: Shop) -> None:
    """S31: the same start, of one service."""
    ids = studio.ids
    for week in range(ROUNDS):
        wishes = [
            studio.task(books, customer, ids.ana, [ids.corte], thursday(10, week=week))
            for customer in studio.customers
        ]
        assert studio.together(wishes) == {"ok": 1, "OCUPADO": SIZE - 1}
    assert studio.occupied() == ROUNDS


def test_overlapping_slots_with_buffers(studio: Shop) -> None:
    """S31: none starts when another does, and some overlap only by the ten minutes after a "Barba"."""
    ids = studio.ids
    starts = [(10, 0), (10, 5), (10, 10), (10, 15), (10, 20), (10, 35)]
    for week in range(ROUNDS):
        wishes = [
            studio.task(books, customer, ids.ana, [ids.barba], thursday(*starts[n % 6], week=week))
            for n, customer in enumerate(studio.customers)
        ]
        assert studio.together(wishes) == {"ok": 1, "OCUPADO": SIZE - 1}
    assert studio.occupied() == ROUNDS


def test_everybody_moves_into_one_slot(studio: Shop) -> None:
    """From both professionals to both, crosswise: one gets each of the two."""
    ids = studio.ids
    for week in range(ROUNDS):
        wishes = []
        for n, customer in enumerate(studio.customers):
            here, there = (ids.ana, ids.bia) if n % 2 else (ids.bia, ids.ana)
            start = thursday((9, 10, 11, 13, 14, 15)[n // 2], week=week) + timedelta(days=1)
            key = studio.made(customer, here, start)
            wishes.append(studio.task(moves, customer, key, thursday(15, week=week), there))
        assert studio.together(wishes) == {"ok": 2, "OCUPADO": SIZE - 2}
        assert studio.occupied() == SIZE
        studio.clear()


def test_cancel_and_book(studio: Shop) -> None:
    """Whoever comes after the cancellation gets the hour, perhaps nobody; never two."""
    ids, (first, *others) = studio.ids, studio.customers
    for week in range(ROUNDS):
        start = thursday(10, week=week)
        key = studio.made(first, ids.ana, start)
        wishes = [studio.task(books, customer, ids.ana, [ids.corte], start) for customer in others]
        results = studio.together([*wishes[:6], studio.task(cancels, first, key), *wishes[6:]])
        assert results["cancelled"] == 1
        assert results["ok"] in (0, 1)
        assert results["ok"] + results["OCUPADO"] == SIZE - 1
        assert studio.occupied() == results["ok"]
        studio.clear()


def test_take_back_and_book(studio: Shop) -> None:
    """S36: the cancelled hour is given away, or comes back to who had it."""
    ids, (first, *others) = studio.ids, studio.customers
    for week in range(ROUNDS):
        start = thursday(10, week=week)
        key = studio.made(first, ids.ana, start)
        studio.call_off(key)
        wishes = [studio.task(books, customer, ids.ana, [ids.corte], start) for customer in others]
        assert studio.together([*wishes, studio.task(takes_back, studio.staff, key)]) == {
            "ok": 1,
            "OCUPADO": SIZE - 1,
        }
    assert studio.occupied() == ROUNDS


def test_limit_of_one_customer(studio: Shop) -> None:
    """S34: twelve different hours of two professionals; two may be had, whoever is first."""
    ids = studio.ids
    studio.limit(2)
    for week in range(ROUNDS):
        wishes = [
            studio.task(
                books,
                ids.customer,
                (ids.ana, ids.bia)[n % 2],
                [ids.corte],
                thursday((9, 10, 11, 13, 14, 15)[n // 2], week=week),
            )
            for n in range(SIZE)
        ]
        assert studio.together(wishes) == {"ok": 2, "LIMITE_CLIENTE": SIZE - 2}
        assert studio.occupied() == 2
        studio.clear()


@pytest.mark.parametrize("anyway", [True, False])
def test_block_and_book(studio: Shop, anyway: bool) -> None:
    """Each booking came before, and is listed (or stops the block), or after, and is refused."""
    ids = studio.ids
    for week in range(ROUNDS):
        day = thursday(9, week=week).date()
        stretch = Stretch(None if week % 2 else ids.ana, day, day)
        # Each hour of the day is wanted, some of them twice.
        hours = (9, 10, 11, 13, 14, 15, 16, 17, 9, 11, 16)
        wishes = [
            studio.task(books, studio.customers[n], ids.ana, [ids.corte], thursday(hour, week=week))
            for n, hour in enumerate(hours)
        ]
        results = studio.together(
            [*wishes[:5], studio.task(blocks, studio.staff, stretch, anyway), *wishes[5:]]
        )
        refused = results["FOLGA"] + results["FECHADO"]
        assert results["ok"] + refused + results["OCUPADO"] == SIZE - 1
        assert studio.occupied() == results["ok"]
        if results["blocked"]:
            assert _listed(studio) == (results["ok"] if anyway else 0)
            assert anyway or results["ok"] == 0
        else:
            assert (results["HORARIOS_NO_BLOQUEIO"], refused, _listed(studio)) == (1, 0, 0)
        studio.clear()


def _listed(studio: Shop) -> int:
    with studio.db.reading() as session:
        return len(calendar_page.attention(session, studio.ids.tenant, studio.now))
