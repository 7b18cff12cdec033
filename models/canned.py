"""Ready answers of a business, which staff put into a reply by a short name."""

from datetime import datetime

from sqlalchemy import ForeignKeyConstraint, UniqueConstraint
from sqlmodel import Field, SQLModel

from models.db import UtcDateTime


class CannedReply(SQLModel, table=True):
    """One ready answer. `name` is what comes after the slash: lower case, without spaces."""

    __tablename__ = "canned_reply"
    __table_args__ = (
        UniqueConstraint("tenant_id", "name"),
        ForeignKeyConstraint(["tenant_id", "changed_by"], ["staff.tenant_id", "staff.id"]),
    )

    id: int | None = Field(default=None, primary_key=True)
    tenant_id: int = Field(foreign_key="tenant.id")
    name: str = Field(max_length=30)
    text: str = Field(max_length=2000)
    changed_by: int
    changed_at: datetime = Field(sa_type=UtcDateTime)
