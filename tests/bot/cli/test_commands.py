"""The commands from outside, as processes: what they print, how they end, one sentence for each error."""

import os
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import httpx
import pytest
from click.testing import CliRunner, Result

from bot.cli import main
from models import conversation, message
from models.db import Database
from models.message import Incoming
from tests.fakes.claude import FakeClaude, answer, error, text
from tests.fakes.twilio import ACCOUNT, TOKEN, FakeTwilio
from tests.stage import BUSINESSES

ROOT = Path(__file__).parents[3]
SECRET = "s" * 40


class Shell:
    """Runs commands with a database of its own and a bare environment."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.environment = {
            "PATH": os.environ["PATH"],
            "PYTHONPATH": str(ROOT),
            "HOME": str(folder),
            "DATABASE_URL": f"sqlite:///{folder / 'shop.db'}",
            "LOG_LEVEL": "ERROR",
        }

    def run(self, *arguments: str, stdin: str = "", **settings: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "bot", *arguments],
            cwd=self.folder,
            env=self.environment | settings,
            input=stdin,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )

    @contextmanager
    def running(self, *arguments: str, **settings: str) -> Iterator[subprocess.Popen[str]]:
        process = subprocess.Popen(
            [sys.executable, "-m", "bot", *arguments],
            cwd=self.folder,
            env=self.environment | settings,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        try:
            yield process
        finally:
            process.kill()
            process.communicate()


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    return Shell(tmp_path)


@pytest.fixture
def typed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Result]:
    """Types a command in an empty folder, with a database of that name in it, and without a process."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("LOG_LEVEL", "ERROR")

    def run(*command: str, database: str = "shop.db", **settings: str) -> Result:
        for name, value in {"DATABASE_URL": f"sqlite:///{database}", **settings}.items():
            monkeypatch.setenv(name, value)
        return CliRunner().invoke(main, command)

    return run


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def wait_for(url: str) -> httpx.Response:
    """The first answer of a server that is starting."""
    deadline = time.monotonic() + 30
    while True:
        try:
            return httpx.get(url, trust_env=False)
        except httpx.TransportError:
            assert time.monotonic() < deadline, f"no answer from {url}"
            time.sleep(0.05)


@pytest.mark.parametrize(
    "command",
    [
        ["demo"],
        ["serve"],
        ["web"],
        ["worker"],
        ["migrate"],
        ["import"],
        ["staff", "add"],
        ["staff", "list"],
        ["staff", "reset-password"],
        ["staff", "disable"],
        ["staff", "enable"],
        ["chat"],
        ["doctor"],
    ],
    ids=" ".join,
)
def test_every_command_has_help(command: list[str], typed: Callable[..., Result]) -> None:
    done = typed(*command, "--help")
    assert done.exit_code == 0
    assert "Usage: " in done.stdout
    assert len(done.stdout.splitlines()) > 4


@pytest.mark.parametrize(
    ("command", "settings", "sentence"),
    [
        (["serve"], {}, "SECRET_KEY is not set"),
        (["web"], {"SECRET_KEY": "short"}, "SECRET_KEY: "),
        (["serve"], {"SECRET_KEY": SECRET, "PORT": "eighty"}, "PORT: "),
        (["worker"], {"DATABASE_URL": "oracle://x"}, "DATABASE_URL: "),
        (["worker"], {"DATABASE_URL": "postgresql://127.0.0.1:1/none"}, "DATABASE_URL: "),
        (["worker"], {"DATABASE_URL": "sqlite:////proc/none/x.db"}, "DATABASE_URL: /proc/none"),
        (["worker"], {"DATABASE_URL": "sqlite://"}, "DATABASE_URL: "),
        (["worker"], {"RECORD_DIR": "/proc/none"}, "RECORD_DIR: /proc/none cannot be written"),
        (["serve"], {"SECRET_KEY": SECRET, "RECORD_DIR": "/dev/null"}, "RECORD_DIR: /dev/null cannot be"),
        (["worker"], {"LLM_PROVIDER": "anthropic"}, "ANTHROPIC_API_KEY is missing"),
        (["migrate"], {"DATABASE_URL": "sqlite:////proc/none/x.db"}, "DATABASE_URL: /proc/none"),
        (["demo", "--data", "/proc/none"], {}, "--data: "),
        (["import", "missing.yaml"], {}, "missing.yaml: "),
    ],
)
def test_what_is_wrong_is_one_sentence(
    command: list[str], settings: dict[str, str], sentence: str, typed: Callable[..., Result]
) -> None:
    """Exit code 2 and the name of what is wrong."""
    assert sentence in refused(typed(*command, **settings))


