"""A business file against the database: what is added, changed, put out of use, and left alone."""

from datetime import date, datetime
from typing import Any
from zoneinfo import ZoneInfo

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlmodel import select

from models import appointment, customer
from models.audit import AuditEvent
from models.business_file import BusinessFileErrors, Code, Kind, Plan, Problem, apply, parse, plan, render
from models.business_file.values import DAYS, clock_text, fold
from models.business_file.words import price_text, shown
from models.catalog import Closure, Professional, ProfessionalService, Service, TimeOff, WorkingWindow
from models.db import Database
from models.reminder import Reminder
from models.tenant import Tenant
from tests.conftest import NOW
from tests.models.businesses import BASE, HOURS, edited, imported

MANAUS = (
    BASE.replace("studio-bela", "rio-negro")
    .replace("+5511", "+5592")
    .replace("America/Sao_Paulo", "America/Manaus")
)


def told(found: Plan) -> list[tuple[str, str, str]]:
    return [(str(change.kind), change.noun, change.name) for change in found.changes]


def rows(db: Database, model: type[Any]) -> list[Any]:
    with db.reading() as session:
        return list(session.exec(select(model).order_by(*model.__table__.primary_key.columns)))


def contents(db: Database) -> dict[str, list[dict[str, Any]]]:
    """Every row that an import can write."""
    models = (Tenant, Service, Professional, ProfessionalService, WorkingWindow, TimeOff, Closure, AuditEvent)
    return {model.__name__: [row.model_dump() for row in rows(db, model)] for model in models}


# The first import


def test_first_import_numbers_in_file_order(db: Database, now: datetime) -> None:
    """Services and professionals are 1, 2, 3 … as they stand in the file."""
    extra = "  - {name: Bia}\n  - {name: Ada}\nclosures:"
    assert imported(db, BASE.replace("closures:", extra), now).applied
    assert [(row.id, row.name) for row in rows(db, Service)] == [(1, "Corte feminino"), (2, "Escova")]
    assert [(row.id, row.name) for row in rows(db, Professional)] == [
        (1, "Ana Souza"),
        (2, "Bia"),
        (3, "Ada"),
    ]


def test_first_import_writes_everything(db: Database, now: datetime) -> None:
    imported(db, BASE, now)
    tenant = rows(db, Tenant)[0]
    assert (tenant.slug, tenant.whatsapp, tenant.zone) == (
        "studio-bela",
        "+551130001000",
        ZoneInfo("America/Sao_Paulo"),
    )
    assert (tenant.holidays_country, tenant.holidays_state, tenant.holidays_closed) == ("BR", "SP", True)
    assert tenant.reminders_hours == [24, 2]
    assert tenant.handoff_hours["5"] == [[540, 780]]
    assert tenant.created_at == now
    assert [row.price_cents for row in rows(db, Service)] == [12000, 8000]
    assert len(rows(db, ProfessionalService)) == 2
    assert len(rows(db, WorkingWindow)) == 11
    assert [(str(row.first_date), str(row.last_date), row.reason) for row in rows(db, TimeOff)] == [
        ("2026-12-24", "2026-12-26", "Natal")
    ]
    assert [(str(row.date), row.reason) for row in rows(db, Closure)] == [("2027-02-16", "Carnaval")]


def test_first_import_tells_what_it_added(db: Database, now: datetime) -> None:
    found = imported(db, BASE, now)
    assert told(found) == [
        ("added", "business", "studio-bela"),
        ("added", "service", "Corte feminino"),
        ("added", "service", "Escova"),
        ("added", "professional", "Ana Souza"),
        ("added", "closure", "2027-02-16 (Carnaval)"),
    ]
    assert found.unchanged == {}


def test_an_import_is_audited(db: Database, now: datetime) -> None:
    imported(db, BASE, now)
    imported(db, BASE, now)
    assert [(row.action, row.detail) for row in rows(db, AuditEvent)] == [
        ("business.import", {"added": 5, "stranded": 0})
    ]


