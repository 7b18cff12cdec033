"""What all commands share: the settings, the database, and one sentence for whatever is wrong."""

import errno
import os
import select
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TextIO

import click
from sqlalchemy.exc import DBAPIError

from bot.core import log
from bot.core.settings import Settings, SettingsError, load
from bot.process import bootstrap, server, staff_logins
from models import schema
from models.db import Database, missing_file


class Problem(click.ClickException):
    """One sentence for whoever runs the command. Exit code 2: a setting or an argument is wrong."""

    exit_code = 2


class Commands(click.Group):
    """Turns the errors that any command may meet into one sentence."""

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except (
            SettingsError,
            server.NotListening,
            bootstrap.WrongSchema,
            staff_logins.AccountError,
        ) as error:
            raise Problem(str(error)) from None
        except DBAPIError as error:
            reason = str(error.orig).strip().splitlines()[0] if str(error.orig).strip() else "no answer"
            raise Problem(f"DATABASE_URL: the database does not work as it is set ({reason}).") from None
        except OSError as error:
            if error.errno != errno.ENOSPC:
                raise
            # What could not be written would be tried once more at the end, and told with a traceback.
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
            raise click.ClickException(f"There is no room to write: {error.strerror}.") from None


def settings_given(**overrides: object) -> Settings:
    given = {name: value for name, value in overrides.items() if value is not None}
    settings = load(Path(".env"), **given)
    log.configure(settings.log_level, settings.log_format)
    return settings


def database(settings: Settings) -> Database:
    """A database with the newest schema: SQLite is brought to it, PostgreSQL must have it."""
    db = opened(settings)
    bootstrap.ensure_schema(db)
    return db


def database_in_use(settings: Settings) -> Database:
    """The same, for what works on a business: a mistyped address must not become an empty database."""
    cure = "is the address right? A business is brought in by: horacerta import FILE.yaml"
    if missing := missing_file(settings.database_url):
        raise Problem(f"DATABASE_URL: there is no file {missing}; {cure}")
    db = opened(settings)
    foreign = db.is_sqlite and schema.current(db) is None
    if not foreign:
        bootstrap.ensure_schema(db)
    if foreign or not staff_logins.any_business(db):
        raise Problem(f"DATABASE_URL: the database holds no business yet; {cure}")
    return db


@contextmanager
def to_look_at(settings: Settings) -> Iterator[Database]:
    """The database of the settings; one that would have to be made first is an empty one in passing."""
    if missing_file(settings.database_url) is None:
        yield database(settings)
        return
    with TemporaryDirectory(prefix="horacerta-") as folder:
        db = Database(f"sqlite:///{folder}/empty.db")
        try:
            schema.migrate(db)
            yield db
        finally:
            db.dispose()


def opened(settings: Settings) -> Database:
    try:
        return Database(settings.database_url)
    except OSError as error:
        raise Problem(f"DATABASE_URL: {error.filename}: {error.strerror}.") from None


def in_terminal() -> bool:
    return sys.stdin is not None and sys.stdin.isatty()


def piped(stream: TextIO | None) -> str | None:
    """The line that lies ready in a pipe; None where there is none: closed, silent, no pipe at all."""
    try:
        fd = -1 if stream is None else stream.fileno()
        if fd < 0 or not stat.S_ISFIFO(os.fstat(fd).st_mode) or not select.select([fd], [], [], 0)[0]:
            return None
        # Not by the stream, which would wait for the end of a line.
        said = os.read(fd, 1000).decode(errors="replace")
    except (OSError, ValueError):
        return None
    return said.partition("\n")[0] if said else None
