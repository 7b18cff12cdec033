"""One business with its people and a customer who writes: what tests of the queue begin with."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import cache
from threading import Barrier
from typing import TypeVar

from sqlmodel import Session, select

from models import handoff, message, password
from models.acts import conversation_acts
from models.conversation import Conversation
from models.db import Database
from models.handoff import Handoff, Reason
from models.message import Author, Incoming, Message, Status
from models.staff import Staff
from tests.fakes import agenda

PASSWORD = "correto cavalo bateria"
PHONE = "+5511900000001"
GRACE = timedelta(hours=2)
T = TypeVar("T")


@cache
def password_hash() -> str:
    return password.hash(PASSWORD)


def hire(session: Session, now: datetime, tenant_id: int, email: str, name: str) -> int:
    """A login with the one password of the tests, hashed once for all."""
    person = Staff(tenant_id=tenant_id, email=email, name=name, password_hash=password_hash(), created_at=now)
    session.add(person)
    session.flush()
    assert person.id is not None
    return person.id


def together(acts: list[Callable[[], T]]) -> list[T | Exception]:
    """Run all of them at the same moment, each in a thread of its own; gives results or exceptions."""
    barrier = Barrier(len(acts))

    def run(act: Callable[[], T]) -> T | Exception:
        barrier.wait()
        try:
            return act()
        except Exception as error:
            return error

    with ThreadPoolExecutor(len(acts)) as pool:
        return list(pool.map(run, acts))


@dataclass
class Talk:
    """A customer's conversation with Studio Bela, where Ana and Bruno work; Carla works elsewhere."""

    db: Database
    now: datetime
    phone: str = PHONE
    _sent: int = field(default=0, init=False)

    def __post_init__(self) -> None:
        with self.db.writing() as session:
            self.ids = agenda.studio(session, self.now)
            self.other = agenda.studio(
                session, self.now, slug="outra", name="Outra", whatsapp="+551130002000"
            )
            self.tenant = self.ids.tenant
            self.ana = hire(session, self.now, self.tenant, "ana@bela.test", "Ana Souza")
            self.bruno = hire(session, self.now, self.tenant, "bruno@bela.test", "Bruno Reis")
            self.carla = hire(session, self.now, self.other.tenant, "carla@outra.test", "Carla Dias")
        self.id = self.says()

    def says(self, text: str = "Oi", *, phone: str | None = None, name: str = "Maria") -> int:
        """The customer writes; gives the conversation."""
        self._sent += 1
        incoming = Incoming(
            tenant_id=self.tenant,
            addresses=(f"whatsapp:{phone or self.phone}",),
            provider_sid=f"SM{self._sent}",
            text=text,
            profile_name=name,
        )
        return message.receive(self.db, incoming, self.now, timedelta(seconds=1)).conversation_id

    def bot_says(self, text: str = "Olá!", status: Status = Status.QUEUED) -> int:
        with self.db.writing() as session:
            return message.add(
                session,
                self.now,
                self.tenant,
                self.id,
                message.Line(author=Author.BOT, text=text, status=status),
            )

    def flag(self, reason: Reason = Reason.PEDIDO_DO_CLIENTE) -> bool:
        with self.db.writing() as session:
            return handoff.flag(session, self.now, self.tenant, self.id, reason)

    def take(self, staff_id: int) -> None:
        with self.db.writing() as session:
            conversation_acts.take(session, self.now, self.tenant, self.id, staff_id)

    def reply(
        self, staff_id: int, text: str = "Pois não?", *, seen: int | None = None, key: str = "k1"
    ) -> int:
        """A reply by somebody who has seen everything, or everything up to `seen`; gives its seq."""
        with self.db.writing() as session:
            return conversation_acts.reply(
                session,
                self.now,
                self.tenant,
                self.id,
                staff_id,
                text=text,
                last_seen_seq=self.row.last_seq if seen is None else seen,
                client_key=key,
            )

    def pass_on(self, staff_id: int, to_id: int) -> None:
        with self.db.writing() as session:
            conversation_acts.pass_on(session, self.now, self.tenant, self.id, staff_id, to_id=to_id)

    def take_over(self, staff_id: int, holder_id: int) -> None:
        with self.db.writing() as session:
            conversation_acts.take_over(
                session, self.now, self.tenant, self.id, staff_id, holder_id=holder_id
            )

    def release(self, staff_id: int) -> None:
        with self.db.writing() as session:
            conversation_acts.release(session, self.now, self.tenant, self.id, staff_id)

    def snooze(self, staff_id: int, until: datetime) -> None:
        with self.db.writing() as session:
            conversation_acts.snooze(session, self.now, self.tenant, self.id, staff_id, until=until)

    def wake(self, staff_id: int) -> None:
        with self.db.writing() as session:
            conversation_acts.wake(session, self.now, self.tenant, self.id, staff_id)

    def note(self, staff_id: int, text: str = "Só para nós.", *, key: str = "n1") -> int:
        with self.db.writing() as session:
            return conversation_acts.note(
                session, self.now, self.tenant, self.id, staff_id, text=text, client_key=key
            )

    def resolve(self, staff_id: int, *, seen: int | None = None) -> None:
        with self.db.writing() as session:
            conversation_acts.resolve(
                session, self.now, self.tenant, self.id, staff_id, grace=GRACE, last_seen_seq=seen
            )

    def give_back(self, staff_id: int, *, note: str = "", greeting: str = "") -> None:
        with self.db.writing() as session:
            conversation_acts.give_back(
                session, self.now, self.tenant, self.id, staff_id, note=note, greeting=greeting
            )

    @property
    def row(self) -> Conversation:
        with self.db.reading() as session:
            return session.get_one(Conversation, self.id)

    @property
    def lines(self) -> list[Message]:
        with self.db.reading() as session:
            return message.transcript(session, self.tenant, self.id)

    @property
    def episodes(self) -> list[Handoff]:
        """Of all conversations, oldest first."""
        with self.db.reading() as session:
            return list(session.exec(select(Handoff).order_by(Handoff.id)))
