"""Whole talks with the built-in model in a shop in memory: what customers write, and what must come of it."""

from datetime import datetime

import pytest

from bot.llm.rule_based import nlg
from tests.bot.llm.rule_based.shop import ANA, BARBER, BIA, CARLA, NAMES, NOW, ZONE, Chat, Shop
from tools import facts
from tools.facts import Named

TUESDAY = datetime(2026, 12, 8, 10)


def talked(shop: Shop, *lines: str) -> str:
    """The last answer of a talk, line by line."""
    chat = Chat(shop)
    return [chat.say(line) for line in lines][-1]


def with_visit(start: datetime = TUESDAY, who: Named = ANA, key: int = 1) -> Shop:
    shop = Shop()
    shop.visit(start, who, (key,))
    return shop


# Each talk with what is booked at its end.
BOOKED: list[tuple[tuple[str, ...], list[tuple[str, str, str]]]] = [
    # one message, and step by step
    (("corte amanhã às 10 com a Ana", "sim"), [("Corte feminino", "Ana", "08/12 10:00")]),
    (("oi", "quero marcar", "1", "1", "amanhã", "10h", "sim"), [("Corte feminino", "Ana", "08/12 10:00")]),
    (("quero corte feminino sábado", "depois das 11", "11h30", "sim"),
     [("Corte feminino", "Ana", "12/12 11:30")]),
    (("quero marcar um corte\namanhã 15h\nna verdade 16h", "s"), [("Corte feminino", "Ana", "08/12 16:00")]),
    # T1: what is settled stays
    (("quero escova amanhã", "depois das 14", "15h", "confirma"), [("Escova", "Ana", "08/12 15:00")]),
    (("quero escova amanhã", "meio dia e meia", "isso"), [("Escova", "Ana", "08/12 12:30")]),
    # T2: what is negated is out
    (("corte quarta 10h, não quero a Ana", "sim"), [("Corte feminino", "Bia", "09/12 10:00")]),
    (("menos com a Ana, quero corte quarta", "10h", "sim"), [("Corte feminino", "Bia", "09/12 10:00")]),
    (("corte amanhã 10h com a Ana", "sim, mas com a Bia", "sim"), [("Corte feminino", "Bia", "08/12 10:00")]),
    # T4: another hour, by its bare number
    (("corte amanhã 18h com a Ana", "não, 17", "sim"), [("Corte feminino", "Ana", "08/12 17:00")]),
    # T5: what was just booked is corrected
    (("corte amanhã 10h com a Ana", "sim", "errei, era quinta", "sim"),
     [("Corte feminino", "Ana", "10/12 10:00")]),
    (("corte amanhã 10h com a Ana", "sim", "na verdade quero às 15h", "sim"),
     [("Corte feminino", "Ana", "08/12 15:00")]),
    # T3, T8, T10: each wish keeps its own day and hour
    (
        ("corte amanhã 10h e manicure quinta 11h", "sim", "sim"),
        [("Corte feminino", "Ana", "08/12 10:00"), ("Manicure", "Carla", "10/12 11:00")],
    ),
    (
        ("corte amanhã 10h com a Ana", "quero mais um, sábado escova 10h", "sim", "sim"),
        [("Corte feminino", "Ana", "08/12 10:00"), ("Escova", "Ana", "12/12 10:00")],
    ),
    (
        ("corte com a Ana amanhã 10h", "sim", "cancela o das 10 e marca as 15", "sim", "sim"),
        [("Corte feminino", "Ana", "08/12 15:00")],
    ),
    (
        ("corte e manicure amanhã às 10 com a Ana", "sim", "11h", "sim"),
        [("Corte feminino", "Ana", "08/12 10:00"), ("Manicure", "Carla", "08/12 11:00")],
    ),
    # T9: two at once
    (
        ("eu e minha irmã, escova sábado de manhã, as duas juntas", "10h", "sim", "sim"),
        [("Escova", "Ana", "12/12 10:00"), ("Escova", "Bia", "12/12 10:00")],
    ),
    # T11: slips of a letter or two
    (("qro marca um corti p amanha", "10h", "sim"), [("Corte feminino", "Ana", "08/12 10:00")]),
    (("escva quitna 16h30", "sim"), [("Escova", "Ana", "10/12 16:30")]),
    # T21: English
    (("Hi, I'd like a haircut tomorrow", "11am please", "yes"), [("Corte feminino", "Ana", "08/12 11:00")]),
    # R12, R13: dates of every form; the reader's silence is no today
    (("manicure 9/dez 14h", "sim"), [("Manicure", "Carla", "09/12 14:00")]),
    (("manicure 09.12 17h30", "sim"), [("Manicure", "Carla", "09/12 17:30")]),
    (("manicure 9-12 às 17h", "sim"), [("Manicure", "Carla", "09/12 17:00")]),
    (("manicure todas as quintas às 15h", "sim"), [("Manicure", "Carla", "10/12 15:00")]),
    (
        ("manicure dia 10, 17 e 24 às 9h", "sim", "sim", "sim"),
        [("Manicure", "Carla", f"{day}/12 09:00") for day in (10, 17, 24)],
    ),
    # moving and cancelling
    (("corte amanhã 10h com a Ana", "sim", "muda para sexta no mesmo horário", "sim"),
     [("Corte feminino", "Ana", "11/12 10:00")]),
    (("corte amanhã 10h com a Ana", "sim", "aff nao vou poder, desmarca", "sim"), []),
    (("corte amanhã 10h com a Ana", "sim", "nao vou mais", "sim"), []),
    # nothing without a yes
    (("corte amanhã 10h com a Ana", "não"), []),
    (("corte amanhã 10h com a Ana", "deixa pra lá", "sim"), []),
    (("corte amanhã 10h com a Ana", "obrigada"), []),
    (("corte amanhã 10h com a Ana", "sim?", "quanto custa?"), []),
]  # fmt: skip


