"""What came of the tasks: a line each, the figures over all of them, and everything as JSON."""

from collections.abc import Sequence
from typing import Any

from bot.evals.runner import Result
from bot.evals.score import pass_hat


def line(results: Sequence[Result]) -> str:
    """One task: how many of its trials passed, and what was wrong with the first that did not."""
    scored = [result for result in results if result.verdict.scored]
    passed = sum(result.verdict.passed for result in scored)
    mark = "ok  " if scored and passed == len(scored) else "FAIL"
    head = f"{mark}  {results[0].task.name:<24} {passed}/{len(scored)}"
    left_out = len(results) - len(scored)
    notes = [f"{left_out} without a model"] if left_out else []
    notes += [result.verdict.failures[0] for result in scored if result.verdict.failures][:1]
    return "  ".join([head, *notes])


def summary(tasks: Sequence[Sequence[Result]], trials: int) -> list[str]:
    """The figures over all tasks."""
    every = [result for results in tasks for result in results]
    tokens = f"{sum(one.input_tokens for one in every)} in, {sum(one.output_tokens for one in every)} out"
    return [
        *(f"pass^{k}: {_share(value)}" for k, value in _hats(tasks, trials).items()),
        f"unwanted side effects: {sum(len(one.verdict.side_effects) for one in every)}",
        f"tokens: {tokens}; cost: {_dollars(_cost(every))}",
    ]


def document(tasks: Sequence[Sequence[Result]], trials: int, provider: str, model: str) -> dict[str, Any]:
    """Everything, for a JSON file."""
    every = [result for results in tasks for result in results]
    return {
        "provider": provider,
        "model": model,
        "trials": trials,
        "pass": {str(k): value for k, value in _hats(tasks, trials).items()},
        "side_effects": sum(len(one.verdict.side_effects) for one in every),
        "not_scored": sum(not one.verdict.scored for one in every),
        "input_tokens": sum(one.input_tokens for one in every),
        "output_tokens": sum(one.output_tokens for one in every),
        "cost_microdollars": _cost(every),
        "results": [_entry(one) for one in every],
    }


def _entry(one: Result) -> dict[str, Any]:
    return {
        "task": one.task.name,
        "trial": one.trial,
        "passed": one.verdict.passed,
        "scored": one.verdict.scored,
        "failures": list(one.verdict.failures),
        "side_effects": list(one.verdict.side_effects),
        "handoffs": list(one.played.handoffs),
        "visits": [visit.model_dump(mode="json") for visit in one.played.visits],
        "input_tokens": one.input_tokens,
        "output_tokens": one.output_tokens,
        "cost_microdollars": one.microdollars,
        "seconds": round(one.seconds, 3),
        "lines": [{"author": author, "text": text} for author, text in one.played.lines],
    }


def _hats(tasks: Sequence[Sequence[Result]], trials: int) -> dict[int, float | None]:
    passed = [[one.verdict.passed for one in results if one.verdict.scored] for results in tasks]
    return {k: pass_hat(passed, k) for k in range(1, trials + 1)}


def _cost(results: Sequence[Result]) -> int | None:
    costs = [one.microdollars for one in results]
    return None if None in costs else sum(cost or 0 for cost in costs)


def _share(value: float | None) -> str:
    return "no task was scored so often" if value is None else f"{value:.3f}"


def _dollars(microdollars: int | None) -> str:
    return "not known (see MODEL_PRICES)" if microdollars is None else f"{microdollars / 1_000_000:.6f} USD"
