"""The wish after this turn: what was settled before, and what is said now of services, people and time."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, time, timedelta

from bot.llm.rule_based.nlu.dates import Days
from bot.llm.rule_based.nlu.entities import NOTHING_HEARD, Catalogue, Heard, parts_of
from bot.llm.rule_based.nlu.reading import Reading
from bot.llm.rule_based.nlu.times import Hours
from bot.llm.rule_based.nlu.topics import Topic
from bot.llm.rule_based.nlu.wishes import Wish
from bot.llm.rule_based.policy.turn import Turn, local, one_of
from bot.llm.rule_based.state.slots import Act, Asked, Form, meant_by, settled_by
from tools.facts import Named, Offer

_ONLY = re.compile(r"\b(?:so|apenas|somente)\b")
_PAIR = re.compile(
    r"\bpara mim e (?:para )?(?:o |a |um |uma )?(?:meu|minha|amig|namorad|marid|espos|filh|irma|mae|pai)|"
    r"\beu e (?:ele|ela|o meu|a minha|meu|minha|uma amiga|um amigo)\b|\bpara (?:2|nos 2|2 pessoas)\b|"
    r"\b(?:as|os|nos) 2 junt[oa]s?\b|\b2 (?:cortes|escovas|manicures|pessoas)\b"
)


@dataclass(frozen=True)
class Filled:
    """`later`: what comes after. `doubtful`: days of which one is meant; `problem`: why what was said is no
    day. `unsure_hour`: the hour may have meant something else. `heard`: what was named in it.
    """

    form: Form
    later: tuple[Form, ...] = ()
    doubtful: tuple[date, ...] = ()
    problem: str = ""
    unsure_hour: bool = False
    heard: Heard = NOTHING_HEARD
    several: bool = False


def filled(turn: Turn, form: Form) -> Filled:
    """`form` with what was chosen and said in this turn; further wishes of the message come after it."""
    if turn.choice is not None:
        form = settled_by(form, turn.choice)
        if turn.choice.kind == "slot":
            return Filled(form, turn.state.later)
        if turn.choice.kind != "day":
            return replace(with_wish(turn, form, turn.wishes[0]), heard=NOTHING_HEARD)
        return Filled(form, turn.state.later)
    first = with_wish(turn, form, turn.wishes[0])
    more: list[Form] = []
    for wish in turn.wishes[1:]:
        more.append(_further(turn, wish, more[-1] if more else first.form))
    return replace(first, later=(*first.later, *more), several=first.several or bool(more))


def _further(turn: Turn, wish: Wish, before: Form) -> Form:
    """Another wish of the same message; its act and services may be those of the one before."""
    act = act_of(wish.reading) or before.act
    alone = turn.with_state(turn.state.afresh)
    form = with_wish(alone, Form(act), wish).form
    if act == Act.BOOK and not form.services:
        form = replace(form, services=before.services)
    return form


def act_of(reading: Reading) -> Act | None:
    """What one part of a message asks for in so many words."""
    if Topic.CANCEL in reading.topics:
        return Act.CANCEL
    if reading.topics & {Topic.MOVE, Topic.CHANGE_OWN}:
        return Act.MOVE
    booking = reading.topics & {Topic.BOOK_NEW} or re.match(r"(?:quero |queria )?marca\b", reading.text)
    return Act.BOOK if booking else None


def with_wish(turn: Turn, form: Form, wish: Wish) -> Filled:
    """The form with one wish."""
    heard = _narrowed(wish.heard, form, turn)
    form, later = _services(turn, form, heard, wish.reading)
    form = _people(turn, form, heard)
    form = _in_parts(form, turn.catalogue)
    result = with_time(turn, form, wish.reading)
    form = result.form
    if _PAIR.search(wish.reading.text) and form.act == Act.BOOK:
        form = replace(form, pair=True)
    days = wish.reading.days.wanted
    every = days.dates[1:] if days and days.each and form.days == days.dates else ()
    if every:
        form = replace(form, days=form.days[:1])
        later = (*(replace(form, days=(day,)) for day in every), *later)
    several = bool(every) or Topic.REPEATED in wish.reading.topics
    return replace(result, form=form, later=later, heard=heard, several=several)


# Services and people


def _narrowed(heard: Heard, form: Form, turn: Turn) -> Heard:
    """Where one of few services was to be chosen, those are the ones that may still be meant."""
    keys = [
        one.key for choice in turn.state.choices if (one := meant_by(choice.id)) and one.kind == "service"
    ]
    few = turn.catalogue.chosen(key for key in keys if key is not None)
    still = turn.state.asked == Asked.SERVICE and 1 < len(few) < len(turn.catalogue.offers)
    if not still or heard.service or heard.something or form.services or turn.about(Topic.OTHER_SERVICE):
        return heard
    able = tuple(one for one in few if not heard.people or set(heard.people) & set(one.professionals))
    return replace(heard, services=able) if len(able) == 1 else replace(heard, doubts=(able or few,))


def _services(turn: Turn, form: Form, heard: Heard, reading: Reading) -> tuple[Form, tuple[Form, ...]]:
    later = turn.state.later
    if turn.about(Topic.OTHER_SERVICE) and not heard.service:
        return replace(form, services=()), later
    refused = {one.id for one in heard.refused}
    if refused:
        kept = tuple(one for one in form.services if one not in refused)
        later = tuple(one for one in later if not set(one.services) & refused)
        form = replace(form, services=kept)
        if not kept and later and not heard.services:
            form, later = later[0], later[1:]
    named = tuple(one.id for one in heard.services)
    if not named:
        return form, later
    adds = turn.about(Topic.ALSO) and not any(set(named) & set(one.services) for one in later)
    wanted = tuple(dict.fromkeys((*(form.services if adds else ()), *named)))
    swapped = [one for one in later if set(one.services) & set(wanted)]
    later = tuple(one for one in later if one not in swapped)
    if swapped and form.services:
        later = (Form(services=form.services), *later)
    return replace(form, services=wanted), () if _ONLY.search(reading.text) else later


def _people(turn: Turn, form: Form, heard: Heard) -> Form:
    if heard.not_with:
        out = tuple(dict.fromkeys((*form.not_with, *(one.id for one in heard.not_with))))
        person = None if form.person in out else form.person
        form = replace(form, not_with=out, person=person)
    anyone = turn.about(Topic.ANYONE) and (not turn.leaves_choice or form.person is None)
    if anyone:
        return replace(form, person=None, anyone=True)
    if turn.about(Topic.OTHER_PERSON):
        return replace(form, person=None, anyone=False)
    people = who_can(heard.people, turn.catalogue.chosen(form.services))
    if len(people) != 1:
        return form
    not_with = tuple(one for one in form.not_with if one != people[0].id)
    return replace(form, person=people[0].id, anyone=False, not_with=not_with)


def who_can(people: Sequence[Named], services: Sequence[Offer]) -> list[Named]:
    """Of people with like names, those who do what is wanted."""
    able = [person for person in people if all(person in one.professionals for one in services)]
    return able or list(people)


def team_of(services: Sequence[Offer], not_with: Sequence[int] = ()) -> tuple[Named, ...]:
    """Who does all of it, in the order of the first service."""
    first, *others = services or (None,)
    if first is None:
        return ()
    able = (
        one for one in first.professionals if all(one in other.professionals for other in others if other)
    )
    return tuple(one for one in able if one.id not in not_with)


def _in_parts(form: Form, catalogue: Catalogue) -> Form:
    """With the parts of a combination that the wanted professional does only one by one."""
    services, person = catalogue.chosen(form.services), catalogue.person(form.person)
    if person is None or len(services) != 1 or person in services[0].professionals:
        return form
    parts = parts_of(services[0], person, catalogue.offers)
    return replace(form, services=tuple(one.id for one in parts)) if parts else form


# Day and hour


def with_time(turn: Turn, form: Form, reading: Reading) -> Filled:
    """The form with the day and hour that were said, given what was asked."""
    days = _days(turn, form, reading)
    hours = _hours(turn, form, reading)
    if turn.about(Topic.OTHER_DAY) and not reading.days.wanted:
        days, hours = None, reading.hours.wanted
    if turn.about(Topic.OTHER_TIME) and not reading.hours.wanted:
        hours = None
    if hours and set(hours.starts) & set(reading.hours.refused):
        hours = None
    sure = days is not None and days.sure and not days.problem
    unsure_hour = hours is not None and not hours.sure
    return Filled(
        form=replace(form, days=days.dates if days and sure else (), hours=hours),
        later=turn.state.later,
        doubtful=days.dates if days and not days.sure else (),
        problem=days.problem if days else "",
        unsure_hour=unsure_hour,
    )


def _days(turn: Turn, form: Form, reading: Reading) -> Days | None:
    asked, said = turn.state.asked, reading.days.wanted
    if asked == Asked.DAY and said is None:
        said = reading.number_as_day(turn.now.date())
    if said:
        return _settled_by(said, turn.state.shown)
    if reading.hours.day:
        return Days((reading.hours.day,))
    taken = {local(one.starts_at).date() for one in turn.visits}
    if Topic.SAME_DAY in reading.topics and len(taken) == 1:
        return Days(tuple(taken))
    kept = tuple(day for day in _under_discussion(turn, form, reading) if day not in reading.days.refused)
    unsure = asked == Asked.WHICH_DAY and len(kept) > 1 and not form.days and not turn.leaves_choice
    return Days(kept, sure=not unsure) if kept else None


def _under_discussion(turn: Turn, form: Form, reading: Reading) -> tuple[date, ...]:
    """The days that are meant where none is said: those of the choices with the hour that is; what else may
    be changed is changed for the day that was full.
    """
    state, said = turn.state, reading.hours.wanted
    if state.full and not said:
        return (state.full.day,)
    meant = [one for choice in state.choices if (one := meant_by(choice.id))]
    starts = said.starts if said else ()
    shown = (one.start.date() for one in meant if one.start and one.start.time() in starts)
    if of_hour := tuple(dict.fromkeys(shown)):
        return of_hour
    if state.asked == Asked.WHICH_DAY and not form.days:
        return tuple(one.day for one in meant if one.day)
    return form.days or state.shown


def _settled_by(said: Days, shown: tuple[date, ...]) -> Days:
    """A bare weekday means that of the days just shown."""
    weekdays = {day.weekday() for day in said.dates}
    meant = tuple(day for day in shown if day.weekday() in weekdays)
    return Days(meant) if said.loose and len(meant) == 1 else said


def _hours(turn: Turn, form: Form, reading: Reading) -> Hours | None:
    asked, said, kept = turn.state.asked, reading.hours, form.hours
    if asked in (Asked.TIME, Asked.DAY) and turn.leaves_choice:
        return replace(kept or Hours(), pick="first")
    if said.wanted:
        return None if said.wanted.whole_day and not said.wanted.pick else said.wanted
    if reading.number is not None and asked in (Asked.TIME, Asked.CONFIRM, Asked.CHANGES):
        # At a proposal 1 and 2 are more likely meant as a yes or a no, by who is used to menus.
        named = None if asked == Asked.CONFIRM and reading.number in (1, 2) else reading.number_as_hour()
        return named or kept
    start = kept.starts[0] if kept and kept.starts else None
    if start and said.shift:
        return Hours(starts=(later_by(start, said.shift),))
    if said.compare == "earlier":
        return Hours(latest=later_by(start or time(12), -1))
    return Hours(earliest=later_by(start, 1) if start else time(12)) if said.compare == "later" else kept


def later_by(start: time, minutes: int) -> time:
    """So many minutes after `start` (before it, if negative), within its day."""
    moment = start.hour * 60 + start.minute + minutes
    return time(*divmod(min(max(moment, 0), 24 * 60 - 1), 60))


def after_the_last(turn: Turn, form: Form, reading: Reading) -> Form:
    """ "E a manicure às 11", "logo depois": of the day that was just booked, or right behind that visit."""
    done = one_of(turn.visits, turn.state.done)
    if done is None or form.days:
        return form
    begins = local(done.starts_at)
    if Topic.RIGHT_AFTER in reading.topics:
        ends: datetime = begins + timedelta(minutes=done.minutes)
        return replace(form, days=(begins.date(),), hours=Hours(earliest=ends.time(), pick="first"))
    return replace(form, days=(begins.date(),)) if form.hours and form.hours.starts else form
