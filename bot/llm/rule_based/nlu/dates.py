"""Which days a customer means, read from normalised text.

A mention has a plain meaning and knows what else it may mean, so that "sexta dia 11" and "quinta da semana
que vem" agree on one day, and "amanhã dia 4" on none. Where one of several days is meant, the reading is not
sure and somebody must ask. Read text is masked by "§" of the same length: the hours are read from the rest.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from itertools import pairwise

from bot.llm.rule_based.nlu.negation import MASK, is_refused

_ONE_DAY = timedelta(days=1)
_FAR = 400  # days that an open-ended mention ("dia 31", "sexta") is looked for

_WEEKDAY_WORDS = (
    "segunda seg 2a",
    "terca ter 3a",
    "quarta qua 4a",
    "quinta qui 5a",
    "sexta sex 6a",
    "sabado",
    "domingo dom",
)
_WEEKDAYS = {name: number for number, names in enumerate(_WEEKDAY_WORDS) for name in names.split()}
_MONTHS = {
    name: number
    for number, names in enumerate(
        [
            "janeiro jan",
            "fevereiro fev",
            "marco mar",
            "abril abr",
            "maio mai",
            "junho jun",
            "julho jul",
            "agosto ago",
            "setembro set",
            "outubro out",
            "novembro nov",
            "dezembro dez",
        ],
        start=1,
    )
    for name in names.split()
}


@dataclass(frozen=True)
class Days:
    """The days that are meant, the likeliest first.

    `sure`: any of `dates` will do; else one of them is meant, and which must be asked. `problem` says in
    Portuguese why a mention is no day at all. `loose`: a bare weekday, which days just offered may settle.
    `each`: not any of them will do, all are wished for ("dia 10, 17 e 24").
    """

    dates: tuple[date, ...] = ()
    sure: bool = True
    problem: str = ""
    loose: bool = False
    each: bool = False


@dataclass(frozen=True)
class DaysRead:
    """All that one text says of days. `source` and `target` are "de sexta" and "para sábado"; `wanted` holds
    the target, or whatever day stands alone; `refused` tells which days are out.
    """

    wanted: Days | None = None
    source: Days | None = None
    target: Days | None = None
    refused: tuple[date, ...] = ()
    rest: str = ""


@dataclass(frozen=True)
class _Meaning:
    days: Days
    fits: Callable[[date], bool]


@dataclass(frozen=True)
class _Mention:
    start: int
    end: int
    meaning: _Meaning
    role: str = field(default="")


def read_days(text: str, today: date) -> DaysRead:
    """What normalised `text` says of days, seen from `today`."""
    mentions, masked = _mentions(text, today)
    wanted = [m for m in mentions if m.role in ("", "source", "target")]
    refused = tuple(m for m in mentions if m.role == "refused")
    plain = [m for m in wanted if m.role != "source"] or wanted
    return DaysRead(
        wanted=_without(_joined(plain, masked), refused),
        source=_joined([m for m in wanted if m.role == "source"], masked),
        target=_joined([m for m in wanted if m.role == "target"], masked),
        refused=tuple(day for m in refused for day in m.meaning.days.dates),
        rest=masked,
    )


def day_of_month(number: int, today: date) -> Days:
    """The next day with this number: today itself or a month on is a doubt."""
    return _numbered(number, today).days


# Meanings


def _one(day: date) -> _Meaning:
    return _Meaning(Days((day,)), lambda other: other == day)


def _none(problem: str) -> _Meaning:
    return _Meaning(Days(problem=problem), lambda _: False)


def _any(days: tuple[date, ...], *, sure: bool = True) -> _Meaning:
    return _Meaning(Days(days, sure), lambda other: other in days)


def _span(first: date, last: date) -> tuple[date, ...]:
    return tuple(first + _ONE_DAY * n for n in range((last - first).days + 1))


def _next_weekday(weekday: int, after: date) -> date:
    """The first such weekday on `after` or later."""
    return after + _ONE_DAY * ((weekday - after.weekday()) % 7)


def _weekday(match: re.Match[str], today: date) -> _Meaning:
    weekday = _WEEKDAYS[match["wd"]]
    first = _next_weekday(weekday, today)
    dates = (first, first + _ONE_DAY * 7) if first == today else (first,)
    return _Meaning(Days(dates, sure=len(dates) == 1, loose=True), lambda day: day.weekday() == weekday)


def _this_weekday(match: re.Match[str], today: date) -> _Meaning:
    return _one(_next_weekday(_WEEKDAYS[match["wd"]], today))


def _coming_weekday(match: re.Match[str], today: date) -> _Meaning:
    """ "Sexta que vem": the next one, or that of next week; half of Brazil says one, half the other."""
    weekday = _WEEKDAYS[match["wd"]]
    soonest = _next_weekday(weekday, today + _ONE_DAY)
    next_week = _monday(today) + _ONE_DAY * (7 + weekday)
    dates = tuple(sorted({soonest, next_week}))
    return _any(dates, sure=len(dates) == 1)


def _weekday_of_next_week(match: re.Match[str], today: date) -> _Meaning:
    return _one(_monday(today) + _ONE_DAY * (7 + _WEEKDAYS[match["wd"]]))


def _weekdays_between(match: re.Match[str], today: date) -> _Meaning:
    first, last = _WEEKDAYS[match["from"]], _WEEKDAYS[match["to"]]
    wanted = {(first + n) % 7 for n in range((last - first) % 7 + 1)}
    return _any(tuple(day for day in _span(today, today + _ONE_DAY * 6) if day.weekday() in wanted))


def _monday(day: date) -> date:
    return day - _ONE_DAY * day.weekday()


def _numbered(number: int, today: date) -> _Meaning:
    dates = [day for day in _span(today, today + _ONE_DAY * _FAR) if day.day == number]
    if not dates:
        return _none(f"O dia {number} não existe no calendário.")
    doubtful = dates[0] == today
    return _Meaning(Days(tuple(dates[: 1 + doubtful]), sure=not doubtful), lambda day: day.day == number)


def _numbers(match: re.Match[str], today: date) -> _Meaning:
    numbers = [int(number) for number in re.findall(r"\d+", match["ds"])]
    if len(numbers) == 1:
        return _numbered(numbers[0], today)
    found = [_numbered(number, today) for number in numbers]
    wrong = next((one for one in found if one.days.problem), None)
    dates = tuple(day for one in found for day in one.days.dates[:1])
    each = " e " in match["ds"]
    return wrong or _Meaning(Days(dates, each=each), lambda day: day in dates)


def _weekday_and_number(match: re.Match[str], today: date) -> _Meaning | None:
    """ "Sexta 11": the eleventh where that is a Friday soon; "sexta 14" otherwise tells the hour."""
    weekday, number = _WEEKDAYS[match["wd"]], int(match["d"])
    soon = _span(today, today + _ONE_DAY * 31)
    return next((_one(day) for day in soon if day.weekday() == weekday and day.day == number), None)


def _written_date(match: re.Match[str], today: date) -> _Meaning:
    day, month = int(match["d"]), _MONTHS.get(match["mo"]) or int(match["mo"])
    if match["y"]:
        year = int(match["y"]) + (2000 if len(match["y"]) == 2 else 0)
        return _calendar_day(day, month, year, today)
    passed = (month, day) < (today.month, today.day)
    return _calendar_day(day, month, today.year + passed, today)


def _iso_date(match: re.Match[str], today: date) -> _Meaning:
    return _calendar_day(int(match["d"]), int(match["mo"]), int(match["y"]), today)


def _calendar_day(day: int, month: int, year: int, today: date) -> _Meaning:
    try:
        found = date(year, month, day)
    except ValueError:
        return _none(f"O dia {day:02}/{month:02} não existe em {year}.")
    return _none(f"O dia {found:%d/%m/%Y} já passou.") if found < today else _one(found)


def _ahead(match: re.Match[str], today: date) -> _Meaning:
    number = 1 if match["n"] in ("um", "uma") else int(match["n"])
    if match["unit"].startswith("mes"):
        return _one(_months_on(today, number))
    return _one(today + timedelta(days=number * (7 if match["unit"].startswith("semana") else 1)))


def _months_on(today: date, months: int) -> date:
    year, month = divmod(today.year * 12 + today.month - 1 + months, 12)
    return min(date(year, month + 1, 1) + _ONE_DAY * (today.day - 1), _month_end(year, month + 1))


def _month_end(year: int, month: int) -> date:
    return date(year + month // 12, month % 12 + 1, 1) - _ONE_DAY


def _weekend(match: re.Match[str], today: date) -> _Meaning:
    saturday = _monday(today) + _ONE_DAY * 5
    this = tuple(day for day in (saturday, saturday + _ONE_DAY) if day >= today)
    following = (saturday + _ONE_DAY * 7, saturday + _ONE_DAY * 8)
    if match["next"] or match["first"]:
        return _any((*this, *following), sure=False)
    return _any(this)


def _holiday(match: re.Match[str], today: date) -> _Meaning:
    """Only days that stand fast or follow Easter; what is closed when is the business's own rule."""
    for year in (today.year, today.year + 1):
        easter = _easter(year)
        day = {
            "vespera de natal": date(year, 12, 24),
            "natal": date(year, 12, 25),
            "vespera de ano novo": date(year, 12, 31),
            "ano novo": date(year, 1, 1),
            "carnaval": easter - _ONE_DAY * 47,
            "depois do carnaval": easter - _ONE_DAY * 45,
            "pascoa": easter,
        }[match["name"].replace("reveillon", "ano novo")]
        if day >= today:
            break
    return _one(day)


