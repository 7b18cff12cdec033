"""A question in Twilio's form: made once for all that look alike, and never beyond what WhatsApp takes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.answering.offered_choices import NO, OTHER, YES
from bot.intents.choices import Choice, Question
from bot.intents.reminder_buttons import of_reminder
from bot.whatsapp.content_api import rich
from tests.fakes.content import FakeContent, Offer

ASKED = Question("Quinta, 03/12, às 10:00 com a Ana.\n\nPosso marcar?", (YES, NO, OTHER))


def slots(number: int, description: str = "com Ana Souza") -> tuple[Choice, ...]:
    return tuple(
        Choice(f"slot:1:2026-12-03T{hour:02d}:00", f"{hour}:00", description) for hour in range(number)
    )


def test_it_stands_on_the_phone_as_it_was_asked() -> None:
    made, twilio = rich(ASKED), FakeContent()
    assert made is not None
    sid = twilio.lay_down(made.document())["sid"]
    shown = twilio.show(sid, made.variables)
    assert shown.body == ASKED.body
    assert shown.offers == (Offer("yes", "Sim"), Offer("no", "Não"), Offer("other", "Outro horário"))


def test_a_list_as_well() -> None:
    made, twilio = rich(Question("Qual prefere?", slots(10), "Ver horários")), FakeContent()
    assert made is not None
    shown = twilio.show(twilio.lay_down(made.document())["sid"], made.variables)
    assert (shown.button, len(shown.offers)) == ("Ver horários", 10)
    assert shown.offers[3] == Offer("slot:1:2026-12-03T03:00", "3:00", "com Ana Souza")


@pytest.mark.parametrize(
    ("one", "other", "alike"),
    [
        (ASKED, Question("Sexta, 04/12, às 9:00 com a Bia.\n\nPosso marcar?", (YES, NO, OTHER)), True),
        (ASKED, Question("Posso marcar?", (YES, NO, OTHER)), False),
        (ASKED, Question(ASKED.body, (YES, NO)), False),
        (Question("A?", of_reminder(1)), Question("B?", of_reminder(1234)), True),
        (Question("A?", slots(3), "Ver"), Question("B?", slots(3, "com Bia"), "Ver"), True),
        (Question("A?", slots(3), "Ver"), Question("A?", slots(4), "Ver"), False),
        (Question("A?", slots(3), "Ver"), Question("A?", slots(3, ""), "Ver"), False),
    ],
)
def test_what_looks_alike_has_one_form(one: Question, other: Question, alike: bool) -> None:
    first, second = rich(one), rich(other)
    assert first is not None
    assert second is not None
    assert (first.digest == second.digest) == alike


@pytest.mark.parametrize(
    "question",
    [
        Question("a" * 1025, (YES,)),  # B40
        Question("😀" * 513, (YES,)),
        Question("\n".join("abcdefghijklm"), (YES,)),
        Question("Qual?", ()),
        Question("Qual?", (YES, NO, OTHER, Choice("x", "Mais um"))),
        Question("Qual?", (Choice("x", "Um título que é longo demais"),)),
        Question("Qual?", slots(11), "Ver"),
        Question("Qual?", (Choice("x", "a" * 25),), "Ver"),
        Question("Qual?", (Choice("x", "a", "d" * 73),), "Ver"),
        Question("Qual?", (Choice("x" * 201, "a"),), "Ver"),
        Question("Qual?", slots(2), "Um botão longo demais para isso"),
    ],
)
def test_beyond_a_limit_it_is_a_text(question: Question) -> None:
    assert rich(question) is None


WORDS = st.text(st.characters(exclude_categories=["Cs", "Cc"]) | st.sampled_from("\n '\t"), max_size=200)


@given(WORDS, st.integers(1, 10), st.booleans())
def test_whatever_is_asked_twilio_takes_it(body: str, number: int, as_list: bool) -> None:
    """No variable is empty or holds what Twilio refuses."""
    choices = slots(number) if as_list else (YES, NO, OTHER)[:number]
    made = rich(Question(f"{body}?", choices, "Ver" if as_list else ""))
    if made is not None:
        twilio = FakeContent()
        shown = twilio.show(twilio.lay_down(made.document())["sid"], made.variables)
        assert "".join(shown.body.split()) == "".join(f"{body}?".replace("'", "’").split())
        assert all(value.strip() and not set(value) & set("\n\t'") for value in made.variables.values())
