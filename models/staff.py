"""People who work on the queue: logins and their sessions."""

import hashlib
import re
import secrets
from dataclasses import dataclass
from datetime import datetime, timedelta

import structlog
from sqlalchemy import ColumnElement, UniqueConstraint, delete, func, select, update
from sqlmodel import Field, Session, SQLModel, col

from models import audit, login_throttle, push
from models import password as passwords
from models.db import Database, UtcDateTime, table
from models.errors import NotFound
from models.password import Unacceptable

IDLE_LIMIT = timedelta(hours=8)
ABSOLUTE_LIMIT = timedelta(hours=12)
TOUCH_EVERY = timedelta(minutes=1)
KEEP_SESSIONS = timedelta(days=7)
ROLES = ("attendant", "manager", "owner")
EMAIL = re.compile(r"[^@\s\x00-\x1f\x7f]+@[^@\s\x00-\x1f\x7f.]+(?:\.[^@\s\x00-\x1f\x7f.]+)+")

log = structlog.get_logger()


class Staff(SQLModel, table=True):
    """A login of one business. The e-mail is stored in lower case and unique over all businesses."""

    __table_args__ = (UniqueConstraint("tenant_id", "id"),)

    id: int | None = Field(default=None, primary_key=True)
    tenant_id: int = Field(foreign_key="tenant.id", index=True)
    email: str = Field(unique=True, max_length=254)
    name: str = Field(max_length=120)
    password_hash: str = Field(max_length=200)
    role: str = Field(default="attendant", max_length=20)  # "attendant", "manager" or "owner"
    shortcuts: bool = True  # keys of a single letter, which not everybody can do with
    email_alerts: bool = True
    disabled_at: datetime | None = Field(default=None, sa_type=UtcDateTime)
    created_at: datetime = Field(sa_type=UtcDateTime)


class StaffSession(SQLModel, table=True):
    """A login in force. `token_hash` is SHA-256 of the random value that the cookie holds."""

    __tablename__ = "staff_session"

    id: int | None = Field(default=None, primary_key=True)
    staff_id: int = Field(foreign_key="staff.id", index=True)
    token_hash: str = Field(unique=True, max_length=64)
    agent: str = Field(default="", max_length=200)  # the browser, as it names itself
    created_at: datetime = Field(sa_type=UtcDateTime)
    last_seen_at: datetime = Field(sa_type=UtcDateTime)
    ended_at: datetime | None = Field(default=None, sa_type=UtcDateTime)


# Accounts


def add(
    session: Session, now: datetime, tenant_id: int, email: str, name: str, password: str, role: str = "owner"
) -> Staff:
    """A new login. Raises Unacceptable."""
    email, name = normal(email), " ".join(name.split())
    if not EMAIL.fullmatch(email) or len(email) > 254:
        raise Unacceptable(f'"{email}" is no e-mail address.')
    if not name or len(name) > 120:
        raise Unacceptable("The name must have 1 to 120 characters.")
    if role not in ROLES:
        raise Unacceptable(f'"{role}" is no role; there are {", ".join(ROLES)}.')
    passwords.check(password)
    if find_by_email(session, email) is not None:
        raise Unacceptable(f"{email} has a login already.")
    return create(session, now, tenant_id, email, name, passwords.hash(password), role)


def create(
    session: Session, now: datetime, tenant_id: int, email: str, name: str, password_hash: str, role: str
) -> Staff:
    """A new login of values that were checked. Raises IntegrityError if the e-mail was taken meanwhile."""
    staff = Staff(
        tenant_id=tenant_id,
        email=email,
        name=name,
        password_hash=password_hash,
        role=role,
        created_at=now,
    )
    session.add(staff)
    session.flush()
    audit.record(session, now, tenant_id, "staff.add", subject_id=staff.id, detail={"role": role})
    return staff


def find_by_email(session: Session, email: str) -> Staff | None:
    """The login of an e-mail address, in any case, of any business."""
    email = normal(email)
    # What is no address is not asked for either: PostgreSQL refuses some characters outright.
    if not EMAIL.fullmatch(email):
        return None
    return session.scalars(select(Staff).where(col(Staff.email) == email)).one_or_none()


def list_of(session: Session, tenant_id: int) -> list[Staff]:
    """The logins of a business by name, disabled ones too."""
    of_tenant = select(Staff).where(col(Staff.tenant_id) == tenant_id)
    return list(session.scalars(of_tenant.order_by(col(Staff.name), col(Staff.id))))


def reset_password(session: Session, now: datetime, staff_id: int, password: str) -> None:
    """A new password; ends all sessions and forgets failed logins. Raises NotFound, Unacceptable."""
    passwords.check(password)
    staff = locked(session, staff_id)
    staff.password_hash = passwords.hash(password)
    end_all(session, now, staff_id)
    login_throttle.forget(session, staff.email)
    audit.record(session, now, staff.tenant_id, "staff.reset_password", subject_id=staff_id)


