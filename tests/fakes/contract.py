"""Twilio's own description of its API, as far as we use it: what a request may be.

`tests/data/twilio_requests.json` keeps the needed parts. What is not described there is not asked for.
"""

import json
import re
from collections.abc import Iterator, Mapping
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlsplit

DESCRIPTION = Path(__file__).parents[1] / "data" / "twilio_requests.json"

Schema = Mapping[str, Any]


class OutOfContract(AssertionError):
    """A request that Twilio's description does not allow."""


@cache
def _operations() -> list[Schema]:
    found: list[Schema] = json.loads(DESCRIPTION.read_text())["operations"]
    return found


def check(method: str, target: str, headers: Mapping[str, str], content: bytes) -> None:
    """Raise OutOfContract, with all that is wrong with a request."""
    faults = list(_faults(method, urlsplit(target).path, urlsplit(target).query, headers, content))
    if faults:
        raise OutOfContract("; ".join(faults))


def _faults(method: str, path: str, query: str, headers: Mapping[str, str], content: bytes) -> Iterator[str]:
    for operation in _operations():
        # What stands in for Twilio may have a path of its own in front.
        found = re.search(rf"{operation['path']}\Z", path)
        if found is None or operation["method"] != method:
            continue
        for name, value in found.groupdict().items():
            yield from _value(operation["pathParameters"][name], value, name)
        if method == "POST":
            yield from _body(operation, headers, content)
        else:
            yield from _fields(operation, query)
        return
    yield f"{method} {path} is not described"


def _body(operation: Schema, headers: Mapping[str, str], content: bytes) -> Iterator[str]:
    wanted = operation["contentType"]
    if headers.get("content-type", "").partition(";")[0] != wanted:
        yield f"content type is not {wanted}"
    elif wanted == "application/json":
        yield from _value(operation["schema"], json.loads(content), "body")
    else:
        yield from _fields(operation, content.decode())


def _fields(operation: Schema, encoded: str) -> Iterator[str]:
    pairs = parse_qsl(encoded, keep_blank_values=True)
    form = dict(pairs)
    if len(form) != len(pairs):
        yield "a field is repeated"
    yield from _value(operation["schema"], form, "form")
    for names in operation.get("conditional", []):
        if not form.keys() & set(names):
            yield f"one of {', '.join(names)} is needed"


def _value(schema: Schema, value: Any, where: str) -> Iterator[str]:
    """What is wrong with a value, by as much of JSON Schema as the description uses."""
    if not isinstance(value, _TYPES[schema["type"]]):
        yield f"{where} is no {schema['type']}"
    elif isinstance(value, dict):
        yield from _object(schema, value, where)
    elif isinstance(value, list):
        for number, item in enumerate(value):
            yield from _value(schema["items"], item, f"{where}[{number}]")
    else:
        yield from (f"{where} {fault}" for fault in _text(schema, value))


_TYPES: Mapping[str, type] = {"string": str, "object": dict, "array": list}


def _object(schema: Schema, value: Mapping[str, Any], where: str) -> Iterator[str]:
    known, more = schema.get("properties", {}), schema.get("additionalProperties", True)
    yield from (f"{where} has no {name}" for name in schema.get("required", []) if name not in value)
    for name, item in value.items():
        if name in known:
            yield from _value(known[name], item, f"{where}.{name}")
        elif more is False:
            yield f"{where} has an unknown {name}"
        elif more is not True:
            yield from _value(more, item, f"{where}.{name}")


def _text(schema: Schema, value: str) -> Iterator[str]:
    if "pattern" in schema and not re.search(schema["pattern"], value):
        yield f"does not match {schema['pattern']}"
    if "enum" in schema and value not in schema["enum"]:
        yield f"is none of {', '.join(schema['enum'])}"
    if not schema.get("minLength", 0) <= len(value) <= schema.get("maxLength", len(value)):
        yield "has not the right length"
    if not _FORMATS.get(schema.get("format", ""), _anything)(value):
        yield f"is no {schema['format']}"
    if schema.get("contentMediaType") == "application/json" and not _is_json_of_strings(value):
        yield "is no JSON object of strings"


def _anything(_value: str) -> bool:
    return True


def _is_uri(value: str) -> bool:
    """A callback's address: absolute, and its host without underscores (Twilio's description says so)."""
    parts = urlsplit(value)
    return parts.scheme in ("http", "https") and bool(parts.hostname) and "_" not in (parts.hostname or "_")


def _is_address(value: str) -> bool:
    return bool(re.fullmatch(r"whatsapp:(\+[1-9][0-9]{1,14}|[A-Z]{2}\.(ENT\.)?[A-Za-z0-9]{1,128})", value))


def _is_moment(value: str) -> bool:
    try:
        datetime.fromisoformat(value)
    except ValueError:
        return False
    return True


def _is_json_of_strings(value: str) -> bool:
    try:
        document = json.loads(value)
    except ValueError:
        return False
    return isinstance(document, dict) and all(isinstance(item, str) for item in document.values())


_FORMATS = {"uri": _is_uri, "phone-number": _is_address, "date-time": _is_moment}
