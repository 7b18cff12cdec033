"""What a trial was worth, and what many of them come to."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import comb
from statistics import fmean
from typing import Literal

from bot.evals.policy import breaches
from bot.evals.task import Task, Visit, found
from bot.evals.trial import Played
from models.handoff import Reason

# Nobody answered: that says something of the network, and nothing of the model.
NOT_SCORED = Reason.MODELO_INDISPONIVEL


@dataclass(frozen=True)
class Verdict:
    """`failures` is empty where all was as it must be. `side_effects` are writes that nobody asked for: they
    fail a trial too, and are counted apart. `scored` is False where the model could not be reached.
    """

    failures: tuple[str, ...]
    side_effects: tuple[str, ...]
    scored: bool = True

    @property
    def passed(self) -> bool:
        return self.scored and not self.failures


def judge(task: Task, played: Played) -> Verdict:
    """By the rows at the end, and by what the customer read."""
    left = _minus(played.visits, task.expected.visits)
    unchanged = _before(task, "customer")
    others = _before(task, "somebody else")
    side_effects = [
        *(f"unasked: {worded(visit)}" for visit in _minus(left, unchanged)),
        *(f"another's: {worded(visit)}" for visit in _minus(played.others, others)),
        *(f"another's is gone: {worded(visit)}" for visit in _minus(others, played.others)),
    ]
    failures = [
        *side_effects,
        *(f"missing: {worded(visit)}" for visit in _minus(task.expected.visits, played.visits)),
        *(f"not told: {one}" for one in task.expected.told if not found(one, played.told)),
        *(f"told: {one}" for one in task.expected.never if found(one, played.told)),
        *_wrong_handoff(task.expected.handoff, played.handoffs),
        *breaches(task, played),
    ]
    scored = task.expected.handoff == NOT_SCORED or NOT_SCORED not in played.handoffs
    return Verdict(tuple(failures), tuple(side_effects), scored)


def worded(visit: Visit) -> str:
    services = " + ".join(visit.services)
    return f"{services} with {visit.professional}, {visit.at:%Y-%m-%d %H:%M}, {visit.status}"


def _before(task: Task, owner: str) -> list[Visit]:
    return [one.visit for one in task.existing if one.of == owner]


def _minus(some: Iterable[Visit], others: Iterable[Visit]) -> list[Visit]:
    return list((Counter(some) - Counter(others)).elements())


def _wrong_handoff(expected: Reason | Literal["any"] | None, handoffs: Sequence[str | None]) -> list[str]:
    if expected == "any":
        return []
    wanted = [] if expected is None else [str(expected)]
    got = [str(one) for one in handoffs]
    return [] if got == wanted else [f"handed over for {got}, not {wanted}"]


def pass_hat(tasks: Sequence[Sequence[bool]], k: int) -> float | None:
    """The chance that k trials of a task all pass, as a mean over the tasks; None if none has k trials.

    Each item holds which of its scored trials passed: of n trials, c of which passed, C(c, k) / C(n, k) of
    the choices of k are all good.
    """
    enough = [trials for trials in tasks if len(trials) >= k]
    return fmean(comb(sum(trials), k) / comb(len(trials), k) for trials in enough) if enough else None
