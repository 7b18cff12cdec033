"""Who belongs to a business's staff: invited, disabled, given a role."""

from datetime import datetime

from sqlalchemy import ForeignKeyConstraint
from sqlmodel import Field, Session, SQLModel

from models import audit, desk, staff
from models.db import Database, UtcDateTime


class StaffInvite(SQLModel, table=True):
    """A link by which somebody sets their password, once: a new colleague, or one who has a login.

    `token_hash` is SHA-256 of the random value in the link.
    """

    __tablename__ = "staff_invite"
    __table_args__ = (
        ForeignKeyConstraint(["tenant_id", "staff_id"], ["staff.tenant_id", "staff.id"]),
        ForeignKeyConstraint(["tenant_id", "made_by"], ["staff.tenant_id", "staff.id"]),
    )

    id: int | None = Field(default=None, primary_key=True)
    tenant_id: int = Field(foreign_key="tenant.id", index=True)
    staff_id: int | None = None
    email: str = Field(max_length=254)
    name: str = Field(max_length=120)
    role: str = Field(max_length=20)
    token_hash: str = Field(unique=True, max_length=64)
    made_by: int
    created_at: datetime = Field(sa_type=UtcDateTime)
    expires_at: datetime = Field(sa_type=UtcDateTime)
    used_at: datetime | None = Field(default=None, sa_type=UtcDateTime)


def disable(db: Database, now: datetime, staff_id: int, *, by: int | None = None) -> int:
    """Shut a login out at once; gives how many conversations it held, which go back into the queue.

    A disabled one stays as it is. Raises NotFound.
    """
    with db.writing() as session:
        person = staff.locked(session, staff_id)
        if person.disabled_at is None:
            person.disabled_at = now
            audit.record(session, now, person.tenant_id, "staff.disable", staff_id=by, subject_id=staff_id)
        staff.end_all(session, now, staff_id)
        tenant_id = person.tenant_id
    # Only now: whoever takes a conversation looks at the login while holding that conversation.
    with db.writing() as session:
        return desk.let_all_go(session, now, tenant_id, staff_id, why="disabled", by=by)


def enable(session: Session, now: datetime, staff_id: int, *, by: int | None = None) -> None:
    """Let a disabled login in again, with a new session. Raises NotFound."""
    person = staff.locked(session, staff_id)
    if person.disabled_at is not None:
        person.disabled_at = None
        audit.record(session, now, person.tenant_id, "staff.enable", staff_id=by, subject_id=staff_id)
