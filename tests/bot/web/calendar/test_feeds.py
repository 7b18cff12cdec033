"""A professional's calendar in other programs: correct, secret, without phones."""

import re
from datetime import UTC, date, datetime, timedelta

import pytest
from ical.calendar_stream import IcsCalendarStream
from icalendar import Calendar, Event
from sqlmodel import select

from bot.web.calendar import feeds, icalendar_file
from bot.web.calendar.icalendar_file import Feed
from models.appointment import AppointmentStatus
from models.audit import AuditEvent
from models.calendar_feed import CalendarFeed
from models.catalog import Professional
from models.db import Database
from models.pages.calendar_page import Blocked, Visit
from models.tenant import Tenant
from tests.bot.web import days
from tests.bot.web.calendar.test_day_grid import ZONE, visit
from tests.bot.web.days import TODAY, TOMORROW, Salon, at
from tests.bot.web.office import BRUNO, LEAK, STRANGER, Office, post

NOW = datetime(2026, 12, 2, 13, 20, tzinfo=UTC)


def utc(day: int, hour: int) -> datetime:
    return datetime(2026, 12, day, hour, tzinfo=UTC)


@pytest.fixture
def office(sqlite_db: Database) -> Office:
    return Office(sqlite_db)


@pytest.fixture
def salon(office: Office) -> Salon:
    return Salon(office)


def address(office: Office, professional_id: int) -> str:
    """A new address, as the page shows it once."""
    client = office.client()
    answer = post(client, f"/agenda/calendarios/{professional_id}/renovar")
    page = client.get(answer.headers["Location"]).text
    found = re.search(r'readonly value="http://localhost(/agenda/ics/[^"]+\.ics)"', page)
    assert found, page
    assert found[1] not in client.get("/agenda/calendarios").text
    return found[1]


def events(office: Office, path: str) -> dict[str, Event]:
    """The feed as a program without a login reads it, by summary."""
    answer = office.client(None).get(path)
    assert answer.status_code == 200
    return {str(event["summary"]): event for event in Calendar.from_ical(answer.data).walk("VEVENT")}


# The file


def parsed(*visits: Visit, place: str = "", **more: object) -> tuple[bytes, list[Event]]:
    feed = Feed("Ana · Bela", place, "bela", ZONE, visits, **more)
    content = icalendar_file.render(feed, NOW)
    return content, list(Calendar.from_ical(content).walk("VEVENT"))


def test_lines_are_folded_and_end_as_they_must() -> None:
    """RFC 5545: 75 octets at most, CRLF, whole characters."""
    name = "João D'Ávila; mora na Rua A, 1 \\ fundos 💈 " * 4
    content, (event,) = parsed(visit("09:00", "10:00", customer=name), place="Rua Augusta, 1000; São Paulo")
    lines = content.split(b"\r\n")
    assert lines[-1] == b""
    assert all(len(line) <= 75 for line in lines)
    assert b"\n" not in content.replace(b"\r\n", b"")
    content.decode()
    assert str(event["summary"]) == f"Corte + Barba · {' '.join(name.split())}"
    assert str(event["location"]) == "Rua Augusta, 1000; São Paulo"


def test_times_are_utc() -> None:
    """No time zone has to be described, and no program can misread one."""
    content, (event,) = parsed(visit("09:00", "10:00"))
    assert b"DTSTART:20261202T120000Z\r\n" in content
    assert b"DTEND:20261202T130000Z\r\n" in content
    assert b"DTSTAMP:20261202T132000Z\r\n" in content
    assert b"TZID" not in content
    assert event.start == at(TODAY, "09:00")


