"""`horacerta doctor`: every setting checked against the real thing, one line each."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from zoneinfo import ZoneInfo

import httpx
from sqlalchemy.exc import DBAPIError
from sqlmodel import select

from bot import bootstrap
from bot.http import ThreadClients
from bot.llm.client import ModelError, ModelRequest, Usage
from bot.llm.prices import with_given
from bot.settings import Provider, Settings
from bot.whatsapp import accounts
from bot.whatsapp.account_check import SenderState, credentials_problem, senders
from bot.whatsapp.accounts import Account
from bot.whatsapp.client import SendError
from bot.whatsapp.twilio import twilio_client
from models import schema
from models.db import Database
from models.tenant import Tenant

MAX_SKEW = timedelta(seconds=30)
SECONDS = 20.0
SANDBOX = "+14155238886"  # Twilio's shared number for trying things out


@dataclass(frozen=True)
class Finding:
    """One line: what was looked at, and either how it is or what is wrong with the cure."""

    ok: bool
    subject: str
    text: str

    def line(self) -> str:
        return f"{'ok   ' if self.ok else 'WRONG'}  {self.subject}: {self.text}"


def examine(settings: Settings, environment: Mapping[str, str]) -> list[Finding]:
    """All findings, in the order in which they help."""
    context = httpx.create_ssl_context()
    with httpx.Client(verify=context, timeout=10, follow_redirects=False) as http:
        return [
            *_secrets(settings),
            *_database(settings),
            *(_model(provider, settings, http) for provider in settings.providers),
            *_twilio(settings, environment),
            *_public_url(settings, http),
            _zone_data(),
        ]


def _secrets(settings: Settings) -> Iterator[Finding]:
    if settings.secret_key:
        yield Finding(True, "SECRET_KEY", "set")
    else:
        cure = "make one with: python -c 'import secrets; print(secrets.token_urlsafe(48))'"
        yield Finding(False, "SECRET_KEY", f"not set; {cure}")


def _database(settings: Settings) -> Iterator[Finding]:
    db = Database(settings.database_url, pool_size=1)
    try:
        found, wanted = schema.current(db), schema.newest()
    except DBAPIError as error:
        reason = str(error.orig).strip().splitlines()[0] if str(error.orig).strip() else "no answer"
        yield Finding(False, "DATABASE_URL", f"cannot be used ({reason})")
        return
    finally:
        db.dispose()
    if found != wanted:
        state = f"schema {found}" if found else "no schema"
        yield Finding(False, "DATABASE_URL", f"{state}, {wanted} is wanted; run: horacerta migrate")
    else:
        yield Finding(True, "DATABASE_URL", f"{db.url.get_backend_name()}, schema {found}")


def _model(provider: Provider, settings: Settings, http: httpx.Client) -> Finding:
    """A real, tiny question: it proves the key, the name of the model and the way to it at once."""
    subject = f"model ({provider})"
    if provider == "offline":
        return Finding(True, subject, "the built-in one; set ANTHROPIC_API_KEY for Claude")
    client = bootstrap.provider_client(provider, settings, http)
    question = [{"role": "user", "content": [{"type": "text", "text": "Responda só: ok"}]}]
    try:
        client.complete(
            ModelRequest("Responda em uma palavra.", question, (), max_tokens=64), seconds=SECONDS
        )
    except ModelError as error:
        prefix = provider.upper()
        names = f"{prefix}_API_KEY, {prefix}_MODEL and {prefix}_BASE_URL"
        return Finding(False, subject, f"{client.model} does not answer ({error}); see {names}")
    today = datetime.now(UTC).date()
    known = with_given(settings.model_prices).microdollars(client.model, Usage(), today) is not None
    unpriced = "" if known else ", but what it costs is not known: give it in MODEL_PRICES"
    return Finding(True, subject, f"{client.model} answers{unpriced}")


def _twilio(settings: Settings, environment: Mapping[str, str]) -> Iterator[Finding]:
    """Each account that a business uses, and each business's sender on it."""
    http = ThreadClients(verify=httpx.create_ssl_context())
    try:
        for account, tenants in _accounts(settings, environment).items():
            yield from _account(settings, account, tenants, http)
    finally:
        http.close()