@pytest.mark.parametrize(("lines", "booked"), BOOKED, ids=[" / ".join(lines)[:60] for lines, _ in BOOKED])
def test_what_is_booked(lines: tuple[str, ...], booked: list[tuple[str, str, str]]) -> None:
    shop = Shop()
    talked(shop, *lines)
    assert shop.booked == booked


# Each talk with a part of its last answer.
TOLD: list[tuple[tuple[str, ...], str]] = [
    (("oi",), "Bom dia, Maria! 😊"),
    (("manicure às 15h",), "Que dia fica bom para você?"),  # never today by itself
    (("manicure dia 30/02 às 10h",), "O dia 30/02 não existe"),
    (("escova sexta que vem",), "1. sexta-feira, 11/12"),
    (("quinta 10, 17 ou 24 de manhã",), "Então seria: quinta-feira, 10/12/2026 ou quinta-feira, 17/12/2026"),
    (("manicure toda quinta às 15h",), nlg.ONE_AT_A_TIME),
    (("corte masculino amanhã 10h",), "Corte masculino eu não encontrei por aqui."),
    (("quanto custa corte masculino?",), "Corte masculino eu não encontrei por aqui."),
    (("unha em gel amanhã",), "Manicure em gel eu não encontrei por aqui."),
    (("vocês fazem tatuagem? quanto custa?",), "Tatuagem eu não encontrei por aqui."),
    (("cor igual dessa",), nlg.NOT_KNOWN),
    (("é mais barato pra criança?",), nlg.NOT_KNOWN),
    (("faz por 90?",), nlg.NOT_KNOWN),
    (("parcela?",), nlg.NOT_KNOWN),
    (("marca corte amanhã 3 da manhã",),
     "Nesse horário não atendemos. Aberto de segunda a sábado das 9h às 19h."),
    (("oq vc é? robo?",), nlg.ROBOT),
    (("vc é a Ana?",), nlg.ROBOT),
    (("meu horário é que horas?",), nlg.NO_VISITS),
    (("não marquei nada?",), nlg.NO_VISITS),
    (("nao vou mais",), nlg.NO_VISITS),
    (("corte com a Ana amanhã 10h", "sim", "que horas é o meu?"),
     "- Corte feminino com Ana Souza, terça-feira, 08/12/2026"),
    (("dúvida sobre alergia a tinta, posso fazer?",), nlg.HEALTH),
    (("vou atrasar 15 min",), nlg.LATE),
    (("que atendimento péssimo",), nlg.UPSET),
    (("quero falar com uma pessoa",), nlg.STAFF_CALLED),
    (("tô chegando",), nlg.SEE_YOU_SOON),
    (("obrigada",), nlg.YOU_ARE_WELCOME),
    (("foi engano, desculpa",), nlg.MISTAKEN),
    (("quanto custa a escova?",), "- Escova: 45 min, R$ 80,00, com Ana Souza ou Bia Lima"),
    (("qual o mais barato?",), "Do mais em conta ao mais caro:\n- Escova"),
    (("onde fica? tem estacionamento?",), "Ficamos em: Rua A, 1\nEstacionamento no local."),
    (("qual o Instagram?",), "Instagram: @flor"),
    (("qual o zap da Carla?",), nlg.PRIVATE_CONTACT),
    (("vcs abrem domingo?",), "Nada livre: FECHADO."),
    (("vocês atendem sábado?",), "Atendemos sim: sábado, 12/12/2026."),
    (("até quando posso desmarcar?",), "até 1 hora antes"),
    (("do you speak English?",), nlg.LANGUAGE),
    (("corte amanhã às 10 com a Ana", "pera aí"), "Posso confirmar: Corte feminino com Ana Souza"),
    (("corte amanhã às 10 com a Ana", "quanto custa a manicure?"),
     "Posso confirmar: Corte feminino com Ana Souza"),
    (("corte amanhã às 10 com a Ana", "xyzzy plugh"), "Posso confirmar: Corte feminino com Ana Souza"),
    (("quero marcar pra minha mãe, Dona Lurdes", "corte amanhã 10h"), "Em nome de Dona Lurdes."),
    (("escova com a Carla amanhã",), "Carla Dias não faz esse atendimento."),
    (("escova com a Joana amanhã",), nlg.NO_SUCH_PERSON),
    (("escova amanhã", "sim"), nlg.WHICH_ONE),  # several are left: which is asked, and nothing is lost
    (("escova amanhã", "tanto faz"),
     "Posso confirmar: Escova com Ana Souza, terça-feira, 08/12/2026, às 09:00?"),
    (("escova domingo às 10", "o segundo"), "Posso confirmar: Escova com Bia Lima"),
]  # fmt: skip


