"""The customer's own visits: telling them, and leading to a new time or a cancellation."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import date

from bot.intents.choices import Choice
from bot.llm.rule_based import nlg
from bot.llm.rule_based.nlu.entities import STOP, alike
from bot.llm.rule_based.nlu.normalise import normalise
from bot.llm.rule_based.nlu.reading import Reading
from bot.llm.rule_based.nlu.times import Hours
from bot.llm.rule_based.nlu.topics import Topic
from bot.llm.rule_based.policy.ask import confirm, or_staff, see_times, standing
from bot.llm.rule_based.policy.book import look_up
from bot.llm.rule_based.policy.fill import Filled, filled, later_by
from bot.llm.rule_based.policy.steps import Reply, Talk
from bot.llm.rule_based.policy.turn import Turn, local, one_of
from bot.llm.rule_based.state.slots import Act, Asked, Form, periods_of
from tools.facts import Visit


def told_own(turn: Turn) -> Reply:
    """The customer's future visits."""
    if not turn.visits:
        return see_times(turn).after(nlg.NO_VISITS)
    lines = "\n".join(f"- {nlg.visit_line(one)}" for one in turn.visits)
    return Reply(f"O que tenho no seu nome:\n{lines}", turn.state if turn.state.words else turn.state.afresh)


def cancelling(turn: Turn) -> Talk:
    """Propose to cancel the one that is meant, or ask which. Without the tool a person is offered."""
    return (yield from _own(turn, Act.CANCEL, "cancelar"))


def moving(turn: Turn) -> Talk:
    """One step towards a new time for a visit. Without the tool a person is offered."""
    return (yield from _own(turn, Act.MOVE, "remarcar"))


def _own(turn: Turn, act: Act, tool: str) -> Talk:
    if not turn.can(tool):
        return or_staff(turn, nlg.NOT_HERE)
    if not turn.visits:
        return _nothing_there(turn, act)
    form = turn.form if turn.form.act == act else Form(act)
    now = _filled(turn, form)
    if act == Act.CANCEL and (other := _not_theirs(turn)):
        return _which(turn, replace(now, form=replace(form, visit=None)), turn.visits).after(
            nlg.NOT_YOURS.format(what=other)
        )
    return (yield from pursued(turn, now))


def _nothing_there(turn: Turn, act: Act) -> Reply:
    bare = act == Act.CANCEL and not turn.reading.has_facts and len(turn.reading.rest.split()) < 3
    fresh = turn.with_state(turn.state.afresh)
    return see_times(fresh).after(f"{nlg.NO_VISITS} {nlg.WHAT_TO_STOP if bare else ''}".strip())


def _not_theirs(turn: Turn) -> str:
    """A service that is named, and that the customer has not booked; "" if there is none."""
    named = turn.wishes[0].heard.services
    booked = {service.id for one in turn.visits for service in one.services}
    return "" if {one.id for one in named} & booked else nlg.listed([one.name for one in named], "e")


def pursued(turn: Turn, now: Filled) -> Talk:
    """Ask which visit is meant, then for its new time; or propose to cancel it."""
    visit = one_of(turn.visits, now.form.visit)
    if visit is None:
        candidates = meant(turn, now.form.act)
        if len(candidates) != 1:
            return _which(turn, now, candidates)
        visit = candidates[0]
        now = replace(now, form=replace(now.form, visit=visit.id))
    if now.form.act == Act.CANCEL:
        return confirm(turn, now.form, now.later)
    form = _relative(turn, now.form, visit)
    services = tuple(one.id for one in visit.services)
    if form.start and turn.reading.hours.shift:
        # It may overlap its own old time, which a search would call taken: the tool itself decides.
        return confirm(turn, replace(form, services=services), now.later)
    return (yield from look_up(turn, replace(now, form=replace(form, services=services))))


def _which(turn: Turn, now: Filled, candidates: Sequence[Visit]) -> Reply:
    """Which of them, and what is known of the new time already."""
    choices = [
        Choice(
            f"visit:{one.id}", _title(one), f"com {one.professional.name}, às {local(one.starts_at):%H:%M}"
        )
        for one in candidates
    ]
    new = nlg.wish(now.form, turn.catalogue) if now.form.act == Act.MOVE else ""
    words = "\n".join(filter(None, (f"Para: {new}." if new else "", nlg.WHICH_VISIT[now.form.act])))
    return Reply("", standing(turn, Asked.VISIT, now.form, now.later, words, choices))


def _title(visit: Visit) -> str:
    starts = local(visit.starts_at)
    return f"{nlg.listed([one.name for one in visit.services], 'e')}, {nlg.day(starts.date())[:-5]}"


# Which one


def meant(turn: Turn, act: Act) -> list[Visit]:
    """Those that fit what was said of them; all if nothing was said, or nothing fits."""
    fitting = list(turn.visits)
    reading = turn.wishes[0].reading
    for fits in (_by_service, _by_day, _by_hour, _by_name):
        fitting = [one for one in fitting if fits(one, reading, act)] or fitting
    reminded = [one for one in fitting if one.id == turn.request.reminded]
    return reminded if len(fitting) == len(turn.visits) and reminded else fitting


