"""Fields of the settings: what stands in them, and how it is read by the rules of the business file.

What is wrong is said in Portuguese beside the field. A field may have several inputs; all of their names
begin with the field's own.
"""

import datetime as dt
import itertools
import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bot.core import sanitise
from bot.web.shared import labels
from models.availability import MINUTES_OF_DAY
from models.business_file import values
from models.business_file.reader import LIMITS, whole_of
from models.business_file.shape import Away, Closed, Hours, Window
from models.business_file.values import Scalar, clock_text

Typed = Mapping[str, str]
WINDOWS = 4  # of one day; two are shown until more are in use
MOST_ROWS = 60


class Wrong(ValueError):
    """What was typed cannot be used; the text says why, in Portuguese."""


@dataclass(frozen=True)
class Field:
    """`kind` is the macro that draws it, `show` gives what its inputs hold, `read` what they mean."""

    name: str
    label: str
    kind: str
    read: Callable[[Typed], Any]
    show: Callable[[Any], dict[str, str]]
    hint: str = ""
    options: Sequence[tuple[str, str]] = ()
    limit: int = 0
    unit: str = ""


def _given(name: str, typed: Typed) -> str:
    """What was typed, without what nobody can see (pasted texts hold it, and the file refuses it)."""
    text = sanitise.text(typed.get(name, ""), 20_000)
    return "".join(c for c in text if c in "\n\t\u200d" or unicodedata.category(c)[0] != "C").strip()


def _plain(
    name: str, label: str, kind: str, read: Callable[[Scalar], Any], problem: str, **more: Any
) -> Field:
    """A field of one input; `optional` gives what an empty one means."""
    is_optional, empty = "optional" in more, more.pop("optional", None)

    def reader(typed: Typed) -> Any:
        text = _given(name, typed)
        if not text and is_optional:
            return empty
        try:
            return read(Scalar(text, "int" if text.isascii() and text.isdigit() else "str"))
        except values.Wrong:
            raise Wrong(problem) from None

    return Field(name, label, kind, reader, lambda value: {name: "" if value is None else f"{value}"}, **more)


def line(name: str, label: str, limit: int, **more: Any) -> Field:
    problem = f"Escreva em uma linha, até {limit} caracteres."
    return _plain(name, label, "line", values.line(limit), problem, limit=limit, **more)


def prose(name: str, label: str, limit: int, **more: Any) -> Field:
    problem = f"Escreva até {limit} caracteres."
    return _plain(name, label, "prose", values.prose(limit), problem, limit=limit, **more)


def number(name: str, label: str, **more: Any) -> Field:
    least, most = LIMITS[name]
    problem = f"Escreva um número inteiro, de {labels.number(least)} a {labels.number(most)}."
    return _plain(name, label, "number", whole_of(name), problem, **more)


def choice(name: str, label: str, options: Sequence[tuple[str, str]], **more: Any) -> Field:
    known = {value for value, _ in options}

    def read(scalar: Scalar) -> str:
        if scalar.text not in known:
            raise values.Wrong
        return scalar.text

    return _plain(name, label, "select", read, "Escolha uma das opções.", options=options, **more)


def phone(name: str, label: str, **more: Any) -> Field:
    problem = "Escreva o número com o código do país, como +55 11 3000-1000."
    return _plain(name, label, "line", values.phone, problem, limit=30, **more)


def content_sid(name: str, label: str) -> Field:
    problem = "O código começa com HX e tem 34 caracteres."
    return _plain(name, label, "line", values.content_sid, problem, optional=None, limit=34)


def check(name: str, label: str, hint: str = "") -> Field:
    return Field(
        name, label, "check", lambda typed: name in typed, lambda value: {name: "on"} if value else {}, hint
    )


def price(name: str, label: str, hint: str) -> Field:
    def read(typed: Typed) -> int | None:
        text = _given(name, typed).removeprefix("R$").strip()
        if not text:
            return None
        found = re.fullmatch(r"([0-9]{1,3}(?:\.[0-9]{3})+|[0-9]{1,7})(?:,([0-9]{1,2}))?", text)
        whole = found and found[1].replace(".", "").lstrip("0")
        try:
            if not found:
                raise values.Wrong
            return values.price(Scalar(f"{whole or '0'}.{(found[2] or '').ljust(2, '0')}", "str"))
        except values.Wrong:
            raise Wrong("Escreva o preço em reais, como 120 ou 120,50.") from None

    def show(cents: int | None) -> dict[str, str]:
        return {name: "" if cents is None else f"{cents // 100},{cents % 100:02}"}

    return Field(name, label, "line", read, show, hint, limit=14)


