"""One row an episode in which people take over from the bot: reason, times, who."""

from datetime import datetime
from enum import StrEnum
from typing import Literal

from sqlalchemy import CheckConstraint, ForeignKeyConstraint, Index, Integer, bindparam, text
from sqlmodel import Field, Session, SQLModel, col, select

from models import alert, conversation
from models.conversation import Conversation, Holder
from models.db import UtcDateTime

ReleaseCause = Literal["no_reply", "disabled"]  # a claim was ended that its holder did not end


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

    `reason` is None where staff took the conversation without the bot asking, and where it is `reopened`:
    the customer wrote again soon after it was resolved. `detail` is text of the model or of the vendor:
    untrusted, for staff only. `claimed_by` is who took it first. `close_reason` is one of CloseReason. What
    is done once an episode when nobody answers notes its time (`realerted_at` and the like).
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
        Index("ix_handoff_conversation", "conversation_id", "id"),
    )

    id: int | None = Field(default=None, primary_key=True)
    tenant_id: int
    conversation_id: int
    reason: str | None = Field(default=None, max_length=40)
    detail: str = Field(default="", max_length=1000)
    run_id: int | None = Field(default=None, foreign_key="run.id")
    reopened: bool = False
    trigger_seq: int
    opened_at: datetime = Field(sa_type=UtcDateTime)
    claimed_at: datetime | None = Field(default=None, sa_type=UtcDateTime)
    claimed_by: int | None = None
    first_reply_at: datetime | None = Field(default=None, sa_type=UtcDateTime)
    acknowledged_at: datetime | None = Field(default=None, sa_type=UtcDateTime)
    realerted_at: datetime | None = Field(default=None, sa_type=UtcDateTime)
    second_text_at: datetime | None = Field(default=None, sa_type=UtcDateTime)
    window_warned_at: datetime | None = Field(default=None, sa_type=UtcDateTime)
    closed_at: datetime | None = Field(default=None, sa_type=UtcDateTime)
    closed_by: int | None = None
    closed_seq: int | None = None  # the conversation's last seq then: the human stretch ends there
    close_reason: str | None = Field(default=None, max_length=20)
    note: str = Field(default="", max_length=1000)


class CloseReason(StrEnum):
    """How an episode ended; in each case the bot holds the conversation afterwards."""

    RETURNED_TO_BOT = "returned_to_bot"
    RESOLVED = "resolved"
    CUSTOMER_CANCELLED = "customer_cancelled"


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
    reopened: bool = False,
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
        reopened=reopened,
        trigger_seq=trigger_seq,
        opened_at=now,
    )
    session.add(episode)
    session.flush()
    if reason is not None or reopened:
        alert.add(session, now, tenant_id, conversation_id, alert.Kind.WAITING)
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


def closed(session: Session, tenant_id: int, conversation_id: int, most: int) -> list[Handoff]:
    """The newest episodes that are over, oldest first."""
    given = {"tenant": tenant_id, "conversation": conversation_id, "most": most}
    return list(reversed(session.scalars(_CLOSED, given).all()))


_CLOSED = (
    select(Handoff)
    .where(col(Handoff.tenant_id) == bindparam("tenant"))
    .where(col(Handoff.conversation_id) == bindparam("conversation"))
    .where(col(Handoff.closed_at).is_not(None))
    .order_by(col(Handoff.id).desc())
    .limit(bindparam("most", type_=Integer))
)


def flag(session: Session, now: datetime, tenant_id: int, conversation_id: int, reason: Reason) -> bool:
    """Put a conversation that the bot holds into the queue from outside a run (a failed delivery).

    Gives False where people have it already: in the queue nothing changes then, and whoever holds it is
    called, since they have answered nobody.
    """
    row = conversation.lock(session, tenant_id, conversation_id)
    if row.holder == Holder.STAFF:
        row.waiting_since = row.waiting_since or now
        row.unread += 1
    if row.holder != Holder.BOT:
        return False
    conversation.to_queue(row, now)
    row.unread += 1
    row.waiting_since = row.waiting_since or now
    open_episode(session, now, tenant_id, conversation_id, reason=reason, trigger_seq=row.last_seq)
    return True


def standing(session: Session, now: datetime, row: Conversation) -> Handoff:
    """The open episode of a locked conversation; where there is none, staff open one by taking it."""
    assert row.id is not None
    open_episode(session, now, row.tenant_id, row.id, reason=None, trigger_seq=row.last_seq)
    found = current(session, row.tenant_id, row.id)
    assert found is not None
    return found


def close(
    session: Session,
    now: datetime,
    row: Conversation,
    reason: CloseReason,
    *,
    through_seq: int,
    staff_id: int | None = None,
    note: str = "",
) -> None:
    """Close the open episode of a locked conversation, if there is one; people had it up to `through_seq`."""
    assert row.id is not None
    episode = current(session, row.tenant_id, row.id)
    if episode is not None:
        episode.closed_at, episode.closed_by, episode.closed_seq = now, staff_id, through_seq
        episode.close_reason = reason
        episode.note = note[:1000]


WAY_BACK = "bot"


def is_way_back(words: str) -> bool:
    """Whether these are the word, and no other, by which a customer who waits returns to the bot."""
    return words.strip(" \t\n\r.!\"'“”*").casefold() == WAY_BACK


def cancel(
    session: Session, now: datetime, tenant_id: int, conversation_id: int, *, due_at: datetime
) -> None:
    """The customer, with their newest message, does not want to wait for people: the bot answers it."""
    row = conversation.lock(session, tenant_id, conversation_id)
    if row.holder == Holder.BOT:
        return
    conversation.to_bot(row)
    row.answered_seq -= 1
    row.due_at, row.waiting_since = due_at, now
    close(session, now, row, CloseReason.CUSTOMER_CANCELLED, through_seq=row.answered_seq)
    session.flush()
