"""Finding a few letters in a text: without regard to case and accents, on both databases.

Each letter becomes the class of its forms ("a" finds "Á"), every other sign stands for itself: nothing that
is typed is a wildcard.
"""

from collections.abc import Callable
from functools import cache

from sqlalchemy import ColumnElement, literal

from models.folding import composed

LEAST = 3  # letters or digits; fewer would find nearly everything
MOST = 60
_FORMS = ("aáàâãä", "eéèêë", "iíìîï", "oóòôõö", "uúùûü", "cç", "nñ")


def words(typed: str) -> str:
    """What is searched for: single spaces, cut to a length; "" where it is too little to search for."""
    printable = "".join(sign if sign.isprintable() else " " for sign in composed(typed))
    clean = " ".join(printable.split())[:MOST].strip()
    return clean if sum(sign.isalnum() for sign in clean) >= LEAST else ""


def contains(column: ColumnElement[str], text: str, dialect: str) -> ColumnElement[bool]:
    """Whether the column's text contains `text`."""
    if dialect == "sqlite":
        return column.op("GLOB", is_comparison=True)(literal(f"*{_pattern(text, _glob)}*"))
    return column.op("~", is_comparison=True)(literal(_pattern(text, _regex)))


def _pattern(text: str, plain: Callable[[str], str]) -> str:
    return "".join(_letter(sign) if sign.isalpha() else plain(sign) for sign in text)


def _glob(sign: str) -> str:
    return f"[{sign}]" if sign in "*?[" else sign


def _regex(sign: str) -> str:
    return sign if sign.isalnum() or not sign.isascii() else f"\\{sign}"


@cache
def _letter(sign: str) -> str:
    lower = sign.lower()
    forms = next((forms for forms in _FORMS if lower in forms), lower)
    return f"[{''.join(dict.fromkeys(forms + forms.upper() + sign))}]"
