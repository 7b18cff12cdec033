"""Arbitrary days at the desk: nothing overlaps unless somebody said so, and everything is on record.

What a booking should give is worked out here a second time, from plain lists and in minutes. AGENDA_EXAMPLES
asks for more days than the default.
"""

import os
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    Bundle,
    RuleBasedStateMachine,
    consumes,
    initialize,
    invariant,
    multiple,
    rule,
    run_state_machine_as_test,
)
from sqlmodel import select

from models import block
from models.acts.visit_acts import Leave
from models.appointment import Appointment, AppointmentStatus
from models.audit import AuditEvent
from models.availability import Code
from models.block import Stretch
from models.catalog import TimeOff
from models.db import Database
from models.errors import Refusal
from models.pages import calendar_page
from models.tenant import Tenant
from tests import databases
from tests.conftest import NOW
from tests.models.acts.test_visit_acts import Desk

DAYS = int(os.environ.get("AGENDA_EXAMPLES", "100")) // 2
STEPS = 25
MIDNIGHT = datetime(2026, 12, 2, 3, tzinfo=UTC)  # of Wednesday, in São Paulo
WORK = ((9 * 60, 12 * 60), (13 * 60, 18 * 60))
OCCUPYING = (AppointmentStatus.BOOKED, AppointmentStatus.DONE)


@dataclass(frozen=True)
class Known:
    """A visit as it should be: minutes count from Wednesday's midnight; buffers come after."""

    who: int
    start: int
    minutes: int
    buffer: int
    status: str = AppointmentStatus.BOOKED
    squeezed: bool = False

    def overlaps(self, other: "Known") -> bool:
        return (
            self.who == other.who
            and self.start < other.start + other.minutes + other.buffer
            and other.start < self.start + self.minutes + self.buffer
        )


# Few enough that they meet one another: by the clock and beside it, over lunch, after hours.
MINUTES = (540, 570, 600, 615, 690, 840, 870, 900, 1140)
STARTS = st.builds(lambda day, minute: day * 1440 + minute, st.integers(0, 1), st.sampled_from(MINUTES))
LEAVES = st.builds(Leave, outside=st.booleans(), overlap=st.booleans())
WHO = st.sampled_from(["ana", "bia"])


