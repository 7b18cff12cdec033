"""What stops a wish before or in the domain, as refusals for the model."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime

from sqlmodel import Session

from models import alternatives, availability, catalog
from models.availability import Code, Span
from models.catalog import Offer
from models.errors import Refusal
from models.tenant import Tenant
from tools import facts, portuguese
from tools.argument_types import DAYS
from tools.contract import ToolRefusal
from tools.facts import Refused, Start


def check_weekday(day: date, believed: str | None) -> None:
    """Raises ToolRefusal if the model is wrong about the weekday: then it may be wrong about the date."""
    if believed in (None, DAYS[day.weekday()]):
        return
    detail: dict[str, object] = {"date": day, "believed": believed}
    clause = portuguese.refusal(Code.DIA_SEMANA_ERRADO, detail, "")
    fact = Refused(Code.DIA_SEMANA_ERRADO, f"Nada foi feito: {clause}.", detail)
    raise ToolRefusal(fact, f"Nada foi feito: {clause}. Confirme com o cliente qual é a data certa.")


def start(tenant: Tenant, day: date, minute: int, now: datetime) -> datetime:
    """The instant of a local date and time. Raises Refusal for one that is far off or does not exist."""
    reason = availability.check_date(catalog.rules(tenant), day, now)
    if reason:
        raise Refusal(reason.code, dict(reason.detail))
    if not availability.exists(tenant.zone, day, minute):
        raise Refusal(Code.HORA_INEXISTENTE)
    return availability.instant(tenant.zone, day, minute)


def missing(kind: str, field: str, value: int) -> ToolRefusal:
    """No such row for this tenant or customer; `kind` as in NotFound."""
    return ToolRefusal(Refused("NAO_ENCONTRADO"), portuguese.MISSING[kind].format(id=f"{field} {value}"))


def missing_service(session: Session, tenant_id: int, service_ids: Sequence[int]) -> ToolRefusal:
    """The first of these that does not exist. Raises LookupError if all do."""
    for key in service_ids:
        if catalog.chosen(session, tenant_id, [key]) is None:
            return missing("service", "servico_id", key)
    raise LookupError("service")


@dataclass(frozen=True)
class Wanted:
    """A visit that was refused: `headline` says what was tried, `told` the same to the customer; `without` is
    the appointment to be moved.
    """

    headline: str
    told: str
    professional_id: int
    professional: str
    service_ids: Sequence[int]
    span: Span
    day: date
    minute: int
    without: int | None = None


# No other time would help against these.
_FINAL = (Code.LIMITE_CLIENTE, Code.JA_COMECOU, Code.JA_CANCELADO, Code.PRAZO_DE_MUDANCA)


def refused(session: Session, now: datetime, tenant: Tenant, refusal: Refusal, wanted: Wanted) -> ToolRefusal:
    """What was tried, why not, and the nearest alternatives each on a line."""
    code, detail, who = refusal.code, refusal.detail, wanted.professional
    sentence = f"{wanted.headline}: {portuguese.refusal(code, detail, who)}."
    told = f"{wanted.told}: {portuguese.refusal(code, detail, who, customer='você')}."
    if code in _FINAL:
        return ToolRefusal(Refused(code, told, dict(detail)), sentence)
    nearest = _instead(session, now, tenant, wanted)
    return ToolRefusal(
        Refused(code, told, dict(detail), nearest), "\n".join([sentence, *portuguese.nearest_lines(nearest)])
    )


def _instead(session: Session, now: datetime, tenant: Tenant, wanted: Wanted) -> tuple[Start, ...]:
    assert tenant.id is not None
    names = catalog.offering(session, tenant.id, wanted.service_ids)
    found = alternatives.near(
        session,
        now,
        tenant,
        names,
        wanted.span,
        wanted.day,
        wanted.minute,
        preferred=wanted.professional_id,
        without=wanted.without,
    )
    return facts.starts(found, names, tenant.zone)


def who_offers(session: Session, tenant_id: int, services: Sequence[Offer]) -> str:
    """A sentence that names who could do all of it instead."""
    names = catalog.offering(session, tenant_id, [service.id for service in services])
    if not names:
        return nobody_offers(services)
    people = [portuguese.professional(key, name) for key, name in names.items()]
    return f"Quem faz {portuguese.names(services)}: {portuguese.shortlist(people)}."


def nobody_offers(services: Sequence[Offer]) -> str:
    if len(services) == 1:
        return f"Ninguém faz {services[0].name} no momento."
    return (
        f"Nenhum profissional faz {portuguese.names(services)} na mesma visita. "
        "Busque e agende um serviço de cada vez."
    )
