"""Who belongs to a business's staff: invited, disabled, given a role; and who may do that.

Owners manage everybody, managers the attendants, nobody themselves: so the last owner stays. Refusals carry a
code: EMAIL, NOME, PAPEL, EM_USO, SEM_PODER, A_SI_MESMO. A login of another business is NotFound.
"""

import secrets
from collections.abc import Mapping
from datetime import datetime, timedelta

from sqlalchemy import ColumnElement, Select, func, select, update
from sqlalchemy.exc import IntegrityError
from sqlmodel import Session, col

from models import audit, staff
from models import password as passwords
from models.acts import conversation_acts
from models.conversation import Conversation
from models.db import Database, change, table
from models.errors import NotFound, Refusal
from models.staff import EMAIL, ROLES, Staff
from models.staff_invite import StaffInvite

LINK_LIFE = timedelta(minutes=60)


def may_manage(actor: Staff, role: str) -> bool:
    """Whether this person may make, change or disable logins of that role."""
    return actor.role == "owner" or (actor.role == "manager" and role == "attendant")


# Links


def invite(
    session: Session, now: datetime, tenant_id: int, by: int, *, email: str, name: str, role: str
) -> str:
    """A link for a new colleague; gives the random value in it, which is kept nowhere."""
    actor = _team(session, tenant_id)[by]
    email, name = staff.normal(email), " ".join(name.split())
    if not EMAIL.fullmatch(email) or len(email) > 254:
        raise Refusal("EMAIL")
    if not name or len(name) > 120:
        raise Refusal("NOME")
    if role not in ROLES:
        raise Refusal("PAPEL")
    if not may_manage(actor, role):
        raise Refusal("SEM_PODER")
    if staff.find_by_email(session, email) is not None:
        raise Refusal("EM_USO")
    audit.record(session, now, tenant_id, "staff.invite", staff_id=by, detail={"role": role, "name": name})
    return _link(session, now, tenant_id, by, email, name, role)


def new_link(session: Session, now: datetime, tenant_id: int, by: int, staff_id: int) -> str:
    """A link by which a colleague sets a new password; gives the random value in it."""
    person = _managed(session, tenant_id, by, staff_id)
    audit.record(session, now, tenant_id, "staff.password_link", staff_id=by, subject_id=staff_id)
    return _link(session, now, tenant_id, by, person.email, person.name, person.role, staff_id)


def _link(
    session: Session,
    now: datetime,
    tenant_id: int,
    by: int,
    email: str,
    name: str,
    role: str,
    staff_id: int | None = None,
) -> str:
    """Of several links for one address only the newest opens."""
    _shut(session, now, tenant_id, col(StaffInvite.email) == email)
    token = secrets.token_urlsafe(32)
    session.add(
        StaffInvite(
            tenant_id=tenant_id,
            staff_id=staff_id,
            email=email,
            name=name,
            role=role,
            token_hash=staff.hash_of(token),
            made_by=by,
            created_at=now,
            expires_at=now + LINK_LIFE,
        )
    )
    return token


def _shut(session: Session, now: datetime, tenant_id: int, *which: ColumnElement[bool]) -> int:
    """Make links of a business open nothing any more; gives how many of them would have."""
    links = table(StaffInvite)
    open_ = (links.c.tenant_id == tenant_id, links.c.used_at.is_(None), links.c.expires_at > now)
    return change(session, update(links).where(*open_, *which).values(used_at=now))


def invited(session: Session, now: datetime, tenant_id: int) -> list[StaffInvite]:
    """The links for new colleagues that still open, the newest first."""
    query = select(StaffInvite).where(
        col(StaffInvite.tenant_id) == tenant_id,
        col(StaffInvite.staff_id).is_(None),
        col(StaffInvite.used_at).is_(None),
        col(StaffInvite.expires_at) > now,
    )
    return list(session.scalars(query.order_by(col(StaffInvite.id).desc())))


def withdraw(session: Session, now: datetime, tenant_id: int, by: int, invite_id: int) -> None:
    """Take an invitation back; one that does not open any more stays as it is. Raises NotFound, Refusal."""
    found = session.scalar(
        select(StaffInvite).where(
            col(StaffInvite.tenant_id) == tenant_id,
            col(StaffInvite.id) == invite_id,
            col(StaffInvite.staff_id).is_(None),
        )
    )
    if found is None:
        raise NotFound("invite")
    if not may_manage(_team(session, tenant_id)[by], found.role):
        raise Refusal("SEM_PODER")
    if _shut(session, now, tenant_id, col(StaffInvite.id) == invite_id):
        detail = {"role": found.role, "name": found.name}
        audit.record(session, now, tenant_id, "staff.withdraw", staff_id=by, detail=detail)


def peek(session: Session, now: datetime, token: str) -> StaffInvite | None:
    """The link with this value, while it opens."""
    return session.scalars(_opening(now, token)).one_or_none()


def _opening(now: datetime, token: str) -> Select[StaffInvite]:
    return select(StaffInvite).where(
        col(StaffInvite.token_hash) == staff.hash_of(token),
        col(StaffInvite.used_at).is_(None),
        col(StaffInvite.expires_at) > now,
    )


