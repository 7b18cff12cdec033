"""What staff do with a conversation: one voice at a time, nothing twice, and a loser is told who won."""

from collections.abc import Callable
from datetime import datetime, timedelta
from itertools import pairwise

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlmodel import select

from models import conversation, handoff
from models.acts import conversation_acts, team_acts
from models.audit import AuditEvent
from models.conversation import WINDOW, Holder
from models.db import Database
from models.errors import Conflict, DomainError, LeaseLost, NotFound, Refusal
from models.handoff import CloseReason, Reason
from models.message import Author, Status
from models.staff import Staff
from tests.fakes.talk import GRACE, Talk, together

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


# Releasing and passing on


def test_release_puts_it_back_where_everybody_sees_it(talk: Talk) -> None:
    talk.flag()
    talk.take(talk.ana)
    before = talk.row
    talk.release(talk.ana)
    row = talk.row
    assert (row.holder, row.assignee_id, row.held_since) == (Holder.QUEUE, None, talk.now)
    assert row.epoch == before.epoch + 1
    assert row.waiting_since == before.waiting_since, "the customer waits as long as before"
    assert audit(talk.db) == ["conversation.take", "conversation.release"]
    (episode,) = talk.episodes
    assert (episode.closed_at, episode.claimed_by) == (None, talk.ana), "who took it first stays known"


@pytest.mark.parametrize("held", [Holder.BOT, Holder.QUEUE])
def test_releasing_what_one_does_not_hold_changes_nothing(talk: Talk, held: Holder) -> None:
    if held == Holder.QUEUE:
        talk.flag()
    before = talk.row
    talk.release(talk.ana)
    assert talk.row == before


def test_passing_on_names_the_next(talk: Talk) -> None:
    talk.flag()
    talk.take(talk.ana)
    talk.now += timedelta(minutes=1)
    talk.pass_on(talk.ana, talk.bruno)
    assert (talk.row.assignee_id, talk.row.held_since) == (talk.bruno, talk.now)
    assert audit(talk.db) == ["conversation.take", "conversation.pass_on"]
    with pytest.raises(Conflict) as lost:
        talk.reply(talk.ana)
    assert lost.value.winner == "Bruno Reis"


def test_what_nobody_holds_may_be_given_to_somebody(talk: Talk) -> None:
    talk.flag()
    talk.pass_on(talk.ana, talk.bruno)
    assert (talk.row.holder, talk.row.assignee_id) == (Holder.STAFF, talk.bruno)
    assert talk.episodes[0].claimed_by == talk.bruno


@pytest.mark.parametrize("who", ["foreign", "missing", "disabled"])
def test_passing_on_reaches_colleagues_who_work_here_only(talk: Talk, who: str) -> None:
    """A person of another business is missing, exactly as one who does not exist."""
    talk.take(talk.ana)
    before = talk.row
    if who == "disabled":
        team_acts.disable(talk.db, talk.now, talk.bruno)
    to = {"foreign": talk.carla, "missing": 987654, "disabled": talk.bruno}[who]
    with pytest.raises(NotFound) as missing:
        talk.pass_on(talk.ana, to)
    assert str(missing.value) == "staff"
    assert talk.row == before


def test_take_over_is_from_whom_it_was_meant(talk: Talk) -> None:
    """Compare and set: it names the colleague who is thought to hold it."""
    talk.take(talk.bruno)
    with pytest.raises(Conflict) as lost:
        talk.take_over(talk.ana, holder_id=talk.carla)
    assert lost.value.winner == "Bruno Reis"
    talk.take_over(talk.ana, holder_id=talk.bruno)
    assert talk.row.assignee_id == talk.ana
    talk.take_over(talk.ana, holder_id=talk.bruno)
    assert audit(talk.db) == ["conversation.take", "conversation.take_over"]


def test_take_over_of_what_was_released_meanwhile_takes_it(talk: Talk) -> None:
    talk.take(talk.bruno)
    talk.release(talk.bruno)
    talk.take_over(talk.ana, holder_id=talk.bruno)
    assert talk.row.assignee_id == talk.ana


