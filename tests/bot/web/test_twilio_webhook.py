"""The way in: what is signed is stored once and answered with an empty TwiML; what is not is refused."""

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor

import pytest
from structlog.testing import capture_logs
from twilio.request_validator import RequestValidator
from werkzeug.test import TestResponse

from models.db import Database
from models.message import Author
from tests.bot.edge import Edge, add_staff, add_tenant
from tests.fakes.twilio import ACCOUNT, BSUID, CUSTOMER, PUBLIC_URL, SENDER, TOKEN

OLD_FORM = "whatsapp:+553198966398"  # CUSTOMER without the ninth digit
OWN_ACCOUNT = "AC" + "b2" * 16


def is_twiml(answer: TestResponse) -> bool:
    """The one good answer: nothing for Twilio to say, nothing for it to keep."""
    return (answer.status_code, answer.text, answer.mimetype) == (
        200,
        "<Response/>",
        "text/xml",
    ) and "Set-Cookie" not in answer.headers


def test_a_signed_message_is_stored_and_wakes_the_agent(db: Database) -> None:
    edge = Edge(db)
    assert is_twiml(edge.says("quero marcar um corte"))
    assert [(line.text, line.author, line.kind) for line in edge.messages()] == [
        ("quero marcar um corte", "customer", "text")
    ]
    assert edge.conversation().due_at == edge.clock.at + edge.services.debounce
    assert edge.services.wake_agent.is_set()
    assert edge.customers()[0].name == "Ana"


@pytest.mark.parametrize(
    "fields",
    [
        {"Body": "texto"},
        {
            "MessageType": "location",
            "Latitude": "-23.56",
            "Longitude": "-46.65",
            "Address": "Av. Paulista",
        },  # B13
        {
            "MessageType": "audio",
            "NumMedia": "1",
            "MediaContentType0": "audio/ogg",
            "MediaUrl0": "https://x/1",
        },
        {
            "MessageType": "sticker",
            "NumMedia": "1",
            "MediaContentType0": "image/webp",
            "MediaUrl0": "https://x/1",
        },
        {"MessageType": "reaction", "OriginalRepliedMessageSid": "SM" + "0" * 32},  # B20
        {"MessageType": "unsupported"},  # B21
        {"Body": None, "MessageType": None, "NumMedia": None},
        {"MessageSid": None, "SmsSid": None, "SmsMessageSid": None},
        {"To": "whatsapp:+5511999990000"},
        {"To": None},
        {"ProfileName": 'a\n"<script>'},
        {"Neu": "parameter"},
    ],
)
def test_the_answer_is_always_the_same(sqlite_db: Database, fields: dict[str, str | None]) -> None:
    """B42, B43: never JSON, never empty, never a text that would be said a second time."""
    said = dict(fields)
    assert is_twiml(Edge(sqlite_db).says(said.pop("Body", "") or "", **said))


@pytest.mark.parametrize(
    ("fields", "kind", "due"),
    [
        ({"MessageType": "sticker", "NumMedia": "1", "MediaUrl0": "https://x/1"}, "sticker", True),  # B19
        ({"MessageType": "reaction"}, "reaction", False),  # B20 (a)
        ({"MessageType": "unsupported"}, "unsupported", False),  # B21
        ({"MessageType": "text"}, "empty", True),
        ({"MessageType": "location", "Latitude": "1", "Longitude": "2"}, "location", True),  # B13
    ],
)
def test_what_is_no_text_is_stored_and_answered_where_somebody_waits(
    db: Database, fields: dict[str, str], kind: str, due: bool
) -> None:
    edge = Edge(db)
    edge.says("", **fields)
    assert [line.kind for line in edge.messages()] == [kind]
    assert (edge.conversation().due_at is not None) == due
    assert edge.services.wake_agent.is_set() == due


# Signatures