def accept(db: Database, now: datetime, token: str, password: str) -> bool:
    """Set the password that a link is for, once; says whether the link opened. Raises Unacceptable."""
    passwords.check(password)
    password_hash = passwords.hash(password)
    try:
        with db.writing() as session:
            link = session.scalars(_opening(now, token).with_for_update()).one_or_none()
            if link is None:
                return False
            link.used_at = now
            return _enter(session, now, link, password_hash)
    except IntegrityError:  # the address got a login by another way at the same moment
        return False


def _enter(session: Session, now: datetime, link: StaffInvite, password_hash: str) -> bool:
    if link.staff_id is None:
        if staff.find_by_email(session, link.email) is not None:
            return False
        staff.create(session, now, link.tenant_id, link.email, link.name, password_hash, link.role)
        return True
    person = staff.locked(session, link.staff_id)
    if person.disabled_at is not None:
        return False
    person.password_hash = password_hash
    staff.end_all(session, now, link.staff_id)
    audit.record(session, now, link.tenant_id, "staff.reset_password", subject_id=link.staff_id)
    return True


# Roles and access


def holdings(session: Session, tenant_id: int) -> dict[int, int]:
    """How many conversations each of the staff holds."""
    assignee = col(Conversation.assignee_id)
    query = (
        select(assignee, func.count())
        .where(col(Conversation.tenant_id) == tenant_id, assignee.is_not(None))
        .group_by(assignee)
    )
    return {staff_id: number for staff_id, number in session.execute(query) if staff_id is not None}


def set_role(session: Session, now: datetime, tenant_id: int, by: int, staff_id: int, role: str) -> None:
    """Give a colleague another role."""
    person = _managed(session, tenant_id, by, staff_id)
    if role not in ROLES:
        raise Refusal("PAPEL")
    if not may_manage(_team(session, tenant_id)[by], role):
        raise Refusal("SEM_PODER")
    if person.role != role:
        detail = {"before": person.role, "after": role}
        person.role = role
        # What they have invited with more power than they have now is not to come in after all.
        _shut(session, now, tenant_id, col(StaffInvite.made_by) == staff_id)
        audit.record(
            session, now, tenant_id, "staff.set_role", staff_id=by, subject_id=staff_id, detail=detail
        )


def enable(session: Session, now: datetime, staff_id: int, *, by: int | None = None) -> None:
    """Let a disabled login in again, with a new session and the password that it had.

    `by` None is whoever runs this program, who may do all. One that is in force stays as it is.
    """
    person = _person(session, staff_id, by)
    if person.disabled_at is not None:
        person.disabled_at = None
        audit.record(session, now, person.tenant_id, "staff.enable", staff_id=by, subject_id=staff_id)


def disable(db: Database, now: datetime, staff_id: int, *, by: int | None = None) -> int:
    """Shut a login out at once; gives how many conversations it held, which go back into the queue.

    The links that it has made open nothing any more. `by` None is whoever runs this program, who may do all.
    A disabled one stays as it is.
    """
    with db.writing() as session:
        person = _person(session, staff_id, by)
        tenant_id = person.tenant_id
        if person.disabled_at is None:
            person.disabled_at = now
            audit.record(session, now, tenant_id, "staff.disable", staff_id=by, subject_id=staff_id)
        staff.end_all(session, now, staff_id)
        _shut(session, now, tenant_id, col(StaffInvite.made_by) == staff_id)
    # Only now: whoever takes a conversation looks at the login while holding that conversation.
    with db.writing() as session:
        return conversation_acts.let_all_go(session, now, tenant_id, staff_id, why="disabled", by=by)


def end_sessions(session: Session, now: datetime, tenant_id: int, by: int, staff_id: int) -> None:
    """Log a colleague out everywhere."""
    _managed(session, tenant_id, by, staff_id)
    staff.log_out_everywhere(session, now, tenant_id, staff_id, by=by)


def _person(session: Session, staff_id: int, by: int | None) -> Staff:
    """The login, if `by` may manage it; all of its team is locked."""
    if by is not None:
        return _managed(session, staff.tenant_of(session, by), by, staff_id)
    return _team(session, staff.tenant_of(session, staff_id))[staff_id]


def _team(session: Session, tenant_id: int) -> Mapping[int, Staff]:
    """All logins of a business by id, locked in one order: who manages whom holds until the end."""
    query = (
        select(Staff)
        .where(col(Staff.tenant_id) == tenant_id)
        .order_by(col(Staff.id))
        .with_for_update(key_share=True)
        .execution_options(populate_existing=True)
    )
    return {person.id: person for person in session.scalars(query) if person.id is not None}


def _managed(session: Session, tenant_id: int, by: int, staff_id: int) -> Staff:
    """The colleague whom this person may manage. Raises NotFound, Refusal."""
    team = _team(session, tenant_id)
    if staff_id not in team:
        raise NotFound("staff")
    if staff_id == by:
        raise Refusal("A_SI_MESMO")
    actor, person = team[by], team[staff_id]
    if actor.disabled_at is not None or not may_manage(actor, person.role):
        raise Refusal("SEM_PODER")
    return person
