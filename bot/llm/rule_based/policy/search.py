"""Looking for free times, and saying what was found as the next question."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date, time

from bot.llm.rule_based import nlg
from bot.llm.rule_based.nlu.dates import Days
from bot.llm.rule_based.nlu.times import Hours
from bot.llm.rule_based.policy.steps import Call, Talk, Value
from bot.llm.rule_based.state.tracker import (
    Asked,
    Full,
    afterwards,
    booking_proposal,
    can_wait,
    move_proposal,
    numbered,
    question,
)
from bot.llm.rule_based.state.wish import Wish, day_told, joined
from bot.llm.rule_based.tool_results import Catalogue, Found, Gaps, Result, Service, Slot, found_in, reason_in

MOST_CALLS = 6  # of one answer: no more days are shown at once
_MOST_TIMES = 8
_MOST_PEOPLE = 5
_NEAR = 3
_MORE = " e outros"
_PART_OF_DAY = "Se preferir, me diga: de manhã, à tarde ou à noite?"
_ASK_FOR_IT = "Tenho mais horários do que cabe mostrar. Se quiser uma hora exata, é só dizer."
_PERIODS = (
    ("manha", time.min, time(11, 59)),
    ("tarde", time(12), time(17, 59)),
    ("noite", time(18), time(23, 59)),
)
PERIOD_WORDS = {"manha": "de manhã", "tarde": "à tarde", "noite": "à noite"}
WEEKDAY_NAMES = ("segunda", "terca", "quarta", "quinta", "sexta", "sabado", "domingo")


@dataclass(frozen=True)
class _Free:
    """All that the calls of one search found."""

    slots: tuple[Slot, ...]
    gaps: tuple[Gaps, ...]
    reason: str
    nearest: tuple[Slot, ...]


def search(wish: Wish) -> Talk:
    """Look up the days of the wish and answer with a proposal, a choice of times, or what is nearest."""
    calls = _calls(wish)
    results = yield calls
    free = _merged(calls, results)
    hours = wish.hours or Hours()
    fitting = _fitting(free.slots, hours, wish)
    if not free.slots:
        return _none_free(wish, free)
    if hours.starts:
        slot = next(iter(fitting), None) or _left_out(hours, free)
        return propose(wish, slot) if slot else _other_times(wish, hours, free)
    if hours.pick and fitting:
        return propose(wish, fitting[0] if hours.pick == "first" else fitting[-1])
    if not fitting:
        return _outside(wish, free)
    if len(fitting) == 1 and not free.gaps:
        return _only_one(wish, fitting[0])
    return _choice(wish, fitting, bool(free.gaps))


def closed_on(day: date, catalogue: Catalogue) -> Talk:
    """Whether the business is closed on a day, told from a search for any service; "" where it is open."""
    (result,) = yield (search_call(Wish(services=catalogue.services[:1]), day),)
    return closed_line(day, found_in(result.text, day).reason)


def closed_line(day: date, reason: str) -> str:
    closed = CLOSED.search(reason)
    return f"{day_told(day).capitalize()}: {closed[1]}." if closed else ""


CLOSED = re.compile(r": ((?:[^:]* não abre nesse dia|é feriado|o estabelecimento estará fechado).*?)\.?$")

# --- calls -------------------------------------------------------------------------------------------------


def _calls(wish: Wish) -> tuple[Call, ...]:
    days = wish.days.dates if wish.days else ()
    periods = _periods(wish.hours) or ("",)
    calls = [search_call(wish, day, period) for day in days for period in periods]
    return tuple(calls[:MOST_CALLS])


def search_call(wish: Wish, day: date, period: str = "") -> Call:
    person = wish.person or (wish.moving.person if wish.moving and not wish.anyone else None)
    arguments: list[tuple[str, Value]] = [
        ("data", day.isoformat()),
        ("dia_semana", WEEKDAY_NAMES[day.weekday()]),
    ]
    if person:
        arguments.append(("profissional_id", person.id))
    if wish.services:
        arguments.append(visit_argument(wish.services))
    if period:
        arguments.append(("periodo", period))
    return Call("buscar_horarios", tuple(arguments))


def visit_argument(services: Sequence[Service]) -> tuple[str, Value]:
    """What is done in one visit, as the tools want it: a time must have room for all of it."""
    ids = tuple(service.id for service in services)
    return ("servico_id", ids[0]) if len(ids) == 1 else ("servico_ids", ids)


def _periods(hours: Hours | None) -> tuple[str, ...]:
    """The parts of the day that the wish touches; none if it touches all: long lists come shortened.

    The first one from some hour on may be what was left out.
    """
    if hours is None or hours.whole_day:
        return ()
    ends = hours.ends_by or time(23, 59)
    touched = tuple(
        name
        for name, first, last in _PERIODS
        if any(first <= start <= last for start in hours.starts)
        or (not hours.starts and hours.earliest <= last and hours.latest >= first and first < ends)
    )
    return touched if len(touched) < len(_PERIODS) or hours.pick else ()


def _merged(calls: Iterable[Call], results: Iterable[Result]) -> _Free:
    found: list[Found] = []
    for call, result in zip(calls, results, strict=True):
        day = date.fromisoformat(str(call.input["data"]))
        found.append(
            found_in(result.text, day) if result.kind == "ok" else Found(reason=reason_in(result.text))
        )
    slots = sorted(dict.fromkeys(slot for one in found for slot in one.slots), key=_when)
    nearest = dict.fromkeys(slot for one in found for slot in one.nearest)
    return _Free(
        tuple(slots),
        tuple(gaps for one in found for gaps in one.gaps),
        next((one.reason for one in found if one.reason and not one.slots), ""),
        tuple(sorted(nearest, key=_when)),
    )


def _when(slot: Slot) -> tuple[date, time]:
    """For sorting that leaves people in the order of the business."""
    return slot.day, slot.time


def _fitting(slots: tuple[Slot, ...], hours: Hours, wish: Wish) -> list[Slot]:
    """The slots that fit, in order of liking: by preferred start, else by time."""
    if hours.starts:
        return [slot for start in hours.starts for slot in slots if slot.time == start]
    minutes = sum(service.minutes for service in wish.services)
    return [
        slot
        for slot in slots
        if hours.earliest <= slot.time <= hours.latest
        and (not hours.ends_by or _ends(slot, minutes) <= hours.ends_by)
    ]


def _left_out(hours: Hours, free: _Free) -> Slot | None:
    """A wanted start that a shortened line may hold: it is not called taken; the booking itself will tell."""
    return next(
        (
            replace(gaps.first, time=start)
            for start in hours.starts
            for gaps in free.gaps
            if gaps.may_hold(start, start)
        ),
        None,
    )


def _ends(slot: Slot, minutes: int) -> time:
    end = slot.time.hour * 60 + slot.time.minute + minutes
    return time(*divmod(min(end, 24 * 60 - 1), 60))


# --- words -------------------------------------------------------------------------------------------------


def propose(wish: Wish, slot: Slot, lead: str = "") -> str:
    """The proposal of exactly one start, to be answered with a yes."""
    if wish.moving:
        asked = move_proposal(wish.moving, slot.day, slot.time, slot.person)
    else:
        chosen = replace(wish, person=slot.person, anyone=False)
        proposal = f"{booking_proposal(chosen, slot.day, slot.time)} {nlg.about_visit(wish.services)}"
        asked = "\n".join(filter(None, (proposal, afterwards(joined(wish.later)))))
    return "\n\n".join(filter(None, (lead, asked)))


def _only_one(wish: Wish, slot: Slot) -> str:
    return propose(wish, slot, f"Só encontrei um horário livre: {day_told(slot.day)}, às {slot.time:%H:%M}.")


def _choice(wish: Wish, slots: list[Slot], cut: bool) -> str:
    """Of several days the lines themselves say which; the settled part would only repeat them."""
    several = len({slot.day for slot in slots}) > 1
    shown = replace(wish, days=None) if several else replace(wish, days=Days((slots[0].day,)))
    lines = _times(shown, slots, cut)
    return question(shown, Asked.TIME, *lines, _hint(wish) if _MORE in "".join(lines) else "")


def _hint(wish: Wish) -> str:
    """What helps where there is more than is shown; the part of the day only where none was asked for."""
    narrowed = wish.hours is not None and not wish.hours.whole_day
    return "Se pensou em outra hora, é só dizer." if narrowed else _PART_OF_DAY


def _times(wish: Wish, slots: list[Slot], cut: bool) -> list[str]:
    """Lines with the times: of one day by professional, of several days by day."""
    days = list(dict.fromkeys(slot.day for slot in slots))
    if len(days) > 1:
        return [
            f"- {day_told(day)}: {_clocks([slot for slot in slots if slot.day == day], 4, cut)}"
            for day in days
        ]
    people = list(dict.fromkeys(slot.person for slot in slots))
    if len(people) == 1:
        who = "" if wish.person or wish.moving else f" com {people[0].name}"
        return [f"Tenho livre{who}: {_clocks(slots, _MOST_TIMES, cut)}."]
    lines = [
        f"- {one.name}: {_clocks([slot for slot in slots if slot.person == one], _MOST_TIMES, cut)}"
        for one in people
    ]
    more = len(lines) - _MOST_PEOPLE
    return lines[:_MOST_PEOPLE] + ([f"e mais {more} profissionais"] if more > 0 else [])


def _clocks(slots: list[Slot], most: int, cut: bool) -> str:
    times = list(dict.fromkeys(f"{slot.time:%H:%M}" for slot in slots))
    shown = (
        times
        if len(times) <= most
        else [times[round(n * (len(times) - 1) / (most - 1))] for n in range(most)]
    )
    return ", ".join(shown) + (_MORE if cut or len(times) > most else "")


def _other_times(wish: Wish, hours: Hours, free: _Free) -> str:
    """The wanted start is taken: what is nearest to it among the free ones."""
    wanted = hours.starts[0]
    near = sorted(free.slots, key=lambda slot: (slot.day, _distance(slot.time, wanted)))[:_NEAR]
    lead = (
        f"Às {wanted:%H:%M} não tenho livre nesse dia."
        if len(hours.starts) == 1
        else "Nesse horário não tenho livre."
    )
    shown = sorted(near, key=_when)
    return f"{lead}\n\n{_slots_question(replace(wish, hours=None), shown)}"


def _distance(one: time, other: time) -> int:
    return abs((one.hour - other.hour) * 60 + one.minute - other.minute)


def _outside(wish: Wish, free: _Free) -> str:
    """Nothing in the wanted part of the day, but something beside it; in a shortened line it may yet hide."""
    hours = wish.hours or Hours()
    latest = min(hours.latest, hours.ends_by or hours.latest)
    hides = any(gaps.may_hold(hours.earliest, latest) for gaps in free.gaps)
    lead = _ASK_FOR_IT if hides else "Nessa parte do dia não tenho horário livre."
    return f"{lead}\n\n{_choice(replace(wish, hours=None), list(free.slots), bool(free.gaps))}"


def _none_free(wish: Wish, free: _Free) -> str:
    if wish.hours and wish.hours.pick == "first" and free.nearest:
        return propose(wish, free.nearest[0])
    hours = None if wish.hours and wish.hours.starts else wish.hours
    days = wish.days if _periods(wish.hours) and _NOT_ALL_DAY.search(free.reason) else None
    reason = free.reason or "Não encontrei horário livre."
    return none_with(replace(wish, days=days, hours=hours), reason, free.nearest, _full(wish, free))


# Reasons that leave other times of the same day.
_NOT_ALL_DAY = re.compile(r"ocupad|chei|não cabe no expediente|intervalo|antecedência")


def _full(wish: Wish, free: _Free) -> Full | None:
    """The one day or part of it that one may wait for."""
    periods = _periods(wish.hours)
    alone = len(wish.services) == 1 and wish.days and len(wish.days.dates) == 1 and len(periods) < 2
    if not (alone and wish.days and wish.may_wait and re.search(r"ocupad|chei", free.reason)):
        return None
    return Full(wish.days.dates[0], PERIOD_WORDS[periods[0]] if periods else "")


def none_with(wish: Wish, reason: str, nearest: tuple[Slot, ...], full: Full | None = None) -> str:
    """Why not, and what is possible instead: near times to choose from, else another day; to wait."""
    waiting = (can_wait(full),) if full else ()
    if nearest:
        return f"{reason}\n\n{_slots_question(wish, list(nearest), *waiting)}"
    if _WHATEVER_THE_DAY.search(reason):
        return nlg.or_staff(reason)
    return f"{reason}\n\n{question(replace(wish, days=None), Asked.DAY, *waiting)}"


# No other day would do either: it is for people to make an exception.
_WHATEVER_THE_DAY = re.compile(r"mudanças e cancelamentos só|máximo de agendamentos|já começou ou já passou")


def _slots_question(wish: Wish, slots: list[Slot], *more: str) -> str:
    lines = numbered(
        [f"{day_told(slot.day)}, às {slot.time:%H:%M}, com {slot.person.name}" for slot in slots]
    )
    heading = "O mais próximo que tenho:"
    return question(wish, Asked.SLOT, heading, lines, *more)
