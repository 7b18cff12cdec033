"""One trial of a task: the whole product on a database of its own, and a customer who follows a script."""

import itertools
import secrets
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from sqlmodel import Session, col, select

from bot.core.pricing import Prices
from bot.core.services import Services
from bot.core.settings import Settings
from bot.evals.task import BUSINESSES, Existing, Task, Visit, found
from bot.llm.base import ModelClient
from bot.process import worker
from bot.sending.terminal import PREFIX, TerminalAware
from bot.whatsapp.base import Sender
from models import appointment, business_file, customer, message
from models.appointment import Appointment, AppointmentService, AppointmentStatus
from models.catalog import Professional, Service
from models.customer import CustomerAddress
from models.db import Database
from models.handoff import Handoff
from models.message import Author, Direction, Incoming, Message
from models.run import Run
from models.tenant import Tenant

CUSTOMER, SOMEBODY = f"{PREFIX}cliente", f"{PREFIX}outra-pessoa"
BEFORE = timedelta(days=7)  # when the business was set up, and what exists was booked
PAUSE = timedelta(seconds=30)  # between two messages of the customer


@dataclass
class Clock:
    """A clock that stands until it is moved."""

    now: datetime

    def __call__(self) -> datetime:
        return self.now


@dataclass(frozen=True)
class Played:
    """What a talk left behind. `lines` are (author, text), oldest first; visits in the order of their ids."""

    lines: tuple[tuple[str, str], ...]
    visits: tuple[Visit, ...]
    others: tuple[Visit, ...]
    handoffs: tuple[str | None, ...]
    runs: tuple[Run, ...]

    @property
    def told(self) -> str:
        """All that the customer read."""
        return "\n".join(text for author, text in self.lines if author != Author.CUSTOMER)


class ScriptedCustomer:
    """Says what the task has to say to the bot's last words."""

    def __init__(self, task: Task) -> None:
        self._says = iter(task.says)
        self._answers = [(answer, answer.times) for answer in task.answers]

    def next(self, heard: str) -> str | None:
        """The next message; None where there is nothing more to say."""
        for place, (answer, left) in enumerate(self._answers):
            if heard and left and found(answer.when, heard):
                self._answers[place] = (answer, left - 1)
                return answer.says
        return next(self._says, None)


def play(task: Task, db: Database, model: ModelClient, settings: Settings, prices: Prices) -> Played:
    """The whole talk, on an empty database with the newest schema."""
    file = business_file.load(BUSINESSES / f"{task.business}.yaml")
    with db.writing() as session:
        business_file.apply(session, file, datetime(2000, 1, 1, tzinfo=UTC))
        tenant = session.exec(select(Tenant)).one()
    clock = Clock(task.now.replace(tzinfo=tenant.zone).astimezone(UTC))
    with db.writing() as session:
        _prepare(session, clock.now - BEFORE, tenant, task)
    services = Services(
        settings=settings,
        db=db,
        model=lambda: model,
        sender_for=lambda _tenant_id: TerminalAware(_nobody),
        now=clock,
        prices=prices,
    )
    assert tenant.id is not None
    _talk(services, clock, tenant.id, task)
    with db.reading() as session:
        return _played(session, tenant)


def _nobody() -> Sender:
    raise LookupError("nobody but the customer at the terminal is written to")


def _prepare(session: Session, now: datetime, tenant: Tenant, task: Task) -> None:
    assert tenant.id is not None
    owners = {
        "customer": customer.find_or_create(session, now, tenant.id, [CUSTOMER], task.customer),
        "somebody else": customer.find_or_create(session, now, tenant.id, [SOMEBODY], "Outra Pessoa"),
    }
    for one in task.existing:
        _book(session, now, tenant, owners[one.of], one)


def _book(session: Session, now: datetime, tenant: Tenant, owner: int, wanted: Existing) -> None:
    services = {one.name: one.id for one in session.exec(select(Service))}
    people = {one.name: one.id for one in session.exec(select(Professional))}
    booked = appointment.book(
        session,
        now,
        tenant,
        owner,
        people[wanted.professional] or 0,
        [services[name] or 0 for name in wanted.services],
        wanted.at.replace(tzinfo=tenant.zone).astimezone(UTC),
        created_by="staff",
    ).appointment
    booked.status = wanted.status


def _talk(services: Services, clock: Clock, tenant_id: int, task: Task) -> None:
    person = ScriptedCustomer(task)
    heard = ""
    for _ in range(task.max_turns):
        said = person.next(heard)
        if said is None:
            return
        clock.now += PAUSE
        heard = _exchange(services, tenant_id, said)


def _exchange(services: Services, tenant_id: int, text: str) -> str:
    """Say one thing; give all that comes back, "" where people hold the conversation."""
    incoming = Incoming(tenant_id, (CUSTOMER,), f"eval-{secrets.token_hex(8)}", text)
    place = message.receive(services.db, incoming, services.now(), timedelta(0))
    worker.drain(services)
    with services.db.reading() as session:
        lines = message.transcript(session, tenant_id, place.conversation_id)
    answers = itertools.takewhile(lambda line: line.direction == Direction.OUT, reversed(lines))
    return "\n".join(line.text for line in reversed(list(answers)))


def _played(session: Session, tenant: Tenant) -> Played:
    lines = session.exec(select(Message).order_by(col(Message.seq))).all()
    owners = {one.address: one.customer_id for one in session.exec(select(CustomerAddress))}
    visits = _visits(session, tenant)
    return Played(
        lines=tuple((line.author, line.text) for line in lines),
        visits=tuple(visit for owner, visit in visits if owner == owners[CUSTOMER]),
        others=tuple(visit for owner, visit in visits if owner != owners[CUSTOMER]),
        handoffs=tuple(one.reason for one in session.exec(select(Handoff).order_by(col(Handoff.id)))),
        runs=tuple(session.exec(select(Run).order_by(col(Run.id)))),
    )


def _visits(session: Session, tenant: Tenant) -> list[tuple[int, Visit]]:
    """Every appointment with whose it is."""
    names = {one.id: one.name for one in session.exec(select(Professional))}
    services: dict[int, list[str]] = {}
    for part in session.exec(select(AppointmentService).order_by(col(AppointmentService.position))):
        services.setdefault(part.appointment_id, []).append(part.name)
    return [
        (
            row.customer_id,
            Visit(
                services=tuple(services[row.id or 0]),
                professional=names[row.professional_id],
                at=row.starts_at.astimezone(tenant.zone).replace(tzinfo=None),
                status=AppointmentStatus(row.status),
            ),
        )
        for row in session.exec(select(Appointment).order_by(col(Appointment.id)))
    ]
