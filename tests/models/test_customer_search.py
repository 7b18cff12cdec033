"""Customers as staff find them, add them and reach them."""

import unicodedata
from datetime import datetime, timedelta

import pytest
from sqlmodel import select

from models import customer_search, folding
from models.conversation import WINDOW, Conversation
from models.customer import Customer, CustomerAddress
from models.customer_search import Known
from models.db import Database
from models.errors import NotFound
from tests.fakes import agenda
from tests.fakes.agenda import Ids
from tests.fakes.talk import together
from tests.models.rows import says

NAMES = ["João D'Ávila 💈", "Zoë", "Ñandú", "李", "x" * 200, "Jo\u00e3o Nfd", "Mari\u200bana", "O'Sullivan"]
MOBILE = "whatsapp:+5531998966398"


@pytest.fixture
def ids(db: Database, now: datetime) -> Ids:
    with db.writing() as session:
        found = agenda.studio(session, now)
        for name in NAMES:
            # As iPhones send it: every sign apart from its accent.
            customer_search.register(session, now, found.tenant, unicodedata.normalize("NFD", name))
        return found


def names(db: Database, tenant_id: int, words: str) -> list[str]:
    with db.reading() as session:
        return [name for _, name, _ in customer_search.search(session, tenant_id, words)]


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("joao", [NAMES[5], NAMES[0]]),
        ("João", [NAMES[5], NAMES[0]]),
        ("Joa\u0303o", [NAMES[5], NAMES[0]]),
        ("avila joão", [NAMES[0]]),
        ("JOÃO D'", [NAMES[0]]),
        ("d'avila", [NAMES[0]]),
        ("💈", [NAMES[0]]),
        ("zoe", ["Zoë"]),
        ("ñ", [name for name in sorted(NAMES) if "n" in folding.folded(name)]),
        ("李", ["李"]),
        ("mariana", [NAMES[6]]),
        ("sullivan", ["O'Sullivan"]),
        ("  maria  ", ["Maria", NAMES[6]]),
        ("%", []),
        ("_", []),
        ("", []),
        ("\u200b", []),
    ],
)
def test_a_name_is_found_as_people_type_it(db: Database, ids: Ids, words: str, found: list[str]) -> None:
    assert sorted(names(db, ids.tenant, words)) == sorted(found)


def test_a_list_is_short_and_in_order(db: Database, ids: Ids, now: datetime) -> None:
    with db.writing() as session:
        for number in range(30):
            customer_search.register(session, now, ids.tenant, f"Beatriz {number:02}")
    assert names(db, ids.tenant, "beatriz") == [f"Beatriz {number:02}" for number in range(20)]


@pytest.mark.parametrize(
    "words",
    [
        *("98966398", "8966-398", "+55 31 99896-6398", "3198966398", "31 9896-6398", "31998966398"),
        *("(31) 99896-6398", "5531998966398", "553198966398", "031 99896-6398", "0 15 31 99896 6398"),
        *("whatsapp:+5531998966398", "Zap: (31) 9 9896.6398", "００３１99896/6398", "6398"),
    ],
)
def test_a_number_is_found_with_and_without_the_ninth_digit(
    db: Database, ids: Ids, now: datetime, words: str
) -> None:
    says(db, now, ids.tenant, "SM1", addresses=("whatsapp:+553198966398",))
    with db.reading() as session:
        found = customer_search.search(session, ids.tenant, words)
    assert [address for _, _, address in found] == ["whatsapp:+553198966398"]


def test_a_number_tells_people_apart_whatever_was_heard_of_last(
    db: Database, ids: Ids, now: datetime
) -> None:
    with db.writing() as session:
        key = customer_search.register(session, now, ids.tenant, "Marina", MOBILE)
        row = {"tenant_id": ids.tenant, "customer_id": key, "address": "whatsapp:BR.91", "match_key": "BR.91"}
        session.add(CustomerAddress(**row))
        session.flush()
        assert customer_search.search(session, ids.tenant, "marina") == [(key, "Marina", MOBILE)]


