"""Sending through Twilio's REST client over httpx; its answers in our words."""

import json
import re
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TypeVar

import httpx
import structlog
from twilio.base.exceptions import TwilioException
from twilio.http import HttpClient
from twilio.http.response import Response
from twilio.rest import Client
from twilio.rest.api.v2010.account.message import MessageInstance
from werkzeug.datastructures import MultiDict

from bot.core.http import Http
from bot.whatsapp import content_api, error_codes
from bot.whatsapp.base import Arrived, SendError, Sent
from bot.whatsapp.credentials import Account
from bot.whatsapp.forms import MAX_MEDIA, PREFIX, error_code_of, status_of
from models.message import Content, Status
from models.provider_deletion import Kind

LISTED, PAGE = 50, 200
API = "https://api.twilio.com"
CONTENT = "https://content.twilio.com/v1/Content"
JSON = {"Content-Type": "application/json"}
VERSION = "2010-04-01"
_KEPT = re.compile(r"/2010-04-01/Accounts/(AC[0-9a-fA-F]{32})/Messages/[A-Z]{2}\w{32}(?:/Media/ME\w{32})?\Z")
CREDENTIALS, NO_ACCOUNT, TOO_MANY = 20003, 20404, 20429

log = structlog.get_logger()


@dataclass(frozen=True)
class Patience:
    """How long one request may take, in seconds: to connect, between two bytes, as a whole."""

    connect: float = 5.0
    silence: float = 10.0
    total: float = 25.0


class TwilioSender:
    """One business's number on one account."""

    def __init__(self, client: Client, number: str, public_url: str | None) -> None:
        self._messages = client.messages
        self._from = PREFIX + number
        self._callback = f"{public_url}/twilio/status" if public_url else None

    def send(self, to: str, text: str, *, reference: int, content: Content | None = None) -> Sent:
        fields = _said(text, content)
        if self._callback:
            fields["status_callback"] = f"{self._callback}?o={reference}"
        created = calling(lambda: self._messages.create(to=to, from_=self._from, **fields))
        if not created.sid:
            raise _ambiguous("an answer without a sid")
        return _sent(created)

    def find(self, to: str, text: str, since: datetime, *, within: bool = False) -> Sent | None:
        # Not filtered by DateSent: what is still waiting at Twilio has no such date, and may wait for hours.
        # The pair of numbers is one chat, newest first, so that a page is enough.
        listed = calling(lambda: self._messages.list(to=to, from_=self._from, limit=LISTED, page_size=LISTED))
        wanted, since = _words(text), since.replace(microsecond=0)

        def fits(body: str) -> bool:
            return wanted in body if within else wanted == body

        fitting = (line for line in listed if _created(line) >= since and fits(_words(line.body or "")))
        newest = max(fitting, key=_created, default=None)
        return _sent(newest) if newest else None


class TwilioArchive:
    """What Twilio keeps of one account: all of it, until it is told otherwise."""

    def __init__(self, client: Client) -> None:
        self._client = client

    def delete(self, kind: Kind, reference: str) -> None:
        # A record goes with the attachments of its message.
        path = reference if kind == Kind.MEDIA else f"/{VERSION}/Accounts/{{}}/Messages/{reference}"
        found = _KEPT.search(path.format(self._client.account_sid))
        if found is None or found[1] != self._client.account_sid:
            return  # of an account that was ours once: nothing there can be deleted from here
        try:
            calling(lambda: self._client.request("DELETE", f"{API}{found[0]}.json"))
        except SendError as error:
            if error.status != httpx.codes.NOT_FOUND or error.code != NO_ACCOUNT:
                raise


class TwilioForms:
    """What one account has of Twilio's Content API."""

    def __init__(self, client: Client) -> None:
        self._client = client

    @property
    def account_sid(self) -> str:
        return str(self._client.account_sid)

    def lay_down(self, document: Mapping[str, object]) -> str:
        made = calling(lambda: self._client.request("POST", CONTENT, data=document, headers=JSON))
        try:
            return str(json.loads(made.text)["sid"])
        except (ValueError, TypeError, KeyError):
            raise _ambiguous("an answer without a sid") from None


