"""What staff do with appointments by hand: on purpose, never by accident, and each act on record."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import TypeVar
from zoneinfo import ZoneInfo

import pytest
from sqlmodel import Session, select

from models import appointment, message, stranded
from models.acts.visit_acts import Action, Leave, Reception, Stop, markable
from models.appointment import Appointment, AppointmentStatus
from models.audit import AuditEvent
from models.availability import Code
from models.catalog import Professional, TimeOff
from models.conversation import WINDOW, Conversation
from models.customer import Customer
from models.db import Database
from models.errors import Conflict, NotFound, Refusal
from models.pages import calendar_page
from models.reminder import Reminder
from models.stranded import Outcome, StrandedAppointment, Why
from models.tenant import Tenant
from tests import databases
from tests.fakes import agenda as shop
from tests.fakes.agenda import Ids
from tests.fakes.talk import hire

ZONE = ZoneInfo("America/Sao_Paulo")
OUTSIDE, OVERLAP, ANYHOW = Leave(outside=True), Leave(overlap=True), Leave(outside=True, overlap=True)
T = TypeVar("T")


def at(text: str) -> datetime:
    """ "04 10:00" is Friday, 4 December 2026, at ten in São Paulo."""
    return datetime.strptime(f"2026-12-{text}", "%Y-%m-%d %H:%M").replace(tzinfo=ZONE).astimezone(UTC)


@dataclass
class Desk:
    """Rita at the desk of Studio Bela, with Maria on the telephone; somebody sits in another business."""

    db: Database
    now: datetime
    ids: Ids = field(init=False)

    def __post_init__(self) -> None:
        filled = databases.furnished(self.db, ("desk", self.now), self._fill)
        self.ids, self.other, self.rita, self.stranger, self.joana, self.zilda = filled

    def _fill(self) -> tuple[Ids, Ids, int, int, int, int]:
        with self.db.writing() as session:
            ids = shop.studio(session, self.now, reminders_hours=[24])
            other = shop.studio(session, self.now, slug="b", name="B", whatsapp="+551130001001")
            rita = hire(session, self.now, ids.tenant, "rita@bela.test", "Rita")
            stranger = hire(session, self.now, other.tenant, "x@b.test", "X")
            joana, zilda = (
                shop.customer(session, self.now, ids.tenant, name=name, phone=f"+551199999000{n}")
                for n, name in ((2, "Joana"), (3, "Zilda"))
            )
        return ids, other, rita, stranger, joana, zilda

    def act(self, work: Callable[[Reception], T], *, foreign: bool = False) -> T:
        ids, who = (self.other, self.stranger) if foreign else (self.ids, self.rita)

        def run(session: Session) -> T:
            return work(Reception(session, self.now, session.get_one(Tenant, ids.tenant), who))

        return self.db.retrying(run)

    def book(
        self, when: str, *, leave: Leave | None = None, customer: int = 0, who: int = 0, **more: Sequence[int]
    ) -> int:
        """A cut with Ana for Maria, unless told otherwise."""
        made = self.act(
            lambda desk: desk.book(
                customer or self.ids.customer,
                who or self.ids.ana,
                more.get("services", [self.ids.corte]),
                at(when),
                leave or Leave(),
            )
        )
        assert made.appointment.id is not None
        return made.appointment.id

    def state(self, key: int) -> str:
        with self.db.reading() as session:
            return calendar_page.visit(session, self.ids.tenant, key).state

    def move(self, key: int, when: str, *, who: int = 0, leave: Leave | None = None, state: str = "") -> bool:
        """Gives whether anything changed."""
        return not self.act(
            lambda desk: desk.move(
                key, state or self.state(key), who or self.ids.ana, at(when), leave or Leave()
            )
        ).unchanged

    def cancel(self, key: int, state: str = "") -> bool:
        return not self.act(
            lambda desk: desk.cancel(key, state or self.state(key), "ligou")
        ).already_cancelled

    def mark(self, key: int, status: AppointmentStatus, state: str = "") -> bool:
        return not self.act(lambda desk: desk.mark(key, state or self.state(key), status)).already

    def undo(self, key: int, state: str = "") -> None:
        self.act(lambda desk: desk.undo(key, state or self.state(key)))

    def visit(self, key: int) -> calendar_page.Visit:
        with self.db.reading() as session:
            return calendar_page.visit(session, self.ids.tenant, key)

    def when(self, key: int) -> str:
        return f"{self.visit(key).starts_at.astimezone(ZONE):%d %H:%M}"

    def rows(self, model: type[T]) -> list[T]:
        with self.db.reading() as session:
            return list(session.scalars(select(model).order_by("id")).all())

    def events(self, key: int) -> list[tuple[str, str | None, dict[str, object]]]:
        with self.db.reading() as session:
            return [
                (each.action, each.staff, each.detail)
                for each in calendar_page.story(session, self.ids.tenant, key)
            ]


@pytest.fixture
def desk(db: Database, now: datetime) -> Desk:
    """Wednesday 10:20."""
    return Desk(db, now)


def refused(act: Callable[[], object]) -> str:
    with pytest.raises(Refusal) as refusal:
        act()
    return refusal.value.code


# Booking


def test_a_booking_is_staff_s_and_on_record(desk: Desk) -> None:
    key = desk.book("04 10:00")
    visit = desk.visit(key)
    assert (visit.created_by, visit.squeeze_in, visit.status) == ("staff", False, "booked")
    assert desk.events(key) == [("appointment.book", "Rita", {})]
    assert [row.due_at for row in desk.rows(Reminder)] == [at("03 10:00")]


def test_the_same_booking_again_is_the_same(desk: Desk) -> None:
    """A double click."""
    key = desk.book("04 10:00")
    assert desk.book("04 10:00") == key
    assert len(desk.rows(Appointment)) == len(desk.rows(AuditEvent)) == 1


RULES = [
    ("02 10:30", Code.ANTECEDENCIA),
    ("02 10:00", Code.PASSADO),
    ("04 20:00", Code.FORA_DO_EXPEDIENTE),
    ("04 11:30", Code.INTERVALO),
    ("06 10:00", Code.FORA_DO_EXPEDIENTE),
    ("25 10:00", Code.FERIADO),
    ("18 10:00", Code.FOLGA),
]


@pytest.mark.parametrize(("when", "code"), RULES)
def test_a_rule_is_only_broken_on_purpose(desk: Desk, when: str, code: Code) -> None:
    with desk.db.writing() as session:
        tenant = session.get_one(Tenant, desk.ids.tenant)
        tenant.holidays_country, tenant.holidays_closed = "BR", True
        day = at("18 10:00").date()
        session.add(
            TimeOff(tenant_id=desk.ids.tenant, professional_id=desk.ids.ana, first_date=day, last_date=day)
        )
    assert refused(lambda: desk.book(when)) == code
    assert refused(lambda: desk.book(when, leave=OVERLAP)) == code
    key = desk.book(when, leave=OUTSIDE)
    assert desk.visit(key).squeeze_in is False
    assert desk.events(key) == [("appointment.book", "Rita", {"outside": code})]


def test_beyond_the_horizon(desk: Desk) -> None:
    far = f"{(at('02 10:00') + timedelta(days=90)).astimezone(ZONE):%Y-%m-%d %H:%M}"
    start = datetime.fromisoformat(far).replace(tzinfo=ZONE)
    while start.weekday() > 4:
        start += timedelta(days=1)
    book = lambda leave: desk.act(
        lambda each: each.book(desk.ids.customer, desk.ids.ana, [desk.ids.corte], start, leave)
    )
    assert refused(lambda: book(Leave())) == Code.HORIZONTE
    assert book(OUTSIDE).already_existed is False


def test_the_grid_binds_nobody_at_the_desk(desk: Desk) -> None:
    assert desk.when(desk.book("04 10:10")) == "04 10:10"


def test_the_customer_s_limit_is_the_bot_s(desk: Desk) -> None:
    for day in ("03", "04", "07", "08"):
        desk.book(f"{day} 10:00")
    assert len(desk.rows(Appointment)) == 4


def test_over_midnight_what_comes_then_is_in_the_way(desk: Desk) -> None:
    """The other visit stands on the next day: it is seen all the same, and can be overlapped on purpose."""
    desk.book("05 00:15", leave=OUTSIDE)
    assert refused(lambda: desk.book("04 23:30", leave=OUTSIDE, customer=desk.joana)) == Code.OCUPADO
    key = desk.book("04 23:30", leave=ANYHOW, customer=desk.joana)
    assert desk.visit(key).squeeze_in


@pytest.mark.parametrize("when", ["04 10:00", "04 10:30", "04 09:10"])
def test_an_overlap_is_only_made_on_purpose(desk: Desk, when: str) -> None:
    desk.book("04 10:00")
    assert refused(lambda: desk.book(when, customer=desk.joana)) == Code.OCUPADO
    assert refused(lambda: desk.book(when, customer=desk.joana, leave=OUTSIDE)) == Code.OCUPADO
    key = desk.book(when, customer=desk.joana, leave=OVERLAP)
    assert desk.visit(key).squeeze_in is True
    assert desk.events(key) == [("appointment.book", "Rita", {"squeeze_in": True})]


def test_leave_that_was_not_needed_leaves_no_trace(desk: Desk) -> None:
    """A free time is an ordinary visit, which the database itself protects."""
    key = desk.book("04 10:00", leave=ANYHOW)
    assert desk.visit(key).squeeze_in is False
    assert desk.events(key) == [("appointment.book", "Rita", {})]


def test_out_of_hours_and_taken_wants_both(desk: Desk) -> None:
    desk.book("04 20:00", leave=OUTSIDE)
    book = lambda leave: desk.book("04 20:30", customer=desk.joana, leave=leave)
    assert refused(lambda: book(OUTSIDE)) == Code.OCUPADO
    assert refused(lambda: book(OVERLAP)) == Code.FORA_DO_EXPEDIENTE
    assert desk.visit(book(ANYHOW)).squeeze_in is True


def test_the_bot_never_squeezes_in(desk: Desk) -> None:
    """What is squeezed in takes time like anything else."""
    desk.book("04 10:00")
    desk.book("04 10:30", customer=desk.joana, leave=OVERLAP)
    for when in ("04 10:30", "04 11:00"):
        assert refused(lambda when=when: by_bot(desk, when)) == Code.OCUPADO
    assert by_bot(desk, "04 13:00").squeeze_in is False


def by_bot(desk: Desk, when: str) -> Appointment:
    with desk.db.writing() as session:
        tenant = session.get_one(Tenant, desk.ids.tenant)
        return appointment.book(
            session, desk.now, tenant, desk.zilda, desk.ids.ana, [desk.ids.corte], at(when), "bot"
        ).appointment


def test_who_does_not_do_it_is_not_booked_for_it(desk: Desk) -> None:
    book = lambda: desk.book("04 10:00", who=desk.ids.bia, leave=ANYHOW, services=[desk.ids.escova])
    assert refused(book) == Code.SERVICO_NAO_ATENDIDO
    with desk.db.writing() as session:
        session.get_one(Professional, desk.ids.bia).active = False
    with pytest.raises(NotFound, match="professional"):
        desk.book("04 10:00", who=desk.ids.bia, leave=ANYHOW)


# Moving


def test_a_move_keeps_the_visit_and_says_where_it_was(desk: Desk) -> None:
    key = desk.book("04 10:00")
    assert desk.move(key, "07 15:00", who=desk.ids.bia)
    visit = desk.visit(key)
    assert (desk.when(key), visit.professional_id, visit.services) == (
        "07 15:00",
        desk.ids.bia,
        ("Corte feminino",),
    )
    before = {"starts_at": at("04 10:00").isoformat(), "professional_id": desk.ids.ana, "squeeze_in": False}
    assert desk.events(key)[1:] == [("appointment.move", "Rita", {"from": before})]
    assert [(row.due_at, row.state) for row in desk.rows(Reminder)] == [
        (at("03 10:00"), "obsolete"),
        (at("06 15:00"), "pending"),
    ]


def test_a_move_to_where_it_is_changes_nothing(desk: Desk) -> None:
    key = desk.book("04 10:00")
    assert not desk.move(key, "04 10:00", state="of long ago")
    assert len(desk.events(key)) == 1


def test_a_move_over_its_own_time_is_no_overlap(desk: Desk) -> None:
    key = desk.book("04 10:00")
    assert desk.move(key, "04 10:30")
    assert desk.visit(key).squeeze_in is False


def test_a_move_asks_for_the_same_leave(desk: Desk) -> None:
    desk.book("04 10:00")
    key = desk.book("04 14:00", customer=desk.joana)
    assert refused(lambda: desk.move(key, "04 10:30")) == Code.OCUPADO
    assert refused(lambda: desk.move(key, "04 20:00")) == Code.FORA_DO_EXPEDIENTE
    assert desk.when(key) == "04 14:00"
    assert desk.move(key, "04 10:30", leave=OVERLAP)
    assert desk.visit(key).squeeze_in is True
    assert desk.move(key, "04 15:00")
    assert desk.visit(key).squeeze_in is False


def test_staff_move_late_comers_and_last_minute_ones(desk: Desk) -> None:
    """The customer's notice does not bind them, nor that it has begun."""
    key = desk.book("02 10:00", leave=OUTSIDE)
    assert desk.move(key, "02 11:30", leave=OUTSIDE)
    assert desk.when(key) == "02 11:30"


