"""Staff, the bot and an import at the same moment: one winner, clean refusals, nothing lost between them.

Without `retrying`: the order of the locks alone keeps them from waiting for each other in a circle.
AGENDA_ROUNDS asks for more rounds than the default.
"""

import os
from collections import Counter
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest
from sqlmodel import Session, select

from models import appointment, block
from models.acts.visit_acts import Leave, Reception
from models.appointment import Appointment, AppointmentStatus
from models.audit import AuditEvent
from models.block import Stretch
from models.business_file import apply, parse
from models.conversation import Conversation
from models.customer import Customer
from models.db import Database
from models.errors import Conflict, Refusal
from models.message import Message
from models.pages import calendar_page
from models.tenant import Tenant
from tests.fakes import agenda as shop
from tests.fakes.talk import hire
from tests.models.acts.test_visit_acts import Desk
from tests.models.businesses import BASE, HOURS, edited, imported
from tests.models.test_appointment_race import together

THREADS = 12
DAYS = (3, 4, 7, 8, 9, 10, 11, 14)  # of December, all of them working days
ROUNDS = int(os.environ.get("AGENDA_ROUNDS", "3"))


class Crowd(Desk):
    """The desk, with as many customers as there are threads."""

    def __post_init__(self) -> None:
        super().__post_init__()
        with self.db.writing() as session:
            tenant = session.get_one(Tenant, self.ids.tenant)
            tenant.max_open_appointments, tenant.horizon_days = 1000, 10_000
            self.customers = [
                shop.customer(session, self.now, self.ids.tenant, name=f"C{n}", phone=f"+55119{n:08d}")
                for n in range(THREADS)
            ]

    def at_once(self, work: Callable[[Reception], object]) -> Callable[[], str]:
        """One act of Rita's, in a transaction that is not tried again."""

        def act() -> str:
            try:
                with self.db.writing() as session:
                    tenant = session.get_one(Tenant, self.ids.tenant)
                    work(Reception(session, self.now, tenant, self.rita))
            except Conflict:
                return "changed"
            return "ok"

        return act

    def books(
        self, customer: int, start: datetime, who: int, leave: Leave | None = None
    ) -> Callable[[], str]:
        return self.at_once(lambda each: each.book(customer, who, [self.ids.corte], start, leave or Leave()))

    def bot_books(self, customer: int, start: datetime, who: int) -> Callable[[], str]:
        return self.at_once(
            lambda each: appointment.book(
                each.session, self.now, each.tenant, customer, who, [self.ids.corte], start, "bot"
            )
        )

    def made(self, customer: int, start: datetime, who: int) -> int:
        with self.db.writing() as session:
            desk = Reception(session, self.now, session.get_one(Tenant, self.ids.tenant), self.rita)
            booked = desk.book(customer, who, [self.ids.corte], start).appointment
            assert booked.id is not None
            return booked.id

    def clear(self) -> None:
        with self.db.writing() as session:
            for row in session.scalars(select(Appointment)):
                row.status = AppointmentStatus.CANCELLED


@pytest.fixture
def crowd(db: Database, now: datetime) -> Crowd:
    return Crowd(db, now)


def friday(hour: int, minute: int = 0, week: int = 0) -> datetime:
    return datetime(2026, 12, 4, hour + 3, minute, tzinfo=UTC) + timedelta(weeks=week)


def test_staff_and_the_bot_want_one_hour(crowd: Crowd) -> None:
    for week in range(ROUNDS):
        start = friday(10, week=week)
        work = [
            (crowd.books if n % 2 else crowd.bot_books)(customer, start, crowd.ids.ana)
            for n, customer in enumerate(crowd.customers)
        ]
        assert Counter(together(work)) == {"ok": 1, "OCUPADO": THREADS - 1}


def test_all_are_squeezed_into_one_hour(crowd: Crowd) -> None:
    """The first comes in by itself; the others, on purpose, beside it."""
    for week in range(ROUNDS):
        work = [
            crowd.books(customer, friday(10, week=week), crowd.ids.ana, Leave(overlap=True))
            for customer in crowd.customers
        ]
        assert Counter(together(work)) == {"ok": THREADS}
        squeezed = Counter(row.squeeze_in for row in crowd.rows(Appointment))
        assert squeezed == {False: week + 1, True: (THREADS - 1) * (week + 1)}


def test_one_click_of_many_cancels(crowd: Crowd) -> None:
    for week in range(ROUNDS):
        key = crowd.made(crowd.customers[0], friday(10, week=week), crowd.ids.ana)
        assert set(
            together([crowd.at_once(lambda each, key=key: each.cancel(key, "0.booked"))] * THREADS)
        ) == {"ok"}
        events = [row.action for row in crowd.rows(AuditEvent) if row.subject_id == key]
        assert events == ["appointment.book", "appointment.cancel"]


def test_cancel_move_and_mark_at_once(crowd: Crowd) -> None:
    """Whoever is first; the others are told that it is not what they saw any more."""
    for n in range(ROUNDS):
        key = crowd.made(crowd.customers[0], friday(10), crowd.ids.ana)
        work = [
            crowd.at_once(lambda each, key=key: each.cancel(key, "0.booked")),
            crowd.at_once(lambda each, key=key: each.move(key, "0.booked", crowd.ids.bia, friday(15))),
            crowd.at_once(lambda each, key=key: each.move(key, "0.booked", crowd.ids.ana, friday(16))),
        ] * 4
        results = Counter(together(work))
        assert set(results) <= {"ok", "changed"}
        assert results["ok"] in (4, 1 + 3)
        events = [row for row in crowd.rows(AuditEvent) if row.subject_id == key]
        assert len(events) == 2, n
        crowd.clear()


