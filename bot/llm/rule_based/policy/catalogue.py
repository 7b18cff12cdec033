"""The catalogue of this business, as far as this turn needs it."""

from collections.abc import Generator, Iterable
from dataclasses import replace

from bot.llm.rule_based.nlu.entities import STOP, stem
from bot.llm.rule_based.policy.steps import Call
from bot.llm.rule_based.state.dialogue_turn import Turn
from bot.llm.rule_based.tool_results import Catalogue, Result, Service, catalogue_in

_MOST_TERMS = 5
Catalogued = Generator[tuple[Call, ...], tuple[Result, ...], Catalogue]


def catalogue_for(turn: Turn) -> Catalogued:
    """All services; of a business with more than one result holds, also those that the words call for."""
    (result,) = yield (Call("buscar_servicos"),)
    catalogue = catalogue_in(result.text)
    terms = _terms(turn) if catalogue.cut else []
    if not terms:
        return catalogue
    found = yield tuple(Call("buscar_servicos", (("termo", term),)) for term in terms)
    return _merged([catalogue, *(catalogue_in(one.text) for one in found)])


def _terms(turn: Turn) -> list[str]:
    """What to look for: the services settled so far, and the words that may name one."""
    settled = turn.memory.names.rpartition(" com ")[0] or turn.memory.names
    said = [word for word in turn.reading.rest.split() if word.isalpha() and len(word) > 3]
    terms = [*settled.split(" + "), *(stem(word) for word in said if word not in STOP)]
    return list(dict.fromkeys(filter(None, terms)))[:_MOST_TERMS]


def _merged(catalogues: Iterable[Catalogue]) -> Catalogue:
    services: dict[int, Service] = {}
    for service in (service for catalogue in catalogues for service in catalogue.services):
        known = services.get(service.id, service)
        services[service.id] = replace(known, team=tuple(dict.fromkeys((*known.team, *service.team))))
    return Catalogue(tuple(services.values()), cut=True)
