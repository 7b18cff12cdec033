"""Whatever a model sends as arguments: refused by field, rule and example, or cleaned."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tools import TOOLS
from tools.agendar import Agendar
from tools.argument_errors import InvalidInput, cleaned, parsed
from tools.buscar_servicos import BuscarServicos
from tools.cancelar import Cancelar
from tools.contract import Arguments, Tool

GOOD: dict[str, Any] = {"servico_id": 1, "profissional_id": 2, "data": "2026-12-04", "hora": "14:30"}


def complaint(**changes: object) -> str:
    given_ = {key: value for key, value in {**GOOD, **changes}.items() if value != "left out"}
    with pytest.raises(InvalidInput) as error:
        parsed(Agendar, given_)
    return str(error.value)


def test_good_arguments() -> None:
    """Null is the same as leaving an optional field out."""
    wish = parsed(Agendar, {**GOOD, "dia_semana": None, "nome_cliente": None})
    assert (wish.services, wish.data.isoformat(), wish.hora) == ([1], "2026-12-04", 870)


@pytest.mark.parametrize(
    ("field", "value", "rule"),
    [
        ("servico_id", True, "deve ser um número inteiro, sem aspas. Exemplo: 1."),
        ("servico_id", "1", "deve ser um número inteiro, sem aspas. Exemplo: 1."),
        ("servico_id", 1.0, "deve ser um número inteiro, sem aspas. Exemplo: 1."),
        ("servico_id", float("nan"), "deve ser um número inteiro, sem aspas. Exemplo: 1."),
        ("servico_id", 0, "deve ser um identificador que uma ferramenta já mostrou. Exemplo: 1."),
        ("servico_id", -1, "deve ser um identificador que uma ferramenta já mostrou. Exemplo: 1."),
        ("servico_id", 2**31, "deve ser um identificador que uma ferramenta já mostrou. Exemplo: 1."),
        ("servico_id", 10**30, "deve ser um identificador que uma ferramenta já mostrou. Exemplo: 1."),
        ("profissional_id", None, "deve ser um número inteiro, sem aspas. Exemplo: 1."),
        ("profissional_id", "left out", "campo obrigatório. Exemplo: 1."),
        ("data", "2026-02-30", 'essa data não existe no calendário. Exemplo: "2026-12-04".'),
        ("data", "2027-02-29", 'essa data não existe no calendário. Exemplo: "2026-12-04".'),
        ("data", "0000-01-01", 'essa data não existe no calendário. Exemplo: "2026-12-04".'),
        ("data", "04/12/2026", 'deve ser uma data no formato AAAA-MM-DD. Exemplo: "2026-12-04".'),
        ("data", "2026-12-4", 'deve ser uma data no formato AAAA-MM-DD. Exemplo: "2026-12-04".'),
        ("data", "٢٠٢٦-١٢-٠٤", 'deve ser uma data no formato AAAA-MM-DD. Exemplo: "2026-12-04".'),
        ("data", "2026-12-04T10:00:00Z", 'deve ser uma data no formato AAAA-MM-DD. Exemplo: "2026-12-04".'),
        ("data", 20261204, 'deve ser uma data no formato AAAA-MM-DD. Exemplo: "2026-12-04".'),
        ("hora", "10h", "deve ser uma hora no formato HH:MM"),
        ("hora", "24:00", "deve ser uma hora no formato HH:MM"),
        ("hora", "9:00", "deve ser uma hora no formato HH:MM"),
        ("hora", "10:60", "deve ser uma hora no formato HH:MM"),
        ("hora", "10:00-03:00", "deve ser uma hora no formato HH:MM"),
        ("hora", "2026-12-01T10:00:00Z", 'sem data nem fuso. Exemplo: "14:30".'),
        ("hora", 10, "deve ser uma hora no formato HH:MM"),
        ("dia_semana", "feira", "deve ser um destes valores: 'segunda', 'terca'"),
        ("dia_semana", 4, "deve ser um destes valores"),
        ("nome_cliente", 5, 'deve ser um texto. Exemplo: "Maria Silva".'),
        ("nome_cliente", ["Maria"], "deve ser um texto"),
        ("nome_cliente", "M" * 5000, 'deve ter no máximo 120 caracteres. Exemplo: "Maria Silva".'),
    ],
)
def test_wrong_field(field: str, value: object, rule: str) -> None:
    """R25: strict types, impossible dates, offsets; the line names the field."""
    text = complaint(**{field: value})
    line = next(line for line in text.splitlines() if line.startswith(f"- `{field}`"))
    assert rule in line


@pytest.mark.parametrize(
    ("arguments", "field", "given_", "most"),
    [
        (BuscarServicos, "termo", {}, 100),
        (Cancelar, "motivo", {"agendamento_id": 1}, 300),
        (Agendar, "nome_cliente", GOOD, 120),
    ],
)
def test_every_text_is_bounded_and_clean(
    arguments: type[Arguments], field: str, given_: dict[str, object], most: int
) -> None:
    """What is too long is refused in words, never silently cut; what cannot be seen is no part of it."""
    whole = parsed(arguments, {**given_, field: "a" * most})
    assert getattr(whole, field) == "a" * most
    with pytest.raises(InvalidInput, match=f"`{field}`: deve ter no máximo {most} caracteres"):
        parsed(arguments, {**given_, field: "a" * (most + 1)})
    hidden = parsed(arguments, {**given_, field: " Ana\u202e \u200b\n Souza\ufeff "})
    assert getattr(hidden, field) == "Ana Souza"


def test_no_argument_of_any_tool_takes_a_flood() -> None:
    """The motive of a hand-over alone is cut instead: nobody who asks for a person is refused."""
    taken = []
    for tool in TOOLS:
        for name in tool.arguments.model_fields:
            with pytest.raises(InvalidInput) as error:
                parsed(tool.arguments, {name: "x" * 5000, "unknown": 1})
            if f"- `{name}`: " not in str(error.value):
                taken.append((tool.name, name))
    assert taken == [("chamar_atendente", "motivo")]


@pytest.mark.parametrize("value", ["[1, 2]", [1, "2"], [1, True], {"a": 1}, 1])
def test_list_of_services(value: object) -> None:
    """R22: arrays as texts and the like."""
    assert "- `servico_ids`: deve ser" in complaint(servico_id=None, servico_ids=value)


@pytest.mark.parametrize(
    ("changes", "rule"),
    [
        ({"servico_id": None}, "informe `servico_id` ou `servico_ids`, e só um dos dois"),
        ({"servico_ids": [1]}, "informe `servico_id` ou `servico_ids`, e só um dos dois"),
        ({"servico_id": None, "servico_ids": []}, "`servico_ids` deve ter de um a cinco serviços"),
        ({"servico_id": None, "servico_ids": [1] * 6}, "`servico_ids` deve ter de um a cinco serviços"),
    ],
)
def test_fields_that_exclude_each_other(changes: dict[str, object], rule: str) -> None:
    assert f"- {rule}." in complaint(**changes)


def test_unknown_field_is_named_with_the_real_ones() -> None:
    """R24."""
    text = complaint(horario="10h")
    assert "- `horario`: esse campo não existe. Campos aceitos: `servico_id`, `servico_ids`" in text


def test_long_field_name_is_cut() -> None:
    assert len(complaint(**{"x" * 5000: 1})) < 400


@pytest.mark.parametrize("given_", [None, [], "{}", 5, True, [{"servico_id": 1}]])
@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
def test_not_an_object(tool: Tool, given_: object) -> None:
    """R22, R23: also for a tool without arguments."""
    with pytest.raises(InvalidInput, match="objeto JSON"):
        parsed(tool.arguments, given_)


def test_field_of_a_tool_without_fields() -> None:
    tool = next(tool for tool in TOOLS if tool.name == "meus_agendamentos")
    with pytest.raises(InvalidInput, match="A ferramenta não tem campos"):
        parsed(tool.arguments, {"x": 1})


@pytest.mark.parametrize("believed", ["Terça-feira", "terça", "TERCA", "terca-feira", " Terc\u0327a "])
def test_weekday_in_other_letters(believed: str) -> None:
    assert parsed(Agendar, {**GOOD, "dia_semana": believed}).dia_semana == "terca"


@pytest.mark.parametrize(
    ("dirty", "clean"),
    [
        ("Jo\u00e3o\x00 D'\u00c1vila 💈", "João  D'Ávila 💈"),
        ("Joa\u0303o", "João"),
        ("a\ud83db", "a\ufffdb"),
        ("linha\nlinha\t", "linha linha "),
        ("👩\u200d🦰", "👩\u200d🦰"),
        ({"a\x07": ["b\x07", {"c": "d\x07"}]}, {"a ": ["b ", {"c": "d "}]}),
        ([1, None, True, 2.5], [1, None, True, 2.5]),
    ],
)
def test_cleaning(dirty: object, clean: object) -> None:
    """S58: emoji stay whole; what JSON or a database refuses does not get in."""
    assert cleaned(dirty) == clean


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters()),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
fields = st.sampled_from([name for tool in TOOLS for name in tool.arguments.model_fields])


@given(st.sampled_from(TOOLS), st.dictionaries(fields, anything, max_size=6) | anything)
def test_anything_is_parsed_or_refused_in_clean_text(tool: Tool, given_: object) -> None:
    """Never another exception, and always a text that can go out as JSON."""
    said = "nothing"
    try:
        parsed(tool.arguments, cleaned(given_))
    except InvalidInput as error:
        said = str(error)
    assert said.strip()
    assert said.encode()
