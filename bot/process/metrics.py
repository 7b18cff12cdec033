"""What Prometheus reads. Counted from the rows at each scrape, so that every process says the same.

Only what no row can tell (the time of a request) is counted by the process that is asked.
"""

from collections.abc import Iterator
from datetime import datetime

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector
from sqlalchemy import and_, func, select
from sqlmodel import Session

from bot.core import call_stats
from bot.core.services import Services
from bot.process.run_metrics import RunFigures
from models import worker
from models.conversation import Conversation, Holder
from models.db import table
from models.handoff import Handoff, Reason
from models.message import UNSENT, Message
from models.run import Run
from models.tenant import Tenant

BREAKER_STATES = ("closed", "half_open", "open")


class RowCounts(Collector):
    """All figures of one moment, in one transaction."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._runs = services.meters.runs or RunFigures()

    def collect(self) -> Iterator[Metric]:
        now = self._services.now()
        with self._services.db.reading() as session:
            yield _handoffs(session)
            yield _conversations(session)
            yield from _waits(session, now)
            yield from _businesses(session, now)
            yield from _outbox(session, now)
            yield _worker(session, now)
            yield from _calls(session)
            yield from self._runs.collect(session, now)


def registry(services: Services) -> CollectorRegistry:
    """A registry of our own: nothing of the process or of other libraries is in it."""
    made = CollectorRegistry(auto_describe=False)
    made.register(RowCounts(services))
    made.register(services.meters.http)
    return made


def text(made: CollectorRegistry) -> bytes:
    """The figures in Prometheus' text format."""
    return generate_latest(made)


def _handoffs(session: Session) -> Metric:
    handoffs = table(Handoff)
    query = (
        select(handoffs.c.reason, func.count())
        .where(handoffs.c.reason.is_not(None))
        .group_by(handoffs.c.reason)
    )
    counted: dict[str, int] = {row[0]: row[1] for row in session.execute(query)}
    metric = CounterMetricFamily(
        "horacerta_handoffs", "Conversations that the bot handed to people.", labels=["reason"]
    )
    for reason in Reason:
        metric.add_metric([reason], counted.get(reason, 0))
    return metric


def _conversations(session: Session) -> Metric:
    conversations = table(Conversation)
    query = select(conversations.c.holder, func.count()).group_by(conversations.c.holder)
    counted: dict[str, int] = {row[0]: row[1] for row in session.execute(query)}
    metric = GaugeMetricFamily("horacerta_conversations", "Conversations by holder.", labels=["holder"])
    for holder in Holder:
        metric.add_metric([holder], counted.get(holder, 0))
    return metric


def _waits(session: Session, now: datetime) -> Iterator[Metric]:
    conversations = table(Conversation)
    queued = select(func.min(conversations.c.waiting_since)).where(conversations.c.holder == Holder.QUEUE)
    due = select(func.min(conversations.c.due_at)).where(conversations.c.due_at.is_not(None))
    yield GaugeMetricFamily(
        "horacerta_queue_oldest_wait_seconds",
        "How long the customer who waits longest in the human queue has waited.",
        value=_age(session.execute(queued).scalar(), now),
    )
    yield GaugeMetricFamily(
        "horacerta_agent_lag_seconds",
        "How long the conversation that is due longest has waited for a worker.",
        value=_age(session.execute(due).scalar(), now),
    )


def _businesses(session: Session, now: datetime) -> Iterator[Metric]:
    """Few labels: an installation has dozens of businesses. Of the month (in UTC) what it cost so far."""
    tenants, talk, run = table(Tenant).c, table(Conversation).c, table(Run).c
    waiting = (
        select(tenants.slug, func.count(talk.id), func.min(talk.waiting_since))
        .outerjoin(table(Conversation), and_(talk.tenant_id == tenants.id, talk.holder == Holder.QUEUE))
        .group_by(tenants.slug)
        .order_by(tenants.slug)
    )
    begin = now.replace(day=1, hour=0, minute=0, second=0, microsecond=0)
    used = (
        select(tenants.slug, func.count(run.id), func.coalesce(func.sum(run.cost_microdollars), 0))
        .outerjoin(table(Run), and_(run.tenant_id == tenants.id, run.started_at >= begin))
        .group_by(tenants.slug)
        .order_by(tenants.slug)
    )
    budgets = (
        select(tenants.slug, tenants.limit_monthly_budget_cents)
        .where(tenants.limit_monthly_budget_cents.is_not(None))
        .order_by(tenants.slug)
    )
    queue, oldest, runs, cost, budget = (
        GaugeMetricFamily(f"horacerta_business_{name}", text, labels=["business"])
        for name, text in _OF_BUSINESS.items()
    )
    for slug, number, since in session.execute(waiting):
        queue.add_metric([slug], number)
        oldest.add_metric([slug], _age(since, now))
    for slug, number, microdollars in session.execute(used):
        runs.add_metric([slug], number)
        cost.add_metric([slug], int(microdollars))
    for slug, cents in session.execute(budgets):
        budget.add_metric([slug], cents * 10_000)
    yield from (queue, oldest, runs, cost, budget)


_OF_BUSINESS = {
    "queue": "Conversations that wait for people, by business.",
    "oldest_wait_seconds": "How long who waits longest for people has waited, by business.",
    "month_runs": "Runs begun this month, by business.",
    "month_cost_microdollars": "What they cost, in millionths of a USD, as far as prices are known.",
    "budget_microdollars": "What a business may spend in a month, where its file says so.",
}


def _outbox(session: Session, now: datetime) -> Iterator[Metric]:
    messages = table(Message)
    query = select(func.count(), func.min(messages.c.created_at)).where(messages.c.status.in_(UNSENT))
    waiting, oldest = session.execute(query).one()
    yield GaugeMetricFamily("horacerta_outbox_messages", "Lines that are not sent yet.", value=waiting)
    yield GaugeMetricFamily(
        "horacerta_outbox_oldest_seconds", "Age of the oldest line not sent yet.", value=_age(oldest, now)
    )


def _worker(session: Session, now: datetime) -> Metric:
    beaten = worker.last_beat(session)
    return GaugeMetricFamily(
        "horacerta_worker_beat_age_seconds",
        "Since the last sign of life of any worker; NaN if there never was one.",
        value=float("nan") if beaten is None else _age(beaten, now),
    )


def _calls(session: Session) -> Iterator[Metric]:
    """Of each worker that is alive: a new one begins at zero, which is what a counter may do."""
    retried = CounterMetricFamily(
        "horacerta_call_retries",
        "Calls of a server that a worker made once more, by the cause.",
        labels=["server", "cause", "worker"],
    )
    breaker = GaugeMetricFamily(
        "horacerta_model_breaker",
        "1 for the state of a model's breaker in a worker: closed, half_open (one call tries), or open.",
        labels=["provider", "state", "worker"],
    )
    for owner, state in worker.calls(session).items():
        for server, cause, number in call_stats.retries_in(state):
            retried.add_metric([server, cause, owner], number)
        for provider, is_now in call_stats.breakers_in(state).items():
            for one in BREAKER_STATES:
                breaker.add_metric([provider, one, owner], one == is_now)
    yield retried
    yield breaker


def _age(since: datetime | None, now: datetime) -> float:
    return 0.0 if since is None else max(0.0, (now - since).total_seconds())