def test_a_disabled_login_leaves_nothing_behind(talk: Talk) -> None:
    talk.flag()
    talk.take(talk.bruno)
    with talk.db.writing() as session:
        session.get_one(Staff, talk.ana).role = "manager"
    assert team_acts.disable(talk.db, talk.now, talk.bruno, by=talk.ana) == 1
    assert (talk.row.holder, talk.row.assignee_id) == (Holder.QUEUE, None)
    assert audit(talk.db) == ["conversation.take", "staff.disable", "conversation.release"]
    with pytest.raises(NotFound):
        talk.take(talk.bruno)


@pytest.mark.parametrize("time", AGAIN)
def test_disabled_while_taking_passing_and_answering(talk: Talk, time: int) -> None:
    """However it falls, in the end nothing is in the hands of a login that nobody can use."""
    talk.flag()
    acts: list[Callable[[], object]] = [
        lambda: talk.take(talk.bruno),
        lambda: team_acts.disable(talk.db, talk.now, talk.bruno),
        lambda: talk.pass_on(talk.ana, talk.bruno),
        lambda: talk.reply(talk.bruno, seen=1),
    ]
    results = together(acts)
    assert all(not isinstance(result, Exception) or isinstance(result, DomainError) for result in results)
    assert talk.row.assignee_id != talk.bruno
    agree(talk)


# Putting aside


def test_snoozed_until_its_time_or_until_the_customer_writes(talk: Talk) -> None:
    talk.flag()
    talk.snooze(talk.ana, talk.now + timedelta(hours=1))
    assert (talk.row.assignee_id, talk.row.snoozed_until) == (talk.ana, talk.now + timedelta(hours=1))
    talk.says("e aí?")
    assert talk.row.snoozed_until is None


def test_an_answer_or_another_pair_of_hands_ends_a_snooze(talk: Talk) -> None:
    for number, act in enumerate(
        [
            lambda: talk.reply(talk.ana, key="k9"),
            lambda: talk.release(talk.ana),
            lambda: talk.wake(talk.ana),
            lambda: talk.pass_on(talk.ana, talk.bruno),
        ]
    ):
        talk.snooze(talk.ana, talk.now + timedelta(hours=1))
        act()
        assert talk.row.snoozed_until is None, number


@pytest.mark.parametrize("ahead", [timedelta(0), timedelta(minutes=-1), timedelta(days=14, seconds=1)])
def test_a_snooze_ends_within_two_weeks(talk: Talk, ahead: timedelta) -> None:
    before = talk.row
    with pytest.raises(Refusal) as refusal:
        talk.snooze(talk.ana, talk.now + ahead)
    assert refusal.value.code == "PRAZO"
    assert talk.row == before


# Notes


def test_a_note_stays_inside_and_changes_nothing_else(talk: Talk) -> None:
    """It is never sent, moves nothing in the lists, takes nothing, and hinders no reply."""
    talk.flag()
    before, seen = talk.row, talk.row.last_seq
    seq = talk.note(talk.bruno)
    line = talk.lines[-1]
    assert (line.seq, line.status, line.author, line.staff_id) == (seq, Status.NOTE, Author.STAFF, talk.bruno)
    assert line.send_after is None
    after = talk.row
    assert after.last_seq == before.last_seq + 1
    after.last_seq = before.last_seq
    assert after == before
    talk.reply(talk.ana, seen=seen)


def test_a_note_is_noted_once(talk: Talk) -> None:
    assert talk.note(talk.ana) == talk.note(talk.ana)
    assert len(talk.lines) == 2


# Resolving


def test_resolved_it_is_the_bots(talk: Talk) -> None:
    talk.flag()
    talk.reply(talk.ana)
    talk.resolve(talk.ana)
    (episode,) = talk.episodes
    assert (episode.close_reason, episode.closed_by) == (CloseReason.RESOLVED, talk.ana)
    row = talk.row
    assert (row.holder, row.resolved_at, row.reopen_until) == (Holder.BOT, talk.now, talk.now + GRACE)
    assert row.answered_seq == row.last_seq
    assert len(talk.lines) == 2, "the person has said goodbye, nobody else does"


