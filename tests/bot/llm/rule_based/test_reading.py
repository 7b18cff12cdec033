"""What the offline model's reader makes of people's words; seen from Wednesday 2026-12-02, 10:20."""

from datetime import date, datetime, time, timedelta

import pytest

from bot.llm.rule_based.nlu.dates import Days
from bot.llm.rule_based.nlu.normalise import normalise
from bot.llm.rule_based.nlu.reading import Reading, read
from bot.llm.rule_based.nlu.times import Hours
from bot.llm.rule_based.nlu.topics import Topic, topics_in
from bot.llm.rule_based.nlu.yes_no import answer_in

NOW = datetime(2026, 12, 2, 10, 20)  # local to the business
TODAY = NOW.date()


def reading(text: str) -> Reading:
    return read(tuple(text.split("\n")), NOW)


def days(text: str) -> Days | None:
    read_days = reading(text)
    return read_days.days.wanted or (Days((read_days.hours.day,)) if read_days.hours.day else None)


def hours(text: str) -> Hours:
    return reading(text).hours.wanted or Hours()


def d(text: str) -> date:
    """A date from "12-03", of the coming winter."""
    month, day = (int(part) for part in text.split("-"))
    return date(2026 if month == 12 else 2027, month, day)


def t(text: str) -> time:
    return time.fromisoformat(text)


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("Amanhã às 10H!", "amanha as 10h ,"),
        ("amanhaaaa", "amanha"),
        ("2ª-feira", "2a feira"),
        ("hj à tarde, pfv", "hoje a tarde , por favor"),
        ("vinte e cinco e dez", "25 e 10"),
        ("quarenta e cinco", "45"),
        ("n\u200bão\u200d", "nao"),
        ("１０ｈ３０", "10h30"),
        ("👍🏽 ok", "👍 ok"),
        ("pra c/ a Ana", "para com a ana"),
        ("15 de dez", "15 de dezembro"),
        ("João D'Ávila 💈", "joao d avila 💈"),
        ("R$ 1.200,00", "r$ 1.200,00"),
        ("mañana por la mañana", "amanha de manha"),
        ("pasado mañana", "depois de amanha"),
        ("hoy a las 16", "hoje as 16"),
        ("tomorrow at 3pm", "amanha as 3 da tarde"),
        ("friday at 10 a.m.", "sexta as 10 da manha"),
        ("No, gracias", "nao , obrigado"),
        ("no sábado", "no sabado"),
        ("sí", "sim"),
        ("se eu puder", "se eu puder"),
        ("Yes, thank you!", "sim , obrigado ,"),
        ("do you have time today?", "tem horario hoje ?"),
        ("um time de profissionais", "um time de profissionais"),
        ("I need to talk to a person", "quero falar com uma pessoa"),
    ],
)
def test_spelling_is_made_one(text: str, plain: str) -> None:
    assert normalise(text) == plain


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("oi bom dia tem horário pra hj?", ["12-02"]),
        ("tem vaga amanhã às 10?", ["12-03"]),
        ("amanhã de manhã", ["12-03"]),
        ("depois de amanhã à tarde", ["12-04"]),
        ("hoje depois do almoço", ["12-02"]),
        ("dez e meia da manhã de quinta", ["12-03"]),
        ("sexta as 2 e meia", ["12-04"]),
        ("duas da tarde de sábado", ["12-05"]),
        ("terça às 15h15", ["12-08"]),
        ("dia 15", ["12-15"]),
        ("dia 1", ["01-01"]),
        ("dia 31", ["12-31"]),
        ("12/01", ["01-12"]),
        ("sexta", ["12-04"]),
        ("terça agora", ["12-08"]),
        ("quarta agora", ["12-02"]),
        ("semana que vem", ["12-07", "12-08", "12-09", "12-10", "12-11", "12-12", "12-13"]),
        ("segunda que vem 9h", ["12-07"]),
        ("quarta que vem", ["12-09"]),
        ("ainda essa semana", ["12-02", "12-03", "12-04", "12-05", "12-06"]),
        ("fds tem?", ["12-05", "12-06"]),
        ("sabado de manha", ["12-05"]),
        ("2ª às 16h", ["12-07"]),
        ("daqui 2 horas", ["12-02"]),
        ("daqui uma semana", ["12-09"]),
        ("daqui a 15 dias", ["12-17"]),
        ("daqui a um mês", ["01-02"]),
        ("último horário de sexta", ["12-04"]),
        ("qualquer dia à tarde menos sexta", ["12-02", "12-03", "12-05", "12-06", "12-07", "12-08"]),
        ("no natal", ["12-25"]),
        ("véspera de natal", ["12-24"]),
        ("depois do carnaval", ["02-11"]),
        ("no carnaval", ["02-09"]),
        ("pode ser 10:30 de amanhã", ["12-03"]),
        ("corte e barba sábado 10h", ["12-05"]),
        ("amanhã\nà tarde\npode?", ["12-03"]),
        ("quero marcar um corte\namanhã 15h\nna verdade 16h", ["12-03"]),
        ("amanhã, na verdade sexta", ["12-04"]),
        ("não, amanhã", ["12-03"]),
        ("sexta não, sábado", ["12-05"]),
        ("não dá amanhã?", ["12-03"]),
        ("quinta ou sexta", ["12-03", "12-04"]),
        ("de segunda a sexta", ["12-02", "12-03", "12-04", "12-07", "12-08"]),
        ("quinta da semana que vem", ["12-10"]),
        ("sexta, dia 11", ["12-11"]),
        ("sexta que vem, dia 11", ["12-11"]),
        ("hoje, quarta", ["12-02"]),
        ("sexta 4", ["12-04"]),
        ("sexta 11", ["12-11"]),
        ("sexta 14", ["12-04"]),
        ("dia 15 às 18", ["12-15"]),
        ("15 de dezembro", ["12-15"]),
        ("1º de janeiro", ["01-01"]),
        ("2026-12-20", ["12-20"]),
        ("dia 10 ou 11", ["12-10", "12-11"]),
        ("ter 15h", ["12-08"]),
        ("seg de manhã", ["12-07"]),
        ("10:30 de amanhã", ["12-03"]),
        ("10h30 de manhã", None),
        ("segunda vez que tento marcar", None),
        ("a quinta opção", None),
        ("vou ter que ir embora", None),
        ("atendem 24/7?", None),
        ("bom dia", None),
        ("meio-dia dá pra vc?", None),
        ("meu telefone é 11 98888-7777", None),
        ("que horas é o meu msm?", None),
        ("14", None),
    ],
)
def test_days_are_read(text: str, expected: list[str] | None) -> None:
    """Plain meanings: any of these days will do."""
    found = days(text)
    if expected is None:
        assert found is None
    else:
        assert found is not None
        assert (found.dates, found.sure) == (tuple(d(day) for day in expected), True)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("sexta que vem", ["12-04", "12-11"]),
        ("próxima sexta", ["12-04", "12-11"]),
        ("dia 2", ["12-02", "01-02"]),
        ("quarta", ["12-02", "12-09"]),
        ("amanhã dia 4", ["12-03", "12-04"]),
        ("fim de semana que vem", ["12-05", "12-06", "12-12", "12-13"]),
    ],
)
def test_doubtful_days_are_asked(text: str, expected: list[str]) -> None:
    """Two readings, or two that do not fit: nobody chooses for the customer."""
    found = days(text)
    assert found is not None
    assert (found.dates, found.sure) == (tuple(d(day) for day in expected), False)


