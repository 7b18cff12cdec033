"""Tells staff by mail and in their browsers that somebody waits: no name, no phone, no word of it."""

from collections import Counter
from collections.abc import Sequence
from datetime import datetime

import structlog

from bot.core.services import Services
from bot.escalation.smtp import Mail, Unsent
from models import alert, push, staff
from models.alert import Channel, Kind, Standing, Taken
from models.tenant import Tenant

log = structlog.get_logger()


def tell(services: Services, now: datetime) -> None:
    """Settle every alert that is due; what a business has at once is told once. Safe to run twice."""
    with services.db.writing() as session:
        taken = alert.take_due(session, now)
    for place in dict.fromkeys((each.channel, each.tenant_id) for each in taken):
        _tell(services, now, *place, [each for each in taken if (each.channel, each.tenant_id) == place])


def _tell(
    services: Services, now: datetime, channel: Channel, tenant_id: int, taken: Sequence[Taken]
) -> None:
    ids = [each.id for each in taken]
    with services.db.reading() as session:
        tenant = session.get_one(Tenant, tenant_id)
        found = alert.standing(session, now, tenant_id, channel, ids)
    way = _mail if channel is Channel.MAIL else _push
    about = {"tenant_id": tenant_id, "channel": channel.value, "alerts": len(ids)}
    try:
        told = way(services, now, tenant, found) if found.kinds else 0
    except Unsent as error:
        # Taken is not settled: it comes again, later each time, until it is too old to be news.
        log.warning("alert_unsent", **about, error=str(error))
        return
    with services.db.writing() as session:
        alert.settle(session, now, ids, told)
    log.info("alerts_settled", **about, told=told)


def _mail(services: Services, _now: datetime, tenant: Tenant, found: Standing) -> int:
    assert tenant.id is not None
    with services.db.reading() as session:
        people = staff.addresses(session, tenant.id)
    if services.post is None or not people:
        return 0
    subject, text = words(found.kinds, tenant, services.settings.public_url)
    return services.post.deliver([Mail(to, subject, text) for to in people])


def _push(services: Services, now: datetime, tenant: Tenant, found: Standing) -> int:
    """Each browser by itself: one whose vendor is out of order keeps no other from its notice."""
    if services.pusher is None:
        return 0
    with services.db.reading() as session:
        browsers = push.all_of(session, push.KNOWN.tenant_id == tenant.id)
    told, gone, fault = 0, [], None
    for browser in browsers:
        try:
            there = services.pusher.send(browser, notice(found, tenant), now)
        except Unsent as error:
            fault = error
        else:
            told += there
            gone += [] if there else [browser.id]
    if gone:
        with services.db.writing() as session:
            push.drop(session, push.KNOWN.id.in_(gone))
    if fault is not None and not told:
        raise fault
    return told


def notice(found: Standing, tenant: Tenant) -> dict[str, str]:
    """What a browser shows, and the page behind it: the conversation, or the queue where there are more."""
    lines = [sentence(kind, found.kinds[kind]) for kind in Kind if found.kinds[kind]]
    place = f"/{min(found.conversations)}" if len(found.conversations) == 1 else ""
    return {"title": title(found.kinds, tenant), "body": "\n".join(lines), "url": f"/fila{place}"}


def words(kinds: Counter[Kind], tenant: Tenant, url: str | None) -> tuple[str, str]:
    """Subject and text."""
    lines = [sentence(kind, kinds[kind]) for kind in Kind if kinds[kind]]
    where = f"Abra a fila: {url}/fila" if url else "Abra a fila do Hora Certa."
    text = "\n\n".join([f"{tenant.name}:", "\n".join(lines), where, _HABIT]) + "\n"
    return title(kinds, tenant), text


def title(kinds: Counter[Kind], tenant: Tenant) -> str:
    return f"{_SUBJECTS[_loudest(kinds)]} · {tenant.name}"


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
