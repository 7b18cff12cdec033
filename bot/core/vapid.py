"""The key by which browser vendors know this program (VAPID, RFC 8292), as settings hold it."""

import base64

from cryptography.hazmat.primitives.asymmetric import ec


def private_key(text: str) -> ec.EllipticCurvePrivateKey:
    """Of 32 bytes in base64url. Raises ValueError."""
    return ec.derive_private_key(int.from_bytes(decoded(text, 32), "big"), ec.SECP256R1())


def decoded(text: str, length: int | None = None) -> bytes:
    """The bytes of base64url with or without padding. Raises ValueError, also for another length."""
    found = base64.b64decode(text.rstrip("=") + "=" * (-len(text.rstrip("=")) % 4), b"-_", validate=True)
    if length not in (None, len(found)):
        raise ValueError(f"{len(found)} bytes")
    return found