def test_a_visit_keeps_its_uid_and_counts_its_changes() -> None:
    """Move, cancel, take back: each is newer than the one before."""
    story = [
        visit("09:00", "10:00", version=0),
        visit("11:00", "12:00", version=1),
        visit("11:00", "12:00", version=1, status="cancelled"),
        visit("11:00", "12:00", version=2),
    ]
    found = [parsed(each)[1][0] for each in story]
    assert {str(event["uid"]) for event in found} == {"bela-1@horacerta"}
    assert [event["sequence"] for event in found] == [0, 2, 3, 4]
    assert [str(event["status"]) for event in found] == ["CONFIRMED", "CONFIRMED", "CANCELLED", "CONFIRMED"]


def test_a_visit_says_when_it_was_made_and_last_changed() -> None:
    """Without an act on record, the one is the other."""
    made, later = datetime(2026, 11, 30, 12, tzinfo=UTC), datetime(2026, 12, 1, 15, 30, tzinfo=UTC)
    visits = [visit("09:00", "10:00", key=key, created_at=made) for key in (1, 2)]
    content, events = parsed(*visits, changed={2: later})
    assert [event["created"].dt for event in events] == [made, made]
    assert [event["last-modified"].dt for event in events] == [made, later]
    assert b"LAST-MODIFIED:20261201T153000Z\r\n" in content


BLOCKS = {
    "a holiday trip": (
        Blocked(7, 1, date(2026, 12, 7), date(2026, 12, 11), 0, 1440, "Férias", None),
        [("bela-folga-7@horacerta", date(2026, 12, 7), date(2026, 12, 12), "Folga: Férias")],
    ),
    "closed on one day": (
        Blocked(3, None, date(2026, 12, 7), date(2026, 12, 7), 0, 1440, "", "Rita"),
        [("bela-fechado-3@horacerta", date(2026, 12, 7), date(2026, 12, 8), "Fechado")],
    ),
    "two afternoons, the second until midnight": (
        Blocked(8, 1, date(2026, 12, 7), date(2026, 12, 8), 13 * 60, 1440, "Curso", "Rita"),
        [
            ("bela-folga-8-20261207@horacerta", utc(7, 16), utc(8, 3), "Folga: Curso"),
            ("bela-folga-8-20261208@horacerta", utc(8, 16), utc(9, 3), "Folga: Curso"),
        ],
    ),
}


@pytest.mark.parametrize("case", BLOCKS)
def test_blocked_time_is_told(case: str) -> None:
    """Whole days as dates, which hold wherever the program believes to be."""
    block, expected = BLOCKS[case]
    _content, events = parsed(blocks=[block])
    assert [
        (str(event["uid"]), event.start, event.end, str(event["summary"])) for event in events
    ] == expected
    assert {str(event["transp"]) for event in events} == {"OPAQUE"}


def test_holidays_take_nobody_s_time() -> None:
    content, (event,) = parsed(holidays={date(2026, 12, 25): "Natal"})
    assert b"DTSTART;VALUE=DATE:20261225\r\n" in content
    assert (str(event["summary"]), str(event["transp"])) == ("Feriado: Natal", "TRANSPARENT")


def test_another_program_s_reader_reads_the_same() -> None:
    """A parser that shares nothing with the library that writes the file."""
    name = "João D'Ávila; mora na Rua A, 1 \\ fundos 💈 " * 4
    made, moved = datetime(2026, 11, 30, 12, tzinfo=UTC), datetime(2026, 12, 1, 15, 30, tzinfo=UTC)
    visits = [
        visit("09:00", "10:00", key=1, customer=name, created_at=made, version=1),
        visit("11:00", "11:45", key=2, status="cancelled", version=2),
    ]
    block, _ = BLOCKS["a holiday trip"]
    content, _ = parsed(*visits, place="Rua Augusta, 1000; São Paulo", changed={1: moved}, blocks=[block])
    first, cancelled, away = IcsCalendarStream.calendar_from_ics(content.decode()).events
    assert (first.uid, first.summary) == ("bela-1@horacerta", f"Corte + Barba · {' '.join(name.split())}")
    assert (first.start, first.end) == (at(TODAY, "09:00"), at(TODAY, "10:00"))
    assert (first.location, first.sequence) == ("Rua Augusta, 1000; São Paulo", 2)
    assert (first.created, first.last_modified) == (made, moved)
    assert (cancelled.status, cancelled.sequence) == ("CANCELLED", 5)
    assert (away.start, away.end, away.summary) == (date(2026, 12, 7), date(2026, 12, 12), "Folga: Férias")