def lines(name: str, label: str, limit: int, most: int, hint: str) -> Field:
    """One entry a line."""

    def read(typed: Typed) -> list[str]:
        found = [each for each in map(str.strip, _given(name, typed).split("\n")) if each]
        if len(found) > most or any(len(each) > limit for each in found):
            raise Wrong(f"Até {most} linhas de {limit} caracteres.")
        return [values.line(limit)(Scalar(each, "str")) for each in found]

    return Field(name, label, "prose", read, lambda value: {name: "\n".join(value)}, hint, limit=limit * most)


def reminders(name: str, label: str, hint: str) -> Field:
    def read(typed: Typed) -> list[int]:
        parts = [part.strip() for part in re.split("[,;]", _given(name, typed)) if part.strip()]
        try:
            hours = sorted((whole_of(name)(Scalar(part, "int")) for part in parts), reverse=True)
        except values.Wrong:
            raise Wrong("Escreva horas inteiras separadas por vírgula, como 24, 2.") from None
        if len(set(hours)) < len(hours):
            raise Wrong("A mesma hora está duas vezes.")
        return hours

    def show(value: list[int]) -> dict[str, str]:
        return {name: ", ".join(map(str, value))}

    return Field(name, label, "line", read, show, hint, limit=80)


def several(name: str, label: str, options: Sequence[tuple[str, str]], hint: str = "") -> Field:
    """Some of the options, each a box to tick; what it holds is in the order of the options."""

    def read(typed: Typed) -> tuple[str, ...]:
        return tuple(value for place, (value, _) in enumerate(options) if f"{name}-{place}" in typed)

    def show(value: Sequence[str]) -> dict[str, str]:
        return {f"{name}-{place}": "on" for place, (each, _) in enumerate(options) if each in value}

    return Field(name, label, "several", read, show, hint, options)


# Times


_CLOCK = re.compile(r"([01]?[0-9]|2[0-4])[:h.]?([0-5][0-9])?h?")


def _minute(text: str, *, ends: bool = False) -> int | None:
    """Minutes since midnight, of "09:00", "9h" or "0930"; an end at 0 is the day's. None for no time."""
    found = _CLOCK.fullmatch(text.replace(" ", "").lower())
    minute = int(found[1]) * 60 + int(found[2] or 0) if found else MINUTES_OF_DAY + 1
    if ends and minute == 0:
        return MINUTES_OF_DAY
    return minute if minute < MINUTES_OF_DAY or (ends and minute == MINUTES_OF_DAY) else None


def _span(typed: Typed, name: str, about: str) -> tuple[int, int] | None:
    """(start, end) of two inputs; None where both are empty."""
    texts = _given(f"{name}-de", typed), _given(f"{name}-ate", typed)
    if texts == ("", ""):
        return None
    start, end = _minute(texts[0]), _minute(texts[1], ends=True)
    if start is None or end is None:
        raise Wrong(f"{about}: complete as duas horas.")
    if end <= start:
        raise Wrong(f"{about}: o fim precisa vir depois do início.")
    return start, end


def hours(name: str, label: str, hint: str = "") -> Field:
    """Opening hours of a week. The value is sorted windows."""

    def day(typed: Typed, weekday: int) -> list[Window]:
        about = labels.WEEKDAYS[weekday].capitalize()
        spans = [_span(typed, f"{name}-{weekday}-{place}", about) for place in range(WINDOWS)]
        found = sorted(span for span in spans if span is not None)
        if any(first[1] > second[0] for first, second in itertools.pairwise(found)):
            raise Wrong(f"{about}: um horário passa por cima do outro.")
        return [Window(weekday, *span) for span in found]

    def read(typed: Typed) -> Hours:
        week = [day(typed, weekday) for weekday in range(7)]
        if f"{name}-iguais" in typed:
            week[1:5] = [[w._replace(weekday=weekday) for w in week[0]] for weekday in range(1, 5)]
        return tuple(window for each in week for window in each)

    def show(value: Hours) -> dict[str, str]:
        places = [(w, sum(other.weekday == w.weekday and other < w for other in value)) for w in value]
        return {
            f"{name}-{window.weekday}-{place}-{edge}": clock_text(minute)
            for window, place in places
            for edge, minute in (("de", window.start), ("ate", window.end))
        }

    return Field(name, label, "hours", read, show, hint)


