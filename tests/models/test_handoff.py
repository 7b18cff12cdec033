"""Taking, answering and giving back: one voice at a time, nothing twice, and a loser is told who won."""

from collections.abc import Callable
from datetime import datetime, timedelta
from itertools import pairwise

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import text
from sqlalchemy.exc import IntegrityError
from sqlmodel import select

from models import conversation, handoff
from models.audit import AuditEvent
from models.conversation import WINDOW, Holder
from models.db import Database
from models.errors import Conflict, DomainError, LeaseLost, NotFound, Refusal
from models.handoff import CloseReason, Reason
from models.message import Author, Status
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
        return [event.action for event in session.exec(select(AuditEvent).order_by(AuditEvent.id))]  # type: ignore[arg-type]


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


# Taking


@pytest.mark.parametrize("held", [Holder.BOT, Holder.QUEUE])
def test_take_silences_the_bot(talk: Talk, held: Holder) -> None:
    """A worker in the middle of its turn cannot commit any more."""
    with talk.db.writing() as session:
        claim = conversation.claim(session, talk.now + timedelta(seconds=2), timedelta(seconds=30))
    assert claim is not None
    if held == Holder.QUEUE:
        talk.flag()
    talk.take(talk.ana)
    assert (talk.row.holder, talk.row.assignee_id, talk.row.due_at) == (Holder.STAFF, talk.ana, None)
    with pytest.raises(LeaseLost), talk.db.writing() as session:
        conversation.finish(session, claim, answered_seq=1)
    talk.says("e agora?")
    with talk.db.writing() as session:
        assert conversation.claim(session, talk.now + timedelta(days=1), timedelta(seconds=30)) is None


def test_take_keeps_the_reason_and_notes_who_claimed(talk: Talk) -> None:
    talk.flag()
    talk.take(talk.ana)
    (episode,) = talk.episodes
    assert (episode.reason, episode.claimed_by, episode.claimed_at) == (
        Reason.PEDIDO_DO_CLIENTE,
        talk.ana,
        talk.now,
    )


def test_take_from_the_bot_opens_an_episode_without_reason(talk: Talk) -> None:
    talk.take(talk.ana)
    assert [episode.reason for episode in talk.episodes] == [None]


def test_take_again_is_fine_and_changes_nothing(talk: Talk) -> None:
    talk.take(talk.ana)
    before = talk.row
    talk.take(talk.ana)
    assert talk.row == before
    assert audit(talk.db) == ["conversation.take"]


def test_the_loser_of_a_claim_is_told_who_won(talk: Talk) -> None:
    talk.take(talk.ana)
    with pytest.raises(Conflict) as lost:
        talk.take(talk.bruno)
    assert lost.value.winner == "Ana Souza"
    assert talk.row.assignee_id == talk.ana


@pytest.mark.parametrize("time", AGAIN)
def test_many_claim_at_once_and_one_wins(talk: Talk, time: int) -> None:
    talk.flag()
    epoch = talk.row.epoch

    def claim(staff_id: int) -> Callable[[], None]:
        return lambda: talk.take(staff_id)

    results = together([claim(staff_id) for staff_id in (talk.ana, talk.bruno) * 4])
    winner = {talk.ana: "Ana Souza", talk.bruno: "Bruno Reis"}[talk.row.assignee_id or 0]
    losers = [error for error in results if error is not None]
    assert len(losers) == 4, "the winner's own repeated claims are fine"
    assert all(isinstance(error, Conflict) and error.winner == winner for error in losers)
    assert talk.row.epoch == epoch + 1
    assert audit(talk.db) == ["conversation.take"]
    assert [episode.claimed_by for episode in talk.episodes] == [talk.row.assignee_id]


# Replying


def test_a_reply_takes_the_conversation_and_is_queued(talk: Talk) -> None:
    """Nobody has to press a button first: whoever writes is in charge."""
    seq = talk.reply(talk.ana, "Oi, Maria!")
    line = talk.lines[-1]
    assert (line.seq, line.author, line.staff_id, line.status) == (seq, Author.STAFF, talk.ana, Status.QUEUED)
    assert (talk.row.holder, talk.row.assignee_id) == (Holder.STAFF, talk.ana)
    assert (talk.row.waiting_since, talk.row.unread, talk.row.preview) == (None, 0, "Oi, Maria!")
    assert talk.episodes[0].first_reply_at == talk.now


def test_the_first_reply_is_timed_once(talk: Talk) -> None:
    began = talk.now
    talk.reply(talk.ana, key="k1")
    talk.now += timedelta(minutes=5)
    talk.reply(talk.ana, key="k2")
    assert talk.episodes[0].first_reply_at == began


def test_the_same_key_again_sends_nothing(talk: Talk) -> None:
    """A repeated POST gives the first result, also when something newer was said meanwhile."""
    first = talk.reply(talk.ana, key="k1")
    talk.says("e?")
    assert talk.reply(talk.ana, key="k1", seen=1) == first
    assert len(talk.lines) == 3


