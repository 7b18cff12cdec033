"""/respostas: the ready answers that staff put into a reply with a slash."""

from flask import Blueprint, Response, flash, make_response, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue

from bot.core import sanitise
from bot.web import login
from bot.web.shared import request_context
from models import canned_reply
from models.errors import Refusal

ID = "/<int(max=2147483647):reply_id>"

blueprint = Blueprint("canned", __name__, url_prefix="/respostas")
blueprint.before_request(login.require)

_PROBLEMS = {
    "NOME": f"Dê um nome curto, com letras ou números (até {canned_reply.MAX_NAME}).",
    "TEXTO": f"Escreva o texto (até {canned_reply.MAX_TEXT} caracteres).",
    "EM_USO": "Já existe uma resposta com este nome.",
    "DEMAIS": f"O limite é de {canned_reply.MOST} respostas prontas. Apague alguma antes.",
}


@blueprint.get("")
def index() -> ResponseReturnValue:
    return _page()


@blueprint.post("")
def add() -> ResponseReturnValue:
    return _save(None)


@blueprint.post(ID)
def change(reply_id: int) -> ResponseReturnValue:
    return _save(reply_id)


@blueprint.post(f"{ID}/apagar")
def delete(reply_id: int) -> ResponseReturnValue:
    with request_context.services().db.writing() as session:
        canned_reply.delete(
            session, request_context.now(), request_context.tenant_id(), request_context.staff_id(), reply_id
        )
    flash("Resposta apagada.")
    return redirect(url_for("canned.index"), 303)


def _save(reply_id: int | None) -> ResponseReturnValue:
    name = sanitise.line(request.form.get("name", ""), 200)
    text = sanitise.text(request.form.get("text", ""), canned_reply.MAX_TEXT + 1)
    try:
        with request_context.services().db.writing() as session:
            canned_reply.save(
                session,
                request_context.now(),
                request_context.tenant_id(),
                request_context.staff_id(),
                name=name,
                text=text,
                reply_id=reply_id,
            )
    except Refusal as refusal:
        return _page(_PROBLEMS[refusal.code], name=name, text=text, reply_id=reply_id, status=422)
    flash("Resposta guardada.")
    return redirect(url_for("canned.index"), 303)


def _page(
    problem: str = "", *, name: str = "", text: str = "", reply_id: int | None = None, status: int = 200
) -> Response:
    """The list; after a refusal with what was typed, where it was typed."""
    with request_context.services().db.reading() as session:
        replies = canned_reply.list_of(session, request_context.tenant_id())
    page = render_template(
        "staff/inbox/canned_replies.html",
        tenant=request_context.current_tenant(),
        replies=replies,
        problem=problem,
        typed={"id": reply_id, "name": name, "text": text},
        max_name=canned_reply.MAX_NAME,
        max_text=canned_reply.MAX_TEXT,
    )
    return make_response(page, status)
