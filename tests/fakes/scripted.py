"""A model server that answers from a script, in memory or on a real socket."""

import json
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import repeat
from typing import Any

import httpx

Body = dict[str, Any]


@dataclass(frozen=True)
class Reply:
    """An HTTP answer. `body` is JSON, or raw bytes."""

    status: int
    body: Body | bytes = field(default_factory=dict)
    headers: dict[str, str] = field(default_factory=dict)

    @property
    def content(self) -> bytes:
        return self.body if isinstance(self.body, bytes) else json.dumps(self.body).encode()


# A body is answered with 200, an exception breaks the connection, a function makes either from the request.
Step = Body | Reply | Exception | Callable[[Body], "Step"]


class Refused(Exception):
    """The request breaks a rule of the wire format."""

    def __init__(self, status: int, kind: str, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.kind = kind
        self.message = message


class ScriptedServer:
    """Answers each valid request with the next step of the script, and refuses the others.

    `script` is a list of steps, or one function for all of them. `requests` holds the body of every request
    that came, `refusals` the text of each refusal: a test that should send nothing invalid asserts it empty.
    `connections` counts the sockets that `serve()` took.
    """

    def __init__(self, script: Iterable[Step] | Callable[[Body], Step]) -> None:
        self._steps: Iterator[Step] = repeat(script) if callable(script) else iter(script)
        self._lock = threading.Lock()
        self.requests: list[Body] = []
        self.refusals: list[str] = []
        self.connections = 0

    def check(self, request: httpx.Request, body: Body) -> None:
        """Raise Refused where the real server would."""
        raise NotImplementedError

    def refusal(self, refused: Refused) -> Reply:
        """The error in the wire format."""
        raise NotImplementedError

    def finish(self, answer: Body, body: Body) -> Body:
        """The scripted answer with what only the server can add."""
        return answer

    def __call__(self, request: httpx.Request) -> httpx.Response:
        """The handler of httpx.MockTransport."""
        reply = self._answer(request)
        headers = {"content-type": "application/json", "request-id": f"req_{len(self.requests)}"}
        return httpx.Response(reply.status, content=reply.content, headers={**headers, **reply.headers})

    def client(self) -> httpx.Client:
        """An HTTP client that reaches this server without a socket."""
        return httpx.Client(transport=httpx.MockTransport(self))

    @contextmanager
    def serve(self) -> Iterator[str]:
        """Run on a free port of 127.0.0.1; yields the base address."""
        server = _Server(("127.0.0.1", 0), _handler_of(self))
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            server.server_close()
            thread.join()

    def _answer(self, request: httpx.Request) -> Reply:
        try:
            body = _decoded(request)
            with self._lock:
                self.requests.append(body)
            self.check(request, body)
        except Refused as refused:
            self.refusals.append(refused.message)
            return self.refusal(refused)
        return self._next(body)

    def _next(self, body: Body) -> Reply:
        with self._lock:  # not while a step runs: it may wait as a slow model does
            step = next(self._steps, None)
        if step is None:
            self.refusals.append("the script is over, and the model was asked again")
            raise AssertionError(self.refusals[-1])
        while callable(step):
            step = step(body)
        if isinstance(step, Exception):
            raise step
        return step if isinstance(step, Reply) else Reply(200, self.finish(step, body))


class _Server(ThreadingHTTPServer):
    request_queue_size = 1024  # the default of 5 resets lines when many runs begin at once


def _decoded(request: httpx.Request) -> Body:
    try:
        body = json.loads(request.content.decode(), parse_constant=_no_constant)
        json.dumps(body, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        text = "The request body is not valid JSON: no low surrogate in string"
        raise Refused(400, "invalid_request_error", text) from None
    except ValueError as error:
        text = f"The request body is not valid JSON: {error}"
        raise Refused(400, "invalid_request_error", text) from None
    if not isinstance(body, dict):
        raise Refused(400, "invalid_request_error", "The request body is no object")
    return body


def _no_constant(name: str) -> None:
    raise ValueError(name)


def _handler_of(fake: ScriptedServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def setup(self) -> None:
            super().setup()
            fake.connections += 1

        def do_POST(self) -> None:
            content = self.rfile.read(int(self.headers.get("content-length", 0)))
            request = httpx.Request(
                "POST", f"http://fake{self.path}", headers=list(self.headers.items()), content=content
            )
            try:
                response = fake(request)
            except Exception:
                self.close_connection = True  # a broken line, as far as the caller can tell
                return
            self.send_response(response.status_code)
            for name, value in response.headers.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(response.content)

        def log_message(self, format: str, *args: object) -> None:
            pass

    return Handler
