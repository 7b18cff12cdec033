"""Booking, moving and cancelling: the life of an appointment."""

from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from sqlmodel import col, select, update

from models import alternatives, appointment, availability, catalog
from models.appointment import Appointment, AppointmentService, AppointmentStatus, Booked, Moved
from models.availability import Code, Span
from models.catalog import Closure, Professional, Service, TimeOff
from models.db import Database
from models.errors import NotFound, Refusal
from models.tenant import Tenant
from tests.fakes import agenda
from tests.fakes.agenda import Ids

SAO_PAULO = ZoneInfo("America/Sao_Paulo")


def at(text: str, zone: ZoneInfo = SAO_PAULO) -> datetime:
    """ "2026-12-04 10:00" of the business as an instant."""
    return datetime.fromisoformat(text).replace(tzinfo=zone).astimezone(UTC)


@pytest.fixture
def ids(db: Database, now: datetime) -> Ids:
    with db.writing() as session:
        return agenda.studio(session, now)


@pytest.fixture
def book(db: Database, ids: Ids, now: datetime) -> Callable[..., Booked]:
    """Book with Ana on Friday for Maria, unless said otherwise."""

    def booked(
        start: str,
        *services: int,
        who: int | None = None,
        customer: int | None = None,
        moment: datetime = now,
    ) -> Booked:
        with db.writing() as session:
            return appointment.book(
                session,
                moment,
                session.get_one(Tenant, ids.tenant),
                customer or ids.customer,
                who or ids.ana,
                services or (ids.corte,),
                at(f"2026-12-{start}"),
                "bot",
            )

    return booked


@pytest.fixture
def move(db: Database, ids: Ids, now: datetime) -> Callable[..., Moved]:
    def moved(
        key: int, start: str, who: int | None = None, customer: int | None = None, moment: datetime = now
    ) -> Moved:
        with db.writing() as session:
            tenant = session.get_one(Tenant, ids.tenant)
            return appointment.move(
                session, moment, tenant, customer or ids.customer, key, at(f"2026-12-{start}"), who
            )

    return moved


@pytest.fixture
def cancel(db: Database, ids: Ids, now: datetime) -> Callable[..., appointment.Cancelled]:
    def cancelled(key: int, customer: int | None = None, moment: datetime = now) -> appointment.Cancelled:
        with db.writing() as session:
            tenant = session.get_one(Tenant, ids.tenant)
            return appointment.cancel(session, moment, tenant, customer or ids.customer, key, "viagem")

    return cancelled


def change(db: Database, ids: Ids, **rules: object) -> None:
    with db.writing() as session:
        session.exec(update(Tenant).where(col(Tenant.id) == ids.tenant).values(**rules))


def free(db: Database, ids: Ids, now: datetime, day: date) -> list[str]:
    span = Span(60)
    with db.reading() as session:
        tenant = session.get_one(Tenant, ids.tenant)
        loaded = appointment.agendas(session, tenant, (ids.ana,), span, day, day)
        found = availability.slots(catalog.rules(tenant), loaded[ids.ana], span, day, now)
        return [f"{start.astimezone(tenant.zone):%H:%M}" for start in found]


FRIDAY = date(2026, 12, 4)
FRIDAY_FREE = [
    "09:00", "09:30", "10:00", "10:30", "11:00",
    "13:00", "13:30", "14:00", "14:30", "15:00", "15:30", "16:00", "16:30", "17:00",
]  # fmt: skip


def test_booking_keeps_a_snapshot(db: Database, ids: Ids, now: datetime, book: Callable[..., Booked]) -> None:
    """What the service costs and takes later does not change what was agreed."""
    key = book("04 09:00", ids.corte, ids.barba).appointment.id
    assert key is not None
    with db.writing() as session:
        session.exec(update(Service).values(price_cents=1, duration_minutes=5, name=Service.name + "!"))
    with db.reading() as session:
        found = appointment.details(session, ids.tenant, key)
        row = session.get_one(Appointment, key)
    assert found == appointment.Details(
        id=key,
        services=("Corte feminino", "Barba"),
        service_ids=(ids.corte, ids.barba),
        professional_id=ids.ana,
        professional="Ana Souza",
        starts_at=at("2026-12-04 09:00"),
        minutes=90,
        price_cents=17_000,
        status="booked",
    )
    assert (row.ends_at, row.busy_from, row.busy_until) == (
        at("2026-12-04 10:30"),
        at("2026-12-04 09:00"),
        at("2026-12-04 10:40"),
    )
    assert (row.created_by, row.created_at, row.squeeze_in) == ("bot", now, False)