def tenant_of(session: Session, staff_id: int) -> int:
    """The business of a login. Raises NotFound."""
    found = session.scalar(select(col(Staff.tenant_id)).where(col(Staff.id) == staff_id))
    if found is None:
        raise NotFound("staff")
    return found


def normal(email: str) -> str:
    """An e-mail address as it is kept."""
    return email.strip().lower()


def locked(session: Session, staff_id: int) -> Staff:
    """The row as it is now, kept from changing: no login slips in before its sessions are ended.

    Raises NotFound.
    """
    found = session.scalars(
        select(Staff)
        .where(col(Staff.id) == staff_id)
        .with_for_update(key_share=True)
        .execution_options(populate_existing=True)
    ).one_or_none()
    if found is None:
        raise NotFound
    return found


# Logging in


@dataclass(frozen=True)
class LoggedIn:
    """`token` is for the cookie alone; the database holds its hash."""

    staff: Staff
    token: str


@dataclass(frozen=True)
class Throttled:
    """Too many failures; nothing was checked. `retry_after` is in seconds."""

    retry_after: int


@dataclass(frozen=True)
class Refused:
    """Unknown, disabled or a wrong password: nobody is told which."""


def log_in(
    db: Database,
    now: datetime,
    email: str,
    password: str,
    address: str,
    *,
    agent: str = "",
    browser: str = "",
) -> LoggedIn | Throttled | Refused:
    """Check a password and open a session. `address` is the visitor's IP address, `agent` their browser,
    `browser` the name of one that has been in this account.

    The attempt is written down before the password is checked and struck out if it was right: however many
    come at once, no more than the limit are heard. No transaction is open while argon2 works.
    """
    counters = login_throttle.of_login(normal(email), address, browser)
    with db.writing() as session:
        wait = login_throttle.wait(session, now, counters)
        if wait > 0:
            log.warning("log_in_throttled", seconds=wait)
            return Throttled(wait)
        attempt = login_throttle.note(session, now, counters)
        staff = find_by_email(session, email)
    known_hash = staff.password_hash if staff is not None and staff.disabled_at is None else None
    if not passwords.verify(known_hash, password) or staff is None or staff.id is None:
        log.info("log_in_refused")
        return Refused()
    new_hash = passwords.hash(password) if passwords.is_outdated(staff.password_hash) else None
    with db.writing() as session:
        entered = _enter(session, now, staff.id, known_hash, new_hash, agent)
        if isinstance(entered, LoggedIn):
            login_throttle.forgive(session, counters, attempt)
        return entered


def _enter(
    session: Session,
    now: datetime,
    staff_id: int,
    checked_hash: str | None,
    new_hash: str | None,
    agent: str,
) -> LoggedIn | Refused:
    """Open the session, unless login or password changed while the password was being checked."""
    staff = locked(session, staff_id)
    if staff.disabled_at is not None or staff.password_hash != checked_hash:
        return Refused()
    if new_hash is not None:
        staff.password_hash = new_hash
    token = _open(session, now, staff_id, agent)
    audit.record(session, now, staff.tenant_id, "staff.log_in", staff_id=staff_id)
    return LoggedIn(staff, token)


def addresses(session: Session, tenant_id: int) -> list[str]:
    """Where to tell those of a business who want to be told."""
    query = (
        select(col(Staff.email))
        .where(col(Staff.tenant_id) == tenant_id, col(Staff.disabled_at).is_(None))
        .where(col(Staff.email_alerts).is_(True))
        .order_by(col(Staff.id))
    )
    return list(session.scalars(query))


# Sessions


def hash_of(token: str) -> str:
    """What the database keeps of a random value that opens something."""
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


def _open(session: Session, now: datetime, staff_id: int, agent: str) -> str:
    """A new session's token; rows of long ago go."""
    sessions = table(StaffSession).c
    session.execute(
        delete(StaffSession).where(sessions.staff_id == staff_id, sessions.created_at <= now - KEEP_SESSIONS)
    )
    token = secrets.token_urlsafe(32)
    session.add(
        StaffSession(
            staff_id=staff_id,
            token_hash=hash_of(token),
            agent=agent[:200],
            created_at=now,
            last_seen_at=now,
        )
    )
    return token


@dataclass(frozen=True)
class Visit:
    """A request of somebody who is logged in."""

    staff: Staff
    session_id: int
    seen_at: datetime

    def is_news(self, now: datetime) -> bool:
        """Whether it is worth writing down: so that not every page view is a writing transaction."""
        return now - self.seen_at >= TOUCH_EVERY


def visit(session: Session, now: datetime, token: str) -> Visit | None:
    """Who is logged in with this token; None where nobody is (any more)."""
    sessions = table(StaffSession).c
    row = session.execute(
        select(Staff, sessions.id, sessions.last_seen_at)
        .join(StaffSession, sessions.staff_id == col(Staff.id))
        .where(
            sessions.token_hash == hash_of(token),
            sessions.ended_at.is_(None),
            sessions.created_at > now - ABSOLUTE_LIMIT,
            sessions.last_seen_at > now - IDLE_LIMIT,
            col(Staff.disabled_at).is_(None),
        )
    ).one_or_none()
    return None if row is None else Visit(*row)