def test_behind_a_proxy_the_public_address_counts(sqlite_db: Database) -> None:
    """B25: plain http to loopback, signed for the public address; then forged; then without a header."""
    edge = Edge(sqlite_db)
    headers, form = edge.fake.inbound_form("oi")
    local = {"base_url": "http://127.0.0.1:8000"}
    proxied = {"X-Forwarded-Proto": "https", "X-Forwarded-Host": "evil.example.com"}
    for sent, status in (
        ({**headers, **proxied}, 200),
        ({**proxied, "X-Twilio-Signature": "x"}, 403),
        (proxied, 403),
    ):
        answer = edge.client.post("/twilio/inbound", data=form, headers=sent, **local)
        assert answer.status_code == status
    assert len(edge.messages()) == 1


def test_a_query_is_checked_as_it_came(sqlite_db: Database) -> None:
    edge = Edge(sqlite_db)
    path = "/twilio/inbound?loja=S%C3%A3o%20Paulo&x="
    headers, form = edge.fake.inbound_form("oi", path=path)
    assert is_twiml(edge.deliver(path, headers, form))
    assert edge.deliver("/twilio/inbound?loja=outra", headers, form).status_code == 403


@pytest.mark.parametrize("url", ["http://127.0.0.1:9/x", "http://169.254.169.254/latest/meta-data"])
def test_no_address_of_a_form_is_ever_fetched(sqlite_db: Database, url: str) -> None:
    """B17: forged it is refused; signed it is only written down."""
    with Edge(sqlite_db) as edge:
        media = {"NumMedia": "1", "MediaContentType0": "image/jpeg", "MediaUrl0": url}
        headers, form = edge.fake.inbound_form("", **media)
        assert edge.deliver("/twilio/inbound", {"X-Twilio-Signature": "forged"}, form).status_code == 403
        assert edge.messages() == []
        assert is_twiml(edge.deliver("/twilio/inbound", headers, form))
        assert edge.messages()[0].media == [{"url": url, "content_type": "image/jpeg"}]
        assert len(edge.http) == 0  # no HTTP client was ever made


def test_two_tokens_hold_while_one_is_rotated(sqlite_db: Database) -> None:
    edge = Edge(sqlite_db, values={"twilio_auth_token": (TOKEN, "older")})
    for token, status in ((TOKEN, 200), ("older", 200), ("oldest", 403)):
        headers, form = edge.fake.inbound_form("oi", token=token)
        assert edge.deliver("/twilio/inbound", headers, form).status_code == status


def test_a_shared_key_signature_fails_closed(sqlite_db: Database) -> None:
    edge = Edge(sqlite_db)
    headers, form = edge.fake.inbound_form("oi")
    named = {"X-Twilio-Webhooks-Signature-Settings": "key=webhooks_sharedkey_1,algorithm=HMAC_SHA256"}
    assert edge.deliver("/twilio/inbound", headers | named, form).status_code == 403


def test_a_shared_key_of_the_account_signs(sqlite_db: Database) -> None:
    """Each account has its own: that of one business opens nothing of another."""
    named = {"X-Twilio-Webhooks-Signature-Settings": "key=k1,algorithm=HMAC_SHA256"}
    edge = Edge(
        sqlite_db,
        values={"twilio_shared_keys": (("k1", "shared"),)},
        environment={"BELA_TOKEN": "own", "BELA_TOKEN_SHARED_KEYS": "k1=theirs"},
    )
    own = {"twilio_account_sid": OWN_ACCOUNT, "twilio_auth_token_env": "BELA_TOKEN"}
    add_tenant(sqlite_db, "own", "+551130002000", **own)
    for number, account, secret, status in (
        (SENDER, ACCOUNT, "shared", 200),
        (SENDER, ACCOUNT, "theirs", 403),
        ("+551130002000", OWN_ACCOUNT, "theirs", 200),
        ("+551130002000", OWN_ACCOUNT, "shared", 403),
    ):
        _, form = edge.fake.inbound_form("oi", To=f"whatsapp:{number}", AccountSid=account)
        signature = RequestValidator(secret).compute_signature(
            f"{PUBLIC_URL}/twilio/inbound", form, "HMAC_SHA256"
        )
        headers = named | {"X-Twilio-Signature": signature}
        assert edge.deliver("/twilio/inbound", headers, form).status_code == status, (number, secret)