def test_price_on_request_makes_the_sum_so(db: Database, ids: Ids, book: Callable[..., Booked]) -> None:
    key = book("04 09:00", ids.corte, ids.escova).appointment.id
    assert key is not None
    with db.reading() as session:
        assert appointment.details(session, ids.tenant, key).price_cents is None


def test_booking_takes_its_time_and_buffer(
    db: Database, ids: Ids, now: datetime, book: Callable[..., Booked]
) -> None:
    assert free(db, ids, now, FRIDAY) == FRIDAY_FREE
    book("04 10:00", ids.barba)  # 10:00-10:30, then ten minutes to clean up
    assert free(db, ids, now, FRIDAY) == [t for t in FRIDAY_FREE if t not in ("09:30", "10:00", "10:30")]


@pytest.mark.parametrize(
    ("start", "code"),
    [
        ("02 10:00", Code.PASSADO),
        ("01 10:00", Code.PASSADO),
        ("02 11:00", Code.ANTECEDENCIA),
        ("04 08:00", Code.FORA_DO_EXPEDIENTE),
        ("06 10:00", Code.FORA_DO_EXPEDIENTE),
        ("04 11:30", Code.INTERVALO),
        ("04 09:10", Code.FORA_DA_GRADE),
        ("24 10:00", Code.FECHADO),
        ("18 10:00", Code.FOLGA),
        ("25 10:00", Code.FERIADO),
        ("04 15:30", Code.OCUPADO),
    ],
)
def test_refused_with_the_reason(
    db: Database, ids: Ids, now: datetime, book: Callable[..., Booked], start: str, code: Code
) -> None:
    """S26, S42, S43: the rules hold for who never looked at the list; nothing is written."""
    change(db, ids, holidays_country="BR", holidays_closed=True)
    book("04 15:00")
    with db.writing() as session:
        session.add(Closure(tenant_id=ids.tenant, date=date(2026, 12, 24), reason="Véspera"))
        session.add(
            TimeOff(
                tenant_id=ids.tenant,
                professional_id=ids.ana,
                first_date=date(2026, 12, 17),
                last_date=date(2026, 12, 18),
            )
        )
    with pytest.raises(Refusal) as refusal:
        book(start)
    assert refusal.value.code == code
    with db.reading() as session:
        assert len(session.exec(select(Appointment)).all()) == 1


def test_horizon(db: Database, ids: Ids, book: Callable[..., Booked]) -> None:
    change(db, ids, horizon_days=2)
    assert not book("04 10:00").already_existed
    with pytest.raises(Refusal) as refusal:
        book("05 10:00")
    assert (refusal.value.code, refusal.value.detail) == (
        Code.HORIZONTE,
        {"last": FRIDAY, "days": 2},
    )


def test_pending_booking_blocks_another_customer(
    db: Database, ids: Ids, now: datetime, book: Callable[..., Booked]
) -> None:
    """S32."""
    with db.writing() as session:
        other = agenda.customer(session, now, ids.tenant, phone="+5511999990002")
    book("04 10:00")
    with pytest.raises(Refusal) as refusal:
        book("04 10:00", customer=other)
    assert refusal.value.code == Code.OCUPADO


def test_same_wish_twice_is_one_booking(db: Database, ids: Ids, book: Callable[..., Booked]) -> None:
    """S57: the second is no refusal, it finds the first."""
    first, second = book("04 10:00"), book("04 10:00")
    assert (first.already_existed, second.already_existed) == (False, True)
    assert first.appointment.id == second.appointment.id
    with db.reading() as session:
        assert len(session.exec(select(Appointment)).all()) == 1
        assert len(session.exec(select(AppointmentService)).all()) == 1


