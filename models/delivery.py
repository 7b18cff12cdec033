"""The way out of our lines, and what is reported of them: claimed, sent, settled; only ever forward."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import cache
from typing import Any

from sqlalchemy import (
    Row,
    Select,
    and_,
    bindparam,
    delete,
    exists,
    or_,
    select,
    update,
)
from sqlalchemy.exc import IntegrityError
from sqlmodel import Field, Session, SQLModel, col

from models import conversation
from models.conversation import Conversation, Holder
from models.db import UtcDateTime, change, moment, table
from models.message import UNSENT, WHEN, Content, Direction, Extra, Message, Status


class EarlyStatus(SQLModel, table=True):
    """A status callback for a message that is not known (yet): it may beat our own commit of the sid.

    It belongs to the business that it was signed for, and can only ever be applied to a line of that one.
    """

    __tablename__ = "early_status"

    tenant_id: int = Field(primary_key=True, foreign_key="tenant.id")
    provider_sid: str = Field(primary_key=True, max_length=64)
    status: str = Field(max_length=10)
    error_code: int | None = None
    at: datetime = Field(sa_type=UtcDateTime)


# How far a message has come. Reports only ever move it to a higher rank, so their order does not matter: a
# failure outranks "sent", and what shows that the message arrived outranks the failure.
RANK = {
    Status.QUEUED: 0,
    Status.SENDING: 1,
    Status.IN_DOUBT: 1,
    Status.ACCEPTED: 2,
    Status.SENT: 3,
    Status.FAILED: 4,
    Status.DELIVERED: 5,
    Status.READ: 6,
    Status.DROPPED: 7,
}


@dataclass(frozen=True)
class Outgoing:
    """One line on its way out, claimed for sending. `address` is where it goes, as Twilio writes it.

    `due_at` is when it was to go out; `sending_since` marks this very attempt: what another attempt reports
    of the line does not touch it. With `content` that is sent instead of the text; `mark` are words by which
    the provider's own text of it is known, "" where that is ours. `extra` is what the line keeps: with a
    "menu" in it, it has something to tap.
    """

    id: int
    tenant_id: int
    conversation_id: int
    run_id: int | None
    address: str
    text: str
    attempts: int
    due_at: datetime
    sending_since: datetime
    content: Content | None = None
    mark: str = ""
    extra: Extra = field(default_factory=Extra)

    @property
    def message_id(self) -> int:
        """The same name as in the other report of a line's way."""
        return self.id


def claim_outgoing(session: Session, now: datetime, conversation_id: int | None = None) -> Outgoing | None:
    """Mark the oldest line that may go out as `sending`. Within a conversation, a line waits for the former.

    A line is dropped here, the last moment before the request: a bot's if a person took the conversation, any
    that comes too late.
    """
    query = _next_queued(of_one=conversation_id is not None)
    while row := session.execute(query, {"now": now, "conversation": conversation_id}).first():
        if _is_vain(row, now):
            _set(session, row.id, status=Status.DROPPED)
            continue
        _set(session, row.id, status=Status.SENDING, sending_since=now, attempts=row.attempts + 1)
        return _claimed(row, now, row.attempts + 1)
    return None


def _is_vain(row: Row[Any], now: datetime) -> bool:
    if row.send_before is not None and row.send_before <= now:
        return True
    return row.epoch is not None and row.holder == Holder.STAFF and bool(row.epoch != row.current_epoch)


@cache
def _next_queued(*, of_one: bool) -> Select[Any]:
    messages = table(Message)
    earlier = messages.alias("earlier")
    query = (
        _outgoing()
        .where(
            messages.c.status == Status.QUEUED,
            messages.c.send_after <= moment("now"),
            ~exists().where(
                earlier.c.conversation_id == messages.c.conversation_id,
                earlier.c.status.in_(UNSENT),
                earlier.c.seq < messages.c.seq,
            ),
        )
        .order_by(messages.c.send_after, messages.c.id)
    )
    return query.where(messages.c.conversation_id == bindparam("conversation")) if of_one else query


