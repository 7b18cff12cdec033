"""A whole copy of the database, made while others write, and the way back.

The copy is a SQLite file whichever database it is of: any tool opens it, the same migrations bring it to a
newer schema, and it can be laid into either kind of database.
"""

import os
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryDirectory

from sqlalchemy import JSON, MetaData, Table, func, insert, select, text, update
from sqlalchemy.engine import Connection
from sqlalchemy.exc import SQLAlchemyError
from sqlmodel import SQLModel

from models import schema
from models.customer import Customer
from models.db import Database, table
from models.message import Message, Status
from models.reminder import Reminder, State
from models.tenant import Tenant
from models.worker import WorkerBeat

Progress = Callable[[int, int], object]  # how much is done, of how much: pages or rows
PAGES = 2000  # copied between two calls of the progress
ROWS = 1000
# Why a reminder is not sent once more, for staff.
RESTORED = "cópia de segurança restaurada: talvez já enviado"


class NotABackup(Exception):
    """The file cannot be restored. The text is one sentence that says why."""


@dataclass(frozen=True)
class Contents:
    """What a database holds, as far as it helps to tell one from another."""

    businesses: int
    customers: int
    messages: int


def contents(connection: Connection) -> Contents:
    """Counted in a database of the newest schema."""
    counts = (
        connection.execute(select(func.count()).select_from(table(model))).scalar_one()
        for model in (Tenant, Customer, Message)
    )
    return Contents(*counts)


