"""What a business lets people wait: read from its file, kept on the tenant."""

from datetime import datetime

import pytest
from sqlmodel import select

from models.business_file import BusinessFileErrors, parse, plan, render
from models.db import Database
from models.tenant import Tenant
from models.unanswered import Patience
from tests.models.businesses import BASE, MINIMAL, imported

LINE = BASE.count("\n") + 1  # of what is added at the end


def with_waits(text: str) -> str:
    return f"{BASE}handoff: {text}\n"


def stored(db: Database) -> tuple[int, int, int, int]:
    with db.reading() as session:
        tenant = session.exec(select(Tenant)).one()
    return (
        tenant.handoff_realert_minutes,
        tenant.handoff_second_text_minutes,
        tenant.handoff_release_minutes,
        tenant.handoff_reopen_minutes,
    )


def test_what_is_left_out_is_as_in_a_new_tenant() -> None:
    """The file's defaults are the columns' defaults: one is not changed without the other."""
    waits = parse(MINIMAL).waits
    assert vars(waits) == {name: Tenant.model_fields[name].get_default() for name in vars(waits)}


def test_waits_are_stored_changed_and_taken_away(db: Database, now: datetime) -> None:
    imported(db, BASE, now)
    assert stored(db) == (5, 15, 15, 120)
    text = "{realert_minutes: 2, second_text_minutes: 10, release_minutes: 8, reopen_minutes: 60}"
    assert "  handoff_realert_minutes: 5 → 2" in render(imported(db, with_waits(text), now))
    assert stored(db) == (2, 10, 8, 60)
    with db.reading() as session:
        assert plan(session, parse(with_waits(text)), now).changes == ()
        patience = Patience.of(session.exec(select(Tenant)).one())
    assert [int(each.total_seconds()) for each in vars(patience).values() if hasattr(each, "days")] == [
        120,
        600,
        480,
    ]
    imported(db, BASE, now)
    assert stored(db) == (5, 15, 15, 120)


@pytest.mark.parametrize("text", ["", "{}", "{realert_minutes: }"])
def test_empty_is_as_good_as_none(text: str) -> None:
    assert parse(with_waits(text)) == parse(BASE)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("{realert_minutes: 0}", '"realert_minutes" must be'),
        ("{release_minutes: 1441}", '"release_minutes" must be'),
        ("{second_text_minutes: soon}", '"second_text_minutes" must be'),
        ("[5]", '"handoff" must be a mapping of keys to values'),
        ("{realert: 5}", 'unknown key "realert" in "handoff"'),
    ],
)
def test_what_is_no_wait_is_named_with_its_line(text: str, sentence: str) -> None:
    with pytest.raises(BusinessFileErrors) as caught:
        parse(with_waits(text))
    (error,) = caught.value.errors
    assert error.line == LINE
    assert error.sentence.startswith(sentence)
