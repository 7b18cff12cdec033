"""How this process fares with the servers that it calls: retries by cause, and which model is not asked."""

import threading
from collections import Counter
from collections.abc import Callable, Mapping
from copy import copy
from typing import Any, Protocol


class Gate(Protocol):
    """Whether a server is asked: a breaker."""

    @property
    def state(self) -> str: ...


class Calls:
    """Safe for threads. Kept with the heartbeat of a worker, so that whoever is asked can tell of it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._retries: Counter[tuple[str, str]] = Counter()
        self._gates: dict[str, Gate] = {}
        self._suffix = ""

    def of(self, name: str) -> "Calls":
        """Counts together with this one, each server under its own name and this one: "anthropic:bela"."""
        other = copy(self)
        other._suffix = f":{name}"
        return other

    def counting(self, server: str) -> Callable[[str], None]:
        """What counts the retries of one server; it is told the cause of each."""

        def retried(cause: str) -> None:
            with self._lock:
                self._retries[server + self._suffix, cause] += 1

        return retried

    def watch(self, server: str, gate: Gate) -> None:
        self._gates[server + self._suffix] = gate

    def state(self) -> dict[str, Any]:
        """As JSON: how often which server was asked again and why, and what each model's breaker does."""
        with self._lock:
            retries = [[server, cause, number] for (server, cause), number in sorted(self._retries.items())]
        return {"retries": retries, "breakers": {name: gate.state for name, gate in self._gates.items()}}


def retries_in(state: Mapping[str, Any]) -> list[tuple[str, str, int]]:
    return [(server, cause, number) for server, cause, number in state.get("retries", [])]


def breakers_in(state: Mapping[str, Any]) -> dict[str, str]:
    return dict(state.get("breakers", {}))
