"""/agenda: the appointments of one day, by professional. Only to read."""

from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from itertools import groupby
from zoneinfo import ZoneInfo

from flask import Blueprint, abort, render_template, request
from flask.typing import ResponseReturnValue

from bot.web import context, login, words
from models import agenda
from models.appointment import AppointmentStatus

blueprint = Blueprint("agenda", __name__, url_prefix="/agenda")
blueprint.before_request(login.require)

FAR = timedelta(days=3660)
STATUS = {
    AppointmentStatus.BOOKED: "",
    AppointmentStatus.CANCELLED: "cancelado",
    AppointmentStatus.DONE: "atendido",
    AppointmentStatus.NO_SHOW: "não veio",
}


@dataclass(frozen=True)
class Visit:
    """One appointment in words; `words` is empty while nothing has become of it."""

    starts: str
    ends: str
    customer: str
    services: str
    status: str
    words: str


@blueprint.get("")
def day() -> ResponseReturnValue:
    zone = context.current_tenant().zone
    today = context.now().astimezone(zone).date()
    shown = _asked(request.args.get("dia", ""), today)
    begins, ends = (_midnight(shown + timedelta(days=days), zone) for days in (0, 1))
    with context.services().db.reading() as session:
        visits = agenda.visits(session, context.tenant_id(), begins, ends)
    columns = [
        (professional, [_visit(visit, zone) for visit in group])
        for professional, group in groupby(visits, key=lambda visit: visit.professional)
    ]
    return render_template(
        "staff/agenda.html",
        tenant=context.current_tenant(),
        columns=columns,
        date=shown,
        label=words.headline(shown, today),
        is_today=shown == today,
        before=shown - timedelta(days=1),
        after=shown + timedelta(days=1),
    )


def _asked(text: str, today: date) -> date:
    """The day in the address; without one today; what is no day of these years is no page."""
    if not text:
        return today
    try:
        asked = date.fromisoformat(text)
    except ValueError:
        abort(404)
    return asked if abs(asked - today) < FAR else abort(404)


def _midnight(of: date, zone: ZoneInfo) -> datetime:
    return datetime.combine(of, time(), zone)


def _visit(visit: agenda.Visit, zone: ZoneInfo) -> Visit:
    return Visit(
        starts=words.clock(visit.starts_at, zone),
        ends=words.clock(visit.ends_at, zone),
        customer=words.person(visit.customer, visit.address),
        services=" + ".join(visit.services),
        status=visit.status,
        words=STATUS[AppointmentStatus(visit.status)],
    )
