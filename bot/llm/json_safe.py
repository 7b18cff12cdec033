"""Strings that JSON, the API and a database take."""

import re
from typing import Any

MAX_DEPTH = 64

# Surrogates that stand alone cannot be sent again, PostgreSQL refuses NUL, and no text needs the rest: other
# controls, and a terminal's colours.
_UNSAFE = re.compile(
    "\x1b\\[[0-?]{0,16}[ -/]{0,4}[@-~]|[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff\ufffe\uffff]"
)


def safe_text(text: str) -> str:
    """The text without what JSON, the API or a database would refuse: control characters, half surrogates."""
    return _UNSAFE.sub(lambda hit: "\ufffd" if hit.group() >= "\ud800" else "", text)


def safe_value(value: Any, depth: int = 0) -> Any:
    """A decoded JSON value with every string made safe. Raises ValueError if nested too deep."""
    if isinstance(value, str):
        return safe_text(value)
    if depth > MAX_DEPTH:
        raise ValueError("nested too deeply")
    if isinstance(value, dict):
        return {safe_text(key): safe_value(item, depth + 1) for key, item in value.items()}
    if isinstance(value, list):
        return [safe_value(item, depth + 1) for item in value]
    return value
