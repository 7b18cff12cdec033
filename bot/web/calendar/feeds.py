"""/agenda/calendarios: each professional's calendar in other programs, under a secret address."""

from datetime import datetime, timedelta

from flask import (
    Blueprint,
    Response,
    abort,
    flash,
    get_flashed_messages,
    redirect,
    render_template,
    request,
    url_for,
)
from flask.typing import ResponseReturnValue
from sqlmodel import Session

from bot.web.calendar import icalendar_file, shared
from bot.web.calendar.icalendar_file import Feed
from bot.web.calendar.shared import blueprint
from bot.web.shared import labels, request_context
from models import calendar_feed, catalog
from models.calendar_feed import CalendarFeed
from models.catalog import Professional
from models.pages import calendar_page
from models.tenant import Tenant

PERSON = "/calendarios/<int(max=2147483647):professional_id>"
BEFORE, AFTER = timedelta(days=30), timedelta(days=120)
ADDRESS = "address"  # the category of the one message that holds a new address
MAX_TOKEN = 100

# The calendar programs have no login: who knows the address may read it.
calendar = Blueprint("calendar", __name__, url_prefix="/agenda")


@blueprint.get("/calendarios")
def feeds() -> ResponseReturnValue:
    with request_context.services().db.reading() as session:
        people = calendar_page.professionals(session, request_context.tenant_id())
        made = calendar_feed.made(session, request_context.tenant_id())
    names = people | {key: name for key, (name, _) in made.items()}
    return render_template(
        "staff/calendar/feeds.html",
        tenant=request_context.current_tenant(),
        people=[(key, name, _since(made[key][1]) if key in made else "") for key, name in names.items()],
        fresh=_fresh(),
    )


def _fresh() -> dict[str, str]:
    """The address that was made just now, by the professional's id."""
    told = [str(text).partition(" ") for text in get_flashed_messages(category_filter=[ADDRESS])]
    return {key: address for key, _, address in told}


def _since(moment: datetime) -> str:
    return labels.day(moment.astimezone(shared.zone()).date(), shared.today())


@blueprint.post(f"{PERSON}/renovar")
def renew(professional_id: int) -> ResponseReturnValue:
    """The new address is shown once, on the next page: of its secret part only a hash is kept."""
    token = shared.receive(
        lambda desk: calendar_feed.renew(
            desk.session, desk.now, request_context.tenant_id(), professional_id, request_context.staff_id()
        )
    )
    flash(f"{professional_id} {address(token)}", ADDRESS)
    return redirect(url_for("agenda.feeds", _anchor=f"p{professional_id}"), 303)


@blueprint.post(f"{PERSON}/revogar")
def revoke(professional_id: int) -> ResponseReturnValue:
    shared.receive(
        lambda desk: calendar_feed.revoke(
            desk.session, desk.now, request_context.tenant_id(), professional_id, request_context.staff_id()
        )
    )
    flash("O endereço não funciona mais.")
    return redirect(url_for("agenda.feeds"), 303)


def address(token: str) -> str:
    """Where the calendar is read, as programs outside know this host."""
    root = (request_context.services().settings.public_url or request.host_url).rstrip("/")
    return root + url_for("calendar.ics", token=token)


def _feed(session: Session, found: CalendarFeed, now: datetime) -> Feed:
    tenant = session.get_one(Tenant, found.tenant_id)
    person = session.get_one(Professional, found.professional_id)
    begins, ends = now - BEFORE, now + AFTER
    visits = calendar_page.visits(session, found.tenant_id, begins, ends, found.professional_id)
    first, last = (moment.astimezone(tenant.zone).date() for moment in (begins, ends))
    blocks = calendar_page.blocked(session, found.tenant_id, first, last)
    return Feed(
        name=f"{person.name} · {tenant.name}",
        place=tenant.address,
        slug=tenant.slug,
        zone=tenant.zone,
        visits=visits,
        changed=calendar_page.changed(session, found.tenant_id, [visit.id for visit in visits]),
        blocks=[block for block in blocks if block.professional_id in (None, found.professional_id)],
        holidays=catalog.holidays(tenant, first, last),
    )


@calendar.get("/ics/<token>.ics", endpoint="ics")
def read(token: str) -> ResponseReturnValue:
    """Whoever knows the address sees the calendar; any other address is missing."""
    now = request_context.services().now()
    with request_context.services().db.reading() as session:
        found = calendar_feed.of_token(session, token) if len(token) <= MAX_TOKEN else None
        if found is None:
            abort(404)
        content = icalendar_file.render(_feed(session, found, now), now)
    answer = Response(content, content_type="text/calendar; charset=utf-8")
    answer.headers["Content-Disposition"] = 'inline; filename="agenda.ics"'
    return answer
