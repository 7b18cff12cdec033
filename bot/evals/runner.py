"""All tasks, each so many times, several at once."""

import shutil
import tempfile
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from bot.core.pricing import Prices
from bot.core.settings import Settings
from bot.evals.score import Verdict, judge
from bot.evals.task import Task
from bot.evals.trial import Played, play
from bot.llm.base import ModelClient
from models import schema
from models.db import Database

AT_ONCE = 4


@dataclass(frozen=True)
class Result:
    """One trial. `seconds` is wall clock; `microdollars` None where a price is not known."""

    task: Task
    trial: int
    played: Played
    verdict: Verdict
    seconds: float

    @property
    def input_tokens(self) -> int:
        return sum(
            run.input_tokens + run.cache_read_tokens + run.cache_write_tokens for run in self.played.runs
        )

    @property
    def output_tokens(self) -> int:
        return sum(run.output_tokens for run in self.played.runs)

    @property
    def microdollars(self) -> int | None:
        costs = [run.cost_microdollars for run in self.played.runs]
        return None if None in costs else sum(cost or 0 for cost in costs)


def sit(
    tasks: Sequence[Task], trials: int, model: ModelClient, settings: Settings, prices: Prices
) -> Iterator[list[Result]]:
    """The results of each task, in order, as soon as all its trials are done. `model` serves all threads."""
    with tempfile.TemporaryDirectory(prefix="horacerta-eval-") as folder, ThreadPoolExecutor(AT_ONCE) as pool:
        template = Path(folder) / "template.db"
        _migrate(template)

        def trial(task: Task, number: int) -> Result:
            file = shutil.copy(template, template.with_name(f"{task.name}-{number}.db"))
            db = Database(f"sqlite:///{file}")
            began = time.monotonic()
            try:
                played = play(task, db, model, settings, prices)
            finally:
                db.dispose()
            return Result(task, number, played, judge(task, played), time.monotonic() - began)

        begun = [[pool.submit(trial, task, number) for number in range(1, trials + 1)] for task in tasks]
        for futures in begun:
            yield [future.result() for future in futures]


def _migrate(file: Path) -> None:
    db = Database(f"sqlite:///{file}")
    schema.migrate(db)
    with db.engine.connect() as connection:
        connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")
    db.dispose()
