"""The waiting list over hours of a moved clock: who is offered what has opened, and what becomes of it."""

from contextlib import suppress
from datetime import date, datetime, timedelta

import pytest
from sqlmodel import select, update

from bot.outreach import waitlist_offers
from bot.process.worker import drain
from models import customer, handoff, waitlist
from models.audit import AuditEvent
from models.catalog import Service
from models.conversation import Conversation, Holder
from models.db import Database
from models.errors import Conflict, NotFound
from models.handoff import Reason
from models.message import Status
from models.tenant import Tenant
from models.waitlist import WaitlistEntry
from tests.fakes import twilio as fakes
from tests.fakes.claude import answer, text, tool_use
from tests.fakes.days import ANA, BIA, CORTE, Calendar, local
from tests.fakes.talk import together
from tests.fakes.twilio import Line
from tests.models.rows import add_staff
from tests.stage import BARBER, JOAO, MARIA

FRIDAY = date(2026, 12, 4)
TEMPLATE = "HX" + "b2" * 16
CARLA = "whatsapp:+5511965432109"
ESCOVA = 2
# Every start at which a Corte fits on a Friday: the day is full with these.
STARTS = {
    ANA: ((9, 0), (10, 30), (13, 0), (14, 30), (16, 0)),
    BIA: ((10, 0), (11, 30), (13, 0), (15, 0), (16, 30), (18, 0)),
}
OFFER = """\
Oi, Maria! Aqui é Studio Bela. Abriu um horário que você esperava:

*sexta-feira, 04/12/2026, às 14:30*
Corte feminino com Ana Souza

Quer ficar com ele? Responda *quero* até as 10:30. Depois disso, ofereço à próxima pessoa da lista."""


class FullDay(Calendar):
    """Friday is full. Maria, João and Carla have written this Wednesday morning."""

    def __init__(self, db: Database, script: object = None, **settings: object) -> None:
        super().__init__(db, script, **settings)
        with db.writing() as session:
            session.execute(update(Tenant).values(max_open_appointments=50))
        self.people = {}
        for address, name in ((MARIA, "Maria Silva"), (JOAO, "João"), (CARLA, "Carla")):
            self.stage.say("oi", sender=address, ProfileName=name)
            self.people[address] = self.stage.conversations[-1].customer_id
        with db.writing() as session:
            self.filler = customer.find_or_create(
                session, self.now, self.tenant_id, ["whatsapp:+5511900000000"], "Outra pessoa"
            )
        self.visits = {
            (who, at): self.book(self.filler, local(4, *at), who)
            for who, times in STARTS.items()
            for at in times
        }
        self.stage.clock.now = local(2, 10)

    def wait(self, address: str, **wishes: object) -> int:
        """Put somebody into the line; each comes a minute after the one before."""
        self.stage.clock.forward(minutes=1)
        entry = WaitlistEntry(
            **{
                "tenant_id": self.tenant_id,
                "customer_id": self.people[address],
                "service_id": CORTE,
                "date": FRIDAY,
                "created_at": self.now,
                **wishes,
            }
        )
        with self.stage.db.writing() as session:
            key = waitlist.join(session, entry).entry.id
        assert key is not None
        return key

    def frees(self, who: int, *at: int) -> None:
        """A visit is cancelled."""
        self.cancel(self.filler, self.visits[who, at])

    def offer(self, at: datetime | None = None) -> list[Line]:
        """The sweep and the outbox; gives the offers that Twilio took."""
        before = len(self.stage.twilio.sent)
        self.stage.clock.now = at or self.now
        waitlist_offers.offer_freed(self.stage.services, self.now)
        drain(self.stage.services)
        return self.stage.twilio.sent[before:]

    def entry(self, key: int) -> WaitlistEntry:
        with self.stage.db.reading() as session:
            return session.get_one(WaitlistEntry, key)

    def states(self) -> list[str]:
        return [row.state for row in self.stage.rows(WaitlistEntry)]


@pytest.fixture
def days(db: Database) -> FullDay:
    return FullDay(db)


def to(lines: list[Line]) -> list[str]:
    return [line.to for line in lines]


# Who is offered what


