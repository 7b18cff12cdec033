"""Each business sends from its own number, on its own account, with clients of the calling thread."""

from collections.abc import Iterator

import pytest

from bot.whatsapp.base import SendError
from bot.whatsapp.senders import Senders
from models.db import Database
from models.tenant import Tenant
from tests.bot.edge import add_tenant, settings
from tests.fakes.twilio import CUSTOMER, SENDER, START, FakeTwilio

OWN = "AC" + "b2" * 16


@pytest.fixture
def fake() -> FakeTwilio:
    return FakeTwilio()


@pytest.fixture
def api(fake: FakeTwilio) -> Iterator[str]:
    with fake.server() as url:
        yield url


def test_a_business_sends_from_its_number_to_the_configured_address(
    sqlite_db: Database, fake: FakeTwilio, api: str
) -> None:
    tenant = add_tenant(sqlite_db)
    senders = Senders(settings(twilio_api_url=api), sqlite_db, {})
    senders.sender_for(tenant).send(CUSTOMER, "oi", reference=1)
    assert [(line.sender, line.to) for line in fake.sent] == [(f"whatsapp:{SENDER}", CUSTOMER)]
    senders.close()


def test_an_own_account_sends_with_its_own_token(sqlite_db: Database, fake: FakeTwilio, api: str) -> None:
    """The first of two tokens; the fake refuses any other account and token."""
    fake.account, fake.token = OWN, "own"
    own = {"twilio_account_sid": OWN, "twilio_auth_token_env": "BELA_TOKEN"}
    tenant = add_tenant(sqlite_db, **own)
    senders = Senders(settings(twilio_api_url=api), sqlite_db, {"BELA_TOKEN": " own , older"})
    senders.sender_for(tenant).send(CUSTOMER, "oi", reference=1)
    assert fake.bodies == ["oi"]
    senders.close()


def test_an_own_account_is_asked_for_its_own_messages(
    sqlite_db: Database, fake: FakeTwilio, api: str
) -> None:
    fake.account, fake.token = OWN, "own"
    own = {"twilio_account_sid": OWN, "twilio_auth_token_env": "BELA_TOKEN"}
    tenant_id = add_tenant(sqlite_db, **own)
    fake.inbound_form("oi")
    senders = Senders(settings(twilio_api_url=api), sqlite_db, {"BELA_TOKEN": "own"})
    with sqlite_db.reading() as session:
        tenant = session.get_one(Tenant, tenant_id)
    [found] = senders.inbox_for(tenant).received(SENDER, START)
    assert (found.text, senders.inbox_for(tenant).form(found)["AccountSid"]) == ("oi", OWN)
    assert senders.forms_for(tenant_id).account_sid == OWN
    senders.close()


def test_a_changed_number_counts_at_once(sqlite_db: Database, fake: FakeTwilio, api: str) -> None:
    tenant = add_tenant(sqlite_db)
    senders = Senders(settings(twilio_api_url=api), sqlite_db, {})
    senders.sender_for(tenant).send(CUSTOMER, "um", reference=1)
    with sqlite_db.writing() as session:
        session.get_one(Tenant, tenant).whatsapp = "+551130009999"
    senders.sender_for(tenant).send(CUSTOMER, "dois", reference=2)
    assert [line.sender for line in fake.sent] == [f"whatsapp:{SENDER}", "whatsapp:+551130009999"]
    senders.close()


@pytest.mark.parametrize(
    ("values", "environment", "own", "setting"),
    [
        ({"twilio_auth_token": ()}, {}, False, "TWILIO_AUTH_TOKEN"),
        ({"twilio_account_sid": None}, {}, False, "TWILIO_ACCOUNT_SID"),
        ({}, {}, True, "BELA_TOKEN"),
        ({}, {"BELA_TOKEN": " , "}, True, "BELA_TOKEN"),
    ],
)
def test_a_missing_setting_is_named_and_may_come_later(
    sqlite_db: Database, values: dict[str, object], environment: dict[str, str], own: bool, setting: str
) -> None:
    account = {"twilio_account_sid": OWN, "twilio_auth_token_env": "BELA_TOKEN"} if own else {}
    tenant = add_tenant(sqlite_db, **account)
    with pytest.raises(SendError, match=setting) as caught:
        Senders(settings(**values), sqlite_db, environment).sender_for(tenant)
    assert (caught.value.permanent, caught.value.surely_not_sent) == (False, True)
