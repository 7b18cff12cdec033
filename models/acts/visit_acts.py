"""What staff do with appointments by hand: book, move, cancel, mark, and take the last change back.

Staff may do what the bot may not: break a rule of the business, or put one visit over another, each only
where they said so (`Leave`). Every act is in the audit. Who acts on a visit says which `state` of it they
saw; if it is another by now, it is Conflict("changed") and nothing is done.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any
from zoneinfo import ZoneInfo

from sqlalchemy import select
from sqlmodel import Session

from models import appointment, audit, availability, catalog, customer, message, stranded, stranded_recheck
from models.appointment import Appointment, AppointmentStatus, Booked, Cancelled, Moved
from models.audit import AuditEvent
from models.availability import Code, Span
from models.conversation import Conversation, window_open
from models.db import table
from models.errors import Conflict, NotFound, Refusal
from models.message import Author, Message
from models.tenant import Tenant

_EVENT, _MESSAGE, _CONVERSATION = table(AuditEvent), table(Message), table(Conversation)


class Stop(StrEnum):
    """Why staff cannot do something; besides `models.availability.Code`."""

    NADA_A_DESFAZER = "NADA_A_DESFAZER"
    AINDA_NAO = "AINDA_NAO"  # its day, or its hour, has not come
    JA_TERMINOU = "JA_TERMINOU"  # it is marked as kept or missed
    JANELA_FECHADA = "JANELA_FECHADA"  # WhatsApp's 24 hours are over, or never began


class Action(StrEnum):
    """The acts on a visit in the audit, by whomever."""

    BOOK = "appointment.book"
    MOVE = "appointment.move"
    CANCEL = "appointment.cancel"
    MARK = "appointment.mark"
    UNDO = "appointment.undo"
    KEEP = "appointment.keep"
    TELL = "appointment.tell"


# What changes a visit. Of these the last one can be taken back.
CHANGES = (Action.BOOK, Action.MOVE, Action.CANCEL, Action.MARK, Action.UNDO)
REVERSIBLE = (Action.MOVE, Action.CANCEL, Action.MARK)


@dataclass(frozen=True, slots=True)
class Leave:
    """What somebody has confirmed: a time `outside` the rules, an `overlap` with another visit."""

    outside: bool = False
    overlap: bool = False


NO_LEAVE = Leave()


def markable(starts_at: datetime, now: datetime, zone: ZoneInfo) -> frozenset[AppointmentStatus]:
    """What may become of a booked visit now: who is early has come, but nobody has missed what is to come."""
    came = starts_at.astimezone(zone).date() <= now.astimezone(zone).date()
    outcomes = ((AppointmentStatus.DONE, came), (AppointmentStatus.NO_SHOW, starts_at <= now))
    return frozenset(status for status, possible in outcomes if possible)


@dataclass(frozen=True, slots=True)
class Marked:
    """`already`: it was marked so before, nothing was written."""

    appointment: Appointment
    already: bool


@dataclass(frozen=True, slots=True)
class Reception:
    """One of the staff of one business, at one moment, in one writing transaction.

    Methods raise NotFound ("appointment", "professional", "customer", "service"), Refusal with a `Code` or a
    `Stop` and without alternatives, and Conflict("changed").
    """

    session: Session
    now: datetime
    tenant: Tenant
    staff_id: int

    def book(
        self,
        customer_id: int,
        professional_id: int,
        service_ids: Sequence[int],
        starts_at: datetime,
        leave: Leave = NO_LEAVE,
    ) -> Booked:
        """A visit for a customer, or the one of theirs that is just this."""
        session, tenant_id = self.session, self._tenant_id
        active = appointment.lock_professionals(session, tenant_id, (professional_id,))
        appointment.lock_customer(session, tenant_id, customer_id)
        customer.require_known(session, tenant_id, customer_id)
        existing = appointment.same_visit(
            session, tenant_id, customer_id, professional_id, service_ids, starts_at
        )
        if existing:
            return Booked(existing, already_existed=True)
        if not active[professional_id]:
            raise NotFound("professional")
        services = catalog.chosen(session, tenant_id, service_ids)
        if not services:
            raise NotFound("service")
        appointment.require_offered(session, tenant_id, professional_id, service_ids)
        room = self._room(professional_id, appointment.span_of(services), starts_at, leave)
        made = appointment.enter(
            session,
            self.now,
            self.tenant,
            customer_id,
            professional_id,
            services,
            starts_at,
            "staff",
            squeeze_in=room.squeezed,
        )
        self._log(Action.BOOK, made, room.detail)
        return Booked(made, already_existed=False)

    def move(
        self,
        appointment_id: int,
        state: str,
        professional_id: int,
        starts_at: datetime,
        leave: Leave = NO_LEAVE,
    ) -> Moved:
        """A new time, and perhaps another professional, with what was booked; its own time counts as free."""
        visit = appointment.locked(self.session, self._tenant_id, appointment_id)
        previous = (visit.starts_at, visit.professional_id)
        if visit.status == AppointmentStatus.BOOKED and previous == (starts_at, professional_id):
            return Moved(visit, *previous, unchanged=True)
        self._require_open(visit, state)
        before = _place(visit)
        room = self._place_for(visit, professional_id, starts_at, leave)
        self._relocate(visit, professional_id, starts_at, room)
        self._log(Action.MOVE, visit, {"from": before, **room.detail})
        return Moved(visit, *previous, unchanged=False)

    def cancel(self, appointment_id: int, state: str, reason: str = "") -> Cancelled:
        """Cancel a visit; one that is cancelled stays so."""
        visit = appointment.locked(self.session, self._tenant_id, appointment_id)
        if visit.status == AppointmentStatus.CANCELLED:
            return Cancelled(visit, already_cancelled=True)
        self._require_open(visit, state)
        appointment.call_off(self.session, self.now, visit, reason, self.staff_id)
        self._log(Action.CANCEL, visit, {})
        return Cancelled(visit, already_cancelled=False)

    def mark(self, appointment_id: int, state: str, status: AppointmentStatus) -> Marked:
        """The customer came (`done`), on the day or later; or did not (`no_show`), once it has begun."""
        visit = appointment.locked(self.session, self._tenant_id, appointment_id)
        if visit.status == status:
            return Marked(visit, already=True)
        self._require_open(visit, state)
        if status not in markable(visit.starts_at, self.now, self.tenant.zone):
            raise Refusal(Stop.AINDA_NAO)
        visit.status = status
        self.session.flush()
        self._settle(visit, stranded.Outcome.KEPT)
        self._log(Action.MARK, visit, {"status": status})
        return Marked(visit, already=False)

    def undo(self, appointment_id: int, state: str) -> Appointment:
        """Take the last change back, whoever made it, if its time is still free."""
        visit = appointment.locked(self.session, self._tenant_id, appointment_id)
        self._require_seen(visit, state)
        event = self._last(appointment_id)
        if event is None or not _matches(event, visit):
            raise Refusal(Stop.NADA_A_DESFAZER)
        if event.action == Action.MOVE:
            self._move_back(visit, event.detail["from"])
        else:
            self._take_up(visit)
        self._reopen(visit, event)
        self._log(Action.UNDO, visit, {"of": event.id})
        return visit

    def keep(self, appointment_id: int) -> None:
        """A visit that lost its place stays as it is: it is off the list. One that is not on it stays so."""
        visit = appointment.locked(self.session, self._tenant_id, appointment_id)
        if self._settle(visit, stranded.Outcome.KEPT):
            self._log(Action.KEEP, visit, {})

    def tell(self, appointment_id: int, text: str, key: str) -> None:
        """Queue a text to the customer about their visit; whoever holds the conversation keeps it.

        The same `key` again sends nothing. Refusal(JANELA_FECHADA) where WhatsApp takes no text.
        """
        visit = appointment.locked(self.session, self._tenant_id, appointment_id)
        talk = self._conversation(visit.customer_id)
        if talk is None or not window_open(talk, self.now):
            raise Refusal(Stop.JANELA_FECHADA)
        assert talk.id is not None
        if self._is_sent(talk.id, key):
            return
        message.add(
            self.session,
            self.now,
            self._tenant_id,
            talk.id,
            message.Line(
                author=Author.STAFF,
                text=text,
                staff_id=self.staff_id,
                client_key=key,
            ),
        )
        self._log(Action.TELL, visit, {})

    def _conversation(self, customer_id: int) -> Conversation | None:
        return self.session.scalar(
            select(Conversation)
            .where(_CONVERSATION.c.tenant_id == self._tenant_id)
            .where(_CONVERSATION.c.customer_id == customer_id)
            .with_for_update(key_share=True)
            .execution_options(populate_existing=True)
        )

    def _is_sent(self, conversation_id: int, key: str) -> bool:
        query = select(_MESSAGE.c.id).where(
            _MESSAGE.c.conversation_id == conversation_id, _MESSAGE.c.client_key == key
        )
        return self.session.scalar(query) is not None

    @property
    def _tenant_id(self) -> int:
        assert self.tenant.id is not None
        return self.tenant.id

    def _require_open(self, visit: Appointment, state: str) -> None:
        """It is as it was seen, and nothing has become of it yet."""
        self._require_seen(visit, state)
        if visit.status == AppointmentStatus.CANCELLED:
            raise Refusal(Code.JA_CANCELADO)
        if visit.status != AppointmentStatus.BOOKED:
            raise Refusal(Stop.JA_TERMINOU)

    def _require_seen(self, visit: Appointment, state: str) -> None:
        if state != f"{visit.schedule_version}.{visit.status}":
            raise Conflict("changed")

    def _room(
        self,
        professional_id: int,
        span: Span,
        starts_at: datetime,
        leave: Leave,
        *,
        without: int | None = None,
    ) -> "_Room":
        """What a visit there needs leave for. Refused where there is none."""
        rules = catalog.rules(self.tenant)
        day = starts_at.astimezone(rules.zone).date()
        loaded = appointment.agendas(
            self.session, self.tenant, (professional_id,), span, day, day, without=without
        )[professional_id]
        broken = availability.check_rules(rules, loaded, span, starts_at, self.now)
        if broken and not leave.outside:
            raise Refusal(broken.code, dict(broken.detail))
        squeezed = availability.is_taken(loaded, span, starts_at)
        if squeezed and not leave.overlap:
            taking = appointment.in_the_way(
                self.session, self._tenant_id, professional_id, span, starts_at, without=without
            )
            raise Refusal(Code.OCUPADO, {"appointments": taking})
        return _Room(squeezed, broken.code if broken else None)

    def _place_for(
        self, visit: Appointment, professional_id: int, starts_at: datetime, leave: Leave
    ) -> "_Room":
        """Lock who had it and who is to have it, and find room for it there."""
        active = appointment.lock_professionals(
            self.session, self._tenant_id, (visit.professional_id, professional_id)
        )
        appointment.require_able(self.session, visit, professional_id, active[professional_id])
        span = appointment.booked_span(self.session, visit)
        return self._room(professional_id, span, starts_at, leave, without=visit.id)

    def _relocate(self, visit: Appointment, professional_id: int, starts_at: datetime, room: "_Room") -> None:
        appointment.relocate(
            self.session,
            self.now,
            self.tenant,
            visit,
            professional_id,
            starts_at,
            squeeze_in=room.squeezed,
            staff_id=self.staff_id,
        )

    def _move_back(self, visit: Appointment, before: dict[str, Any]) -> None:
        professional_id, starts_at = before["professional_id"], datetime.fromisoformat(before["starts_at"])
        leave = Leave(outside=True, overlap=bool(before.get("squeeze_in")))
        room = self._place_for(visit, professional_id, starts_at, leave)
        self._relocate(visit, professional_id, starts_at, room)

    def _take_up(self, visit: Appointment) -> None:
        """Booked again, where it was."""
        leave = Leave(outside=True, overlap=visit.squeeze_in)
        if visit.status == AppointmentStatus.DONE:
            # Its time was its own all the while.
            visit.status = AppointmentStatus.BOOKED
            self.session.flush()
            return
        room = self._place_for(visit, visit.professional_id, visit.starts_at, leave)
        visit.squeeze_in = room.squeezed
        appointment.reinstate(self.session, self.now, self.tenant, visit)

    def _reopen(self, visit: Appointment, event: AuditEvent) -> None:
        """What the change had settled is open again, unless the visit has a place by now."""
        assert visit.id is not None
        if stranded.reopen(self.session, self._tenant_id, visit.id, event.at):
            stranded_recheck.settle_fitting(self.session, self.now, self.tenant)

    def _last(self, appointment_id: int) -> AuditEvent | None:
        """The last change of a visit."""
        return self.session.scalar(
            select(AuditEvent)
            .where(_EVENT.c.tenant_id == self._tenant_id, _EVENT.c.subject_id == appointment_id)
            .where(_EVENT.c.action.in_(CHANGES))
            .order_by(_EVENT.c.id.desc())
            .limit(1)
        )

    def _settle(self, visit: Appointment, outcome: stranded.Outcome) -> int:
        assert visit.id is not None
        return stranded.settle(self.session, self.now, self._tenant_id, [visit.id], outcome, self.staff_id)

    def _log(self, action: Action, visit: Appointment, detail: dict[str, Any]) -> None:
        audit.record(
            self.session,
            self.now,
            self._tenant_id,
            action,
            staff_id=self.staff_id,
            subject_id=visit.id,
            detail=detail,
        )


@dataclass(frozen=True, slots=True)
class _Room:
    """What a time needed leave for: it lies over another visit, it breaks a rule."""

    squeezed: bool
    broken: Code | None

    @property
    def detail(self) -> dict[str, Any]:
        """For the audit: only what was out of the ordinary."""
        found = {"squeeze_in": self.squeezed, "outside": self.broken}
        return {key: value for key, value in found.items() if value}


def _place(visit: Appointment) -> dict[str, Any]:
    return {
        "starts_at": visit.starts_at.isoformat(),
        "professional_id": visit.professional_id,
        "squeeze_in": visit.squeeze_in,
    }


def _matches(event: AuditEvent, visit: Appointment) -> bool:
    """Whether the visit is as this change left it."""
    if event.action == Action.MOVE:
        return visit.status == AppointmentStatus.BOOKED
    if event.action == Action.CANCEL:
        return visit.status == AppointmentStatus.CANCELLED
    return event.action == Action.MARK and visit.status in (
        AppointmentStatus.DONE,
        AppointmentStatus.NO_SHOW,
    )
