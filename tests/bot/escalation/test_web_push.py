"""Staff are told in browsers with no page open, by vendors who cannot read it."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import httpx
import pytest
from flask.testing import FlaskClient
from sqlmodel import select

from bot.cli import doctor
from bot.core.http import ThreadClients
from bot.escalation import staff_alerts, web_push
from bot.process import bootstrap
from models import staff
from models.acts import team_acts
from models.alert import TRIES, Alert
from models.db import Database
from models.push import PushSubscription
from tests.bot.edge import settings
from tests.bot.escalation.test_staff_alerts import SECRETS, Box
from tests.bot.web.office import ANA, BRUNO, STRANGER, Office, post
from tests.fakes.push import KEY, SUBJECT, Browser, Vendor

SET = {"vapid_private_key": KEY, "vapid_subject": SUBJECT}


@dataclass
class Room:
    office: Office
    vendor: Vendor
    box: Box

    def hears(self, email: str = ANA, *, host: str = "fcm.googleapis.com") -> tuple[FlaskClient, Browser]:
        """This person logs in with a browser, and has it tell them."""
        browser, client = Browser(host), self.office.client(email)
        self.vendor.browsers.append(browser)
        assert post(client, "/conta/avisos", **browser.given).status_code == 303
        return client, browser

    def tell(self, *, later: float = 5) -> None:
        self.office.clock.forward(seconds=later)
        staff_alerts.tell(self.office.services, self.office.clock())

    def known(self) -> set[str]:
        with self.office.db.reading() as session:
            return {row.endpoint for row in session.scalars(select(PushSubscription))}

    def flagged(self, phone: str = "+5511900000001") -> int:
        talk = self.office.says("segredo", phone=phone)
        self.office.flags(talk, detail="segredo")
        return talk


@pytest.fixture
def room(db: Database) -> Iterator[Room]:
    office, box = Office(db), Box()
    vendor = Vendor(office.clock)
    http = ThreadClients(transport=httpx.MockTransport(vendor))
    pusher = bootstrap.pusher(settings(**SET), http)
    assert pusher is not None
    vendor.public_key = pusher.public_key
    office.services = replace(office.services, post=box, pusher=pusher)
    office.own_app()
    yield Room(office, vendor, box)
    http.close()


def test_a_browser_shows_it_once_and_not_a_word_of_what_was_said(room: Room) -> None:
    _, browser = room.hears()
    talk = room.flagged()
    room.tell()
    room.tell(later=3600)
    title, body = "Conversa aguardando · Studio Bela", "Uma conversa aguarda na fila."
    assert browser.shown == [{"title": title, "body": body, "url": f"/fila/{talk}"}]
    assert not [word for word in SECRETS if word in str(browser.shown)]
    assert [mail.to for mail in room.box.mails] == [ANA, BRUNO], "and the mail as ever"


def test_several_lead_to_the_queue_and_nobody_of_another_business_hears_it(room: Room) -> None:
    (_, browser), (_, stranger) = room.hears(), room.hears(STRANGER)
    room.flagged("+5511900000001")
    room.flagged("+5511900000002")
    room.tell()
    assert [(each["body"], each["url"]) for each in browser.shown] == [
        ("2 conversas aguardam na fila.", "/fila")
    ]
    assert stranger.shown == []


def test_one_vendor_out_of_order_keeps_no_other_from_its_notice(room: Room) -> None:
    (_, broken), (_, fine) = room.hears(), room.hears(BRUNO, host="web.push.apple.com")
    broken.answer = httpx.ConnectTimeout
    room.flagged()
    room.tell()
    assert len(fine.shown) == 1


@pytest.mark.parametrize("answer", [httpx.ReadTimeout, 302, 403, 429, 500])
def test_what_reached_nobody_is_tried_again_and_the_mail_is_not(
    room: Room, answer: int | type[httpx.HTTPError]
) -> None:
    _, browser = room.hears()
    browser.answer = answer
    room.flagged()
    room.tell()
    browser.answer = 201
    room.tell(later=30)
    assert browser.shown == [], "not at once"
    room.tell(later=31)
    assert (len(browser.shown), len(room.box.mails)) == (1, 2)


def test_a_mail_that_is_tried_again_is_no_second_notice(room: Room) -> None:
    _, browser = room.hears()
    room.box.broken = True
    room.flagged()
    for _ in range(TRIES + 1):
        room.tell(later=3600)
    assert len(browser.shown) == 1
    with room.office.db.reading() as session:
        assert [row.settled_at is not None for row in session.scalars(select(Alert))] == [True, True]


@pytest.mark.parametrize("answer", [404, 410])
def test_a_browser_that_its_vendor_does_not_know_is_forgotten(room: Room, answer: int) -> None:
    (_, gone), (_, here) = room.hears(), room.hears(BRUNO)
    gone.answer = answer
    room.flagged()
    room.tell()
    assert room.known() == {here.given["endpoint"]}


@pytest.mark.parametrize("how", ["out", "off", "elsewhere", "others", "all", "disabled", "password"])
def test_what_ends_the_login_ends_the_notices(room: Room, how: str) -> None:
    """Only that person's, and only in that browser."""
    client, browser = room.hears()
    _, bruno = room.hears(BRUNO)
    elsewhere, other = room.hears()
    kept = {bruno.given["endpoint"]}
    office = room.office
    match how:
        case "out":
            post(client, "/sair")
        case "off":
            post(client, "/conta/avisos/desligar", endpoint=browser.given["endpoint"])
        case "elsewhere":
            post(elsewhere, "/conta/sessoes/1/encerrar")
        case "others":
            office.clock.forward(days=8)  # so long ago that the next login forgets the session itself
            elsewhere, other = room.hears()
            post(elsewhere, "/conta/sessoes/encerrar")
        case "all":
            post(elsewhere, "/conta/sessoes/encerrar-todas")
        case "disabled":
            team_acts.disable(office.db, office.clock(), office.ana)
        case "password":
            with office.db.writing() as session:
                staff.reset_password(session, office.clock(), office.ana, "uma senha bem comprida")
    stays = how in ("out", "off", "elsewhere", "others")
    assert room.known() == kept | ({other.given["endpoint"]} if stays else set())


