"""When the sweeps run."""

from datetime import UTC, datetime

from bot import sweeps, timers
from models.db import Database
from tests.bot.edge import Edge


def test_the_first_look_for_gaps_does_not_wait(sqlite_db: Database) -> None:
    """Customers may have written while the program was down. The others come at their own pace."""
    with Edge(sqlite_db) as edge:
        made = timers.scheduler(edge.services)
        made.start(paused=True)
        first = {job.id: job.next_run_time for job in made.get_jobs()}
        made.shutdown()
    assert set(first) == {sweep.__name__ for sweep in timers.EVERY}
    wait = first[sweeps.fill_gaps.__name__] - datetime.now(UTC)
    assert wait <= timers.SOON
    assert first[sweeps.settle_sends.__name__] - datetime.now(UTC) > timers.SOON
