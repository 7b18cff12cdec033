"""Talks with the offline model about what the product wrote by itself: offers, reminders, lists."""

from datetime import datetime

import pytest

from tests.bot.llm.rule_based.shop import Chat, Shop, Visit, barber, salon

OFFER = (
    "Oi, Maria! Aqui é Studio Bela. Abriu um horário que você esperava:\n\n"
    "*amanhã, quinta-feira, 03/12/2026, às 10:00*\nEscova com Ana Souza\n\n"
    "Quer ficar com ele? Responda *quero* até as 11:20."
)
OFFERED = (
    "Oferta da lista de espera: Escova (servico_id 2) com Ana Souza (profissional_id 1), quinta-feira, "
    "03/12/2026, às 10:00 (data 2026-12-03, hora 10:00), guardada para o cliente até as 11:20. Se ele "
    "aceitar, chame agendar com exatamente isso; não precisa buscar de novo."
)
BOOKED = {
    "servico_id": 2,
    "profissional_id": 1,
    "data": "2026-12-03",
    "hora": "10:00",
    "dia_semana": "quinta",
}
REMINDER = "Oi, Maria! Aqui é Studio Bela, passando para lembrar do seu horário. Responda *confirmar*."


def offered() -> Chat:
    chat = Chat(salon())
    chat.say("oi")
    chat.automatic(OFFER, OFFERED)
    return chat


def with_two_visits() -> Shop:
    shop = salon()
    for key, day in ((7, 3), (8, 4)):
        begin = datetime(2026, 12, day, 15)
        shop.visits.append(Visit(key, (1,), 1, begin, begin.replace(hour=16)))
    return shop


def reminded(chat: Chat, visit: int) -> Chat:
    line = f"Lembrete enviado sobre agendamento_id {visit}: o cliente pode estar respondendo a ele."
    chat.automatic(REMINDER, line)
    return chat


@pytest.mark.parametrize(
    "words",
    ["quero", "Quero sim!", "sim", "confirmo", "quero ficar com ele", "pode marcar 👍", "quero o das 10h"],
)
def test_a_yes_to_an_offer_books_exactly_that(words: str) -> None:
    chat = offered()
    assert "Agendado: Escova com Ana Souza, quinta-feira, 03/12/2026, às 10:00" in chat.say(words)
    assert chat.calls[-1] == ("agendar", BOOKED)


@pytest.mark.parametrize("words", ["não", "não posso", "obrigada, mas não quero", "agora não"])
def test_a_no_to_an_offer_ends_it(words: str) -> None:
    """Though the offer stands in the context for a while, a later nod is no yes to it."""
    chat = offered()
    chat.say(words)
    chat.say("ok")
    assert chat.shop.visits == []


def test_another_time_than_the_offered_one_is_proposed_first() -> None:
    chat = offered()
    answer = chat.say("pode ser às 11?")
    assert "Posso confirmar: Escova com Ana Souza, quinta-feira, 03/12/2026, às 11:00?" in answer
    assert chat.shop.visits == []


def test_a_question_about_the_offer_keeps_it_open() -> None:
    chat = offered()
    answer = chat.say("quanto custa mesmo?")
    assert answer.startswith("- Escova – 45 min, R$ 80,00")
    assert answer.endswith("Posso confirmar: Escova com Ana Souza, quinta-feira, 03/12/2026, às 10:00?")
    chat.say("quero")
    assert chat.calls[-1] == ("agendar", BOOKED)


def test_an_offer_that_somebody_else_took() -> None:
    chat = offered()
    chat.shop.taken.append((1, datetime(2026, 12, 3, 10)))
    answer = chat.say("quero")
    assert "a agenda de Ana Souza já está ocupada" in answer
    assert answer.endswith("Qual deles você prefere?")