def test_other_service_at_the_same_time_is_not_the_same_wish(ids: Ids, book: Callable[..., Booked]) -> None:
    book("04 10:00", ids.corte)
    with pytest.raises(Refusal) as refusal:
        book("04 10:00", ids.corte, ids.barba)
    assert refusal.value.code == Code.OCUPADO


@pytest.mark.parametrize(("what", "kind"), [("who", "professional"), ("service", "service")])
def test_missing_rows(ids: Ids, book: Callable[..., Booked], what: str, kind: str) -> None:
    with pytest.raises(NotFound, match=kind):
        book("04 10:00", *([999] if what == "service" else []), who=999 if what == "who" else None)


def test_deactivated_is_missing_for_new_bookings_only(
    db: Database, ids: Ids, now: datetime, book: Callable[..., Booked], cancel: Callable[..., object]
) -> None:
    """S54: nothing is lost, and what is left can still be seen, moved away and cancelled."""
    key = book("04 10:00").appointment.id
    assert key is not None
    with db.writing() as session:
        session.exec(update(Professional).where(col(Professional.id) == ids.ana).values(active=False))
    with pytest.raises(NotFound, match="professional"):
        book("04 14:00")
    with db.reading() as session:
        assert ids.ana not in catalog.offering(session, ids.tenant, [ids.corte])
        assert [d.id for d in appointment.upcoming(session, ids.tenant, ids.customer, now)] == [key]
    cancel(key)


def test_moving_from_a_deactivated_professional(
    db: Database, ids: Ids, book: Callable[..., Booked], move: Callable[..., Moved]
) -> None:
    key = book("04 10:00").appointment.id
    with db.writing() as session:
        session.exec(update(Professional).where(col(Professional.id) == ids.ana).values(active=False))
    with pytest.raises(Refusal) as refusal:
        move(key, "04 14:00")
    assert refusal.value.code == Code.SERVICO_NAO_ATENDIDO
    assert move(key, "04 14:00", ids.bia).appointment.professional_id == ids.bia


def test_service_not_offered(ids: Ids, book: Callable[..., Booked]) -> None:
    with pytest.raises(Refusal) as refusal:
        book("04 10:00", ids.corte, ids.barba, who=ids.bia)
    assert refusal.value.code == Code.SERVICO_NAO_ATENDIDO


def test_limit_counts_what_is_still_to_come(
    db: Database, ids: Ids, now: datetime, book: Callable[..., Booked], cancel: Callable[..., object]
) -> None:
    """Cancelled and past appointments leave room again."""
    change(db, ids, max_open_appointments=2)
    first = book("04 09:00").appointment.id
    book("04 10:00")
    with pytest.raises(Refusal) as refusal:
        book("04 14:00")
    assert (refusal.value.code, refusal.value.detail) == (Code.LIMITE_CLIENTE, {"limit": 2})
    cancel(first)
    book("04 14:00")
    with pytest.raises(Refusal):
        book("04 15:00")
    book("04 17:00", moment=at("2026-12-04 10:00"))


# --- moving


def test_move_keeps_the_row_and_the_snapshot(
    db: Database, ids: Ids, book: Callable[..., Booked], move: Callable[..., Moved]
) -> None:
    key = book("04 10:00", ids.corte, ids.barba).appointment.id
    with db.writing() as session:
        session.exec(update(Service).values(duration_minutes=5, active=False))
    moved = move(key, "07 14:00")
    assert (moved.appointment.id, moved.unchanged) == (key, False)
    assert (moved.previous_start, moved.previous_professional_id) == (at("2026-12-04 10:00"), ids.ana)
    with db.reading() as session:
        row = session.get_one(Appointment, key)
        assert (row.starts_at, row.ends_at, row.busy_until) == (
            at("2026-12-07 14:00"),
            at("2026-12-07 15:30"),
            at("2026-12-07 15:40"),
        )
        assert appointment.service_ids(session, ids.tenant, row.id or 0) == (ids.corte, ids.barba)


