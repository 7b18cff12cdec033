"""/fila: the conversations that want a person. Works without JavaScript; polling only betters it."""

import hashlib

from flask import Blueprint, make_response, render_template, request
from flask.typing import ResponseReturnValue

from bot.web import context, login
from bot.web.rows import Row, row
from models import queue
from models.queue import PAGE, Position, Tab

blueprint = Blueprint("queue", __name__, url_prefix="/fila")
blueprint.before_request(login.require)

TABS = {"aguardando": Tab.WAITING, "minhas": Tab.MINE, "todas": Tab.ALL}


@blueprint.get("")
def index() -> ResponseReturnValue:
    return render_template("staff/queue.html", tenant=context.current_tenant(), **_list())


@blueprint.get("/linhas")
def rows() -> ResponseReturnValue:
    """The list alone, for polling: 204 while it is what the page has already."""
    fragment = render_template("staff/_list.html", **_list())
    version = hashlib.sha256(fragment.encode()).hexdigest()[:16]
    if request.args.get("v") == version:
        return "", 204
    answer = make_response(fragment)
    answer.headers["X-Version"] = version
    return answer


def _list() -> dict[str, object]:
    """What the list shows: the tab and page in the address, in the order that the address says."""
    name = request.args.get("aba", "aguardando")
    tab = TABS.get(name, Tab.WAITING)
    after = Position.parse(request.args.get("depois", ""))
    with context.services().db.reading() as session:
        counts = queue.counts(session, context.tenant_id(), context.staff_id())
        found = queue.entries(
            session, context.tenant_id(), context.staff_id(), tab, after=after, limit=PAGE + 1
        )
    zone, now, me = context.current_tenant().zone, context.now(), context.staff_id()
    shown: list[Row] = [row(entry, now, zone, me) for entry in found[:PAGE]]
    return {
        "tab": tab.value,
        "tabs": tuple(
            zip(
                TABS,
                ("Aguardando", "Minhas", "Todas"),
                (counts.waiting, counts.mine, counts.all),
                strict=True,
            )
        ),
        "current": next(word for word, value in TABS.items() if value == tab),
        "waiting": counts.waiting,
        "rows": shown,
        "paged": after is not None,
        "more": str(found[PAGE - 1].position) if len(found) > PAGE else None,
    }
