"""The Flask application: one function that puts the pages together."""

import hashlib
from collections.abc import Iterable
from ipaddress import ip_address
from pathlib import Path
from typing import TYPE_CHECKING

from flask import Blueprint, Flask, Response, abort, redirect, render_template, url_for
from flask.typing import ResponseReturnValue
from flask_wtf.csrf import CSRFError
from werkzeug.exceptions import HTTPException, NotFound
from werkzeug.middleware.proxy_fix import ProxyFix

from bot.core.services import Services
from bot.web import business, calendar, health, login
from bot.web.inbox import actions, attachment, canned_replies, conversation, queue
from bot.web.reports import audit_log, dashboard
from bot.web.shared import headers, request_context, whatsapp_html
from bot.web.shared.csrf import csrf, refuse_cross_site
from bot.web.team import my_account, team
from models import errors

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

TEMPLATES = Path(__file__).parents[2] / "templates"
MAX_BODY = 64 * 1024
SCRIPTS = ("staff",)  # folders of scripts that import each other


def create_app(services: Services, extra_blueprints: Iterable[Blueprint] = ()) -> Flask:
    """The web half of the program: the staff pages, health, and whatever blueprints are added.

    Every POST needs a CSRF token; a blueprint that checks a signature instead says `csrf.exempt(blueprint)`.
    """
    app = Flask(__name__, template_folder=str(TEMPLATES), static_folder=str(TEMPLATES / "static"))
    https = (services.settings.public_url or "").startswith("https://")
    app.config.from_mapping(
        SECRET_KEY=services.settings.secret_key,
        SESSION_COOKIE_NAME="__Host-horacerta" if https else "horacerta",
        SESSION_COOKIE_SECURE=https,
        SESSION_COOKIE_HTTPONLY=True,
        SESSION_COOKIE_SAMESITE="Lax",
        MAX_CONTENT_LENGTH=MAX_BODY,
        MAX_FORM_MEMORY_SIZE=MAX_BODY,
        WTF_CSRF_TIME_LIMIT=None,  # the token lives as long as the session: a long draft is not lost
    )
    app.extensions[request_context.EXTENSION] = services
    app.before_request(refuse_cross_site)
    csrf.init_app(app)
    login.manager.init_app(app)
    own = (
        login.blueprint,
        queue.blueprint,
        conversation.blueprint,
        actions.blueprint,
        attachment.blueprint,
        calendar.blueprint,
        calendar.calendar,
        canned_replies.blueprint,
        my_account.blueprint,
        team.blueprint,
        team.door,
        business.blueprint,
        dashboard.blueprint,
        audit_log.blueprint,
        health.blueprint,
    )
    for blueprint in (*own, *extra_blueprints):
        app.register_blueprint(blueprint)
    _dress(app, https)
    if services.settings.public_url:
        app.wsgi_app = OneProxy(app.wsgi_app)  # type: ignore[method-assign]  # Flask's own way to add one
    return app


def _dress(app: Flask, https: bool) -> None:
    """What every page has: headers, versioned assets, kind errors."""

    @app.after_request
    def secure(response: Response) -> Response:
        return headers.secure(response, https=https)

    @app.get("/")
    def home() -> ResponseReturnValue:
        return redirect(url_for("queue.index"), 303)

    @app.get("/avisos.js")
    def worker() -> Response:
        """The service worker, at the root: it speaks for pages below its own address only."""
        return app.send_static_file("sw.js")

    app.add_template_global(request_context.may, "may")
    app.add_template_filter(whatsapp_html.shown, "whatsapp")
    digests: dict[str, str] = {}

    @app.template_global()
    def asset(name: str) -> str:
        """The address of a static file, with a mark of its content: it may be kept for ever."""
        if name not in digests:
            content = (TEMPLATES / "static" / name).read_bytes()
            digests[name] = hashlib.sha256(content).hexdigest()[:12]
        return url_for("static", filename=name, v=digests[name])

    contents = {folder: _mark(folder) for folder in SCRIPTS}

    @app.get("/static/v-<mark>/<path:filename>")
    def versioned(mark: str, filename: str) -> Response:
        """A script whose imports are relative to it: the mark of all of them stands before its name."""
        known = contents.get(filename.partition("/")[0]) == mark
        return app.send_static_file(filename) if known else abort(404)

    @app.template_global()
    def module(name: str) -> str:
        """The address of a script that imports others of its folder: they may all be kept for ever."""
        return url_for("versioned", mark=contents[name.partition("/")[0]], filename=name)

    @app.template_global()
    def modules(folder: str) -> list[str]:
        """What a script of this folder may import: fetched at once, not one after the other."""
        return [f"{folder}/{name}" for name in _scripts(folder)]

    app.register_error_handler(HTTPException, _problem)
    app.register_error_handler(errors.NotFound, lambda _error: _problem(NotFound()))
    app.register_error_handler(CSRFError, lambda _error: login.expired(400))


def _scripts(folder: str) -> list[str]:
    return sorted(path.name for path in (TEMPLATES / "static" / folder).glob("*.js"))


def _mark(folder: str) -> str:
    """A mark of the content of all scripts of a folder."""
    content = (path.read_bytes() for path in sorted((TEMPLATES / "static" / folder).glob("*.js")))
    return hashlib.sha256(b"\0".join(content)).hexdigest()[:12]


_PROBLEMS = {
    400: ("Não entendi este pedido", "Volte e tente de novo."),
    403: ("Sem acesso", "Você não tem acesso a esta página."),
    404: ("Não encontrei esta página", "O endereço pode ter mudado, ou o que você procura não existe."),
    405: ("Isso não é possível aqui", "Volte e use os botões da página."),
    413: ("Texto grande demais", "Divida o texto em partes menores."),
    502: (
        "Não consegui abrir o anexo",
        "O WhatsApp não entregou o arquivo agora. Tente de novo daqui a pouco.",
    ),
    429: ("Muitas tentativas", "Espere um pouco e tente de novo."),
}
_FAILURE = ("Algo deu errado", "O problema foi registrado. Tente de novo em instantes.")


def _problem(error: HTTPException) -> ResponseReturnValue:
    """One page for every error; of the error itself it shows nothing but the number."""
    if error.response is not None or error.code is None:
        return error
    title, sentence = _PROBLEMS.get(error.code, _FAILURE)
    page = render_template("staff/error.html", title=title, sentence=sentence, code=error.code)
    kept = {name: value for name, value in error.get_headers() if name in ("Allow", "Retry-After")}
    return page, error.code, kept


class OneProxy:
    """Behind a proxy (PUBLIC_URL is set) believe its X-Forwarded-For, one hop, for throttling logins.

    Only where the request really comes from a machine nearby (loopback or a private network); scheme and
    host are never taken from a header.
    """

    def __init__(self, app: "WSGIApplication") -> None:
        self._app = app
        self._behind = ProxyFix(app, x_for=1, x_proto=0, x_host=0, x_port=0, x_prefix=0)

    def __call__(self, environ: "WSGIEnvironment", start_response: "StartResponse") -> Iterable[bytes]:
        app = self._behind if _is_near(environ.get("REMOTE_ADDR", "")) else self._app
        return app(environ, start_response)


def _is_near(address: str) -> bool:
    try:
        return ip_address(address).is_private
    except ValueError:
        return False
