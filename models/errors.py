"""What can go wrong in the domain.

DomainError
├── NotFound        no such row for this tenant (a foreign row answers exactly like a missing one)
│   └── Forgotten   the customer's data were erased: nobody is there to write to or to book for
├── Refusal         a rule of the business says no; carries a code, a sentence and what is possible instead
├── Conflict        somebody else was faster; names the winner where there is one
└── LeaseLost       the worker no longer holds the conversation; whatever it had in hand is dropped
"""

from dataclasses import dataclass, field
from datetime import datetime


class DomainError(Exception):
    """Base of everything that the domain refuses or misses."""


class NotFound(DomainError):
    """No such row for this tenant."""


class Forgotten(NotFound):
    """The customer's data were erased: nobody is there to write to or to book for."""


class Conflict(DomainError):
    """Somebody else changed it first. `winner` is their name, where known."""

    def __init__(self, message: str, *, winner: str | None = None) -> None:
        super().__init__(message)
        self.winner = winner


class LeaseLost(DomainError):
    """The lease of this conversation ended, or somebody took it over."""


@dataclass(frozen=True)
class Alternative:
    """A start (aware, UTC) that could be booked instead."""

    professional_id: int
    starts_at: datetime


@dataclass(eq=False)
class Refusal(DomainError):
    """A rule says no.

    `code` is one of `models.availability.Code` or a tool's own; `detail` holds the plain values that a
    sentence needs (never a sentence: the words are made in `tools.portuguese`); at most three alternatives.
    """

    code: str
    detail: dict[str, object] = field(default_factory=dict)
    alternatives: tuple[Alternative, ...] = ()

    def __str__(self) -> str:
        return self.code
