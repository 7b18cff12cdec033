"""Whether a handoff reason became more frequent with a change of what the model is told. Pure.

Each run keeps the version of its instructions and tools. Runs of one version, one after another, are an era.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from math import sqrt

from models.handoff import Reason

LEAST_RUNS = 30  # of an era, and of what it is compared with: of fewer nothing can be said
ENOUGH_RUNS = 200  # it is compared with the eras right before it, as many as make up so many
LEAST_HANDOFFS = 4
TIMES = 2.0  # as frequent as before, at least
DEVIATIONS = 3.0  # and further off than chance would have it in one of 700 cases


@dataclass
class Era:
    """Runs of one version from `since` on, and how many of them were handed over, by reason."""

    version: str
    since: datetime
    runs: int = 0
    handoffs: Counter[Reason] = field(default_factory=Counter)


@dataclass(frozen=True)
class Jump:
    """`reason` came up `was` times in `runs_before` runs, and since then `now` times in `runs`."""

    since: datetime
    reason: Reason
    was: int
    runs_before: int
    now: int
    runs: int


def eras(parts: Iterable[Era]) -> list[Era]:
    """Parts of eras in any order, put in order; neighbours of one version are one."""
    found: list[Era] = []
    for part in sorted(parts, key=lambda each: each.since):
        if not found or found[-1].version != part.version:
            found.append(Era(part.version, part.since))
        found[-1].runs += part.runs
        found[-1].handoffs.update(part.handoffs)
    return found


def jumps(found: Sequence[Era]) -> list[Jump]:
    """Every reason that jumped at the beginning of an era, earliest first."""
    return [jump for place in range(1, len(found)) for jump in _at(found[place], found[:place])]


def _at(era: Era, earlier: Sequence[Era]) -> Iterable[Jump]:
    runs, handoffs = _pooled(earlier)
    if min(runs, era.runs) < LEAST_RUNS:
        return
    for reason in Reason:
        was, now = handoffs[reason], era.handoffs[reason]
        if now >= LEAST_HANDOFFS and _is_jump(was, runs, now, era.runs):
            yield Jump(era.since, reason, was, runs, now, era.runs)


def _pooled(earlier: Sequence[Era]) -> tuple[int, Counter[Reason]]:
    runs, handoffs = 0, Counter[Reason]()
    for era in reversed(earlier):
        if runs >= ENOUGH_RUNS:
            break
        runs += era.runs
        handoffs.update(era.handoffs)
    return runs, handoffs


def _is_jump(was: int, runs_before: int, now: int, runs: int) -> bool:
    """The two-proportion test: how far apart the shares are, in deviations of what chance makes of them."""
    before, after = was / runs_before, now / runs
    together = (was + now) / (runs_before + runs)
    deviation = sqrt(together * (1 - together) * (1 / runs_before + 1 / runs))
    # Where every run ends so there is nothing to deviate from, and nothing that could jump.
    return after >= TIMES * before and deviation > 0 and (after - before) / deviation >= DEVIATIONS
