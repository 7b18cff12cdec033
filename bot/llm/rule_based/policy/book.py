"""Leading a customer to a visit: service, professional, day, time, a yes to exactly that."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import date, timedelta

from bot.intents.choices import Choice
from bot.llm.rule_based import nlg
from bot.llm.rule_based.policy.ask import ask, or_staff
from bot.llm.rule_based.policy.fill import Filled, after_the_last, filled, team_of, who_can
from bot.llm.rule_based.policy.search import (
    is_closed,
    search,
    search_call,
)
from bot.llm.rule_based.policy.steps import Reply, Steps, Talk
from bot.llm.rule_based.policy.turn import Turn
from bot.llm.rule_based.state.slots import NO, YES, Act, Asked, Form
from tools.facts import Named, Offer


def booking(turn: Turn, lead: str = "", form: Form | None = None) -> Talk:
    """One step on the way to a visit, from what was settled and what was said now."""
    if not turn.catalogue.offers:
        return or_staff(turn, nlg.NO_SERVICES)
    begun = form or (turn.form if turn.form.act in (Act.BOOK, Act.WAIT) else Form())
    now = filled(turn, replace(begun, act=Act.BOOK))
    now = replace(now, form=after_the_last(turn, now.form, turn.reading))
    leads = [lead, nlg.ONE_AT_A_TIME if now.several else ""]
    if now.heard.service or now.heard.services:
        leads.append(nlg.missed(now.heard.missed))
    return (yield from pursue(turn, now)).after(*leads)


def pursue(turn: Turn, now: Filled) -> Talk:
    """Ask for the first thing that is missing, or look for times."""
    form, later, parted = _one_visit(turn, now)
    lead = "\n\n".join(filter(None, (parted, now.problem)))
    now = replace(now, form=form, later=later)
    if form.days and not form.services and (closed := (yield from _closed(turn, form))):
        now, lead = replace(now, form=replace(form, days=())), "\n\n".join(filter(None, (lead, closed)))
    reply = _service_missing(turn, now) or _person_missing(turn, now)
    if reply is None:
        team = team_of(turn.catalogue.chosen(now.form.services), now.form.not_with)
        if len(team) == 1:
            now = replace(now, form=replace(now.form, person=team[0].id, anyone=False))
        reply = yield from look_up(turn, now)
    return reply.after(lead)


def look_up(turn: Turn, now: Filled) -> Talk:
    """Ask for the day where it is missing or in doubt, else search."""
    form = now.form
    if doubt := time_in_doubt(turn, now):
        return doubt
    if not form.days and form.hours and form.hours.pick == "first":
        form = replace(form, days=(turn.now.date(),))
    if form.days:
        return (yield from search(turn, form, now.later))
    team = team_of(turn.catalogue.chosen(form.services), form.not_with)
    if form.act == Act.BOOK and not form.person and not form.anyone and not form.hours and len(team) > 1:
        return _ask_person(turn, now, team)
    return ask(turn, Asked.DAY, form, now.later)


def time_in_doubt(turn: Turn, now: Filled) -> Reply | None:
    """The question to a day or hour that may mean several; None if there is none."""
    if now.doubtful:
        return ask(turn, Asked.WHICH_DAY, now.form, now.later, choices=day_choices(now.doubtful))
    if now.unsure_hour:
        return ask(turn, Asked.CHECK_HOUR, now.form, now.later, choices=(YES, NO))
    return None


def day_choices(days: Sequence[date]) -> list[Choice]:
    return [Choice(f"day:{day.isoformat()}", nlg.day(day)[:-5], str(day.year)) for day in days]


def coming_days(turn: Turn) -> list[Choice]:
    """The next days, for who cannot say one."""
    return day_choices([turn.now.date() + timedelta(days=ahead) for ahead in range(7)])


def _closed(turn: Turn, form: Form) -> Steps[str]:
    """Whether the business is closed on the day, told from a search for any service."""
    if len(form.days) != 1 or not turn.can("buscar_horarios"):
        return ""
    (result,) = yield (search_call(turn, Form(services=(turn.catalogue.offers[0].id,)), form.days[0]),)
    return is_closed(result.facts)


# What is missing


def _one_visit(turn: Turn, now: Filled) -> tuple[Form, tuple[Form, ...], str]:
    """What one professional can do of it, that one who is named; the rest for afterwards."""
    form, services = now.form, turn.catalogue.chosen(now.form.services)
    if team_of(services) or len(services) < 2 or not all(one.professionals for one in services):
        return form, now.later, ""
    wanted = [one for one in (turn.catalogue.person(form.person),) if one] or list(now.heard.people)
    first = next((one for one in services if set(wanted) & set(one.professionals)), services[0])
    together: tuple[Offer, ...] = (first,)
    for one in services:
        if one != first and team_of((*together, one)):
            together = (*together, one)
    able = [one for one in team_of(together) if one in wanted]
    rest = [one for one in services if one not in together]
    later = tuple(Form(services=(one.id,), days=form.days, whose=form.whose) for one in rest)
    keys = tuple(one.id for one in together)
    alone = replace(form, services=keys, person=able[0].id if len(able) == 1 else None)
    return alone, (*later, *now.later), nlg.one_by_one(services, together)


def _service_missing(turn: Turn, now: Filled) -> Reply | None:
    if now.heard.doubts:
        return _ask_service(turn, now, now.heard.doubts[0])
    if now.form.services:
        return None
    person = turn.catalogue.person(now.form.person)
    theirs = [one for one in turn.catalogue.offers if person in (None, *one.professionals)]
    lead = nlg.missed(now.heard.missed) or (nlg.NO_SUCH_SERVICE if now.heard.something else "")
    return _ask_service(turn, now, theirs).after(lead)


def _ask_service(turn: Turn, now: Filled, offers: Sequence[Offer]) -> Reply:
    choices = [Choice(f"service:{one.id}", one.name, nlg.about(one)) for one in offers]
    return ask(turn, Asked.SERVICE, now.form, now.later, choices=choices)


def _person_missing(turn: Turn, now: Filled) -> Reply | None:
    """Where nobody does it all, or the one that is wanted does not, or several are called so."""
    form, services = now.form, turn.catalogue.chosen(now.form.services)
    team = team_of(services, form.not_with)
    if not team:
        return or_staff(turn, nlg.NOBODY)
    named = who_can(now.heard.people, services)
    if len(named) > 1 and not form.anyone:
        return _ask_person(turn, replace(now, form=replace(form, person=None)), named)
    wanted = turn.catalogue.person(form.person)
    if wanted and wanted not in team:
        lead = f"{wanted.name} não faz esse atendimento."
        return _ask_person(turn, replace(now, form=replace(form, person=None)), team).after(lead)
    return _ask_person(turn, now, team).after(nlg.NO_SUCH_PERSON) if now.heard.stranger else None


def _ask_person(turn: Turn, now: Filled, people: Sequence[Named]) -> Reply:
    choices = [Choice(f"person:{one.id}", one.name) for one in people]
    anyone = [Choice("anyone", "Tanto faz")] if len(people) > 1 else []
    return ask(turn, Asked.PERSON, now.form, now.later, choices=[*choices, *anyone])
