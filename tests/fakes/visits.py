"""Visits of the sample studio as facts, without a database."""

from datetime import datetime
from zoneinfo import ZoneInfo

from tools.facts import Booked, Cancelled, Moved, Named, Visit

ZONE = ZoneInfo("America/Sao_Paulo")
ANA, CAIO = Named(1, "Ana Souza"), Named(2, "Caio Lima")
CUT, BEARD = Named(1, "Corte feminino"), Named(3, "Barba")


def at(day: int, hour: int, minute: int = 0) -> datetime:
    """A local time in December 2026."""
    return datetime(2026, 12, day, hour, minute, tzinfo=ZONE)


def visit(
    starts_at: datetime,
    *services: Named,
    key: int | None = 7,
    who: Named = ANA,
    minutes: int = 60,
    cents: int | None = 12000,
) -> Visit:
    return Visit(key, services or (CUT,), who, starts_at, minutes, cents)


BOOKED = Booked(visit(at(3, 10, 30)))
MOVED = Moved(visit(at(3, 16)), from_start=at(3, 10, 30), from_professional=ANA)
CANCELLED = Cancelled(visit(at(3, 10, 30)))