def _date(text: str, about: str) -> dt.date:
    try:
        return values.day(Scalar(text, "str"))
    except values.Wrong:
        raise Wrong(f"{about}: confira a data.") from None


def _reason(typed: Typed, key: str) -> str:
    return sanitise.line(_given(f"{key}-motivo", typed), 200)


def _part_of_day(typed: Typed, key: str, about: str) -> tuple[int, int]:
    return _span(typed, f"{key}-hora", about) or (0, MINUTES_OF_DAY)


def _times(key: str, start: int, end: int) -> dict[str, str]:
    whole = (start, end) == (0, MINUTES_OF_DAY)
    return {} if whole else {f"{key}-hora-de": clock_text(start), f"{key}-hora-ate": clock_text(end)}


def _rows(typed: Typed, name: str) -> list[str]:
    """The rows of which the first date is filled in; one that is emptied is gone."""
    keys = (f"{name}-{place}" for place in range(MOST_ROWS))
    return [key for key in keys if _given(f"{key}-dia", typed)]


def time_off(name: str, label: str, hint: str) -> Field:
    def row(typed: Typed, key: str) -> Away:
        about = _given(f"{key}-dia", typed)
        first = _date(about, "Folga")
        last = _date(_given(f"{key}-fim", typed) or about, "Folga")
        if last < first:
            raise Wrong("Folga: o último dia vem antes do primeiro.")
        return Away(first, last, *_part_of_day(typed, key, "Folga"), _reason(typed, key))

    def show(value: tuple[Away, ...]) -> dict[str, str]:
        shown: dict[str, str] = {}
        for place, each in enumerate(value):
            key = f"{name}-{place}"
            shown |= {
                f"{key}-dia": f"{each.first}",
                f"{key}-fim": f"{each.last}",
                f"{key}-motivo": each.reason,
            }
            shown |= _times(key, each.start, each.end)
        return shown

    def read(typed: Typed) -> tuple[Away, ...]:
        return _distinct([row(typed, key) for key in _rows(typed, name)])

    return Field(name, label, "time_off", read, show, hint)


def closures(name: str, label: str, hint: str) -> Field:
    def row(typed: Typed, key: str) -> Closed:
        date = _date(_given(f"{key}-dia", typed), "Fechamento")
        return Closed(date, *_part_of_day(typed, key, "Fechamento"), _reason(typed, key))

    def show(value: tuple[Closed, ...]) -> dict[str, str]:
        shown: dict[str, str] = {}
        for place, each in enumerate(value):
            key = f"{name}-{place}"
            shown |= {f"{key}-dia": f"{each.date}", f"{key}-motivo": each.reason}
            shown |= _times(key, each.start, each.end)
        return shown

    def read(typed: Typed) -> tuple[Closed, ...]:
        return _distinct([row(typed, key) for key in _rows(typed, name)])

    return Field(name, label, "closures", read, show, hint)


def _distinct(found: list[Any]) -> tuple[Any, ...]:
    if len(set(found)) < len(found):
        raise Wrong("A mesma data e hora está duas vezes.")
    return tuple(sorted(found))


# A form of several


def filled(fields: Sequence[Field], of: Callable[[str], Any]) -> dict[str, str]:
    """What all inputs hold for values that `of` gives by a field's name."""
    return {key: text for field in fields for key, text in field.show(of(field.name)).items()}


def read(fields: Sequence[Field], typed: Typed) -> tuple[dict[str, Any], dict[str, str]]:
    """(values by name, what is wrong by name)."""
    found: dict[str, Any] = {}
    wrong: dict[str, str] = {}
    for field in fields:
        try:
            found[field.name] = field.read(typed)
        except Wrong as problem:
            wrong[field.name] = str(problem)
    return found, wrong
