"""What timers do: each a function of `(services, now)` that is safe to run twice."""

from datetime import datetime, timedelta

from bot.core.services import Services
from bot.escalation import unanswered
from bot.process import missed_messages, retention
from bot.sending import outbox
from models import worker

SILENT_AFTER = timedelta(minutes=10)


def settle_sends(services: Services, now: datetime) -> None:
    """Find out what became of sends whose outcome is not known."""
    outbox.settle(services, now)


def watch_queue(services: Services, now: datetime) -> None:
    """See to customers whom nobody answers."""
    unanswered.keep(services, now)


def fill_gaps(services: Services, now: datetime) -> None:
    """Fetch what customers wrote while nobody was at the door."""
    missed_messages.fill(services, now)


def forget_old(services: Services, now: datetime) -> None:
    """Let go of what businesses keep no longer."""
    retention.forget_old(services, now)


def forget_recordings(services: Services, _now: datetime) -> None:
    """Let no recording outlive the customer whom it was of."""
    retention.forget_recordings(services.db, services.settings.record_dir)


def delete_there(services: Services, now: datetime) -> None:
    """Delete at Twilio what is gone here."""
    retention.delete_there(services, now)


def forget_silent_workers(services: Services, now: datetime) -> None:
    with services.db.writing() as session:
        worker.forget_silent(session, now - SILENT_AFTER)
