"""What a turn comes to, and what is written along with it: plain values, of which nothing is done yet."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from models.appointment import Details
from models.handoff import Reason
from models.message import Author, Extra, Message
from models.run import Outcome


@dataclass(frozen=True)
class ConfirmVisit:
    """The customer comes to the visit of their reminder."""

    visit: Details


@dataclass(frozen=True)
class LeaveWaitlist:
    """The customer is taken off these entries of the waiting list."""

    entries: tuple[int, ...]


@dataclass(frozen=True)
class KeepChoice:
    """What a "2" chose stays with its line: later nobody would know."""

    line: Message
    choice_id: str


Deed = ConfirmVisit | LeaveWaitlist | KeepChoice


@dataclass(frozen=True)
class Silence:
    """There is nothing to answer."""


@dataclass(frozen=True)
class GoOn:
    """Something to write down; what answers the customer comes after it."""

    deed: Deed


@dataclass(frozen=True)
class Reply:
    """The bot answers. `extra` is what the line keeps; `deed` is done together with it, or neither is."""

    text: str
    author: Author = Author.SYSTEM
    extra: Extra = field(default_factory=Extra)
    deed: Deed | None = None


@dataclass(frozen=True)
class HandOver:
    """People take over. `said` are the model's last words; without them a fixed text is due, which tells
    `writes`, what was done in this turn. `detail` is for staff.
    """

    reason: Reason
    said: str | None = None
    writes: tuple[str, ...] = ()
    detail: str = ""


Decision = Silence | GoOn | Reply | HandOver


@dataclass(frozen=True)
class RunEnd:
    """The run that ends with a decision: it answers up to `through_seq`; `totals` are columns of its row."""

    run_id: int
    through_seq: int
    outcome: Outcome
    totals: Mapping[str, object]
