"""How the settings of a business were: one row after each change, so that it can be compared and undone."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any

from sqlalchemy import JSON, ForeignKeyConstraint, Index, delete
from sqlmodel import Field, Session, SQLModel, col, select

from models.business_file.shape import BusinessFile
from models.business_file.values import fold
from models.db import UtcDateTime, table
from models.errors import NotFound

KEPT = 100  # of one business


class Source(StrEnum):
    """Where a change was made."""

    FILE = "file"
    PAGE = "page"


@dataclass(frozen=True)
class Ids:
    """The rows that names mean, by their folded name: what was renamed on a page is still the same row."""

    services: Mapping[str, int] = field(default_factory=dict)
    professionals: Mapping[str, int] = field(default_factory=dict)


class BusinessVersion(SQLModel, table=True):
    """The document (see `export`) after one change. `staff_id` is None for a file, and for the first."""

    __tablename__ = "business_version"
    __table_args__ = (
        ForeignKeyConstraint(["tenant_id", "staff_id"], ["staff.tenant_id", "staff.id"]),
        Index("ix_business_version_tenant", "tenant_id", "id"),
    )

    id: int | None = Field(default=None, primary_key=True)
    tenant_id: int = Field(foreign_key="tenant.id")
    staff_id: int | None = None
    source: str = Field(max_length=10)  # a Source
    document: dict[str, Any] = Field(sa_type=JSON)
    ids: dict[str, Any] = Field(sa_type=JSON)
    made_at: datetime = Field(sa_type=UtcDateTime)

    @property
    def names(self) -> Ids:
        return Ids(**self.ids)


def latest(session: Session, tenant_id: int, source: Source | None = None) -> BusinessVersion | None:
    """The newest version, or the newest from there."""
    query = select(BusinessVersion).where(BusinessVersion.tenant_id == tenant_id)
    if source is not None:
        query = query.where(BusinessVersion.source == source)
    return session.exec(query.order_by(col(BusinessVersion.id).desc()).limit(1)).first()


def page(session: Session, tenant_id: int, most: int = KEPT) -> Sequence[BusinessVersion]:
    """The newest first."""
    query = select(BusinessVersion).where(BusinessVersion.tenant_id == tenant_id)
    return session.exec(query.order_by(col(BusinessVersion.id).desc()).limit(most)).all()


def find(session: Session, tenant_id: int, version_id: int) -> BusinessVersion:
    """Raises NotFound("version")."""
    query = select(BusinessVersion).where(
        BusinessVersion.tenant_id == tenant_id, BusinessVersion.id == version_id
    )
    found = session.exec(query).first()
    if found is None:
        raise NotFound("version")
    return found


def keep(
    session: Session,
    now: datetime,
    tenant_id: int,
    document: dict[str, Any],
    ids: Ids,
    *,
    source: Source,
    staff_id: int | None,
) -> None:
    """Add a version; the oldest beyond KEPT go."""
    named = {"services": dict(ids.services), "professionals": dict(ids.professionals)}
    session.add(
        BusinessVersion(
            tenant_id=tenant_id,
            staff_id=staff_id,
            source=source,
            document=document,
            ids=named,
            made_at=now,
        )
    )
    session.flush()
    rows = table(BusinessVersion)
    newest = (
        select(rows.c.id).where(rows.c.tenant_id == tenant_id).order_by(rows.c.id.desc()).offset(KEPT - 1)
    )
    oldest = session.scalar(newest.limit(1))
    if oldest is not None:
        session.execute(delete(rows).where(rows.c.tenant_id == tenant_id, rows.c.id < oldest))


def ids_of(file: BusinessFile, services: Mapping[str, int], professionals: Mapping[str, int]) -> Ids:
    """The ids of what the file names; the given ones are by name."""
    return Ids(
        {fold(each.name): services[each.name] for each in file.services},
        {fold(each.name): professionals[each.name] for each in file.professionals},
    )