@pytest.mark.parametrize("text", ["29/02", "31/04", "ontem", "01/12/2025", "dia 32", "em janeiro"])
def test_what_is_no_day_has_a_reason(text: str) -> None:
    found = days(text)
    assert found is not None
    assert (found.dates, bool(found.problem)) == ((), True)


def test_days_of_a_move_have_their_roles() -> None:
    """What is left, what is wanted instead, and what is refused."""
    read_days = reading("não vou conseguir ir amanhã, dá pra remarcar pra sexta no msm horário?").days
    assert read_days.refused == (d("12-03"),)
    assert read_days.target == read_days.wanted
    assert read_days.wanted is not None
    assert read_days.wanted.dates == (d("12-04"),)
    read_days = reading("quero mudar meu horário de amanhã para sábado").days
    assert read_days.source is not None
    assert read_days.source.dates == (d("12-03"),)
    assert read_days.wanted is not None
    assert read_days.wanted.dates == (d("12-05"),)


@pytest.mark.parametrize(
    ("text", "starts"),
    [
        ("tem vaga amanhã às 10?", ["10:00"]),
        ("meio-dia dá pra vc?", ["12:00"]),
        ("meio dia e meia", ["12:30"]),
        ("10 e meia", ["10:30"]),
        ("dez e meia da manhã de quinta", ["10:30"]),
        ("sexta as 2 e meia", ["14:30"]),
        ("duas da tarde de sábado", ["14:00"]),
        ("terça às 15h15", ["15:15"]),
        ("2ª às 16h", ["16:00"]),
        ("às 8", ["08:00", "20:00"]),
        ("às 8 da manhã", ["08:00"]),
        ("às 9", ["09:00"]),
        ("7 da noite", ["19:00"]),
        ("pode ser 10:30 de amanhã", ["10:30"]),
        ("uma e meia", ["13:30"]),
        ("uma da tarde", ["13:00"]),
        ("às duas e quinze", ["14:15"]),
        ("quinze para meio dia", ["11:45"]),
        ("quinze pras três", ["14:45"]),
        ("corte e barba sábado 10h", ["10:00"]),
        ("sexta 14", ["14:00"]),
        ("amanhã 10", ["10:00"]),
        ("umas 3 da tarde", ["15:00"]),
        ("15h ou 16h", ["15:00", "16:00"]),
        ("amanhã 15h\nna verdade 16h", ["16:00"]),
        ("amanhã de manhã às 8", ["08:00"]),
        ("10 hrs", ["10:00"]),
        ("5h", ["17:00", "05:00"]),
        ("sexta 4", []),
        ("14", []),
        ("2 escovas", []),
        ("queria uma escova amanhã", []),
        ("marcar uma hora amanhã", []),
        ("demora 2 horas?", []),
        ("R$ 10,00", []),
        ("60 min", []),
        ("as 2 sobrancelhas", []),
        ("11 98888-7777", []),
        ("dia 15", []),
    ],
)
def test_hours_are_read(text: str, starts: list[str]) -> None:
    assert hours(text).starts == tuple(t(start) for start in starts)