def test_nothing_is_offered_while_the_day_is_full(days: FullDay) -> None:
    days.wait(MARIA)
    assert days.offer() == days.offer() == []
    assert days.states() == ["waiting"]


def test_what_opens_is_offered_to_the_first_in_line(days: FullDay) -> None:
    first, second = days.wait(MARIA), days.wait(JOAO)
    days.frees(ANA, 14, 30)
    [line] = days.offer(local(2, 10))
    assert (line.to, line.body) == (MARIA, OFFER)
    entry = days.entry(first)
    assert (entry.state, entry.offered_start, entry.offered_professional_id, entry.offer_until) == (
        "offered",
        local(4, 14, 30),
        ANA,
        local(2, 10, 30),
    )
    assert days.entry(second).state == "waiting"
    assert days.offer() == []


def test_a_visit_that_moves_away_opens_its_time(days: FullDay) -> None:
    days.wait(MARIA)
    days.move(days.filler, days.visits[ANA, (14, 30)], local(8, 14, 30))
    assert to(days.offer()) == [MARIA]


def test_wishes_for_a_person_and_a_part_of_the_day_count(days: FullDay) -> None:
    """Who comes first does not want it: it goes to the first whom it fits."""
    days.wait(MARIA, professional_id=BIA)
    days.wait(JOAO, period="manha")
    days.wait(CARLA, professional_id=ANA, period="tarde")
    days.frees(ANA, 14, 30)
    assert to(days.offer()) == [CARLA]
    days.frees(ANA, 9, 0)
    assert to(days.offer()) == [JOAO]
    days.frees(BIA, 18, 0)
    assert to(days.offer()) == [MARIA]


def test_two_times_go_to_two_people(days: FullDay) -> None:
    days.wait(MARIA)
    days.wait(JOAO)
    days.wait(CARLA)
    days.frees(ANA, 9, 0)
    days.frees(ANA, 14, 30)
    lines = days.offer()
    assert [(line.to, "09:00" in line.body) for line in lines] == [(MARIA, True), (JOAO, False)]


def test_a_held_time_is_held_for_every_service(days: FullDay) -> None:
    """An Escova would fit into the hour that Maria was offered."""
    days.wait(MARIA)
    days.wait(JOAO, service_id=ESCOVA, professional_id=ANA)
    days.frees(ANA, 14, 30)
    assert to(days.offer()) == [MARIA]
    assert to(days.offer()) == []


def test_one_person_has_one_offer_at_a_time(days: FullDay) -> None:
    """So that a yes is a yes to that."""
    days.wait(MARIA)
    days.wait(MARIA, service_id=ESCOVA)
    days.frees(ANA, 9, 0)
    days.frees(BIA, 18, 0)
    assert to(days.offer()) == [MARIA]


@pytest.mark.parametrize(("minute", "offered"), [(0, True), (1, False)])
def test_what_could_not_be_booked_until_the_offer_ends_is_not_offered(
    days: FullDay, minute: int, offered: bool
) -> None:
    """An hour's notice, half an hour's hold: for 14:30 somebody must be told by 13:00."""
    days.wait(MARIA)
    days.frees(ANA, 14, 30)
    days.maria(local(4, 12))
    assert to(days.offer(local(4, 13, minute))) == ([MARIA] if offered else [])


# Taking it


def accepting(body: dict[str, object]) -> dict[str, object]:
    """A model that books what the context says was offered, when the customer wants it."""
    last = str(body["messages"][-1])
    if "tool_result" in last:
        return answer(text("Agendado: sexta-feira, 04/12/2026, às 14:30, com Ana Souza."))
    if "quero" in last and "(data 2026-12-04, hora 14:30)" in last:
        wish = {"servico_id": CORTE, "profissional_id": ANA, "data": "2026-12-04", "hora": "14:30"}
        return answer(tool_use("agendar", wish))
    return answer(text("Pois não?"))


