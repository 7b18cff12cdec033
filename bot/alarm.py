"""Tells staff by mail that somebody waits: no name, no phone, no word of what was said."""

from collections import Counter
from collections.abc import Sequence
from datetime import datetime

import structlog

from bot.mail import Mail, Unsent
from bot.services import Services
from models import alert, staff
from models.alert import Kind, Taken
from models.tenant import Tenant

log = structlog.get_logger()


def tell(services: Services, now: datetime) -> None:
    """Settle every alert that is due; what a business has at once is one mail. Safe to run twice."""
    with services.db.writing() as session:
        taken = alert.take_due(session, now)
    for tenant_id in dict.fromkeys(each.tenant_id for each in taken):
        _tell(services, now, tenant_id, [each for each in taken if each.tenant_id == tenant_id])


def _tell(services: Services, now: datetime, tenant_id: int, taken: Sequence[Taken]) -> None:
    ids = [each.id for each in taken]
    with services.db.reading() as session:
        tenant = session.get_one(Tenant, tenant_id)
        kinds = alert.standing(session, now, tenant_id, ids)
        people = staff.addresses(session, tenant_id) if kinds else []
    told = 0
    if services.post is not None and people:
        subject, text = words(kinds, tenant, services.settings.public_url)
        try:
            told = services.post.deliver([Mail(to, subject, text) for to in people])
        except Unsent as error:
            # Taken is not settled: it comes again, later each time, until it is too old to be news.
            log.warning("alert_unsent", tenant_id=tenant_id, alerts=len(ids), error=str(error))
            return
    with services.db.writing() as session:
        alert.settle(session, now, ids, told)
    log.info("alerts_settled", tenant_id=tenant_id, alerts=len(ids), told=told)


def words(kinds: Counter[Kind], tenant: Tenant, url: str | None) -> tuple[str, str]:
    """Subject and text."""
    lines = [sentence(kind, kinds[kind]) for kind in Kind if kinds[kind]]
    where = f"Abra a fila: {url}/fila" if url else "Abra a fila do Hora Certa."
    text = "\n\n".join([f"{tenant.name}:", "\n".join(lines), where, _HABIT]) + "\n"
    return f"{_SUBJECTS[_loudest(kinds)]} · {tenant.name}", text


_HABIT = "Você recebe este aviso porque faz parte da equipe. Para não receber mais, desligue em Minha conta."
_SUBJECTS = {
    Kind.WAITING: "Conversa aguardando",
    Kind.STILL_WAITING: "Conversa ainda aguardando",
    Kind.WINDOW: "Prazo do WhatsApp acabando",
}
_ONE = {
    Kind.WAITING: "Uma conversa aguarda na fila.",
    Kind.STILL_WAITING: "Uma conversa aguarda há algum tempo, e ninguém assumiu.",
    Kind.WINDOW: "Uma conversa aguarda resposta, e o WhatsApp logo não aceita mais texto livre para ela.",
}
_MANY = {
    Kind.WAITING: "{} conversas aguardam na fila.",
    Kind.STILL_WAITING: "{} conversas aguardam há algum tempo, e ninguém assumiu.",
    Kind.WINDOW: "{} conversas aguardam resposta, e o WhatsApp logo não aceita mais texto livre para elas.",
}


def sentence(kind: Kind, count: int) -> str:
    return _ONE[kind] if count == 1 else _MANY[kind].format(count)


def _loudest(kinds: Counter[Kind]) -> Kind:
    return next(kind for kind in (Kind.WINDOW, Kind.STILL_WAITING, Kind.WAITING) if kinds[kind])
