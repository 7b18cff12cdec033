"""The commands. Each parses, calls one function, and turns known errors into one sentence."""

import errno
import json
import os
import select
import stat
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TextIO, get_args

import click
import httpx
from flask import Flask
from sqlalchemy.exc import DBAPIError

from bot.cli import chat, doctor
from bot.core import log
from bot.core.http import ThreadClients
from bot.core.pricing import with_given
from bot.core.services import Services
from bot.core.settings import Provider, Settings, SettingsError, environment, load
from bot.demo import setup as demo
from bot.evals import report, runner, task
from bot.process import bootstrap, server, staff_logins
from bot.process.worker import Worker
from bot.web.app import create_app
from bot.web.twilio_webhook import webhook
from models import appointment, audit, business_file, conversation, customer_data, erasure, schema
from models.business_file import BusinessFileErrors
from models.conversation import Holder
from models.db import Database, missing_file
from models.errors import Conflict, NotFound
from models.staff import ROLES
from models.tenant import Tenant


class Problem(click.ClickException):
    """One sentence for whoever runs the command. Exit code 2: a setting or an argument is wrong."""

    exit_code = 2


class Commands(click.Group):
    """Turns the errors that any command may meet into one sentence."""

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except (
            SettingsError,
            server.NotListening,
            bootstrap.WrongSchema,
            staff_logins.AccountError,
        ) as error:
            raise Problem(str(error)) from None
        except DBAPIError as error:
            reason = str(error.orig).strip().splitlines()[0] if str(error.orig).strip() else "no answer"
            raise Problem(f"DATABASE_URL: the database does not work as it is set ({reason}).") from None
        except OSError as error:
            if error.errno != errno.ENOSPC:
                raise
            # What could not be written would be tried once more at the end, and told with a traceback.
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
            raise click.ClickException(f"There is no room to write: {error.strerror}.") from None


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="horacerta", prog_name="horacerta")
def main() -> None:
    """Hora Certa: a WhatsApp scheduling bot for small businesses, with a human queue behind it.

    Settings come from the environment and from .env; .env.example explains each.
    """


def _settings(**overrides: object) -> Settings:
    given = {name: value for name, value in overrides.items() if value is not None}
    settings = load(Path(".env"), **given)
    log.configure(settings.log_level, settings.log_format)
    return settings


def _database(settings: Settings) -> Database:
    """A database with the newest schema: SQLite is brought to it, PostgreSQL must have it."""
    db = _opened(settings)
    bootstrap.ensure_schema(db)
    return db


def _database_in_use(settings: Settings) -> Database:
    """The same, for what works on a business: a mistyped address must not become an empty database."""
    cure = "is the address right? A business is brought in by: horacerta import FILE.yaml"
    if missing := missing_file(settings.database_url):
        raise Problem(f"DATABASE_URL: there is no file {missing}; {cure}")
    db = _opened(settings)
    foreign = db.is_sqlite and schema.current(db) is None
    if not foreign:
        bootstrap.ensure_schema(db)
    if foreign or not staff_logins.any_business(db):
        raise Problem(f"DATABASE_URL: the database holds no business yet; {cure}")
    return db


@contextmanager
def _to_look_at(settings: Settings) -> Iterator[Database]:
    """The database of the settings; one that would have to be made first is an empty one in passing."""
    if missing_file(settings.database_url) is None:
        yield _database(settings)
        return
    with TemporaryDirectory(prefix="horacerta-") as folder:
        db = Database(f"sqlite:///{folder}/empty.db")
        try:
            schema.migrate(db)
            yield db
        finally:
            db.dispose()


def _opened(settings: Settings) -> Database:
    try:
        return Database(settings.database_url)
    except OSError as error:
        raise Problem(f"DATABASE_URL: {error.filename}: {error.strerror}.") from None


def _address_options(command: Callable[..., None]) -> Callable[..., None]:
    command = click.option("--port", type=click.IntRange(0, 65535), help="Port (else PORT).")(command)
    return click.option("--host", help="Address to listen on (else HOST).")(command)


@main.command("demo")
@_address_options
@click.option("--data", type=click.Path(path_type=Path, file_okay=False), help="Keep the data here.")
def demo_command(host: str | None, port: int | None, data: Path | None) -> None:
    """The main job on embedded defaults: a phone to chat with, the bot, the staff page."""
    given = environment()
    host = host or given.get("HOST") or "127.0.0.1"
    with demo.alone_in(data):
        _demo(demo.prepare(data, host, _port(port, given), given))