@pytest.mark.parametrize(
    ("command", "settings", "sentence"),
    [
        (["worker"], {"DATABASE_URL": "sqlite:////proc/none/x.db"}, "DATABASE_URL: /proc/none"),
        (["demo", "--host", "203.0.113.7"], {}, "HOST or --host must be an address of this machine"),
    ],
)
def test_a_process_tells_what_is_wrong_without_a_traceback(
    command: list[str], settings: dict[str, str], sentence: str, shell: Shell
) -> None:
    done = shell.run(*command, **settings)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("Error: ")
    assert sentence in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1


def refused(done: Result) -> str:
    assert (done.exit_code, done.stdout) == (2, "")
    assert len(done.stderr.strip().splitlines()) == 1
    return done.stderr


ON_A_BUSINESS = [
    ["chat", "--tenant", "nobody"],
    ["staff", "add", "--tenant", "nobody", "--email", "a@b.br", "--name", "A"],
    ["staff", "list"],
    ["staff", "reset-password", "--email", "a@b.br"],
    ["staff", "disable", "--email", "a@b.br"],
    ["staff", "enable", "--email", "a@b.br"],
    ["customer", "export", "--tenant", "nobody", "--phone", "+5511987654321"],
    ["customer", "forget", "--tenant", "nobody", "--phone", "+5511987654321"],
]


@pytest.mark.parametrize("command", ON_A_BUSINESS, ids=lambda command: " ".join(command[:2]))
def test_mistyped_database_is_not_made(
    command: list[str], typed: Callable[..., Result], tmp_path: Path
) -> None:
    said = refused(typed(*command, database="shopp/typo.db"))
    assert f"DATABASE_URL: there is no file {tmp_path / 'shopp/typo.db'}; is the address right?" in said
    assert list(tmp_path.iterdir()) == []


def test_database_without_a_business_says_so(typed: Callable[..., Result], tmp_path: Path) -> None:
    """One that was only migrated; and somebody else's file, which stays as it is."""
    (tmp_path / "other.db").touch()
    typed("migrate")
    for database in ("shop.db", "other.db"):
        said = refused(typed("staff", "list", database=database))
        assert "DATABASE_URL: the database holds no business yet; is the address right?" in said
    with closing(sqlite3.connect(tmp_path / "other.db")) as other:
        assert other.execute("SELECT name FROM sqlite_master").fetchall() == []


def test_wrong_name_is_one_sentence(typed: Callable[..., Result]) -> None:
    typed("import", str(BUSINESSES / "studio-bela.yaml"))
    assert "--tenant: there is no business" in refused(typed("chat", "--tenant", "nobody"))
    named = ("--tenant", "nobody", "--email", "a@b.br", "--name", "A")
    assert "--tenant: there is no business" in refused(typed("staff", "add", *named))
    assert "--email: there is no login" in refused(typed("staff", "disable", "--email", "a@b.br"))


def test_a_login_is_shut_and_opened_again(typed: Callable[..., Result]) -> None:
    typed("import", str(BUSINESSES / "studio-bela.yaml"))
    typed("staff", "add", "--tenant", "studio-bela", "--email", "a@b.br", "--name", "Ana")
    assert typed("staff", "disable", "--email", "a@b.br").exit_code == 0
    assert "disabled" in typed("staff", "list", "--tenant", "studio-bela").stdout
    warned = typed("staff", "reset-password", "--email", "a@b.br")
    assert "horacerta staff enable --email a@b.br" in warned.stderr
    assert typed("staff", "enable", "--email", "a@b.br").exit_code == 0
    assert "disabled" not in typed("staff", "list").stdout