@pytest.mark.parametrize("act", ["move", "cancel", "mark"])
def test_who_saw_another_state_does_nothing(desk: Desk, act: str) -> None:
    """The page was open while the customer moved it."""
    key = desk.book("02 15:00")
    seen = desk.state(key)
    desk.move(key, "02 16:00")
    late = {
        "move": lambda: desk.move(key, "02 17:00", state=seen),
        "cancel": lambda: desk.cancel(key, seen),
        "mark": lambda: desk.mark(key, AppointmentStatus.DONE, seen),
    }
    with pytest.raises(Conflict, match="changed"):
        late[act]()
    assert (desk.when(key), desk.visit(key).status) == ("02 16:00", "booked")


# Cancelling and marking


def test_a_cancellation_frees_the_time(desk: Desk) -> None:
    key = desk.book("04 10:00")
    assert desk.cancel(key)
    assert not desk.cancel(key, "of long ago")
    assert desk.visit(key).cancel_reason == "ligou"
    assert [event[:2] for event in desk.events(key)] == [
        ("appointment.book", "Rita"),
        ("appointment.cancel", "Rita"),
    ]
    assert [row.state for row in desk.rows(Reminder)] == ["obsolete"]
    desk.book("04 10:00", customer=desk.joana)


@pytest.mark.parametrize("status", [AppointmentStatus.DONE, AppointmentStatus.NO_SHOW])
def test_marking(desk: Desk, status: AppointmentStatus) -> None:
    key = desk.book("02 10:00", leave=OUTSIDE)
    assert desk.mark(key, status)
    assert not desk.mark(key, status, "of long ago")
    assert desk.visit(key).status == status
    assert desk.events(key)[1:] == [("appointment.mark", "Rita", {"status": status})]


