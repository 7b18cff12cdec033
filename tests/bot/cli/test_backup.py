"""`backup` and `restore` as they are typed: what they refuse, and what they say."""

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from bot.cli import main
from models import worker
from models.db import Database
from tests.stage import BUSINESSES

Typed = Callable[..., Result]


@pytest.fixture
def typed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Typed:
    """Types a command in a folder with one business in its database, and a backup of it."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("LOG_LEVEL", "ERROR")

    def run(*command: str, database: str = "shop.db", stdin: str = "") -> Result:
        monkeypatch.setenv("DATABASE_URL", f"sqlite:///{database}")
        return CliRunner().invoke(main, command, input=stdin)

    run("import", str(BUSINESSES / "studio-bela.yaml"))
    assert run("backup", "copy.db").exit_code == 0
    return run


@pytest.mark.parametrize(
    ("command", "database", "said"),
    [
        (["backup", "copy.db"], "shop.db", "copy.db: is there already"),
        (["backup", "shop.db", "--force"], "shop.db", "is the database itself"),
        (["backup", "none/copy.db"], "shop.db", "there is no folder none"),
        (["backup", "other.db"], "typo.db", "DATABASE_URL: there is no file"),
        (["restore", "none.db"], "shop.db", "none.db: No such file"),
        (["restore", "copy.db"], "shop.db", "DATABASE_URL: the database holds 1 business, 0 customers"),
    ],
)
def test_what_cannot_be_is_one_sentence(command: list[str], database: str, said: str, typed: Typed) -> None:
    done = typed(*command, database=database)
    assert (done.exit_code, done.stdout) == (2, "")
    assert said in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1


def test_a_backup_goes_back(typed: Typed) -> None:
    """Into an empty database at once, over another with consent."""
    assert typed("restore", "copy.db", database="new/shop.db").exit_code == 0
    assert "nothing to change" in typed("import", str(BUSINESSES / "studio-bela.yaml")).stdout
    done = typed("restore", "copy.db", "--force")
    assert done.stdout.startswith("Restored: 1 business, 0 customers, 0 messages")


def test_nothing_is_restored_under_a_running_worker(typed: Typed, tmp_path: Path) -> None:
    db = Database(f"sqlite:///{tmp_path / 'shop.db'}")
    with db.writing() as session:
        worker.beat(session, "host-1", datetime.now(UTC))
    db.dispose()
    done = typed("restore", "copy.db", "--force")
    assert done.exit_code == 2
    assert "A worker is running on this database" in done.stderr