@pytest.mark.parametrize(
    ("later", "holder"),
    [
        (timedelta(minutes=1), Holder.QUEUE),
        (GRACE - timedelta(seconds=1), Holder.QUEUE),
        (GRACE, Holder.BOT),
        (timedelta(days=3), Holder.BOT),
    ],
)
def test_who_answers_after_it_was_resolved(talk: Talk, later: timedelta, holder: Holder) -> None:
    """Soon after a person's last words it is for people again, later for the bot."""
    talk.flag()
    talk.reply(talk.ana)
    spoke = talk.now
    talk.now += timedelta(minutes=1)
    talk.resolve(talk.ana)
    talk.now = spoke + later
    talk.says("ah, e mais uma coisa")
    row = talk.row
    assert row.holder == holder
    assert (row.due_at is not None) == (holder == Holder.BOT)
    assert row.unread == (holder == Holder.QUEUE)
    agree(talk)
    if holder == Holder.QUEUE:
        last = talk.episodes[-1]
        assert (last.reason, last.reopened, last.opened_at) == (None, True, talk.now)
        assert (row.reopen_until, row.resolved_at, row.waiting_since) == (None, None, talk.now)


def test_what_nobody_answered_is_the_bots_at_once(talk: Talk) -> None:
    talk.flag()
    talk.resolve(talk.ana)
    assert talk.row.reopen_until is None
    talk.says("oi?")
    assert (talk.row.holder, talk.row.due_at is not None) == (Holder.BOT, True)


def test_two_messages_after_it_was_resolved_are_one_episode(talk: Talk) -> None:
    talk.reply(talk.ana)
    talk.resolve(talk.ana)
    talk.says("ah")
    talk.says("e mais uma coisa")
    assert [episode.reopened for episode in talk.episodes] == [False, True]
    assert talk.row.unread == 2


@pytest.mark.parametrize("time", AGAIN)
def test_many_messages_at_once_reopen_once(talk: Talk, time: int) -> None:
    talk.reply(talk.ana)
    talk.resolve(talk.ana)
    results = together([lambda: talk.says("e mais") for _ in range(4)])
    assert not any(isinstance(result, Exception) for result in results), results
    assert len(talk.episodes) == 2
    agree(talk)


def test_taken_again_within_the_time_it_is_no_return(talk: Talk) -> None:
    talk.reply(talk.ana)
    talk.resolve(talk.ana)
    talk.take(talk.bruno)
    talk.says("oi")
    assert talk.row.assignee_id == talk.bruno
    talk.give_back(talk.bruno)
    talk.says("oi")
    assert talk.row.holder == Holder.BOT, "given back on purpose: the bot answers"


@pytest.mark.parametrize("end", ["resolve", "give_back"])
def test_nothing_unseen_is_ended(talk: Talk, end: str) -> None:
    talk.take(talk.ana)
    seen = talk.row.last_seq
    talk.note(talk.bruno)
    talk.says("ainda não!")
    with pytest.raises(Conflict) as conflict, talk.db.writing() as session:
        place = (session, talk.now, talk.tenant, talk.id, talk.ana)
        if end == "resolve":
            conversation_acts.resolve(*place, grace=GRACE, last_seen_seq=seen)
        else:
            conversation_acts.give_back(*place, last_seen_seq=seen)
    assert conflict.value.winner is None
    assert talk.row.holder == Holder.STAFF


@pytest.mark.parametrize("act", ["release", "resolve", "snooze", "wake", "pass_on"])
def test_only_the_holder_acts(talk: Talk, act: str) -> None:
    talk.take(talk.bruno)
    before = talk.row
    acts: dict[str, Callable[[], object]] = {
        "release": lambda: talk.release(talk.ana),
        "resolve": lambda: talk.resolve(talk.ana),
        "snooze": lambda: talk.snooze(talk.ana, talk.now + timedelta(hours=1)),
        "wake": lambda: talk.wake(talk.ana),
        "pass_on": lambda: talk.pass_on(talk.ana, talk.ana),
    }
    with pytest.raises(Conflict) as conflict:
        acts[act]()
    assert conflict.value.winner == "Bruno Reis"
    assert talk.row == before


