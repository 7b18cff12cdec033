"""The composition root: the one place where real clients are made."""

import ssl
from collections.abc import Callable, Mapping

import httpx

from bot.http import ThreadClients
from bot.llm import prices
from bot.llm.anthropic import AnthropicClient
from bot.llm.breaker import Breaker, GuardedClient
from bot.llm.client import ModelClient
from bot.llm.openai import OpenAIClient
from bot.services import Services, system_clock
from bot.settings import Settings, SettingsError
from bot.terminal import TerminalAware
from bot.whatsapp.senders import Senders
from models import schema
from models.db import Database

__all__ = ["WrongSchema", "ensure_schema", "model_client", "services", "system_clock"]


class WrongSchema(Exception):
    """The database's schema is not the one that this code wants. The text says which command helps."""


def ensure_schema(db: Database) -> None:
    """Bring SQLite to the newest schema; refuse a PostgreSQL that does not have it."""
    found, wanted = schema.current(db), schema.newest()
    if found == wanted:
        return
    if not db.is_sqlite:
        state = f"schema {found}" if found else "no schema yet"
        raise WrongSchema(f"The database has {state}, this version wants {wanted}; run: horacerta migrate")
    schema.migrate(db)


def model_client(settings: Settings, context: ssl.SSLContext) -> ModelClient:
    """The model that the settings choose, behind a breaker. One instance serves all threads."""
    if settings.provider == "offline":
        from bot.llm.offline import OfflineModel

        return OfflineModel()
    http = ThreadClients(verify=context)
    client: ModelClient
    if settings.provider == "anthropic":
        if not settings.anthropic_api_key:
            raise SettingsError("ANTHROPIC_API_KEY is not set.")
        client = AnthropicClient(
            http,
            key=settings.anthropic_api_key,
            model=settings.anthropic_model,
            base_url=settings.anthropic_base_url,
            timeout=settings.llm_timeout_seconds,
            parallel_tools=settings.agent_parallel_tool_calls,
        )
    else:
        if not settings.openai_model:
            raise SettingsError("OPENAI_MODEL is not set.")
        client = OpenAIClient(
            http,
            key=settings.openai_api_key,
            model=settings.openai_model,
            base_url=settings.openai_base_url,
            timeout=settings.llm_timeout_seconds,
            parallel_tools=settings.agent_parallel_tool_calls,
        )
    return GuardedClient(client, Breaker())


def services(settings: Settings, db: Database, environment: Mapping[str, str]) -> Services:
    """Everything that a running program needs, with the real clock and the real network."""
    context = httpx.create_ssl_context()
    client = model_client(settings, context)
    senders = Senders(settings, db, environment, context)
    model: Callable[[], ModelClient] = lambda: client  # noqa: E731  # one for all threads
    return Services(
        settings=settings,
        db=db,
        model=model,
        sender_for=lambda tenant_id: TerminalAware(lambda: senders.sender_for(tenant_id)),
        environment=environment,
        prices=prices.with_given(settings.model_prices),
    )