@pytest.mark.parametrize(
    ("changes", "summary", "busy"),
    [
        ({}, "Corte + Barba · Maria", "OPAQUE"),
        ({"status": "done"}, "Corte + Barba · Maria", "OPAQUE"),
        ({"status": "no_show"}, "Corte + Barba · Maria (não veio)", "TRANSPARENT"),
        ({"status": "cancelled"}, "Cancelado: Corte + Barba · Maria", "TRANSPARENT"),
        ({"squeeze_in": True}, "Corte + Barba · Maria (encaixe)", "OPAQUE"),
        ({"services": ()}, "Visita · Maria", "OPAQUE"),
        ({"customer": ""}, "Corte + Barba · cliente", "OPAQUE"),
        ({"customer": "+55 11 98888-7777"}, "Corte + Barba · cliente", "OPAQUE"),
        ({"customer": "Ana 11988887777"}, "Corte + Barba · cliente", "OPAQUE"),
        ({"customer": "Ana 2"}, "Corte + Barba · Ana 2", "OPAQUE"),
        ({"customer": "a\r\nATTENDEE:b"}, "Corte + Barba · a ATTENDEE:b", "OPAQUE"),
    ],
)
def test_what_is_told(changes: dict[str, object], summary: str, busy: str) -> None:
    content, (event,) = parsed(visit("09:00", "10:00", address="whatsapp:+5511900000001", **changes))
    assert (str(event["summary"]), str(event["transp"])) == (summary, busy)
    assert b"90000" not in content
    assert b"98888" not in content
    assert b"\r\nATTENDEE" not in content


# The address


def test_a_professional_s_visits_and_nobody_else_s(office: Office) -> None:
    days.full(office)
    path = address(office, office.bela.bia)
    assert {summary for summary, event in events(office, path).items() if "status" in event} == {
        "Corte feminino · Zilda Pereira (não veio)",
        "Corte feminino · Karina Duarte",
    }
    answer = office.client(None).get(path)
    assert answer.headers["Content-Type"] == "text/calendar; charset=utf-8"
    assert answer.headers["Cache-Control"] == "no-store"
    assert answer.headers["X-Robots-Tag"] == "noindex"
    assert "96666" not in answer.text


def test_it_follows_the_agenda(office: Office, salon: Salon) -> None:
    key = salon.books(salon.client("Rui"), "14:00")
    path = address(office, office.bela.ana)
    (event,) = events(office, path).values()
    assert (event.start, event["sequence"]) == (at(TODAY, "14:00"), 0)
    with office.db.writing() as session:
        salon.desk(session).move(key, "0.booked", office.bela.ana, at(TOMORROW, "09:00"))
    (event,) = events(office, path).values()
    assert (event.start, event["sequence"]) == (at(TOMORROW, "09:00"), 2)
    with office.db.writing() as session:
        salon.desk(session).cancel(key, "1.booked")
    (event,) = events(office, path).values()
    assert (str(event["status"]), event["sequence"]) == ("CANCELLED", 3)


def test_it_tells_who_is_away_and_what_is_closed(office: Office, salon: Salon) -> None:
    days.full(office)
    path = address(office, office.bela.bia)
    with office.db.writing() as session:
        tenant = session.get_one(Tenant, office.bela.tenant)
        tenant.holidays_country, tenant.holidays_closed = "BR", True
    found = events(office, path)
    assert (found["Folga: Dentista"].start, found["Folga: Dentista"].end) == (
        at(TODAY, "15:30"),
        at(TODAY, "17:00"),
    )
    assert "Fechado: Reunião da equipe" in found
    assert found["Feriado: Natal"].start == date(2026, 12, 25)
    assert "Folga: Dentista" not in events(office, address(office, office.bela.ana))


