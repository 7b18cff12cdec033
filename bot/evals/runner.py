"""All tasks, each so many times, several at once."""

import shutil
import tempfile
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from bot.core.pricing import Prices
from bot.core.settings import Settings
from bot.evals.customer import Customer, ScriptedCustomer
from bot.evals.result import Result
from bot.evals.score import judge
from bot.evals.task import Task
from bot.evals.trial import Played, play
from bot.llm.base import ModelClient
from models import schema
from models.db import Database

AT_ONCE = 4


def no_opinion(_task: Task, _played: Played) -> str:
    return ""


@dataclass(frozen=True)
class Examination:
    """Who is examined, by whom, at what price. `model` serves all threads. `opinion` is a judge's word on a
    talk, which changes no verdict; `done` names trials (task, number) that were played before.
    """

    model: ModelClient
    settings: Settings
    prices: Prices
    customer: Callable[[Task], Customer] = ScriptedCustomer
    opinion: Callable[[Task, Played], str] = no_opinion
    done: Collection[tuple[str, int]] = ()

    def sit(self, tasks: Sequence[Task], trials: int) -> Iterator[list[Result]]:
        """The new results of each task, in order, as soon as all its trials are played. May raise ModelError
        of the customer's or the judge's model.
        """
        with tempfile.TemporaryDirectory(prefix="horacerta-eval-") as folder:
            template = Path(folder) / "template.db"
            _migrate(template)
            with ThreadPoolExecutor(AT_ONCE) as pool:
                begun = [
                    [
                        pool.submit(self._trial, template, task, number)
                        for number in range(1, trials + 1)
                        if (task.name, number) not in self.done
                    ]
                    for task in tasks
                ]
                for futures in begun:
                    yield [future.result() for future in futures]

    def _trial(self, template: Path, task: Task, number: int) -> Result:
        db = Database(f"sqlite:///{shutil.copy(template, template.with_name(f'{task.name}-{number}.db'))}")
        began = time.monotonic()
        try:
            played = play(task, self.customer(task), db, self.model, self.settings, self.prices)
        finally:
            db.dispose()
        result = Result.of(task, number, played, judge(task, played), time.monotonic() - began)
        return result.model_copy(update={"opinion": self.opinion(task, played)})


def _migrate(file: Path) -> None:
    db = Database(f"sqlite:///{file}")
    schema.migrate(db)
    with db.engine.connect() as connection:
        connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")
    db.dispose()