def test_move_may_overlap_its_own_old_time(
    ids: Ids, book: Callable[..., Booked], move: Callable[..., Moved]
) -> None:
    """S40: she is full except for the customer's own hour."""
    key = book("04 10:00").appointment.id
    assert move(key, "04 10:30").appointment.starts_at == at("2026-12-04 10:30")
    assert move(key, "04 10:00").appointment.starts_at == at("2026-12-04 10:00")


def test_move_to_where_it_is_changes_nothing(
    ids: Ids, book: Callable[..., Booked], move: Callable[..., Moved]
) -> None:
    key = book("04 10:00").appointment.id
    assert move(key, "04 10:00").unchanged
    assert move(key, "04 10:00", ids.ana).unchanged
    assert not move(key, "04 10:00", ids.bia).unchanged


def test_move_is_not_counted_by_the_limit(
    db: Database, ids: Ids, book: Callable[..., Booked], move: Callable[..., Moved]
) -> None:
    """S39."""
    change(db, ids, max_open_appointments=1)
    key = book("04 15:00").appointment.id
    assert not move(key, "04 16:00").unchanged


@pytest.mark.parametrize(
    ("start", "who", "code"),
    [
        ("04 14:00", None, Code.OCUPADO),
        ("06 14:00", None, Code.FORA_DO_EXPEDIENTE),
        ("02 09:00", None, Code.PASSADO),
        ("04 15:00", "bia", Code.SERVICO_NAO_ATENDIDO),
    ],
)
def test_refused_move_leaves_everything(
    db: Database,
    ids: Ids,
    book: Callable[..., Booked],
    move: Callable[..., Moved],
    start: str,
    who: str | None,
    code: Code,
) -> None:
    book("04 14:00")
    key = book("04 10:00", ids.escova).appointment.id
    with pytest.raises(Refusal) as refusal:
        move(key, start, ids.bia if who else None)
    assert refusal.value.code == code
    with db.reading() as session:
        assert session.get_one(Appointment, key).starts_at == at("2026-12-04 10:00")


def test_move_of_a_squeezed_in_one_makes_it_ordinary(
    db: Database, ids: Ids, now: datetime, book: Callable[..., Booked], move: Callable[..., Moved]
) -> None:
    """What a customer moves lands on free time, and is guarded there like any other."""
    key = book("04 10:00").appointment.id
    with db.writing() as session:
        session.exec(update(Appointment).values(squeeze_in=True))
    assert not move(key, "04 14:00").appointment.squeeze_in


def test_booking_left_outside_new_hours_can_be_moved_and_cancelled(
    db: Database,
    ids: Ids,
    book: Callable[..., Booked],
    move: Callable[..., Moved],
    cancel: Callable[..., object],
) -> None:
    """S55."""
    first, second = book("04 17:00").appointment.id, book("07 17:00").appointment.id
    with db.writing() as session:
        session.exec(
            update(catalog.WorkingWindow)
            .values(end_minute=12 * 60)
            .where(col(catalog.WorkingWindow.start_minute) < 12 * 60)
        )
        for window in session.exec(
            select(catalog.WorkingWindow).where(col(catalog.WorkingWindow.start_minute) >= 12 * 60)
        ).all():
            session.delete(window)
    with pytest.raises(Refusal):
        move(first, "08 17:00")
    assert not move(first, "08 10:00").unchanged
    cancel(second)


# --- cancelling


def test_cancel_is_idempotent_and_frees_the_time(
    db: Database,
    ids: Ids,
    now: datetime,
    book: Callable[..., Booked],
    cancel: Callable[..., appointment.Cancelled],
) -> None:
    """S36: cancelled, the same hour can be booked by the same and by another customer."""
    before = free(db, ids, now, FRIDAY)
    key = book("04 10:00").appointment.id
    first, again = cancel(key), cancel(key)
    assert (first.already_cancelled, again.already_cancelled) == (False, True)
    assert (again.appointment.cancelled_at, again.appointment.cancel_reason) == (now, "viagem")
    assert free(db, ids, now, FRIDAY) == before
    cancel(book("04 10:00").appointment.id)
    with db.writing() as session:
        other = agenda.customer(session, now, ids.tenant, phone="+5511999990002")
    assert not book("04 10:00", customer=other).already_existed
    with db.reading() as session:
        statuses = sorted(row.status for row in session.exec(select(Appointment)).all())
    assert statuses == ["booked", "cancelled", "cancelled"]


