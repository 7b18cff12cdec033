"""The customer's own appointments: telling, moving and cancelling them."""

from collections.abc import Generator, Sequence
from dataclasses import replace
from datetime import date, time
from functools import reduce

from bot.llm.rule_based import nlg
from bot.llm.rule_based.nlu.dates import Days
from bot.llm.rule_based.nlu.entities import STOP, alike, appointment_services, people_in, services_in, without
from bot.llm.rule_based.nlu.normalise import normalise
from bot.llm.rule_based.nlu.reading import Reading, read
from bot.llm.rule_based.nlu.times import Hours
from bot.llm.rule_based.policy.book import booked, look_up
from bot.llm.rule_based.policy.catalogue import catalogue_for
from bot.llm.rule_based.policy.search import WEEKDAY_NAMES, none_with, propose
from bot.llm.rule_based.policy.steps import Call, Talk, Value
from bot.llm.rule_based.state.dialogue_turn import Turn
from bot.llm.rule_based.state.slots import choice_in, chosen, later, recalled, with_slot, with_time
from bot.llm.rule_based.state.tracker import Asked, Memory, cancel_proposal, new_time, numbered
from bot.llm.rule_based.state.wish import Wish, appointment_told, told
from bot.llm.rule_based.tool_results import (
    Appointment,
    Catalogue,
    Result,
    Service,
    Slot,
    appointments_in,
    nearest_in,
    reason_in,
)

_Own = Generator[tuple[Call, ...], tuple[Result, ...], tuple[Appointment, ...]]


def told_own(turn: Turn) -> Talk:
    """The customer's future appointments."""
    own = yield from _own(turn)
    if not own:
        return f"{nlg.NO_APPOINTMENTS}\n\n{Asked.WANT.value}?"
    lines = "\n".join(f"- {appointment_told(one)}" for one in own)
    return f"O que tenho no seu nome:\n{lines}"


def cancelling(turn: Turn) -> Talk:
    """Propose to cancel the one that is meant, or ask which. Without the tool a person is offered."""
    if not turn.can("cancelar"):
        return nlg.or_staff(nlg.NOT_HERE)
    own = yield from _own(turn)
    if not own:
        bare = not turn.reading.has_facts and len(turn.reading.rest.split()) < 3
        return nlg.or_staff(f"{nlg.NO_APPOINTMENTS} {nlg.WHAT_TO_STOP if bare else ''}".strip())
    if other := (yield from _not_theirs(own, turn)):
        lines = numbered([appointment_told(one) for one in own])
        return f"{nlg.NOT_YOURS.format(what=other)}\n\n{lines}\n{Asked.WHICH_CANCEL.value}"
    meant = _meant(own, turn)
    if len(meant) == 1:
        return cancel_proposal(meant[0])
    return f"{numbered([appointment_told(one) for one in meant])}\n{Asked.WHICH_CANCEL.value}"


def _not_theirs(own: Sequence[Appointment], turn: Turn) -> Talk:
    """A service that is named, and that the customer has not booked; "" if there is none."""
    if not turn.can("buscar_servicos"):
        return ""
    catalogue = yield from catalogue_for(turn)
    named = services_in(turn.reading.rest, catalogue.services).sure
    booked = [service for one in own for service in appointment_services(one.service, catalogue)]
    return "" if set(named) & set(booked) else nlg.listed([one.name for one in named], "e")


def cancelled(turn: Turn) -> Talk:
    """The customer said yes to the proposed cancellation."""
    own = yield from _own(turn)
    appointment = _remembered(turn.memory, own)
    if appointment is None:
        return nlg.NO_LONGER
    (result,) = yield (Call("cancelar", (("agendamento_id", appointment.id),)),)
    if result.kind == "ok":
        return booked(result.text)
    return nlg.or_staff(reason_in(result.text))


