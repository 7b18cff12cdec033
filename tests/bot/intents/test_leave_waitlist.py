"""Which words take a customer off the waiting list, and which only sound like it."""

from datetime import date

import pytest

from bot.intents.leave_waitlist import Asked, asked

ALL = Asked(None, None, only=True)


@pytest.mark.parametrize(
    "text",
    [
        "pode me tirar da lista",
        "Pode me tirar da lista de espera, por favor?",
        "tira meu nome da lista",
        "Por favor, me exclui dessa lista",
        "retire-me da lista",
        "quero sair da fila de espera",
        "sair da lista",
        "não quero mais ficar na lista de espera",
        "não preciso mais da lista, obrigada!",
        "não quero mais esperar pela vaga",
        "desisto da vaga",
        "cancela a minha espera",
        "pode tirar eu da lista, já consegui outro horário, obrigada!",
    ],
)
def test_it_is_said_and_nothing_else(text: str) -> None:
    assert asked([text]) == ALL


@pytest.mark.parametrize(
    "text",
    [
        "não me tira da lista",
        "por que me tiraram da lista?",
        "se eu sair da lista perco a vez?",
        "vocês vão me tirar da lista?",
        "como saio da lista?",
        "quero entrar na lista de espera",
        "me coloca na lista",
        "ainda estou na lista?",
        "não quero mais esperar",  # an answer, maybe
        "não quero esperar muito",
        "tira uma dúvida da lista de preços",
        "me tira da lista de transmissão",
        "me manda a lista de serviços",
        "cancelar meu horário",
        "não quero mais",
        "",
    ],
)
def test_it_only_sounds_like_it(text: str) -> None:
    assert asked([text]) is None


@pytest.mark.parametrize(
    ("text", "weekday", "day"),
    [
        ("me tira da lista de sexta", 4, None),
        ("me tira da lista de espera de sexta-feira por favor", 4, None),
        ("não quero mais ficar na lista pra sábado", 5, None),
        ("me remove da lista do dia 4", None, 4),
        ("tira da lista de espera de 04/12", None, 4),
    ],
)
def test_the_list_of_one_day(text: str, weekday: int | None, day: int | None) -> None:
    assert asked([text]) == Asked(weekday, day, only=True)


def test_a_day_of_something_else_is_not_that_of_the_list() -> None:
    assert asked(["pode me tirar da lista e marcar pra sexta às 10?"]) == Asked(None, None, only=False)
    assert asked(["me tira da lista de sexta e marca no sábado"]) == Asked(4, None, only=False)


def test_it_may_stand_among_several_messages() -> None:
    assert asked(["oi", "me tira da lista", "obrigada"]) == ALL
    assert asked(["me tira da lista", "qual o preço da escova?"]) == Asked(None, None, only=False)


def test_which_waiting_is_meant() -> None:
    friday = date(2026, 12, 4)
    assert ALL.means(friday)
    assert Asked(4, None, only=True).means(friday)
    assert not Asked(5, None, only=True).means(friday)
    assert Asked(None, 4, only=True).means(friday)
    assert not Asked(None, 5, only=True).means(friday)
