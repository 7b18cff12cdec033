"""Forged requests: every unsafe request carries a token, or its blueprint says `csrf.exempt(blueprint)`.

Only a blueprint that checks something stronger (Twilio's signature) may exempt itself.
"""

from flask import abort, request
from flask_wtf.csrf import CSRFProtect

csrf: CSRFProtect = CSRFProtect()
SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})


def refuse_cross_site() -> None:
    """A second net that needs no token: browsers say where an unsafe request comes from."""
    if request.method not in SAFE_METHODS and request.headers.get("Sec-Fetch-Site") == "cross-site":
        abort(403)
