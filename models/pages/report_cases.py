"""The single cases behind a figure: conversations that came to people, tool calls that failed."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Row, Select, select
from sqlmodel import Session

from models.conversation import Conversation
from models.customer import Customer
from models.db import table
from models.handoff import Handoff, Reason
from models.period import Period
from models.run import Run, RunStep, StepKind

PAGE = 50
_CONVERSATION, _CUSTOMER = table(Conversation), table(Customer)
_HANDOFF, _RUN, _STEP = table(Handoff), table(Run), table(RunStep)


@dataclass(frozen=True)
class Case:
    """`id` is for the next page. `run_id` is None where no run led to it; `tool` is a name the model gave."""

    id: int
    at: datetime
    conversation_id: int
    run_id: int | None
    customer: str
    address: str
    reason: str = ""
    tool: str = ""


def handed_over(
    session: Session, tenant_id: int, period: Period, reason: Reason | None, *, before: int | None = None
) -> list[Case]:
    """Handoffs of the period, for one reason or any, newest first; one above a page where there are more."""
    query = select(
        _HANDOFF.c.id,
        _HANDOFF.c.opened_at.label("at"),
        _HANDOFF.c.conversation_id,
        _HANDOFF.c.run_id,
        _HANDOFF.c.reason,
        *_WHO,
    ).where(
        _HANDOFF.c.tenant_id == tenant_id,
        _HANDOFF.c.reason.is_not(None) if reason is None else _HANDOFF.c.reason == reason,
        _HANDOFF.c.opened_at >= period.begins,
        _HANDOFF.c.opened_at < period.ends,
    )
    if before is not None:
        query = query.where(_HANDOFF.c.id < before)
    conversation = _CONVERSATION.c.id == _HANDOFF.c.conversation_id
    return _cases(session, query.join(_CONVERSATION, conversation).order_by(_HANDOFF.c.id.desc()))


def tool_errors(
    session: Session, tenant_id: int, period: Period, error_class: str, *, before: int | None = None
) -> list[Case]:
    """Tool calls of the period that failed so, newest first; one more than a page if there are more."""
    query = select(
        _STEP.c.id,
        _STEP.c.at,
        _RUN.c.conversation_id,
        _RUN.c.id.label("run_id"),
        *_WHO,
        _STEP.c.content["name"].as_string().label("tool"),
    ).where(
        _STEP.c.tenant_id == tenant_id,
        _STEP.c.kind == StepKind.RESULT,
        _STEP.c.error_class == error_class,
        _STEP.c.at >= period.begins,
        _STEP.c.at < period.ends,
    )
    if before is not None:
        query = query.where(_STEP.c.id < before)
    query = query.join(_RUN, _RUN.c.id == _STEP.c.run_id)
    conversation = _CONVERSATION.c.id == _RUN.c.conversation_id
    return _cases(session, query.join(_CONVERSATION, conversation).order_by(_STEP.c.id.desc()))


_WHO = (_CUSTOMER.c.name.label("customer"), _CONVERSATION.c.address)


def _cases(session: Session, query: Select[Any]) -> list[Case]:
    query = query.join(_CUSTOMER, _CUSTOMER.c.id == _CONVERSATION.c.customer_id).limit(PAGE + 1)
    rows: Sequence[Row[Any]] = session.execute(query).all()
    return [Case(**row._mapping) for row in rows]
