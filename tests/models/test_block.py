"""Time that staff block: nobody is booked there, and whoever is there already stays and is listed."""

from collections.abc import Callable
from datetime import date, datetime, timedelta

import pytest
from sqlmodel import select

from models import appointment, block
from models.acts.visit_acts import Leave, Reception
from models.audit import AuditEvent
from models.availability import Code
from models.block import Stretch
from models.catalog import Closure, TimeOff
from models.customer import Customer
from models.db import Database
from models.errors import NotFound, Refusal
from models.pages import calendar_page
from models.stranded import Outcome, StrandedAppointment, Why
from models.tenant import Tenant
from tests.fakes.talk import hire
from tests.models.acts.test_visit_acts import Desk, at, refused
from tests.models.businesses import BASE, HOURS, edited, imported

FRIDAY = date(2026, 12, 4)


@pytest.fixture
def desk(db: Database, now: datetime) -> Desk:
    return Desk(db, now)


def blocks(desk: Desk, stretch: Stretch, *, anyway: bool = False) -> list[int]:
    with desk.db.writing() as session:
        tenant = session.get_one(Tenant, desk.ids.tenant)
        return block.add(session, desk.now, tenant, desk.rita, stretch, anyway=anyway)


def frees(desk: Desk, kind: type[TimeOff] | type[Closure], key: int, *, foreign: bool = False) -> None:
    with desk.db.writing() as session:
        tenant = session.get_one(Tenant, desk.other.tenant if foreign else desk.ids.tenant)
        block.remove(session, desk.now, tenant, desk.stranger if foreign else desk.rita, kind, key)


def listed(desk: Desk) -> list[tuple[int, str]]:
    with desk.db.reading() as session:
        return [
            (entry.visit.id, entry.why)
            for entry in calendar_page.attention(session, desk.ids.tenant, desk.now)
        ]


def ana(desk: Desk, start: int = 0, end: int = 1440, **more: date) -> Stretch:
    first = more.get("first", FRIDAY)
    return Stretch(desk.ids.ana, first, more.get("last", first), start, end, "Dentista")


def everybody(first: date = FRIDAY, last: date = FRIDAY, start: int = 0, end: int = 1440) -> Stretch:
    return Stretch(None, first, last, start, end, "Dedetização")


def test_blocked_time_is_not_booked(desk: Desk) -> None:
    assert blocks(desk, ana(desk, 14 * 60, 15 * 60)) == []
    assert refused(lambda: desk.book("04 13:30")) == Code.FOLGA
    desk.book("04 13:00")
    desk.book("04 15:00")
    desk.book("04 14:00", who=desk.ids.bia)


def test_a_closed_business_is_closed_for_all(desk: Desk) -> None:
    blocks(desk, everybody(last=FRIDAY + timedelta(days=3)))
    for when in ("04 10:00", "07 10:00"):
        for who in (desk.ids.ana, desk.ids.bia):
            assert refused(lambda when=when, who=who: desk.book(when, who=who)) == Code.FECHADO
    desk.book("08 10:00")


def test_it_is_on_record_with_who_and_what(desk: Desk) -> None:
    blocks(desk, ana(desk, 14 * 60, 15 * 60))
    (event,) = desk.rows(AuditEvent)
    assert (event.action, event.staff_id, event.subject_id) == ("block.add", desk.rita, desk.ids.ana)
    assert event.detail == {
        "first": "2026-12-04",
        "last": "2026-12-04",
        "start": 840,
        "end": 900,
        "reason": "Dentista",
        "stranded": 0,
    }
    with desk.db.reading() as session:
        (found,) = calendar_page.blocked(session, desk.ids.tenant, FRIDAY, FRIDAY)
    assert (found.professional_id, found.start, found.end, found.staff) == (desk.ids.ana, 840, 900, "Rita")


STANDING = [
    ("04 13:00", True),
    ("04 13:30", True),
    ("04 14:30", True),
    ("04 15:00", False),
    ("04 12:00", False),
    ("05 12:00", False),
]


@pytest.mark.parametrize(("when", "under"), STANDING)
def test_what_stands_there_is_listed_and_stays(desk: Desk, when: str, under: bool) -> None:
    """A visit of an hour against a block from 13:30 to 15:00; what only touches is not under it."""
    key = desk.book(when, leave=Leave(outside=True))
    stretch = ana(desk, 13 * 60 + 30, 15 * 60)
    if under:
        with pytest.raises(Refusal) as refusal:
            blocks(desk, stretch)
        assert (refusal.value.code, refusal.value.detail) == ("HORARIOS_NO_BLOQUEIO", {"appointments": [key]})
        assert desk.rows(TimeOff) == []
    assert blocks(desk, stretch, anyway=True) == ([key] if under else [])
    assert listed(desk) == ([(key, Why.TIME_OFF)] if under else [])
    assert (desk.when(key), desk.visit(key).status) == (when, "booked")