def test_a_browser_is_told_once_whoever_logs_in_there(room: Room) -> None:
    _, browser = room.hears()
    post(room.office.client(BRUNO), "/conta/avisos", **browser.given)
    with room.office.db.reading() as session:
        assert [row.staff_id for row in session.scalars(select(PushSubscription))] == [room.office.bruno]


def test_a_stranger_switches_nothing_off(room: Room) -> None:
    _, browser = room.hears()
    post(room.office.client(BRUNO), "/conta/avisos/desligar", endpoint=browser.given["endpoint"])
    assert room.known() == {browser.given["endpoint"]}


def test_a_login_that_ran_out_is_told_all_the_same(room: Room) -> None:
    """A phone in a pocket is there for the morning, too."""
    _, browser = room.hears()
    room.office.clock.forward(days=8)
    room.office.client(ANA)
    room.flagged()
    room.tell()
    assert len(browser.shown) == 1


@pytest.mark.parametrize(
    "endpoint",
    [
        "",
        "http://fcm.googleapis.com/x",
        "https://127.0.0.1/x",
        "https://169.254.169.254/latest",
        "https://fcm.googleapis.com.evil.test/x",
        "https://evil.test/fcm.googleapis.com/",
        "https://fcm.googleapis.com@10.0.0.1/x",
        "https://fcm.googleapis.com:8443/x",
        "https://10.0.0.1\\.notify.windows.com/x",
        "https://10.0.0.1#.notify.windows.com/x",
        "https://fcm.googleapis.com/a b",
        "https://fcm.googleapis.com/x\n",
        "https://fcm.googleapis.com/" + "x" * 1000,
    ],
)
def test_no_address_but_a_vendor_s_is_ever_called(room: Room, endpoint: str) -> None:
    given = Browser().given | {"endpoint": endpoint}
    assert post(room.office.client(), "/conta/avisos", **given).status_code == 422
    assert room.known() == set()


@pytest.mark.parametrize("host", ["updates.push.services.mozilla.com", "wns2-am3p.notify.windows.com"])
def test_vendors_that_are_known(host: str) -> None:
    web_push.check(**Browser(host).given)


@pytest.mark.parametrize(
    "odd", [{"p256dh": "x"}, {"p256dh": "B" + "A" * 86}, {"p256dh": "é"}, {"auth": ""}, {"auth": "A" * 23}]
)
def test_keys_that_no_browser_makes(odd: dict[str, str]) -> None:
    with pytest.raises(ValueError):
        web_push.check(**Browser().given | odd)


def test_without_a_key_the_page_says_nothing_of_it(room: Room) -> None:
    client, _ = room.hears()
    assert "Avisos com a página fechada" in client.get("/conta").text
    room.office.services = replace(room.office.services, pusher=None)
    room.office.own_app()
    assert "Avisos com a página fechada" not in room.office.client().get("/conta").text


def test_the_doctor_knows_that_browsers_want_https() -> None:
    assert doctor._push(settings()).ok
    assert doctor._push(settings(**SET, public_url="https://bot.test")).ok
    assert not doctor._push(settings(**SET, public_url="http://bot.test")).ok


def test_the_worker_of_the_browser_speaks_for_every_page(room: Room) -> None:
    answer = room.office.client(None).get("/avisos.js")
    answer.close()
    assert (answer.status_code, answer.mimetype) == (200, "text/javascript")