def test_shared_keys_that_cannot_be_read_sign_nothing(sqlite_db: Database) -> None:
    edge = Edge(sqlite_db, environment={"BELA_TOKEN": "own", "BELA_TOKEN_SHARED_KEYS": "theirs"})
    own = {"twilio_account_sid": OWN_ACCOUNT, "twilio_auth_token_env": "BELA_TOKEN"}
    add_tenant(sqlite_db, "own", "+551130002000", **own)
    fields = {"To": "whatsapp:+551130002000", "AccountSid": OWN_ACCOUNT}
    headers, form = edge.fake.inbound_form("oi", token="own", **fields)
    assert edge.deliver("/twilio/inbound", headers, form).status_code == 200
    named = {"X-Twilio-Webhooks-Signature-Settings": "key=theirs,algorithm=HMAC_SHA256"}
    assert edge.deliver("/twilio/inbound", headers | named, form).status_code == 403


# A customer without a number


def test_an_id_in_place_of_our_number_leads_to_the_only_business_of_the_account(db: Database) -> None:
    edge = Edge(db)
    assert is_twiml(edge.says("oi", From=BSUID, To=BSUID))
    assert edge.conversation().address == BSUID


def test_among_several_it_leads_to_the_one_that_knows_them(sqlite_db: Database) -> None:
    """And where none or two do, to nobody: a message is not to be read by a stranger."""
    edge = Edge(sqlite_db)
    add_tenant(sqlite_db, "outro", "+551130009999")
    assert is_twiml(edge.says("oi", From=BSUID, To=BSUID))
    assert edge.messages() == []
    edge.says("oi", From=BSUID, To="whatsapp:+551130009999")
    edge.says("de novo", From=BSUID, To=BSUID)
    assert [line.text for line in edge.messages()] == ["oi", "de novo"]
    edge.says("oi", From=BSUID)
    edge.says("quem?", From=BSUID, To=BSUID)
    assert "quem?" not in [line.text for line in edge.messages()]


def test_an_id_leads_to_no_business_of_another_account(sqlite_db: Database) -> None:
    edge = Edge(sqlite_db, environment={"BELA_TOKEN": "own"})
    own = {"twilio_account_sid": OWN_ACCOUNT, "twilio_auth_token_env": "BELA_TOKEN"}
    bela = add_tenant(sqlite_db, "own", "+551130002000", **own)
    headers, form = edge.fake.inbound_form("oi", token="own", From=BSUID, To=BSUID, AccountSid=OWN_ACCOUNT)
    assert is_twiml(edge.deliver("/twilio/inbound", headers, form))
    assert [line.tenant_id for line in edge.messages()] == [bela]
    assert edge.says("oi", From=BSUID, To=BSUID, AccountSid=OWN_ACCOUNT).status_code == 403


def test_reports_of_a_line_to_an_id_are_taken(sqlite_db: Database) -> None:
    with Edge(sqlite_db) as edge:
        edge.says("oi", From=BSUID)
        edge.queue("Olá!")
        edge.send_all()
        edge.reports(edge.fake.sent[0], "delivered")
        assert (edge.fake.sent[0].to, edge.statuses()) == (BSUID, ["delivered"])


@pytest.mark.parametrize(
    ("values", "setting"),
    [({"twilio_auth_token": ()}, "TWILIO_AUTH_TOKEN"), ({"public_url": None}, "PUBLIC_URL")],
)
@pytest.mark.parametrize("path", ["/twilio/inbound", "/twilio/status"])
def test_without_a_setting_all_is_refused_and_the_log_names_it(
    sqlite_db: Database, values: dict[str, object], setting: str, path: str
) -> None:
    edge = Edge(sqlite_db, values=values)
    headers, form = edge.fake.inbound_form("oi", path=path)
    with capture_logs() as lines:
        assert edge.deliver(path, headers, form).status_code == 403
    assert [line["setting"] for line in lines] == [setting]