def test_an_offer_that_was_not_the_last_word_is_not_taken_by_a_nod() -> None:
    """People, or another line of the product, spoke since."""
    chat = offered()
    chat.staff_says("Tudo certo por aí?")
    chat.say("sim")
    assert chat.shop.visits == []
    chat = reminded(offered(), 7)
    chat.say("sim")
    assert chat.shop.visits == []


def test_who_waits_is_told_so() -> None:
    chat = Chat(
        salon(),
        written=("O cliente está na lista de espera: Escova (servico_id 2), quinta-feira, 03/12/2026.",),
    )
    assert chat.say("me avisa se abrir quinta").startswith("Você está na lista de espera:")
    answer = chat.say("ainda estou na lista de espera?")
    assert answer.startswith("Você está na lista de espera:\n- Escova, quinta-feira, 03/12/2026")
    assert "servico_id" not in answer


def test_a_nod_to_a_reminder_names_its_visit() -> None:
    chat = reminded(Chat(with_two_visits()), 8)
    assert "Combinado! 😊 O seu horário: Corte feminino com Ana Souza, sexta-feira" in chat.say("confirmo")


def test_what_a_reminder_interrupted_is_asked_again() -> None:
    """A "sim" then is for the reminder alone; the proposal waits for its own."""
    chat = Chat(with_two_visits())
    chat.say("quero escova segunda às 10")
    reminded(chat, 7)
    answer = chat.say("sim")
    assert len(chat.shop.visits) == 2
    assert "Posso confirmar: Escova com Ana Souza, segunda-feira, 07/12/2026, às 10:00?" in answer
    chat.say("sim")
    assert len(chat.shop.visits) == 3


@pytest.mark.parametrize(
    "words",
    ["cancelar", "[O cliente enviou isto por um botão do lembrete: quer cancelar o agendamento_id 8.]"],
)
def test_the_visit_of_the_reminder_is_meant(words: str) -> None:
    chat = reminded(Chat(with_two_visits()), 8)
    assert chat.say(words).startswith("Posso cancelar: Corte feminino com Ana Souza, sexta-feira, 04/12/2026")


def test_another_day_than_that_of_the_reminder_is_heard() -> None:
    chat = reminded(Chat(with_two_visits()), 8)
    assert "quinta-feira, 03/12/2026" in chat.say("cancelar o de quinta")


def test_a_time_picked_from_a_list_is_taken() -> None:
    """The product numbered the times below the question, and says which one a "2" is."""
    chat = Chat(salon())
    chat.say("corte sexta com qualquer uma")
    said = chat.history[-1]["content"][0]
    said["text"] += "\n1. sex, 04/12 às 09:00, com Ana Souza\n2. sex, 04/12 às 10:00, com Bia Lima"
    note = (
        "[Horário que o cliente escolheu na lista: sexta-feira, data 2026-12-04, hora 10:00, "
        "profissional_id 2.]"
    )
    answer = chat.say(f"2 {note}")
    assert "Posso confirmar: Corte feminino com Bia Lima, sexta-feira, 04/12/2026, às 10:00?" in answer


def test_a_broken_note_is_no_time() -> None:
    note = (
        "[Horário que o cliente escolheu na lista: sexta-feira, data 2026-99-04, hora 10:00, "
        "profissional_id 2.]"
    )
    assert Chat(salon()).say(note)


# --- the customer's name -----------------------------------------------------------------------------------


def proposed() -> Chat:
    chat = Chat(salon(customer=""))
    chat.say("corte amanhã às 10 com a Ana")
    return chat


def test_an_unknown_name_is_asked_for_once() -> None:
    chat = Chat(salon(customer=""))
    assert chat.say("corte amanhã às 10 com a Ana").endswith("Se puder, me diga também o seu nome. 😊")
    assert "seu nome" not in chat.say("na verdade às 11")
    chat.say("sim")
    assert "nome_cliente" not in chat.calls[-1][1]
    assert "seu nome" not in chat.say("quero escova sexta às 10")


