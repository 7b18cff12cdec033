"""A customer waits for people, and nobody comes: what is said to whom, and the ways out."""

from datetime import datetime, timedelta

import pytest

from bot.escalation import unanswered
from bot.process import periodic_jobs
from models.acts import conversation_acts
from models.alert import Alert, Kind
from models.audit import AuditEvent
from models.conversation import WINDOW, Conversation, Holder
from models.db import Database
from models.handoff import CloseReason, Reason
from models.message import Author, Status
from models.staff import Staff
from tests.fakes.talk import hire, together
from tests.stage import Stage

# Wednesday, 10:20 in São Paulo; people answer from 09:00 to 18:00.
AGAIN = range(3)


@pytest.fixture
def stage(db: Database, now: datetime) -> Stage:
    return Stage(db, now)


def asks_for_a_person(stage: Stage) -> None:
    stage.say("quero falar com uma pessoa")
    assert row(stage).holder == Holder.QUEUE


def row(stage: Stage) -> Conversation:
    return stage.conversations[0]


def later(stage: Stage, **delta: float) -> list[str]:
    """Time passes, the sweeps run once; what the customer gets."""
    before = len(stage.twilio.sent)
    stage.clock.forward(**delta)
    sweep(stage)
    return [line.body for line in stage.twilio.sent[before:]]


def sweep(stage: Stage) -> None:
    periodic_jobs.watch_queue(stage.services, stage.clock())
    stage.work()


def person(stage: Stage, name: str = "Ana") -> int:
    tenant_id = stage.tenant().id
    assert tenant_id is not None
    with stage.db.writing() as session:
        return hire(session, stage.clock(), tenant_id, f"{name.lower()}@bela.test", name)


def take(stage: Stage, staff_id: int) -> None:
    with stage.db.writing() as session:
        conversation_acts.take(session, stage.clock(), row(stage).tenant_id, 1, staff_id)


def reply(stage: Stage, staff_id: int, key: str = "k") -> None:
    with stage.db.writing() as session:
        conversation_acts.reply(
            session,
            stage.clock(),
            row(stage).tenant_id,
            1,
            staff_id,
            text="Oi! Aqui é a Ana.",
            last_seen_seq=row(stage).last_seq,
            client_key=key,
        )


def resolve(stage: Stage, staff_id: int) -> None:
    with stage.db.writing() as session:
        place = (session, stage.clock(), row(stage).tenant_id, 1, staff_id)
        conversation_acts.resolve(*place, grace=timedelta(hours=2))


def alerts(stage: Stage) -> list[str]:
    return [alert.kind for alert in stage.rows(Alert)]


def test_the_timers_in_their_order_and_each_once(stage: Stage) -> None:
    asks_for_a_person(stage)
    assert alerts(stage) == [Kind.WAITING]
    assert later(stage, minutes=4) == []
    assert alerts(stage) == [Kind.WAITING]
    assert later(stage, minutes=2) == []
    assert alerts(stage) == [Kind.WAITING, Kind.STILL_WAITING]
    (text,) = later(stage, minutes=10)
    assert "responda *BOT* para voltar ao assistente" in text
    for _ in range(5):
        assert later(stage, minutes=20) == []
    assert alerts(stage) == [Kind.WAITING, Kind.STILL_WAITING]
    assert row(stage).holder == Holder.QUEUE, "never back to the bot in silence"


def test_out_of_hours_nothing_is_counted(stage: Stage) -> None:
    stage.clock.forward(hours=7, minutes=38)  # 17:58
    asks_for_a_person(stage)
    assert later(stage, minutes=30) == []
    assert later(stage, hours=12) == []
    assert alerts(stage) == [Kind.WAITING]
    assert later(stage, hours=2, minutes=35) == [], "09:03, and five minutes have passed"
    assert alerts(stage) == [Kind.WAITING, Kind.STILL_WAITING]
    assert len(later(stage, minutes=11)) == 1


def test_after_a_limit_the_way_back_is_not_offered(stage: Stage) -> None:
    """The bot would stop again at once."""
    asks_for_a_person(stage)
    with stage.db.writing() as session:
        session.merge(stage.handoffs[0]).reason = Reason.LIMITE_DE_USO
    (text,) = later(stage, minutes=16)
    assert "BOT" not in text
    assert "continua na fila" in text


def test_who_takes_it_in_time_stops_the_timers(stage: Stage) -> None:
    ana = person(stage)
    asks_for_a_person(stage)
    take(stage, ana)
    assert later(stage, minutes=14) == []
    reply(stage, ana)
    assert later(stage, hours=3) == ["Oi! Aqui é a Ana."]
    assert alerts(stage) == [Kind.WAITING]
    assert row(stage).assignee_id == ana


def test_a_second_text_on_its_way_is_dropped_if_somebody_comes(stage: Stage) -> None:
    ana = person(stage)
    asks_for_a_person(stage)
    stage.clock.forward(minutes=16)
    unanswered.keep(stage.services, stage.clock())
    take(stage, ana)
    before = len(stage.twilio.sent)
    stage.work()
    assert len(stage.twilio.sent) == before
    assert stage.messages[-1].status == Status.DROPPED


def test_claimed_and_never_answered_goes_back(stage: Stage) -> None:
    ana = person(stage)
    asks_for_a_person(stage)
    take(stage, ana)
    later(stage, minutes=14)
    assert row(stage).assignee_id == ana
    later(stage, minutes=1)
    assert (row(stage).holder, row(stage).assignee_id) == (Holder.QUEUE, None)
    last = stage.rows(AuditEvent)[-1]
    assert (last.action, last.staff_id, last.detail) == (
        "conversation.release",
        None,
        {"from": ana, "why": "no_reply"},
    )
    assert alerts(stage) == [Kind.WAITING, Kind.WAITING]
    assert len(later(stage, minutes=16)) == 1, "now nobody has it, and the customer is told"


