"""Ready answers of a business, which staff put into a reply by a short name."""

import re
import unicodedata
from datetime import datetime

from sqlalchemy import ForeignKeyConstraint, UniqueConstraint, select
from sqlalchemy.exc import IntegrityError
from sqlmodel import Field, Session, SQLModel, col

from models import audit
from models.db import UtcDateTime
from models.errors import NotFound, Refusal

MOST = 200  # of one business
MAX_NAME, MAX_TEXT = 30, 2000
CUSTOMER = "{nome}"


class CannedReply(SQLModel, table=True):
    """One ready answer. `name` is what comes after the slash: lower case, without spaces and accents."""

    __tablename__ = "canned_reply"
    __table_args__ = (
        UniqueConstraint("tenant_id", "name"),
        ForeignKeyConstraint(["tenant_id", "changed_by"], ["staff.tenant_id", "staff.id"]),
    )

    id: int | None = Field(default=None, primary_key=True)
    tenant_id: int = Field(foreign_key="tenant.id")
    name: str = Field(max_length=MAX_NAME)
    text: str = Field(max_length=MAX_TEXT)
    changed_by: int
    changed_at: datetime = Field(sa_type=UtcDateTime)

    def for_customer(self, name: str) -> str:
        """The text for a customer of this first name, which may be "". Nothing else in it is replaced."""
        if name:
            return self.text.replace(CUSTOMER, name)
        return re.sub(rf",? ?{re.escape(CUSTOMER)}", "", self.text).strip()


def list_of(session: Session, tenant_id: int) -> list[CannedReply]:
    """All of a business, by name."""
    query = select(CannedReply).where(col(CannedReply.tenant_id) == tenant_id)
    return list(session.scalars(query.order_by(col(CannedReply.name)).limit(MOST)))


def save(
    session: Session,
    now: datetime,
    tenant_id: int,
    staff_id: int,
    *,
    name: str,
    text: str,
    reply_id: int | None = None,
) -> None:
    """Add a ready answer, or change the one of this id.

    Raises NotFound, and Refusal: NOME, TEXTO, EM_USO (the name), DEMAIS.
    """
    name, text = short(name), text.strip()
    if not name or len(name) > MAX_NAME:
        raise Refusal("NOME")
    if not text or len(text) > MAX_TEXT:
        raise Refusal("TEXTO")
    reply = _new(session, tenant_id) if reply_id is None else find(session, tenant_id, reply_id)
    reply.name, reply.text = name, text
    reply.changed_by, reply.changed_at = staff_id, now
    session.add(reply)
    try:
        session.flush()
    except IntegrityError:
        raise Refusal("EM_USO") from None
    audit.record(session, now, tenant_id, "canned.save", staff_id=staff_id, subject_id=reply.id)


def delete(session: Session, now: datetime, tenant_id: int, staff_id: int, reply_id: int) -> None:
    """Raises NotFound."""
    session.delete(find(session, tenant_id, reply_id))
    audit.record(session, now, tenant_id, "canned.delete", staff_id=staff_id, subject_id=reply_id)


def short(name: str) -> str:
    """A name as it is typed after the slash."""
    plain = unicodedata.normalize("NFKD", name.lower()).encode("ascii", "ignore").decode()
    return re.sub(r"[^a-z0-9]+", "-", plain).strip("-")


def _new(session: Session, tenant_id: int) -> CannedReply:
    if len(list_of(session, tenant_id)) >= MOST:
        raise Refusal("DEMAIS")
    return CannedReply(tenant_id=tenant_id)  # type: ignore[call-arg]  # the rest follows before the flush


def find(session: Session, tenant_id: int, reply_id: int) -> CannedReply:
    """Raises NotFound."""
    query = select(CannedReply).where(
        col(CannedReply.tenant_id) == tenant_id, col(CannedReply.id) == reply_id
    )
    found = session.scalars(query).one_or_none()
    if found is None:
        raise NotFound("canned reply")
    return found