@pytest.mark.parametrize(
    ("text", "window"),
    [
        ("amanhã de manhã", ("00:00", "11:59")),
        ("depois de amanhã à tarde", ("12:00", "17:59")),
        ("hoje depois do almoço", ("13:00", "17:59")),
        ("na hora do almoço", ("11:30", "13:29")),
        ("no início da tarde", ("13:00", "14:59")),
        ("fim da tarde", ("16:00", "17:59")),
        ("cedinho", ("00:00", "09:59")),
        ("à noite", ("18:00", "23:59")),
        ("depois das 18", ("18:00", "23:59")),
        ("a partir das 15h", ("15:00", "23:59")),
        ("antes das 10", ("00:00", "09:59")),
        ("entre 14 e 16h", ("14:00", "16:00")),
        ("das 14 às 16", ("14:00", "16:00")),
        ("entre 7 e 9 da noite", ("19:00", "21:00")),
        ("manhã ou tarde", ("00:00", "17:59")),
        ("qualquer dia à tarde menos sexta", ("12:00", "17:59")),
        ("amanhã\nà tarde\npode?", ("12:00", "17:59")),
        ("daqui 2 horas", ("12:20", "23:59")),
        ("boa tarde, tudo bem?", ("00:00", "23:59")),
        ("qualquer horário", ("00:00", "23:59")),
    ],
)
def test_parts_of_the_day_are_read(text: str, window: tuple[str, str]) -> None:
    found = hours(text)
    assert (found.starts, found.earliest, found.latest) == ((), t(window[0]), t(window[1]))


def test_an_end_is_no_start() -> None:
    """ "Até as 17h" bounds the end of the visit."""
    assert hours("até as 17h") == Hours(ends_by=t("17:00"))


@pytest.mark.parametrize(
    ("text", "pick"),
    [
        ("o quanto antes", "first"),
        ("mais cedo possível", "first"),
        ("primeiro horário de sexta", "first"),
        ("daqui 2 horas", "first"),
        ("último horário de sexta", "last"),
        ("sexta", ""),
    ],
)
def test_first_and_last_are_read(text: str, pick: str) -> None:
    assert hours(text).pick == pick


def test_one_hour_may_be_one_o_clock() -> None:
    assert hours("uma hora") == Hours(starts=(t("13:00"),), sure=False)


@pytest.mark.parametrize(
    ("text", "shift"),
    [
        ("tem como adiantar 1 hora?", -60),
        ("meia hora mais cedo", -30),
        ("uma hora e meia mais tarde", 90),
        ("amanhã", None),
    ],
)
def test_shifts_are_read(text: str, shift: int | None) -> None:
    assert reading(text).hours.shift == shift