def moving(turn: Turn) -> Talk:
    """One step towards a new time for an appointment. Without the tool a person is offered."""
    if not turn.can("remarcar"):
        return nlg.or_staff(nlg.NOT_HERE)
    own = yield from _own(turn)
    if not own:
        return f"{nlg.NO_APPOINTMENTS}\n\n{Asked.WANT.value}?"
    meant = [one for one in (_remembered(turn.memory, own),) if one] or _meant(own, turn)
    catalogue = yield from catalogue_for(turn)
    if len(meant) > 1:
        return _which_to_move(turn, meant, catalogue)
    wish = _new_time(turn, meant[0], catalogue)
    if _with_words_before(turn, turn.reading).hours.shift and wish.days and wish.hours:
        # It may overlap its own old time, which a search would call taken: the tool itself decides.
        return propose(wish, Slot(wish.days.dates[0], wish.hours.starts[0], wish.person or meant[0].person))
    return (yield from look_up(wish, turn.now))


def _which_to_move(turn: Turn, meant: Sequence[Appointment], catalogue: Catalogue) -> str:
    """The question, and what is known of the new time already."""
    wish = _said_of_new(turn, turn.reading_with(catalogue), (), meant, catalogue)
    lines = (new_time(told(wish)), numbered([appointment_told(one) for one in meant]), Asked.WHICH_MOVE.value)
    return "\n".join(filter(None, lines))


def moved(turn: Turn) -> Talk:
    """The customer said yes to the proposed new time."""
    own = yield from _own(turn)
    memory = turn.memory
    appointment = _remembered(memory, own)
    if appointment is None or not memory.days or not memory.hours:
        return nlg.NO_LONGER
    catalogue = yield from catalogue_for(turn)
    wish = replace(recalled(memory, catalogue), moving=appointment)
    (result,) = yield (_move_call(wish, appointment, memory.days.dates[0], memory.hours.starts[0]),)
    if result.kind == "ok":
        return booked(result.text)
    return none_with(replace(wish, hours=None), reason_in(result.text), nearest_in(result.text))


def _move_call(wish: Wish, appointment: Appointment, day: date, start: time) -> Call:
    arguments: list[tuple[str, Value]] = [
        ("agendamento_id", appointment.id),
        ("data", day.isoformat()),
        ("hora", f"{start:%H:%M}"),
        ("dia_semana", WEEKDAY_NAMES[day.weekday()]),
    ]
    if wish.person and wish.person != appointment.person:
        arguments.append(("profissional_id", wish.person.id))
    return Call("remarcar", tuple(arguments))


# --- which one ---------------------------------------------------------------------------------------------


def _own(turn: Turn) -> _Own:
    """What the context tells; where that is nothing, what the tool says."""
    if turn.transcript.appointments or not turn.can("meus_agendamentos"):
        return turn.transcript.appointments
    (result,) = yield (Call("meus_agendamentos"),)
    return appointments_in(result.text)


def _remembered(memory: Memory, own: Sequence[Appointment]) -> Appointment | None:
    return next((one for one in own if memory.visit and memory.visit.is_of(one)), None)


def _meant(own: Sequence[Appointment], turn: Turn) -> list[Appointment]:
    """Those that fit what was said of them; all if nothing was said, or nothing fits."""
    told = [appointment_told(one) for one in own]
    choice = chosen(turn.memory, turn.reading)
    if choice and choice.text in told:
        return [own[told.index(choice.text)]]
    fitting = list(own)
    for fits in (_by_service, _by_day, _by_hour, _by_name):
        fitting = [one for one in fitting if fits(one, turn.reading)] or fitting
    reminded = [one for one in fitting if one.id == turn.transcript.reminded]
    return reminded if len(fitting) == len(own) and reminded else fitting


def _by_day(one: Appointment, reading: Reading) -> bool:
    """Days that are told as the old ones; a day that stands alone may be either."""
    days = reading.days
    told = (days.source.dates if days.source else ()) + days.refused
    if not told and not days.target:
        told = days.wanted.dates if days.wanted else ()
    return one.day in told


def _by_hour(one: Appointment, reading: Reading) -> bool:
    of_the_new = reading.hours.target or reading.days.target
    hours = reading.hours.source or (None if of_the_new else reading.hours.wanted)
    return hours is not None and one.time in hours.starts


