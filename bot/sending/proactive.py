"""What we say without being asked: reminders, and offers of the waiting list.

Inside WhatsApp's 24 hours as text, outside them by an approved template of the business; where it has none,
not at all.
"""

from dataclasses import dataclass
from datetime import datetime

from sqlmodel import Session

from bot.intents.choices import Choice, Question
from bot.sending import fixed_texts
from bot.whatsapp import error_codes
from bot.whatsapp.content_api import plain
from models import conversation, delivery, message, reminder, waitlist
from models.appointment import Appointment
from models.conversation import Conversation
from models.delivery import Outgoing, Progress
from models.message import WHEN, Author, Content, Extra, Status
from models.tenant import Tenant

NO_TEMPLATE, NO_ADDRESS = "sem modelo", "sem WhatsApp conhecido"
NOT_DELIVERED = "não entregue"
_NO_NAME = "cliente"  # WhatsApp takes no empty variable


@dataclass(frozen=True)
class Notice:
    """`text` says all of it; `content` says the same by the business's template, where it has one.

    With `taps` the text has these to tap, where the business wants buttons: their words are in it as well.
    From `send_before` on it is not sent any more.
    """

    text: str
    content: Content | None
    send_before: datetime
    taps: tuple[Choice, ...] = ()

    def extra(self, *, tappable: bool) -> Extra:
        """What the line keeps."""
        return Question(self.text, self.taps).extra(tappable=True) if tappable and self.taps else {}


def content(template: str | None, name: str, when: str, *more: str) -> Content | None:
    """A template with its variables: 1 the customer's name, 2 when, 3 and on whatever else it says."""
    if template is None:
        return None
    values = (name or _NO_NAME, when, *more)
    variables = {str(number): plain(value) for number, value in enumerate(values, start=1)}
    assert variables[WHEN]
    return Content(template, variables, prefer_text=True)


def has_way(row: Conversation, notice: Notice, now: datetime) -> bool:
    """Whether it can be said now."""
    return notice.content is not None or conversation.window_open(row, now)


def queue(session: Session, now: datetime, row: Conversation, notice: Notice) -> int:
    """Give the line to the outbox, whoever holds the conversation; gives its id. It must have a way."""
    assert row.id is not None
    tappable = session.get_one(Tenant, row.tenant_id).buttons
    seq = message.add(
        session,
        now,
        row.tenant_id,
        row.id,
        message.Line(
            author=Author.SYSTEM,
            text=notice.text,
            content=notice.content,
            send_before=notice.send_before,
            extra=notice.extra(tappable=tappable),
        ),
    )
    return message.id_of(session, row.id, seq)


def tell_staff(session: Session, now: datetime, row: Conversation, text: str) -> None:
    """Note in the conversation, for staff alone, that something was not said."""
    assert row.id is not None
    message.add(
        session, now, row.tenant_id, row.id, message.Line(author=Author.SYSTEM, text=text, status=Status.NOTE)
    )


def undelivered(session: Session, now: datetime, line: Outgoing | Progress, code: int | None) -> bool:
    """A line surely was not delivered: if it was one of these, see to it, note it for staff, and say so.

    People need not take the conversation over for it: nobody waits for an answer.
    """
    tenant_id, key = line.tenant_id, line.message_id
    entry, said = waitlist.of_message(session, tenant_id, key), reminder.of_message(session, tenant_id, key)
    if entry is None and said is None:
        return False
    if code == error_codes.OUTSIDE_WINDOW and delivery.send_by_template(session, now, tenant_id, key):
        return True
    tenant, row = (
        session.get_one(Tenant, tenant_id),
        conversation.find(session, tenant_id, line.conversation_id),
    )
    why = fixed_texts.unsaid_code(code)
    if entry is not None and entry.id is not None and entry.offered_start is not None:
        waitlist.close(session, entry.id, waitlist.State.CANCELLED, _reason(code))
        tell_staff(session, now, row, fixed_texts.unsaid(fixed_texts.OFFER, tenant, entry.offered_start, why))
    if said is not None:
        visit = session.get_one(Appointment, said.appointment_id)
        tell_staff(session, now, row, fixed_texts.unsaid(fixed_texts.REMINDER, tenant, visit.starts_at, why))
    return True


def _reason(code: int | None) -> str:
    return f"{NOT_DELIVERED} (código {code})" if code else NOT_DELIVERED
