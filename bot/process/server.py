"""The HTTP server of one process, and its end by SIGTERM or Ctrl-C.

Waitress, because one thread of it holds every connection and reads whole requests: a thousand clients
that are silent, or half done, take none of the threads that answer. (gunicorn's and cheroot's wait in a
read.) What it leaves open is added here: a clock that no one can set back, an end for slow requests, and
room for the next client when all connections are taken.
"""

import errno
import os
import resource
import signal
import socket
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from types import FrameType
from typing import Any

import structlog
from flask import Flask
from waitress.adjustments import Adjustments
from waitress.channel import HTTPChannel
from waitress.server import MultiSocketServer, TcpWSGIServer
from waitress.task import ThreadedTaskDispatcher

from bot.core.process_stats import Limits

log = structlog.get_logger()

THREADS = 16
CONNECTIONS = 4000
SPARE_FILES = 200  # beside connections: the database, log files, calls of other servers
BACKLOG = 1024
ACCEPT_AT_ONCE = 64
SILENT_SECONDS = 25  # a connection on which nothing happens
REQUEST_SECONDS = 60  # from the first byte of a request to its last
SWEEP_SECONDS = 2.0
MAX_HEADER = 32 * 1024
MAX_BODY = 256 * 1024 + 1  # what the webhook takes; pages take less


class NotListening(Exception):
    """The address cannot be listened on. The text is one sentence, with the setting that is the cause."""

    def __init__(self, host: str, port: int, error: OSError | ValueError) -> None:
        number = error.errno if isinstance(error, OSError) else None
        cure = "choose another with PORT or --port" if number in _OF_THE_PORT else _OTHER_HOST
        reason = os.strerror(number) if number and number > 0 else getattr(error, "strerror", None)
        super().__init__(f"cannot listen on {host}:{port} ({reason or 'no such address'}); {cure}.")


_OF_THE_PORT = (errno.EADDRINUSE, errno.EACCES, errno.EPERM)
_OTHER_HOST = "HOST or --host must be an address of this machine, such as 127.0.0.1"


def listen(host: str, port: int) -> list[socket.socket]:
    """Listening sockets for every address of `host`; port 0 means any that is free. Raises NotListening."""
    found: list[socket.socket] = []
    try:
        for family, _, _, _, address in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM):
            found.append(socket.create_server(address, family=family, backlog=BACKLOG))
            port = found[0].getsockname()[1]
    except (OSError, ValueError) as error:
        for each in found:
            each.close()
        raise NotListening(host, port, error) from None
    return found


class Channel(HTTPChannel):  # type: ignore[misc]  # waitress has no types
    """One connection. Its times are those of a clock that only goes forward."""

    _active = 0.0
    _began: float | None = None  # the request that is not whole yet

    @property
    def last_activity(self) -> float:
        return self._active

    @last_activity.setter
    def last_activity(self, _wall: float) -> None:
        self._active = time.monotonic()

    def received(self, data: bytes) -> bool:
        before = self.request
        taken = bool(super().received(data))
        if self.request is None:
            self._began = None
        elif self.request is not before:
            self._began = time.monotonic()
        return taken

    @property
    def is_idle(self) -> bool:
        return not self.requests

    def is_over(self, now: float) -> bool:
        """Whether it has been silent too long, or takes too long for one request."""
        if not self.is_idle:
            return False
        slow = self._began is not None and now - self._began > REQUEST_SECONDS
        return slow or now - self._active > SILENT_SECONDS


class Listener(TcpWSGIServer):  # type: ignore[misc]  # as above
    """Accepts connections: never refuses one, but ends the one that has been silent longest."""

    channel_class = Channel
    limit = CONNECTIONS
    _next_sweep = 0.0

    def readable(self) -> bool:
        now = time.monotonic()
        if now >= self._next_sweep:
            self._next_sweep = now + SWEEP_SECONDS
            for channel in self.active_channels.values():
                if channel.is_over(now):
                    channel.will_close = True
        return bool(self.accepting)

    def handle_accept(self) -> None:
        # Several at a time: each turn of the loop looks at every connection.
        for _ in range(ACCEPT_AT_ONCE):
            before = len(self.active_channels)
            if before >= self.limit:
                self._make_room()
                before = len(self.active_channels)
            super().handle_accept()
            if len(self.active_channels) == before:
                return

    def _make_room(self) -> None:
        idle = [channel for channel in self.active_channels.values() if channel.is_idle]
        if idle:
            min(idle, key=lambda channel: channel.last_activity).handle_close()


class Server:
    """The application behind some listening sockets."""

    def __init__(self, app: Flask, sockets: Sequence[socket.socket]) -> None:
        self.limit = _room()
        self._dispatcher = ThreadedTaskDispatcher()
        self._dispatcher.set_thread_count(THREADS)
        self._map: dict[int, Any] = {}
        # The headers of proxies are kept for `OneProxy`, which knows when to believe them.
        settings = Adjustments(
            sockets=list(sockets),
            ident="horacerta",
            clear_untrusted_proxy_headers=False,
            max_request_header_size=MAX_HEADER,
            max_request_body_size=MAX_BODY,
            channel_request_lookahead=0,
            asyncore_use_poll=True,
        )
        self._listeners = [self._listener(app, settings, each) for each in sockets]
        self._whole = MultiSocketServer(self._map, settings, [], self._dispatcher, log.info)

    def _listener(self, app: Flask, settings: Adjustments, each: socket.socket) -> Listener:
        where = (each.family, each.type, each.proto, each.getsockname())
        made = Listener(
            app, self._map, True, each, self._dispatcher, settings, sockinfo=where, bind_socket=False
        )
        made.limit = self.limit
        return made

    def run(self) -> None:
        """Serve until SystemExit; requests in hand are finished first."""
        self._whole.run()

    def close(self) -> None:
        self._whole.close()

    def connections(self) -> tuple[int, int]:
        """How many are open, and how many may be."""
        return sum(len(each.active_channels) for each in self._listeners), self.limit

    def threads(self) -> tuple[int, int]:
        """How many requests are answered or wait for a thread, and how many threads there are."""
        return len(self._dispatcher.queue) + self._dispatcher.active_count, THREADS


def _room() -> int:
    """How many connections may be open: as many as files may be, as far as the system lets us go."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = CONNECTIONS + SPARE_FILES
    if soft != resource.RLIM_INFINITY and soft < wanted:
        with suppress(OSError, ValueError):
            soft = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
            resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
        soft = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    return CONNECTIONS if soft == resource.RLIM_INFINITY else max(50, min(CONNECTIONS, soft - SPARE_FILES))


def run(
    app: Flask, sockets: Sequence[socket.socket], *, limits: Limits, ready: Callable[[], None] = lambda: None
) -> None:
    """Serve until SystemExit; requests in hand are finished first. `ready` is called once it listens.

    In `limits` it says how much of what it has is in use.
    """
    server = Server(app, sockets)
    limits["web_connections"], limits["web_threads"] = server.connections, server.threads
    try:
        ready()
        server.run()  # ends at SystemExit, and lets its threads finish
    finally:
        server.close()


def wait_for_stop() -> None:
    """For a process without a server: until SIGTERM or Ctrl-C raise SystemExit."""
    while True:
        signal.pause()


def stop_on_signals() -> None:
    """From now on SIGTERM and Ctrl-C raise SystemExit(0) in the main thread, wherever it is: once, since what
    follows is the end, which another signal must not cut short.
    """

    def stop(_number: int, _frame: FrameType | None) -> None:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        raise SystemExit(0)

    signal.signal(signal.SIGTERM, stop)
    signal.signal(signal.SIGINT, stop)