def test_book_and_move_back_restore_the_list(
    db: Database, ids: Ids, now: datetime, book: Callable[..., Booked], move: Callable[..., Moved]
) -> None:
    key = book("04 10:00").appointment.id
    booked = free(db, ids, now, FRIDAY)
    move(key, "07 10:00")
    assert free(db, ids, now, FRIDAY) == FRIDAY_FREE
    move(key, "04 10:00")
    assert free(db, ids, now, FRIDAY) == booked


@pytest.mark.parametrize(
    ("moment", "code"),
    [
        ("2026-12-04 08:00", None),
        ("2026-12-04 08:01", Code.PRAZO_DE_MUDANCA),
        ("2026-12-04 09:59", Code.PRAZO_DE_MUDANCA),
        ("2026-12-04 10:00", Code.JA_COMECOU),
        ("2026-12-05 10:00", Code.JA_COMECOU),
    ],
)
def test_notice_for_changes(
    ids: Ids,
    book: Callable[..., Booked],
    move: Callable[..., Moved],
    cancel: Callable[..., object],
    moment: str,
    code: Code | None,
) -> None:
    """Two hours before is still in time; the same for a move as for a cancellation."""
    key = book("04 10:00").appointment.id
    if code is None:
        move(key, "07 10:00", moment=at(moment))
        return
    for attempt in (lambda: move(key, "07 10:00", moment=at(moment)), lambda: cancel(key, moment=at(moment))):
        with pytest.raises(Refusal) as refusal:
            attempt()
        assert refusal.value.code == code


@pytest.mark.parametrize(
    ("status", "code"),
    [
        (AppointmentStatus.DONE, Code.JA_COMECOU),
        (AppointmentStatus.NO_SHOW, Code.JA_COMECOU),
        (AppointmentStatus.CANCELLED, Code.JA_CANCELADO),
    ],
)
def test_what_is_over_cannot_be_moved(
    db: Database, ids: Ids, book: Callable[..., Booked], move: Callable[..., Moved], status: str, code: Code
) -> None:
    key = book("04 10:00").appointment.id
    with db.writing() as session:
        session.exec(update(Appointment).values(status=status))
    with pytest.raises(Refusal) as refusal:
        move(key, "07 10:00")
    assert refusal.value.code == code


# --- whose it is


def test_another_customer_and_another_tenant_find_nothing(
    db: Database,
    ids: Ids,
    now: datetime,
    book: Callable[..., Booked],
    move: Callable[..., Moved],
    cancel: Callable[..., object],
) -> None:
    key = book("04 10:00").appointment.id
    assert key is not None
    with db.writing() as session:
        neighbour = agenda.studio(session, now, slug="b", name="B", whatsapp="+551130001001")
        other = agenda.customer(session, now, ids.tenant, phone="+5511999990002")
    for attempt in (
        lambda: move(key, "07 10:00", customer=other),
        lambda: cancel(key, customer=other),
        lambda: cancel(999),
        lambda: move(999, "07 10:00"),
    ):
        with pytest.raises(NotFound, match="appointment"):
            attempt()
    with db.reading() as session:
        with pytest.raises(NotFound):
            appointment.details(session, neighbour.tenant, key)
        with pytest.raises(NotFound):
            appointment.own(session, neighbour.tenant, ids.customer, key)
        assert appointment.upcoming(session, neighbour.tenant, ids.customer, now) == []
        assert appointment.service_ids(session, neighbour.tenant, key) == ()


@pytest.mark.parametrize("what", ["customer", "professional", "service", "new professional"])
def test_rows_of_another_tenant_cannot_be_mixed_in(
    db: Database, ids: Ids, now: datetime, book: Callable[..., Booked], move: Callable[..., Moved], what: str
) -> None:
    with db.writing() as session:
        neighbour = agenda.studio(session, now, slug="b", name="B", whatsapp="+551130001001")
    key = book("04 09:00").appointment.id
    with pytest.raises(NotFound, match=what.split()[-1]):
        if what == "new professional":
            move(key, "04 10:00", neighbour.ana)
        elif what == "service":
            book("04 10:00", neighbour.corte)
        elif what == "professional":
            book("04 10:00", who=neighbour.ana)
        else:
            book("04 10:00", customer=neighbour.customer)


