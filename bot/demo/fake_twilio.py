"""A stand-in for Twilio, for the demo: takes messages as Twilio does, and plays what happens to them.

Its memory is what stands on the customers' phones. It speaks to this server by signed forms over HTTP, like
Twilio itself; nothing leaves the machine.
"""

import base64
import heapq
import hmac
import itertools
import json
import secrets
import threading
import time
from collections import deque
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from email.utils import format_datetime
from typing import Protocol

import httpx
import structlog

from bot.demo.fake_twilio_content import Forms, Option, Shown

log = structlog.get_logger()

API = "/demo/twilio"
VERSION = "2010-04-01"
MAX_BODY = 1600
MAX_PAGE = 1000
ATTACHED = ("audio", "image")
WINDOW = timedelta(hours=24)
OUTSIDE_WINDOW = 63016


@dataclass(frozen=True)
class Account:
    """A Twilio account: "AC" and 32 hexadecimal digits, and the token that signs and authenticates."""

    sid: str
    token: str


@dataclass(frozen=True)
class Person:
    """Somebody with WhatsApp. `address` is "whatsapp:+55…", `user_id` their "whatsapp:BR.…"."""

    name: str
    address: str
    user_id: str


@dataclass
class Line:
    """One message. `status` is Twilio's word; `delivered` and `failed` of an inbound one tell of its webhook.

    `kind` is "text", "location", "audio", "image" or "interactive"; `place` the words of a location. `form`
    is what the webhook is given of an inbound line, again and again; `callback` is where the statuses of an
    outbound one go. `options` are what it lets the customer tap, with `button` as a list.
    """

    sid: str
    sender: str
    recipient: str
    text: str
    at: datetime
    inbound: bool = False
    kind: str = "text"
    place: str = ""
    status: str = "queued"
    error_code: int | None = None
    callback: str = ""
    by_template: bool = False
    options: tuple[Option, ...] = ()
    button: str = ""
    form: dict[str, str] = field(default_factory=dict)
    held: bool = True  # by the server, until it is told to delete it; a phone keeps it all the same
    media_held: bool = True


@dataclass(frozen=True)
class Exchange:
    """One request of ours to the server; `answer` is the HTTP status, None where nobody answered."""

    at: datetime
    path: str
    what: str
    sid: str
    answer: int | None
    milliseconds: int


@dataclass(frozen=True)
class Pace:
    """Seconds that a customer's message takes to the server, and between the statuses of one to the phone."""

    inbound: float = 0.2
    sent: float = 0.3
    delivered: float = 0.5
    read: float = 1.2


