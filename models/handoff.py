"""One row an episode in which people take over from the bot: reason, times, who."""

from datetime import datetime
from enum import StrEnum

from sqlalchemy import CheckConstraint, ForeignKeyConstraint, Index, or_, text
from sqlmodel import Field, Session, SQLModel, col, select

from models import audit, conversation, message
from models.conversation import Conversation, Holder
from models.db import UtcDateTime
from models.errors import Conflict, Refusal
from models.message import Author, Message, Status
from models.staff import Staff


class Reason(StrEnum):
    """Why a conversation came to people. A closed list: stored, shown in words, counted."""

    REFUSAL = "refusal"
    TOOL_USE_TRUNCADO = "tool_use_truncado"
    LIMITE_ITERACOES = "limite_iteracoes"
    LIMITE_TOKENS = "limite_tokens"
    LIMITE_TEMPO = "limite_tempo"
    RESPOSTA_TRUNCADA = "resposta_truncada"
    RESPOSTA_VAZIA = "resposta_vazia"
    STOP_REASON_DESCONHECIDO = "stop_reason_desconhecido"
    PROMESSA_SEM_ACAO = "promessa_sem_acao"
    MODELO_INDISPONIVEL = "modelo_indisponivel"
    ERRO_INTERNO = "erro_interno"
    PEDIDO_DO_CLIENTE = "pedido_do_cliente"
    MIDIA_NAO_SUPORTADA = "midia_nao_suportada"
    FALHA_NO_ENVIO = "falha_no_envio"
    LIMITE_DE_USO = "limite_de_uso"


class Handoff(SQLModel, table=True):
    """One episode; at most one is open per conversation, and the database holds that line.

    `reason` is None where staff took the conversation without the bot asking. `detail` is text of the model
    or of the vendor: untrusted, for staff only. `close_reason`: "returned_to_bot" or "resolved".
    """

    __table_args__ = (
        ForeignKeyConstraint(["tenant_id", "conversation_id"], ["conversation.tenant_id", "conversation.id"]),
        ForeignKeyConstraint(["tenant_id", "claimed_by"], ["staff.tenant_id", "staff.id"]),
        ForeignKeyConstraint(["tenant_id", "closed_by"], ["staff.tenant_id", "staff.id"]),
        CheckConstraint(
            "reason is null or reason in (" + ", ".join(f"'{reason}'" for reason in Reason) + ")",
            name="reason",
        ),
        Index(
            "uq_handoff_open",
            "conversation_id",
            unique=True,
            sqlite_where=text("closed_at is null"),
            postgresql_where=text("closed_at is null"),
        ),
        Index("ix_handoff_tenant", "tenant_id", "opened_at"),
    )

    id: int | None = Field(default=None, primary_key=True)
    tenant_id: int
    conversation_id: int
    reason: str | None = Field(default=None, max_length=40)
    detail: str = Field(default="", max_length=1000)
    run_id: int | None = Field(default=None, foreign_key="run.id")
    trigger_seq: int
    opened_at: datetime = Field(sa_type=UtcDateTime)
    claimed_at: datetime | None = Field(default=None, sa_type=UtcDateTime)
    claimed_by: int | None = None
    first_reply_at: datetime | None = Field(default=None, sa_type=UtcDateTime)
    closed_at: datetime | None = Field(default=None, sa_type=UtcDateTime)
    closed_by: int | None = None
    closed_seq: int | None = None  # the conversation's last seq then: the human stretch ends there
    close_reason: str | None = Field(default=None, max_length=20)
    note: str = Field(default="", max_length=1000)


class CloseReason(StrEnum):
    RETURNED_TO_BOT = "returned_to_bot"


def open_episode(
    session: Session,
    now: datetime,
    tenant_id: int,
    conversation_id: int,
    *,
    reason: Reason | None,
    trigger_seq: int,
    run_id: int | None = None,
    detail: str = "",
) -> int:
    """Open an episode; gives its id. Where one is open already, that one stands and is given back."""
    standing = current(session, tenant_id, conversation_id)
    if standing is not None:
        assert standing.id is not None
        return standing.id
    episode = Handoff(
        tenant_id=tenant_id,
        conversation_id=conversation_id,
        reason=reason,
        detail=detail[:1000],
        run_id=run_id,
        trigger_seq=trigger_seq,
        opened_at=now,
    )
    session.add(episode)
    session.flush()
    assert episode.id is not None
    return episode.id


def current(session: Session, tenant_id: int, conversation_id: int) -> Handoff | None:
    """The open episode of this conversation."""
    query = select(Handoff).where(
        Handoff.tenant_id == tenant_id,
        Handoff.conversation_id == conversation_id,
        col(Handoff.closed_at).is_(None),
    )
    return session.exec(query).first()


