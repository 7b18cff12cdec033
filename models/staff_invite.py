"""Links by which somebody sets a password; who may make them is in `acts.team_acts`."""

from datetime import datetime

from sqlalchemy import ForeignKeyConstraint
from sqlmodel import Field, SQLModel

from models.db import UtcDateTime


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
