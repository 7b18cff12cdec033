"""Free starts of a visit on one day."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime

from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError
from sqlmodel import Session

from models import alternatives, appointment, availability, catalog
from models.availability import Code, Reason, Rules, Span
from models.catalog import Offer
from models.tenant import Tenant
from tools import facts, portuguese, refusals
from tools.argument_types import PERIODS, Day, Id, Period, Weekday, check_services
from tools.contract import Arguments, Tool, ToolContext, ToolOutcome, ToolRefusal
from tools.facts import FreeOf, FreeStarts, Named, NoneFree, Refused

# More lines than this would neither be read nor fit; more professionals are loaded only if these are full.
MOST_PROFESSIONALS = 20
MOST_IN_PART = 72  # six hours by steps of five minutes
PERIOD_WORDS = {"manha": ", de manhã", "tarde": ", à tarde", "noite": ", à noite"}


class BuscarHorarios(Arguments):
    """The arguments of buscar_horarios."""

    data: Day
    profissional_id: Id | None = Field(
        None, description="Só este profissional. Sem ele, qualquer um que faça o serviço.", examples=[1]
    )
    servico_id: Id | None = Field(
        None,
        description=(
            "O serviço desejado. Só pode faltar se o profissional faz um único serviço ou se há servico_ids."
        ),
        examples=[1],
    )
    servico_ids: list[Id] | None = Field(
        None,
        description=(
            "Dois a cinco serviços da mesma visita, feitos um depois do outro pelo mesmo profissional, como "
            "em agendar. Use no lugar de servico_id."
        ),
        examples=[[1, 2]],
    )
    periodo: Period | None = None
    dia_semana: Weekday | None = None

    @model_validator(mode="after")
    def _names_one(self) -> "BuscarHorarios":
        if self.servico_id is not None or self.servico_ids is not None:
            check_services(self.servico_id, self.servico_ids)
        elif self.profissional_id is None:
            raise PydanticCustomError("one_of", "informe `servico_id` ou `profissional_id`")
        return self

    @property
    def services(self) -> list[int]:
        return [self.servico_id] if self.servico_id is not None else list(self.servico_ids or [])


@dataclass(frozen=True)
class Question:
    """What is looked for, with everything known of it."""

    tenant: Tenant
    rules: Rules
    services: Sequence[Offer]
    span: Span
    names: dict[int, str]
    day: date
    period: str | None
    now: datetime

    @property
    def what(self) -> str:
        return portuguese.listed([portuguese.service(service) for service in self.services])

    @property
    def named(self) -> tuple[Named, ...]:
        return tuple(Named(service.id, service.name) for service in self.services)

    @property
    def part(self) -> tuple[int, int]:
        return PERIODS[self.period] if self.period else availability.WHOLE_DAY


def run(context: ToolContext, wish: BuscarHorarios) -> ToolOutcome:
    refusals.check_weekday(wish.data, wish.dia_semana)
    with context.db.reading() as session:
        question = question_of(session, context, wish)
        if (found := listing(session, question)) is not None:
            return found
        none = none_free(session, question, wish.profissional_id)
        return ToolOutcome(none_text(question, none), (none,))


def question_of(session: Session, context: ToolContext, wish: BuscarHorarios) -> Question:
    """All that is known of what is looked for. Raises ToolRefusal for what does not exist or fit."""
    tenant = session.get_one(Tenant, context.tenant_id)
    services = _services(session, context.tenant_id, wish)
    return Question(
        tenant=tenant,
        rules=catalog.rules(tenant),
        services=services,
        span=appointment.span_of(services),
        names=_professionals(session, context.tenant_id, wish.profissional_id, services),
        day=wish.data,
        period=wish.periodo,
        now=context.now,
    )


def _services(session: Session, tenant_id: int, wish: BuscarHorarios) -> list[Offer]:
    if wish.services:
        found = catalog.chosen(session, tenant_id, wish.services)
        if found is None:
            raise refusals.missing_service(session, tenant_id, wish.services)
        return found
    assert wish.profissional_id is not None
    return [_only_service(session, tenant_id, wish.profissional_id)]


def _only_service(session: Session, tenant_id: int, professional_id: int) -> Offer:
    name = catalog.professional_name(session, tenant_id, professional_id)
    if name is None:
        raise refusals.missing("professional", "profissional_id", professional_id)
    offers = catalog.offered_by(session, tenant_id, professional_id)
    if not offers:
        raise _not_done(f"{name} não faz nenhum serviço no momento.")
    if len(offers) > 1:
        lines = [f"- {portuguese.offer_line(offer)}" for offer in offers]
        heading = f"{name} faz mais de um serviço. Pergunte ao cliente qual e informe o servico_id:"
        told = Refused(
            "SERVICO_NAO_INFORMADO",
            f"{name} faz mais de um serviço.",
            offers=tuple(map(facts.Offer.of, offers)),
        )
        raise ToolRefusal(told, "\n".join([heading, *lines]))
    return offers[0]


def _professionals(
    session: Session, tenant_id: int, professional_id: int | None, services: Sequence[Offer]
) -> dict[int, str]:
    names = catalog.offering(session, tenant_id, [service.id for service in services])
    if professional_id is None:
        if not names:
            raise _not_done(refusals.nobody_offers(services))
        return names
    if professional_id in names:
        return {professional_id: names[professional_id]}
    name = catalog.professional_name(session, tenant_id, professional_id)
    if name is None:
        raise refusals.missing("professional", "profissional_id", professional_id)
    offered = {offer.id for offer in catalog.offered_by(session, tenant_id, professional_id)}
    lacking = portuguese.listed([service.name for service in services if service.id not in offered])
    instead = refusals.who_offers(session, tenant_id, services)
    raise _not_done(f"{name} não faz {lacking}.", f"{name} não faz {lacking}. {instead}")


def _not_done(sentence: str, text: str = "") -> ToolRefusal:
    return ToolRefusal(Refused(Code.SERVICO_NAO_ATENDIDO, sentence), text or sentence)


def listing(session: Session, question: Question) -> ToolOutcome | None:
    """The free times, a line for each professional; None where there are none."""
    if availability.check_date(question.rules, question.day, question.now):
        return None
    keys = list(question.names)
    free = _free(session, question, keys[:MOST_PROFESSIONALS])
    if not free and keys[MOST_PROFESSIONALS:]:
        free = _free(session, question, keys[MOST_PROFESSIONALS:])
    if not free:
        return None
    more = len(keys[MOST_PROFESSIONALS:])
    fact = FreeStarts(question.day, question.named, free, question.period, more)
    return ToolOutcome(_free_text(question, fact), (fact,))


def _free_text(question: Question, found: FreeStarts) -> str:
    heading = f"Horários livres para {question.what} {portuguese.on(question.day)}:"
    lines = [heading, *map(portuguese.free_line, found.free)]
    if found.more:
        these = "esse serviço" if len(question.services) == 1 else "esses serviços"
        lines.append(f"e mais {found.more} profissionais fazem {these}.")
    return "\n".join(lines)


def _free(session: Session, question: Question, keys: list[int]) -> tuple[FreeOf, ...]:
    day, zone = question.day, question.tenant.zone
    agendas = appointment.agendas(session, question.tenant, keys, question.span, day, day)
    # Who asks for a part of the day has been told of the others in the whole of it.
    most = portuguese.MAX_STARTS if question.period is None else MOST_IN_PART
    found: list[FreeOf] = []
    for key, agenda in agendas.items():
        free = availability.slots(question.rules, agenda, question.span, day, question.now, question.part)
        shown = tuple(start.astimezone(zone).time() for start in portuguese.spread(free, most))
        if shown:
            found.append(FreeOf(Named(key, question.names[key]), shown, len(free) - len(shown)))
        if len(found) == MOST_PROFESSIONALS:
            break
    return tuple(found)


def none_text(question: Question, none: NoneFree) -> str:
    """Why there are none, and the nearest alternatives."""
    return "\n".join([_none(question, question.what, none.why), *portuguese.nearest_lines(none.nearest)])


def _none(question: Question, what: str, why: str) -> str:
    part = PERIOD_WORDS.get(question.period or "", "")
    return f"Não há horário livre para {what} {portuguese.on(question.day)}{part}: {why}."


def none_free(session: Session, question: Question, professional_id: int | None) -> NoneFree:
    """Why there are none, and the nearest alternatives."""
    reasons = _reasons(session, question)
    reason = _most_telling(reasons)
    why = _why(session, question, reasons, reason, professional_id)
    found = alternatives.near(
        session,
        question.now,
        question.tenant,
        question.names,
        question.span,
        question.day,
        question.part[0],
    )
    return NoneFree(
        day=question.day,
        services=question.named,
        code=reason.code,
        why=why,
        sentence=_none(question, portuguese.names(question.services), why),
        nearest=facts.starts(found, question.names, question.tenant.zone),
        period=question.period,
    )


def _why(
    session: Session,
    question: Question,
    reasons: Mapping[int, Reason],
    reason: Reason,
    professional_id: int | None,
) -> str:
    closed = reason.code == Code.FORA_DO_EXPEDIENTE and not reason.detail["hours"]
    if closed and professional_id is None:
        return _closed(session, question)
    # Hours are one person's own; all the rest is said of everybody.
    theirs = [key for key, each in reasons.items() if each == reason] if "hours" in reason.detail else []
    people = [question.names[key] for key in theirs] or list(question.names.values())
    return portuguese.refusal(reason.code, reason.detail, people[0] if len(people) == 1 else "toda a equipe")


def reason_of(session: Session, question: Question) -> Reason:
    """The most telling reason why nothing is free."""
    return _most_telling(_reasons(session, question))


def _most_telling(reasons: Mapping[int, Reason]) -> Reason:
    telling = availability.most_telling(reasons.values())
    assert telling is not None
    return telling


def _reasons(session: Session, question: Question) -> dict[int, Reason]:
    """Of everybody who could do it, why they cannot."""
    day = question.day
    beyond = availability.check_date(question.rules, day, question.now)
    if beyond:
        return dict.fromkeys(question.names, beyond)
    agendas = appointment.agendas(session, question.tenant, question.names, question.span, day, day)
    return {
        key: availability.why_none(question.rules, agenda, question.span, day, question.now, question.part)
        for key, agenda in agendas.items()
    }


def _closed(session: Session, question: Question) -> str:
    assert question.tenant.id is not None
    if catalog.opens_on(session, question.tenant.id, question.day.weekday()):
        return f"ninguém faz {portuguese.names(question.services)} nesse dia da semana"
    return f"{question.tenant.name} não abre nesse dia"


TOOL = Tool(
    name="buscar_horarios",
    description=(
        "Mostra os horários livres de uma visita em uma data, por profissional. Use sempre antes de "
        "oferecer, confirmar ou agendar: só o que aparece aqui está livre. Precisa do servico_id, de "
        "servico_ids se a visita tem mais de um serviço, ou do profissional_id se ele faz um só; os "
        "identificadores vêm de buscar_servicos. Onde diz “e mais N”, peça só um periodo para ver os outros. "
        "Quando não há horário livre, diz o motivo e os horários mais próximos. Não use para uma data que o "
        "cliente não mencionou nem aceitou, nem repita a mesma busca: a resposta vale até que algo seja "
        "agendado."
    ),
    arguments=BuscarHorarios,
    run=run,
)
