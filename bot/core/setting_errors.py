"""What is wrong with a setting, in one sentence of ours: what is wanted, never what was given."""

from typing import get_args
from urllib.parse import SplitResult, urlsplit

from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails

# What each bound of a number is called.
_BOUNDS = {"ge": "at least {}", "gt": "more than {}", "le": "at most {}"}
_FORMS = {
    "twilio_account_sid": "AC and 32 digits or letters from a to f",
    "smtp_from": "name@example.com",
    "vapid_subject": "mailto:name@example.com",
}


def sentence(error: ErrorDetails, field: FieldInfo | None) -> str:
    """The sentence for an error that pydantic found, in a setting or (None) in how they fit together."""
    name = "_".join(str(part) for part in error["loc"])
    wanted = _wanted(name, error, field)
    return f"{name.upper()}: {wanted}." if name else f"{wanted}."


def _wanted(name: str, error: ErrorDetails, field: FieldInfo | None) -> str:
    kind, context = error["type"], error.get("ctx", {})
    if kind == "value_error":
        return str(context["error"])
    if kind == "literal_error":
        return f"must be {context['expected'].replace(chr(39), '')}"
    if kind == "string_pattern_mismatch":
        return f"must look like {_FORMS[name]}"
    if kind.startswith("bool"):
        return "must be true or false"
    if kind.startswith(("int", "float", "finite", "greater", "less")) and field is not None:
        return _number(field)
    return "is not understood; .env.example shows how it is meant"


def _number(field: FieldInfo) -> str:
    whole = int in (field.annotation, *get_args(field.annotation))
    bounds = [
        words.format(f"{getattr(one, key):g}")
        for one in field.metadata
        for key, words in _BOUNDS.items()
        if hasattr(one, key)
    ]
    return f"must be a {'whole ' if whole else ''}number, {' and '.join(bounds)}"


def long_enough(secret: str, length: int) -> str:
    """A secret that nobody guesses by trying. Raises ValueError with what is wanted."""
    if len(secret) < length:
        raise ValueError(f"must have at least {length} characters")
    return secret


def address(value: str) -> str:
    """An address as it is kept, without a slash at the end. Raises ValueError with the reason against it."""
    if not value.startswith(("http://", "https://")):
        raise ValueError("must begin with https:// (or http://)")
    parts = _parts(value)
    if not parts.hostname:
        raise ValueError("has no name of a server after //")
    if parts.query or parts.fragment or value.endswith(("?", "#")):
        raise ValueError("must end before any ? or #, because more is put behind it")
    return value.rstrip("/")


def root(value: str) -> str:
    """The same for the address that Twilio calls and signs: nothing but https://, a name and maybe a port."""
    value = address(value)
    parts = _parts(value)
    if parts.path:
        raise ValueError("must be without a path: /twilio/inbound and the pages are found right under it")
    if "@" in parts.netloc:
        raise ValueError("must be without a user and a password: no signature of Twilio's would fit")
    if "_" in parts.netloc:
        raise ValueError("must be a name without an underscore: Twilio refuses to call such a one")
    return value


def _parts(value: str) -> SplitResult:
    try:
        parts = urlsplit(value)
        _ = parts.port  # looked at only when it is asked for
    except ValueError:
        raise ValueError("is no address that can be called") from None
    return parts
