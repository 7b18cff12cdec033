"""The addresses of the Twilio stand-in: what twilio's REST client asks for messages. Only in the demo."""

import hmac
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from flask import Blueprint, Response, g, jsonify, request
from flask.typing import ResponseReturnValue

from bot.standin import API, MAX_PAGE, VERSION, ApiError, StandIn
from bot.standin_forms import Unusable
from bot.web.csrf import csrf

# What every photo of the demo shows, as a picture that a model takes.
PHOTO = Path(__file__).parents[2] / "templates" / "demo" / "photo.png"


def standin(stand_in: StandIn) -> Blueprint:
    """Twilio's addresses under /demo/twilio, behind the account's own Basic authentication."""
    api = Blueprint("standin", __name__, url_prefix=API)
    csrf.exempt(api)

    @api.before_request
    def authenticate() -> None:
        _check_account(stand_in)

    @api.url_value_preprocessor
    def keep_account(_endpoint: str | None, values: dict[str, Any] | None) -> None:
        g.account_sid = (values or {}).pop("account_sid", stand_in.account.sid)

    @api.errorhandler(ApiError)
    def refuse(error: ApiError) -> ResponseReturnValue:
        return jsonify(error.document()), error.status

    messages = f"/{VERSION}/Accounts/<account_sid>/Messages"

    @api.post(f"{messages}.json")
    def create() -> ResponseReturnValue:
        return jsonify(stand_in.document(stand_in.accept(request.form))), 201

    @api.get(f"{messages}.json")
    def listing() -> ResponseReturnValue:
        return jsonify(_page(stand_in))

    @api.get(f"{messages}/<sid>.json")
    def fetch(sid: str) -> ResponseReturnValue:
        return jsonify(stand_in.document(stand_in.record(sid)))

    @api.delete(f"{messages}/<sid>.json")
    def delete(sid: str) -> ResponseReturnValue:
        stand_in.delete(sid)
        return "", 204

    @api.delete(f"{messages}/<sid>/Media/<_media>.json")
    def delete_media(sid: str, _media: str) -> ResponseReturnValue:
        stand_in.delete_media(sid)
        return "", 204

    @api.post("/v2/Indicators/Typing.json")
    def typing() -> ResponseReturnValue:
        stand_in.record(request.form.get("messageId", ""))
        return jsonify({"success": True})

    @api.post("/v1/Content")
    def lay_down() -> ResponseReturnValue:
        try:
            return jsonify(stand_in.forms.lay_down(request.get_json(silent=True))), 201
        except Unusable:
            raise ApiError(400, 20001, "Invalid content") from None

    @api.get(f"{messages}/<sid>/Media/<_media>")
    def attachment(sid: str, _media: str) -> ResponseReturnValue:
        if stand_in.attached(sid).kind != "image":
            raise ApiError(404, 20404, f"The requested resource {request.path} was not found")
        return Response(PHOTO.read_bytes(), mimetype="image/png")

    return api


def _check_account(stand_in: StandIn) -> None:
    given = request.authorization
    account = stand_in.account
    expected = f"{account.sid}:{account.token}"
    said = f"{given.username}:{given.password}" if given and given.type == "basic" else ""
    if not hmac.compare_digest(said.encode(), expected.encode()):
        raise ApiError(401, 20003, "Authenticate")
    if g.account_sid != account.sid:
        raise ApiError(404, 20404, f"The requested resource {request.path} was not found")


def _page(stand_in: StandIn) -> dict[str, object]:
    size = min(max(request.args.get("PageSize", 50, type=int), 1), MAX_PAGE)
    page = max(request.args.get("Page", 0, type=int), 0)
    lines = stand_in.listed(request.args)
    shown = lines[page * size : (page + 1) * size]
    return {
        "messages": [stand_in.document(line) for line in shown],
        "page": page,
        "page_size": size,
        "start": page * size,
        "end": page * size + max(len(shown) - 1, 0),
        "uri": _uri(page),
        "first_page_uri": _uri(0),
        "previous_page_uri": _uri(page - 1) if page else None,
        "next_page_uri": _uri(page + 1) if len(lines) > (page + 1) * size else None,
    }


def _uri(page: int) -> str:
    return f"{request.path.removeprefix(API)}?{urlencode(request.args.to_dict() | {'Page': page})}"
