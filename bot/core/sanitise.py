"""What strangers type, made harmless to a database, a model and a page. Pure."""

import re
import unicodedata

from models.folding import composed

MAX_TEXT = 4096  # characters; WhatsApp's own limit of one message

# NUL is refused by PostgreSQL, lone surrogates by UTF-8. The rest is invisible and only ever used to deceive:
# other controls, overrides of the writing direction, and "tag" letters that a model reads and a person cannot
# see. Joiners and variation selectors stay: emoji are made of them.
_HARMFUL = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff\U000e0000-\U000e007f]"
)
_LINE_ENDS = re.compile("\r\n?|[\u2028\u2029\x85]")


def text(value: str, limit: int = MAX_TEXT) -> str:
    """Composed, lines end in \\n, nothing invisible and harmful is left; at most `limit` characters."""
    return composed(_HARMFUL.sub("", _LINE_ENDS.sub("\n", value)))[:limit]


def line(value: str, limit: int) -> str:
    """One line: all white space in it becomes single blanks."""
    return " ".join(text(value, len(value)).split())[:limit].rstrip()


# Fillers that count as letters or signs and show nothing; "empty messages" are made of them.
_FILLERS = frozenset("\u115f\u1160\u2800\u3164\uffa0")


def is_blank(value: str) -> bool:
    """Whether nothing in it can be seen: white space, joiners, fillers."""
    return all(character in _FILLERS or unicodedata.category(character)[0] in "ZC" for character in value)
