"""What counts as "no more messages", and the everyday words that never may."""

import pytest

from bot.intents.opt_out import Heard, heard
from models.customer import Wish

FOR = [
    "PARAR",
    "parar",
    "Pare.",
    "Sair",
    "sair, por favor",
    "STOP",
    "stop!",
    "UNSUBSCRIBE",
    "descadastrar",
    "oi, descadastre",
    "Não quero mais receber nada",
    "não quero mais receber",
    "nao quero mais receber mensagem",
    "não quero mais mensagens de vocês",
    "Não quero receber lembretes.",
    "não quero lembretes",
    "não quero que me mandem mensagens",
    "não quero ser contatada",
    "quero parar de receber mensagens",
    "Quero parar de receber essas mensagens, obrigada",
    "quero parar de receber",
    "para de me mandar mensagem",
    "Para de me mandar msg!!!",
    "pode parar de mandar lembrete por favor",
    "podem parar de me mandar whatsapp?",
    "para de mandar isso",
    "pare com essas mensagens",
    "chega de mensagens",
    "não me mande mais mensagens",
    "não me mandem mais nada",
    "nao manda mais msg",
    "não envie mais",
    "não enviem mensagens",
    "não me mande mais mensagem por aqui",
    "não entrem mais em contato",
    "cancelar lembretes",
    "cancelar os lembretes",
    "Cancela as mensagens",
    "cancelar minha inscrição",
    "cancelar o envio de mensagens",
    "desativar notificações",
    "desative os avisos",
    "quero sair da lista de transmissão",
    "me tira da lista de contatos",
    "descadastra meu número",
    "quero me descadastrar",
    "Oi! Já fui atendida em outro lugar. Não quero mais receber mensagens.",
    "deixem de mandar mensagens",
]

AGAINST = [
    "posso sair antes das 15h?",  # a dental clinic's patients were blocked for these
    "tem como parar a dor?",
    "preciso sair mais cedo da consulta",
    "parar a dor",
    "cancelar",
    "CANCELAR",
    "cancel",
    "cancelado",
    "quero cancelar",
    "quero cancelar meu horário",
    "cancelar o horário de amanhã",
    "cancela a mensagem que eu mandei",
    "quero desmarcar",
    "não quero mais",
    "não quero mais o horário das 15h",
    "não quero mais corte, só escova",
    "não quero receber atendimento com o João",
    "não quero",
    "para",
    "para amanhã",
    "para mim e para a minha mãe",
    "para de tarde",
    "quando para de chover?",
    "o dente não para de doer",
    "a dor não para de me incomodar",
    "a dor não para, chega mensagem de vocês e nada",
    "parei de receber os lembretes, o que houve?",
    "não recebi mais mensagens de vocês",
    "não estou recebendo mensagem",
    "por que pararam de mandar lembretes?",
    "por que parar de mandar lembretes?",
    "não parem de me mandar lembretes",
    "não quero parar de receber mensagens",
    "vocês vão parar de mandar lembrete?",
    "vocês vão parar de receber cartão?",
    "não quero sair da lista de espera",
    "quero sair da lista de espera",
    "me tira da lista de espera",
    "me tira da lista",
    "sair da fila",
    "posso parar o carro aí?",
    "tem onde parar o carro?",
    "onde é a saída?",
    "vou sair do trabalho às 18h",
    "a que horas vocês param de atender?",
    "pare de atender sábado?",
    "não me mande mensagem agora, estou dirigindo",
    "não me mande mensagem de áudio, não consigo ouvir",
    "não quero receber mensagem de voz",
    "não me manda mensagem hoje que estou em reunião",
    "não quero promoção, quero o preço normal",
    "chega de sofrer com esse cabelo",
    "chega às 15h?",
    "basta chegar na hora?",
    "me manda um lembrete?",
    "quero receber lembretes",
    "vocês mandam mensagem avisando?",
    "recebi a mensagem, obrigada",
    "remover esmalte em gel",
    "tirar a sobrancelha",
    "quero remover cutícula e tirar dúvida por mensagem",
    "bloquear a agenda na sexta",
    "suspender o tratamento",
    "se eu parar de receber mensagem é porque cancelou?",
    "end. da loja?",
    "vamos parar por aqui, até amanhã",
    "👍",
    "",
]

WITH_MORE = [
    "quero cancelar meu horário de amanhã e parar de receber mensagens",
    "não quero mais receber mensagens. Quanto custa o corte?",
    "pare de mandar lembrete, e remarca a minha consulta",
]

NO_PROMOTION = [
    "parem de me enviar promoções",
    "chega de propaganda",
    "Não autorizo receber propaganda",
    "para de mandar promoção, só quero o lembrete",
    "não me manda mais promoções",
    "não quero mais receber propaganda de vocês",
    "pare de mandar mensagem de promoção",
    "não quero receber novidades nem ofertas",
    "me tira da lista de promoções",
]

NOTHING_AT_ALL = [
    "não quero mais receber promoções nem lembretes",
    "não me mandem mais propaganda nem mensagens",
    "não quero mais receber nada, nem promoção",
    "chega de mensagens e propaganda",
]

AGAIN = [
    "voltar",
    "Voltar!",
    "START",
    "quero receber de novo",
    "quero voltar a receber",
    "quero voltar a receber os lembretes",
    "podem voltar a me mandar mensagens",
    "quero receber mensagens novamente",
    "reativar lembretes",
    "pode mandar lembretes de novo",
]

NOT_AGAIN = [
    "quero voltar a cortar com a Ana",
    "voltar para quinta",
    "posso voltar amanhã?",
    "não quero voltar a receber",
    "pode mandar de novo?",
    "sim",
]


@pytest.mark.parametrize("text", FOR)
def test_it_is_said(text: str) -> None:
    assert heard(text) == Heard(Wish.STOP, only=True)


@pytest.mark.parametrize("text", AGAINST)
def test_it_is_not_said(text: str) -> None:
    assert heard(text) is None


@pytest.mark.parametrize("text", WITH_MORE)
def test_it_is_said_beside_something_to_answer(text: str) -> None:
    assert heard(text) == Heard(Wish.STOP, only=False)


@pytest.mark.parametrize("text", NO_PROMOTION)
def test_promotion_is_another_thing_than_a_visit(text: str) -> None:
    assert heard(text) == Heard(Wish.PROMOTION, only=True)


@pytest.mark.parametrize("text", NOTHING_AT_ALL)
def test_who_wants_neither_gets_neither(text: str) -> None:
    assert heard(text) == Heard(Wish.STOP, only=True)


@pytest.mark.parametrize("text", AGAIN)
def test_it_is_taken_back(text: str) -> None:
    assert heard(text) == Heard(Wish.START, only=True)


@pytest.mark.parametrize("text", NOT_AGAIN)
def test_it_is_not_taken_back(text: str) -> None:
    found = heard(text)
    assert found is None or found.wish == Wish.STOP


def test_a_text_of_any_kind_is_read_quickly() -> None:
    """No text makes the patterns cost their square."""
    for text in ("nao quero mais " * 500, "para de " * 800, "parar de me de me de me " * 300, "a" * 5000):
        heard(text)
