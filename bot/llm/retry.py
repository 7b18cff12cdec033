"""Whether a failed call is tried again, and when: decided from the failure alone."""

import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from typing import Any, Literal

from bot.llm.base import ModelError
from bot.llm.json_safe import safe_text

TRIES = 3
FIRST_WAIT = 0.5
LONGEST_WAIT = 8.0
SHORTEST_TRY = 1.0  # seconds; a try with less time than this is not worth its request

RETRIED_STATUSES = {408, 409, 429}
REJECTED_STATUSES = {400, 413, 422}
# The model's answer was botched, though the status blames the request.
BOTCHED_CODES = {"tool_use_failed", "output_parse_failed", "json_validate_failed"}
SPEND_LIMIT_CODES = {"enforced_spend_limit_reached", "insufficient_quota", "billing_hard_limit_reached"}
SPEND_LIMIT_MESSAGE = "You have reached your specified API usage limits"

ErrorKind = Literal["unavailable", "configuration", "rejected"]


@dataclass(frozen=True)
class Failure:
    """What is known of one try that gave no answer.

    `status` is None where no answer came, or one that cannot be read. `retry_after` is in seconds.
    `message` is the vendor's, for comparing; it may quote the request, so it is never logged as it is.
    """

    status: int | None
    code: str = ""
    message: str = ""
    retry_after: float | None = None
    should_retry: bool | None = None

    @property
    def spend_limit(self) -> bool:
        return self.code in SPEND_LIMIT_CODES or self.message.startswith(SPEND_LIMIT_MESSAGE)

    @property
    def kind(self) -> ErrorKind:
        if self.spend_limit:
            return "configuration"
        if self.status is None or self.status in RETRIED_STATUSES or self.status >= 500:
            return "unavailable"
        if self.code in BOTCHED_CODES:
            return "unavailable"
        return "rejected" if self.status in REJECTED_STATUSES else "configuration"

    @property
    def worth_another_try(self) -> bool:
        if self.spend_limit:
            return False
        if self.should_retry is not None:
            return self.should_retry
        return self.kind == "unavailable"


class CallFailed(ModelError):
    """The last try failed, and no other follows."""

    def __init__(self, failure: Failure) -> None:
        words = (f"HTTP {failure.status}" if failure.status else "", failure.code, for_logs(failure.message))
        super().__init__(failure.kind, " · ".join(word for word in words if word))
        self.failure = failure


def decide(failure: Failure, attempt: int, *, left: float, rand: float) -> float | None:
    """Seconds to wait before the next try; None where there is none.

    `attempt` counts from 1, `left` is what remains of the wall clock in seconds, `rand` is in [0, 1).
    """
    if attempt >= TRIES or not failure.worth_another_try:
        return None
    wait = failure.retry_after or min(FIRST_WAIT * 2 ** (attempt - 1), LONGEST_WAIT) * (1 - 0.25 * rand)
    return wait if wait + SHORTEST_TRY <= left else None


def failure_of(status: int, headers: Mapping[str, str], body: object) -> Failure:
    """What an answer that is not a success says. `body` is its decoded JSON, or None; some give a list."""
    told = body[0] if isinstance(body, list) and body else body
    error = told.get("error") if isinstance(told, dict) else None
    return Failure(
        status=status,
        code=_code(error) if isinstance(error, dict) else "",
        message=_message(told),
        retry_after=retry_after(headers),
        should_retry={"true": True, "false": False}.get(headers.get("x-should-retry", "")),
    )


def retry_after(headers: Mapping[str, str]) -> float | None:
    """The wait that the server asks for, in seconds; None where it asks for none that makes sense."""
    milliseconds = _number(headers.get("retry-after-ms"))
    value = headers.get("retry-after")
    seconds = milliseconds / 1000 if milliseconds is not None else _number(value)
    if seconds is None:
        seconds = _seconds_between(headers.get("date"), value)
    return seconds if seconds is not None and seconds > 0 else None


def for_logs(message: str) -> str:
    """A vendor's message on one line, without long numbers and without the input that some servers quote."""
    own_words = re.split(r"""['"]input['"]\s*:""", message)[0]
    return re.sub(r"\d{5,}", "…", " ".join(safe_text(own_words).split()))[:300]


def _message(body: object) -> str:
    """The words of an error, in any of the shapes that servers give it."""
    if not isinstance(body, dict):
        return ""
    error = body.get("error")
    if isinstance(error, dict):
        return _string(error.get("message"))
    detail = body.get("detail")
    return _string(error) or _string(body.get("message")) or (json.dumps(detail) if detail else "")


def _code(error: dict[str, Any]) -> str:
    if error.get("failed_generation"):
        return "tool_use_failed"  # whatever it is called: here is what the model wrote in vain
    details = error.get("details")
    inner = details.get("error_code") if isinstance(details, dict) else None
    return (_string(inner) or _string(error.get("code")) or _string(error.get("type")))[:64]


def _string(value: object) -> str:
    return value if isinstance(value, str) else ""


def _number(value: str | None) -> float | None:
    try:
        number = float(value or "")
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def _seconds_between(sent: str | None, until: str | None) -> float | None:
    # Measured against the server's own clock, so that a wrong clock of ours does no harm.
    try:
        return (parsedate_to_datetime(until or "") - parsedate_to_datetime(sent or "")).total_seconds()
    except (ValueError, TypeError):
        return None
