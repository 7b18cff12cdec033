"""What a business and each of its customers use up of the bot in a day, and the limits on it.

A day is the business's own, from one local midnight to the next. What counts are the rows of the runs, of
which no more are read than a limit allows.
"""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from sqlalchemy import ColumnElement, func, select
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
    decided that the bot goes on. The business's does not.
    """
    assert tenant.id is not None
    runs = table(Run)
    today = midnight(tenant, now)
    since = _given_back(session, tenant.id, conversation_id, today) or today
    used = _used(session, tenant.id, since, customer.runs, runs.c.conversation_id == conversation_id)
    if customer.reached(used):
        return Over(Scope.CUSTOMER, used)
    used = _used(session, tenant.id, today, business.runs)
    return Over(Scope.TENANT, used) if business.reached(used) else None


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


def _used(
    session: Session, tenant_id: int, since: datetime, at_most: int, *whose: ColumnElement[bool]
) -> Used:
    runs = table(Run)
    tokens = runs.c.input_tokens + runs.c.cache_read_tokens + runs.c.cache_write_tokens
    counted = (
        select(tokens.label("tokens"))
        .where(runs.c.tenant_id == tenant_id, runs.c.started_at >= since, *whose)
        .limit(at_most)
        .subquery()
    )
    query = select(func.count(), func.coalesce(func.sum(counted.c.tokens), 0)).select_from(counted)
    return Used(*session.execute(query).one())
