"""Twilio's webhooks: a good signature, one write, and always the same empty answer."""

import structlog
from flask import Blueprint, Response, request
from sqlalchemy.exc import SQLAlchemyError
from sqlmodel import Session, select
from werkzeug.exceptions import RequestEntityTooLarge

from bot.core.services import Services
from bot.sending import fixed_texts, outbox
from bot.web.shared.csrf import csrf
from bot.whatsapp import credentials, forms
from bot.whatsapp.credentials import Account
from bot.whatsapp.forms import Event, Inbound, StatusUpdate, Unusable
from models import customer, message
from models.message import Incoming, Status
from models.tenant import Tenant

MAX_BYTES = 256 * 1024
MAX_REFERENCE = 2**31 - 1
SIGNATURE_HEADER = "X-Twilio-Signature"
SETTINGS_HEADER = "X-Twilio-Webhooks-Signature-Settings"

log = structlog.get_logger()


def webhook(services: Services) -> Blueprint:
    """`POST /twilio/inbound` and `POST /twilio/status`. Each takes either kind of form: a callback that was
    configured at the other address is still understood.
    """
    blueprint = Blueprint("webhook", __name__)
    csrf.exempt(blueprint)

    @blueprint.post("/twilio/inbound")
    @blueprint.post("/twilio/status")
    def receive() -> Response:
        return _receive(services)

    return blueprint


def _receive(services: Services) -> Response:
    request.max_content_length = request.max_form_memory_size = MAX_BYTES
    try:
        event = forms.parse(request.form)
    except RequestEntityTooLarge:
        log.warning("webhook_too_large")
        return Response(status=413)
    try:
        with services.db.reading() as session:
            tenant = _tenant(session, services, event)
        if not _authentic(services, tenant, event):
            return Response(status=403)
        _take(services, tenant, event)
    except SQLAlchemyError as error:
        # Twilio's retry (where it is configured) or the fallback address delivers it again.
        log.error("webhook_not_stored", error=type(error).__name__)
        return Response(status=503)
    return Response("<Response/>", mimetype="text/xml")


def _tenant(session: Session, services: Services, event: Event) -> Tenant | None:
    """Whose number it is. Of a customer without a number ours may be hidden too: then whose it must be."""
    if not event.sender:
        return None
    found = session.exec(select(Tenant).where(Tenant.whatsapp == event.sender)).first()
    if found is not None or not forms.is_user_id(event.sender):
        return found
    sid = event.account_sid
    own = None if sid == services.settings.twilio_account_sid else sid
    of_account = session.exec(select(Tenant).where(Tenant.twilio_account_sid == own)).all()
    known = customer.tenants_of(session, f"{forms.PREFIX}{event.sender}")
    candidates = [one for one in of_account if one.id in known] or list(of_account)
    return candidates[0] if len(candidates) == 1 else None


def _authentic(services: Services, tenant: Tenant | None, event: Event) -> bool:
    settings = services.settings
    account = (
        credentials.of(tenant, settings, services.environment) if tenant else credentials.default(settings)
    )
    if not account.tokens or not settings.public_url:
        setting = "PUBLIC_URL" if account.tokens else account.missing
        log.error("webhook_refused", reason="setting_missing", setting=setting)
        return False
    if not _signed(services, account):
        log.warning("webhook_refused", reason="signature", path=request.path)
        return False
    if account.sid and event.account_sid and event.account_sid != account.sid:
        log.warning("webhook_refused", reason="account", path=request.path)
        return False
    return True


def _signed(services: Services, account: Account) -> bool:
    # Against the address that Twilio was given, never what a proxy passed on; the query as it came, since
    # Werkzeug's own URL has it decoded.
    query = request.query_string.decode("latin-1")
    url = f"{services.settings.public_url}{request.path}" + (f"?{query}" if query else "")
    return forms.verify(
        url,
        request.form,
        request.headers.get(SIGNATURE_HEADER),
        account.tokens,
        request.headers.get(SETTINGS_HEADER),
        dict(account.shared_keys),
    )


def _take(services: Services, tenant: Tenant | None, event: Event) -> None:
    if isinstance(event, Unusable):
        log.warning("webhook_unusable", reason=event.reason, path=request.path)
        return
    if tenant is None:
        log.warning("webhook_unknown_sender", sender=_masked(event.sender), path=request.path)
        return
    assert tenant.id is not None
    match event:
        case Inbound():
            _store(services, fixed_texts.with_confirmation(tenant, event.incoming(tenant.id)))
        case StatusUpdate():
            _report(services, tenant.id, event)


def _store(services: Services, incoming: Incoming) -> None:
    received = message.receive(services.db, incoming, services.now(), services.debounce)
    if received.due:
        services.wake_agent.set()
    if received.told:
        services.wake_outbox.set()
    log.info(
        "message_received",
        tenant_id=incoming.tenant_id,
        conversation_id=received.conversation_id,
        kind=incoming.kind,
        duplicate=received.duplicate,
        due=received.due,
    )


def _report(services: Services, tenant_id: int, event: StatusUpdate) -> None:
    if event.status is None:
        log.info("status_ignored", tenant_id=tenant_id)
        return
    if event.status == Status.FAILED:
        log.warning("delivery_failed", tenant_id=tenant_id, code=event.error_code, said=event.channel_message)
    outbox.report(
        services,
        tenant_id,
        sid=event.sid,
        status=event.status,
        error_code=event.error_code,
        message_id=_reference(request.args.get("o", "")),
    )


def _reference(value: str) -> int | None:
    """Our message id in the callback address; the signature covers it."""
    number = int(value) if value.isascii() and value.isdigit() and len(value) <= 10 else 0
    return number if 0 < number <= MAX_REFERENCE else None


def _masked(number: str) -> str:
    return f"…{number[-4:]}" if len(number) > 4 else "…"
