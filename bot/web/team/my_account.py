"""/conta: one's own password, sessions and habits."""

from dataclasses import dataclass

from flask import Blueprint, Response, flash, make_response, redirect, render_template, request, url_for
from flask import session as cookie
from flask.typing import ResponseReturnValue
from flask_login import logout_user

from bot.escalation import web_push as vendors
from bot.web import login
from bot.web.shared import labels, request_context
from models import password as passwords
from models import push, staff
from models.password import Unacceptable
from models.push import PushSubscription
from models.staff import Changed, Staff, StaffSession, Throttled, Unchanged

blueprint = Blueprint("account", __name__, url_prefix="/conta")
blueprint.before_request(login.require)

# The browsers and systems that people know, in the order in which they claim to be one another.
_BROWSERS = (
    ("Edg", "Edge"),
    ("OPR", "Opera"),
    ("Firefox", "Firefox"),
    ("Chrome", "Chrome"),
    ("Safari", "Safari"),
)
_SYSTEMS = (
    ("Android", "Android"),
    ("iPhone", "iPhone"),
    ("iPad", "iPad"),
    ("Windows", "Windows"),
    ("Mac OS", "Mac"),
    ("Linux", "Linux"),
)


@dataclass(frozen=True)
class Place:
    """One login in force, in words."""

    id: int
    device: str
    began: str
    seen: str
    here: bool


@blueprint.get("")
def show() -> ResponseReturnValue:
    return _page()


@blueprint.post("/senha")
def change_password() -> ResponseReturnValue:
    old, new, again = (request.form.get(name, "") for name in ("old", "new", "again"))
    if new != again:
        return _page("A senha nova e a repetição não são iguais.", status=422)
    try:
        outcome = staff.change_password(
            request_context.services().db,
            request_context.now(),
            request_context.staff_id(),
            old,
            new,
            request_context.session_id(),
        )
    except Unacceptable:
        return _page(PASSWORD_RULE, status=422)
    match outcome:
        case Changed():
            flash("Senha alterada. As outras sessões foram encerradas.")
            return redirect(url_for("account.show"), 303)
        case Unchanged():
            return _page("Esta já é a sua senha. Para mudar, escolha uma diferente.", status=422)
        case Throttled(retry_after=seconds):
            answer = _page("Muitas tentativas. Espere um pouco e tente de novo.", status=429)
            answer.headers["Retry-After"] = str(seconds)
            return answer
        case _:
            return _page("A senha atual não confere.", status=422)


PASSWORD_RULE = f"A senha deve ter de {passwords.MIN_LENGTH} a {passwords.MAX_LENGTH} caracteres."


@blueprint.post("/preferencias")
def prefer() -> ResponseReturnValue:
    with request_context.services().db.writing() as session:
        person = session.get_one(Staff, request_context.staff_id())
        person.shortcuts = "shortcuts" in request.form
        person.email_alerts = "email_alerts" in request.form
    flash("Preferências guardadas.")
    return redirect(url_for("account.show"), 303)


@blueprint.post("/avisos")
def hear() -> ResponseReturnValue:
    """Tell this browser what waits, also with no page open."""
    endpoint, p256dh, auth = (request.form.get(name, "") for name in ("endpoint", "p256dh", "auth"))
    try:
        vendors.check(endpoint, p256dh, auth)
    except ValueError:
        return _page("Não conheço o serviço de avisos deste navegador. Tente em outro.", status=422)
    row = PushSubscription(
        tenant_id=request_context.tenant_id(),
        staff_id=request_context.staff_id(),
        session_id=request_context.session_id(),
        agent=request.user_agent.string[:200],
        created_at=request_context.now(),
        endpoint=endpoint,
        p256dh=p256dh,
        auth=auth,
    )
    with request_context.services().db.writing() as session:
        staff.locked(session, request_context.staff_id())  # pressed twice at once
        push.keep(session, row)
    flash("Avisos ligados neste aparelho.")
    return redirect(url_for("account.show"), 303)


@blueprint.post("/avisos/desligar")
def unhear() -> ResponseReturnValue:
    which = push.KNOWN.endpoint == request.form.get("endpoint", "")
    with request_context.services().db.writing() as session:
        push.drop(session, push.KNOWN.staff_id == request_context.staff_id(), which)
    flash("Avisos desligados naquele aparelho.")
    return redirect(url_for("account.show"), 303)


@blueprint.post("/sessoes/<int(max=2147483647):session_id>/encerrar")
def end(session_id: int) -> ResponseReturnValue:
    with request_context.services().db.writing() as session:
        staff.end_session(session, request_context.now(), request_context.staff_id(), session_id)
    flash("Sessão encerrada.")
    return redirect(url_for("account.show"), 303)


@blueprint.post("/sessoes/encerrar")
def end_others() -> ResponseReturnValue:
    with request_context.services().db.writing() as session:
        staff.end_others(
            session, request_context.now(), request_context.staff_id(), request_context.session_id()
        )
    flash("As outras sessões foram encerradas.")
    return redirect(url_for("account.show"), 303)


@blueprint.post("/sessoes/encerrar-todas")
def end_all() -> ResponseReturnValue:
    """Log out everywhere, here too."""
    me = request_context.staff_id()
    with request_context.services().db.writing() as session:
        staff.log_out_everywhere(session, request_context.now(), request_context.tenant_id(), me, by=me)
    logout_user()
    cookie.clear()
    flash("Você saiu de todos os aparelhos.")
    return redirect(url_for("login.form"), 303)


def _page(problem: str = "", *, status: int = 200) -> Response:
    with request_context.services().db.reading() as session:
        person = session.get_one(Staff, request_context.staff_id())
        sessions = staff.sessions_of(session, request_context.now(), request_context.staff_id())
        ears = push.all_of(session, push.KNOWN.staff_id == request_context.staff_id())
    page = render_template(
        "staff/team/my_account.html",
        tenant=request_context.current_tenant(),
        person=person,
        role=labels.ROLES[person.role],
        places=[_place(each) for each in sessions],
        ears=[
            (each.endpoint, device(each.agent), each.session_id == request_context.session_id())
            for each in ears
        ],
        pusher=request_context.services().pusher,
        problem=problem,
        rule=PASSWORD_RULE,
        least=passwords.MIN_LENGTH,
        most=passwords.MAX_LENGTH,
    )
    return make_response(page, status)


def _place(row: StaffSession) -> Place:
    assert row.id is not None
    now, zone = request_context.now(), request_context.current_tenant().zone
    return Place(
        id=row.id,
        device=device(row.agent),
        began=labels.moment(row.created_at, now, zone),
        seen=labels.moment(row.last_seen_at, now, zone),
        here=row.id == request_context.session_id(),
    )


def device(agent: str) -> str:
    """ "Chrome no Windows", of what a browser says of itself."""
    browser = next((name for mark, name in _BROWSERS if mark in agent), "")
    system = next((name for mark, name in _SYSTEMS if mark in agent), "")
    if not browser and not system:
        return "Navegador desconhecido"
    return f"{browser or 'Navegador'} no {system}" if system else browser
