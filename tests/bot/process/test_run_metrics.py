"""Prometheus' figures of runs: counted from rows, remembered once they are old, the same in every process."""

from datetime import datetime, timedelta

import pytest
from prometheus_client import CollectorRegistry, generate_latest
from sqlmodel import Session

from bot.process.run_metrics import LOST_AFTER, SETTLED_AFTER, RunFigures
from models.db import Database
from models.run import Outcome, Run, RunStep, StepKind
from tests.fakes import agenda
from tests.fakes.agenda import Ids


class Scrape:
    """The figures of one look, as Prometheus reads them: `scrape["name{label="value"}"]`."""

    def __init__(self, figures: RunFigures, db: Database, now: datetime) -> None:
        with db.reading() as session:
            self.metrics = list(figures.collect(session, now))
        made = CollectorRegistry(auto_describe=False)
        made.register(self)
        lines = generate_latest(made).decode().splitlines()
        self.values = dict(line.rsplit(" ", 1) for line in lines if not line.startswith("#"))

    def collect(self) -> object:
        return self.metrics

    def __getitem__(self, series: str) -> float:
        return float(self.values.get(series, 0))


def a_run(session: Session, ids: Ids, at: datetime, **columns: object) -> int:
    """One run, answered after two seconds unless `columns` say otherwise."""
    values = {"outcome": Outcome.ANSWERED, "finished_at": at + timedelta(seconds=2), "model": "m", **columns}
    row = Run(
        tenant_id=ids.tenant,
        conversation_id=ids.conversation,
        from_seq=0,
        through_seq=1,
        epoch=0,
        provider="p",
        prompt_version="x",
        started_at=at,
        **values,
    )
    session.add(row)
    session.flush()
    assert row.id is not None
    return row.id


def a_step(session: Session, ids: Ids, run_id: int, position: int, at: datetime, **columns: object) -> None:
    session.add(RunStep(tenant_id=ids.tenant, run_id=run_id, position=position, at=at, **columns))


@pytest.fixture
def ids(db: Database, now: datetime) -> Ids:
    with db.writing() as session:
        return agenda.studio(session, now)


def test_model_and_tool_calls(db: Database, now: datetime, ids: Ids) -> None:
    """By stop reason and error class; names that a model made up are one label."""
    with db.writing() as session:
        run = a_run(session, ids, now)
        answers = [("end_turn", 900), ("tool_use", 3000), ("tool_use", 5), (None, 70_000), ("eos", 1)]
        for position, (reason, spent) in enumerate(answers):
            kind = StepKind.FINAL if position == 2 else StepKind.ANSWER
            a_step(
                session,
                ids,
                run,
                position,
                now,
                kind=kind,
                content=[{"type": "text", "text": "x"}],
                stop_reason=reason,
                milliseconds=spent,
                model="claude",
            )
        calls = [("agendar", None), ("agendar", "domain_rule"), ("inventada", "unknown_tool")]
        for position, (tool, error) in enumerate(calls, start=len(answers)):
            content = {"tool_use_id": "t", "name": tool, "input": {}, "text": "x"}
            a_step(
                session,
                ids,
                run,
                position,
                now,
                kind=StepKind.RESULT,
                content=content,
                error_class=error,
                is_error=error is not None,
                milliseconds=12,
            )
        a_step(session, ids, run, 99, now, kind=StepKind.INPUT, content=[{"type": "text", "text": "x"}])
    seen = Scrape(RunFigures(), db, now)
    assert seen['horacerta_model_calls_total{model="claude",stop_reason="tool_use"}'] == 2
    assert seen['horacerta_model_calls_total{model="claude",stop_reason="none"}'] == 1
    assert seen['horacerta_model_calls_total{model="claude",stop_reason="other"}'] == 1
    assert seen['horacerta_tool_calls_total{error_class="none",tool="agendar"}'] == 1
    assert seen['horacerta_tool_calls_total{error_class="domain_rule",tool="agendar"}'] == 1
    assert seen['horacerta_tool_calls_total{error_class="unknown_tool",tool="unknown"}'] == 1
    assert seen['horacerta_model_call_seconds_bucket{le="1.0",model="claude"}'] == 3
    assert seen['horacerta_model_call_seconds_bucket{le="60.0",model="claude"}'] == 4
    assert seen['horacerta_model_call_seconds_count{model="claude"}'] == 5
    assert seen['horacerta_model_call_seconds_sum{model="claude"}'] == pytest.approx(73.906)
    assert seen['horacerta_tool_call_seconds_count{tool="agendar"}'] == 2


