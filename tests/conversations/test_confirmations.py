"""What customers answer to a reminder: a plain yes without the model, everything else with it."""

import json
from datetime import datetime

import pytest
from sqlmodel import select

from models import handoff
from models.appointment import Appointment
from models.conversation import Holder
from models.db import Database
from models.handoff import Reason
from models.message import Author
from tests.fakes.claude import answer, text
from tests.fakes.days import Calendar, local
from tests.stage import JOAO

CONFIRMED = (
    "Presença confirmada! Esperamos você amanhã, sexta-feira, 04/12/2026, às 14:00: "
    "Corte feminino com Ana Souza. 🙂"
)


class Reminded(Calendar):
    """Maria has a visit on Friday at two, and was just reminded of it."""

    def __init__(self, db: Database) -> None:
        super().__init__(db)
        self.customer_id = self.maria()
        self.visit = self.book(self.customer_id, local(4, 14))
        self.maria(local(3, 9))
        [self.line] = self.tick(local(3, 14))
        self.asked = len(self.stage.claude.requests)

    def says(self, words: str, **fields: str | None) -> list[str]:
        self.stage.clock.forward(minutes=1)
        return self.stage.say(words, **fields)

    @property
    def confirmed_at(self) -> datetime | None:
        with self.stage.db.reading() as session:
            return session.get_one(Appointment, self.visit).confirmed_at

    @property
    def model_was_asked(self) -> bool:
        return len(self.stage.claude.requests) > self.asked

    def context(self) -> str:
        """What stood in the <contexto> of the last request."""
        return str(self.stage.claude.requests[-1]["messages"][-1]["content"][-2]["text"])


@pytest.fixture
def days(db: Database) -> Reminded:
    return Reminded(db)


YES = [
    "confirmar",
    "Confirmo ✅",
    "👍",
    "👍🏽",
    "sim",
    "Sim!",
    "ok, obrigada",
    "Pode confirmar por favor 🙏",
    "confirmado 😊",
    "Bom dia! Confirmo minha presença.",
    "*confirmar*",
    "✅",
]
NO_YES = [
    "confirmar?",
    "não",
    "não confirmo",
    "confirmo, mas posso levar minha filha?",
    "confirmo o cancelamento",
    "sim, mas às 15h",
    "👎",
    "confirmar 👎",
    "remarcar",
    "cancelar",
    "que horas mesmo?",
    "obrigada",
    "bom dia",
    "ok vou atrasar",
]


@pytest.mark.parametrize("words", YES)
def test_a_plain_yes_is_noted_without_the_model(days: Reminded, words: str) -> None:
    assert days.says(words) == [CONFIRMED]
    assert days.confirmed_at is not None
    assert not days.model_was_asked
    line = days.stage.messages[-1]
    assert (line.author, line.run_id) == (Author.SYSTEM, None)
    [row] = days.stage.conversations
    assert (row.holder, row.due_at, row.waiting_since) == (Holder.BOT, None, None)


@pytest.mark.parametrize("words", NO_YES)
def test_everything_else_goes_to_the_model(days: Reminded, words: str) -> None:
    """It is told that a reminder may be answered."""
    assert days.says(words) == ["Pois não?"]
    assert days.confirmed_at is None
    assert f"Lembrete enviado sobre agendamento_id {days.visit}:" in days.context()


def test_a_yes_in_several_bubbles_is_one_answer(days: Reminded) -> None:
    days.stage.deliver("confirmo")
    days.stage.deliver("obrigada 🙏")
    days.stage.deliver("sim")
    days.stage.work()
    assert days.confirmed_at is None  # "obrigada" alone says nothing: the model reads all three
    assert days.model_was_asked
    days.tick(local(4, 12))
    days.stage.deliver("confirmo")
    days.stage.deliver("sim 🙏")
    days.stage.work()
    assert days.confirmed_at is not None


def test_the_same_yes_twice_changes_nothing(days: Reminded) -> None:
    days.says("confirmo")
    first = days.confirmed_at
    days.says("confirmo", OriginalRepliedMessageSid=days.line.sid)
    assert days.confirmed_at == first


def test_a_message_delivered_twice_is_confirmed_once(days: Reminded) -> None:
    sid = days.stage.deliver("confirmo")
    days.stage.deliver("confirmo", MessageSid=sid)
    days.stage.work()
    days.stage.work()
    assert days.stage.twilio.bodies.count(CONFIRMED) == 1


def test_a_yes_without_a_reminder_is_for_the_model(db: Database) -> None:
    days = Calendar(db)
    days.book(days.maria(), local(4, 14))
    assert days.stage.say("confirmo") == ["Pois não?"]
    assert "Lembrete enviado" not in str(days.stage.claude.requests[-1])


def test_after_other_words_of_ours_a_yes_is_for_the_model(days: Reminded) -> None:
    """The bot has answered since: the yes may be to that. A quote says which is meant."""
    days.says("vocês têm estacionamento?")
    assert days.says("sim") == ["Pois não?"]
    assert days.confirmed_at is None
    assert days.says("sim", OriginalRepliedMessageSid=days.line.sid) == [CONFIRMED]


