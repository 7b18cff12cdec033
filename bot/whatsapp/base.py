"""What sends: the interface that the outbox knows, and how it can fail."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from werkzeug.datastructures import MultiDict

from models.message import Content
from models.provider_deletion import Kind


class SendError(Exception):
    """A message was not accepted.

    `permanent`: trying again cannot help. `surely_not_sent`: it did not reach the customer; where this is
    False the request may have been carried out, and nothing may be sent blindly again. `code` is the
    vendor's, `status` that of HTTP; the text is for logs and staff, never for the customer.
    """

    def __init__(
        self,
        message: str,
        *,
        permanent: bool,
        surely_not_sent: bool,
        code: int | None = None,
        status: int | None = None,
    ) -> None:
        super().__init__(message)
        self.permanent = permanent
        self.surely_not_sent = surely_not_sent
        self.code = code
        self.status = status


@dataclass(frozen=True)
class Sent:
    """The provider took it: its sid, and how far it came by then in our words (models.message.Status)."""

    sid: str
    status: str
    error_code: int | None = None


@dataclass(frozen=True)
class Arrived:
    """A message to us as the provider lists it: less than a webhook tells."""

    sid: str
    at: datetime
    sender: str
    recipient: str
    text: str
    attachments: int


class Inbox(Protocol):
    """What customers have sent to one account. Safe for use by one thread at a time."""

    def received(self, number: str, since: datetime) -> Sequence[Arrived]:
        """What came to this number of ours at or after `since`. Raises SendError."""
        ...

    def form(self, arrived: Arrived) -> MultiDict[str, str]:
        """As far as it is known, what the webhook would have brought. Raises SendError."""
        ...


class Archive(Protocol):
    """What one account keeps. Safe for use by one thread at a time."""

    def delete(self, kind: Kind, reference: str) -> None:
        """Delete a message with its attachments (by sid) or one attachment (by address); gone is gone.

        Raises SendError where it is there still, or nobody knows.
        """
        ...


class Forms(Protocol):
    """The forms with buttons and lists of one account. Safe for use by one thread at a time."""

    @property
    def account_sid(self) -> str: ...

    def lay_down(self, document: Mapping[str, object]) -> str:
        """Make a form of its `types` and sample `variables`; gives its sid. Raises SendError."""
        ...


class Sender(Protocol):
    """Sends for one business. Safe for use by one thread at a time."""

    def send(self, to: str, text: str, *, reference: int, content: Content | None = None) -> Sent:
        """Send one text to an address as Twilio writes it; with `content` that template in its stead.

        `reference` (our message id) comes back in the status callback. Raises SendError.
        """
        ...

    def find(self, to: str, text: str, since: datetime, *, within: bool = False) -> Sent | None:
        """The newest message to this address with this very text that was accepted at or after `since`.

        With `within` it may say more than the text. Raises SendError.
        """
        ...
