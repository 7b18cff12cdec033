"""`horacerta eval`: conversation tasks played with a model and scored."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args

import click
import httpx
from pydantic import ValidationError

from bot.cli.common import Problem, settings_given
from bot.core import log
from bot.core.http import ThreadClients
from bot.core.pricing import with_given
from bot.core.settings import Provider, Settings
from bot.evals import judge, report, task
from bot.evals.customer import Customer, ModelCustomer, ScriptedCustomer
from bot.evals.result import Document, Result
from bot.evals.runner import Examination, no_opinion
from bot.evals.task import Task
from bot.llm.base import ModelClient, ModelError
from bot.process import bootstrap

HELP = """Play the conversation tasks with a model, and score what became of them.

A trial passes if the rows at the end, what the customer was told, the hand-over and the rules for every
talk are as they must be; pass^k is the share of tasks of which k trials all pass. Exit code 1 where pass^1 is
below --min-pass.
"""


@click.command("eval", help=HELP)
@click.option(
    "--provider", type=click.Choice(get_args(Provider)), help="The model to examine (else LLM_PROVIDER)."
)
@click.option("--model", help="Its name, instead of the one in the settings.")
@click.option("--trials", type=click.IntRange(1, 100), default=1, show_default=True, help="Of each task.")
@click.option("--task", "names", multiple=True, help="Only this task; may be given again.")
@click.option(
    "--tasks",
    "folder",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    default=task.TASKS,
    help="A folder of task files of your own.",
)
@click.option("--all", "everything", is_flag=True, help="Also what is beyond the built-in rules, for them.")
@click.option(
    "--customer",
    type=click.Choice(get_args(Provider)),
    help="Let this provider's model play the customers that have a persona.",
)
@click.option(
    "--judge",
    "judged_by",
    type=click.Choice(get_args(Provider)),
    help="Ask this provider's model for a word on each talk; verdicts stay.",
)
@click.option(
    "--json",
    "file",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write everything here, after each task.",
)
@click.option("--resume", is_flag=True, help="Go on from what --json holds already.")
@click.option(
    "--html", type=click.Path(dir_okay=False, path_type=Path), help="Write a page to read the talks."
)
@click.option(
    "--compare",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Say which tasks changed since this --json file.",
)
@click.option("--min-pass", type=click.FloatRange(0, 1), default=1.0, show_default=True, help="Of pass^1.")
def evaluate(**options: Any) -> None:
    _examine(Options(**options))


@dataclass(frozen=True)
class Options:
    """What was asked for on the command line, by the names of its options."""

    provider: Provider | None
    model: str | None
    trials: int
    names: tuple[str, ...]
    folder: Path
    everything: bool
    customer: Provider | None
    judged_by: Provider | None
    file: Path | None
    resume: bool
    html: Path | None
    compare: Path | None
    min_pass: float


def _examine(wanted: Options) -> None:
    settings = _settings(wanted)
    log.configure("CRITICAL", settings.log_format)
    client = _client(settings.provider, settings)
    tasks = _chosen(wanted, beyond_rules=wanted.everything or settings.provider != "offline")
    before = _read(wanted.compare) if wanted.compare else None
    document = _begun(wanted, settings.provider, client.model)
    examination = Examination(
        client,
        settings,
        with_given(settings.model_prices),
        customer=_customers(_client(wanted.customer, settings) if wanted.customer else None),
        opinion=judge.asking(_client(wanted.judged_by, settings)) if wanted.judged_by else no_opinion,
        done={(one.task, one.trial) for one in document.results},
    )
    try:
        for results in examination.sit(tasks, wanted.trials):
            document = document.with_results(results)
            _tell(results, document, wanted.file)
    except ModelError as error:
        raise click.ClickException(f"the customer's or judge's model gave no answer: {error}") from None
    click.echo("\n".join(report.summary(document)))
    if before is not None:
        click.echo("\n".join(report.changes(before, document)))
    if wanted.html is not None:
        wanted.html.write_text(report.page(document, tasks), "utf-8")
    _end(document, wanted.min_pass)


def _settings(wanted: Options) -> Settings:
    settings = settings_given(llm_provider=wanted.provider)
    if wanted.model is None:
        return settings
    if settings.provider == "offline":
        raise Problem("--model: the built-in model has no other name")
    return settings.model_copy(update={f"{settings.provider}_model": wanted.model})


def _client(provider: Provider, settings: Settings) -> ModelClient:
    if provider == "anthropic" and not settings.anthropic_api_key:
        raise Problem("ANTHROPIC_API_KEY is missing")
    if provider == "openai" and not settings.openai_model:
        raise Problem("OPENAI_MODEL is missing")
    return bootstrap.provider_client(provider, settings, ThreadClients(verify=httpx.create_ssl_context()))


def _chosen(wanted: Options, *, beyond_rules: bool) -> list[Task]:
    try:
        tasks = task.load(wanted.folder)
    except ValidationError as error:
        raise Problem(f"--tasks: {error.errors()[0]['msg']}") from None
    known = {one.name for one in tasks}
    if unknown := sorted(set(wanted.names) - known):
        raise Problem(f"--task: there is no {', '.join(unknown)}; there are: {', '.join(sorted(known))}")
    if wanted.names:
        return [one for one in tasks if one.name in wanted.names]
    return [one for one in tasks if beyond_rules or not one.needs_model]


def _customers(model: ModelClient | None) -> Callable[[Task], Customer]:
    def made(one: Task) -> Customer:
        if model is None or one.persona is None:
            return ScriptedCustomer(one)
        return ModelCustomer(one.persona, one.says[0], model)

    return made


def _begun(wanted: Options, provider: str, model: str) -> Document:
    """An empty examination, or with --resume the one that was left off."""
    played_by = wanted.customer or "scripted"
    empty = Document(provider=provider, model=model, customer=played_by, trials=wanted.trials)
    if not wanted.resume:
        return empty
    if wanted.file is None:
        raise Problem("--resume: needs --json, the file to go on from")
    if not wanted.file.exists():
        return empty
    found = _read(wanted.file)
    if (found.provider, found.model, found.customer) != (provider, model, played_by):
        raise Problem(
            f"--resume: {wanted.file} is of {found.provider} {found.model}, customer {found.customer}"
        )
    return empty.with_results([one for one in found.results if one.trial <= wanted.trials and one.scored])


def _read(file: Path) -> Document:
    try:
        return report.read(file)
    except (OSError, ValidationError):
        raise Problem(f"{file} is no file that --json wrote") from None


def _tell(results: list[Result], document: Document, file: Path | None) -> None:
    if results:
        click.echo(report.line(results))
    if file is not None:  # whole after each task: what breaks off can be gone on with
        whole = json.dumps(report.as_json(document), ensure_ascii=False, indent=2)
        written = file.with_name(f"{file.name}.part")
        written.write_text(whole, "utf-8")
        written.replace(file)


def _end(document: Document, min_pass: float) -> None:
    passed = report.hats(document).get(1)
    if passed is None:
        raise click.ClickException(f"{document.model} was never reached; try: horacerta doctor")
    if passed < min_pass:
        raise click.ClickException(f"pass^1 is {passed:.3f}, below --min-pass {min_pass:g}")
