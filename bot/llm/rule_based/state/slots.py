"""The wish after this turn: what was settled before, and what is said now of services, people and time."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date, time

from bot.llm.rule_based import nlg
from bot.llm.rule_based.nlu.dates import Days
from bot.llm.rule_based.nlu.entities import (
    Named,
    names_unknown,
    not_offered,
    parts_of,
    people_in,
    refused_apart,
    services_in,
    speaks_of_someone_else,
    split_names,
    unpacked,
    without,
)
from bot.llm.rule_based.nlu.reading import Reading
from bot.llm.rule_based.nlu.times import Hours
from bot.llm.rule_based.nlu.topics import Topic
from bot.llm.rule_based.state.dialogue_turn import Turn
from bot.llm.rule_based.state.tracker import Asked, Choice, Memory
from bot.llm.rule_based.state.wish import Wish
from bot.llm.rule_based.tool_results import Catalogue, Person, Service

_ONLY = re.compile(r"\b(?:so|apenas|somente)\b")
_GREETED = re.compile(r"(?:^|, )(?:oi+e?|ola|opa|e ai)[ ,]+\w+")


# --- what was heard of names -------------------------------------------------------------------------------


@dataclass(frozen=True)
class Heard:
    """What the words of this turn name. `unknown_…`: somebody or something that this business has not.
    `few`: services of which one was to be chosen, and none was. `missed`: what is not done, beside what is.
    `refused`: what is expressly not wanted.
    """

    reading: Reading
    named: Named
    people: tuple[Person, ...]
    unknown_person: bool
    unknown_service: bool
    few: tuple[Service, ...] = ()
    missed: tuple[str, ...] = ()
    refused: tuple[Service, ...] = ()

    @property
    def anything(self) -> bool:
        return bool(
            self.refused or self.named.sure or self.named.doubts or self.people or self.unknown_service
        )


def heard_in(turn: Turn, catalogue: Catalogue) -> Heard:
    """The turn's words against the catalogue; a correction takes back what was named before it."""
    reading = turn.reading_with(catalogue)
    named = Named()
    people: tuple[Person, ...] = ()
    refused: tuple[Service, ...] = ()
    for segment in reading.segments:
        text, not_wanted = refused_apart(segment.text)
        refused = (*refused, *_all(services_in(not_wanted, catalogue.services)))
        found = services_in(text, catalogue.services)
        named = found if segment.correction and (found.sure or found.doubts) else _both(named, found)
        people = _people(text, found, catalogue) or people
    named = _narrowed(named, people)
    missed = not_offered(reading.rest, catalogue.services)
    return Heard(
        reading=reading,
        named=named,
        people=people,
        unknown_person=not people and speaks_of_someone_else(reading.rest),
        unknown_service=not named.sure and not named.doubts and (bool(missed) or names_unknown(reading.rest)),
        refused=refused,
        missed=tuple(missed) if named.sure or named.doubts else (),
    )


def _all(named: Named) -> tuple[Service, ...]:
    return (*named.sure, *(service for doubt in named.doubts for service in doubt))


def _narrowed(named: Named, people: Sequence[Person]) -> Named:
    """Of what may be meant, what the one professional who is named does."""
    sure, doubts = list(named.sure), []
    for doubt in named.doubts:
        able = tuple(one for one in doubt if len(people) != 1 or people[0] in one.team) or doubt
        if len(able) == 1:
            sure.append(able[0])
        else:
            doubts.append(able)
    return Named(tuple(dict.fromkeys(sure)), tuple(doubts))


def _both(first: Named, second: Named) -> Named:
    sure = tuple(dict.fromkeys((*first.sure, *second.sure)))
    # "Um corte … feminino": what one line leaves open the next may settle.
    doubts = [doubt for doubt in (*first.doubts, *second.doubts) if not set(doubt) & set(sure)]
    return Named(sure, tuple(dict.fromkeys(doubts)))


