"""What of a model's text reaches the customer."""

import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.llm.blocks import safe_content
from bot.llm.spoken import Spoken, spoken

ASKED = "Qual dia prefere?"
SUMMARY = "Confira:\nCliente: Ana Souza\nServiço: Corte\nDia: quinta, 10/12 às 14:00\n\nPosso marcar?"


@pytest.mark.parametrize(
    "turn",
    [
        "\n\nHuman: amanhã às 10h\n\nAssistant: Perfeito.",
        "\nHuman: amanhã",
        "\n\nUSER: amanhã",
        "\n\nCliente: amanhã às 10h\n\nAtendente: Perfeito.",
        "\n\n**Cliente:** amanhã às 10h\n\n**Atendente:** Perfeito.",
        "\n\n*Cliente*: Sim",
        "\nCliente: Sim",
        "\n\nCliente:\nquero sim",
        "\n\nCliente - amanhã de manhã",
        "\n\n### Human\namanhã",
        "\n\n> **Usuário**: amanhã",
        "\n\n[Cliente]: amanhã\n[Bot]: ok",
        "\n\nCliente (Ana): amanhã",
        "\n\nAna (cliente): amanhã",
        "\n\n🧑 Cliente: amanhã\n🤖 Bot: ok",
        "\n\nResposta do cliente: amanhã",
        "\n\n(Cliente responde: amanhã)",
        "\n\nPaciente: amanhã, pode ser?",
        "\n\nAssistente: Perfeito!",
        " Human: amanhã",
        " **Cliente:** amanhã **Atendente:** ok",
        "<|im_end|>\n<|im_start|>user\namanhã",
        "</s>[INST] amanhã [/INST]",
        "<end_of_turn>\n<start_of_turn>user\namanhã",
    ],
)
def test_a_made_up_turn_is_cut_off(turn: str) -> None:
    """R3: what stands before it is the answer; nothing is where nothing stands before."""
    assert spoken(ASKED + turn) == Spoken(ASKED, ended=True)
    if turn.startswith("\n"):
        assert spoken(turn).text in ("", "Perfeito!")


@pytest.mark.parametrize(
    "text",
    [
        SUMMARY,
        "Cliente: Ana Souza",
        "Cliente: Ana Souza\nAtendente: Bruno Lima\nServiço: Corte",
        "*Cliente:* Maria da Conceição dos Santos\n*Horário:* 14:00",
        "Tudo certo!\n\n- Cliente: Ana Souza (11 98765-4321)\n- Corte",
        "Paciente: Rex, 2 anos\nTutora: Ana",
        "Temos:\n\n*Manhã*: 9h, 10h\n*Tarde*: 14h\n\nQual prefere?",
        "Segunda: 9h\nTerça: 10h",
        "O cliente: quem decide é você.",
        "Corte: R$ 50,00 - 45 min\nPara pessoas com cabelo longo: R$ 60,00",
        "¯\\_(ツ)_/¯ <3 [sic] {x}",
        "*Ana*, _tudo bem_? Veja: https://a.br/x?a=1&copy=2",
        "Atendemos [segunda a sexta] das 9h às 18h",
        "Analisando a agenda, temos 10h. Pensando bem, 11h também.",
        "A resposta: sim, temos estacionamento.",
    ],
)
def test_an_honest_text_stays(text: str) -> None:
    assert spoken(text) == Spoken(text)


@pytest.mark.parametrize(
    "written",
    [
        "[THINK]o cliente quer corte[/THINK]Qual dia prefere?",
        "<think>o cliente quer corte</think>\n\nQual dia prefere?",
        "o cliente quer corte</think>Qual dia prefere?",
        "Qual dia prefere?\n<reasoning>o cliente quer",
        "◁think▷o cliente quer◁/think▷Qual dia prefere?",
        "<seed:think>x</seed:think>Qual dia prefere?",
        "<|START_THINKING|>x<|END_THINKING|><|START_RESPONSE|>Qual dia prefere?<|END_RESPONSE|>",
        "<|begin_of_thought|>x<|end_of_thought|><|begin_of_solution|>Qual dia prefere?<|end_of_solution|>",
        "Here are my reasoning steps:\nx\n[BEGIN FINAL RESPONSE]\nQual dia prefere?\n[END FINAL RESPONSE]",
        "<thinking>x</thinking><reflection>y</reflection><answer>Qual dia prefere?</answer>",
        "<|channel|>analysis<|message|>x<|end|><|start|>assistant<|channel|>final<|message|>"
        "Qual dia prefere?<|return|>",
        "analysisThe user wants…assistantfinalQual dia prefere?",
        "[RACIOCÍNIO]x[/RACIOCÍNIO]\nQual dia prefere?",
        "[NOTA_INTERNA]x[/NOTA_INTERNA]\nQual dia prefere?",
        "<planejamento>x</planejamento>Qual dia prefere?",
        "【思考】x【/思考】Qual dia prefere?",
        "{{think}}x{{/think}}Qual dia prefere?",
        "```thinking\nx\n```\nQual dia prefere?",
        "**Raciocínio:** o cliente quer\n\n**Resposta:** Qual dia prefere?",
        "### Pensamento\nx\n\n### Resposta\nQual dia prefere?",
        "&lt;think&gt;x&lt;/think&gt;Qual dia prefere?",
    ],
)
def test_thinking_is_taken_off(written: str) -> None:
    """R8: in whatever mark."""
    assert spoken(written).text == ASKED