def test_a_cancellation_is_taken_back_or_the_hour_is_given_away(crowd: Crowd) -> None:
    for week in range(ROUNDS):
        start = friday(10, week=week)
        key = crowd.made(crowd.customers[0], start, crowd.ids.ana)
        crowd.cancel(key)
        work = [
            crowd.at_once(lambda each, key=key: each.undo(key, "0.cancelled")),
            *(crowd.books(customer, start, crowd.ids.ana) for customer in crowd.customers[1:]),
        ]
        assert Counter(together(work)) == {"ok": 1, "OCUPADO": THREADS - 1}


@pytest.mark.parametrize("anyway", [True, False])
def test_blocking_while_people_book(crowd: Crowd, anyway: bool) -> None:
    """Each booking came before, and is listed (or stops the block), or after, and is refused."""
    hours = (9, 10, 11, 13, 14, 15, 16, 17)
    for week in range(ROUNDS):
        day = friday(9, week=week).date()
        stretch = Stretch(None if week % 2 else crowd.ids.ana, day, day)

        def blocking(stretch: Stretch = stretch) -> str:
            with crowd.db.writing() as session:
                tenant = session.get_one(Tenant, crowd.ids.tenant)
                block.add(session, crowd.now, tenant, crowd.rita, stretch, anyway=anyway)
            return "blocked"

        work = [
            crowd.books(crowd.customers[n], friday(hour, week=week), crowd.ids.ana)
            for n, hour in enumerate(hours)
        ]
        results = Counter(together([*work[:4], blocking, *work[4:]]))
        refused = results["FOLGA"] + results["FECHADO"]
        assert results["ok"] + refused == len(hours)
        with crowd.db.reading() as session:
            listed = [
                entry
                for entry in calendar_page.attention(session, crowd.ids.tenant, crowd.now)
                if entry.visit.starts_at.date() == day
            ]
        if results["blocked"]:
            assert len(listed) == (results["ok"] if anyway else 0)
            assert anyway or results["ok"] == 0
        else:
            assert (results["HORARIOS_NO_BLOQUEIO"], refused, listed) == (1, 0, [])


def test_crosswise_moves_with_a_text_each(crowd: Crowd) -> None:
    """Appointment, professionals, customer, conversation: always in this order."""
    with crowd.db.writing() as session:
        for customer in crowd.customers:
            session.add(
                Conversation(
                    tenant_id=crowd.ids.tenant,
                    customer_id=customer,
                    address=f"whatsapp:+{customer}",
                    last_message_at=crowd.now,
                    last_inbound_at=crowd.now,
                    created_at=crowd.now,
                )
            )

    def moving(key: int, who: int, start: datetime) -> Callable[[], str]:
        def act(each: Reception) -> None:
            each.move(key, "0.booked", who, start, Leave(overlap=True))
            each.tell(key, "Mudei o seu horário.", f"move.{key}")

        return crowd.at_once(act)

    for week in range(ROUNDS):
        work = []
        for n, customer in enumerate(crowd.customers):
            here, there = (crowd.ids.ana, crowd.ids.bia) if n % 2 else (crowd.ids.bia, crowd.ids.ana)
            key = crowd.made(customer, friday((9, 10, 11, 13, 14, 15)[n // 2], week=week), here)
            work.append(moving(key, there, friday(16, week=week)))
        assert Counter(together(work)) == {"ok": THREADS}
        crowd.clear()
    assert len(crowd.rows(Message)) == THREADS * ROUNDS


def test_an_import_strands_while_staff_work_it_off(db: Database, now: datetime) -> None:
    """Hours are cut and given back while the same visits are moved and cancelled: no lock in a circle."""
    imported(db, BASE, now)
    with db.writing() as session:
        rita = hire(session, now, 1, "rita@bela.test", "Rita")
        session.add(Customer(tenant_id=1, name="Maria", created_at=now))
        session.flush()
        tenant = session.get_one(Tenant, 1)
        tenant.max_open_appointments = 1000
        session.flush()
        keys = []
        for day in DAYS:
            made = appointment.book(
                session, now, tenant, 1, 1, [2], datetime(2026, 12, day, 20, tzinfo=UTC), "bot"
            )
            assert made.appointment.id is not None
            keys.append(made.appointment.id)
    shorter = edited(HOURS, HOURS.replace("18:00", "17:00"))

    def importing(text: str) -> Callable[[], str]:
        def run() -> str:
            with db.writing() as session:
                apply(session, parse(text), now, force=True)
            return "ok"

        return run

    def working(key: int, n: int) -> Callable[[], str]:
        def run() -> str:
            try:
                with db.writing() as session:
                    desk = Reception(session, now, session.get_one(Tenant, 1), rita)
                    if n % 2:
                        desk.cancel(key, "0.booked")
                    else:
                        desk.move(key, "0.booked", 1, datetime(2026, 12, DAYS[n], 17, tzinfo=UTC))
            except Refusal as refusal:
                return refusal.code
            return "ok"

        return run

    work = [importing(shorter), *(working(key, n) for n, key in enumerate(keys)), importing(BASE)]
    assert set(together(work)) == {"ok"}
    with db.reading() as session:
        assert calendar_page.attention(session, 1, now) == []
        assert _statuses(session) == {"booked": 4, "cancelled": 4}


def _statuses(session: Session) -> Counter[str]:
    return Counter(session.scalars(select(Appointment.status)).all())