def _by_service(one: Appointment, reading: Reading) -> bool:
    return _names(reading, one.service)


def _by_name(one: Appointment, reading: Reading) -> bool:
    return _names(reading, f"{one.service} {one.person.name}")


def names_one(turn: Turn) -> bool:
    """Whether the words are those of an appointment: its service or professional."""
    return any(_by_name(one, turn.reading) for one in turn.transcript.appointments)


def _names(reading: Reading, told: str) -> bool:
    names = normalise(told).split()
    said = [word for word in reading.rest.split() if len(word) > 2 and word not in STOP]
    return any(alike(word, name) for word in said for name in names)


# --- the new time ------------------------------------------------------------------------------------------


def _new_time(turn: Turn, appointment: Appointment, catalogue: Catalogue) -> Wish:
    """The appointment's visit with what was said of its new day, hour and professional."""
    memory, reading = turn.memory, turn.reading_with(catalogue)
    services = appointment_services(appointment.service, catalogue)
    choice = choice_in(turn, reading, catalogue)
    if choice and (choice.start or memory.asked == Asked.SLOT):
        wish = replace(recalled(memory, catalogue), services=services, moving=appointment)
        return with_slot(wish, choice, catalogue)
    if turn.memory.asked == Asked.WHICH_MOVE and _by_hour(appointment, reading):
        reading = replace(reading, hours=replace(reading.hours, wanted=None))  # it told which one
    wish = _said_of_new(turn, reading, services, [appointment], catalogue)
    wish = replace(wish, services=services, moving=appointment)
    return _relative(wish, _with_words_before(turn, reading), appointment)


def _said_of_new(
    turn: Turn,
    reading: Reading,
    services: Sequence[Service],
    old: Sequence[Appointment],
    catalogue: Catalogue,
) -> Wish:
    """What was settled and is said of the new day, hour and professional, whichever of `old` is moved."""
    wish = recalled(turn.memory, catalogue) if turn.memory.moving else Wish()
    people = people_in(without(reading.rest, services), catalogue.team)
    others = [person for person in people if all(person != one.person for one in old)]
    if len(others) == 1:
        wish = replace(wish, person=others[0])
    new = with_time(wish, turn, reduce(_of_the_new, old, reading))
    if turn.memory.asked == Asked.WHICH_MOVE and new.days and new.days == wish.days:
        return replace(new, days=replace(new.days, sure=len(new.days.dates) != 2))  # "quarta", said on one
    return new


def _with_words_before(turn: Turn, reading: Reading) -> Reading:
    """ "No mesmo horário" and "uma hora mais tarde" mean something only once it is known of which visit."""
    if turn.memory.asked != Asked.WHICH_MOVE:
        return reading
    before, now = read((turn.transcript.wrote,), turn.now).hours, reading.hours
    hours = replace(now, same=now.same or before.same, shift=now.shift or before.shift)
    return replace(reading, hours=hours)


def _of_the_new(reading: Reading, appointment: Appointment) -> Reading:
    """The reading without the day and hour by which the old appointment was named."""
    days, hours = reading.days, reading.hours
    old_day = days.target is None and days.wanted is not None and appointment.day in days.wanted.dates
    if old_day and (days.source or not hours.target):
        days = replace(days, wanted=None)
    if hours.target is None and hours.source and appointment.time in hours.source.starts:
        hours = replace(hours, wanted=None if hours.wanted == hours.source else hours.wanted)
    return replace(reading, days=days, hours=hours)


def _relative(wish: Wish, reading: Reading, appointment: Appointment) -> Wish:
    """ "No mesmo horário", "uma hora mais cedo", and an hour alone, which is on the same day."""
    if reading.hours.same:
        wish = replace(wish, hours=Hours(starts=(appointment.time,)))
    if reading.hours.shift:
        wish = replace(wish, hours=Hours(starts=(later(appointment.time, reading.hours.shift),)))
    if wish.days is None and wish.hours and (wish.hours.starts or not wish.hours.whole_day):
        wish = replace(wish, days=Days((appointment.day,)))
    return wish
