"""What a line has to tap, as the provider takes it: the forms are laid down once, then only filled in."""

import structlog

from bot.core.services import Services
from bot.intents import choices
from bot.whatsapp import content_api
from bot.whatsapp.base import Forms, SendError
from bot.whatsapp.content_api import Rich
from bot.whatsapp.forms import PREFIX
from models import content_template
from models.delivery import Outgoing
from models.message import Content

UNKNOWN = 21655  # no such ContentSid in this account

log = structlog.get_logger()


def of(services: Services, outgoing: Outgoing) -> Content | None:
    """The buttons or list of a line; None where it goes out as a text. Never in the way of the line."""
    question = choices.menu_of(outgoing.extra)
    if question is None or services.forms_for is None or not outgoing.address.startswith(PREFIX):
        return None
    made = content_api.rich(question)
    if made is None:
        return None
    try:
        forms = services.forms_for(outgoing.tenant_id)
        return Content(_sid(services, forms, made), made.variables)
    except SendError as error:
        log.warning("content_not_made", tenant_id=outgoing.tenant_id, code=error.code, error=str(error))
        return None


def _sid(services: Services, forms: Forms, made: Rich) -> str:
    account = forms.account_sid
    with services.db.reading() as session:
        known = content_template.find(session, account, made.digest)
    if known is not None:
        return known
    sid = forms.lay_down(made.document())
    with services.db.writing() as session:
        content_template.keep(session, services.now(), account, made.digest, sid)
    log.info("content_made", digest=made.digest, sid=sid)
    return sid


def forget_unknown(services: Services, outgoing: Outgoing, sent: Content | None, code: int | None) -> None:
    """Where somebody has deleted a form at the provider, the next line makes it anew."""
    if code != UNKNOWN or sent is None or services.forms_for is None:
        return
    account = services.forms_for(outgoing.tenant_id).account_sid
    with services.db.writing() as session:
        if content_template.forget(session, account, sent.sid):
            log.warning("content_forgotten", tenant_id=outgoing.tenant_id, sid=sent.sid)