def test_a_business_with_its_own_account_is_signed_by_its_own_token(sqlite_db: Database) -> None:
    """The account is ours to choose by the number; a form cannot name a weaker secret."""
    edge = Edge(sqlite_db, environment={"BELA_TOKEN": "own, older"})
    own = {"twilio_account_sid": OWN_ACCOUNT, "twilio_auth_token_env": "BELA_TOKEN"}
    number = "+551130002000"
    add_tenant(sqlite_db, "own", number, **own)
    for token, account, status in (
        ("own", OWN_ACCOUNT, 200),
        ("older", OWN_ACCOUNT, 200),
        (TOKEN, OWN_ACCOUNT, 403),
        (TOKEN, ACCOUNT, 403),
        ("own", ACCOUNT, 403),
    ):
        headers, form = edge.fake.inbound_form("oi", token=token, To=f"whatsapp:{number}", AccountSid=account)
        assert edge.deliver("/twilio/inbound", headers, form).status_code == status, (token, account)
    headers, form = edge.fake.inbound_form("oi", token="own")
    assert edge.deliver("/twilio/inbound", headers, form).status_code == 403


def test_an_own_account_without_its_variable_is_refused_by_name(sqlite_db: Database) -> None:
    edge = Edge(sqlite_db)
    own = {"twilio_account_sid": OWN_ACCOUNT, "twilio_auth_token_env": "BELA_TOKEN"}
    add_tenant(sqlite_db, "own", "+551130002000", **own)
    with capture_logs() as lines:
        assert edge.says("oi", To="whatsapp:+551130002000").status_code == 403
    assert [line["setting"] for line in lines] == ["BELA_TOKEN"]


def test_a_form_of_another_account_is_refused(sqlite_db: Database) -> None:
    edge = Edge(sqlite_db)
    assert edge.says("oi", AccountSid=OWN_ACCOUNT).status_code == 403
    assert is_twiml(edge.says("oi", AccountSid=None))


# Once


def test_the_same_message_twice_is_one_message(db: Database) -> None:
    """B02: five seconds apart; the second delivery does not move the turn either."""
    edge = Edge(db)
    headers, form = edge.fake.inbound_form("oi")
    first = edge.deliver("/twilio/inbound", headers, form)
    due = edge.conversation().due_at
    edge.clock.forward(seconds=5)
    assert is_twiml(first)
    assert is_twiml(edge.deliver("/twilio/inbound", headers, form))
    assert len(edge.messages()) == 1
    assert edge.conversation().due_at == due


def test_deliveries_at_the_same_moment_are_one_message(db: Database) -> None:
    edge = Edge(db)
    headers, form = edge.fake.inbound_form("oi")
    clients = [edge.app.test_client() for _ in range(8)]
    with ThreadPoolExecutor(8) as pool:
        answers = list(
            pool.map(lambda client: client.post("/twilio/inbound", data=form, headers=headers), clients)
        )
    assert all(is_twiml(answer) for answer in answers)
    assert len(edge.messages()) == 1
    assert len(edge.customers()) == len(edge.conversations()) == 1


def test_first_messages_of_one_person_at_the_same_moment(db: Database) -> None:
    """Twilio delivers from several connections: one customer, one conversation, nothing lost."""
    edge = Edge(db)
    forms = [edge.fake.inbound_form(f"mensagem {number}") for number in range(6)]

    def deliver(signed: tuple[dict[str, str], Mapping[str, str]]) -> TestResponse:
        headers, form = signed
        return edge.app.test_client().post("/twilio/inbound", data=form, headers=headers)

    with ThreadPoolExecutor(6) as pool:
        assert all(is_twiml(answer) for answer in pool.map(deliver, forms))
    assert sorted(line.text for line in edge.messages()) == [f"mensagem {number}" for number in range(6)]
    assert [line.seq for line in edge.messages()] == [1, 2, 3, 4, 5, 6]
    assert len(edge.customers()) == len(edge.conversations()) == 1


