"""The addresses of the Twilio stand-in: what twilio's REST client asks for messages. Only in the demo."""

import hmac
from pathlib import Path
from typing import Any, NoReturn
from urllib.parse import urlencode

from flask import Blueprint, Response, g, jsonify, request
from flask.typing import ResponseReturnValue

from bot.demo.fake_twilio import API, MAX_PAGE, VERSION, ApiError, StandIn
from bot.demo.fake_twilio_content import Unusable
from bot.web.shared.csrf import csrf

# What every photo and voice message of the demo is: a picture that a model takes, and a few spoken words.
FOLDER = Path(__file__).parents[2] / "templates" / "demo"
MEDIA = {"image": (FOLDER / "photo.png", "image/png"), "audio": (FOLDER / "voice.ogg", "audio/ogg")}
MESSAGES = f"/{VERSION}/Accounts/<account_sid>/Messages"


def standin(stand_in: StandIn) -> Blueprint:
    """Twilio's addresses under /demo/twilio, behind the account's own Basic authentication."""
    api = Blueprint("standin", __name__, url_prefix=API)
    csrf.exempt(api)
    _guard(api, stand_in)
    _add_messages(api, stand_in)
    _add_media(api, stand_in)
    _add_more(api, stand_in)
    return api


def _guard(api: Blueprint, stand_in: StandIn) -> None:
    @api.before_request
    def authenticate() -> None:
        _check_account(stand_in)

    @api.url_value_preprocessor
    def keep_account(_endpoint: str | None, values: dict[str, Any] | None) -> None:
        g.account_sid = (values or {}).pop("account_sid", stand_in.account.sid)

    @api.errorhandler(ApiError)
    def refuse(error: ApiError) -> ResponseReturnValue:
        return jsonify(error.document()), error.status


def _add_messages(api: Blueprint, stand_in: StandIn) -> None:
    @api.post(f"{MESSAGES}.json")
    def create() -> ResponseReturnValue:
        return jsonify(stand_in.document(stand_in.accept(request.form))), 201

    @api.get(f"{MESSAGES}.json")
    def listing() -> ResponseReturnValue:
        return jsonify(_page(stand_in))

    @api.get(f"{MESSAGES}/<sid>.json")
    def fetch(sid: str) -> ResponseReturnValue:
        return jsonify(stand_in.document(stand_in.record(sid)))

    @api.delete(f"{MESSAGES}/<sid>.json")
    def delete(sid: str) -> ResponseReturnValue:
        stand_in.delete(sid)
        return "", 204


def _add_media(api: Blueprint, stand_in: StandIn) -> None:
    @api.get(f"{MESSAGES}/<sid>/Media/<_media>")
    def attachment(sid: str, _media: str) -> ResponseReturnValue:
        file, kind = MEDIA.get(stand_in.attached(sid).kind) or _raise_not_found()
        return Response(file.read_bytes(), mimetype=kind)

    @api.delete(f"{MESSAGES}/<sid>/Media/<_media>.json")
    def delete_media(sid: str, _media: str) -> ResponseReturnValue:
        stand_in.delete_media(sid)
        return "", 204


def _add_more(api: Blueprint, stand_in: StandIn) -> None:
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


def _raise_not_found() -> NoReturn:
    raise ApiError(404, 20404, f"The requested resource {request.path} was not found")


def _check_account(stand_in: StandIn) -> None:
    given = request.authorization
    account = stand_in.account
    expected = f"{account.sid}:{account.token}"
    said = f"{given.username}:{given.password}" if given and given.type == "basic" else ""
    if not hmac.compare_digest(said.encode(), expected.encode()):
        raise ApiError(401, 20003, "Authenticate")
    if g.account_sid != account.sid:
        _raise_not_found()


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