@pytest.mark.parametrize("command", [["staff", "list"], ["migrate"], ["import", "shop.yaml"], ["worker"]])
def test_a_database_of_a_newer_version_is_one_sentence(
    typed: Callable[..., Result], tmp_path: Path, command: list[str]
) -> None:
    shutil.copy(BUSINESSES / "studio-bela.yaml", tmp_path / "shop.yaml")
    typed("import", "shop.yaml")
    with closing(sqlite3.connect(tmp_path / "shop.db")) as database:
        database.execute("UPDATE alembic_version SET version_num = '9999'")
        database.commit()
    assert "schema 9999, of a newer version than this program" in refused(typed(*command))
    assert "of a newer version" in typed("doctor").stdout


def test_a_full_disk_is_one_sentence(shell: Shell) -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "bot", "migrate"],
            cwd=shell.folder,
            env=shell.environment,
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert done.returncode != 0
    assert done.stderr == "Error: There is no room to write: No space left on device.\n"


def test_check_makes_no_database(typed: Callable[..., Result], tmp_path: Path) -> None:
    done = typed("import", "--check", str(BUSINESSES / "studio-bela.yaml"), database="data/none.db")
    assert done.exit_code == 0
    assert "Corte feminino" in done.stdout
    assert list(tmp_path.iterdir()) == []


def test_shop_is_opened_step_by_step(shell: Shell) -> None:
    """The README's path: import, import again, a login, a chat in the terminal."""
    file = str(BUSINESSES / "studio-bela.yaml")
    first = shell.run("import", file)
    assert (first.returncode, first.stderr) == (0, "")
    assert "Corte feminino" in first.stdout
    assert "nothing to change" in shell.run("import", file).stdout
    assert shell.run("import", "--check", file).returncode == 0
    added = shell.run("staff", "add", "--tenant", "studio-bela", "--email", "a@b.br", "--name", "Ana")
    assert "Password: " in added.stdout
    piped = shell.run(
        "staff", "reset-password", "--email", "A@b.br", "--password-stdin", stdin="a long secret\n"
    )
    assert piped.returncode == 0
    assert "a long secret" not in piped.stdout
    assert "a@b.br" in shell.run("staff", "list").stdout
    talk = shell.run("chat", "--tenant", "studio-bela", stdin="oi\nquero falar com uma pessoa\nalô?\n")
    assert (talk.returncode, talk.stderr) == (0, "")
    assert "Studio Bela" in talk.stdout
    assert "pessoa da equipe" in talk.stdout
    assert "/fila/1" in talk.stdout


def test_wrong_business_file_names_its_lines(shell: Shell) -> None:
    (shell.folder / "bad.yaml").write_text("tenant:\n  slug: x\n  nome: Y\n")
    done = shell.run("import", "bad.yaml")
    assert done.returncode == 2
    assert "line 3" in done.stderr
    assert "Traceback" not in done.stderr


def test_migrate_says_what_it_did(shell: Shell) -> None:
    assert "Schema: " in shell.run("migrate").stdout
    assert "Nothing to do" in shell.run("migrate").stdout


def test_python_m_bot_tells_its_version(shell: Shell) -> None:
    done = shell.run("--help")
    assert done.returncode == 0
    for name in ("demo", "serve", "web", "worker", "migrate", "import", "staff", "chat", "doctor"):
        assert f"  {name}" in done.stdout


@pytest.mark.timeout(180)
def test_serve_answers_a_real_webhook_and_ends_with_zero(shell: Shell) -> None:
    """One process: a signed form over HTTP, Claude and Twilio as servers, SIGTERM at the end."""
    claude, port = FakeClaude(lambda body: answer(text("Oi! Em que posso ajudar?"))), free_port()
    twilio = FakeTwilio(public_url=f"http://127.0.0.1:{port}")
    shell.run("import", str(BUSINESSES / "studio-bela.yaml"))
    with claude.serve() as claude_url, twilio.server() as twilio_url:
        settings = {
            "SECRET_KEY": SECRET,
            "PUBLIC_URL": twilio.public_url,
            "PORT": str(port),
            "TWILIO_ACCOUNT_SID": ACCOUNT,
            "TWILIO_AUTH_TOKEN": TOKEN,
            "TWILIO_API_URL": twilio_url,
            "ANTHROPIC_API_KEY": "k",
            "ANTHROPIC_BASE_URL": claude_url,
            "INBOUND_DEBOUNCE_SECONDS": "0.1",
        }
        with shell.running("serve", **settings) as process:
            assert wait_for(f"{twilio.public_url}/healthz").status_code == 200
            assert wait_for(f"{twilio.public_url}/readyz").status_code == 200
            headers, form = twilio.inbound_form("oi", To="whatsapp:+551130001000")
            received = httpx.post(
                f"{twilio.public_url}/twilio/inbound", data=form, headers=headers, trust_env=False
            )
            assert (received.status_code, received.text) == (200, "<Response/>")
            deadline = time.monotonic() + 20
            while not twilio.sent and time.monotonic() < deadline:
                time.sleep(0.05)
            assert twilio.bodies == ["Oi! Em que posso ajudar?"]
            process.send_signal(signal.SIGTERM)
            assert process.wait(20) == 0
            assert "Traceback" not in (process.stderr.read() if process.stderr else "")