def save(db: Database, file: Path, progress: Progress) -> None:
    """Copy the database to `file`, which is there whole or not at all, and which nobody else can read.

    The database must have the newest schema. Others may write meanwhile: what they do after the beginning is
    not in the copy. Raises OSError, `sqlite3.Error` and SQLAlchemy's errors.
    """
    with TemporaryDirectory(prefix=f".{file.name}-", dir=file.parent) as folder:
        part = Path(folder) / file.name
        os.close(os.open(part, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        if db.is_sqlite:
            _copy_pages(str(db.url.database), str(part), progress)
        else:
            _save_rows(db, part, progress)
        _make_plain(part)
        _sync(part)
        part.replace(file)
    _sync(file.parent)


@contextmanager
def opened(file: Path) -> Iterator[Database]:
    """A copy of the backup in passing, checked and brought to the newest schema.

    Raises NotABackup, OSError.
    """
    with TemporaryDirectory(prefix="horacerta-") as folder:
        copy = Path(folder) / "copy.db"
        shutil.copyfile(file, copy)
        copy.chmod(0o600)
        _check(file, copy)
        db = Database(f"sqlite:///{copy}")
        try:
            schema.migrate(db)
            yield db
        except SQLAlchemyError as error:
            raise NotABackup(f"{file}: cannot be brought to this version's schema ({error}).") from None
        finally:
            db.dispose()


def restore(copy: Database, db: Database, now: datetime, progress: Progress) -> None:
    """Put the rows of an opened backup in the place of all that `db` holds, in one step or not at all.

    What may have happened since the copy was made does not happen once more: lines that were about to be sent
    are looked up at the provider first, and reminders that were due by now are not sent.
    """
    with copy.engine.begin() as connection:
        _let_go_of_what_passed(connection, now)
    if db.is_sqlite:
        _copy_pages(str(copy.url.database), str(db.url.database), progress)
        return
    schema.migrate(db)
    _restore_rows(copy, db, progress)


def _let_go_of_what_passed(connection: Connection, now: datetime) -> None:
    messages, reminders = table(Message), table(Reminder)
    connection.execute(table(WorkerBeat).delete())
    connection.execute(
        update(messages)
        .where(messages.c.status.in_((Status.QUEUED, Status.SENDING)))
        .values(status=Status.IN_DOUBT, sending_since=now)
    )
    connection.execute(
        update(reminders)
        .where(reminders.c.state == State.PENDING, reminders.c.due_at <= now)
        .values(state=State.SKIPPED, reason=RESTORED)
    )


def _check(file: Path, copy: Path) -> None:
    try:
        with closing(sqlite3.connect(copy)) as connection:
            sound = connection.execute("PRAGMA quick_check(1)").fetchone()[0] == "ok"
            revision = connection.execute("SELECT version_num FROM alembic_version").fetchone()[0]
    except (sqlite3.Error, TypeError):
        raise NotABackup(f"{file}: is no backup of Hora Certa, or is damaged.") from None
    if not sound:
        raise NotABackup(f"{file}: is damaged.")
    if not schema.is_known(revision):
        raise NotABackup(f"{file}: has schema {revision}, of a newer version than this program.")


# SQLite: page by page


def _copy_pages(source: str, target: str, progress: Progress) -> None:
    """In one transaction of the reader: no writer is kept waiting, and none changes the copy."""

    def told(_status: int, left: int, total: int) -> None:
        progress(total - left, total)

    with closing(sqlite3.connect(source, isolation_level=None)) as reader:
        reader.execute("BEGIN")
        # Only now is there a snapshot; without one, each write of another process would begin the copy anew.
        reader.execute("SELECT count(*) FROM sqlite_master").fetchone()
        with closing(sqlite3.connect(target, timeout=15)) as writer:
            reader.backup(writer, pages=PAGES, progress=told)


def _make_plain(part: Path) -> None:
    """All of it in the one file: a database in WAL mode keeps its newest pages in another."""
    with closing(sqlite3.connect(part)) as connection:
        connection.execute("PRAGMA journal_mode = DELETE")


def _sync(path: Path) -> None:
    """Have the disk keep it, also through a power cut."""
    number = os.open(path, os.O_RDONLY)
    try:
        os.fsync(number)
    finally:
        os.close(number)


# PostgreSQL: row by row, in the order of the references


def _save_rows(db: Database, part: Path, progress: Progress) -> None:
    copy = Database(f"sqlite:///{part}")
    try:
        schema.migrate(copy)
        snapshot = db.engine.execution_options(isolation_level="REPEATABLE READ")
        with snapshot.connect() as source, copy.engine.begin() as target:
            source.execute(text("SET TRANSACTION READ ONLY"))
            source.execute(text("SET LOCAL statement_timeout = 0"))
            _copy_rows(source, target, progress)
    finally:
        copy.dispose()


def _restore_rows(copy: Database, db: Database, progress: Progress) -> None:
    names = ", ".join(f'"{each.name}"' for each in SQLModel.metadata.sorted_tables)
    with copy.engine.connect() as source, db.engine.begin() as target:
        target.execute(text("SET LOCAL statement_timeout = 0"))
        target.execute(text(f"TRUNCATE {names}"))
        _copy_rows(source, target, progress)
        for each in SQLModel.metadata.sorted_tables:
            if "id" in each.c:
                target.execute(text(_NUMBERING.format(name=each.name)))


_NUMBERING = (
    "SELECT setval(pg_get_serial_sequence('{name}', 'id'), coalesce(max(id), 1), max(id) IS NOT NULL) "
    'FROM "{name}"'
)


def _copy_rows(source: Connection, target: Connection, progress: Progress) -> None:
    tables = _as_stored()
    total = sum(source.execute(select(func.count()).select_from(each)).scalar_one() for each in tables)
    done = 0
    for each in tables:
        rows = source.execution_options(yield_per=ROWS).execute(select(each)).mappings()
        for part in rows.partitions():
            target.execute(insert(each), [dict(row) for row in part])
            done += len(part)
            progress(done, total)


def _as_stored() -> list[Table]:
    """The tables, but that nothing in a column of JSON is NULL, as the rows have it, and no "null"."""
    stored = MetaData()
    for each in SQLModel.metadata.sorted_tables:
        each.to_metadata(stored)
    for each in stored.sorted_tables:
        for column in each.c:
            if column.nullable and isinstance(column.type, JSON):
                column.type = JSON(none_as_null=True)
    return stored.sorted_tables
