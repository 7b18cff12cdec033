"""A browser that has been in an account: a signed cookie, which opens nothing.

Whoever holds it waits for no stranger's wrong passwords. See models/login_throttle.py.
"""

import hashlib
import secrets

from flask import Response, current_app, request
from itsdangerous import BadSignature, URLSafeTimedSerializer

from models import staff

KEPT = 180 * 24 * 3600  # seconds
_SALT = "known-browser"


def name_for(email: str) -> str:
    """What this browser is called in that account; "" where it has not been there."""
    try:
        account, name = _signer().loads(request.cookies.get(_cookie(), ""), max_age=KEPT)
    except (BadSignature, ValueError, TypeError):
        return ""
    return str(name) if account == _account(email) else ""


def remember(answer: Response, email: str) -> None:
    """This browser is known in that account from now on."""
    known = name_for(email) or secrets.token_hex(8)
    answer.set_cookie(
        _cookie(),
        _signer().dumps([_account(email), known]),
        max_age=KEPT,
        httponly=True,
        secure=current_app.config["SESSION_COOKIE_SECURE"],
        samesite="Lax",
    )


def _cookie() -> str:
    return f"{current_app.config['SESSION_COOKIE_NAME']}-known"


def _signer() -> URLSafeTimedSerializer:
    return URLSafeTimedSerializer(current_app.secret_key or "", salt=_SALT)


def _account(email: str) -> str:
    return hashlib.sha256(staff.normal(email).encode("utf-8", "surrogatepass")).hexdigest()[:32]
