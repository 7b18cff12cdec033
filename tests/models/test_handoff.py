"""Episodes: opened once, with one reason, and closed; and what a customer's message does to them."""

from datetime import datetime, timedelta

import pytest
from sqlalchemy import text
from sqlalchemy.exc import IntegrityError
from sqlmodel import select

from models import handoff
from models.audit import AuditEvent
from models.conversation import Holder
from models.db import Database
from models.errors import Conflict
from models.handoff import CloseReason, Reason
from tests.fakes.talk import Talk, together

AGAIN = range(3)  # a race is run that often: each time on a fresh database


@pytest.fixture
def talk(db: Database, now: datetime) -> Talk:
    return Talk(db, now)


@pytest.fixture
def sqlite_talk(sqlite_db: Database, now: datetime) -> Talk:
    return Talk(sqlite_db, now)


def audit(db: Database) -> list[str]:
    with db.reading() as session:
        return [event.action for event in session.exec(select(AuditEvent).order_by(AuditEvent.id))]


# The episode


def test_an_open_episode_stands(talk: Talk) -> None:
    """Whoever opens a second one gets the first: its reason and its time are kept."""
    talk.flag()
    with talk.db.writing() as session:
        opened = handoff.open_episode(
            session,
            talk.now + timedelta(hours=1),
            talk.tenant,
            talk.id,
            reason=Reason.ERRO_INTERNO,
            trigger_seq=1,
        )
    (episode,) = talk.episodes
    assert (opened, episode.reason, episode.opened_at) == (episode.id, Reason.PEDIDO_DO_CLIENTE, talk.now)


def test_the_database_refuses_a_second_open_episode(talk: Talk) -> None:
    talk.flag()
    with pytest.raises(IntegrityError), talk.db.writing() as session:
        session.execute(
            text(
                "insert into handoff (tenant_id, conversation_id, detail, trigger_seq, opened_at, note)"
                " select tenant_id, conversation_id, detail, trigger_seq, opened_at, note from handoff"
            )
        )


def test_the_database_refuses_an_unknown_reason(talk: Talk) -> None:
    talk.flag()
    with pytest.raises(IntegrityError), talk.db.writing() as session:
        session.execute(text("update handoff set reason = 'whatever'"))


@pytest.mark.parametrize("reason", Reason)
def test_every_reason_fits_its_column(talk: Talk, reason: Reason) -> None:
    talk.flag(reason)
    assert talk.episodes[0].reason == reason


# Into the queue


def test_flag_puts_the_bots_conversation_into_the_queue(talk: Talk) -> None:
    before = talk.row
    assert talk.flag(Reason.FALHA_NO_ENVIO) is True
    row = talk.row
    assert (row.holder, row.epoch, row.due_at) == (Holder.QUEUE, before.epoch + 1, None)
    assert row.unread == 1
    assert row.waiting_since == before.waiting_since == talk.now


def test_a_second_flag_changes_nothing(talk: Talk) -> None:
    """The customer asks for a person two hundred times: one episode."""
    talk.flag()
    before = talk.row
    assert talk.flag(Reason.ERRO_INTERNO) is False
    assert talk.row == before
    assert len(talk.episodes) == 1


def test_a_customer_who_writes_on_waits_since_the_first_message(talk: Talk) -> None:
    """Neither a later message nor the claim moves the start of the wait (only an answer ends it)."""
    talk.flag()
    began = talk.now
    talk.now += timedelta(minutes=30)
    talk.says("alguém?")
    talk.take(talk.ana)
    assert talk.row.waiting_since == began
    assert talk.row.unread == 2


# Back to the bot by one word


@pytest.mark.parametrize("words", ["BOT", "bot", "  Bot \n", '"BOT"', "bot."])
@pytest.mark.parametrize("held", [Holder.QUEUE, Holder.STAFF])
def test_the_word_bot_ends_the_wait(talk: Talk, words: str, held: Holder) -> None:
    """The episode closes before that message, and the bot is to answer it."""
    talk.flag()
    if held == Holder.STAFF:
        talk.take(talk.ana)
    epoch = talk.row.epoch
    talk.now += timedelta(minutes=20)
    talk.says(words)
    row = talk.row
    assert (row.holder, row.assignee_id, row.epoch) == (Holder.BOT, None, epoch + 1)
    assert (row.answered_seq, row.last_seq) == (1, 2)
    assert row.due_at == talk.now + timedelta(seconds=1)
    assert (row.waiting_since, row.unread) == (talk.now, 0)
    (episode,) = talk.episodes
    assert (episode.close_reason, episode.closed_at, episode.closed_seq, episode.closed_by) == (
        CloseReason.CUSTOMER_CANCELLED,
        talk.now,
        1,
        None,
    )


@pytest.mark.parametrize("words", ["robot", "o bot", "bot?", "não quero bot", "b o t", "", "BOT BOT"])
def test_no_other_word_does(talk: Talk, words: str) -> None:
    talk.flag()
    talk.says(words)
    assert talk.row.holder == Holder.QUEUE
    assert talk.episodes[0].closed_at is None


def test_to_the_bot_itself_it_is_a_word_like_others(talk: Talk) -> None:
    talk.says("BOT")
    assert (talk.row.holder, talk.row.answered_seq, talk.episodes) == (Holder.BOT, 0, [])


@pytest.mark.parametrize("time", AGAIN)
def test_a_reply_and_the_word_bot_at_once(talk: Talk, time: int) -> None:
    """Either the person was first and the bot takes up after it, or the person is told of the message."""
    talk.flag()
    results = together([lambda: talk.says("BOT"), lambda: talk.reply(talk.ana, seen=1)])
    assert isinstance(results[0], int)
    assert talk.row.holder == Holder.BOT
    assert all(episode.closed_at is not None for episode in talk.episodes)
    assert isinstance(results[1], int | Conflict)
