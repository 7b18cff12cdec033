"""The figures of one business over a period: counted from its rows in a fixed number of grouped queries.

They are the same rows that `/metrics` counts: runs that have ended, handoffs by the time they were opened,
errors of tools and failed deliveries by the time of the step and of the line.
"""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from typing import Any

from sqlalchemy import ColumnElement, Row, and_, case, func, literal, literal_column, select, union_all
from sqlmodel import Session

from models.appointment import Appointment, AppointmentStatus
from models.attendance import Meter
from models.db import table
from models.handoff import CloseReason, Handoff, Reason
from models.message import Message, Status
from models.pages import prompt_regressions as jumping
from models.pages.prompt_regressions import Era, Jump
from models.period import Period, Stretch
from models.run import Outcome, Run, RunStep, StepKind
from models.tenant import Tenant

_RUN, _HANDOFF, _STEP = table(Run), table(Handoff), table(RunStep)
_MESSAGE, _APPOINTMENT = table(Message), table(Appointment)


@dataclass
class Use:
    """What runs of one model used up. `input_tokens` are those that no cache gave."""

    runs: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cache_read_tokens: int = 0
    cache_write_tokens: int = 0
    microdollars: int = 0
    unpriced: int = 0  # runs whose cost nobody knows

    def add(self, other: "Use") -> None:
        for name, value in vars(other).items():
            setattr(self, name, getattr(self, name) + value)

    @property
    def all_input(self) -> int:
        return self.input_tokens + self.cache_read_tokens + self.cache_write_tokens


@dataclass
class Waits:
    """How long something took, once for each time it happened: by the clock, and in hours of attendance."""

    clock: list[timedelta] = field(default_factory=list)
    attended: list[timedelta] = field(default_factory=list)


def middle(waits: Sequence[timedelta]) -> timedelta | None:
    """The median."""
    ordered, half = sorted(waits), len(waits) // 2
    return (ordered[half] + ordered[-1 - half]) / 2 if waits else None


