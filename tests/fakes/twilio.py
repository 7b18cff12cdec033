"""A small whole Twilio: takes messages, lists them, fails as told, and signs what it would send to us.

The same object answers as a real HTTP server on loopback (`with fake.server() as url`) and in memory
(`fake.transport()` for httpx). It never calls us by itself: a test takes the signed form and delivers it.
"""

import base64
import itertools
import json
import re
import socket
import struct
import threading
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from email.utils import format_datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

import httpx
from twilio.request_validator import RequestValidator

from tests.fakes import contract
from tests.fakes.content import FakeContent, Shown, Unfit

ACCOUNT = "AC" + "a1" * 16
TOKEN = "the-auth-token-of-the-tests"
PUBLIC_URL = "https://horacerta.example.com"
SENDER = "+551130001000"
CUSTOMER = "whatsapp:+5531998966398"
BSUID = "whatsapp:BR.1502576394655843"
VERSION = "2010-04-01"
START = datetime(2026, 12, 2, 13, 20, tzinfo=UTC)

Form = dict[str, str]
_MEDIA_LIST = re.compile(r"/Messages/(\w+)/Media\.json$")


@dataclass(frozen=True)
class Behaviour:
    """What becomes of one create. `accept`: the message exists afterwards. `then`: what the client sees."""

    accept: bool
    then: str = "answer"  # or "stall", "reset"
    status: int = 201
    code: int | None = None
    html: bool = False
    silent: bool = False  # refuses the connection


ACCEPT = Behaviour(accept=True)
ACCEPT_THEN_STALL = Behaviour(accept=True, then="stall")
ACCEPT_THEN_RESET = Behaviour(accept=True, then="reset")
STALL = Behaviour(accept=False, then="stall")
RESET = Behaviour(accept=False, then="reset")
TOO_MANY = Behaviour(accept=False, status=429, code=20429)
BAD_GATEWAY = Behaviour(accept=False, status=502, html=True)
ACCEPT_THEN_BAD_GATEWAY = Behaviour(accept=True, status=502, html=True)
REFUSE_CONNECTION = Behaviour(accept=False, silent=True)


def refuse(code: int, status: int = 400) -> Behaviour:
    """Answers an error of Twilio's."""
    return Behaviour(accept=False, status=status, code=code)


@dataclass
class Line:
    """One message that Twilio accepted from us."""

    sid: str
    to: str
    sender: str
    body: str
    callback: str | None
    at: datetime
    status: str = "queued"
    error_code: int | None = None
    content_sid: str | None = None
    variables: dict[str, str] = field(default_factory=dict)
    shown: Shown | None = None
    inbound: bool = False
    media: list[tuple[str, str]] = field(default_factory=list)


@dataclass(frozen=True)
class Answer:
    status: int
    body: str
    content_type: str = "application/json"


class Stalled(Exception):
    """No answer comes."""


class Reset(Exception):
    """The connection is cut without an answer."""


class Refused(Exception):
    """There is no connection."""


