"""`customer forget`, in a terminal and in a script: a wrong digit may be somebody else's phone."""

import os
import subprocess
import sys
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from sqlmodel import select

from bot import cli
from bot.cli import common, customer
from bot.process import bootstrap
from models import handoff
from models.appointment import Appointment, AppointmentService
from models.customer import Customer
from models.db import Database
from models.handoff import Reason
from models.message import Incoming, receive
from tests.conftest import NOW
from tests.stage import STUDIO, Stage

PHONE = "+5511987654321"


def maria(db: Database) -> Stage:
    """She wrote, and was answered."""
    stage = Stage(db, NOW)
    incoming = Incoming(stage.tenant().id or 0, (f"whatsapp:{PHONE}",), "SM1", "oi", profile_name="Maria")
    receive(db, incoming, NOW, NOW - NOW)
    stage.work()
    return stage


def name_of(db: Database) -> str:
    with db.reading() as session:
        return session.exec(select(Customer.name)).one()


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
    maria(sqlite_db)
    monkeypatch.setattr(customer, "in_terminal", lambda: True)
    command = ["customer", "forget", "--tenant", STUDIO, "--phone", PHONE, *arguments]
    environment = {"DATABASE_URL": str(sqlite_db.url)}
    result = CliRunner().invoke(cli.main, command, input=typed, env=environment)
    assert result.exit_code == code, result.output
    assert ("Forget Maria (+5511987654321) for good?" in result.output) is not bool(arguments)
    assert ("Nothing was forgotten." in result.output) is (typed == "n\n")
    assert name_of(sqlite_db) == name


# What is lost beyond words


@pytest.fixture
def open_matter(sqlite_db: Database) -> Stage:
    """She waits for people, and has a visit ahead and one behind her."""
    stage = maria(sqlite_db)
    [row] = stage.conversations
    assert row.id is not None
    with sqlite_db.writing() as session:
        handoff.flag(session, NOW, row.tenant_id, row.id, Reason.PEDIDO_DO_CLIENTE)
        for days in (1, -1):
            begins = bootstrap.system_clock() + timedelta(days=days)
            ends = begins + timedelta(minutes=30)
            visit = Appointment(
                tenant_id=row.tenant_id,
                professional_id=1,
                customer_id=row.customer_id,
                starts_at=begins,
                ends_at=ends,
                busy_from=begins,
                busy_until=ends,
                created_at=NOW,
            )
            session.add(visit)
            session.flush()
            assert visit.id is not None
            session.add(
                AppointmentService(
                    tenant_id=row.tenant_id,
                    appointment_id=visit.id,
                    position=0,
                    service_id=1,
                    name="Corte",
                    duration_minutes=30,
                )
            )
    return stage


@pytest.mark.parametrize("terminal", [True, False])
def test_what_is_lost_is_said_before(
    open_matter: Stage, monkeypatch: pytest.MonkeyPatch, terminal: bool
) -> None:
    monkeypatch.setattr(customer, "in_terminal", lambda: terminal)
    command = ["customer", "forget", "--tenant", STUDIO, "--phone", PHONE]
    url = str(open_matter.db.url)
    result = CliRunner().invoke(cli.main, command, input="y\n" if terminal else "", env={"DATABASE_URL": url})
    assert result.exit_code == 0, result.output
    said = "Note: the customer waits in the queue and has a visit ahead.\n"
    if terminal:
        matter = "who waits in the queue and has a visit ahead"
        said = f"Forget Maria ({PHONE}), {matter}, for good? [y/N]: y\n"
    assert result.output.startswith(said)
    assert name_of(open_matter.db) == ""


# In a script


@pytest.mark.parametrize(
    ("piped", "heard"),
    [
        (b"n\n", "n"),
        (b"sim\n", "sim"),
        (b"y\nmore\n", "y"),
        (b"\n", ""),
        (b"n", "n"),
        (b"\xff\n", "\ufffd"),
        (b"", None),
    ],
)
@pytest.mark.parametrize("closed", [True, False])
def test_only_what_lies_ready_in_a_pipe_is_heard(piped: bytes, heard: str | None, closed: bool) -> None:
    """One that is silent, open or closed, says nothing, and is not waited for."""
    reads, writes = os.pipe()
    os.write(writes, piped)
    if closed:
        os.close(writes)
    with os.fdopen(reads) as stream:
        assert common.piped(stream) == heard
    if not closed:
        os.close(writes)


def test_what_is_no_pipe_says_nothing(tmp_path: Path) -> None:
    """A loop over a file of phones has that file for its input: its next line is no answer."""
    phones = tmp_path / "phones"
    phones.write_text("+5511900000000\n")
    for path in (phones, Path(os.devnull)):
        with path.open() as stream:
            assert common.piped(stream) is None
            assert path != phones or stream.read() == "+5511900000000\n"
    assert common.piped(None) is None


@pytest.mark.parametrize(
    ("given", "arguments", "code", "name"),
    [
        (b"n\n", [], 1, "Maria"),
        (b"talvez\n", [], 1, "Maria"),
        (b"S\n", [], 0, ""),
        (b"n\n", ["--yes"], 0, ""),
        (None, [], 0, ""),
    ],
)
def test_a_script_is_not_asked_and_may_say_no(
    sqlite_db: Database, tmp_path: Path, given: bytes | None, arguments: list[str], code: int, name: str
) -> None:
    maria(sqlite_db)
    command = ["customer", "forget", "--tenant", STUDIO, "--phone", PHONE, *arguments]
    more: dict[str, Any] = {"stdin": subprocess.DEVNULL} if given is None else {"input": given}
    done = subprocess.run(
        [sys.executable, "-m", "bot", *command],
        env={**os.environ, "DATABASE_URL": str(sqlite_db.url)},
        capture_output=True,
        check=False,
        timeout=60,
        **more,
    )
    assert done.returncode == code, done.stderr
    assert (b"Nothing was forgotten." in done.stderr) is (code == 1)
    assert name_of(sqlite_db) == name
