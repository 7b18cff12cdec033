"""One line of the queue, in words. Pure."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from bot.web import words
from models.conversation import Holder
from models.queue import Entry

SLOW, LATE = timedelta(minutes=5), timedelta(minutes=15)


@dataclass(frozen=True)
class Wait:
    """How long somebody has waited. `level`: "fine", "slow" or "late", never told by colour alone."""

    text: str
    level: str
    icon: str


@dataclass(frozen=True)
class Row:
    """One line of the list. `reason` is None while the bot holds the conversation."""

    id: int
    name: str
    reason: words.Sign | None
    holder: words.Sign
    wait: Wait | None
    preview: str
    unread: int
    last: str


def row(entry: Entry, now: datetime, zone: ZoneInfo, staff_id: int) -> Row:
    """The entry as the person `staff_id` reads it at `now`."""
    with_people = entry.holder != Holder.BOT
    return Row(
        id=entry.conversation_id,
        name=words.person(entry.customer_name, entry.address),
        reason=words.reason(entry.reason) if with_people else None,
        holder=holder(entry.holder, entry.assignee_name, mine=entry.assignee_id == staff_id),
        wait=wait(entry.waiting_since, now) if with_people else None,
        preview=words.preview(entry.preview),
        unread=entry.unread if with_people else 0,
        last=_last(entry.last_message_at, now, zone),
    )


def holder(code: str, name: str | None, *, mine: bool) -> words.Sign:
    """Who answers this conversation, in words."""
    if code == Holder.BOT:
        return words.Sign("robot", "Com o assistente")
    if code == Holder.QUEUE:
        return words.Sign("hand", "Ninguém assumiu")
    return words.Sign("person", "Com você" if mine else f"Com {name}")


def wait(since: datetime | None, now: datetime) -> Wait | None:
    """How long the customer has waited for an answer; None if nobody waits."""
    if since is None:
        return None
    time = words.ago(now, since)
    if now - since >= LATE:
        return Wait(f"Atrasado: espera há {time}", "late", "alert")
    if time == "agora":
        return Wait("Chegou agora", "fine", "clock")
    return Wait(f"Espera há {time}", "slow" if now - since >= SLOW else "fine", "clock")


def _last(moment: datetime, now: datetime, zone: ZoneInfo) -> str:
    day = moment.astimezone(zone).date()
    today = now.astimezone(zone).date()
    return words.clock(moment, zone) if day == today else words.short_day(day, today)
