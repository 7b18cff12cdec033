"""Answers to plain questions: prices, services, people, where, when."""

import re
from collections.abc import Sequence
from datetime import date

from bot.llm.rule_based import nlg
from bot.llm.rule_based.nlu import about
from bot.llm.rule_based.nlu.topics import COMPARES_PRICES, Topic
from bot.llm.rule_based.policy.ask import or_staff, see_times
from bot.llm.rule_based.policy.search import is_closed, search_call
from bot.llm.rule_based.policy.steps import Reply, Steps
from bot.llm.rule_based.policy.turn import Turn
from bot.llm.rule_based.state.slots import Form
from tools.facts import FreeStarts, Offer

CATALOGUE_TOPICS = (Topic.PRICE, Topic.DURATION, Topic.SERVICES, Topic.TEAM)
TOPICS = (*CATALOGUE_TOPICS, Topic.WHERE, Topic.OPENING, Topic.HOLIDAY, Topic.CONTACT, Topic.ROBOT)
_MOST = 15


def information(turn: Turn) -> Steps[str]:
    """Everything that was asked of, a paragraph each."""
    paragraphs = [nlg.ROBOT] if turn.about(Topic.ROBOT) else []
    if turn.about(*CATALOGUE_TOPICS):
        paragraphs.append(_catalogue(turn))
    if turn.about(Topic.WHERE):
        paragraphs.append(_where(turn))
    if turn.about(Topic.OPENING):
        paragraphs.append((yield from _opening(turn)))
    if turn.about(Topic.HOLIDAY) and not _asked_day(turn):
        paragraphs.append(nlg.HOLIDAYS)
    if turn.about(Topic.CONTACT):
        paragraphs.append(_contact(turn))
    return "\n\n".join(paragraphs)


def invitation(turn: Turn, told: str) -> Reply:
    """The question after an answer where nothing is open: about the services that were named, if any."""
    if nlg.UNKNOWN_HERE in told or nlg.PRIVATE_CONTACT in told:
        return or_staff(turn, "")
    if not turn.about(*CATALOGUE_TOPICS) or turn.heard.doubts:
        return see_times(turn)
    return see_times(turn, _named(turn))


def _named(turn: Turn) -> Sequence[Offer]:
    heard = turn.heard
    found = [*heard.services, *(offer for doubt in heard.doubts for offer in doubt)]
    if found or heard.something or heard.missed or not turn.about(Topic.PRICE, Topic.DURATION):
        return found
    return turn.catalogue.chosen(turn.form.services)  # "quanto fica?" of what is being arranged


def _catalogue(turn: Turn) -> str:
    offers, heard = turn.catalogue.offers, turn.heard
    if not offers:
        return nlg.NO_SERVICES
    named = _named(turn)
    if re.search(COMPARES_PRICES, turn.reading.text) and not heard.missed:
        return _by_price(named or offers)
    if named:
        lines = [nlg.with_team(one) for one in named]
        return "\n".join([*lines, *filter(None, [nlg.missed(heard.missed)])])
    if heard.missed or heard.something:
        return f"{nlg.missed(heard.missed) or nlg.NO_SUCH_SERVICE}\n\n{_all(offers)}"
    if turn.about(Topic.TEAM) and not turn.about(Topic.PRICE, Topic.SERVICES):
        return f"Na equipe: {nlg.listed([one.name for one in turn.catalogue.team], 'e')}."
    return _all(offers)


def _all(offers: Sequence[Offer]) -> str:
    return "\n".join(["Nossos serviços:", *_lines(offers)])


def _lines(offers: Sequence[Offer]) -> list[str]:
    more = len(offers) - _MOST
    shown = [f"- {one.name}: {nlg.about(one)}" for one in offers[:_MOST]]
    return [*shown, *([f"e mais {more}: diga o nome do que procura."] if more > 0 else [])]


def _by_price(offers: Sequence[Offer]) -> str:
    """Where a price is too high, or the lowest one is asked for; those without one come last."""
    ordered = sorted(offers, key=lambda one: (one.price_cents is None, one.price_cents or 0))
    return "\n".join(["Do mais em conta ao mais caro:", *_lines(ordered)])


def _where(turn: Turn) -> str:
    """The address, and what the business says of parking and the like."""
    address = turn.context.address
    found = [
        f"Ficamos em: {address}" if address else "",
        *about.lines_on(turn.context.about, turn.reading.rest),
    ]
    return "\n".join(filter(None, found)) or f"O endereço {nlg.UNKNOWN_HERE}"


def _opening(turn: Turn) -> Steps[str]:
    """What the business says of its hours; of one day, whether it opens at all."""
    day = _asked_day(turn)
    known = about.hours_told(turn.context.about)
    opens = (yield from _opens(turn, day)) if day else ""
    return "\n".join(filter(None, (known, opens))) or f"O horário de funcionamento {nlg.UNKNOWN_HERE}"


def _asked_day(turn: Turn) -> date | None:
    """The one day that was asked about, if it can be looked up."""
    days = turn.reading.days.wanted
    if re.search(r"\bhoras?\b|\bhorario", turn.reading.text):
        return None  # asked when, not whether
    single = days is not None and days.sure and len(days.dates) == 1 and not days.problem
    return days.dates[0] if days and single and turn.can("buscar_horarios") else None


def _opens(turn: Turn, day: date) -> Steps[str]:
    """Told from what a search for any service says of the day; "" where that tells nothing."""
    if not turn.catalogue.offers:
        return ""
    (result,) = yield (search_call(turn, Form(services=(turn.catalogue.offers[0].id,)), day),)
    if any(isinstance(fact, FreeStarts) for fact in result.facts):
        return f"Atendemos sim: {nlg.day(day)}."
    return is_closed(result.facts)


def _contact(turn: Turn) -> str:
    """What the business tells of itself; nothing of its people or of other customers."""
    if about.asks_for_somebodys(turn.reading.text, turn.context.business) or turn.heard.people:
        return nlg.PRIVATE_CONTACT
    asked = about.contacts_in(turn.reading.text)
    told = {name: about.contact_told(turn.context.about, name) for name in asked}
    if about.WHATSAPP in told:
        told[about.WHATSAPP] = told[about.WHATSAPP] or nlg.THIS_WHATSAPP
    unknown = nlg.listed([name for name, line in told.items() if not line], "e")
    known = dict.fromkeys(filter(None, told.values()))
    return "\n".join([*known, *([nlg.contact_unknown(unknown)] if unknown else [])])
