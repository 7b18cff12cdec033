"""When the sweeps run. APScheduler only ticks, with its memory store: the truth lives in rows."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import structlog
from apscheduler.schedulers.background import BackgroundScheduler

from bot.core.services import Services
from bot.escalation import staff_alerts
from bot.outreach import reminders, waitlist_offers
from bot.process import periodic_jobs

log = structlog.get_logger()

SOON = timedelta(seconds=5)
Sweep = Callable[[Services, datetime], None]
EVERY: dict[Sweep, int] = {  # seconds
    periodic_jobs.settle_sends: 15,
    periodic_jobs.watch_queue: 15,
    staff_alerts.tell: 10,
    reminders.send_due: 30,
    waitlist_offers.offer_freed: 30,
    periodic_jobs.fill_gaps: 300,
    periodic_jobs.forget_silent_workers: 600,
    periodic_jobs.delete_there: 60,
    periodic_jobs.forget_recordings: 60,
    periodic_jobs.forget_old: 24 * 3600,
}
# While nobody was here, customers may have written, and a day may have passed: the first look does not wait.
AT_ONCE: tuple[Sweep, ...] = (periodic_jobs.fill_gaps, periodic_jobs.forget_old)


def scheduler(services: Services) -> BackgroundScheduler:
    """A scheduler that is not started yet."""
    # Without a grace time of None a tick that comes a second late would be dropped.
    made = BackgroundScheduler(
        timezone=UTC, job_defaults={"coalesce": True, "max_instances": 1, "misfire_grace_time": None}
    )
    for sweep, seconds in EVERY.items():
        made.add_job(_tick, "interval", seconds=seconds, args=[services, sweep], id=sweep.__name__)
    for sweep in AT_ONCE:
        made.modify_job(sweep.__name__, next_run_time=datetime.now(UTC) + SOON)
    return made


def _tick(services: Services, sweep: Sweep) -> None:
    try:
        sweep(services, services.now())
    except Exception:  # the next tick tries again, and the other sweeps go on
        log.exception("sweep_failed", sweep=sweep.__name__)
