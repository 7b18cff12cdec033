"""What staff do with a conversation: take, answer, note, release, pass on, snooze, resolve, give back.

Each act locks the conversation and looks who holds it now: who is too late changes nothing, and is told who
was faster (Conflict "taken"). Where `last_seen_seq` is given and something was said since, it is
Conflict("newer"). A conversation, or a colleague, of another business is NotFound, exactly like one that does
not exist. Where the customer was forgotten nobody takes it or answers (Forgotten).
"""

from datetime import datetime, timedelta

from sqlalchemy import func, or_
from sqlmodel import Session, col, select

from models import alert, audit, conversation, delivery, handoff, message
from models.conversation import Conversation, Holder
from models.errors import Conflict, NotFound, Refusal
from models.handoff import CloseReason, Handoff, ReleaseCause
from models.message import Author, Content, Message, Status
from models.staff import Staff

MAX_SNOOZE = timedelta(days=14)


def take(session: Session, now: datetime, tenant_id: int, conversation_id: int, staff_id: int) -> None:
    """Claim a conversation, whoever but a colleague holds it: the bot is silent from this commit on.

    One's own again is fine.
    """
    row = _locked(session, tenant_id, conversation_id)
    _take(session, now, row, staff_id)


def take_over(
    session: Session, now: datetime, tenant_id: int, conversation_id: int, staff_id: int, *, holder_id: int
) -> None:
    """Claim a conversation that the colleague `holder_id` holds, and is known to hold.

    Conflict if meanwhile somebody else does; if nobody does any more, it is simply taken.
    """
    row = _locked(session, tenant_id, conversation_id)
    if row.holder == Holder.STAFF and row.assignee_id == holder_id != staff_id:
        _hand_to(session, now, row, staff_id)
        _log(session, now, row, "take_over", staff_id, {"from": holder_id})
    _take(session, now, row, staff_id)


def pass_on(
    session: Session, now: datetime, tenant_id: int, conversation_id: int, staff_id: int, *, to_id: int
) -> None:
    """Hand a conversation to a colleague who may log in: one's own, or one that no colleague holds."""
    row = _locked(session, tenant_id, conversation_id)
    _require_mine_or_free(session, row, staff_id)
    if row.assignee_id == to_id:
        return
    _hand_to(session, now, row, to_id)
    _log(session, now, row, "pass_on", staff_id, {"to": to_id})


def release(session: Session, now: datetime, tenant_id: int, conversation_id: int, staff_id: int) -> None:
    """Put one's own conversation back into the queue; what one does not hold any more is left as it is."""
    row = conversation.lock(session, tenant_id, conversation_id)
    _require_mine_or_free(session, row, staff_id)
    if row.holder == Holder.STAFF:
        _release(session, now, row, {}, staff_id)


def let_go(
    session: Session,
    now: datetime,
    tenant_id: int,
    conversation_id: int,
    *,
    holder_id: int,
    held_since: datetime,
    why: ReleaseCause,
) -> bool:
    """Take a conversation from somebody who does nothing with it, back into the queue; says whether it was.

    Only this very claim is ended: not one that came after it.
    """
    row = conversation.lock(session, tenant_id, conversation_id)
    if (row.assignee_id, row.held_since) != (holder_id, held_since):
        return False
    _release(session, now, row, {"from": holder_id, "why": why})
    return True


def let_all_go(
    session: Session,
    now: datetime,
    tenant_id: int,
    holder_id: int,
    *,
    why: ReleaseCause,
    by: int | None = None,
) -> int:
    """Put all that one of the staff holds back into the queue; gives how many."""
    held = conversation.held_by(session, tenant_id, holder_id)
    for conversation_id in held:
        row = conversation.lock(session, tenant_id, conversation_id)
        if row.assignee_id == holder_id:
            _release(session, now, row, {"from": holder_id, "why": why}, by)
    return len(held)


def snooze(
    session: Session, now: datetime, tenant_id: int, conversation_id: int, staff_id: int, *, until: datetime
) -> None:
    """Put a conversation aside until then, or until the customer writes. Whoever does it takes it.

    Refusal("PRAZO") for a time that is not ahead, or too far ahead.
    """
    if not now < until <= now + MAX_SNOOZE:
        raise Refusal("PRAZO")
    row = _locked(session, tenant_id, conversation_id)
    _take(session, now, row, staff_id)
    row.snoozed_until = until
    _log(session, now, row, "snooze", staff_id, {"until": until.isoformat()})


