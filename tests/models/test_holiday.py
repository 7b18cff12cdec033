"""Public holidays, and which of them a business closes on."""

from datetime import UTC, date, datetime, timedelta

import pytest
from sqlmodel import Session

from models import appointment, availability, catalog, holiday
from models.availability import Code, Span
from models.catalog import Service
from models.db import Database
from models.errors import Refusal
from models.holiday import ALL, Calendar, Place
from models.tenant import Tenant
from tests.fakes import agenda
from tests.fakes.agenda import Ids

SP, CAPITAL = Place("BR", "SP"), Place("BR", "SP", "São Paulo")


@pytest.mark.parametrize(
    ("state", "day", "name"),
    [
        (None, date(2026, 12, 25), "Natal"),
        (None, date(2027, 1, 1), "Confraternização Universal"),
        (None, date(2026, 12, 24), None),
        # Optional: closed only where the business says so.
        (None, date(2026, 2, 17), None),
        (None, date(2026, 6, 4), None),
        (None, date(2026, 12, 31), None),
        # 20 November is a holiday of the whole country since 2024 only.
        (None, date(2023, 11, 20), None),
        (None, date(2026, 11, 20), "Dia Nacional de Zumbi e da Consciência Negra"),
        ("SP", date(2026, 7, 9), "Revolução Constitucionalista"),
        ("MG", date(2026, 7, 9), None),
        ("São Paulo Capital", date(2027, 1, 25), "Aniversário da Cidade de São Paulo"),
        (None, date(9999, 12, 25), None),
    ],
)
def test_names_are_in_portuguese(state: str | None, day: date, name: str | None) -> None:
    """Whatever the language of the process."""
    assert Calendar(Place("BR", state)).name_of(day) == name


@pytest.mark.parametrize(
    "place", [Place("ZZ"), Place("BR", "XX"), Place("BR", "SP", "Campinas")], ids=lambda place: place[-1]
)
def test_unknown_place(place: Place) -> None:
    with pytest.raises(NotImplementedError):
        Calendar(place).name_of(date(2026, 12, 25))


@pytest.mark.parametrize(
    ("calendar", "day", "name"),
    [
        (Calendar(SP, optional=("Carnaval",)), date(2027, 2, 8), "Carnaval"),
        (Calendar(SP, optional=("Carnaval",)), date(2027, 2, 9), "Carnaval"),
        (Calendar(SP, optional=("Carnaval",)), date(2027, 2, 10), None),
        (Calendar(SP, optional=("Carnaval",)), date(2027, 5, 27), None),
        (Calendar(SP, optional=("Corpus Christi",)), date(2027, 5, 27), "Corpus Christi"),
        # The Tuesday is a holiday of the state of Rio, the Monday is optional there as well.
        (Calendar(Place("BR", "RJ")), date(2027, 2, 9), "Carnaval"),
        (Calendar(Place("BR", "RJ")), date(2027, 2, 8), None),
        (Calendar(Place("BR", "RJ"), optional=("Carnaval",)), date(2027, 2, 8), "Carnaval"),
        # Carnival on the 29th of February.
        (Calendar(SP, optional=("Carnaval",)), date(2028, 2, 29), "Carnaval"),
        (Calendar(SP, optional=(ALL,)), date(2026, 12, 31), "Véspera de Ano-Novo"),
        (Calendar(SP, optional=(ALL,)), date(2026, 12, 25), "Natal"),
        (Calendar(SP, opened=("Natal",)), date(2026, 12, 25), None),
        (Calendar(SP, opened=("Natal",)), date(2027, 12, 25), None),
        (Calendar(SP, opened=("2026-12-25",)), date(2026, 12, 25), None),
        (Calendar(SP, opened=("2026-12-25",)), date(2027, 12, 25), "Natal"),
        (Calendar(SP, optional=(ALL,), opened=("Carnaval",)), date(2027, 2, 8), None),
        # A city keeps the holidays of its state as well as its own.
        (Calendar(CAPITAL), date(2027, 1, 25), "Aniversário da Cidade de São Paulo"),
        (Calendar(CAPITAL), date(2026, 7, 9), "Revolução Constitucionalista"),
        (Calendar(CAPITAL), date(2026, 12, 25), "Natal"),
        # A country without optional days has none to choose.
        (Calendar(Place("AO"), optional=(ALL,)), date(2026, 12, 25), "Dia de Natal e da Família"),
    ],
)
def test_the_business_decides(calendar: Calendar, day: date, name: str | None) -> None:
    assert calendar.name_of(day) == name


