"""Arguments from a model: cleaned, checked, and what is wrong with them in Portuguese."""

import json
import unicodedata
from typing import TypeVar

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from tools import portuguese
from tools.contract import Arguments

_RULES = {
    "missing": "campo obrigatório",
    "int_type": "deve ser um número inteiro, sem aspas",
    "string_type": "deve ser um texto",
    "list_type": "deve ser uma lista de números inteiros",
}
MAX_DEPTH = 5
_OURS = ("identifier", "date", "time", "one_of", "size", "length")
_A = TypeVar("_A", bound=Arguments)


class InvalidInput(Exception):
    """The text is for the model: one line a field, with the rule and an example."""


def parsed(arguments: type[_A], given: object) -> _A:
    """The checked arguments. Raises InvalidInput."""
    if not isinstance(given, dict):
        raise InvalidInput("Os argumentos devem ser um objeto JSON com os campos da ferramenta.")
    try:
        return arguments.model_validate(given)
    except ValidationError as error:
        lines = [_line(arguments, detail) for detail in error.errors(include_url=False)]
        raise InvalidInput("\n".join(["Argumentos inválidos, nada foi feito:", *lines])) from None


def cleaned(value: object, depth: int = MAX_DEPTH) -> object:
    """Texts without control characters and lone surrogates, composed (NFC), all the way down.

    What is nested deeper than any argument of ours becomes null.
    """
    if isinstance(value, str):
        return _clean(value)
    if not isinstance(value, dict | list):
        return value
    if depth == 0:
        return None
    if isinstance(value, dict):
        return {_clean(str(key)): cleaned(item, depth - 1) for key, item in value.items()}
    return [cleaned(item, depth - 1) for item in value]


def _clean(text: str) -> str:
    whole = "".join("\ufffd" if unicodedata.category(c) == "Cs" else c for c in text)
    kept = (" " if unicodedata.category(c) == "Cc" else c for c in whole)
    return unicodedata.normalize("NFC", "".join(kept))


def _line(arguments: type[Arguments], detail: ErrorDetails) -> str:
    if not detail["loc"]:
        return f"- {detail['msg']}."
    name = portuguese.shortened(str(detail["loc"][0]))
    if detail["type"] == "extra_forbidden":
        return f"- `{name}`: esse campo não existe. {_accepted(arguments)}"
    return f"- `{name}`: {_rule(detail)}.{_example(arguments, name)}"


def _accepted(arguments: type[Arguments]) -> str:
    names = [f"`{name}`" for name in arguments.model_fields]
    return f"Campos aceitos: {', '.join(names)}." if names else "A ferramenta não tem campos."


def _rule(detail: ErrorDetails) -> str:
    if detail["type"] in _OURS:
        return detail["msg"]
    if detail["type"] == "literal_error":
        return f"deve ser um destes valores: {detail['ctx']['expected'].replace(' or ', ', ')}"
    return _RULES.get(detail["type"], "valor inválido")


def _example(arguments: type[Arguments], name: str) -> str:
    schema = arguments.model_json_schema()["properties"][name]
    for part in (schema, *schema.get("anyOf", ())):
        if "examples" in part:
            return f" Exemplo: {json.dumps(part['examples'][0], ensure_ascii=False)}."
    return ""
