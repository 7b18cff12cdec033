"""What the pages of the agenda share: who acts, and how an address or a form is read."""

import re
from collections.abc import Callable
from datetime import date, datetime, timedelta
from typing import TypeVar
from zoneinfo import ZoneInfo

from flask import Blueprint
from sqlmodel import Session

from bot.core import sanitise
from bot.web import login
from bot.web.shared import labels, request_context
from models import availability
from models.acts.visit_acts import Reception
from models.availability import Code
from models.errors import Refusal
from models.pages import calendar_page

T = TypeVar("T")

blueprint = Blueprint("agenda", __name__, url_prefix="/agenda")
blueprint.before_request(login.require)

VISIT = "/<int(max=2147483647):appointment_id>"
FAR = timedelta(days=3660)
MOST_BACK = timedelta(days=31)  # nobody books further into the past
MOST_AHEAD = timedelta(days=740)
LARGEST = 2**31


def receive(work: Callable[[Reception], T]) -> T:
    """`work` of the logged-in person, in one transaction, again where only chance was against it."""
    now, tenant, staff_id = (
        request_context.now(),
        request_context.current_tenant(),
        request_context.staff_id(),
    )

    def act(session: Session) -> T:
        return work(Reception(session, now, tenant, staff_id))

    return request_context.services().db.retrying(act)


def today() -> date:
    return request_context.now().astimezone(zone()).date()


def zone() -> ZoneInfo:
    return request_context.current_tenant().zone


def asked_day(text: str) -> date | None:
    """The day in an address; without one today; None for what is no day of these years."""
    day = day_of(text) if text else today()
    return day if day is not None and abs(day - today()) < FAR else None


def day_of(text: str) -> date | None:
    """A date as forms write it; None for anything else."""
    if not re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", text):
        return None
    try:
        return date.fromisoformat(text)
    except ValueError:
        return None


def minute_of(text: str) -> int | None:
    """Minutes since midnight from "HH:MM" (forms may add seconds); None for anything else."""
    found = re.fullmatch(r"([01][0-9]|2[0-3]):([0-5][0-9])(:[0-5][0-9])?", text)
    return int(found[1]) * 60 + int(found[2]) if found else None


def id_of(text: str) -> int | None:
    """A row's number; None for anything else."""
    whole = text.isascii() and text.isdigit() and len(text) <= 10
    return int(text) if whole and 0 < int(text) < LARGEST else None


def line(text: str, limit: int) -> str:
    """What somebody typed into a field of one line."""
    return sanitise.line(text, limit)


def in_the_way(session: Session, refused: Refusal) -> list[str]:
    """Whose visits a time was refused for: "Maria, das 14:00 às 15:00"."""
    keys = refused.detail.get("appointments")
    if refused.code != Code.OCUPADO or not isinstance(keys, list):
        return []
    return [
        f"{labels.person(each.customer, each.address)}, das {labels.clock(each.starts_at, zone())} às "
        f"{labels.clock(each.ends_at, zone())}"
        for each in calendar_page.some(session, request_context.tenant_id(), keys)
    ]


def is_bookable(day: date) -> bool:
    """Whether staff may book on that day at all."""
    return today() - MOST_BACK <= day <= today() + MOST_AHEAD


def instant(day: date, minute: int) -> datetime | None:
    """The instant of a local minute; None for one that the clocks skip."""
    if not availability.exists(zone(), day, minute):
        return None
    return availability.instant(zone(), day, minute)


def when(moment: datetime) -> str:
    """ "amanhã, quinta, 3 de dezembro, às 14:30" """
    local = moment.astimezone(zone())
    return f"{labels.headline(local.date(), today())}, às {local:%H:%M}"


def at(moment: datetime) -> str:
    """ "hoje, 14:30" """
    local = moment.astimezone(zone())
    return f"{labels.day(local.date(), today())}, {local:%H:%M}"
