"""Figures of runs, model calls and tool calls for Prometheus, counted from their rows.

These rows are many and only ever added, so what is old is added up once a process and remembered; each look
counts the newest rows alone. No label names a business or a customer.
"""

import threading
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from prometheus_client.core import CounterMetricFamily, HistogramMetricFamily, Metric
from sqlalchemy import (
    ColumnElement,
    Integer,
    Row,
    Table,
    and_,
    case,
    cast,
    extract,
    func,
    or_,
    select,
)
from sqlmodel import Session

from bot.agent.stop_reasons import STEPS
from models.db import table
from models.run import Run, RunStep, StepKind
from tools import TOOLS

SETTLED_AFTER = timedelta(minutes=10)  # no transaction stays open for so long: what is older is all there
LOST_AFTER = timedelta(days=1)  # a run without an outcome by then is waited for no longer
BOUNDS = (5, 25, 100, 250, 500, 1000, 2000, 4000, 8000, 15_000, 30_000, 60_000)  # milliseconds
TOOL_NAMES = frozenset(tool.name for tool in TOOLS)

Sums = Counter[tuple[str, ...]]  # (figure, label, …) → what it comes to
_STEP, _RUN = table(RunStep), table(Run)


@dataclass
class _Seen:
    """What all rows up to and with `id` came to; they are never looked at again."""

    id: int = 0
    sums: Sums = field(default_factory=Counter)


