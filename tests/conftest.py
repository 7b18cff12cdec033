"""Fixtures that every test may use: a database of each kind, a fixed clock, no network."""

import logging
import os
from collections.abc import Iterator
from datetime import UTC, datetime
from functools import cache
from pathlib import Path

import pytest
import structlog
from argon2 import _password_hasher
from hypothesis import HealthCheck, settings

from models import schema
from models.db import Database
from tests import databases

# Wednesday 2026-12-02, 10:20 in São Paulo: the reference moment of the utterance tables.
NOW = datetime(2026, 12, 2, 13, 20, tzinfo=UTC)


def pytest_configure() -> None:
    # The processes that tests start are to find the program compiled: it takes them a third of their time.
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

    # A command that a test types sets up the log of this whole process: no logger may keep that for ever.
    configure = structlog.configure
    structlog.configure = lambda **values: configure(**values | {"cache_logger_on_first_use": False})
    _log_plainly()

    # How quick this machine is says nothing of the product.
    patient = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
    settings.register_profile("patient", patient)
    settings.load_profile("patient")

    # Made to take long, and what was right once is right again: thousands of tests log in with one password.
    _password_hasher.verify_secret = cache(_password_hasher.verify_secret)


def _log_plainly() -> None:
    # structlog's own choice paints a traceback with all that it holds, for seconds.
    lines = structlog.processors.KeyValueRenderer(key_order=["event"])
    structlog.reset_defaults()
    structlog.configure(
        processors=[structlog.processors.add_log_level, structlog.processors.format_exc_info, lines]
    )


def pytest_runtest_teardown() -> None:
    """No test finds the log as another one has set it up."""
    _log_plainly()
    root = logging.getLogger()
    for handler in [each for each in root.handlers if type(each) is logging.StreamHandler]:
        root.removeHandler(handler)


def pytest_runtest_setup() -> None:
    """No test reaches a network: only loopback and unix sockets."""
    import pytest_socket

    pytest_socket.socket_allow_hosts(["127.0.0.1", "::1", "localhost"], allow_unix_socket=True)


@pytest.fixture
def now() -> datetime:
    return NOW


@pytest.fixture(scope="session")
def sqlite_template(tmp_path_factory: pytest.TempPathFactory) -> databases.SqliteTemplate:
    return databases.SqliteTemplate(tmp_path_factory.mktemp("sqlite"))


@pytest.fixture(scope="session")
def postgres() -> Iterator[Database]:
    """One migrated PostgreSQL for the whole session; use `db` or `postgres_db`, which empty it."""
    with databases.postgres_server() as url:
        db = Database(url)
        schema.migrate(db)
        yield db
        db.dispose()


@pytest.fixture
def sqlite_db(sqlite_template: databases.SqliteTemplate, tmp_path: Path) -> Iterator[Database]:
    db = sqlite_template.copy(tmp_path)
    yield db
    db.dispose()


@pytest.fixture
def postgres_db(postgres: Database) -> Database:
    databases.empty(postgres)
    return postgres


@pytest.fixture(params=["sqlite", "postgres"])
def db(request: pytest.FixtureRequest) -> Database:
    """A migrated, empty database; the test runs once on SQLite and once on PostgreSQL."""
    database: Database = request.getfixturevalue(f"{request.param}_db")
    return database