@pytest.mark.parametrize("time", AGAIN)
def test_one_reply_sent_many_times_at_once_is_one(talk: Talk, time: int) -> None:
    def send() -> int:
        return talk.reply(talk.ana, seen=1, key="k1")

    assert together([send] * 6) == [2] * 6
    assert len(talk.lines) == 2


@pytest.mark.parametrize("time", AGAIN)
def test_two_people_answer_at_once_and_one_is_heard(talk: Talk, time: int) -> None:
    talk.flag()
    results = together(
        [
            lambda: talk.reply(talk.ana, "aqui é a Ana", seen=1, key="a"),
            lambda: talk.reply(talk.bruno, "aqui é o Bruno", seen=1, key="b"),
        ]
    )
    assert sum(isinstance(result, Conflict) for result in results) == 1
    assert len(talk.lines) == 2
    assert talk.lines[-1].staff_id == talk.row.assignee_id


@pytest.mark.parametrize("who", ["customer", "bot", "colleague"])
def test_what_the_writer_has_not_seen_stops_the_reply(talk: Talk, who: str) -> None:
    seen = talk.row.last_seq
    if who == "customer":
        talk.says("mudei de ideia")
    elif who == "bot":
        talk.bot_says()
    else:
        talk.reply(talk.bruno, key="b")
        talk.give_back(talk.bruno)
    with pytest.raises(Conflict) as conflict:
        talk.reply(talk.ana, seen=seen)
    assert conflict.value.winner is None
    assert talk.lines[-1].staff_id != talk.ana


def test_own_lines_and_notes_stop_no_reply(talk: Talk) -> None:
    seen = talk.row.last_seq
    talk.reply(talk.ana, key="k1")
    talk.bot_says("só para a equipe", status=Status.NOTE)
    talk.reply(talk.ana, key="k2", seen=seen)
    assert [line.author for line in talk.lines][-3:] == [Author.STAFF, Author.BOT, Author.STAFF]


def test_a_colleague_who_holds_it_stops_the_reply(talk: Talk) -> None:
    talk.take(talk.bruno)
    with pytest.raises(Conflict) as conflict:
        talk.reply(talk.ana)
    assert conflict.value.winner == "Bruno Reis"
    assert len(talk.lines) == 1


@pytest.mark.parametrize(("later", "open_"), [(WINDOW - timedelta(seconds=1), True), (WINDOW, False)])
def test_whatsapps_window_is_half_open(talk: Talk, later: timedelta, open_: bool) -> None:
    """At 23:59:59 a text still goes; at 24:00:00 none does, and nothing has changed."""
    talk.now += later
    if open_:
        talk.reply(talk.ana)
        return
    before = talk.row
    with pytest.raises(Refusal) as refusal:
        talk.reply(talk.ana)
    assert refusal.value.code == "JANELA_FECHADA"
    assert talk.row == before
    assert talk.episodes == []


# Giving back


def test_give_back_closes_the_episode_with_its_note(talk: Talk) -> None:
    talk.flag()
    talk.reply(talk.ana)
    talk.now += timedelta(minutes=9)
    talk.give_back(talk.ana, note="Pode marcar às 15h.", greeting="Voltei!")
    (episode,) = talk.episodes
    assert (episode.closed_at, episode.closed_by) == (talk.now, talk.ana)
    assert (episode.close_reason, episode.note) == (CloseReason.RETURNED_TO_BOT, "Pode marcar às 15h.")
    assert episode.closed_seq == 2, "the greeting is the bot's, not the person's"
    row = talk.row
    assert (row.holder, row.assignee_id, row.due_at) == (Holder.BOT, None, None)
    assert row.answered_seq == 2, "the human stretch is context, not pending input"
    assert (row.unread, row.waiting_since) == (0, None)
    assert (talk.lines[-1].author, talk.lines[-1].text) == (Author.SYSTEM, "Voltei!")


def test_after_giving_back_the_bot_answers_again(talk: Talk) -> None:
    talk.take(talk.ana)
    talk.give_back(talk.ana)
    talk.says("quero marcar")
    with talk.db.writing() as session:
        claim = conversation.claim(session, talk.now + timedelta(seconds=2), timedelta(seconds=30))
    assert claim is not None
    assert (claim.answered_seq, claim.through_seq) == (1, 2)


def test_the_greeting_is_left_out_where_it_could_not_be_sent(talk: Talk) -> None:
    talk.take(talk.ana)
    talk.now += WINDOW
    talk.give_back(talk.ana, greeting="Voltei!")
    assert len(talk.lines) == 1
    assert talk.row.holder == Holder.BOT


