"""An import that takes hours away from under booked appointments changes nothing until it is forced."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from models.appointment import Appointment, AppointmentService, AppointmentStatus
from models.business_file import parse, plan, render
from models.catalog import Professional, Service
from models.customer import Customer
from models.db import Database
from tests.models.businesses import BASE, HOURS, edited, imported

SAO_PAULO = ZoneInfo("America/Sao_Paulo")
PHONE = "+5511987654321"
ANA, CORTE, ESCOVA = 1, 1, 2
PEOPLE = BASE[BASE.index("professionals:") : BASE.index("closures:")]


@pytest.fixture
def business(db: Database, now: datetime) -> Database:
    """Studio Bela as in BASE: Ana works mon-fri 09-12 and 13-18, sat 09-13; now is a Wednesday, 10:20."""
    imported(db, BASE, now)
    with db.writing() as session:
        session.add(Customer(tenant_id=1, name=PHONE, created_at=now))
    return db


def book(
    db: Database,
    when: str,
    minutes: int = 60,
    *,
    status: str = "booked",
    services: tuple[int, ...] = (CORTE,),
) -> int:
    """An appointment with Ana at a local time, such as "2026-12-04 17:00"."""
    start = datetime.fromisoformat(when).replace(tzinfo=SAO_PAULO).astimezone(UTC)
    end = start + timedelta(minutes=minutes)
    appointment = Appointment(
        tenant_id=1,
        professional_id=ANA,
        customer_id=1,
        starts_at=start,
        ends_at=end,
        busy_from=start,
        busy_until=end,
        status=status,
        created_at=start,
    )
    with db.writing() as session:
        session.add(appointment)
        session.flush()
        assert appointment.id is not None
        for position, service_id in enumerate(services):
            session.add(
                AppointmentService(
                    tenant_id=1,
                    appointment_id=appointment.id,
                    position=position,
                    service_id=service_id,
                    name={CORTE: "Corte feminino", ESCOVA: "Escova"}[service_id],
                    duration_minutes=30,
                )
            )
        return appointment.id


def without_service(name: str) -> str:
    lines = [line for line in BASE.splitlines() if f"{{name: {name}," not in line]
    return "\n".join(lines).replace(f", {name}]", "]").replace(f"[{name}, ", "[")


STRANDING = {
    "professional removed": (BASE.replace(PEOPLE, ""), "2026-12-04 10:00", "the professional is gone"),
    "service removed": (without_service("Escova"), "2026-12-04 10:00", 'the service "Escova" is gone'),
    "service no longer offered": (
        edited("[Corte feminino, Escova]", "[Corte feminino]"),
        "2026-12-04 10:00",
        'the professional no longer offers "Escova"',
    ),
    "closing earlier": (
        edited(HOURS, HOURS.replace("18:00", "17:00")),
        "2026-12-04 16:30",
        "outside the working hours",
    ),
    "opening later": (
        edited(HOURS, HOURS.replace('"09:00-12:00"', '"10:00-12:00"')),
        "2026-12-04 09:30",
        "outside the working hours",
    ),
    "longer lunch": (
        edited(HOURS, HOURS.replace('"13:00-18:00"', '"13:30-18:00"')),
        "2026-12-04 13:00",
        "outside the working hours",
    ),
    "day off": (
        edited(HOURS, HOURS.replace("mon-fri", "mon-thu")),
        "2026-12-04 10:00",
        "outside the working hours",
    ),
    "no hours": (edited(f"    {HOURS}\n", ""), "2026-12-04 10:00", "outside the working hours"),
    "last day of time off": (
        edited("time_off: [", 'time_off: [{from: "2026-12-02", to: "2026-12-04"}, '),
        "2026-12-04 17:00",
        "time off",
    ),
    "time off for hours": (
        edited("time_off: [", 'time_off: [{from: "2026-12-04", hours: "14:00-15:00"}, '),
        "2026-12-04 13:30",
        "time off",
    ),
    "closure": (edited("closures: [", 'closures: [{date: "2026-12-04"}, '), "2026-12-04 17:00", "closure"),
    "closure for hours": (
        edited("closures: [", 'closures: [{date: "2026-12-04", from: "10:59", to: "12:00"}, '),
        "2026-12-04 10:00",
        "closure",
    ),
    "optional day that is kept now": (
        edited("closed: true", "optional: [Carnaval]"),
        "2027-02-09 10:00",
        "holiday",
    ),
    "holiday of another state": (edited("state: SP", "state: RJ"), "2027-02-09 10:00", "holiday"),
    "zone": (
        edited("America/Sao_Paulo", "America/Manaus"),
        "2026-12-04 10:00",
        "the new time zone makes it 2026-12-04 09:00",
    ),
}


@pytest.mark.parametrize(("text", "when", "reason"), STRANDING.values(), ids=STRANDING.keys())
def test_stranding(business: Database, now: datetime, text: str, when: str, reason: str) -> None:
    """What would no longer fit is listed with its reason and nothing is written; forced, it is written."""
    appointment_id = book(business, when, services=(ESCOVA,))
    found = imported(business, text, now)
    assert found.is_blocked
    assert not found.applied
    (stranded,) = found.stranded
    assert stranded.appointment_id == appointment_id
    assert f"{stranded.starts_at:%Y-%m-%d %H:%M}" == when
    assert (stranded.professional, stranded.services) == ("Ana Souza", ("Escova",))
    assert stranded.reasons == (reason,)
    assert imported(business, BASE, now).changes == ()

    forced = imported(business, text, now, force=True)
    assert forced.applied
    assert forced.stranded == found.stranded
    assert imported(business, text, now).changes == ()


HARMLESS = {
    "closing at its end": (edited(HOURS, HOURS.replace("18:00", "17:00")), "2026-12-04 16:00"),
    "opening at its start": (
        edited(HOURS, HOURS.replace('"09:00-12:00"', '"10:00-12:00"')),
        "2026-12-04 10:00",
    ),
    "time off until the day before": (
        edited("time_off: [", 'time_off: [{from: "2026-12-01", to: "2026-12-03"}, '),
        "2026-12-04 09:00",
    ),
    "time off up to its start": (
        edited("time_off: [", 'time_off: [{from: "2026-12-04", hours: "09:00-10:00"}, '),
        "2026-12-04 10:00",
    ),
    "closure from its end": (
        edited("closures: [", 'closures: [{date: "2026-12-04", from: "11:00"}, '),
        "2026-12-04 10:00",
    ),
    "two windows that touch": (
        edited(HOURS, HOURS.replace('"09:00-12:00"', '"09:00-10:30", "10:30-12:00"')),
        "2026-12-04 10:00",
    ),
    "zone of the same offset": (edited("America/Sao_Paulo", "America/Bahia"), "2026-12-04 10:00"),
    "another service removed": (without_service("Escova"), "2026-12-04 10:00"),
    "another price and duration": (
        BASE.replace("duration_minutes: 60", "duration_minutes: 240").replace("120.00", "1.00"),
        "2026-12-04 10:00",
    ),
    "respelled names": (BASE.replace("Ana Souza", "ana souza").replace("Corte", "CORTE"), "2026-12-04 10:00"),
}


@pytest.mark.parametrize(("text", "when"), HARMLESS.values(), ids=HARMLESS.keys())
def test_harmless(business: Database, now: datetime, text: str, when: str) -> None:
    """An appointment that still fits, to the minute, stops nothing."""
    book(business, when)
    found = imported(business, text, now)
    assert found.applied
    assert found.stranded == ()


@pytest.mark.parametrize(
    ("when", "status"),
    [
        ("2026-12-02 10:00", AppointmentStatus.BOOKED),
        ("2026-12-04 10:00", AppointmentStatus.CANCELLED),
        ("2026-12-04 10:00", AppointmentStatus.DONE),
        ("2026-12-04 10:00", AppointmentStatus.NO_SHOW),
    ],
)
def test_only_future_booked_appointments_count(
    business: Database, now: datetime, when: str, status: AppointmentStatus
) -> None:
    book(business, when, status=status)
    assert imported(business, BASE.replace(PEOPLE, ""), now).applied


def test_what_never_fitted_is_not_stranded_by_the_import(business: Database, now: datetime) -> None:
    """An appointment that staff squeezed in after hours does not block every later import."""
    book(business, "2026-12-06 20:00")
    assert imported(business, edited(HOURS, HOURS.replace("18:00", "17:00")), now).applied


@pytest.mark.parametrize(
    "text",
    [
        edited(HOURS, HOURS.replace("18:00", "17:00")),
        without_service("Corte feminino"),
        BASE.replace(PEOPLE, ""),
    ],
    ids=["hours", "service", "professional"],
)
def test_a_forced_import_does_not_block_the_next(business: Database, now: datetime, text: str) -> None:
    """What was stranded on purpose is not held against every later change."""
    book(business, "2026-12-04 17:00")
    assert imported(business, text, now).is_blocked
    imported(business, text, now, force=True)
    assert imported(business, text.replace("name: Studio Bela", "name: Bela"), now).applied


def test_forced_rows_are_out_of_use_and_the_appointment_keeps_them(business: Database, now: datetime) -> None:
    """No row is lost: the appointment still points at its professional and service."""
    appointment_id = book(business, "2026-12-04 10:00", services=(ESCOVA,))
    less = without_service("Escova")
    less = less[: less.index("professionals:")]
    imported(business, less, now, force=True)
    with business.reading() as session:
        appointment = session.get(Appointment, appointment_id)
        assert appointment is not None
        assert appointment.status == AppointmentStatus.BOOKED
        assert not session.get_one(Professional, ANA).active
        assert not session.get_one(Service, ESCOVA).active


def test_an_appointment_over_midnight_fits_two_days(db: Database, now: datetime) -> None:
    """22:00-24:00 and 00:00-02:00 of the next day are one stretch of work."""
    night = edited(HOURS, 'hours: {fri: ["22:00-24:00"], sat: ["00:00-02:00"]}')
    imported(db, night, now)
    with db.writing() as session:
        session.add(Customer(tenant_id=1, created_at=now))
    book(db, "2026-12-04 23:30")
    assert imported(db, night.replace('"80.00"', '"90.00"').replace("22:00", "23:00"), now).applied
    found = imported(db, night.replace("00:00-02:00", "01:00-02:00"), now)
    assert [stranded.reasons for stranded in found.stranded] == [("outside the working hours",)]


def test_an_appointment_until_midnight_is_not_on_the_next_day(db: Database, now: datetime) -> None:
    """Christmas does not strand the last appointment of Christmas Eve."""
    late = edited(HOURS, 'hours: {mon-sun: ["20:00-24:00"]}').replace("closed: true", "closed: false")
    late = late.replace("2026-12-24", "2026-12-30").replace("2026-12-26", "2026-12-31")
    imported(db, late, now)
    with db.writing() as session:
        session.add(Customer(tenant_id=1, created_at=now))
    book(db, "2026-12-24 23:00")
    book(db, "2026-12-25 23:00")
    found = imported(db, late.replace("closed: false", "closed: true"), now)
    assert [(stranded.appointment_id, stranded.reasons) for stranded in found.stranded] == [(2, ("holiday",))]


def test_several_reasons_and_services_are_told_together(business: Database, now: datetime) -> None:
    book(business, "2026-12-04 17:00", services=(CORTE, ESCOVA))
    text = edited("[Corte feminino, Escova]", "[Corte feminino]").replace('"13:00-18:00"', '"13:00-17:00"')
    (stranded,) = imported(business, text, now).stranded
    assert stranded.services == ("Corte feminino", "Escova")
    assert stranded.reasons == ('the professional no longer offers "Escova"', "outside the working hours")


def test_stranded_appointments_are_listed_without_the_customer(business: Database, now: datetime) -> None:
    """Earliest first, by id, local time, professional and service; no phone, no name."""
    later, sooner = book(business, "2026-12-11 17:30", 30), book(business, "2026-12-04 17:30", 30)
    lines = render(imported(business, edited(HOURS, HOURS.replace("18:00", "17:00")), now))
    assert lines[-4:] == [
        "2 future appointments would no longer fit:",
        f"  appointment {sooner}: 2026-12-04 17:30, Ana Souza, Corte feminino (outside the working hours)",
        f"  appointment {later}: 2026-12-11 17:30, Ana Souza, Corte feminino (outside the working hours)",
        "studio-bela: nothing was changed: move or cancel these appointments first, or repeat with --force",
    ]
    assert PHONE not in "\n".join(lines)


def test_a_forced_import_says_whom_it_stranded(business: Database, now: datetime) -> None:
    book(business, "2026-12-04 17:30", 30)
    lines = render(imported(business, edited(HOURS, HOURS.replace("18:00", "17:00")), now, force=True))
    assert "1 future appointment no longer fits:" in lines
    assert lines[-1].startswith("studio-bela: 1 changed")


def test_another_business_is_not_asked(business: Database, now: datetime) -> None:
    """Appointments of one business never hold up another's import."""
    book(business, "2026-12-04 10:00")
    other = BASE.replace("studio-bela", "other").replace("+5511", "+5592")
    imported(business, other, now)
    other = other.replace(PEOPLE, "").replace("America/Sao_Paulo", "America/Manaus")
    assert imported(business, other, now).applied


def test_a_plan_lists_the_same_appointments(business: Database, now: datetime) -> None:
    book(business, "2026-12-04 10:00")
    with business.reading() as session:
        found = plan(session, parse(BASE.replace(PEOPLE, "")), now)
    assert found.is_blocked
    assert [stranded.reasons for stranded in found.stranded] == [("the professional is gone",)]
