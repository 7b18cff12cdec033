"""What Twilio itself says of an account: whether it takes our credentials, and how its senders are set up."""

from collections.abc import Sequence
from dataclasses import dataclass

from twilio.rest import Client  # type: ignore[import-untyped]

from bot.whatsapp.client import SendError
from bot.whatsapp.inbound import PREFIX
from bot.whatsapp.twilio import calling


@dataclass(frozen=True)
class SenderState:
    """One WhatsApp sender: its number ("+55…"), its state in Twilio's word, and the addresses it calls."""

    number: str
    status: str
    webhook: str | None
    status_callback: str | None


def credentials_problem(client: Client) -> str | None:
    """Why the account does not take us; None if it does."""
    try:
        account = calling(lambda: client.api.v2010.accounts(client.account_sid).fetch())
    except SendError as error:
        return f"Twilio does not accept the credentials ({error})"
    return None if account.status == "active" else f"the account is {account.status}"


def senders(client: Client) -> Sequence[SenderState]:
    """The account's WhatsApp senders; the sandbox is not among them. Raises SendError."""
    found = calling(lambda: client.messaging.v2.channels_senders.list(channel="whatsapp", limit=200))
    return [
        SenderState(
            number=str(sender.sender_id or "").removeprefix(PREFIX),
            status=str(sender.status or ""),
            webhook=getattr(sender.webhook, "callback_url", None),
            status_callback=getattr(sender.webhook, "status_callback_url", None),
        )
        for sender in found
    ]
