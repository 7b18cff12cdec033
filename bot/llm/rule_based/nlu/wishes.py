"""Several wishes in one message, each with its own act, service, day and hour."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime

from bot.llm.rule_based.nlu.entities import Catalogue, Heard, heard_in
from bot.llm.rule_based.nlu.normalise import normalise
from bot.llm.rule_based.nlu.reading import Reading, read
from bot.llm.rule_based.nlu.topics import Topic

_JOINT = re.compile(r" (?:,|e depois|e ai|e|depois|tambem) (?=\S)")
_CORRECTS = re.compile(
    r"(?:na verdade|alias|quer dizer|digo|ou melhor|nao|errei|melhor|opa|ou|ate|pode ser|serve)\b"
)


@dataclass(frozen=True)
class Wish:
    """One wish as it was said. `inherits`: what it leaves out is that of the wish before it."""

    reading: Reading
    heard: Heard
    inherits: bool = False


def heard_by(reading: Reading, catalogue: Catalogue) -> Heard:
    """What a reading names; a correction takes back the service that was named before it."""
    whole = Heard()
    for segment in reading.segments:
        found = heard_in(segment.text, catalogue)
        if segment.correction and found.service:
            whole = replace(whole, services=(), doubts=())
        whole = _both(whole, found)
    return whole


def _both(first: Heard, second: Heard) -> Heard:
    services = tuple(dict.fromkeys((*first.services, *second.services)))
    # "Um corte … feminino": what one line leaves open the next may settle.
    doubts = [doubt for doubt in (*first.doubts, *second.doubts) if not set(doubt) & set(services)]
    return Heard(
        services=services,
        doubts=tuple(dict.fromkeys(doubts)),
        refused=(*first.refused, *second.refused),
        people=second.people or first.people,
        not_with=(*first.not_with, *second.not_with),
        missed=tuple(dict.fromkeys((*first.missed, *second.missed))),
        stranger=first.stranger or second.stranger,
        something=not services and not doubts and (first.something or second.something),
    )


def wishes_in(reading: Reading, heard: Heard, catalogue: Catalogue, now: datetime) -> tuple[Wish, ...]:
    """The wishes of one message; the whole of it where nothing parts them."""
    parts = list(_parted(reading.text, catalogue, now))
    if len(parts) < 2:
        return (Wish(reading, heard),)
    return tuple(parts)


def _parted(text: str, catalogue: Catalogue, now: datetime) -> Iterator[Wish]:
    begin, seen = 0, None
    for joint in _JOINT.finditer(text):
        if joint.start() < begin or _CORRECTS.match(text, joint.end()):
            continue
        left = _wish(text[begin : joint.start()], catalogue, now)
        right = _wish(text[joint.end() :], catalogue, now)
        if _stands(left, seen) and _begins_anew(right, left, joint[0]):
            yield left if seen is None else replace(left, inherits=True)
            begin, seen = joint.end(), left
    if seen is not None:
        yield replace(_wish(text[begin:], catalogue, now), inherits=True)


def _wish(text: str, catalogue: Catalogue, now: datetime) -> Wish:
    names = [one.name for one in catalogue.offers] + [one.name for one in catalogue.team]
    reading = read((text,), now, tuple(normalise(name) for name in names))
    return Wish(reading, heard_by(reading, catalogue))


_ACTS = (Topic.CANCEL, Topic.MOVE, Topic.BOOK_NEW)


def _acts(wish: Wish) -> frozenset[Topic]:
    said = wish.reading.topics & set(_ACTS)
    if re.match(r"(?:quero |queria )?(?:marca|agenda|reserva)\b", wish.reading.text):
        said |= {Topic.BOOK_NEW}
    return said


def _stands(wish: Wish, before: Wish | None) -> bool:
    """Whether a part says by itself what is wished for, and when (or which visit is meant)."""
    when = wish.reading.days.wanted or wish.reading.hours.wanted
    what = wish.heard.service or _acts(wish) or before is not None
    return bool(when and what) or bool(_acts(wish) & {Topic.CANCEL, Topic.MOVE})


def _begins_anew(wish: Wish, before: Wish, joint: str) -> bool:
    """Whether what follows is another wish: another act, another service with its time, or day and hour."""
    if wish.reading.segments and wish.reading.segments[0].correction:
        return False
    days, hours = wish.reading.days.wanted, wish.reading.hours.wanted
    other_act = bool(_acts(wish)) and _acts(wish) != _acts(before) and bool(_acts(before))
    if other_act:
        return True
    other = set(wish.heard.services) - set(before.heard.services)
    if wish.heard.service and (other or wish.heard.doubts) and (days or hours):
        return True
    own_times = days and hours and before.reading.days.wanted and before.reading.hours.wanted
    return bool(own_times) and " e " in joint and bool(before.heard.service)