def ninetieth(waits: Sequence[timedelta]) -> timedelta | None:
    """The wait that nine of ten do not exceed."""
    return sorted(waits)[-(-9 * len(waits) // 10) - 1] if waits else None


@dataclass
class Day:
    """What one local day, or a whole stretch of them, came to."""

    runs: Counter[str] = field(default_factory=Counter)  # by outcome
    handoffs: Counter[Reason] = field(default_factory=Counter)
    use: Use = field(default_factory=Use)
    booked: Counter[str] = field(default_factory=Counter)  # by who made it, "bot" or "staff"
    visits: Counter[str] = field(default_factory=Counter)  # that were due, by status
    tool_errors: Counter[tuple[str, str]] = field(default_factory=Counter)  # by class and tool
    failures: Counter[int | None] = field(default_factory=Counter)  # of deliveries, by the vendor's code


@dataclass
class Figures(Day):
    """What one stretch came to, with what cannot be added up from its days."""

    conversations: int = 0  # in which the bot worked, or people were called
    alone: int = 0  # of these, the ones that no person had to do with
    taken: int = 0  # by staff, unasked
    reopened: int = 0  # by the customer, soon after they were resolved
    unanswered: int = 0  # handed to people, still open, and nobody has replied
    gave_up: int = 0  # the customer went back to the bot
    first_reply: Waits = field(default_factory=Waits)
    resolution: Waits = field(default_factory=Waits)
    models: dict[str, Use] = field(default_factory=lambda: defaultdict(Use))

    @property
    def handed_over(self) -> int:
        return self.handoffs.total()


@dataclass(frozen=True)
class Report:
    """A period beside the one before it, its days, and what changed with the assistant's instructions."""

    period: Period
    now: Figures
    before: Figures
    days: dict[date, Day]
    eras: tuple[Era, ...]
    jumps: tuple[Jump, ...]


def report(session: Session, now: datetime, tenant: Tenant, period: Period) -> Report:
    """All figures of a business, and of no other."""
    return _Count(session, now, tenant, period).report()


class _Count:
    """One report being counted."""

    def __init__(self, session: Session, now: datetime, tenant: Tenant, period: Period) -> None:
        assert tenant.id is not None
        self._session, self._now = session, now
        self._tenant, self._id, self._period = tenant, tenant.id, period
        self._figures = {stretch: Figures() for stretch in Stretch}
        self._days = {day: Day() for day in period.days()}
        self._eras: list[Era] = []

    def report(self) -> Report:
        self._runs()
        self._conversations()
        self._handoffs()
        self._bookings()
        self._visits()
        self._tool_errors()
        self._failures()
        period, found = self._period, jumping.eras(self._eras)
        return Report(
            period,
            self._figures[Stretch.NOW],
            self._figures[Stretch.BEFORE],
            self._days,
            tuple(era for era in found[1:] if era.since >= period.begins),
            tuple(jump for jump in jumping.jumps(found) if jump.since >= period.begins),
        )

    def _places(self, row: Row[Any]) -> list[Day]:
        """Where a row counts: its stretch, and its day if that is shown."""
        whole = self._figures[Stretch(row.stretch)]
        return [whole, self._days[date.fromisoformat(row.day)]] if row.stretch == Stretch.NOW else [whole]

    def _grouped(
        self,
        at: ColumnElement[datetime],
        tenant: ColumnElement[int],
        labels: Sequence[ColumnElement[Any]],
        *where: ColumnElement[bool],
        sums: Sequence[ColumnElement[Any]] = (),
    ) -> Sequence[Row[Any]]:
        """Rows of the business counted by stretch, local day and labels."""
        inner = select(
            self._period.stretch(at).label("stretch"),
            self._period.day(self._session, at).label("day"),
            at.label("at"),
            *labels,
            *sums,
        )
        row = inner.where(tenant == self._id, self._period.covers(at), *where).subquery()
        groups = [row.c.stretch, row.c.day, *(row.c[label.name] for label in labels)]
        totals = [func.sum(row.c[each.name]).label(each.name) for each in sums]
        query = select(*groups, func.count().label("rows"), func.min(row.c.at).label("since"), *totals)
        return self._session.execute(query.group_by(*groups)).all()

    def _runs(self) -> None:
        sums = (
            _RUN.c.input_tokens,
            _RUN.c.output_tokens,
            _RUN.c.cache_read_tokens,
            _RUN.c.cache_write_tokens,
            func.coalesce(_RUN.c.cost_microdollars, 0).label("microdollars"),
            case((_RUN.c.cost_microdollars.is_(None), 1), else_=0).label("unpriced"),
        )
        labels = (_RUN.c.prompt_version, _RUN.c.outcome, _RUN.c.handoff_reason, _RUN.c.model)
        ended = _RUN.c.outcome.is_not(None)
        for row in self._grouped(_RUN.c.started_at, _RUN.c.tenant_id, labels, ended, sums=sums):
            self._add_runs(row)

    def _add_runs(self, row: Row[Any]) -> None:
        use = Use(
            row.rows,
            int(row.input_tokens),
            int(row.output_tokens),
            int(row.cache_read_tokens),
            int(row.cache_write_tokens),
            int(row.microdollars),
            int(row.unpriced),
        )
        for place in self._places(row):
            place.runs[row.outcome] += row.rows
            place.use.add(use)
        self._figures[Stretch(row.stretch)].models[row.model].add(use)
        if row.outcome in (Outcome.ANSWERED, Outcome.HANDED_OFF):
            era = Era(row.prompt_version, row.since, row.rows)
            if row.handoff_reason is not None:
                era.handoffs[Reason(row.handoff_reason)] = row.rows
            self._eras.append(era)

    def _conversations(self) -> None:
        """A conversation is the bot's alone if no episode was opened in it within the stretch."""
        period = self._period
        ran = select(
            period.stretch(_RUN.c.started_at).label("stretch"),
            _RUN.c.conversation_id.label("conversation"),
            literal(0).label("people"),
        ).where(_RUN.c.tenant_id == self._id, period.covers(_RUN.c.started_at))
        opened = select(period.stretch(_HANDOFF.c.opened_at), _HANDOFF.c.conversation_id, literal(1)).where(
            _HANDOFF.c.tenant_id == self._id, period.covers(_HANDOFF.c.opened_at)
        )
        each = union_all(ran.distinct(), opened).subquery()
        one = (
            select(each.c.stretch, func.max(each.c.people).label("people"))
            .group_by(each.c.stretch, each.c.conversation)
            .subquery()
        )
        query = select(one.c.stretch, func.count(), func.sum(one.c.people)).group_by(one.c.stretch)
        for stretch, count, with_people in self._session.execute(query):
            figures = self._figures[Stretch(stretch)]
            figures.conversations, figures.alone = count, count - with_people

    def _handoffs(self) -> None:
        meter = Meter(self._tenant.attendance, self._period.before, self._now)
        query = select(
            _HANDOFF.c.reason,
            _HANDOFF.c.reopened,
            _HANDOFF.c.opened_at,
            _HANDOFF.c.first_reply_at,
            _HANDOFF.c.closed_at,
            _HANDOFF.c.close_reason,
        ).where(_HANDOFF.c.tenant_id == self._id, self._period.covers(_HANDOFF.c.opened_at))
        for row in self._session.execute(query):
            self._add_handoff(row, meter)

    def _add_handoff(self, row: Row[Any], meter: Meter) -> None:
        stretch = self._period.stretch_of(row.opened_at)
        figures = self._figures[stretch]
        if row.reason is not None:
            figures.handoffs[Reason(row.reason)] += 1
            if stretch == Stretch.NOW:
                self._days[self._period.day_of(row.opened_at)].handoffs[Reason(row.reason)] += 1
        elif row.reopened:
            figures.reopened += 1
        else:
            figures.taken += 1  # nobody had waited: it says nothing of how long people take
            return
        _add_waits(figures, row, meter)

    def _bookings(self) -> None:
        at, tenant = _APPOINTMENT.c.created_at, _APPOINTMENT.c.tenant_id
        for row in self._grouped(at, tenant, (_APPOINTMENT.c.created_by,)):
            for place in self._places(row):
                place.booked[row.created_by] += row.rows

    def _visits(self) -> None:
        at, tenant = _APPOINTMENT.c.starts_at, _APPOINTMENT.c.tenant_id
        for row in self._grouped(at, tenant, (_APPOINTMENT.c.status,)):
            for place in self._places(row):
                place.visits[row.status] += row.rows

    def _tool_errors(self) -> None:
        tool = _STEP.c.content["name"].as_string().label("tool")
        failed = and_(_STEP.c.kind == _literally(StepKind.RESULT), _STEP.c.error_class.is_not(None))
        for row in self._grouped(_STEP.c.at, _STEP.c.tenant_id, (_STEP.c.error_class, tool), failed):
            for place in self._places(row):
                place.tool_errors[row.error_class, row.tool] += row.rows

    def _failures(self) -> None:
        at, tenant = _MESSAGE.c.created_at, _MESSAGE.c.tenant_id
        failed = _MESSAGE.c.status == _literally(Status.FAILED)
        for row in self._grouped(at, tenant, (_MESSAGE.c.error_code,), failed):
            for place in self._places(row):
                place.failures[row.error_code] += row.rows


def _literally(word: StepKind | Status) -> ColumnElement[str]:
    """A word of ours in the statement itself: no database sees through a parameter to a partial index."""
    return literal_column(f"'{word}'")


def _add_waits(figures: Figures, row: Row[Any], meter: Meter) -> None:
    opened, replied, closed = row.opened_at, row.first_reply_at, row.closed_at
    if replied is not None:
        _add_wait(figures.first_reply, opened, replied, meter)
    if closed is None:
        figures.unanswered += replied is None
    elif row.close_reason == CloseReason.CUSTOMER_CANCELLED:
        figures.gave_up += 1
    else:
        _add_wait(figures.resolution, opened, closed, meter)


def _add_wait(waits: Waits, begins: datetime, ends: datetime, meter: Meter) -> None:
    waits.clock.append(ends - begins)
    waits.attended.append(meter.between(begins, ends))


def attended_share(visits: Counter[str]) -> tuple[int, int]:
    """Of visits that were due and have an outcome: how many were missed, of how many."""
    missed = visits[AppointmentStatus.NO_SHOW]
    return missed, missed + visits[AppointmentStatus.DONE]
