"""What becomes tappable: times that both the text and a search of this run name, and questions for a yes."""

from datetime import date, datetime, time

import pytest

from bot.answering.offered_choices import BUTTON, NO, OTHER, YES, of_run, question
from bot.intents.choices import Question
from bot.whatsapp.content_api import rich
from models.run import RunStep, StepKind
from tools.facts import Fact, FreeOf, FreeStarts, Named, NoneFree, Refused, Start, dump

THURSDAY = date(2026, 12, 3)
CUT = (Named(1, "Corte"),)
ANA, BIA = Named(1, "Ana Souza"), Named(2, "Bia Lima")


def free(*people: tuple[Named, str]) -> FreeStarts:
    lines = (FreeOf(who, tuple(time.fromisoformat(one) for one in told.split())) for who, told in people)
    return FreeStarts(THURSDAY, CUT, tuple(lines))


def near(*starts: str, who: Named = ANA) -> tuple[Start, ...]:
    return tuple(Start(who, datetime.fromisoformat(f"2026-12-{start}-03:00")) for start in starts)


FREE = free((ANA, "09:00 09:30 10:00 11:30"), (BIA, "10:00 14:00"))
FULL = NoneFree(THURSDAY, CUT, "FECHADO", "fechado", "Fechado.", near("04T10:00", "05T09:00"))
TAKEN = Refused("OCUPADO", "Já foi ocupado.", nearest=near("03T11:30", "03T12:00"))


def ids(found: Question | None) -> list[str]:
    assert found is not None
    assert found.button == BUTTON
    return [choice.id for choice in found.choices]


@pytest.mark.parametrize(
    ("text", "facts", "slots"),
    [
        (
            "Com a Ana tenho 9:00, 9h30 ou 11h30. Qual prefere?",
            [FREE],
            ["slot:1:2026-12-03T09:00", "slot:1:2026-12-03T09:30", "slot:1:2026-12-03T11:30"],
        ),
        (  # two people at the same time, both named
            "Às 10:00 pode ser com a Ana ou com a Bia. Com quem?",
            [FREE],
            ["slot:1:2026-12-03T10:00", "slot:2:2026-12-03T10:00"],
        ),
        (  # nobody is named: each who is free
            "Tenho 10:00 e 14:00. Qual?",
            [FREE],
            ["slot:1:2026-12-03T10:00", "slot:2:2026-12-03T10:00", "slot:2:2026-12-03T14:00"],
        ),
        ("Quinta não dá. Tenho sexta, 04/12, às 10h ou sábado, 05/12, às 9h. Qual?", [FULL], None),
        (
            "Esse foi ocupado agora mesmo. Pode ser 11:30 ou 12:00?",
            [TAKEN],
            ["slot:1:2026-12-03T11:30", "slot:1:2026-12-03T12:00"],
        ),
    ],
)
def test_offered_times_become_a_list(text: str, facts: list[Fact], slots: list[str] | None) -> None:
    assert ids(question(text, facts)) == (slots or ["slot:1:2026-12-04T10:00", "slot:1:2026-12-05T09:00"])


def test_a_choice_says_when_and_with_whom() -> None:
    found = question("Tenho 9:00 ou 11:30 com a Ana. Qual?", [FREE])
    assert found is not None
    assert [choice.line() for choice in found.choices] == [
        "qui, 03/12 às 09:00, com Ana Souza",
        "qui, 03/12 às 11:30, com Ana Souza",
    ]


@pytest.mark.parametrize(
    ("names", "titles"),
    [
        (("João D'Ávila 💈", "Zé"), ("qui 03/12 09:00 João", "qui 03/12 09:00 Zé")),
        (("💈 João", "D'Ávila"), ("qui 03/12 09:00 João", "qui 03/12 09:00 Ávila")),
        (("Dra. Ana Lima", "Dr. Ivo"), ("qui 03/12 09:00 Ana", "qui 03/12 09:00 Ivo")),
        (("Ana", "Maximiliano"), ("03/12 09:00 Ana", "03/12 09:00 Maximiliano")),
        (("Ana Lima", "Ana Luz"), ("03/12 09:00 Ana Lima", "03/12 09:00 Ana Luz")),
        (("Ana", "Maximiliana-Vitória"), ("03/12 09:00 Ana", "03/12 09:00 Maximiliana")),
        (("Ana", "Wolfeschlegelstein"), ("03/12 09:00 Ana", "03/12 09:00 Wolfeschleg…")),
        (("Ana Maria da Silva", "Ana Maria da Luz"), ("1. 03/12 09:00", "2. 03/12 09:00")),
    ],
)
def test_two_people_at_one_time_are_two_rows(names: tuple[str, str], titles: tuple[str, str]) -> None:
    """Each with a title of its own, in the 24 characters of a row."""
    told = [f"{n}. quinta-feira, 03/12/2026, às 09:00, com {name}" for n, name in enumerate(names, 1)]
    starts = [near("03T09:00", who=Named(n, name))[0] for n, name in enumerate(names, 1)]
    found = question(
        "\n".join([*told, "Qual deles você prefere?"]), [Refused("OCUPADO", nearest=tuple(starts))]
    )
    assert ids(found) == ["slot:1:2026-12-03T09:00", "slot:2:2026-12-03T09:00"]
    assert found is not None
    assert tuple(choice.title for choice in found.choices) == titles
    assert [choice.description for choice in found.choices] == [f"com {name}" for name in names]
    assert rich(found) is not None


