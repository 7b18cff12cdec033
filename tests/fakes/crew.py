"""Processes that wait at one gate and act at the same moment, each with a connection pool of its own."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from multiprocessing.connection import Connection
from multiprocessing.synchronize import Barrier
from typing import NamedTuple

from sqlalchemy.engine import URL

from models.db import Database
from models.errors import Conflict, NotFound, Refusal
from tests.fakes.forks import forking

PATIENCE = 60  # seconds


class Task(NamedTuple):
    """A function of a module, which gets the database first, and its other arguments."""

    run: Callable[..., str]
    args: tuple[object, ...]


class Crew:
    """Some processes; see `crew`."""

    def __init__(self, lines: Sequence[Connection]) -> None:
        self._lines = lines

    def together(self, db: Database, tasks: Sequence[Task]) -> list[str]:
        """One task a process, all at once; of each its result, its refusal's code, or its error."""
        assert len(tasks) == len(self._lines)
        for line, task in zip(self._lines, tasks, strict=True):
            line.send((db.url, task))
        return [self._heard(line) for line in self._lines]

    def _heard(self, line: Connection) -> str:
        assert line.poll(PATIENCE), "a process hangs"
        return str(line.recv())


@contextmanager
def crew(size: int) -> Iterator[Crew]:
    """So many fresh processes, forked from a server that has no threads."""
    context = forking()
    gate = context.Barrier(size)
    pipes = [context.Pipe() for _ in range(size)]
    workers = [context.Process(target=_work, args=(there, gate), daemon=True) for _, there in pipes]
    for worker in workers:
        worker.start()
    try:
        yield Crew([here for here, _ in pipes])
    finally:
        for here, _ in pipes:
            here.send(None)
        for worker in workers:
            worker.join(PATIENCE)
            worker.kill()
        for here, there in pipes:
            here.close()
            there.close()


def _work(line: Connection, gate: Barrier) -> None:
    """Do one task after the other until told that there are no more."""
    known: dict[URL, Database] = {}
    while asked := line.recv():
        url, task = asked
        db = known.setdefault(url, Database(url, pool_size=1))
        with db.reading() as session:
            session.connection()  # who has to connect first would come too late
        gate.wait(PATIENCE)
        line.send(_done(db, task))
    for db in known.values():
        db.dispose()


def _done(db: Database, task: Task) -> str:
    try:
        return task.run(db, *task.args)
    except (Refusal, Conflict, NotFound) as refused:
        return str(refused)
    except Exception as error:
        return repr(error)
