"""What is said where the server cannot listen; and that silent, slow and greedy clients shut nobody out."""

import socket
import threading
from collections.abc import Iterator

import pytest
from flask import Flask, request

from bot.process import server
from bot.process.server import NotListening, Server, listen

OTHER_HOST = "HOST or --host must be an address of this machine, such as 127.0.0.1."


def test_a_taken_port_is_a_matter_of_the_port() -> None:
    taken = listen("127.0.0.1", 0)[0]
    port = taken.getsockname()[1]
    with taken, pytest.raises(NotListening) as caught:
        listen("127.0.0.1", port)
    assert str(caught.value) == (
        f"cannot listen on 127.0.0.1:{port} (Address already in use); choose another with PORT or --port."
    )


def test_a_port_of_the_system_is_a_matter_of_the_port() -> None:
    said = str(NotListening("127.0.0.1", 80, PermissionError(13, "Permission denied")))
    assert said.endswith("(Permission denied); choose another with PORT or --port.")


@pytest.mark.parametrize("host", ["203.0.113.7", "no-such-host.invalid", "a..b"])
def test_a_foreign_address_is_a_matter_of_the_host(host: str) -> None:
    with pytest.raises(NotListening) as caught:
        listen(host, 8000)
    said = str(caught.value)
    assert said.startswith(f"cannot listen on {host}:8000 (")
    assert said.endswith(OTHER_HOST)


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    """A server with room for twenty connections."""
    app = Flask(__name__)

    @app.post("/")
    def size() -> str:
        return str(len(request.data))

    sockets = listen("127.0.0.1", 0)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(server, "CONNECTIONS", 20)
        made = Server(app, sockets)
    thread = threading.Thread(target=made.run)
    thread.start()
    yield sockets[0].getsockname()[1]
    made.close()
    thread.join()


def asked(port: int, head: str, body: bytes = b"") -> bytes:
    with socket.create_connection(("127.0.0.1", port), timeout=10) as mine:
        mine.sendall(f"POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n{head}\r\n\r\n".encode() + body)
        answer = b""
        while chunk := mine.recv(65536):
            answer += chunk
    return answer


def test_more_clients_than_there_is_room_for_shut_nobody_out(port: int) -> None:
    starts = [b"", b"GET /he", b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 99\r\n\r\nhalf"]
    crowd = [socket.create_connection(("127.0.0.1", port), timeout=10) for _ in range(60)]
    for number, each in enumerate(crowd):
        each.sendall(starts[number % 3])
    assert asked(port, "Content-Length: 2", b"oi").endswith(b"\r\n\r\n2")
    for each in crowd:
        each.close()


@pytest.mark.parametrize("head", ["Content-Length: 300000000", "Content-Length: 99999999999999999999"])
def test_a_body_that_is_too_large_is_refused_by_its_header(port: int, head: str) -> None:
    assert asked(port, head).startswith(b"HTTP/1.1 413")


def test_a_body_without_a_length_is_refused_once_it_is_too_large(port: int) -> None:
    body = b"41000\r\n" + b"x" * 0x41000 + b"\r\n"
    assert asked(port, "Transfer-Encoding: chunked", body).startswith(b"HTTP/1.1 413")


class Told:
    """A channel's own data, without a socket."""

    is_over = server.Channel.is_over
    is_idle = server.Channel.is_idle

    def __init__(self, active: float, began: float | None, requests: list[object]) -> None:
        self._active, self._began, self.requests = active, began, requests


@pytest.mark.parametrize(
    ("active", "began", "requests", "over"),
    [
        (80.0, None, [], False),
        (74.0, None, [], True),  # silent for 26 s
        (99.0, 45.0, [], False),
        (99.0, 39.0, [], True),  # a byte now and then, for 61 s
        (10.0, 10.0, [object()], False),  # it waits for our answer
    ],
)
def test_silent_and_slow_connections_end(
    active: float, began: float | None, requests: list[object], over: bool
) -> None:
    assert Told(active, began, requests).is_over(100.0) is over