def test_a_yes_books_the_offer(db: Database) -> None:
    days = FullDay(db, accepting)
    key = days.wait(MARIA)
    days.frees(ANA, 14, 30)
    days.offer()
    days.stage.clock.forward(minutes=5)
    assert days.stage.say("quero") == ["Agendado: sexta-feira, 04/12/2026, às 14:30, com Ana Souza."]
    booked = days.stage.appointments[-1]
    assert (booked.customer_id, booked.starts_at) == (days.people[MARIA], local(4, 14, 30))
    assert days.entry(key).state == "booked"
    assert days.offer(local(2, 11)) == []
    assert (
        "Oferta da lista de espera: Corte feminino (servico_id 1) com Ana Souza (profissional_id 1)"
        in str(days.stage.claude.requests)
    )
    assert days.stage.claude.refusals == []


def test_a_booking_of_another_time_that_day_ends_the_wait(days: FullDay) -> None:
    key = days.wait(MARIA)
    days.frees(ANA, 9, 0)
    days.book(days.people[MARIA], local(4, 9))
    assert days.entry(key).state == "booked"


def test_another_day_or_service_does_not(days: FullDay) -> None:
    key = days.wait(MARIA)
    days.book(days.people[MARIA], local(8, 9))
    assert days.entry(key).state == "waiting"


def test_what_is_offered_may_be_booked_by_others(days: FullDay) -> None:
    """It is not kept from who asks by themselves; then the first in line hears of the next one."""
    days.wait(MARIA)
    days.frees(ANA, 14, 30)
    days.offer()
    days.book(days.people[JOAO], local(4, 14, 30))
    days.frees(ANA, 16, 0)
    assert days.offer() == []  # Maria's offer still holds
    days.stage.clock.forward(minutes=30)
    assert days.offer() == []
    assert days.states() == ["expired"]


def test_the_model_knows_who_waits(days: FullDay) -> None:
    days.wait(MARIA)
    days.stage.say("oi")
    context = days.stage.claude.requests[-1]["messages"][-1]["content"][-2]["text"]
    waits = "O cliente está na lista de espera: Corte feminino (servico_id 1), sexta-feira, 04/12/2026."
    assert waits in context
    days.stage.say("oi", sender=JOAO)
    assert "lista de espera" not in days.stage.claude.requests[-1]["messages"][-1]["content"][-2]["text"]


# When it is not taken


def test_an_offer_that_ends_goes_to_the_next(days: FullDay) -> None:
    first, second = days.wait(MARIA), days.wait(JOAO)
    days.frees(ANA, 14, 30)
    days.offer(local(2, 10, 5))
    assert days.offer(local(2, 10, 34)) == []
    assert to(days.offer(local(2, 10, 35))) == [JOAO]
    assert (days.entry(first).state, days.entry(first).reason) == ("expired", waitlist.UNANSWERED)
    assert days.offer(local(2, 11, 4)) == []
    days.offer(local(2, 11, 5))
    assert [days.entry(key).state for key in (first, second)] == ["expired", "expired"]
    assert days.offer(local(2, 11, 10)) == []


def test_how_long_it_holds_is_a_setting(db: Database) -> None:
    days = FullDay(db, waitlist_hold_minutes=10)
    key = days.wait(MARIA)
    days.frees(ANA, 14, 30)
    [line] = days.offer(local(2, 10, 5))
    assert "até as 10:15" in line.body
    days.offer(local(2, 10, 15))
    assert days.entry(key).state == "expired"


def test_a_late_yes_has_no_offer_in_the_context(days: FullDay) -> None:
    days.wait(MARIA)
    days.frees(ANA, 14, 30)
    days.offer(local(2, 10, 5))
    days.stage.clock.now = local(2, 10, 35)
    days.stage.say("quero")
    assert "Oferta da lista de espera" not in str(days.stage.claude.requests[-1])


def test_who_waited_in_vain_may_wait_again(days: FullDay) -> None:
    days.wait(MARIA)
    days.frees(ANA, 14, 30)
    days.offer(local(2, 10, 5))
    days.offer(local(2, 10, 35))
    again = days.wait(MARIA)
    assert to(days.offer()) == [MARIA]
    assert days.entry(again).state == "offered"


def test_entries_end_with_their_day(days: FullDay) -> None:
    """Local midnight, not that of Greenwich."""
    key = days.wait(MARIA)
    days.offer(local(4, 23, 59, 59))
    assert days.entry(key).state == "waiting"
    days.offer(local(5, 0))
    assert (days.entry(key).state, days.entry(key).reason) == ("expired", waitlist.OVER)


