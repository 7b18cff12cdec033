"""The schemas that the model is given stay inside what `strict: true` allows."""

from typing import Any

import pytest

from tools import TOOLS
from tools.contract import Tool
from tools.schema import input_schema

ALLOWED = {"type", "description", "enum", "items", "properties", "required", "additionalProperties"}
TYPES = {"object", "string", "integer", "array"}
CONTRACT = {
    "buscar_servicos": ([], ["termo"]),
    "buscar_horarios": (["data"], ["profissional_id", "servico_id", "servico_ids", "periodo", "dia_semana"]),
    "agendar": (
        ["profissional_id", "data", "hora"],
        ["servico_id", "servico_ids", "dia_semana", "nome_cliente"],
    ),
    "meus_agendamentos": ([], []),
    "remarcar": (["agendamento_id", "data", "hora"], ["dia_semana", "profissional_id"]),
    "cancelar": (["agendamento_id"], ["motivo"]),
    "lista_de_espera": (["servico_id", "data"], ["profissional_id", "periodo"]),
    "chamar_atendente": (["motivo"], []),
}


def walk(schema: dict[str, Any]) -> list[dict[str, Any]]:
    inner = [*schema.get("properties", {}).values(), *([schema["items"]] if "items" in schema else [])]
    return [schema, *(part for child in inner for part in walk(child))]


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
def test_only_what_strict_allows(tool: Tool) -> None:
    schema = input_schema(tool.arguments)
    assert schema["additionalProperties"] is False
    assert set(schema["required"]) <= set(schema["properties"])
    for part in walk(schema):
        assert set(part) <= ALLOWED
        assert part["type"] in TYPES


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
def test_arguments_are_those_of_the_contract(tool: Tool) -> None:
    schema = input_schema(tool.arguments)
    required, optional = CONTRACT[tool.name]
    assert set(schema["required"]) == set(required)
    assert set(schema["properties"]) == {*required, *optional}


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
def test_every_field_is_described(tool: Tool) -> None:
    for field in input_schema(tool.arguments)["properties"].values():
        assert field["description"].endswith(".")


def test_order_is_fixed() -> None:
    """The cached prefix depends on it."""
    assert [tool.name for tool in TOOLS] == list(CONTRACT)


def test_limits_of_strict_tools() -> None:
    """At most 20 tools, 24 optional parameters and no unions in sight."""
    optional = sum(len(names) for _, names in CONTRACT.values())
    assert len(TOOLS) <= 20
    assert optional <= 24


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
def test_description_is_a_contract(tool: Tool) -> None:
    """It says when to use the tool, and when not or what not to claim."""
    assert "Use " in tool.description
    assert "ão " in tool.description
    assert len(tool.description) < 700


def test_writes_are_marked() -> None:
    assert {tool.name for tool in TOOLS if tool.writes} == {
        "agendar",
        "remarcar",
        "cancelar",
        "lista_de_espera",
    }
    assert {tool.name for tool in TOOLS if tool.not_with} == {"agendar", "remarcar", "lista_de_espera"}
