"""The HTTP server of one process, and its end by SIGTERM or Ctrl-C."""

import errno
import signal
from collections.abc import Callable
from types import FrameType

import structlog
from flask import Flask
from waitress.server import create_server

log = structlog.get_logger()

THREADS = 16


class NotListening(Exception):
    """The address cannot be listened on. The text is one sentence, with the setting that is the cause."""

    def __init__(self, host: str, port: int, error: OSError | ValueError) -> None:
        number = error.errno if isinstance(error, OSError) else None
        cure = "choose another with PORT or --port" if number in _OF_THE_PORT else _OTHER_HOST
        reason = getattr(error, "strerror", None) or "no such address"
        super().__init__(f"cannot listen on {host}:{port} ({reason}); {cure}.")


_OF_THE_PORT = (errno.EADDRINUSE, errno.EACCES, errno.EPERM)
_OTHER_HOST = "HOST or --host must be an address of this machine, such as 127.0.0.1"


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
    except (OSError, ValueError) as error:
        raise NotListening(host, port, error) from None
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
