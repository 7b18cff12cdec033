"""A professional's calendar for other programs, under an address that only its holder knows."""

import hashlib
import secrets
from datetime import datetime

from sqlalchemy import ForeignKeyConstraint, UniqueConstraint, delete, select
from sqlmodel import Field, Session, SQLModel

from models import audit
from models.catalog import Professional
from models.db import UtcDateTime, change, table
from models.errors import NotFound


class CalendarFeed(SQLModel, table=True):
    """The address of one professional's calendar; `token_hash` is SHA-256 of its secret part."""

    __tablename__ = "calendar_feed"
    __table_args__ = (
        UniqueConstraint("tenant_id", "professional_id"),
        ForeignKeyConstraint(["tenant_id", "professional_id"], ["professional.tenant_id", "professional.id"]),
        ForeignKeyConstraint(["tenant_id", "staff_id"], ["staff.tenant_id", "staff.id"]),
    )

    id: int | None = Field(default=None, primary_key=True)
    tenant_id: int
    professional_id: int
    token_hash: str = Field(unique=True, max_length=64)
    staff_id: int  # who made it
    created_at: datetime = Field(sa_type=UtcDateTime)


_FEED = table(CalendarFeed)
_PROFESSIONAL = table(Professional)


def renew(session: Session, now: datetime, tenant_id: int, professional_id: int, staff_id: int) -> str:
    """A new secret; whoever has the old one sees nothing any more. Raises NotFound("professional")."""
    _lock(session, tenant_id, professional_id)
    _remove(session, tenant_id, professional_id)
    token = secrets.token_urlsafe(32)
    session.add(
        CalendarFeed(
            tenant_id=tenant_id,
            professional_id=professional_id,
            token_hash=_hash_of(token),
            staff_id=staff_id,
            created_at=now,
        )
    )
    audit.record(session, now, tenant_id, "feed.renew", staff_id=staff_id, subject_id=professional_id)
    return token


def revoke(session: Session, now: datetime, tenant_id: int, professional_id: int, staff_id: int) -> None:
    """Nobody sees the calendar any more. Raises NotFound("professional")."""
    _lock(session, tenant_id, professional_id)
    if _remove(session, tenant_id, professional_id):
        audit.record(session, now, tenant_id, "feed.revoke", staff_id=staff_id, subject_id=professional_id)


def _remove(session: Session, tenant_id: int, professional_id: int) -> int:
    mine = (_FEED.c.tenant_id == tenant_id, _FEED.c.professional_id == professional_id)
    return change(session, delete(_FEED).where(*mine))


def _lock(session: Session, tenant_id: int, professional_id: int) -> None:
    found = session.scalar(
        select(_PROFESSIONAL.c.id)
        .where(_PROFESSIONAL.c.tenant_id == tenant_id, _PROFESSIONAL.c.id == professional_id)
        .with_for_update(key_share=True)
    )
    if found is None:
        raise NotFound("professional")


def made(session: Session, tenant_id: int) -> dict[int, tuple[str, datetime]]:
    """The professionals whose calendar has an address, with their name and when it was made."""
    rows = session.execute(
        select(_FEED.c.professional_id, _PROFESSIONAL.c.name, _FEED.c.created_at)
        .join(_PROFESSIONAL, _PROFESSIONAL.c.id == _FEED.c.professional_id)
        .where(_FEED.c.tenant_id == tenant_id)
        .order_by(_PROFESSIONAL.c.name, _PROFESSIONAL.c.id)
    )
    return {key: (name, moment) for key, name, moment in rows}


def of_token(session: Session, token: str) -> CalendarFeed | None:
    """Whose calendar this is; None for a secret that is not, or no longer, known."""
    return session.scalar(select(CalendarFeed).where(_FEED.c.token_hash == _hash_of(token)))


def _hash_of(token: str) -> str:
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()
