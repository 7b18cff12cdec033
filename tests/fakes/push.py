"""Browsers and their vendor's push service, strict about what RFC 8030, 8291 and 8292 ask for."""

import base64
import json
import os
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from itertools import count
from typing import Any

import http_ece
import httpx
import jwt
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

KEY = "AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE"
SUBJECT = "mailto:dona@bela.test"
_NUMBERS = count(1)


def coded(value: bytes) -> str:
    return base64.urlsafe_b64encode(value).decode().rstrip("=")


def decoded(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


@dataclass
class Browser:
    """Reads what is meant for it, and nothing else. `answer` is what its vendor says of it."""

    host: str = "fcm.googleapis.com"
    answer: int | type[httpx.HTTPError] = 201
    shown: list[dict[str, Any]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._key, self._secret = ec.generate_private_key(ec.SECP256R1()), os.urandom(16)
        point = self._key.public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)
        endpoint = f"https://{self.host}/send/{next(_NUMBERS)}"
        self.given = {"endpoint": endpoint, "p256dh": coded(point), "auth": coded(self._secret)}

    def read(self, sealed: bytes) -> None:
        text = http_ece.decrypt(sealed, private_key=self._key, auth_secret=self._secret, version="aes128gcm")
        self.shown.append(json.loads(text))


@dataclass
class Vendor:
    """Takes notices for its browsers, from the one server whose public key they were given."""

    now: Callable[[], datetime]
    public_key: str = ""
    browsers: list[Browser] = field(default_factory=list)

    def __call__(self, request: httpx.Request) -> httpx.Response:
        [browser] = [each for each in self.browsers if each.given["endpoint"] == str(request.url)]
        if not isinstance(browser.answer, int):
            raise browser.answer("no", request=request)
        if browser.answer == 201:
            self._check(request)
            browser.read(request.content)
        return httpx.Response(browser.answer, headers={"Location": "http://127.0.0.1:1/"})

    def _check(self, request: httpx.Request) -> None:
        headers = request.headers
        assert (request.method, headers["Content-Encoding"]) == ("POST", "aes128gcm")
        assert 0 < int(headers["TTL"]) <= 24 * 3600
        assert headers["Urgency"] in ("very-low", "low", "normal", "high")
        assert re.fullmatch(r"[A-Za-z0-9_-]{1,32}", headers["Topic"])
        assert len(request.content) <= 4096
        signed = re.fullmatch(r"vapid t=([^,]+),k=(.+)", headers["Authorization"])
        assert signed
        assert signed[2] == self.public_key
        self._check_claims(signed[1], f"https://{request.url.host}")

    def _check_claims(self, token: str, audience: str) -> None:
        key = ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), decoded(self.public_key))
        claims = jwt.decode(token, key, ["ES256"], audience=audience, options={"verify_exp": False})
        assert claims["sub"] == SUBJECT
        assert 0 < claims["exp"] - self.now().timestamp() <= 24 * 3600
