"""Whether what a text names can be parted into visits: what stands together must be of one and the same.

"Corte com Ana às 9h e barba com Caio às 11:30" names two visits. Each fact may be true of one of them, and
the sentence false. A part ends where another may begin; if no way of parting gives each part a visit that has
all of it, days, hours, people or services were mixed up.
"""

import re
from collections.abc import Callable, Sequence
from functools import cache
from itertools import chain

from bot.agent.guardrails.evidence import Said, Visit
from bot.agent.guardrails.wording import DAY, Named

_MOST = 14  # parts; a sentence with more is a list that no pattern reads
# A comma parts only what has a time on both sides: "quarta, 02/12, às 9h" is one.
JOINT = re.compile(
    r"(?P<comma>, )"
    r"|\b(?:e|y|and|mas|depois)\s(?!meia|media|\d\d?\b(?!:|h|/))|\s- |[;:.]\s"
    rf"|\s(?=para\s(?:[ao]s?\s)?(?:{DAY}|dia|\d))"
    r"|\s(?=\d\)\s)|\b(?:em vez|no lugar|alem) d[eoa]s?\s",
    re.IGNORECASE,
)
_IN_TURN = re.compile(r"\brespectiv", re.IGNORECASE)


def is_parted(text: str, visits: Sequence[Visit], read: Callable[[str], Said]) -> bool:
    """Whether `text` (as `read` understands it) mixes up none of the `visits`."""
    starts, soft = _parts(text)
    if len(set(visits)) < 2 or len(starts) > _MOST or _IN_TURN.search(text):
        return True
    parting = _Parting(text, starts, soft, visits, read)
    return parting.is_a_list or any(parting.works(head) for head in range(parting.count))


def _parts(text: str) -> tuple[list[int], list[bool]]:
    """Where each part begins, and whether only a comma stands before it."""
    joints = list(JOINT.finditer(text))
    return [0, *(joint.end() for joint in joints)], [False, *(bool(joint["comma"]) for joint in joints)]


class _Parting:
    """One text's parts against the visits."""

    def __init__(
        self,
        text: str,
        starts: list[int],
        soft: list[bool],
        visits: Sequence[Visit],
        read: Callable[[str], Said],
    ) -> None:
        self.soft, self.visits = soft, visits
        ends = [*starts[1:], len(text)]
        self.count = len(starts)
        self.said = cache(lambda first, last: _known(read(text[starts[first] : ends[last]]), visits))
        self._parts_from = cache(self._from)
        self.by_person = not self.said(0, self.count - 1).when

    def names_one(self, said: Said) -> bool:
        """Whether a part says of which visit it is: by when, or by whom where no time is told at all."""
        return bool(said.people if self.by_person else said.when)

    @property
    def is_a_list(self) -> bool:
        """ "Na quarta e na sexta, às 9h e às 10h": days and hours each in a row of their own."""
        told = [self.said(n, n) for n in range(self.count)]
        alone = [one.when if not (one.people or one.services) else Named() for one in told]
        days = [n for n, when in enumerate(alone) if when.days and not when.times]
        times = [n for n, when in enumerate(alone) if when.times and not when.days]
        apart = bool(days and times) and (days[-1] < times[0] or times[-1] < days[0])
        return apart and len(days) > 1 and len(times) > 1

    def works(self, head: int) -> bool:
        """Whether the rest can be parted, with the first `head` parts said of all of it."""
        shared = self.said(0, head - 1) if head else Said()
        if not self.names_one(self.said(0, self.count - 1)):
            return True
        return not self.names_one(shared) and self._parts_from(head, shared, False)

    def _from(self, first: int, shared: Said, after_time: bool) -> bool:
        if first == self.count:
            return True
        return any(
            self._is_one(first, last, shared, after_time=after_time)
            and self._parts_from(last + 1, shared, bool(self.said(first, last).when.times))
            for last in range(first, self.count)
        )

    def _is_one(self, first: int, last: int, shared: Said, *, after_time: bool) -> bool:
        """Whether these parts may stand alone, and be one visit."""
        said = self.said(first, last)
        alone = not self.soft[first] or (after_time and bool(said.when.times))
        return alone and self.names_one(said) and any(_is_of(one, said, shared) for one in self.visits)


def _known(said: Said, visits: Sequence[Visit]) -> Said:
    """Without what is of no visit; whether that may be said is not asked here."""
    times = frozenset(time for time in said.when.times if any(time in visit.when for visit in visits))
    days, people, services = (
        frozenset(chain.from_iterable(own))
        for own in zip(*((one.days, one.people, one.services) for one in visits), strict=True)
    )
    return Said(Named(times, said.when.days & days), said.people & people, said.services & services)


def _is_of(visit: Visit, said: Said, shared: Said) -> bool:
    """Whether all that is said is of this visit, and of what is shared at least something."""
    return (
        all(time in visit.when for time in said.when.times)
        and said.when.days <= visit.days
        and said.people <= visit.people
        and said.services <= visit.services
        and (not shared.people or bool(shared.people & visit.people))
        and (not shared.services or bool(shared.services & visit.services))
    )