def _demo(setup: demo.DemoSetup) -> None:
    # The terminal shows the addresses, not the log of the sample life, unless somebody wants it.
    log.configure((environment().get("LOG_LEVEL") or "WARNING").upper(), setup.settings.log_format)
    services = bootstrap.services(setup.settings, _database(setup.settings), environment())
    demo.seed(services, setup)
    app = create_app(services, [webhook(services), *demo.blueprints(services, setup)])
    _serve(services, app, setup.lines_to_print, Worker(services))


def _port(port: int | None, given: Mapping[str, str]) -> int:
    if port is not None:
        return port
    text = given.get("PORT") or "8000"
    if not text.isdigit() or int(text) > 65535:
        raise Problem("PORT: must be a number from 0 to 65535.")
    return int(text)


@main.command()
@_address_options
def serve(host: str | None, port: int | None) -> None:
    """Web, workers and timers in one process: all that one machine needs."""
    services = _web_services(host, port)
    app = create_app(services, [webhook(services)])
    _serve(services, app, _hints(services), Worker(services))


@main.command()
@_address_options
def web(host: str | None, port: int | None) -> None:
    """Only the web half: webhooks and staff pages. Needs a `worker` beside it."""
    services = _web_services(host, port)
    _serve(services, create_app(services, [webhook(services)]), _hints(services), None)


@main.command()
def worker() -> None:
    """Only the worker half: answers, sends, keeps time. As many as wanted, on one PostgreSQL."""
    settings = _settings()
    crew = Worker(bootstrap.services(settings, _database(settings), environment()))
    server.stop_on_signals()
    try:
        crew.start()
        server.wait_for_stop()
    finally:
        _stop(crew)


def _web_services(host: str | None, port: int | None) -> Services:
    settings = _settings(host=host, port=port)
    settings.require("secret_key")
    return bootstrap.services(settings, _database(settings), environment())


def _serve(services: Services, app: Flask, lines: list[str], crew: Worker | None) -> None:
    """Serve pages until stopped, with the worker half beside them where there is one."""

    def ready(_port: int) -> None:
        # Only now: what the workers send may come back to this very server.
        if crew is not None:
            crew.start()
        click.echo("\n".join(lines))
        sys.stdout.flush()

    settings = services.settings
    server.stop_on_signals()
    try:
        server.run(app, settings.host, settings.port, ready=ready)
    finally:
        if crew is not None:
            _stop(crew)


def _stop(crew: Worker) -> None:
    if not crew.stop():
        # What that run held is released, and another worker goes on with it; its thread would keep us here.
        sys.stdout.flush()
        os._exit(0)


def _hints(services: Services) -> list[str]:
    settings = services.settings
    lines = [f"Hora Certa: http://{settings.host}:{settings.port}/fila (model: {settings.provider})"]
    missing = [name for name in ("public_url", "twilio_auth_token") if not getattr(settings, name)]
    lines += [f"  {name.upper()} is not set: WhatsApp messages are refused." for name in missing]
    if not staff_logins.any_business(services.db):
        lines.append("  No business yet; bring one in by: horacerta import FILE.yaml")
    return lines


@main.command()
def migrate() -> None:
    """Bring the database to the newest schema."""
    db = _opened(_settings())
    before = schema.current(db)
    if newer := bootstrap.newer_schema(before):
        raise Problem(newer)
    schema.migrate(db)
    after = schema.newest()
    click.echo("Nothing to do: the schema is the newest." if before == after else f"Schema: {after}.")


@main.command("import")
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
@click.option("--check", is_flag=True, help="Only validate the file and show what would change.")
@click.option(
    "--force",
    is_flag=True,
    help="Apply it even if future appointments are left stranded, or customers forgotten.",
)
def import_command(file: Path, check: bool, force: bool) -> None:
    """Create or update one business from its FILE (YAML)."""
    settings = _settings()
    now = bootstrap.system_clock()
    try:
        wanted = business_file.load(file)
        if check:
            with _to_look_at(settings) as db, db.reading() as session:
                plan = business_file.plan(session, wanted, now)
        else:
            with _database(settings).writing() as session:
                plan = business_file.apply(session, wanted, now, force=force)
    except OSError as error:
        raise Problem(f"{file}: {error.strerror}.") from None
    except BusinessFileErrors as errors:
        click.echo(f"{file}:\n{errors}", err=True)
        sys.exit(2)
    click.echo("\n".join(business_file.render(plan)))
    if plan.is_blocked and not force:
        sys.exit(1)


@main.group()
def staff() -> None:
    """Logins for the staff page."""