def test_two_holidays_on_one_day_close_it_until_both_are_open() -> None:
    """21/04/2000 was Tiradentes and Good Friday."""
    day = date(2000, 4, 21)
    both = Calendar(Place("BR")).name_of(day)
    assert both is not None
    first, second = both.split(" e ")
    assert Calendar(Place("BR"), opened=(first,)).name_of(day) == second
    assert Calendar(Place("BR"), opened=(first, second)).name_of(day) is None


def test_what_can_be_named() -> None:
    assert holiday.cities("BR") == ["São Paulo"]
    assert holiday.cities("ZZ") == holiday.cities("AO") == []
    assert {"Carnaval", "Corpus Christi", "Véspera de Natal"} <= set(SP.optional_names())
    assert "Natal" not in SP.optional_names()
    assert {"Natal", "Carnaval", "Revolução Constitucionalista"} <= set(SP.names())
    assert "Aniversário da Cidade de São Paulo" not in SP.names()
    assert "Aniversário da Cidade de São Paulo" in CAPITAL.names()
    assert SP.is_named(date(2027, 2, 9))
    assert not SP.is_named(date(2027, 2, 11))


def test_a_chosen_day_is_neither_listed_nor_booked(db: Database, now: datetime) -> None:
    """Carnival Monday, 8 February 2027: open by itself, closed for whoever says so."""
    day = date(2027, 2, 8)
    start = datetime(2027, 2, 8, 13, tzinfo=UTC)
    with db.writing() as session:
        ids = agenda.studio(session, now, holidays_country="BR", holidays_closed=True, horizon_days=90)
        tenant = session.get_one(Tenant, ids.tenant)
        assert starts(session, now, tenant, ids, day)
        tenant.holidays_optional = ["Carnaval"]
        assert starts(session, now, tenant, ids, day) == []
        with pytest.raises(Refusal) as refusal:
            appointment.book(session, now, tenant, ids.customer, ids.ana, [ids.corte], start, "bot")
    assert (refusal.value.code, refusal.value.detail) == (Code.FERIADO, {"reason": "Carnaval"})


def test_a_service_may_be_done_on_holidays(db: Database, now: datetime) -> None:
    """S49: of one visit all services have to be; a visit that stands may be moved there as well."""
    christmas, day_before = datetime(2026, 12, 25, 13, tzinfo=UTC), datetime(2026, 12, 23, 13, tzinfo=UTC)
    with db.writing() as session:
        ids = agenda.studio(session, now, holidays_country="BR", holidays_closed=True)
        tenant = session.get_one(Tenant, ids.tenant)
        session.get_one(Service, ids.corte).on_holidays = True
        session.flush()

        def book(start: datetime, *services: int) -> int:
            made = appointment.book(
                session, now, tenant, ids.customer, ids.ana, services, start, "bot"
            ).appointment
            assert made.id is not None
            return made.id

        def move(key: int, start: datetime) -> None:
            appointment.move(session, now, tenant, ids.customer, key, start)

        with pytest.raises(Refusal, match="FERIADO"):
            book(christmas, ids.corte, ids.escova)
        book(christmas, ids.corte)
        plain, holiday = book(day_before, ids.escova), book(day_before + timedelta(hours=1), ids.corte)
        move(holiday, christmas + timedelta(hours=1))
        with pytest.raises(Refusal, match="FERIADO"):
            move(plain, christmas + timedelta(hours=3))


def starts(session: Session, now: datetime, tenant: Tenant, ids: Ids, day: date) -> list[datetime]:
    span = Span(60)
    loaded = appointment.agendas(session, tenant, [ids.ana], span, day, day)
    return availability.slots(catalog.rules(tenant), loaded[ids.ana], span, day, now)
