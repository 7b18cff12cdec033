"""A clock that moves only when told, or when something sleeps by it."""

from typing import Any


class Stopwatch:
    """Seconds. `waits` are the sleeps, in order."""

    def __init__(self) -> None:
        self.now = 0.0
        self.waits: list[float] = []

    def __call__(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.waits.append(seconds)
        self.now += seconds

    @property
    def arguments(self) -> dict[str, Any]:
        """What a model client takes of time and chance: the longest back-off, no waiting."""
        return {"clock": self, "sleep": self.sleep, "rand": lambda: 0.0}
