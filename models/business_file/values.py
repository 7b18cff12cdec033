"""Single values of the business file: from the text that was written to a plain value, or why not."""

import datetime as dt
import difflib
import re
import unicodedata
import zoneinfo
from collections.abc import Callable, Iterable
from functools import cache
from typing import NamedTuple

import phonenumbers

from models.catalog import MINUTES_OF_DAY

DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
MAX_PRICE_REAIS = 1_000_000
TRUE, FALSE = ("true", "yes", "on"), ("false", "no", "off")


class Wrong(Exception):
    """A value that cannot be used; the text continues a sentence that starts with what it is about."""


class Scalar(NamedTuple):
    """A single value as written. `kind` is what YAML takes it for: "int", "float", …; if quoted, "str"."""

    text: str
    kind: str


def fold(name: str) -> str:
    """The form in which two names are the same: without case and accents."""
    bare = (char for char in unicodedata.normalize("NFKD", name) if not unicodedata.combining(char))
    return " ".join("".join(bare).casefold().split())


def suggestion(name: str, known: Iterable[str]) -> str:
    """` (did you mean "…"?)`, or nothing where no known name is near."""
    by_fold = {fold(other): other for other in known}
    near = difflib.get_close_matches(fold(name), by_fold, n=1)
    return f' (did you mean "{by_fold[near[0]]}"?)' if near else ""


def _clean(text: str, limit: int) -> str:
    text = unicodedata.normalize("NFC", text)
    for char in text:
        # U+200D joins emoji; the other format characters are invisible or turn the text around.
        if char not in "\n\t\u200d" and unicodedata.category(char) in ("Cc", "Cf", "Cs"):
            raise Wrong(f"holds the invisible character U+{ord(char):04X}")
    if len(text) > limit:
        raise Wrong(f"is longer than {limit} characters")
    return text


def line(limit: int) -> Callable[[Scalar], str]:
    """A reader of one line of text with single spaces."""

    def read(scalar: Scalar) -> str:
        text = " ".join(_clean(scalar.text, limit).split())
        if not text:
            raise Wrong("must not be empty")
        return text

    return read


def prose(limit: int) -> Callable[[Scalar], str]:
    """A reader of free text that may have several lines."""
    return lambda scalar: _clean(scalar.text.strip(), limit)


def whole(least: int, most: int) -> Callable[[Scalar], int]:
    """A reader of whole numbers from `least` to `most`."""

    def read(scalar: Scalar) -> int:
        if scalar.kind != "int" or not re.fullmatch(r"0|[1-9][0-9]{0,8}", scalar.text):
            raise Wrong(f'must be a whole number such as 30, not "{scalar.text}"')
        if not least <= int(scalar.text) <= most:
            raise Wrong(f"must be from {least} to {most}, not {scalar.text}")
        return int(scalar.text)

    return read


def one_of(words: tuple[str, ...]) -> Callable[[Scalar], str]:
    """A reader of one of a few words."""

    def read(scalar: Scalar) -> str:
        if scalar.text not in words:
            near = suggestion(scalar.text, words)
            raise Wrong(f'must be {", ".join(words[:-1])} or {words[-1]}, not "{scalar.text}"{near}')
        return scalar.text

    return read


def yes_no(scalar: Scalar) -> bool:
    word = scalar.text.casefold()
    if scalar.kind != "bool" or word not in TRUE + FALSE:
        raise Wrong(f'must be true or false, not "{scalar.text}"')
    return word in TRUE


def slug(scalar: Scalar) -> str:
    if not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", scalar.text) or len(scalar.text) > 60:
        raise Wrong(f'must be lower-case letters, digits and single hyphens, at most 60, not "{scalar.text}"')
    return scalar.text


def phone(scalar: Scalar) -> str:
    """A number in E.164 form."""
    try:
        # The library would also take letters and extensions.
        number = (
            phonenumbers.parse(scalar.text, None) if re.fullmatch(r"\+[0-9 ()./-]+", scalar.text) else None
        )
    except phonenumbers.NumberParseException:
        number = None
    if number is None or not phonenumbers.is_possible_number(number):
        raise Wrong(f'must be a number with its country code such as "+551130001000", not "{scalar.text}"')
    return phonenumbers.format_number(number, phonenumbers.PhoneNumberFormat.E164)


@cache  # found by walking through a folder of files
def _zones() -> list[str]:
    return sorted(zoneinfo.available_timezones() - {"Factory", "localtime", "posixrules"})


