"""The commands. Each parses, calls one function, and turns known errors into one sentence."""

import os
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import click
from flask import Flask

from bot.cli import backup, business, chat, customer, doctor, evaluate, staff
from bot.cli.common import (
    Commands,
    Problem,
    database,
    database_in_use,
    opened,
    settings_given,
    to_look_at,
)
from bot.core import log
from bot.core.services import Services
from bot.core.settings import environment
from bot.demo import setup as demo
from bot.process import bootstrap, server, staff_logins
from bot.process.worker import Worker
from bot.web.app import create_app
from bot.web.twilio_webhook import webhook
from models import business_file, schema
from models.business_file import BusinessFileErrors


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="horacerta", prog_name="horacerta")
def main() -> None:
    """Hora Certa: a WhatsApp scheduling bot for small businesses, with a human queue behind it.

    Settings come from the environment and from .env; .env.example explains each.
    """


_COMMANDS = (
    backup.backup,
    backup.restore,
    business.business,
    customer.customer,
    evaluate.evaluate,
    staff.staff,
)
for _command in _COMMANDS:
    main.add_command(_command)


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
    services = bootstrap.services(setup.settings, database(setup.settings), environment())
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
    settings = settings_given()
    crew = Worker(bootstrap.services(settings, database(settings), environment()))
    server.stop_on_signals()
    try:
        crew.start()
        server.wait_for_stop()
    finally:
        _stop(crew)


def _web_services(host: str | None, port: int | None) -> Services:
    settings = settings_given(host=host, port=port)
    settings.require("secret_key")
    return bootstrap.services(settings, database(settings), environment())


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
    db = opened(settings_given())
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
    settings = settings_given()
    now = bootstrap.system_clock()
    try:
        wanted = business_file.load(file)
        if check:
            with to_look_at(settings) as db, db.reading() as session:
                plan = business_file.plan(session, wanted, now)
        else:
            with database(settings).writing() as session:
                plan = business_file.apply(session, wanted, now, force=force)
    except OSError as error:
        raise Problem(f"{file}: {error.strerror}.") from None
    except BusinessFileErrors as errors:
        click.echo(f"{file}:\n{errors}", err=True)
        sys.exit(2)
    click.echo("\n".join(business_file.render(plan)))
    if plan.is_blocked and not force:
        sys.exit(1)


@main.command("chat")
@click.option("--tenant", required=True, help="The business's slug.")
def chat_command(tenant: str) -> None:
    """Talk to the bot in the terminal, as a customer."""
    settings = settings_given()
    # Between the lines of a talk only what went wrong is of use; who wants more says so.
    said = "log_level" in settings.model_fields_set
    log.configure(settings.log_level if said else "WARNING", settings.log_format)
    chat.talk(settings, database_in_use(settings), tenant)


@main.command("doctor")
def doctor_command() -> None:
    """Check every setting against the real thing: one line each, exit code 1 if anything is wrong."""
    settings = settings_given()
    findings = doctor.examine(settings, environment())
    for finding in findings:
        click.echo(finding.line())
    sys.exit(0 if all(finding.ok for finding in findings) else 1)