def test_same_time_and_comparisons_are_read() -> None:
    assert reading("no msm horário").hours.same
    assert reading("tem mais cedo?").hours.compare == "earlier"
    assert reading("um pouco mais tarde").hours.compare == "later"
    assert reading("é o das 14h de sexta").hours.source == Hours(starts=(t("14:00"),))


@pytest.mark.parametrize(
    ("text", "number", "ordinal"),
    [
        ("14", 14, None),
        ("pode ser 14", 14, None),
        ("a 2", 2, None),
        ("2️⃣", 2, None),
        ("opção 3 por favor", 3, None),
        ("o segundo", None, 2),
        ("a primeira opção", None, 1),
        ("o último", None, -1),
        ("14 e 15", None, None),
        ("dois cortes", None, None),
    ],
)
def test_bare_numbers_are_kept_for_who_asked(text: str, number: int | None, ordinal: int | None) -> None:
    found = reading(text)
    assert (found.number, found.ordinal) == (number, ordinal)


def test_bare_numbers_mean_what_was_asked() -> None:
    """ "14" to "que horas?" and to "que dia?"."""
    found = reading("14")
    assert found.number_as_hour() == Hours(starts=(t("14:00"),))
    assert found.number_as_day(TODAY) == Days((d("12-14"),), loose=False)
    assert reading("99").number_as_hour() is None


BOOKING = frozenset(["marcar", "marca", "agendar", "reservar"])


@pytest.mark.parametrize(
    "text",
    [
        "sim", "s", "ss", "isso", "isso mesmo", "pode marcar", "pode", "pode sim", "fechou", "blz",
        "beleza", "ok", "👍", "👍🏽", "✅", "confirmo", "quero sim", "claro, por favor", "sim!!! 😊",
        "tá bom", "ta otimo", "perfeito", "pode ser", "com certeza", "por favor", "sim, obrigada",
        "Sim, pode marcar amor", "isso aí", "tá", "bora", "uhum", "siiim", "oi, sim", "certinho",
        "pode confirmar",
    ],
)  # fmt: skip
def test_plain_yes(text: str) -> None:
    assert answer_in(reading(text).rest, agreeing=BOOKING) == "yes"


@pytest.mark.parametrize(
    "text",
    [
        "sim mas outro horário", "pode ser?", "sim?", "quanto custa", "sim, e quanto custa?",
        "pode ser com a Bia", "acho que sim mas vou ver com meu marido", "oi", "bom dia", "obrigada",
        "🙏", "tanto faz", "amanhã", "talvez", "pode cancelar", "sim, mas mais tarde", "não sei",
        "se tiver mais cedo sim", "sim para a minha filha", "", "?", "quero marcar um horário",
        "pode me ligar", "1 corte e 1 barba", "ok, e a barba?", "1",
    ],
)  # fmt: skip
def test_what_is_not_a_plain_yes(text: str) -> None:
    assert answer_in(reading(text).rest, agreeing=BOOKING) != "yes"


@pytest.mark.parametrize(
    "text",
    [
        "não",
        "n",
        "nao quero mais",
        "não, obrigada",
        "agora não",
        "deixa pra lá",
        "👎",
        "melhor não",
        "desisti",
    ],
)
def test_plain_no(text: str) -> None:
    assert answer_in(reading(text).rest) == "no"


@pytest.mark.parametrize(
    "text", ["não, pode ser com a Bia", "não entendi", "sim", "não tem mais cedo?", "sem problema"]
)
def test_what_is_not_a_plain_no(text: str) -> None:
    assert answer_in(reading(text).rest) != "no"


@pytest.mark.parametrize(
    "text",
    [
        "deixa eu ver e te falo",
        "vou pensar",
        "acho que não vou conseguir",
        "preciso ver com minha mãe",
        "talvez",
    ],
)
def test_soft_answers_are_neither(text: str) -> None:
    assert answer_in(reading(text).rest) == "later"


