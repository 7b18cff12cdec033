"""What Twilio says of our accounts, senders and templates, as lines of `horacerta doctor`."""

import json
from collections.abc import Iterator, Mapping, Sequence

from sqlalchemy.exc import DBAPIError
from sqlmodel import select
from twilio.rest import Client

from bot.cli.finding import Finding
from bot.core.http import Http
from bot.core.settings import Settings
from bot.whatsapp import credentials
from bot.whatsapp.account_status import (
    SenderState,
    TemplateState,
    credentials_problem,
    senders,
    template_state,
)
from bot.whatsapp.base import SendError
from bot.whatsapp.credentials import Account
from bot.whatsapp.twilio import twilio_client
from models.db import Database, missing_file
from models.tenant import Tenant

SANDBOX = "+14155238886"  # Twilio's shared number for trying things out
CONSOLE = "Twilio's console, Messaging, Content Template Builder"
# What each template is given: 1 the name, 2 when, 3 and on what else it says.
GIVEN = {"reminder": 4, "waitlist_offer": 4, "contact": 2}


def examine(settings: Settings, environment: Mapping[str, str], http: Http) -> Iterator[Finding]:
    """Each account that a business uses, each business's sender on it, and its templates."""
    for account, tenants in _accounts(settings, environment).items():
        yield from _account(settings, account, tenants, http)


def _accounts(settings: Settings, environment: Mapping[str, str]) -> dict[Account, list[Tenant]]:
    found: dict[Account, list[Tenant]] = {}
    for tenant in _tenants(settings):
        found.setdefault(credentials.of(tenant, settings, environment), []).append(tenant)
    return found or {credentials.default(settings): []}


def _tenants(settings: Settings) -> list[Tenant]:
    if missing_file(settings.database_url):
        return []  # not to be made by looking
    try:
        db = Database(settings.database_url, pool_size=1)
    except OSError:
        return []  # said by the check of the database
    try:
        with db.reading() as session:
            return list(session.exec(select(Tenant).order_by(Tenant.slug)).all())
    except DBAPIError:
        return []
    finally:
        db.dispose()


def _account(
    settings: Settings, account: Account, tenants: Sequence[Tenant], http: Http
) -> Iterator[Finding]:
    subject = f"Twilio account of {', '.join(tenant.slug for tenant in tenants) or 'the settings'}"
    if not account.sid or not account.tokens:
        missing = account.missing if not account.tokens else "TWILIO_ACCOUNT_SID"
        yield Finding(False, subject, f"{missing} is not set; copy it from Twilio's console")
        return
    client = twilio_client(account, http, settings.twilio_api_url)
    try:
        problem = credentials_problem(client)
    except SendError as error:
        yield Finding(False, subject, f"Twilio does not answer ({error}); is this machine online?")
        return
    if problem:
        yield Finding(False, subject, f"{problem}; see TWILIO_ACCOUNT_SID and {account.missing}")
        return
    yield Finding(True, subject, "credentials are accepted")
    yield from _senders(settings, account, tenants, client)
    for tenant in tenants:
        yield from _templates(client, tenant)


# Senders


def _senders(
    settings: Settings, account: Account, tenants: Sequence[Tenant], client: Client
) -> Iterator[Finding]:
    try:
        states = {state.number: state for state in senders(client)}
    except SendError as error:
        yield Finding(False, "WhatsApp senders", f"cannot be listed ({error})")
        return
    for tenant in tenants:
        yield _sender(settings, account, tenant, states.get(tenant.whatsapp))


