"""The security headers of every answer."""

from flask import Response, request

CONTENT_SECURITY_POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self'",
        "media-src 'self'",
        "font-src 'self'",
        "connect-src 'self'",
        "manifest-src 'self'",
        "form-action 'self'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
    )
)
ALWAYS = {
    "Content-Security-Policy": CONTENT_SECURITY_POLICY,
    "X-Frame-Options": "DENY",
    "X-Content-Type-Options": "nosniff",
    # Not "no-referrer": Flask-WTF compares the referrer of every POST over https.
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "X-Robots-Tag": "noindex",
}
HTTPS_ONLY = {"Strict-Transport-Security": "max-age=31536000; includeSubDomains"}
FOREVER = "public, max-age=31536000, immutable"


def secure(response: Response, *, https: bool) -> Response:
    """Set the headers; what is not a versioned static file is not to be kept by any cache."""
    for name, value in ALWAYS.items():
        response.headers.setdefault(name, value)  # an attachment has a stricter policy of its own
    if https:
        response.headers.update(HTTPS_ONLY)
    marked = request.endpoint == "versioned" or (request.endpoint == "static" and "v" in request.args)
    versioned = marked and response.status_code == 200
    response.headers["Cache-Control"] = FOREVER if versioned else "no-store"
    return response
