"""A tapped button, a number or the words: each is the same choice, and nothing else is one."""

from datetime import date, time

import pytest

from bot.intents import choices
from bot.intents.choices import Choice, Question, chosen
from models.message import Message
from tests.conftest import NOW

TEN = Choice("slot:1:2026-12-03T10:00", "qui, 03/12 às 10:00", "com Ana Souza")
ELEVEN = Choice("slot:2:2026-12-03T11:00", "qui, 03/12 às 11:00", "com Bia Lima")
PERSON = Choice("person", "Falar com uma pessoa")
ALL = (TEN, ELEVEN, PERSON)


def said(text: str = "", **extra: str) -> Message:
    return Message(
        tenant_id=1,
        conversation_id=1,
        seq=1,
        direction="in",
        author="customer",
        text=text,
        status="received",
        extra=extra,
        created_at=NOW,
    )


@pytest.mark.parametrize(
    ("answer", "choice"),
    [
        (said("qui, 03/12 às 10:00", list_id=TEN.id), TEN),
        (said("", button_payload="person"), PERSON),
        (said("2"), ELEVEN),
        (said("2."), ELEVEN),
        (said("  2️⃣ "), ELEVEN),
        (said("opção 2"), ELEVEN),
        (said("a 2"), ELEVEN),
        (said("Qui 03/12 as 11:00"), ELEVEN),
        (said("falar com uma PESSOA!"), PERSON),
    ],
)
def test_it_is_chosen(answer: Message, choice: Choice) -> None:
    assert chosen(ALL, answer) == choice


@pytest.mark.parametrize(
    "answer",
    [
        said(""),
        said("4"),
        said("0"),
        said("2 pessoas"),
        said("às 2"),
        said("dia 2"),
        said("10:00"),
        said("", button_payload="slot:9:2026-12-03T10:00"),
        said("oi", list_id="nonsense"),
    ],
)
def test_it_is_something_else(answer: Message) -> None:
    assert chosen(ALL, answer) is None
    assert chosen((), answer) is None


def test_a_title_that_two_share_chooses_none() -> None:
    twin = Choice("slot:2:2026-12-03T10:00", TEN.title, "com Bia Lima")
    assert chosen((TEN, twin), said(TEN.title)) is None
    assert chosen((TEN, twin), said("2")) == twin


def test_a_line_keeps_what_it_offers() -> None:
    question = Question("Qual prefere?", (TEN, ELEVEN), "Ver horários")
    line = said()
    line.extra = question.extra(tappable=True)
    assert choices.offered(line) == (TEN, ELEVEN)
    assert choices.menu_of(line.extra) == question
    assert question.numbered() == (
        "Qual prefere?\n1. qui, 03/12 às 10:00, com Ana Souza\n2. qui, 03/12 às 11:00, com Bia Lima"
    )
    assert choices.menu_of(question.extra(tappable=False)) is None
    assert choices.offered(None) == ()


def test_a_slot_is_told_to_the_model_in_words() -> None:
    told = [
        "[Horário que o cliente escolheu na lista: quinta-feira, data 2026-12-03, hora 10:00, "
        "profissional_id 1.]"
    ]
    assert choices.slot_id(1, date(2026, 12, 3), time(10)) == TEN.id
    assert choices.words(said("x", list_id=TEN.id)) == told
    assert choices.words(said("1", chosen=TEN.id)) == told
    assert choices.words(said("x", chosen=TEN.id, list_id=TEN.id)) == told


@pytest.mark.parametrize(
    "payload",
    [
        "yes",
        "",
        "slot:1:2026-13-03T10:00",
        "slot:1:x",
        "slot:1:2026-12-03T10:00:00",
        "slot:١:2026-12-03T10:00",
    ],
)
def test_what_is_no_slot_says_nothing_more(payload: str) -> None:
    assert choices.words(said("oi", button_payload=payload)) == []