def test_nobody_has_come_before_the_day(desk: Desk) -> None:
    key = desk.book("03 10:00")
    assert refused(lambda: desk.mark(key, AppointmentStatus.DONE)) == Stop.AINDA_NAO
    today = desk.book("02 17:00")
    assert desk.mark(today, AppointmentStatus.DONE)


def test_nobody_has_missed_what_has_not_begun(desk: Desk) -> None:
    key = desk.book("02 17:00")
    assert refused(lambda: desk.mark(key, AppointmentStatus.NO_SHOW)) == Stop.AINDA_NAO
    begun = desk.book("02 10:00", leave=OUTSIDE)
    assert desk.mark(begun, AppointmentStatus.NO_SHOW)


@pytest.mark.parametrize(
    ("minutes", "status"),
    [
        (-1, {"done"}),
        (0, {"done", "no_show"}),
        (1, {"done", "no_show"}),
        (-24 * 60, set()),
        (24 * 60, {"done", "no_show"}),
    ],
)
def test_what_may_become_of_a_visit(minutes: int, status: set[str]) -> None:
    zone, starts_at = ZoneInfo("America/Sao_Paulo"), datetime(2026, 12, 3, 2, 59, tzinfo=UTC)
    assert markable(starts_at, starts_at + timedelta(minutes=minutes), zone) == status


