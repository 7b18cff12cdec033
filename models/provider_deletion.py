"""What is to be deleted at the provider, who keeps every message and attachment until told otherwise.

A row is the wish; it goes when the provider has nothing of it any more. It names nobody: the numbers in it
lead to a person only at the provider.
"""

from collections.abc import Collection, Sequence
from datetime import datetime, timedelta
from enum import StrEnum

from sqlalchemy import ForeignKeyConstraint, UniqueConstraint, delete, insert, select
from sqlmodel import Field, Session, SQLModel, col

from models.db import UtcDateTime, table

FIRST, LONGEST = timedelta(minutes=2), timedelta(days=1)
# With a day between two of them: in rare cases a message is final, and may be deleted, after fourteen days.
TRIES = 28


class Kind(StrEnum):
    """MESSAGE: one with all that hangs on it, by its sid. MEDIA: one attachment, by its address."""

    MESSAGE = "message"
    MEDIA = "media"


class Removal(SQLModel, table=True):
    __table_args__ = (
        UniqueConstraint("tenant_id", "reference"),
        ForeignKeyConstraint(["tenant_id"], ["tenant.id"]),
    )

    id: int | None = Field(default=None, primary_key=True)
    tenant_id: int
    kind: str = Field(max_length=10)
    reference: str = Field(max_length=500)
    due_at: datetime = Field(sa_type=UtcDateTime, index=True)
    attempts: int = 0


_REMOVAL = table(Removal)


def want(session: Session, now: datetime, tenant_id: int, kind: Kind, references: Collection[str]) -> None:
    """Note what is to go. What is noted already stays so."""
    noted = session.scalars(
        select(_REMOVAL.c.reference).where(
            _REMOVAL.c.tenant_id == tenant_id, _REMOVAL.c.reference.in_(references)
        )
    ).all()
    place = {"tenant_id": tenant_id, "kind": kind, "due_at": now, "attempts": 0}
    rows = [place | {"reference": one} for one in dict.fromkeys(references) if one not in noted]
    if rows:
        session.execute(insert(_REMOVAL), rows)


def is_wanted(session: Session, references: Collection[str]) -> set[str]:
    """Those of them that are to go."""
    return set(session.scalars(select(_REMOVAL.c.reference).where(_REMOVAL.c.reference.in_(references))))


def due(session: Session, now: datetime, limit: int) -> Sequence[Removal]:
    """What is to be tried now, longest due first."""
    query = select(Removal).where(col(Removal.due_at) <= now).order_by(col(Removal.due_at), col(Removal.id))
    return session.scalars(query.limit(limit)).all()


def done(session: Session, removal_id: int) -> None:
    session.execute(delete(_REMOVAL).where(_REMOVAL.c.id == removal_id))


def failed(session: Session, now: datetime, removal_id: int) -> bool:
    """Try again later, each time after a longer pause; False if it is given up."""
    removal = session.get(Removal, removal_id)
    if removal is None:
        return True  # another worker was luckier
    removal.attempts += 1
    removal.due_at = now + min(FIRST * 2 ** (removal.attempts - 1), LONGEST)
    if removal.attempts >= TRIES:
        session.delete(removal)
        session.flush()
        return False
    return True
