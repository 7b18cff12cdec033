"""A professional's visits and blocked time as an iCalendar file, for other calendar programs. Pure.

Instants are UTC, so that no time zone has to be described; whole days are dates. A cancelled visit stays in
the file as cancelled: programs that only merge would keep it for ever otherwise. Some do not look at STATUS,
so its name says it as well. There is no METHOD: that would make it a message, which needs a sender.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from zoneinfo import ZoneInfo

from icalendar import Calendar, Event

from models import availability
from models.appointment import AppointmentStatus
from models.availability import WHOLE_DAY
from models.pages.calendar_page import Blocked, Visit

REFRESH = timedelta(minutes=15)
MANY_DIGITS = 8  # a name with so many is a phone
DAY = timedelta(days=1)


@dataclass(frozen=True)
class Feed:
    """What the file is made of. `changed` is when something was last done with a visit, by its id."""

    name: str
    place: str
    slug: str
    zone: ZoneInfo
    visits: Sequence[Visit] = ()
    changed: Mapping[int, datetime] = field(default_factory=dict)
    blocks: Sequence[Blocked] = ()
    holidays: Mapping[date, str] = field(default_factory=dict)


def render(feed: Feed, now: datetime) -> bytes:
    """The file: lines of at most 75 octets that end in CRLF, UTF-8. No phone of a customer is in it."""
    calendar = Calendar()
    calendar.add("prodid", "-//Hora Certa//Agenda//PT-BR")
    calendar.add("version", "2.0")
    calendar.add("x-wr-calname", feed.name)
    calendar.add("refresh-interval", REFRESH, parameters={"VALUE": "DURATION"})
    calendar.add("x-published-ttl", "PT15M")
    for event in (*_visits(feed), *_blocks(feed), *_holidays(feed)):
        event.add("dtstamp", now)
        calendar.add_component(event)
    content: bytes = calendar.to_ical()
    return content


def _visits(feed: Feed) -> Iterator[Event]:
    for visit in feed.visits:
        cancelled = visit.status == AppointmentStatus.CANCELLED
        occupies = visit.status in (AppointmentStatus.BOOKED, AppointmentStatus.DONE)
        event = _event(feed, str(visit.id), visit.starts_at, visit.ends_at, _summary(visit), busy=occupies)
        # Each move is a new version; a cancellation comes after it, and what follows is the next version.
        event.add("sequence", 2 * visit.version + cancelled)
        event.add("created", visit.created_at)
        event.add("last-modified", feed.changed.get(visit.id, visit.created_at))
        event.add("status", "CANCELLED" if cancelled else "CONFIRMED")
        if feed.place:
            event.add("location", feed.place)
        yield event


def _event(feed: Feed, key: str, begins: date, ends: date, summary: str, *, busy: bool) -> Event:
    """From an instant or a date to another, the end not included."""
    event = Event()
    event.add("uid", f"{feed.slug}-{key}@horacerta")
    event.add("dtstart", begins)
    event.add("dtend", ends)
    event.add("summary", summary)
    event.add("transp", "OPAQUE" if busy else "TRANSPARENT")
    return event


def _blocks(feed: Feed) -> Iterator[Event]:
    """Whole days as one event, parts of days as one each: a clock change may lie between them."""
    for block in feed.blocks:
        what = "Fechado" if block.professional_id is None else "Folga"
        key = f"{what.lower()}-{block.id}"
        summary = f"{what}: {block.reason}" if block.reason else what
        if (block.start, block.end) == WHOLE_DAY:
            yield _event(feed, key, block.first, block.last + DAY, summary, busy=True)
            continue
        for n in range((block.last - block.first).days + 1):
            day = block.first + n * DAY
            begins, ends = (
                availability.instant(feed.zone, day, minute) for minute in (block.start, block.end)
            )
            yield _event(feed, f"{key}-{day:%Y%m%d}", begins, ends, summary, busy=True)


def _holidays(feed: Feed) -> Iterator[Event]:
    for day, name in feed.holidays.items():
        # Not everything need be closed then: it takes nobody's time.
        yield _event(feed, f"feriado-{day:%Y%m%d}", day, day + DAY, f"Feriado: {name}", busy=False)


def _summary(visit: Visit) -> str:
    gone = "Cancelado: " if visit.status == AppointmentStatus.CANCELLED else ""
    missed = " (não veio)" if visit.status == AppointmentStatus.NO_SHOW else ""
    squeezed = " (encaixe)" if visit.squeeze_in else ""
    what = " + ".join(visit.services) or "Visita"
    return f"{gone}{what} · {_customer(visit.customer)}{squeezed}{missed}"


def _customer(name: str) -> str:
    """The name; of one that is none, or a phone, nothing is told."""
    named = " ".join(name.split())
    digits = sum(character.isdigit() for character in named)
    return named if named and digits < MANY_DIGITS else "cliente"