def test_a_waiting_conversation_may_be_given_back_unclaimed(talk: Talk) -> None:
    talk.flag()
    talk.give_back(talk.bruno)
    assert talk.row.holder == Holder.BOT
    assert talk.episodes[0].closed_by == talk.bruno


def test_giving_back_what_the_bot_holds_changes_nothing(talk: Talk) -> None:
    before = talk.row
    talk.give_back(talk.ana, note="x", greeting="Voltei!")
    assert talk.row == before
    assert audit(talk.db) == []


def test_only_the_holder_gives_back(talk: Talk) -> None:
    talk.take(talk.bruno)
    with pytest.raises(Conflict) as conflict:
        talk.give_back(talk.ana)
    assert conflict.value.winner == "Bruno Reis"
    assert talk.row.assignee_id == talk.bruno


def test_a_second_episode_has_its_own_times(talk: Talk) -> None:
    talk.flag()
    talk.reply(talk.ana, key="k1")
    talk.give_back(talk.ana)
    talk.now += timedelta(days=3)
    talk.says("oi de novo")
    talk.flag(Reason.LIMITE_TEMPO)
    talk.now += timedelta(minutes=2)
    talk.reply(talk.bruno, key="k2")
    first, second = talk.episodes
    assert second.first_reply_at is not None
    assert second.first_reply_at - second.opened_at == timedelta(minutes=2)
    assert (first.claimed_by, second.claimed_by) == (talk.ana, talk.bruno)


# Between businesses


@pytest.mark.parametrize("act", ["take", "reply", "give_back", "flag"])
def test_a_foreign_conversation_is_a_missing_one(talk: Talk, act: str) -> None:
    """Carla of another business finds no such row, exactly as for a number that nobody has."""
    before = talk.row

    def run(conversation_id: int) -> str:
        with pytest.raises(NotFound) as missing, talk.db.writing() as session:
            place = (session, talk.now, talk.other.tenant, conversation_id)
            match act:
                case "take":
                    handoff.take(*place, talk.carla)
                case "reply":
                    handoff.reply(*place, talk.carla, text="x", last_seen_seq=9, client_key="k")
                case "give_back":
                    handoff.give_back(*place, talk.carla)
                case _:
                    handoff.flag(*place, Reason.ERRO_INTERNO)
        return str(missing.value)

    assert run(talk.id) == run(987654)
    assert talk.row == before
    assert talk.episodes == []


# All of it, at once and in any order


@pytest.mark.parametrize("time", AGAIN)
def test_taking_and_giving_back_at_once_leaves_one_truth(talk: Talk, time: int) -> None:
    talk.flag()
    acts: list[Callable[[], object]] = [
        lambda: talk.take(talk.ana),
        lambda: talk.give_back(talk.ana),
        lambda: talk.take(talk.bruno),
        lambda: talk.give_back(talk.bruno),
        lambda: talk.flag(),
    ]
    results = together(acts * 2)
    assert all(result is None or isinstance(result, bool | Conflict) for result in results), results
    agree(talk)
    log = audit(talk.db)
    twice = ("conversation.take", "conversation.take")
    assert twice not in pairwise(log), "nobody takes what is taken"


def agree(talk: Talk) -> None:
    """Holder, assignee and episodes of the conversation tell the same story."""
    row = talk.row
    standing = [each for each in talk.episodes if each.conversation_id == talk.id and each.closed_at is None]
    assert len(standing) == (row.holder != Holder.BOT), "an episode is open while people hold it, else none"
    assert (row.assignee_id is not None) == (row.holder == Holder.STAFF)
    if row.holder == Holder.STAFF:
        assert standing[0].claimed_by is not None


def act(talk: Talk, name: str, staff_id: int, key: str) -> None:
    match name:
        case "take":
            talk.take(staff_id)
        case "reply":
            talk.reply(staff_id, key=key)
        case "give_back":
            talk.give_back(staff_id)
        case "flag":
            talk.flag()
        case "says":
            talk.says()
        case _:
            talk.now += timedelta(hours=7)


NAMES = st.sampled_from(["take", "reply", "give_back", "flag", "says", "later"])


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(number=st.integers(0, 10**8 - 1), steps=st.lists(st.tuples(NAMES, st.booleans()), max_size=14))
def test_any_order_of_acts_keeps_the_rules(
    sqlite_talk: Talk, number: int, steps: list[tuple[str, bool]]
) -> None:
    """Whatever people do, one after the other: refusals change nothing, and each change of holder counts."""
    talk = sqlite_talk
    talk.phone = f"+55119{number:08d}"
    talk.id = talk.says()
    for position, (name, first) in enumerate(steps):
        before = talk.row
        try:
            act(talk, name, talk.ana if first else talk.bruno, f"k{position}")
        except DomainError:
            assert talk.row == before
        assert talk.row.epoch - before.epoch == (talk.row.holder != before.holder)
        agree(talk)
