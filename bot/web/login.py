"""/entrar and /sair, and what stands in front of every page of the staff."""

from collections.abc import Callable
from typing import Any

from flask import (
    Blueprint,
    Response,
    abort,
    make_response,
    redirect,
    render_template,
    request,
    session,
    url_for,
)
from flask.typing import ResponseReturnValue
from flask_login import LoginManager, current_user, login_user, logout_user

from bot.web import known_browser
from bot.web.shared import request_context
from models import staff

blueprint = Blueprint("login", __name__)
manager = LoginManager()
# What a page asks for by itself: looking at it is no sign of a person, and its answer is no page.
POLLS = frozenset({"queue.rows", "queue.pulse", "conversation.lines"})
MAX_NEXT = 512
OPEN = frozenset({"door", "demo"})  # pages that need no login
# What the form of a new visit says.
BOOKING = ("cliente", "nome", "telefone", "servico", "dia", "prof", "hora", "horario")
HOMES = {
    "agenda": "agenda.day",
    "canned": "canned.index",
    "account": "account.show",
    "team": "team.index",
    "business": "business.index",
    "door": "door.show",
    "demo": "demo.index",
}


def _load(token: str) -> request_context.Me | None:
    parts, now = request_context.services(), request_context.now()
    with parts.db.reading() as db:
        found = staff.visit(db, now, token)
    if found is None:
        return None
    if request.endpoint not in POLLS and found.is_news(now):
        with parts.db.writing() as db:
            staff.touch(db, now, found.session_id)
    return request_context.Me(token, found.staff, found.session_id)


def require() -> ResponseReturnValue | None:
    """For `before_request` of a blueprint: all of its views are for logged-in staff."""
    return None if current_user.is_authenticated else manager.unauthorized()


def require_role(role: str) -> Callable[[], ResponseReturnValue | None]:
    """Like `require`, for those of this role and above; others are refused whatever the page."""

    def check() -> ResponseReturnValue | None:
        refused = require()
        return refused if refused is not None or request_context.may(role) else abort(403)

    return check


def _unauthorized() -> ResponseReturnValue:
    if request.endpoint in POLLS:
        return "", 401
    if request.method == "POST":
        return expired(401)
    wanted = request.full_path.rstrip("?")
    return redirect(url_for("login.form", next=wanted if safe_next(wanted) else None), 303)


manager.user_loader(_load)
manager.unauthorized_handler(_unauthorized)


def expired(status: int) -> ResponseReturnValue:
    """For a form that came too late: what was typed, and the way back, by the login where it is needed."""
    out = request.blueprint not in OPEN and not current_user.is_authenticated
    back = url_for("login.form", next=_origin()) if out else _origin() or url_for("login.form")
    return render_template("staff/expired.html", typed=_typed(), out=out, back=back), status


def _typed() -> str:
    """What somebody wrote into a form that could not be taken: nobody should have to write it twice."""
    return next(filter(None, map(request.form.get, ("text", "note", "remark", "motivo", "aviso"))), "")


def _origin() -> str | None:
    """The page that the form stood on; of the login, where it was to lead."""
    ids, room = request.view_args or {}, request.blueprint or ""
    if room == "login":
        return safe_next(request.form.get("next", ""))
    if "conversation_id" in ids:
        return url_for("conversation.show", conversation_id=ids["conversation_id"])
    if request.endpoint == "agenda.book":
        written: dict[str, Any] = {name: request.form.getlist(name) for name in BOOKING}
        return url_for("agenda.book_form", **written)
    if "appointment_id" in ids:
        return url_for("agenda.show", appointment_id=ids["appointment_id"])
    home = HOMES.get(room, "queue.index")
    return url_for(home, token=ids["token"]) if room == "door" else url_for(home)


@blueprint.get("/entrar")
def form() -> ResponseReturnValue:
    if current_user.is_authenticated:
        return redirect(url_for("queue.index"), 303)
    return _form(200)


@blueprint.post("/entrar")
def enter() -> ResponseReturnValue:
    parts, email = request_context.services(), request.form.get("email", "")
    outcome = staff.log_in(
        parts.db,
        request_context.now(),
        email,
        request.form.get("password", ""),
        request.remote_addr or "",
        agent=request.user_agent.string,
        browser=known_browser.name_for(email),
    )
    match outcome:
        case staff.LoggedIn(token=token, staff=person):
            session.clear()
            login_user(request_context.Me(token, person, 0))
            home = redirect(safe_next(request.form.get("next", "")) or url_for("queue.index"), 303)
            answer = make_response(home)
            known_browser.remember(answer, email)
            return answer
        case staff.Throttled(retry_after=seconds):
            answer = _form(429, "Muitas tentativas. Espere um pouco e tente de novo.")
            answer.headers["Retry-After"] = str(seconds)
            return answer
        case staff.Refused():
            return _form(401, "E-mail ou senha não conferem.")


def _form(status: int, problem: str = "") -> Response:
    wanted = safe_next(request.values.get("next", ""))
    email = request.form.get("email", "")
    page = render_template("staff/login.html", problem=problem, email=email, next=wanted)
    return make_response(page, status)


@blueprint.post("/sair")
def leave() -> ResponseReturnValue:
    if current_user.is_authenticated:
        parts = request_context.services()
        with parts.db.writing() as db:
            staff.log_out(db, request_context.now(), current_user.token)
        logout_user()
    session.clear()
    return redirect(url_for("login.form"), 303)


def safe_next(text: str) -> str | None:
    """The address within this site that `text` names; None for everything that could lead elsewhere.

    Browsers read a backslash as a slash and drop tabs and line ends: "/\\evil" is "//evil" to them.
    """
    odd = any(character <= " " or character in "\x7f\\" for character in text)
    inside = text.startswith("/") and not text.startswith("//")
    return text if inside and not odd and len(text) <= MAX_NEXT else None
