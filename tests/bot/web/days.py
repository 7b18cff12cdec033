"""A day at the salon for the pages of the agenda: visits of every kind, blocked time, lost places."""

from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from sqlmodel import Session

from bot.sending import proactive
from models import block, conversation, customer_search, message, waitlist
from models.acts.visit_acts import Leave, Reception
from models.appointment import AppointmentStatus
from models.block import Stretch
from models.conversation import Conversation
from models.message import Author, Status
from models.tenant import Tenant
from models.waitlist import WaitlistEntry
from tests.bot.web.office import Office

ZONE = ZoneInfo("America/Sao_Paulo")
TODAY = date(2026, 12, 2)  # a Wednesday; it is 10:20
TOMORROW = TODAY + timedelta(days=1)
ANYHOW = Leave(outside=True, overlap=True)


def at(day: date, clock: str) -> datetime:
    """A local time."""
    return datetime.combine(day, time.fromisoformat(clock), ZONE).astimezone(UTC)


@dataclass
class Salon:
    """An office whose agenda is filled by Ana of the staff. The professionals are Ana Souza and Bia Lima."""

    office: Office

    def desk(self, session: Session) -> Reception:
        office = self.office
        return Reception(session, office.clock(), session.get_one(Tenant, office.bela.tenant), office.ana)

    def client(self, name: str, phone: str = "") -> int:
        office = self.office
        address = f"whatsapp:{phone}" if phone else ""
        with office.db.writing() as session:
            return customer_search.register(session, office.clock(), office.bela.tenant, name, address)

    def writes(self, name: str, phone: str, *, ago: timedelta = timedelta(0)) -> int:
        """Somebody writes on WhatsApp, so long ago; gives the customer."""
        office = self.office
        now = office.clock.at
        office.clock.at = now - ago
        conversation_id = office.says(name=name, phone=phone)
        office.clock.at = now
        with office.db.reading() as session:
            return session.get_one(Conversation, conversation_id).customer_id

    def books(
        self, customer_id: int, clock: str, *, day: date = TODAY, who: str = "ana", what: str = "corte"
    ) -> int:
        ids = self.office.bela
        with self.office.db.writing() as session:
            made = self.desk(session).book(
                customer_id, getattr(ids, who), [getattr(ids, what)], at(day, clock), ANYHOW
            )
            assert made.appointment.id is not None
            return made.appointment.id

    def marks(self, key: int, status: AppointmentStatus) -> None:
        with self.office.db.writing() as session:
            self.desk(session).mark(key, "0.booked", status)

    def cancels(self, key: int, reason: str = "") -> None:
        with self.office.db.writing() as session:
            self.desk(session).cancel(key, "0.booked", reason)

    def waits(self, customer_id: int, *, day: date = TOMORROW, what: str = "corte", **wishes: object) -> int:
        """Somebody gets on the waiting list; gives the entry."""
        office = self.office
        entry = WaitlistEntry(
            **{
                "tenant_id": office.bela.tenant,
                "customer_id": customer_id,
                "service_id": getattr(office.bela, what),
                "date": day,
                "created_at": office.clock(),
                **wishes,
            }
        )
        with office.db.writing() as session:
            key = waitlist.join(session, entry).entry.id
        assert key is not None
        return key

    def offers(self, entry_id: int, clock: str, until: str, *, day: date = TOMORROW) -> None:
        """They are offered a time with Ana, in a line that has left."""
        office = self.office
        with office.db.writing() as session:
            customer_id = session.get_one(WaitlistEntry, entry_id).customer_id
            row = conversation.of_customer(session, office.bela.tenant, customer_id)
            assert row is not None
            assert row.id is not None
            seq = message.add(
                session,
                office.clock(),
                office.bela.tenant,
                row.id,
                message.Line(
                    author=Author.SYSTEM,
                    text="Abriu um horário",
                    status=Status.SENT,
                ),
            )
            (line,) = message.transcript(session, office.bela.tenant, row.id, limit=1)
            assert (line.seq, line.id is None) == (seq, False)
            waitlist.offer(session, entry_id, office.bela.ana, at(day, clock), at(TODAY, until))
            waitlist.queued(session, entry_id, line.id or 0)

    def blocks(
        self, start: str, end: str, reason: str, *, day: date = TODAY, who: str | None = "bia"
    ) -> None:
        minutes = [int(clock[:2]) * 60 + int(clock[3:]) for clock in (start, end)]
        whose = getattr(self.office.bela, who) if who else None
        with self.office.db.writing() as session:
            desk = self.desk(session)
            stretch = Stretch(whose, day, day, minutes[0], minutes[1], reason)
            block.add(session, desk.now, desk.tenant, desk.staff_id, stretch, anyway=True)


def full(office: Office) -> dict[str, int]:
    """A Wednesday with everything that can stand in an agenda; gives the visits by what they are."""
    salon = Salon(office)
    maria = salon.writes("Maria Aparecida de Souza", "+5511900000001")
    late = salon.writes("Karina Duarte", "+5511966665555", ago=timedelta(days=2))
    joana, zilda = salon.client("Joana"), salon.client("Zilda Pereira", "+5511933332222")
    rui = salon.client("Rui")
    found = {
        "done": salon.books(joana, "09:00"),
        "missed": salon.books(zilda, "09:00", who="bia"),
        "booked": salon.books(maria, "11:00"),
        "late": salon.books(late, "15:00"),
        "squeezed": salon.books(rui, "15:30", what="barba"),
        "beside": salon.books(zilda, "16:00", what="barba"),
        "lost": salon.books(late, "16:00", who="bia"),
        "cancelled": salon.books(joana, "13:00", what="escova"),
        "tomorrow": salon.books(maria, "10:00", day=TOMORROW),
        "short": salon.books(rui, "13:00", what="barba", who="ana"),
    }
    salon.marks(found["done"], AppointmentStatus.DONE)
    salon.marks(found["missed"], AppointmentStatus.NO_SHOW)
    salon.cancels(found["cancelled"], "Ficou doente")
    salon.blocks("15:30", "17:00", "Dentista")
    salon.blocks("17:00", "18:00", "Reunião da equipe", who=None)
    return found


def waiting(office: Office) -> dict[str, int]:
    """A waiting list with everything that can stand in it; gives the entries by what they are."""
    salon = Salon(office)
    maria = salon.writes("Maria Aparecida de Souza", "+5511900000001")
    karina = salon.writes("Karina Duarte", "+5511966665555", ago=timedelta(days=2))
    rui = salon.writes("Rui", "+5511944443333")
    found = {
        "anybody": salon.waits(maria),
        "offered": salon.waits(karina, professional_id=office.bela.ana, period="tarde"),
        "passed over": salon.waits(rui, what="barba", day=TOMORROW + timedelta(days=1), period="manha"),
    }
    salon.offers(found["offered"], "14:30", "10:50")
    with office.db.writing() as session:
        waitlist.pass_over(session, found["passed over"], proactive.NO_TEMPLATE)
    return found