def test_equal_words_in_two_messages_are_two_messages(db: Database) -> None:
    """B04."""
    edge = Edge(db)
    edge.says("sim")
    edge.clock.forward(seconds=2)
    edge.says("sim")
    assert [line.text for line in edge.messages()] == ["sim", "sim"]


# Who


def test_a_number_with_and_without_the_ninth_digit_is_one_person(db: Database) -> None:
    """B23: and the answer goes to the form that wrote, byte for byte."""
    with Edge(db) as edge:
        edge.says("quero marcar", ExternalUserId=None)
        edge.says("quero cancelar", From=OLD_FORM, ExternalUserId=None)
        assert len(edge.customers()) == len(edge.conversations()) == 1
        assert edge.addresses() == sorted([CUSTOMER, OLD_FORM])
        edge.queue("Certo!")
        edge.send_all()
        assert [line.to for line in edge.fake.sent] == [OLD_FORM]


def test_a_landline_is_nobody_elses_mobile(db: Database) -> None:
    edge = Edge(db)
    for number in ("whatsapp:+553132345678", "whatsapp:+5531932345678"):
        edge.says("oi", From=number, ExternalUserId=None)
    assert len(edge.customers()) == 2


def test_a_person_is_known_by_id_before_and_after_the_number_appears(db: Database) -> None:
    with Edge(db) as edge:
        edge.says("oi", From=BSUID, WaId=None)
        edge.queue("Olá!")
        edge.send_all()
        edge.says("sou eu", From=CUSTOMER)
        edge.queue("Oi de novo!")
        edge.send_all()
        assert len(edge.customers()) == 1
        assert [line.to for line in edge.fake.sent] == [BSUID, CUSTOMER]


def test_one_person_at_two_businesses_has_two_conversations(db: Database) -> None:
    edge = Edge(db)
    other = add_tenant(db, "barbearia", "+551130002000")
    edge.says("oi")
    edge.says("oi", To="whatsapp:+551130002000")
    assert [row.tenant_id for row in edge.conversations()] == [edge.tenant_id, other]
    assert len(edge.customers()) == 2


def test_a_message_for_a_number_that_is_not_ours_is_logged_and_gone(db: Database) -> None:
    edge = Edge(db)
    with capture_logs() as lines:
        assert is_twiml(edge.says("oi", To="whatsapp:+5511988887777"))
    assert edge.messages() == []
    assert [line["event"] for line in lines] == ["webhook_unknown_sender"]
    assert "98888" not in str(lines)


def test_no_log_line_holds_words_or_numbers_of_a_customer(db: Database) -> None:
    edge = Edge(db)
    with capture_logs() as lines:
        edge.says("meu segredo é azul")
        edge.deliver("/twilio/inbound", {}, edge.fake.inbound_form("outro segredo")[1])
    assert len(lines) == 2
    assert "segredo" not in str(lines)
    assert "96639" not in str(lines)


def test_whatsapps_own_words_of_a_failure_are_logged(db: Database) -> None:
    """63005 says little by itself. Who it was for is not told."""
    edge = Edge(db)
    edge.says("oi")
    edge.queue("Olá!")
    edge.send_all()
    path, _, form = edge.fake.status_form(edge.fake.sent[0], "undelivered", 63005)
    form["ChannelStatusMessage"] = "Media\nnot supported"
    with capture_logs() as lines:
        edge.deliver(path, edge.fake.sign(path, form), form)
    [line] = [line for line in lines if line["event"] == "delivery_failed"]
    assert (line["code"], line["said"]) == (63005, "Media not supported")
    assert "96639" not in str(lines)


# People


