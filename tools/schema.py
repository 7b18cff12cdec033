"""Arguments → the strict JSON Schema that the model is given.

Only what `strict: true` allows: no bounds, lengths, patterns, defaults or titles. Those rules stand in the
descriptions and are checked by pydantic when the call comes.
"""

from typing import Any

from tools.contract import Arguments

_KEPT = ("type", "description", "enum", "items")


def input_schema(arguments: type[Arguments]) -> dict[str, Any]:
    """An optional field is simply not required: its schema does not mention null."""
    schema = arguments.model_json_schema()
    return {
        "type": "object",
        "properties": {name: _field(field) for name, field in schema["properties"].items()},
        "required": schema.get("required", []),
        "additionalProperties": False,
    }


def _field(schema: dict[str, Any]) -> dict[str, Any]:
    described = {**schema, **_without_null(schema)}
    kept = {key: described[key] for key in _KEPT if key in described}
    return {**kept, "items": _field(kept["items"])} if "items" in kept else kept


def _without_null(schema: dict[str, Any]) -> dict[str, Any]:
    choices = [choice for choice in schema.get("anyOf", []) if choice != {"type": "null"}]
    return choices[0] if choices else {}