def test_a_quote_says_which_visit_is_meant(db: Database) -> None:
    """Two reminders in a row: the quoted one is confirmed, not the last."""
    days = Calendar(db)
    maria = days.maria()
    first = days.book(maria, local(4, 14))
    second = days.book(maria, local(4, 15, 30))
    days.maria(local(3, 13))
    lines = days.tick(local(3, 14)) + days.tick(local(3, 15, 30))
    days.stage.say("confirmo", OriginalRepliedMessageSid=lines[0].sid)
    assert _confirmed(days) == {first}
    days.stage.say("confirmo", OriginalRepliedMessageSid=lines[1].sid)
    assert _confirmed(days) == {first, second}


def test_without_a_quote_the_last_reminder_is_meant(db: Database) -> None:
    days = Calendar(db)
    maria = days.maria()
    days.book(maria, local(4, 14))
    second = days.book(maria, local(4, 15, 30))
    days.maria(local(3, 13))
    days.tick(local(3, 14))
    days.tick(local(3, 15, 30))
    [said] = days.stage.say("confirmo")
    assert "às 15:30" in said
    assert _confirmed(days) == {second}


def _confirmed(days: Calendar) -> set[int | None]:
    with days.stage.db.reading() as session:
        return {row.id for row in session.exec(select(Appointment)) if row.confirmed_at is not None}


def test_a_question_that_is_open_may_be_what_a_bare_yes_answers(db: Database) -> None:
    """The bot had just asked something when the reminder came: "sim" is for the model, "confirmo" is not."""
    days = Calendar(db, lambda _body: answer(text("Posso marcar a escova para terça às 10h?")))
    visit = days.book(days.maria(), local(4, 14))
    days.maria(local(3, 13))
    days.tick(local(3, 14))
    assert days.stage.say("sim") == ["Posso marcar a escova para terça às 10h?"]
    assert _confirmed(days) == set()
    days.maria(local(4, 11))
    days.tick(local(4, 12))
    days.stage.say("confirmo")
    assert _confirmed(days) == {visit}


# Buttons


def test_a_confirm_button_is_noted_without_the_model(days: Reminded) -> None:
    assert days.says("Confirmar", ButtonText="Confirmar", ButtonPayload=f"confirm:{days.visit}") == [
        CONFIRMED
    ]
    assert not days.model_was_asked


def test_a_button_without_an_id_means_the_last_reminder(days: Reminded) -> None:
    """Other words stand between them, and the form quotes nothing."""
    days.says("vocês têm estacionamento?")
    assert days.says("Sim, vou", ButtonPayload="confirm") == [CONFIRMED]


@pytest.mark.parametrize(
    ("payload", "words"),
    [
        ("cancel:{}", "quer cancelar o agendamento_id {}.]"),
        ("cancel:ag_{}", "quer cancelar o agendamento_id {}.]"),
        ("move:{}", "quer remarcar o agendamento_id {}.]"),
        ("move", "quer remarcar o agendamento do lembrete.]"),
    ],
)
def test_other_buttons_are_put_into_words_for_the_model(days: Reminded, payload: str, words: str) -> None:
    days.says("Toque", ButtonPayload=payload.format(days.visit))
    said = days.stage.claude.requests[-1]["messages"][-1]["content"][-1]["text"]
    assert said == f"Toque [O cliente enviou isto por um botão do lembrete: {words.format(days.visit)}"
    assert days.stage.appointments[0].status == "booked"


@pytest.mark.parametrize(
    "payload", ["confirm:999999", "confirm:2", "confirm:", "confirm:1; drop", "CONFIRM:1"]
)
def test_a_button_of_no_visit_of_ours_confirms_nothing(days: Reminded, payload: str) -> None:
    """Somebody else's appointment answers as a missing one."""
    joao = days.stage
    joao.say("oi", sender=JOAO)
    other = days.book(joao.conversations[-1].customer_id, local(4, 15, 30))
    assert other == 2
    days.says("toque", ButtonPayload=payload)
    assert _confirmed(days) == set()


# What has changed meanwhile


def test_a_visit_that_has_moved_is_not_confirmed_by_its_old_reminder(days: Reminded) -> None:
    days.move(days.customer_id, days.visit, local(7, 16))
    assert days.says("confirmo") == ["Pois não?"]
    assert days.confirmed_at is None


def test_a_cancelled_visit_is_not_confirmed(days: Reminded) -> None:
    days.cancel(days.customer_id, days.visit)
    assert days.says("confirmo") == ["Pois não?"]
    assert "Lembrete enviado" not in days.context()


def test_a_visit_that_has_begun_is_not_confirmed(days: Reminded) -> None:
    days.stage.clock.now = local(4, 14)
    assert days.says("confirmo") == ["Pois não?"]
    assert days.confirmed_at is None


def test_people_who_hold_the_conversation_answer_themselves(days: Reminded) -> None:
    """One voice at a time: nothing is said by us, nothing is noted."""
    with days.stage.db.writing() as session:
        key = days.stage.conversations[0].id
        assert key is not None
        handoff.flag(session, days.now, days.tenant_id, key, Reason.PEDIDO_DO_CLIENTE)
    assert days.says("confirmo") == []
    assert days.confirmed_at is None


def test_the_model_knows_that_a_visit_is_confirmed(days: Reminded) -> None:
    days.says("confirmo")
    days.says("posso levar minha filha?")
    assert "às 14:00. O cliente já confirmou presença." in days.context()
    history = json.dumps(days.stage.claude.requests[-1]["messages"], ensure_ascii=False)
    assert "[Mensagem automática enviada ao cliente] Oi, Maria! Aqui é Studio Bela" in history
    assert days.stage.claude.refusals == []
