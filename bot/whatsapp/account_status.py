"""What Twilio itself says of an account: whether it takes our credentials, and how its senders and templates
are set up.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from twilio.rest import Client

from bot.whatsapp.base import SendError
from bot.whatsapp.forms import PREFIX
from bot.whatsapp.twilio import CREDENTIALS, NO_ACCOUNT, calling

NOT_FOUND = NO_ACCOUNT  # Twilio has one code for all that is not there
_VARIABLE = re.compile(r"{{\s*(\w+)\s*}}")


@dataclass(frozen=True)
class SenderState:
    """One WhatsApp sender: its number ("+55…"), its state in Twilio's word, and the addresses it calls.

    `posts`: the webhook is called by POST.
    """

    sid: str
    account_sid: str
    number: str
    status: str
    webhook: str | None
    posts: bool
    fallback: str | None
    status_callback: str | None


@dataclass(frozen=True)
class TemplateState:
    """One template: how far WhatsApp's approval is, in its words, and what it is made of."""

    status: str
    reason: str
    variables: frozenset[str]
    is_list: bool


def credentials_problem(client: Client) -> str | None:
    """Why the account does not take us; None if it does. Raises SendError where Twilio does not say."""
    try:
        account = calling(lambda: client.api.v2010.accounts(client.account_sid).fetch())
    except SendError as error:
        if error.code not in (CREDENTIALS, NO_ACCOUNT):
            raise
        return f"Twilio does not accept the credentials ({error})"
    return None if account.status == "active" else f"the account is {account.status}"


def senders(client: Client) -> Sequence[SenderState]:
    """The account's WhatsApp senders; the sandbox is not among them. Raises SendError."""
    found = calling(lambda: client.messaging.v2.channels_senders.list(channel="whatsapp", limit=200))
    return [
        _state(sender.sid, sender.sender_id, sender.status, sender.webhook, client.account_sid)
        for sender in found
    ]


def _state(
    sid: str | None, address: str | None, status: object, webhook: Mapping[str, Any] | None, account_sid: str
) -> SenderState:
    called = webhook or {}
    return SenderState(
        sid=str(sid),
        account_sid=account_sid,
        number=str(address or "").removeprefix(PREFIX),
        status=str(status or ""),
        webhook=called.get("callback_url") or None,
        posts=called.get("callback_method") in (None, "", "POST"),
        fallback=called.get("fallback_url") or None,
        status_callback=called.get("status_callback_url") or None,
    )


def template_state(client: Client, sid: str) -> TemplateState | None:
    """A template with its approval; None if the account has none such. Raises SendError."""
    content = client.content.v1.contents(sid)
    try:
        made = calling(content.fetch)
        approval = calling(lambda: content.approval_fetch().fetch())
    except SendError as error:
        if error.code == NOT_FOUND:
            return None
        raise
    types, said = made.types or {}, approval.whatsapp or {}
    return TemplateState(
        status=str(said.get("status") or ""),
        reason=str(said.get("rejection_reason") or ""),
        variables=frozenset(_VARIABLE.findall(str(types))),
        is_list="twilio/list-picker" in types,
    )
