"""Customers who sit at a terminal (`horacerta chat`): what is sent to them is read from the rows there."""

from collections.abc import Callable
from datetime import datetime

from bot.whatsapp.base import Sender, Sent
from models.message import Content, Status

PREFIX = "terminal:"


class TerminalAware:
    """Takes lines for terminals as delivered; hands all others to the real sender.

    `real` is asked only then: a chat in the terminal needs no Twilio account.
    """

    def __init__(self, real: Callable[[], Sender]) -> None:
        self._real = real

    def send(self, to: str, text: str, *, reference: int, content: Content | None = None) -> Sent:
        if to.startswith(PREFIX):
            return Sent(f"{PREFIX}{reference}", Status.DELIVERED)
        return self._real().send(to, text, reference=reference, content=content)

    def find(self, to: str, text: str, since: datetime, *, within: bool = False) -> Sent | None:
        return None if to.startswith(PREFIX) else self._real().find(to, text, since, within=within)
