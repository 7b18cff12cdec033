"""Names that were meant to be settings of ours, and are none."""

from collections.abc import Collection, Iterable, Iterator
from difflib import SequenceMatcher

ALIKE = 0.85  # of 1; OPENAI_API_BASE, which others know, is 0.83 from OPENAI_API_KEY


def misspelt(given: Iterable[str], known: Collection[str]) -> Iterator[tuple[str, str]]:
    """Each name that is nearly one of ours, with that one; in order. Case does not matter.

    Where the right one is given as well, the other is somebody else's.
    """
    names = {name.upper() for name in given}
    for name in sorted(names - set(known)):
        near = max(known, key=lambda one: _likeness(name, one))
        if _likeness(name, near) >= ALIKE and near not in names:
            yield name, near


def _likeness(one: str, other: str) -> float:
    return SequenceMatcher(None, one, other).ratio()
