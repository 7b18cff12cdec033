"""Whoever writes first dies at every commit and around every request: nothing missed, nothing twice."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from typing import Any

import pytest
from sqlmodel import update

from bot.outreach import reminders, waitlist_offers
from bot.process.worker import drain
from bot.sending import outbox
from models import waitlist
from models.appointment import Appointment, AppointmentService
from models.conversation import Conversation
from models.db import Database
from models.reminder import Reminder
from models.tenant import Tenant
from models.waitlist import WaitlistEntry
from tests.databases import empty
from tests.fakes.days import ANA, BIA, CORTE, TEMPLATE, Calendar, local


class Killed(BaseException):
    """The process is gone: nothing catches this."""


class Points:
    """Counts the places at which a process can die, and dies at the chosen one."""

    def __init__(self, kill_at: int) -> None:
        self.kill_at = kill_at
        self.passed = 0

    def pass_by(self) -> None:
        self.passed += 1
        if self.passed == self.kill_at:
            raise Killed

    def around(self, function: Callable[..., Any]) -> Callable[..., Any]:
        def wrapped(*args: Any, **kwargs: Any) -> Any:
            self.pass_by()
            result = function(*args, **kwargs)
            self.pass_by()
            return result

        return wrapped


@contextmanager
def dying(days: Calendar, points: Points) -> Iterator[None]:
    """Every commit and every request of the outbox is such a place."""
    dialect, http = days.stage.db.engine.dialect, days.stage._http
    commit, request = dialect.do_commit, http.stream
    dialect.do_commit = points.around(commit)
    http.stream = points.around(request)
    try:
        yield
    finally:
        dialect.do_commit = commit
        http.stream = request


def live(days: Calendar, sweep: Callable[[Any, datetime], None], at: datetime) -> None:
    """What a worker does in a while: the sweep, what it queued, what is in doubt."""
    days.stage.clock.now = at
    sweep(days.stage.services, at)
    drain(days.stage.services)
    outbox.settle(days.stage.services, days.now)
    drain(days.stage.services)


def killed_anywhere(
    db: Database,
    scene: Callable[[Database], Calendar],
    sweep: Callable[[Any, datetime], None],
    at: datetime,
    state: Callable[[Calendar], object],
) -> int:
    """Run the scene once whole, then once for each point; gives how many there are."""
    expected, number = None, 0
    while True:
        empty(db)
        days = scene(db)
        points = Points(number)
        try:
            with dying(days, points):
                live(days, sweep, at)
        except Killed:
            pass
        # Another worker comes when the line that this one had in hand counts as abandoned.
        live(days, sweep, at + timedelta(minutes=3))
        live(days, sweep, at + timedelta(minutes=6))
        if expected is None:
            expected = state(days)
        assert state(days) == expected, f"killed at point {number}"
        if number and points.passed < number:
            return number - 1
        number += 1


def reminded(db: Database) -> Calendar:
    """Maria has two visits on Friday, of both of which she is to be reminded on Thursday."""
    days = Calendar(db)
    days.has_template()
    maria = days.maria()
    days.book(maria, local(4, 14))
    days.book(maria, local(4, 14, 0) + timedelta(hours=1), BIA)
    return days


@pytest.mark.timeout(300)
def test_reminders_survive_a_death_at_any_point(db: Database) -> None:
    def state(days: Calendar) -> object:
        said = [(line.content_sid, line.body) for line in days.stage.twilio.sent if line.content_sid]
        return said, [(row.hours, row.state) for row in days.stage.rows(Reminder)]

    points = killed_anywhere(db, reminded, reminders.send_due, local(3, 15), state)
    assert points > 20


def waiting(db: Database) -> Calendar:
    """Maria waits for Friday, on which a time is free; her window is shut."""
    days = Calendar(db)
    maria = days.maria()
    with db.writing() as session:
        session.execute(update(Tenant).values(template_waitlist_offer=TEMPLATE))
        session.execute(update(Conversation).values(last_inbound_at=local(1, 9)))
        waitlist.join(
            session,
            WaitlistEntry(
                tenant_id=days.tenant_id,
                customer_id=maria,
                service_id=CORTE,
                professional_id=ANA,
                date=local(4, 12).date(),
                created_at=days.now,
            ),
        )
    return days


@pytest.mark.timeout(300)
def test_offers_survive_a_death_at_any_point(db: Database) -> None:
    def state(days: Calendar) -> object:
        said = [line.variables["2"] for line in days.stage.twilio.sent if line.content_sid]
        return said, [(row.state, row.offered_start) for row in days.stage.rows(WaitlistEntry)]

    points = killed_anywhere(db, waiting, waitlist_offers.offer_freed, local(2, 11), state)
    assert points > 12


def test_many_at_once(db: Database) -> None:
    """A hundred due in the same minute: each is said once."""
    days = Calendar(db)
    days.has_template()
    key = days.book(days.maria(), local(4, 14))
    with db.writing() as session:
        visit = session.get_one(Appointment, key)
        shared = visit.model_dump(exclude={"id", "squeeze_in"})
        copies = [Appointment(**shared, squeeze_in=True) for _ in range(99)]
        session.add_all(copies)
        session.flush()
        for copy in copies:
            assert copy.id is not None
            session.add(part_of(copy))
            session.add(
                Reminder(
                    tenant_id=copy.tenant_id,
                    appointment_id=copy.id,
                    hours=24,
                    version=0,
                    due_at=local(3, 14),
                )
            )
    days.tick(local(3, 14))
    reminded = [line.variables["4"] for line in days.stage.twilio.sent if line.content_sid]
    assert len(reminded) == len(set(reminded)) == 100


def part_of(visit: Appointment) -> AppointmentService:
    assert visit.id is not None
    return AppointmentService(
        tenant_id=visit.tenant_id,
        appointment_id=visit.id,
        position=0,
        service_id=CORTE,
        name="Corte feminino",
        duration_minutes=60,
    )
