"""Whose Twilio account a business uses: its own, or that of the settings."""

from collections.abc import Mapping
from dataclasses import dataclass

import structlog

from bot.core.settings import Settings, pairs
from models.tenant import Tenant

log = structlog.get_logger()


@dataclass(frozen=True)
class Account:
    """A Twilio account. Of its tokens the first sends, and each of them may sign what comes in.

    `sid` None is not known (nothing can be sent then). No tokens: `missing` names the setting that would
    hold them, and every signature fails. `shared_keys` are pairs of an id and its secret, which sign as well.
    """

    sid: str | None
    tokens: tuple[str, ...]
    missing: str
    shared_keys: tuple[tuple[str, str], ...] = ()


def default(settings: Settings) -> Account:
    sid, tokens = settings.twilio_account_sid, settings.twilio_auth_token
    return Account(sid, tokens, "TWILIO_AUTH_TOKEN", settings.twilio_shared_keys)


def of(tenant: Tenant, settings: Settings, environment: Mapping[str, str]) -> Account:
    """The account of one business. Its secret is named by our own table, never by what a form says."""
    if tenant.twilio_account_sid is None or tenant.twilio_auth_token_env is None:
        return default(settings)
    name = tenant.twilio_auth_token_env
    shared = _shared(f"{name}_SHARED_KEYS", environment)
    return Account(tenant.twilio_account_sid, _tokens(environment.get(name, "")), name, shared)


def _shared(name: str, environment: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    try:
        return pairs(environment.get(name, ""))
    except ValueError:
        log.error("shared_keys_unreadable", variable=name)
        return ()


def _tokens(value: str) -> tuple[str, ...]:
    return tuple(token.strip() for token in value.split(",") if token.strip())
