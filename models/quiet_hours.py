"""When people may be written to without having asked: not in the night of the business."""

from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from models.availability import instant

# Local minutes. The night begins at 21:00 and ends at 08:00; what falls into it is said at 20:00 before it.
MORNING, EVENING, NIGHT = 8 * 60, 20 * 60, 21 * 60


def is_night(zone: ZoneInfo, at: datetime) -> bool:
    """From 21:00 (included) to 08:00 (excluded) on the zone's clock."""
    return not MORNING <= _minute(zone, at) < NIGHT


def evening(zone: ZoneInfo, at: datetime) -> datetime:
    """The last good moment before the night in which `at` lies (UTC)."""
    local = at.astimezone(zone)
    began = local.date() - timedelta(days=_minute(zone, at) < MORNING)
    return instant(zone, began, EVENING)


def morning(zone: ZoneInfo, at: datetime) -> datetime:
    """The end of the night in which `at` lies (UTC)."""
    local = at.astimezone(zone)
    ends = local.date() + timedelta(days=_minute(zone, at) >= NIGHT)
    return instant(zone, ends, MORNING)


def nightfall(zone: ZoneInfo, at: datetime) -> datetime:
    """When the night begins on the local day of `at` (UTC)."""
    return instant(zone, at.astimezone(zone).date(), NIGHT)


def _minute(zone: ZoneInfo, at: datetime) -> int:
    local = at.astimezone(zone)
    return local.hour * 60 + local.minute
