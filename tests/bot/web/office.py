"""The staff's side, put together for tests: two businesses, their people, conversations in every state."""

import re
from copy import copy
from dataclasses import dataclass, field
from datetime import timedelta
from functools import cache
from typing import cast

from flask import Flask
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from bot.core.services import Services
from bot.llm.base import ModelClient
from bot.media.staff_downloads import Unopened
from bot.web.app import create_app
from bot.web.shared.request_context import EXTENSION
from bot.whatsapp.base import Sender
from models import handoff, message, run
from models.acts import conversation_acts
from models.appointment import Appointment, AppointmentService
from models.conversation import Conversation
from models.db import Database
from models.handoff import Reason
from models.message import Author, Incoming, Status
from models.run import NewStep, Outcome, Run, RunStep, StepKind
from models.tenant import Tenant
from tests import databases
from tests.bot.edge import Clock, settings
from tests.fakes import agenda
from tests.fakes.agenda import Ids
from tests.fakes.talk import PASSWORD, PHONE, hire

SECRET = "a-secret-that-is-long-enough-for-a-test"
ANA, BRUNO, GONE, STRANGER = "ana@bela.test", "bruno@bela.test", "saiu@bela.test", "carla@outra.test"
LEAK = "VAZOU-B"  # whatever belongs to the other business carries it


def no_model() -> ModelClient:
    raise AssertionError("a page asks no model")


def no_sender(_tenant_id: int) -> Sender:
    raise AssertionError("a page sends nothing")


@dataclass
class Drawer:
    """The attachments that lie at Twilio, by address; `asked` is who wanted what."""

    contents: dict[str, bytes] = field(default_factory=dict)
    asked: list[tuple[str, str]] = field(default_factory=list)

    def open(self, tenant: Tenant, url: str, *, seconds: float) -> bytes:
        self.asked.append((tenant.slug, url))
        if url not in self.contents:
            raise Unopened("http_404")
        return self.contents[url]


@cache
def _laid() -> Flask:
    """All pages, in front of nothing: routes are compiled once, which costs more than most tests."""
    nowhere = cast(Database, None)
    values = settings(public_url=None, secret_key=SECRET)
    return create_app(Services(settings=values, db=nowhere, model=no_model, sender_for=no_sender))


def _in_front_of(services: Services) -> Flask:
    """The application as `create_app` makes it; it shares its routes with others and must not be changed."""
    app = copy(_laid())
    app.config = copy(app.config)
    app.extensions = {**app.extensions, EXTENSION: services}
    return app


