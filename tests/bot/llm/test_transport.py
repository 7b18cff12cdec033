"""Calls of a model server: tries, the wall clock, time-outs, broken answers, one connection a thread."""

import json
import threading
from collections.abc import Callable, Iterator
from typing import Any

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from structlog.testing import capture_logs

from bot.core.http import ThreadClients
from bot.llm.base import ModelError
from bot.llm.transport import MAX_ANSWER_BYTES, Endpoint, Unreadable, decode
from tests.bot.llm.stopwatch import Stopwatch
from tests.fakes.claude import FakeClaude, answer, text

Handler = Callable[[httpx.Request], httpx.Response]
OK = httpx.Response(200, json={"ok": 1})


def post(
    handler: Handler, watch: Stopwatch, seconds: float = 60.0, url: str = "http://fake/v1", body: Any = None
) -> dict[str, Any]:
    http = httpx.Client(transport=httpx.MockTransport(handler))
    endpoint = Endpoint(http, url, {"x-api-key": "secret-key"}, timeout=45.0, **watch.arguments)
    deadline = endpoint.deadline(seconds)
    return endpoint.post(body or {}, lambda answer: answer.body, deadline=deadline)


def script(*steps: httpx.Response | Exception) -> Handler:
    """A handler that answers or raises these, one after the other."""
    left = iter(steps)

    def handle(request: httpx.Request) -> httpx.Response:
        step = next(left)
        if isinstance(step, Exception):
            raise step
        return step

    return handle


@pytest.mark.parametrize(
    "first",
    [
        httpx.ConnectError("refused"),
        httpx.ConnectTimeout("slow"),
        httpx.ReadTimeout("slow"),
        httpx.ReadError("reset"),
        httpx.RemoteProtocolError("gone"),
        httpx.PoolTimeout("full"),
        httpx.Response(500),
        httpx.Response(529, text="<html>overloaded</html>"),
        httpx.Response(200, text="<html>a proxy says hello</html>"),
        httpx.Response(200, content=b""),
        httpx.Response(200, content=b'{"half": '),
        httpx.Response(200, json=["no object"]),
        httpx.Response(200, content=b'{"x": NaN}'),
        httpx.Response(200, content=b'{"x": 1e999}'),
        httpx.Response(200, content=b"[" * 100_000),
        httpx.Response(200, content=b'{"x": ' + b"[" * 90 + b"]" * 90 + b"}"),
        httpx.Response(200, stream=httpx.ByteStream(b"broken"), headers={"content-encoding": "gzip"}),
        httpx.Response(200, json={"error": {"code": 503, "message": "the model behind me is down"}}),
        httpx.Response(200, json={"error": {"message": "something"}}),
    ],
    ids=str,
)
def test_an_answer_that_is_none_is_asked_for_again(first: httpx.Response | Exception) -> None:
    watch = Stopwatch()
    assert post(script(first, OK), watch) == {"ok": 1}
    assert watch.waits == [0.5]


def test_three_tries_are_all() -> None:
    watch = Stopwatch()
    with pytest.raises(ModelError) as caught:
        post(script(*[httpx.Response(529)] * 3), watch)
    assert caught.value.kind == "unavailable"
    assert watch.waits == [0.5, 1.0]


def test_no_try_begins_that_the_wall_clock_cannot_hold() -> None:
    """The server asks for 30 s, the customer waits at most 20: no sleep at all."""
    watch = Stopwatch()
    with pytest.raises(ModelError):
        post(script(httpx.Response(429, headers={"retry-after": "30"})), watch, seconds=20.0)
    assert watch.waits == []


def test_each_try_may_take_what_is_left_and_no_more() -> None:
    watch = Stopwatch()
    silences: list[float] = []

    def slow(request: httpx.Request) -> httpx.Response:
        silences.append(request.extensions["timeout"]["read"])
        watch.now += 30.0
        raise httpx.ReadTimeout("slow")

    with pytest.raises(ModelError):
        post(slow, watch, seconds=50.0)
    assert silences == [45.0, 19.5]


class Dripping(httpx.SyncByteStream):
    """A server that keeps the line open with a blank every five seconds, for ever."""

    def __init__(self, watch: Stopwatch) -> None:
        self.watch = watch

    def __iter__(self) -> Iterator[bytes]:
        while True:
            self.watch.now += 5.0
            yield b" "


def test_a_server_that_only_keeps_the_line_open_is_left() -> None:
    """No single read ever times out, so the wall clock must be looked at between them."""
    watch = Stopwatch()
    with pytest.raises(ModelError) as caught:
        post(lambda request: httpx.Response(200, stream=Dripping(watch)), watch, seconds=20.0)
    assert caught.value.kind == "unavailable"
    assert watch.now == 25.0


def test_blanks_before_the_answer_do_no_harm() -> None:
    content = b"\n\n\n" + json.dumps({"ok": 1}).encode()
    assert post(script(httpx.Response(200, content=content)), Stopwatch()) == {"ok": 1}


def test_an_endless_answer_is_cut_off() -> None:
    huge = httpx.Response(200, content=b" " * (MAX_ANSWER_BYTES + 1))
    assert post(script(huge, OK), Stopwatch()) == {"ok": 1}