class ApiError(Exception):
    """A request that Twilio would refuse, with its HTTP status and its own code."""

    def __init__(self, status: int, code: int, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.code = code

    def document(self) -> dict[str, object]:
        return {
            "code": self.code,
            "message": str(self),
            "more_info": f"https://www.twilio.com/docs/errors/{self.code}",
            "status": self.status,
        }


class Later(Protocol):
    """Runs jobs one after the other, each `seconds` from now or as soon after as it can."""

    def __call__(self, seconds: float, job: Callable[[], None]) -> None: ...


class Post(Protocol):
    """Posts a form; gives the HTTP status, None where nobody answered."""

    def __call__(self, url: str, form: Mapping[str, str], headers: Mapping[str, str]) -> int | None: ...


class StandIn:
    """One account and the phones that it reaches. Safe for use by many threads."""

    def __init__(
        self,
        account: Account,
        public_url: str,
        senders: Collection[str],
        *,
        now: Callable[[], datetime],
        later: Later,
        post: Post,
        pace: Pace = Pace(),
    ) -> None:
        self.account = account
        self.public_url = public_url
        self._senders = frozenset(senders)
        self._now = now
        self._later = later
        self._post = post
        self._pace = pace
        self._lines: dict[str, Line] = {}
        self.forms = Forms()
        self._lock = threading.Lock()
        self.exchanges: deque[Exchange] = deque(maxlen=40)

    # The phones

    def write(self, person: Person, business: str, message: Mapping[str, str]) -> Line:
        """A customer sends something (`text`, `location`, … below) to the business "whatsapp:+55…"."""
        sid = ("SM" if message["NumMedia"] == "0" else "MM") + secrets.token_hex(16)
        line = Line(
            sid=sid,
            sender=person.address,
            recipient=business,
            text=message["Body"],
            at=self._now(),
            inbound=True,
            kind=message["MessageType"],
            place=" · ".join(message[name] for name in ("Label", "Address") if name in message),
            status="sent",
            form=self._envelope(sid, person, business) | self._with_media(sid, message),
        )
        self.remember([line])
        self._later(self._pace.inbound, lambda: self._deliver(line))
        return line

    def repeat(self, sid: str) -> bool:
        """Deliver a customer's message once more, byte for byte; False if there is none such."""
        line = self.find(sid)
        if line is None or not line.form:
            return False
        self._later(0, lambda: self._deliver(line))
        return True

    def between(self, person: str, business: str) -> list[Line]:
        """What stands on this person's phone in the chat with that business, oldest first."""
        with self._lock:
            return [
                line for line in self._lines.values() if {line.sender, line.recipient} == {person, business}
            ]

    def remember(self, lines: Iterable[Line]) -> None:
        """Put lines into the memory, after those that are there."""
        with self._lock:
            self._lines.update((line.sid, line) for line in lines)

    def find(self, sid: str) -> Line | None:
        with self._lock:
            return self._lines.get(sid)

    def _envelope(self, sid: str, person: Person, business: str) -> dict[str, str]:
        return {
            "AccountSid": self.account.sid,
            "ApiVersion": VERSION,
            "MessageSid": sid,
            "SmsSid": sid,
            "SmsMessageSid": sid,
            "SmsStatus": "received",
            "From": person.address,
            "To": business,
            "WaId": person.address.removeprefix("whatsapp:+"),
            "ProfileName": person.name,
            "ExternalUserId": person.user_id,
            "NumSegments": "1",
            "ReferralNumMedia": "0",
        }

    def _with_media(self, sid: str, message: Mapping[str, str]) -> dict[str, str]:
        if message["NumMedia"] == "0":
            return dict(message)
        messages = f"{self.public_url}{API}/{VERSION}/Accounts/{self.account.sid}/Messages"
        return {**message, "MediaUrl0": f"{messages}/{sid}/Media/ME{secrets.token_hex(16)}"}

    def _deliver(self, line: Line) -> None:
        answer = self._send(f"{self.public_url}/twilio/inbound", line.form, line.kind)
        # A repeated delivery changes nothing on the phone, but a first one that failed is mended by it.
        if line.status != "delivered":
            line.status = "delivered" if answer == httpx.codes.OK else "failed"

    # The REST API

    def accept(self, form: Mapping[str, str]) -> Line:
        """The business sends a message: the create of Twilio's Messages. Raises ApiError."""
        self._check(form)
        shown = self._shown(form)
        line = Line(
            sid="SM" + secrets.token_hex(16),
            sender=form["From"],
            recipient=form["To"],
            text=shown.body,
            at=self._now(),
            callback=form.get("StatusCallback", f"{self.public_url}/twilio/status"),
            # What has options was laid down for this session; only an approved template opens a new one.
            by_template="ContentSid" in form and not shown.options,
            options=shown.options,
            button=shown.button,
        )
        self.remember([line])
        self._later(self._pace.sent, lambda: self._sent(line))
        return line

    def _shown(self, form: Mapping[str, str]) -> Shown:
        if "ContentSid" not in form:
            return Shown(form["Body"], ())
        variables = _variables(form)
        return self.forms.show(form["ContentSid"], variables) or Shown(_template_text(form, variables), ())

    def _check(self, form: Mapping[str, str]) -> None:
        body, to = form.get("Body", ""), form.get("To", "")
        callback = form.get("StatusCallback")
        if not to:
            raise ApiError(400, 21604, "A 'To' phone number is required.")
        if form.get("From") not in self._senders:
            raise ApiError(400, 63007, "Twilio could not find a Channel with the specified From address")
        if not to.startswith("whatsapp:"):
            raise ApiError(400, 21211, f"The 'To' number {to} is not a valid phone number.")
        if not body and "ContentSid" not in form:
            raise ApiError(400, 21602, "Message body is required.")
        if len(body) > MAX_BODY:
            raise ApiError(400, 21617, "The concatenated message body exceeds the 1600 character limit.")
        # Not one of Twilio's limits: the demo speaks to its own server and to nobody else.
        if callback is not None and not callback.startswith(f"{self.public_url}/"):
            raise ApiError(400, 21609, f"The 'StatusCallback' URL {callback} is not a valid URL.")

    def _sent(self, line: Line) -> None:
        if not line.by_template and not self._window_open(line):
            self._becomes(line, "undelivered", OUTSIDE_WINDOW)
            return
        self._becomes(line, "sent")
        self._later(self._pace.delivered, lambda: self._becomes(line, "delivered"))
        self._later(self._pace.delivered + self._pace.read, lambda: self._becomes(line, "read"))

    def _window_open(self, line: Line) -> bool:
        chat = self.between(line.recipient, line.sender)
        return any(other.inbound and line.at - other.at < WINDOW for other in chat)

    def _becomes(self, line: Line, status: str, error_code: int | None = None) -> None:
        line.status, line.error_code = status, error_code
        form = {
            "AccountSid": self.account.sid,
            "ApiVersion": VERSION,
            "MessageSid": line.sid,
            "SmsSid": line.sid,
            "MessageStatus": status,
            "SmsStatus": status,
            "From": line.sender,
            "To": line.recipient,
            "ChannelPrefix": "whatsapp",
        }
        if error_code is not None:
            form["ErrorCode"] = str(error_code)
        self._send(line.callback, form, status)

    def record(self, sid: str) -> Line:
        """The server's record of a message. Raises ApiError."""
        line = self.find(sid)
        if line is None or not line.held:
            raise ApiError(404, 20404, f"The requested resource /Messages/{sid}.json was not found")
        return line

    def attached(self, sid: str) -> Line:
        """The record of a message whose attachment is there. Raises ApiError."""
        line = self.record(sid)
        # By the kind: of a line from before a restart there is no form.
        if line.kind not in ATTACHED or not line.media_held:
            raise ApiError(404, 20404, f"The requested resource /Messages/{sid}/Media was not found")
        return line

    def delete(self, sid: str) -> None:
        """Keep a message no longer, as a customer's data is deleted. Raises ApiError."""
        line = self.record(sid)
        if not line.inbound and line.status in ("queued", "sent"):
            raise ApiError(409, 20009, "Cannot delete this resource before it is complete")
        line.held = False

    def delete_media(self, sid: str) -> None:
        """Keep an attachment no longer. Raises ApiError."""
        self.attached(sid).media_held = False

    def listed(self, filters: Mapping[str, str]) -> list[Line]:
        """The newest first, by Twilio's filters: To, From, DateSent (a GMT day), DateSent>, DateSent<.

        Raises ApiError where a date cannot be read.
        """
        with self._lock:
            lines = [line for line in self._lines.values() if line.held and _matches(line, filters)]
        return sorted(lines, key=lambda line: line.at, reverse=True)

    def document(self, line: Line) -> dict[str, object]:
        """A message as Twilio's JSON has it."""
        uri = f"/{VERSION}/Accounts/{self.account.sid}/Messages/{line.sid}"
        at = format_datetime(line.at.astimezone(UTC))
        return {
            "account_sid": self.account.sid,
            "api_version": VERSION,
            "body": line.text,
            "date_created": at,
            "date_sent": None if line.status == "queued" else at,
            "date_updated": at,
            "direction": "inbound" if line.inbound else "outbound-api",
            "error_code": line.error_code,
            "error_message": None,
            "from": line.sender,
            "messaging_service_sid": None,
            "num_media": line.form.get("NumMedia", "0"),
            "num_segments": "1",
            "price": None,
            "price_unit": None,
            "sid": line.sid,
            "status": "received" if line.inbound else line.status,
            "subresource_uris": {"media": f"{uri}/Media.json"},
            "to": line.recipient,
            "uri": f"{uri}.json",
        }

    # The way to the server

    def _send(self, url: str, form: Mapping[str, str], what: str) -> int | None:
        signature = sign(self.account.token, url, form)
        started = time.perf_counter()
        answer = self._post(url, form, {"X-Twilio-Signature": signature})
        milliseconds = round((time.perf_counter() - started) * 1000)
        path = url.removeprefix(self.public_url).partition("?")[0]
        self.exchanges.append(Exchange(self._now(), path, what, form["MessageSid"], answer, milliseconds))
        return answer


def _variables(form: Mapping[str, str]) -> dict[str, str]:
    try:
        variables = json.loads(form.get("ContentVariables") or "{}")
    except ValueError:
        variables = None
    if not isinstance(variables, dict):
        raise ApiError(400, 21656, "The ContentVariables Parameter is invalid.")
    return variables


def _template_text(form: Mapping[str, str], variables: Mapping[str, str]) -> str:
    """What stands on the phone: an approved template's own words are only known to Twilio."""
    return f"Modelo {form['ContentSid'][:6]}…: {'; '.join(map(str, variables.values()))}"


def sign(token: str, url: str, form: Mapping[str, str]) -> str:
    """The signature of a form by Twilio's rule: the address, then every name and value, sorted."""
    said = url + "".join(name + form[name] for name in sorted(form))
    return base64.b64encode(hmac.digest(token.encode(), said.encode(), "sha1")).decode()


def _matches(line: Line, filters: Mapping[str, str]) -> bool:
    return all(test(line, filters[name]) for name, test in FILTERS.items() if name in filters)


def _day(text: str) -> date:
    try:
        return date.fromisoformat(text[:10])
    except ValueError:
        raise ApiError(400, 20001, "Invalid date format for query parameter DateSent") from None


def _sent_on(line: Line) -> date:
    return line.at.astimezone(UTC).date()


FILTERS: dict[str, Callable[[Line, str], bool]] = {
    "To": lambda line, value: line.recipient == value,
    "From": lambda line, value: line.sender == value,
    "DateSent": lambda line, value: _sent_on(line) == _day(value),
    "DateSent>": lambda line, value: _sent_on(line) >= _day(value),
    "DateSent<": lambda line, value: _sent_on(line) <= _day(value),
}


# What a phone can send, as the webhook's form has it.


def text(body: str) -> dict[str, str]:
    return {"MessageType": "text", "Body": body, "NumMedia": "0"}


def location(latitude: str, longitude: str, address: str, label: str) -> dict[str, str]:
    return {
        "MessageType": "location",
        "Body": "",
        "NumMedia": "0",
        "Latitude": latitude,
        "Longitude": longitude,
        "Address": address,
        "Label": label,
    }


def media(kind: str, content_type: str, caption: str = "") -> dict[str, str]:
    """`kind` is "audio" or "image"."""
    return {"MessageType": kind, "Body": caption, "NumMedia": "1", "MediaContentType0": content_type}


def tap(line: Line, option: Option) -> dict[str, str]:
    """A button of a message, or an item of its list, is tapped."""
    chosen = (
        {"ListId": option.id, "ListTitle": option.title}
        if line.button
        else {"ButtonPayload": option.id, "ButtonText": option.title}
    )
    return {
        "MessageType": "interactive",
        "Body": option.title,
        "NumMedia": "0",
        "OriginalRepliedMessageSender": line.sender,
        "OriginalRepliedMessageSid": line.sid,
        **chosen,
    }


class Alarm:
    """The `Later` of a running program: one daemon thread, started by the first job."""

    def __init__(self) -> None:
        self._jobs: list[tuple[float, int, Callable[[], None]]] = []
        self._order = itertools.count()
        self._changed = threading.Condition()
        self._thread: threading.Thread | None = None

    def __call__(self, seconds: float, job: Callable[[], None]) -> None:
        with self._changed:
            heapq.heappush(self._jobs, (time.monotonic() + seconds, next(self._order), job))
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="standin", daemon=True)
                self._thread.start()
            self._changed.notify()

    def _run(self) -> None:
        while True:
            job = self._next()
            try:
                job()
            except Exception:  # one broken job must not end the play
                log.exception("standin_job_failed")

    def _next(self) -> Callable[[], None]:
        with self._changed:
            while True:
                wait = self._jobs[0][0] - time.monotonic() if self._jobs else None
                if wait is not None and wait <= 0:
                    return heapq.heappop(self._jobs)[2]
                self._changed.wait(wait)


class HttpPost:
    """The `Post` of a running program. For one thread."""

    def __init__(self) -> None:
        # A proxy of the environment could not reach this machine's own loopback.
        self._client = httpx.Client(timeout=15, trust_env=False)

    def __call__(self, url: str, form: Mapping[str, str], headers: Mapping[str, str]) -> int | None:
        try:
            return self._client.post(url, data=form, headers=headers).status_code
        except httpx.HTTPError:
            log.warning("standin_unanswered", path=httpx.URL(url).path)
            return None
