"""What a run has used up so far: calls, tokens and money, added up for the columns of its row."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from decimal import ROUND_HALF_UP, Decimal

import structlog

from bot.core.pricing import Prices
from bot.llm.base import ModelReply, Usage
from models.run import RunStep, StepKind

log = structlog.get_logger()

LARGEST = 2**31 - 1  # what a column holds


@dataclass
class Account:
    """`provider` and `model` are those that were asked, and then those that answered last.

    `microdollars` is None as soon as one call has no price.
    """

    prices: Prices
    provider: str
    model: str
    iterations: int = 0
    usage: Usage = field(default_factory=Usage)
    microdollars: Decimal | None = Decimal(0)

    def add(self, reply: ModelReply, at: datetime, *, iteration: bool = True) -> None:
        """Count one answer; the forced final one is no iteration."""
        self.provider = reply.provider or self.provider
        self._add(reply.model, reply.usage, at, iteration)

    def add_steps(self, steps: Iterable[RunStep]) -> None:
        """Count what a crashed worker recorded."""
        for step in steps:
            if step.kind in (StepKind.ANSWER, StepKind.FINAL):
                usage = Usage(**(step.usage or {}))
                self._add(step.model or "", usage, step.at, step.kind == StepKind.ANSWER)

    def _add(self, model: str, usage: Usage, at: datetime, iteration: bool) -> None:
        self.model = model or self.model
        self.iterations += iteration
        self.usage += usage
        cost = self.prices.microdollars(self.model, usage, at.date())
        if self.microdollars is None:
            return
        if cost is None:
            log.warning("model_has_no_price", model=self.model)
        self.microdollars = None if cost is None else self.microdollars + cost

    def totals(self) -> dict[str, object]:
        """The columns of Run that tell what it cost."""
        return {
            "provider": self.provider,
            "model": self.model,
            "iterations": self.iterations,
            "input_tokens": min(self.usage.input_tokens, LARGEST),
            "output_tokens": min(self.usage.output_tokens, LARGEST),
            "cache_read_tokens": min(self.usage.cache_read_tokens, LARGEST),
            "cache_write_tokens": min(self.usage.cache_write_tokens, LARGEST),
            "cost_microdollars": _whole(self.microdollars),
        }


def _whole(microdollars: Decimal | None) -> int | None:
    if microdollars is None:
        return None
    return min(int(microdollars.to_integral_value(ROUND_HALF_UP)), LARGEST)