@staff.command("add")
@click.option("--tenant", required=True, help="The business's slug.")
@click.option("--email", required=True)
@click.option("--name", required=True)
@click.option(
    "--role",
    type=click.Choice(ROLES),
    default="owner",
    show_default=True,
    help="What they may do: an attendant answers, a manager also sees figures and manages attendants.",
)
@click.option("--password-stdin", is_flag=True, help="Read the password from standard input.")
def staff_add(tenant: str, email: str, name: str, role: str, password_stdin: bool) -> None:
    """Add a login; prints a generated password where none is piped in."""
    given = sys.stdin.readline().rstrip("\n") if password_stdin else None
    now = bootstrap.system_clock()
    password = staff_logins.add(_database_in_use(_settings()), now, tenant, email, name, given, role)
    click.echo(f"Login: {email}")
    if given is None:
        click.echo(f"Password: {password}")


@staff.command("list")
@click.option("--tenant", help="Only this business (slug).")
def staff_list(tenant: str | None) -> None:
    """All logins: business, e-mail, name, role, state."""
    for line in staff_logins.lines(_database_in_use(_settings()), tenant):
        click.echo(line)


@staff.command("reset-password")
@click.option("--email", required=True)
@click.option("--password-stdin", is_flag=True, help="Read the password from standard input.")
def staff_reset(email: str, password_stdin: bool) -> None:
    """Give a login a new password and end its sessions."""
    given = sys.stdin.readline().rstrip("\n") if password_stdin else None
    done = staff_logins.reset(_database_in_use(_settings()), bootstrap.system_clock(), email, given)
    click.echo(f"New password for {email}" + ("" if given else f": {done.password}"))
    if done.disabled:
        cure = f"horacerta staff enable --email {email}"
        click.echo(f"This login is disabled: the password opens nothing until you run: {cure}", err=True)


@staff.command("disable")
@click.option("--email", required=True)
def staff_disable(email: str) -> None:
    """Shut a login out at once; the conversations that it held wait for others again."""
    freed = staff_logins.disable(_database_in_use(_settings()), bootstrap.system_clock(), email)
    click.echo(f"Disabled: {email}")
    if freed:
        click.echo(f"Back in the queue: {freed} conversation{'' if freed == 1 else 's'}")


@staff.command("enable")
@click.option("--email", required=True)
def staff_enable(email: str) -> None:
    """Let a disabled login in again, with the password that it had."""
    staff_logins.enable(_database_in_use(_settings()), bootstrap.system_clock(), email)
    click.echo(f"Enabled: {email}")


class Phone(click.ParamType[str]):
    """A phone with its country, with whatever spaces and signs."""

    name = "+55…"

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        try:
            return customer_data.parse_phone(value)
        except ValueError as error:
            self.fail(f"{value}: {error}.", param, ctx)


def _customer_options(command: Callable[..., None]) -> Callable[..., None]:
    command = click.option("--phone", required=True, type=Phone(), help="The customer's phone.")(command)
    return click.option("--tenant", required=True, help="The business's slug.")(command)


@main.group()
def customer() -> None:
    """What is kept of a customer: given out, or forgotten."""


@customer.command("export")
@_customer_options
def customer_export(tenant: str, phone: str) -> None:
    """Print all data of one customer as JSON."""
    with _database_in_use(_settings()).writing() as session, _known_customer(tenant, phone):
        tenant_id = staff_logins.tenant_id(session, tenant)
        found = customer_data.find(session, tenant_id, phone)
        data = customer_data.export(session, session.get_one(Tenant, tenant_id), found)
        audit.record(session, bootstrap.system_clock(), tenant_id, "customer.export", subject_id=found.id)
    click.echo(json.dumps(data, ensure_ascii=False, indent=2))


@customer.command("forget")
@_customer_options
@click.option("--yes", is_flag=True, help="Do not ask first, nor heed an answer that is piped in.")
def customer_forget(tenant: str, phone: str, yes: bool) -> None:
    """Make one customer anonymous, for good. Appointments and figures stay, without the person.

    In a terminal it asks first. In a script it does not; an answer that is piped in counts all the same.
    """
    db = _database_in_use(_settings())
    if not _is_agreed(_at_stake(db, tenant, phone), yes):
        raise click.ClickException("Nothing was forgotten.")
    try:
        with db.writing() as session, _known_customer(tenant, phone):
            erasure.forget(session, bootstrap.system_clock(), staff_logins.tenant_id(session, tenant), phone)
    except Conflict as conflict:
        raise click.ClickException(f"Not now: {conflict}; try again in a minute.") from None
    click.echo(f"Forgotten: {phone}. Appointments and figures stay, without the person.")
    if not erasure.scrub(db):
        click.echo("The database was too busy to be rebuilt: old words may still be read in its file.")