class TwilioInbox:
    """What one account has received. `api_url` is where its attachments lie, if not at Twilio."""

    def __init__(self, client: Client, api_url: str | None) -> None:
        self._client = client
        self._api = api_url or API

    def received(self, number: str, since: datetime) -> list[Arrived]:
        return calling(lambda: list(self._since(PREFIX + number, since.replace(microsecond=0))))

    def _since(self, to: str, since: datetime) -> Iterator[Arrived]:
        # The filter knows only days. The newest come first.
        for line in self._client.messages.stream(to=to, date_sent_after=since, page_size=PAGE):
            if _created(line) < since:
                return
            if line.direction == "inbound":
                yield _arrived(line)

    def form(self, arrived: Arrived) -> MultiDict[str, str]:
        form = {
            "AccountSid": str(self._client.account_sid),
            "MessageSid": arrived.sid,
            "From": arrived.sender,
            "To": arrived.recipient,
            "Body": arrived.text,
            "NumMedia": str(arrived.attachments),
            "SmsStatus": "received",
        }
        media = self._attachments(arrived.sid) if arrived.attachments else {}
        return MultiDict(form | media)

    def _attachments(self, sid: str) -> dict[str, str]:
        found = calling(lambda: self._client.messages(sid).media.list(limit=MAX_MEDIA))
        place = f"{self._api}/2010-04-01/Accounts/{self._client.account_sid}/Messages/{sid}/Media"
        fields = {}
        for number, one in enumerate(found):
            fields[f"MediaUrl{number}"] = f"{place}/{one.sid}"
            fields[f"MediaContentType{number}"] = one.content_type or ""
        return fields


def _arrived(line: MessageInstance) -> Arrived:
    return Arrived(
        sid=str(line.sid),
        at=_created(line),
        sender=line.from_ or "",
        recipient=line.to or "",
        text=line.body or "",
        attachments=int(line.num_media or 0),
    )


def _said(text: str, content: Content | None) -> dict[str, str]:
    """A template goes without a body: outside the 24 hours Twilio would refuse the two together."""
    if content is None:
        return {"body": text}
    variables = json.dumps(content.variables, ensure_ascii=False)
    return {"content_sid": content.sid, "content_variables": variables}


def twilio_client(
    account: Account, http: Http, api_url: str | None, patience: Patience = Patience()
) -> Client:
    """Twilio's REST client for one account over our HTTP; `api_url` replaces every host of Twilio."""
    client = Client(account.sid, account.tokens[0], http_client=_Transport(http, api_url, patience))
    # The library takes both from the environment, and would then bend the host of `api_url` as well.
    client.edge = client.region = None
    return client


