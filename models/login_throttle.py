"""How often a password may be tried: whoever guesses is slowed down, and nobody else with them.

Failures are counted for an account from one network, for a network over all accounts, and, so that many
networks do not help, for an account over all of them, which never makes anybody wait for long. A browser that
has been in this account is counted by itself and waits for nobody else's failures.
"""

import hashlib
import ipaddress
import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import delete, func, select
from sqlmodel import Field, Session, SQLModel, col

from models.db import UtcDateTime, table


@dataclass(frozen=True)
class Limit:
    """After `free` failures within `window` the next try must wait: `first` since the last one, doubling."""

    free: int
    window: timedelta
    first: timedelta
    most: timedelta

    def wait(self, failures: int, last: datetime | None, now: datetime) -> int:
        """Whole seconds until the next try is heard; 0 for now."""
        if last is None or failures < self.free:
            return 0
        delay = min(self.first * (1 << min(failures - self.free, 20)), self.most)
        return max(0, math.ceil((last + delay - now).total_seconds()))


PER_GUESSER = Limit(5, timedelta(hours=12), timedelta(seconds=30), timedelta(minutes=15))
PER_ACCOUNT = Limit(50, timedelta(hours=12), timedelta(seconds=2), timedelta(seconds=10))
# Wider, and never for long: a whole shop shares one address, and one person's typing must not shut it out.
PER_ADDRESS = Limit(30, timedelta(minutes=15), timedelta(seconds=10), timedelta(minutes=1))
KEEP_ATTEMPTS = max(PER_GUESSER.window, PER_ACCOUNT.window, PER_ADDRESS.window)


class LoginAttempt(SQLModel, table=True):
    """A login that failed, or is being checked just now, once for each counter that it touches.

    `subject` is a hash; those of one account begin alike.
    """

    __tablename__ = "login_attempt"

    id: int | None = Field(default=None, primary_key=True)
    subject: str = Field(max_length=64, index=True)
    at: datetime = Field(sa_type=UtcDateTime)


@dataclass(frozen=True)
class Counter:
    """What is counted, and how much of it is too much. The first of several is whose failures a success
    forgives.
    """

    subject: str
    limit: Limit


def of_login(email: str, address: str, browser: str) -> tuple[Counter, ...]:
    """For a login from an IP address; `browser` names one that has been in this account ("": none)."""
    if browser:
        return (Counter(_of_account(email, f"browser:{browser}"), PER_GUESSER),)
    network = _network(address)
    return (
        Counter(_of_account(email, f"ip:{network}"), PER_GUESSER),
        Counter(_of_account(email, ""), PER_ACCOUNT),
        Counter(_hash(f"ip:{network}"), PER_ADDRESS),
    )


def of_own_password(email: str) -> tuple[Counter, ...]:
    """For a new password by somebody who is logged in."""
    return (Counter(_of_account(email, "own"), PER_GUESSER),)


def wait(session: Session, now: datetime, counters: Sequence[Counter]) -> int:
    """Seconds until the next try. From here to the end of the transaction nobody else counts these."""
    if session.get_bind().dialect.name == "postgresql":
        for counter in sorted(counters, key=lambda one: one.subject):
            session.execute(select(func.pg_advisory_xact_lock(int(counter.subject[-15:], 16))))
    session.execute(delete(LoginAttempt).where(col(LoginAttempt.at) <= now - KEEP_ATTEMPTS))
    return max(
        one.limit.wait(*_failures(session, one.subject, now - one.limit.window), now) for one in counters
    )


def note(session: Session, now: datetime, counters: Sequence[Counter]) -> list[int]:
    """Count an attempt; its rows."""
    rows = [LoginAttempt(subject=counter.subject, at=now) for counter in counters]
    session.add_all(rows)
    session.flush()
    return [row.id for row in rows if row.id is not None]


def forgive(session: Session, counters: Sequence[Counter], attempt: Sequence[int]) -> None:
    """The attempt was right: it does not count, nor do those before it of the same guesser."""
    rows = table(LoginAttempt).c
    mine = (rows.subject == counters[0].subject) | rows.id.in_(attempt)
    session.execute(delete(LoginAttempt).where(mine))


def forget(session: Session, email: str) -> None:
    """No failure of an account counts any more, whoever's it was."""
    subjects = col(LoginAttempt.subject)
    session.execute(delete(LoginAttempt).where(subjects.startswith(_of_account(email, "")[:32])))


def _failures(session: Session, subject: str, since: datetime) -> tuple[int, datetime | None]:
    """How many after `since`, and when the last one was."""
    at = table(LoginAttempt).c.at
    count, last = session.execute(
        select(func.count(), func.max(at)).where(col(LoginAttempt.subject) == subject, at > since)
    ).one()
    return count, last


def _of_account(email: str, whose: str) -> str:
    return _hash(f"email:{email}")[:32] + _hash(whose)[:32]


def _hash(value: str) -> str:
    return hashlib.sha256(value.encode("utf-8", "surrogatepass")).hexdigest()


def _network(address: str) -> str:
    """The address, or the /64 of an IPv6 one: whoever has one of its addresses has them all."""
    try:
        parsed = ipaddress.ip_address(address)
    except ValueError:
        return address
    if parsed.version == 4:
        return str(parsed)
    return str(ipaddress.ip_network((parsed, 64), strict=False))
