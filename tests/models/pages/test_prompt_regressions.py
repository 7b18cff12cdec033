"""A reason that became more frequent with new instructions is named; chance and small numbers are not."""

from collections import Counter
from datetime import UTC, datetime, timedelta

import pytest

from models.handoff import Reason
from models.pages.prompt_regressions import Era, eras, jumps

T0 = datetime(2026, 11, 1, tzinfo=UTC)
CUT, ASKED = Reason.RESPOSTA_TRUNCADA, Reason.PEDIDO_DO_CLIENTE


def era(version: str, day: int, runs: int, **handoffs: int) -> Era:
    counted = Counter({Reason[name]: number for name, number in handoffs.items()})
    return Era(version, T0 + timedelta(days=day), runs, counted)


@pytest.mark.parametrize(
    ("was", "runs_before", "now", "runs", "jumps_up"),
    [
        (2, 400, 20, 400, True),  # 0.5 % → 5 %
        (0, 300, 10, 300, True),
        (0, 300, 3, 300, False),  # three are no story
        (20, 400, 30, 400, False),  # half as many again: chance
        (200, 400, 390, 400, False),  # certainly more, but not twice as often
        (20, 400, 2, 400, False),  # a fall
        (0, 29, 20, 400, False),  # too little to compare with
        (2, 400, 20, 29, False),
        (400, 400, 400, 400, False),
    ],
)
def test_what_is_a_jump(was: int, runs_before: int, now: int, runs: int, jumps_up: bool) -> None:
    found = jumps([era("a", 0, runs_before, RESPOSTA_TRUNCADA=was), era("b", 9, runs, RESPOSTA_TRUNCADA=now)])
    assert [jump.reason for jump in found] == ([CUT] if jumps_up else [])
    for jump in found:
        assert (jump.was, jump.runs_before, jump.now, jump.runs) == (was, runs_before, now, runs)
        assert jump.since == T0 + timedelta(days=9)


def test_only_the_reason_that_jumped_is_named() -> None:
    before = era("a", 0, 1000, RESPOSTA_TRUNCADA=5, PEDIDO_DO_CLIENTE=80)
    after = era("b", 9, 500, RESPOSTA_TRUNCADA=40, PEDIDO_DO_CLIENTE=41)
    assert [jump.reason for jump in jumps([before, after])] == [CUT]


def test_short_eras_are_taken_together_as_what_was_before() -> None:
    """Someone who edits the business's data five times in a morning makes five versions."""
    short = [era(f"v{day}", day, 45, RESPOSTA_TRUNCADA=1) for day in range(5)]
    (jump,) = jumps([*short, era("new", 9, 200, RESPOSTA_TRUNCADA=30)])
    assert (jump.was, jump.runs_before) == (5, 225)


def test_one_jump_is_told_once() -> None:
    """What stays high after it is no jump of the next version."""
    told = jumps(
        [
            era("a", 0, 400),
            era("b", 5, 300, RESPOSTA_TRUNCADA=30),
            era("c", 9, 300, RESPOSTA_TRUNCADA=30),
        ]
    )
    assert [jump.since for jump in told] == [T0 + timedelta(days=5)]


def test_eras_are_what_follows_one_another() -> None:
    """A version that was taken back is an era again, not part of its first one."""
    parts = [
        era("a", 4, 3),
        era("b", 2, 5, PEDIDO_DO_CLIENTE=1),
        era("a", 0, 10),
        era("b", 3, 5, PEDIDO_DO_CLIENTE=2),
        era("a", 1, 10, RESPOSTA_TRUNCADA=1),
    ]
    assert [(each.version, each.runs) for each in eras(parts)] == [("a", 20), ("b", 10), ("a", 3)]
    assert eras(parts)[1].handoffs == {ASKED: 3}
    assert eras([]) == []
    assert jumps([]) == []
