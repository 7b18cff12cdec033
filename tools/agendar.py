"""Book a visit."""

from pydantic import Field, model_validator
from sqlalchemy import update
from sqlmodel import Session

from models import appointment, audit, catalog
from models.appointment import Details
from models.customer import Customer
from models.db import table
from models.errors import NotFound, Refusal
from models.tenant import Tenant
from tools import idempotency, portuguese, refusals
from tools.argument_types import Day, Id, Minute, PersonName, Weekday, check_services
from tools.contract import Arguments, Tool, ToolContext, ToolOutcome, ToolRefusal
from tools.facts import Booked, Visit
from tools.idempotency import Written
from tools.refusals import Wanted

NAME = "agendar"
_CUSTOMER = table(Customer)


class Agendar(Arguments):
    """The arguments of agendar."""

    servico_id: Id | None = Field(
        None, description="O serviço. Para mais de um na mesma visita, use servico_ids.", examples=[1]
    )
    servico_ids: list[Id] | None = Field(
        None,
        description=(
            "Dois a cinco serviços da mesma visita, feitos um depois do outro pelo mesmo profissional. Use "
            "no lugar de servico_id."
        ),
        examples=[[1, 2]],
    )
    profissional_id: Id = Field(description="Quem vai atender, como buscar_horarios mostrou.")
    data: Day
    hora: Minute
    dia_semana: Weekday | None = None
    nome_cliente: PersonName | None = Field(
        None,
        description="Nome do cliente, se ele disse e ainda não era conhecido.",
        examples=["Maria Silva"],
    )

    @model_validator(mode="after")
    def _names_services_once(self) -> "Agendar":
        check_services(self.servico_id, self.servico_ids)
        return self

    @property
    def services(self) -> list[int]:
        return [self.servico_id] if self.servico_id is not None else list(self.servico_ids or [])


def run(context: ToolContext, wish: Agendar) -> ToolOutcome:
    refusals.check_weekday(wish.data, wish.dia_semana)
    try:
        return idempotency.once(context, NAME, wish, lambda session: _book(session, context, wish))
    except Refusal as refusal:
        raise _refused(context, wish, refusal) from refusal
    except NotFound as missing:
        raise _missing(context, wish, str(missing)) from missing


def _book(session: Session, context: ToolContext, wish: Agendar) -> Written:
    tenant = session.get_one(Tenant, context.tenant_id)
    starts_at = refusals.start(tenant, wish.data, wish.hora, context.now)
    booked = appointment.book(
        session,
        context.now,
        tenant,
        context.customer_id,
        wish.profissional_id,
        wish.services,
        starts_at,
        created_by="bot",
    )
    _keep_name(session, context, wish.nome_cliente)
    assert booked.appointment.id is not None
    details = appointment.details(session, context.tenant_id, booked.appointment.id)
    fact = Booked(Visit.of(details, tenant.zone), already=booked.already_existed)
    if booked.already_existed:
        return Written(f"Já estava agendado {_line(details, tenant)}", fact, details)
    audit.record(session, context.now, context.tenant_id, "appointment.book", subject_id=details.id)
    return Written(f"Agendado {_line(details, tenant)}", fact, details)


def _line(details: Details, tenant: Tenant) -> str:
    about = f"{details.minutes} min, {portuguese.price(details.price_cents)}"
    return f"(agendamento_id {details.id}): {portuguese.visit(details, tenant.zone)} ({about})."


def _keep_name(session: Session, context: ToolContext, name: str | None) -> None:
    """Only where none was known: a name that somebody gave once is not for the model to change."""
    if not name:
        return
    session.execute(
        update(_CUSTOMER)
        .where(_CUSTOMER.c.id == context.customer_id, _CUSTOMER.c.tenant_id == context.tenant_id)
        .where(_CUSTOMER.c.name == "")
        .values(name=name)
    )


def _refused(context: ToolContext, wish: Agendar, refusal: Refusal) -> ToolRefusal:
    with context.db.reading() as session:
        tenant = session.get_one(Tenant, context.tenant_id)
        services = catalog.chosen(session, context.tenant_id, wish.services)
        name = catalog.professional_name(session, context.tenant_id, wish.profissional_id)
        if services is None or name is None:
            raise LookupError("what was there a moment ago is gone") from refusal
        what = portuguese.names(services)
        wanted = Wanted(
            headline=f"Não agendei {what} com {name} para {portuguese.at(wish.data, wish.hora)}",
            told=f"Não agendei {what} com {name} para {portuguese.at(wish.data, wish.hora)}",
            professional_id=wish.profissional_id,
            professional=name,
            service_ids=wish.services,
            span=appointment.span_of(services),
            day=wish.data,
            minute=wish.hora,
        )
        return refusals.refused(session, context.now, tenant, refusal, wanted)


def _missing(context: ToolContext, wish: Agendar, kind: str) -> ToolRefusal:
    if kind == "professional":
        return refusals.missing(kind, "profissional_id", wish.profissional_id)
    with context.db.reading() as session:
        return refusals.missing_service(session, context.tenant_id, wish.services)


TOOL = Tool(
    name=NAME,
    description=(
        "Marca um horário para o cliente desta conversa. Use somente depois que buscar_horarios mostrou o "
        "horário livre em uma resposta anterior E o cliente confirmou claramente o serviço, o profissional, "
        "a data e a hora, tudo na mesma proposta. Não use por suposição, com uma ideia incompleta, nem na "
        "mesma resposta que buscar_horarios. Se recusar, diga o motivo e ofereça as alternativas mostradas. "
        "Não diga que agendou sem ter recebido “Agendado” ou “Já estava agendado”."
    ),
    arguments=Agendar,
    run=run,
    writes=True,
    not_with=frozenset({"buscar_horarios"}),
)
