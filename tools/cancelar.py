"""Cancel an appointment."""

from pydantic import Field
from sqlmodel import Session

from models import appointment, audit
from models.errors import NotFound, Refusal
from models.tenant import Tenant
from tools import idempotency, portuguese, refusals
from tools.argument_types import Id, Motive
from tools.contract import Arguments, Tool, ToolContext, ToolOutcome, ToolRefusal
from tools.facts import Cancelled, Refused, Visit
from tools.idempotency import Written

NAME = "cancelar"


class Cancelar(Arguments):
    """The arguments of cancelar."""

    agendamento_id: Id = Field(description="O agendamento a cancelar.")
    motivo: Motive | None = Field(
        None, description="O motivo, se o cliente disse. Não pergunte por ele.", examples=["Vai viajar"]
    )


def run(context: ToolContext, wish: Cancelar) -> ToolOutcome:
    try:
        return idempotency.once(context, NAME, wish, lambda session: _cancel(session, context, wish))
    except Refusal as refusal:
        raise _refused(wish, refusal) from refusal
    except NotFound as missing:
        raise refusals.missing("appointment", "agendamento_id", wish.agendamento_id) from missing


def _refused(wish: Cancelar, refusal: Refusal) -> ToolRefusal:
    clause = portuguese.refusal(refusal.code, refusal.detail, "")
    fact = Refused(refusal.code, f"Não cancelei o agendamento: {clause}.", dict(refusal.detail))
    return ToolRefusal(fact, f"Não cancelei o agendamento_id {wish.agendamento_id}: {clause}.")


def _cancel(session: Session, context: ToolContext, wish: Cancelar) -> Written:
    tenant = session.get_one(Tenant, context.tenant_id)
    cancelled = appointment.cancel(
        session, context.now, tenant, context.customer_id, wish.agendamento_id, wish.motivo or ""
    )
    details = appointment.details(session, context.tenant_id, wish.agendamento_id)
    line = f"(agendamento_id {details.id}): {portuguese.visit(details, tenant.zone)}."
    fact = Cancelled(Visit.of(details, tenant.zone), already=cancelled.already_cancelled)
    if cancelled.already_cancelled:
        return Written(f"Já estava cancelado {line}", fact, details)
    audit.record(session, context.now, context.tenant_id, "appointment.cancel", subject_id=details.id)
    return Written(f"Cancelado {line}", fact, details)


TOOL = Tool(
    name=NAME,
    description=(
        "Cancela um agendamento futuro do cliente. Use somente depois que o cliente confirmou claramente que "
        "quer cancelar aquele agendamento; “acho que não vou conseguir” ainda não é uma confirmação. O "
        "agendamento_id vem do contexto ou de meus_agendamentos. Não use para mudar de horário: para isso "
        "existe remarcar. Não diga que cancelou sem ter recebido “Cancelado” ou “Já estava cancelado”."
    ),
    arguments=Cancelar,
    run=run,
    writes=True,
)