@dataclass
class Office:
    """Two businesses on one database, and the application in front of them. `bela` is ours."""

    db: Database
    clock: Clock = field(default_factory=Clock)
    values: dict[str, object] = field(default_factory=dict)
    drawer: Drawer = field(default_factory=Drawer)

    def __post_init__(self) -> None:
        self.services = Services(
            settings=settings(**{"public_url": None, "secret_key": SECRET} | self.values),
            db=self.db,
            model=no_model,
            sender_for=no_sender,
            files=self.drawer,
            now=self.clock,
        )
        self.app = self.own_app() if self.values else _in_front_of(self.services)
        filled = databases.furnished(self.db, ("office", self.clock()), self._fill)
        self.bela, self.outra, self.ana, self.bruno, self.carla = filled

    def _fill(self) -> tuple[Ids, Ids, int, int, int]:
        now = self.clock()
        with self.db.writing() as session:
            bela = agenda.studio(session, now)
            other = {"slug": "outra", "name": f"Outra {LEAK}", "whatsapp": "+551130002000"}
            outra = agenda.studio(session, now, **other)
            ana = hire(session, now, bela.tenant, ANA, "Ana Souza")
            bruno = hire(session, now, bela.tenant, BRUNO, "Bruno Reis")
            carla = hire(session, now, outra.tenant, STRANGER, f"Carla {LEAK}")
        return bela, outra, ana, bruno, carla

    def own_app(self) -> Flask:
        """An application that a test may add to."""
        self.app: Flask = create_app(self.services)
        return self.app

    # Coming in

    def client(self, email: str | None = ANA) -> FlaskClient:
        """A browser, logged in as this person, or as nobody."""
        client = self.app.test_client()
        if email:
            answer = post(client, "/entrar", email=email, password=PASSWORD, page="/entrar")
            assert answer.status_code == 303, answer.text
        return client

    # What customers and the bot say

    def says(
        self,
        text: str = "Oi, tudo bem?",
        *,
        name: str = "Maria",
        ids: Ids | None = None,
        file: tuple[str, bytes] | None = None,
        **more: str,
    ) -> int:
        """A customer's message (`phone`, `kind`, `file`: media type and content); gives the conversation."""
        place = ids or self.bela
        address = f"whatsapp:{more.get('phone', PHONE)}"
        incoming = Incoming(
            tenant_id=place.tenant,
            addresses=(address,),
            provider_sid=f"SM{self._number()}",
            text=text,
            kind=more.get("kind", "text"),
            profile_name=name,
            media=self._filed(*file) if file else (),
        )
        return message.receive(self.db, incoming, self.clock(), timedelta(seconds=1)).conversation_id

    def _filed(self, content_type: str, content: bytes) -> tuple[dict[str, str], ...]:
        url = f"https://api.twilio.com/media/{len(self.drawer.contents)}"
        self.drawer.contents[url] = content
        return ({"url": url, "content_type": content_type},)

    def answers(
        self,
        conversation_id: int,
        text: str,
        *,
        author: Author = Author.BOT,
        status: Status = Status.READ,
        **more: int,
    ) -> int:
        """A line of ours (`run_id`, `staff_id`, `error_code`); gives its seq."""
        error_code = more.pop("error_code", None)
        with self.db.writing() as session:
            row = session.get_one(Conversation, conversation_id)
            tenant_id = row.tenant_id
            row.waiting_since = None
            session.flush()
            seq = message.add(
                session,
                self.clock(),
                tenant_id,
                conversation_id,
                message.Line(
                    author=author,
                    text=text,
                    status=status,
                    **more,
                ),
            )
            if error_code:
                found = message.transcript(session, tenant_id, conversation_id, limit=1)[0]
                found.error_code = error_code
        return seq

    def works(
        self,
        conversation_id: int,
        *steps: NewStep,
        outcome: Outcome | None = Outcome.ANSWERED,
        **values: object,
    ) -> int:
        """A run of the agent that answers everything said so far; gives its id."""
        with self.db.writing() as session:
            row = session.get_one(Conversation, conversation_id)
            run_id = run.start(
                session,
                Run(
                    tenant_id=row.tenant_id,
                    conversation_id=conversation_id,
                    from_seq=0,
                    through_seq=row.last_seq,
                    epoch=row.epoch,
                    provider="offline",
                    started_at=self.clock(),
                    finished_at=self.clock(),
                    outcome=outcome,
                    iterations=2,
                    input_tokens=1830,
                    output_tokens=96,
                    **{"model": "offline", "prompt_version": "1", **values},
                ),
            )
            for position, step in enumerate(steps):
                place = {"tenant_id": row.tenant_id, "run_id": run_id, "position": position}
                session.add(RunStep(**place, at=self.clock(), **vars(step)))
        return run_id

    def flags(
        self, conversation_id: int, reason: Reason = Reason.PEDIDO_DO_CLIENTE, detail: str = ""
    ) -> None:
        """The bot hands the conversation to people."""
        with self.db.writing() as session:
            tenant_id = session.get_one(Conversation, conversation_id).tenant_id
            handoff.flag(session, self.clock(), tenant_id, conversation_id, reason)
            episode = handoff.current(session, tenant_id, conversation_id)
            assert episode is not None
            episode.detail = detail

    def takes(self, conversation_id: int, staff_id: int) -> None:
        with self.db.writing() as session:
            tenant_id = session.get_one(Conversation, conversation_id).tenant_id
            conversation_acts.take(session, self.clock(), tenant_id, conversation_id, staff_id)

    def snoozes(self, conversation_id: int, staff_id: int) -> None:
        """For two hours."""
        with self.db.writing() as session:
            tenant_id = session.get_one(Conversation, conversation_id).tenant_id
            until = self.clock() + timedelta(hours=2)
            conversation_acts.snooze(session, self.clock(), tenant_id, conversation_id, staff_id, until=until)

    def books(self, conversation_id: int, *, starts_in: timedelta, ids: Ids | None = None) -> None:
        """A cut with Ana for this customer."""
        place, starts_at = ids or self.bela, self.clock() + starts_in
        ends_at = starts_at + timedelta(hours=1)
        with self.db.writing() as session:
            visit = Appointment(
                tenant_id=place.tenant,
                professional_id=place.ana,
                customer_id=session.get_one(Conversation, conversation_id).customer_id,
                starts_at=starts_at,
                ends_at=ends_at,
                busy_from=starts_at,
                busy_until=ends_at,
                created_at=self.clock(),
            )
            session.add(visit)
            session.flush()
            assert visit.id is not None
            session.add(
                AppointmentService(
                    tenant_id=place.tenant,
                    appointment_id=visit.id,
                    position=0,
                    service_id=place.corte,
                    name="Corte feminino",
                    duration_minutes=60,
                )
            )

    def row(self, conversation_id: int) -> Conversation:
        with self.db.reading() as session:
            return session.get_one(Conversation, conversation_id)

    def lines(self, conversation_id: int) -> list[message.Message]:
        with self.db.reading() as session:
            return message.transcript(session, self.row(conversation_id).tenant_id, conversation_id)

    _last = 0

    def _number(self) -> int:
        self._last += 1
        return self._last


def result(name: str, given: object, text: str, *, error_class: str | None = None) -> NewStep:
    """One tool result of a run."""
    return NewStep(
        kind=StepKind.RESULT,
        content={"tool_use_id": "t", "name": name, "input": given, "text": text},
        is_error=error_class is not None,
        error_class=error_class,
    )


def token(client: FlaskClient, page: str = "/fila") -> str:
    """The CSRF token of the first form of a page."""
    found = re.search(r'name="csrf_token" value="([^"]+)"', client.get(page).text)
    assert found, f"no form on {page}"
    return found[1]


def post(client: FlaskClient, path: str, *, page: str = "/fila", **form: object) -> TestResponse:
    """A POST as a page's form sends it, with its token."""
    return client.post(path, data={"csrf_token": token(client, page), **form})
