"""The database's schema: which revision it has, and bringing it to the newest."""

from functools import cache
from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory

from models.db import Database

MIGRATIONS = Path(__file__).parent / "migrations"


def _config() -> Config:
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS))
    # "%" would be read as interpolation in a path that holds one.
    config.set_main_option("path_separator", "os")
    return config


@cache  # reads the files of all revisions
def newest() -> str:
    """The revision that this code wants."""
    head = ScriptDirectory.from_config(_config()).get_current_head()
    assert head is not None
    return head


def current(db: Database) -> str | None:
    """The revision that the database has; None for an empty one."""
    with db.engine.connect() as connection:
        return MigrationContext.configure(connection).get_current_revision()


def is_known(revision: str) -> bool:
    """Whether this code knows of a revision; one of a newer version it does not."""
    return any(each.revision == revision for each in ScriptDirectory.from_config(_config()).walk_revisions())


def migrate(db: Database, revision: str = "head") -> None:
    """Bring the database to `revision`, in one transaction."""
    config = _config()
    with db.engine.execution_options(write=True).begin() as connection:
        config.attributes["connection"] = connection
        command.upgrade(config, revision)


def unmigrate(db: Database, revision: str = "base") -> None:
    """Take the database back to `revision`. Loses what newer revisions added."""
    config = _config()
    with db.engine.execution_options(write=True).begin() as connection:
        config.attributes["connection"] = connection
        command.downgrade(config, revision)
