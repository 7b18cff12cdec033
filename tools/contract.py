"""What a tool is: one typed function with a description that the model reads as a contract."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from pydantic import BaseModel, ConfigDict
from sqlmodel import Session

from models.db import Database
from tools.facts import Fact, Refused


class Arguments(BaseModel):
    """Base of every tool's arguments: strict types, unknown fields refused."""

    model_config = ConfigDict(extra="forbid", strict=True)


class ToolRefusal(Exception):
    """A rule of the business says no. `text` is Portuguese, for the model: why, and what else is possible.

    `facts` begin with the refusal; `beside` it stands what the text lists.
    """

    def __init__(self, refused: Refused, text: str, beside: tuple[Fact, ...] = ()) -> None:
        super().__init__(refused.code)
        self.code = refused.code
        self.text = text
        self.facts: tuple[Fact, ...] = (refused, *beside)


def _free_for_all(_session: Session) -> None:
    """Nobody else may come in between: where there is no lease."""


@dataclass(frozen=True)
class ToolContext:
    """What a tool knows without being told by the model: whose conversation it is, and the clock.

    `hold` fences a write: it raises LeaseLost in its transaction once the run lost the conversation.
    `turn_key` is stable over crashes and repeated model answers of one turn (conversation and first message).
    """

    db: Database
    tenant_id: int
    customer_id: int
    conversation_id: int
    turn_key: str
    now: datetime
    hold: Callable[[Session], None] = _free_for_all


@dataclass(frozen=True)
class ToolOutcome:
    """What a tool gives back: `text` is Portuguese for the model, `facts` are what it says."""

    text: str
    facts: tuple[Fact, ...] = ()


@dataclass(frozen=True)
class Tool:
    """One tool. `writes` marks those that change something: they run after the reads of the same answer and
    go through an idempotency row. `not_with` names the tools whose results the customer must have seen first:
    in one answer with any of them it is refused.
    """

    name: str
    description: str
    arguments: type[Arguments]
    run: Callable[[ToolContext, Any], ToolOutcome]
    writes: bool = False
    not_with: frozenset[str] = frozenset()
