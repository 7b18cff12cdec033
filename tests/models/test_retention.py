"""What is kept no longer, and what is to be deleted at the provider: each boundary, on both databases."""

from datetime import datetime, timedelta

import pytest
from sqlmodel import col, select

from models import erasure, handoff, message, provider_deletion, retention
from models.acts import conversation_acts
from models.appointment import Appointment
from models.conversation import Conversation
from models.customer import Customer
from models.db import Database
from models.handoff import Reason
from models.message import Author, Incoming, Message
from models.provider_deletion import FIRST, LONGEST, TRIES, Kind, Removal
from tests.fakes import agenda
from tests.fakes.agenda import Ids
from tests.fakes.talk import hire

DAYS = 90
BEFORE, ONE = timedelta(days=DAYS), timedelta(microseconds=1)
LINK = "https://api.twilio.com/2010-04-01/Accounts/AC1/Messages/MM1/Media/ME1"


class Shop:
    """A business where somebody wrote, long ago or not; another one beside it."""

    def __init__(self, db: Database, now: datetime) -> None:
        self.db, self.now = db, now
        with db.writing() as session:
            self.ids = agenda.studio(session, now - 10 * BEFORE)
            self.other = agenda.studio(
                session, now - 10 * BEFORE, slug="b", name="B", whatsapp="+551130001001"
            )

    def says(
        self, at: datetime, *, phone: str = "+5511911112222", ids: Ids | None = None, url: str = ""
    ) -> int:
        """Gives the customer."""
        media = ({"url": url, "content_type": "image/jpeg"},) if url else ()
        place = (ids or self.ids).tenant
        self.sid = f"SM{place}{phone}{at.timestamp()}"
        incoming = Incoming(
            place, (f"whatsapp:{phone}",), self.sid, "oi", kind="image" if url else "text", media=media
        )
        self.talk = message.receive(self.db, incoming, at, timedelta(seconds=1)).conversation_id
        with self.db.writing() as session:
            row = session.get_one(Conversation, self.talk)
            row.due_at = None
            return row.customer_id

    def comes(self, customer: int, starts_at: datetime) -> None:
        with self.db.writing() as session:
            ends_at = starts_at + timedelta(hours=1)
            session.add(
                Appointment(
                    tenant_id=self.ids.tenant,
                    professional_id=self.ids.ana,
                    customer_id=customer,
                    starts_at=starts_at,
                    ends_at=ends_at,
                    busy_from=starts_at,
                    busy_until=ends_at,
                    created_at=self.now - 5 * BEFORE,
                )
            )

    def silent(self, ids: Ids | None = None, days: int = DAYS) -> list[int]:
        place = (ids or self.ids).tenant
        with self.db.reading() as session:
            found = [
                key
                for key in retention.silent(session, place, self.now, days)
                if key not in (self.ids.customer, self.other.customer)
            ]
            each = [key for key in found if retention.is_silent(session, place, key, self.now, days)]
            assert each == found
            assert retention.count_silent(session, place, self.now, days) == len(found) + 1
        return found

    def removals(self) -> list[tuple[str, str]]:
        with self.db.reading() as session:
            rows = session.exec(select(Removal).order_by(col(Removal.id))).all()
        return [(row.kind, row.reference) for row in rows]


@pytest.fixture
def shop(db: Database, now: datetime) -> Shop:
    return Shop(db, now)


@pytest.mark.parametrize(("ago", "gone"), [(BEFORE + ONE, True), (BEFORE, False), (timedelta(days=1), False)])
def test_who_is_silent_for_longer(shop: Shop, ago: timedelta, gone: bool) -> None:
    customer = shop.says(shop.now - ago)
    assert shop.silent() == ([customer] if gone else [])
    assert shop.silent(shop.other) == []


@pytest.mark.parametrize(
    ("at", "gone"), [(-BEFORE - ONE, True), (-BEFORE, False), (timedelta(days=3), False)]
)
def test_who_came_or_is_to_come_is_kept(shop: Shop, at: timedelta, gone: bool) -> None:
    customer = shop.says(shop.now - 2 * BEFORE)
    shop.comes(customer, shop.now + at)
    assert shop.silent() == ([customer] if gone else [])


def test_what_we_wrote_counts_too(shop: Shop) -> None:
    """A reminder, or a person's words: they may answer it."""
    shop.says(shop.now - 2 * BEFORE)
    with shop.db.writing() as session:
        message.add(
            session, shop.now, shop.ids.tenant, shop.talk, message.Line(author=Author.BOT, text="Oi!")
        )
    assert shop.silent() == []


