"""What one process counts and remembers for Prometheus, beside what is in the rows."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from prometheus_client import Histogram

from bot.core.call_stats import Calls

if TYPE_CHECKING:
    from bot.process.run_metrics import RunFigures

# Of each thing of which this process has only so many: how many are in use, and how many there are.
Limits = dict[str, Callable[[], tuple[int, int]]]


class Meters:
    """`http`: how long this process took to answer a request, by endpoint and status class ("2xx"). `calls`:
    how it fares with the servers that it calls. `runs`: what was counted of runs so far; None where all are
    counted anew at each scrape. `limits`: how near the ends of what it has it is.
    """

    def __init__(self, runs: "RunFigures | None" = None) -> None:
        self.runs = runs
        self.calls = Calls()
        self.limits: Limits = {}
        self.http = Histogram(
            "horacerta_http_request_seconds",
            "Time in which this process answered a request.",
            ["endpoint", "status"],
            buckets=(0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5),
            registry=None,
        )

    def state(self) -> dict[str, Any]:
        """As JSON, what goes with a heartbeat: see `Calls.state`, and how much of each limit is in use."""
        return self.calls.state() | {"limits": self.usage()}

    def usage(self) -> dict[str, tuple[int, int]]:
        return {name: used() for name, used in self.limits.items()}


def limits_in(state: Mapping[str, Any]) -> dict[str, tuple[int, int]]:
    return {name: (used, most) for name, (used, most) in state.get("limits", {}).items()}
