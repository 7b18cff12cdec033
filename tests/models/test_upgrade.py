"""Databases of earlier versions, with what those versions wrote into them, become the newest.

`tests/data/upgrades/0003.sql` is what the demo of the code with revision 0003 left behind.
"""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from sqlalchemy import func, select, text
from sqlalchemy.engine import Connection
from sqlmodel import SQLModel

from models import schema
from models.db import Database

FILES = sorted((Path(__file__).parents[1] / "data/upgrades").glob("*.sql"))
INSERT = re.compile(r'^INSERT INTO "(\w+)".*?;$', re.MULTILINE | re.DOTALL)


@pytest.fixture(params=["sqlite", "postgres"])
def bare(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Database]:
    """A database without any table."""
    if request.param == "sqlite":
        db = Database(f"sqlite:///{tmp_path}/old.db")
    else:
        server: Database = request.getfixturevalue("postgres")
        with server.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
            connection.execute(text("DROP DATABASE IF EXISTS old"))
            connection.execute(text("CREATE DATABASE old"))
        db = Database(server.url.set(database="old"), pool_size=1)
    yield db
    db.dispose()


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_what_an_earlier_version_left_is_all_there(bare: Database, file: Path) -> None:
    schema.migrate(bare, file.stem)
    statements = list(INSERT.finditer(file.read_text()))
    with bare.engine.connect() as connection:
        for each in statements:
            connection.exec_driver_sql(each[0])
        connection.commit()
        before = {each[1]: _rows(connection, each[1]) for each in statements}
    schema.migrate(bare)
    with bare.engine.connect() as connection:
        assert {name: _rows(connection, name) for name in before} == before
        for table in SQLModel.metadata.sorted_tables:
            connection.execute(select(table)).all()  # as today's code reads it
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        assert compare_metadata(context, SQLModel.metadata) == []


def _rows(connection: Connection, name: str) -> int:
    query = select(func.count()).select_from(text(f'"{name}"'))
    return connection.execute(query).scalar_one()
