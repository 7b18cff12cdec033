"""Which hours a customer means, read from normalised text in which the days are already masked.

An hour without a part of the day is read as a business that is open by day would: "2 e meia" is 14:30, "às 8"
may be either. A number counts as an hour only where something marks it ("às", "h", ":", "e meia", "da tarde",
a day before it); a bare number is for whoever asked the last question.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from typing import Literal

from bot.llm.rule_based.nlu.negation import MASK, is_refused

_LAST_MINUTE = time(23, 59)
Pick = Literal["", "first", "last"]
Compare = Literal["", "earlier", "later"]


@dataclass(frozen=True)
class Hours:
    """When on the day. `starts`: exact starts, the likeliest first; else any start in [earliest, latest].

    `ends_by`: the visit must be over by then. `pick`: the first or last free one is asked for. Not `sure`:
    the words may have meant something else than a time ("uma hora").
    """

    starts: tuple[time, ...] = ()
    earliest: time = time.min
    latest: time = _LAST_MINUTE
    ends_by: time | None = None
    pick: Pick = ""
    sure: bool = True

    @property
    def whole_day(self) -> bool:
        return (
            not self.starts and self.earliest == time.min and self.latest == _LAST_MINUTE and not self.ends_by
        )


@dataclass(frozen=True)
class HoursRead:
    """All that one text says of hours.

    `source` and `target` are "o das 14h" and "para as 16h", `refused` starts are out. `day` comes
    with "daqui 2 horas". `shift`:
    minutes to move by. `same`: at the same time as before. `compare`: earlier or later than what was offered.
    """

    wanted: Hours | None = None
    source: Hours | None = None
    target: Hours | None = None
    refused: tuple[time, ...] = ()
    day: date | None = None
    shift: int | None = None
    same: bool = False
    compare: Compare = ""
    rest: str = ""


PARTS: dict[str, tuple[time, time]] = {
    "bem cedo": (time.min, time(9, 59)),
    "de manhã": (time.min, time(11, 59)),
    "na hora do almoço": (time(11, 30), time(13, 29)),
    "no início da tarde": (time(13), time(14, 59)),
    "depois do almoço": (time(13), time(17, 59)),
    "à tarde": (time(12), time(17, 59)),
    "no fim da tarde": (time(16), time(17, 59)),
    "à noite": (time(18), _LAST_MINUTE),
}


def read_hours(text: str, now: datetime) -> HoursRead:
    """What normalised, day-masked `text` says of hours; `now` is local."""
    scan = _Scan(_spelled_out(text), now)
    for pattern, take in _TABLE:
        scan.each(pattern, take)
    return scan.result()


def hour_named(number: int, minute: int = 0) -> Hours | None:
    """What a bare number means where the hour was asked: None if it is no hour."""
    if number > 23 or minute > 59:
        return None
    return Hours(starts=_clock_times(number, minute, part="", written=False))


# A clock's words


def _clock_times(hour: int, minute: int, *, part: str, written: bool) -> tuple[time, ...]:
    """The starts that "8" or "8h30" may mean, likeliest first. `written`: in digits as a clock shows them."""
    morning, evening = time(hour % 24, minute), time((hour + 12) % 24, minute)
    if hour > 12 or hour == 0 or part.startswith(("manha", "madrugada")):
        return (morning,)
    if hour == 12:
        return (time(0, minute),) if part.startswith("noite") else (morning,)
    if part or hour <= 4:
        return (evening,)
    if hour <= 6:
        return (evening, morning)
    return (morning,) if written or hour > 8 else (morning, evening)


def _clock_pattern(n: str = "") -> str:
    return (
        rf"(?P<h{n}>2[0-4]|[01]?\d)(?![\d/])"
        rf"(?:\s?[:h.]\s?(?P<m{n}>[0-5]\d)(?!\d)(?:\s?min(?:utos)?\b)?|(?P<u{n}>\s?h\b|\shoras?\b))?"
        rf"(?:\se\s(?P<e{n}>meia|[0-5][05])(?:\sminutos)?(?![\w:]|\sh\b|\shoras?))?"
        rf"(?:\s(?:da|de|a|na|pela)\s(?P<p{n}>manha|tarde|noite|madrugada)\w*)?(?![\w/%]|,\d|\.\d)"
    )


_MARKER = (
    r"(?P<mark>\b(?:as|pelas?|das|umas|la pelas|tipo|por volta d(?:as|e|o)|para as|ali pelas|perto das|de as|"
    r"ate as|antes das|depois das|o das|a das)\s|§\s(?:,\s)?(?:as?\s)?)"
)
_CLOCK = rf"{_MARKER}?(?<![\d/$:.,+-])(?<!r\$ )\b{_clock_pattern()}"
_LASTING_BEFORE = re.compile(r"\b(?:demora|dura|leva|por|tenho|uns|de|cada) $")
_MAY_FOLLOW = re.compile(
    r"^(?: ?(?:$|[,?§])| (?:com|por|para|hoje|de|da|do|na|no|em|e|ou|esta|pode|tem|mesmo|seria|ok|fica|serve|"
    r"rola|nao|sim|se|ainda|so|obrigad[oa]|voces?|a|o|que|eu|queria|quero)\b)"
)


def _hours_of(match: re.Match[str], n: str = "", part: str = "") -> Hours:
    minute = match[f"m{n}"] or (match[f"e{n}"] or "0").replace("meia", "30")
    written = bool(match[f"m{n}"]) or bool(match[f"u{n}"]) or match[f"h{n}"].startswith("0")
    part = part or match[f"p{n}"] or ""
    times = _clock_times(int(match[f"h{n}"]), int(minute), part=part, written=written)
    return Hours(starts=times)


def _spelled_out(text: str) -> str:
    """Noon, midnight, "quinze para as três" and "uma e meia" as digits."""
    for pattern, replacement in _SPELLED:
        text = pattern.sub(replacement, text)
    return _QUARTER_TO.sub(_quarter_to, text)


_SPELLED = (
    (re.compile(r"\b(?:ao? )?meio dia e (?:meia|30)\b"), "12:30"),
    (re.compile(r"\b(?:ao? )?meio dia e (15|10|20|45)\b"), r"12:\1"),
    (re.compile(r"\b(?:ao? )?meio dia\b"), "12:00"),
    (re.compile(r"\bmeia noite\b"), "00:00"),
    (
        re.compile(r"\b(as|a|pela|das) uma\b(?=(?: e (?:meia|\d)| hora| da tarde| em ponto)|\s?(?:$|[,?§]))"),
        "as 1",
    ),
    (re.compile(r"\buma(?= (?:hora )?(?:e (?:meia|[1-5][05])\b|da tarde|em ponto))"), "1"),
)
_QUARTER_TO = re.compile(
    r"(?<!das )(?<!as )(?<!de )\b(5|10|15|20|25) para (?:as? |o )?(\d{1,2})(:00)?(?![\d:]|\sde)"
)


def _quarter_to(match: re.Match[str]) -> str:
    hour = int(match[2])
    return match[0] if hour > 24 else f"{(hour - 1) % 24 or 12}:{60 - int(match[1]):02}"


# The scan


class _Scan:
    """Text being read: what is understood is masked, so that nothing is read twice."""

    def __init__(self, text: str, now: datetime) -> None:
        self.text = text
        self.now = now
        self.day: date | None = None
        self.shift: int | None = None
        self.same = False
        self.compare: Compare = ""
        self.pick: Pick = ""
        self.windows: list[Hours] = []
        self.clocks: list[tuple[str, Hours]] = []

    def each(self, pattern: re.Pattern[str], take: "_Take") -> None:
        for match in list(pattern.finditer(self.text)):
            if take(self, match):
                start, end = match.span()
                self.text = self.text[:start] + MASK * (end - start) + self.text[end:]

    def result(self) -> HoursRead:
        source, target = self._starts("source"), self._starts("target")
        return HoursRead(
            wanted=target or self._starts("") or source or self._window(),
            source=source,
            target=target,
            refused=refused.starts if (refused := self._starts("refused")) else (),
            day=self.day,
            shift=self.shift,
            same=self.same,
            compare=self.compare,
            rest=self.text,
        )

    def _starts(self, role: str) -> Hours | None:
        mine = [hours for known, hours in self.clocks if known == role]
        starts = tuple(dict.fromkeys(start for hours in mine for start in hours.starts))
        window = self._window()
        fitting = tuple(s for s in starts if window and window.earliest <= s <= window.latest)
        return Hours(starts=fitting or starts, sure=all(hours.sure for hours in mine)) if starts else None

    def _window(self) -> Hours | None:
        if not self.windows and not self.pick:
            return None
        earliest = max((window.earliest for window in self.windows), default=time.min)
        latest = min((window.latest for window in self.windows), default=_LAST_MINUTE)
        if earliest > latest:  # "de manhã ou à tarde"
            earliest = min(window.earliest for window in self.windows)
            latest = max(window.latest for window in self.windows)
        ends_by = min((window.ends_by for window in self.windows if window.ends_by), default=None)
        return Hours(earliest=earliest, latest=latest, ends_by=ends_by, pick=self.pick)


_Take = Callable[[_Scan, re.Match[str]], bool]


def _clock(scan: _Scan, match: re.Match[str]) -> bool:
    before, after = scan.text[: match.start()], scan.text[match.end() :]
    in_words = bool(match["u"]) and match["u"].strip().startswith("hora")
    lasting = in_words and not match["mark"] and _LASTING_BEFORE.search(before)
    strong = bool(match["m"] or match["e"] or match["p"] or (match["u"] and not lasting))
    if not strong and not (match["mark"] and _MAY_FOLLOW.search(after)):
        return False
    role = "refused" if is_refused(before, after) else _clock_role(before, match["mark"] or "")
    scan.clocks.append((role, _hours_of(match)))
    return True


def _clock_role(before: str, mark: str) -> str:
    if mark.startswith("para") or re.search(r"\bpara (?:o )?$", before):
        return "target"
    named = re.search(r"(?:^|\b(?:horario|hora|meu|minha|o|a)|§) ?$", before)
    return "source" if mark.startswith(("o das", "a das")) or (mark.startswith("das") and named) else ""


def _new_hour(scan: _Scan, match: re.Match[str]) -> bool:
    """ "Muda para 11": whoever means the day says so."""
    scan.clocks.append(("target", _hours_of(match)))
    return True


def _one_o_clock(scan: _Scan, _match: re.Match[str]) -> bool:
    scan.clocks.append(("", Hours(starts=(time(13),), sure=False)))
    return True


def _window_from(build: Callable[[re.Match[str]], Hours]) -> _Take:
    def take(scan: _Scan, match: re.Match[str]) -> bool:
        scan.windows.append(build(match))
        return True

    return take


def _part(earliest: time, latest: time = _LAST_MINUTE) -> _Take:
    return _window_from(lambda _: Hours(earliest=earliest, latest=latest))


def _between(match: re.Match[str]) -> Hours:
    part = match["p2"] or ""
    first = _hours_of(match, "1", part=match["p1"] or part).starts[0]
    last = _hours_of(match, "2", part=part).starts[0]
    if last < first and last.hour < 12:
        last = last.replace(hour=last.hour + 12)
    return Hours(earliest=min(first, last), latest=max(first, last))


def _before(match: re.Match[str]) -> Hours:
    start = _hours_of(match).starts[0]
    minutes = max(start.hour * 60 + start.minute - 1, 0)
    return Hours(latest=time(*divmod(minutes, 60)))


def _soon(scan: _Scan, match: re.Match[str]) -> bool:
    then = scan.now + timedelta(minutes=_minutes(match))
    scan.day, scan.pick = then.date(), "first"
    scan.windows.append(Hours(earliest=then.time().replace(second=0, microsecond=0)))
    return True


def _minutes(match: re.Match[str]) -> int:
    number = {"uma": 1.0, "meia": 0.5}.get(match["n"]) or float(match["n"])
    number += 0.5 if match["half"] else 0
    return round(number * (1 if match["unit"].startswith("m") else 60))


def _shift(sign: int) -> _Take:
    def take(scan: _Scan, match: re.Match[str]) -> bool:
        scan.shift = sign * _minutes(match)
        return True

    return take


def _same(scan: _Scan, _match: re.Match[str]) -> bool:
    scan.same = True
    return True


def _compared(compare: Compare) -> _Take:
    def take(scan: _Scan, _match: re.Match[str]) -> bool:
        scan.compare = compare
        return True

    return take


def _picked(pick: Pick) -> _Take:
    def take(scan: _Scan, _match: re.Match[str]) -> bool:
        scan.pick = pick
        return True

    return take


# The table of patterns, the more telling first

_AMOUNT = r"(?P<n>\d{1,3}|uma|meia) ?(?P<unit>horas?|h|minutos?)\b(?P<half> e meia)?"
_FIRST = (
    r"\b(?:quanto antes|mais (?:cedo|rapido) possivel|assim que (?:possivel|der|tiver)|urgente|com urgencia|"
    r"primeir[oa] (?:horario|hora|vaga|que (?:tiver|der|aparecer))|"
    r"[oa] mais (?:cedo|proxim[oa])(?! que| a)|proxim[oa] (?:horario|vaga)(?: livre)?)\b"
)
_HOUR, _ONE, _TWO = _clock_pattern(), _clock_pattern("1"), _clock_pattern("2")


def _from(match: re.Match[str]) -> Hours:
    return Hours(earliest=_hours_of(match).starts[0])


def _until(match: re.Match[str]) -> Hours:
    return Hours(ends_by=_hours_of(match).starts[0])


_IN = r"\b(?:(?:de|pela|na|da|a) )?"
_ROWS: tuple[tuple[str, _Take], ...] = (
    (_FIRST, _picked("first")),
    (r"\b(?:ultim[oa] (?:horario|hora|vaga)|mais tarde possivel)\b", _picked("last")),
    (rf"\b(?:adiant\w+|antecip\w+|puxar)(?: \w+){{0,3}}? {_AMOUNT}", _shift(-1)),
    (rf"\b{_AMOUNT} (?:mais cedo|antes)\b", _shift(-1)),
    (rf"\b(?:adiar|atras\w+|empurrar)(?: \w+){{0,3}}? {_AMOUNT}", _shift(1)),
    (rf"\b{_AMOUNT} (?:mais tarde|depois)\b", _shift(1)),
    (rf"\b(?:daqui(?: a)?|dentro de|em) (?:umas? )?{_AMOUNT}", _soon),
    (r"\bmesm[oa] (?:horario|hora)\b", _same),
    (r"\bmais cedo\b", _compared("earlier")),
    (r"\bmais tarde\b", _compared("later")),
    (r"(?:^|(?<=§ )|(?<=pode ser ))uma hora(?= ?(?:$|[?,§]))", _one_o_clock),
    (rf"\bentre (?:as )?{_ONE} (?:e|ate) (?:as )?{_TWO}", _window_from(_between)),
    (rf"\bdas {_ONE} (?:as?|ate)(?: as)? {_TWO}", _window_from(_between)),
    (rf"\b(?:das|entre|de) {_ONE} ?- ?{_TWO}", _window_from(_between)),
    (rf"\bde (?=[\w: ]+\dh?:?\d*h){_ONE} (?:as?|ate)(?: as)? {_TWO}", _window_from(_between)),
    (rf"\b(?:depois|a partir|passando) d(?:as|a|o|e) {_HOUR}", _window_from(_from)),
    (rf"\bapos(?: as?)? {_HOUR}", _window_from(_from)),
    (rf"\bantes d(?:as|a|o|e) {_HOUR}", _window_from(_before)),
    (rf"\b(?:ate|no maximo)(?: as?| o)? {_HOUR}", _window_from(_until)),
    (_CLOCK, _clock),
    (
        rf"\b(?:mud|pass|troc|remarc|adi|antecip)\w+(?: (?!dia)\w+){{0,3}}? para {_HOUR}(?= ?(?:$|[,?]))",
        _new_hour,
    ),
    (r"\b(?:qualquer|tanto faz [oa]) (?:horario|hora)\b", _part(time.min)),
    (r"\b[oa] (?:horario|hora) que (?:tiver|der|sobrar)\b", _part(time.min)),
    (r"\b(?:logo depois do almoco|(?:inicio|comeco|comecinho) da tarde)\b", _part(time(13), time(14, 59))),
    (r"\b(?:depois do|apos o) almoco\b", _part(time(13), time(17, 59))),
    (r"\b(?:hora|horario) d[eo] almoco\b|\bno almoco\b", _part(time(11, 30), time(13, 29))),
    (r"\b(?:fim|final|finalzinho|fimzinho) da tarde\b|\btardezinha\b", _part(time(16), time(17, 59))),
    (r"\b(?:fim|final) do dia\b|\bdepois do (?:trabalho|expediente|servico|trampo)\b", _part(time(17))),
    (r"\b(?:bem )?(?:cedo|cedinho)\b", _part(time.min, time(9, 59))),
    (rf"{_IN}(?:manha|manhazinha)\b", _part(time.min, time(11, 59))),
    (rf"{_IN}tarde\b(?! demais)", _part(time(12), time(17, 59))),
    (rf"{_IN}(?:noite|noitinha)\b", _part(time(18))),
)
_TABLE = tuple((re.compile(pattern), take) for pattern, take in _ROWS)
