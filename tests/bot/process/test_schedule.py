"""When the sweeps run."""

from datetime import UTC, datetime

from bot.process import periodic_jobs, schedule
from models.db import Database
from tests.bot.edge import Edge


def test_the_first_look_for_gaps_does_not_wait(sqlite_db: Database) -> None:
    """Customers may have written while the program was down. The others come at their own pace."""
    with Edge(sqlite_db) as edge:
        made = schedule.scheduler(edge.services)
        made.start(paused=True)
        first = {job.id: job.next_run_time for job in made.get_jobs()}
        made.shutdown()
    assert set(first) == {sweep.__name__ for sweep in schedule.EVERY}
    wait = first[periodic_jobs.fill_gaps.__name__] - datetime.now(UTC)
    assert wait <= schedule.SOON
    assert first[periodic_jobs.settle_sends.__name__] - datetime.now(UTC) > schedule.SOON