@pytest.mark.parametrize(
    ("first", "code"),
    [("cancel", Code.JA_CANCELADO), ("done", Stop.JA_TERMINOU), ("no_show", Stop.JA_TERMINOU)],
)
def test_what_is_over_is_not_moved_cancelled_or_marked(desk: Desk, first: str, code: str) -> None:
    key = desk.book("02 10:00", leave=OUTSIDE)
    desk.cancel(key) if first == "cancel" else desk.mark(key, AppointmentStatus(first))
    assert refused(lambda: desk.move(key, "04 10:00")) == code
    if first != "cancel":
        assert refused(lambda: desk.cancel(key)) == code
    other = AppointmentStatus.NO_SHOW if first == "done" else AppointmentStatus.DONE
    assert refused(lambda: desk.mark(key, other)) == code


# Taking back


def test_a_cancellation_is_taken_back(desk: Desk) -> None:
    key = desk.book("04 10:00")
    desk.cancel(key)
    desk.undo(key)
    visit = desk.visit(key)
    assert (visit.status, visit.cancel_reason) == ("booked", "")
    cancel = desk.rows(AuditEvent)[1].id
    assert desk.events(key)[-1] == ("appointment.undo", "Rita", {"of": cancel})
    assert [(row.due_at, row.state) for row in desk.rows(Reminder)] == [
        (at("03 10:00"), "obsolete"),
        (at("03 10:00"), "pending"),
    ]


