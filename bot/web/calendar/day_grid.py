"""One professional's day as a column: visits, free time, blocks and the line of now, each at its place. Pure.

A column is a list in order of time. On a wide screen its items stand on a grid of five minutes a row; `Place`
says where.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from bot.web.shared import labels
from models import availability
from models.appointment import AppointmentStatus
from models.availability import Agenda
from models.pages.calendar_page import Blocked, Visit
from tools.portuguese import listed

ROW = 5  # minutes
HOUR = 60
DAY = 24 * HOUR
LEAST_FREE = 15  # minutes: shorter gaps are not worth a line
MOST_LANES = 6
DEFAULT = (9 * HOUR, 18 * HOUR)  # shown where nobody works and nothing stands
OCCUPYING = (AppointmentStatus.BOOKED, AppointmentStatus.DONE)
STATUS = {
    AppointmentStatus.BOOKED: "",
    AppointmentStatus.CANCELLED: "Cancelado",
    AppointmentStatus.DONE: "Atendido",
    AppointmentStatus.NO_SHOW: "Não veio",
}


@dataclass(frozen=True)
class Place:
    """Grid row and rows (both from 1), the lane of so many beside each other."""

    row: int
    rows: int
    lane: int = 1
    lanes: int = 1


@dataclass(frozen=True)
class VisitItem:
    """`look` is the class that styles it; `marks` are (icon, words) beside the name."""

    starts: str
    ends: str
    minute: int
    place: Place
    id: int
    look: str
    customer: str
    services: str
    phone: str
    marks: tuple[tuple[str, str], ...]
    kind: str = "visit"


@dataclass(frozen=True)
class FreeItem:
    """Time that can be booked; a `start` ("14:30") leads to booking it, none where it is over."""

    starts: str
    ends: str
    minute: int
    place: Place
    start: str
    length: str
    kind: str = "free"


@dataclass(frozen=True)
class BlockItem:
    """Time in which nobody is booked. `removes` is its address where staff have blocked it."""

    starts: str
    ends: str
    minute: int
    place: Place
    label: str
    removes: tuple[str, int] | None
    kind: str = "block"


@dataclass(frozen=True)
class NowItem:
    """The line of now."""

    starts: str
    minute: int
    place: Place
    kind: str = "now"


Item = VisitItem | FreeItem | BlockItem | NowItem


@dataclass(frozen=True)
class Column:
    """What stands on one day of one professional. `key` names it within the page."""

    key: str
    professional_id: int
    date: date
    title: str
    subtitle: str
    items: tuple[Item, ...]
    cancelled: tuple[VisitItem, ...]
    summary: str
    works: bool
    is_today: bool = False


@dataclass(frozen=True)
class Board:
    """Columns on one scale, from `first` to `last` (minutes); `hours` are (label, row)."""

    columns: tuple[Column, ...]
    hours: tuple[tuple[str, int], ...]
    rows: int


@dataclass(frozen=True)
class Source:
    """What a column is made of. `holiday` is the name of the day where the business closes on it, and
    `on_holidays` what the professional does all the same.
    """

    professional_id: int
    date: date
    title: str
    subtitle: str
    agenda: Agenda
    visits: Sequence[Visit]
    blocks: Sequence[Blocked]
    holiday: str | None = None
    on_holidays: tuple[str, ...] = ()


def build(sources: Sequence[Source], now: datetime, zone: ZoneInfo, attention: Iterable[int] = ()) -> Board:
    """All columns on the scale that shows everything. `attention` are visits that lost their place."""
    days = [_Day(source, now, zone, frozenset(attention)) for source in sources]
    first, last = _scale(days)
    return Board(
        columns=tuple(day.column(first, last) for day in days),
        hours=tuple((words_of(minute), (minute - first) // ROW + 1) for minute in range(first, last, HOUR)),
        rows=(last - first) // ROW,
    )


def words_of(minute: int) -> str:
    """Local minutes as "14:05"; 1440 is "24:00"."""
    return f"{minute // HOUR:02}:{minute % HOUR:02}"


def length_of(minutes: int) -> str:
    """ "45 min", "2 h", "1 h 30" """
    hours, rest = divmod(minutes, HOUR)
    if not hours:
        return f"{rest} min"
    return f"{hours} h {rest:02}" if rest else f"{hours} h"


def _scale(days: Sequence["_Day"]) -> tuple[int, int]:
    """Whole hours around everything that is shown."""
    spans = [span for day in days for span in day.spans()] or [DEFAULT]
    first = min(start for start, _ in spans) // HOUR * HOUR
    last = -(-max(end for _, end in spans) // HOUR) * HOUR
    return first, min(max(last, first + HOUR), DAY)


class _Day:
    """One column in local minutes of its day."""

    def __init__(self, source: Source, now: datetime, zone: ZoneInfo, attention: frozenset[int]) -> None:
        self._source = source
        self._zone = zone
        self._attention = attention
        weekday = source.date.weekday()
        self._work = availability.merged(
            (window.start, window.end) for window in source.agenda.windows if window.weekday == weekday
        )
        self._closed = availability.merged(
            (block.start, block.end)
            for block in source.agenda.blocks
            if block.first <= source.date <= block.last
        )
        local = now.astimezone(zone)
        self._is_today = local.date() == source.date
        self._now = local.hour * HOUR + local.minute
        self._over = local.date() > source.date
        self._now_words = labels.clock(now, zone)

    def spans(self) -> list[tuple[int, int]]:
        """What the scale must hold."""
        shown = [each for each in self._source.visits if each.status != AppointmentStatus.CANCELLED]
        return [*self._work, *(self._minutes(each) for each in shown)]

    def column(self, first: int, last: int) -> Column:
        visits = [each for each in self._source.visits if each.status != AppointmentStatus.CANCELLED]
        gone = [each for each in self._source.visits if each.status == AppointmentStatus.CANCELLED]
        items: list[Item] = [
            *self._blocks(first, last),
            *(self._free_item(start, end, first) for start, end in self._free()),
            *self._placed(visits, first),
        ]
        if self._is_today and first <= self._now < last:
            items.append(NowItem(self._now_words, self._now, Place((self._now - first) // ROW + 1, 1)))
        source = self._source
        order = {"block": 0, "now": 1, "free": 2, "visit": 3}
        return Column(
            key=f"p{source.professional_id}-{source.date:%Y%m%d}",
            professional_id=source.professional_id,
            date=source.date,
            title=source.title,
            subtitle=source.subtitle,
            items=tuple(sorted(items, key=lambda item: (item.minute, order[item.kind]))),
            cancelled=tuple(self._item(each, Place(1, 1)) for each in gone),
            summary=self._summary(visits),
            works=bool(self._work),
            is_today=self._is_today,
        )

    def _summary(self, visits: Sequence[Visit]) -> str:
        free = sum(end - start for start, end in self._free())
        count = len(visits)
        nobody = "ninguém marcado" if self._work else "não atende neste dia"
        booked = nobody if not count else f"{count} {'horário' if count == 1 else 'horários'}"
        return f"{booked} · {length_of(free)} {'livre' if free < 2 * HOUR else 'livres'}" if free else booked

    def _minutes(self, visit: Visit) -> tuple[int, int]:
        """Where a visit begins and ends on this day; of one that lasts over midnight, this day's part."""
        start, end = (self._minute(moment) for moment in (visit.starts_at, visit.ends_at))
        return start, max(end, start + ROW)

    def _minute(self, moment: datetime) -> int:
        local = moment.astimezone(self._zone)
        days = (local.date() - self._source.date).days
        return min(max(days * DAY + local.hour * HOUR + local.minute, 0), DAY)

    def _free(self) -> list[tuple[int, int]]:
        """What of the working hours nothing takes, from now on."""
        if self._over:
            return []
        taken = [
            *self._closed,
            *((self._minute(busy.begins), self._minute(busy.ends)) for busy in self._source.agenda.busy),
        ]
        if self._is_today:
            taken.append((0, -(-self._now // ROW) * ROW))
        return [
            (start, end)
            for opens, closes in self._work
            for start, end in _without(opens, closes, taken)
            if end - start >= LEAST_FREE
        ]

    def _free_item(self, start: int, end: int, first: int) -> FreeItem:
        return FreeItem(
            starts=words_of(start),
            ends=words_of(end),
            minute=start,
            place=_place(start, end, first),
            start=words_of(start),
            length=length_of(end - start),
        )

    def _blocks(self, first: int, last: int) -> list[BlockItem]:
        """Closed time within the scale, said once for each cause."""
        found = [self._block(each, first, last) for each in self._source.blocks]
        if self._source.holiday is not None:
            label = f"Feriado: {self._source.holiday}"
            if self._source.on_holidays and self._is_there():
                label += f". Neste dia só {listed(self._source.on_holidays)}"
            found.append(
                BlockItem(words_of(first), words_of(last), first, _place(first, last, first), label, None)
            )
        return [each for each in found if each is not None]

    def _is_there(self) -> bool:
        """Whether any working time is left by time off and closures, which hold on holidays too."""
        away = [(each.start, each.end) for each in self._source.blocks]
        return any(True for start, end in self._work for _ in _without(start, end, away))

    def _block(self, blocked: Blocked, first: int, last: int) -> BlockItem | None:
        start, end = max(blocked.start, first), min(blocked.end, last)
        if start >= end:
            return None
        what = "Fechado" if blocked.professional_id is None else "Folga"
        kind = "fechamento" if blocked.professional_id is None else "folga"
        label = f"{what}: {blocked.reason}" if blocked.reason else what
        label += f" · por {blocked.staff}" if blocked.staff is not None else ""
        removes = (kind, blocked.id) if blocked.staff is not None else None
        return BlockItem(words_of(start), words_of(end), start, _place(start, end, first), label, removes)

    def _placed(self, visits: Sequence[Visit], first: int) -> list[VisitItem]:
        """Visits with those that overlap beside each other."""
        spans = sorted((*self._minutes(each), index) for index, each in enumerate(visits))
        return [
            self._item(visits[index], _place(start, end, first, lane, lanes))
            for start, end, index, lane, lanes in _lanes(spans)
        ]

    def _item(self, visit: Visit, place: Place) -> VisitItem:
        start, end = self._minutes(visit)
        return VisitItem(
            starts=labels.clock(visit.starts_at, self._zone),
            ends=labels.clock(visit.ends_at, self._zone),
            minute=start,
            place=place,
            id=visit.id,
            look=self._look(visit, end - start),
            customer=labels.person(visit.customer, visit.address),
            services=" + ".join(visit.services),
            phone=labels.phone(visit.address) if visit.address else "",
            marks=tuple(self._marks(visit)),
        )

    def _look(self, visit: Visit, minutes: int) -> str:
        looks = [f"is-{visit.status}"]
        looks += ["squeezed"] if visit.squeeze_in else []
        looks += ["lost"] if visit.id in self._attention else []
        looks += ["short"] if minutes < 30 else []
        return " ".join(looks)

    def _marks(self, visit: Visit) -> Iterable[tuple[str, str]]:
        yield from self._over_midnight(visit)
        if visit.id in self._attention:
            yield "alert", "Precisa de atenção"
        if visit.squeeze_in:
            yield "squeeze", "Encaixe"
        if visit.confirmed and visit.status == AppointmentStatus.BOOKED:
            yield "ticks", "Confirmou"
        if said := STATUS[AppointmentStatus(visit.status)]:
            yield {"done": "tick", "no_show": "block", "cancelled": "block"}[visit.status], said

    def _over_midnight(self, visit: Visit) -> Iterable[tuple[str, str]]:
        """On which day the rest of it is; one that ends at midnight has none."""
        first, last = (
            moment.astimezone(self._zone).date()
            for moment in (visit.starts_at, visit.ends_at - timedelta.resolution)
        )
        if first < self._source.date:
            yield "back", "Desde a véspera"
        if last > self._source.date:
            yield "next", "Até o dia seguinte"


def _place(start: int, end: int, first: int, lane: int = 1, lanes: int = 1) -> Place:
    row = (start - first) // ROW + 1
    return Place(row, max(1, -(-(end - first) // ROW) + 1 - row), lane, lanes)


def _without(start: int, end: int, taken: Iterable[tuple[int, int]]) -> Iterable[tuple[int, int]]:
    """What is left of [start, end) without these stretches."""
    for begins, ends in sorted(taken):
        if start < begins < end:
            yield start, begins
        if begins < end:
            start = max(start, ends)
    if start < end:
        yield start, end


def _lanes(spans: Sequence[tuple[int, int, int]]) -> list[tuple[int, int, int, int, int]]:
    """Each span (start, end, index) in order, with its lane and how many lanes its group needs."""
    result: list[tuple[int, int, int, int, int]] = []
    group: list[tuple[int, int, int, int]] = []
    ends: list[int] = []  # of each lane of the group
    for start, end, index in spans:
        if ends and start >= max(ends):
            result += _closed(group, ends)
            group, ends = [], []
        lane = next((n for n, until in enumerate(ends) if until <= start), len(ends))
        ends[lane : lane + 1] = [end]
        group.append((start, end, index, lane + 1))
    return [*result, *_closed(group, ends)]


def _closed(
    group: Sequence[tuple[int, int, int, int]], ends: Sequence[int]
) -> list[tuple[int, int, int, int, int]]:
    lanes = min(len(ends), MOST_LANES)
    return [(start, end, index, min(lane, lanes), lanes) for start, end, index, lane in group]


def week_of(day: date) -> list[date]:
    """The seven days, Monday first, of the week of a day."""
    monday = day - timedelta(days=day.weekday())
    return [monday + timedelta(days=n) for n in range(7)]


def midnight(day: date, zone: ZoneInfo) -> datetime:
    return datetime.combine(day, time(), zone)
