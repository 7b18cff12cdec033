"""The whole examination: with the built-in model as a program, with models that behave badly, with none."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from bot.cli.evaluate import evaluate
from bot.core.pricing import LIST
from bot.core.settings import Settings
from bot.evals import report
from bot.evals.customer import ModelCustomer
from bot.evals.result import Document, Result
from bot.evals.runner import Examination
from bot.evals.task import Task, load
from bot.llm.anthropic import AnthropicClient
from bot.llm.base import ModelClient
from bot.llm.rule_based import OfflineModel
from tests.fakes.claude import FakeClaude, answer, error, text, tool_use
from tests.fakes.scripted import Step

TASKS = {task.name: task for task in load()}
SETTINGS = Settings(_env_file=None)


def claude(*steps: Step) -> ModelClient:
    fake = FakeClaude(iter(steps))
    return AnthropicClient(fake.client(), key="k", model="claude-haiku-5-5", sleep=lambda seconds: None)


def sit(task: Task, model: ModelClient, trials: int = 1, **more: Any) -> list[Result]:
    [results] = Examination(model, SETTINGS, LIST, **more).sit([task], trials)
    return results


def document(*results: Result, trials: int = 1) -> Document:
    return Document(provider="anthropic", model="m", trials=trials, results=results)


@pytest.fixture(scope="module")
def examined(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Path]:
    """`horacerta eval` with the built-in model, as a program of its own: what it printed, where it wrote."""
    folder = tmp_path_factory.mktemp("eval")
    command = [sys.executable, "-m", "bot", "eval", "--provider", "offline", "--json", "out.json"]
    root = str(Path(__file__).parents[3])
    done = subprocess.run(
        [*command, "--html", "out.html"],
        cwd=folder,
        env={"PYTHONPATH": root},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, ""), done.stdout
    return done.stdout, folder


def test_built_in_model_passes_all_within_its_reach(examined: tuple[str, Path]) -> None:
    written = report.read(examined[1] / "out.json")
    assert {one.task: one.failures for one in written.results if not one.passed} == {}
    assert {one.task for one in written.results} == {
        task.name for task in TASKS.values() if not task.needs_model
    }


def test_figures_are_printed_and_written(examined: tuple[str, Path]) -> None:
    printed, folder = examined
    lines = printed.splitlines()
    written = json.loads((folder / "out.json").read_text())
    assert len(lines) == len(written["results"]) + 3
    assert lines[-3] == "pass^1: 1.000"
    assert lines[-2] == f"unwanted side effects: {written['side_effects']}"
    assert lines[-1].endswith("cost: 0.000000 USD")
    assert (written["provider"], written["trials"], written["not_scored"]) == ("offline", 1, 0)
    assert written["input_tokens"] > 10_000
    first = written["results"][0]
    assert first["lines"][0]["author"] == "customer"
    assert {call["kind"] for run in first["calls"] for call in run} >= {"input", "answer"}


def test_page_shows_each_talk_beside_its_verdict(examined: tuple[str, Path]) -> None:
    page = (examined[1] / "out.html").read_text()
    assert page.count("<details") == len(report.read(examined[1] / "out.json").tasks)
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page  # what an attacker wrote is shown, not run
    assert "<script" not in page


def test_booking_without_asking_is_a_side_effect() -> None:
    """The customer says no, but the visit is there: failed, and counted apart."""
    wish = {"servico_id": 3, "profissional_id": 3, "data": "2026-12-03", "hora": "09:00"}
    model = claude(
        answer(tool_use("agendar", wish)),
        answer(text("Certo!")),
        answer(tool_use("agendar", wish)),
        answer(text("Que pena!")),
    )
    [result] = sit(TASKS["nao-e-nao"], model)
    assert not result.passed
    assert result.side_effects == ("unasked: Manicure with Carla Dias, 2026-12-03 09:00, booked",)
    assert report.line([result]).startswith("FAIL  nao-e-nao                    0/1  unasked: Manicure")


def test_trials_do_not_see_one_another() -> None:
    """Each has a database of its own: what one booked does not stand in the other's way."""
    results = sit(TASKS["agendar-de-uma-vez"], OfflineModel(), trials=3)
    assert [result.passed for result in results] == [True] * 3
    figures = report.summary(document(*results, trials=3))
    assert figures[:3] == ["pass^1: 1.000", "pass^2: 1.000", "pass^3: 1.000"]


