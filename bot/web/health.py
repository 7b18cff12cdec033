"""/healthz, /readyz and /metrics: for machines, in English, and without a customer's word or number."""

import hmac
import time
from datetime import datetime
from ipaddress import ip_address

import structlog
from flask import Blueprint, Response, abort, g, jsonify, request
from flask.typing import ResponseReturnValue
from sqlalchemy.exc import SQLAlchemyError

from bot.core.services import Services
from bot.process import metrics
from bot.web.shared import request_context
from models import schema, worker
from models.db import Database
from models.worker import BEAT_MAX_AGE

FORWARDED = ("Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Real-IP")

blueprint = Blueprint("health", __name__)
log = structlog.get_logger()


@blueprint.get("/healthz")
def alive() -> ResponseReturnValue:
    return Response("ok\n", mimetype="text/plain")


@blueprint.get("/readyz")
def ready() -> ResponseReturnValue:
    """200 if this program can do its work, else 503 with what cannot."""
    found = _state(request_context.services(), request_context.now())
    return jsonify(found), 200 if set(found.values()) == {"ok"} else 503


def _state(services: Services, now: datetime) -> dict[str, str]:
    try:
        return {"database": "ok", "schema": _schema(services.db), "worker": _worker(services.db, now)}
    except SQLAlchemyError as error:
        log.error("not_ready", error=type(error).__name__)
        return {"database": "unreachable"}


def _schema(db: Database) -> str:
    return "ok" if schema.current(db) == schema.newest() else "not current: run horacerta migrate"


def _worker(db: Database, now: datetime) -> str:
    with db.reading() as session:
        beaten = worker.last_beat(session)
    return "ok" if beaten is not None and now - beaten <= BEAT_MAX_AGE else "no worker is running"


@blueprint.get("/metrics")
def figures() -> ResponseReturnValue:
    _require_reader(request_context.services().settings.metrics_token)
    body = metrics.text(metrics.registry(request_context.services()))
    return Response(body, content_type="text/plain; version=0.0.4; charset=utf-8")


@blueprint.before_app_request
def start_clock() -> None:
    g.began = time.perf_counter()


@blueprint.after_app_request
def stop_clock(response: Response) -> Response:
    if "began" in g:
        # What has no endpoint is an address of somebody else's choice: all of those are one.
        labels = request.endpoint or "none", f"{response.status_code // 100}xx"
        request_context.services().meters.http.labels(*labels).observe(time.perf_counter() - g.began)
    return response


def _require_reader(token: str | None) -> None:
    """With a token set, whoever has it; else this very machine, asked directly and by its own name."""
    if token:
        given = request.headers.get("Authorization", "").encode()
        if not hmac.compare_digest(given, f"Bearer {token}".encode()):
            abort(401)
    elif not _is_loopback(request.remote_addr or "") or _was_passed_on():
        abort(403)


def _was_passed_on() -> bool:
    # A proxy on this machine makes the whole world look like loopback.
    host = request.host.rsplit(":", 1)[0].strip("[]")
    passed_on = any(name in request.headers for name in FORWARDED)
    return passed_on or not (host == "localhost" or _is_loopback(host))


def _is_loopback(address: str) -> bool:
    try:
        return ip_address(address).is_loopback
    except ValueError:
        return False