# The second import


def test_second_import_changes_nothing_and_says_so(db: Database, now: datetime) -> None:
    imported(db, BASE, now)
    before = contents(db)
    found = imported(db, BASE, now)
    assert found.changes == ()
    assert found.unchanged == {"business": 1, "service": 2, "professional": 1, "closure": 1}
    assert render(found) == [
        "studio-bela: nothing to change; unchanged: 2 services, 1 professional, 1 closure"
    ]
    assert contents(db) == before


CHANGES = {
    "name": ("name: Studio Bela", "name: Bela", "business", "name", "Studio Bela", "Bela"),
    "zone": (
        "America/Sao_Paulo",
        "America/Bahia",
        "business",
        "timezone",
        "America/Sao_Paulo",
        "America/Bahia",
    ),
    "state": ("state: SP", "state: RJ", "business", "holidays_state", "SP", "RJ"),
    "optional days": (
        "closed: true",
        "optional: [Carnaval, Corpus Christi]",
        "business",
        "holidays_optional",
        "",
        "Carnaval, Corpus Christi",
    ),
    "open on one holiday": ("closed: true", "open: [Natal]", "business", "holidays_open", "", "Natal"),
    "city": ("closed: true", "city: São Paulo", "business", "holidays_city", "", "São Paulo"),
    "open on holidays": ("closed: true", "closed: false", "business", "holidays_closed", "true", "false"),
    "about left out": ("  about: Salão de beleza.\n", "", "business", "about", "Salão de beleza.", ""),
    "reminders": ("[24, 2]", "[24]", "business", "reminders_hours", "[24, 2]", "[24]"),
    "handoff hours": (
        'handoff_hours: {mon-fri: ["09:00-18:00"], sat: ["09:00-13:00"]}',
        'handoff_hours: {mon-sun: ["09:00-18:00"]}',
        "business",
        "handoff_hours",
        "mon-fri 09:00-18:00, sat 09:00-13:00",
        "mon-sun 09:00-18:00",
    ),
    "price": ('"80.00"', '"85.50"', "service", "price", "80.00", "85.50"),
    "no price": (', price: "80.00"', "", "service", "price", "80.00", "on request"),
    "duration": ("duration_minutes: 45", "duration_minutes: 50", "service", "duration_minutes", "45", "50"),
    "buffer": ("buffer_minutes: 10, ", "", "service", "buffer_minutes", "10", "0"),
    "offer": (
        "[Corte feminino, Escova]",
        "[Escova]",
        "professional",
        "services",
        "Corte feminino, Escova",
        "Escova",
    ),
    "hours": (
        HOURS,
        'hours: {mon-tue: ["09:00-12:00"], thu: ["09:00-12:00"]}',
        "professional",
        "hours",
        "mon-fri 09:00-12:00 13:00-18:00, sat 09:00-13:00",
        "mon-tue 09:00-12:00, thu 09:00-12:00",
    ),
    "time off": (
        'to: "2026-12-26", reason: Natal',
        'hours: "14:00-18:00"',
        "professional",
        "time_off",
        "2026-12-24 to 2026-12-26 (Natal)",
        "2026-12-24 14:00-18:00",
    ),
    "respelled professional": ("Ana Souza", "Ána souza", "professional", "name", "Ana Souza", "Ána souza"),
}


@pytest.mark.parametrize(
    ("old", "new", "noun", "field", "was", "becomes"), CHANGES.values(), ids=CHANGES.keys()
)
def test_change(
    db: Database, now: datetime, old: str, new: str, noun: str, field: str, was: str, becomes: str
) -> None:
    """One change in the file is told as one change of one row, is written, and is then no change any more."""
    imported(db, BASE, now)
    found = imported(db, edited(old, new), now)
    (change,) = found.changes
    assert (change.kind, change.noun) == (Kind.CHANGED, noun)
    told = [(part.field, shown(part.field, part.old), shown(part.field, part.new)) for part in change.fields]
    assert told == [(field, was, becomes)]
    assert imported(db, edited(old, new), now).changes == ()
    assert len(rows(db, Service)) == 2
    assert len(rows(db, Professional)) == 1