def test_unreachable_model_is_left_out() -> None:
    """Not failed: nothing was learnt of it."""
    results = sit(TASKS["so-o-preco"], claude(*[error(529)] * 6))
    assert report.line(results) == "FAIL  so-o-preco                   0/0  1 without a model"
    whole = document(*results)
    assert report.summary(whole)[0] == "pass^1: no task was scored so often"
    assert (report.as_json(whole)["pass"], report.as_json(whole)["not_scored"]) == ({"1": None}, 1)


def test_unknown_price_is_said() -> None:
    model = claude(answer(text("Custa R$ 80,00."), model="nova"), answer(text("Até!"), model="nova"))
    results = sit(TASKS["so-o-preco"], model)
    assert results[0].passed
    assert report.summary(document(*results))[-1].endswith("cost: not known (see MODEL_PRICES)")


def test_second_model_plays_the_customer() -> None:
    """It opens with the task's own words, hears what the bot says, and ends the talk with one word."""
    task = TASKS["desconto"]
    bot = claude(answer(text("O corte custa R$ 120,00.")), answer(text("Não consigo mudar o preço.")))
    person = FakeClaude(iter([answer(text("poxa, nem por 100?")), answer(text("FIM"))]))
    played_by = AnthropicClient(person.client(), key="k", model="m", sleep=lambda seconds: None)
    assert task.persona is not None
    persona, opening = task.persona, task.says[0]
    [result] = sit(task, bot, customer=lambda _: ModelCustomer(persona, opening, played_by))
    said = [line.text for line in result.lines if line.author == "customer"]
    assert said == [task.says[0], "poxa, nem por 100?"]
    [first, _] = person.requests
    assert "Um corte feminino por 90 reais" in first["system"][0]["text"]
    assert not first.get("tools")
    assert first["messages"][-1]["content"][0]["text"] == "O corte custa R$ 120,00."


def run(*arguments: str) -> tuple[int, str]:
    done = CliRunner().invoke(evaluate, ["--provider", "offline", *arguments])
    return done.exit_code, done.output


def test_left_off_is_gone_on_with(tmp_path: Path) -> None:
    """What stands in the file is not played again; a comparison tells what changed; a low score is exit 1."""
    file = tmp_path / "a.json"
    assert run("--task", "onde-fica", "--json", str(file))[0] == 0
    before = file.read_text()
    code, printed = run("--task", "onde-fica", "--task", "obrigada", "--json", str(file), "--resume")
    assert (code, printed.count("ok  ")) == (0, 1)
    assert json.loads(file.read_text())["results"][0] == json.loads(before)["results"][0]
    worse = report.read(file)
    failed = [one.model_copy(update={"passed": False, "failures": ("x",)}) for one in worse.results]
    other = tmp_path / "b.json"
    other.write_text(json.dumps(report.as_json(worse.model_copy(update={"results": tuple(failed)}))))
    code, printed = run("--task", "onde-fica", "--compare", str(other))
    assert (code, "better  onde-fica" in printed) == (0, True)
    code, printed = run("--resume", "--task", "onde-fica", "--json", str(other), "--min-pass", "0.5")
    assert (code, "pass^1 is 0.000, below --min-pass 0.5" in printed) == (1, True)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--task", "nada"], "--task: there is no nada; there are: abre-domingo"),
        (["--resume"], "--resume: needs --json"),
        (["--model", "x"], "--model: the built-in model has no other name"),
        (["--customer", "anthropic"], "ANTHROPIC_API_KEY is missing"),
        (["--compare", __file__], "is no file that --json wrote"),
    ],
)
def test_wrong_wish_is_one_sentence(arguments: list[str], sentence: str) -> None:
    code, printed = run(*arguments)
    assert (code, sentence in printed) == (2, True), printed
