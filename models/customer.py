"""One person of one business, and the WhatsApp addresses that they write from."""

from datetime import datetime

from sqlalchemy import ForeignKeyConstraint, UniqueConstraint
from sqlmodel import Field, SQLModel

from models.db import UtcDateTime


class Customer(SQLModel, table=True):
    """A person. `bookings_version` is the row lock behind the limit of open appointments."""

    __table_args__ = (UniqueConstraint("tenant_id", "id"),)

    id: int | None = Field(default=None, primary_key=True)
    tenant_id: int = Field(foreign_key="tenant.id", index=True)
    name: str = Field(default="", max_length=200)
    opted_out_at: datetime | None = Field(default=None, sa_type=UtcDateTime)
    bookings_version: int = 0
    created_at: datetime = Field(sa_type=UtcDateTime)


class CustomerAddress(SQLModel, table=True):
    """An address as Twilio writes it ("whatsapp:+55…" or "whatsapp:BR.…"), byte for byte.

    `match_key` is the same for a Brazilian mobile with and without the ninth digit: it is for looking up,
    never for writing to.
    """

    __tablename__ = "customer_address"
    __table_args__ = (
        UniqueConstraint("tenant_id", "address"),
        ForeignKeyConstraint(["tenant_id", "customer_id"], ["customer.tenant_id", "customer.id"]),
    )

    id: int | None = Field(default=None, primary_key=True)
    tenant_id: int
    customer_id: int = Field(index=True)
    address: str = Field(max_length=160)
    match_key: str = Field(max_length=160, index=True)
    last_seen_at: datetime = Field(sa_type=UtcDateTime)
