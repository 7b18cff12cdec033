"""The product as a process of its own that kills itself at a chosen point: SIGKILL, nothing is tidied up.

The points are each side of every database commit and of every HTTP exchange, counted as they come.
"""

import os
import signal
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from multiprocessing.connection import Connection
from typing import Any

import httpx

from bot.core.services import Services
from bot.core.settings import Settings
from bot.process import bootstrap
from bot.process.worker import drain
from bot.sending import outbox
from bot.web.app import create_app
from bot.web.twilio_webhook import webhook
from models.db import Database
from tests.stage import Clock


@dataclass(frozen=True)
class Life:
    """One life of the process. `kill_at` 0 lets it end by itself; `form` is delivered first, where given.

    After all is done that is due, it goes on at each moment of `then`.
    """

    database: str
    settings: dict[str, Any]
    now: datetime
    kill_at: int = 0
    form: dict[str, str] = field(default_factory=dict)
    headers: dict[str, str] = field(default_factory=dict)
    then: tuple[datetime, ...] = ()


class Points:
    """Counts the points, and dies at the chosen one."""

    def __init__(self, kill_at: int) -> None:
        self.kill_at = kill_at
        self.names: list[str] = []

    def pass_by(self, name: str) -> None:
        self.names.append(name)
        if len(self.names) == self.kill_at:
            os.kill(os.getpid(), signal.SIGKILL)

    def around(self, name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        def wrapped(*args: Any, **kwargs: Any) -> Any:
            self.pass_by(f"before {name}")
            result = function(*args, **kwargs)
            self.pass_by(f"after {name}")
            return result

        return wrapped


def live(life: Life, report: Connection) -> None:
    """Deliver, then do all that is due, until nothing is left; report the points that were passed."""
    db = Database(life.database)
    points = Points(life.kill_at)
    db.engine.dialect.do_commit = points.around("commit", db.engine.dialect.do_commit)
    send = httpx.HTTPTransport.handle_request
    httpx.HTTPTransport.handle_request = points.around("exchange", send)
    clock = Clock(life.now)
    services = _services(life, db, clock)
    if life.form:
        _deliver(services, life)
    for moment in (life.now, *life.then):
        clock.now = moment + timedelta(seconds=2)
        drain(services)
        outbox.settle(services, clock.now)
        drain(services)
    report.send(points.names)
    db.dispose()


def _services(life: Life, db: Database, clock: Clock) -> Services:
    settings = Settings(_env_file=None, **life.settings)
    real = bootstrap.services(settings, db, {})
    return Services(settings=settings, db=db, model=real.model, sender_for=real.sender_for, now=clock)


def _deliver(services: Services, life: Life) -> None:
    client = create_app(services, [webhook(services)]).test_client()
    answer = client.post("/twilio/inbound", data=life.form, headers=life.headers)
    assert answer.status_code == 200