@pytest.mark.parametrize("holder", ["queue", "staff"])
def test_while_people_hold_the_conversation_the_agent_is_not_woken(db: Database, holder: str) -> None:
    edge = Edge(db)
    edge.says("quero falar com uma pessoa")
    edge.hand_to(holder, add_staff(db, edge.tenant_id))
    edge.services.wake_agent.clear()
    before = edge.conversation().unread
    assert is_twiml(edge.says("tem alguém aí?"))
    row = edge.conversation()
    assert (row.due_at, row.unread) == (None, before + 1)
    assert not edge.services.wake_agent.is_set()


# What cannot be stored


def test_only_a_message_that_could_not_be_stored_is_an_error(sqlite_db: Database) -> None:
    """Then Twilio's retry or fallback brings it again, and nothing of the fault is told."""
    edge = Edge(sqlite_db)
    headers, form = edge.fake.inbound_form("oi")
    with sqlite_db.engine.begin() as connection:
        connection.exec_driver_sql("ALTER TABLE message RENAME TO gone")
    with capture_logs() as lines:
        answer = edge.deliver("/twilio/inbound", headers, form)
    assert (answer.status_code, answer.text) == (503, "")
    assert [line["event"] for line in lines] == ["webhook_not_stored"]
    with sqlite_db.engine.begin() as connection:
        connection.exec_driver_sql("ALTER TABLE gone RENAME TO message")
    assert is_twiml(edge.deliver("/twilio/inbound", headers, form))
    assert len(edge.messages()) == 1


def test_a_body_without_end_is_refused(sqlite_db: Database) -> None:
    edge = Edge(sqlite_db)
    assert edge.says("x" * 300_000).status_code == 413
    assert is_twiml(edge.says("👍" * 4096))
    assert edge.messages()[0].text == "👍" * 4096


def test_other_methods_and_contents(sqlite_db: Database) -> None:
    edge = Edge(sqlite_db)
    assert edge.client.get("/twilio/inbound").status_code == 405
    assert edge.client.post("/twilio/inbound", json={"Body": "oi"}).status_code == 403
    assert edge.client.post("/twilio/inbound", data=b"\xff%ff%", content_type="x").status_code == 403


# Status


def a_sent_line(edge: Edge, text: str = "Olá!") -> None:
    edge.says("oi")
    edge.queue(text)
    edge.send_all()


def test_reports_in_any_order_and_again(db: Database) -> None:
    """B36: read, sent, delivered, then failed twice, and a sid that nobody knows."""
    with Edge(db) as edge:
        a_sent_line(edge)
        line = edge.fake.sent[0]
        for status in ("read", "sent", "delivered", "read", "failed", "failed"):
            assert is_twiml(edge.reports(line, status))
            assert edge.statuses() == ["read"]
        stranger = edge.fake.accept_elsewhere("de outro programa")
        assert is_twiml(edge.reports(stranger, "delivered"))
        assert is_twiml(edge.reports(stranger, "sent"))
        assert [(row.provider_sid, row.status) for row in edge.early()] == [(stranger.sid, "delivered")]
        assert edge.reasons() == []


def test_a_failure_is_shown_once_and_comes_to_people(db: Database) -> None:
    """B24: accepted, and then not delivered."""
    with Edge(db) as edge:
        a_sent_line(edge)
        for _ in range(2):
            assert is_twiml(edge.reports(edge.fake.sent[0], "undelivered", 63003))
        edge.reports(edge.fake.sent[0], "sent")
        assert edge.statuses() == ["failed"]
        assert edge.messages()[-1].error_code == 63003
        assert edge.reasons() == ["falha_no_envio"]
        assert edge.conversation().holder == "queue"


@pytest.mark.parametrize("code", [63016, 63003, 63024, 63005, 63032, 99999, None])
def test_every_failure_that_no_retry_cures_comes_to_people(sqlite_db: Database, code: int | None) -> None:
    with Edge(sqlite_db) as edge:
        a_sent_line(edge)
        edge.reports(edge.fake.sent[0], "failed", code)
        assert (edge.statuses()[0], edge.reasons()) == ("failed", ["falha_no_envio"])


