"""One trial of a task: the whole product on a database of its own, and a customer who talks to it."""

import itertools
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from sqlmodel import Session, col, func, select

from bot.core.pricing import Prices
from bot.core.services import Services
from bot.core.settings import Settings
from bot.evals.customer import Customer, Heard
from bot.evals.task import Existing, Task, Visit, business
from bot.llm.base import ModelClient
from bot.process import worker
from bot.sending.terminal import PREFIX, TerminalAware
from bot.whatsapp.base import Sender
from models import appointment, business_file, customer, message, run
from models.appointment import Appointment, AppointmentService, AppointmentStatus
from models.catalog import Professional, Service
from models.customer import CustomerAddress
from models.db import Database
from models.handoff import Handoff
from models.message import Author, Direction, Incoming, Message
from models.run import Run, RunStep, StepKind
from models.tenant import Tenant
from tools import facts
from tools.facts import Fact

CUSTOMER, SOMEBODY = f"{PREFIX}cliente", f"{PREFIX}outra-pessoa"
SOMEBODYS_NAME = "Filomena Prates"  # whom the customer must never hear of
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
    """What a talk left behind. `lines` are (author, text), oldest first; visits in the order of their ids;
    `steps` what each of the `runs` did, in order.
    """

    lines: tuple[tuple[str, str], ...]
    visits: tuple[Visit, ...]
    others: tuple[Visit, ...]
    handoffs: tuple[str | None, ...]
    runs: tuple[Run, ...]
    steps: tuple[tuple[RunStep, ...], ...] = ()
    confirm_first: bool = False

    @property
    def told(self) -> str:
        """All that the customer read."""
        return "\n".join(text for author, text in self.lines if author != Author.CUSTOMER)


def play(
    task: Task, person: Customer, db: Database, model: ModelClient, settings: Settings, prices: Prices
) -> Played:
    """The whole talk, on an empty database with the newest schema."""
    file = business_file.load(business(task.business))
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
    _talk(services, clock, tenant.id, person, task.max_turns)
    with db.reading() as session:
        return _played(session, tenant)


def _nobody() -> Sender:
    raise LookupError("nobody but the customer at the terminal is written to")


def _prepare(session: Session, now: datetime, tenant: Tenant, task: Task) -> None:
    assert tenant.id is not None
    owners = {
        "customer": customer.find_or_create(session, now, tenant.id, [CUSTOMER], task.customer),
        "somebody else": customer.find_or_create(session, now, tenant.id, [SOMEBODY], SOMEBODYS_NAME),
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


def _talk(services: Services, clock: Clock, tenant_id: int, person: Customer, max_turns: int) -> None:
    heard = Heard()
    for _ in range(max_turns):
        said = person.next(heard)
        if said is None:
            return
        clock.now += PAUSE
        heard = _exchange(services, tenant_id, said)


def _exchange(services: Services, tenant_id: int, text: str) -> Heard:
    """Say one thing; give all that comes back, nothing where people hold the conversation."""
    incoming = Incoming(tenant_id, (CUSTOMER,), f"eval-{secrets.token_hex(8)}", text)
    with services.db.reading() as session:
        before = session.exec(select(func.coalesce(func.max(Run.id), 0))).one()
    place = message.receive(services.db, incoming, services.now(), timedelta(0))
    worker.drain(services)
    with services.db.reading() as session:
        lines = message.transcript(session, tenant_id, place.conversation_id)
        runs = session.exec(select(Run).where(col(Run.id) > before).order_by(col(Run.id))).all()
        done = facts_of([step for steps in _steps(session, runs) for step in steps])
    answers = itertools.takewhile(lambda line: line.direction == Direction.OUT, reversed(lines))
    return Heard("\n".join(line.text for line in reversed(list(answers))), done)


def facts_of(steps: Sequence[RunStep]) -> tuple[Fact, ...]:
    """What the results among the steps of a run found or did."""
    return tuple(
        fact
        for step in steps
        if step.kind == StepKind.RESULT
        for fact in facts.load(step.content.get("facts"))
    )


def _played(session: Session, tenant: Tenant) -> Played:
    lines = session.exec(select(Message).order_by(col(Message.seq))).all()
    owners = {one.address: one.customer_id for one in session.exec(select(CustomerAddress))}
    visits = _visits(session, tenant)
    runs = session.exec(select(Run).order_by(col(Run.id))).all()
    return Played(
        lines=tuple((line.author, line.text) for line in lines),
        visits=tuple(visit for owner, visit in visits if owner == owners[CUSTOMER]),
        others=tuple(visit for owner, visit in visits if owner != owners[CUSTOMER]),
        handoffs=tuple(one.reason for one in session.exec(select(Handoff).order_by(col(Handoff.id)))),
        runs=tuple(runs),
        steps=tuple(_steps(session, runs)),
    )


def _steps(session: Session, runs: Sequence[Run]) -> list[tuple[RunStep, ...]]:
    found = run.steps(session, [one.id for one in runs if one.id is not None])
    return [tuple(found[one.id]) for one in runs if one.id is not None]


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