def test_a_colleague_s_visits_are_not_under_it(desk: Desk) -> None:
    desk.book("04 14:00", who=desk.ids.bia)
    assert blocks(desk, ana(desk)) == []
    other = desk.book("04 15:00", who=desk.ids.bia)
    with pytest.raises(Refusal) as refusal:
        blocks(desk, everybody(start=15 * 60))
    assert refusal.value.detail == {"appointments": [other]}


def test_what_is_cancelled_or_over_is_not_under_it(desk: Desk) -> None:
    desk.cancel(desk.book("04 14:00"))
    desk.book("02 10:00", leave=Leave(outside=True))
    today = desk.now.date()
    assert blocks(desk, ana(desk, first=today, last=FRIDAY)) == []


def test_unblocked_time_is_free_and_what_fits_needs_nothing(desk: Desk) -> None:
    """One of two visits is under another block as well."""
    first, second = desk.book("04 10:00"), desk.book("04 15:00")
    blocks(desk, ana(desk), anyway=True)
    blocks(desk, everybody(start=15 * 60), anyway=True)
    assert listed(desk) == [(first, Why.TIME_OFF), (second, Why.TIME_OFF)]
    (row,) = desk.rows(TimeOff)
    assert row.id is not None
    frees(desk, TimeOff, row.id)
    assert listed(desk) == [(second, Why.TIME_OFF)]
    assert desk.rows(StrandedAppointment)[0].outcome == Outcome.FITS
    (closure,) = desk.rows(Closure)
    assert closure.id is not None
    frees(desk, Closure, closure.id)
    assert listed(desk) == []
    assert [event.action for event in desk.rows(AuditEvent)][-2:] == ["block.remove", "block.remove"]
    desk.book("04 11:00")


@pytest.mark.parametrize("kind", [TimeOff, Closure])
def test_what_stands_in_the_business_file_is_not_taken_away_here(
    desk: Desk, kind: type[TimeOff] | type[Closure]
) -> None:
    """Nor what belongs to another business, nor what there is not."""
    with desk.db.writing() as session:
        session.add(
            TimeOff(
                tenant_id=desk.ids.tenant,
                professional_id=desk.ids.ana,
                first_date=FRIDAY,
                last_date=FRIDAY,
            )
        )
        session.add(Closure(tenant_id=desk.ids.tenant, date=FRIDAY))
    blocks(desk, ana(desk))
    blocks(desk, everybody())
    for key, foreign in ((1, False), (2, True), (3, False)):
        with pytest.raises(NotFound, match="block"):
            frees(desk, kind, key, foreign=foreign)
    assert len(desk.rows(kind)) == 2


def test_a_stranger_s_professional_is_missing(desk: Desk) -> None:
    with pytest.raises(NotFound, match="professional"):
        blocks(desk, Stretch(desk.other.ana, FRIDAY, FRIDAY))
    assert desk.rows(TimeOff) == []


# With the business file


def test_an_import_leaves_what_staff_have_blocked(db: Database, now: datetime) -> None:
    """It replaces the file's own closures and time off, and nothing else."""
    imported(db, BASE, now)
    with db.writing() as session:
        rita = hire(session, now, 1, "rita@bela.test", "Rita")
        tenant = session.get_one(Tenant, 1)
        block.add(session, now, tenant, rita, Stretch(1, FRIDAY, FRIDAY))
        block.add(session, now, tenant, rita, Stretch(None, FRIDAY, FRIDAY, 60, 120))
    assert imported(db, BASE, now).changes == ()
    imported(db, edited('closures: [{date: "2027-02-16", reason: Carnaval}]\n', ""), now)
    with db.reading() as session:
        assert [row.date for row in session.scalars(select(Closure))] == [FRIDAY]
        assert {row.first_date for row in session.scalars(select(TimeOff))} == {
            FRIDAY,
            date(2026, 12, 24),
        }


SHORTER = edited(HOURS, HOURS.replace("18:00", "17:00"))