@dataclass
class FakeTwilio:
    """`sent` are the messages that exist, in order; `requests` all creates that arrived, as forms.

    `arrived` are the messages to us, in order; nobody knows whether they were brought.
    `script` holds behaviours for the next creates; then `by_number` decides, then all is accepted. `typing`
    are the forms of the typing indicator, all refused by `typing_refused`. `forms` is the Content API, all of
    it refused by `forms_refused`. Each request is checked against Twilio's own description. `now` is Twilio's
    clock.
    """

    account: str = ACCOUNT
    token: str = TOKEN
    public_url: str = PUBLIC_URL
    now: Callable[[], datetime] = lambda: START
    sent: list[Line] = field(default_factory=list)
    arrived: list[Line] = field(default_factory=list)
    requests: list[Form] = field(default_factory=list)
    script: deque[Behaviour] = field(default_factory=deque)
    by_number: dict[str, Behaviour] = field(default_factory=dict)
    listing: deque[Behaviour] = field(default_factory=deque)
    deletes: deque[Behaviour] = field(default_factory=deque)  # of the next ones, instead of deleting
    forms: FakeContent = field(default_factory=FakeContent)
    forms_refused: Behaviour | None = None
    typing: list[Form] = field(default_factory=list)
    typing_refused: Behaviour | None = None
    _numbers: "itertools.count[int]" = field(default_factory=lambda: itertools.count(1))
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def bodies(self) -> list[str]:
        return [line.body for line in self.sent]

    # The REST API

    def handle(self, method: str, target: str, headers: Mapping[str, str], content: bytes) -> Answer:
        """Answer one request. Raises Stalled, Reset or Refused where nobody answers."""
        url = urlsplit(target)
        if not self._authenticated(headers.get("authorization", "")):
            return _error(401, 20003)
        contract.check(method, target, headers, content)
        if (method, url.path) == ("POST", "/v2/Indicators/Typing.json"):
            return self._typing(_fields(content.decode()))
        if (method, url.path) == ("POST", "/v1/Content"):
            return self._lay_down(content)
        if method == "DELETE":
            return self._delete(url.path)
        if (media := _MEDIA_LIST.search(url.path)) is not None:
            return self._media(media[1])
        if not url.path.endswith(f"/{VERSION}/Accounts/{self.account}/Messages.json"):
            return _error(404, 20404)
        if method == "GET":
            return self._list(_fields(url.query))
        return self._create(_fields(content.decode()))

    def _authenticated(self, header: str) -> bool:
        expected = base64.b64encode(f"{self.account}:{self.token}".encode()).decode()
        return header == f"Basic {expected}"

    def _typing(self, form: Form) -> Answer:
        self.typing.append(form)
        if self.typing_refused is not None:
            _cut(self.typing_refused)
            return _error(self.typing_refused.status, self.typing_refused.code)
        return Answer(200, json.dumps({"success": True}))

    def _lay_down(self, content: bytes) -> Answer:
        if self.forms_refused is not None:
            _cut(self.forms_refused)
            return _error(self.forms_refused.status, self.forms_refused.code)
        try:
            return Answer(201, json.dumps(self.forms.lay_down(json.loads(content))))
        except Unfit as unfit:
            return _error(400, unfit.code)

    def _create(self, form: Form) -> Answer:
        with self._lock:
            self.requests.append(form)
            if (refusal := _check(form)) is not None:
                return refusal
            try:
                shown = self._shown(form)
            except Unfit as unfit:
                return _error(400, unfit.code)
            behaviour = self.script.popleft() if self.script else self.by_number.get(form["To"], ACCEPT)
            line = self._accept(form, shown) if behaviour.accept else None
        _cut(behaviour)
        if behaviour.html:
            return Answer(behaviour.status, "<html><h1>Bad Gateway</h1></html>", "text/html")
        if behaviour.status >= 400:
            return _error(behaviour.status, behaviour.code)
        assert line is not None
        return Answer(201, json.dumps(self._document(line)))

    def _shown(self, form: Form) -> Shown | None:
        """What stands on the phone, of a message in a form that was laid down here."""
        if (sid := form.get("ContentSid")) not in self.forms.documents:
            return None
        return self.forms.show(sid, json.loads(form.get("ContentVariables", "{}")))

    def _accept(self, form: Form, shown: Shown | None = None) -> Line:
        line = Line(
            sid=self.sid(),
            to=form["To"],
            sender=form["From"],
            body=shown.body if shown else form.get("Body") or _rendered(form),
            callback=form.get("StatusCallback"),
            at=self.now(),
            content_sid=form.get("ContentSid"),
            variables=json.loads(form.get("ContentVariables", "{}")),
            shown=shown,
        )
        self.sent.append(line)
        return line

    def accept_elsewhere(self, text: str, to: str = CUSTOMER) -> Line:
        """A message that another program sent from the same number."""
        return self._accept({"To": to, "From": f"whatsapp:{SENDER}", "Body": text})

    def sid(self, prefix: str = "SM") -> str:
        """A sid that this Twilio gives only once."""
        return f"{prefix}{next(self._numbers):032x}"

    def _list(self, filters: Form) -> Answer:
        if self.listing:
            behaviour = self.listing.popleft()
            _cut(behaviour)
            return _error(behaviour.status, behaviour.code)
        with self._lock:
            fitting = [line for line in [*self.sent, *self.arrived] if _matches(line, filters)]
        fitting.sort(key=lambda line: line.at)
        page = list(reversed(fitting))[: int(filters.get("PageSize", "50"))]
        return Answer(
            200,
            json.dumps(
                {"messages": [self._document(line) for line in page], "next_page_uri": None, "page": 0}
            ),
        )

    def _document(self, line: Line) -> dict[str, object]:
        at = format_datetime(line.at)
        return {
            "account_sid": self.account,
            "api_version": VERSION,
            "body": line.body,
            "date_created": at,
            "date_sent": None if line.status == "queued" else at,
            "date_updated": at,
            "direction": "inbound" if line.inbound else "outbound-api",
            "error_code": line.error_code,
            "error_message": None,
            "from": line.sender,
            "num_media": str(len(line.media)),
            "num_segments": "1",
            "sid": line.sid,
            "status": line.status,
            "to": line.to,
            "uri": f"/{VERSION}/Accounts/{self.account}/Messages/{line.sid}.json",
        }

    def _media(self, sid: str) -> Answer:
        """The attachments of a message, without their content."""
        [line] = [line for line in self.arrived if line.sid == sid]
        found = [
            {"sid": url.rpartition("/")[2], "content_type": content_type, "parent_sid": sid}
            for url, content_type in line.media
        ]
        return Answer(200, json.dumps({"media_list": found, "next_page_uri": None, "page": 0}))

    def _delete(self, path: str) -> Answer:
        """A record with all that hangs on it, or one attachment; what is not final yet stays."""
        if self.deletes:
            behaviour = self.deletes.popleft()
            _cut(behaviour)
            return _error(behaviour.status, behaviour.code)
        sid, media = re.search(r"/Messages/(\w+)(?:/Media/(\w+))?\.json$", path).groups()
        [line] = [line for line in [*self.sent, *self.arrived] if line.sid == sid] or [None]
        kept = [(url, kind) for url, kind in line.media if not url.endswith(f"/{media}")] if line else []
        if line is None or (media and len(kept) == len(line.media)):
            return _error(404, 20404)
        if media:
            line.media = kept
        elif line.status in ("queued", "accepted", "sending"):
            return _error(409, 20009)
        else:
            (self.arrived if line.inbound else self.sent).remove(line)
        return Answer(204, "")

    def transport(self) -> httpx.MockTransport:
        """This Twilio behind an httpx client, without a socket."""

        def answer(request: httpx.Request) -> httpx.Response:
            try:
                found = self.handle(request.method, str(request.url), request.headers, request.read())
            except Stalled:
                raise httpx.ReadTimeout("stalled", request=request) from None
            except Reset:
                raise httpx.RemoteProtocolError("server disconnected", request=request) from None
            except Refused:
                raise httpx.ConnectError("refused", request=request) from None
            return httpx.Response(found.status, text=found.body, headers={"content-type": found.content_type})

        return httpx.MockTransport(answer)

    @contextmanager
    def server(self) -> Iterator[str]:
        """This Twilio as an HTTP server on loopback; yields the address for TWILIO_API_URL."""
        stop = threading.Event()
        server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self, stop))
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}"
        finally:
            stop.set()
            server.shutdown()
            thread.join()
            server.server_close()

    # What Twilio sends to us

    def sign(self, path: str, form: Mapping[str, str], token: str | None = None) -> dict[str, str]:
        """The headers of a form to this path (with its query) of ours."""
        validator = RequestValidator(token or self.token)
        return {"X-Twilio-Signature": validator.compute_signature(self.public_url + path, form)}

    def inbound_form(
        self,
        text: str = "oi",
        *,
        path: str = "/twilio/inbound",
        token: str | None = None,
        **fields: str | None,
    ) -> tuple[dict[str, str], Form]:
        """Headers and form of one message of a customer. A field given as None is left out.

        With a `MessageSid` of an earlier one it is that message once more.
        """
        sid = fields.get("MessageSid") or self.sid()
        form: dict[str, str | None] = {
            "AccountSid": self.account,
            "ApiVersion": VERSION,
            "Body": text,
            "ExternalUserId": BSUID,
            "From": CUSTOMER,
            "MessageSid": sid,
            "MessageType": "text",
            "NumMedia": "0",
            "NumSegments": "1",
            "ProfileName": "Ana",
            "ReferralNumMedia": "0",
            "SmsMessageSid": sid,
            "SmsSid": sid,
            "SmsStatus": "received",
            "To": f"whatsapp:{SENDER}",
            "WaId": "5531998966398",
        }
        said = {name: value for name, value in (form | fields).items() if value is not None}
        self._arrive(said)
        return self.sign(path, said, token), said

    def _arrive(self, form: Form) -> None:
        """What is to be brought to us stands in the listing, whatever becomes of it at our door."""
        if {"MessageSid", "From", "To"} <= form.keys():
            media = [
                (form[f"MediaUrl{number}"], form.get(f"MediaContentType{number}", ""))
                for number in range(int(form.get("NumMedia", "0")))
            ]
            line = Line(
                sid=form["MessageSid"],
                to=form["To"],
                sender=form["From"],
                body=form.get("Body", ""),
                callback=None,
                at=self.now(),
                status="received",
                inbound=True,
                media=media,
            )
            self.arrived.append(line)

    def tap(self, line: Line, title: str) -> dict[str, str]:
        """The fields of the message that comes when a customer taps this."""
        assert line.shown is not None
        [offer] = [offer for offer in line.shown.offers if offer.title == title]
        fields = {"MessageType": "interactive", "OriginalRepliedMessageSid": line.sid}
        if line.shown.button:
            return {**fields, "Body": title, "ListId": offer.id, "ListTitle": title}
        return {
            **fields,
            "Body": title,
            "ButtonText": title,
            "ButtonPayload": offer.id,
            "ButtonType": "REPLY",
        }

    def status_form(
        self, line: Line, status: str, error_code: int | None = None, *, path: str | None = None
    ) -> tuple[str, dict[str, str], Form]:
        """Path with query, headers and form of one status callback, in whatever order the test likes."""
        target = path or (line.callback or "/twilio/status").removeprefix(self.public_url)
        form = {
            "AccountSid": self.account,
            "ApiVersion": VERSION,
            "ChannelPrefix": "whatsapp",
            "From": line.sender,
            "MessageSid": line.sid,
            "MessageStatus": status,
            "SmsSid": line.sid,
            "SmsStatus": status,
            "To": line.to,
        }
        if error_code is not None:
            form["ErrorCode"] = str(error_code)
        return target, self.sign(target, form), form