def test_a_known_name_is_not_asked_for() -> None:
    assert "nome" not in Chat(salon()).say("corte amanhã às 10 com a Ana")


@pytest.mark.parametrize(
    ("lines", "name"),
    [
        (["sim, Maria"], "Maria"),
        (["sim maria"], "Maria"),
        (["SIM MARIA"], "Maria"),
        (["Sim", "Maria Clara"], "Maria Clara"),
        (["pode marcar, maria da silva"], "Maria da Silva"),
        (["Sim! Meu nome é Paula Souza"], "Paula Souza"),
        (["sim, me chamo kauany"], "Kauany"),
        (["sim, por favor. João Pedro dos Santos, obrigado!"], "João Pedro dos Santos"),
        (["Isso, Kauany 😊"], "Kauany"),
    ],
)
def test_a_yes_with_a_name_books_in_that_name(lines: list[str], name: str) -> None:
    chat = proposed()
    assert "Agendado" in chat.say(*lines)
    assert chat.calls[-1][1]["nome_cliente"] == name


@pytest.mark.parametrize(
    "words", ["sim, com a Bia", "sim, Escova", "Sim. Mas", "sim, Talvez", "sim, Bia", "Maria", "Sim? Maria?"]
)
def test_what_is_no_yes_with_a_name_books_nothing(words: str) -> None:
    chat = proposed()
    chat.say(words)
    assert chat.shop.visits == []


def test_a_namesake_of_a_professional() -> None:
    """ "João" may be the one of the team; "João Pedro" is not João Batista."""
    for name, given in (("João Pedro", "João Pedro"), ("João", None)):
        chat = Chat(barber(customer=""))
        chat.say("barba amanhã às 10 com o João Batista")
        chat.say(f"isso, pode marcar, {name}")
        assert chat.calls[-1][1].get("nome_cliente") == given


@pytest.mark.parametrize(
    ("said", "name"), [("Maria", "Maria"), ("Rui", "Rui"), ("elisangela", "Elisangela"), ("Xênia", "Xênia")]
)
def test_a_name_alone_is_kept_for_the_yes(said: str, name: str) -> None:
    chat = proposed()
    answer = chat.say(said)
    assert answer.startswith(f"Prazer, {name}!")
    assert answer.endswith(f"Em nome de {name}.")
    chat.say("sim")
    assert chat.calls[-1][1]["nome_cliente"] == name


def test_a_name_said_at_once_is_not_asked_for() -> None:
    chat = Chat(salon(customer=""))
    answer = chat.say("Oi, me chamo Paula e quero escova amanhã às 10")
    assert answer.startswith("Bom dia, Paula!")
    assert answer.endswith("Em nome de Paula.")


# --- opening hours -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("vcs abrem domingo?", "Domingo, 06/12/2026: o Studio Bela não abre nesse dia."),
        ("vocês atendem sábado?", "Atendemos sim: sábado, 05/12/2026."),
        ("abre no natal?", "Sexta-feira, 25/12/2026: o Studio Bela não abre nesse dia."),
    ],
)
def test_whether_it_opens_on_a_day_is_looked_up(words: str, told: str) -> None:
    assert Chat(salon()).say(words).startswith(told)


@pytest.mark.parametrize(
    "words", ["que horas vocês abrem?", "qual o horário de funcionamento?", "até que horas abre hoje?"]
)
def test_unknown_hours_offer_a_person(words: str) -> None:
    answer = Chat(salon()).say(words)
    assert "não tenho aqui" in answer
    assert answer.endswith("Quer que eu chame uma pessoa da equipe?")


def test_a_wish_beside_a_question_about_the_hours_is_heard() -> None:
    answer = Chat(salon()).say("abrem sábado? quero escova")
    assert answer.startswith("Atendemos sim: sábado, 05/12/2026.")
    assert "Escova com Ana Souza, sábado, 05/12/2026" in answer
