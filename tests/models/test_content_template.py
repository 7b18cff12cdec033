"""Forms laid down at Twilio: each once an account, also when two workers make it at the same moment."""

from concurrent.futures import ThreadPoolExecutor
from datetime import datetime

from models import content_template
from models.db import Database

OURS, OTHERS = "AC" + "a" * 32, "AC" + "b" * 32


def keep(db: Database, now: datetime, account: str, digest: str, sid: str) -> None:
    with db.writing() as session:
        content_template.keep(session, now, account, digest, sid)


def find(db: Database, account: str, digest: str) -> str | None:
    with db.reading() as session:
        return content_template.find(session, account, digest)


def test_a_form_is_known_in_its_account_alone(db: Database, now: datetime) -> None:
    keep(db, now, OURS, "d", "HX1")
    assert find(db, OURS, "d") == "HX1"
    assert find(db, OTHERS, "d") is None
    assert find(db, OURS, "e") is None


def test_the_first_one_stands(db: Database, now: datetime) -> None:
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda number: keep(db, now, OURS, "d", f"HX{number}"), range(4)))
    first = find(db, OURS, "d")
    keep(db, now, OURS, "d", "HX9")
    assert first is not None
    assert find(db, OURS, "d") == first != "HX9"


def test_a_form_that_twilio_does_not_know_is_forgotten(db: Database, now: datetime) -> None:
    keep(db, now, OURS, "d", "HX1")
    keep(db, now, OTHERS, "d", "HX1")
    with db.writing() as session:
        assert content_template.forget(session, OURS, "HX1") == 1
    assert (find(db, OURS, "d"), find(db, OTHERS, "d")) == (None, "HX1")