def _account(
    settings: Settings, account: Account, tenants: Sequence[Tenant], http: ThreadClients
) -> Iterator[Finding]:
    subject = f"Twilio account of {', '.join(tenant.slug for tenant in tenants) or 'the settings'}"
    if not account.sid or not account.tokens:
        missing = account.missing if not account.tokens else "TWILIO_ACCOUNT_SID"
        yield Finding(False, subject, f"{missing} is not set; copy it from Twilio's console")
        return
    client = twilio_client(account, http, settings.twilio_api_url)
    problem = credentials_problem(client)
    if problem:
        yield Finding(False, subject, f"{problem}; see TWILIO_ACCOUNT_SID and {account.missing}")
        return
    yield Finding(True, subject, "credentials are accepted")
    try:
        states = {state.number: state for state in senders(client)}
    except SendError as error:
        yield Finding(False, subject, f"its WhatsApp senders cannot be listed ({error})")
        return
    for tenant in tenants:
        yield _sender(settings, tenant, states.get(tenant.whatsapp))


def _sender(settings: Settings, tenant: Tenant, state: SenderState | None) -> Finding:
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
    # What follows "#" are connection settings of Twilio's, no part of the address.
    if (state.webhook or "").partition("#")[0] != wanted:
        return Finding(False, subject, f"its webhook is {state.webhook or 'not set'}; set it to {wanted}")
    return Finding(True, subject, f"{tenant.whatsapp} is online and calls {wanted}")


def _accounts(settings: Settings, environment: Mapping[str, str]) -> dict[Account, list[Tenant]]:
    found: dict[Account, list[Tenant]] = {}
    for tenant in _tenants(settings):
        found.setdefault(accounts.of(tenant, settings, environment), []).append(tenant)
    return found or {accounts.default(settings): []}


def _tenants(settings: Settings) -> list[Tenant]:
    db = Database(settings.database_url, pool_size=1)
    try:
        with db.reading() as session:
            return list(session.exec(select(Tenant).order_by(Tenant.slug)).all())
    except DBAPIError:
        return []  # said by the check of the database
    finally:
        db.dispose()


def _public_url(settings: Settings, http: httpx.Client) -> Iterator[Finding]:
    """Whether what Twilio will call leads here, and, by the answer's date, whether our clock is right."""
    subject = "PUBLIC_URL"
    if not settings.public_url:
        yield Finding(False, subject, "not set; it is the https address that Twilio's webhook is set to")
        return
    try:
        answer = http.get(f"{settings.public_url}/healthz")
    except httpx.HTTPError as error:
        yield Finding(False, subject, f"no answer ({type(error).__name__}); is the tunnel or proxy running?")
        return
    if answer.status_code != httpx.codes.OK:
        text = f"answers {answer.status_code} at /healthz; it must lead to `horacerta web` or `serve`"
        yield Finding(False, subject, text)
    elif not settings.public_url.startswith("https://"):
        yield Finding(False, subject, "is not https; Twilio will not send customers' messages to it safely")
    else:
        yield Finding(True, subject, f"webhook address: {settings.public_url}/twilio/inbound")
    yield from _clock(answer.headers.get("date"), lambda: datetime.now(UTC))


def _clock(header: str | None, now: Callable[[], datetime]) -> Iterator[Finding]:
    if header is None:
        return
    skew = abs(now() - parsedate_to_datetime(header))
    text = f"{skew.total_seconds():.0f} s away from the server behind PUBLIC_URL"
    yield Finding(skew <= MAX_SKEW, "clock", text)


def _zone_data() -> Finding:
    """Old data still knows summer time in Brazil: everything would be an hour off from November on."""
    zone = ZoneInfo("America/Sao_Paulo")
    for month in (7, 12):
        offset = datetime(2026, month, 15, tzinfo=zone).utcoffset()
        if offset != timedelta(hours=-3):
            return Finding(False, "time zone data", "out of date; run: pip install --upgrade tzdata")
    return Finding(True, "time zone data", "São Paulo is at -03:00 all year")