def claim_doubtful(
    session: Session, now: datetime, *, sending_before: datetime, in_doubt_before: datetime
) -> Outgoing | None:
    """Take one line of which nobody knows whether it was sent, to look it up at the provider.

    That is a line whose worker has been `sending` since before the first moment (it crashed), or which has
    been in doubt since before the second. It counts as no attempt.
    """
    messages = table(Message)
    query = (
        _outgoing()
        .where(
            or_(
                and_(messages.c.status == Status.SENDING, messages.c.sending_since <= sending_before),
                and_(messages.c.status == Status.IN_DOUBT, messages.c.sending_since <= in_doubt_before),
            )
        )
        .order_by(messages.c.sending_since, messages.c.id)
    )
    row = session.execute(query).first()
    if row is None:
        return None
    _set(session, row.id, status=Status.IN_DOUBT, sending_since=now)
    return _claimed(row, now, row.attempts)


def _outgoing() -> Select[Any]:
    messages, conversations = table(Message), table(Conversation)
    return (
        select(
            messages.c.id,
            messages.c.tenant_id,
            messages.c.conversation_id,
            messages.c.run_id,
            messages.c.text,
            messages.c.attempts,
            messages.c.epoch,
            messages.c.send_after,
            messages.c.send_before,
            messages.c.content_sid,
            messages.c.content_variables,
            messages.c.prefer_text,
            messages.c.extra,
            conversations.c.address,
            conversations.c.last_inbound_at,
            conversations.c.holder,
            conversations.c.epoch.label("current_epoch"),
        )
        .join(conversations, conversations.c.id == messages.c.conversation_id)
        .limit(1)
        .with_for_update(skip_locked=True, of=messages)
    )


def _claimed(row: Row[Any], now: datetime, attempts: int) -> Outgoing:
    return Outgoing(
        id=row.id,
        tenant_id=row.tenant_id,
        conversation_id=row.conversation_id,
        run_id=row.run_id,
        address=row.address,
        text=row.text,
        attempts=attempts,
        due_at=row.send_after,
        sending_since=now,
        content=_content(row, now),
        mark=(row.content_variables or {}).get(WHEN, "") or row.extra.get(MENU, {}).get("body", ""),
        extra=row.extra,
    )


def _content(row: Row[Any], now: datetime) -> Content | None:
    """Decided at the last moment: the window may have closed since the line was queued."""
    if row.content_sid is None or (row.prefer_text and conversation.is_open(row.last_inbound_at, now)):
        return None
    return Content(row.content_sid, row.content_variables or {})


def stop(session: Session, now: datetime, tenant_id: int, lines: Select[Any]) -> list[int]:
    """Send none of these lines (a query of ids) any more; gives those that surely were not sent yet."""
    messages = table(Message)
    statement = (
        update(messages)
        .where(messages.c.tenant_id == tenant_id, messages.c.id.in_(lines), messages.c.status.in_(UNSENT))
        .values(send_before=now)
        .returning(messages.c.id, messages.c.status)
    )
    return [key for key, status in session.execute(statement) if status == Status.QUEUED]


def silence(session: Session, now: datetime, tenant_id: int, conversation_id: int) -> None:
    """Send nothing any more that the bot said before a person took the conversation.

    Also not when the bot has it back by then, nor what would only be sent anew.
    """
    messages = table(Message)
    session.execute(
        update(messages)
        .where(messages.c.tenant_id == tenant_id, messages.c.conversation_id == conversation_id)
        .where(messages.c.epoch.is_not(None), messages.c.status.in_(_ON_THEIR_WAY))
        .values(send_before=now)
    )


_ON_THEIR_WAY = (*UNSENT, Status.ACCEPTED, Status.SENT)


def _set(session: Session, message_id: int, **values: object) -> None:
    session.execute(_SET, {"line": message_id} | values)


# What it is given beside `line` are the columns to set.
_SET = update(table(Message)).where(table(Message).c.id == bindparam("line"))


# What became of an attempt. Each of these gives False, and changes nothing, where the line is no longer in
# the hands of this attempt: a callback has told more by then, or another worker has settled it.


def requeue(session: Session, outgoing: Outgoing, send_after: datetime) -> bool:
    """It surely was not sent: it goes out again, not before `send_after`."""
    return _end_attempt(session, outgoing, status=Status.QUEUED, send_after=send_after)


def requeue_as_text(session: Session, outgoing: Outgoing, send_after: datetime) -> bool:
    """It surely was not sent: it goes out again, without what it had to tap. False where it had nothing."""
    if MENU not in outgoing.extra:
        return False
    extra = _without_menu(outgoing.extra)
    return _end_attempt(session, outgoing, status=Status.QUEUED, send_after=send_after, extra=extra)


