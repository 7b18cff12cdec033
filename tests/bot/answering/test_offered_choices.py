"""What becomes tappable: times that both the text and a search of this run name, and questions for a yes."""

import pytest

from bot.answering.offered_choices import BUTTON, NO, OTHER, YES, Found, question
from bot.intents.choices import Question
from bot.whatsapp.content_api import rich

DAY = {"data": "2026-12-03", "servico_id": 1}
ANA = "- Ana Souza (profissional_id 1): 09:00, 09:30, 10:00, 11:30 e mais 5"
BIA = "- Bia Lima (profissional_id 2): 10:00, 14:00"
FREE = Found(
    "buscar_horarios",
    DAY,
    f"Horários livres para Corte (servico_id 1) na quinta-feira, 03/12/2026:\n{ANA}\n{BIA}",
)
FULL = Found(
    "buscar_horarios",
    DAY,
    "Não há horário livre para Corte (servico_id 1) na quinta-feira, 03/12/2026: fechado.\n"
    "Horários mais próximos:\n"
    "- sexta-feira, 04/12/2026, às 10:00, com Ana Souza (profissional_id 1)\n"
    "- sábado, 05/12/2026, às 09:00, com Ana Souza (profissional_id 1)",
)
TAKEN = Found(
    "agendar",
    {"data": "2026-12-03", "hora": "10:00"},
    "Esse horário já foi ocupado.\nHorários mais próximos:\n"
    "- quinta-feira, 03/12/2026, às 11:30, com Ana Souza (profissional_id 1)\n"
    "- quinta-feira, 03/12/2026, às 12:00, com Ana Souza (profissional_id 1)",
)


def ids(found: Question | None) -> list[str]:
    assert found is not None
    assert found.button == BUTTON
    return [choice.id for choice in found.choices]


@pytest.mark.parametrize(
    ("text", "results", "slots"),
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
def test_offered_times_become_a_list(text: str, results: list[Found], slots: list[str] | None) -> None:
    assert ids(question(text, results)) == (slots or ["slot:1:2026-12-04T10:00", "slot:1:2026-12-05T09:00"])


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
    lines = [
        f"- quinta-feira, 03/12/2026, às 09:00, com {name} (profissional_id {n})"
        for n, name in enumerate(names, 1)
    ]
    told = [f"{n}. quinta-feira, 03/12/2026, às 09:00, com {name}" for n, name in enumerate(names, 1)]
    near = Found("agendar", {}, "\n".join(["Já foi ocupado.\nHorários mais próximos:", *lines]))
    found = question("\n".join([*told, "Qual deles você prefere?"]), [near])
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
    ("text", "results"),
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
        ("???", [Found("buscar_horarios", None, ANA), Found("buscar_horarios", {"data": "x"}, ANA)]),
    ],
)
def test_what_is_no_such_question_stays_a_text(text: str, results: list[Found]) -> None:
    assert question(text, results) is None


def test_more_than_a_list_holds_stays_a_text() -> None:
    times = ", ".join(f"{hour:02d}:{minute:02d}" for hour in range(9, 15) for minute in (0, 30))
    found = Found("buscar_horarios", DAY, f"Horários livres:\n- Ana Souza (profissional_id 1): {times}")
    assert question(f"Tenho {times}. Qual?", [found]) is None


@pytest.mark.parametrize("asked", ["Qual serviço você gostaria?", "Me diga: qual desses serviços?"])
def test_a_service_is_not_chosen_by_a_time(asked: str) -> None:
    """The search was for the day alone."""
    text = f"Então seria: quinta-feira, 03/12/2026, às 10:00.\n1. Escova\n2. Manicure\n{asked}"
    assert question(text, [FREE]) is None
    assert question(text.replace(asked, "Qual horário prefere para esse serviço?"), [FREE]) is not None
