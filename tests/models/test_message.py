"""Every line is stored once and numbered without gaps."""

from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta

import pytest

from models import delivery, message
from models.conversation import Conversation
from models.db import Database
from models.errors import NotFound
from models.message import Author, Message, Status
from tests.models.rows import DEBOUNCE, add_tenant, says


@pytest.fixture
def tenant(db: Database, now: datetime) -> int:
    """A business with one customer who has written."""
    tenant_id = add_tenant(db, now)
    says(db, now, tenant_id, "SM0")
    return tenant_id


def lines(db: Database, tenant_id: int, conversation_id: int = 1) -> list[Message]:
    with db.reading() as session:
        return message.transcript(session, tenant_id, conversation_id)


def queue(db: Database, now: datetime, tenant_id: int, text: str = "Olá!", conversation_id: int = 1) -> int:
    with db.writing() as session:
        return message.add(
            session, now, tenant_id, conversation_id, message.Line(author=Author.BOT, text=text)
        )


# In


def test_a_message_is_stored_as_it_came(db: Database, now: datetime, tenant: int) -> None:
    first = lines(db, tenant)[0]
    assert (first.seq, first.direction, first.author, first.status) == (1, "in", "customer", "received")
    assert (first.text, first.kind, first.created_at) == ("oi", "text", now)


def test_the_same_sid_changes_nothing(db: Database, now: datetime, tenant: int) -> None:
    with db.reading() as session:
        before = session.get_one(Conversation, 1)
    again = says(db, now + timedelta(seconds=5), tenant, "SM0", "outra coisa")
    assert (again.conversation_id, again.duplicate, again.due) == (1, True, False)
    with db.reading() as session:
        assert session.get_one(Conversation, 1) == before
    assert [line.text for line in lines(db, tenant)] == ["oi"]


def test_a_reaction_makes_nothing_due(db: Database, now: datetime) -> None:
    tenant_id = add_tenant(db, now)
    found = says(db, now, tenant_id, "SM1", "", kind="reaction", wants_answer=False)
    assert not found.due
    with db.reading() as session:
        row = session.get_one(Conversation, 1)
    assert (row.due_at, row.waiting_since, row.last_inbound_at, row.preview) == (
        None,
        None,
        now,
        "[reaction]",
    )


def test_a_reaction_hurries_nothing_that_is_due(db: Database, now: datetime, tenant: int) -> None:
    says(db, now + timedelta(seconds=1), tenant, "SM1", "", kind="reaction", wants_answer=False)
    with db.reading() as session:
        assert session.get_one(Conversation, 1).due_at == now + DEBOUNCE


def test_deliveries_at_once_are_one_message(db: Database, now: datetime) -> None:
    """The first message of a new person, eight times at the same moment."""
    tenant_id = add_tenant(db, now)
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda _: says(db, now, tenant_id, "SM1"), range(8)))
    assert sorted(one.duplicate for one in found) == [False] + [True] * 7
    assert {one.conversation_id for one in found} == {found[0].conversation_id}
    assert len(lines(db, tenant_id, found[0].conversation_id)) == 1


def test_messages_at_once_are_numbered_without_gaps(db: Database, now: datetime, tenant: int) -> None:
    """In and out mixed."""

    def one(number: int) -> None:
        if number % 2:
            says(db, now, tenant, f"SM{number}")
        else:
            queue(db, now, tenant)

    with ThreadPoolExecutor(6) as pool:
        list(pool.map(one, range(1, 19)))
    assert [line.seq for line in lines(db, tenant)] == list(range(1, 20))


# Out


def test_a_note_is_kept_and_never_sent(db: Database, now: datetime, tenant: int) -> None:
    with db.writing() as session:
        message.add(
            session, now, tenant, 1, message.Line(author=Author.SYSTEM, text="marca", status=Status.NOTE)
        )
        assert delivery.claim_outgoing(session, now) is None
        assert session.get_one(Conversation, 1).preview == "oi"


def test_nothing_is_said_in_a_foreign_conversation(db: Database, now: datetime, tenant: int) -> None:
    other = add_tenant(db, now, 2)
    with pytest.raises(NotFound):
        queue(db, now, other)
    assert lines(db, other) == []


def test_a_transcript_is_read_from_its_end(db: Database, now: datetime, tenant: int) -> None:
    for number in range(5):
        queue(db, now, tenant, f"linha {number}")
    with db.reading() as session:
        newest = message.transcript(session, tenant, 1, limit=2)
        before = message.transcript(session, tenant, 1, before=newest[0].seq, limit=2)
    assert [line.text for line in before + newest] == [f"linha {number}" for number in (1, 2, 3, 4)]
