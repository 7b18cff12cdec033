"""What came of an examination: a line a task, the figures over all, what changed since another, a page."""

from collections.abc import Sequence
from pathlib import Path
from statistics import fmean
from typing import Any

from jinja2 import Environment, FileSystemLoader

from bot.evals.result import Document, Result
from bot.evals.score import pass_hat
from bot.evals.task import TASKS, Task


def line(results: Sequence[Result]) -> str:
    """One task: how many of its trials passed, and what was wrong with the first that did not."""
    scored = [result for result in results if result.scored]
    passed = sum(result.passed for result in scored)
    mark = "ok  " if scored and passed == len(scored) else "FAIL"
    head = f"{mark}  {results[0].task:<28} {passed}/{len(scored)}"
    left_out = len(results) - len(scored)
    notes = [f"{left_out} without a model"] if left_out else []
    notes += [result.failures[0] for result in scored if result.failures][:1]
    return "  ".join([head, *notes])


def summary(document: Document) -> list[str]:
    """The figures over all tasks."""
    every = document.results
    tokens = f"{sum(one.input_tokens for one in every)} in, {sum(one.output_tokens for one in every)} out"
    seconds = f"{fmean(one.seconds for one in every):.1f} s a talk; " if every else ""
    return [
        *(f"pass^{k}: {share(value)}" for k, value in hats(document).items()),
        f"unwanted side effects: {sum(len(one.side_effects) for one in every)}",
        f"{seconds}tokens: {tokens}; cost: {dollars(cost(every))}",
    ]


def as_json(document: Document) -> dict[str, Any]:
    """Everything, with the figures, for a file that `Document` reads again."""
    every = document.results
    figures = {
        "pass": {str(k): value for k, value in hats(document).items()},
        "side_effects": sum(len(one.side_effects) for one in every),
        "not_scored": sum(not one.scored for one in every),
        "input_tokens": sum(one.input_tokens for one in every),
        "output_tokens": sum(one.output_tokens for one in every),
        "cost_microdollars": cost(every),
    }
    return (
        document.model_dump(mode="json", exclude={"results"})
        | figures
        | document.model_dump(mode="json", include={"results"})
    )


def changes(before: Document, now: Document) -> list[str]:
    """The tasks of both that came out otherwise than before, a line each."""
    old = {results[0].task: _rate(results) for results in before.tasks}
    lines = []
    for results in now.tasks:
        was, rate = old.get(results[0].task), _rate(results)
        if was is not None and rate is not None and was != rate:
            lines.append(
                f"{'better' if rate > was else 'WORSE '}  {results[0].task:<28} {was:.2f} -> {rate:.2f}"
            )
    return lines or ["no task changed"]


def page(document: Document, tasks: Sequence[Task]) -> str:
    """The talks beside their verdicts, as one HTML page that needs nothing else."""
    environment = Environment(loader=FileSystemLoader(TASKS), autoescape=True, trim_blocks=True)
    about = {task.name: task for task in tasks}
    return environment.get_template("report.html").render(
        document=document,
        about=about,
        hats={k: share(value) for k, value in hats(document).items()},
        cost=dollars(cost(document.results)),
        side_effects=sum(len(one.side_effects) for one in document.results),
        failed=sum(not one.passed and one.scored for one in document.results),
    )


def read(file: Path) -> Document:
    """Raises OSError, and pydantic's ValidationError for a file that is no examination."""
    return Document.model_validate_json(file.read_text("utf-8"))


def hats(document: Document) -> dict[int, float | None]:
    passed = [[one.passed for one in results if one.scored] for results in document.tasks]
    return {k: pass_hat(passed, k) for k in range(1, document.trials + 1)}


def cost(results: Sequence[Result]) -> int | None:
    costs = [one.cost_microdollars for one in results]
    return None if None in costs else sum(each or 0 for each in costs)


def _rate(results: Sequence[Result]) -> float | None:
    scored = [one.passed for one in results if one.scored]
    return fmean(scored) if scored else None


def share(value: float | None) -> str:
    return "no task was scored so often" if value is None else f"{value:.3f}"


def dollars(microdollars: int | None) -> str:
    return "not known (see MODEL_PRICES)" if microdollars is None else f"{microdollars / 1_000_000:.6f} USD"
