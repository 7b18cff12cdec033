"""What the running program is made of, handed to whoever needs it. Made in `bootstrap`, by hand in tests."""

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from bot.core.pricing import LIST, Prices
from bot.core.process_stats import Meters
from bot.core.settings import Settings
from models.db import Database
from models.tenant import Tenant

if TYPE_CHECKING:  # what is carried here is made further out
    from bot.escalation.smtp import Post
    from bot.escalation.web_push import Pusher
    from bot.llm.base import ModelClient
    from bot.media.pictures import Eyes
    from bot.media.staff_downloads import Files
    from bot.media.voice import Ears
    from bot.whatsapp.base import Archive, Forms, Inbox, Sender


def system_clock() -> datetime:
    return datetime.now(UTC)


@dataclass(frozen=True)
class Services:
    """`now` is the only clock. `model` and `sender_for` give objects for the calling thread.

    `sender_for(tenant_id)` sends with that tenant's Twilio account. `wake_agent` and `wake_outbox` rouse the
    workers of this process; another process finds the work by its own ticks.
    """

    settings: Settings
    db: Database
    model: "Callable[[], ModelClient]"  # that of all businesses without one of their own
    sender_for: "Callable[[int], Sender]"
    now: Callable[[], datetime] = system_clock
    own_model: "Callable[[Tenant], ModelClient | None] | None" = None  # None: no business has one
    inbox_for: "Callable[[Tenant], Inbox] | None" = None  # None: nobody looks for what has not reached us
    archive_for: "Callable[[Tenant], Archive] | None" = None  # None: nothing is deleted at the provider
    forms_for: "Callable[[int], Forms] | None" = None  # None: what there is to tap goes out as a text
    ears: "Ears | None" = None  # None: voice messages are not understood
    files: "Files | None" = None  # None: staff see that something was attached, and no more
    eyes: "Eyes | None" = None  # None: the model sees no pictures
    typing: Callable[[Tenant, str], object] | None = None  # shows it to who sent the message with this sid
    post: "Post | None" = None  # None: staff get no mail
    pusher: "Pusher | None" = None  # None: nobody is told where no page is open
    prices: Prices = LIST
    meters: Meters = field(default_factory=Meters)
    wake_agent: threading.Event = field(default_factory=threading.Event)
    wake_outbox: threading.Event = field(default_factory=threading.Event)
    environment: Mapping[str, str] = field(default_factory=dict)  # for `auth_token_env` of the business file

    def model_for(self, tenant: Tenant) -> "ModelClient":
        """The model of one run of this business."""
        own = self.own_model(tenant) if self.own_model else None
        return own or self.model()

    @property
    def debounce(self) -> timedelta:
        return timedelta(seconds=self.settings.inbound_debounce_seconds)
