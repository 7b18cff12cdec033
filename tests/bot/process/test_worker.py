"""A worker of an old version on the tables of a new one."""

from sqlalchemy import text

from bot.core.services import Services
from bot.process.worker import Worker
from models.db import Database
from tests.bot.edge import settings
from tests.bot.web.office import no_model, no_sender


def test_a_worker_ends_when_another_version_changes_the_tables(sqlite_db: Database) -> None:
    """It begins nothing more; the process that is started in its place says what is wrong."""
    ended: list[bool] = []
    services = Services(settings=settings(), db=sqlite_db, model=no_model, sender_for=no_sender)
    worker = Worker(services, end=lambda: ended.append(True))
    assert (worker.keep_to_schema(), ended) == (True, [])
    with sqlite_db.engine.begin() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    assert (worker.keep_to_schema(), ended) == (False, [True])
    assert worker.stop(1)
