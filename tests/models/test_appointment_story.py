"""Random stories of booking, moving, cancelling and closing: what is listed can be booked, what is not
listed cannot, and nothing ever overlaps.

AGENDA_EXAMPLES asks for more stories than the default.
"""

import os
import random
from datetime import UTC, date, datetime, time, timedelta

import pytest
from sqlmodel import select

from models import appointment, availability, catalog
from models.appointment import Appointment, AppointmentStatus
from models.availability import Code, Span
from models.catalog import Closure, TimeOff
from models.db import Database
from models.errors import Refusal
from models.tenant import Tenant
from tests.fakes import agenda
from tests.fakes.agenda import Ids

STORIES = int(os.environ.get("AGENDA_EXAMPLES", "100")) // 25
STEPS = 60
DAYS = [date(2026, 12, 3), date(2026, 12, 4), date(2026, 12, 5)]


class Story:
    """One business, one customer without a limit, and somebody who acts at random."""

    def __init__(self, db: Database, now: datetime, seed: int) -> None:
        self.db, self.now, self.random = db, now, random.Random(seed)
        with db.writing() as session:
            self.ids: Ids = agenda.studio(
                session, now, max_open_appointments=1000, cancel_notice_minutes=0, slot_step_minutes=15
            )

    def start(self) -> datetime:
        """A quarter of an hour, rarely some other minute."""
        minute = self.random.randrange(8 * 4, 18 * 4) * 15 + self.random.choice((0, 0, 0, 0, 5))
        day = self.random.choice(DAYS)
        return datetime.combine(day, time(), UTC) + timedelta(hours=3, minutes=minute)

    def listed(self, who: int, span: Span, start: datetime, without: int | None = None) -> bool:
        with self.db.reading() as session:
            tenant = session.get_one(Tenant, self.ids.tenant)
            day = start.astimezone(tenant.zone).date()
            loaded = appointment.agendas(session, tenant, (who,), span, day, day, without=without)
            return start in availability.slots(catalog.rules(tenant), loaded[who], span, day, self.now)

    def book(self) -> None:
        services = self.random.choice(
            ([self.ids.corte], [self.ids.escova], [self.ids.barba], [self.ids.barba, self.ids.corte])
        )
        start = self.start()
        with self.db.reading() as session:
            offers = catalog.chosen(session, self.ids.tenant, services)
            assert offers is not None
        expected = self.listed(self.ids.ana, appointment.span_of(offers), start)
        outcome = self.attempt(
            lambda session, tenant: (
                appointment.book(
                    session, self.now, tenant, self.ids.customer, self.ids.ana, services, start, "bot"
                ).already_existed
            )
        )
        # Not listed, yet found: the customer's own visit of the same services.
        assert outcome in ((False,) if expected else (True, *Code)), (services, start)

    def move(self) -> None:
        chosen = self.active()
        if chosen is None:
            return
        who, start = self.random.choice((self.ids.ana, self.ids.bia)), self.start()
        with self.db.reading() as session:
            span = appointment.booked_span(session, chosen)
            services = set(appointment.service_ids(session, self.ids.tenant, chosen.id or 0))
        expected = self.listed(who, span, start, without=chosen.id)
        offered = who == chosen.professional_id or services == {self.ids.corte}
        outcome = self.attempt(
            lambda session, tenant: (
                appointment.move(
                    session, self.now, tenant, self.ids.customer, chosen.id or 0, start, who
                ).unchanged
            )
        )
        if (chosen.starts_at, chosen.professional_id) == (start, who):
            assert outcome is True
        else:
            assert (outcome is False) == (expected and offered)

    def cancel(self) -> None:
        chosen = self.active()
        if chosen is None:
            return
        outcome = self.attempt(
            lambda session, tenant: (
                appointment.cancel(
                    session, self.now, tenant, self.ids.customer, chosen.id or 0
                ).already_cancelled
            )
        )
        assert outcome is False

    def close(self) -> None:
        """Closing does not touch what is booked already."""
        start = self.random.randrange(8, 18) * 60
        day, end = self.random.choice(DAYS), start + 60
        with self.db.writing() as session:
            if self.random.random() < 0.5:
                session.add(Closure(tenant_id=self.ids.tenant, date=day, start_minute=start, end_minute=end))
                return
            session.add(
                TimeOff(
                    tenant_id=self.ids.tenant,
                    professional_id=self.ids.ana,
                    first_date=day,
                    last_date=day,
                    start_minute=start,
                    end_minute=end,
                )
            )

    def attempt(self, act: object) -> bool | str:
        assert callable(act)
        try:
            with self.db.writing() as session:
                result: bool = act(session, session.get_one(Tenant, self.ids.tenant))
                return result
        except Refusal as refusal:
            return refusal.code

    def active(self) -> Appointment | None:
        rows = self.occupying()
        return self.random.choice(rows) if rows else None

    def occupying(self) -> list[Appointment]:
        with self.db.reading() as session:
            query = select(Appointment).where(Appointment.status == AppointmentStatus.BOOKED)
            return list(session.exec(query.order_by("busy_from")).all())

    def check(self) -> None:
        last: dict[int, datetime] = {}
        for row in self.occupying():
            assert last.get(row.professional_id, row.busy_from) <= row.busy_from
            last[row.professional_id] = row.busy_until


@pytest.mark.parametrize("seed", range(STORIES))
def test_story(db: Database, now: datetime, seed: int) -> None:
    story = Story(db, now, seed)
    for _ in range(STEPS):
        act = story.random.choices((story.book, story.move, story.cancel, story.close), (12, 6, 2, 1))[0]
        act()
        story.check()
    with db.reading() as session:
        assert len(session.exec(select(Appointment)).all()) > 5, "nothing much happened"
