"""Whether and when a failed call is tried again, as tables."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.llm.retry import CallFailed, Failure, decide, failure_of, for_logs, retry_after

AGES = 1000.0  # more time than any wait
LIMIT = "You have reached your specified API usage limits. You will regain access on 2026-12-01."


@pytest.mark.parametrize(
    ("failure", "kind", "again"),
    [
        (Failure(None, "ConnectError"), "unavailable", True),
        (Failure(None, "ReadTimeout"), "unavailable", True),
        (Failure(408), "unavailable", True),
        (Failure(409), "unavailable", True),
        (Failure(429, "rate_limit_error"), "unavailable", True),
        (Failure(429, "ramp_limit_exceeded", retry_after=2.0), "unavailable", True),
        (Failure(429, "enforced_spend_limit_reached"), "configuration", False),
        (Failure(429, "insufficient_quota"), "configuration", False),
        (Failure(500), "unavailable", True),
        (Failure(502), "unavailable", True),
        (Failure(504), "unavailable", True),
        (Failure(529, "overloaded_error"), "unavailable", True),
        (Failure(400, "invalid_request_error", "messages.0: no"), "rejected", False),
        (Failure(400, "invalid_request_error", LIMIT), "configuration", False),
        (Failure(413), "rejected", False),
        (Failure(422), "rejected", False),
        (Failure(401, "authentication_error"), "configuration", False),
        (Failure(402, "billing_error"), "configuration", False),
        (Failure(403, "permission_error"), "configuration", False),
        (Failure(404, "not_found_error"), "configuration", False),
        (Failure(301), "configuration", False),
        (Failure(405), "configuration", False),
        (Failure(500, should_retry=False), "unavailable", False),
        (Failure(400, should_retry=True), "rejected", True),
        (Failure(429, "insufficient_quota", should_retry=True), "configuration", False),
    ],
)
def test_what_is_tried_again_and_what_it_is_called(failure: Failure, kind: str, again: bool) -> None:
    assert failure.kind == kind
    assert (decide(failure, 1, left=AGES, rand=0.0) is not None) is again


@pytest.mark.parametrize(
    ("failure", "attempt", "left", "rand", "wait"),
    [
        (Failure(500), 1, AGES, 0.0, 0.5),
        (Failure(500), 2, AGES, 0.0, 1.0),
        (Failure(500), 2, AGES, 1.0, 0.75),
        (Failure(500), 3, AGES, 0.0, None),
        (Failure(429, retry_after=7.0), 1, AGES, 0.5, 7.0),
        (Failure(429, retry_after=7.0), 1, 8.0, 0.5, 7.0),
        (Failure(429, retry_after=7.0), 1, 7.9, 0.5, None),
        (Failure(500), 1, 1.5, 0.0, 0.5),
        (Failure(500), 1, 1.4, 0.0, None),
        (Failure(500), 1, -3.0, 0.0, None),
    ],
)
def test_how_long_it_waits(
    failure: Failure, attempt: int, left: float, rand: float, wait: float | None
) -> None:
    """The server's word, else a growing wait with some chance in it; never past the wall clock."""
    assert decide(failure, attempt, left=left, rand=rand) == wait


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry-after": "3"}, 3.0),
        ({"retry-after": "0.5"}, 0.5),
        ({"retry-after-ms": "250", "retry-after": "3"}, 0.25),
        ({"retry-after-ms": "soon", "retry-after": "3"}, 3.0),
        ({"date": "Wed, 02 Dec 2026 13:00:00 GMT", "retry-after": "Wed, 02 Dec 2026 13:00:09 GMT"}, 9.0),
        ({"retry-after": "Wed, 02 Dec 2026 13:00:09 GMT"}, None),
        ({"date": "Wed, 02 Dec 2026 13:00:00", "retry-after": "Wed, 02 Dec 2026 13:00:09 GMT"}, None),
        ({"retry-after": "0"}, None),
        ({"retry-after": "-4"}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "inf"}, None),
        ({"retry-after": ""}, None),
        ({}, None),
    ],
)
def test_how_the_wait_is_read(headers: dict[str, str], seconds: float | None) -> None:
    assert retry_after(headers) == seconds


@pytest.mark.parametrize(
    ("body", "code", "message"),
    [
        ({"error": {"type": "api_error", "message": "Oh"}}, "api_error", "Oh"),
        ({"error": {"type": "rate_limit_error", "details": {"error_code": "x"}, "message": "Oh"}}, "x", "Oh"),
        ({"error": {"type": "t", "code": "c", "message": None}}, "c", ""),
        ({"error": {"type": "t", "code": 7, "message": 5}}, "t", ""),
        ({"error": {"type": "t" * 900, "details": []}}, "t" * 64, ""),
        ({"error": "Oh"}, "", "Oh"),
        ({"object": "error", "message": "Oh"}, "", "Oh"),
        (
            {"detail": [{"loc": ["body", "max_completion_tokens"]}]},
            "",
            '[{"loc": ["body", "max_completion_tokens"]}]',
        ),
        ({"error": None}, "", ""),
        ([], "", ""),
        (None, "", ""),
    ],
)
def test_how_an_error_is_read(body: object, code: str, message: str) -> None:
    failure = failure_of(400, {}, body)
    assert (failure.code, failure.message) == (code, message)


@pytest.mark.parametrize(("value", "meaning"), [("true", True), ("false", False), ("maybe", None)])
def test_the_servers_wish_is_read(value: str, meaning: bool | None) -> None:
    assert failure_of(500, {"x-should-retry": value}, None).should_retry is meaning


def test_the_error_says_what_failed_and_nothing_of_the_customer() -> None:
    """Some servers quote the request in their error."""
    message = "invalid phone +5511987654321\n {'type': 'x', 'input': 'me chamo Ana'}"
    error = CallFailed(Failure(400, "invalid_request_error", message))
    assert str(error) == "HTTP 400 · invalid_request_error · invalid phone +… {'type': 'x',"
    assert error.kind == "rejected"


@given(st.text())
def test_a_log_line_is_short_and_one_line(message: str) -> None:
    line = for_logs(message)
    assert len(line) <= 300
    assert len(line.splitlines()) <= 1
    line.encode()
