"""The state that goes out and comes back: whole, signed, and void or closed by who spoke since."""

from copy import deepcopy

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.llm.base import ModelReply, ModelRequest
from bot.llm.rule_based import OfflineModel, nlg
from bot.llm.rule_based.nlu.normalise import words_of
from bot.llm.rule_based.state.block import block_of, state_in
from bot.llm.rule_based.state.slots import FRESH, Act, Asked, Form, State
from tests.bot.llm.rule_based.shop import SALON, Chat, Shop, specs, user

PROPOSAL = "corte amanhã às 10 com a Ana"


def test_it_comes_back_as_it_was_and_void_where_it_was_touched() -> None:
    state = State(Asked.CONFIRM, Form(Act.BOOK, (1,), 2), words="Posso?", later=(Form(Act.CANCEL, visit=7),))
    block = block_of(state)
    assert state_in([{"type": "text", "text": "Posso?"}, block]) == state
    forged = deepcopy(block)
    forged["state"]["form"]["person"] = 3
    for other in (forged, {**block, "signature": ""}, {"type": block["type"]}, {"type": "thinking"}):
        assert state_in([other]) == FRESH


@pytest.mark.parametrize(("by", "booked"), [("notice", True), ("product", False), ("staff", False)])
def test_who_spoke_since(by: str, booked: bool) -> None:
    """That something was unreadable leaves a proposal open; a word of the product or of people closes it."""
    chat = Chat()
    chat.say(PROPOSAL)
    chat.written("…", by)
    chat.say("sim")
    assert bool(chat.shop.visits) is booked


def test_what_is_settled_outlives_the_product_but_not_people_nor_another_model() -> None:
    for by, kept in (("product", True), ("staff", False)):
        chat = Chat()
        chat.say("corte amanhã com a Ana")
        chat.written("…", by)
        assert ("Posso confirmar: Corte feminino com Ana Souza" in chat.say("10h")) is kept
    chat = Chat()
    chat.say("corte amanhã com a Ana")
    chat.history += [
        user({"type": "text", "text": "oi"}),
        {"role": "assistant", "content": [{"type": "text", "text": "Oi!"}]},
    ]
    assert "Qual serviço" in chat.say("10h")


# What was settled is never lost

SERVICES = {"corte": 1, "escova": 2, "manicure": 3}
ASIDES = (
    "quanto custa?",
    "obrigada",
    "pera aí",
    "xyzzy",
    "onde fica?",
    "oi",
    "sim",
    "não entendi",
    "é robô?",
)


@settings(max_examples=60, deadline=None)
@given(
    service=st.sampled_from(sorted(SERVICES)),
    day=st.sampled_from([("amanhã", "08/12"), ("quinta", "10/12"), ("dia 11", "11/12")]),
    hour=st.sampled_from(["10", "11", "14"]),
    ways=st.lists(st.sampled_from(["typed", "number", "tap"]), min_size=3, max_size=3),
    asides=st.lists(st.sampled_from(ASIDES), max_size=2),
)
def test_what_was_settled_is_never_lost(
    service: str, day: tuple[str, str], hour: str, ways: list[str], asides: list[str]
) -> None:
    """Service, then day, then hour, each typed, by number or by a tap, with other words in between."""
    chat = Chat(Shop())
    chat.say("quero marcar")
    name = next(one.name for one in SALON if one.id == SERVICES[service])
    _answer(chat, ways[0], service, name)
    if "Com quem" in str(chat.history[-1]["content"][0]["text"]):
        _answer(chat, ways[1], "tanto faz", "Tanto faz")
    for aside in asides:
        chat.say(aside)
    chat.say(day[0])
    for aside in asides[:1]:
        chat.say(aside)
    _answer(chat, ways[2], f"{hour}h", f"{hour}:00")
    last = str(chat.history[-1]["content"][0]["text"])
    assert f"Posso confirmar: {name} com " in last
    assert f"{day[1]}/2026, às {hour}:00?" in last
    chat.say("isso")
    assert [one[0::2] for one in chat.shop.booked] == [(name, f"{day[1]} {hour}:00")]


def _answer(chat: Chat, way: str, typed: str, title: str) -> None:
    titles = [one["title"] for one in chat.offers]
    if way == "typed" or title not in titles:
        chat.say(typed)
    elif way == "tap":
        chat.tap(title)
    else:
        chat.say(str(titles.index(title) + 1))


# Whatever a request may hold

WORDS = sorted(
    words_of(
        "sim não quero marcar corte escova manicure barba amanhã sexta dia 10 às 15h 14:30 com a Ana Bia "
        "cancelar remarcar menos de manhã e ou tanto faz outro horário 1 2 30 obrigada ? , para mais um "
        "errei era atrasar robô espera quanto custa todas as quintas 31/02 7/12 minha mãe vou poder o "
        "primeiro nenhum depois"
    )
)


@settings(max_examples=150, deadline=None)
@given(
    st.lists(st.lists(st.sampled_from(WORDS), min_size=1, max_size=7).map(" ".join), min_size=1, max_size=5)
)
def test_any_talk_is_answered_and_nothing_is_written_without_a_yes(lines: list[str]) -> None:
    chat = Chat(Shop())
    for line in lines:
        asked = str(chat.history[-1]["content"][0]["text"]) if chat.history else ""
        assert chat.say(line)
        writes = set(chat.called) & {"agendar", "remarcar", "cancelar", "lista_de_espera"}
        assert not writes or "Posso " in asked or "posso colocar" in asked, (line, asked)


def reply(messages: list[dict[str, object]], **changed: object) -> ModelReply:
    return OfflineModel().complete(ModelRequest("s", messages, specs(), **changed), seconds=1)  # type: ignore[arg-type]  # as given


def test_a_request_without_facts_calls_a_person_and_the_forced_answer_is_text() -> None:
    [call] = reply([user({"type": "text", "text": "oi"})]).content
    assert call["name"] == "chamar_atendente"
    last = reply([user({"type": "text", "text": "oi"})], tool_choice="none")
    assert last.content[0]["text"].endswith(nlg.STAFF_COMES)
