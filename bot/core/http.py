"""How the program speaks HTTP: one client a thread, all sharing one SSL context."""

import ssl
import threading
from collections.abc import Mapping
from contextlib import AbstractContextManager
from typing import Protocol

import httpx

KEEPALIVE_SECONDS = 60.0


class Http(Protocol):
    """What a model client needs of httpx: an `httpx.Client` (one thread) or `ThreadClients` (any)."""

    def stream(
        self, method: str, url: str, *, content: bytes, headers: Mapping[str, str], timeout: httpx.Timeout
    ) -> AbstractContextManager[httpx.Response]: ...


class ThreadClients:
    """An HTTP client for each thread, kept alive between calls, all sharing one SSL context.

    One client for all threads costs seven times the CPU and breaks calls in flight; an SSL context for each
    costs 20 ms and a megabyte.
    """

    def __init__(
        self, *, verify: ssl.SSLContext | None = None, transport: httpx.BaseTransport | None = None
    ) -> None:
        self._verify = verify or httpx.create_ssl_context()
        self._transport = transport
        self._lock = threading.Lock()
        self._clients: dict[threading.Thread, httpx.Client] = {}

    def stream(
        self, method: str, url: str, *, content: bytes, headers: Mapping[str, str], timeout: httpx.Timeout
    ) -> AbstractContextManager[httpx.Response]:
        return self._mine().stream(method, url, content=content, headers=headers, timeout=timeout)

    def __len__(self) -> int:
        return len(self._clients)

    def close(self) -> None:
        """Close the clients of all threads. A later call opens a new one."""
        with self._lock:
            clients, self._clients = list(self._clients.values()), {}
        for client in clients:
            client.close()

    def _mine(self) -> httpx.Client:
        thread = threading.current_thread()
        with self._lock:
            if thread not in self._clients:
                self._close_orphans()
                self._clients[thread] = self._new()
            return self._clients[thread]

    def _new(self) -> httpx.Client:
        limits = httpx.Limits(max_connections=4, keepalive_expiry=KEEPALIVE_SECONDS)
        return httpx.Client(verify=self._verify, transport=self._transport, limits=limits)

    def _close_orphans(self) -> None:
        for thread in [thread for thread in self._clients if not thread.is_alive()]:
            self._clients.pop(thread).close()