class _Transport(HttpClient):  # type: ignore[misc]  # the library is untyped
    """How twilio's client reaches the network: no request waits for ever, and none is repeated."""

    def __init__(self, http: Http, api_url: str | None, patience: Patience) -> None:
        super().__init__(log, is_async=False)
        self._http = http
        self._patience = patience
        self._base = httpx.URL(api_url) if api_url else None

    def request(
        self,
        method: str,
        uri: str,
        params: Mapping[str, str | int] | None = None,
        data: Mapping[str, object] | None = None,
        headers: Mapping[str, str] | None = None,
        auth: tuple[str, str] | None = None,
        timeout: float | None = None,  # noqa: ARG002  # ours are above
        allow_redirects: bool = False,  # noqa: ARG002  # never: it would carry the credentials along
    ) -> Response:
        """The answer. Raises SendError for one that is no success; the library loses what some say."""
        is_json = (headers or {}).get("Content-Type") == "application/json"
        request = httpx.Request(
            method,
            self._address(uri),
            params=params or None,
            data=None if is_json else data or None,
            json=data if is_json else None,
            headers=headers,
        )
        if auth:
            request = next(httpx.BasicAuth(*auth).auth_flow(request))
        response = self._exchange(request)
        if not 200 <= response.status_code < 300:
            raise refusal(response.status_code, _code(response.text))
        return response

    def _address(self, uri: str) -> httpx.URL:
        url = httpx.URL(uri)
        if self._base is None:
            return url
        path = self._base.raw_path.rstrip(b"/") + url.raw_path
        return self._base.copy_with(raw_path=path)

    def _exchange(self, request: httpx.Request) -> Response:
        deadline = time.monotonic() + self._patience.total
        with self._http.stream(
            request.method,
            str(request.url),
            content=request.read(),
            headers=request.headers,
            timeout=httpx.Timeout(self._patience.silence, connect=self._patience.connect),
        ) as response:
            body = bytearray()
            for chunk in response.iter_bytes():
                body += chunk
                # A server that trickles never meets the time-out of one read.
                if time.monotonic() > deadline:
                    raise httpx.ReadTimeout("out of time")
            return Response(response.status_code, body.decode("utf-8", "replace"), dict(response.headers))


_T = TypeVar("_T")
_NEVER_LEFT = (
    httpx.ConnectError,
    httpx.ConnectTimeout,
    httpx.PoolTimeout,
    httpx.ProxyError,
    httpx.UnsupportedProtocol,
    httpx.LocalProtocolError,
)


def calling(call: Callable[[], _T]) -> _T:
    """What the call gives; every way in which it can fail becomes a SendError."""
    try:
        return call()
    except _NEVER_LEFT as error:
        # Only the kind of the error: its text may hold an address with a password.
        raise SendError(type(error).__name__, permanent=False, surely_not_sent=True) from None
    except httpx.HTTPError as error:
        raise _ambiguous(type(error).__name__) from None
    except (TwilioException, ValueError, TypeError, AttributeError) as error:
        raise _ambiguous(f"an answer that cannot be read: {type(error).__name__}") from None


def _ambiguous(message: str, code: int | None = None, status: int | None = None) -> SendError:
    return SendError(message, permanent=False, surely_not_sent=False, code=code, status=status)


def _code(body: str) -> int | None:
    """Twilio's own code in an error answer, which may be anything (a proxy's HTML)."""
    try:
        document = json.loads(body)
    except (ValueError, RecursionError):
        return None
    return error_code_of(document.get("code")) if isinstance(document, dict) else None


def refusal(status: int, code: int | None) -> SendError:
    """What an HTTP answer that is no success means. `code` is Twilio's own, where it gave one."""
    message = f"HTTP {status}, code {code}"
    if status >= 500 or status == httpx.codes.REQUEST_TIMEOUT:
        return _ambiguous(message, code, status)
    code = _SURE.get(status, code) if code not in error_codes.ACTIONS else code
    permanent = error_codes.action(code) not in error_codes.PASSING
    return SendError(message, permanent=permanent, surely_not_sent=True, code=code, status=status)


# Answers that mean the same without a code: who we are is wrong, or we are too fast. A redirect says that the
# address is wrong.
_SURE = {401: CREDENTIALS, 403: CREDENTIALS, 429: TOO_MANY} | dict.fromkeys((301, 302, 307, 308), NO_ACCOUNT)


def _sent(line: MessageInstance) -> Sent:
    return Sent(str(line.sid), status_of(str(line.status)) or Status.ACCEPTED, error_code_of(line.error_code))


def _created(line: MessageInstance) -> datetime:
    # Where nobody knows when, it counts as ours: better one line too few than one twice.
    return line.date_created if isinstance(line.date_created, datetime) else datetime.max.replace(tzinfo=UTC)


def _words(text: str) -> str:
    """A text as it is found again: what it says in a form differs from it by `rich.plain`."""
    return content_api.plain(text)