def test_a_cancellation_is_not_taken_back_onto_what_is_taken(desk: Desk) -> None:
    key = desk.book("04 10:00")
    desk.cancel(key)
    desk.book("04 10:30", customer=desk.joana)
    assert refused(lambda: desk.undo(key)) == Code.OCUPADO
    assert desk.visit(key).status == "cancelled"


def test_a_move_is_taken_back(desk: Desk) -> None:
    key = desk.book("04 10:00")
    desk.move(key, "07 15:00", who=desk.ids.bia)
    desk.undo(key)
    assert (desk.when(key), desk.visit(key).professional_id) == ("04 10:00", desk.ids.ana)


def test_a_move_is_not_taken_back_onto_what_is_taken(desk: Desk) -> None:
    key = desk.book("04 10:00")
    desk.move(key, "07 15:00")
    desk.book("04 10:00", customer=desk.joana)
    assert refused(lambda: desk.undo(key)) == Code.OCUPADO
    assert desk.when(key) == "07 15:00"


def test_the_bot_s_move_can_be_taken_back_too(desk: Desk) -> None:
    """Its record says less, and enough."""
    key = desk.book("04 10:00")
    with desk.db.writing() as session:
        tenant = session.get_one(Tenant, desk.ids.tenant)
        appointment.move(session, desk.now, tenant, desk.ids.customer, key, at("07 15:00"))
        before = {"starts_at": at("04 10:00").isoformat(), "professional_id": desk.ids.ana}
        session.add(
            AuditEvent(
                tenant_id=desk.ids.tenant,
                action=Action.MOVE,
                subject_id=key,
                detail={"from": before},
                at=desk.now,
            )
        )
    desk.undo(key)
    assert desk.when(key) == "04 10:00"


