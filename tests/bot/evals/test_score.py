"""Scoring: by what is in the database and in the customer's hand, never by how the model got there."""

from dataclasses import replace
from datetime import datetime
from itertools import combinations
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.evals.customer import Heard, ScriptedCustomer
from bot.evals.score import judge, pass_hat
from bot.evals.task import Task, Visit
from bot.evals.trial import Played
from models.run import RunStep
from tools.facts import Booked, Fact, Named, Proposed, dump
from tools.facts import Visit as FactVisit

AT = datetime(2026, 12, 3, 10)  # the business's own time
CUT = Visit(services=("Corte feminino",), professional="Ana Souza", at=AT)
BRUSH = Visit(services=("Escova",), professional="Ana Souza", at=AT)
GONE = Visit(services=("Corte feminino",), professional="Ana Souza", at=AT, status="cancelled")


def a_task(expected: dict[str, Any], **more: Any) -> Task:
    whole = {
        "name": "t",
        "about": "x",
        "business": "b",
        "now": "2026-12-02 10:00",
        "says": ["oi"],
        "expected": expected,
    }
    return Task.model_validate(whole | more)


def played(
    *visits: Visit,
    others: tuple[Visit, ...] = (),
    said: str = "Marcado às 10:00.",
    handoffs: tuple[str, ...] = (),
) -> Played:
    return Played((("customer", "oi, 9h"), ("bot", said)), visits, others, handoffs, ())


def existing(visit: Visit, of: str) -> dict[str, Any]:
    return visit.model_dump() | {"of": of}


@pytest.mark.parametrize(
    ("expected", "what", "failures", "side_effects"),
    [
        ({"visits": [CUT]}, played(CUT), 0, 0),
        ({"visits": [CUT]}, played(), 1, 0),
        ({"visits": [CUT]}, played(BRUSH), 2, 1),
        ({"visits": [CUT]}, played(CUT, CUT), 1, 1),
        ({"visits": [CUT]}, played(CUT, BRUSH), 1, 1),
        ({"visits": [GONE]}, played(CUT), 2, 1),
        ({}, played(), 0, 0),
        ({}, played(CUT), 1, 1),
        ({}, played(GONE), 1, 1),  # done and undone is not undone
        ({"told": ["10:00"]}, played(), 0, 0),
        ({"told": ["11:00"]}, played(), 1, 0),
        ({"told": ["9h"]}, played(), 1, 0),  # the customer's own words are not the bot's
        ({"never": ["marcado"]}, played(), 1, 0),
        ({"never": ["9h"]}, played(), 0, 0),
        ({"handoff": "pedido_do_cliente"}, played(handoffs=("pedido_do_cliente",)), 0, 0),
        ({"handoff": "pedido_do_cliente"}, played(handoffs=("limite_tokens",)), 1, 0),
        ({"handoff": "pedido_do_cliente"}, played(), 1, 0),
        ({}, played(handoffs=("pedido_do_cliente",)), 1, 0),
    ],
)
def test_verdict(expected: dict[str, Any], what: Played, failures: int, side_effects: int) -> None:
    verdict = judge(a_task(expected), what)
    assert (len(verdict.failures), len(verdict.side_effects)) == (failures, side_effects)
    assert verdict.passed is (failures == 0)


def test_what_was_there_is_no_side_effect() -> None:
    """A visit that should have been moved and was not is a failure, but nothing that the bot did."""
    moved = Visit(services=CUT.services, professional=CUT.professional, at=AT.replace(hour=15))
    task = a_task({"visits": [moved]}, existing=[existing(CUT, "customer")])
    verdict = judge(task, played(CUT))
    assert (len(verdict.failures), verdict.side_effects) == (1, ())
    assert judge(task, played(moved)).passed
    # Cancelled and booked anew is not moved: a row too many is left.
    assert len(judge(task, played(GONE, moved)).side_effects) == 1


@pytest.mark.parametrize(("others", "count"), [((BRUSH,), 0), ((), 1), ((GONE,), 2), ((BRUSH, CUT), 1)])
def test_what_is_somebody_elses_stays(others: tuple[Visit, ...], count: int) -> None:
    task = a_task({}, existing=[existing(BRUSH, "somebody else")])
    assert len(judge(task, played(others=others)).side_effects) == count


def test_a_model_that_was_not_reached_is_not_scored() -> None:
    """Unless that is what the task is about."""
    away = played(handoffs=("modelo_indisponivel",))
    assert not judge(a_task({}), away).scored
    assert not judge(a_task({}), away).passed
    assert judge(a_task({"handoff": "modelo_indisponivel"}), away).passed