def _people(text: str, found: Named, catalogue: Catalogue) -> tuple[Person, ...]:
    services = [*found.sure, *(service for doubt in found.doubts for service in doubt)]
    return people_in(without(_GREETED.sub(" ", text), services), catalogue.team)


# --- the wish ----------------------------------------------------------------------------------------------


def drafted(turn: Turn, catalogue: Catalogue, heard: Heard) -> Wish:
    """What is wanted, as far as it is known by now."""
    memory = turn.memory
    wish = replace(recalled(memory, catalogue), may_wait=turn.can("lista_de_espera"))
    choice = choice_in(turn, heard.reading, catalogue)
    if choice and (choice.start or memory.asked == Asked.SLOT):
        return with_slot(wish, choice, catalogue)
    name = choice.text if choice else ""
    wish = _with_services(wish, heard, _by_name(catalogue.services, name), turn)
    wish = _with_person(wish, heard, _person_by_name(catalogue, name), turn)
    return with_time(_in_parts(wish, catalogue), turn, heard.reading)


def recalled(memory: Memory, catalogue: Catalogue) -> Wish:
    """What was settled before, in today's catalogue."""
    anyone = memory.names.endswith("com qualquer profissional")
    names = memory.names.removesuffix("com qualquer profissional").rstrip()
    services, person = unpacked(names, catalogue) or ((), None)
    later = split_names(memory.later, catalogue.services) or ()
    return Wish(services, person, anyone, memory.days, memory.hours, later=later)


def picked(turn: Turn, catalogue: Catalogue) -> Choice | None:
    """The start that was picked from a list, as a dated choice."""
    found = turn.transcript.picked
    if found is None:
        return None
    name = next((person.name for person in catalogue.team if person.id == found.person), "")
    return Choice("", found.day, found.time, name)


def choice_in(turn: Turn, reading: Reading, catalogue: Catalogue) -> Choice | None:
    """The choice that was made; where it is left to us, the earliest."""
    choice = picked(turn, catalogue) or chosen(turn.memory, reading)
    left = choice is None and turn.memory.asked == Asked.SLOT and turn.leaves_choice
    return next(iter(turn.memory.choices), None) if left else choice


def chosen(memory: Memory, reading: Reading) -> Choice | None:
    """The numbered choice that is meant: by its number, its place, or by being the only one that fits."""
    choices = memory.choices
    place = reading.number if reading.number is not None else reading.ordinal
    if place == -1 and choices:
        return choices[-1]
    if place is not None and not reading.number_minute and 1 <= place <= len(choices):
        return choices[place - 1]
    if memory.asked not in (Asked.SLOT, Asked.WHICH_DAY):
        return None
    fitting = [choice for choice in choices if _fits(choice, reading)]
    return fitting[0] if len(fitting) == 1 else None


def _fits(choice: Choice, reading: Reading) -> bool:
    """Whether a dated choice is what was said: its day or its hour, and nothing against it."""
    days, starts = reading.days.wanted, reading.hours.wanted.starts if reading.hours.wanted else ()
    if choice.day is None:
        return False
    if choice.start is None:
        return choice.day.day == reading.number or (days is not None and _is_among(choice.day, days))
    said = days is not None or bool(starts)
    return said and (days is None or _is_among(choice.day, days)) and (not starts or choice.start in starts)


def _is_among(day: date, days: Days) -> bool:
    return day in days.dates or (days.loose and day.weekday() == days.dates[0].weekday())


def with_slot(wish: Wish, choice: Choice, catalogue: Catalogue) -> Wish:
    """The wish with a dated choice ("…, às 09:00, com Ana Souza") taken."""
    person = _person_by_name(catalogue, choice.person) or wish.person
    days = Days((choice.day,)) if choice.day else wish.days
    hours = Hours(starts=(choice.start,)) if choice.start else None
    return replace(wish, person=person, days=days, hours=hours)


def _by_name(services: Sequence[Service], line: str) -> Service | None:
    return next((service for service in services if nlg.service_line(service) == line), None)


