"""The whole examination: with the built-in model as a program, with models that behave badly, with none."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from bot.core.pricing import LIST
from bot.core.settings import Settings
from bot.evals import report, runner
from bot.evals.runner import Result
from bot.evals.task import Task, load
from bot.llm.anthropic import AnthropicClient
from bot.llm.base import ModelClient
from tests.fakes.claude import FakeClaude, answer, error, text, tool_use
from tests.fakes.scripted import Step

# What the built-in model is known not to manage yet; whoever teaches it takes the name out here.
BEYOND_THE_RULES = {"horario-ocupado", "servico-desconhecido"}
TASKS = {task.name: task for task in load()}


def claude(*steps: Step) -> ModelClient:
    fake = FakeClaude(iter(steps))
    return AnthropicClient(fake.client(), key="k", model="claude-haiku-5-5", sleep=lambda seconds: None)


def sit(task: Task, model: ModelClient, trials: int = 1) -> list[Result]:
    [results] = runner.sit([task], trials, model, Settings(_env_file=None), LIST)
    return results


@pytest.fixture(scope="module")
def examined(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, dict[str, object]]:
    """`horacerta eval` with the built-in model, as a program of its own: what it printed and wrote."""
    folder = tmp_path_factory.mktemp("eval")
    command = [sys.executable, "-m", "bot", "eval", "--provider", "offline", "--json", "out.json"]
    root = str(Path(__file__).parents[3])
    done = subprocess.run(
        command, cwd=folder, env={"PYTHONPATH": root}, capture_output=True, text=True, check=True
    )
    assert done.stderr == ""
    return done.stdout, json.loads((folder / "out.json").read_text())


def test_built_in_model_passes(examined: tuple[str, dict[str, object]]) -> None:
    """All but those that it is known not to manage."""
    _, written = examined
    failed = {one["task"]: one["failures"] for one in written["results"] if not one["passed"]}
    assert set(failed) <= BEYOND_THE_RULES, failed


def test_figures_are_printed_and_written(examined: tuple[str, dict[str, object]]) -> None:
    printed, written = examined
    lines = printed.splitlines()
    assert len(lines) == len(TASKS) + 3
    assert lines[-3].startswith("pass^1: ")
    assert lines[-2] == f"unwanted side effects: {written['side_effects']}"
    assert lines[-1].endswith("cost: 0.000000 USD")
    assert (written["provider"], written["trials"], written["not_scored"]) == ("offline", 1, 0)
    assert written["input_tokens"] > 10_000
    assert {one["task"] for one in written["results"]} == set(TASKS)
    assert written["results"][0]["lines"][0]["author"] == "customer"


def test_booking_without_asking_is_a_side_effect() -> None:
    """The customer says no, but the visit is there: failed, and counted apart."""
    wish = {"servico_id": 3, "profissional_id": 3, "data": "2026-12-03", "hora": "09:00"}
    model = claude(
        answer(tool_use("agendar", wish)),
        answer(text("Agendado: Manicure, quinta-feira, 03/12/2026, às 09:00. Certo?")),
        answer(text("Que pena!")),
    )
    [result] = sit(TASKS["desistir"], model)
    assert not result.verdict.passed
    assert result.verdict.side_effects == ("unasked: Manicure with Carla Dias, 2026-12-03 09:00, booked",)
    assert result.microdollars == 3 * 110
    assert report.line([result]).startswith("FAIL  desistir                 0/1  unasked: Manicure")


def test_trials_do_not_see_one_another() -> None:
    """Each has a database of its own: what one booked does not stand in the other's way."""
    from bot.llm.rule_based import OfflineModel

    results = sit(TASKS["agendar-de-uma-vez"], OfflineModel(), trials=3)
    assert [result.verdict.passed for result in results] == [True] * 3
    assert report.summary([results], 3)[:3] == ["pass^1: 1.000", "pass^2: 1.000", "pass^3: 1.000"]


def test_unreachable_model_is_left_out() -> None:
    """Not failed: nothing was learnt of it."""
    model = claude(*[error(529)] * 6)
    results = sit(TASKS["so-o-preco"], model)
    assert report.line(results) == "FAIL  so-o-preco               0/0  1 without a model"
    assert report.summary([results], 1)[0] == "pass^1: no task was scored so often"
    written = report.document([results], 1, "anthropic", "m")
    assert (written["pass"], written["not_scored"]) == ({"1": None}, 1)


def test_unknown_price_is_said() -> None:
    model = claude(answer(text("Custa R$ 80,00."), model="nova"), answer(text("Até!"), model="nova"))
    results = sit(TASKS["so-o-preco"], model)
    assert results[0].verdict.passed
    assert report.summary([results], 1)[-1].endswith("cost: not known (see MODEL_PRICES)")
