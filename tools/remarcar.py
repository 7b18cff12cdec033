"""Give an appointment another time."""

from pydantic import Field
from sqlmodel import Session

from models import appointment, audit, catalog
from models.appointment import Details
from models.errors import NotFound, Refusal
from models.tenant import Tenant
from tools import idempotency, portuguese, refusals
from tools.argument_types import Day, Id, Minute, Weekday
from tools.contract import Arguments, Tool, ToolContext, ToolOutcome, ToolRefusal
from tools.facts import Booked, Moved, Named, Visit
from tools.idempotency import Written
from tools.refusals import Wanted

NAME = "remarcar"


class Remarcar(Arguments):
    """The arguments of remarcar."""

    agendamento_id: Id = Field(description="O agendamento a mudar.")
    data: Day
    hora: Minute
    dia_semana: Weekday | None = None
    profissional_id: Id | None = Field(
        None, description="Só se o cliente quer outro profissional. Sem ele, continua o mesmo.", examples=[1]
    )


def run(context: ToolContext, wish: Remarcar) -> ToolOutcome:
    refusals.check_weekday(wish.data, wish.dia_semana)
    try:
        return idempotency.once(context, NAME, wish, lambda session: _move(session, context, wish))
    except Refusal as refusal:
        raise _refused(context, wish, refusal) from refusal
    except NotFound as missing:
        raise _missing(wish, str(missing)) from missing


def _move(session: Session, context: ToolContext, wish: Remarcar) -> Written:
    tenant = session.get_one(Tenant, context.tenant_id)
    # Before the date is looked at: somebody else's appointment is missing, whatever the date.
    appointment.own(session, context.tenant_id, context.customer_id, wish.agendamento_id)
    moved = appointment.move(
        session,
        context.now,
        tenant,
        context.customer_id,
        wish.agendamento_id,
        refusals.start(tenant, wish.data, wish.hora, context.now),
        wish.profissional_id,
    )
    details = appointment.details(session, context.tenant_id, wish.agendamento_id)
    visit = Visit.of(details, tenant.zone)
    if moved.unchanged:
        line = f"(agendamento_id {details.id}): {portuguese.visit(details, tenant.zone)}."
        return Written(f"Já estava agendado {line}", Booked(visit, already=True), details)
    _record(session, context, moved)
    previous = moved.previous_professional_id
    who = catalog.professional_name(session, context.tenant_id, previous) or details.professional
    before = moved.previous_start.astimezone(tenant.zone)
    return Written(_sentence(details, moved, tenant), Moved(visit, before, Named(previous, who)), details)


def _sentence(details: Details, moved: appointment.Moved, tenant: Tenant) -> str:
    before = portuguese.moment(moved.previous_start, tenant.zone)
    after = portuguese.moment(details.starts_at, tenant.zone)
    what = f"{portuguese.listed(details.services)} com {details.professional}"
    return f"Remarcado (agendamento_id {details.id}): {what}, de {before}, para {after}."


def _record(session: Session, context: ToolContext, moved: appointment.Moved) -> None:
    before = {
        "starts_at": moved.previous_start.isoformat(),
        "professional_id": moved.previous_professional_id,
    }
    audit.record(
        session,
        context.now,
        context.tenant_id,
        "appointment.move",
        subject_id=moved.appointment.id,
        detail={"from": before},
    )


def _refused(context: ToolContext, wish: Remarcar, refusal: Refusal) -> ToolRefusal:
    with context.db.reading() as session:
        tenant = session.get_one(Tenant, context.tenant_id)
        own = appointment.own(session, context.tenant_id, context.customer_id, wish.agendamento_id)
        details = appointment.details(session, context.tenant_id, wish.agendamento_id)
        target = wish.profissional_id or details.professional_id
        name = catalog.professional_name(session, context.tenant_id, target) or details.professional
        what = portuguese.listed(details.services)
        where = f"para {portuguese.at(wish.data, wish.hora)}, com {name}"
        wanted = Wanted(
            headline=f"Não remarquei {what} (agendamento_id {details.id}) {where}",
            told=f"Não remarquei {what} {where}",
            professional_id=target,
            professional=name,
            service_ids=details.service_ids,
            span=appointment.booked_span(session, own),
            day=wish.data,
            minute=wish.hora,
            without=details.id,
        )
        return refusals.refused(session, context.now, tenant, refusal, wanted)


def _missing(wish: Remarcar, kind: str) -> ToolRefusal:
    if kind == "professional" and wish.profissional_id is not None:
        return refusals.missing(kind, "profissional_id", wish.profissional_id)
    return refusals.missing("appointment", "agendamento_id", wish.agendamento_id)


TOOL = Tool(
    name=NAME,
    description=(
        "Muda um agendamento do cliente para outro horário, sem perder o antigo se não der certo. Use "
        "somente depois que buscar_horarios mostrou o novo horário livre em uma resposta anterior E o "
        "cliente confirmou claramente a nova data e hora. O agendamento_id vem do contexto ou de "
        "meus_agendamentos. Não cancele e agende de novo para remarcar. Para trocar de serviço, cancele e "
        "agende. Não diga que remarcou sem ter recebido “Remarcado”."
    ),
    arguments=Remarcar,
    run=run,
    writes=True,
    not_with=frozenset({"buscar_horarios"}),
)
