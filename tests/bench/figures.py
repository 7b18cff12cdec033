"""CPU of a business's figures with 100,000 runs in half a year, and of the page that shows them."""

import random
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from sqlalchemy import event, insert

from models import schema
from models.appointment import Appointment
from models.conversation import Conversation
from models.customer import Customer
from models.db import Database, table
from models.handoff import Handoff, Reason
from models.message import Message
from models.pages import report_figures
from models.period import Period
from models.run import Run, RunStep
from models.tenant import Tenant
from tests.fakes import agenda
from tests.fakes.agenda import Ids

NOW = datetime(2026, 12, 2, 13, 20, tzinfo=UTC)
RUNS, DAYS, TALKS = 100_000, 180, 5_000
STRETCHES = (1, 7, 30, 90)  # days
ROUNDS = 5
OPEN = {str(day): [[540, 1080]] for day in range(6)}


def filled(db: Database) -> Ids:
    """One run in ten came to people, one tool call in fifty failed, one line in 300 was not delivered."""
    chance = random.Random(1)  # the same figures each time
    with db.writing() as session:
        ids = agenda.studio(session, NOW, handoff_hours=OPEN)
        people = [
            {"id": 10 + n, "tenant_id": ids.tenant, "name": "x", "created_at": NOW} for n in range(TALKS)
        ]
        session.execute(insert(table(Customer)), people)
        session.execute(insert(table(Conversation)), [_talk(ids, 10 + n) for n in range(TALKS)])
        for first in range(0, RUNS, 5_000):
            made = [list(_rows(ids, n, chance)) for n in range(first, first + 5_000)]
            for model in (Run, Handoff, RunStep, Message, Appointment):
                rows = [row for each in made for of, row in each if of is model]
                session.execute(insert(table(model)), rows)
    return ids


def _talk(ids: Ids, number: int) -> dict[str, Any]:
    values = {"id": number, "tenant_id": ids.tenant, "customer_id": number, "address": "w", "holder": "bot"}
    counts = dict.fromkeys(("epoch", "attempts", "last_seq", "answered_seq", "unread"), 0)
    return {**values, **counts, "last_message_at": NOW, "preview": "", "created_at": NOW}


def _rows(ids: Ids, number: int, chance: random.Random) -> Iterator[tuple[type, dict[str, Any]]]:
    """One run and what came of it."""
    at = NOW - timedelta(days=DAYS) * (1 - number / RUNS)
    reason = chance.choice(list(Reason)) if chance.random() < 0.1 else None
    place = {"tenant_id": ids.tenant, "conversation_id": 10 + chance.randrange(TALKS)}
    yield (
        Run,
        {
            **place,
            "id": number + 1,
            "from_seq": 0,
            "through_seq": 1,
            "epoch": 0,
            "provider": "p",
            "model": "claude",
            "prompt_version": f"v{number // 12_000}",
            "started_at": at,
            "finished_at": at,
            "iterations": 2,
            "outcome": "handed_off" if reason else "answered",
            "handoff_reason": reason,
            "input_tokens": 900,
            "output_tokens": 90,
            "cache_read_tokens": 900,
            "cache_write_tokens": 9,
            "cost_microdollars": 500,
        },
    )
    if reason:
        yield (
            Handoff,
            {
                **place,
                "reason": reason,
                "detail": "",
                "run_id": number + 1,
                "reopened": False,
                "trigger_seq": 0,
                "opened_at": at,
                "first_reply_at": at + timedelta(minutes=chance.random() * 600),
                "closed_at": at + timedelta(minutes=700),
                "close_reason": "resolved",
                "note": "",
            },
        )
    for position in range(4):
        error = "domain_rule" if chance.random() < 0.02 else None
        content = {"name": "agendar", "input": {}, "text": "x" * 300}
        yield (
            RunStep,
            {
                "tenant_id": ids.tenant,
                "run_id": number + 1,
                "position": position,
                "kind": "result",
                "content": content,
                "kept": True,
                "is_error": bool(error),
                "error_class": error,
                "at": at,
                "milliseconds": 3,
            },
        )
    for part in range(2):
        yield (
            Message,
            {
                "tenant_id": ids.tenant,
                "conversation_id": ids.conversation,
                "seq": 2 * number + part + 1,
                "direction": "out",
                "author": "bot",
                "kind": "text",
                "text": "Claro!",
                "media": [],
                "extra": {},
                "status": "failed" if chance.random() < 1 / 300 else "read",
                "prefer_text": False,
                "attempts": 1,
                "created_at": at,
            },
        )
    if number % 4 == 0:
        yield Appointment, _visit(ids, at, chance)


def _visit(ids: Ids, made: datetime, chance: random.Random) -> dict[str, Any]:
    start = made + timedelta(days=3)
    end = start + timedelta(hours=1)
    return {
        "tenant_id": ids.tenant,
        "professional_id": ids.ana,
        "customer_id": ids.customer,
        "starts_at": start,
        "ends_at": end,
        "busy_from": start,
        "busy_until": end,
        "squeeze_in": True,
        "status": chance.choice(["done", "done", "no_show"]),
        "created_by": chance.choice(["bot", "staff"]),
        "created_at": made,
        "schedule_version": 0,
        "cancel_reason": "",
    }


def measured(db: Database, step: Callable[[], object]) -> tuple[float, int]:
    """Median CPU in milliseconds, and how many statements."""
    statements: list[str] = []
    event.listen(db.engine, "before_cursor_execute", lambda *args: statements.append(args[2]))
    step()
    count = sum(each.startswith("SELECT") for each in statements)
    spent = []
    for _ in range(ROUNDS):
        began = time.process_time()
        step()
        spent.append((time.process_time() - began) * 1000)
    return statistics.median(spent), count


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        db = Database(f"sqlite:///{Path(folder) / 'bench.db'}")
        schema.migrate(db)
        ids = filled(db)

        def count(days: int) -> None:
            with db.reading() as session:
                tenant = session.get_one(Tenant, ids.tenant)
                first = (NOW - timedelta(days=days - 1)).date()
                report_figures.report(session, NOW, tenant, Period.of(tenant.zone, NOW, first, NOW.date()))

        for days in STRETCHES:
            milliseconds, statements = measured(db, lambda days=days: count(days))
            print(
                f"figures of {days:3} days, {RUNS:,} runs {milliseconds:8.1f} ms CPU  {statements} statements"
            )
        db.dispose()


if __name__ == "__main__":
    main()
