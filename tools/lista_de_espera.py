"""Wait for a time on a day that is full."""

from pydantic import Field
from sqlmodel import Session

from models import audit, waitlist
from models.availability import Code
from models.customer import Customer
from models.waitlist import WaitlistEntry
from tools import buscar_horarios, idempotency, portuguese
from tools.argument_types import Day, Id, Period
from tools.buscar_horarios import BuscarHorarios, Question
from tools.contract import Arguments, Tool, ToolContext, ToolOutcome, ToolRefusal
from tools.facts import Named, Refused, Waiting
from tools.idempotency import Written

NAME = "lista_de_espera"
NOT_NEEDED = (
    "Não coloquei o cliente na lista de espera, porque há horários livres. Ofereça estes a ele; a lista é só "
    "para quando nenhum serve."
)
IN_VAIN = "Não coloquei o cliente na lista de espera, porque nesse dia não abriria nenhum horário."
NO_NOTICES = (
    "Não coloquei o cliente na lista de espera, porque ele pediu para não receber avisos. Se quiser ser "
    "avisado, basta escrever “voltar” e pedir de novo."
)
MUTED = "Você pediu para não receber avisos. Se quiser ser avisado, basta escrever “voltar” e pedir de novo."


class ListaDeEspera(Arguments):
    """The arguments of lista_de_espera."""

    servico_id: Id = Field(description="O serviço que o cliente quer.")
    data: Day
    profissional_id: Id | None = Field(
        None,
        description="Só se o cliente quer esperar por este profissional. Sem ele, qualquer um.",
        examples=[1],
    )
    periodo: Period | None = None


def run(context: ToolContext, wish: ListaDeEspera) -> ToolOutcome:
    return idempotency.once(context, NAME, wish, lambda session: _join(session, context, wish))


def _join(session: Session, context: ToolContext, wish: ListaDeEspera) -> Written:
    question = buscar_horarios.question_of(session, context, _search(wish))
    if session.get_one(Customer, context.customer_id).opted_out_at is not None:
        raise ToolRefusal(Refused("SEM_AVISOS", MUTED), NO_NOTICES)
    _require_full(session, question, wish.profissional_id)
    joined = waitlist.join(
        session,
        WaitlistEntry(
            tenant_id=context.tenant_id,
            customer_id=context.customer_id,
            service_id=wish.servico_id,
            professional_id=wish.profissional_id,
            date=wish.data,
            period=wish.periodo,
            created_at=context.now,
        ),
    )
    line, fact = _line(question, wish), _fact(question, wish, already=joined.already)
    if joined.already:
        return Written(f"Já estava na lista de espera: {line}", fact)
    audit.record(session, context.now, context.tenant_id, "waitlist.join", subject_id=joined.entry.id)
    return Written(f"Na lista de espera: {line}", fact)


def _fact(question: Question, wish: ListaDeEspera, *, already: bool) -> Waiting:
    [service] = question.services
    who = wish.profissional_id
    return Waiting(
        service=Named(service.id, service.name),
        day=wish.data,
        professional=Named(who, question.names[who]) if who is not None else None,
        period=wish.periodo,
        already=already,
        window=question.tenant.template_waitlist_offer is None,
    )


def _search(wish: ListaDeEspera) -> BuscarHorarios:
    # Checked already, as arguments of this tool.
    return BuscarHorarios.model_construct(
        data=wish.data,
        servico_id=wish.servico_id,
        profissional_id=wish.profissional_id,
        periodo=wish.periodo,
        dia_semana=None,
    )


def _require_full(session: Session, question: Question, professional_id: int | None) -> None:
    """Raises ToolRefusal where something is free, and where nothing could ever become so."""
    free = buscar_horarios.listing(session, question)
    if free:
        refused = Refused("HA_HORARIO", "Ainda há horários livres nesse dia.")
        raise ToolRefusal(refused, f"{NOT_NEEDED}\n{free.text}", free.facts)
    reason = buscar_horarios.reason_of(session, question)
    if reason.code != Code.OCUPADO:
        none = buscar_horarios.none_free(session, question, professional_id)
        refused = Refused(reason.code, none.sentence, dict(reason.detail), none.nearest)
        text = buscar_horarios.none_text(question, none)
        raise ToolRefusal(refused, f"{IN_VAIN} {text}")


def _line(question: Question, wish: ListaDeEspera) -> str:
    who = f", com {question.names[wish.profissional_id]}" if wish.profissional_id else ""
    part = buscar_horarios.PERIOD_WORDS.get(wish.periodo or "", "")
    what = f"{question.what}, {portuguese.day(wish.data)}{part}{who}."
    told = "Se abrir um horário, o cliente recebe uma mensagem e tem um tempo limitado para responder."
    if question.tenant.template_waitlist_offer is None:
        told += " A mensagem só chega se o cliente tiver escrito aqui nas últimas 24 horas; diga isso a ele."
    return f"{what} {told}"


TOOL = Tool(
    name=NAME,
    description=(
        "Coloca o cliente na lista de espera de um serviço em um dia cheio: se abrir um horário, ele recebe "
        "uma mensagem com a oferta. Use somente depois que buscar_horarios mostrou que não há horário livre "
        "nesse dia ou período, nenhuma alternativa serviu E o cliente aceitou entrar na lista. Não use "
        "quando há horário livre que sirva, nem para reservar. Não prometa que vai abrir, e não diga que ele "
        "entrou na lista sem ter recebido “Na lista de espera” ou “Já estava na lista de espera”."
    ),
    arguments=ListaDeEspera,
    run=run,
    writes=True,
    not_with=frozenset({"buscar_horarios"}),
)
