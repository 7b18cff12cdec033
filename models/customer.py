"""One person of one business, and the WhatsApp addresses that they write from."""

import re
from collections.abc import Sequence
from datetime import datetime
from enum import StrEnum
from typing import Any

from sqlalchemy import ForeignKeyConstraint, Row, UniqueConstraint, bindparam, insert, update
from sqlmodel import Field, Session, SQLModel, col, select

from models.db import UtcDateTime, change, table
from models.errors import Forgotten, NotFound
from models.folding import name_columns

FORGOTTEN = "forgotten:"  # begins an address that nobody has and nobody can be found by
_OLD_MOBILE = re.compile(r"(?P<head>whatsapp:\+55[1-9][0-9])(?P<local>[6-9][0-9]{7})")


class Wish(StrEnum):
    """What a customer says of messages that we write first (reminders, offers): none any more, or again.

    PROMOTION: no advertising. There is none here, and what belongs to their visits goes on.
    """

    STOP = "stop"
    START = "start"
    PROMOTION = "promotion"


class Customer(SQLModel, table=True):
    """A person. `folded_name` is for looking up; `bookings_version` is the row lock behind the limit of open
    appointments.
    """

    __table_args__ = (UniqueConstraint("tenant_id", "id"),)

    id: int | None = Field(default=None, primary_key=True)
    tenant_id: int = Field(foreign_key="tenant.id", index=True)
    name: str = Field(default="", max_length=200)
    folded_name: str = Field(default="", max_length=200, sa_column_kwargs={"server_default": ""})
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


def match_key(address: str) -> str:
    """The address, with the ninth digit put into a Brazilian mobile that lacks it.

    Only what looks like a mobile (eight local digits that begin with 6–9) gets the digit: a landline is never
    merged into somebody else's mobile. Other numbers and BSUIDs are their own key.
    """
    found = _OLD_MOBILE.fullmatch(address)
    return f"{found['head']}9{found['local']}" if found else address


def find_or_create(
    session: Session, now: datetime, tenant_id: int, addresses: Sequence[str], name: str
) -> int:
    """The id of the person who writes from any of `addresses`; all of them are theirs afterwards.

    Raises IntegrityError if another transaction created the same person at the same moment: try again.
    """
    known = _known(session, tenant_id, addresses)
    customer_id = int(known[0].customer_id) if known else _create(session, now, tenant_id, name)
    if known and name and not known[0].customer_name:
        session.execute(_NAME, {"tenant": tenant_id, "customer": customer_id, **_given(name)})
    seen = {row.address for row in known}
    new = [
        {
            "tenant_id": tenant_id,
            "customer_id": customer_id,
            "address": address,
            "match_key": match_key(address),
        }
        for address in dict.fromkeys(addresses)
        if address not in seen
    ]
    if new:
        session.execute(_ADD_ADDRESS, new)
    return customer_id


def address_of(session: Session, tenant_id: int, customer_id: int) -> str | None:
    """The newest of a customer's addresses; None where there is none."""
    query = (
        select(CustomerAddress.address)
        .where(CustomerAddress.tenant_id == tenant_id, CustomerAddress.customer_id == customer_id)
        .order_by(col(CustomerAddress.id).desc())
    )
    return session.exec(query).first()


def opt_out(session: Session, now: datetime, tenant_id: int, customer_id: int) -> bool:
    """This business writes to them no more by itself; the first time stands. Says whether it is news."""
    customers = table(Customer)
    statement = (
        update(customers)
        .where(customers.c.tenant_id == tenant_id, customers.c.id == customer_id)
        .where(customers.c.opted_out_at.is_(None))
        .values(opted_out_at=now)
    )
    return change(session, statement) == 1


def opt_in(session: Session, tenant_id: int, customer_id: int) -> bool:
    """They want to be written to again. Says whether it is news."""
    customers = table(Customer)
    statement = (
        update(customers)
        .where(customers.c.tenant_id == tenant_id, customers.c.id == customer_id)
        .where(customers.c.opted_out_at.is_not(None))
        .values(opted_out_at=None)
    )
    return change(session, statement) == 1


def is_forgotten(session: Session, tenant_id: int, customer_id: int) -> bool:
    """Whether this customer's data were erased: see models/erasure.py."""
    return (address_of(session, tenant_id, customer_id) or "").startswith(FORGOTTEN)


def require_known(session: Session, tenant_id: int, customer_id: int) -> None:
    """Raises Forgotten for a customer whose data were erased."""
    if is_forgotten(session, tenant_id, customer_id):
        raise Forgotten("customer")


def rename(session: Session, tenant_id: int, customer_id: int, name: str) -> str:
    """Correct a customer's name; gives the one before. Raises NotFound, and Forgotten."""
    query = select(Customer).where(Customer.tenant_id == tenant_id, Customer.id == customer_id)
    found = session.exec(query.with_for_update()).first()
    if found is None:
        raise NotFound("customer")
    require_known(session, tenant_id, customer_id)
    before, new = found.name, name_columns(name)
    found.name, found.folded_name = new["name"], new["folded_name"]
    return before


def tenants_of(session: Session, address: str) -> set[int]:
    """The ids of the businesses that know this very address."""
    query = select(CustomerAddress.tenant_id).where(CustomerAddress.address == address)
    return set(session.exec(query))


def _known(session: Session, tenant_id: int, addresses: Sequence[str]) -> Sequence[Row[Any]]:
    keys = [match_key(address) for address in addresses]
    rows = session.execute(_KNOWN, {"tenant": tenant_id, "keys": keys})
    # The address that wrote decides where two of them are known as different people.
    return sorted(rows, key=lambda row: (keys.index(row.match_key), row.id))


_ADDRESS = table(CustomerAddress)
_ADD_ADDRESS = insert(_ADDRESS)
_PERSON = table(Customer)
# WhatsApp may tell the name later than the number.
_NAME = (
    update(_PERSON)
    .where(_PERSON.c.tenant_id == bindparam("tenant"), _PERSON.c.id == bindparam("customer"))
    .where(_PERSON.c.name == "")
    .values(name=bindparam("given"), folded_name=bindparam("folded"))
)


def _given(name: str) -> dict[str, str]:
    both = name_columns(name)
    return {"given": both["name"], "folded": both["folded_name"]}


_KNOWN = (
    _ADDRESS.select()
    .add_columns(
        _PERSON.select()
        .with_only_columns(_PERSON.c.name)
        .where(_PERSON.c.tenant_id == _ADDRESS.c.tenant_id, _PERSON.c.id == _ADDRESS.c.customer_id)
        .scalar_subquery()
        .label("customer_name")
    )
    .where(_ADDRESS.c.tenant_id == bindparam("tenant"))
    .where(_ADDRESS.c.match_key.in_(bindparam("keys", expanding=True)))
    # Who is being forgotten at this moment is somebody new a moment later: see models/erasure.py.
    .with_for_update(read=True)
)


def _create(session: Session, now: datetime, tenant_id: int, name: str) -> int:
    new = Customer(tenant_id=tenant_id, **name_columns(name), created_at=now)
    made = session.execute(_ADD, new.model_dump(exclude={"id"}))
    return int(made.scalar_one())


_ADD = insert(table(Customer)).returning(table(Customer).c.id)