# Leaving it

LEFT = """\
Pronto, tirei você da lista de espera:

• Corte feminino, sexta-feira, 04/12/2026

Se quiser voltar para ela, ou marcar outro horário, é só me escrever. 🙂"""


def test_who_asks_to_leave_is_off_the_list_without_the_model(days: FullDay) -> None:
    key, asked = days.wait(MARIA), len(days.stage.claude.requests)
    days.stage.say("pode me tirar da lista, por favor?", sender=MARIA)
    assert days.stage.twilio.bodies[-1] == LEFT
    assert len(days.stage.claude.requests) == asked
    assert (days.entry(key).state, days.entry(key).reason) == ("cancelled", waitlist.ASKED)
    days.frees(ANA, 14, 30)
    assert days.offer() == []


def test_beside_another_wish_the_model_answers_and_is_told(days: FullDay) -> None:
    key = days.wait(MARIA)
    days.stage.say("me tira da lista e me diz o preço da escova", sender=MARIA)
    assert days.entry(key).state == "cancelled"
    said = str(days.stage.claude.requests[-1])
    assert "já foi retirado dela: Corte feminino, sexta-feira, 04/12/2026" in said
    assert "O cliente está na lista de espera" not in said
    assert days.stage.twilio.bodies[-1] == "Pois não?"


def test_only_the_day_that_is_named_ends(days: FullDay) -> None:
    friday, saturday = days.wait(MARIA), days.wait(MARIA, date=date(2026, 12, 5))
    days.stage.say("me tira da lista de sexta", sender=MARIA)
    assert (days.entry(friday).state, days.entry(saturday).state) == ("cancelled", "waiting")


def test_nobody_else_leaves_with_them(days: FullDay) -> None:
    mine, other = days.wait(MARIA), days.wait(JOAO)
    days.stage.say("me tira da lista", sender=MARIA)
    assert (days.entry(mine).state, days.entry(other).state) == ("cancelled", "waiting")


def test_who_is_on_no_list_is_answered_by_the_model(days: FullDay) -> None:
    days.wait(JOAO)
    days.stage.say("me tira da lista", sender=MARIA)
    assert days.stage.twilio.bodies[-1] == "Pois não?"
    assert days.states() == ["waiting"]


def test_an_offer_that_is_not_out_yet_is_not_sent_any_more(days: FullDay) -> None:
    key = days.wait(MARIA)
    days.frees(ANA, 14, 30)
    waitlist_offers.offer_freed(days.stage.services, days.now)
    with days.stage.db.writing() as session:
        assert waitlist.leave(session, days.now, days.tenant_id, [key], waitlist.ASKED) == 1
    before = len(days.stage.twilio.sent)
    drain(days.stage.services)
    assert len(days.stage.twilio.sent) == before
    days.wait(JOAO)
    assert to(days.offer()) == [JOAO]


def test_staff_take_somebody_off_the_list_once(days: FullDay) -> None:
    """Of another business there is none such; who is off it already, or was not seen as it is, stays so."""
    key = days.wait(MARIA)
    staff_id = add_staff(days.stage.db, days.now, days.tenant_id)

    def remove(seen: str, tenant_id: int = days.tenant_id) -> None:
        with days.stage.db.writing() as session:
            waitlist.remove(session, days.now, tenant_id, key, staff_id, seen)

    with pytest.raises(NotFound):
        remove("waiting", days.tenant_id + 1)
    with pytest.raises(Conflict):
        remove("offered")
    assert days.states() == ["waiting"]
    remove("waiting")
    for seen in ("waiting", "cancelled"):
        with pytest.raises(Conflict):
            remove(seen)
    assert (days.entry(key).state, days.entry(key).reason) == ("cancelled", waitlist.REMOVED)
    assert [row.action for row in days.stage.rows(AuditEvent)].count("waitlist.remove") == 1


