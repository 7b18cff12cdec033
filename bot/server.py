"""The HTTP server of one process, and its end by SIGTERM or Ctrl-C."""

import signal
from collections.abc import Callable
from types import FrameType

import structlog
from flask import Flask
from waitress.server import create_server

log = structlog.get_logger()

THREADS = 16


class PortTaken(Exception):
    """The address cannot be listened on. The text is one sentence."""


def run(app: Flask, host: str, port: int, *, ready: Callable[[int], None]) -> None:
    """Serve until SystemExit; requests in hand are finished first. `ready` is told the port."""
    try:
        server = create_server(
            app,
            host=host,
            port=port,
            threads=THREADS,
            ident="horacerta",
            # Kept for `OneProxy`, which knows when to believe them.
            clear_untrusted_proxy_headers=False,
        )
    except OSError as error:
        reason = error.strerror or str(error)
        raise PortTaken(f"cannot listen on {host}:{port} ({reason}); choose another with PORT.") from None
    try:
        ready(server.effective_port)
        server.run()  # ends at SystemExit, and lets its threads finish
    finally:
        server.close()


def wait_for_stop() -> None:
    """For a process without a server: until SIGTERM or Ctrl-C raise SystemExit."""
    while True:
        signal.pause()


def stop_on_signals() -> None:
    """From now on SIGTERM and Ctrl-C raise SystemExit(0) in the main thread, wherever it is."""

    def stop(_number: int, _frame: FrameType | None) -> None:
        raise SystemExit(0)

    signal.signal(signal.SIGTERM, stop)
    signal.signal(signal.SIGINT, stop)
