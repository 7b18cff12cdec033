"""Whatever is delivered again, however often and whenever: the database is as after once."""

from collections.abc import Sequence
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlmodel import SQLModel

from models.db import Database
from tests.databases import empty
from tests.fakes.twilio import START
from tests.stage import Stage

BY_CHANCE = {"milliseconds"}  # how long something took
LINES = (
    "oi",
    "tem horário amanhã com a Ana para corte feminino?",
    "10:30",
    "sim",
    "não",
    "quero cancelar",
    "me coloca na lista de espera",
    "quero falar com uma pessoa",
    "parar",
    "voltar",
    "👍",
)
# What is said, and which of the lines so far come again before it is answered and after.
said = st.tuples(st.sampled_from(LINES), st.lists(st.integers(0, 9)), st.lists(st.integers(0, 9)))
BOOKING: list[tuple[str, list[int], list[int]]] = [
    ("tem horário amanhã com a Ana para corte feminino?", [0], [0, 0]),
    ("10:30", [0, 1], [1]),
    ("sim", [2, 2], [0, 1, 2]),
    ("quero cancelar", [2], [3]),
    ("sim", [], [2, 4]),
]


def played(db: Database, talk: Sequence[tuple[str, list[int], list[int]]], *, again: bool) -> dict[str, Any]:
    """All rows after the talk."""
    empty(db)
    stage = Stage(db, START)
    sids: list[str] = []
    for text, before, after in talk:
        sids.append(stage.deliver(text))
        repeat(stage, talk, sids, before if again else [])
        stage.work()
        repeat(stage, talk, sids, after if again else [])
        stage.work()
    return rows(db)


def repeat(stage: Stage, talk: Sequence[tuple[str, Any, Any]], sids: Sequence[str], which: list[int]) -> None:
    for number in which:
        place = number % len(sids)
        assert stage.deliver(talk[place][0], MessageSid=sids[place]) == sids[place]


def rows(db: Database) -> dict[str, Any]:
    with db.engine.connect() as connection:
        return {
            table.name: [
                {key: value for key, value in row.items() if key not in BY_CHANCE}
                for row in connection.execute(table.select().order_by(*table.primary_key.columns)).mappings()
            ]
            for table in SQLModel.metadata.sorted_tables
        }


def test_a_booking_that_is_delivered_again_at_every_step(db: Database) -> None:
    """And something does happen in it: a visit is booked and cancelled."""
    once = played(db, BOOKING, again=False)
    assert [row["status"] for row in once["appointment"]] == ["cancelled"]
    assert played(db, BOOKING, again=True) == once


@settings(max_examples=15, suppress_health_check=list(HealthCheck))
@given(talk=st.lists(said, min_size=1, max_size=5))
def test_any_talk(talk: list[tuple[str, list[int], list[int]]], sqlite_db: Database) -> None:
    assert played(sqlite_db, talk, again=True) == played(sqlite_db, talk, again=False)