def test_a_respelled_service_keeps_its_row_and_its_offers(db: Database, now: datetime) -> None:
    """Mending an accent is no new service, and no news about those who offer it."""
    imported(db, BASE, now)
    found = imported(db, BASE.replace("Escova", "Éscova"), now)
    assert told(found) == [("changed", "service", "Éscova")]
    assert [(row.id, row.name, row.active) for row in rows(db, Service)] == [
        (1, "Corte feminino", True),
        (2, "Éscova", True),
    ]


def test_removed_rows_are_put_out_of_use_and_come_back(db: Database, now: datetime) -> None:
    """A service that leaves the file keeps its row and its number, also when it returns."""
    imported(db, BASE, now)
    less = edited('  - {name: Escova, duration_minutes: 45, price: "80.00"}\n', "").replace(", Escova]", "]")
    assert ("deactivated", "service", "Escova") in told(imported(db, less, now))
    assert [(row.id, row.active) for row in rows(db, Service)] == [(1, True), (2, False)]
    assert imported(db, less, now).changes == ()
    assert ("reactivated", "service", "Escova") in told(imported(db, BASE, now))
    assert [(row.id, row.active) for row in rows(db, Service)] == [(1, True), (2, True)]


def test_a_removed_professional_is_put_out_of_use_and_comes_back(db: Database, now: datetime) -> None:
    imported(db, BASE, now)
    start, end = BASE.index("professionals:"), BASE.index("closures:")
    without = BASE[:start] + BASE[end:]
    assert told(imported(db, without, now)) == [("deactivated", "professional", "Ana Souza")]
    assert [(row.id, row.active) for row in rows(db, Professional)] == [(1, False)]
    assert imported(db, without, now).changes == ()
    assert told(imported(db, BASE, now)) == [("reactivated", "professional", "Ana Souza")]
    assert [(row.id, row.active) for row in rows(db, Professional)] == [(1, True)]


def test_closures_come_and_go(db: Database, now: datetime) -> None:
    imported(db, BASE, now)
    found = imported(db, edited("2027-02-16", "2027-02-09"), now)
    assert told(found) == [
        ("added", "closure", "2027-02-09 (Carnaval)"),
        ("removed", "closure", "2027-02-16 (Carnaval)"),
    ]
    assert [str(row.date) for row in rows(db, Closure)] == ["2027-02-09"]


def test_unchanged_hours_keep_their_rows(db: Database, now: datetime) -> None:
    """Only what differs is written: a new Saturday leaves the other windows' rows alone."""
    imported(db, BASE, now)
    before = {row.id for row in rows(db, WorkingWindow) if row.weekday < 5}
    imported(db, edited(HOURS, HOURS.replace('"09:00-13:00"', '"10:00-13:00"')), now)
    assert {row.id for row in rows(db, WorkingWindow) if row.weekday < 5} == before


# Plans, tenants, numbers


def test_a_plan_writes_nothing(db: Database, now: datetime) -> None:
    with db.writing() as session:
        found = plan(session, parse(BASE), now)
    assert not found.applied
    assert len(found.changes) == 5
    assert render(found)[-1] == "studio-bela: to be done: 5 added"
    assert rows(db, Tenant) == []


def test_a_plan_is_what_an_import_then_does(db: Database, now: datetime) -> None:
    imported(db, BASE, now)
    file = parse(edited('"80.00"', '"85.50"'))
    with db.reading() as session:
        planned = plan(session, file, now)
    with db.writing() as session:
        done = apply(session, file, now)
    assert done.changes == planned.changes
    assert (planned.applied, done.applied) == (False, True)


