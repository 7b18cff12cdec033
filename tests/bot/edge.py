"""The edge, put together for tests: a business, its webhooks behind a client, the outbox, a fake Twilio."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from types import TracebackType

from flask import Flask
from sqlmodel import select
from werkzeug.test import TestResponse

from bot.core.http import ThreadClients
from bot.core.services import Services
from bot.core.settings import Settings
from bot.llm.base import ModelClient
from bot.sending import outbox
from bot.web.twilio_webhook import webhook
from bot.whatsapp.base import Sender
from bot.whatsapp.credentials import Account
from bot.whatsapp.twilio import TwilioSender, twilio_client
from models import conversation, handoff, message
from models.acts import conversation_acts
from models.conversation import Conversation, Holder
from models.customer import Customer, CustomerAddress
from models.db import Database
from models.delivery import EarlyStatus
from models.handoff import Handoff, Reason
from models.message import Author, Message
from models.staff import Staff
from models.tenant import Tenant
from tests.conftest import NOW
from tests.fakes.twilio import ACCOUNT, PUBLIC_URL, SENDER, TOKEN, FakeTwilio, Line


@dataclass
class Clock:
    """The time, moved by hand."""

    at: datetime = NOW

    def __call__(self) -> datetime:
        return self.at

    def forward(self, **span: float) -> datetime:
        self.at += timedelta(**span)
        return self.at


def settings(**values: object) -> Settings:
    """Settings of a server that is connected to the fake Twilio."""
    defaults: dict[str, object] = {
        "public_url": PUBLIC_URL,
        "twilio_account_sid": ACCOUNT,
        "twilio_auth_token": (TOKEN,),
        "llm_provider": "offline",
    }
    return Settings(_env_file=None, **(defaults | values))


def add_tenant(db: Database, slug: str = "studio-bela", whatsapp: str = SENDER, **values: object) -> int:
    tenant = Tenant(
        slug=slug,
        name=slug.title(),
        whatsapp=whatsapp,
        timezone="America/Sao_Paulo",
        created_at=NOW,
        **values,
    )
    with db.writing() as session:
        session.add(tenant)
    assert tenant.id is not None
    return tenant.id


def add_staff(db: Database, tenant_id: int, email: str = "bia@example.com") -> int:
    staff = Staff(tenant_id=tenant_id, email=email, name="Bia", password_hash="x", created_at=NOW)
    with db.writing() as session:
        session.add(staff)
    assert staff.id is not None
    return staff.id


def no_model() -> ModelClient:
    raise AssertionError("the edge asks no model")


@dataclass
class Edge:
    """One business with its number on one Twilio. As a context it closes its connections."""

    db: Database
    fake: FakeTwilio = field(default_factory=FakeTwilio)
    clock: Clock = field(default_factory=Clock)
    values: dict[str, object] = field(default_factory=dict)
    environment: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.fake.now = self.clock
        self.tenant_id = add_tenant(self.db)
        self.http = ThreadClients(transport=self.fake.transport())
        self.services = Services(
            settings=settings(**self.values),
            db=self.db,
            model=no_model,
            sender_for=self.sender_for,
            now=self.clock,
            environment=self.environment,
        )
        self.app = Flask(__name__)
        self.app.register_blueprint(webhook(self.services))
        self.client = self.app.test_client()

    def __enter__(self) -> "Edge":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.http.close()

    def sender_for(self, tenant_id: int) -> Sender:
        client = twilio_client(Account(self.fake.account, (self.fake.token,), ""), self.http, None)
        return TwilioSender(client, SENDER, self.services.settings.public_url)

    def services_with(self, sender_for: Callable[[int], Sender]) -> Services:
        """The same parts with another way to send."""
        return replace(self.services, sender_for=sender_for)

    # In

    def says(self, text: str = "oi", **fields: str | None) -> TestResponse:
        """A customer's message, signed and delivered."""
        headers, form = self.fake.inbound_form(text, **fields)
        return self.deliver("/twilio/inbound", headers, form)

    def deliver(self, path: str, headers: Mapping[str, str], form: Mapping[str, str]) -> TestResponse:
        return self.client.post(path, data=form, headers=headers)

    def reports(self, line: Line, status: str, error_code: int | None = None) -> TestResponse:
        """A status callback for a line that Twilio has."""
        return self.deliver(*self.fake.status_form(line, status, error_code))

    # Out

    def queue(self, text: str, conversation_id: int = 1, author: Author = Author.BOT, **values: int) -> int:
        """Queue a line; gives its seq."""
        with self.db.writing() as session:
            return message.add(
                session,
                self.clock(),
                self.tenant_id,
                conversation_id,
                message.Line(
                    author=author,
                    text=text,
                    **values,
                ),
            )

    def answer(self) -> None:
        """The bot's turn ends: nobody waits any more."""
        self.clock.forward(minutes=1)
        with self.db.writing() as session:
            claim = conversation.claim(session, self.clock(), timedelta(seconds=30))
            assert claim is not None
            conversation.finish(session, claim, answered_seq=claim.through_seq)

    def hand_to(self, holder: str, staff_id: int) -> None:
        """Put the conversation into the queue, or into the hands of one of the staff."""
        with self.db.writing() as session:
            handoff.flag(session, self.clock(), self.tenant_id, 1, Reason.PEDIDO_DO_CLIENTE)
            if holder == Holder.STAFF:
                conversation_acts.take(session, self.clock(), self.tenant_id, 1, staff_id)

    def send_all(self) -> int:
        """Send all that is due now; gives how many steps found work."""
        steps = 0
        while outbox.send_next(self.services):
            steps += 1
        return steps

    # What is there

    def messages(self) -> list[Message]:
        with self.db.reading() as session:
            return list(session.exec(select(Message).order_by(Message.conversation_id, Message.seq)))

    def statuses(self) -> list[str]:
        """Of our own lines, in order."""
        return [line.status for line in self.messages() if line.direction == "out"]

    def conversation(self, conversation_id: int = 1) -> Conversation:
        with self.db.reading() as session:
            return session.get_one(Conversation, conversation_id)

    def conversations(self) -> list[Conversation]:
        with self.db.reading() as session:
            return list(session.exec(select(Conversation).order_by(Conversation.id)))

    def reasons(self) -> list[str | None]:
        with self.db.reading() as session:
            return [episode.reason for episode in session.exec(select(Handoff).order_by(Handoff.id))]

    def early(self) -> list[EarlyStatus]:
        with self.db.reading() as session:
            return list(session.exec(select(EarlyStatus).order_by(EarlyStatus.provider_sid)))

    def customers(self) -> list[Customer]:
        with self.db.reading() as session:
            return list(session.exec(select(Customer).order_by(Customer.id)))

    def addresses(self) -> list[str]:
        with self.db.reading() as session:
            return sorted(row.address for row in session.exec(select(CustomerAddress)))
