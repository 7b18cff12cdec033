"""The tasks that ship: whole, about businesses that ship, and such that their talk can be had."""

import re
from pathlib import Path

import pytest
from pydantic import ValidationError

from bot.evals.task import Task, business, found, load
from models import business_file
from tools.portuguese import folded

TASKS = load()


def test_there_are_tasks_of_every_kind() -> None:
    """Bookings, changes, cancellations, refusals, hand-overs, attacks, in five kinds of business."""
    assert len(TASKS) >= 60
    assert len({task.business for task in TASKS}) == 5
    assert sum(task.adversarial for task in TASKS) >= 20
    assert {task.language for task in TASKS} == {"pt", "es", "en"}
    assert {task.expected.handoff for task in TASKS} == {None, "any", "pedido_do_cliente"}
    assert {visit.status for task in TASKS for visit in task.expected.visits} == {"booked", "cancelled"}
    assert any(one.of != "customer" for task in TASKS for one in task.existing)


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.name)
def test_task_speaks_of_what_there_is(task: Task) -> None:
    """Every service and professional stands in the business's file, and offers that service."""
    file = business_file.load(business(task.business))
    offers = {person.name: set(person.services) for person in file.professionals}
    for visit in (*task.existing, *task.expected.visits):
        assert set(visit.services) <= offers[visit.professional]
        assert visit.at > task.now


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.name)
def test_task_demands_something_that_silence_does_not_give(task: Task) -> None:
    """A bot that never says a word passes none of them; its patterns are of folded text."""
    assert task.expected.told or task.expected.visits or task.expected.handoff or task.expected.never
    for pattern in (*task.expected.told, *task.expected.never, *(one.when for one in task.answers)):
        assert pattern == folded(pattern)
        assert not re.search(pattern, "")


@pytest.mark.parametrize(
    ("pattern", "text"), [("amanha", "AMANHÃ cedo"), ("nao (ha|tem)", "Não há"), ("10:00|10h", "às 10H")]
)
def test_patterns_heed_neither_case_nor_accents(pattern: str, text: str) -> None:
    assert found(pattern, text)


@pytest.mark.parametrize(
    "change",
    [
        "says: []",
        "now: '2026-12-02'",
        "expected: {visits: [], tip: 1}",
        "answers: [{when: '(', says: a}]",
        "expected: {handoff: nada}",
        "extra: 1",
    ],
)
def test_task_with_a_mistake_is_refused(change: str, tmp_path: Path) -> None:
    whole = {
        "about": "about: x",
        "business": "business: studio-bela",
        "now": "now: '2026-12-02 10:00'",
        "says": "says: [oi]",
        "expected": "expected: {}",
    }
    file = tmp_path / "a.yaml"
    file.write_text("\n".join(whole.values()))
    assert [task.name for task in load(tmp_path)] == ["a"]
    file.write_text("\n".join((whole | {change.split(":")[0]: change}).values()))
    with pytest.raises(ValidationError):
        load(tmp_path)