@pytest.mark.parametrize(("seen", "sent"), [("offered", 0), ("waiting", 1)])
def test_an_offer_ends_with_the_entry_and_goes_out_where_staff_did_not_know_of_it(
    days: FullDay, seen: str, sent: int
) -> None:
    key = days.wait(MARIA)
    staff_id = add_staff(days.stage.db, days.now, days.tenant_id)
    days.frees(ANA, 14, 30)
    waitlist_offers.offer_freed(days.stage.services, days.now)
    with suppress(Conflict), days.stage.db.writing() as session:
        waitlist.remove(session, days.now, days.tenant_id, key, staff_id, seen)
    before = len(days.stage.twilio.sent)
    drain(days.stage.services)
    assert len(days.stage.twilio.sent) - before == sent


# When it cannot be said


def test_at_night_nobody_is_offered_anything(days: FullDay) -> None:
    days.wait(MARIA)
    days.frees(ANA, 14, 30)
    with days.stage.db.writing() as session:
        session.execute(update(Conversation).values(last_inbound_at=local(2, 20)))
    assert days.offer(local(2, 21)) == []
    assert days.offer(local(3, 7, 59)) == []
    assert to(days.offer(local(3, 8))) == [MARIA]


def test_outside_the_window_a_template_says_it(days: FullDay) -> None:
    with days.stage.db.writing() as session:
        session.execute(update(Tenant).values(template_waitlist_offer=TEMPLATE))
    days.wait(MARIA)
    days.frees(ANA, 14, 30)
    [line] = days.offer(local(3, 10, 30))
    assert (line.content_sid, line.variables) == (
        TEMPLATE,
        {
            "1": "Maria",
            "2": "amanhã, sexta-feira, 04/12/2026, às 14:30",
            "3": "Corte feminino com Ana Souza",
            "4": "11:00",
        },
    )


def test_without_a_template_the_next_in_line_is_offered_it(days: FullDay) -> None:
    """Maria wrote too long ago; she keeps her place, and staff can see why she was passed over."""
    first = days.wait(MARIA)
    days.wait(JOAO)
    with days.stage.db.writing() as session:
        session.execute(
            update(Conversation)
            .where(Conversation.customer_id == days.people[MARIA])
            .values(last_inbound_at=local(1, 10))
        )
    days.frees(ANA, 14, 30)
    assert to(days.offer()) == [JOAO]
    assert (days.entry(first).state, days.entry(first).reason) == ("waiting", "sem modelo")
    [note] = [line.text for line in days.stage.messages if line.status == "note"]
    assert note.startswith("Aviso da lista de espera não enviado, sobre ")
    days.frees(ANA, 9, 0)
    assert days.offer() == days.offer() == []
    days.stage.say("oi")  # now she may be written to
    assert to(days.offer()) == [MARIA]
    assert days.entry(first).reason == ""


def test_whom_people_talk_to_is_left_to_them(days: FullDay) -> None:
    """The next in line is offered it; she keeps her place."""
    first = days.wait(MARIA)
    days.wait(JOAO)
    with days.stage.db.writing() as session:
        key = days.stage.conversations[0].id
        assert key is not None
        handoff.flag(session, days.now, days.tenant_id, key, Reason.PEDIDO_DO_CLIENTE)
    days.frees(ANA, 14, 30)
    assert to(days.offer()) == [JOAO]
    assert days.entry(first).state == "waiting"
    assert days.stage.conversations[0].holder == Holder.QUEUE


def test_who_could_not_book_it_is_not_offered_it(days: FullDay) -> None:
    """At the limit of open appointments."""
    days.wait(MARIA)
    days.book(days.people[MARIA], local(8, 9))
    with days.stage.db.writing() as session:
        session.execute(update(Tenant).values(max_open_appointments=1))
    days.frees(ANA, 14, 30)
    assert days.offer() == []


@pytest.mark.parametrize("why", ["opted out", "service gone"])
def test_what_can_never_be_offered_ends(days: FullDay, why: str) -> None:
    key = days.wait(MARIA)
    with days.stage.db.writing() as session:
        if why == "opted out":
            customer.opt_out(session, days.now, days.tenant_id, days.people[MARIA])
        else:
            session.execute(update(Service).where(Service.id == CORTE).values(active=False))
    days.frees(ANA, 14, 30)
    assert days.offer() == []
    assert days.entry(key).state == "cancelled"
    assert days.entry(key).reason


