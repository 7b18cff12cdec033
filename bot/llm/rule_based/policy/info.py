"""Answers to plain questions: prices, services, people, where, when."""

import re
from collections.abc import Sequence
from datetime import date

from bot.llm.rule_based import nlg
from bot.llm.rule_based.nlu.entities import STOP, alike, names_unknown, not_offered, services_in
from bot.llm.rule_based.nlu.normalise import normalise
from bot.llm.rule_based.nlu.topics import COMPARES_PRICES, Topic
from bot.llm.rule_based.policy.catalogue import catalogue_for
from bot.llm.rule_based.policy.contact import contact, is_told
from bot.llm.rule_based.policy.search import CLOSED, closed_line, search_call
from bot.llm.rule_based.policy.steps import Talk
from bot.llm.rule_based.state.dialogue_turn import Turn
from bot.llm.rule_based.state.slots import recalled
from bot.llm.rule_based.state.tracker import Asked, want
from bot.llm.rule_based.state.wish import Wish, day_told
from bot.llm.rule_based.tool_results import Catalogue, Service, found_in

CATALOGUE_TOPICS = (Topic.PRICE, Topic.DURATION, Topic.SERVICES, Topic.TEAM)
TOPICS = (*CATALOGUE_TOPICS, Topic.WHERE, Topic.OPENING, Topic.HOLIDAY, Topic.CONTACT, Topic.ROBOT)


def information(turn: Turn) -> Talk:
    """Everything that was asked of, a paragraph each."""
    paragraphs = []
    if turn.about(Topic.ROBOT):
        paragraphs.append(nlg.ROBOT)
    if turn.about(*CATALOGUE_TOPICS):
        catalogue = yield from catalogue_for(turn)
        paragraphs.append(_catalogue(turn, catalogue))
    if turn.about(Topic.WHERE):
        paragraphs.append(_where(turn))
    if turn.about(Topic.OPENING):
        paragraphs.append((yield from _opening(turn)))
    if turn.about(Topic.HOLIDAY) and not _asked_day(turn):
        paragraphs.append(nlg.HOLIDAYS)
    if turn.about(Topic.CONTACT):
        paragraphs.append((yield from contact(turn)))
    return "\n\n".join(paragraphs)


def invitation(turn: Turn) -> Talk:
    """The question after an answer where nothing is open: about the services that were named, if any."""
    if turn.about(Topic.OPENING) and not _hours_told(turn) and not _asked_day(turn):
        return Asked.STAFF.value
    if turn.about(Topic.CONTACT) and not is_told((yield from contact(turn))):
        return Asked.STAFF.value
    if not turn.about(*CATALOGUE_TOPICS):
        return f"{Asked.WANT.value}?"
    catalogue = yield from catalogue_for(turn)
    named = _named(turn, catalogue)
    doubts = services_in(turn.reading_with(catalogue).rest, catalogue.services).doubts
    return want(Wish(services=() if doubts else tuple(named)))


def _named(turn: Turn, catalogue: Catalogue) -> Sequence[Service]:
    rest = turn.reading_with(catalogue).rest
    found = _told(rest, catalogue)
    if (
        found
        or names_unknown(rest)
        or not_offered(rest, catalogue.services)
        or not turn.about(Topic.PRICE, Topic.DURATION)
    ):
        return found
    return recalled(turn.memory, catalogue).services  # "quanto fica?" of what is being arranged


def _told(rest: str, catalogue: Catalogue) -> list[Service]:
    """The services in a text, also those between which it leaves the choice."""
    named = services_in(rest, catalogue.services)
    return [*named.sure, *(service for doubt in named.doubts for service in doubt)]