def test_it_reaches_a_month_back_and_four_ahead(office: Office, salon: Salon) -> None:
    for ahead in (-31, -29, 119, 121):
        name = f"Cliente {ahead}"
        salon.books(salon.client(name), "14:00", day=TODAY + timedelta(days=ahead))
    path = address(office, office.bela.ana)
    assert {summary.split(" · ")[1] for summary in events(office, path)} == {"Cliente -29", "Cliente 119"}


def test_a_new_address_ends_the_old_one(office: Office) -> None:
    old, new = (address(office, office.bela.ana) for _ in range(2))
    client = office.client(None)
    assert (client.get(old).status_code, client.get(new).status_code) == (404, 200)
    assert post(office.client(BRUNO), f"/agenda/calendarios/{office.bela.ana}/revogar").status_code == 303
    assert client.get(new).status_code == 404
    with office.db.reading() as session:
        acts = [row.action for row in session.scalars(select(AuditEvent).order_by("id"))]
        assert session.scalars(select(CalendarFeed)).all() == []
    assert [act for act in acts if act.startswith("feed")] == ["feed.renew", "feed.renew", "feed.revoke"]


def test_only_a_hash_is_kept(office: Office) -> None:
    path = address(office, office.bela.ana)
    token = path.removeprefix("/agenda/ics/").removesuffix(".ics")
    assert len(token) >= 43
    with office.db.reading() as session:
        (row,) = session.scalars(select(CalendarFeed))
    assert (row.professional_id, row.staff_id) == (office.bela.ana, office.ana)
    assert token not in repr(row)


@pytest.mark.parametrize("token", ["x", "x" * 43, "x" * 5000, "%00", "..%2f..", "é"])
def test_any_other_address_is_missing(office: Office, token: str) -> None:
    address(office, office.bela.ana)
    answer = office.client(None).get(f"/agenda/ics/{token}.ics")
    assert answer.status_code == 404
    assert LEAK not in answer.text


def test_of_another_business_nothing_is_renewed_or_shown(office: Office) -> None:
    client = office.client()
    for act in ("renovar", "revogar"):
        foreign = post(client, f"/agenda/calendarios/{office.outra.ana}/{act}")
        missing = post(client, f"/agenda/calendarios/98765/{act}")
        assert (foreign.status_code, foreign.text) == (missing.status_code, missing.text)
        assert foreign.status_code == 404
    with office.db.reading() as session:
        assert session.scalars(select(CalendarFeed)).all() == []
    stranger = office.client(STRANGER)
    post(stranger, f"/agenda/calendarios/{office.outra.ana}/renovar")
    assert "Criar endereço" in client.get("/agenda/calendarios").text
    assert "Trocar endereço" not in client.get("/agenda/calendarios").text


def test_who_left_has_no_address_to_renew_but_the_old_one_can_be_ended(office: Office, salon: Salon) -> None:
    """Their visits are still there to be read until then."""
    salon.marks(salon.books(salon.client("Rui"), "09:00"), AppointmentStatus.DONE)
    path = address(office, office.bela.ana)
    with office.db.writing() as session:
        session.get_one(Professional, office.bela.ana).active = False
    assert len(events(office, path)) == 1
    client = office.client()
    assert "Ana Souza</bdi></h2>" in client.get("/agenda/calendarios").text
    post(client, f"/agenda/calendarios/{office.bela.ana}/revogar")
    assert office.client(None).get(path).status_code == 404
    assert "Ana Souza</bdi></h2>" not in client.get("/agenda/calendarios").text


def test_the_address_is_the_public_one(sqlite_db: Database) -> None:
    """Whatever the browser calls this host."""
    office = Office(sqlite_db, values={"public_url": "https://bela.example.com/"})
    with office.app.test_request_context("/agenda", base_url="http://evil.test"):
        assert feeds.address("abc") == "https://bela.example.com/agenda/ics/abc.ics"
