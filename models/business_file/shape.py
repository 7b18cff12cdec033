"""What a valid business file says, as plain values. Lists are in file order, hours and dates sorted."""

import datetime as dt
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, TypedDict

from models.business_file.document import Problem
from models.catalog import MINUTES_OF_DAY


class Window(NamedTuple):
    """Half-open minutes of the local day on a weekday (0 = Monday)."""

    weekday: int
    start: int
    end: int


Hours = tuple[Window, ...]


def hours_of(column: Mapping[str, Sequence[Sequence[int]]]) -> Hours:
    """Hours from the form of the column `Tenant.handoff_hours`."""
    return tuple(sorted(Window(int(day), *span) for day, spans in column.items() for span in spans))


class Away(NamedTuple):
    """Time off from `first` through `last`, on each day only from `start` to `end` (minutes)."""

    first: dt.date
    last: dt.date
    start: int = 0
    end: int = MINUTES_OF_DAY
    reason: str = ""


class Closed(NamedTuple):
    """The business is closed on `date` from `start` to `end` (minutes)."""

    date: dt.date
    start: int = 0
    end: int = MINUTES_OF_DAY
    reason: str = ""


@dataclass(frozen=True)
class Rules:
    """The rules of a tenant, under the names and with the defaults of its columns."""

    slot_step_minutes: int = 30
    min_notice_minutes: int = 60
    horizon_days: int = 60
    cancel_notice_minutes: int = 120
    max_open_appointments: int = 3
    reminders_hours: list[int] = field(default_factory=list)
    handoff_hours: dict[str, list[list[int]]] = field(default_factory=dict)


@dataclass(frozen=True)
class Settings:
    """The other columns of `Tenant` that the file decides, under their own names."""

    slug: str
    name: str
    whatsapp: str
    timezone: str
    address: str
    about: str
    holidays_country: str | None
    holidays_state: str | None
    holidays_city: str | None
    holidays_closed: bool
    holidays_optional: list[str]
    holidays_open: list[str]
    twilio_account_sid: str | None
    twilio_auth_token_env: str | None
    buttons: bool
    images: bool


@dataclass(frozen=True)
class Templates:
    """The approved templates (ContentSid) of a tenant, under the names of its columns."""

    template_reminder: str | None = None
    template_waitlist_offer: str | None = None
    template_contact: str | None = None


@dataclass(frozen=True)
class Waits:
    """What is done when nobody answers, under the names and with the defaults of a tenant's columns."""

    handoff_realert_minutes: int = 5
    handoff_second_text_minutes: int = 15
    handoff_release_minutes: int = 15
    handoff_reopen_minutes: int = 120


@dataclass(frozen=True)
class Retention:
    """How long what customers left is kept, under the names of a tenant's columns; None: until they ask."""

    retention_customers_days: int | None = None
    retention_media_days: int | None = None


@dataclass(frozen=True)
class OwnModel:
    """The model of a business's own, under the names of a tenant's columns; None: that of the settings."""

    model_provider: str | None = None
    model_name: str | None = None
    model_key_env: str | None = None
    model_fallback: str | None = None


@dataclass(frozen=True)
class UsageLimits:
    """What a business may use of the bot, under the names of a tenant's columns; None: as all others."""

    limit_customer_runs_per_day: int | None = None
    limit_customer_input_tokens_per_day: int | None = None
    limit_runs_per_day: int | None = None
    limit_input_tokens_per_day: int | None = None
    limit_monthly_budget_cents: int | None = None


class Question(TypedDict):
    """What customers ask, and what the business answers."""

    question: str
    answer: str


@dataclass(frozen=True)
class Assistant:
    """How the assistant speaks and what it knows by heart, under the names of a tenant's columns."""

    assistant_greeting: str = ""
    assistant_tone: str = ""
    assistant_never_say: list[str] = field(default_factory=list)
    faq: list[Question] = field(default_factory=list)


@dataclass(frozen=True)
class Offer:
    """One service."""

    name: str
    duration_minutes: int
    buffer_minutes: int
    price_cents: int | None
    on_holidays: bool = False


@dataclass(frozen=True)
class Worker:
    """One professional; `services` are names of the file's services."""

    name: str
    services: tuple[str, ...]
    hours: Hours
    time_off: tuple[Away, ...]


@dataclass(frozen=True)
class BusinessFile:
    """One business. `warnings` are oddities that are allowed; `whatsapp_line` is where its number stands."""

    settings: Settings
    rules: Rules
    templates: Templates
    waits: Waits
    retention: Retention
    own_model: OwnModel
    usage_limits: UsageLimits
    assistant: Assistant
    services: tuple[Offer, ...]
    professionals: tuple[Worker, ...]
    closures: tuple[Closed, ...]
    warnings: tuple[Problem, ...] = field(default=(), compare=False)
    whatsapp_line: int = field(default=1, compare=False)
