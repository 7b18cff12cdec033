"""The figures of a business: each is what its rows say, and no other business's rows say anything."""

from collections import Counter
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from sqlalchemy import event, select

from bot.process.run_metrics import RunFigures
from models.appointment import Appointment, AppointmentStatus
from models.conversation import Conversation
from models.db import Database
from models.handoff import CloseReason, Handoff, Reason
from models.message import Author, Direction, Message, Status
from models.pages import report_figures
from models.pages.report_figures import Report, Use, Waits
from models.period import Period
from models.run import Outcome, Run, RunStep, StepKind
from models.tenant import Tenant
from tests.fakes import agenda
from tests.fakes.agenda import Ids

TODAY = date(2026, 12, 2)  # Wednesday; it is 10:20 in São Paulo
SAO_PAULO = ZoneInfo("America/Sao_Paulo")
HOURS = {str(day): [[540, 1080]] for day in range(5)}  # Monday to Friday 09:00-18:00


@dataclass
class Shop:
    """Rows of one business, each at a local time given as "day hour:minute" of November or December."""

    db: Database
    ids: Ids
    now: datetime
    conversations: list[int] = field(default_factory=list)

    def conversation(self) -> int:
        with self.db.writing() as session:
            customer = agenda.customer(
                session, self.now, self.ids.tenant, phone=f"+5511{len(self.conversations):09d}"
            )
            row = Conversation(
                tenant_id=self.ids.tenant,
                customer_id=customer,
                address="whatsapp:+55",
                last_message_at=self.now,
                created_at=self.now,
            )
            session.add(row)
            session.flush()
            assert row.id is not None
            self.conversations.append(row.id)
            return row.id

    def run(self, at: str, conversation_id: int | None = None, **columns: Any) -> int:
        values = {"outcome": Outcome.ANSWERED, "model": "claude", "prompt_version": "v1", **columns}
        row = Run(
            tenant_id=self.ids.tenant,
            conversation_id=conversation_id or self.ids.conversation,
            from_seq=0,
            through_seq=1,
            epoch=0,
            provider="p",
            started_at=local(at),
            finished_at=local(at) + timedelta(seconds=2),
            **values,
        )
        return self._added(row)

    def error(self, at: str, run_id: int, error_class: str | None, tool: str = "agendar") -> None:
        self._position = getattr(self, "_position", 0) + 1
        content = {"tool_use_id": "t", "name": tool, "input": {}, "text": "x"}
        self._added(
            RunStep(
                tenant_id=self.ids.tenant,
                run_id=run_id,
                position=self._position,
                kind=StepKind.RESULT,
                content=content,
                is_error=error_class is not None,
                error_class=error_class,
                at=local(at),
            )
        )

    def episode(
        self,
        opened: str,
        reason: Reason | None = Reason.PEDIDO_DO_CLIENTE,
        *,
        replied: str = "",
        closed: str = "",
        why: CloseReason = CloseReason.RESOLVED,
        conversation_id: int | None = None,
        reopened: bool = False,
    ) -> None:
        self._added(
            Handoff(
                tenant_id=self.ids.tenant,
                conversation_id=conversation_id or self.conversation(),
                reason=reason,
                reopened=reopened,
                trigger_seq=0,
                opened_at=local(opened),
                first_reply_at=local(replied) if replied else None,
                closed_at=local(closed) if closed else None,
                close_reason=why if closed else None,
            )
        )

    def visit(
        self, made: str, starts: str, *, by: str = "bot", status: str = AppointmentStatus.BOOKED
    ) -> None:
        start = local(starts)
        self._added(
            Appointment(
                tenant_id=self.ids.tenant,
                professional_id=self.ids.ana,
                customer_id=self.ids.customer,
                starts_at=start,
                ends_at=start + timedelta(hours=1),
                busy_from=start,
                busy_until=start + timedelta(hours=1),
                status=status,
                created_by=by,
                created_at=local(made),
            )
        )

    def line(self, at: str, status: Status, code: int | None = None) -> None:
        self._seq = getattr(self, "_seq", 0) + 1
        self._added(
            Message(
                tenant_id=self.ids.tenant,
                conversation_id=self.ids.conversation,
                seq=self._seq,
                direction=Direction.OUT,
                author=Author.BOT,
                status=status,
                error_code=code,
                created_at=local(at),
            )
        )

    def report(self, first: date = TODAY - timedelta(days=6), last: date = TODAY) -> Report:
        with self.db.reading() as session:
            tenant = session.get_one(Tenant, self.ids.tenant)
            period = Period.of(tenant.zone, self.now, first, last)
            return report_figures.report(session, self.now, tenant, period)

    def _added(self, row: Any) -> int:
        with self.db.writing() as session:
            session.add(row)
            session.flush()
            return int(row.id or 0)