def test_a_failure_under_the_eyes_of_staff_opens_nothing(db: Database) -> None:
    with Edge(db) as edge:
        a_sent_line(edge)
        edge.hand_to("staff", add_staff(db, edge.tenant_id))
        before = edge.reasons()
        edge.reports(edge.fake.sent[0], "undelivered", 63003)
        assert edge.statuses() == ["failed"]
        assert edge.reasons() == before


def test_a_report_for_a_line_of_another_business_changes_nothing(db: Database) -> None:
    """By our id as by the sid: whoever signs for one number speaks for that one alone."""
    with Edge(db, environment={"EVIL_TOKEN": "evil"}) as edge:
        own = {"twilio_account_sid": OWN_ACCOUNT, "twilio_auth_token_env": "EVIL_TOKEN"}
        add_tenant(db, "evil", "+551130002000", **own)
        a_sent_line(edge)
        line = edge.fake.sent[0]
        path, _, form = edge.fake.status_form(line, "undelivered", 63003)
        form |= {"From": "whatsapp:+551130002000", "AccountSid": OWN_ACCOUNT}
        for target in (path, "/twilio/status"):
            headers = edge.fake.sign(target, form, "evil")
            assert is_twiml(edge.deliver(target, headers, form))
        assert edge.statuses() == ["accepted"]
        assert edge.reasons() == []


@pytest.mark.parametrize("reference", ["0", "-1", "99999999999999999999", "abc", "%C2%B2", ""])
def test_a_strange_reference_leaves_the_sid_to_name_the_line(sqlite_db: Database, reference: str) -> None:
    with Edge(sqlite_db) as edge:
        a_sent_line(edge)
        path = f"/twilio/status?o={reference}"
        assert is_twiml(edge.deliver(*edge.fake.status_form(edge.fake.sent[0], "delivered", path=path)))
        assert edge.statuses() == ["delivered"]


def test_a_reference_that_does_not_fit_the_sid_changes_nothing(db: Database) -> None:
    """Our id names the line; a report about another sid says nothing of it."""
    with Edge(db) as edge:
        a_sent_line(edge)
        stranger = edge.fake.accept_elsewhere("outro")
        edge.deliver(*edge.fake.status_form(stranger, "failed", 63003, path="/twilio/status?o=2"))
        assert edge.statuses() == ["accepted"]


def test_a_customers_message_takes_no_status(db: Database) -> None:
    with Edge(db) as edge:
        edge.says("oi")
        line = edge.fake.accept_elsewhere("x")
        line.sid = edge.messages()[0].provider_sid or ""
        assert is_twiml(edge.reports(line, "failed", 63003))
        assert edge.messages()[0].status == "received"
        assert edge.reasons() == []


def test_an_unknown_word_is_ignored(sqlite_db: Database) -> None:
    with Edge(sqlite_db) as edge:
        a_sent_line(edge)
        assert is_twiml(edge.reports(edge.fake.sent[0], "teleported"))
        assert edge.statuses() == ["accepted"]


def test_addresses_that_were_swapped_in_the_configuration_are_understood(db: Database) -> None:
    """A status callback at the inbound address, a message at the other one."""
    with Edge(db) as edge:
        headers, form = edge.fake.inbound_form("oi", path="/twilio/status")
        assert is_twiml(edge.deliver("/twilio/status", headers, form))
        assert [line.text for line in edge.messages()] == ["oi"]
        edge.queue("Olá!", author=Author.BOT)
        edge.send_all()
        edge.deliver(*edge.fake.status_form(edge.fake.sent[0], "read", path="/twilio/inbound"))
        assert edge.statuses() == ["read"]


def test_our_number_is_found_only_by_its_whatsapp_address(sqlite_db: Database) -> None:
    """The same number's SMS traffic is none of ours."""
    edge = Edge(sqlite_db)
    assert is_twiml(edge.says("oi", To=SENDER, From="+5531998966398", ExternalUserId=None))
    assert edge.messages() == []
