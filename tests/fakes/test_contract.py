"""The description itself refuses what Twilio's does: a check that cannot fail would be none."""

import json
from urllib.parse import urlencode

import pytest

from tests.fakes import contract
from tests.fakes.contract import OutOfContract
from tests.fakes.twilio import ACCOUNT, CUSTOMER, SENDER

MESSAGES = f"https://api.twilio.com/2010-04-01/Accounts/{ACCOUNT}/Messages.json"
TYPING = "https://messaging.twilio.com/v2/Indicators/Typing.json"
CONTENT = "https://content.twilio.com/v1/Content"
FORM = {"content-type": "application/x-www-form-urlencoded"}
GOOD = {"To": CUSTOMER, "From": f"whatsapp:{SENDER}", "Body": "oi"}


def create(url: str = MESSAGES, headers: dict[str, str] | None = None, **form: str | None) -> None:
    said = {name: value for name, value in {**GOOD, **form}.items() if value is not None}
    contract.check("POST", url, headers or FORM, urlencode(said).encode())


@pytest.mark.parametrize(
    "form",
    [
        {},
        {"To": "whatsapp:BR.1502576394655843"},
        {"StatusCallback": "https://horacerta.example.com/twilio/status?o=1"},
        {"Body": None, "ContentSid": "HX" + "0" * 32, "ContentVariables": '{"1": "Ana"}'},
    ],
)
def test_a_good_create_is_allowed(form: dict[str, str | None]) -> None:
    create(**form)


@pytest.mark.parametrize(
    ("form", "fault"),
    [
        ({"To": None}, "form has no To"),
        ({"To": "5531998966398"}, "form.To is no phone-number"),
        ({"From": None}, "one of From, MessagingServiceSid is needed"),
        ({"Body": None}, "one of Body, MediaUrl, ContentSid is needed"),
        ({"Body": ""}, "form.Body has not the right length"),
        ({"Body": "a" * 1601}, "form.Body has not the right length"),
        ({"StatusCallback": "https://my_host.example.com/"}, "form.StatusCallback is no uri"),
        ({"StatusCallback": "/twilio/status"}, "form.StatusCallback is no uri"),
        ({"ContentSid": "HX1"}, "form.ContentSid does not match"),
        ({"ContentVariables": "{'1': 'Ana'}"}, "form.ContentVariables is no JSON object of strings"),
        ({"ContentVariables": '{"1": 1}'}, "form.ContentVariables is no JSON object of strings"),
        ({"IdempotencyKey": "1"}, "form has an unknown IdempotencyKey"),
    ],
)
def test_a_bad_create_is_not(form: dict[str, str | None], fault: str) -> None:
    with pytest.raises(OutOfContract, match=fault):
        create(**form)


def test_address_and_content_type_count_as_well() -> None:
    with pytest.raises(OutOfContract, match="AccountSid does not match"):
        create(MESSAGES.replace(ACCOUNT, "ACx"))
    with pytest.raises(OutOfContract, match="content type is not"):
        create(headers={"content-type": "application/json"})
    with pytest.raises(OutOfContract, match="is not described"):
        create(MESSAGES.replace("Messages", "Calls"))
    with pytest.raises(OutOfContract, match="a field is repeated"):
        contract.check("POST", MESSAGES, FORM, urlencode([*GOOD.items(), ("Body", "oi")]).encode())


@pytest.mark.parametrize(
    ("form", "fault"),
    [
        ({"channel": "sms", "messageId": "SM" + "0" * 32}, "form.channel is none of whatsapp"),
        ({"channel": "whatsapp", "messageId": "terminal-1"}, "form.messageId does not match"),
        ({"channel": "whatsapp"}, "form has no messageId"),
    ],
)
def test_a_bad_typing_indicator_is_refused(form: dict[str, str], fault: str) -> None:
    with pytest.raises(OutOfContract, match=fault):
        contract.check("POST", TYPING, FORM, urlencode(form).encode())


@pytest.mark.parametrize(
    ("document", "fault"),
    [
        ({"language": "pt_BR"}, "body has no types"),
        ({"language": "pt_BR", "types": {"twilio/text": {}}}, "unknown twilio/text"),
        (
            {
                "language": "pt_BR",
                "types": {"twilio/quick-reply": {"body": "a", "actions": [{"title": "a"}]}},
            },
            r"actions\[0\] has no type",
        ),
        (
            {
                "language": "pt_BR",
                "types": {"twilio/list-picker": {"body": "a", "button": "b", "items": [{"title": "c"}]}},
            },
            r"items\[0\] has no id",
        ),
        ({"language": "pt_BR", "types": {}, "variables": {"1": 1}}, "body.variables.1 is no string"),
    ],
)
def test_a_bad_form_is_refused(document: object, fault: str) -> None:
    with pytest.raises(OutOfContract, match=fault):
        contract.check("POST", CONTENT, {"content-type": "application/json"}, json.dumps(document).encode())


@pytest.mark.parametrize("query", ["PageSize=0", "PageSize=1001", "DateSent>=ontem", "To=ana", "Neu=1"])
def test_a_bad_listing_is_refused(query: str) -> None:
    contract.check("GET", f"{MESSAGES}?PageSize=1000&DateSent%3E=2026-12-02T13:00:00Z", {}, b"")
    with pytest.raises(OutOfContract):
        contract.check("GET", f"{MESSAGES}?{query.replace('>', '%3E')}", {}, b"")