def zone(scalar: Scalar) -> str:
    known = _zones()
    if scalar.text not in known:
        # "GMT-0" is near to "GMT-3", and three hours away.
        places = [name for name in known if "/" in name and not name.startswith("Etc/")]
        near = suggestion(scalar.text, places) or ', write one such as "America/Sao_Paulo"'
        raise Wrong(f'"{scalar.text}" is no time zone of the IANA database{near}')
    return scalar.text


def price(scalar: Scalar) -> int:
    """Cents, from "120.00", "120" or 120. A number with a point is refused: YAML would make it a float."""
    if scalar.kind == "float":
        raise Wrong(
            f'must be written in quotes with two decimals, such as "120.50", not {scalar.text} without quotes'
        )
    match = re.fullmatch(r"(0|[1-9][0-9]{0,6})(?:\.([0-9]{2}))?", scalar.text)
    if scalar.kind not in ("str", "int") or match is None or int(match[1]) >= MAX_PRICE_REAIS:
        raise Wrong(f'must be an amount below {MAX_PRICE_REAIS} such as "120.00", not "{scalar.text}"')
    return int(match[1]) * 100 + int(match[2] or 0)


def clock(scalar: Scalar) -> int:
    """Minutes since midnight, from "HH:MM"; "24:00" is the end of the day."""
    match = re.fullmatch(r"([0-9]{2}):([0-9]{2})", scalar.text)
    minute = int(match[1]) * 60 + int(match[2]) if match and int(match[2]) < 60 else None
    if minute is None or minute > MINUTES_OF_DAY:
        raise Wrong(f'must be a time such as "09:00" ("24:00" ends the day), not "{scalar.text}"')
    return minute


def clock_text(minute: int) -> str:
    return f"{minute // 60:02}:{minute % 60:02}"


def window(scalar: Scalar) -> tuple[int, int]:
    """(start, end) in minutes of the day, from "HH:MM-HH:MM"."""
    start_text, _dash, end_text = scalar.text.partition("-")
    try:
        start, end = (clock(Scalar(text, "str")) for text in (start_text, end_text))
    except Wrong as wrong:
        raise Wrong(
            f'must be hours such as "09:00-12:00" ("24:00" ends the day), not "{scalar.text}"'
        ) from wrong
    check_window(start, end, scalar.text)
    return start, end


def check_window(start: int, end: int, text: str) -> None:
    if start == end == 0:
        raise Wrong(
            f'"{text}" is no time at all; the whole day is "00:00-24:00", a closed day is an empty list'
        )
    if end == 0:
        raise Wrong(f'"{text}" ends before it starts; midnight at the end of the day is "24:00"')
    if end <= start:
        raise Wrong(f'"{text}" must end after it starts; hours past midnight belong to the next day')


def day(scalar: Scalar) -> dt.date:
    if not re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", scalar.text):
        raise Wrong(f'must be a date such as "2026-12-24", not "{scalar.text}"')
    try:
        return dt.date.fromisoformat(scalar.text)
    except ValueError:
        raise Wrong(f'"{scalar.text}" is a date that does not exist') from None


def weekdays(key: str) -> range:
    """The weekdays (0 = Monday) of a key such as "sat" or "mon-fri"."""
    first, _, last = key.partition("-")
    if first not in DAYS or (last or first) not in DAYS or key.endswith("-"):
        raise Wrong(f"is no day; write one of {', '.join(DAYS)} or a range such as mon-fri")
    days = range(DAYS.index(first), DAYS.index(last or first) + 1)
    if not days:
        raise Wrong("ends before it starts; the week goes from mon to sun")
    return days


def account_sid(scalar: Scalar) -> str:
    if not re.fullmatch(r"AC[0-9a-f]{32}", scalar.text):
        raise Wrong('must be "AC" followed by 32 characters from 0-9 and a-f')
    return scalar.text


def content_sid(scalar: Scalar) -> str:
    if not re.fullmatch(r"HX[0-9a-f]{32}", scalar.text):
        raise Wrong('must be a ContentSid: "HX" followed by 32 characters from 0-9 and a-f')
    return scalar.text


def variable(scalar: Scalar) -> str:
    """The name of an environment variable. What was written is not repeated: it may be the secret itself."""
    if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]{0,119}", scalar.text) or re.fullmatch(
        r"[0-9a-f]{32}", scalar.text
    ):
        raise Wrong(
            "must be the name of an environment variable that holds the token, never the token itself"
        )
    return scalar.text