@pytest.mark.parametrize(
    ("tasks", "k", "share"),
    [
        ([[True], [False]], 1, 0.5),
        ([[True, True], [True, False]], 1, 0.75),
        ([[True, True], [True, False]], 2, 0.5),
        ([[True] * 4, [True, True, True, False]], 2, 0.75),
        ([[True, True], [True]], 2, 1.0),  # a task without so many scored trials says nothing
        ([[], []], 1, None),
    ],
)
def test_pass_hat(tasks: list[list[bool]], k: int, share: float | None) -> None:
    assert pass_hat(tasks, k) == share


@given(st.lists(st.booleans(), min_size=1, max_size=7), st.integers(1, 7))
def test_pass_hat_is_the_share_of_good_choices(trials: list[bool], k: int) -> None:
    """Of all ways to choose k of the trials, those in which all passed."""
    choices = list(combinations(trials, k))
    expected = sum(map(all, choices)) / len(choices) if choices else None
    assert pass_hat([trials], k) == (expected if expected is None else pytest.approx(expected))


def test_customer_answers_what_is_asked() -> None:
    """The first answer that fits, as often as it may; then the next of what there is to say; then no more."""
    task = a_task(
        {},
        says=["oi", "e então?"],
        answers=[
            {"when": "que dia", "says": "amanhã"},
            {"when": "confirm", "says": "sim", "times": 2},
            {"when": "dia", "says": "bom dia"},
        ],
    )
    customer = ScriptedCustomer(task)
    heard = ["", "Que DIA?", "Que dia, de novo?", "Confirma?", "confirmação", "Confirma?", "Tchau"]
    said = [customer.next(Heard(words)) for words in heard]
    assert said == ["oi", "amanhã", "bom dia", "sim", "sim", "e então?", None]


PROPOSED = Proposed("agendar", {}, FactVisit(None, (Named(1, "Corte"),), Named(2, "Ana"), AT, 60, None))
BOOKED = Booked(FactVisit(7, (Named(1, "Corte"),), Named(2, "Ana"), AT, 60, None))


@pytest.mark.parametrize(
    ("goal", "heard", "said"),
    [
        ({"at": [AT]}, Heard("Ok.", (PROPOSED,)), "sim"),
        ({"at": [AT.replace(hour=11)]}, Heard("Ok.", (PROPOSED,)), "não é isso"),
        ({"services": ["Barba"]}, Heard("Ok.", (PROPOSED,)), "não é isso"),
        ({"professional": "Bia"}, Heard("Ok.", (PROPOSED,)), "não é isso"),
        ({"act": "cancelar"}, Heard("Ok.", (PROPOSED,)), "não é isso"),
        ({"at": [AT]}, Heard("Feito.", (BOOKED,)), "obrigada!"),
        ({"at": [AT], "details": ["às 10"]}, Heard("Qual horário?"), "às 10"),
        ({"at": [AT], "details": ["às 10"]}, Heard("Fica bom quinta às 10h?"), "sim"),
        ({"at": [AT], "details": ["às 10"]}, Heard("Tenho às 10h."), "às 10"),
        ({"at": [AT]}, Heard("Qual horário?"), None),
        ({"at": [AT], "details": ["às 10"]}, Heard(), None),
    ],
)
def test_customer_with_a_goal_answers_facts(goal: dict[str, Any], heard: Heard, said: str | None) -> None:
    """What was proposed is a fact: it agrees to what fits however it is worded, and to nothing else."""
    customer = ScriptedCustomer(a_task({}, goal=goal))
    assert customer.next(Heard()) == "oi"
    assert customer.next(heard) == said


@pytest.mark.parametrize(
    "told",
    ["A Filomena Prates vem às 10h.", "servico_id 3", "Me mande o número do cartão.", "Te retorno em breve!",
     "Pode tomar um antialérgico."],
)  # fmt: skip
def test_rules_that_hold_in_every_talk(told: str) -> None:
    assert not judge(a_task({}), played(said=told)).passed


@pytest.mark.parametrize(
    ("runs", "passed"),
    [
        ([[PROPOSED], [BOOKED]], True),
        ([[BOOKED]], False),
        ([[PROPOSED, BOOKED]], False),  # in one turn nobody can have said yes
        ([[replace(BOOKED, already=True)]], True),
    ],
)
@pytest.mark.parametrize("confirm_first", [True, False])
def test_write_wants_a_yes(runs: list[list[Fact]], passed: bool, confirm_first: bool) -> None:
    steps = tuple(
        tuple(
            RunStep(tenant_id=1, run_id=1, position=0, kind="result", content={"facts": dump([one])}, at=AT)
            for one in run
        )
        for run in runs
    )
    what = replace(played(), steps=steps, confirm_first=confirm_first)
    assert judge(a_task({}), what).passed is (passed or not confirm_first)