@dataclass(frozen=True)
class _Stake:
    """Whom it is about; `open` says what is lost with them beyond words, empty if nothing."""

    who: str
    open: str


def _at_stake(db: Database, tenant: str, phone: str) -> _Stake:
    """A wrong digit may be somebody else's phone."""
    with db.reading() as session, _known_customer(tenant, phone):
        tenant_id = staff_logins.tenant_id(session, tenant)
        found = customer_data.find(session, tenant_id, phone)
        assert found.id is not None
        talk = conversation.of_customer(session, tenant_id, found.id)
        ahead = len(appointment.upcoming(session, tenant_id, found.id, bootstrap.system_clock()))
    waits = {Holder.QUEUE: "waits in the queue", Holder.STAFF: "is talking with a person"}
    parts = [waits.get(Holder(talk.holder), "") if talk else "", _ahead(ahead)]
    return _Stake(f"{found.name or 'the nameless customer'} ({phone})", " and ".join(filter(None, parts)))


def _ahead(visits: int) -> str:
    if not visits:
        return ""
    return "has a visit ahead" if visits == 1 else f"has {visits} visits ahead"


def _is_agreed(stake: _Stake, yes: bool) -> bool:
    if _in_terminal() and not yes:
        who = f"{stake.who}, who {stake.open}," if stake.open else stake.who
        return click.confirm(f"Forget {who} for good?")
    if stake.open:
        click.echo(f"Note: the customer {stake.open}.")
    said = None if yes else _piped(sys.stdin)
    return said is None or said.strip().casefold() in ("y", "yes", "s", "sim")


def _in_terminal() -> bool:
    return sys.stdin is not None and sys.stdin.isatty()


def _piped(stream: TextIO | None) -> str | None:
    """The line that lies ready in a pipe; None where there is none: closed, silent, no pipe at all."""
    try:
        fd = -1 if stream is None else stream.fileno()
        if fd < 0 or not stat.S_ISFIFO(os.fstat(fd).st_mode) or not select.select([fd], [], [], 0)[0]:
            return None
        # Not by the stream, which would wait for the end of a line.
        said = os.read(fd, 1000).decode(errors="replace")
    except (OSError, ValueError):
        return None
    return said.partition("\n")[0] if said else None


@contextmanager
def _known_customer(tenant: str, phone: str) -> Iterator[None]:
    try:
        yield
    except NotFound:
        raise click.ClickException(f"{tenant} has no customer with the phone {phone}.") from None


@main.command("chat")
@click.option("--tenant", required=True, help="The business's slug.")
def chat_command(tenant: str) -> None:
    """Talk to the bot in the terminal, as a customer."""
    settings = _settings()
    # Between the lines of a talk only what went wrong is of use; who wants more says so.
    said = "log_level" in settings.model_fields_set
    log.configure(settings.log_level if said else "WARNING", settings.log_format)
    chat.talk(settings, _database_in_use(settings), tenant)


@main.command("eval")
@click.option(
    "--provider", type=click.Choice(get_args(Provider)), help="The model to examine (else LLM_PROVIDER)."
)
@click.option("--trials", type=click.IntRange(1, 100), default=1, show_default=True, help="Of each task.")
@click.option("--json", "file", type=click.File("w", "utf-8", lazy=False), help="Write everything here.")
def eval_command(provider: str | None, trials: int, file: TextIO | None) -> None:
    """Play the conversation tasks with a model, and score what became of them.

    A trial passes if the rows at the end, what the customer was told and the hand-over are as they must be;
    pass^k is the share of tasks of which k trials all pass.
    """
    settings = _settings(llm_provider=provider)
    log.configure("CRITICAL", settings.log_format)
    client = bootstrap.provider_client(
        settings.provider, settings, ThreadClients(verify=httpx.create_ssl_context())
    )
    done = []
    for results in runner.sit(task.load(), trials, client, settings, with_given(settings.model_prices)):
        done.append(results)
        click.echo(report.line(results))
    click.echo("\n".join(report.summary(done, trials)))
    if file is not None:
        document = report.document(done, trials, settings.provider, client.model)
        json.dump(document, file, ensure_ascii=False, indent=2)
    if not any(result.verdict.scored for results in done for result in results):
        raise click.ClickException(f"{client.model} was never reached; try: horacerta doctor")


@main.command("doctor")
def doctor_command() -> None:
    """Check every setting against the real thing: one line each, exit code 1 if anything is wrong."""
    settings = _settings()
    findings = doctor.examine(settings, environment())
    for finding in findings:
        click.echo(finding.line())
    sys.exit(0 if all(finding.ok for finding in findings) else 1)
