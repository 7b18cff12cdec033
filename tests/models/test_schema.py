"""Models and migrations agree, up and down, on both databases."""

from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from sqlalchemy import inspect
from sqlmodel import SQLModel

import models
from models import schema
from models.db import Database

assert models


def test_models_and_migrations_agree(db: Database) -> None:
    """A model changed without a migration is found here."""
    with db.engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        assert compare_metadata(context, SQLModel.metadata) == []


def test_schema_goes_down_and_up(db: Database) -> None:
    """Every revision can be taken back and applied again."""
    schema.unmigrate(db)
    assert inspect(db.engine).get_table_names() == ["alembic_version"]
    schema.migrate(db)
    assert schema.current(db) == schema.newest()


def test_empty_database_has_no_revision(tmp_path: object) -> None:
    db = Database(f"sqlite:///{tmp_path}/new.db")
    assert schema.current(db) is None
    db.dispose()
