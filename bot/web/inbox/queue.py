"""/fila: the conversations that want a person. Works without JavaScript; polling only betters it."""

import hashlib
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from urllib.parse import urlencode

from flask import Blueprint, jsonify, make_response, render_template, request, url_for
from flask.typing import ResponseReturnValue

from bot.web import login
from bot.web.inbox.queue_row import Row, limits, row
from bot.web.shared import labels, request_context
from models import alert, staff
from models.availability import instant
from models.handoff import Reason
from models.pages import inbox_list, search
from models.pages.inbox_list import PAGE, Cause, Counts, Entry, Position, Tab, Today, Wanted

blueprint = Blueprint("queue", __name__, url_prefix="/fila")
blueprint.before_request(login.require)

TABS = {"aguardando": Tab.WAITING, "minhas": Tab.MINE, "todas": Tab.ALL, "encerradas": Tab.RESOLVED}
LABELS = {"aguardando": "Aguardando", "minhas": "Minhas", "todas": "Todas", "encerradas": "Encerradas"}
CAUSES: dict[str, Reason | Cause] = {
    **{str(reason): reason for reason in Reason},
    "voltou": Cause.REOPENED,
    "equipe": Cause.STAFF,
}


@dataclass(frozen=True)
class Asked:
    """What the address asks for. `typed` are the words as they were written, also where they are too few."""

    tab: str
    wanted: Wanted
    typed: str
    after: Position | None

    @property
    def narrowed(self) -> bool:
        return bool(self.wanted.reason or self.wanted.person or self.wanted.words)

    def url(self, endpoint: str = "queue.index", **changes: str | None) -> str:
        """The address of this list, with some of its arguments changed or (None) left out."""
        values = {
            "aba": self.tab,
            "q": self.typed or None,
            "motivo": self.reason or None,
            "pessoa": str(self.wanted.person) if self.wanted.person else None,
            **changes,
        }
        given = {name: value for name, value in values.items() if value is not None}
        return f"{url_for(endpoint)}?{urlencode(given)}"

    @property
    def reason(self) -> str:
        """The reason as the address names it."""
        return next((word for word, cause in CAUSES.items() if cause == self.wanted.reason), "")


@blueprint.get("")
def index() -> ResponseReturnValue:
    asked = _asked()
    with request_context.services().db.reading() as session:
        people = staff.list_of(session, request_context.tenant_id())
    return render_template(
        "staff/inbox/queue.html",
        tenant=request_context.current_tenant(),
        causes=[(word, labels.reason(cause).words) for word, cause in CAUSES.items()],
        people=[(person.id, person.name) for person in people if person.disabled_at is None],
        **_list(asked),
    )


@blueprint.get("/linhas")
def rows() -> ResponseReturnValue:
    """The list alone, for polling: 204 while it is what the page has already."""
    fragment = render_template("staff/inbox/_list.html", **_list(_asked()))
    version = hashlib.sha256(fragment.encode()).hexdigest()[:16]
    if request.args.get("v") == version:
        return "", 204
    answer = make_response(fragment)
    answer.headers["X-Version"] = version
    return answer


@blueprint.get("/pulso")
def pulse() -> ResponseReturnValue:
    """How many wait, and what staff are to hear of: for badge and sound, on every page."""
    with request_context.services().db.reading() as session:
        found = alert.pulse(
            session, request_context.now(), request_context.tenant_id(), request_context.staff_id()
        )
    return jsonify(asdict(found))


def _asked() -> Asked:
    typed = request.args.get("q", "")[: search.MOST]
    found = search.words(typed)
    # Whoever searches without naming a tab means all of them.
    tab = request.args.get("aba", "todas" if found else "aguardando")
    tab = tab if tab in TABS else "aguardando"
    person = request.args.get("pessoa", "")
    wanted = Wanted(
        tab=TABS[tab],
        reason=CAUSES.get(request.args.get("motivo", "")),
        person=int(person) if person.isascii() and person.isdigit() and len(person) < 10 else None,
        words=found,
    )
    return Asked(tab, wanted, typed.strip(), Position.parse(request.args.get("depois", "")))


def _list(asked: Asked) -> dict[str, object]:
    """What the list shows: the tab and page in the address, in the order that the address says."""
    counts, found, visits = _read(asked)
    tenant, now, me = request_context.current_tenant(), request_context.now(), request_context.staff_id()
    bounds = limits(tenant.attendance, now)
    shown: list[Row] = [
        row(entry, visits.get(entry.customer_id, ()), now, tenant.zone, bounds, me) for entry in found[:PAGE]
    ]
    more = str(found[PAGE - 1].position) if len(found) > PAGE else None
    return {
        "asked": asked,
        "tabs": _tabs(asked, counts),
        "current": asked.tab,
        "waiting": counts.waiting,
        "rows": shown,
        "paged": asked.after is not None,
        "more": asked.url(depois=more) if more else None,
    }


def _tabs(asked: Asked, counts: Counts) -> list[tuple[str, str, int, str]]:
    numbers = {name: getattr(counts, TABS[name]) for name in TABS}
    return [(name, LABELS[name], numbers[name], asked.url(aba=name)) for name in TABS]


def _read(asked: Asked) -> tuple[Counts, list[Entry], dict[int, list[Today]]]:
    tenant_id, now = request_context.tenant_id(), request_context.now()
    begins, ends = _today(now)
    with request_context.services().db.reading() as session:
        counts = inbox_list.counts(session, tenant_id, request_context.staff_id())
        found = inbox_list.entries(
            session,
            now,
            tenant_id,
            request_context.staff_id(),
            asked.wanted,
            after=asked.after,
            limit=PAGE + 1,
        )
        customers = [entry.customer_id for entry in found[:PAGE]]
        return counts, found, inbox_list.visits_of(session, tenant_id, customers, begins, ends)


def _today(now: datetime) -> tuple[datetime, datetime]:
    zone = request_context.current_tenant().zone
    day = now.astimezone(zone).date()
    return instant(zone, day, 0), instant(zone, day + timedelta(days=1), 0)