def local(text: str) -> datetime:
    """ "27/11 10:20" in São Paulo."""
    return datetime.strptime(f"2026 {text}", "%Y %d/%m %H:%M").replace(tzinfo=SAO_PAULO).astimezone(UTC)


@pytest.fixture
def shop(db: Database, now: datetime) -> Shop:
    """Ours; beside it another business in which something of everything happened."""
    with db.writing() as session:
        ours = agenda.studio(session, now, handoff_hours=HOURS)
        theirs = agenda.studio(session, now, slug="outra", name="Outra", whatsapp="+551130002000")
    other = Shop(db, theirs, now)
    run = other.run("02/12 09:00", outcome=Outcome.HANDED_OFF, handoff_reason=Reason.REFUSAL, input_tokens=7)
    other.error("02/12 09:00", run, "bug")
    other.episode("02/12 09:00", Reason.REFUSAL, replied="02/12 09:30", closed="02/12 09:40")
    other.visit("02/12 09:00", "01/12 09:00", status=AppointmentStatus.NO_SHOW)
    other.line("02/12 09:00", Status.FAILED, 63016)
    return Shop(db, ours, now)


def test_a_new_business_has_no_figures(shop: Shop) -> None:
    found = shop.report()
    assert found.now == found.before == report_figures.Figures()
    assert list(found.days) == [TODAY - timedelta(days=6 - n) for n in range(7)]
    assert (found.eras, found.jumps) == ((), ())


def test_conversations_that_the_bot_had_alone(shop: Shop) -> None:
    """Each counts once, however many runs; whoever was with people in the period does not count as alone."""
    one, two, three = (shop.conversation() for _ in range(3))
    for at in ("26/11 00:00", "27/11 12:00", "27/11 23:59"):
        shop.run(at, one)
    shop.run("28/11 10:00", two, outcome=Outcome.HANDED_OFF, handoff_reason=Reason.REFUSAL)
    shop.episode("28/11 10:00", Reason.REFUSAL, conversation_id=two, closed="28/11 11:00")
    shop.run("28/11 12:00", two)
    shop.run("01/12 12:00", two, outcome=Outcome.SUPERSEDED)
    shop.run("25/11 09:00", three)
    found = shop.report()
    assert (found.now.conversations, found.now.alone) == (2, 1)
    assert (found.before.conversations, found.before.alone) == (1, 1)
    assert found.now.runs == {Outcome.ANSWERED: 4, Outcome.HANDED_OFF: 1, Outcome.SUPERSEDED: 1}
    assert found.days[date(2026, 11, 27)].runs == {Outcome.ANSWERED: 2}


def test_the_day_is_the_business_own(shop: Shop) -> None:
    """23:59 in São Paulo is the next day in UTC."""
    shop.episode("27/11 23:59")
    shop.run("27/11 23:59")
    found = shop.report()
    (day,) = (day for day, each in found.days.items() if each.handoffs)
    assert day == date(2026, 11, 27)
    assert found.days[day].runs == {Outcome.ANSWERED: 1}


def test_handoffs_by_reason_and_day(shop: Shop) -> None:
    shop.episode("30/11 09:00")
    shop.episode("30/11 10:00")
    shop.episode("01/12 10:00", Reason.REFUSAL)
    shop.episode("25/11 10:00", Reason.REFUSAL)
    shop.episode("25/11 10:21", Reason.REFUSAL)  # after 10:20 a week ago: neither now nor before
    shop.episode("02/12 10:00", None)
    shop.episode("02/12 10:05", None, reopened=True)
    found = shop.report()
    assert found.now.handoffs == {Reason.PEDIDO_DO_CLIENTE: 2, Reason.REFUSAL: 1}
    assert found.before.handoffs == {Reason.REFUSAL: 1}
    assert found.days[date(2026, 11, 30)].handoffs == {Reason.PEDIDO_DO_CLIENTE: 2}
    assert (found.now.taken, found.now.reopened) == (1, 1)
    assert found.now.handed_over == 3


