"""What of an audit event's detail may stay when its customer is forgotten: what can name nobody of them.

A value stays where it is one of a closed list, a time, a yes or no, or the id of a row of the business. What
is not known here goes.
"""

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any, get_args

from models.appointment import AppointmentStatus
from models.availability import Code
from models.handoff import ReleaseCause


def kept(detail: Mapping[str, Any]) -> dict[str, Any]:
    """The part of a detail that names no customer."""
    return {key: value for key, value in detail.items() if key in _KEPT and _KEPT[key](value)}


def _one_of(*words: str) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, str) and value in words


def _is_id(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_flag(value: Any) -> bool:
    return isinstance(value, bool)


def _is_time(value: Any) -> bool:
    try:
        return datetime.fromisoformat(value).tzinfo is not None
    except (TypeError, ValueError):
        return False


def _is_origin(value: Any) -> bool:
    """Who had the conversation, or where a visit was before it was moved."""
    if not isinstance(value, dict):
        return _is_id(value)
    return value.keys() == _PLACE.keys() and all(_PLACE[key](value[key]) for key in _PLACE)


_PLACE: Mapping[str, Callable[[Any], bool]] = {
    "starts_at": _is_time,
    "professional_id": _is_id,
    "squeeze_in": _is_flag,
}
_KEPT: Mapping[str, Callable[[Any], bool]] = {
    "why": _one_of(*get_args(ReleaseCause)),
    "until": _is_time,
    "to": _is_id,
    "from": _is_origin,
    "of": _is_id,
    "status": _one_of(*AppointmentStatus),
    "outside": _one_of(*Code),
    "squeeze_in": _is_flag,
}