@pytest.fixture
def standing(db: Database, now: datetime) -> Callable[[], list[tuple[int, str]]]:
    """Studio Bela from its file, with a visit on Friday at 17:00; gives what wants attention."""
    imported(db, BASE, now)
    with db.writing() as session:
        session.add(Customer(tenant_id=1, name="Maria", created_at=now))
        session.flush()
        tenant = session.get_one(Tenant, 1)
        appointment.book(session, now, tenant, 1, 1, [1], at("04 17:00"), "bot")

    def look() -> list[tuple[int, str]]:
        with db.reading() as session:
            return [(entry.visit.id, entry.why) for entry in calendar_page.attention(session, 1, now)]

    return look


def test_a_forced_import_puts_them_on_the_list(
    db: Database, now: datetime, standing: Callable[[], list[tuple[int, str]]]
) -> None:
    imported(db, SHORTER, now)
    assert standing() == []
    imported(db, SHORTER, now, force=True)
    assert standing() == [(1, Why.HOURS)]
    # Once is enough, also where it is cut again.
    imported(db, edited(HOURS, HOURS.replace("18:00", "16:00")), now, force=True)
    assert standing() == [(1, Why.HOURS)]


def test_an_import_that_gives_the_hours_back_settles_them(
    db: Database, now: datetime, standing: Callable[[], list[tuple[int, str]]]
) -> None:
    imported(db, SHORTER, now, force=True)
    imported(db, BASE, now)
    assert standing() == []
    with db.reading() as session:
        (row,) = session.scalars(select(StrandedAppointment))
    assert (row.outcome, row.settled_by) == (Outcome.FITS, None)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (BASE[: BASE.index("professionals:")], Why.PROFESSIONAL),
        (edited("services: [Corte feminino, Escova]", "services: [Escova]"), Why.OFFER),
        (edited("closures: [", 'closures: [{date: "2026-12-04"}, '), Why.CLOSURE),
        (edited("time_off: [", 'time_off: [{from: "2026-12-04"}, '), Why.TIME_OFF),
        (edited("America/Sao_Paulo", "America/Manaus"), Why.TIME_ZONE),
    ],
)
def test_each_cause_is_known_and_passes(
    db: Database, now: datetime, standing: Callable[[], list[tuple[int, str]]], text: str, why: Why
) -> None:
    """All but a new time zone settle by themselves when it is taken back."""
    imported(db, text, now, force=True)
    assert standing() == [(1, why)]
    imported(db, BASE, now, force=True)
    assert standing() == ([(1, why)] if why == Why.TIME_ZONE else [])


HOLIDAYS = edited('price: "80.00"}', 'price: "80.00", on_holidays: true}').replace(
    'time_off: [{from: "2026-12-24", to: "2026-12-26", reason: Natal}]', "time_off: []"
)


def test_a_service_that_is_not_done_on_holidays_any_more(
    db: Database, now: datetime, standing: Callable[[], list[tuple[int, str]]]
) -> None:
    """Its visit on Christmas Day wants attention until it is done then again."""
    imported(db, HOLIDAYS, now)
    with db.writing() as session:
        appointment.book(session, now, session.get_one(Tenant, 1), 1, 1, [2], at("25 10:00"), "bot")
    no_more = HOLIDAYS.replace(", on_holidays: true", "")
    assert not imported(db, no_more, now).applied
    imported(db, no_more, now, force=True)
    assert standing() == [(2, Why.HOLIDAY)]
    imported(db, HOLIDAYS, now)
    assert standing() == []


NIGHTS = edited(HOURS, 'hours: {mon-fri: ["18:00-24:00"], sat: ["00:00-02:00"]}')


def test_a_visit_over_midnight_settles_by_itself(
    db: Database, now: datetime, standing: Callable[[], list[tuple[int, str]]]
) -> None:
    """The hours of both its days have to hold it, each its own part."""
    imported(db, NIGHTS, now, force=True)
    with db.writing() as session:
        rita = hire(session, now, 1, "rita@bela.test", "Rita")
        desk = Reception(session, now, session.get_one(Tenant, 1), rita)
        desk.cancel(1, "0.booked")
        desk.book(1, 1, [1], at("04 23:30"), Leave(outside=True))
    for hours, there in (("24:00", "00:10-02:00"), ("23:50", "00:00-02:00"), ("24:00", "01:00-02:00")):
        shorter = NIGHTS.replace("18:00-24:00", f"18:00-{hours}").replace("00:00-02:00", there)
        imported(db, shorter, now, force=True)
        assert standing() == [(2, Why.HOURS)]
        imported(db, NIGHTS, now)
        assert standing() == []
