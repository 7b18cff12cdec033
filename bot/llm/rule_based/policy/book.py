"""Leading a customer to a visit: service, professional, day, time, a yes to exactly that."""

import re
from collections.abc import Generator, Sequence
from dataclasses import replace
from datetime import date, datetime, time

from bot.llm.rule_based import nlg
from bot.llm.rule_based.nlu.dates import Days
from bot.llm.rule_based.nlu.times import Hours
from bot.llm.rule_based.nlu.topics import Topic
from bot.llm.rule_based.policy.catalogue import catalogue_for
from bot.llm.rule_based.policy.search import WEEKDAY_NAMES, closed_on, none_with, search, visit_argument
from bot.llm.rule_based.policy.steps import Call, Talk
from bot.llm.rule_based.state.dialogue_turn import Turn
from bot.llm.rule_based.state.slots import (
    Heard,
    chosen,
    drafted,
    heard_in,
    later,
    one_visit,
    recalled,
    who_can,
)
from bot.llm.rule_based.state.tracker import Asked, numbered, question, want
from bot.llm.rule_based.state.wish import Wish, day_told
from bot.llm.rule_based.tool_results import (
    Catalogue,
    Person,
    Result,
    Service,
    done_in,
    nearest_in,
    read_day,
    read_time,
    reason_in,
)

_BOOKED = re.compile(r"✅ Agendado: .*, (\d\d/\d\d/\d{4}), às (\d\d:\d\d) \((\d+) min")
_FOR_TWO = re.compile(
    r"\bpara mim e (?:para )?(?:o |a |um |uma )?(?:meu|minha|amig|namorad|marid|espos|filh|irma|mae|pai)|"
    r"\beu e (?:ele|ela|o meu|a minha|meu|minha)\b|\bpara (?:2|nos 2|2 pessoas)\b|"
    r"\b2 (?:cortes|escovas|manicures|pessoas)\b"
)
_Possible = Generator[tuple[Call, ...], tuple[Result, ...], tuple[Wish, str]]


def booking(turn: Turn, lead: str = "") -> Talk:
    """One step on the way to a visit, from what was settled and what was said now."""
    catalogue = yield from catalogue_for(turn)
    if not catalogue.services:
        return nlg.or_staff(nlg.NO_SERVICES)
    heard = _still_open(turn, heard_in(turn, catalogue), catalogue)
    wish, wrong = yield from _possible(turn, drafted(turn, catalogue, heard), catalogue)
    wish = _only_left(wish, heard)
    visit = one_visit(wish, heard.people)
    parted = nlg.one_by_one(wish.services, visit.services) if visit != wish else ""
    if _FOR_TWO.search(turn.reading.text) and visit.services and not visit.later:
        visit, parted = replace(visit, later=visit.services), nlg.ONE_EACH
    text = yield from _pursue(visit, heard, catalogue, turn.now)
    return "\n\n".join(filter(None, (lead, nlg.not_offered(heard.missed), parted, wrong, text)))


def _still_open(turn: Turn, heard: Heard, catalogue: Catalogue) -> Heard:
    """With the few that were to be chosen from, where only a day, an hour or somebody else was told."""
    memory = turn.memory
    named = heard.named.sure or heard.named.doubts or heard.unknown_service
    if named or chosen(memory, heard.reading) or turn.about(Topic.OTHER_SERVICE, Topic.OTHER_PERSON):
        return heard
    texts = {choice.text for choice in memory.choices}
    if memory.asked == Asked.SERVICE and len(texts) < min(len(catalogue.services), nlg.MOST_SERVICES):
        few = tuple(one for one in catalogue.services if nlg.service_line(one) in texts)
        return replace(heard, few=few)
    if memory.asked == Asked.PERSON and not heard.people and not heard.unknown_person:
        people = tuple(one for one in catalogue.team if one.name in texts)
        narrowed = len(people) < len(recalled(memory, catalogue).team)
        return replace(heard, people=people) if narrowed else heard
    return heard


def _only_left(wish: Wish, heard: Heard) -> Wish:
    """With the one service of the `few` that the professional does who was named."""
    left = _of(wish.person, heard.few)
    return replace(wish, services=tuple(left)) if len(left) == 1 and not wish.services else wish


def _possible(turn: Turn, wish: Wish, catalogue: Catalogue) -> _Possible:
    """The wish without a day that does not exist or, as long as no search says so, on which all is closed."""
    wish = _after_the_last(turn, wish)
    days = wish.days
    if days and days.problem:
        return replace(wish, days=None), days.problem
    alone = days is not None and days.sure and len(days.dates) == 1 and turn.can("buscar_horarios")
    if not days or wish.services or not alone:
        return wish, ""
    closed = yield from closed_on(days.dates[0], catalogue)
    return (replace(wish, days=None), closed) if closed else (wish, "")


def _after_the_last(turn: Turn, wish: Wish) -> Wish:
    """ "E a manicure às 11", "logo depois": of the day that was just booked, or right behind that visit."""
    booked = _BOOKED.search(turn.transcript.said)
    if booked is None or (wish.hours and not wish.hours.starts):
        return wish
    day = Days((read_day(booked[1]),))
    if wish.hours:
        return replace(wish, days=wish.days or day)
    if not turn.about(Topic.RIGHT_AFTER) or (wish.days and wish.days.dates != day.dates):
        return wish
    ends = later(read_time(booked[2]), int(booked[3]))
    return replace(wish, days=day, hours=Hours(earliest=ends, pick="first"))


