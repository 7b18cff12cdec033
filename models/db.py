"""Engine, the two kinds of transaction, and the UTC column type."""

import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeVar, cast

from sqlalchemy import (
    BindParameter,
    CursorResult,
    DateTime,
    Dialect,
    Engine,
    Table,
    UpdateBase,
    bindparam,
    create_engine,
    event,
)
from sqlalchemy.engine import URL, Connection, make_url
from sqlalchemy.engine.interfaces import DBAPIConnection
from sqlalchemy.exc import OperationalError
from sqlalchemy.pool import ConnectionPoolEntry
from sqlalchemy.types import TypeDecorator
from sqlmodel import Session, SQLModel

T = TypeVar("T")
ATTEMPTS = 4
PAUSE = 0.005  # seconds before the second attempt, doubling
BUSY_TIMEOUT_MS = 15_000
POSTGRES_LIMITS = "-c lock_timeout=10000 -c statement_timeout=30000 -c timezone=UTC"


class UtcDateTime(TypeDecorator[datetime]):
    """An instant. Refuses naive values on the way in; gives aware UTC on the way out.

    SQLite drops the offset of a plain DateTime(timezone=True) without a word, hence this type.
    """

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        if value is None:
            return None
        if value.tzinfo is None:
            raise ValueError("a datetime without a time zone cannot be stored")
        value = value.astimezone(UTC)
        return value.replace(tzinfo=None) if dialect.name == "sqlite" else value

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:  # noqa: ARG002
        if value is None:
            return None
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


def parse_url(text: str) -> URL:
    """`DATABASE_URL` as SQLAlchemy wants it; `postgres://` and `postgresql://` mean psycopg 3.

    Raises `sqlalchemy.exc.ArgumentError` on a text that is no URL, ValueError on another kind of database.
    """
    url = make_url(text)
    if url.drivername in ("postgres", "postgresql"):
        return url.set(drivername="postgresql+psycopg")
    if url.drivername == "sqlite" and url.database in (None, "", ":memory:"):
        raise ValueError("a database in memory cannot be shared by threads")
    if url.drivername not in ("sqlite", "postgresql+psycopg"):
        raise ValueError(f"unsupported database: {url.drivername}")
    return url


def missing_file(text: str) -> Path | None:
    """The file of a SQLite database that is not there yet, and that connecting would make; else None."""
    url = parse_url(text)
    if url.get_backend_name() != "sqlite" or not url.database or Path(url.database).exists():
        return None
    return Path(url.database).absolute()


def table(model: type[SQLModel]) -> Table:
    """The Core table of a model, for the statements of the hot path."""
    return cast(Table, cast(Any, model).__table__)


def moment(name: str) -> BindParameter[datetime]:
    """An instant that a statement is given when it runs.

    Statements of the hot path are built once, when their module is loaded: building one costs more than
    running it. The names that they are given must not be those of columns.
    """
    return bindparam(name, type_=UtcDateTime())


class Database:
    """One engine; `reading()` and `writing()` are the only ways in.

    A writer on SQLite begins with BEGIN IMMEDIATE: a check made inside `writing()` still holds when the
    insert comes (with the default transaction, several threads pass the same check).
    """

    def __init__(self, url: str | URL, *, pool_size: int = 16) -> None:
        self.url = parse_url(url) if isinstance(url, str) else url
        self.engine = _engine(self.url, pool_size)
        self._writer = self.engine.execution_options(write=True)
        self._turn = threading.Lock()

    @property
    def is_sqlite(self) -> bool:
        return self.url.get_backend_name() == "sqlite"

    @contextmanager
    def reading(self) -> Iterator[Session]:
        """A transaction for reads; whatever was written in it is rolled back."""
        with Session(self.engine, expire_on_commit=False) as session:
            yield session

    @contextmanager
    def writing(self) -> Iterator[Session]:
        """A transaction that commits at the end of the block, and rolls back if the block raises."""
        with self._alone(), Session(self._writer, expire_on_commit=False) as session:
            yield session
            session.commit()

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """Let the threads of this process write to SQLite one after the other.

        SQLite itself waits for its lock by sleeping, ever longer and in no order: of hundreds of threads some
        would wait until the time-out while the lock is free again and again.
        """
        mine = self.is_sqlite and self._turn.acquire(timeout=BUSY_TIMEOUT_MS / 1000)
        try:
            yield
        finally:
            if mine:
                self._turn.release()

    def retrying(self, work: Callable[[Session], T]) -> T:
        """What `work` gives, done in a writing transaction of its own.

        Where the database failed by chance (`is_chance`) all of it is done again, a few times: `work` must
        have no effect but on its session.
        """
        for attempt in range(ATTEMPTS - 1):
            try:
                with self.writing() as session:
                    return work(session)
            except OperationalError as error:
                if not is_chance(error):
                    raise
                # Whoever was in the way has not committed yet: at once, it would be in the way again.
                time.sleep(PAUSE * 2**attempt)
        with self.writing() as session:
            return work(session)

    def dispose(self) -> None:
        self.engine.dispose()


def is_chance(error: OperationalError) -> bool:
    """Whether nothing happened and the same may well succeed now: serialisation failure, deadlock, lock."""
    state = getattr(error.orig, "sqlstate", None)
    return state in ("40001", "40P01") or "database is locked" in str(error.orig)


def _engine(url: URL, pool_size: int) -> Engine:
    if url.get_backend_name() != "sqlite":
        return create_engine(
            url,
            pool_size=pool_size,
            max_overflow=pool_size,
            pool_pre_ping=True,
            hide_parameters=True,
            connect_args={"options": POSTGRES_LIMITS, "connect_timeout": 10},
        )
    if url.database:
        Path(url.database).parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    engine = create_engine(
        url,
        pool_size=pool_size,
        max_overflow=4 * pool_size,
        hide_parameters=True,  # message texts and phones stay out of logged errors
        connect_args={"check_same_thread": False},
    )
    event.listen(engine, "do_connect", _make_private)
    event.listen(engine, "connect", _configure_sqlite)
    event.listen(engine, "begin", _begin_sqlite)
    return engine


def _make_private(_dialect: object, _record: object, arguments: list[str], _options: object) -> None:
    """A file that is not there yet is for nobody else to read: customers' words stand in it.

    What SQLite puts beside it has its mode. Where it cannot be made, SQLite says why.
    """
    with suppress(OSError):  # it is there already, or SQLite says what is wrong
        os.close(os.open(arguments[0], os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))


def _configure_sqlite(connection: DBAPIConnection, _record: ConnectionPoolEntry) -> None:
    # The driver's own BEGIN comes too late (before the first write); ours is sent by _begin_sqlite.
    cast(Any, connection).isolation_level = None
    cursor = connection.cursor()
    cursor.execute(f"PRAGMA busy_timeout = {BUSY_TIMEOUT_MS}")
    cursor.execute("PRAGMA journal_mode = WAL")
    cursor.execute("PRAGMA synchronous = NORMAL")
    cursor.execute("PRAGMA foreign_keys = ON")
    cursor.close()


def _begin_sqlite(connection: Connection) -> None:
    writes = connection.get_execution_options().get("write")
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")


def change(session: Session, statement: UpdateBase, values: dict[str, Any] | None = None) -> int:
    """Run a statement that writes; gives how many rows it matched or added."""
    return cast(CursorResult[Any], session.execute(statement, params=values)).rowcount