def test_who_waits_for_a_person_is_kept(shop: Shop) -> None:
    customer = shop.says(shop.now - 2 * BEFORE)
    with shop.db.writing() as session:
        handoff.flag(session, shop.now - 2 * BEFORE, shop.ids.tenant, shop.talk, Reason.PEDIDO_DO_CLIENTE)
    assert shop.silent() == []
    with shop.db.writing() as session:
        person = hire(session, shop.now, shop.ids.tenant, "rita@bela.test", "Rita")
        conversation_acts.take(session, shop.now, shop.ids.tenant, shop.talk, person)
        conversation_acts.resolve(session, shop.now, shop.ids.tenant, shop.talk, person, grace=timedelta())
    assert shop.silent() == [customer]


def test_nobody_is_forgotten_twice(shop: Shop) -> None:
    customer = shop.says(shop.now - 2 * BEFORE)
    with shop.db.writing() as session:
        erasure.anonymise(session, shop.now, shop.ids.tenant, customer, {"after_days": DAYS})
    assert shop.silent() == []
    with shop.db.reading() as session:
        assert session.get_one(Customer, customer).name == ""


def test_who_is_forgotten_goes_at_the_provider_too(shop: Shop) -> None:
    """Each message that has a number there, with its attachments; and no other's."""
    customer, sid = shop.says(shop.now - 2 * BEFORE, url=LINK), shop.sid
    shop.says(shop.now - 2 * BEFORE, ids=shop.other, phone="+5511933334444")
    with shop.db.writing() as session:
        erasure.anonymise(session, shop.now, shop.ids.tenant, customer)
    assert shop.removals() == [("message", sid)]


@pytest.mark.parametrize(("ago", "gone"), [(BEFORE + ONE, True), (BEFORE, False)])
def test_attachments_go_and_words_stay(shop: Shop, ago: timedelta, gone: bool) -> None:
    shop.says(shop.now - ago, url=LINK)
    shop.says(shop.now - ago, url=f"{LINK}2", ids=shop.other)
    with shop.db.writing() as session:
        assert retention.drop_media(session, shop.ids.tenant, shop.now, DAYS, 10) == int(gone)
        assert retention.drop_media(session, shop.ids.tenant, shop.now, DAYS, 10) == 0
    assert shop.removals() == ([("media", LINK)] if gone else [])
    with shop.db.reading() as session:
        mine, others = session.exec(select(Message).order_by(col(Message.id))).all()
    assert (mine.text, mine.kind, bool(mine.media)) == ("oi", "image", not gone)
    assert others.media


def test_many_attachments_go_in_batches(shop: Shop) -> None:
    for number in range(5):
        shop.says(shop.now - 2 * BEFORE + timedelta(hours=number), url=f"{LINK}{number}")
    with shop.db.writing() as session:
        counts = [retention.drop_media(session, shop.ids.tenant, shop.now, DAYS, 2) for _ in range(4)]
    assert counts == [2, 2, 1, 0]
    assert len(shop.removals()) == 5


def test_a_wish_is_noted_once(shop: Shop) -> None:
    with shop.db.writing() as session:
        for references in (["a", "b", "a"], ["b", "c"], []):
            provider_deletion.want(session, shop.now, shop.ids.tenant, Kind.MESSAGE, references)
        assert provider_deletion.is_wanted(session, ["b", "x"]) == {"b"}
    assert [reference for _, reference in shop.removals()] == ["a", "b", "c"]


def test_what_fails_is_tried_ever_later_and_given_up_in_the_end(shop: Shop) -> None:
    """The first days in minutes, then once a day for more than the fourteen that Twilio may need."""
    with shop.db.writing() as session:
        provider_deletion.want(session, shop.now, shop.ids.tenant, Kind.MESSAGE, ["a"])
        pauses, now = [], shop.now
        for _ in range(TRIES - 1):
            [wish] = provider_deletion.due(session, now, 9)
            assert provider_deletion.failed(session, now, wish.id or 0)
            assert provider_deletion.due(session, wish.due_at - ONE, 9) == []
            pauses.append(wish.due_at - now)
            now = wish.due_at
        assert pauses[:3] == [FIRST, 2 * FIRST, 4 * FIRST]
        assert pauses[-1] == LONGEST
        assert now - shop.now > timedelta(days=15)
        assert not provider_deletion.failed(session, now, wish.id or 0)
        assert provider_deletion.failed(session, now, wish.id or 0)  # nothing is left to be given up
    assert shop.removals() == []