@pytest.mark.parametrize("time", AGAIN)
def test_every_act_at_once_leaves_one_truth(talk: Talk, time: int) -> None:
    """Nobody is overwritten: the log alternates as it must, and each change of holder counts once."""
    talk.flag()
    acts: list[Callable[[], object]] = []
    for who, other in ((talk.ana, talk.bruno), (talk.bruno, talk.ana)):
        acts += [
            lambda who=who: talk.take(who),
            lambda who=who: talk.release(who),
            lambda who=who, other=other: talk.pass_on(who, other),
            lambda who=who, other=other: talk.take_over(who, other),
            lambda who=who: talk.resolve(who),
            lambda who=who: talk.snooze(who, talk.now + timedelta(hours=1)),
        ]
    results = together(acts)
    assert all(result is None or isinstance(result, Conflict) for result in results), results
    agree(talk)
    log = [name.removeprefix("conversation.") for name in audit(talk.db)]
    held = False
    for name in log:
        assert (name == "take") <= (not held), log
        assert (name in ("release", "take_over")) <= held, log
        held = {"take": True, "pass_on": True, "take_over": True, "release": False, "resolve": False}.get(
            name, held
        )
    assert held == (talk.row.holder == Holder.STAFF)


# Between businesses


@pytest.mark.parametrize(
    "act",
    [
        "take",
        "reply",
        "give_back",
        "flag",
        "take_over",
        "pass_on",
        "release",
        "snooze",
        "wake",
        "note",
        "resolve",
    ],
)
def test_a_foreign_conversation_is_a_missing_one(talk: Talk, act: str) -> None:
    """Carla of another business finds no such row, exactly as for a number that nobody has."""
    before = talk.row

    def run(conversation_id: int) -> str:
        with pytest.raises(NotFound) as missing, talk.db.writing() as session:
            place = (session, talk.now, talk.other.tenant, conversation_id)
            match act:
                case "take":
                    conversation_acts.take(*place, talk.carla)
                case "reply":
                    conversation_acts.reply(*place, talk.carla, text="x", last_seen_seq=9, client_key="k")
                case "give_back":
                    conversation_acts.give_back(*place, talk.carla)
                case "take_over":
                    conversation_acts.take_over(*place, talk.carla, holder_id=talk.ana)
                case "pass_on":
                    conversation_acts.pass_on(*place, talk.carla, to_id=talk.carla)
                case "release":
                    conversation_acts.release(*place, talk.carla)
                case "snooze":
                    conversation_acts.snooze(*place, talk.carla, until=talk.now + timedelta(hours=1))
                case "wake":
                    conversation_acts.wake(*place, talk.carla)
                case "note":
                    conversation_acts.note(*place, talk.carla, text="x", client_key="k")
                case "resolve":
                    conversation_acts.resolve(*place, talk.carla, grace=GRACE)
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
        case "bot":
            talk.says("bot")
        case "release":
            talk.release(staff_id)
        case "pass_on":
            talk.pass_on(staff_id, talk.bruno)
        case "take_over":
            talk.take_over(staff_id, talk.bruno)
        case "snooze":
            talk.snooze(staff_id, talk.now + timedelta(hours=1))
        case "resolve":
            talk.resolve(staff_id)
        case "later":
            talk.now += timedelta(hours=7)
        case _:
            talk.now += timedelta(minutes=40)


NAMES = st.sampled_from(
    [
        *("take", "reply", "give_back", "flag", "says", "bot", "release"),
        *("pass_on", "take_over", "snooze", "resolve", "later", "soon"),
    ]
)


@settings(max_examples=80, suppress_health_check=[HealthCheck.function_scoped_fixture])
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
        changed = (talk.row.holder, talk.row.assignee_id) != (before.holder, before.assignee_id)
        # Soon after it was settled the word of return brings it to people, and back, in one message.
        there_and_back = name == "bot" and before.reopen_until is not None and before.reopen_until > talk.now
        assert talk.row.epoch - before.epoch == (2 if there_and_back else changed)
        agree(talk)
