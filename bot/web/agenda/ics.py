"""A professional's visits as an iCalendar file, for other calendar programs. Pure.

Instants are UTC, so that no time zone has to be described. A cancelled visit stays in the file as cancelled:
programs that only merge would keep it for ever otherwise.
"""

from collections.abc import Iterable
from datetime import datetime, timedelta

from icalendar import Calendar, Event

from models.agenda import Visit
from models.appointment import AppointmentStatus

REFRESH = timedelta(minutes=15)
MANY_DIGITS = 8  # a name with so many is a phone


def render(name: str, place: str, slug: str, visits: Iterable[Visit], now: datetime) -> bytes:
    """The file: lines of at most 75 octets that end in CRLF, UTF-8. No phone of a customer is in it."""
    calendar = Calendar()
    calendar.add("prodid", "-//Hora Certa//Agenda//PT-BR")
    calendar.add("version", "2.0")
    calendar.add("method", "PUBLISH")
    calendar.add("x-wr-calname", name)
    calendar.add("refresh-interval", REFRESH, parameters={"VALUE": "DURATION"})
    calendar.add("x-published-ttl", "PT15M")
    for visit in visits:
        calendar.add_component(_event(visit, place, slug, now))
    content: bytes = calendar.to_ical()
    return content


def _event(visit: Visit, place: str, slug: str, now: datetime) -> Event:
    cancelled = visit.status == AppointmentStatus.CANCELLED
    event = Event()
    event.add("uid", f"{slug}-{visit.id}@horacerta")
    event.add("dtstamp", now)
    # Each move is a new version; a cancellation comes after it, and what follows is the next version.
    event.add("sequence", 2 * visit.version + cancelled)
    event.add("dtstart", visit.starts_at)
    event.add("dtend", visit.ends_at)
    event.add("summary", _summary(visit))
    event.add("status", "CANCELLED" if cancelled else "CONFIRMED")
    occupies = visit.status in (AppointmentStatus.BOOKED, AppointmentStatus.DONE)
    event.add("transp", "OPAQUE" if occupies else "TRANSPARENT")
    if place:
        event.add("location", place)
    return event


def _summary(visit: Visit) -> str:
    missed = " (não veio)" if visit.status == AppointmentStatus.NO_SHOW else ""
    squeezed = " (encaixe)" if visit.squeeze_in else ""
    what = " + ".join(visit.services) or "Visita"
    return f"{what} · {_customer(visit.customer)}{squeezed}{missed}"


def _customer(name: str) -> str:
    """The name; of one that is none, or a phone, nothing is told."""
    named = " ".join(name.split())
    digits = sum(character.isdigit() for character in named)
    return named if named and digits < MANY_DIGITS else "cliente"
