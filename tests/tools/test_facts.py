"""Facts as JSON and back, as the tools make them and as old rows lack them."""

import json
from datetime import date, time

import pytest

from tests.fakes.visits import ANA, BEARD, BOOKED, CANCELLED, CUT, MOVED, at, visit
from tests.tools.conftest import Model
from tools import facts
from tools.facts import (
    Changed,
    Context,
    Fact,
    FreeOf,
    FreeStarts,
    Held,
    LeftWaitlist,
    NoneFree,
    Offer,
    PersonCalled,
    Picked,
    Proposed,
    Refused,
    Reminded,
    Services,
    Start,
    Upcoming,
    Waiting,
)

EACH: tuple[Fact, ...] = (
    Services((Offer(1, "Corte feminino", 60, None, (ANA,), more=2),), matched=False, shortened=True),
    FreeStarts(date(2026, 12, 3), (CUT, BEARD), (FreeOf(ANA, (time(9), time(10, 30)), 3),), "manha", 1),
    NoneFree(date(2026, 12, 3), (CUT,), "FOLGA", "folga", "Não há.", (Start(ANA, at(4, 9)),)),
    Upcoming((visit(at(3, 10, 30), CUT, BEARD, cents=None),)),
    Refused("OCUPADO", "Não dá.", {"hours": [[540, 720]]}, (Start(ANA, at(4, 9)),)),
    BOOKED,
    MOVED,
    CANCELLED,
    Waiting(CUT, date(2026, 12, 3), ANA, "tarde", already=True, window=True),
    Changed(visit(at(3, 16)), "cancelled"),
    PersonCalled("quer falar"),
    Proposed("agendar", {"servico_id": 1}, visit(at(3, 16), key=None)),
    Held(CUT, ANA, at(3, 16), at(2, 12)),
    LeftWaitlist("Corte feminino", date(2026, 12, 3)),
    Reminded(7),
    Picked(1, at(3, 16)),
    Context(at(2, 10), "Studio Bela", customer="Maria", lines=("oi",)),
)


def test_facts_survive_json() -> None:
    assert facts.load(json.loads(json.dumps(facts.dump(EACH)))) == EACH
    assert {fact["kind"] for fact in facts.dump(EACH)} == {fact.kind for fact in EACH}
    assert len({type(fact) for fact in EACH}) == len(Fact.__args__)


@pytest.mark.parametrize("stored", [[{"kind": "of tomorrow"}], [{"kind": "reminded"}], "x", [7]])
def test_what_is_no_fact_is_an_error(stored: object) -> None:
    with pytest.raises(ValueError, match="not facts"):
        facts.load(stored)


def test_a_row_from_before_has_none() -> None:
    assert facts.load(None) == ()


def test_a_write_found_again_has_the_facts_of_the_first(model: Model) -> None:
    """It was written in this turn, whoever tells of it; what became of it since is another fact."""
    wish = {"servico_id": 1, "profissional_id": 1, "data": "2026-12-04", "hora": "10:00"}
    first = model("agendar", turn="t", **wish)
    assert model("agendar", turn="t", **wish).facts == first.facts
    [booked] = first.facts
    assert isinstance(booked, facts.Booked)
    assert not booked.already
    assert (booked.visit.id, booked.visit.services, booked.visit.starts_at) == (1, (CUT,), at(4, 10))
    model("cancelar", agendamento_id=1)
    [changed] = model("agendar", turn="t", **wish).facts
    assert (type(changed), changed.kind) == (Changed, "changed")