def mark_in_doubt(session: Session, outgoing: Outgoing) -> bool:
    """It may have been sent: nothing follows until a callback or a look at the provider tells."""
    return _end_attempt(session, outgoing, status=Status.IN_DOUBT)


def mark_failed(session: Session, outgoing: Outgoing, error_code: int | None) -> bool:
    """It was not sent, and never will be."""
    return _end_attempt(session, outgoing, status=Status.FAILED, error_code=error_code)


def _end_attempt(session: Session, outgoing: Outgoing, **values: object) -> bool:
    messages = table(Message)
    statement = (
        update(messages)
        .where(
            messages.c.id == outgoing.id,
            messages.c.status.in_((Status.SENDING, Status.IN_DOUBT)),
            messages.c.sending_since == outgoing.sending_since,
        )
        .values(values)
    )
    return change(session, statement) == 1


@dataclass(frozen=True)
class Progress:
    """Where a line of ours stands after a report, and whether that report changed it."""

    message_id: int
    tenant_id: int
    conversation_id: int
    run_id: int | None
    status: Status
    error_code: int | None
    attempts: int
    changed: bool


def mark_accepted(
    session: Session,
    now: datetime,
    outgoing: Outgoing,
    sid: str,
    status: Status,
    error_code: int | None = None,
) -> Progress:
    """The provider took it under this sid. Reports that came before we knew the sid are applied as well."""
    early = session.execute(_TAKE_EARLY, {"tenant": outgoing.tenant_id, "sid": sid}).first()
    if early is not None and RANK[Status(early.status)] > RANK[status]:
        status, error_code = Status(early.status), early.error_code
    row = _by_id(session, outgoing.tenant_id, outgoing.id)
    assert row is not None
    return _advance(session, row, now, sid, status, error_code)


_EARLY = table(EarlyStatus)
_TAKE_EARLY = (
    delete(_EARLY)
    .where(_EARLY.c.tenant_id == bindparam("tenant"), _EARLY.c.provider_sid == bindparam("sid"))
    .returning(_EARLY.c.status, _EARLY.c.error_code)
)


def apply_status(
    session: Session,
    now: datetime,
    tenant_id: int,
    *,
    sid: str,
    status: Status,
    error_code: int | None = None,
    message_id: int | None = None,
) -> Progress | None:
    """Take a delivery report for a line of this tenant, named by our id or by the provider's sid.

    None: no such line is known yet. The report is kept, and applied as soon as the sid is known.
    """
    row = _by_id(session, tenant_id, message_id) if message_id is not None else None
    if row is None:
        row = _by_sid(session, tenant_id, sid)
    if row is None:
        early = EarlyStatus(
            tenant_id=tenant_id, provider_sid=sid, status=status, error_code=error_code, at=now
        )
        _keep(session, early)
        return None
    return _advance(session, row, now, sid, status, error_code)


def _by_id(session: Session, tenant_id: int, message_id: int) -> Row[Any] | None:
    """A line of ours, locked."""
    given = {"tenant": tenant_id, "line": message_id}
    return session.execute(_OURS_BY_ID, given).first()


def _by_sid(session: Session, tenant_id: int, sid: str) -> Row[Any] | None:
    given = {"tenant": tenant_id, "sid": sid}
    return session.execute(_OURS_BY_SID, given).first()


def _ours() -> Select[Any]:
    messages = table(Message)
    return (
        select(
            messages.c.id,
            messages.c.tenant_id,
            messages.c.conversation_id,
            messages.c.run_id,
            messages.c.status,
            messages.c.error_code,
            messages.c.attempts,
            messages.c.provider_sid,
            messages.c.extra,
            messages.c.sent_at,
        )
        .where(messages.c.tenant_id == bindparam("tenant"), messages.c.direction == Direction.OUT)
        .with_for_update()
    )


_OURS_BY_ID = _ours().where(table(Message).c.id == bindparam("line"))
_OURS_BY_SID = _ours().where(table(Message).c.provider_sid == bindparam("sid"))