def _catalogue(turn: Turn, catalogue: Catalogue) -> str:
    if not catalogue.services:
        return nlg.NO_SERVICES
    rest = turn.reading_with(catalogue).rest
    missed = not_offered(rest, catalogue.services)
    if re.search(COMPARES_PRICES, turn.reading.text) and not missed:
        return _by_price(_told(rest, catalogue) or catalogue.services)
    named = _named(turn, catalogue)
    if named:
        lines = [f"- {nlg.service_with_team(service)}" for service in named]
        return "\n".join([*lines, *filter(None, [nlg.not_offered(missed)])])
    if missed or names_unknown(rest):
        return f"{nlg.NO_SUCH_SERVICE}\n\n{_all(catalogue)}"
    if turn.about(Topic.TEAM) and not turn.about(Topic.PRICE, Topic.SERVICES):
        return f"Na equipe: {nlg.listed([person.name for person in catalogue.team], 'e')}."
    return _all(catalogue)


def _all(catalogue: Catalogue) -> str:
    shown = [f"- {nlg.service_line(service)}" for service in catalogue.services[: nlg.MOST_SERVICES]]
    more = len(catalogue.services) - len(shown)
    return "\n".join([nlg.OUR_SERVICES, *shown, *([f"e mais {more}"] if more > 0 else [])])


def _by_price(services: Sequence[Service]) -> str:
    """Where a price is too high, or the lowest one is asked for; those without one come last."""
    ordered = sorted(services, key=lambda service: (service.cents is None, service.cents))
    shown = [f"- {nlg.service_line(service)}" for service in ordered[: nlg.MOST_SERVICES]]
    return "\n".join([nlg.CHEAPEST_FIRST, *shown])


def _where(turn: Turn) -> str:
    """The address, and what the business says of parking and the like."""
    address = turn.transcript.address
    found = [f"Ficamos em: {address}" if address else "", *about_lines(turn)]
    return "\n".join(filter(None, found)) or nlg.ADDRESS_UNKNOWN


def _opening(turn: Turn) -> Talk:
    """What the business says of its hours; of one day, whether it opens at all."""
    day = _asked_day(turn)
    known = _hours_told(turn) or ("" if day else nlg.HOURS_UNKNOWN)
    opens = (yield from _opens(turn, day)) if day else ""
    return "\n".join(filter(None, (known, opens))) or nlg.HOURS_UNKNOWN


def _hours_told(turn: Turn) -> str:
    lines = turn.transcript.about.splitlines()
    return "\n".join(line for line in lines if _HOURS.search(normalise(line)))


def _asked_day(turn: Turn) -> date | None:
    """The one day that was asked about, if it can be looked up."""
    days = turn.reading.days.wanted
    if re.search(r"\bhoras?\b|\bhorario", turn.reading.text):
        return None  # asked when, not whether
    single = days is not None and days.sure and len(days.dates) == 1 and not days.problem
    return days.dates[0] if days and single and turn.can("buscar_horarios") else None


def settles(turn: Turn, answer: str) -> bool:
    """Whether a question about the hours leads to no visit: it is closed then, or they are not known."""
    closed = CLOSED.search(answer) is not None
    return turn.about(Topic.OPENING) and (closed or nlg.HOURS_UNKNOWN in answer)


def _opens(turn: Turn, day: date) -> Talk:
    """Told from what a search for any service says of the day; "" where that tells nothing."""
    catalogue = yield from catalogue_for(turn)
    if not catalogue.services:
        return ""
    (result,) = yield (search_call(Wish(services=catalogue.services[:1]), day),)
    found = found_in(result.text, day)
    if found.slots:
        return f"Atendemos sim: {day_told(day)}."
    return closed_line(day, found.reason)


_HOURS = re.compile(r"\b(?:abert|abre|fecha|funciona|atende)\w*\b.*\d|\b\d{1,2} ?(?:h\b|:\d\d)")


def about_lines(turn: Turn) -> list[str]:
    """The lines of the business's own words that speak of what was asked ("aceitam pix?")."""
    asked = [word for word in turn.reading.rest.split() if word not in STOP and len(word) > 2]
    lines = turn.transcript.about.splitlines()
    return [line for line in lines if any(alike(word, other) for word in asked for other in _words(line))]


def _words(line: str) -> list[str]:
    return [word for word in normalise(line).split() if word not in STOP and len(word) > 2]