def test_taken_port_is_one_sentence(shell: Shell) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        done = shell.run("serve", "--port", str(taken.getsockname()[1]), SECRET_KEY=SECRET)
    assert done.returncode == 2
    assert "cannot listen" in done.stderr
    assert "Traceback" not in done.stderr


def test_worker_ends_at_once_when_it_is_told(shell: Shell) -> None:
    """Ctrl-C and SIGTERM: exit code 0, well within the twenty seconds."""
    for number in (signal.SIGTERM, signal.SIGINT):
        with shell.running("worker", LOG_LEVEL="INFO") as process:
            assert process.stderr is not None
            line = process.stderr.readline()
            assert "worker_started" in line
            process.send_signal(number)
            assert process.wait(20) == 0


@pytest.mark.timeout(90)
def test_stop_releases_a_run_that_does_not_end(shell: Shell) -> None:
    """The model hangs: the process still ends within twenty seconds, and the conversation is due again."""
    hang = threading.Event()

    def stalled(body: object) -> object:
        hang.wait(60)
        return answer(text("tarde"))

    claude, twilio = FakeClaude(stalled), FakeTwilio()
    shell.run("import", str(BUSINESSES / "studio-bela.yaml"))
    db = Database(shell.environment["DATABASE_URL"])
    now = datetime.now(UTC)
    incoming = Incoming(tenant_id=1, addresses=("whatsapp:+5511987654321",), provider_sid="SM1", text="oi")
    received = message.receive(db, incoming, now, timedelta(0))
    with claude.serve() as claude_url, twilio.server() as twilio_url:
        settings = {"ANTHROPIC_API_KEY": "k", "ANTHROPIC_BASE_URL": claude_url, "TWILIO_API_URL": twilio_url}
        with shell.running("worker", **settings) as process:
            deadline = time.monotonic() + 20
            while not claude.requests and time.monotonic() < deadline:
                time.sleep(0.05)
            process.send_signal(signal.SIGTERM)
            assert process.wait(20) == 0
        hang.set()
    with db.reading() as session:
        row = conversation.find(session, 1, received.conversation_id)
    assert row.lease_token is None
    assert row.due_at is not None
    db.dispose()


def test_doctor_names_each_fault_and_its_cure(shell: Shell) -> None:
    """Nothing set: exit 1, one line each. All set against the stand-ins: every line that can be ok is."""
    bare = shell.run("doctor")
    assert bare.returncode == 1
    assert "WRONG  SECRET_KEY: not set; make one with" in bare.stdout
    assert f"WRONG  DATABASE_URL: there is no file {shell.folder / 'shop.db'}; " in bare.stdout
    assert list(shell.folder.iterdir()) == []
    assert "run: horacerta migrate" in bare.stdout
    assert "ok     time zone data" in bare.stdout
    assert "Traceback" not in bare.stderr
    claude = FakeClaude([answer(text("ok")), error(404, "not_found_error", "model: nope")])
    shell.run("migrate")
    with claude.serve() as url:
        settings = {"SECRET_KEY": SECRET, "ANTHROPIC_API_KEY": "k", "ANTHROPIC_BASE_URL": url}
        right = shell.run("doctor", **settings)
        assert "ok     model (anthropic): claude-haiku-5-5 answers" in right.stdout
        assert "WRONG  business: none yet; run: horacerta import" in right.stdout
        wrong = shell.run("doctor", ANTHROPIC_MODEL="nope", **settings)
    assert "WRONG  model (anthropic): nope does not answer" in wrong.stdout
    assert "ANTHROPIC_MODEL" in wrong.stdout
