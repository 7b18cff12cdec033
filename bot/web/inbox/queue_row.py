"""One line of the queue, in words. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from bot.web.shared import labels, whatsapp_html
from models.attendance import Attendance
from models.conversation import WINDOW, Holder
from models.pages.inbox_list import Entry, Today

SLOW, LATE = timedelta(minutes=5), timedelta(minutes=15)
WINDOW_ENDS_SOON = timedelta(hours=4)


@dataclass(frozen=True)
class Limits:
    """Who waits since `slow` or `late`, or longer, waits that; None: nobody does."""

    slow: datetime | None
    late: datetime | None


def limits(attendance: Attendance, now: datetime) -> Limits:
    """Counted in the time in which people answer: overnight nobody is late, and at nine not by the night."""
    if not attendance.is_open(now):
        return Limits(None, None)
    return Limits(attendance.back(now, SLOW), attendance.back(now, LATE))


@dataclass(frozen=True)
class Wait:
    """How long somebody has waited. `level`: "fine", "slow" or "late", never told by colour alone."""

    text: str
    level: str
    icon: str


@dataclass(frozen=True)
class Window:
    """WhatsApp's 24 hours: "open", "closing" (then `closes` is the local time) or "shut"."""

    state: str
    closes: str = ""


@dataclass(frozen=True)
class Row:
    """One line of the list. `reason` is None where people do not have it, and did not just settle it.

    `closes` is when WhatsApp's window shuts, where that is soon and people are to answer.
    """

    id: int
    name: str
    reason: labels.Sign | None
    holder: labels.Sign
    wait: Wait | None
    closes: str
    snoozed: str
    preview: str
    unread: int
    undelivered: bool
    today: tuple[str, ...]
    last: str


def row(
    entry: Entry, today: Sequence[Today], now: datetime, zone: ZoneInfo, bounds: Limits, staff_id: int
) -> Row:
    """The entry as the person `staff_id` reads it at `now`."""
    with_people = entry.holder != Holder.BOT
    asleep = entry.snoozed_until is not None and entry.snoozed_until > now
    return Row(
        id=entry.conversation_id,
        name=labels.person(entry.customer_name, entry.address),
        reason=None if entry.cause is None else labels.reason(entry.cause),
        holder=holder(entry.holder, entry.assignee_name, mine=entry.assignee_id == staff_id),
        wait=wait(entry.waiting_since, now, bounds) if with_people and not asleep else None,
        closes=window(entry.last_inbound_at, now, zone).closes if with_people else "",
        snoozed=snoozed(entry.snoozed_until, now, zone),
        preview=_preview(entry),
        unread=entry.unread if with_people else 0,
        undelivered=entry.undelivered,
        today=tuple(
            f"{labels.clock(one.starts_at, zone)} {' + '.join(one.services)}".strip() for one in today
        ),
        last=_last(entry.last_message_at, now, zone),
    )


def holder(code: str, name: str | None, *, mine: bool) -> labels.Sign:
    """Who answers this conversation, in words."""
    if code == Holder.BOT:
        return labels.Sign("robot", "Com o assistente")
    if code == Holder.QUEUE:
        return labels.Sign("hand", "Ninguém assumiu")
    return labels.Sign("person", "Com você" if mine else f"Com {name}")


def wait(since: datetime | None, now: datetime, bounds: Limits) -> Wait | None:
    """How long the customer has waited for an answer; None if nobody waits."""
    if since is None:
        return None
    time = labels.ago(now, since)
    if bounds.late is not None and since <= bounds.late:
        return Wait(f"Atrasado: espera há {time}", "late", "alert")
    if time == "agora":
        return Wait("Chegou agora", "fine", "clock")
    slow = bounds.slow is not None and since <= bounds.slow
    return Wait(f"Espera há {time}", "slow" if slow else "fine", "clock")


def window(last_inbound_at: datetime | None, now: datetime, zone: ZoneInfo) -> Window:
    """What WhatsApp lets us say to who wrote last at that time."""
    closes = now if last_inbound_at is None else last_inbound_at + WINDOW
    if closes <= now:
        return Window("shut")
    return (
        Window("closing", labels.clock(closes, zone)) if closes - now <= WINDOW_ENDS_SOON else Window("open")
    )


def snoozed(until: datetime | None, now: datetime, zone: ZoneInfo) -> str:
    """ "Adiada até amanhã, 09:00"; "" for what is not put aside (any more)."""
    if until is None or until <= now:
        return ""
    return f"Adiada até {labels.moment(until, now, zone)}"


def _preview(entry: Entry) -> str:
    """The newest line without its marks, and whose it is where it is not the customer's."""
    line = whatsapp_html.shown(labels.preview(entry.preview)).striptags()
    ours = entry.last_inbound_at is None or entry.last_message_at > entry.last_inbound_at
    return f"Nós: {line}" if ours and line else line


def _last(moment: datetime, now: datetime, zone: ZoneInfo) -> str:
    day = moment.astimezone(zone).date()
    today = now.astimezone(zone).date()
    return labels.clock(moment, zone) if day == today else labels.short_day(day, today)