def test_waits_by_the_clock_and_in_hours_of_attendance(shop: Shop) -> None:
    """From when the bot handed over; in the second figure nights and weekends are no waiting."""
    shop.episode("30/11 10:00", replied="30/11 10:04", closed="30/11 10:30")
    shop.episode("30/11 17:50", replied="01/12 09:10", closed="01/12 09:20", why=CloseReason.RETURNED_TO_BOT)
    shop.episode("01/12 12:00", replied="01/12 12:10")
    shop.episode("01/12 15:00", closed="01/12 15:20", why=CloseReason.CUSTOMER_CANCELLED)
    shop.episode("02/12 09:00", None, replied="02/12 09:00", closed="02/12 09:01")
    shop.episode("02/12 10:00")
    found = shop.report().now
    minutes = [[wait / timedelta(minutes=1) for wait in sorted(each)] for each in waits_of(found.first_reply)]
    assert minutes == [[4, 10, 920], [4, 10, 20]]
    minutes = [[wait / timedelta(minutes=1) for wait in sorted(each)] for each in waits_of(found.resolution)]
    assert minutes == [[30, 930], [30, 30]]
    assert (found.unanswered, found.gave_up) == (1, 1)


def waits_of(waits: Waits) -> tuple[list[timedelta], list[timedelta]]:
    return waits.clock, waits.attended


@pytest.mark.parametrize(
    ("minutes", "middle", "ninetieth"),
    [
        ([7], 7, 7),
        ([1, 3], 2, 3),
        ([5, 1, 3], 3, 5),
        (list(range(1, 11)), 5.5, 9),
        (list(range(1, 21)), 10.5, 18),
    ],
)
def test_median_and_p90(minutes: list[int], middle: float, ninetieth: int) -> None:
    waits = [timedelta(minutes=each) for each in minutes]
    assert report_figures.middle(waits) == timedelta(minutes=middle)
    assert report_figures.ninetieth(waits) == timedelta(minutes=ninetieth)
    assert report_figures.middle([]) is report_figures.ninetieth([]) is None


def test_tokens_and_cost(shop: Shop) -> None:
    tokens = {"input_tokens": 100, "output_tokens": 20, "cache_read_tokens": 900, "cache_write_tokens": 50}
    shop.run("01/12 10:00", **tokens, cost_microdollars=70)
    shop.run("01/12 11:00", **tokens, cost_microdollars=30)
    shop.run("02/12 09:00", **tokens, model="caseiro")
    shop.run("02/12 10:00", outcome=None, input_tokens=5)  # is still going
    found = shop.report()
    assert found.now.use == report_figures.Use(3, 300, 60, 2700, 150, 100, 1)
    assert found.now.models == {
        "claude": report_figures.Use(2, 200, 40, 1800, 100, 100, 0),
        "caseiro": report_figures.Use(1, 100, 20, 900, 50, 0, 1),
    }
    assert found.now.use.all_input == 3150
    assert found.days[date(2026, 12, 1)].use.microdollars == 100


def test_bookings_and_no_shows(shop: Shop) -> None:
    """Bookings by the day they were made, visits by the day they were due."""
    shop.visit("01/12 10:00", "10/12 10:00")
    shop.visit("01/12 10:00", "10/12 11:00", status=AppointmentStatus.CANCELLED)
    shop.visit("01/12 11:00", "10/12 12:00", by="staff")
    shop.visit("20/11 11:00", "30/11 12:00", status=AppointmentStatus.NO_SHOW)
    shop.visit("20/11 11:00", "30/11 14:00", status=AppointmentStatus.DONE)
    shop.visit("20/11 11:00", "01/12 14:00", status=AppointmentStatus.DONE)
    found = shop.report()
    assert found.now.booked == {"bot": 2, "staff": 1}
    assert report_figures.attended_share(found.now.visits) == (1, 3)
    assert found.before.booked == {"bot": 3}
    assert found.days[date(2026, 11, 30)].visits == {"no_show": 1, "done": 1}


