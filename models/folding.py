"""Text in one form: composed where it is kept, without case and accents where it is looked for."""

import unicodedata
from typing import TypedDict

LONGEST = 200


def composed(text: str) -> str:
    """The one form in which text is kept: some phones send "é" as two signs."""
    return unicodedata.normalize("NFC", text)


def folded(text: str) -> str:
    """For matching: no accents, case or invisible characters, single spaces."""
    plain = unicodedata.normalize("NFKD", text).casefold()
    kept = "".join(c for c in plain if unicodedata.category(c) not in ("Mn", "Cf", "Cc"))
    return " ".join(kept.split())


class NameColumns(TypedDict):
    """A customer's name as it is shown, and as it is looked for."""

    name: str
    folded_name: str


def name_columns(name: str) -> NameColumns:
    return {"name": composed(name)[:LONGEST], "folded_name": folded(name)[:LONGEST]}