def touch(session: Session, now: datetime, session_id: int) -> None:
    """Write down that a person was here: a page that refreshes itself is no sign of one."""
    sessions = table(StaffSession).c
    session.execute(
        update(StaffSession)
        .where(sessions.id == session_id, sessions.ended_at.is_(None), sessions.last_seen_at < now)
        .values(last_seen_at=now)
    )


def log_out(session: Session, now: datetime, token: str) -> None:
    """End one session; an unknown or ended one is left as it is."""
    _end(session, now, col(StaffSession.token_hash) == hash_of(token))


def _end(session: Session, now: datetime, *which: ColumnElement[bool]) -> int:
    """End those in force of these sessions, and what their browsers are told; gives how many."""
    which = (*which, col(StaffSession.ended_at).is_(None))
    ids = session.scalars(
        update(StaffSession).where(*which).values(ended_at=now).returning(col(StaffSession.id))
    ).all()
    push.drop(session, push.KNOWN.session_id.in_(ids))
    return len(ids)


def end_all(session: Session, now: datetime, staff_id: int) -> None:
    """End every session of a login."""
    _end(session, now, col(StaffSession.staff_id) == staff_id)
    push.drop(session, push.KNOWN.staff_id == staff_id)


def log_out_everywhere(session: Session, now: datetime, tenant_id: int, staff_id: int, *, by: int) -> None:
    """End every session of a login by somebody's wish: of a lost phone, of a browser left open."""
    end_all(session, now, staff_id)
    audit.record(session, now, tenant_id, "staff.end_sessions", staff_id=by, subject_id=staff_id)


def sessions_of(session: Session, now: datetime, staff_id: int) -> list[StaffSession]:
    """A login's sessions in force, the one seen last first."""
    query = (
        select(StaffSession)
        .where(col(StaffSession.staff_id) == staff_id, col(StaffSession.ended_at).is_(None))
        .where(col(StaffSession.created_at) > now - ABSOLUTE_LIMIT)
        .where(col(StaffSession.last_seen_at) > now - IDLE_LIMIT)
        .order_by(col(StaffSession.last_seen_at).desc(), col(StaffSession.id).desc())
    )
    return list(session.scalars(query))


def last_seen(session: Session, staff_id: int) -> datetime | None:
    """When a login was last used by a person, as far as is known."""
    sessions = table(StaffSession).c
    seen: datetime | None = session.scalar(
        select(func.max(sessions.last_seen_at)).where(sessions.staff_id == staff_id)
    )
    return seen


def end_session(session: Session, now: datetime, staff_id: int, session_id: int) -> None:
    """End one of a login's own sessions. Raises NotFound, for somebody else's and an ended one too."""
    own = (col(StaffSession.id) == session_id, col(StaffSession.staff_id) == staff_id)
    if _end(session, now, *own) != 1:
        raise NotFound("session")


def end_others(session: Session, now: datetime, staff_id: int, session_id: int) -> None:
    """End every session of a login but this one."""
    _end(session, now, col(StaffSession.staff_id) == staff_id, col(StaffSession.id) != session_id)
    others = push.KNOWN.session_id.is_distinct_from(session_id)
    push.drop(session, push.KNOWN.staff_id == staff_id, others)


@dataclass(frozen=True)
class Changed:
    """The password is the new one, and no other session of the login is left."""


@dataclass(frozen=True)
class Unchanged:
    """The new password is the old one: nothing is done, and no session ended."""


def change_password(
    db: Database, now: datetime, staff_id: int, old: str, new: str, session_id: int
) -> Changed | Unchanged | Throttled | Refused:
    """One's own new password, by the old one; tries count like those of logging in.

    Raises NotFound, Unacceptable (the new one).
    """
    passwords.check(new)
    tried = _try(db, now, staff_id)
    if isinstance(tried, Throttled):
        return tried
    email, attempt, known_hash = tried
    counters = login_throttle.of_own_password(email)
    if not passwords.verify(known_hash, old):
        return Refused()
    if passwords.same(old, new):
        with db.writing() as session:
            login_throttle.forgive(session, counters, attempt)
        return Unchanged()
    new_hash = passwords.hash(new)
    with db.writing() as session:
        person = locked(session, staff_id)
        if person.password_hash != known_hash or person.disabled_at is not None:
            return Refused()
        person.password_hash = new_hash
        end_others(session, now, staff_id, session_id)
        login_throttle.forgive(session, counters, attempt)
        audit.record(
            session, now, person.tenant_id, "staff.change_password", staff_id=staff_id, subject_id=staff_id
        )
    return Changed()


def _try(db: Database, now: datetime, staff_id: int) -> tuple[str, list[int], str] | Throttled:
    """Count a try at one's own password; gives whose it is, its rows, and the hash of the password."""
    with db.writing() as session:
        person = locked(session, staff_id)
        counters = login_throttle.of_own_password(person.email)
        wait = login_throttle.wait(session, now, counters)
        if wait > 0:
            return Throttled(wait)
        return person.email, login_throttle.note(session, now, counters), person.password_hash
