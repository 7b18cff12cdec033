"""How long a business keeps what customers left: read from its file, and never changed by accident."""

from datetime import datetime, timedelta

import pytest
from sqlmodel import select

from models.business_file import BusinessFileErrors, parse, plan, render
from models.customer import Customer
from models.db import Database
from models.tenant import Tenant
from tests.models.businesses import BASE, MINIMAL, imported

LINE = BASE.count("\n") + 1  # of what is added at the end


def with_retention(text: str) -> str:
    return f"{BASE}retention: {text}\n"


def stored(db: Database) -> tuple[int | None, int | None]:
    with db.reading() as session:
        tenant = session.exec(select(Tenant)).one()
    return tenant.retention_customers_days, tenant.retention_media_days


def add_customer(db: Database, since: datetime) -> None:
    with db.writing() as session:
        [tenant] = session.exec(select(Tenant)).all()
        session.add(Customer(tenant_id=tenant.id or 0, name="Maria", created_at=since))


def test_what_is_left_out_is_as_in_a_new_tenant() -> None:
    kept = parse(MINIMAL).retention
    assert vars(kept) == {name: Tenant.model_fields[name].get_default() for name in vars(kept)}


def test_times_are_stored_changed_and_taken_away(db: Database, now: datetime) -> None:
    imported(db, BASE, now)
    assert stored(db) == (None, None)
    text = with_retention("{customers_days: 365, media_days: 90}")
    assert "  retention_customers_days: (none) → 365" in render(imported(db, text, now))
    assert stored(db) == (365, 90)
    with db.reading() as session:
        assert plan(session, parse(text), now).changes == ()
    imported(db, BASE, now)
    assert stored(db) == (None, None)


def test_who_would_be_forgotten_is_counted_first(db: Database, now: datetime) -> None:
    """It cannot be taken back: what forgets people at once is not done without --force."""
    imported(db, BASE, now)
    for days in (31, 400, 400):
        add_customer(db, now - timedelta(days=days))
    text = with_retention("{customers_days: 365}")
    refused = imported(db, text, now)
    assert render(refused)[-2:] == [
        "2 customers would be forgotten for good within a day: silent for too long",
        "studio-bela: nothing was changed: repeat with --force",
    ]
    assert stored(db) == (None, None)
    assert "2 customers will be forgotten for good" in render(imported(db, text, now, force=True))[-2]
    assert stored(db) == (365, None)
    # Known already, or longer: nobody is asked again.
    assert imported(db, text, now).forgotten == 0
    assert imported(db, with_retention("{customers_days: 366}"), now).applied
    shorter = imported(db, with_retention("{customers_days: 30}"), now)
    assert (shorter.forgotten, shorter.applied) == (3, False)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("{customers_days: 29}", '"customers_days" must be'),
        ("{customers_days: 3661}", '"customers_days" must be'),
        ("{media_days: 0}", '"media_days" must be'),
        ("{media_days: soon}", '"media_days" must be'),
        ("[5]", '"retention" must be a mapping of keys to values'),
        ("{days: 5}", 'unknown key "days" in "retention"'),
    ],
)
def test_what_is_no_time_is_named_with_its_line(text: str, sentence: str) -> None:
    with pytest.raises(BusinessFileErrors) as caught:
        parse(with_retention(text))
    (error,) = caught.value.errors
    assert error.line == LINE
    assert error.sentence.startswith(sentence)
