"""What a business used up of the bot, month by month of its own zone."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from sqlalchemy import func, select
from sqlmodel import Session

from models.availability import instant
from models.db import table
from models.message import Direction, Message
from models.run import Run
from models.tenant import Tenant


@dataclass(frozen=True)
class Month:
    """`first` is its first day. Input includes what a cache gave or kept. Costs are what is known of them:
    `unpriced` runs had a model whose price is not.
    """

    first: date
    runs: int
    input_tokens: int
    output_tokens: int
    cost_microdollars: int
    unpriced: int
    messages_in: int
    messages_out: int


def months(session: Session, now: datetime, tenant: Tenant, count: int) -> list[Month]:
    """The last so many months, this one included, the oldest first."""
    return [_month(session, tenant, first) for first in reversed(list(_firsts(now, tenant, count)))]


def _firsts(now: datetime, tenant: Tenant, count: int) -> Iterator[date]:
    first = now.astimezone(tenant.zone).date().replace(day=1)
    for _ in range(count):
        yield first
        first = (first - timedelta(days=1)).replace(day=1)


def _month(session: Session, tenant: Tenant, first: date) -> Month:
    following = (first + timedelta(days=31)).replace(day=1)
    begin, end = instant(tenant.zone, first, 0), instant(tenant.zone, following, 0)
    run, message = table(Run).c, table(Message).c
    total_input = run.input_tokens + run.cache_read_tokens + run.cache_write_tokens
    runs, read, written, cost, priced = session.execute(
        select(
            func.count(),
            func.coalesce(func.sum(total_input), 0),
            func.coalesce(func.sum(run.output_tokens), 0),
            func.coalesce(func.sum(run.cost_microdollars), 0),
            func.count(run.cost_microdollars),
        ).where(run.tenant_id == tenant.id, run.started_at >= begin, run.started_at < end)
    ).one()
    lines = (
        select(message.direction, func.count())
        .where(message.tenant_id == tenant.id, message.created_at >= begin, message.created_at < end)
        .where(message.status.not_in(_NEVER_SENT))
        .group_by(message.direction)
    )
    said: dict[str, int] = {row[0]: row[1] for row in session.execute(lines)}
    return Month(
        first=first,
        runs=runs,
        input_tokens=int(read),
        output_tokens=int(written),
        cost_microdollars=int(cost),
        unpriced=runs - priced,
        messages_in=said.get(Direction.IN, 0),
        messages_out=said.get(Direction.OUT, 0),
    )


_NEVER_SENT = ("note", "dropped", "failed")
