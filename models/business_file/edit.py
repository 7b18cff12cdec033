"""Who changes a business, and what of its consequences they have seen and accepted."""

from dataclasses import dataclass, field

from models.business_file.versions import Ids, Source


@dataclass(frozen=True)
class Edit:
    """`ids` says which rows the names mean, beyond those of that name.

    Accepted are: the visits that `keeps` names (they keep their time and lose their place), up to `forgets`
    customers forgotten; with `force` whatever comes.
    """

    source: Source = Source.FILE
    staff_id: int | None = None
    ids: Ids = field(default_factory=Ids)
    keeps: frozenset[int] = frozenset()
    forgets: int = 0
    force: bool = False


FROM_FILE = Edit()
