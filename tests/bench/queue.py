"""CPU of the staff's pages with 10,000 conversations of 50 messages in each of two businesses."""

import re
import tempfile
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path
from typing import Any

from flask.testing import FlaskClient
from sqlalchemy import func, insert, select
from sqlmodel import SQLModel

from bot.core.services import Services
from bot.web.app import create_app
from models import schema
from models.alert import Alert, Kind
from models.conversation import Conversation, Holder
from models.customer import Customer
from models.db import Database, table
from models.handoff import CloseReason, Handoff, Reason
from models.message import Author, Direction, Message, Status
from tests.bench.agenda import measured
from tests.bot.edge import settings
from tests.bot.web.office import no_model, no_sender, post
from tests.fakes import agenda
from tests.fakes.talk import PASSWORD, hire

NOW = datetime(2026, 12, 2, 13, 20, tzinfo=UTC)
TALKS, LINES = 10_000, 50
QUEUED, HELD = 1_000, 200  # of the talks of each business: a queue that nobody would like to have
ADDRESSES = (
    "/fila",
    "/fila?aba=minhas",
    "/fila?aba=todas",
    "/fila?aba=encerradas",
    "/fila?motivo=pedido_do_cliente",
    "/fila?q=cliente+77",
    "/fila?q=horario+de+sabado",
    "/fila/pulso",
)
REASONS = (Reason.PEDIDO_DO_CLIENTE, Reason.ERRO_INTERNO, Reason.LIMITE_TOKENS)
WORDS = (
    "Oi, tudo bem?",
    "Tem horário no sábado?",
    "Temos às 10h ou às 14h.",
    "Pode ser às 14h",
    "Combinado!",
)


def filled(db: Database, tenant_id: int, staff_id: int) -> None:
    """One business: those who wait, those whom its one attendant has, and the many whom the bot has."""
    with db.writing() as session:
        first = 1 + (session.scalar(select(func.max(table(Conversation).c.id))) or 0)
        customers = 1 + (session.scalar(select(func.max(table(Customer).c.id))) or 0)
        numbers = range(TALKS)
        person = _plain(Customer(tenant_id=tenant_id, created_at=NOW))
        session.execute(
            insert(table(Customer)),
            [{**person, "id": customers + n, "name": f"Cliente {n}"} for n in numbers],
        )
        session.execute(
            insert(table(Conversation)),
            [_talk(tenant_id, staff_id, first + n, customers + n, n) for n in numbers],
        )
        session.execute(
            insert(table(Handoff)), [_episode(tenant_id, staff_id, first + n, n) for n in numbers]
        )
        told = {"tenant_id": tenant_id, "kind": Kind.WAITING, "attempts": 1, "told": 2, "settled_at": NOW}
        session.execute(
            insert(table(Alert)),
            [{**told, "conversation_id": first + n, "due_at": NOW, "created_at": NOW} for n in numbers],
        )
    for begins in range(0, TALKS, 200):
        with db.writing() as session:
            session.execute(insert(table(Message)), list(_said(tenant_id, first, begins)))


def _plain(row: SQLModel) -> dict[str, Any]:
    return row.model_dump(exclude={"id"})


def _talk(tenant_id: int, staff_id: int, key: int, customer_id: int, number: int) -> dict[str, Any]:
    spoke = NOW - timedelta(minutes=number)
    holder = Holder.QUEUE if number < QUEUED else Holder.STAFF if number < QUEUED + HELD else Holder.BOT
    row = Conversation(
        tenant_id=tenant_id,
        customer_id=customer_id,
        address=f"whatsapp:+55119{number:08d}",
        holder=holder,
        assignee_id=staff_id if holder == Holder.STAFF else None,
        held_since=spoke,
        waiting_since=None if holder == Holder.BOT else spoke,
        last_inbound_at=spoke,
        last_message_at=spoke,
        last_seq=LINES,
        created_at=NOW,
        unread=1,
        preview=WORDS[number % len(WORDS)],
        resolved_at=spoke if holder == Holder.BOT and number % 2 else None,
    )
    return {**_plain(row), "id": key}


def _episode(tenant_id: int, staff_id: int, talk: int, number: int) -> dict[str, Any]:
    closed = number >= QUEUED + HELD
    opened = NOW - timedelta(minutes=number)
    return _plain(
        Handoff(
            tenant_id=tenant_id,
            conversation_id=talk,
            reason=REASONS[number % len(REASONS)],
            trigger_seq=LINES,
            opened_at=opened,
            closed_at=opened + timedelta(minutes=9) if closed else None,
            close_reason=CloseReason.RESOLVED if closed else None,
            closed_by=staff_id if closed else None,
        )
    )


_SID = count()


def _said(tenant_id: int, first: int, begins: int) -> Iterator[dict[str, Any]]:
    """The lines of 200 conversations."""
    theirs = _plain(
        Message(
            tenant_id=tenant_id,
            conversation_id=first,
            seq=1,
            direction=Direction.IN,
            author=Author.CUSTOMER,
            text="",
            status=Status.RECEIVED,
            created_at=NOW,
        )
    )
    ours = {**theirs, "direction": Direction.OUT, "author": Author.BOT, "status": Status.READ}
    for number in range(begins, begins + 200):
        for seq in range(1, LINES + 1):
            yield {
                **(theirs if seq % 2 else ours),
                "conversation_id": first + number,
                "seq": seq,
                "text": WORDS[(number + seq) % len(WORDS)],
                "provider_sid": f"SM{next(_SID)}",
                "created_at": NOW - timedelta(minutes=number, seconds=LINES - seq),
            }


def browser(db: Database, email: str) -> FlaskClient:
    services = Services(
        settings=settings(secret_key="a secret of a benchmark, long enough"),
        db=db,
        model=no_model,
        sender_for=no_sender,
        now=lambda: NOW,
    )
    client = create_app(services).test_client()
    assert post(client, "/entrar", page="/entrar", email=email, password=PASSWORD).status_code == 303
    return client


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        db = Database(f"sqlite:///{Path(folder) / 'bench.db'}")
        schema.migrate(db)
        began = time.perf_counter()
        with db.writing() as session:
            bela = agenda.studio(session, NOW)
            other = agenda.studio(session, NOW, slug="outra", name="Outra", whatsapp="+551130002000")
            ana = hire(session, NOW, bela.tenant, "ana@bela.test", "Ana Souza")
            carla = hire(session, NOW, other.tenant, "carla@outra.test", "Carla Dias")
        filled(db, bela.tenant, ana)
        filled(db, other.tenant, carla)
        print(f"filled in {time.perf_counter() - began:.0f} s")
        client = browser(db, "ana@bela.test")
        talk = first_waiting(client)
        for address in (*ADDRESSES, talk, f"{talk}/linhas?depois=50"):
            assert client.get(address).status_code in (200, 204), address
            cpu, statements = measured(db, lambda _n, address=address: client.get(address))
            print(f"{address:<32} {cpu:6.1f} ms CPU, {statements} statements")
        db.dispose()


def first_waiting(client: FlaskClient) -> str:
    found = re.search(r'href="(/fila/\d+)#fim"', client.get("/fila").text)
    assert found
    return found[1]


if __name__ == "__main__":
    main()
