"""What could be booked instead of what was asked for."""

from collections.abc import Collection, Iterable, Iterator
from datetime import date, datetime, timedelta
from itertools import product

from sqlmodel import Session

from models import appointment, availability, catalog
from models.availability import Span
from models.errors import Alternative
from models.tenant import Tenant

FEW = 20


def near(
    session: Session,
    now: datetime,
    tenant: Tenant,
    professional_ids: Collection[int],
    span: Span,
    day: date,
    minute: int,
    *,
    preferred: int | None = None,
    without: int | None = None,
) -> tuple[Alternative, ...]:
    """Up to three free starts near a local day and minute, in order of time.

    That day first, then the days after it up to the horizon, then the days before it.
    """
    rules = catalog.rules(tenant)
    today = now.astimezone(tenant.zone).date()
    found: list[Alternative] = []
    stretches = _stretches(today, today + timedelta(days=rules.horizon_days), day)
    for days, who in product(stretches, _groups(professional_ids, preferred)):
        loaded = appointment.agendas(session, tenant, who, span, min(days), max(days), without=without)
        found += availability.nearest(rules, loaded, span, days, minute, now, preferred)
        if len(found) >= availability.MAX_ALTERNATIVES:
            break
    best = found[: availability.MAX_ALTERNATIVES]
    return tuple(sorted(best, key=lambda alternative: alternative.starts_at))


def _groups(professional_ids: Collection[int], preferred: int | None) -> list[list[int]]:
    """A few professionals first, the preferred one among them: in a large business they are enough."""
    ordered = sorted(professional_ids, key=lambda key: (key != preferred, key))
    return [group for group in (ordered[:FEW], ordered[FEW:]) if group]


def _stretches(today: date, last: date, day: date) -> Iterator[list[date]]:
    """The days from today through `last`, `day` first, in longer and longer pieces: most end at the first."""
    wanted = min(max(day, today), last)
    after = [wanted + timedelta(days=n) for n in range((last - wanted).days + 1)]
    before = [wanted - timedelta(days=n) for n in range(1, (wanted - today).days + 1)]
    yield from _pieces(after, (1, 2, 5, 14))
    yield from _pieces(before, (2, 5, 14))


def _pieces(days: list[date], sizes: Iterable[int]) -> Iterator[list[date]]:
    for size in sizes:
        if days:
            yield days[:size]
        days = days[size:]
    for start in range(0, len(days), 28):
        yield days[start : start + 28]
