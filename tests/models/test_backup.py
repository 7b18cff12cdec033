"""A backup holds everything, whole or not at all, and goes back into either kind of database."""

import sqlite3
import stat
from collections.abc import Callable
from contextlib import closing
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from sqlalchemy import select
from sqlmodel import SQLModel, col

from models import backup, worker
from models.appointment import Appointment
from models.backup import NotABackup
from models.db import Database
from models.message import Author, Direction, Message, Status
from models.reminder import Reminder, State
from models.tenant import Tenant
from tests import databases
from tests.fakes import agenda
from tests.fakes.agenda import Ids
from tests.models import rows

Row = dict[str, object]


def quiet(_done: int, _total: int) -> None:
    """Nobody watches."""


def everything(db: Database) -> dict[str, list[Row]]:
    with db.engine.connect() as connection:
        return {
            each.name: [
                dict(row)
                for row in connection.execute(select(each).order_by(*each.primary_key)).mappings().all()
            ]
            for each in SQLModel.metadata.sorted_tables
        }


@pytest.fixture
def filled(db: Database, now: datetime) -> Database:
    """A business with a visit, a reminder that is due, one that is not, a line on its way, and a worker."""
    with db.writing() as session:
        ids = agenda.studio(session, now)
        visit = Appointment(
            tenant_id=ids.tenant,
            professional_id=ids.ana,
            customer_id=ids.customer,
            starts_at=now + timedelta(days=1),
            ends_at=now + timedelta(days=1, hours=1),
            busy_from=now + timedelta(days=1),
            busy_until=now + timedelta(days=1, hours=1),
            created_at=now,
        )
        session.add_all([visit, _line(ids, now)])
        session.flush()
        assert visit.id is not None
        for hours in (24, 2):
            due = visit.starts_at - timedelta(hours=hours)
            session.add(
                Reminder(tenant_id=ids.tenant, appointment_id=visit.id, hours=hours, version=0, due_at=due)
            )
        worker.beat(session, "host-1", now)
    rows.says(db, now, ids.tenant, "SM1", "Às 10:30?")
    return db


def _line(ids: Ids, now: datetime) -> Message:
    return Message(
        tenant_id=ids.tenant,
        conversation_id=ids.conversation,
        seq=99,
        direction=Direction.OUT,
        author=Author.BOT,
        text="Às 10:30?",
        status=Status.QUEUED,
        send_after=now,
        created_at=now,
    )


@pytest.fixture(params=["sqlite", "postgres"])
def restored(
    request: pytest.FixtureRequest,
    filled: Database,
    now: datetime,
    tmp_path: Path,
    sqlite_template: databases.SqliteTemplate,
) -> tuple[dict[str, list[Row]], Database]:
    """What there was, and the database into which its backup was laid over something else."""
    before = everything(filled)
    file = tmp_path / "copy.db"
    backup.save(filled, file, quiet)
    if request.param == "sqlite":
        (tmp_path / "other").mkdir()
        target = sqlite_template.copy(tmp_path / "other")
    else:
        target = request.getfixturevalue("postgres_db")
    rows.add_tenant(target, now, 7)
    with backup.opened(file) as copy:
        backup.restore(copy, target, now, quiet)
    return before, target


def test_a_copy_is_one_plain_file_for_nobody_else(filled: Database, tmp_path: Path) -> None:
    file = tmp_path / "copy.db"
    told: list[tuple[int, int]] = []
    backup.save(filled, file, lambda done, total: told.append((done, total)))
    assert told[-1][0] == told[-1][1] > 0
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    with closing(sqlite3.connect(f"file:{file}?mode=ro", uri=True)) as copy:
        assert copy.execute("PRAGMA journal_mode").fetchone() == ("delete",)
    assert [each.name for each in tmp_path.iterdir() if "copy" in each.name] == ["copy.db"]


def test_all_of_it_comes_back_but_nothing_happens_twice(
    restored: tuple[dict[str, list[Row]], Database], now: datetime
) -> None:
    """On either kind of database, from either: what may have been sent since is looked up, or not sent."""
    before, target = restored
    after = everything(target)
    assert {name for name in before if before[name] != after[name]} == {"message", "reminder", "worker_beat"}
    assert after["worker_beat"] == []
    states = [(row["hours"], row["state"]) for row in after["reminder"]]
    assert states == [(24, State.SKIPPED), (2, State.PENDING)]
    assert [row["status"] for row in after["message"]] == [Status.IN_DOUBT, "received"]


def test_a_restored_database_numbers_on(
    restored: tuple[dict[str, list[Row]], Database], now: datetime
) -> None:
    _, target = restored
    assert rows.add_tenant(target, now, 8) == 2
    with target.reading() as session:
        slugs = session.execute(select(col(Tenant.slug)).order_by(col(Tenant.id))).scalars().all()
    assert slugs == ["studio-bela", "loja-8"]


def test_what_is_written_meanwhile_is_in_no_copy(filled: Database, now: datetime, tmp_path: Path) -> None:
    """Neither half of it: the copy is of one moment."""
    file, before = tmp_path / "copy.db", everything(filled)

    def write(_done: int, _total: int) -> None:
        rows.add_tenant(filled, now, 50 + len(everything(filled)["tenant"]))

    backup.save(filled, file, write)
    copied = Database(f"sqlite:///{file}")
    assert everything(copied) == before
    copied.dispose()
    assert len(everything(filled)["tenant"]) > 1


def test_a_copy_that_fails_leaves_the_former_one(sqlite_db: Database, now: datetime, tmp_path: Path) -> None:
    rows.add_tenant(sqlite_db, now)
    file = tmp_path / "copy.db"
    file.write_text("the former")

    def fail(_done: int, _total: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        backup.save(sqlite_db, file, fail)
    assert file.read_text() == "the former"
    assert sorted(each.name for each in tmp_path.iterdir()) == [
        "copy.db",
        "test.db",
        "test.db-shm",
        "test.db-wal",
    ]


def _empty(file: Path) -> None:
    file.touch()


def _cut(file: Path) -> None:
    file.write_bytes(file.read_bytes()[:100_000])


def _newer(file: Path) -> None:
    with closing(sqlite3.connect(file)) as copy, copy:
        copy.execute("UPDATE alembic_version SET version_num = '9999'")


@pytest.mark.parametrize(
    ("harm", "said"),
    [(_empty, "is no backup"), (_cut, "is damaged"), (_newer, "of a newer version than this program")],
)
def test_what_is_no_whole_backup_is_refused(
    sqlite_db: Database, now: datetime, tmp_path: Path, harm: Callable[[Path], None], said: str
) -> None:
    rows.add_tenant(sqlite_db, now)
    file = tmp_path / "copy.db"
    backup.save(sqlite_db, file, quiet)
    if harm is _empty:
        file.unlink()
    harm(file)
    with pytest.raises(NotABackup, match=said), backup.opened(file):
        raise AssertionError("opened")
