"""People who work on the queue: logins, sessions, throttling."""

from datetime import datetime

from sqlalchemy import UniqueConstraint
from sqlmodel import Field, SQLModel

from models.db import UtcDateTime


class Staff(SQLModel, table=True):
    """A login of one business. The e-mail is stored in lower case and unique over all businesses."""

    __table_args__ = (UniqueConstraint("tenant_id", "id"),)

    id: int | None = Field(default=None, primary_key=True)
    tenant_id: int = Field(foreign_key="tenant.id", index=True)
    email: str = Field(unique=True, max_length=254)
    name: str = Field(max_length=120)
    password_hash: str = Field(max_length=200)
    role: str = Field(default="attendant", max_length=20)  # "attendant", "manager" or "owner"
    disabled_at: datetime | None = Field(default=None, sa_type=UtcDateTime)
    created_at: datetime = Field(sa_type=UtcDateTime)


class StaffSession(SQLModel, table=True):
    """A login in force. `token_hash` is SHA-256 of the random value that the cookie holds."""

    __tablename__ = "staff_session"

    id: int | None = Field(default=None, primary_key=True)
    staff_id: int = Field(foreign_key="staff.id", index=True)
    token_hash: str = Field(unique=True, max_length=64)
    created_at: datetime = Field(sa_type=UtcDateTime)
    last_seen_at: datetime = Field(sa_type=UtcDateTime)
    ended_at: datetime | None = Field(default=None, sa_type=UtcDateTime)


class LoginAttempt(SQLModel, table=True):
    """A failed login, counted per account and per address. `subject` is a hash of "email:…" or "ip:…"."""

    __tablename__ = "login_attempt"

    id: int | None = Field(default=None, primary_key=True)
    subject: str = Field(max_length=64, index=True)
    at: datetime = Field(sa_type=UtcDateTime)
