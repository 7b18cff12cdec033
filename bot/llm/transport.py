"""Calls of a model server: several tries, one wall clock."""

import json
import math
import random
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

import httpx
import structlog

from bot.core.http import Http
from bot.llm.base import ModelError
from bot.llm.json_safe import safe_value
from bot.llm.retry import CallFailed, Failure, decide, failure_of

T = TypeVar("T")

CONNECT_SECONDS = 5.0
MAX_ANSWER_BYTES = 16 * 1024 * 1024

log = structlog.get_logger()


@dataclass(frozen=True)
class Answer:
    """A successful answer: the decoded JSON object with safe strings, and the headers."""

    body: dict[str, Any]
    headers: Mapping[str, str]


def ignore(_cause: str) -> None:
    """Nobody counts."""


class Unreadable(ValueError):
    """An answer that came whole and says nothing that can be used. `error` is what it tells instead."""

    def __init__(self, what: str, error: object = None) -> None:
        super().__init__(what)
        self.error = error if isinstance(error, dict) else None


class Endpoint:
    """One address that takes JSON and answers JSON."""

    def __init__(
        self,
        http: Http,
        url: str,
        headers: Mapping[str, str],
        *,
        timeout: float,
        sleep: Callable[[float], object] = time.sleep,
        clock: Callable[[], float] = time.monotonic,
        rand: Callable[[], float] = random.random,
        retried: Callable[[str], object] = ignore,
    ) -> None:
        """`timeout` is the longest silence of the server in seconds. `retried` is told why a call is made
        once more.

        Raises ValueError for a key that no header can carry, without showing it.
        """
        if not all(value.isascii() and value.isprintable() for value in headers.values()):
            raise ValueError("a header value holds characters that HTTP cannot carry")
        self._http = http
        self._url = url
        self._headers = {"content-type": "application/json", **headers}
        self._timeout = timeout
        self._sleep = sleep
        self._clock = clock
        self._rand = rand
        self._retried = retried

    def deadline(self, seconds: float) -> float:
        return self._clock() + seconds

    def post(self, body: Mapping[str, Any], read: Callable[[Answer], T], *, deadline: float) -> T:
        """What `read` makes of the answer, after as many tries as help before `deadline`.

        `read` raises Unreadable (or any ValueError) for an answer that is no answer. Raises ModelError.
        """
        content = _encode(body)
        attempt = 0
        while True:
            attempt += 1
            outcome = self._try(content, read, deadline)
            if not isinstance(outcome, Failure):
                return outcome
            wait = decide(outcome, attempt, left=deadline - self._clock(), rand=self._rand())
            if wait is None:
                raise CallFailed(outcome)
            log.warning(
                "model_call_retried", status=outcome.status, code=outcome.code, attempt=attempt, wait=wait
            )
            self._retried(str(outcome.status or outcome.code))
            self._sleep(wait)

    def _try(self, content: bytes, read: Callable[[Answer], T], deadline: float) -> T | Failure:
        try:
            status, headers, text = self._exchange(content, deadline)
        except (httpx.InvalidURL, httpx.UnsupportedProtocol, httpx.LocalProtocolError) as error:
            raise ModelError("configuration", f"cannot be sent: {type(error).__name__}") from None
        except httpx.HTTPError as error:
            # Only the kind of the error: its text may hold an address with a password.
            return Failure(None, code=type(error).__name__)
        except Unreadable as error:
            return Failure(None, code=str(error))
        return _read(status, headers, text, read)

    def _exchange(self, content: bytes, deadline: float) -> tuple[int, httpx.Headers, bytes]:
        left = max(deadline - self._clock(), 0.001)
        silence = min(self._timeout, left)
        timeout = httpx.Timeout(silence, connect=min(CONNECT_SECONDS, silence))
        with self._http.stream(
            "POST", self._url, content=content, headers=self._headers, timeout=timeout
        ) as response:
            received = bytearray()
            for chunk in response.iter_bytes():
                received += chunk
                if len(received) > MAX_ANSWER_BYTES:
                    raise Unreadable("answer_too_large")
                # A server that sends blanks to keep the line open never meets the time-out of one read.
                if self._clock() > deadline:
                    raise httpx.ReadTimeout("out of time")
            return response.status_code, response.headers, bytes(received)


def decode(content: bytes | str) -> Any:
    """The JSON value, its strings made safe. Raises ValueError, also for NaN, infinity and deep nesting."""
    text = content.decode("utf-8", "replace") if isinstance(content, bytes) else content
    try:
        return safe_value(json.loads(text, parse_constant=_refuse, parse_float=_finite))
    except RecursionError:
        raise ValueError("nested too deeply") from None


def _encode(body: Mapping[str, Any]) -> bytes:
    try:
        text = json.dumps(body, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
        return text.encode()
    except (ValueError, TypeError, RecursionError) as error:
        raise ModelError("rejected", f"the request is no JSON: {type(error).__name__}") from None


def _read(status: int, headers: httpx.Headers, content: bytes, read: Callable[[Answer], T]) -> T | Failure:
    try:
        body = decode(content)
    except ValueError:
        body = None
    if not 200 <= status < 300:
        return failure_of(status, headers, body)
    if isinstance(body, list) and body and isinstance(body[0], dict):
        body = body[0]
    if not isinstance(body, dict):
        return Failure(None, code="answer_not_json")
    if isinstance(body.get("error"), dict):
        return _failure_in_success(headers, body["error"])
    try:
        return read(Answer(body, headers))
    except Unreadable as error:
        if error.error is not None:
            return _failure_in_success(headers, error.error)
        return Failure(None, code=str(error))
    except ValueError as error:
        return Failure(None, code=str(error))


def _failure_in_success(headers: httpx.Headers, error: dict[str, Any]) -> Failure:
    # Some gateways pass on an error of the model behind them under their own 200.
    code = error.get("code")
    status = code if isinstance(code, int) and 400 <= code < 600 else 502
    return failure_of(status, headers, {"error": error})


def _refuse(number: str) -> float:
    raise ValueError(f"not finite: {number[:20]}")


def _finite(text: str) -> float:
    number = float(text)  # "1e999" is infinity without being a constant
    return number if math.isfinite(number) else _refuse(text)
