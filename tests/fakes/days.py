"""A business over days: visits are booked, the clock moves, what is due is said."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from sqlmodel import update

from bot.outreach import reminders
from bot.process.worker import drain
from models import appointment, reminder
from models.db import Database
from models.reminder import Reminder
from models.tenant import Tenant
from tests.fakes.claude import answer, text
from tests.fakes.twilio import Line
from tests.stage import Script, Stage

SAO_PAULO = ZoneInfo("America/Sao_Paulo")
TEMPLATE = "HX" + "a1" * 16
CORTE, ANA, BIA = 1, 1, 2
MASCULINO, RAIMUNDO = 6, 4


def local(day: int, hour: int, minute: int = 0, second: int = 0) -> datetime:
    """A moment of December 2026 on São Paulo's clock; the 2nd is a Wednesday."""
    return datetime(2026, 12, day, hour, minute, second, tzinfo=SAO_PAULO).astimezone(UTC)


WEDNESDAY = local(2, 10)


class Calendar:
    """A stage on which days pass; it begins on Wednesday at ten."""

    def __init__(self, db: Database, script: Script | None = None, **settings: object) -> None:
        small_talk = lambda _body: answer(text("Pois não?"))  # one that fits wherever it is asked
        self.stage = Stage(db, WEDNESDAY, script or small_talk, **settings)
        self.tenant_id = self.stage.tenant().id or 0

    def maria(self, at: datetime = WEDNESDAY) -> int:
        """She writes, which opens WhatsApp's window; gives her id."""
        self.stage.clock.now = at
        self.stage.say("oi", ProfileName="Maria Silva")
        return self.stage.conversations[0].customer_id

    def book(self, customer_id: int, starts_at: datetime, professional_id: int = ANA) -> int:
        with self.stage.db.writing() as session:
            tenant = session.get_one(Tenant, self.tenant_id)
            booked = appointment.book(
                session, self.now, tenant, customer_id, professional_id, [CORTE], starts_at, "staff"
            )
        assert booked.appointment.id is not None
        return booked.appointment.id

    def move(self, customer_id: int, key: int, starts_at: datetime) -> None:
        with self.stage.db.writing() as session:
            tenant = session.get_one(Tenant, self.tenant_id)
            appointment.move(session, self.now, tenant, customer_id, key, starts_at)

    def cancel(self, customer_id: int, key: int) -> None:
        with self.stage.db.writing() as session:
            tenant = session.get_one(Tenant, self.tenant_id)
            appointment.cancel(session, self.now, tenant, customer_id, key)

    def has_template(self) -> None:
        with self.stage.db.writing() as session:
            session.execute(
                update(Tenant).where(Tenant.id == self.tenant_id).values(template_reminder=TEMPLATE)
            )

    @property
    def now(self) -> datetime:
        return self.stage.clock()

    def queue_due(self, at: datetime) -> None:
        """The sweep alone: nothing leaves the house."""
        self.stage.clock.now = at
        reminders.send_due(self.stage.services, at)

    def tick(self, at: datetime) -> list[Line]:
        """The sweep and the outbox; gives what Twilio took."""
        before = len(self.stage.twilio.sent)
        self.queue_due(at)
        drain(self.stage.services)
        return self.stage.twilio.sent[before:]

    def pass_by(self, until: datetime, minutes: int = 20) -> list[tuple[datetime, str]]:
        """Let the time pass in small steps; gives what was sent, and when."""
        said = []
        while self.now < until:
            step = min((self.now + timedelta(minutes=minutes)).replace(second=0), until)
            said += [(step, line.body) for line in self.tick(step)]
        return said

    def report(self, line: Line, status: str, code: int) -> None:
        """A status callback for a line that Twilio has."""
        path, headers, form = self.stage.twilio.status_form(line, status, code)
        assert self.stage.client().post(path, data=form, headers=headers).status_code == 200

    def states(self) -> list[tuple[int, str]]:
        return [(row.hours, row.state) for row in self.stage.rows(Reminder)]

    def failed(self) -> list[reminder.Failure]:
        with self.stage.db.reading() as session:
            return reminder.failed(session, self.tenant_id)