class Days(RuleBasedStateMachine):
    """A model of the desk beside the desk itself."""

    db: Database
    visits = Bundle("visits")
    blocks = Bundle("blocks")

    @initialize()
    def open(self) -> None:
        databases.empty(self.db)
        self.desk = Desk(self.db, NOW)
        self.known: dict[int, Known] = {}
        self.before: dict[int, Known | None] = {}  # what undo leads to; None: nothing to take back
        self.off: set[int] = set()  # whose last change took them off the list
        self.acts = 0
        self.stretches: dict[int, tuple[int, int, int]] = {}
        self.stranded: set[int] = set()

    @rule(target=visits, who=WHO, service=st.sampled_from(["corte", "barba"]), start=STARTS, leave=LEAVES)
    def book_there(self, who: str, service: str, start: int, leave: Leave) -> object:
        return self.book(who, service, start, leave)

    def book(self, who: str, service: str, start: int, leave: Leave) -> object:
        if service == "barba":
            who = "ana"
        minutes, buffer = {"corte": (60, 0), "barba": (30, 10)}[service]
        wish = Known(getattr(self.desk.ids, who), start, minutes, buffer)
        services = [getattr(self.desk.ids, service)]
        same = [key for key, visit in self.known.items() if replace(visit, squeezed=False) == wish]
        expected = "ok" if same else self.expected(wish, leave)
        outcome, key = self.attempt(
            lambda: self.desk.book(self.text(start), leave=leave, who=wish.who, services=services)
        )
        assert outcome == expected
        if outcome != "ok" or same:
            assert not same or key in same
            return multiple()
        self.known[key] = replace(wish, squeezed=self.taken(wish))
        self.before[key] = None
        self.acts += 1
        return key

    @rule(target=visits, key=visits, leave=LEAVES)
    def take_its_place(self, key: int, leave: Leave) -> object:
        """Somebody is booked where a visit is, or where it was before its last change."""
        place = self.before[key] or self.known[key]
        who = "ana" if place.who == self.desk.ids.ana else "bia"
        return self.book(who, "corte", place.start, leave)

    @rule(key=visits, who=WHO, start=STARTS, leave=LEAVES)
    def move(self, key: int, who: str, start: int, leave: Leave) -> None:
        visit = self.known[key]
        wish = replace(visit, who=getattr(self.desk.ids, who), start=start, squeezed=False)
        outcome, changed = self.attempt(
            lambda: self.desk.move(key, self.text(start), who=wish.who, leave=leave)
        )
        if visit.status != AppointmentStatus.BOOKED:
            assert outcome in (Code.JA_CANCELADO, "JA_TERMINOU")
        elif (visit.who, visit.start) == (wish.who, wish.start):
            assert (outcome, changed) == ("ok", False)
        elif who == "bia" and visit.who != wish.who and visit.minutes == 30:
            assert outcome == Code.SERVICO_NAO_ATENDIDO
        else:
            assert outcome == self.expected(wish, leave, without=key)
            if outcome == "ok":
                self.changed(key, replace(wish, squeezed=self.taken(wish, without=key)))

    @rule(key=visits)
    def cancel(self, key: int) -> None:
        self.end(key, AppointmentStatus.CANCELLED, lambda: self.desk.cancel(key))

    @rule(key=visits, status=st.sampled_from([AppointmentStatus.DONE, AppointmentStatus.NO_SHOW]))
    def mark(self, key: int, status: AppointmentStatus) -> None:
        visit, missed = self.known[key], status == AppointmentStatus.NO_SHOW
        too_early = self.moment(visit.start) > self.desk.now if missed else visit.start >= 1440
        if visit.status == AppointmentStatus.BOOKED and too_early:
            assert self.attempt(lambda: self.desk.mark(key, status))[0] == "AINDA_NAO"
        else:
            self.end(key, status, lambda: self.desk.mark(key, status))

    def end(self, key: int, status: AppointmentStatus, act: object) -> None:
        visit = self.known[key]
        outcome, changed = self.attempt(act)
        if visit.status == status:
            assert (outcome, changed) == ("ok", False)
        elif visit.status != AppointmentStatus.BOOKED:
            assert outcome in (Code.JA_CANCELADO, "JA_TERMINOU")
        else:
            assert (outcome, changed) == ("ok", True)
            self.changed(key, replace(visit, status=status))

    @rule(key=visits)
    def undo(self, key: int) -> None:
        visit, before = self.known[key], self.before[key]
        outcome, _ = self.attempt(lambda: self.desk.undo(key))
        if before is None:
            assert outcome == "NADA_A_DESFAZER"
            return
        free = visit.status == AppointmentStatus.DONE or not self.taken(before, without=key)
        assert outcome == ("ok" if free or before.squeezed else Code.OCUPADO)
        if outcome == "ok":
            squeezed = visit.squeezed if visit.status == AppointmentStatus.DONE else not free
            self.known[key], self.before[key] = replace(before, squeezed=squeezed), None
            self.acts += 1
            if visit.start != before.start or visit.who != before.who:
                self.stranded.discard(key)
            if key in self.off:
                self.stranded.add(key)
                self.settle()

    @rule(target=blocks, key=visits)
    def block_over(self, key: int) -> object:
        visit = self.known[key]
        return self.block("ana" if visit.who == self.desk.ids.ana else "bia", visit.start, 1)

    @rule(target=blocks, who=WHO, start=STARTS, quarters=st.integers(1, 16))
    def block_there(self, who: str, start: int, quarters: int) -> object:
        return self.block(who, start, quarters)

    def block(self, who: str, start: int, quarters: int) -> object:
        day, first = divmod(start, 1440)
        last = min(first + quarters * 15, 1440)
        stretch = Stretch(getattr(self.desk.ids, who), self.date(day), self.date(day), first, last, "reunião")
        self.tick()
        with self.db.writing() as session:
            tenant = session.get_one(Tenant, self.desk.ids.tenant)
            under = block.add(session, self.desk.now, tenant, self.desk.rita, stretch, anyway=True)
        assert set(under) == {
            key
            for key, visit in self.known.items()
            if visit.who == stretch.professional_id
            and visit.status == AppointmentStatus.BOOKED
            and self.moment(visit.start) > NOW
            and visit.start < day * 1440 + last
            and day * 1440 + first < visit.start + visit.minutes
        }
        assert stretch.professional_id is not None
        self.stranded |= set(under)
        key = max(row.id or 0 for row in self.desk.rows(TimeOff))
        self.stretches[key] = (stretch.professional_id, day * 1440 + first, day * 1440 + last)
        self.acts += 1
        return key

    @rule(key=consumes(blocks))
    def unblock(self, key: int) -> None:
        self.tick()
        with self.db.writing() as session:
            tenant = session.get_one(Tenant, self.desk.ids.tenant)
            block.remove(session, self.desk.now, tenant, self.desk.rita, TimeOff, key)
        del self.stretches[key]
        self.acts += 1
        self.settle()

    def settle(self) -> None:
        """Nobody has to see to what has a place again."""
        self.stranded = {each for each in self.stranded if self.broken(self.known[each], notice=False)}

    def tick(self) -> None:
        """No two acts are at the same moment."""
        self.desk.now += timedelta(microseconds=1)

    # What should be

    def changed(self, key: int, after: Known) -> None:
        self.before[key], self.known[key] = self.known[key], after
        self.acts += 1
        self.off = self.off | {key} if key in self.stranded else self.off - {key}
        self.stranded.discard(key)

    def expected(self, wish: Known, leave: Leave, *, without: int | None = None) -> str:
        broken = self.broken(wish)
        if broken and not leave.outside:
            return broken
        return Code.OCUPADO if self.taken(wish, without=without) and not leave.overlap else "ok"

    def taken(self, wish: Known, *, without: int | None = None) -> bool:
        return any(
            visit.status in OCCUPYING and visit.overlaps(wish)
            for key, visit in self.known.items()
            if key != without
        )

    def broken(self, wish: Known, *, notice: bool = True) -> str | None:
        end = wish.start + wish.minutes
        if self.moment(wish.start) < NOW:
            return Code.PASSADO
        if any(who == wish.who and wish.start < last and first < end for who, first, last in self.blocked):
            return Code.FOLGA
        minute = wish.start % 1440
        if not any(first <= minute and minute + wish.minutes <= last for first, last in WORK):
            inside = minute >= WORK[0][0] and minute + wish.minutes <= WORK[-1][1]
            return Code.INTERVALO if inside else Code.FORA_DO_EXPEDIENTE
        late = notice and self.moment(wish.start) < NOW + timedelta(hours=1)
        return Code.ANTECEDENCIA if late else None

    @property
    def blocked(self) -> list[tuple[int, int, int]]:
        return list(self.stretches.values())

    def moment(self, minute: int) -> datetime:
        return MIDNIGHT + timedelta(minutes=minute)

    def text(self, minute: int) -> str:
        return f"{2 + minute // 1440:02} {minute % 1440 // 60:02}:{minute % 60:02}"

    def date(self, day: int) -> date:
        return date(2026, 12, 2 + day)

    def attempt(self, act: object) -> tuple[str, int]:
        assert callable(act)
        self.tick()
        try:
            return "ok", act()
        except Refusal as refusal:
            return refusal.code, 0

    # What always holds

    @invariant()
    def every_visit_is_as_it_should_be(self) -> None:
        found = {row.id: row for row in self.desk.rows(Appointment)} if hasattr(self, "desk") else {}
        assert {key: self.seen(row) for key, row in found.items()} == getattr(self, "known", {})

    def seen(self, row: Appointment) -> Known:
        minute = timedelta(minutes=1)
        return Known(
            row.professional_id,
            (row.starts_at - MIDNIGHT) // minute,
            (row.ends_at - row.starts_at) // minute,
            (row.busy_until - row.ends_at) // minute,
            row.status,
            row.squeeze_in,
        )

    @invariant()
    def nothing_overlaps_that_nobody_squeezed_in(self) -> None:
        if not hasattr(self, "desk"):
            return
        rows = [row for row in self.desk.rows(Appointment) if row.status in OCCUPYING and not row.squeeze_in]
        for one in rows:
            for other in rows:
                if one.id != other.id and one.professional_id == other.professional_id:
                    assert one.busy_until <= other.busy_from or other.busy_until <= one.busy_from

    @invariant()
    def every_act_is_on_record(self) -> None:
        if not hasattr(self, "desk"):
            return
        with self.db.reading() as session:
            events = session.scalars(select(AuditEvent)).all()
        assert len(events) == self.acts
        assert {event.staff_id for event in events} <= {self.desk.rita}

    @invariant()
    def the_list_holds_what_lost_its_place(self) -> None:
        if not hasattr(self, "desk"):
            return
        with self.db.reading() as session:
            listed = {entry.visit.id for entry in calendar_page.attention(session, self.desk.ids.tenant, NOW)}
        assert listed == self.stranded


@pytest.mark.timeout(900)  # what fails is made small first, which may take five minutes
def test_any_days_at_the_desk(db: Database) -> None:
    class Here(Days):
        pass

    Here.db = db
    run_state_machine_as_test(
        Here,
        settings=settings(
            max_examples=DAYS,
            stateful_step_count=STEPS,
            suppress_health_check=list(HealthCheck),
        ),
    )