# --- what is missing ---------------------------------------------------------------------------------------


def _pursue(wish: Wish, heard: Heard, catalogue: Catalogue, now: datetime) -> Talk:
    """Ask for the first thing that is missing, or look for times."""
    missing = _service_missing(wish, heard, catalogue) or _person_missing(wish, heard)
    if missing:
        return missing
    if len(wish.team) == 1:
        wish = replace(wish, person=wish.team[0], anyone=False)
    choice = "" if wish.person or wish.anyone else _ask_person(wish)
    return (yield from look_up(wish, now, choice))


def look_up(wish: Wish, now: datetime, choice_of_person: str = "") -> Talk:
    """Ask for the day where it is missing or in doubt (`choice_of_person` goes before that), else search."""
    doubt = time_in_doubt(wish)
    if doubt:
        return doubt
    if wish.days is None and wish.hours and (wish.hours.starts or wish.hours.pick == "first"):
        wish = replace(wish, days=Days((now.date(),)))
    if wish.days is None:
        return choice_of_person or question(wish, Asked.DAY)
    return (yield from search(wish))


def time_in_doubt(wish: Wish) -> str:
    """The question to a day or hour that may mean several; "" if there is none."""
    days, hours = wish.days, wish.hours
    if days and days.problem:
        return f"{days.problem}\n\n{question(replace(wish, days=None), Asked.DAY)}"
    if days and not days.sure:
        options = numbered([day_told(day) for day in days.dates])
        return question(replace(wish, days=None), Asked.WHICH_DAY, options)
    if hours and not hours.sure:
        return question(replace(wish, hours=None), Asked.ONE_OCLOCK)
    return ""


def _service_missing(wish: Wish, heard: Heard, catalogue: Catalogue) -> str:
    if heard.named.doubts:
        return _ask_service(wish, heard.named.doubts[0])
    if wish.services:
        return ""
    lead = nlg.NO_SUCH_SERVICE if heard.unknown_service else ""
    theirs = _of(wish.person, heard.few) or _of(wish.person, catalogue.services)
    return "\n\n".join(filter(None, (lead, _ask_service(wish, theirs))))


def _of(person: Person | None, services: Sequence[Service]) -> list[Service]:
    return [service for service in services if person in (None, *service.team)]


def _ask_service(wish: Wish, services: Sequence[Service]) -> str:
    return question(wish, Asked.SERVICE, "Temos:", nlg.services_list(services))


def _person_missing(wish: Wish, heard: Heard) -> str:
    """Where nobody does it all, or the one that is wanted does not, or several are called so."""
    if not wish.team:
        return nlg.or_staff(nlg.NOBODY)
    people = who_can(heard.people, wish)
    if len(people) > 1 and not wish.anyone:
        return question(
            replace(wish, person=None), Asked.PERSON, numbered([person.name for person in people])
        )
    unable = wish.person is not None and wish.person not in wish.team
    if not unable and not heard.unknown_person:
        return ""
    lead = f"{wish.person.name} não faz esse atendimento." if unable and wish.person else nlg.NO_SUCH_PERSON
    return f"{lead}\n\n{_ask_person(wish)}"


def _ask_person(wish: Wish) -> str:
    options = numbered([person.name for person in wish.team])
    hint = "Se tanto faz, é só dizer." if len(wish.team) > 1 else ""
    return question(replace(wish, person=None), Asked.PERSON, options, hint)


# --- the booking itself ------------------------------------------------------------------------------------


def confirmed(turn: Turn) -> Talk:
    """The customer said yes to the proposal of the last answer: book exactly that."""
    catalogue = yield from catalogue_for(turn)
    wish = recalled(turn.memory, catalogue)
    if not (wish.services and wish.person and wish.days and wish.hours):
        gone = replace(wish, services=(), person=None)
        return f"{nlg.NO_SUCH_SERVICE}\n\n{_ask_service(gone, catalogue.services)}"
    call = _book_call(wish, wish.person, wish.days.dates[0], wish.hours.starts[0], turn.customer)
    (result,) = yield (call,)
    if result.kind == "ok":
        return booked(result.text, next_offer(wish))
    return none_with(replace(wish, hours=None), reason_in(result.text), nearest_in(result.text))


def _book_call(wish: Wish, person: Person, day: date, start: time, customer: str) -> Call:
    return Call(
        "agendar",
        (
            visit_argument(wish.services),
            ("profissional_id", person.id),
            ("data", day.isoformat()),
            ("hora", f"{start:%H:%M}"),
            ("dia_semana", WEEKDAY_NAMES[day.weekday()]),
            *((("nome_cliente", customer),) if customer else ()),
        ),
    )


def next_offer(wish: Wish) -> str:
    """The offer of what was wished for besides, on the day of this visit; "" if that was all."""
    if not wish.later:
        return ""
    days = wish.days if wish.days and len(wish.days.dates) == 1 else None
    return f"{nlg.NOW_THE_REST}\n\n{want(one_visit(Wish(wish.later, days=days)))}"


def booked(result: str, offer: str = "") -> str:
    """A write's own words, told to the customer, and what comes next."""
    verb, what = done_in(result)
    if verb.startswith("Já"):
        return "\n\n".join(filter(None, (f"{verb}: {what}", offer)))
    return f"Prontinho! ✅ {verb}: {what}\n\n{offer or nlg.ANYTHING_ELSE}"
