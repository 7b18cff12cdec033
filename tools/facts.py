"""What is so, or was done, as data: beside each text for the model stand the facts that it rests on.

Portuguese is made from facts and never read back. A fact is stored as JSON with the step of its run, and
goes to the model client as the key `facts` of a neutral block, which what speaks to a vendor's API drops:

    {"type": "tool_result", "tool_use_id": …, "content": …, "is_error"?: true, "facts": [{"kind": …}, …]}
    {"type": "text", "text": "<contexto>…", "facts": […]}

Times are local to the business and carry its offset; money is in integer cents, None on request.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime, time
from typing import Annotated, Any, Literal
from zoneinfo import ZoneInfo

from pydantic import Field, TypeAdapter, ValidationError

from models import catalog
from models.appointment import Details
from models.errors import Alternative

MOST_NAMED = 20  # professionals of one service


@dataclass(frozen=True)
class Named:
    """A professional or a service, by id and name."""

    id: int
    name: str


@dataclass(frozen=True)
class Offer:
    """A service as it can be booked; `more` professionals do it than are named."""

    id: int
    name: str
    minutes: int
    price_cents: int | None
    professionals: tuple[Named, ...] = ()
    more: int = 0

    @classmethod
    def of(cls, offer: catalog.Offer) -> "Offer":
        people = tuple(Named(*who) for who in offer.professionals)
        return cls(
            id=offer.id,
            name=offer.name,
            minutes=offer.duration_minutes,
            price_cents=offer.price_cents,
            professionals=people[:MOST_NAMED],
            more=len(people[MOST_NAMED:]),
        )


@dataclass(frozen=True)
class Visit:
    """One visit; `id` (agendamento_id) is None while it is only proposed. Price and minutes are of all of it,
    the price None if any part is on request. `confirmed`: the customer said that they will come.
    """

    id: int | None
    services: tuple[Named, ...]
    professional: Named
    starts_at: datetime
    minutes: int
    price_cents: int | None
    confirmed: bool = False

    @classmethod
    def of(cls, details: Details, zone: ZoneInfo) -> "Visit":
        return cls(
            id=details.id,
            services=tuple(map(Named, details.service_ids, details.services)),
            professional=Named(details.professional_id, details.professional),
            starts_at=details.starts_at.astimezone(zone),
            minutes=details.minutes,
            price_cents=details.price_cents,
            confirmed=details.confirmed,
        )


@dataclass(frozen=True)
class Start:
    """A free start with one professional."""

    professional: Named
    starts_at: datetime


def starts(found: Iterable[Alternative], names: Mapping[int, str], zone: ZoneInfo) -> tuple[Start, ...]:
    """What could be booked instead, with the names of the professionals."""
    return tuple(
        Start(Named(one.professional_id, names[one.professional_id]), one.starts_at.astimezone(zone))
        for one in found
    )


@dataclass(frozen=True)
class FreeOf:
    """Free starts of one professional on the asked day, in order; of `more` between the first and the last
    nothing is shown."""

    professional: Named
    starts: tuple[time, ...]
    more: int = 0


# What a tool found


@dataclass(frozen=True)
class Services:
    """buscar_servicos. `matched` is False where the word it was asked for fits none: then these are all.
    `shortened`: there are more than these."""

    offers: tuple[Offer, ...]
    matched: bool = True
    shortened: bool = False
    kind: Literal["services"] = "services"


@dataclass(frozen=True)
class FreeStarts:
    """buscar_horarios that found some; `more` professionals do it than are listed."""

    day: date
    services: tuple[Named, ...]
    free: tuple[FreeOf, ...]
    period: str | None = None
    more: int = 0
    kind: Literal["free_starts"] = "free_starts"


@dataclass(frozen=True)
class NoneFree:
    """buscar_horarios that found none: `code` as of a refusal, `sentence` for the customer."""

    day: date
    services: tuple[Named, ...]
    code: str
    why: str
    sentence: str
    nearest: tuple[Start, ...] = ()
    period: str | None = None
    kind: Literal["none_free"] = "none_free"


@dataclass(frozen=True)
class Upcoming:
    """All visits of the customer that are still to come, soonest first; none is a fact too."""

    visits: tuple[Visit, ...] = ()
    kind: Literal["upcoming"] = "upcoming"


@dataclass(frozen=True)
class Refused:
    """A rule said no. `code` as in models.availability.Code or one of tools; `sentence` tells the customer
    why, "" where it is only for the model; `detail` holds the rule's values; `nearest` what is free instead;
    `offers` the services to choose from where none was named."""

    code: str
    sentence: str = ""
    detail: dict[str, Any] = field(default_factory=dict)
    nearest: tuple[Start, ...] = ()
    offers: tuple[Offer, ...] = ()
    kind: Literal["refused"] = "refused"


# What was done. `already`: it had been so before, and nothing was written now.


@dataclass(frozen=True)
class Booked:
    visit: Visit
    already: bool = False
    kind: Literal["booked"] = "booked"


@dataclass(frozen=True)
class Moved:
    """`visit` as it is now, and what it was."""

    visit: Visit
    from_start: datetime
    from_professional: Named
    already: bool = False
    kind: Literal["moved"] = "moved"


@dataclass(frozen=True)
class Cancelled:
    visit: Visit
    already: bool = False
    kind: Literal["cancelled"] = "cancelled"


@dataclass(frozen=True)
class Waiting:
    """A place on the waiting list; without a professional for any of them. `window`: word of a free time only
    reaches the customer within 24 hours of their last message."""

    service: Named
    day: date
    professional: Named | None = None
    period: str | None = None
    already: bool = False
    window: bool = False
    kind: Literal["waiting"] = "waiting"


@dataclass(frozen=True)
class Changed:
    """A wish that was carried out before, and what became of the visit since (`status` as stored). Nothing
    was written now."""

    visit: Visit
    status: str
    kind: Literal["changed"] = "changed"


@dataclass(frozen=True)
class PersonCalled:
    motive: str
    kind: Literal["person_called"] = "person_called"


@dataclass(frozen=True)
class Proposed:
    """What a write would do, shown to the customer: the same call (`tool`, `arguments`) in a later turn, once
    they have written, does it. `from_start`, `from_professional`: of a visit that would be moved.
    """

    tool: Literal["agendar", "remarcar", "cancelar"]
    arguments: dict[str, Any]
    visit: Visit
    from_start: datetime | None = None
    from_professional: Named | None = None
    kind: Literal["proposed"] = "proposed"


Done = Booked | Moved | Cancelled | Waiting


# What stands at the beginning of a turn, beside Upcoming and Waiting


@dataclass(frozen=True)
class Held:
    """A time that the waiting list keeps for the customer until then."""

    service: Named
    professional: Named
    starts_at: datetime
    until: datetime
    kind: Literal["held"] = "held"


@dataclass(frozen=True)
class LeftWaitlist:
    """They asked to leave the waiting list in this turn, and were taken off it."""

    service: str
    day: date
    kind: Literal["left_waitlist"] = "left_waitlist"


@dataclass(frozen=True)
class Reminded:
    """A reminder of this visit is the last that they were told."""

    appointment_id: int
    kind: Literal["reminded"] = "reminded"


@dataclass(frozen=True)
class Context:
    """What a turn is answered in. `business`, `address` and `about` are the business's own words; it
    lets cancel and move until `cancel_minutes` before a visit. `customer` is "" where no name is known,
    `lines` what they wrote, `media` the kinds of what came and cannot be read, `chosen` the id of what
    they tapped or numbered.
    """

    now: datetime
    business: str
    address: str = ""
    about: str = ""
    cancel_minutes: int = 0
    customer: str = ""
    lines: tuple[str, ...] = ()
    media: tuple[str, ...] = ()
    chosen: str = ""
    kind: Literal["context"] = "context"


@dataclass(frozen=True)
class Picked:
    """They tapped, or gave the number of, exactly this free start."""

    professional_id: int
    starts_at: datetime
    kind: Literal["picked"] = "picked"


Fact = (
    Services
    | FreeStarts
    | NoneFree
    | Upcoming
    | Refused
    | Booked
    | Moved
    | Cancelled
    | Waiting
    | Changed
    | PersonCalled
    | Proposed
    | Held
    | LeftWaitlist
    | Reminded
    | Context
    | Picked
)

_FACTS: TypeAdapter[tuple[Fact, ...]] = TypeAdapter(tuple[Annotated[Fact, Field(discriminator="kind")], ...])


def dump(facts: Iterable[Fact]) -> list[dict[str, Any]]:
    """As JSON values, each with its `kind`."""
    dumped: list[dict[str, Any]] = _FACTS.dump_python(tuple(facts), mode="json")
    return dumped


def load(stored: object) -> tuple[Fact, ...]:
    """The facts of a block or a stored row; none of one from before there were any.

    Raises ValueError for what is no fact of ours.
    """
    if stored is None:
        return ()
    try:
        # From JSON values: a tuple was a list, a date a text.
        return _FACTS.validate_python(stored)
    except ValidationError as error:
        raise ValueError(f"not facts: {error.error_count()} errors") from error