def _sender(settings: Settings, account: Account, tenant: Tenant, state: SenderState | None) -> Finding:
    subject = f"sender of {tenant.slug}"
    wanted = f"{settings.public_url}/twilio/inbound"
    if tenant.whatsapp == SANDBOX:
        return Finding(True, subject, f"the sandbox; its page must have the address {wanted}")
    if state is None:
        return Finding(False, subject, f"{tenant.whatsapp} is no WhatsApp sender of this account")
    if not state.status.upper().startswith("ONLINE"):
        return Finding(
            False, subject, f"{tenant.whatsapp} is {state.status}, not online; see Twilio's console"
        )
    faults = list(_faults(state, settings.public_url or ""))
    if faults:
        cure = _cure(state, settings.public_url or "", account.missing)
        return Finding(False, subject, f"{', '.join(faults)}; set them in Twilio's console or with: {cure}")
    fallback = "" if state.fallback else "; a fallback URL may be the same address"
    return Finding(True, subject, f"{tenant.whatsapp} is online and calls {wanted}{fallback}")


def _faults(state: SenderState, public_url: str) -> Iterator[str]:
    inbound, status = f"{public_url}/twilio/inbound", f"{public_url}/twilio/status"
    if _address(state.webhook) != inbound or not state.posts:
        yield f"its webhook is {state.webhook or 'not set'} and must be {inbound} by POST"
    if _address(state.status_callback) != status:
        yield f"its status callback is {state.status_callback or 'not set'} and must be {status}"
    if state.fallback and _address(state.fallback) != inbound:
        yield f"its fallback is {state.fallback} and must be {inbound} or nothing"


def _address(url: str | None) -> str:
    """What follows "#" are connection settings of Twilio's, no part of the address."""
    return (url or "").partition("#")[0]


def _cure(state: SenderState, public_url: str, token: str) -> str:
    """The request that sets all three addresses; secrets stand in it by their names alone."""
    webhook = {
        "callback_url": f"{public_url}/twilio/inbound#rc=2&rp=ct,rt,5xx&rt=4000",
        "callback_method": "POST",
        "fallback_url": f"{public_url}/twilio/inbound",
        "fallback_method": "POST",
        "status_callback_url": f"{public_url}/twilio/status",
        "status_callback_method": "POST",
    }
    return (
        f"curl -X POST https://messaging.twilio.com/v2/Channels/Senders/{state.sid} "
        f'-u "{state.account_sid}:${token}" -H "Content-Type: application/json" '
        f"-d '{json.dumps({'webhook': webhook})}'"
    )


# Templates


def _templates(client: Client, tenant: Tenant) -> Iterator[Finding]:
    sids = {
        "reminder": tenant.template_reminder,
        "waitlist_offer": tenant.template_waitlist_offer,
        "contact": tenant.template_contact,
    }
    for name, sid in sids.items():
        if sid is not None:
            yield _template(client, tenant, name, sid)
    if tenant.reminders_hours and tenant.template_reminder is None:
        text = "none for reminders: who has not written for 24 hours is not reminded; see templates: reminder"
        yield Finding(True, f"templates of {tenant.slug}", text)


def _template(client: Client, tenant: Tenant, name: str, sid: str) -> Finding:
    subject = f"template {name} of {tenant.slug}"
    try:
        state = template_state(client, sid)
    except SendError as error:
        return Finding(False, subject, f"{sid} cannot be looked up ({error})")
    if state is None:
        return Finding(False, subject, f"{sid} is not in this account; copy its sid from {CONSOLE}")
    fault = _fault(state, GIVEN[name])
    return Finding(fault is None, subject, f"{sid} {fault or 'is approved'}")


def _fault(state: TemplateState, given: int) -> str | None:
    unknown = state.variables - {str(number) for number in range(1, given + 1)}
    if unknown:
        names = ", ".join(sorted(unknown))
        return f"uses {names}, and is given only the variables 1 to {given}; change its text in {CONSOLE}"
    if state.is_list:
        return "is a list picker, which cannot be sent outside the 24 hours; make it a text or quick replies"
    if state.status != "approved":
        reason = f" ({state.reason})" if state.reason else ""
        return f"is {state.status or 'not submitted'} at WhatsApp{reason}; submit it in {CONSOLE}"
    return None
