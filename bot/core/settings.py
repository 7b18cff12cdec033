"""The environment, read once at start."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Literal

from dotenv import dotenv_values
from pydantic import Field, ValidationError, field_validator, model_validator
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict
from sqlalchemy.exc import ArgumentError

from bot.core import pricing, setting_errors, vapid
from models import db

Provider = Literal["anthropic", "openai", "offline"]
SmtpSecurity = Literal["starttls", "tls", "none"]
MIN_SECRET_LENGTH = 32
MIN_METRICS_TOKEN_LENGTH = 16


class SettingsError(Exception):
    """A setting is wrong or missing. The text is one sentence that names it."""


def pairs(value: str) -> tuple[tuple[str, str], ...]:
    """ "key=secret,key=secret" as pairs. Raises ValueError, without the value."""
    split = [part.strip().partition("=") for part in value.split(",") if part.strip()]
    if not all(name.strip() and secret.strip() for name, _, secret in split):
        raise ValueError("must look like key=secret,key=secret")
    return tuple((name.strip(), secret.strip()) for name, _, secret in split)


class Settings(BaseSettings):
    """Every setting with its default; `.env.example` explains each."""

    model_config = SettingsConfigDict(env_file=".env", extra="ignore", env_ignore_empty=True, frozen=True)

    database_url: str = "sqlite:///data/horacerta.db"
    secret_key: str | None = None
    public_url: str | None = None
    host: str = "127.0.0.1"
    port: int = Field(default=8000, ge=0, le=65535)

    twilio_account_sid: str | None = Field(default=None, pattern=r"^AC[0-9a-fA-F]{32}$")
    twilio_auth_token: Annotated[tuple[str, ...], NoDecode] = ()
    twilio_shared_keys: Annotated[tuple[tuple[str, str], ...], NoDecode] = Field(default=(), repr=False)
    twilio_api_url: str | None = None
    typing_indicator: bool = True

    llm_provider: Provider | None = None
    llm_fallback: Provider | None = None
    anthropic_api_key: str | None = None
    anthropic_base_url: str = "https://api.anthropic.com"
    anthropic_model: str = "claude-haiku-5-5"
    openai_api_key: str | None = None
    openai_base_url: str = "https://api.openai.com/v1"
    openai_model: str | None = None
    openai_images: bool = False

    transcription_base_url: str = "https://api.openai.com/v1"
    transcription_api_key: str | None = None
    transcription_model: str | None = None

    agent_max_iterations: int = Field(default=8, ge=1, le=50)
    agent_max_input_tokens: int = Field(default=60_000, ge=1000)
    agent_max_identical_calls: int = Field(default=2, ge=1)
    agent_max_tokens: int = Field(default=4096, ge=16)
    agent_retry_max_tokens: int = Field(default=16_384, ge=16)
    agent_timeout_seconds: float = Field(default=90, gt=0, le=600)
    agent_history_turns: int = Field(default=12, ge=1)
    agent_history_tokens: int = Field(default=6000, ge=200)
    agent_parallel_tool_calls: bool = True
    llm_timeout_seconds: float = Field(default=45, gt=0, le=600)
    waitlist_hold_minutes: int = Field(default=30, ge=5, le=1440)
    inbound_debounce_seconds: float = Field(default=1.5, ge=0, le=60)
    worker_concurrency: int = Field(default=64, ge=1, le=2000)

    limit_customer_runs_per_day: int = Field(default=60, ge=1)
    limit_customer_input_tokens_per_day: int | None = Field(default=None, ge=1)
    limit_tenant_runs_per_day: int = Field(default=3000, ge=1)
    limit_tenant_input_tokens_per_day: int | None = Field(default=None, ge=1)
    model_prices: str | None = None
    record_dir: Path | None = None

    smtp_host: str | None = None
    smtp_port: int = Field(default=587, ge=1, le=65535)
    smtp_security: SmtpSecurity = "starttls"
    smtp_user: str | None = None
    smtp_password: str | None = Field(default=None, repr=False)
    smtp_from: str | None = Field(default=None, pattern=r"^[^@\s<>]+@[^@\s<>]+$")

    vapid_private_key: str | None = Field(default=None, repr=False)
    vapid_subject: str | None = Field(default=None, pattern=r"^mailto:[^@\s<>]+@[\w-]+(\.[\w-]+)+$")

    log_level: Literal["DEBUG", "INFO", "WARNING", "ERROR"] = "INFO"
    log_format: Literal["console", "json"] = "console"
    metrics_token: str | None = None

    @field_validator("twilio_auth_token", mode="before")
    @classmethod
    def _split_tokens(cls, value: object) -> object:
        if isinstance(value, str):
            return tuple(token.strip() for token in value.split(",") if token.strip())
        return value

    @field_validator("twilio_shared_keys", mode="before")
    @classmethod
    def _split_keys(cls, value: object) -> object:
        return pairs(value) if isinstance(value, str) else value

    @field_validator("log_level", mode="before")
    @classmethod
    def _upper(cls, value: object) -> object:
        return value.upper() if isinstance(value, str) else value

    @field_validator("database_url")
    @classmethod
    def _known_database(cls, value: str) -> str:
        try:
            db.parse_url(value)
        except (ArgumentError, ValueError):
            raise ValueError("must look like sqlite:///file.db or postgresql://user@host/name") from None
        return value

    @field_validator("twilio_api_url", "anthropic_base_url", "openai_base_url", "transcription_base_url")
    @classmethod
    def _web_address(cls, value: str | None) -> str | None:
        return setting_errors.address(value) if value else value

    @field_validator("public_url")
    @classmethod
    def _root_address(cls, value: str | None) -> str | None:
        return setting_errors.root(value) if value else value

    @field_validator("secret_key")
    @classmethod
    def _long_secret(cls, value: str | None) -> str | None:
        return setting_errors.long_enough(value, MIN_SECRET_LENGTH) if value is not None else value

    @field_validator("metrics_token")
    @classmethod
    def _long_token(cls, value: str | None) -> str | None:
        return setting_errors.long_enough(value, MIN_METRICS_TOKEN_LENGTH) if value is not None else value

    @field_validator("vapid_private_key")
    @classmethod
    def _whole_key(cls, value: str | None) -> str | None:
        try:
            if value is not None:
                vapid.private_key(value)
        except ValueError:
            raise ValueError("must be 43 letters, digits, - and _, made as .env.example says") from None
        return value

    @field_validator("model_prices")
    @classmethod
    def _known_prices(cls, value: str | None) -> str | None:
        pricing.with_given(value)
        return value

    @model_validator(mode="after")
    def _whole_provider(self) -> "Settings":
        if "anthropic" in self.providers and not self.anthropic_api_key:
            raise ValueError("ANTHROPIC_API_KEY is missing, and LLM_PROVIDER or LLM_FALLBACK is anthropic")
        if "openai" in self.providers and not self.openai_model:
            raise ValueError("OPENAI_MODEL is missing, and the provider or LLM_FALLBACK is openai")
        if self.transcription_api_key and not self.transcription_model:
            raise ValueError("TRANSCRIPTION_MODEL is missing, and TRANSCRIPTION_API_KEY is set")
        if self.smtp_host and not self.smtp_from:
            raise ValueError("SMTP_FROM is missing, and SMTP_HOST is set")
        if self.vapid_private_key and not self.vapid_subject:
            raise ValueError("VAPID_SUBJECT is missing, and VAPID_PRIVATE_KEY is set")
        if self.agent_retry_max_tokens < self.agent_max_tokens:
            raise ValueError("AGENT_RETRY_MAX_TOKENS must not be smaller than AGENT_MAX_TOKENS")
        return self

    @property
    def provider(self) -> Provider:
        if self.llm_provider:
            return self.llm_provider
        if self.anthropic_api_key:
            return "anthropic"
        return "openai" if self.openai_api_key else "offline"

    @property
    def providers(self) -> tuple[Provider, ...]:
        """The one that is asked first, and the one behind it if there is another."""
        if self.llm_fallback in (None, self.provider):
            return (self.provider,)
        return (self.provider, self.llm_fallback)

    def require(self, *names: str) -> None:
        """Raise SettingsError for the first of these settings (lower-case names) that is not set."""
        for name in names:
            if not getattr(self, name):
                raise SettingsError(f"{name.upper()} is not set; {_CURES.get(name, 'see .env.example')}.")


_CURES = {
    "secret_key": "make one with: python -c 'import secrets; print(secrets.token_urlsafe(48))'",
    "public_url": "it is the https address that Twilio's webhook is configured with",
    "twilio_account_sid": "copy it from the first page of Twilio's console",
    "twilio_auth_token": "copy it from the first page of Twilio's console",
}


def load(env_file: Path | None = Path(".env"), **overrides: object) -> Settings:
    """The settings from the environment and `.env`; raises SettingsError with one sentence."""
    _check_file(env_file)
    try:
        return Settings(_env_file=env_file, **overrides)  # type: ignore[arg-type]  # pydantic-settings' own
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        field = Settings.model_fields.get("_".join(map(str, first["loc"])))
        raise SettingsError(setting_errors.sentence(first, field)) from None


def _check_file(file: Path | None) -> None:
    """Raise SettingsError if there is such a file, and it cannot be read as text."""
    try:
        if file is not None and (file.exists() or file.is_symlink()):
            file.read_text("utf-8")
    except OSError as error:
        raise SettingsError(f"{file}: cannot be read ({error.strerror}).") from None
    except UnicodeDecodeError:
        raise SettingsError(f"{file}: is not written in UTF-8; save it again in that encoding.") from None


def environment(env_file: Path = Path(".env")) -> Mapping[str, str]:
    """What the process was given, and what only `.env` says: a business's own token may stand in either.

    Raises SettingsError.
    """
    _check_file(env_file)
    kept = {name: value for name, value in dotenv_values(env_file).items() if value is not None}
    return kept | os.environ
