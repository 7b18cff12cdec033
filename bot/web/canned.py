"""/respostas: the ready answers that staff put into a reply with a slash."""

from flask import Blueprint, Response, flash, make_response, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue

from bot.web import context, login
from bot.whatsapp import clean
from models import canned
from models.errors import Refusal

ID = "/<int(max=2147483647):reply_id>"

blueprint = Blueprint("canned", __name__, url_prefix="/respostas")
blueprint.before_request(login.require)

_PROBLEMS = {
    "NOME": f"Dê um nome curto, com letras ou números (até {canned.MAX_NAME}).",
    "TEXTO": f"Escreva o texto (até {canned.MAX_TEXT} caracteres).",
    "EM_USO": "Já existe uma resposta com este nome.",
    "DEMAIS": f"O limite é de {canned.MOST} respostas prontas. Apague alguma antes.",
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
    with context.services().db.writing() as session:
        canned.delete(session, context.now(), context.tenant_id(), context.staff_id(), reply_id)
    flash("Resposta apagada.")
    return redirect(url_for("canned.index"), 303)


def _save(reply_id: int | None) -> ResponseReturnValue:
    name = clean.line(request.form.get("name", ""), 200)
    text = clean.text(request.form.get("text", ""), canned.MAX_TEXT + 1)
    try:
        with context.services().db.writing() as session:
            canned.save(
                session,
                context.now(),
                context.tenant_id(),
                context.staff_id(),
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
    with context.services().db.reading() as session:
        replies = canned.list_of(session, context.tenant_id())
    page = render_template(
        "staff/canned.html",
        tenant=context.current_tenant(),
        replies=replies,
        problem=problem,
        typed={"id": reply_id, "name": name, "text": text},
        max_name=canned.MAX_NAME,
        max_text=canned.MAX_TEXT,
    )
    return make_response(page, status)
