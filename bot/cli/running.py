"""The commands that run until they are stopped, put together from their parts."""

import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from socket import socket

import click
from flask import Blueprint

from bot.core import log
from bot.core.bell import Bell
from bot.core.services import Services
from bot.core.settings import Settings, environment
from bot.process import bootstrap, server, staff_logins, supervisor, worker
from bot.web.app import create_app
from bot.web.twilio_webhook import webhook
from models.db import Database

Bells = tuple[Bell, Bell]  # for those who answer, and for those who send


def together(services: Services, pages: Sequence[Blueprint], lines: Sequence[str]) -> None:
    """Web and worker in one process: enough for one person who tries it out."""
    crew = worker.Worker(services)
    settings = services.settings
    sockets = server.listen(settings.host, settings.port)
    app = create_app(services, [webhook(services), *pages])

    def ready() -> None:
        # Only now: what the workers send may come back to this very server.
        crew.start()
        _say(lines)

    try:
        server.run(app, sockets, limits=services.meters.limits, ready=ready)
    finally:
        worker.end(crew)


def serve(services: Services) -> None:
    """A web process and some worker processes. `services` are those of the settings, tried out already."""
    settings = services.settings
    sockets = server.listen(settings.host, settings.port)
    bells = Bell(), Bell()
    parts: dict[str, Callable[[], None]] = {"web": partial(_web_part, settings, bells, sockets)}
    for number in range(1, settings.worker_processes + 1):
        parts[f"worker-{number}"] = partial(_worker_part, settings, bells)
    lines = _hints(services, sockets)
    services.db.dispose()  # its connections are not shared with the new processes
    _say(lines)
    supervisor.run(parts)


def web(services: Services) -> None:
    settings = services.settings
    sockets = server.listen(settings.host, settings.port)
    lines = _hints(services, sockets)
    _answer(services, sockets, ready=lambda: _say(lines))


def _web_part(settings: Settings, bells: Bells, sockets: Sequence[socket]) -> None:
    _answer(_services(settings, bells), sockets)


def _worker_part(settings: Settings, bells: Bells) -> None:
    worker.run(_services(settings, bells))


def _services(settings: Settings, bells: Bells) -> Services:
    """Those of one process of several."""
    log.configure(settings.log_level, settings.log_format)
    made = bootstrap.services(settings, Database(settings.database_url), environment())
    return replace(made, wake_agent=bells[0], wake_outbox=bells[1])


def _answer(services: Services, sockets: Sequence[socket], ready: Callable[[], None] = lambda: None) -> None:
    app = create_app(services, [webhook(services)])
    server.run(app, sockets, limits=services.meters.limits, ready=ready)


def _say(lines: Sequence[str]) -> None:
    click.echo("\n".join(lines))
    sys.stdout.flush()


def _hints(services: Services, sockets: Sequence[socket]) -> list[str]:
    settings, port = services.settings, sockets[0].getsockname()[1]
    lines = [f"Hora Certa: http://{settings.host}:{port}/fila (model: {settings.provider})"]
    missing = [name for name in ("public_url", "twilio_auth_token") if not getattr(settings, name)]
    lines += [f"  {name.upper()} is not set: WhatsApp messages are refused." for name in missing]
    if not staff_logins.any_business(services.db):
        lines.append("  No business yet; bring one in by: horacerta import FILE.yaml")
    return lines