def _by_day(one: Visit, reading: Reading, act: Act) -> bool:
    """Days that are told as the old ones; a day that stands alone may be either."""
    days = reading.days
    told = (days.source.dates if days.source else ()) + days.refused
    if not told and (not days.target or act == Act.CANCEL):
        told = days.wanted.dates if days.wanted else ()
    return local(one.starts_at).date() in told


def _by_hour(one: Visit, reading: Reading, act: Act) -> bool:
    of_the_new = act == Act.MOVE and (reading.hours.target or reading.days.target)
    hours = reading.hours.source or (None if of_the_new else reading.hours.wanted)
    told = (*(hours.starts if hours else ()), *reading.hours.refused)
    return local(one.starts_at).time() in told


def _by_service(one: Visit, reading: Reading, _act: Act) -> bool:
    return _names(reading, " ".join(service.name for service in one.services))


def _by_name(one: Visit, reading: Reading, _act: Act) -> bool:
    return _names(reading, f"{' '.join(service.name for service in one.services)} {one.professional.name}")


def names_one(turn: Turn) -> bool:
    """Whether the words are those of a visit: its service or professional."""
    return any(_by_name(one, turn.reading, Act.MOVE) for one in turn.visits)


def _names(reading: Reading, told: str) -> bool:
    names = normalise(told).split()
    said = [word for word in reading.rest.split() if len(word) > 2 and word not in STOP]
    return any(alike(word, name) for word in said for name in names)


# The new time


def _filled(turn: Turn, form: Form) -> Filled:
    """What is said of the new time; the day and hour by which the old visit was named are not of it."""
    if form.act == Act.CANCEL:
        chosen = turn.choice
        visit = chosen.key if chosen and chosen.kind == "visit" else form.visit
        later = filled(turn, Form(Act.CANCEL)).later if len(turn.wishes) > 1 else turn.state.later
        gone = [one_of(turn.visits, visit)] if visit else meant(turn, Act.CANCEL)
        return Filled(replace(form, visit=visit), tuple(_in_place_of(one, gone) for one in later))
    candidates = [one for one in (one_of(turn.visits, form.visit),) if one] or meant(turn, Act.MOVE)
    now = filled(turn, form)
    person = now.form.person
    old = {one.professional.id for one in candidates}
    cleaned = replace(now.form, person=None if person in old else person, services=())
    for one in candidates:
        cleaned, now = _without_old(turn, cleaned, now, one)
    return replace(now, form=cleaned, heard=replace(now.heard, doubts=()))


def _in_place_of(form: Form, gone: Sequence[Visit | None]) -> Form:
    """ "Cancela o das 10 e marca às 15": what is not said of the new visit is as it was."""
    old = gone[0] if len(gone) == 1 else None
    if old is None or form.act != Act.BOOK:
        return form
    services = form.services or tuple(one.id for one in old.services)
    same = form.services in ((), services) and not form.anyone
    person = form.person or (old.professional.id if same else None)
    return replace(form, services=services, person=person, days=form.days or (local(old.starts_at).date(),))


def _without_old(turn: Turn, form: Form, now: Filled, visit: Visit) -> tuple[Form, Filled]:
    reading, start = turn.wishes[0].reading, local(visit.starts_at)
    days, hours = reading.days, reading.hours
    said = days.wanted.dates if days.wanted else ()
    if days.target is None and start.date() in said and (days.source or not hours.target):
        form, now = replace(form, days=turn.form.days), replace(now, doubtful=())
    named = hours.source or (hours.wanted if turn.state.asked == Asked.VISIT else None)
    if hours.target is None and named and start.time() in named.starts and form.hours == hours.wanted:
        form = replace(form, hours=turn.form.hours if hours.wanted == named else hours.wanted)
    return form, now


def _relative(turn: Turn, form: Form, visit: Visit) -> Form:
    """ "No mesmo horário", "uma hora mais cedo", and an hour alone, which is on the same day."""
    start, hours = local(visit.starts_at), turn.reading.hours
    if hours.same or (turn.thinks_again and form.days and not form.hours):
        form = replace(form, hours=Hours(starts=(start.time(),)))
    if hours.shift and not (form.hours and form.hours.starts and form.hours != turn.form.hours):
        form = replace(form, hours=Hours(starts=(later_by(start.time(), hours.shift),)))
    if not form.days and form.hours and (form.hours.starts or not form.hours.whole_day):
        form = replace(form, days=(start.date(),))
    return form


def period_of(form: Form) -> str | None:
    """The one part of the day that a wish is for."""
    periods = periods_of(form.hours)
    return periods[0] if len(periods) == 1 else None


def cannot_come(turn: Turn) -> bool:
    return turn.about(Topic.UNABLE) and bool(turn.visits)


def names_new_time(turn: Turn) -> bool:
    """Whether another time is told beside "não vou conseguir ir amanhã"."""
    days, taken = turn.reading.days, {local(one.starts_at).date() for one in turn.visits}
    said: set[date] = set(days.wanted.dates) if days.wanted else set()
    return (
        (bool(said) and not taken & said) or days.target is not None or turn.reading.hours.target is not None
    )
