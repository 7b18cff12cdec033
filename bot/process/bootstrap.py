"""The composition root: the one place where real clients are made."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import httpx

from bot.core import pricing, vapid
from bot.core.call_stats import Calls
from bot.core.http import Http, ThreadClients
from bot.core.process_stats import Meters
from bot.core.services import Services, system_clock
from bot.core.settings import Provider, Settings, SettingsError
from bot.escalation import web_push
from bot.escalation.smtp import SmtpPost
from bot.llm.anthropic import AnthropicClient
from bot.llm.base import ModelClient
from bot.llm.circuit_breaker import Breaker, GuardedClient
from bot.llm.fallback import FallbackClient
from bot.llm.openai import OpenAIClient
from bot.llm.recording import TapedClient, TapedHttp, Tapes
from bot.llm.rule_based import OfflineModel
from bot.llm.simplified_mode import HonestClient
from bot.llm.transport import ignore
from bot.media import pictures, staff_downloads, voice
from bot.process.own_models import OwnModels
from bot.process.run_metrics import RunFigures
from bot.sending.terminal import TerminalAware
from bot.whatsapp import typing_indicator
from bot.whatsapp.senders import Senders
from models import schema
from models.db import Database

__all__ = [
    "WrongSchema",
    "ensure_schema",
    "model_client",
    "models",
    "provider_client",
    "recordings",
    "services",
    "system_clock",
]


class WrongSchema(Exception):
    """The database's schema is not the one that this code wants. The text says which command helps."""


def newer_schema(found: str | None) -> str:
    """What is wrong with a database that a newer version has made; "" where none has."""
    if found is None or schema.is_known(found):
        return ""
    return f"The database has schema {found}, of a newer version than this program; install that version"


def ensure_schema(db: Database) -> None:
    """Bring SQLite to the newest schema; refuse a PostgreSQL that does not have it."""
    found, wanted = schema.current(db), schema.newest()
    if found == wanted:
        return
    if newer := newer_schema(found):
        raise WrongSchema(newer)
    if not db.is_sqlite:
        state = f"schema {found}" if found else "no schema yet"
        raise WrongSchema(f"The database has {state}, this version wants {wanted}; run: horacerta migrate")
    schema.migrate(db)


@dataclass(frozen=True)
class Time:
    """What model clients know of time, for tests to hold. Seconds."""

    clock: Callable[[], float] = time.monotonic
    sleep: Callable[[float], object] = time.sleep


def model_client(
    settings: Settings, http: Http, at: Time = Time(), calls: Calls | None = None
) -> ModelClient:
    """The model that the settings choose, and the one behind it where it cannot answer.

    Each that is reached over the network has a breaker of its own. One instance serves as many threads as
    `http` does.
    """
    calls = calls or Calls()
    first, *behind = (_guarded(provider, settings, http, at, calls) for provider in settings.providers)
    return FallbackClient([first, *map(_honest, behind)], clock=at.clock) if behind else first


def models(settings: Settings, http: Http, calls: Calls | None = None) -> Callable[[], ModelClient]:
    """What gives a run its model: one for all, unless each run is to be recorded. Raises SettingsError."""
    tapes = recordings(settings)
    if tapes is None:
        client = model_client(settings, http, calls=calls)
        return lambda: client
    taped = model_client(settings, TapedHttp(http), calls=calls)
    return lambda: TapedClient(taped, tapes.new())


def recordings(settings: Settings) -> Tapes | None:
    """Where runs are recorded, tried out; None where they are not. Raises SettingsError."""
    if settings.record_dir is None:
        return None
    hidden = [settings.anthropic_api_key, settings.openai_api_key, *settings.twilio_auth_token]
    tapes = Tapes(settings.record_dir, filter(None, hidden), system_clock)
    try:
        tapes.try_out()
    except OSError as error:
        reason = f"{settings.record_dir} cannot be written ({error.strerror})"
        raise SettingsError(f"RECORD_DIR: {reason}.") from None
    return tapes


def _honest(client: ModelClient) -> ModelClient:
    return HonestClient(client) if client.provider == "offline" else client


def _guarded(provider: Provider, settings: Settings, http: Http, at: Time, calls: Calls) -> ModelClient:
    client = provider_client(provider, settings, http, at, calls.counting(provider))
    if provider == "offline":
        return client
    breaker = Breaker(clock=at.clock)
    calls.watch(provider, breaker)
    return GuardedClient(client, breaker)


def provider_client(
    provider: Provider,
    settings: Settings,
    http: Http,
    at: Time = Time(),
    retried: Callable[[str], object] = ignore,
) -> ModelClient:
    """One provider's model, with nothing before or behind it."""
    match provider:
        case "offline":
            return OfflineModel()
        case "anthropic":
            return AnthropicClient(
                http,
                key=settings.anthropic_api_key or "",
                model=settings.anthropic_model,
                base_url=settings.anthropic_base_url,
                timeout=settings.llm_timeout_seconds,
                parallel_tools=settings.agent_parallel_tool_calls,
                clock=at.clock,
                sleep=at.sleep,
                retried=retried,
            )
        case "openai":
            return OpenAIClient(
                http,
                key=settings.openai_api_key,
                model=settings.openai_model or "",
                base_url=settings.openai_base_url,
                timeout=settings.llm_timeout_seconds,
                parallel_tools=settings.agent_parallel_tool_calls,
                images=settings.openai_images,
                clock=at.clock,
                sleep=at.sleep,
                retried=retried,
            )


def services(settings: Settings, db: Database, environment: Mapping[str, str]) -> Services:
    """Everything that a running program needs, with the real clock and the real network."""
    context = httpx.create_ssl_context()
    http = ThreadClients(verify=context)
    senders = Senders(settings, db, environment, context)
    quick = Senders(settings, db, environment, context, typing_indicator.PATIENCE)
    attachments = ThreadClients(verify=context)
    meters = Meters(RunFigures())
    return Services(
        settings=settings,
        db=db,
        model=models(settings, http, meters.calls),
        own_model=OwnModels(settings, environment, meters.calls, lambda own, calls: models(own, http, calls)),
        meters=meters,
        sender_for=lambda tenant_id: TerminalAware(lambda: senders.sender_for(tenant_id)),
        environment=environment,
        inbox_for=senders.inbox_for,
        archive_for=senders.archive_for,
        forms_for=senders.forms_for,
        ears=voice.ears(settings, environment, attachments),
        files=staff_downloads.files(settings, environment, attachments),
        eyes=pictures.eyes(settings, environment, attachments),
        typing=typing_indicator.TypingIndicator(quick.client_for) if settings.typing_indicator else None,
        post=post(settings),
        pusher=pusher(settings, ThreadClients(verify=context)),
        prices=pricing.with_given(settings.model_prices),
    )


def pusher(settings: Settings, http: Http) -> web_push.Pusher | None:
    """What takes notices to browsers; None where no key is given."""
    if settings.vapid_private_key is None or settings.vapid_subject is None:
        return None
    return web_push.Pusher(http, vapid.private_key(settings.vapid_private_key), settings.vapid_subject)


def post(settings: Settings) -> SmtpPost | None:
    """What takes mail to staff; None where no server is given."""
    if settings.smtp_host is None or settings.smtp_from is None:
        return None
    return SmtpPost(
        host=settings.smtp_host,
        port=settings.smtp_port,
        sender=settings.smtp_from,
        security=settings.smtp_security,
        user=settings.smtp_user,
        password=settings.smtp_password,
    )
