"""What must not stay in a recording, and what must."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.llm.anonymise import Scrubber


def scrubbed(value: Any) -> Any:
    return Scrubber().scrubbed(value)


@pytest.mark.parametrize(
    "phone",
    [
        "+5511987654321",
        "+55 11 98765-4321",
        "+55 (11) 98765-4321",
        "(11) 98765-4321",
        "11 98765 4321",
        "11987654321",
        "1187654321",
        "55 11 8765-4321",
        "98765-4321",
        "+1 415 523 8886",
    ],
)
def test_phones_go(phone: str) -> None:
    text = scrubbed(f"liga no {phone}, tá?")
    assert text.startswith("liga no +55 11 90000-0001")
    assert text.endswith(", tá?")


@pytest.mark.parametrize("cpf", ["123.456.789-09", "123456789-09"])
def test_documents_go(cpf: str) -> None:
    assert scrubbed(f"cpf {cpf}.") == "cpf 000.000.000-01."


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("Escreva a Ana.Paula+x@casa.com.br!", "Escreva a pessoa1@example.com!"),
        ("chave sk-ant-api03-abc_DEF-123456789", "chave (chave)"),
        ("Authorization: Bearer abc.def", "Authorization: (chave)"),
    ],
)
def test_addresses_and_keys_go(text: str, left: str) -> None:
    assert scrubbed(text) == left


@pytest.mark.parametrize(
    "text",
    [
        "Agora: quarta-feira, 2026-12-02, 10:20 (America/Sao_Paulo).",
        "quinta-feira, 03/12/2026, às 10:00",
        "R$ 1.200,00, 60 min",
        "09:00, 09:30, 10:00, 10:30 e mais 12",
        "toolu_01A09q90qw90lq917835lq9",
        "Rua Augusta, 1000 - Consolação, São Paulo",
        "servico_id 1, profissional_id 2, agendamento_id 12345678",
        "2026-12-24 a 2026-12-26",
    ],
)
def test_everything_else_stays(text: str) -> None:
    assert scrubbed(text) == text


def test_the_same_one_is_always_the_same() -> None:
    """Over all strings of a recording, however it is written."""
    words = ["+5511987654321", "(11) 8765-4321", "+5521999998888", "A@b.com", "a@B.com", "c@d.com"]
    left = scrubbed(words)
    assert left[0] == left[1] != left[2]
    assert left[3] == left[4] != left[5]


def test_names_from_the_context_and_from_arguments_go() -> None:
    """Full and in part, in any case, in texts before and after; small words and inner parts stay."""
    value = [
        {"text": "oi, MARIA aqui. mariana vem também"},
        {"text": "<contexto>\nCliente: Maria da Silva.\n</contexto>"},
        {"input": {"nome_cliente": "João Peçanha", "data": "2026-12-03"}},
        {"text": "Prontinho, João! A Silva da esquina?"},
    ]
    left = scrubbed(value)
    assert left[0] == {"text": "oi, Fulano1 aqui. mariana vem também"}
    assert "Cliente: Fulano1 da Fulano2." in left[1]["text"]
    assert left[2]["input"] == {"nome_cliente": "Fulano3 Fulano4", "data": "2026-12-03"}
    assert left[3] == {"text": "Prontinho, Fulano3! A Fulano2 da esquina?"}


def test_unknown_name_is_no_name() -> None:
    text = "<contexto>\nCliente: nome desconhecido.\n</contexto> qual o nome?"
    assert scrubbed(text) == text


def test_json_within_json_is_opened() -> None:
    """Arguments of other servers are texts, and may hide a name behind escapes; broken ones stay texts."""
    hidden = json.dumps({"nome_cliente": "José", "fone": "11987654321"})
    assert "\\u00e9" in hidden
    left = scrubbed([{"arguments": hidden}, {"arguments": "{José"}])
    assert json.loads(left[0]["arguments"]) == {"nome_cliente": "Fulano1", "fone": "+55 11 90000-0001"}
    assert left[1] == {"arguments": "{Fulano1"}


def test_secrets_of_the_settings_go() -> None:
    assert Scrubber(["s3gr3do", ""]).scrubbed("a chave é s3gr3do!") == "a chave é (chave)!"


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
        max_leaves=20,
    )
)
def test_shape_stays(value: Any) -> None:
    """Whatever comes: the same shape, and nothing more to scrub in the result."""
    once = scrubbed(value)
    assert _shape(once) == _shape(value)


def _shape(value: Any) -> Any:
    if isinstance(value, list):
        return [_shape(item) for item in value]
    if isinstance(value, dict):
        return {key: _shape(item) for key, item in value.items()}
    return type(value)