def _person_by_name(catalogue: Catalogue, name: str) -> Person | None:
    return next((person for person in catalogue.team if person.name == name), None)


def _with_services(wish: Wish, heard: Heard, chosen: Service | None, turn: Turn) -> Wish:
    if chosen:
        return replace(wish, services=(chosen,))
    if turn.about(Topic.OTHER_SERVICE):
        return replace(wish, services=())
    named = heard.named.sure
    wish = _without(wish, heard.refused)
    if not named:
        return wish
    kept = wish.services if turn.about(Topic.ALSO) and not set(named) & set(wish.later) else ()
    wanted = tuple(dict.fromkeys((*kept, *named)))
    return replace(wish, services=wanted, later=_left(wish, wanted, turn))


def _without(wish: Wish, refused: Sequence[Service]) -> Wish:
    services, later = (
        tuple(one for one in part if one not in refused) for part in (wish.services, wish.later)
    )
    return replace(wish, services=services or later, later=later if services else ())


def _left(wish: Wish, wanted: tuple[Service, ...], turn: Turn) -> tuple[Service, ...]:
    """What is for afterwards where `wanted` comes first: "primeiro a manicure" puts the other behind it."""
    if _ONLY.search(turn.reading.text):
        return ()
    swapped = wish.services if set(wanted) & set(wish.later) else ()
    return tuple(one for one in dict.fromkeys((*swapped, *wish.later)) if one not in wanted)


def _in_parts(wish: Wish, catalogue: Catalogue) -> Wish:
    """With the parts of a combination that the wanted professional does only one by one."""
    if wish.person is None or len(wish.services) != 1 or wish.person in wish.team:
        return wish
    parts = parts_of(wish.services[0], wish.person, catalogue.services)
    return replace(wish, services=parts) if parts else wish


def one_visit(wish: Wish, people: Sequence[Person] = ()) -> Wish:
    """What one professional can do of it, that of `people` who is named; the rest for afterwards."""
    if wish.team or len(wish.services) < 2 or not all(service.team for service in wish.services):
        return wish
    wanted = [wish.person] if wish.person else list(people)
    first = next((one for one in wish.services if set(wanted) & set(one.team)), wish.services[0])
    together: tuple[Service, ...] = (first,)
    for service in wish.services:
        if service != first and _team(*together, service, wanted=wanted):
            together = (*together, service)
    able = _team(*together, wanted=wanted)
    person = able[0] if len(able) == 1 and able[0] in wanted else None
    rest = tuple(one for one in wish.services if one not in together)
    return replace(wish, services=together, person=person, later=(*rest, *wish.later))


def _team(*services: Service, wanted: Sequence[Person]) -> list[Person]:
    """Who does all of these; of them who is wanted, if any."""
    team = Wish(services).team
    return [one for one in team if one in wanted] or list(team)


def _with_person(wish: Wish, heard: Heard, chosen: Person | None, turn: Turn) -> Wish:
    if _anyone(wish, turn):
        return replace(wish, person=None, anyone=True)
    if turn.about(Topic.OTHER_PERSON):
        return replace(wish, person=None, anyone=False)
    people = [chosen] if chosen else who_can(heard.people, wish)
    return replace(wish, person=people[0], anyone=False) if len(people) == 1 else wish


def _anyone(wish: Wish, turn: Turn) -> bool:
    """Whether any professional will do; "tanto faz" to another question is about what was asked."""
    if not turn.leaves_choice:
        return turn.about(Topic.ANYONE)
    return turn.memory.asked == Asked.PERSON or (turn.about(Topic.ANYONE) and wish.person is None)


def who_can(people: Sequence[Person], wish: Wish) -> list[Person]:
    """Of people with like names, those who do what is wanted."""
    able = [person for person in people if not wish.services or person in wish.team]
    return able or list(people)


