"""Model and Twilio as processes of their own, so that their CPU is not counted; quick, not strict."""

import json
import multiprocessing
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count
from multiprocessing.connection import Connection
from typing import Any

_sids = count(1)
SLOTS = {"servico_id": 1, "data": "2026-12-03", "profissional_id": 1}


def reply(body: dict[str, Any]) -> dict[str, Any]:
    """Three calls a turn: look up services, look up slots, answer. It follows from the request alone."""
    messages = body["messages"]
    opened = max(n for n, m in enumerate(messages) if m["role"] == "user" and "tool_result" not in str(m))
    step = sum(message["role"] == "assistant" for message in messages[opened:])
    content = [
        [{"type": "tool_use", "id": f"t{step}", "name": "buscar_servicos", "input": {}}],
        [{"type": "tool_use", "id": f"t{step}", "name": "buscar_horarios", "input": SLOTS}],
        [{"type": "text", "text": "Amanhã, quinta-feira, 03/12/2026, a Ana tem às 10:00. Pode ser?"}],
    ][step]
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": body.get("model", ""),
        "content": content,
        "stop_reason": "end_turn" if step == 2 else "tool_use",
        "stop_sequence": None,
        "usage": {"input_tokens": 300, "cache_read_input_tokens": 2500, "output_tokens": 60},
    }


def _model(delay: float) -> type[BaseHTTPRequestHandler]:
    class Model(_Handler):
        def answer(self, body: bytes) -> tuple[int, dict[str, Any]]:
            time.sleep(delay)
            return 200, reply(json.loads(body))

    return Model


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def answer(self, body: bytes) -> tuple[int, dict[str, Any]]:
        raise NotImplementedError

    def do_POST(self) -> None:
        status, document = self.answer(self.rfile.read(int(self.headers["content-length"])))
        content = json.dumps(document).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: object) -> None:
        pass


class _Twilio(_Handler):
    def answer(self, body: bytes) -> tuple[int, dict[str, Any]]:
        return 201, {"sid": f"SM{next(_sids):032x}", "status": "queued"}


class _Server(ThreadingHTTPServer):
    request_queue_size = 1024
    daemon_threads = True


def _serve(kind: str, delay: float, port: Connection) -> None:
    server = _Server(("127.0.0.1", 0), _Twilio if kind == "twilio" else _model(delay))
    port.send(server.server_port)
    server.serve_forever()


@contextmanager
def running(kind: str, delay: float = 0.0) -> Iterator[str]:
    """Start "model" or "twilio"; yields its address. `delay` is the model's thinking time in seconds."""
    context = multiprocessing.get_context("spawn")
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(target=_serve, args=(kind, delay, sender), daemon=True)
    process.start()
    try:
        yield f"http://127.0.0.1:{receiver.recv()}"
    finally:
        process.terminate()
        process.join()