def test_who_cannot_be_reached_is_out_of_the_line(days: FullDay) -> None:
    """Twilio says so by callback: no second try, nobody takes the conversation over, the next one is told."""
    key = days.wait(MARIA)
    days.wait(JOAO)
    days.frees(ANA, 14, 30)
    [line] = days.offer(local(2, 10, 5))
    days.report(line, "undelivered", 63024)
    assert (days.entry(key).state, days.entry(key).reason) == ("cancelled", "não entregue (código 63024)")
    [note] = [line.text for line in days.stage.messages if line.status == "note"]
    assert "Motivo: o WhatsApp não entregou (código 63024)." in note
    assert to(days.offer()) == [JOAO]
    assert days.stage.conversations[0].holder == Holder.BOT


def test_an_offer_that_never_went_out_is_made_again(days: FullDay) -> None:
    """Twilio is away for an hour: the line is dropped when its time is over, and she keeps her place."""
    key = days.wait(MARIA)
    days.frees(ANA, 14, 30)
    days.stage.twilio.by_number[MARIA] = fakes.REFUSE_CONNECTION
    assert days.offer(local(2, 10, 5)) == []
    days.stage.twilio.by_number.clear()
    lines = days.offer(local(2, 10, 36))
    assert [("até as 11:06" in line.body) for line in lines] == [True]
    assert days.entry(key).state == "offered"
    assert [row.status for row in days.stage.messages][-2:] == [Status.DROPPED, Status.ACCEPTED]


# At once, and next door


def test_workers_at_once_offer_each_time_once(days: FullDay) -> None:
    for address in (MARIA, JOAO, CARLA):
        days.wait(address)
    days.frees(ANA, 9, 0)
    days.frees(ANA, 14, 30)
    results = together([lambda: waitlist_offers.offer_freed(days.stage.services, days.now)] * 4)
    assert results == [None] * 4
    days.offer()  # whoever found the business locked comes again with the next tick
    assert sorted(days.states()) == ["offered", "offered", "waiting"]
    with days.stage.db.reading() as session:
        starts = [row.offered_start for row in session.exec(select(WaitlistEntry)) if row.offered_start]
    assert sorted(starts) == [local(4, 9), local(4, 14, 30)]


def test_twice_in_line_at_once_is_once(days: FullDay) -> None:
    assert days.wait(MARIA) == days.wait(MARIA)

    def join() -> bool:
        entry = WaitlistEntry(
            tenant_id=days.tenant_id,
            customer_id=days.people[JOAO],
            service_id=CORTE,
            date=FRIDAY,
            created_at=days.now,
        )
        with days.stage.db.writing() as session:
            return waitlist.join(session, entry).already

    assert sorted(map(str, together([join] * 6))) == ["False"] + ["True"] * 5


def test_a_bug_in_one_business_does_not_hold_up_another(days: FullDay) -> None:
    """The barber's entry cannot be read (an unknown part of the day)."""
    days.stage.say("oi", slug=BARBER)
    there = days.stage.conversations[-1]
    with days.stage.db.writing() as session:
        broken = WaitlistEntry(
            tenant_id=there.tenant_id,
            customer_id=there.customer_id,
            service_id=6,
            date=date(2026, 12, 3),
            period="madrugada",
            created_at=days.now - timedelta(hours=1),
        )
        session.add(broken)
    days.wait(MARIA)
    days.frees(ANA, 14, 30)
    assert to(days.offer()) == [MARIA]


def test_two_businesses_are_strangers(days: FullDay) -> None:
    """What opens here is nothing to those who wait there, though it is the same phone."""
    days.stage.say("oi", slug=BARBER)
    there = days.stage.conversations[-1]
    with days.stage.db.writing() as session:
        entry = WaitlistEntry(
            tenant_id=there.tenant_id,
            customer_id=there.customer_id,
            service_id=6,
            date=date(2026, 12, 7),  # a Monday: the barber does not work
            created_at=days.now,
        )
        session.add(entry)
    days.frees(ANA, 14, 30)
    assert days.offer() == []
    with days.stage.db.reading() as session:
        assert waitlist.line(session, days.tenant_id) == []
        assert waitlist.of_customer(session, days.tenant_id, there.customer_id) == []
        assert len(waitlist.line(session, there.tenant_id)) == 1
