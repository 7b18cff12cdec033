"""A business and its rules."""

from datetime import datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from sqlalchemy import JSON
from sqlmodel import Field, SQLModel

from models.attendance import Attendance
from models.db import UtcDateTime
from models.holiday import Calendar, Place


class Tenant(SQLModel, table=True):
    """One business. Minutes, days and hours are whole numbers; `whatsapp` is the sender, "+55…"."""

    id: int | None = Field(default=None, primary_key=True)
    slug: str = Field(unique=True, max_length=60)
    name: str = Field(max_length=120)
    whatsapp: str = Field(unique=True, max_length=140)
    timezone: str = Field(max_length=60)
    address: str = Field(default="", max_length=500)
    about: str = Field(default="", max_length=4000)
    holidays_country: str | None = Field(default=None, max_length=2)
    holidays_state: str | None = Field(default=None, max_length=40)
    holidays_city: str | None = Field(default=None, max_length=80)
    holidays_closed: bool = False
    holidays_optional: list[str] = Field(default_factory=list, sa_type=JSON)  # names, or ["all"]
    holidays_open: list[str] = Field(default_factory=list, sa_type=JSON)  # names and ISO dates
    twilio_account_sid: str | None = Field(default=None, max_length=34)
    twilio_auth_token_env: str | None = Field(default=None, max_length=120)
    # Approved templates (ContentSid) for what is said outside WhatsApp's 24 hours
    template_reminder: str | None = Field(default=None, max_length=34)
    template_waitlist_offer: str | None = Field(default=None, max_length=34)
    template_contact: str | None = Field(default=None, max_length=34)
    buttons: bool = False  # questions go out with buttons and lists to tap
    images: bool = False  # the pictures that customers send are shown to the model
    assistant_greeting: str = Field(default="", max_length=300)
    assistant_tone: str = Field(default="", max_length=500)
    assistant_never_say: list[str] = Field(default_factory=list, sa_type=JSON)
    faq: list[Any] = Field(default_factory=list, sa_type=JSON)  # of {"question", "answer"}
    slot_step_minutes: int = 30
    min_notice_minutes: int = 60
    horizon_days: int = 60
    cancel_notice_minutes: int = 120
    max_open_appointments: int = 3
    reminders_hours: list[int] = Field(default_factory=list, sa_type=JSON)
    # {"0": [[540, 1080]], …}: weekday (0 = Monday) → windows in minutes of the local day
    handoff_hours: dict[str, Any] = Field(default_factory=dict, sa_type=JSON)
    # When nobody answers: minutes of `handoff_hours`, but for the last, which is by the clock
    handoff_realert_minutes: int = 5
    handoff_second_text_minutes: int = 15
    handoff_release_minutes: int = 15
    handoff_reopen_minutes: int = 120
    # Days after which what customers left is deleted by itself; None: it is kept until they ask
    retention_customers_days: int | None = None
    retention_media_days: int | None = None
    # Its own model: what is None is as in the settings. `model_key_env` names the variable with its key
    model_provider: str | None = Field(default=None, max_length=20)
    model_name: str | None = Field(default=None, max_length=120)
    model_key_env: str | None = Field(default=None, max_length=120)
    model_fallback: str | None = Field(default=None, max_length=20)
    # Its own limits: what is None is as in the settings, or without limit. The budget is in cents of a USD
    limit_customer_runs_per_day: int | None = None
    limit_customer_input_tokens_per_day: int | None = None
    limit_runs_per_day: int | None = None
    limit_input_tokens_per_day: int | None = None
    limit_monthly_budget_cents: int | None = None
    # Not served: customers get a fixed text, or (silently) nothing; no model is asked, no reminder sent
    disabled_at: datetime | None = Field(default=None, sa_type=UtcDateTime)
    disabled_silently: bool = False
    inbound_seen_at: datetime | None = Field(default=None, sa_type=UtcDateTime)  # nothing is missing before
    created_at: datetime = Field(sa_type=UtcDateTime)

    @property
    def zone(self) -> ZoneInfo:
        return ZoneInfo(self.timezone)

    @property
    def holidays(self) -> Calendar | None:
        """The holidays that the business closes on; None where it works on all of them."""
        if not (self.holidays_closed and self.holidays_country):
            return None
        place = Place(self.holidays_country, self.holidays_state, self.holidays_city)
        return Calendar(place, tuple(self.holidays_optional), tuple(self.holidays_open))

    @property
    def reopen_grace(self) -> timedelta:
        """How long after a person's last words a customer who writes again goes back to people."""
        return timedelta(minutes=self.handoff_reopen_minutes)

    @property
    def attendance(self) -> Attendance:
        """When people answer."""
        return Attendance(self.zone, self.handoff_hours, self.holidays)

    def next_attendance(self, now: datetime) -> datetime | None:
        """When people answer next: `now` itself within `handoff_hours`, None where no hours are given.

        The answer is in the business's zone.
        """
        opens = self.attendance.next_open(now) if self.handoff_hours else None
        return None if opens is None else opens.astimezone(self.zone)