def test_what_the_reader_cannot_use_is_asked_for_again() -> None:
    watch = Stopwatch()
    endpoint = Endpoint(
        httpx.Client(transport=httpx.MockTransport(lambda request: httpx.Response(200, json={}))),
        "http://fake",
        {},
        timeout=45.0,
        **watch.arguments,
    )

    def never(answer: object) -> None:
        raise Unreadable("answer_without_content")

    with pytest.raises(ModelError, match="answer_without_content"):
        endpoint.post({}, never, deadline=60.0)
    assert len(watch.waits) == 2


@pytest.mark.parametrize(
    ("first", "url"),
    [
        (httpx.LocalProtocolError("Illegal header value b'secret-key'"), "http://fake"),
        (httpx.UnsupportedProtocol("no"), "ftp://fake"),
        (OK, "http://fake:port"),
        (httpx.Response(301, headers={"location": "https://elsewhere"}), "http://fake"),
    ],
    ids=str,
)
def test_a_wrong_address_or_key_is_for_somebody_to_mend(first: httpx.Response | Exception, url: str) -> None:
    watch = Stopwatch()
    with pytest.raises(ModelError) as caught:
        post(script(first), watch, url=url)
    assert caught.value.kind == "configuration"
    assert "secret" not in str(caught.value)
    assert caught.value.__cause__ is None
    assert watch.waits == []


@pytest.mark.parametrize("key", ["chave-ção", "two\nlines"])
def test_a_key_that_no_header_can_carry_is_told_at_once_and_not_shown(key: str) -> None:
    with pytest.raises(ValueError, match="header") as caught:
        Endpoint(httpx.Client(), "http://fake", {"x-api-key": key}, timeout=1.0)
    assert key not in str(caught.value)


@pytest.mark.parametrize(
    "body",
    [{"x": "\ud83d"}, {"x": float("nan")}, {"x": object()}],
    ids=["half a surrogate", "no number", "an object"],
)
def test_a_request_that_is_no_json_is_our_bug(body: dict[str, Any]) -> None:
    with pytest.raises(ModelError) as caught:
        post(script(OK), Stopwatch(), body=body)
    assert caught.value.kind == "rejected"


def test_a_retry_is_logged_without_secrets() -> None:
    first = httpx.Response(429, json={"error": {"type": "rate_limit_error", "message": "secret of Ana"}})
    with capture_logs() as lines:
        post(script(first, OK), Stopwatch())
    assert lines == [
        {
            "event": "model_call_retried",
            "log_level": "warning",
            "status": 429,
            "code": "rate_limit_error",
            "attempt": 1,
            "wait": 0.5,
        }
    ]


def test_each_retry_is_counted_by_its_cause() -> None:
    causes: list[str] = []
    http = httpx.Client(transport=httpx.MockTransport(script(httpx.Response(529), httpx.ReadError("x"), OK)))
    endpoint = Endpoint(
        http, "http://fake/v1", {}, timeout=45.0, retried=causes.append, **Stopwatch().arguments
    )
    endpoint.post({}, lambda answer: answer.body, deadline=endpoint.deadline(60))
    assert causes == ["529", "ReadError"]


@given(st.binary())
def test_any_bytes_decode_or_are_refused(content: bytes) -> None:
    try:
        value = decode(content)
    except ValueError:
        return
    json.dumps(value, ensure_ascii=False, allow_nan=False).encode()


@pytest.mark.parametrize(
    ("content", "value"),
    [
        (rb'"\ud83d"', "\ufffd"),
        (rb'"\ud83d\ude00"', "😀"),
        (rb'{"\udc00": ["\u0000a\u0007\n\t"]}', {"\ufffd": ["a\n\t"]}),
        (b'"a\xffb"', "a\ufffdb"),
        (b'{"a": 1, "a": 2}', {"a": 2}),
    ],
)
def test_strings_are_made_safe_where_they_come_in(content: bytes, value: object) -> None:
    assert decode(content) == value


def test_each_thread_keeps_its_own_connection() -> None:
    """Two calls of one thread use one socket; another thread has another."""
    fake = FakeClaude(lambda body: answer(text("oi")))
    clients = ThreadClients()

    def twice() -> None:
        for _ in range(2):
            with clients.stream(
                "POST", url, content=b"{}", headers={}, timeout=httpx.Timeout(5.0)
            ) as response:
                response.read()

    with fake.serve() as base:
        url = base + "/v1/messages"
        twice()
        thread = threading.Thread(target=twice)
        thread.start()
        thread.join()
        assert fake.connections == 2
        assert len(fake.requests) == 4
        clients.close()


def test_clients_of_threads_that_ended_are_closed() -> None:
    """Else each thread that comes and goes would leave a socket behind."""
    clients = ThreadClients(transport=httpx.MockTransport(lambda request: OK))

    def call() -> None:
        with clients.stream("POST", "http://fake", content=b"", headers={}, timeout=httpx.Timeout(5.0)):
            pass

    for _ in range(3):
        thread = threading.Thread(target=call)
        thread.start()
        thread.join()
    assert len(clients) == 1
    clients.close()
    assert len(clients) == 0