def _easter(year: int) -> date:
    """The Gregorian Easter Sunday (Butcher's rule)."""
    a, (b, c) = year % 19, divmod(year, 100)
    d, e = divmod(b, 4)
    g = (8 * b + 13) // 25
    h = (19 * a + b - d - g + 15) % 30
    i, k = divmod(c, 4)
    el = (32 + 2 * e + 2 * i - h - k) % 7
    m = (a + 11 * h + 19 * el) // 433
    month = (h + el - 7 * m + 90) // 25
    return date(year, month, (h + el - 7 * m + 33 * month + 19) % 32)


def _month_alone(_match: re.Match[str], _today: date) -> _Meaning:
    return _none("Preciso saber o dia exato.")


# The table of patterns, the more telling first

_Reader = Callable[[re.Match[str], date], _Meaning | None]


def _days_on(days: int) -> _Reader:
    return lambda _, today: _one(today + _ONE_DAY * days)


def _passed(_match: re.Match[str], _today: date) -> _Meaning:
    return _none("Esse dia já passou.")


def _next_week(_match: re.Match[str], today: date) -> _Meaning:
    return _any(_span(_monday(today) + _ONE_DAY * 7, _monday(today) + _ONE_DAY * 13))


def _this_week(_match: re.Match[str], today: date) -> _Meaning:
    return _any(_span(today, _monday(today) + _ONE_DAY * 6))


