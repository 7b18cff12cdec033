"""Looking for free times, and saying what was found as the next question."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, time, timedelta

from bot.intents.choices import Choice
from bot.llm.rule_based import nlg
from bot.llm.rule_based.nlu.about import hours_told
from bot.llm.rule_based.nlu.times import Hours
from bot.llm.rule_based.policy.ask import ask, confirm, or_staff
from bot.llm.rule_based.policy.fill import team_of
from bot.llm.rule_based.policy.steps import Call, Reply, Result, Talk, Value
from bot.llm.rule_based.policy.turn import Turn, local, one_of
from bot.llm.rule_based.state.slots import Act, Asked, Form, Full, periods_of, slot
from models.availability import Code
from tools import portuguese
from tools.facts import FreeOf, FreeStarts, Named, NoneFree, Refused, Start

MOST_CALLS = 6  # of one answer: no more days are shown at once
MOST_TIMES = 7  # so that a number never is an hour as well where people work
_NEAR = 3
WEEKDAYS = ("segunda", "terca", "quarta", "quinta", "sexta", "sabado", "domingo")
_SHORT = ("seg", "ter", "qua", "qui", "sex", "sáb", "dom")
# Reasons that leave other times of the same day, and those for which no other day would do either.
_PART_OF_THE_DAY = (
    Code.OCUPADO,
    Code.INTERVALO,
    Code.ANTECEDENCIA,
    Code.FORA_DA_GRADE,
    Code.HORA_INEXISTENTE,
)
_WHATEVER_THE_DAY = (Code.LIMITE_CLIENTE, Code.PRAZO_DE_MUDANCA, Code.JA_COMECOU)
_CLOSED = (Code.FERIADO, Code.FECHADO, Code.FORA_DO_EXPEDIENTE)
_DAWN, _LATE = time(6), time(23)


@dataclass(frozen=True)
class Slot:
    """One possible start, local to the business."""

    start: datetime
    person: Named


@dataclass(frozen=True)
class Free:
    """All that the calls of one search found. `gaps`: between the first and the last of each there is more
    than is shown.
    """

    slots: tuple[Slot, ...]
    gaps: tuple[tuple[Slot, datetime], ...]
    none: NoneFree | Refused | None
    nearest: tuple[Slot, ...]

    def may_hold(self, earliest: time, latest: time) -> Slot | None:
        """A line in which a start of this time may be among what is not shown."""
        return next((a for a, z in self.gaps if a.start.time() < latest and earliest < z.time()), None)


def search(turn: Turn, form: Form, later: tuple[Form, ...]) -> Talk:
    """Look up the days of the wish and answer with a proposal, a choice of times, or what is nearest."""
    calls = _calls(turn, form)
    results = yield calls
    free = _merged(results, form)
    if form.pair and free.slots:
        form, later, free, lead = _paired(form, later, free)
        return _found(turn, form, later, free).after(lead)
    return _found(turn, form, later, free)


def _found(turn: Turn, form: Form, later: tuple[Form, ...], free: Free) -> Reply:
    hours = form.hours or Hours()
    if not free.slots:
        return _none_free(turn, form, later, free)
    fitting = _fitting(turn, form, hours, free.slots)
    if hours.starts:
        found = next(iter(fitting), None) or _left_out(hours, free)
        if found is None or found.start < turn.now:
            return _other_times(turn, form, later, hours, free)
        return propose(turn, form, later, found)
    if hours.pick and fitting:
        return propose(turn, form, later, fitting[0] if hours.pick == "first" else fitting[-1])
    if not fitting:
        hides = free.may_hold(hours.earliest, min(hours.latest, hours.ends_by or hours.latest))
        lead = nlg.ASK_EXACT if hides else "Nessa parte do dia não tenho horário livre."
        return choose_time(turn, replace(form, hours=None), later, free.slots, more=True).after(lead)
    if len(fitting) == 1 and not free.gaps:
        lead = f"Só encontrei um horário livre: {nlg.moment(fitting[0].start)}."
        return propose(turn, form, later, fitting[0]).after(lead)
    return choose_time(turn, form, later, fitting, more=bool(free.gaps))


def propose(turn: Turn, form: Form, later: tuple[Form, ...], found: Slot) -> Reply:
    """The proposal of exactly one start, to be answered with a yes."""
    return confirm(turn, form.at(found.person.id, found.start), later)


# Calls


def _calls(turn: Turn, form: Form) -> tuple[Call, ...]:
    periods = periods_of(form.hours) or (None,)
    return tuple(search_call(turn, form, day, period) for day in form.days for period in periods)[:MOST_CALLS]


def search_call(turn: Turn, form: Form, day: date, period: str | None = None) -> Call:
    visit = one_of(turn.visits, form.visit)
    stays = visit.professional.id if visit and not form.anyone else None
    person = form.person or stays
    arguments: list[tuple[str, Value]] = [("data", day.isoformat()), ("dia_semana", WEEKDAYS[day.weekday()])]
    if person:
        arguments.append(("profissional_id", person))
    if form.services:
        arguments.append(visit_argument(form.services))
    if period:
        arguments.append(("periodo", period))
    return Call("buscar_horarios", tuple(arguments))


def visit_argument(services: tuple[int, ...]) -> tuple[str, Value]:
    """What is done in one visit, as the tools want it: a time must have room for all of it."""
    return ("servico_id", services[0]) if len(services) == 1 else ("servico_ids", services)


def _merged(results: Iterable[Result], form: Form) -> Free:
    facts = [fact for result in results for fact in result.facts]
    found = [(fact.day, line) for fact in facts if isinstance(fact, FreeStarts) for line in fact.free]
    found = [(day, line) for day, line in found if line.professional.id not in form.not_with]
    none = [fact for fact in facts if isinstance(fact, NoneFree | Refused)]
    nearest = (_slot(start) for fact in none for start in fact.nearest)
    return Free(
        slots=tuple(sorted({one for day, line in found for one in _slots(day, line)}, key=_when)),
        gaps=tuple((_slots(day, line)[0], _slots(day, line)[-1].start) for day, line in found if line.more),
        none=next(iter(none), None),
        nearest=tuple(sorted({one for one in nearest if one.person.id not in form.not_with}, key=_when)),
    )


def _when(one: Slot) -> tuple[datetime, int]:
    return one.start, one.person.id


def _slots(day: date, line: FreeOf) -> list[Slot]:
    return [Slot(datetime.combine(day, start), line.professional) for start in line.starts]


def _slot(start: Start) -> Slot:
    return Slot(local(start.starts_at), start.professional)


def nearest_of(facts: Iterable[object]) -> tuple[Slot, ...]:
    """The alternatives that a refusal names."""
    return tuple(
        _slot(start) for fact in facts if isinstance(fact, Refused | NoneFree) for start in fact.nearest
    )


# What fits


def _fitting(turn: Turn, form: Form, hours: Hours, slots: Sequence[Slot]) -> list[Slot]:
    """The slots that fit, in order of liking: by preferred start, else by time."""
    if hours.starts:
        return [one for start in hours.starts for one in slots if one.start.time() == start]
    minutes = sum(one.minutes for one in turn.catalogue.chosen(form.services))
    return [
        one
        for one in slots
        if hours.earliest <= one.start.time() <= hours.latest
        and (not hours.ends_by or _ends(one, minutes) <= datetime.combine(one.start, hours.ends_by))
    ]


def _ends(one: Slot, minutes: int) -> datetime:
    return one.start + timedelta(minutes=minutes)


def _left_out(hours: Hours, free: Free) -> Slot | None:
    """A wanted start that a shortened line may hold: it is not called taken; the booking itself will tell."""
    for start in hours.starts:
        if line := free.may_hold(start, start):
            return Slot(datetime.combine(line.start, start), line.person)
    return None


def _paired(form: Form, later: tuple[Form, ...], free: Free) -> tuple[Form, tuple[Form, ...], Free, str]:
    """Two at once where two people are free then, else one after the other."""
    others: dict[datetime, list[Slot]] = {}
    for one in free.slots:
        others.setdefault(one.start, []).append(one)
    hours = form.hours or Hours()
    both = [ones for ones in others.values() if len(ones) > 1 and _wanted(ones[0].start.time(), hours)]
    alone = replace(form, pair=False)
    if not both:
        return alone, (replace(alone, person=None, anyone=True, hours=None), *later), free, nlg.ONE_EACH
    kept = replace(free, slots=tuple(ones[0] for ones in both), gaps=())
    second = replace(form, person=None, anyone=True, not_with=(*form.not_with, both[0][0].person.id))
    return alone, (second, *later), kept, nlg.TOGETHER


def _wanted(start: time, hours: Hours) -> bool:
    return start in hours.starts if hours.starts else hours.earliest <= start <= hours.latest


# Words


def choose_time(
    turn: Turn, form: Form, later: tuple[Form, ...], slots: Sequence[Slot], *, more: bool = False
) -> Reply:
    """Which of these times, or first on which of these days."""
    days = list(dict.fromkeys(one.start.date() for one in slots))
    if len(days) > 1:
        choices = [_day_choice(day, [one for one in slots if one.start.date() == day]) for day in days]
        open_days = replace(form, days=())
        return replace_shown(ask(turn, Asked.WHICH_DAY, open_days, later, choices=choices), days)
    once = list({one.start: one for one in reversed(slots)}.values())[::-1]
    shown = portuguese.spread(sorted(once, key=_when), MOST_TIMES)
    alone = len({one.person for one in slots}) == 1 and (form.person is not None or form.act == Act.MOVE)
    choices = [slot(one.person.id, one.start, f"{one.start:%H:%M}", _with(one, alone)) for one in shown]
    settled = replace(form, days=(days[0],))
    cut = more or len(shown) < len(once)
    return ask(turn, Asked.TIME, settled, later, choices=choices, hint=nlg.MORE_TIMES if cut else "")


def replace_shown(reply: Reply, days: Sequence[date]) -> Reply:
    return Reply(reply.lead, replace(reply.state, shown=tuple(days)))


def _with(one: Slot, alone: bool) -> str:
    return "" if alone else f"com {one.person.name}"


def _day_choice(day: date, slots: Sequence[Slot]) -> Choice:
    times = list(dict.fromkeys(f"{one.start:%H:%M}" for one in slots))
    told = ", ".join(portuguese.spread(times, 4)) + (" e outros" if len(times) > 4 else "")
    return Choice(f"day:{day.isoformat()}", f"{nlg.day(day)[:-5]}", told)


def near(
    turn: Turn, form: Form, later: tuple[Form, ...], slots: Sequence[Slot], full: Full | None = None
) -> Reply:
    """The nearest that there is, to choose from."""
    choices = [
        slot(
            one.person.id,
            one.start,
            f"{_SHORT[one.start.weekday()]}, {one.start:%d/%m} às {one.start:%H:%M}",
            f"com {one.person.name}",
        )
        for one in slots
    ]
    return ask(
        turn, Asked.TIME, form, later, choices=choices, hint="O mais próximo que tenho está aqui.", full=full
    )


def _other_times(turn: Turn, form: Form, later: tuple[Form, ...], hours: Hours, free: Free) -> Reply:
    """The wanted start is taken, or nobody works then: what is nearest to it among the free ones."""
    wanted = hours.starts[0]
    ordered = sorted(
        free.slots, key=lambda one: (one.start.date(), abs(_minute(one.start.time()) - _minute(wanted)))
    )
    lead = f"Às {wanted:%H:%M} não tenho livre nesse dia."
    if all(start < _DAWN or start >= _LATE for start in hours.starts):
        lead = " ".join(filter(None, (nlg.NOT_OPEN_THEN, hours_told(turn.context.about))))
    return near(turn, replace(form, hours=None), later, sorted(ordered[:_NEAR], key=_when)).after(lead)


def _minute(clock: time) -> int:
    return clock.hour * 60 + clock.minute


def _none_free(turn: Turn, form: Form, later: tuple[Form, ...], free: Free) -> Reply:
    if form.hours and form.hours.pick == "first" and free.nearest and not form.hours.starts:
        return propose(turn, form, later, free.nearest[0])
    code = free.none.code if free.none else Code.OCUPADO
    sentence = free.none.sentence if free.none else "Não encontrei horário livre."
    full = _full(turn, form, code)
    dawn = form.hours and form.hours.starts and all(start < _DAWN for start in form.hours.starts)
    if dawn:
        sentence = " ".join(filter(None, (nlg.NOT_OPEN_THEN, hours_told(turn.context.about))))
    same_day = periods_of(form.hours) and code in _PART_OF_THE_DAY
    hours = None if form.hours and form.hours.starts else form.hours
    left = replace(form, days=form.days if same_day else (), hours=hours)
    return none_with(turn, left, later, code, sentence, free.nearest, full)


def _full(turn: Turn, form: Form, code: str) -> Full | None:
    """The one day or part of it that one may wait for."""
    periods = periods_of(form.hours)
    alone = len(form.services) == 1 and len(form.days) == 1 and len(periods) < 2 and form.act == Act.BOOK
    if not alone or code != Code.OCUPADO or not turn.can("lista_de_espera"):
        return None
    return Full(form.days[0], periods[0] if periods else None)


def none_with(
    turn: Turn,
    form: Form,
    later: tuple[Form, ...],
    code: str,
    sentence: str,
    nearest: Sequence[Slot],
    full: Full | None = None,
) -> Reply:
    """Why not, and what is possible instead: near times to choose from, else another day; to wait."""
    if nearest:
        return near(turn, form, later, nearest, full).after(sentence)
    if code in _WHATEVER_THE_DAY:
        return or_staff(turn, sentence)
    return ask(turn, Asked.DAY, replace(form, days=()), later, full=full).after(sentence)


def team(turn: Turn, form: Form) -> tuple[Named, ...]:
    """Who does all of it and is wanted."""
    return team_of(turn.catalogue.chosen(form.services), form.not_with)


def is_closed(facts: Iterable[object]) -> str:
    """Why nobody can come on the asked day at all; "" where that is not so."""
    none = (one for one in facts if isinstance(one, NoneFree) and one.code in _CLOSED)
    return next((one.sentence for one in none), "")