@pytest.mark.parametrize(
    "written",
    ["<think>x", "[THINK]x[/THINK]", "Thought: x", "Oi [nota]x[/nota]", "analysisThe user", "Human: x"],
)
def test_where_nothing_can_be_said_nothing_is(written: str) -> None:
    """The model is then asked once more."""
    assert spoken(written).text == ""


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("Temos 9h\\n10h &amp; 11h", "Temos 9h\n10h & 11h"),
        ("R&#36; 50 \\u00e9 \\ud83d\\ude00", "R$ 50 é 😀"),
        ('Disse \\"sim\\"', 'Disse "sim"'),
        ("a &copy; b &nada; c &", "a © b &nada; c &"),
        ("\\ud83d sozinho", "\ufffd sozinho"),
    ],
)
def test_escapes_of_other_media_are_read(written: str, said: str) -> None:
    assert spoken(written).text == said


def test_what_rests_on_a_made_up_turn_is_not_done() -> None:
    """A customer who was made up agreed to nothing: the call behind that is not the customer's wish."""
    booking = {"type": "tool_use", "id": "a", "name": "agendar", "input": {}}
    made_up = {"type": "text", "text": "Confirmo quinta às 10h?\n\nHuman: sim"}
    assert safe_content([made_up, booking], set()) == [{"type": "text", "text": "Confirmo quinta às 10h?"}]
    honest = {"type": "text", "text": "<think>x</think>Vou ver."}
    assert safe_content([honest, booking], set()) == [{"type": "text", "text": "Vou ver."}, booking]


NAMES = st.sampled_from(
    ["think", "THINKING", "Thought", "raciocínio", "pensamento", "inner thoughts", "scratchpad"]
)
MARKS = st.sampled_from(["<>", "[]", "{}", "◁▷", "【】", "«»", "⟨⟩"])
INSIDE = st.text(st.characters(categories=["L", "N", "P", "Z"], exclude_characters="<>[]{}◁▷【】⟨⟩«»&\\|`"))
WORDS = st.lists(
    st.sampled_from(["temos", "10h", "amanhã", "Ana", "e", "corte", "R$ 50", "10/12"]), min_size=1
)


@given(NAMES, MARKS, INSIDE, WORDS)
def test_whatever_is_thought_is_taken_off(name: str, mark: str, thought: str, words: list[str]) -> None:
    said = " ".join(words) + "?"
    opened, closed = f"{mark[0]}{name}{mark[1]}", f"{mark[0]}/{name}{mark[1]}"
    assert spoken(f"{opened}{thought}{closed}{said}").text == said
    assert spoken(f"{said}\n{opened}{thought}").text == said


@given(st.text(), st.sampled_from(["<think>", "[/x]", "Cliente: ", "Human:", "<|a|>", "\n", "&amp;", "```"]))
def test_it_is_settled_at_once(text: str, piece: str) -> None:
    """What was said is said again as it is, unless an escape hid something."""
    said = spoken(text.replace("a", piece)).text
    if not re.search(r"[&\\]", said):
        assert len(spoken(said).text) <= len(said)


@pytest.mark.parametrize(
    "piece", ["Cliente: ", "<think>", "[", "<|", "Cliente: A\n", "\\u00e9", "&amp;", "*", "a\n"]
)
def test_a_long_text_is_read_in_time(piece: str) -> None:
    began = time.process_time()
    spoken(piece * (200_000 // len(piece)))
    assert time.process_time() - began < 2
