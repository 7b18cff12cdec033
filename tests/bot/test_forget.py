"""`customer forget` in a terminal: a wrong digit may be somebody else's phone."""

import pytest
from click.testing import CliRunner
from sqlmodel import select

from bot import cli
from models.customer import Customer
from models.db import Database
from models.message import Incoming, receive
from tests.conftest import NOW
from tests.stage import STUDIO, Stage

PHONE = "+5511987654321"


@pytest.mark.parametrize(
    ("arguments", "typed", "code", "name"),
    [([], "n\n", 1, "Maria"), ([], "", 1, "Maria"), ([], "y\n", 0, ""), (["--yes"], "", 0, "")],
)
def test_it_is_asked_first(
    sqlite_db: Database,
    monkeypatch: pytest.MonkeyPatch,
    arguments: list[str],
    typed: str,
    code: int,
    name: str,
) -> None:
    """No answer is a no; with --yes nothing is asked."""
    stage = Stage(sqlite_db, NOW)
    incoming = Incoming(stage.tenant().id or 0, (f"whatsapp:{PHONE}",), "SM1", "oi", profile_name="Maria")
    receive(sqlite_db, incoming, NOW, NOW - NOW)
    stage.work()
    monkeypatch.setattr(cli, "_in_terminal", lambda: True)
    command = ["customer", "forget", "--tenant", STUDIO, "--phone", PHONE, *arguments]
    environment = {"DATABASE_URL": str(sqlite_db.url)}
    result = CliRunner().invoke(cli.main, command, input=typed, env=environment)
    assert result.exit_code == code, result.output
    assert ("Forget Maria (+5511987654321) for good?" in result.output) is not bool(arguments)
    with sqlite_db.reading() as session:
        assert session.exec(select(Customer.name)).all() == [name]
