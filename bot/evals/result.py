"""What one trial came to, as it stands in the JSON file that reports, comparisons and resumes read."""

from collections.abc import Sequence
from typing import Any

from pydantic import BaseModel, ConfigDict

from bot.evals.score import Verdict
from bot.evals.task import Task, Visit
from bot.evals.trial import Played
from models.run import RunStep


class Line(BaseModel):
    model_config = ConfigDict(frozen=True)

    author: str
    text: str


class Result(BaseModel):
    """One trial. `seconds` is wall clock; `cost_microdollars` None where a price is not known; `calls` holds
    every answer of the model and every result of a tool, run by run.
    """

    model_config = ConfigDict(frozen=True)

    task: str
    trial: int
    passed: bool
    scored: bool
    failures: tuple[str, ...]
    side_effects: tuple[str, ...]
    handoffs: tuple[str | None, ...]
    visits: tuple[Visit, ...]
    input_tokens: int
    output_tokens: int
    cost_microdollars: int | None
    seconds: float
    lines: tuple[Line, ...]
    calls: tuple[tuple[dict[str, Any], ...], ...] = ()
    opinion: str = ""  # of a judge model, where one was asked

    @classmethod
    def of(cls, task: Task, trial: int, played: Played, verdict: Verdict, seconds: float) -> "Result":
        costs = [run.cost_microdollars for run in played.runs]
        return cls(
            task=task.name,
            trial=trial,
            passed=verdict.passed,
            scored=verdict.scored,
            failures=verdict.failures,
            side_effects=verdict.side_effects,
            handoffs=played.handoffs,
            visits=played.visits,
            input_tokens=sum(
                run.input_tokens + run.cache_read_tokens + run.cache_write_tokens for run in played.runs
            ),
            output_tokens=sum(run.output_tokens for run in played.runs),
            cost_microdollars=None if None in costs else sum(cost or 0 for cost in costs),
            seconds=round(seconds, 3),
            lines=tuple(Line(author=author, text=text) for author, text in played.lines),
            calls=tuple(tuple(map(_call, steps)) for steps in played.steps),
        )


def _call(step: RunStep) -> dict[str, Any]:
    return step.model_dump(
        mode="json", include={"kind", "content", "stop_reason", "usage", "model", "is_error", "error_class"}
    )


class Document(BaseModel):
    """A whole examination."""

    model_config = ConfigDict(frozen=True)

    provider: str
    model: str
    customer: str = "scripted"
    trials: int
    results: tuple[Result, ...] = ()

    @property
    def tasks(self) -> list[list[Result]]:
        """The results of each task, in the order in which the tasks came."""
        found: dict[str, list[Result]] = {}
        for one in self.results:
            found.setdefault(one.task, []).append(one)
        return list(found.values())

    def with_results(self, more: Sequence[Result]) -> "Document":
        return self.model_copy(update={"results": (*self.results, *more)})
