"""Whose Twilio account a business uses: its own, or that of the settings."""

from collections.abc import Mapping
from dataclasses import dataclass

from bot.settings import Settings
from models.tenant import Tenant


@dataclass(frozen=True)
class Account:
    """A Twilio account. Of its tokens the first sends, and each of them may sign what comes in.

    `sid` None is not known (nothing can be sent then). No tokens: `missing` names the setting that would
    hold them, and every signature fails.
    """

    sid: str | None
    tokens: tuple[str, ...]
    missing: str


def default(settings: Settings) -> Account:
    return Account(settings.twilio_account_sid, settings.twilio_auth_token, "TWILIO_AUTH_TOKEN")


def of(tenant: Tenant, settings: Settings, environment: Mapping[str, str]) -> Account:
    """The account of one business. Its secret is named by our own table, never by what a form says."""
    if tenant.twilio_account_sid is None or tenant.twilio_auth_token_env is None:
        return default(settings)
    name = tenant.twilio_auth_token_env
    return Account(tenant.twilio_account_sid, _tokens(environment.get(name, "")), name)


def _tokens(value: str) -> tuple[str, ...]:
    return tuple(token.strip() for token in value.split(",") if token.strip())
