"""Long texts in parts that WhatsApp takes. Pure. (What makes Markdown fit for it is in `markup`.)"""

import re
import unicodedata
from collections.abc import Iterator

# Twilio refuses more than 1,600 and does not say how it counts; UTF-16 units are the larger count.
LIMIT = 1500


def split(text: str, limit: int = LIMIT) -> list[str]:
    """The text in parts of at most `limit` UTF-16 units; nothing is lost but white space at the cuts.

    Cut between paragraphs where that leaves no tiny part, else between lines, sentences, words; never inside
    a date, a time, a price or a phone number, nor in a link or word that would fit into a part of its own,
    and never inside what is one sign to the eye. An empty text has no parts.
    """
    parts = []
    rest = text.strip()
    while rest:
        cut = _cut(rest, _fitting(rest, limit))
        parts.append(rest[:cut].rstrip())
        rest = rest[cut:].lstrip()
    return parts


def units(text: str) -> int:
    """Length in UTF-16 units: an emoji counts two."""
    return len(text) + sum(char > "\uffff" for char in text)


def _fitting(text: str, limit: int) -> int:
    """How many characters from the start fit into the limit."""
    left = limit
    for index, char in enumerate(text):
        left -= 2 if char > "\uffff" else 1
        if left < 0:
            return index
    return len(text)


# Blanks at which a line may break; a no-break space is none.
_BLANKS = re.compile(r"[^\S\xa0\u2007\u202f]+")
PARAGRAPH, LINE, SENTENCE, WORD = range(4)


def _cut(text: str, fitting: int) -> int:
    """Where to end the part that starts here: the last place of the best kind, and not too early."""
    if fitting == len(text):
        return fitting
    best: dict[int, int] = {}
    for place, kind in _places(text, fitting):
        best[kind] = place
    wanted = (place for kind in (PARAGRAPH, LINE, SENTENCE) if (place := best.get(kind, 0)) >= fitting // 3)
    return next(wanted, 0) or max(best.values(), default=0) or _between_signs(text, fitting)


def _places(text: str, fitting: int) -> Iterator[tuple[int, int]]:
    """Every place up to `fitting` where white space begins and may be cut, with its kind."""
    whole = [found.span() for found in _WHOLE.finditer(text, 0, fitting + LONGEST_WHOLE)]
    for blanks in _BLANKS.finditer(text):
        place = blanks.start()
        if place > fitting:
            return
        lines = blanks.group().count("\n")
        if lines:
            yield place, PARAGRAPH if lines > 1 else LINE
        elif not any(start < place < end for start, end in whole):
            yield place, SENTENCE if _ends_sentence(text, place) else WORD


_SENTENCE_END = re.compile(r"[.!?…][\"')\]»”*_~]*\Z")
_ABBREVIATION = re.compile(
    r"(?:^|[\s(])(?:sr|sra|srta|dr|dra|prof|profa|av|r|al|pç|rod|nº|n|ap|apto|tel|obs|ex|pág|min|máx|etc)\.\Z",
    re.IGNORECASE,
)


def _ends_sentence(text: str, place: int) -> bool:
    before = text[max(0, place - 20) : place]
    return bool(_SENTENCE_END.search(before)) and not _ABBREVIATION.search(before)


_WEEKDAY = r"(?:(?:segunda|terça|quarta|quinta|sexta)(?:-feira)?|sábado|domingo)"
_HOUR = r"\d{1,2}(?::\d{2}|\s?h(?:oras?\b|\d{2})?)"
_TIME = rf"(?:(?:às|as|das|até as|até)\s)?{_HOUR}(?:\s(?:às|as|a|até)\s{_HOUR})?"
_DATE = r"(?:dia\s)?\d{1,2}(?:º|/\d{1,2}(?:/\d{2,4})?)?(?:\sde\s[a-zç]{4,9}(?:\sde\s\d{4})?)?"
LONGEST_WHOLE = 90
# What a customer must read in one piece: a moment, a price, a phone number.
_WHOLE = re.compile(
    rf"(?:\b{_WEEKDAY},?\s(?:\(?{_DATE}\)?,?\s)?{_TIME}"
    rf"|\b{_WEEKDAY},?\s\(?{_DATE}"
    rf"|\b{_DATE},?\s{_TIME}"
    rf"|\b(?:dia\s)?\d{{1,2}}º?\sde\s[a-zç]{{4,9}}(?:\sde\s\d{{4}})?"
    rf"|\bdia\s\d{{1,2}}"
    rf"|\b{_TIME}"
    r"|R\$\s?\d[\d.,]*"
    r"|(?:\+\d{2}\s)?\(?\d{2}\)?\s\d{4,5}[-\s]\d{4})",
    re.IGNORECASE,
)


def _between_signs(text: str, fitting: int) -> int:
    """The last boundary between graphemes; a sign that is larger than a part is cut all the same."""
    return next((place for place in range(fitting, 0, -1) if _is_boundary(text, place)), max(fitting, 1))


ZERO_WIDTH_JOINER = "\u200d"
_CONTINUES = re.compile("[\u200c\u200d\uff9e\uff9f\U0001f3fb-\U0001f3ff\U000e0020-\U000e007f\u1160-\u11ff]")
_FLAG_LETTERS = "".join(map(chr, range(0x1F1E6, 0x1F200)))
_HANGUL_LEAD = re.compile("[\u1100-\u115f]")
_HANGUL = re.compile("[\u1100-\u115f\uac00-\ud7a3]")


def _is_boundary(text: str, place: int) -> bool:
    """Whether two graphemes meet here (Unicode's rules, somewhat on the careful side)."""
    before, after = text[place - 1], text[place]
    if before == ZERO_WIDTH_JOINER or (before, after) == ("\r", "\n"):
        return False
    if unicodedata.category(after).startswith("M") or _CONTINUES.match(after):
        return False
    if _HANGUL_LEAD.match(before) and _HANGUL.match(after):
        return False
    if after in _FLAG_LETTERS:
        # A flag is two letters: between them is no boundary, between two flags there is one.
        line = text[max(0, place - 200) : place]
        return (len(line) - len(line.rstrip(_FLAG_LETTERS))) % 2 == 0
    return True
