"""Text made plain for matching: its sentences, the times and days they name, pattern tables.

Portuguese first; English and Spanish as far as a model that slips into them would claim something.
"""

import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date, timedelta

_TYPOGRAPHY = (
    {ord(char): '"' for char in "“”„«»"}
    | {ord(char): "-" for char in "‐‑‒–—−•·▪◦"}
    | {ord(char): "'" for char in "’‘´"}
    | dict.fromkeys(map(ord, "_~`"))  # WhatsApp's italics, strike and monospace
)
_BULLET = re.compile(r"^\s*\*\s+", re.MULTILINE)
_IS = re.compile(r"\b[éÉ]\b")


# No pattern here is handed more: what takes the square of a text's length takes the product's time.
MOST = 6_000
_BLANKS = re.compile(r"[^\S\n]+")
_LINES = re.compile(r" ?\n[ \n]*")


def bounded(text: str) -> str:
    """The text with blanks and empty lines collapsed, and no more of it than any customer would read."""
    tight = _LINES.sub("\n", _BLANKS.sub(" ", text))
    return tight if len(tight) <= MOST else f"{tight[: MOST // 2]}\n{tight[-MOST // 2 :]}"


def normalise(text: str) -> str:
    """Lower case without accents, emoji and WhatsApp's markup, white space as single spaces; "é" is "eh"."""
    return " ".join(_plain(text).lower().split())


def _plain(text: str) -> str:
    unmarked = _BULLET.sub("- ", text).replace("*", "").translate(_TYPOGRAPHY)
    return unicodedata.normalize("NFKD", _IS.sub("eh", unmarked)).encode("ascii", "ignore").decode()


@dataclass(frozen=True)
class Sentence:
    """Normalised words, and the same with the capitals they had. `asks`: a real question, one that leaves
    the next word to the customer; `tagged`: a statement with ", certo?" or the like behind it, taken off.
    """

    text: str
    cased: str
    asks: bool = False
    tagged: bool = False


_QUOTED = re.compile(r'"[^"\n]*"')
_END = re.compile(
    r"(?=[\s,;])(?:"
    r"(?<=[.!?])(?<!\bdr\.)(?<!\bdra\.)(?<!\bsr\.)(?<!\bsra\.)(?<!\bav\.)(?<!\bprof\.)\s+"
    r"|\s*[;\n]\s*"
    r"|,?\s+(?=(?:mas|porem|so que|contudo|porque|pois|ja que|but|because|pero)\b))",
    re.IGNORECASE,
)
_TAG = re.compile(
    r"(?:^|[,.!-]|\s)\s*(?:ok|okay|ta|ta bom|ta certo|certo|viu|combinado|beleza|blz|tudo (?:bem|certo)"
    r"|(?:em que )?(?:posso|gostaria|quer|deseja|precisa)[^,?]*\b(?:mais alg\w+|algo mais|ajudar)[^?]*"
    r"|(?:mais alguma coisa|algo mais|algo mas|anything else)[^?]*|(?:can|how can) i help[^?]*"
    r"|right|verdad)\s*\?+$",
    re.IGNORECASE,
)


def sentences(text: str) -> list[Sentence]:
    """The sentences and lines of a text, without what stands in quotation marks."""
    parts = (" ".join(part.split()) for part in _END.split(_QUOTED.sub("", _plain(text))))
    return [_sentence(part) for part in parts if part]


def _sentence(part: str) -> Sentence:
    statement = _TAG.sub("", part)
    asks = part.endswith("?") and statement == part
    return Sentence(statement.lower(), statement, asks=asks, tagged=statement != part)


# Times and days


@dataclass(frozen=True)
class Named:
    """What a text names: minutes of the day, and days: "quarta", "2/12", or "2" for the 2nd of some month."""

    times: frozenset[int] = frozenset()
    days: frozenset[str] = frozenset()

    def __bool__(self) -> bool:
        return bool(self.times or self.days)


WEEKDAYS = ("segunda", "terca", "quarta", "quinta", "sexta", "sabado", "domingo")
_WEEKDAY_OF = dict(
    zip(
        [
            *WEEKDAYS,
            *("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"),
            *("lunes", "martes", "miercoles", "jueves", "viernes"),
        ],
        [*WEEKDAYS, *WEEKDAYS, *WEEKDAYS[:5]],
        strict=True,
    )
)
_MONTHS = "jan fev mar abr mai jun jul ago set out nov dez | feb apr may aug sep oct dec | ene dic"
_MONTH_OF = dict(
    zip(_MONTHS.replace("|", "").split(), [*range(1, 13), 2, 4, 5, 8, 9, 10, 12, 1, 12], strict=True)
)
_AWAY = {
    "hoje": 0,
    "amanha": 1,
    "depois de amanha": 2,
    "today": 0,
    "tomorrow": 1,
    "hoy": 0,
    "manana": 1,
    "pasado manana": 2,
}
DAY = "|".join((*_WEEKDAY_OF, *reversed(_AWAY)))  # as part of a pattern

