"""What `horacerta demo` sets up: secrets that last, addresses that fit, some life at the first start."""

import shutil
import stat
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import TypeVar

import pytest
from flask import Flask
from sqlmodel import SQLModel, select

from bot.core.services import Services
from bot.core.settings import SettingsError
from bot.demo import setup as demo
from bot.demo.setup import DemoSetup
from bot.intents.choices import Choice, Question
from bot.llm.rule_based import OfflineModel
from bot.process.server import NotListening
from bot.web.app import create_app
from models import audit, content_template, schema, staff
from models.appointment import Appointment
from models.audit import AuditEvent
from models.conversation import Conversation, Holder
from models.customer import Customer
from models.db import Database
from models.handoff import Handoff, Reason
from models.message import Message, Status
from models.run import Outcome, Run
from models.tenant import Tenant


@pytest.fixture(autouse=True)
def _bare_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No settings of the machine that runs the tests."""
    for name in ("LLM_PROVIDER", "ANTHROPIC_API_KEY", "OPENAI_API_KEY", "OPENAI_MODEL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)


def prepare(folder: Path | None, host: str = "127.0.0.1", port: int = 8000, **environment: str) -> DemoSetup:
    return demo.prepare(folder, host, port, environment)


def test_twilio_and_the_webhook_are_this_very_server(tmp_path: Path) -> None:
    settings = prepare(tmp_path, port=8123).settings
    assert settings.public_url == "http://127.0.0.1:8123"
    assert settings.twilio_api_url == "http://127.0.0.1:8123/demo/twilio"
    assert settings.database_url == f"sqlite:///{tmp_path}/horacerta.db"
    assert settings.provider == "offline"


def test_secrets_are_random_kept_and_not_readable_by_others(tmp_path: Path) -> None:
    first, again = prepare(tmp_path / "a"), prepare(tmp_path / "a")
    other = prepare(tmp_path / "b")
    assert first.account == again.account
    assert first.settings.secret_key == again.settings.secret_key
    assert first.account != other.account
    assert first.settings.secret_key != other.settings.secret_key
    assert (tmp_path / "a" / "demo.json").stat().st_mode & 0o077 == 0


def test_without_a_folder_the_data_are_passing_ones() -> None:
    setup = prepare(None)
    folder = Path(setup.settings.database_url.removeprefix("sqlite:///")).parent
    assert folder.is_dir()
    assert "gone at the end" in "\n".join(setup.lines_to_print)
    shutil.rmtree(folder)


def test_port_zero_is_a_free_port_that_the_addresses_name(tmp_path: Path) -> None:
    settings = prepare(tmp_path, port=0).settings
    assert settings.port > 0
    assert settings.public_url == f"http://127.0.0.1:{settings.port}"


HOSTS = [
    ("127.0.0.1", "http://127.0.0.1:8000", False),
    ("localhost", "http://localhost:8000", False),
    ("::1", "http://[::1]:8000", False),
    ("0.0.0.0", "http://127.0.0.1:8000", True),
    ("::", "http://[::1]:8000", True),
    ("192.168.0.7", "http://192.168.0.7:8000", True),
    ("casa.example", "http://casa.example:8000", True),
]


@pytest.mark.parametrize(("host", "address", "open_to_others"), HOSTS)
def test_the_known_password_is_only_for_this_machine(
    tmp_path: Path, host: str, address: str, open_to_others: bool
) -> None:
    """Where others can reach the demo there is a warning, and a password that nobody can look up."""
    setup = prepare(tmp_path, host)
    printed = "\n".join(setup.lines_to_print)
    passwords = {login.password for login in setup.logins.values()}
    assert setup.settings.host == host
    assert setup.settings.public_url == address
    assert ("WARNING" in printed) == open_to_others
    assert (passwords != {demo.PASSWORD}) == open_to_others
    assert all(password in printed for password in passwords)


def test_settings_that_the_demo_leaves_alone_are_named(tmp_path: Path) -> None:
    setup = prepare(tmp_path, DATABASE_URL="postgresql://x/y", TWILIO_AUTH_TOKEN="t", LANG="C")
    assert setup.lines_to_print[-1] == "  Not used by the demo: DATABASE_URL, TWILIO_AUTH_TOKEN."


def test_a_folder_that_cannot_be_used_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(SettingsError, match=r"--data: .*file.* cannot be used"):
        prepare(tmp_path / "file")
    (tmp_path / "demo.json").write_text("{")
    with pytest.raises(SettingsError, match=r"demo\.json cannot be read"):
        prepare(tmp_path)


def test_a_second_demo_is_kept_out_of_the_folder(tmp_path: Path) -> None:
    """One sentence; when the first has ended, the folder is free."""
    folder = tmp_path / "data"
    with demo.alone_in(folder):
        with (
            pytest.raises(SettingsError, match=r"^--data: .*data is in use by a demo"),
            demo.alone_in(folder),
        ):
            pass
        with demo.alone_in(tmp_path / "other"), demo.alone_in(None):
            pass
    with demo.alone_in(folder):
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700


def test_a_folder_that_cannot_be_made_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with (
        pytest.raises(SettingsError, match=r"--data: .*file.* cannot be used"),
        demo.alone_in(tmp_path / "file"),
    ):
        pass


def test_a_host_that_is_not_ours_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(NotListening, match=r"203\.0\.113\.7:0 .*; HOST or --host must be an address"):
        prepare(tmp_path, host="203.0.113.7", port=0)


def made(setup: DemoSetup, now: datetime) -> Services:
    db = Database(setup.settings.database_url)
    schema.migrate(db)

    def no_sender(_tenant_id: int) -> object:
        raise AssertionError("nothing is sent to anybody")

    return Services(
        settings=setup.settings,
        db=db,
        model=OfflineModel,
        sender_for=no_sender,
        now=lambda: now,
    )


@pytest.fixture
def seeded(tmp_path: Path, now: datetime) -> Iterator[Services]:
    setup = prepare(tmp_path)
    services = made(setup, now)
    demo.seed(services, setup)
    yield services
    services.db.dispose()


Row = TypeVar("Row", bound=SQLModel)


def rows(services: Services, model: type[Row]) -> list[Row]:
    with services.db.reading() as session:
        return list(session.exec(select(model)).all())


def test_the_first_start_has_some_life(seeded: Services, now: datetime) -> None:
    """Visits before and after now in both businesses, nothing left to do for a worker, all runs real."""
    assert {tenant.slug for tenant in rows(seeded, Tenant)} == {"studio-bela", "barbearia-rio-negro"}
    for tenant in rows(seeded, Tenant):
        visits = [visit for visit in rows(seeded, Appointment) if visit.tenant_id == tenant.id]
        assert any(visit.status == "done" and visit.ends_at <= now for visit in visits)
        assert any(visit.status == "booked" and visit.starts_at > now for visit in visits)
    assert all(conversation.due_at is None for conversation in rows(seeded, Conversation))
    assert all(conversation.lease_token is None for conversation in rows(seeded, Conversation))
    outcomes = {run.outcome for run in rows(seeded, Run)}
    assert outcomes == {Outcome.ANSWERED, Outcome.HANDED_OFF}
    out = [message for message in rows(seeded, Message) if message.direction == "out"]
    assert {message.status for message in out} <= {Status.READ, Status.NOTE}


def test_the_log_tells_the_first_days_in_their_order(seeded: Services, now: datetime) -> None:
    """The newest first, as it is shown: a business is there before anybody answers in its name."""
    for tenant in rows(seeded, Tenant):
        with seeded.db.reading() as session:
            shown = audit.page(session, tenant.id or 0)
        times = [entry.at for entry in shown]
        assert times == sorted(times, reverse=True)
        assert [entry.action for entry in shown][-2:] == ["staff.add", "business.import"]
        begun = [row.created_at for row in rows(seeded, Customer) if row.tenant_id == tenant.id]
        assert times[-1] <= min(begun)
        assert all(at <= now for at in times)


def test_one_conversation_waits_and_one_was_answered_by_a_person(seeded: Services) -> None:
    waiting = [row for row in rows(seeded, Conversation) if row.holder == Holder.QUEUE]
    assert len(waiting) == 2  # one in each business
    episodes = rows(seeded, Handoff)
    assert {episode.reason for episode in episodes} == {Reason.PEDIDO_DO_CLIENTE}
    assert any(episode.closed_at and episode.first_reply_at for episode in episodes)


@pytest.mark.parametrize(
    "local",
    [
        "2026-12-05T23:50",  # Saturday night
        "2026-12-06T08:00",  # Sunday
        "2026-12-24T10:00",
        "2026-12-31T18:00",
        "2027-01-01T00:05",
        "2027-02-09T12:00",  # carnival: both are closed
    ],
)
def test_the_sample_life_fits_whatever_day_it_is(tmp_path: Path, local: str) -> None:
    now = datetime.fromisoformat(f"{local}-03:00").astimezone(UTC)
    setup = prepare(tmp_path)
    services = made(setup, now)
    demo.seed(services, setup)
    assert any(visit.starts_at > now for visit in rows(services, Appointment))
    hours = {tenant.id: tenant for tenant in rows(services, Tenant)}
    replies = [row for row in rows(services, Handoff) if row.first_reply_at]
    assert replies
    for row in replies:
        assert row.first_reply_at is not None
        assert hours[row.tenant_id].next_attendance(row.first_reply_at) == row.first_reply_at <= now
    services.db.dispose()


def test_a_restart_adds_nothing_and_sets_the_password_anew(
    seeded: Services, tmp_path: Path, now: datetime
) -> None:
    counted = (Tenant, Customer, Appointment, Conversation, Message, Run, Handoff)
    before = [len(rows(seeded, model)) for model in counted]
    again = prepare(tmp_path, "0.0.0.0")
    demo.seed(seeded, again)
    assert [len(rows(seeded, model)) for model in counted] == before
    login = again.logins["studio-bela"]
    assert isinstance(staff.log_in(seeded.db, now, login.email, login.password, "127.0.0.1"), staff.LoggedIn)
    assert isinstance(staff.log_in(seeded.db, now, login.email, demo.PASSWORD, "127.0.0.1"), staff.Refused)


def test_a_restart_leaves_people_logged_in(seeded: Services, tmp_path: Path, now: datetime) -> None:
    """The same password opens it, so nothing was guarded by ending their sessions."""
    setup = prepare(tmp_path)
    login = setup.logins["studio-bela"]
    entered = staff.log_in(seeded.db, now, login.email, login.password, "127.0.0.1")
    assert isinstance(entered, staff.LoggedIn)
    demo.seed(seeded, setup)
    with seeded.db.reading() as session:
        assert staff.visit(session, now, entered.token) is not None
        acts = session.exec(select(AuditEvent.action)).all()
    assert "staff.reset_password" not in acts


def test_the_phones_remember_what_was_said_before_the_restart(seeded: Services, tmp_path: Path) -> None:
    """A second program on the same data lists what the first one sent, and can still reach who wrote."""
    setup = prepare(tmp_path)
    app: Flask = create_app(seeded, demo.blueprints(seeded, setup))
    account = setup.account
    answer = app.test_client().get(
        f"/demo/twilio/2010-04-01/Accounts/{account.sid}/Messages.json", auth=(account.sid, account.token)
    )
    assert answer.json is not None
    listed = {message["sid"]: message["body"] for message in answer.json["messages"]}
    known = {row.provider_sid: row.text for row in rows(seeded, Message) if row.provider_sid}
    assert listed == known
    assert known


def test_only_the_demo_has_the_page(seeded: Services) -> None:
    web = create_app(seeded).test_client()
    assert web.get("/demo").status_code == 404
    assert web.get("/demo/estado").status_code == 404


def test_one_business_shows_buttons_and_pictures(tmp_path: Path) -> None:
    setup = prepare(tmp_path)
    services = made(setup, datetime.now(UTC))
    demo.seed(services, setup)
    with services.db.reading() as session:
        shown = {row.slug: (row.buttons, row.images) for row in session.exec(select(Tenant))}
    assert shown == {"studio-bela": (True, True), "barbearia-rio-negro": (False, False)}


def test_after_a_restart_buttons_are_there_and_forms_are_made_anew(tmp_path: Path) -> None:
    """The phone shows what it showed; the stand-in has forgotten the forms, and so has the product."""
    setup = prepare(tmp_path)
    services = made(setup, datetime.now(UTC))
    demo.seed(services, setup)
    question = Question("Qual horário?", (Choice("slot:1", "10:00", "Ana"),), button="Ver horários")
    with services.db.writing() as session:
        conversation = session.exec(select(Conversation)).first()
        assert conversation is not None
        assert conversation.id is not None
        session.add(
            Message(
                tenant_id=conversation.tenant_id,
                conversation_id=conversation.id,
                seq=conversation.last_seq + 1,
                direction="out",
                author="bot",
                text="Qual horário?",
                extra=question.extra(tappable=True),
                status="read",
                provider_sid="SM" + "7" * 32,
                created_at=services.now(),
            )
        )
        content_template.keep(session, services.now(), "AC1", "digest", "HX1")
    with services.db.reading() as session:
        [line] = [line for line in demo._remembered(session) if line.sid == "SM" + "7" * 32]
    assert (line.button, [(one.id, one.title, one.description) for one in line.options]) == (
        "Ver horários",
        [("slot:1", "10:00", "Ana")],
    )
    demo.blueprints(services, setup)
    with services.db.reading() as session:
        assert content_template.find(session, "AC1", "digest") is None