def with_time(wish: Wish, turn: Turn, reading: Reading) -> Wish:
    """The wish with the day and hour that were said, given what was asked."""
    days = _days(wish, turn, reading)
    hours = _hours(wish, turn, reading)
    if turn.about(Topic.OTHER_DAY) and not reading.days.wanted:
        days, hours = None, reading.hours.wanted
    if turn.about(Topic.OTHER_TIME) and not reading.hours.wanted:
        hours = None
    return replace(wish, days=days, hours=hours)


def _days(wish: Wish, turn: Turn, reading: Reading) -> Days | None:
    memory, booked_days = turn.memory, {one.day for one in turn.transcript.appointments}
    said = reading.days.wanted
    choice = chosen(memory, reading) if memory.asked == Asked.WHICH_DAY else None
    if choice and choice.day:
        said = Days((choice.day,))
    elif memory.asked == Asked.DAY and said is None:
        said = reading.number_as_day(turn.now.date())
    if said:
        return _settled_by(said, memory.offered)
    if reading.hours.day:
        return Days((reading.hours.day,))
    if Topic.SAME_DAY in reading.topics and len(booked_days) == 1:
        return Days(tuple(booked_days))
    before = _under_discussion(wish, memory, reading)
    if memory.asked == Asked.WHICH_DAY:
        left = tuple(one.day for one in memory.choices if one.day and one.day not in reading.days.refused)
        return Days(left, sure=len(left) == 1 or turn.leaves_choice) if left else None
    kept = tuple(day for day in before if day not in reading.days.refused)
    return Days(kept) if kept else None


def _under_discussion(wish: Wish, memory: Memory, reading: Reading) -> tuple[date, ...]:
    """The days that are meant where none is said: those of the choices with the hour that is; what else may
    be changed is changed for the day that was full.
    """
    said = reading.hours.wanted
    if memory.full and not said:
        return (memory.full.day,)
    starts = said.starts if said else ()
    shown = (choice.day for choice in memory.choices if choice.day and choice.start in starts)
    return tuple(dict.fromkeys(shown)) or (wish.days.dates if wish.days else memory.offered)


def _settled_by(said: Days, offered: tuple[date, ...]) -> Days:
    """A bare weekday means that of the days just shown."""
    weekdays = {day.weekday() for day in said.dates}
    shown = tuple(day for day in offered if day.weekday() in weekdays)
    return Days(shown) if said.loose and len(shown) == 1 else said


def _hours(wish: Wish, turn: Turn, reading: Reading) -> Hours | None:
    asked, said = turn.memory.asked, reading.hours
    if asked in (Asked.TIME, Asked.DAY) and turn.leaves_choice:
        return replace(wish.hours or Hours(), pick="first")
    if said.wanted:
        return None if said.wanted.whole_day and not said.wanted.pick else said.wanted
    if asked == Asked.ONE_OCLOCK and turn.answer == "yes":
        return Hours(starts=(time(13),))
    if asked in (Asked.BOOK, Asked.MOVE) and reading.number in (1, 2):
        return wish.hours  # more likely meant as a yes or a no, by who is used to menus
    if asked in (Asked.TIME, Asked.SLOT, Asked.BOOK, Asked.MOVE) and reading.number is not None:
        return reading.number_as_hour() or wish.hours
    if asked == Asked.TIME and reading.ordinal in (1, -1):
        return replace(wish.hours or Hours(), pick="first" if reading.ordinal == 1 else "last")
    start = wish.hours.starts[0] if wish.hours and wish.hours.starts else None
    if start and said.shift:
        return Hours(starts=(later(start, said.shift),))
    if said.compare == "earlier":
        return Hours(latest=later(start or time(12), -1))
    return Hours(earliest=later(start, 1) if start else time(12)) if said.compare == "later" else wish.hours


def later(start: time, minutes: int) -> time:
    """So many minutes after `start` (before it, if negative), within its day."""
    moment = start.hour * 60 + start.minute + minutes
    return time(*divmod(min(max(moment, 0), 24 * 60 - 1), 60))
