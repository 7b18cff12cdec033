"""Who wants no more messages is heeded at once, told once, and answered all the same when they write."""

from datetime import datetime, timedelta

import pytest

from models import conversation, handoff, message
from models.customer import Customer
from models.db import Database
from models.handoff import Reason
from models.message import Author, Status
from tests.fakes.claude import answer, text
from tests.fakes.twilio import refuse
from tests.stage import JOAO, MARIA, Stage

STOPPED = "Studio Bela não vai mais enviar lembretes nem avisos para você."


def opted_out(stage: Stage) -> bool:
    [customer] = stage.rows(Customer)
    return customer.opted_out_at is not None


@pytest.fixture
def stage(db: Database, now: datetime) -> Stage:
    return Stage(db, now, [answer(text("Pois não?"))])


def test_one_fixed_text_and_no_model(stage: Stage) -> None:
    [said] = stage.say("não quero mais receber mensagens")
    assert STOPPED in said
    assert "escrever *voltar*" in said
    assert opted_out(stage)
    assert stage.claude.requests == []
    assert stage.runs == []
    assert stage.handoffs == []
    assert stage.messages[-1].author == Author.SYSTEM
    assert stage.conversations[0].waiting_since is None


def test_who_wants_no_advertising_keeps_the_reminders(stage: Stage) -> None:
    [said] = stage.say("para de mandar promoção, só quero o lembrete")
    assert "não envia promoções: só lembretes e avisos dos seus horários" in said
    assert "escrever *sair*" in said
    assert not opted_out(stage)
    assert (stage.claude.requests, stage.handoffs) == ([], [])
    assert STOPPED in stage.say("sair")[0]
    assert opted_out(stage)


def test_of_advertising_beside_an_errand_the_model_is_told(stage: Stage) -> None:
    assert stage.say("quero marcar um corte amanhã. e não me mande mais promoções") == ["Pois não?"]
    assert not opted_out(stage)
    [_, words] = stage.claude.requests[0]["messages"][-1]["content"]
    assert "O cliente não quer propaganda" in words["text"]


def test_who_writes_afterwards_is_answered_and_stays_opted_out(stage: Stage) -> None:
    """And the model is told what was said, as a text that it did not write."""
    stage.say("PARAR")
    assert stage.say("quero marcar um corte") == ["Pois não?"]
    assert opted_out(stage)
    before = str(stage.claude.requests[0]["messages"])
    assert "[Mensagem automática enviada ao cliente] Tudo bem!" in before
    assert "O sistema já anotou: o cliente não recebe mais" in before


def test_it_is_taken_back_by_a_word(stage: Stage) -> None:
    stage.say("PARAR")
    [said] = stage.say("voltar")
    assert said.startswith("Que bom! Você voltou a receber os lembretes")
    assert not opted_out(stage)


def test_a_word_of_return_means_something_else_to_who_never_left(stage: Stage) -> None:
    assert stage.say("voltar") == ["Pois não?"]
    assert "O sistema" not in str(stage.claude.requests[0]["messages"])


def test_what_is_asked_beside_it_is_answered(stage: Stage) -> None:
    """The model answers, and knows that the wish is heeded already."""
    assert stage.say("cancela meu horário de amanhã e não me mande mais mensagens") == ["Pois não?"]
    assert opted_out(stage)
    [_, words] = stage.claude.requests[0]["messages"][-1]["content"]
    assert "O sistema já anotou: o cliente não recebe mais lembretes" in words["text"]


def test_two_bubbles_of_which_one_asks_something(stage: Stage) -> None:
    stage.deliver("parar")
    stage.deliver("quanto custa o corte?")
    stage.work()
    assert stage.twilio.bodies == ["Pois não?"]
    assert opted_out(stage)


def test_the_last_of_two_wishes_counts(stage: Stage) -> None:
    stage.deliver("parar")
    stage.deliver("voltar")
    stage.work()
    assert [body[:8] for body in stage.twilio.bodies] == ["Que bom!"]
    assert not opted_out(stage)


@pytest.fixture
def held(stage: Stage) -> Stage:
    """People have the conversation."""
    stage.say("oi")
    with stage.db.writing() as session:
        handoff.flag(session, stage.clock(), 1, 1, Reason.PEDIDO_DO_CLIENTE)
    return stage


@pytest.mark.parametrize(
    "words", ["sair", "não me mandem mais mensagens", "cadê? e para de mandar lembretes"]
)
def test_while_people_hold_the_conversation_it_is_confirmed_all_the_same(held: Stage, words: str) -> None:
    """Once, by a fixed text: they cannot see that it was heeded, and the conversation stays with people."""
    [said] = held.say(words)
    assert STOPPED in said
    assert "Esta conversa com a equipe continua." in said
    assert opted_out(held)
    [row] = held.conversations
    assert (row.holder, row.due_at) == ("queue", None)
    assert row.waiting_since is not None
    assert len(held.runs) == 1
    assert held.say("e aí?") == []


def test_while_people_hold_the_conversation_the_way_back_is_confirmed_too(held: Stage) -> None:
    assert held.say("voltar") == []
    held.say("sair")
    assert held.say("voltar") == ["Pronto! Você voltou a receber os lembretes e avisos de Studio Bela."]
    assert not opted_out(held)


def test_a_repeated_delivery_is_not_confirmed_twice(held: Stage) -> None:
    sid = held.deliver("sair")
    held.deliver("sair", MessageSid=sid)
    held.work()
    assert sum(STOPPED in body for body in held.twilio.bodies) == 1


def test_twilios_own_stop_while_people_hold_the_conversation(held: Stage) -> None:
    """Nobody is alarmed that the confirmation is refused."""
    held.twilio.by_number[MARIA] = refuse(21610)
    assert held.say("STOP") == []
    assert opted_out(held)
    assert [one.reason for one in held.handoffs] == [Reason.PEDIDO_DO_CLIENTE]


def test_a_reminder_that_waits_in_the_outbox_is_not_sent_any_more(stage: Stage) -> None:
    """What answers them goes out all the same."""
    stage.say("oi")
    with stage.db.writing() as session:
        for text_, ends in (("Lembrete", stage.clock() + timedelta(hours=1)), ("Resposta", None)):
            message.add(
                session, stage.clock(), 1, 1, message.Line(author=Author.SYSTEM, text=text_, send_before=ends)
            )
    assert stage.say("parar")[0] == "Resposta"
    assert [line.status for line in stage.messages if line.text == "Lembrete"] == [Status.DROPPED]


def test_twilios_own_stop_is_no_work_for_people(stage: Stage) -> None:
    """Twilio refuses our confirmation with 21610: everything is as the customer wants it."""
    stage.twilio.by_number[MARIA] = refuse(21610)
    assert stage.say("STOP") == []
    assert opted_out(stage)
    assert stage.handoffs == []


def test_one_customers_wish_is_theirs_alone(stage: Stage) -> None:
    stage.say("parar")
    stage.deliver("oi", JOAO)
    assert [customer.opted_out_at is None for customer in stage.rows(Customer)] == [False, True]


def test_a_repeated_delivery_takes_nothing_back(stage: Stage) -> None:
    """Twilio brings the old "parar" again after the customer has come back."""
    sid = stage.deliver("parar")
    stage.work()
    stage.say("voltar")
    stage.deliver("parar", MessageSid=sid)
    stage.work()
    assert not opted_out(stage)
    with stage.db.reading() as session:
        assert conversation.find(session, 1, 1).due_at is None
