"""A provider that is down is not asked for a while, so that customers do not each wait for its time-out."""

import threading
import time
from collections.abc import Callable
from typing import Literal

from bot.llm.base import ModelClient, ModelError, ModelReply, ModelRequest

FAIR_SECONDS = 5.0  # a call that had less time says nothing about the provider


class Breaker:
    """Whether one provider may be asked. Closed; open after `threshold` failures in a row; half-open after
    `cooldown` seconds more, when a single call tries whether it is back. Safe for threads.
    """

    def __init__(
        self,
        *,
        threshold: int = 3,
        cooldown: float = 30.0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._threshold = threshold
        self._cooldown = cooldown
        self._clock = clock
        self._lock = threading.Lock()
        self._failures = 0
        self._next_try = 0.0

    @property
    def state(self) -> Literal["closed", "open", "half_open"]:
        if self._failures < self._threshold:
            return "closed"
        return "open" if self._clock() < self._next_try else "half_open"

    def admits(self) -> bool:
        """Whether a call may go out now. In the half-open state only the first that asks may."""
        with self._lock:
            if self.state == "half_open":
                # The others wait until it reports, or another cooldown if it never does.
                self._next_try = self._clock() + self._cooldown
                return True
            return self.state == "closed"

    def succeeded(self) -> None:
        with self._lock:
            self._failures = 0

    def failed(self) -> None:
        with self._lock:
            self._failures += 1
            self._next_try = self._clock() + self._cooldown


class GuardedClient:
    """A model behind a breaker, which all threads share."""

    def __init__(self, client: ModelClient, breaker: Breaker) -> None:
        self.provider = client.provider
        self.model = client.model
        self._client = client
        self._breaker = breaker

    def complete(self, request: ModelRequest, *, seconds: float) -> ModelReply:
        """As the guarded client; ModelError "unavailable" at once while the breaker is open."""
        if not self._breaker.admits():
            raise ModelError("unavailable", f"{self.provider} is down; not asked")
        try:
            reply = self._client.complete(request, seconds=seconds)
        except ModelError as error:
            if error.kind != "unavailable":
                self._breaker.succeeded()
            elif seconds >= FAIR_SECONDS:
                self._breaker.failed()
            raise
        self._breaker.succeeded()
        return reply
