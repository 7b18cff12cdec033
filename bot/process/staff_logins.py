"""Staff logins for the commands: by slug and e-mail, with errors in one sentence."""

from dataclasses import dataclass
from datetime import datetime

from sqlmodel import Session, col, select

from models import password as passwords
from models import staff
from models.acts import team_acts
from models.db import Database
from models.password import Unacceptable
from models.staff import Staff
from models.tenant import Tenant


class AccountError(Exception):
    """It cannot be done. The text is one sentence for whoever runs the command."""


def add(
    db: Database, now: datetime, slug: str, email: str, name: str, given: str | None, role: str = "owner"
) -> str:
    """Add a login; gives its password, generated where none was given."""
    password = given if given is not None else passwords.generate()
    try:
        with db.writing() as session:
            staff.add(session, now, tenant_id(session, slug), email, name, password, role)
    except Unacceptable as error:
        raise AccountError(str(error)) from None
    return password


@dataclass(frozen=True)
class Reset:
    """A new password; `disabled`: nobody can log in with it until the login is enabled again."""

    password: str
    disabled: bool


def reset(db: Database, now: datetime, email: str, given: str | None) -> Reset:
    """Give a login a new password, and end its sessions."""
    password = given if given is not None else passwords.generate()
    try:
        with db.writing() as session:
            found = _found(session, email)
            staff.reset_password(session, now, found, password)
            return Reset(password, session.get_one(Staff, found).disabled_at is not None)
    except Unacceptable as error:
        raise AccountError(str(error)) from None


def disable(db: Database, now: datetime, email: str) -> int:
    """Shut a login out; gives how many conversations it held, which wait for others now."""
    with db.reading() as session:
        found = _found(session, email)
    return team_acts.disable(db, now, found)


def enable(db: Database, now: datetime, email: str) -> None:
    """Let a disabled login in again, with the password that it had."""
    with db.writing() as session:
        team_acts.enable(session, now, _found(session, email))


def lines(db: Database, slug: str | None) -> list[str]:
    """One line a login: business, e-mail, name, role, state."""
    with db.reading() as session:
        query = (
            select(Tenant.slug, Staff)
            .join(Staff, col(Staff.tenant_id) == col(Tenant.id))
            .order_by(Tenant.slug, Staff.name, Staff.email)
        )
        if slug is not None:
            query = query.where(Tenant.id == tenant_id(session, slug))
        rows = session.exec(query).all()
    if not rows:
        return ["No logins yet; make one with: horacerta staff add"]
    return [
        f"{business}  {person.email}  {person.name}  {person.role}"
        + ("  disabled" if person.disabled_at else "")
        for business, person in rows
    ]


def any_business(db: Database) -> bool:
    with db.reading() as session:
        return session.exec(select(Tenant.id).limit(1)).first() is not None


def tenant_id(session: Session, slug: str) -> int:
    """The id of a business by its slug. Raises AccountError."""
    found = session.exec(select(Tenant.id).where(Tenant.slug == slug)).first()
    if found is None:
        known = ", ".join(session.exec(select(Tenant.slug).order_by(Tenant.slug)).all()) or "none yet"
        raise AccountError(f'--tenant: there is no business "{slug}" (there are: {known}).')
    return found


def _found(session: Session, email: str) -> int:
    person = staff.find_by_email(session, email)
    if person is None or person.id is None:
        raise AccountError(f"--email: there is no login {email}.")
    return person.id