def test_another_business_is_left_alone(db: Database, now: datetime) -> None:
    """Two businesses may use the same names; importing one never touches the other's rows."""
    imported(db, BASE, now)
    imported(db, MANAUS, now)
    first = [row.model_dump() for row in rows(db, Service) if row.tenant_id == 1]
    imported(db, MANAUS.replace('"80.00"', '"1.00"').replace("2027-02-16", "2027-02-09"), now)
    assert [row.model_dump() for row in rows(db, Service) if row.tenant_id == 1] == first
    assert [str(row.date) for row in rows(db, Closure) if row.tenant_id == 1] == ["2027-02-16"]
    assert imported(db, BASE, now).changes == ()


@pytest.mark.parametrize("way", ["plan", "apply"])
def test_a_number_belongs_to_one_business(db: Database, now: datetime, way: str) -> None:
    """The clash is an error on the number's line that names the other business; nothing is written."""
    imported(db, BASE, now)
    file = parse(MANAUS.replace("+5592", "+5511"))
    with pytest.raises(BusinessFileErrors) as caught, db.writing() as session:
        (plan if way == "plan" else apply)(session, file, now)
    (error,) = caught.value.errors
    sentence = 'the number +551130001000 already belongs to the business "studio-bela"'
    assert error == Problem(4, sentence, Code.NUMBER_TAKEN)
    assert len(rows(db, Tenant)) == 1


def test_a_business_may_change_its_number(db: Database, now: datetime) -> None:
    imported(db, BASE, now)
    imported(db, edited("+551130001000", "+551130002000"), now)
    assert [row.whatsapp for row in rows(db, Tenant)] == ["+551130002000"]


# How it reads


def test_a_change_reads_from_old_to_new(db: Database, now: datetime) -> None:
    imported(db, BASE, now)
    text = edited('"80.00"', '"85.50"').replace("about: Salão de beleza.", "about: " + "Salão " * 100)
    lines = render(imported(db, text, now))
    assert lines[0] == 'changed business "studio-bela"'
    assert lines[1].startswith("  about: Salão de beleza. → Salão Salão")
    assert len(lines[1]) < 160
    assert lines[2:] == [
        'changed service "Escova"',
        "  price: 80.00 → 85.50",
        "studio-bela: 2 changed; unchanged: 1 service, 1 professional, 1 closure",
    ]


def test_an_addition_reads_without_the_old(db: Database, now: datetime) -> None:
    imported(db, BASE, now)
    text = BASE.replace("professionals:", "  - {name: Manicure, duration_minutes: 40}\nprofessionals:", 1)
    assert render(imported(db, text, now)) == [
        'warning: line 21: no professional offers the service "Manicure"',
        'added service "Manicure"',
        "  duration_minutes: 40",
        "  buffer_minutes: 0",
        "  on_holidays: false",
        "studio-bela: 1 added; unchanged: 2 services, 1 professional, 1 closure",
    ]


# Any file

NAMES = st.text("abcdeçãéÁ'\"💈: -#", min_size=1, max_size=12).filter(lambda name: fold(name) != "")
MINUTES = st.integers(0, 1440)
DATES = st.dates(date(2026, 1, 1), date(2028, 12, 31)).map(str)


@st.composite
def windows(draw: st.DrawFn, most: int = 3) -> list[str]:
    """Windows of one day that do not overlap, in any order."""
    edges = sorted(draw(st.lists(MINUTES, unique=True, max_size=2 * most)))
    pairs = zip(edges[::2], edges[1::2], strict=False)
    return draw(st.permutations([f"{clock_text(start)}-{clock_text(end)}" for start, end in pairs]))


HOURS_OF_WEEK = st.dictionaries(st.sampled_from(DAYS), windows())
PART_OF_DAY = windows(most=1).filter(len).map(lambda found: found[0])


