"""/fila/<id>: one conversation as staff read it; what they do with it is in `acts`."""

import hashlib

from flask import Blueprint, Response, abort, make_response, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue
from sqlmodel import Session

from bot.web import login
from bot.web.inbox import conversation_view, queue_row, run_trace
from bot.web.inbox.conversation_view import Draft
from bot.web.shared import labels, number_format, request_context
from models import conversation, message, run
from models.pages import conversation_page
from models.pages.conversation_page import LINES

ROUTE = "/<int(max=2147483647):conversation_id>"
MOST = 1000  # lines of one refresh
OVERLAP = 30  # a refresh repeats that many lines: their delivery may have moved on

blueprint = Blueprint("conversation", __name__, url_prefix="/fila")
blueprint.before_request(login.require)


@blueprint.get(ROUTE)
def show(conversation_id: int) -> ResponseReturnValue:
    before = number(request.args.get("antes", ""))
    draft = Draft(text=conversation_view.ready(conversation_id, number(request.args.get("pronta", ""))))
    return page(conversation_id, before=before, draft=draft)


@blueprint.get(f"{ROUTE}/linhas")
def lines(conversation_id: int) -> ResponseReturnValue:
    """What changed, for polling: 204 while the page has it all, else the lines after `depois` and around."""
    with request_context.services().db.reading() as session:
        version = _version(session, conversation_id)
        if request.args.get("v") == version:
            return "", 204
        seen = number(request.args.get("depois", "")) or 0
        shown = conversation_view.read(session, conversation_id, after=max(0, seen - OVERLAP), limit=MOST)
    answer = make_response(
        render_template("staff/inbox/_changes.html", **conversation_view.words_of(shown, Draft()))
    )
    answer.headers["X-Version"] = version
    return answer


@blueprint.get(f"{ROUTE}/execucao/<int(max=2147483647):run_id>")
def trace_of(conversation_id: int, run_id: int) -> ResponseReturnValue:
    """A run step by step: for those who answer for the assistant."""
    if not request_context.may("manager"):
        abort(403)
    with request_context.services().db.reading() as session:
        row = conversation.find(session, request_context.tenant_id(), conversation_id)
        found = run.find(session, request_context.tenant_id(), conversation_id, run_id)
        steps = run.steps(session, [run_id])[run_id]
        around = message.transcript(
            session, request_context.tenant_id(), conversation_id, before=found.through_seq + LINES
        )
    shown = run_trace.view(found, steps, around, request_context.current_tenant().zone)
    return render_template(
        "staff/inbox/run_trace.html",
        tenant=request_context.current_tenant(),
        run=shown,
        found=found,
        began=labels.moment(found.started_at, request_context.now(), request_context.current_tenant().zone),
        cost="" if found.cost_microdollars is None else number_format.dollars(found.cost_microdollars),
        id=row.id,
    )


def page(
    conversation_id: int,
    *,
    draft: Draft | None = None,
    problem: str = "",
    seen: int | None = None,
    before: int | None = None,
    status: int = 200,
) -> Response:
    """The whole page. After a conflict `seen` is what the writer knew: what came later is marked as new."""
    with request_context.services().db.reading() as session:
        shown = conversation_view.read(session, conversation_id, before=before)
    values = conversation_view.words_of(shown, draft or Draft(), seen)
    if seen is not None and not problem:
        problem = conversation_view.news(shown.lines, seen, str(values["name"]))
    rendered = render_template(
        "staff/inbox/conversation.html",
        tenant=request_context.current_tenant(),
        problem=problem,
        past=before is not None,
        **values,
    )
    return make_response(rendered, status)


def back_to(conversation_id: int) -> ResponseReturnValue:
    return redirect(url_for("conversation.show", conversation_id=conversation_id, _anchor="fim"), 303)


def number(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else None


def _version(session: Session, conversation_id: int) -> str:
    """A mark of all that the page shows: when it differs, there is something new to show."""
    pulse = conversation_page.pulse(session, request_context.tenant_id(), conversation_id)
    now = request_context.now()
    bounds = queue_row.limits(request_context.current_tenant().attendance, now)
    waiting = queue_row.wait(pulse.waiting_since, now, bounds)
    window = queue_row.window(pulse.last_inbound_at, now, request_context.current_tenant().zone)
    return hashlib.sha256(repr((pulse.mark, waiting, window)).encode()).hexdigest()[:16]
