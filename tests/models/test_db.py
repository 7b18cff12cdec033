"""A unit of writing is done again where only chance was against it, and never otherwise."""

import os
import stat
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import event, text
from sqlalchemy.exc import OperationalError
from sqlmodel import Session

from models.db import ATTEMPTS, Database
from tests.fakes.talk import together

COUNTERS = "create table counter (id integer primary key, value integer not null)"


@pytest.fixture
def counters(postgres_db: Database) -> Iterator[Database]:
    """A table of the test's own: two rows to quarrel about."""
    with postgres_db.engine.begin() as connection:
        connection.execute(text(COUNTERS))
        connection.execute(text("insert into counter values (1, 0), (2, 0)"))
    yield postgres_db
    with postgres_db.engine.begin() as connection:
        connection.execute(text("drop table counter"))


def values(db: Database) -> list[int]:
    with db.reading() as session:
        return list(session.execute(text("select value from counter order by id")).scalars())


def test_serialisation_failure(counters: Database) -> None:
    """Each raises its own counter to above the sum: one of them must have seen the other's."""
    met = threading.Barrier(2)

    def raising(key: int) -> int:
        calls = 0

        def work(session: Session) -> int:
            nonlocal calls
            calls += 1
            session.execute(text("set transaction isolation level serializable"))
            total = session.execute(text("select sum(value) from counter")).scalar_one()
            if calls == 1:
                met.wait()
            session.execute(
                text("update counter set value = :value where id = :key"), {"value": total + 1, "key": key}
            )
            return calls

        return counters.retrying(work)

    calls = together([lambda: raising(1), lambda: raising(2)])
    assert sorted(values(counters)) == [1, 2]
    assert min(map(str, calls)) == "1"
    assert max(map(str, calls)) in ("2", "3")


def test_deadlock(counters: Database) -> None:
    """Crosswise, and both get there."""
    met = threading.Barrier(2)

    def crossing(*keys: int) -> int:
        calls = 0

        def work(session: Session) -> int:
            nonlocal calls
            calls += 1
            session.execute(text("set local deadlock_timeout = '1ms'"))
            for key in keys:
                session.execute(text("update counter set value = value + 1 where id = :key"), {"key": key})
                if calls == 1 and key == keys[0]:
                    met.wait()
            return calls

        return counters.retrying(work)

    calls = together([lambda: crossing(1, 2), lambda: crossing(2, 1)])
    assert values(counters) == [2, 2]
    assert set(map(str, calls)) <= {"1", "2"}
    assert max(map(str, calls)) == "2"


@pytest.fixture
def impatient(sqlite_template: object, tmp_path: Path, sqlite_db: Database) -> Database:
    """Another door to the same file that does not wait for a lock."""
    db = Database(sqlite_db.url)
    event.listen(db.engine, "connect", lambda raw, _record: raw.execute("PRAGMA busy_timeout = 0"))
    return db


def test_locked(sqlite_db: Database, impatient: Database) -> None:
    """The lock is let go after the first failure."""
    holder = sqlite_db.engine.connect()
    holder.exec_driver_sql("ROLLBACK")
    holder.exec_driver_sql("BEGIN IMMEDIATE")
    failures: list[str] = []

    def let_go(context: object) -> None:
        failures.append("locked")
        holder.exec_driver_sql("ROLLBACK")

    event.listen(impatient.engine, "handle_error", let_go)
    assert impatient.retrying(lambda session: session.execute(text("select 7")).scalar_one()) == 7
    assert failures == ["locked"]
    holder.close()
    impatient.dispose()


def test_it_gives_up(sqlite_db: Database, impatient: Database) -> None:
    failures: list[object] = []
    event.listen(impatient.engine, "handle_error", failures.append)
    with sqlite_db.engine.connect() as holder:
        holder.exec_driver_sql("ROLLBACK")
        holder.exec_driver_sql("BEGIN IMMEDIATE")
        with pytest.raises(OperationalError, match="database is locked"):
            impatient.retrying(lambda session: session.execute(text("select 7")).scalar_one())
    assert len(failures) == ATTEMPTS
    impatient.dispose()


def test_what_is_no_chance_is_not_repeated(db: Database) -> None:
    """And nothing of it stays."""
    calls: list[int] = []

    def work(session: Session) -> None:
        calls.append(1)
        session.execute(text("insert into login_attempt (subject, at) values ('x', '2026-12-02')"))
        session.execute(text("select * from nowhere"))

    with pytest.raises(Exception, match="nowhere"):
        db.retrying(work)
    assert calls == [1]
    with db.reading() as session:
        assert session.execute(text("select count(*) from login_attempt")).scalar_one() == 0


def test_what_sqlite_makes_is_for_nobody_else(tmp_path: Path) -> None:
    """The folder, the file and what stands beside it; whatever the umask lets through."""
    file = tmp_path / "data" / "shop.db"
    before = os.umask(0)
    try:
        db = Database(f"sqlite:///{file}")
        with db.writing() as session:
            session.execute(text("create table t (x integer)"))
            made = sorted(file.parent.iterdir())
            assert [one.name for one in made] == ["shop.db", "shop.db-shm", "shop.db-wal"]
            assert [stat.S_IMODE(one.stat().st_mode) for one in made] == [0o600] * 3
        assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700
        db.dispose()
    finally:
        os.umask(before)


def test_what_is_there_already_is_left_as_it_is(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    (tmp_path / "shop.db").touch(mode=0o640)
    Database(f"sqlite:///{tmp_path / 'shop.db'}").dispose()
    assert stat.S_IMODE((tmp_path / "shop.db").stat().st_mode) == 0o640
    assert stat.S_IMODE(tmp_path.stat().st_mode) == 0o755