def _any_day(_match: re.Match[str], today: date) -> _Meaning:
    return _any(_span(today, today + _ONE_DAY * 6))


_NAMES = r"segunda|terca|quarta|quinta|sexta|sabado|domingo"
_WD = rf"(?:\btod[ao]s? (?:as? |os? )?)?(?P<wd>{_NAMES}|seg|qua|qui|sex|dom|[2-6]a)(?:s\b)?(?: ?feiras?)?\b"
_NO_ORDINAL = r"(?! (?:vez|opcao|via|parte|fase|sessao|pessoa|dose|alternativa|unha)\b)"
# "ter" is Tuesday only where the verb cannot stand.
_TER = (
    r"(?:(?<=^)|(?<=\bna )|(?<=essa )|(?<=proxima )|(?<=, )|(?<=ou ))(?P<wd>ter)"
    r"(?= ?$| [,?\d]| as \d| que vem| de manha| a tarde| a noite)"
)
_THIS = r"(?:ainda )?(?:n?essa|n?esta|dessa|desta)"
_WEEK = r"(?:semana que vem|proxima semana|outra semana|semana proxima)"
_MONTH = "|".join(_MONTHS)
_MONTH_NAME = "|".join(name for name in _MONTHS if len(name) > 3)
_SLASHED = r"(?!24/7\b)(?!1/2 [a-z])(?<![\d/.,:-])(?P<d>\d{1,2})/(?P<mo>\d{1,2})(?:/(?P<y>\d{4}|\d{2}))?\b"
# "07.12" and "7-12" are dates where they are no hours, amounts or "das 8-12".
_DOTTED = (
    r"(?<![\d$/.,:+-])(?<!r\$ )(?<!\bas )(?<!\bdas )(?<!\bentre )(?<!\bde )"
    r"(?P<d>0?[1-9]|[12]\d|3[01])[.-](?P<mo>0?[1-9]|1[0-2])(?P<y>(?!))?(?![\d/.,:-]|\w)(?! (?:horas?|"
    r"anos?|mil|reais)\b)"
)
_LIST = r"(?P<ds>\d{1,2}o?(?:(?: ?, ?| e | ou | e dia | ou dia )\d{1,2}o?\b(?![:h/]| horas?\b))*)(?![\d:h/%])"
_NAMED_DAY = (
    r"\b(?P<name>depois do carnaval|vespera de natal|vespera de ano novo|natal|ano novo|reveillon|carnaval|"
    r"pascoa)\b"
)
_ROWS: tuple[tuple[str, _Reader], ...] = (
    (r"\b(?P<y>\d{4})-(?P<mo>\d{1,2})-(?P<d>\d{1,2})\b", _iso_date),
    (r"\b(?:dia )?(?P<d>\d{1,2})[-.](?P<mo>\d{1,2})[-.](?P<y>\d{4})\b", _written_date),
    (rf"\b(?:dia )?{_SLASHED}", _written_date),
    (rf"\b(?:dia )?(?P<d>\d{{1,2}}) ?[/.-] ?(?P<mo>{_MONTH})\b(?P<y>(?!))?", _written_date),
    (rf"(?:\bdia )?{_DOTTED}", _written_date),
    (rf"\b(?:dia )?(?P<d>\d{{1,2}})o? de (?P<mo>{_MONTH})\b(?: de (?P<y>\d{{4}}))?", _written_date),
    (r"\bdepois de amanha\b", _days_on(2)),
    (r"\bamanha\b", _days_on(1)),
    (r"\bhoje\b", _days_on(0)),
    (r"\b(?:ante)?ontem\b", _passed),
    (r"\b(?:daqui(?: a)?|em|dentro de) (?P<n>\d{1,2}|uma?) (?P<unit>dia|semana|mes)(?:s|es)?\b", _ahead),
    (rf"\b{_WD} (?:da|na) {_WEEK}\b", _weekday_of_next_week),
    (rf"\b{_WD} (?:que vem|proxima|proximo)\b", _coming_weekday),
    (rf"\bproxim[ao] {_WD}{_NO_ORDINAL}", _coming_weekday),
    (rf"\b{_THIS} {_WD}{_NO_ORDINAL}", _this_weekday),
    (rf"\b{_WD} (?:agora|dessa semana|desta semana)\b", _this_weekday),
    (rf"\bde (?P<from>{_NAMES})(?: feira)? (?:a|ate) (?P<to>{_NAMES})(?: feira)?\b", _weekdays_between),
    (r"\b(?P<first>proximo )?(?:fim|final) de semana(?P<next> que vem)?\b", _weekend),
    (rf"\b{_WEEK}\b", _next_week),
    (rf"\b{_THIS} semana\b", _this_week),
    (r"\b(?:qualquer|algum|um) (?:outro )?dia(?: que tiver)?\b(?! (?:da|de) )", _any_day),
    (r"\btanto faz o dia\b", _any_day),
    (rf"\b{_WD} (?:dia )?(?=\d{{1,2}}(?: ?,| e | ou ) ?(?:dia )?\d){_LIST}", _numbers),
    (rf"\b{_WD} (?P<d>\d{{1,2}})(?= ?(?:$|[,?]))", _weekday_and_number),
    (rf"\b{_WD}{_NO_ORDINAL}", _weekday),
    (_TER, _weekday),
    (rf"\bdias? {_LIST}", _numbers),
    (rf"(?<!antes do )(?<!ate o ){_NAMED_DAY}", _holiday),
    (rf"\b(?:(?:em|de) (?:{_MONTH_NAME})|(?:mes|ano) que vem)\b", _month_alone),
)
_PATTERNS = tuple((re.compile(pattern), reader) for pattern, reader in _ROWS)

