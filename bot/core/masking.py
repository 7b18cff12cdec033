"""Phones and document numbers taken out of what somebody may read over a shoulder or in a log. Pure."""

import re

LEAST_DIGITS = 8  # a telephone without its area has eight or nine, a CPF eleven
_NUMBER = re.compile(
    r"(?<![\w.,/])"
    r"(?!\d{4}-\d\d-\d\d(?!\d))"  # a date is none
    r"[+(]{0,3}\d[\d .()-]{6,}\d(?!\w)"
)


def mask(text: str) -> str:
    """The text with phones and document numbers reduced to their last two digits."""
    return _NUMBER.sub(_masked, text)


def _masked(found: re.Match[str]) -> str:
    whole = found[0]
    digits = [character for character in whole if character.isdigit()]
    return whole if len(digits) < LEAST_DIGITS else f"***{digits[-2]}{digits[-1]}"
