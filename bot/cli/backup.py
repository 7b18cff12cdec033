"""`horacerta backup` and `horacerta restore`: a whole copy while others write, and the way back."""

import sqlite3
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from bot.cli.common import Problem, in_terminal, opened, piped, settings_given
from bot.process import bootstrap, server
from models import backup as copies
from models import schema, worker
from models.backup import Contents, NotABackup
from models.db import Database, missing_file
from models.worker import BEAT_MAX_AGE

_FILE = click.Path(path_type=Path, dir_okay=False)


@click.command()
@click.argument("file", type=_FILE)
@click.option("--force", is_flag=True, help="Replace FILE where it is there already.")
def backup(file: Path, force: bool) -> None:
    """Copy the whole database to FILE while everything goes on: one SQLite file, whichever the database is.

    FILE is there whole or not at all, and only its owner can read it. Keep .env beside it: no secret of it is
    in the copy. A plain copy of a SQLite file is no backup: its newest part stands in another file.
    """
    settings = settings_given()
    if missing := missing_file(settings.database_url):
        raise Problem(f"DATABASE_URL: there is no file {missing}; is the address right?")
    db = opened(settings)
    bootstrap.ensure_schema(db)
    _check_target(db, file, force)
    server.stop_on_signals()  # so that nothing half is left behind
    try:
        with _progress("Copying") as progress:
            copies.save(db, file, progress)
    except SystemExit:  # of a signal, with which every other command ends well
        raise click.ClickException("Stopped; there is no new backup.") from None
    except OSError as error:
        raise click.ClickException(f"{file}: {error.strerror}; there is no backup.") from None
    except sqlite3.Error as error:
        raise click.ClickException(f"{file}: cannot be written ({error}); there is no backup.") from None
    click.echo(f"{file}: {file.stat().st_size:,} bytes.")


def _check_target(db: Database, file: Path, force: bool) -> None:
    if not file.parent.is_dir():
        raise Problem(f"{file}: there is no folder {file.parent}.")
    if file.exists() and db.is_sqlite and file.samefile(str(db.url.database)):
        raise Problem(f"{file}: is the database itself.")
    if file.exists() and not force:
        raise Problem(f"{file}: is there already; another name, or --force, which replaces it.")


@click.command()
@click.argument("file", type=_FILE)
@click.option("--force", is_flag=True, help="Replace what is in the database without asking.")
def restore(file: Path, force: bool) -> None:
    """Put a backup in the place of all that is in the database, in one step or not at all.

    It may come from either kind of database and from an older version. Stop all workers first. Where the
    database is not empty, it asks, or wants --force.
    """
    settings = settings_given()
    now = bootstrap.system_clock()
    try:
        with copies.opened(file) as copy, copy.engine.connect() as connection:
            found = copies.contents(connection)
            db = opened(settings)
            _check_idle(db)
            if not _is_agreed(db, force):
                raise click.ClickException("Nothing was changed.")
            schema.migrate(db)
            connection.rollback()
            with _progress("Restoring") as progress:
                copies.restore(copy, db, now, progress)
    except OSError as error:
        raise Problem(f"{file}: {error.strerror}.") from None
    except NotABackup as error:
        raise Problem(str(error)) from None
    click.echo(f"Restored: {_in_words(found)}. Now start the workers; customers forgotten since this backup")
    click.echo("are back: forget them again (horacerta customer forget).")


def _check_idle(db: Database) -> None:
    """Raise where a worker goes on: it would answer and send out of what is being replaced."""
    if schema.current(db) != schema.newest():
        return
    with db.reading() as session:
        beaten = worker.last_beat(session)
    if beaten is not None and bootstrap.system_clock() - beaten <= BEAT_MAX_AGE:
        raise Problem("A worker is running on this database; stop `serve` and every `worker` first.")


def _is_agreed(db: Database, force: bool) -> bool:
    there = _there(db)
    if force or there is None:
        return True
    question = f"The database holds {there}. All of it is replaced. Type restore to go on"
    if in_terminal():
        return str(click.prompt(question, default="", show_default=False)).strip() == "restore"
    if (piped(sys.stdin) or "").strip() == "restore":
        return True
    raise Problem(f"DATABASE_URL: the database holds {there}; --force replaces all of it.")


def _there(db: Database) -> str | None:
    """What is in the database, in words; None where it is empty."""
    revision = schema.current(db)
    if revision is None:
        return None
    if revision != schema.newest():
        return f"data of the schema {revision}"
    with db.engine.connect() as connection:
        found = copies.contents(connection)
    return _in_words(found) if found.businesses else None


def _in_words(found: Contents) -> str:
    parts = (
        (found.businesses, "business", "businesses"),
        (found.customers, "customer", "customers"),
        (found.messages, "message", "messages"),
    )
    return ", ".join(f"{count} {one if count == 1 else many}" for count, one, many in parts)


@contextmanager
def _progress(label: str) -> Iterator[copies.Progress]:
    """A bar in a terminal, silence elsewhere."""
    with click.progressbar(length=1, label=label, file=sys.stderr, hidden=not sys.stderr.isatty()) as bar:

        def told(done: int, total: int) -> None:
            bar.length = total
            bar.update(done - bar.pos)

        yield told