class RunFigures:
    """One a process; safe for threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._steps, self._runs = _Seen(), _Seen()

    def collect(self, session: Session, now: datetime) -> Iterator[Metric]:
        settled = now - SETTLED_AFTER
        fresh_run = or_(
            _RUN.c.started_at > settled,
            and_(_RUN.c.outcome.is_(None), _RUN.c.started_at > now - LOST_AFTER),
        )
        with self._lock:
            sums = _sums(session, self._steps, _STEP, _STEP.c.at > settled, _step_sums)
            sums += _sums(session, self._runs, _RUN, fresh_run, _run_sums)
        yield from _counters(sums)
        yield from _histograms(sums)


def _sums(
    session: Session,
    seen: _Seen,
    rows: Table,
    is_fresh: ColumnElement[bool],
    count: Callable[[Session, ColumnElement[bool]], Sums],
) -> Sums:
    """Everything there is; what lies before the first fresh row is remembered."""
    first = session.execute(select(func.min(rows.c.id)).where(rows.c.id > seen.id, is_fresh)).scalar()
    last = session.execute(select(func.max(rows.c.id))).scalar() or 0
    through = last if first is None else first - 1
    if through > seen.id:
        seen.sums += count(session, and_(rows.c.id > seen.id, rows.c.id <= through))
        seen.id = through
    return seen.sums + count(session, rows.c.id > seen.id)


# Model calls and tool calls


def _step_sums(session: Session, which: ColumnElement[bool]) -> Sums:
    step = (
        select(
            # Of the others the content is no object, or has no name.
            case((_STEP.c.kind == StepKind.RESULT, _STEP.c.content["name"].as_string())).label("tool"),
            _STEP.c.kind,
            _STEP.c.model,
            _STEP.c.stop_reason,
            _STEP.c.error_class,
            _STEP.c.milliseconds,
            _bucket(_STEP.c.milliseconds).label("bucket"),
        )
        .where(which, _STEP.c.kind.in_((StepKind.ANSWER, StepKind.FINAL, StepKind.RESULT)))
        .subquery()
    )
    labels = (step.c.kind, step.c.tool, step.c.model, step.c.stop_reason, step.c.error_class, step.c.bucket)
    query = select(*labels, func.count().label("rows"), func.sum(step.c.milliseconds).label("milliseconds"))
    sums: Sums = Counter()
    for row in session.execute(query.group_by(*labels)):
        _add_step(sums, row)
    return sums


def _add_step(sums: Sums, row: Row[Any]) -> None:
    if row.kind == StepKind.RESULT:
        tool = row.tool if row.tool in TOOL_NAMES else "unknown"
        sums["horacerta_tool_calls", tool, row.error_class or "none"] += row.rows
        _add_time(sums, "horacerta_tool_call_seconds", tool, row)
        return
    model = row.model or "unknown"
    sums["horacerta_model_calls", model, _reason(row.stop_reason)] += row.rows
    _add_time(sums, "horacerta_model_call_seconds", model, row)


def _reason(stop_reason: str | None) -> str:
    if stop_reason is None:
        return "none"
    return stop_reason if stop_reason in STEPS else "other"


# Runs


def _run_sums(session: Session, which: ColumnElement[bool]) -> Sums:
    elapsed = _milliseconds(session, _RUN.c.started_at, _RUN.c.finished_at)
    run = (
        select(_RUN, elapsed.label("milliseconds"), _bucket(elapsed).label("bucket"))
        .where(which, _RUN.c.outcome.is_not(None))
        .subquery()
    )
    labels = (run.c.outcome, run.c.handoff_reason, run.c.model, run.c.bucket)
    query = select(
        *labels,
        func.count().label("rows"),
        func.sum(run.c.milliseconds).label("milliseconds"),
        func.sum(run.c.input_tokens).label("input"),
        func.sum(run.c.output_tokens).label("output"),
        func.sum(run.c.cache_read_tokens).label("cache_read"),
        func.sum(run.c.cache_write_tokens).label("cache_write"),
        func.coalesce(func.sum(run.c.cost_microdollars), 0).label("microdollars"),
        func.count(run.c.cost_microdollars).label("priced"),
    )
    sums: Sums = Counter()
    for row in session.execute(query.group_by(*labels)):
        _add_run(sums, row)
    return sums


def _add_run(sums: Sums, row: Row[Any]) -> None:
    sums["horacerta_runs", row.outcome, row.handoff_reason or "none"] += row.rows
    _add_time(sums, "horacerta_run_seconds", row.outcome, row)
    for kind in ("input", "output", "cache_read", "cache_write"):
        sums["horacerta_tokens", row.model, kind] += int(row._mapping[kind])
    sums["horacerta_cost_microdollars", row.model] += int(row.microdollars)
    sums["horacerta_unpriced_runs", row.model] += row.rows - row.priced


def _milliseconds(
    session: Session, begin: ColumnElement[datetime], end: ColumnElement[datetime]
) -> ColumnElement[int]:
    if session.get_bind().dialect.name == "sqlite":
        return cast((func.julianday(end) - func.julianday(begin)) * 86_400_000, Integer)
    return cast(extract("epoch", end - begin) * 1000, Integer)


# From sums to metrics


def _bucket(milliseconds: ColumnElement[int]) -> ColumnElement[int]:
    """The place of the first bound that is not exceeded."""
    places = [(milliseconds <= bound, place) for place, bound in enumerate(BOUNDS)]
    return case(*places, else_=len(BOUNDS))


def _add_time(sums: Sums, figure: str, label: str, row: Row[Any]) -> None:
    sums[figure, label, str(row.bucket)] += row.rows
    sums[figure, label, "sum"] += int(row.milliseconds)


_COUNTERS: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "horacerta_model_calls": ("Answers of a model.", ("model", "stop_reason")),
    "horacerta_tool_calls": ("Tool calls of a model.", ("tool", "error_class")),
    "horacerta_runs": ("Runs that have ended.", ("outcome", "handoff_reason")),
    "horacerta_tokens": ("Tokens of runs that have ended; input is what no cache gave.", ("model", "kind")),
    "horacerta_cost_microdollars": ("What those tokens cost, in millionths of a USD.", ("model",)),
    "horacerta_unpriced_runs": ("Runs whose cost is not known: see MODEL_PRICES.", ("model",)),
}
_HISTOGRAMS: Mapping[str, tuple[str, str]] = {
    "horacerta_model_call_seconds": ("Time of a model call, its retries included.", "model"),
    "horacerta_tool_call_seconds": ("Time of a tool call.", "tool"),
    "horacerta_run_seconds": ("From a run's start to its outcome.", "outcome"),
}


def _counters(sums: Sums) -> Iterator[Metric]:
    for name, (text, labels) in _COUNTERS.items():
        metric = CounterMetricFamily(name, text, labels=labels)
        for key, value in sorted(sums.items()):
            if key[0] == name:
                metric.add_metric(key[1:], value)
        yield metric


def _histograms(sums: Sums) -> Iterator[Metric]:
    for name, (text, label) in _HISTOGRAMS.items():
        metric = HistogramMetricFamily(name, text, labels=[label])
        for value in sorted({key[1] for key in sums if key[0] == name}):
            metric.add_metric([value], _buckets(sums, name, value), sums[name, value, "sum"] / 1000)
        yield metric


def _buckets(sums: Sums, name: str, value: str) -> list[tuple[str, float]]:
    """Cumulative, as Prometheus wants them."""
    reached, result = 0, []
    for place, bound in enumerate([*(str(bound / 1000) for bound in BOUNDS), "+Inf"]):
        reached += sums[name, value, str(place)]
        result.append((bound, float(reached)))
    return result
