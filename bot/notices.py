"""What we say without being asked: reminders, and offers of the waiting list.

Inside WhatsApp's 24 hours as text, outside them by an approved template of the business; where it has none,
not at all.
"""

from dataclasses import dataclass
from datetime import datetime

from sqlmodel import Session

from bot.whatsapp import codes
from models import conversation, delivery, message, reminder, waitlist
from models.conversation import Conversation
from models.message import WHEN, Author, Content

NO_TEMPLATE, NO_ADDRESS = "sem modelo", "sem WhatsApp conhecido"
NOT_DELIVERED = "não entregue"
_NO_NAME = "cliente"  # WhatsApp takes no empty variable


@dataclass(frozen=True)
class Notice:
    """`text` says all of it; `content` says the same by the business's template, where it has one.

    From `send_before` on it is not sent any more.
    """

    text: str
    content: Content | None
    send_before: datetime


def content(template: str | None, name: str, when: str, *more: str) -> Content | None:
    """A template with its variables: 1 the customer's name, 2 when, 3 and on whatever else it says."""
    if template is None:
        return None
    values = (name or _NO_NAME, when, *more)
    variables = {str(number): " ".join(value.split()) for number, value in enumerate(values, start=1)}
    assert variables[WHEN]
    return Content(template, variables, prefer_text=True)


def has_way(row: Conversation, notice: Notice, now: datetime) -> bool:
    """Whether it can be said now."""
    return notice.content is not None or conversation.window_open(row, now)


def queue(session: Session, now: datetime, row: Conversation, notice: Notice) -> int:
    """Give the line to the outbox, whoever holds the conversation; gives its id. It must have a way."""
    assert row.id is not None
    seq = message.add(
        session,
        now,
        row.tenant_id,
        row.id,
        author=Author.SYSTEM,
        text=notice.text,
        content=notice.content,
        send_before=notice.send_before,
    )
    return message.id_of(session, row.id, seq)


def undelivered(session: Session, now: datetime, tenant_id: int, message_id: int, code: int | None) -> bool:
    """A line surely was not delivered: if it was one of these, see to it and say so.

    People need not take the conversation over for it: nobody waits for an answer.
    """
    entry = waitlist.of_message(session, tenant_id, message_id)
    if entry is None and reminder.of_message(session, tenant_id, message_id) is None:
        return False
    if code == codes.OUTSIDE_WINDOW and delivery.send_by_template(session, now, tenant_id, message_id):
        return True
    if entry is not None and entry.id is not None:
        reason = f"{NOT_DELIVERED} (código {code})" if code else NOT_DELIVERED
        waitlist.close(session, entry.id, waitlist.State.CANCELLED, reason)
    return True
