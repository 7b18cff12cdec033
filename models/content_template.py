"""Messages with buttons or a list, as they were laid down at Twilio: made once for an account, then reused.

One is only a form: what it says to a customer goes with each message, as its variables.
"""

from datetime import datetime

from sqlalchemy import UniqueConstraint, delete, select
from sqlalchemy.exc import IntegrityError
from sqlmodel import Field, Session, SQLModel, col

from models.db import UtcDateTime, change, table


class ContentTemplate(SQLModel, table=True):
    """One form in one Twilio account: `digest` is of what it consists of, `sid` ("HX…") is Twilio's."""

    __tablename__ = "content_template"
    __table_args__ = (UniqueConstraint("account_sid", "digest"),)

    id: int | None = Field(default=None, primary_key=True)
    account_sid: str = Field(max_length=34)
    digest: str = Field(max_length=64)
    sid: str = Field(max_length=34)
    created_at: datetime = Field(sa_type=UtcDateTime)


def find(session: Session, account_sid: str, digest: str) -> str | None:
    """The sid of a form that the account has."""
    query = select(col(ContentTemplate.sid)).where(
        col(ContentTemplate.account_sid) == account_sid, col(ContentTemplate.digest) == digest
    )
    return session.scalar(query)


def keep(session: Session, now: datetime, account_sid: str, digest: str, sid: str) -> None:
    """Remember a new form. Where two workers made it at the same moment, the first one stands."""
    try:
        with session.begin_nested():
            session.add(ContentTemplate(account_sid=account_sid, digest=digest, sid=sid, created_at=now))
    except IntegrityError:
        pass  # the other one is as good


def forget_all(session: Session) -> None:
    """For a provider that has forgotten all of them: each is laid down anew when it is needed."""
    session.execute(delete(table(ContentTemplate)))


def forget(session: Session, account_sid: str, sid: str) -> int:
    """Twilio refused a message in this form: the next one is laid down anew. Gives how many were known."""
    forms = table(ContentTemplate)
    return change(session, delete(forms).where(forms.c.account_sid == account_sid, forms.c.sid == sid))
