"""The customer's own appointments that are still to come."""

from models import appointment
from models.customer import Customer
from models.tenant import Tenant
from tools import portuguese
from tools.contract import Arguments, Tool, ToolContext, ToolOutcome
from tools.facts import Upcoming, Visit


class MeusAgendamentos(Arguments):
    """The arguments of meus_agendamentos: none."""


def run(context: ToolContext, _wish: MeusAgendamentos) -> ToolOutcome:
    with context.db.reading() as session:
        zone = session.get_one(Tenant, context.tenant_id).zone
        name = session.get_one(Customer, context.customer_id).name
        found = appointment.upcoming(session, context.tenant_id, context.customer_id, context.now)
    if not found:
        return ToolOutcome("Nenhum agendamento futuro.", (Upcoming(),))
    lines = [f"- {portuguese.appointment_line(details, zone)}" for details in found]
    fact = Upcoming(tuple(Visit.of(details, zone) for details in found))
    return ToolOutcome("\n".join([_heading(name), *lines]), (fact,))


def _heading(name: str) -> str:
    """The name is the customer's own word: on one line, and short."""
    known = portuguese.shortened(" ".join(name.split()))
    return f"Agendamentos de {known}:" if known else "Agendamentos do cliente:"


TOOL = Tool(
    name="meus_agendamentos",
    description=(
        "Lista os agendamentos futuros do cliente desta conversa, com o agendamento_id de cada um. Use "
        "quando ele perguntar pelos próprios horários, antes de remarcar ou cancelar se o agendamento_id "
        "ainda não apareceu, e quando houver dúvida se algo foi marcado. Não mostra agendamentos de outras "
        "pessoas."
    ),
    arguments=MeusAgendamentos,
    run=run,
)
