"""The approved templates of a business: named by their ContentSid, kept on the tenant."""

from datetime import datetime

import pytest
from sqlmodel import select

from models.business_file import BusinessFileErrors, parse, plan, render
from models.db import Database
from models.tenant import Tenant
from tests.models.businesses import BASE, imported

REMINDER, OFFER = "HX" + "0123456789abcdef" * 2, "HX" + "f" * 32
LINE = BASE.count("\n") + 1  # of what is added at the end


def with_templates(text: str) -> str:
    return f"{BASE}templates: {text}\n"


def stored(db: Database) -> tuple[str | None, str | None]:
    with db.reading() as session:
        tenant = session.exec(select(Tenant)).one()
        return tenant.template_reminder, tenant.template_waitlist_offer


def test_templates_are_stored_changed_and_taken_away(db: Database, now: datetime) -> None:
    imported(db, BASE, now)
    assert stored(db) == (None, None)
    both = with_templates(f"{{reminder: {REMINDER}, waitlist_offer: {OFFER}}}")
    assert f"  template_reminder: (none) → {REMINDER}" in render(imported(db, both, now))
    assert stored(db) == (REMINDER, OFFER)
    with db.reading() as session:
        assert plan(session, parse(both), now).changes == ()
    imported(db, with_templates(f"{{waitlist_offer: {OFFER}}}"), now)
    assert stored(db) == (None, OFFER)
    imported(db, BASE, now)
    assert stored(db) == (None, None)


@pytest.mark.parametrize("text", ["", "{}", "{reminder: }", "{reminder: null, waitlist_offer: null}"])
def test_empty_is_as_good_as_none(text: str) -> None:
    assert parse(with_templates(text)) == parse(BASE)


SID = 'must be a ContentSid: "HX" followed by 32 characters from 0-9 and a-f'


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("{reminder: HX123}", f'"reminder" {SID}'),
        (f"{{reminder: MM{'0' * 32}}}", f'"reminder" {SID}'),
        (f"{{waitlist_offer: {REMINDER}0}}", f'"waitlist_offer" {SID}'),
        (f"{{waitlist_offer: HX{'G' * 32}}}", f'"waitlist_offer" {SID}'),
        ("{reminder: [a]}", '"reminder" must be a single value'),
        (f"[{REMINDER}]", '"templates" must be a mapping of keys to values'),
        (
            f"{{reminders: {REMINDER}}}",
            'unknown key "reminders" in "templates" (did you mean "reminder"?); '
            "known keys: reminder, waitlist_offer, contact",
        ),
    ],
)
def test_what_is_no_template_is_named_with_its_line(text: str, sentence: str) -> None:
    with pytest.raises(BusinessFileErrors) as caught:
        parse(with_templates(text))
    assert [str(error) for error in caught.value.errors] == [f"line {LINE}: {sentence}"]