def wake(session: Session, now: datetime, tenant_id: int, conversation_id: int, staff_id: int) -> None:
    """End a snooze before its time."""
    row = conversation.lock(session, tenant_id, conversation_id)
    _require_mine_or_free(session, row, staff_id)
    if row.snoozed_until is not None:
        row.snoozed_until = None
        _log(session, now, row, "wake", staff_id)


def reply(
    session: Session,
    now: datetime,
    tenant_id: int,
    conversation_id: int,
    staff_id: int,
    *,
    text: str,
    last_seen_seq: int,
    client_key: str,
    content: Content | None = None,
) -> int:
    """Queue a text of staff for the customer; gives its seq. The first reply takes the conversation.

    Refusal("JANELA_FECHADA") outside WhatsApp's 24 hours, where only an approved template (`content`) may be
    sent. The same `client_key` again gives the first seq and sends nothing.
    """
    row = _locked(session, tenant_id, conversation_id)
    sent_before = _by_key(session, conversation_id, client_key)
    if sent_before is not None:
        return sent_before
    _require_seen(session, row, last_seen_seq, staff_id)
    if content is None and not conversation.window_open(row, now):
        raise Refusal("JANELA_FECHADA")
    episode = _take(session, now, row, staff_id)
    episode.first_reply_at = episode.first_reply_at or now
    row.waiting_since = row.snoozed_until = None
    row.unread = 0
    session.flush()
    return message.add(
        session,
        now,
        tenant_id,
        conversation_id,
        message.Line(
            author=Author.STAFF,
            text=text,
            staff_id=staff_id,
            client_key=client_key,
            content=content,
        ),
    )


def note(
    session: Session,
    now: datetime,
    tenant_id: int,
    conversation_id: int,
    staff_id: int,
    *,
    text: str,
    client_key: str,
) -> int:
    """Add a line that only staff ever see, whoever holds the conversation; gives its seq. Once a key."""
    conversation.lock(session, tenant_id, conversation_id)
    noted_before = _by_key(session, conversation_id, client_key)
    if noted_before is not None:
        return noted_before
    return message.add(
        session,
        now,
        tenant_id,
        conversation_id,
        message.Line(
            author=Author.STAFF,
            text=text,
            status=Status.NOTE,
            staff_id=staff_id,
            client_key=client_key,
        ),
    )


def give_back(
    session: Session,
    now: datetime,
    tenant_id: int,
    conversation_id: int,
    staff_id: int,
    *,
    note: str = "",
    greeting: str = "",
    last_seen_seq: int | None = None,
) -> None:
    """Return a conversation to the bot: the episode closes, the watermark passes over the human stretch.

    The note is for the model's next context. `greeting` is the fixed text that tells the customer; it is
    left out where WhatsApp's window is shut. What the bot holds already stays as it is.
    """
    row = _held(session, tenant_id, conversation_id, staff_id, last_seen_seq)
    if row is None:
        return
    _end(session, now, row, CloseReason.RETURNED_TO_BOT, staff_id, note)
    _log(session, now, row, "give_back", staff_id)
    if greeting and conversation.window_open(row, now):
        message.add(
            session, now, tenant_id, conversation_id, message.Line(author=Author.SYSTEM, text=greeting)
        )


def resolve(
    session: Session,
    now: datetime,
    tenant_id: int,
    conversation_id: int,
    staff_id: int,
    *,
    grace: timedelta,
    last_seen_seq: int | None = None,
) -> None:
    """End an episode whose matter is settled: the bot answers what comes next.

    Only what comes within `grace` of the last words of a person goes back to people. What the bot holds
    already stays as it is.
    """
    row = _held(session, tenant_id, conversation_id, staff_id, last_seen_seq)
    if row is None:
        return
    _end(session, now, row, CloseReason.RESOLVED, staff_id)
    spoke = last_words(session, conversation_id)
    row.resolved_at = now
    row.reopen_until = spoke + grace if spoke is not None and spoke + grace > now else None
    _log(session, now, row, "resolve", staff_id)
    session.flush()