def flag(session: Session, now: datetime, tenant_id: int, conversation_id: int, reason: Reason) -> bool:
    """Put a conversation that the bot holds into the queue from outside a run (a failed delivery).

    Gives False where people hold it already: nothing changes then.
    """
    row = conversation.lock(session, tenant_id, conversation_id)
    if row.holder != Holder.BOT:
        return False
    row.holder = Holder.QUEUE
    row.epoch += 1
    row.due_at = row.lease_token = row.lease_until = None
    row.unread += 1
    row.waiting_since = row.waiting_since or now
    open_episode(session, now, tenant_id, conversation_id, reason=reason, trigger_seq=row.last_seq)
    return True


def take(session: Session, now: datetime, tenant_id: int, conversation_id: int, staff_id: int) -> None:
    """Claim a conversation for one of the staff: the bot is silent from this commit on.

    Raises NotFound, or Conflict with the winner's name if a colleague holds it. One's own again is fine.
    """
    row = conversation.lock(session, tenant_id, conversation_id)
    _take(session, now, row, staff_id)


def _take(session: Session, now: datetime, row: Conversation, staff_id: int) -> Handoff:
    assert row.id is not None
    if row.holder == Holder.STAFF and row.assignee_id != staff_id:
        raise Conflict("taken", winner=_name(session, row.tenant_id, row.assignee_id))
    if row.holder != Holder.STAFF:
        row.holder = Holder.STAFF
        row.assignee_id = staff_id
        row.epoch += 1
        row.due_at = row.lease_token = row.lease_until = None
        audit.record(session, now, row.tenant_id, "conversation.take", staff_id=staff_id, subject_id=row.id)
    open_episode(session, now, row.tenant_id, row.id, reason=None, trigger_seq=row.last_seq)
    episode = current(session, row.tenant_id, row.id)
    assert episode is not None
    if episode.claimed_by is None:
        episode.claimed_by, episode.claimed_at = staff_id, now
    return episode


def _name(session: Session, tenant_id: int, staff_id: int | None) -> str:
    query = select(Staff.name).where(Staff.tenant_id == tenant_id, Staff.id == staff_id)
    return session.exec(query).first() or ""


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
) -> int:
    """Queue a text of staff for the customer; gives its seq. The first reply takes the conversation.

    Raises NotFound; Conflict("taken") if a colleague holds it; Conflict("newer") if something was said that
    the writer has not seen; Refusal("JANELA_FECHADA") outside WhatsApp's 24 hours. The same `client_key`
    again gives the first seq and sends nothing.
    """
    row = conversation.lock(session, tenant_id, conversation_id)
    sent_before = _by_key(session, conversation_id, client_key)
    if sent_before is not None:
        return sent_before
    if _newer(session, conversation_id, last_seen_seq, staff_id):
        raise Conflict("newer")
    if not conversation.window_open(row, now):
        raise Refusal("JANELA_FECHADA")
    episode = _take(session, now, row, staff_id)
    episode.first_reply_at = episode.first_reply_at or now
    row.waiting_since = None
    row.unread = 0
    session.flush()
    return message.add(
        session,
        now,
        tenant_id,
        conversation_id,
        author=Author.STAFF,
        text=text,
        staff_id=staff_id,
        client_key=client_key,
    )


def _by_key(session: Session, conversation_id: int, client_key: str) -> int | None:
    query = select(Message.seq).where(
        Message.conversation_id == conversation_id, Message.client_key == client_key
    )
    return session.exec(query).first()


def _newer(session: Session, conversation_id: int, last_seen_seq: int, staff_id: int) -> bool:
    query = select(Message.id).where(
        Message.conversation_id == conversation_id,
        Message.seq > last_seen_seq,
        Message.status != Status.NOTE,
        or_(col(Message.staff_id).is_(None), col(Message.staff_id) != staff_id),
    )
    return session.exec(query).first() is not None


def give_back(
    session: Session,
    now: datetime,
    tenant_id: int,
    conversation_id: int,
    staff_id: int,
    *,
    note: str = "",
    greeting: str = "",
) -> None:
    """Return a conversation to the bot: the episode closes, the watermark passes over the human stretch.

    The note is for the model's next context. `greeting` is the fixed text that tells the customer; it is
    left out where WhatsApp's window is shut. Raises NotFound, or Conflict if a colleague holds it.
    """
    row = conversation.lock(session, tenant_id, conversation_id)
    if row.holder == Holder.BOT:
        return
    if row.holder == Holder.STAFF and row.assignee_id != staff_id:
        raise Conflict("taken", winner=_name(session, tenant_id, row.assignee_id))
    row.holder = Holder.BOT
    row.assignee_id = None
    row.epoch += 1
    row.answered_seq = row.last_seq
    row.unread = 0
    row.waiting_since = None
    row.due_at = None
    episode = current(session, tenant_id, conversation_id)
    if episode is not None:
        episode.closed_at, episode.closed_by = now, staff_id
        episode.closed_seq = row.last_seq
        episode.close_reason = CloseReason.RETURNED_TO_BOT
        episode.note = note[:1000]
    audit.record(
        session, now, tenant_id, "conversation.give_back", staff_id=staff_id, subject_id=conversation_id
    )
    session.flush()
    if greeting and conversation.window_open(row, now):
        message.add(session, now, tenant_id, conversation_id, author=Author.SYSTEM, text=greeting)
