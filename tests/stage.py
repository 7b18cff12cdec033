"""The whole product in one process: signed forms in, what the Twilio stand-in accepted out.

Real database, real webhook, real loop and tools, real outbox; the model is a strict scripted Claude (or the
offline model), Twilio a stand-in, the clock is set by hand.
"""

from collections.abc import Callable, Iterable
from datetime import datetime, timedelta
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import httpx
from flask import Flask
from flask.testing import FlaskClient
from sqlmodel import select

from bot.core.services import Services
from bot.core.settings import Settings
from bot.llm.anthropic import AnthropicClient
from bot.llm.base import ModelClient
from bot.process.worker import drain
from bot.web.app import create_app
from bot.web.twilio_webhook import webhook
from bot.whatsapp.base import Sender
from bot.whatsapp.credentials import Account
from bot.whatsapp.twilio import TwilioSender, twilio_client
from models import business_file
from models.appointment import Appointment
from models.conversation import Conversation
from models.db import Database
from models.handoff import Handoff
from models.message import Message
from models.run import Run, RunStep
from models.tenant import Tenant
from tests import databases
from tests.fakes.claude import FakeClaude
from tests.fakes.twilio import ACCOUNT, PUBLIC_URL, TOKEN, FakeTwilio

BUSINESSES = Path(__file__).parents[1] / "templates" / "business"
STUDIO, BARBER = "studio-bela", "barbearia-rio-negro"
MARIA, JOAO = "whatsapp:+5511987654321", "whatsapp:+5511976543210"

Script = Iterable[Any] | Callable[[dict[str, Any]], Any]


class Clock:
    """A clock that stands until it is moved."""

    def __init__(self, now: datetime) -> None:
        self.now = now

    def __call__(self) -> datetime:
        return self.now

    def forward(self, **delta: float) -> None:
        self.now += timedelta(**delta)


@cache  # reading and checking one costs more than most talks
def _sample(slug: str) -> business_file.BusinessFile:
    return business_file.load(BUSINESSES / f"{slug}.yaml")


class Stage:
    """The product, with both sample businesses. `script` None plays the offline model."""

    def __init__(self, db: Database, now: datetime, script: Script | None = None, **settings: object) -> None:
        self.db = db
        self.clock = Clock(now)
        self.twilio = FakeTwilio(now=self.clock)
        self.claude = FakeClaude(script if script is not None else [])
        self.settings = Settings(
            _env_file=None,
            **{
                "secret_key": "s" * 40,
                "public_url": PUBLIC_URL,
                "twilio_account_sid": ACCOUNT,
                "twilio_auth_token": (TOKEN,),
                "log_level": "ERROR",
                **settings,
            },
        )
        self.model: ModelClient = self._model(offline=script is None)
        self._http = httpx.Client(transport=self.twilio.transport())
        self.services = Services(
            settings=self.settings,
            db=db,
            model=lambda: self.model,
            sender_for=self._sender,
            now=self.clock,
        )
        self.open()

    def _model(self, *, offline: bool) -> ModelClient:
        if offline:
            from bot.llm.rule_based import OfflineModel

            return OfflineModel()
        return AnthropicClient(
            self.claude.client(), key="k", model="claude-haiku-5-5", sleep=lambda seconds: None
        )

    def open(self) -> None:
        """Import both businesses."""
        databases.furnished(self.db, ("stage", self.clock()), self._import)

    def _import(self) -> None:
        for slug in (STUDIO, BARBER):
            file = _sample(slug)
            with self.db.writing() as session:
                business_file.apply(session, file, self.clock())

    def _sender(self, tenant_id: int) -> Sender:
        with self.db.reading() as session:
            number = session.get_one(Tenant, tenant_id).whatsapp
        client = twilio_client(Account(ACCOUNT, (TOKEN,), ""), self._http, None)
        return TwilioSender(client, number, PUBLIC_URL)

    # What happens

    def app(self) -> Flask:
        return create_app(self.services, [webhook(self.services)])

    @cached_property
    def _door(self) -> FlaskClient:
        """Where all messages come in: making an app costs more than a message."""
        return self.client()

    def client(self) -> FlaskClient:
        return self.app().test_client()

    def deliver(self, text: str, sender: str = MARIA, slug: str = STUDIO, **fields: str | None) -> str:
        """A customer's message reaches the webhook; gives its sid."""
        headers, form = self.twilio.inbound_form(
            text, From=sender, To=f"whatsapp:{self.tenant(slug).whatsapp}", ExternalUserId=None, **fields
        )
        response = self._door.post("/twilio/inbound", data=form, headers=headers)
        assert (response.status_code, response.data) == (200, b"<Response/>")
        return form["MessageSid"]

    def work(self) -> None:
        """The debounce passes, and all that is due is done."""
        self.clock.forward(seconds=2)
        drain(self.services)

    def say(self, text: str, sender: str = MARIA, slug: str = STUDIO, **fields: str | None) -> list[str]:
        """Say something and give what comes back to this customer."""
        before = len(self.twilio.sent)
        self.deliver(text, sender, slug, **fields)
        self.work()
        return [line.body for line in self.twilio.sent[before:] if line.to == sender]

    # What is there

    def tenant(self, slug: str = STUDIO) -> Tenant:
        with self.db.reading() as session:
            return session.exec(select(Tenant).where(Tenant.slug == slug)).one()

    def rows(self, model: type[Any]) -> list[Any]:
        with self.db.reading() as session:
            return list(session.exec(select(model).order_by(*model.__table__.primary_key.columns)).all())

    @property
    def appointments(self) -> list[Appointment]:
        return self.rows(Appointment)

    @property
    def conversations(self) -> list[Conversation]:
        return self.rows(Conversation)

    @property
    def handoffs(self) -> list[Handoff]:
        return self.rows(Handoff)

    @property
    def messages(self) -> list[Message]:
        return self.rows(Message)

    @property
    def runs(self) -> list[Run]:
        return self.rows(Run)

    @property
    def steps(self) -> list[RunStep]:
        return self.rows(RunStep)