@pytest.mark.parametrize(
    "text",
    [
        "Posso remarcar: Corte com Ana Souza, de quinta, 03/12/2026, às 10:00, para 03/12/2026, às 11:30?",
        "Quer mudar o corte com a Ana de quinta, 03/12, às 10:00 para quinta, 03/12, às 11:30. Confirma?",
        "Posso mudar seu corte com a Ana das 10:00 para as 11:30?",
    ],
)
def test_the_old_time_of_a_visit_is_not_offered(text: str) -> None:
    found = question(text, [FREE])
    assert found is not None
    assert found.choices == (YES, NO, OTHER)


def test_a_line_stays_as_it_was_written() -> None:
    text = "Corte com João D'Ávila, 03/12, às 10:00. Posso marcar?"
    found = question(text, [])
    assert found is not None
    assert found.body == text


@pytest.mark.parametrize(
    ("text", "choices"),
    [
        ("Quinta-feira, 03/12, às 10:00 com a Ana. Posso marcar?", (YES, NO, OTHER)),
        ("Corte com a Ana, quinta, 03/12, às 10h. Confirma?", (YES, NO, OTHER)),
        ("Corte com a Ana, quinta, 03/12, às 10h. Posso confirmar? 😊", (YES, NO, OTHER)),
        ("Então fica quinta, 03/12, às 10:00, certo?", (YES, NO, OTHER)),
        ("Posso confirmar: corte, quinta, às 10:00? São 60 min, R$ 120,00.", (YES, NO, OTHER)),
        ("Quer que eu cancele o corte de quinta, 03/12, às 10:00?", (YES, NO)),
    ],
)
def test_a_question_for_a_yes_has_buttons(text: str, choices: tuple[object, ...]) -> None:
    found = question(text, [])
    assert found is not None
    assert (found.choices, found.button) == (choices, "")


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        ("Marcado: quinta-feira, 03/12, às 10:00, com a Ana.", [FREE]),
        ("Tenho às 09:00, 09:30 e 10:00 com a Ana.", [FREE]),  # no question
        ("Qual serviço você quer?", [FREE]),
        ("Para que dia?", []),
        ("Tenho às 16:00 ou 17:00. Qual?", [FREE]),  # nobody has seen those free
        ("Confirmo às 10h ou prefere outro horário?", []),
        ("Posso marcar? Se preferir, me diga outro dia.", []),
        ("Oi! Posso ajudar?", []),
        ("", []),
        ("???", [FREE]),
    ],
)
def test_what_is_no_such_question_stays_a_text(text: str, facts: list[Fact]) -> None:
    assert question(text, facts) is None


def test_more_than_a_list_holds_stays_a_text() -> None:
    times = ", ".join(f"{hour:02d}:{minute:02d}" for hour in range(9, 15) for minute in (0, 30))
    assert question(f"Tenho {times}. Qual?", [free((ANA, times.replace(",", "")))]) is None


def test_an_answer_may_say_itself_what_it_offers() -> None:
    """Then nothing is guessed from its text, and the facts of the run only stand for other answers."""
    offers = {
        "body": "Com quem?",
        "choices": [{"id": "person:2", "title": "Bia", "description": ""}],
        "button": "Ver",
    }
    answer = RunStep(
        kind=StepKind.ANSWER, kept=True, content=[{"type": "text", "text": "…", "offers": offers}]
    )
    found = of_run("Tenho 9:00 ou 11:30. Qual?", [answer])
    assert found is not None
    assert (found.body, found.choices[0].id, found.button) == ("Com quem?", "person:2", "Ver")
    result = RunStep(kind=StepKind.RESULT, kept=True, content={"text": "", "facts": dump([FREE])})
    plain = RunStep(kind=StepKind.ANSWER, kept=True, content=[{"type": "text", "text": "…"}])
    found = of_run("Tenho 9:00 ou 11:30. Qual?", [result, plain])
    assert found is not None
    assert [choice.id for choice in found.choices] == ["slot:1:2026-12-03T09:00", "slot:1:2026-12-03T11:30"]


@pytest.mark.parametrize("asked", ["Qual serviço você gostaria?", "Me diga: qual desses serviços?"])
def test_a_service_is_not_chosen_by_a_time(asked: str) -> None:
    """The search was for the day alone."""
    text = f"Então seria: quinta-feira, 03/12/2026, às 10:00.\n1. Escova\n2. Manicure\n{asked}"
    assert question(text, [FREE]) is None
    assert question(text.replace(asked, "Qual horário prefere para esse serviço?"), [FREE]) is not None
