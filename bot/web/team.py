"""/equipe and /convite: who works here, and how somebody new comes in."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta

from flask import (
    Blueprint,
    Response,
    flash,
    make_response,
    redirect,
    render_template,
    request,
    session,
    url_for,
)
from flask.typing import ResponseReturnValue

from bot.web import context, login, words
from bot.web.account import PASSWORD_RULE
from bot.whatsapp import clean
from models import password as passwords
from models import staff, team
from models.errors import Refusal
from models.password import Unacceptable
from models.staff import ROLES, Staff
from models.team import StaffInvite

ID = "/<int(max=2147483647):staff_id>"

blueprint = Blueprint("team", __name__)
blueprint.before_request(login.require_role("manager"))
door = Blueprint("door", __name__, url_prefix="/convite")

_PROBLEMS = {
    "EMAIL": "Confira o e-mail.",
    "NOME": "Escreva o nome (até 120 caracteres).",
    "PAPEL": "Escolha um papel.",
    "EM_USO": "Este e-mail já tem acesso.",
    "SEM_PODER": "Seu papel não permite isso.",
    "A_SI_MESMO": "Isso outra pessoa da equipe precisa fazer por você.",
}


@dataclass(frozen=True)
class Colleague:
    """One login, in words. `managed`: the reader may change it."""

    id: int
    name: str
    email: str
    role: str
    role_words: str
    disabled: bool
    me: bool
    managed: bool
    holds: int


@blueprint.get("/equipe")
def index() -> ResponseReturnValue:
    return _page()


@blueprint.post("/equipe/convidar")
def invite() -> ResponseReturnValue:
    form = {name: clean.line(request.form.get(name, ""), 254) for name in ("email", "name", "role")}
    try:
        with context.services().db.writing() as db:
            token = team.invite(db, context.now(), context.tenant_id(), context.staff_id(), **form)
    except Refusal as refusal:
        return _page(_PROBLEMS[refusal.code], typed=form, status=422)
    return _page(link=_address(token), link_for=form["name"])


@blueprint.post(f"/equipe{ID}/senha")
def new_link(staff_id: int) -> ResponseReturnValue:
    try:
        with context.services().db.writing() as db:
            token = team.new_link(db, context.now(), context.tenant_id(), context.staff_id(), staff_id)
            name = db.get_one(Staff, staff_id).name
    except Refusal as refusal:
        return _page(_PROBLEMS[refusal.code], status=403)
    return _page(link=_address(token), link_for=name)


@blueprint.post(f"/equipe{ID}/desativar")
def disable(staff_id: int) -> ResponseReturnValue:
    try:
        freed = team.disable(context.services().db, context.now(), staff_id, by=context.staff_id())
    except Refusal as refusal:
        return _page(_PROBLEMS[refusal.code], status=403)
    back = {0: "", 1: " Uma conversa voltou para a fila."}.get(
        freed, f" {freed} conversas voltaram para a fila."
    )
    flash(f"Acesso desativado.{back}")
    return redirect(url_for("team.index"), 303)


@blueprint.post(f"/equipe{ID}/reativar")
def enable(staff_id: int) -> ResponseReturnValue:
    try:
        with context.services().db.writing() as db:
            team.enable(db, context.now(), staff_id, by=context.staff_id())
    except Refusal as refusal:
        return _page(_PROBLEMS[refusal.code], status=403)
    flash("Acesso reativado.")
    return redirect(url_for("team.index"), 303)


@blueprint.post(f"/equipe{ID}/sair")
def end_sessions(staff_id: int) -> ResponseReturnValue:
    try:
        with context.services().db.writing() as db:
            team.end_sessions(db, context.now(), context.tenant_id(), context.staff_id(), staff_id)
            name = db.get_one(Staff, staff_id).name
    except Refusal as refusal:
        return _page(_PROBLEMS[refusal.code], status=403)
    flash(f"{name} saiu de todos os aparelhos.")
    return redirect(url_for("team.index"), 303)


@blueprint.post("/equipe/convites/<int(max=2147483647):invite_id>/cancelar")
def withdraw(invite_id: int) -> ResponseReturnValue:
    try:
        with context.services().db.writing() as db:
            team.withdraw(db, context.now(), context.tenant_id(), context.staff_id(), invite_id)
    except Refusal as refusal:
        return _page(_PROBLEMS[refusal.code], status=403)
    flash("Convite cancelado: o link não abre mais.")
    return redirect(url_for("team.index"), 303)


@blueprint.post(f"/equipe{ID}/papel")
def set_role(staff_id: int) -> ResponseReturnValue:
    role = request.form.get("role", "")
    try:
        with context.services().db.writing() as db:
            team.set_role(db, context.now(), context.tenant_id(), context.staff_id(), staff_id, role)
    except Refusal as refusal:
        return _page(_PROBLEMS[refusal.code], status=422 if refusal.code == "PAPEL" else 403)
    flash("Papel alterado.")
    return redirect(url_for("team.index"), 303)


def _page(
    problem: str = "",
    *,
    typed: Mapping[str, str] | None = None,
    link: str = "",
    link_for: str = "",
    status: int = 200,
) -> Response:
    """The team. A link is shown this once: nobody can read it out of the database."""
    with context.services().db.reading() as db:
        people = staff.list_of(db, context.tenant_id())
        holds = team.holdings(db, context.tenant_id())
        invited = team.invited(db, context.now(), context.tenant_id())
    actor = context.current_staff()
    page = render_template(
        "staff/team.html",
        tenant=context.current_tenant(),
        people=[_colleague(person, holds) for person in people],
        invited=[_invited(each) for each in invited],
        roles=[(role, words.ROLES[role]) for role in ROLES if team.may_manage(actor, role)],
        problem=problem,
        typed=typed or {},
        link=link,
        link_for=link_for,
    )
    return make_response(page, status)


def _colleague(person: Staff, holds: Mapping[int, int]) -> Colleague:
    assert person.id is not None
    me = person.id == context.staff_id()
    return Colleague(
        id=person.id,
        name=person.name,
        email=person.email,
        role=person.role,
        role_words=words.ROLES[person.role],
        disabled=person.disabled_at is not None,
        me=me,
        managed=not me and team.may_manage(context.current_staff(), person.role),
        holds=holds.get(person.id, 0),
    )


def _invited(link: StaffInvite) -> dict[str, object]:
    minutes = max(1, (link.expires_at - context.now()) // timedelta(minutes=1))
    return {
        "id": link.id,
        "name": link.name,
        "email": link.email,
        "role": words.ROLES[link.role],
        "minutes": minutes,
        "managed": team.may_manage(context.current_staff(), link.role),
    }


def _address(token: str) -> str:
    """The link. Its host is a setting, never what a request says of itself, where there is that setting."""
    base = context.services().settings.public_url or request.host_url.rstrip("/")
    return base + url_for("door.show", token=token)


# Coming in by a link


@door.get("/<token>")
def show(token: str) -> ResponseReturnValue:
    return _door(token)


@door.post("/<token>")
def accept(token: str) -> ResponseReturnValue:
    new, again = request.form.get("new", ""), request.form.get("again", "")
    if new != again:
        return _door(token, "A senha e a repetição não são iguais.", status=422)
    try:
        done = team.accept(context.services().db, context.now(), token, new)
    except Unacceptable:
        return _door(token, PASSWORD_RULE, status=422)
    if not done:
        return _door(token)
    session.clear()
    flash("Senha guardada. Agora é só entrar.")
    return redirect(url_for("login.form"), 303)


def _door(token: str, problem: str = "", *, status: int = 200) -> Response:
    with context.services().db.reading() as db:
        link = team.peek(db, context.now(), token)
    page = render_template(
        "staff/invite.html",
        link=link,
        token=token,
        problem=problem,
        rule=PASSWORD_RULE,
        least=passwords.MIN_LENGTH,
        most=passwords.MAX_LENGTH,
    )
    return make_response(page, 410 if link is None else status)
