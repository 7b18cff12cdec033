"""What customers attach, fetched from Twilio: only from our own account, and never farther than Twilio's CDN.

Its address comes from a form. A form is signed, but what an address leads to is still a stranger's word, and
the account's password goes with the first request.
"""

import base64
import ipaddress
import re
import socket
import time
from collections.abc import Callable, Iterable, Mapping
from urllib.parse import urljoin, urlsplit

import httpx

from bot.core.http import Http
from bot.whatsapp.credentials import Account
from bot.whatsapp.twilio import API

MAX_BYTES = 16 * 1024 * 1024  # WhatsApp's own limit
MAX_REDIRECTS = 2
# The asset may take a few seconds to be where its address says.
WAITS = (1.0, 3.0)
CONNECT_SECONDS = 5.0
HOSTS = ("mms.twiliocdn.com", "media.twiliocdn.com")
_PATH = re.compile(r"/2010-04-01/Accounts/(AC[0-9a-fA-F]{32})/Messages/[A-Z]{2}\w{32}/Media/ME\w{32}")


class Unfetched(Exception):
    """The attachment is not to be had; the text is a word for the log."""


class Missing(Unfetched):
    """Not there yet, or just now not to be had: worth another try."""


def addresses_of(host: str) -> list[str]:
    """The IP addresses of a host; none where it cannot be looked up here (a proxy may know it)."""
    try:
        return [str(found[4][0]) for found in socket.getaddrinfo(host, 443, proto=socket.IPPROTO_TCP)]
    except OSError:
        return []


class MediaStore:
    """Attachments at Twilio, or at what stands in for it (`api_url`)."""

    def __init__(
        self,
        http: Http,
        api_url: str | None,
        *,
        sleep: Callable[[float], object] = time.sleep,
        clock: Callable[[], float] = time.monotonic,
        resolve: Callable[[str], Iterable[str]] = addresses_of,
    ) -> None:
        self._http = http
        self._api = api_url or API
        self._is_real = api_url is None
        self._sleep = sleep
        self._clock = clock
        self._resolve = resolve

    def fetch(self, account: Account, url: str, *, seconds: float, max_bytes: int = MAX_BYTES) -> bytes:
        """The attachment's content, at most so much, within that time. Raises Unfetched."""
        deadline = self._clock() + seconds
        self._check_first(account, url)
        for wait in WAITS:
            try:
                return self._follow(account, url, deadline, max_bytes)
            except Missing:
                if self._clock() + wait >= deadline:
                    raise
                self._sleep(wait)
        return self._follow(account, url, deadline, max_bytes)

    def _check_first(self, account: Account, url: str) -> None:
        path = url.removeprefix(self._api)
        found = _PATH.fullmatch(path) if path != url else None
        if found is None or found[1] != account.sid:
            raise Unfetched("not_ours")
        if not account.tokens:
            raise Unfetched("no_credentials")

    def _follow(self, account: Account, url: str, deadline: float, max_bytes: int) -> bytes:
        headers = _basic(account)
        for _ in range(MAX_REDIRECTS + 1):
            self._check_host(url)
            found = self._get(url, headers, deadline, max_bytes)
            if isinstance(found, bytes):
                return found
            # The credentials stay behind.
            url, headers = _target(url, found), {}
        raise Unfetched("too_many_redirects")

    def _check_host(self, url: str) -> None:
        """Raise Unfetched unless the address is one of Twilio's, on the open internet."""
        if not self._is_real and _origin(url) == _origin(self._api):
            return
        scheme, host, port = _origin(url)
        if scheme != "https" or port not in (None, 443) or host not in (*HOSTS, urlsplit(API).hostname):
            raise Unfetched("foreign_host")
        if not all(ipaddress.ip_address(address).is_global for address in self._resolve(host)):
            raise Unfetched("private_address")

    def _get(self, url: str, headers: Mapping[str, str], deadline: float, max_bytes: int) -> bytes | str:
        """The content, or where it is to be found."""
        left = max(deadline - self._clock(), 0.001)
        timeout = httpx.Timeout(left, connect=min(CONNECT_SECONDS, left))
        try:
            with self._http.stream("GET", url, content=b"", headers=headers, timeout=timeout) as response:
                if response.is_redirect:
                    return str(response.headers.get("location", ""))
                _check_status(response.status_code)
                return self._read(response, deadline, max_bytes)
        except (httpx.InvalidURL, httpx.UnsupportedProtocol):
            raise Unfetched("bad_address") from None
        except httpx.HTTPError as error:
            raise Missing(type(error).__name__) from None

    def _read(self, response: httpx.Response, deadline: float, max_bytes: int) -> bytes:
        content = bytearray()
        for chunk in response.iter_bytes():
            content += chunk
            if len(content) > max_bytes:
                raise Unfetched("too_large")
            if self._clock() > deadline:
                raise Unfetched("out_of_time")
        return bytes(content)


def _check_status(status: int) -> None:
    if status == httpx.codes.NOT_FOUND or status >= 500:
        raise Missing(f"http_{status}")
    if status != httpx.codes.OK:
        raise Unfetched(f"http_{status}")


def _basic(account: Account) -> dict[str, str]:
    pair = f"{account.sid}:{account.tokens[0]}".encode()
    return {"authorization": f"Basic {base64.b64encode(pair).decode()}"}


def _target(url: str, location: str) -> str:
    try:
        return urljoin(url, location)
    except ValueError:
        raise Unfetched("bad_address") from None


def _origin(url: str) -> tuple[str, str, int | None]:
    try:
        parts = urlsplit(url)
        return parts.scheme, parts.hostname or "", parts.port
    except ValueError:
        raise Unfetched("bad_address") from None