def _fields(text: str) -> Form:
    return {name: values[0] for name, values in parse_qs(text, keep_blank_values=True).items()}


def _check(form: Form) -> Answer | None:
    if not form.get("To"):
        return _error(400, 21604)
    if not form.get("From", "").startswith("whatsapp:"):
        return _error(400, 63007)
    if not form["To"].startswith("whatsapp:"):
        return _error(400, 21211)
    if "ContentSid" in form:
        return _check_content(form)
    if not form.get("Body"):
        return _error(400, 21602)
    return _error(400, 21617) if len(form["Body"]) > 1600 else None


def _check_content(form: Form) -> Answer | None:
    """A template stands alone, and none of its variables is empty, has more than one line, a tab or a "'"."""
    if "Body" in form or not re.fullmatch(r"HX[0-9a-f]{32}", form["ContentSid"]):
        return _error(400, 21655)
    try:
        variables = json.loads(form.get("ContentVariables", "{}"))
    except ValueError:
        return _error(400, 21656)
    said = isinstance(variables, dict) and all(
        isinstance(value, str) and value.strip() and not set(value) & set("\n\t'")
        for value in variables.values()
    )
    return None if said else _error(400, 21656)


def _rendered(form: Form) -> str:
    """What the template says, as far as this Twilio knows it: its variables."""
    return "Modelo: " + "; ".join(json.loads(form.get("ContentVariables", "{}")).values())


