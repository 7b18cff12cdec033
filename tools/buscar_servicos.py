"""What can be booked, what it costs, and with whom."""

from dataclasses import replace

from pydantic import Field

from models import catalog
from models.catalog import Offer
from models.tenant import Tenant
from tools import facts, portuguese
from tools.argument_types import Term
from tools.contract import Arguments, Tool, ToolContext, ToolOutcome
from tools.facts import Services

MOST_OFFERS = 60  # as data; of the words fewer fit


class BuscarServicos(Arguments):
    """The arguments of buscar_servicos."""

    termo: Term | None = Field(
        None,
        description=(
            "Parte do nome de um serviço ou de um profissional, como o cliente disse. Sem ele, lista tudo."
        ),
        examples=["corte"],
    )


def run(context: ToolContext, wish: BuscarServicos) -> ToolOutcome:
    with context.db.reading() as session:
        business = session.get_one(Tenant, context.tenant_id).name
        offers = catalog.offers(session, context.tenant_id)
    if not offers:
        text = f"{business} não tem nenhum serviço aberto para agendamento no momento."
        return ToolOutcome(text, (Services(()),))
    term = portuguese.folded(wish.termo or "")
    found = [match for offer in offers if (match := _matching(offer, term))]
    heading = f"Serviços de {business}:"
    if not found:
        heading = f"Nenhum serviço combina com “{portuguese.shortened(wish.termo or '')}”. {heading}"
    shown = found or offers
    fact = Services(
        tuple(map(facts.Offer.of, shown[:MOST_OFFERS])),
        matched=bool(found),
        shortened=len(shown) > MOST_OFFERS,
    )
    return ToolOutcome("\n".join([heading, *map(_line, shown)]), (fact,))


def _matching(offer: Offer, term: str) -> Offer | None:
    """The offer, with only the professionals that the term names if it names any."""
    words = term.split()
    if all(word in portuguese.folded(offer.name) for word in words):
        return offer
    named = tuple(
        who for who in offer.professionals if all(word in portuguese.folded(who[1]) for word in words)
    )
    return replace(offer, professionals=named) if named else None


def _line(offer: Offer) -> str:
    people = [portuguese.professional(*who) for who in offer.professionals]
    who = f"Com: {portuguese.shortlist(people)}." if people else "Sem profissional disponível no momento."
    holidays = " Também em feriados." if offer.on_holidays else ""
    return f"- {portuguese.offer_line(offer)} {who}{holidays}"


TOOL = Tool(
    name="buscar_servicos",
    description=(
        "Lista os serviços do estabelecimento com duração, preço, profissionais e os identificadores que as "
        "outras ferramentas pedem. Use antes de buscar_horarios ou agendar, se os identificadores ainda não "
        "apareceram na conversa, e sempre que o cliente perguntar por serviços, preços ou profissionais. Não "
        "use para ver horários livres. Nunca invente serviço, preço ou identificador que não esteja aqui."
    ),
    arguments=BuscarServicos,
    run=run,
)