def test_what_a_disabled_login_holds_goes_back(stage: Stage) -> None:
    """Also where the process was killed between disabling the login and giving back what it held."""
    ana = person(stage)
    asks_for_a_person(stage)
    take(stage, ana)
    with stage.db.writing() as session:
        session.get_one(Staff, ana).disabled_at = stage.clock()
    later(stage, seconds=1)
    assert row(stage).holder == Holder.QUEUE


def test_the_word_bot_brings_the_assistant_back_and_it_answers(stage: Stage) -> None:
    asks_for_a_person(stage)
    later(stage, minutes=16)
    assert stage.say(" Bot ") == ["Voltei! Sou o assistente de Studio Bela. Posso ajudar com seu horário?"]
    (episode,) = stage.handoffs
    assert episode.close_reason == CloseReason.CUSTOMER_CANCELLED
    assert row(stage).holder == Holder.BOT
    answers = stage.say("quais são os serviços?")
    assert any("Corte feminino" in answer for answer in answers), answers
    assert later(stage, hours=1) == []


def test_bot_and_a_wish_in_one_breath(stage: Stage) -> None:
    """The assistant answers the wish, and does not greet first."""
    asks_for_a_person(stage)
    stage.deliver("BOT")
    answers = stage.say("quais são os serviços?")
    assert row(stage).holder == Holder.BOT
    assert any("Corte feminino" in answer for answer in answers), answers


def test_to_the_bot_the_word_is_no_way_back(stage: Stage) -> None:
    assert not any(answer.startswith("Voltei!") for answer in stage.say("BOT"))


def test_a_customer_who_comes_back_is_told_once_and_not_in_the_middle_of_a_talk(stage: Stage) -> None:
    ana = person(stage)
    asks_for_a_person(stage)
    reply(stage, ana)
    resolve(stage, ana)
    stage.work()
    stage.clock.forward(minutes=2)
    assert stage.say("ah, só mais uma coisa") == []
    assert row(stage).holder == Holder.QUEUE
    assert later(stage, minutes=1) == [], "a person spoke three minutes ago"
    (text,) = later(stage, minutes=3)
    assert text.startswith("Recebi sua mensagem! Uma pessoa da equipe vai continuar")
    assert stage.say("tá aí?") == []
    assert later(stage, minutes=1) == []
    assert [episode.reopened for episode in stage.handoffs] == [False, True]


def test_before_the_window_shuts_staff_are_warned_once(stage: Stage) -> None:
    ana = person(stage)
    asks_for_a_person(stage)
    take(stage, ana)
    with stage.db.writing() as session:
        conversation_acts.snooze(
            session, stage.clock(), row(stage).tenant_id, 1, ana, until=stage.clock() + 2 * WINDOW
        )
    later(stage, hours=19, minutes=59)
    assert Kind.WINDOW not in alerts(stage)
    for _ in range(3):
        later(stage, minutes=1)
    assert alerts(stage).count(Kind.WINDOW) == 1


def test_no_text_into_a_window_that_is_shut(stage: Stage) -> None:
    asks_for_a_person(stage)
    with stage.db.writing() as session:
        conversation = session.get_one(Conversation, 1)
        assert conversation.last_inbound_at is not None
        conversation.last_inbound_at -= WINDOW
    assert later(stage, minutes=30) == []
    assert Kind.STILL_WAITING in alerts(stage)


@pytest.mark.parametrize("time", AGAIN)
def test_several_workers_do_it_once(stage: Stage, time: int) -> None:
    asks_for_a_person(stage)
    stage.clock.forward(minutes=16)
    steps = together([lambda: unanswered.keep(stage.services, stage.clock()) for _ in range(4)])
    assert sum(step for step in steps if isinstance(step, int)) == 2, steps
    texts = [line for line in stage.messages if line.author == Author.SYSTEM and "BOT" in line.text]
    assert len(texts) == 1
    assert alerts(stage) == [Kind.WAITING, Kind.STILL_WAITING]


@pytest.mark.parametrize("time", AGAIN)
def test_released_by_the_timer_or_answered_but_not_both(stage: Stage, time: int) -> None:
    ana = person(stage)
    asks_for_a_person(stage)
    take(stage, ana)
    stage.clock.forward(minutes=15)
    results = together(
        [lambda: unanswered.keep(stage.services, stage.clock()), lambda: reply(stage, ana, key="late")]
    )
    assert not any(isinstance(result, Exception) for result in results), results
    assert row(stage).assignee_id == ana, "released and taken again by the answer, or never released"


def test_each_business_has_its_own_patience(stage: Stage) -> None:
    asks_for_a_person(stage)
    with stage.db.writing() as session:
        session.merge(stage.tenant()).handoff_second_text_minutes = 3
    assert len(later(stage, minutes=4)) == 1


def test_a_business_without_people_hours_or_mail_still_hands_over(db: Database, now: datetime) -> None:
    """No login, no hours: the episode opens, the customer is answered, the second text goes out."""
    stage = Stage(db, now)
    with db.writing() as session:
        session.merge(stage.tenant()).handoff_hours = {}
    asks_for_a_person(stage)
    assert len(later(stage, minutes=16)) == 1


def test_a_sweep_without_episodes_finds_nothing(stage: Stage) -> None:
    stage.say("oi")
    assert unanswered.keep(stage.services, stage.clock() + timedelta(days=1)) == 0
