"""What a business and each of its customers use up of the bot in a day, and the limits on it.

A day is the business's own, from one local midnight to the next. What counts are the rows of the runs, of
which no more are read than a limit allows.
"""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from sqlalchemy import ColumnElement, Select, bindparam, func, select
from sqlmodel import Session

from models.availability import instant
from models.db import table
from models.handoff import Handoff, Reason
from models.run import Run
from models.tenant import Tenant


class Scope(StrEnum):
    """Whose limit it is."""

    CUSTOMER = "customer"
    TENANT = "tenant"
    BUDGET = "budget"  # of the business's month


@dataclass(frozen=True)
class Used:
    """Runs begun, and their input tokens so far, cache reads and writes included."""

    runs: int
    input_tokens: int


@dataclass(frozen=True)
class Limit:
    """So many runs in a day, and none after so many input tokens; None is without limit."""

    runs: int
    input_tokens: int | None = None

    def but(self, runs: int | None, input_tokens: int | None) -> "Limit":
        """With what a business has of its own."""
        return Limit(
            self.runs if runs is None else runs,
            self.input_tokens if input_tokens is None else input_tokens,
        )

    def reached(self, used: Used) -> bool:
        if used.runs >= self.runs:
            return True
        return self.input_tokens is not None and used.input_tokens >= self.input_tokens


@dataclass(frozen=True)
class Over:
    """The limit that is reached, and what was used by then."""

    scope: Scope
    used: Used


def over(
    session: Session,
    now: datetime,
    tenant: Tenant,
    conversation_id: int,
    *,
    customer: Limit,
    business: Limit,
) -> Over | None:
    """The limit that forbids another run in this conversation today, if one does.

    The customer's count begins anew where people gave the conversation back after a limit was reached: they
    decided that the bot goes on. The business's does not. What the business's file says goes before what is
    given here.
    """
    assert tenant.id is not None
    today = midnight(tenant, now)
    customer = customer.but(tenant.limit_customer_runs_per_day, tenant.limit_customer_input_tokens_per_day)
    business = business.but(tenant.limit_runs_per_day, tenant.limit_input_tokens_per_day)
    used = _over_customer(session, tenant.id, conversation_id, today, customer)
    if used is not None:
        return Over(Scope.CUSTOMER, used)
    used = _used(session, tenant.id, today, business.runs)
    if business.reached(used):
        return Over(Scope.TENANT, used)
    return Over(Scope.BUDGET, used) if is_spent(session, now, tenant) else None


def is_spent(session: Session, now: datetime, tenant: Tenant) -> bool:
    """Whether the budget for the present month is used up. A run without a price costs nothing."""
    if tenant.limit_monthly_budget_cents is None:
        return False
    begin = instant(tenant.zone, now.astimezone(tenant.zone).date().replace(day=1), 0)
    spent = session.execute(_SPENT, {"tenant": tenant.id, "since": begin}).scalar_one()
    return int(spent) >= tenant.limit_monthly_budget_cents * 10_000


def _over_customer(
    session: Session, tenant_id: int, conversation_id: int, today: datetime, limit: Limit
) -> Used | None:
    used = _used(session, tenant_id, today, limit.runs, conversation_id)
    if not limit.reached(used):
        return None
    since = _given_back(session, tenant_id, conversation_id, today)
    if since is not None:
        used = _used(session, tenant_id, since, limit.runs, conversation_id)
    return used if limit.reached(used) else None


def midnight(tenant: Tenant, now: datetime) -> datetime:
    """The instant (UTC) at which the business's present day began."""
    return instant(tenant.zone, now.astimezone(tenant.zone).date(), 0)


def _given_back(session: Session, tenant_id: int, conversation_id: int, today: datetime) -> datetime | None:
    """When people last closed an episode of today that a limit opened.

    An older one does not matter: the bot was silent until its end.
    """
    episodes = table(Handoff)
    query = select(func.max(episodes.c.closed_at)).where(
        episodes.c.tenant_id == tenant_id,
        episodes.c.opened_at >= today,
        episodes.c.conversation_id == conversation_id,
        episodes.c.reason == Reason.LIMITE_DE_USO,
    )
    found: datetime | None = session.execute(query).scalar()
    return found


def _counting(*whose: ColumnElement[bool]) -> Select[tuple[int, int]]:
    """Runs and input tokens since an instant, of so many rows at most. Made once: every turn asks it."""
    tokens = _RUN.c.input_tokens + _RUN.c.cache_read_tokens + _RUN.c.cache_write_tokens
    counted = (
        select(tokens.label("tokens"))
        .where(_RUN.c.tenant_id == bindparam("tenant"), _RUN.c.started_at >= bindparam("since"), *whose)
        .limit(bindparam("at_most"))
        .subquery()
    )
    return select(func.count(), func.coalesce(func.sum(counted.c.tokens), 0)).select_from(counted)


_RUN = table(Run)
_SPENT = select(func.coalesce(func.sum(_RUN.c.cost_microdollars), 0)).where(
    _RUN.c.tenant_id == bindparam("tenant"), _RUN.c.started_at >= bindparam("since")
)
_OF_BUSINESS = _counting()
_OF_CUSTOMER = _counting(_RUN.c.conversation_id == bindparam("conversation"))


def _used(
    session: Session, tenant_id: int, since: datetime, at_most: int, conversation_id: int | None = None
) -> Used:
    """Of one conversation, or of the whole business."""
    given = {"tenant": tenant_id, "since": since, "at_most": at_most}
    if conversation_id is None:
        return Used(*session.execute(_OF_BUSINESS, given).one())
    return Used(*session.execute(_OF_CUSTOMER, given | {"conversation": conversation_id}).one())