def _error(status: int, code: int | None) -> Answer:
    document = {
        "code": code,
        "message": f"error {code} for +5531998966398",
        "more_info": "",
        "status": status,
    }
    return Answer(status, json.dumps(document))


def _cut(behaviour: Behaviour) -> None:
    if behaviour.silent:
        raise Refused
    if behaviour.then == "stall":
        raise Stalled
    if behaviour.then == "reset":
        raise Reset


def _matches(line: Line, filters: Form) -> bool:
    day = line.at.date()
    return (
        filters.get("To", line.to) == line.to
        and filters.get("From", line.sender) == line.sender
        and date.fromisoformat(filters.get("DateSent>", day.isoformat())[:10]) <= day
        and date.fromisoformat(filters.get("DateSent", day.isoformat())[:10]) == day
    )


def _handler(fake: FakeTwilio, stop: threading.Event) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            self._answer()

        def do_POST(self) -> None:
            self._answer()

        def _answer(self) -> None:
            content = self.rfile.read(int(self.headers.get("content-length", 0)))
            headers = {name.lower(): value for name, value in self.headers.items()}
            self.close_connection = True
            try:
                found = fake.handle(self.command, self.path, headers, content)
            except Stalled:
                self._until_the_client_goes(stop)
                return
            except (Reset, Refused):
                # Zero linger: the client sees a reset, not an orderly end.
                self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                return
            self.close_connection = False
            body = found.body.encode()
            self.send_response(found.status)
            self.send_header("content-type", found.content_type)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def _until_the_client_goes(self, stop: threading.Event) -> None:
            self.connection.settimeout(0.05)
            while not stop.is_set():
                with suppress(TimeoutError):
                    if not self.connection.recv(1):
                        return

        def log_message(self, format: str, *args: object) -> None:
            """Quiet."""

    return Handler
