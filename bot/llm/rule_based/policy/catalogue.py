"""The catalogue of this business, as far as this turn needs it."""

from collections.abc import Iterable
from dataclasses import replace

from bot.llm.rule_based.nlu.entities import STOP, Catalogue, stem
from bot.llm.rule_based.policy.steps import Call, Result, Steps
from bot.llm.rule_based.policy.turn import Turn
from tools.facts import Offer, Services

_MOST_TERMS = 5


def with_catalogue(turn: Turn) -> Steps[Turn]:
    """The turn with all services; of a business with more than one result holds, also those that the words
    call for.
    """
    if turn.catalogue.offers or not turn.can("buscar_servicos"):
        return turn
    (result,) = yield (Call("buscar_servicos"),)
    catalogue = _of([result])
    terms = _terms(turn) if catalogue.shortened else []
    if terms:
        found = yield tuple(Call("buscar_servicos", (("termo", term),)) for term in terms)
        catalogue = _of([result, *found])
    return replace(turn, catalogue=catalogue)


def _of(results: Iterable[Result]) -> Catalogue:
    facts = [fact for result in results for fact in result.facts if isinstance(fact, Services)]
    offers: dict[int, Offer] = {}
    for offer in (offer for fact in facts for offer in fact.offers):
        known = offers.get(offer.id, offer)
        people = tuple(dict.fromkeys((*known.professionals, *offer.professionals)))
        offers[offer.id] = replace(known, professionals=people)
    return Catalogue(tuple(offers.values()), any(fact.shortened for fact in facts))


def _terms(turn: Turn) -> list[str]:
    """The words that may name a service."""
    said = [word for word in turn.reading.rest.split() if word.isalpha() and len(word) > 3]
    return list(dict.fromkeys(stem(word) for word in said if word not in STOP))[:_MOST_TERMS]