@pytest.mark.parametrize("status", [AppointmentStatus.DONE, AppointmentStatus.NO_SHOW])
def test_a_mark_is_taken_back(desk: Desk, status: AppointmentStatus) -> None:
    key = desk.book("02 10:00", leave=OUTSIDE)
    desk.mark(key, status)
    desk.undo(key)
    assert desk.visit(key).status == "booked"


def test_a_missed_visit_s_time_may_be_taken_by_then(desk: Desk) -> None:
    key = desk.book("02 10:00", leave=OUTSIDE)
    desk.mark(key, AppointmentStatus.NO_SHOW)
    desk.book("02 10:00", customer=desk.joana, leave=OUTSIDE)
    assert refused(lambda: desk.undo(key)) == Code.OCUPADO


def test_what_was_squeezed_in_comes_back_so(desk: Desk) -> None:
    desk.book("04 10:00")
    key = desk.book("04 10:30", customer=desk.joana, leave=OVERLAP)
    desk.cancel(key)
    desk.undo(key)
    assert (desk.visit(key).status, desk.visit(key).squeeze_in) == ("booked", True)
    desk.move(key, "04 15:00")
    desk.undo(key)
    assert (desk.when(key), desk.visit(key).squeeze_in) == ("04 10:30", True)


def test_only_the_last_change_and_only_once(desk: Desk) -> None:
    key = desk.book("04 10:00")
    assert refused(lambda: desk.undo(key)) == Stop.NADA_A_DESFAZER
    desk.move(key, "07 15:00")
    desk.cancel(key)
    desk.undo(key)
    assert desk.when(key) == "07 15:00"
    assert refused(lambda: desk.undo(key)) == Stop.NADA_A_DESFAZER


def test_undo_of_what_has_changed_since_is_a_conflict(desk: Desk) -> None:
    key = desk.book("04 10:00")
    desk.move(key, "07 15:00")
    seen = desk.state(key)
    desk.move(key, "08 15:00")
    with pytest.raises(Conflict, match="changed"):
        desk.undo(key, seen)


# Telling the customer


def hears(desk: Desk, ago: timedelta) -> None:
    """Maria wrote so long ago."""
    with desk.db.writing() as session:
        session.get_one(Conversation, desk.ids.conversation).last_inbound_at = desk.now - ago


def lines(desk: Desk) -> list[tuple[str, str, int | None, str]]:
    return [
        (row.author, row.text, row.staff_id, row.status)
        for row in desk.rows(message.Message)
        if row.direction == "out"
    ]


def test_a_text_goes_out_once_and_takes_nothing(desk: Desk) -> None:
    """The bot keeps the conversation: the customer may book again with it."""
    hears(desk, WINDOW - timedelta(seconds=1))
    key = desk.book("04 10:00")
    for _ in range(2):
        desk.act(lambda each: each.tell(key, "Desmarquei, Maria.", "key"))
    assert desk.events(key)[1:] == [("appointment.tell", "Rita", {})]
    assert lines(desk) == [("staff", "Desmarquei, Maria.", desk.rita, "queued")]
    with desk.db.reading() as session:
        assert session.get_one(Conversation, desk.ids.conversation).holder == "bot"


@pytest.mark.parametrize("ago", [WINDOW, WINDOW + timedelta(days=3), None])
def test_outside_the_window_there_is_no_text(desk: Desk, ago: timedelta | None) -> None:
    if ago is not None:
        hears(desk, ago)
    key = desk.book("04 10:00")
    tell = lambda: desk.act(lambda each: each.tell(key, "Oi", "key"))
    assert refused(tell) == Stop.JANELA_FECHADA
    assert lines(desk) == []


def test_a_text_that_cannot_go_takes_the_act_back_with_it(desk: Desk) -> None:
    """One transaction: nobody is cancelled in silence who was to be told."""
    key = desk.book("04 10:00")

    def cancel_and_tell(each: Reception) -> None:
        each.cancel(key, "0.booked")
        each.tell(key, "Desmarquei.", "key")

    assert refused(lambda: desk.act(cancel_and_tell)) == Stop.JANELA_FECHADA
    assert desk.visit(key).status == "booked"