def last_words(session: Session, conversation_id: int) -> datetime | None:
    """When one of the staff last wrote to the customer."""
    query = (
        select(func.max(Message.created_at))
        .where(Message.conversation_id == conversation_id)
        .where(Message.author == Author.STAFF, Message.status != Status.NOTE)
    )
    return session.exec(query).one()


def _locked(session: Session, tenant_id: int, conversation_id: int) -> Conversation:
    """The locked conversation, of somebody who can be written to."""
    row = conversation.lock(session, tenant_id, conversation_id)
    conversation.require_known(row)
    return row


def _take(session: Session, now: datetime, row: Conversation, staff_id: int) -> Handoff:
    _require_mine_or_free(session, row, staff_id)
    if row.holder != Holder.STAFF:
        _hand_to(session, now, row, staff_id)
        _log(session, now, row, "take", staff_id)
    return handoff.standing(session, now, row)


def _hand_to(session: Session, now: datetime, row: Conversation, staff_id: int) -> None:
    if not _works_here(session, row.tenant_id, staff_id):
        raise NotFound("staff")
    conversation.to_staff(row, now, staff_id)
    assert row.id is not None
    delivery.silence(session, now, row.tenant_id, row.id)
    episode = handoff.standing(session, now, row)
    if episode.claimed_by is None:
        episode.claimed_by, episode.claimed_at = staff_id, now


def _release(
    session: Session, now: datetime, row: Conversation, detail: dict[str, object], by: int | None = None
) -> None:
    conversation.to_queue(row, now)
    _log(session, now, row, "release", by, detail)
    session.flush()
    assert row.id is not None
    alert.add(session, now, row.tenant_id, row.id, alert.Kind.WAITING)


def _held(
    session: Session, tenant_id: int, conversation_id: int, staff_id: int, last_seen_seq: int | None
) -> Conversation | None:
    """The locked conversation, if people hold it and this one of them may end that."""
    row = conversation.lock(session, tenant_id, conversation_id)
    if row.holder == Holder.BOT:
        return None
    _require_mine_or_free(session, row, staff_id)
    if last_seen_seq is not None:
        _require_seen(session, row, last_seen_seq, staff_id)
    return row


def _end(
    session: Session,
    now: datetime,
    row: Conversation,
    reason: CloseReason,
    staff_id: int,
    note: str = "",
) -> None:
    conversation.to_bot(row)
    handoff.close(session, now, row, reason, through_seq=row.last_seq, staff_id=staff_id, note=note)
    session.flush()


def _require_mine_or_free(session: Session, row: Conversation, staff_id: int) -> None:
    if row.holder == Holder.STAFF and row.assignee_id != staff_id:
        raise Conflict("taken", winner=_name(session, row.tenant_id, row.assignee_id))


def _require_seen(session: Session, row: Conversation, last_seen_seq: int, staff_id: int) -> None:
    """Nothing that the customer could read was said, by others than this person, since they looked."""
    query = select(Message.id).where(
        Message.conversation_id == row.id,
        Message.seq > last_seen_seq,
        Message.status != Status.NOTE,
        or_(col(Message.staff_id).is_(None), col(Message.staff_id) != staff_id),
    )
    if session.exec(query).first() is not None:
        raise Conflict("newer")


def _by_key(session: Session, conversation_id: int, client_key: str) -> int | None:
    query = select(Message.seq).where(
        Message.conversation_id == conversation_id, Message.client_key == client_key
    )
    return session.exec(query).first()


def _name(session: Session, tenant_id: int, staff_id: int | None) -> str:
    query = select(Staff.name).where(Staff.tenant_id == tenant_id, Staff.id == staff_id)
    return session.exec(query).first() or ""


def _works_here(session: Session, tenant_id: int, staff_id: int) -> bool:
    """Whether this login is of the business and may be used; it stays so until the transaction ends."""
    query = select(Staff.id).where(
        Staff.tenant_id == tenant_id, Staff.id == staff_id, col(Staff.disabled_at).is_(None)
    )
    return session.exec(query.with_for_update(read=True)).first() is not None


def _log(
    session: Session,
    now: datetime,
    row: Conversation,
    act: str,
    staff_id: int | None,
    detail: dict[str, object] | None = None,
) -> None:
    audit.record(
        session,
        now,
        row.tenant_id,
        f"conversation.{act}",
        staff_id=staff_id,
        subject_id=row.id,
        detail=detail,
    )