@pytest.mark.parametrize(("lines", "told"), TOLD, ids=[" / ".join(lines)[:60] for lines, _ in TOLD])
def test_what_is_told(lines: tuple[str, ...], told: str) -> None:
    assert told in talked(Shop(), *lines)


@pytest.mark.parametrize(
    ("words", "motive"),
    [
        ("vou atrasar 15 min", "Avisa que vai se atrasar: “vou atrasar 15 min” (horário: Corte feminino"),
        (
            "quero falar com a gerente sobre ontem",
            "Pediu para falar com uma pessoa: “quero falar com a gerente",
        ),
        ("estou grávida, posso fazer?", "Pergunta sobre saúde: “estou grávida"),
        ("vcs são uma merda", "Está insatisfeito: “vcs são"),
    ],
)
def test_people_are_called_with_the_motive(words: str, motive: str) -> None:
    shop = with_visit()
    talked(shop, words)
    assert shop.called[0].startswith(motive)


def test_who_is_stuck_twice_gets_a_number_and_a_person() -> None:
    """Whatever was asked: the open choices, the coming days, or what can be done here at all."""
    for lines in (("xyzzy", "plugh"), ("manicure", "xyzzy", "plugh"), ("quero marcar", "xyzzy", "plugh")):
        chat = Chat()
        answer = [chat.say(line) for line in lines][-1]
        assert answer.startswith(nlg.STILL_PUZZLED)
        assert "\n1. " in answer
        assert "Falar com uma pessoa" in answer
        chat.say(str(len(chat.offers)))
        assert chat.called == ["chamar_atendente"]


@pytest.mark.parametrize(
    "lines", [("escova amanhã", "não, me avisa se abrir vaga", "sim"), ("escova amanhã", "pode colocar")]
)
def test_waiting_for_a_full_day(lines: tuple[str, ...]) -> None:
    taken = [(who, datetime(2026, 12, 8, hour)) for who in (1, 2) for hour in range(9, 19)]
    shop = Shop(taken=taken)
    talked(shop, *lines)
    assert shop.waiting == [{"day": "2026-12-08", "service": 2, "person": None, "period": None}]


def test_a_taken_time_offers_the_nearest_and_a_lost_one_says_so() -> None:
    shop = Shop(taken=[(1, TUESDAY)])
    chat = Chat(shop)
    assert "Às 10:00 não tenho livre nesse dia." in chat.say("corte amanhã às 10 com a Ana")
    chat.say("11h")
    shop.taken.append((1, datetime(2026, 12, 8, 11)))
    assert "Ana Souza já está ocupada." in chat.say("sim")
    assert chat.offers[0]["id"] == "slot:1:2026-12-08T09:00"
    assert shop.booked == []


