"""Staff are told by mail that somebody waits, once, and not a word of what was said."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta

import pytest
from sqlmodel import select

from bot.core.services import Services
from bot.escalation import staff_alerts, unanswered
from bot.escalation.smtp import Mail, Unsent, written
from models import alert
from models.alert import Alert, Kind, Pulse
from models.conversation import WINDOW
from models.db import Database
from models.handoff import Reason
from models.staff import Staff
from models.tenant import Tenant
from tests.bot.web.office import ANA, BRUNO, Office
from tests.fakes.talk import together

URL = "https://bot.test"
SECRETS = ("Maria", "segredo", "90000", "pessoa")


@dataclass
class Box:
    """Takes mails; or is out of order."""

    mails: list[Mail] = field(default_factory=list)
    broken: bool = False

    def deliver(self, mails: Sequence[Mail]) -> int:
        if self.broken:
            raise Unsent("ConnectionRefusedError")
        self.mails += mails
        return len(mails)


@dataclass
class Room:
    office: Office
    box: Box

    @property
    def services(self) -> Services:
        return replace(self.office.services, post=self.box)

    def tell(self, *, later: float = 5) -> list[Mail]:
        """What goes out so many seconds later."""
        self.office.clock.forward(seconds=later)
        before = len(self.box.mails)
        staff_alerts.tell(self.services, self.office.clock())
        return self.box.mails[before:]

    def alerts(self) -> list[Alert]:
        with self.office.db.reading() as session:
            return list(session.exec(select(Alert).order_by(Alert.id)))  # a column


@pytest.fixture
def room(db: Database) -> Room:
    return Room(Office(db, values={"public_url": URL}), Box())


def flagged(room: Room, *, phone: str = "+5511900000001", reason: Reason = Reason.PEDIDO_DO_CLIENTE) -> int:
    talk = room.office.says("segredo", phone=phone)
    room.office.flags(talk, reason, detail="segredo")
    return talk


@pytest.mark.parametrize("reason", Reason)
def test_every_reason_tells_those_who_want_it_once(room: Room, reason: Reason) -> None:
    with room.office.db.writing() as session:
        session.get_one(Staff, room.office.bruno).email_alerts = False
    flagged(room, reason=reason)
    [mail] = room.tell()
    assert (mail.to, mail.subject) == (ANA, "Conversa aguardando · Studio Bela")
    assert f"{URL}/fila" in mail.text
    assert not [word for word in SECRETS if word in mail.text + mail.subject]
    assert room.tell(later=3600) == []
    assert [(row.told, row.settled_at is not None) for row in room.alerts()] == [(1, True)]


def test_who_takes_it_at_once_silences_it(room: Room) -> None:
    talk = flagged(room)
    assert room.tell(later=1) == [], "held back for a moment"
    room.office.takes(talk, room.office.ana)
    assert room.tell() == []
    assert [row.settled_at is not None for row in room.alerts()] == [True]


def test_a_burst_is_one_mail_and_what_follows_it_none(room: Room) -> None:
    for number in range(3):
        flagged(room, phone=f"+551190000001{number}")
    mails = room.tell()
    assert [mail.to for mail in mails] == [ANA, BRUNO]
    assert "3 conversas aguardam na fila." in mails[0].text
    flagged(room, phone="+5511900000020")
    assert room.tell() == []
    flagged(room, phone="+5511900000021")
    assert len(room.tell(later=alert.APART.total_seconds())) == 2


def test_nobody_of_another_business_and_nobody_who_has_left(room: Room) -> None:
    with room.office.db.writing() as session:
        session.get_one(Staff, room.office.bruno).disabled_at = room.office.clock()
    flagged(room)
    assert [mail.to for mail in room.tell()] == [ANA]


def test_two_businesses_are_told_apart(room: Room) -> None:
    flagged(room)
    other = room.office.says("x", ids=room.office.outra)
    room.office.flags(other)
    told = {mail.to: mail.text for mail in room.tell()}
    assert set(told) == {ANA, BRUNO, "carla@outra.test"}
    assert "VAZOU-B" not in told[ANA]
    assert "Uma conversa aguarda na fila." in told[ANA]


def test_a_broken_server_is_tried_again_later_and_later_and_then_not_any_more(room: Room) -> None:
    flagged(room)
    room.box.broken = True
    for _ in range(alert.TRIES):
        assert room.tell(later=3600) == []
    room.box.broken = False
    assert room.tell(later=7200) == []
    assert [(row.attempts, row.told, row.settled_at is not None) for row in room.alerts()] == [(6, 0, True)]


def test_a_server_that_comes_back_gets_it(room: Room) -> None:
    flagged(room)
    room.box.broken = True
    room.tell()
    room.box.broken = False
    assert room.tell(later=30) == []
    assert len(room.tell(later=31)) == 2


def test_without_a_server_the_page_is_told_all_the_same(room: Room) -> None:
    """Badge and sound hang on the alert, not on the mail; a mail that is tried again does not mute them."""
    flagged(room)
    room.box.broken = True
    room.tell()
    place = (room.office.clock(), room.office.bela.tenant, room.office.ana)
    with room.office.db.reading() as session:
        assert alert.pulse(session, *place) == Pulse(waiting=1, newest=1, mine=0, unread=0)
    staff_alerts.tell(room.office.services, room.office.clock())
    with room.office.db.reading() as session:
        assert alert.pulse(session, *place) == Pulse(waiting=1, newest=1, mine=0, unread=0)


def test_whose_window_shuts_hears_it_and_nobody_else(room: Room) -> None:
    """Of a conversation that somebody holds, only they are to be told on the page."""
    talk = flagged(room)
    room.office.clock.at += WINDOW - timedelta(hours=4, minutes=5)
    room.office.takes(talk, room.office.ana)
    room.office.clock.forward(minutes=5)
    unanswered.keep(room.services, room.office.clock())
    room.office.clock.forward(seconds=5)
    with room.office.db.reading() as session:
        place = (room.office.clock(), room.office.bela.tenant)
        assert alert.pulse(session, *place, room.office.ana).newest == 2
        assert alert.pulse(session, *place, room.office.bruno).newest == 0


def test_two_workers_tell_it_once(room: Room) -> None:
    flagged(room)
    room.office.clock.forward(seconds=5)
    now = room.office.clock()
    together([lambda: staff_alerts.tell(room.services, now)] * 2)
    assert sorted(mail.to for mail in room.box.mails) == [ANA, BRUNO]


def test_nobody_comes_and_the_window_shuts(room: Room) -> None:
    """The second and the third alert are told, each for what it is, though a mail went out just before."""
    with room.office.db.writing() as session:
        session.get_one(Tenant, room.office.bela.tenant).handoff_realert_minutes = 5
    flagged(room)
    room.tell()
    room.office.clock.forward(minutes=5)
    unanswered.keep(room.services, room.office.clock())
    assert {mail.subject for mail in room.tell()} == {"Conversa ainda aguardando · Studio Bela"}
    room.office.clock.at += WINDOW - timedelta(hours=4)
    unanswered.keep(room.services, room.office.clock())
    [mail, _] = room.tell()
    assert mail.subject == "Prazo do WhatsApp acabando · Studio Bela"
    assert {row.kind for row in room.alerts()} == set(Kind)


def test_the_name_of_a_business_is_no_place_for_a_header(room: Room) -> None:
    with room.office.db.writing() as session:
        session.get_one(Tenant, room.office.bela.tenant).name = "Bela\r\nBcc: evil@evil.test"
    flagged(room)
    for mail in room.tell():
        sent = written(mail, "avisos@horacerta.test")
        assert (sent["Bcc"], sent["Subject"]) == (
            None,
            "Conversa aguardando · Bela Bcc: evil@evil.test",
        )
