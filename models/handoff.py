"""One row an episode in which people take over from the bot: reason, times, who."""

from datetime import datetime
from enum import StrEnum

from sqlalchemy import CheckConstraint, ForeignKeyConstraint, Index, text
from sqlmodel import Field, SQLModel

from models.db import UtcDateTime


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
    close_reason: str | None = Field(default=None, max_length=20)
    note: str = Field(default="", max_length=1000)
