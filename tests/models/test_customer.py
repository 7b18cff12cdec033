"""One person is one customer, however their number is written; two people are never made one."""

from datetime import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlmodel import select

from models import customer
from models.customer import Customer, CustomerAddress, match_key
from models.db import Database
from tests.models.rows import add_tenant

WITH_NINE, WITHOUT_NINE = "whatsapp:+5531998966398", "whatsapp:+553198966398"
BSUID, OTHER_BSUID = "whatsapp:BR.1502576394655843", "whatsapp:BR.99"


@pytest.mark.parametrize(
    ("address", "key"),
    [
        (WITH_NINE, WITH_NINE),
        (WITHOUT_NINE, WITH_NINE),
        ("whatsapp:+551187654321", "whatsapp:+5511987654321"),
        ("whatsapp:+551167654321", "whatsapp:+5511967654321"),
    ],
)
def test_a_mobile_with_and_without_the_ninth_digit_has_one_key(address: str, key: str) -> None:
    assert match_key(address) == key


@pytest.mark.parametrize(
    "address",
    [
        "whatsapp:+553132345678",  # a landline
        "whatsapp:+5531932345678",  # a mobile that would be that landline with a nine
        "whatsapp:+551151234567",  # a landline (or an old Nextel): its first digit is no mobile's
        "whatsapp:+550198966398",  # no such area code
        "whatsapp:+55319896639",  # too short
        "whatsapp:+55319989663980",  # too long
        "whatsapp:+15551234567",  # abroad
        "whatsapp:+351912345678",
        "whatsapp:+553198966398 ",
        "+553198966398",
        BSUID,
        "whatsapp:BR.553198966398",
        "",
    ],
)
def test_everything_else_is_its_own_key(address: str) -> None:
    assert match_key(address) == address


@given(st.from_regex(r"whatsapp:\+55[1-9][0-9][0-9]{8,9}", fullmatch=True))
def test_a_key_is_stable_and_only_ever_adds_the_nine(address: str) -> None:
    key = match_key(address)
    assert match_key(key) == key
    assert key == address or (len(key) == len(address) + 1 and key[14] == "9" and key[15] in "6789")


def find(db: Database, now: datetime, tenant_id: int, *addresses: str, name: str = "Ana") -> int:
    with db.writing() as session:
        return customer.find_or_create(session, now, tenant_id, addresses, name)


@pytest.fixture
def tenant(db: Database, now: datetime) -> int:
    return add_tenant(db, now)


def addresses_of(db: Database, customer_id: int) -> set[str]:
    with db.reading() as session:
        query = select(CustomerAddress).where(CustomerAddress.customer_id == customer_id)
        return {row.address for row in session.exec(query)}


@pytest.mark.parametrize("first", [WITH_NINE, WITHOUT_NINE])
def test_both_ways_to_write_a_number_are_one_person(
    db: Database, now: datetime, tenant: int, first: str
) -> None:
    """B23: and each way is kept as it was written."""
    second = WITHOUT_NINE if first == WITH_NINE else WITH_NINE
    one = find(db, now, tenant, first)
    assert find(db, now, tenant, second) == one
    assert addresses_of(db, one) == {first, second}


def test_a_landline_is_nobody_elses_mobile(db: Database, now: datetime, tenant: int) -> None:
    people = [find(db, now, tenant, f"whatsapp:+55{number}") for number in ("3132345678", "31932345678")]
    assert len(set(people)) == 2


def test_a_number_that_appears_later_belongs_to_the_known_id(
    db: Database, now: datetime, tenant: int
) -> None:
    one = find(db, now, tenant, BSUID)
    assert find(db, now, tenant, WITH_NINE, BSUID) == one
    assert find(db, now, tenant, WITHOUT_NINE) == one
    assert addresses_of(db, one) == {BSUID, WITH_NINE, WITHOUT_NINE}


def test_a_new_id_of_a_known_number_is_the_same_person(db: Database, now: datetime, tenant: int) -> None:
    one = find(db, now, tenant, WITH_NINE, BSUID)
    assert find(db, now, tenant, WITH_NINE, OTHER_BSUID) == one
    assert find(db, now, tenant, OTHER_BSUID) == one


def test_the_address_that_wrote_decides_between_two_people(db: Database, now: datetime, tenant: int) -> None:
    """Both are known, as two; neither is taken from the other."""
    ana = find(db, now, tenant, WITH_NINE)
    bia = find(db, now, tenant, BSUID)
    assert find(db, now, tenant, WITHOUT_NINE, BSUID) == ana
    assert find(db, now, tenant, BSUID, WITH_NINE) == bia
    assert addresses_of(db, bia) == {BSUID}


def test_each_business_has_its_own_customers(db: Database, now: datetime, tenant: int) -> None:
    other = add_tenant(db, now, 2)
    assert find(db, now, tenant, WITH_NINE) != find(db, now, other, WITH_NINE)


def test_the_first_name_stays(db: Database, now: datetime, tenant: int) -> None:
    """What the phone calls itself later is not what the business calls its customer."""
    one = find(db, now, tenant, WITH_NINE, name="A" * 300)
    find(db, now, tenant, WITH_NINE, name="Zé")
    with db.reading() as session:
        assert session.get_one(Customer, one).name == "A" * 200


def test_an_opt_out_keeps_its_first_time_and_its_business(db: Database, now: datetime, tenant: int) -> None:
    other = add_tenant(db, now, 2)
    one = find(db, now, tenant, WITH_NINE)
    later = now.replace(year=2027)
    with db.writing() as session:
        customer.opt_out(session, now, other, one)
        assert session.get_one(Customer, one).opted_out_at is None
        customer.opt_out(session, now, tenant, one)
        customer.opt_out(session, later, tenant, one)
    with db.reading() as session:
        assert session.get_one(Customer, one).opted_out_at == now


def test_an_opt_out_is_taken_back_by_its_business_alone(db: Database, now: datetime, tenant: int) -> None:
    other = add_tenant(db, now, 2)
    one = find(db, now, tenant, WITH_NINE)
    with db.writing() as session:
        assert not customer.opt_in(session, tenant, one)
        assert customer.opt_out(session, now, tenant, one)
        assert not customer.opt_out(session, now, tenant, one)
        assert not customer.opt_in(session, other, one)
        assert customer.opt_in(session, tenant, one)
        assert session.get_one(Customer, one).opted_out_at is None


def test_a_name_that_comes_later_is_kept_and_none_is_overwritten(db: Database, now: datetime) -> None:
    tenant, other = add_tenant(db, now), add_tenant(db, now, 2)
    with db.writing() as session:
        for place, name in ((tenant, ""), (other, ""), (tenant, "Lia"), (tenant, "Outra"), (tenant, "")):
            customer.find_or_create(session, now, place, [WITH_NINE], name)
    with db.reading() as session:
        rows = session.exec(select(Customer)).all()
    assert {row.tenant_id: row.name for row in rows} == {tenant: "Lia", other: ""}