def test_an_outage_claims_nothing() -> None:
    assert nlg.FAILED in talked(Shop(broken=frozenset({"buscar_horarios"})), "corte amanhã às 10")
    assert nlg.UNCLEAR_WRITE in talked(Shop(broken=frozenset({"agendar"})), "corte amanhã às 10", "sim")


def test_a_rule_that_no_other_day_helps_offers_a_person() -> None:
    answer = talked(Shop(limit=True), "corte amanhã às 10", "sim")
    assert answer.startswith("Você já chegou ao máximo de horários.")
    assert "Quer que eu chame uma pessoa da equipe?" in answer


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("quero cancelar a manicure", "Posso cancelar: Manicure com Carla Dias"),
        ("quero remarcar a manicure para quinta às 10",
         "de quarta-feira, 09/12/2026, às 15:00, para quinta-feira, 10/12/2026, às 10:00?"),
        ("cancela o de terça", "Posso cancelar: Corte feminino com Ana Souza"),
        ("quero cancelar", "Qual deles você quer cancelar?\n1. Corte feminino, terça-feira, 08/12"),
        ("não vou conseguir ir na terça", "Você quer remarcar ou cancelar?"),
        ("não vou na terça, pode ser sexta às 16h?",
         "de terça-feira, 08/12/2026, às 10:00, para sexta-feira, 11/12/2026, às 16:00?"),
        ("quero cancelar a escova", "Não encontrei Escova no seu nome. O que tenho:"),
        ("quero adiar meia hora o corte", "para terça-feira, 08/12/2026, às 10:30?"),
    ],
)  # fmt: skip
def test_the_visit_that_is_meant(words: str, told: str) -> None:
    shop = with_visit()
    shop.visit(datetime(2026, 12, 9, 15), CARLA, (3,))
    assert told in talked(shop, words)


def test_like_names_are_asked_for() -> None:
    chat = Chat(Shop(offers=BARBER))
    assert "1. Corte masculino, 30 min, R$ 50,00\n2. Corte infantil" in chat.say(
        "quero um corte amanhã às 10"
    )
    assert "1. João Batista\n2. João D'Ávila" in chat.say("o masculino, com o João")
    assert "Corte masculino com João D'Ávila, terça-feira, 08/12/2026, às 10:00?" in chat.say("2")


def test_a_name_is_asked_once_and_kept_for_the_yes() -> None:
    chat = Chat(Shop(customer=""))
    assert chat.say("corte amanhã às 10 com a Ana").endswith(nlg.YOUR_NAME)
    assert nlg.YOUR_NAME not in chat.say("na verdade às 11")
    chat.say("sim, Paula Souza")
    assert chat.calls[-1][1]["nome_cliente"] == "Paula Souza"


def test_an_offer_of_the_waiting_list_is_as_good_as_proposed() -> None:
    starts = datetime(2026, 12, 8, 10, tzinfo=ZONE)
    held = facts.Held(Named(2, "Escova"), ANA, starts, starts)
    chat = Chat(known=(held,))
    chat.written("Abriu um horário!", "product")
    chat.say("quero sim")
    assert chat.shop.booked == [("Escova", "Ana", "08/12 10:00")]


def test_a_nod_to_a_reminder_is_none_to_what_it_interrupted() -> None:
    shop = with_visit()
    chat = Chat(shop)
    chat.say("escova quinta às 10 com a Bia")
    chat.written("Lembrete do seu horário", "product")
    chat.known = (facts.Reminded(shop.visits[0].id or 0),)
    answer = chat.say("sim")
    assert "O seu horário: Corte feminino com Ana Souza" in answer
    assert "Posso confirmar: Escova com Bia Lima" in answer
    assert len(shop.visits) == 1
    chat.known = ()
    chat.say("sim")
    assert ("Escova", "Bia", "10/12 10:00") in shop.booked


def test_without_a_tool_a_person_is_offered() -> None:
    tools = tuple(name for name in NAMES if name != "cancelar")
    chat = Chat(with_visit(), tools)
    assert "Quer que eu chame uma pessoa da equipe?" in chat.say("quero cancelar")


def test_only_who_is_wanted() -> None:
    assert BIA.name in talked(Shop(), "corte amanhã às 10 com a Bia")
    assert NOW.weekday() == 0