def test_runs_with_outcome_tokens_and_cost(db: Database, now: datetime, ids: Ids) -> None:
    with db.writing() as session:
        used = {"input_tokens": 10, "output_tokens": 2, "cache_read_tokens": 30, "cache_write_tokens": 4}
        a_run(session, ids, now, **used, cost_microdollars=7)
        a_run(session, ids, now, **used)
        reason = "limite_tokens"
        late = {"finished_at": now + timedelta(seconds=9)}
        a_run(session, ids, now, outcome=Outcome.HANDED_OFF, handoff_reason=reason, **late)
        a_run(session, ids, now, outcome=None, finished_at=None)
    seen = Scrape(RunFigures(), db, now)
    assert seen['horacerta_runs_total{handoff_reason="none",outcome="answered"}'] == 2
    assert seen['horacerta_runs_total{handoff_reason="limite_tokens",outcome="handed_off"}'] == 1
    assert seen['horacerta_tokens_total{kind="input",model="m"}'] == 20
    assert seen['horacerta_tokens_total{kind="cache_read",model="m"}'] == 60
    assert seen['horacerta_cost_microdollars_total{model="m"}'] == 7
    assert seen['horacerta_unpriced_runs_total{model="m"}'] == 2
    assert seen['horacerta_run_seconds_bucket{le="8.0",outcome="handed_off"}'] == 0
    assert seen['horacerta_run_seconds_sum{outcome="handed_off"}'] == pytest.approx(9, abs=0.01)
    assert seen['horacerta_run_seconds_sum{outcome="answered"}'] == pytest.approx(4, abs=0.01)


def test_old_rows_are_read_once(db: Database, now: datetime, ids: Ids) -> None:
    """What was counted stays counted, also when the rows are gone; a second process says the same."""
    figures = RunFigures()
    answered = 'horacerta_runs_total{handoff_reason="none",outcome="answered"}'
    with db.writing() as session:
        first = a_run(session, ids, now)
        a_step(session, ids, first, 0, now, kind=StepKind.ANSWER, content=[], stop_reason="end_turn")
    assert Scrape(figures, db, now)[answered] == 1
    later = now + SETTLED_AFTER + timedelta(seconds=1)
    with db.writing() as session:
        a_run(session, ids, later)
    for _ in range(3):
        assert Scrape(figures, db, later)[answered] == 2
    assert Scrape(RunFigures(), db, later).values == Scrape(figures, db, later).values
    with db.writing() as session:
        for model, key in ((RunStep, 1), (Run, first)):
            session.delete(session.get_one(model, key))
    seen = Scrape(figures, db, later)
    assert seen[answered] == 2
    assert seen['horacerta_model_calls_total{model="unknown",stop_reason="end_turn"}'] == 1


def test_run_that_ends_late_is_counted(db: Database, now: datetime, ids: Ids) -> None:
    """A run without an outcome keeps those behind it open; after a day it is waited for no longer."""
    figures = RunFigures()
    answered = 'horacerta_runs_total{handoff_reason="none",outcome="answered"}'
    with db.writing() as session:
        slow = a_run(session, ids, now, outcome=None, finished_at=None)
        a_run(session, ids, now)
    hour = now + timedelta(hours=1)
    assert Scrape(figures, db, hour)[answered] == 1
    with db.writing() as session:
        row = session.get_one(Run, slow)
        row.outcome, row.finished_at = Outcome.ANSWERED, hour
    assert Scrape(figures, db, hour)[answered] == 2
    with db.writing() as session:
        a_run(session, ids, hour, outcome=None, finished_at=None)
        a_run(session, ids, hour)
    day = hour + LOST_AFTER
    assert Scrape(figures, db, day)[answered] == 3
    assert figures._runs.id == 4