_TARGET_BEFORE = re.compile(r"\bpara (?:o |a |as )?(?:dia )?$")
_SOURCE_BEFORE = re.compile(r"(?<!nao )\b(?:de|do|da|dessa|desse|desta|deste) (?:dia )?$")


def _mentions(text: str, today: date) -> tuple[list[_Mention], str]:
    found: list[_Mention] = []
    for pattern, reader in _PATTERNS:
        for match in list(pattern.finditer(text)):
            meaning = reader(match, today)
            if meaning is None or MASK in match[0]:
                continue
            found.append(_Mention(*match.span(), meaning))
            text = text[: match.start()] + MASK * len(match[0]) + text[match.end() :]
    found.sort(key=lambda mention: mention.start)
    return [replace(mention, role=_role(mention, text)) for mention in found], text


def _role(mention: _Mention, text: str) -> str:
    before, after = text[: mention.start], text[mention.end :]
    if is_refused(before, after):
        return "refused"
    if _TARGET_BEFORE.search(before):
        return "target"
    return "source" if _SOURCE_BEFORE.search(before) else ""


# Joining what stands together


def _joined(mentions: list[_Mention], text: str) -> Days | None:
    if not mentions:
        return None
    meaning = mentions[0].meaning
    for last, mention in pairwise(mentions):
        meaning = _both(meaning, mention.meaning, text[last.end : mention.start])
    return meaning.days


def _both(first: _Meaning, second: _Meaning, between: str) -> _Meaning:
    dates = tuple(dict.fromkeys((*first.days.dates, *second.days.dates)))
    if not first.days.dates or not second.days.dates:
        return first if first.days.dates else second
    if re.search(r"\b(?:ou|e|tambem)\b", between):
        return _any(dates) if not (first.days.each or second.days.each) else _every(dates)
    common = tuple(day for day in dates if first.fits(day) and second.fits(day))
    if common:
        sure = len(common) == 1 or (first.days.sure and second.days.sure)
        return _Meaning(Days(common, sure), lambda day: first.fits(day) and second.fits(day))
    return _any(dates, sure=between.strip() == ",")


def _every(dates: tuple[date, ...]) -> _Meaning:
    return _Meaning(Days(dates, each=True), lambda day: day in dates)


def _without(days: Days | None, refused: tuple[_Mention, ...]) -> Days | None:
    if days is None or not refused:
        return days
    kept = tuple(day for day in days.dates if not any(mention.meaning.fits(day) for mention in refused))
    return replace(days, dates=kept) if kept else None
