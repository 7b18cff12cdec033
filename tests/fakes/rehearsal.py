"""Imported where processes are forked off: a booking played in memory, so that each of them knows its lines.

What is compiled and looked up at the first turn is then there from the start, which shortens a life by half.
"""

import tempfile
from pathlib import Path

from tests.databases import SqliteTemplate
from tests.fakes.twilio import START
from tests.stage import Stage

with tempfile.TemporaryDirectory(prefix="horacerta-rehearsal-") as folder:
    template = SqliteTemplate(Path(folder))
    db = template.copy(Path(folder))
    stage = Stage(db, START)
    for said in ("marca corte quinta 10h com a Ana", "sim"):
        stage.say(said)
    assert stage.appointments
    db.dispose()
