"""What one process counts and remembers for Prometheus, beside what is in the rows."""

from typing import TYPE_CHECKING

from prometheus_client import Histogram

from bot.core.call_stats import Calls

if TYPE_CHECKING:
    from bot.process.run_metrics import RunFigures


class Meters:
    """`http`: how long this process took to answer a request, by endpoint and status class ("2xx"). `calls`:
    how it fares with the servers that it calls. `runs`: what was counted of runs so far; None where all are
    counted anew at each scrape.
    """

    def __init__(self, runs: "RunFigures | None" = None) -> None:
        self.runs = runs
        self.calls = Calls()
        self.http = Histogram(
            "horacerta_http_request_seconds",
            "Time in which this process answered a request.",
            ["endpoint", "status"],
            buckets=(0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5),
            registry=None,
        )