@st.composite
def absences(draw: st.DrawFn) -> dict[str, str]:
    first, last = sorted([draw(DATES), draw(DATES)])
    entry = {"from": first, "to": last, "reason": draw(NAMES)}
    return entry | draw(st.fixed_dictionaries({}, optional={"hours": PART_OF_DAY}))


def named(fields: dict[str, st.SearchStrategy[Any]]) -> st.SearchStrategy[list[dict[str, Any]]]:
    """Up to four rows whose names differ in more than case and accents."""
    row = st.fixed_dictionaries({"name": NAMES} | fields)
    return st.lists(row, max_size=4, unique_by=lambda row: fold(row["name"]))


@st.composite
def businesses(draw: st.DrawFn) -> str:
    """The text of a valid business file."""
    price = st.integers(0, 99_999_999).map(price_text)
    services = draw(
        named(
            {
                "duration_minutes": st.integers(1, 1440),
                "buffer_minutes": st.integers(0, 90),
                "price": st.none() | price,
            }
        )
    )
    offers = (
        st.lists(st.sampled_from([row["name"] for row in services]), unique=True) if services else st.just([])
    )
    day = st.fixed_dictionaries({"date": DATES, "reason": NAMES})
    document = {
        "tenant": {
            "slug": "any-business",
            "name": draw(NAMES),
            "whatsapp": "+551130001000",
            "timezone": draw(st.sampled_from(["America/Sao_Paulo", "America/Manaus", "America/Rio_Branco"])),
            "about": draw(st.text("aé\n #:", max_size=30)),
            "holidays": {
                "country": "BR",
                "state": draw(st.sampled_from(["SP", "AM"])),
                "closed": draw(st.booleans()),
                "optional": draw(st.sampled_from(["all", "none", ["Carnaval"]])),
                "open": draw(st.sampled_from([[], ["Natal", "2026-11-20"]])),
            },
        },
        "rules": {
            "slot_step_minutes": draw(st.integers(1, 1440)),
            "reminders_hours": draw(st.lists(st.integers(1, 336), unique=True, max_size=3)),
            "handoff_hours": draw(HOURS_OF_WEEK),
        },
        "services": services,
        "professionals": draw(
            named(
                {
                    "services": offers,
                    "hours": HOURS_OF_WEEK,
                    "time_off": st.lists(absences(), max_size=2, unique_by=str),
                }
            )
        ),
        "closures": draw(st.lists(day, max_size=3, unique_by=lambda row: row["date"])),
    }
    return yaml.safe_dump(document, allow_unicode=draw(st.booleans()), sort_keys=False)


@settings(
    max_examples=40,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(text=businesses())
def test_any_import_is_complete(db: Database, text: str) -> None:
    """Whatever the last example left behind: one import brings the file, a second does nothing."""
    imported(db, text, NOW, force=True)
    before = contents(db)
    assert imported(db, text, NOW).changes == ()
    assert contents(db) == before


# Reminders of visits that are booked already


def test_changed_reminder_hours_hold_for_what_is_booked(db: Database, now: datetime) -> None:
    """Another change of the file leaves the reminders alone."""
    imported(db, BASE, now)
    with db.writing() as session:
        tenant = session.get_one(Tenant, 1)
        who = customer.find_or_create(session, now, 1, ["whatsapp:+5511987654321"], "Maria")
        at = datetime(2026, 12, 4, 14, tzinfo=ZoneInfo("America/Sao_Paulo"))
        appointment.book(session, now, tenant, who, 1, [1], at, "bot")

    def hours() -> list[int]:
        return sorted(row.hours for row in rows(db, Reminder) if row.state == "pending")

    assert hours() == [2, 24]
    imported(db, edited("horizon_days: 60", "horizon_days: 50"), now)
    assert hours() == [2, 24]
    imported(db, edited("reminders_hours: [24, 2]", "reminders_hours: [3]"), now)
    assert hours() == [3]
    imported(db, edited("reminders_hours: [24, 2]", "reminders_hours: []"), now)
    assert hours() == []