# What lost its place


def strand(desk: Desk, key: int) -> None:
    with desk.db.writing() as session:
        stranded.strand(session, desk.now, desk.ids.tenant, {key: Why.HOURS})


def outcomes(desk: Desk) -> list[tuple[str | None, int | None]]:
    return [(row.outcome, row.settled_by) for row in desk.rows(StrandedAppointment)]


@pytest.mark.parametrize(
    ("act", "outcome"),
    [
        (lambda desk, key: desk.move(key, "07 15:00"), Outcome.MOVED),
        (lambda desk, key: desk.cancel(key), Outcome.CANCELLED),
        (lambda desk, key: desk.act(lambda each: each.keep(key)), Outcome.KEPT),
        (lambda desk, key: desk.mark(key, AppointmentStatus.DONE), Outcome.KEPT),
    ],
)
def test_an_entry_is_settled_by_what_is_done(
    desk: Desk, act: Callable[[Desk, int], object], outcome: Outcome
) -> None:
    key = desk.book("02 15:00")
    strand(desk, key)
    strand(desk, key)
    with desk.db.reading() as session:
        (entry,) = calendar_page.attention(session, desk.ids.tenant, desk.now)
    assert (entry.visit.id, entry.why, entry.since) == (key, Why.HOURS, desk.now)
    act(desk, key)
    assert outcomes(desk) == [(outcome, desk.rita)]
    with desk.db.reading() as session:
        assert calendar_page.attention(session, desk.ids.tenant, desk.now) == []


def test_the_bot_settles_as_well(desk: Desk) -> None:
    moved, cancelled = by_bot(desk, "04 10:00").id, by_bot(desk, "07 10:00").id
    assert moved is not None
    assert cancelled is not None
    strand(desk, moved)
    strand(desk, cancelled)
    with desk.db.writing() as session:
        tenant = session.get_one(Tenant, desk.ids.tenant)
        appointment.move(session, desk.now, tenant, desk.zilda, moved, at("04 15:00"))
        appointment.cancel(session, desk.now, tenant, desk.zilda, cancelled)
    assert outcomes(desk) == [(Outcome.MOVED, None), (Outcome.CANCELLED, None)]


def test_what_is_not_on_the_list_is_kept_without_a_word(desk: Desk) -> None:
    key = desk.book("04 10:00")
    desk.act(lambda each: each.keep(key))
    assert len(desk.events(key)) == 1


# Strangers


@pytest.mark.parametrize(
    "act", ["book", "book with", "move", "move to", "cancel", "mark", "undo", "keep", "tell"]
)
def test_another_business_s_rows_are_missing(desk: Desk, act: str) -> None:
    """Exactly as those that do not exist, and nothing is written."""
    key = desk.book("02 15:00")
    before = (desk.visit(key), len(desk.rows(AuditEvent)), len(desk.rows(Customer)))
    ids, other = desk.ids, desk.other
    acts: dict[str, Callable[[Reception], object]] = {
        "book": lambda each: each.book(ids.customer, other.ana, [other.corte], at("04 10:00")),
        "book with": lambda each: each.book(other.customer, ids.ana, [ids.corte], at("04 10:00")),
        "move": lambda each: each.move(key, before[0].state, other.ana, at("04 10:00")),
        "cancel": lambda each: each.cancel(key, before[0].state),
        "mark": lambda each: each.mark(key, before[0].state, AppointmentStatus.DONE),
        "undo": lambda each: each.undo(key, before[0].state),
        "keep": lambda each: each.keep(key),
        "tell": lambda each: each.tell(key, "Oi", "key"),
    }
    with pytest.raises(NotFound):
        if act == "move to":
            desk.move(key, "04 10:00", who=other.ana)
        else:
            desk.act(acts[act], foreign=True)
    assert (desk.visit(key), len(desk.rows(AuditEvent)), len(desk.rows(Customer))) == before