def _advance(
    session: Session, row: Row[Any], now: datetime, sid: str, status: Status, error_code: int | None
) -> Progress:
    ours = row.provider_sid in (None, sid) and sid not in row.extra.get(FORMER_SIDS, ())
    changed = ours and RANK[status] > RANK[Status(row.status)]
    values: dict[str, object] = {"provider_sid": sid} if ours and row.provider_sid is None else {}
    if changed:
        failed = status == Status.FAILED
        values |= {"status": status, "error_code": error_code if failed else None}
        values |= {"sent_at": row.sent_at or (None if failed else now)}
    if values:
        _set(session, row.id, **values)
    return Progress(
        message_id=row.id,
        tenant_id=row.tenant_id,
        conversation_id=row.conversation_id,
        run_id=row.run_id,
        status=status if changed else Status(row.status),
        error_code=error_code if changed else row.error_code,
        attempts=row.attempts,
        changed=changed,
    )


FORMER_SIDS = "former_sids"


def send_anew(session: Session, progress: Progress, send_after: datetime) -> None:
    """Queue again a line that was accepted and then surely not delivered, for a reason that passes."""
    _send_anew(session, progress.tenant_id, progress.message_id, send_after)


def send_by_template(session: Session, now: datetime, tenant_id: int, message_id: int) -> bool:
    """Queue again, by its template, a line whose text WhatsApp does not take; False if it has none."""
    messages = table(Message)
    statement = (
        update(messages)
        .where(messages.c.tenant_id == tenant_id, messages.c.id == message_id)
        .where(messages.c.content_sid.is_not(None), messages.c.prefer_text)
        .values(prefer_text=False)
    )
    if change(session, statement) != 1:
        return False
    _send_anew(session, tenant_id, message_id, now)
    return True


MENU = "menu"  # what a line has to tap, in its `extra`


def send_as_text(session: Session, progress: Progress, send_after: datetime) -> bool:
    """Queue again an undelivered line, without what it had to tap; False where it had nothing."""
    row = _by_id(session, progress.tenant_id, progress.message_id)
    if row is None or MENU not in row.extra:
        return False
    _set(session, row.id, extra=_without_menu(row.extra))
    _send_anew(session, progress.tenant_id, progress.message_id, send_after)
    return True


def _without_menu(extra: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in extra.items() if key != MENU}


def _send_anew(session: Session, tenant_id: int, message_id: int, send_after: datetime) -> None:
    """Its sid is remembered: what is still reported of that one says nothing of the new attempt."""
    row = _by_id(session, tenant_id, message_id)
    assert row is not None
    former = [sid for sid in (*row.extra.get(FORMER_SIDS, ()), row.provider_sid) if sid]
    _set(
        session,
        row.id,
        status=Status.QUEUED,
        send_after=send_after,
        extra=row.extra | {FORMER_SIDS: former},
        provider_sid=None,
        error_code=None,
        sent_at=None,
    )


def _keep(session: Session, early: EarlyStatus) -> None:
    try:
        with session.begin_nested():
            session.add(early)
    except IntegrityError:
        key = (early.tenant_id, early.provider_sid)
        known = session.get_one(EarlyStatus, key, with_for_update=True)
        if RANK[Status(early.status)] > RANK[Status(known.status)]:
            known.status, known.error_code, known.at = early.status, early.error_code, early.at


def sid_is_known(session: Session, sid: str) -> bool:
    """Whether some line has this provider sid."""
    return session.scalar(select(col(Message.id)).where(col(Message.provider_sid) == sid)) is not None


def apply_late(session: Session, now: datetime) -> list[Progress]:
    """Apply kept reports whose sid has become known since.

    A report and the answer that tells its sid can pass each other in two transactions.
    """
    query = select(EarlyStatus).join(
        Message,
        and_(
            col(EarlyStatus.provider_sid) == col(Message.provider_sid),
            col(EarlyStatus.tenant_id) == col(Message.tenant_id),
        ),
    )
    late = []
    for early in session.scalars(query).all():
        row = _by_sid(session, early.tenant_id, early.provider_sid)
        if row is not None:
            late.append(
                _advance(session, row, now, early.provider_sid, Status(early.status), early.error_code)
            )
        session.delete(early)
    return late


def forget_early(session: Session, before: datetime) -> int:
    """Delete kept reports that nobody asked for; gives how many."""
    early = table(EarlyStatus)
    return change(session, delete(early).where(early.c.at < before))