def test_upcoming_is_in_order_and_leaves_out_what_is_over(
    db: Database, ids: Ids, now: datetime, book: Callable[..., Booked], cancel: Callable[..., object]
) -> None:
    late, early = book("07 10:00").appointment.id, book("04 10:00", ids.barba, ids.corte).appointment.id
    cancel(book("04 15:00").appointment.id)
    with db.reading() as session:
        found = appointment.upcoming(session, ids.tenant, ids.customer, now)
        later = appointment.upcoming(session, ids.tenant, ids.customer, at("2026-12-04 10:00"))
    assert [(d.id, d.services) for d in found] == [
        (early, ("Barba", "Corte feminino")),
        (late, ("Corte feminino",)),
    ]
    assert [d.id for d in later] == [late]


# --- time zones, alternatives


def test_zone_of_the_business(db: Database, ids: Ids, now: datetime, book: Callable[..., Booked]) -> None:
    """S08: nine in Manaus is ten in São Paulo."""
    change(db, ids, timezone="America/Manaus")
    book("04 10:00")
    assert "09:00" not in free(db, ids, now, FRIDAY)
    assert "10:00" in free(db, ids, now, FRIDAY)


def near(db: Database, ids: Ids, now: datetime, day: date, minute: int) -> list[tuple[int, str]]:
    with db.reading() as session:
        tenant = session.get_one(Tenant, ids.tenant)
        who = catalog.offering(session, ids.tenant, [ids.corte])
        found = alternatives.near(session, now, tenant, who, Span(60), day, minute, preferred=ids.bia)
    return [(a.professional_id, f"{a.starts_at.astimezone(SAO_PAULO):%d %H:%M}") for a in found]


@pytest.mark.parametrize(
    ("case", "day", "minute", "expected"),
    [
        ("close by", FRIDAY, 10 * 60, [("bia", "04 09:30"), ("bia", "04 10:00"), ("bia", "04 10:30")]),
        (
            "closed Sunday",
            date(2026, 12, 6),
            0,
            [("bia", "07 09:00"), ("bia", "07 09:30"), ("bia", "07 10:00")],
        ),
        (
            "only Ana on Saturday",
            date(2026, 12, 5),
            0,
            [("ana", "05 09:00"), ("ana", "05 09:30"), ("ana", "05 10:00")],
        ),
        ("long gone", date(2026, 11, 1), 0, [("bia", "02 13:00"), ("bia", "02 13:30"), ("bia", "02 14:00")]),
        ("too far", date(2027, 12, 6), 0, [("ana", "30 09:00"), ("ana", "30 09:30"), ("ana", "30 10:00")]),
    ],
)
def test_alternatives(
    db: Database, ids: Ids, now: datetime, case: str, day: date, minute: int, expected: list[tuple[str, str]]
) -> None:
    names = {"ana": ids.ana, "bia": ids.bia}
    assert near(db, ids, now, day, minute) == [(names[who], start) for who, start in expected]


def test_alternatives_before_the_day_when_none_come_after(db: Database, ids: Ids, now: datetime) -> None:
    """Closed to the end of the horizon: the last free day before is offered."""
    with db.writing() as session:
        for n in range(8, 61):
            session.add(Closure(tenant_id=ids.tenant, date=now.date() + timedelta(days=n)))
    assert near(db, ids, now, date(2026, 12, 20), 0)[0] == (ids.bia, "09 09:00")


def test_no_alternative_at_all(db: Database, ids: Ids, now: datetime) -> None:
    with db.writing() as session:
        for n in range(61):
            session.add(Closure(tenant_id=ids.tenant, date=now.date() + timedelta(days=n)))
    assert near(db, ids, now, date(2026, 12, 20), 0) == []