def test_three_digits_are_no_number(db: Database, ids: Ids, now: datetime) -> None:
    says(db, now, ids.tenant, "SM1")
    assert names(db, ids.tenant, "398") == []


def test_another_business_s_customers_are_not_found(db: Database, ids: Ids, now: datetime) -> None:
    with db.writing() as session:
        other = agenda.studio(session, now, slug="b", name="B", whatsapp="+551130001001")
        customer_search.register(session, now, other.tenant, "Segredo", MOBILE)
    assert names(db, ids.tenant, "segredo") == names(db, ids.tenant, "98966398") == []
    with db.reading() as session, pytest.raises(NotFound, match="customer"):
        customer_search.client(session, now, ids.tenant, other.customer)


def test_a_known_number_is_not_added_again(db: Database, ids: Ids, now: datetime) -> None:
    """Also written without the ninth digit; another business may know it as somebody else."""
    with db.writing() as session:
        key = customer_search.register(session, now, ids.tenant, "Ana", MOBILE)
    for address in (MOBILE, "whatsapp:+553198966398"):
        with db.writing() as session, pytest.raises(Known) as known:
            customer_search.register(session, now, ids.tenant, "Outra", address)
        assert known.value.customer_id == key
    with db.writing() as session:
        other = agenda.studio(session, now, slug="b", name="B", whatsapp="+551130001001")
        assert customer_search.register(session, now, other.tenant, "Ana", MOBILE) != key


def test_of_many_at_once_one_adds_it(db: Database, ids: Ids, now: datetime) -> None:
    def add() -> int:
        return db.retrying(lambda session: customer_search.register(session, now, ids.tenant, "Ana", MOBILE))

    results = together([add] * 8)
    added = [result for result in results if isinstance(result, int)]
    assert len(added) == 1
    assert [result.customer_id for result in results if isinstance(result, Known)] == added * 7
    with db.reading() as session:
        assert len(session.scalars(select(Customer).where(Customer.name == "Ana")).all()) == 1


@pytest.mark.parametrize(
    ("ago", "reachable"),
    [(timedelta(0), True), (WINDOW - timedelta(seconds=1), True), (WINDOW, False), (None, False)],
)
def test_who_can_be_reached(
    db: Database, ids: Ids, now: datetime, ago: timedelta | None, reachable: bool
) -> None:
    with db.writing() as session:
        talk = session.get_one(Conversation, ids.conversation)
        talk.last_inbound_at = now - ago if ago is not None else None
    with db.reading() as session:
        found = customer_search.client(session, now, ids.tenant, ids.customer)
    assert (found.reachable, found.conversation_id) == (reachable, ids.conversation)
    assert (found.name, found.address, found.opted_out) == ("Maria", "whatsapp:+5511999990001", False)


def test_a_walk_in_may_have_no_number(db: Database, ids: Ids, now: datetime) -> None:
    with db.writing() as session:
        without = customer_search.register(session, now, ids.tenant, "Sem número")
        with_one = customer_search.register(session, now, ids.tenant, "Com número", MOBILE)
    with db.reading() as session:
        found = [customer_search.client(session, now, ids.tenant, key) for key in (without, with_one)]
    assert [(each.address, each.conversation_id, each.reachable) for each in found] == [
        ("", None, False),
        (MOBILE, None, False),
    ]


def test_who_was_added_is_known_when_they_write(db: Database, ids: Ids, now: datetime) -> None:
    with db.writing() as session:
        key = customer_search.register(session, now, ids.tenant, "Ana", MOBILE)
    says(db, now, ids.tenant, "SM1", addresses=("whatsapp:+553198966398",))
    with db.reading() as session:
        assert customer_search.client(session, now, ids.tenant, key).reachable