@pytest.mark.parametrize(
    ("text", "topic"),
    [
        ("oi bom dia tem horário pra hj?", Topic.BOOK),
        ("consegue me encaixar hj?", Topic.BOOK),
        ("um horariozinho amanhã", Topic.BOOK),
        ("boa tarde, tudo bem?", Topic.GREETING),
        ("quanto custa o corte?", Topic.PRICE),
        ("qnt é a escova", Topic.PRICE),
        ("quanto tempo demora?", Topic.DURATION),
        ("o que vcs fazem?", Topic.SERVICES),
        ("onde fica?", Topic.WHERE),
        ("tem estacionamento?", Topic.WHERE),
        ("que horas vocês abrem?", Topic.OPENING),
        ("abre domingo?", Topic.OPENING),
        ("que horas é o meu msm?", Topic.MINE),
        ("quais são os meus horários?", Topic.MINE),
        ("tenho algum horário marcado?", Topic.MINE),
        ("quero cancelar", Topic.CANCEL),
        ("preciso desmarcar", Topic.CANCEL),
        ("dá pra remarcar pra sexta?", Topic.MOVE),
        ("tem como adiantar 1 hora?", Topic.MOVE),
        ("vou me atrasar 10 minutos", Topic.LATE),
        ("não vou conseguir ir amanhã", Topic.UNABLE),
        ("quero falar com uma pessoa", Topic.PERSON),
        ("me passa pro atendente", Topic.PERSON),
        ("tem alguém aí?", Topic.PERSON),
        ("você é um robô?", Topic.ROBOT),
        ("tanto faz o profissional", Topic.ANYONE),
        ("qualquer um", Topic.ANYONE),
        ("o mesmo de sempre", Topic.USUAL),
        ("não quero mais receber mensagens", Topic.STOP_MESSAGES),
        ("para de me mandar mensagem", Topic.STOP_MESSAGES),
        ("outro dia", Topic.OTHER_DAY),
        ("tem outros horários?", Topic.OTHER_TIME),
        ("com outro profissional", Topic.OTHER_PERSON),
        ("muito obrigada", Topic.THANKS),
    ],
)
def test_topics_are_found(text: str, topic: Topic) -> None:
    assert topic in topics_in(normalise(text))


@pytest.mark.parametrize(
    ("text", "topic"),
    [
        ("tem como parar a dor?", Topic.STOP_MESSAGES),
        ("posso sair antes das 15h?", Topic.STOP_MESSAGES),
        ("preciso sair mais cedo da consulta", Topic.STOP_MESSAGES),
        ("cancelar", Topic.STOP_MESSAGES),
        ("não quero cancelar, só mudar o horário", Topic.CANCEL),
        ("vou me atrasar 10 minutos", Topic.MOVE),
        ("quero marcar meu horário", Topic.MINE),
        ("meu telefone é 11 98765-4321", Topic.CONTACT),
        ("vi vocês no instagram, tem horário?", Topic.CONTACT),
        ("quero o número 2", Topic.CONTACT),
        ("qual o número da casa?", Topic.CONTACT),
        ("me passa o telefone da Ana", Topic.CHANGE),
        ("com outra pessoa", Topic.PERSON),
        ("você é uma pessoa?", Topic.PERSON),
        ("o quanto antes", Topic.PRICE),
    ],
)
def test_topics_are_not_imagined(text: str, topic: Topic) -> None:
    assert topic not in topics_in(normalise(text))


@pytest.mark.parametrize(
    "text",
    [
        "pode ser",
        "ah, pode ser sim 👍",
        "tanto faz",
        "tanto faz pra mim o horário",
        "qualquer um desses",
        "pode ser qualquer uma kkk",
        "o que vc achar melhor pra mim",
        "oq for melhor",
        "quem vocês preferirem",
        "vc q sabe",
        "escolhe você",
        "não tenho preferência",
        "indiferente",
        "o que tiver mais cedo",
        "pode ser esse msm",
    ],
)
def test_a_choice_may_be_left_to_us(text: str) -> None:
    assert reading(text).whichever


@pytest.mark.parametrize(
    "text",
    ["sim", "não", "pode", "pode ser às 15", "o que vocês têm?", "qual fica melhor?", "quem atende?",
     "como funciona?", "tanto faz o dia", "qualquer dia", "o que tem livre?", "pode ser com a Ana", ""],
)  # fmt: skip
def test_no_other_answer_leaves_the_choice(text: str) -> None:
    assert not reading(text).whichever


def test_dates_are_local_to_the_business() -> None:
    """Just before midnight, "amanhã" is the day after the local one."""
    late = datetime(2026, 12, 5, 23, 50)
    found = read(("amanhã",), late).days.wanted
    assert found is not None
    assert found.dates == (late.date() + timedelta(days=1),)
