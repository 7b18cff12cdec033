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

from bot.core import sanitise
from bot.web import login
from bot.web.shared import labels, request_context
from bot.web.team.my_account import PASSWORD_RULE
from models import password as passwords
from models import staff
from models.acts import team_acts
from models.errors import Refusal
from models.password import Unacceptable
from models.staff import ROLES, Staff
from models.staff_invite import StaffInvite

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
    form = {name: sanitise.line(request.form.get(name, ""), 254) for name in ("email", "name", "role")}
    try:
        with request_context.services().db.writing() as db:
            token = team_acts.invite(
                db, request_context.now(), request_context.tenant_id(), request_context.staff_id(), **form
            )
    except Refusal as refusal:
        return _page(_PROBLEMS[refusal.code], typed=form, status=422)
    return _page(link=_address(token), link_for=form["name"])


@blueprint.post(f"/equipe{ID}/senha")
def new_link(staff_id: int) -> ResponseReturnValue:
    try:
        with request_context.services().db.writing() as db:
            token = team_acts.new_link(
                db, request_context.now(), request_context.tenant_id(), request_context.staff_id(), staff_id
            )
            name = db.get_one(Staff, staff_id).name
    except Refusal as refusal:
        return _page(_PROBLEMS[refusal.code], status=403)
    return _page(link=_address(token), link_for=name)


@blueprint.post(f"/equipe{ID}/desativar")
def disable(staff_id: int) -> ResponseReturnValue:
    try:
        freed = team_acts.disable(
            request_context.services().db, request_context.now(), staff_id, by=request_context.staff_id()
        )
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
        with request_context.services().db.writing() as db:
            team_acts.enable(db, request_context.now(), staff_id, by=request_context.staff_id())
    except Refusal as refusal:
        return _page(_PROBLEMS[refusal.code], status=403)
    flash("Acesso reativado.")
    return redirect(url_for("team.index"), 303)


@blueprint.post(f"/equipe{ID}/sair")
def end_sessions(staff_id: int) -> ResponseReturnValue:
    try:
        with request_context.services().db.writing() as db:
            team_acts.end_sessions(
                db, request_context.now(), request_context.tenant_id(), request_context.staff_id(), staff_id
            )
            name = db.get_one(Staff, staff_id).name
    except Refusal as refusal:
        return _page(_PROBLEMS[refusal.code], status=403)
    flash(f"{name} saiu de todos os aparelhos.")
    return redirect(url_for("team.index"), 303)


@blueprint.post("/equipe/convites/<int(max=2147483647):invite_id>/cancelar")
def withdraw(invite_id: int) -> ResponseReturnValue:
    try:
        with request_context.services().db.writing() as db:
            team_acts.withdraw(
                db, request_context.now(), request_context.tenant_id(), request_context.staff_id(), invite_id
            )
    except Refusal as refusal:
        return _page(_PROBLEMS[refusal.code], status=403)
    flash("Convite cancelado: o link não abre mais.")
    return redirect(url_for("team.index"), 303)


@blueprint.post(f"/equipe{ID}/papel")
def set_role(staff_id: int) -> ResponseReturnValue:
    role = request.form.get("role", "")
    try:
        with request_context.services().db.writing() as db:
            team_acts.set_role(
                db,
                request_context.now(),
                request_context.tenant_id(),
                request_context.staff_id(),
                staff_id,
                role,
            )
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
    with request_context.services().db.reading() as db:
        people = staff.list_of(db, request_context.tenant_id())
        holds = team_acts.holdings(db, request_context.tenant_id())
        invited = team_acts.invited(db, request_context.now(), request_context.tenant_id())
    actor = request_context.current_staff()
    page = render_template(
        "staff/team/team.html",
        tenant=request_context.current_tenant(),
        people=[_colleague(person, holds) for person in people],
        invited=[_invited(each) for each in invited],
        roles=[(role, labels.ROLES[role]) for role in ROLES if team_acts.may_manage(actor, role)],
        problem=problem,
        typed=typed or {},
        link=link,
        link_for=link_for,
    )
    return make_response(page, status)


def _colleague(person: Staff, holds: Mapping[int, int]) -> Colleague:
    assert person.id is not None
    me = person.id == request_context.staff_id()
    return Colleague(
        id=person.id,
        name=person.name,
        email=person.email,
        role=person.role,
        role_words=labels.ROLES[person.role],
        disabled=person.disabled_at is not None,
        me=me,
        managed=not me and team_acts.may_manage(request_context.current_staff(), person.role),
        holds=holds.get(person.id, 0),
    )


def _invited(link: StaffInvite) -> dict[str, object]:
    minutes = max(1, (link.expires_at - request_context.now()) // timedelta(minutes=1))
    return {
        "id": link.id,
        "name": link.name,
        "email": link.email,
        "role": labels.ROLES[link.role],
        "minutes": minutes,
        "managed": team_acts.may_manage(request_context.current_staff(), link.role),
    }


def _address(token: str) -> str:
    """The link. Its host is a setting, never what a request says of itself, where there is that setting."""
    base = request_context.services().settings.public_url or request.host_url.rstrip("/")
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
        done = team_acts.accept(request_context.services().db, request_context.now(), token, new)
    except Unacceptable:
        return _door(token, PASSWORD_RULE, status=422)
    if not done:
        return _door(token)
    session.clear()
    flash("Senha guardada. Agora é só entrar.")
    return redirect(url_for("login.form"), 303)


def _door(token: str, problem: str = "", *, status: int = 200) -> Response:
    with request_context.services().db.reading() as db:
        link = team_acts.peek(db, request_context.now(), token)
    page = render_template(
        "staff/team/invite.html",
        link=link,
        token=token,
        problem=problem,
        rule=PASSWORD_RULE,
        least=passwords.MIN_LENGTH,
        most=passwords.MAX_LENGTH,
    )
    return make_response(page, 410 if link is None else status)
