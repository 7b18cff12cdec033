"""Web Push: a notice to a browser by its vendor, who cannot read it (RFC 8030, 8291, 8292)."""

import base64
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from urllib.parse import urlsplit

import http_ece
import httpx
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from py_vapid import Vapid02

from bot.core import vapid
from bot.core.http import Http
from bot.escalation.smtp import Unsent
from models.push import PushSubscription

TIMEOUT = httpx.Timeout(10)
SIGNED_FOR = timedelta(hours=1)
HEADERS = {
    "Content-Encoding": "aes128gcm",
    "TTL": "3600",  # a browser that is off for longer hears nothing: by then it is no news
    "Topic": "fila",  # what was not fetched yet gives way to what is newer
    "Urgency": "high",
}
# Whatever address a browser hands in, the server posts to vendors alone: never to a machine nearby.
VENDORS = re.compile(
    r"https://("
    r"fcm\.googleapis\.com"  # Chrome, Opera, Samsung, Edge on phones
    r"|updates\.push\.services\.mozilla\.com"  # Firefox
    r"|[a-z0-9-]+\.notify\.windows\.com"  # Edge
    r"|[a-z0-9-]+\.push\.apple\.com"  # Safari
    r")/[!-~]{1,900}"
)


@dataclass(frozen=True)
class Pusher:
    http: Http
    key: ec.EllipticCurvePrivateKey
    subject: str

    @property
    def public_key(self) -> str:
        """What a browser is given to know us by."""
        point = self.key.public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)
        return base64.urlsafe_b64encode(point).decode().rstrip("=")

    def send(self, browser: PushSubscription, notice: Mapping[str, str], now: datetime) -> bool:
        """Whether that browser is still there. Raises Unsent where nobody can tell."""
        origin = f"https://{urlsplit(browser.endpoint).hostname}"
        claims = {"aud": origin, "exp": int((now + SIGNED_FOR).timestamp()), "sub": self.subject}
        headers = HEADERS | Vapid02(self.key).sign(claims)
        content = http_ece.encrypt(
            json.dumps(notice).encode(),
            private_key=ec.generate_private_key(ec.SECP256R1()),
            dh=vapid.decoded(browser.p256dh),
            auth_secret=vapid.decoded(browser.auth),
        )
        way = self.http.stream("POST", browser.endpoint, content=content, headers=headers, timeout=TIMEOUT)
        try:
            with way as answer:
                return _is_there(answer)
        except httpx.HTTPError as error:
            raise Unsent(type(error).__name__) from error


def _is_there(answer: httpx.Response) -> bool:
    if answer.status_code in (404, 410):
        return False
    if not answer.is_success:
        raise Unsent(f"http_{answer.status_code}")
    return True


def check(endpoint: str, p256dh: str, auth: str) -> None:
    """Raise ValueError unless a vendor that we know can have made it."""
    if not VENDORS.fullmatch(endpoint):
        raise ValueError("no address of a vendor's")
    ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), vapid.decoded(p256dh, 65))
    vapid.decoded(auth, 16)