def test_tool_errors_and_failed_deliveries(shop: Shop) -> None:
    run = shop.run("01/12 10:00")
    shop.error("01/12 10:00", run, "domain_rule")
    shop.error("01/12 10:00", run, "domain_rule")
    shop.error("01/12 10:00", run, "unknown_tool", "=cmd()")
    shop.error("01/12 10:00", run, None)
    for status in Status:
        if status not in (Status.FAILED, Status.SENDING):
            shop.line("01/12 10:00", status)
    shop.line("01/12 10:00", Status.FAILED, 63016)
    shop.line("02/12 10:00", Status.FAILED)
    found = shop.report()
    assert found.now.tool_errors == {("domain_rule", "agendar"): 2, ("unknown_tool", "=cmd()"): 1}
    assert found.now.failures == {63016: 1, None: 1}
    assert found.days[date(2026, 12, 2)].failures == {None: 1}


def test_a_jump_after_a_change_of_the_prompt(shop: Shop) -> None:
    """Also where the version before it was in use only before the period."""
    for version, at, handed in (("v1", "25/11 09:00", 0), ("v2", "30/11 15:00", 10)):
        for number in range(40):
            reason = Reason.RESPOSTA_TRUNCADA if number < handed else None
            outcome = Outcome.HANDED_OFF if reason else Outcome.ANSWERED
            shop.run(at, prompt_version=version, outcome=outcome, handoff_reason=reason)
    found = shop.report()
    assert [(era.version, era.since) for era in found.eras] == [("v2", local("30/11 15:00"))]
    (jump,) = found.jumps
    assert (jump.reason, jump.since) == (Reason.RESPOSTA_TRUNCADA, local("30/11 15:00"))
    assert (jump.was, jump.runs_before, jump.now, jump.runs) == (0, 40, 10, 40)
    assert shop.report(TODAY - timedelta(days=1)).jumps == ()


def test_the_same_as_metrics(shop: Shop) -> None:
    """Over all time and all businesses the page and Prometheus add up to the same."""
    for number, outcome in enumerate((*Outcome, None)):
        run = shop.run("01/12 10:00", outcome=outcome, input_tokens=100 + number, cost_microdollars=number)
        shop.error("01/12 10:00", run, "domain_rule")
    with shop.db.reading() as session:
        metrics = list(RunFigures().collect(session, shop.now))
        tenants = session.execute(select(Tenant.id)).scalars().all()
    counted: Counter[tuple[str, ...]] = Counter()
    for sample in (sample for metric in metrics for sample in metric.samples):
        counted[sample.name, *sample.labels.values()] += int(sample.value)
    reports = [Shop(shop.db, Ids(key, *[0] * 7), shop.now).report().now for key in tenants if key]
    assert len(reports) == 2

    outcomes: Counter[str] = Counter()
    for (name, *labels), value in counted.items():
        if name == "horacerta_runs_total":
            outcomes[labels[0]] += value
    assert sum((each.runs for each in reports), Counter()) == outcomes
    used = Use()
    for each in reports:
        used.add(each.use)
    assert used.input_tokens == counted["horacerta_tokens_total", "claude", "input"] > 0
    assert used.microdollars == counted["horacerta_cost_microdollars_total", "claude"] > 0
    assert used.unpriced == counted["horacerta_unpriced_runs_total", "claude"] > 0
    for error_class in ("domain_rule", "bug"):
        page = sum(each.tool_errors[error_class, "agendar"] for each in reports)
        assert page == counted["horacerta_tool_calls_total", "agendar", error_class] > 0


def test_as_many_statements_for_a_year_as_for_a_day(shop: Shop) -> None:
    shop.run("01/12 10:00")
    statements: list[str] = []
    event.listen(shop.db.engine, "before_cursor_execute", lambda *args: statements.append(args[2]))
    counts = []
    for days in (0, 365):
        statements.clear()
        shop.report(TODAY - timedelta(days=days))
        counts.append(sum(each.startswith("SELECT") for each in statements))
    assert counts == [8, 8]  # one of them asks for the business itself
