"""/fila/<id>/anexo: a picture, a recording or a file that a customer sent."""

import structlog
from flask import Blueprint, Response, abort, request

from bot.media.staff_downloads import SHOWN, Unopened, kind_of
from bot.web import login
from bot.web.inbox.conversation import ROUTE
from bot.web.shared import request_context
from models import message
from models.errors import NotFound
from models.message import Direction

log = structlog.get_logger()

SECONDS = 15.0
# Nothing in it may run or load anything, should a browser take it for a page. The styles are those of the
# browser's own viewer.
POLICY = "default-src 'none'; img-src 'self'; media-src 'self'; style-src 'unsafe-inline'; sandbox"

blueprint = Blueprint("attachment", __name__, url_prefix="/fila")
blueprint.before_request(login.require)


@blueprint.get(f"{ROUTE}/anexo/<int(max=2147483647):seq>/<int(max=99):place>")
def show(conversation_id: int, seq: int, place: int) -> Response:
    files = request_context.services().files
    url = _address(conversation_id, seq, place)
    if files is None or url is None:
        raise NotFound("attachment")
    try:
        content = files.open(request_context.current_tenant(), url, seconds=SECONDS)
    except Unopened as error:
        log.warning("attachment_not_opened", conversation_id=conversation_id, seq=seq, error=str(error))
        abort(502)
    return _answer(content, f"anexo-{seq}-{place + 1}")


def _address(conversation_id: int, seq: int, place: int) -> str | None:
    with request_context.services().db.reading() as session:
        line = message.at(session, request_context.tenant_id(), conversation_id, seq)
    if line is None or line.direction != Direction.IN or place >= len(line.media):
        return None
    url = line.media[place].get("url")
    return url if isinstance(url, str) else None


def _answer(content: bytes, name: str) -> Response:
    kind = kind_of(content)
    how = "inline" if kind in SHOWN else "attachment"
    answer = Response(content, mimetype=kind)
    answer.headers["Content-Disposition"] = f'{how}; filename="{name}.{SHOWN.get(kind, "bin")}"'
    answer.headers["Content-Security-Policy"] = POLICY
    # Players ask for parts of a recording: Safari plays none without them, others cannot tell how long it is.
    answer.make_conditional(request, accept_ranges=True, complete_length=len(content))
    return answer