# Times that are not when somebody comes: opening hours, ends, reminders, deadlines.
_OTHER_TIMES = re.compile(
    r"\b(?:cheg(?:ue|ar|ando)|abr(?:e|imos|ir)|fech(?:a|amos|ar)|funciona\w*|atend(?:e|emos)|lembrete\w*"
    r"|termina\w*|acaba\w*|antes d[aeo]s?|depois das|a partir d[aeo]s?|(?<= )ate)\b[^,.!]*"
)
_HOURS = r"\s?h(?:oras?|rs?)?"
_RANGE = re.compile(
    rf"(\d{{1,2}}(?::\d\d|{_HOURS}(?:\s?\d\d)?))\s*(?:as|a|-)\s*\d{{1,2}}(?::\d\d|h(?:\d\d)?)?(?!/)"
)
_TIME = re.compile(
    r"(?:(?<![\d:/.,])(?P<digital>\d\d?):(?P<minute>[0-5]\d)(?![\d:])"
    rf"|\b(?:feira|{DAY}|dia\s\d\d?|\d\d?/\d\d?(?:/\d{{2,4}})?|horario|hora|inicio)[,:)]*"
    rf"\s(?P<hour>\d\d?){_HOURS}\s?(?P<past>[0-5]\d)?\b"
    rf"|\b(?:as|das|pras|pelas|las|at)\s(?P<bare>\d\d?)(?:{_HOURS}\s?(?P<after>[0-5]\d)?\b|(?=[ap]m\b)|\b)"
    r"(?!:|\s?(?:[/%\d]|min|dias|vezes|pessoas|reais))(?P<half>\se\smeia|\sy\smedia)?"
    r"|\b(?P<english>\d\d?)(?=\s?[ap]m\b)"
    r"|(?P<noon>\bmeio[ -]dia\b|\bmediodia\b|\bnoon\b))"
    r"(?P<part>\s+d[ae](?:\sla)?\s(?:tarde|noite|noche|manha|manana)|\s?[ap]m\b)?"
)
_DATE = re.compile(
    r"(?<![\d/])(?P<day>\d\d?)/(?P<month>\d\d?)(?:/\d{2,4})?(?![\d/])"
    rf"|\b(?P<written>\d\d?)o?\sde\s(?P<name>{'|'.join(_MONTH_OF)})\w*"
    rf"|\b(?P<month_name>{'|'.join(_MONTH_OF)})[a-z]*\s(?P<nth>\d\d?)(?:st|nd|rd|th)?\b(?![:h])"
    r"|\bdia\s(?P<alone>\d\d?)\b(?!/|\sde\s)"
    rf"|\b(?P<weekday>{'|'.join(_WEEKDAY_OF)})\b(?!\s(?:opcao|vez|via|sessao|etapa|parte|pessoa|unidade)\b)"
)
_RELATIVE = re.compile(
    rf"\b(?:para|pra|pro|for)\s(?P<aim>{'|'.join(reversed(_AWAY))})\b"
    rf"|\b(?P<day>{'|'.join(reversed(_AWAY))})\b[ ,(]*(?:de manha|a tarde|a noite|dia)?[ ,(]*"
    r"(?:(?:a\s)?l?as\s|at\s)?\d"
)
_EARLY = 7  # nobody opens before: "às 3" is 15:00


def named(text: str, today: date | None = None) -> Named:
    """The times and days in normalised text; "amanhã" only where `today` is known."""
    told = _RANGE.sub(r"\1 ", _OTHER_TIMES.sub(" ", text))
    times = {_minute(match) for match in _TIME.finditer(told)}
    days = {_day(match) for match in _DATE.finditer(told)}
    if today is not None:
        days |= {_relative(match, today) for match in _RELATIVE.finditer(told)}
    return Named(frozenset(minute for minute in times if minute is not None), frozenset(days))


def _minute(match: re.Match[str]) -> int | None:
    if match["noon"]:
        return 12 * 60
    hour = int(match["digital"] or match["hour"] or match["bare"] or match["english"])
    minute = 30 if match["half"] else int(match["minute"] or match["past"] or match["after"] or 0)
    part = match["part"] or ""
    late = hour < 12 and part.endswith(("tarde", "noite", "noche", "pm"))
    early = hour < _EARLY and not part and not match["digital"]
    return None if hour > 23 else (hour + 12 * (late or early)) * 60 + minute


def _day(match: re.Match[str]) -> str:
    if match["weekday"]:
        return _WEEKDAY_OF[match["weekday"]]
    if match["alone"]:
        return str(int(match["alone"]))
    name = match["name"] or match["month_name"]
    month = _MONTH_OF[name] if name else int(match["month"])
    return f"{int(match['day'] or match['written'] or match['nth'])}/{month}"


def _relative(match: re.Match[str], today: date) -> str:
    day = today + timedelta(days=_AWAY[match["aim"] or match["day"]])
    return f"{day.day}/{day.month}"


# Tables of patterns

Table = tuple[tuple[str, str], ...]  # (what it catches, pattern)
_WORD = re.compile(r"(?<!P)<(\w+)>")


def any_of(words: str) -> str:
    """A pattern that matches one of the words; "*" stands for any ending, "+" joins two words."""
    return f"(?:{words.replace(' ', '|').replace('+', ' ').replace('*', '[a-z]*')})"


def filled(pattern: str, words: Mapping[str, str]) -> str:
    """The pattern with each <name> that is among the words replaced by what it stands for, to the end."""
    full = _WORD.sub(lambda name: f"(?:{words[name[1]]})" if name[1] in words else name[0], pattern)
    return full if full == pattern else filled(full, words)


def compiled(patterns: Iterable[str], words: Mapping[str, str]) -> re.Pattern[str]:
    """One pattern that matches what any of these does. Each <name> in them stands for `words[name]`.

    A pattern begins with "^" or else at the beginning of a word: most positions of a text are skipped so.
    """
    full = [filled(pattern, words) for pattern in patterns]
    first = "|".join(pattern[1:] for pattern in full if pattern.startswith("^"))
    later = "|".join(pattern for pattern in full if not pattern.startswith("^"))
    return re.compile("|".join([rf"\b(?:{later})"] * bool(later) + [f"^(?:{first})"] * bool(first)))
