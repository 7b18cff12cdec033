"""/agenda: a day by professional, or a week of one of them; and what wants attention."""

from collections import defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from datetime import date, timedelta

from flask import render_template, request
from flask.typing import ResponseReturnValue
from sqlmodel import Session

from bot.web.calendar import day_grid, shared, tell_customer
from bot.web.calendar.day_grid import Board, Source
from bot.web.calendar.shared import blueprint
from bot.web.shared import labels, request_context
from models import catalog
from models.appointment import OCCUPYING
from models.availability import Agenda, Busy
from models.pages import calendar_page, waitlist_page
from models.pages.calendar_page import Attention, Blocked, Visit

WEEK = "semana"


@dataclass(frozen=True)
class Asked:
    """What an address asks for: a day or its week, of one professional or (None) of all.

    `problem` says that the day was not understood: then it is today.
    """

    day: date
    week: bool
    professional_id: int | None
    problem: str = ""

    @property
    def days(self) -> list[date]:
        return day_grid.week_of(self.day) if self.week else [self.day]


@blueprint.get("")
def day() -> ResponseReturnValue:
    with request_context.services().db.reading() as session:
        people = calendar_page.professionals(session, request_context.tenant_id())
        asked = _asked(people)
        waiting = calendar_page.attention(session, request_context.tenant_id(), request_context.now())
        shown = read(session, asked, people, {entry.visit.id for entry in waiting})
        listed = waitlist_page.count(session, request_context.tenant_id())
    step = timedelta(days=7 if asked.week else 1)
    return render_template(
        "staff/calendar/day.html",
        tenant=request_context.current_tenant(),
        asked=asked,
        people=people,
        board=shown,
        waiting=[_waiting(entry) for entry in waiting],
        listed=listed,
        label=_label(asked),
        today=shared.today(),
        before=asked.day - step,
        after=asked.day + step,
    )


def _asked(people: Mapping[int, str]) -> Asked:
    """A week is always of one professional: without one, of the first."""
    day, week = shared.asked_day(request.args.get("dia", "")), request.args.get("ver") == WEEK
    problem = "" if day else "Não reconheci o dia pedido. Aqui está hoje."
    wanted = shared.id_of(request.args.get("prof", ""))
    chosen = wanted if wanted in people else None
    if week and chosen is None:
        chosen = next(iter(people), None)
    return Asked(day or shared.today(), week, chosen, problem)


def _label(asked: Asked) -> str:
    if not asked.week:
        return labels.headline(asked.day, shared.today())
    first, last = asked.days[0], asked.days[-1]
    months = (labels.MONTHS[first.month - 1], labels.MONTHS[last.month - 1])
    begins = f"{first.day}" if months[0] == months[1] else f"{first.day} de {months[0]}"
    return f"{begins} a {last.day} de {months[1]} de {last.year}"


def read(session: Session, asked: Asked, people: Mapping[int, str], attention: Collection[int]) -> Board:
    """The columns of what is asked for, in five statements whatever their number."""
    zone, days = shared.zone(), asked.days
    begins = day_grid.midnight(days[0], zone)
    ends = day_grid.midnight(days[-1] + timedelta(days=1), zone)
    visits = calendar_page.visits(session, request_context.tenant_id(), begins, ends, asked.professional_id)
    names = _names(people, visits, asked)
    blocks = calendar_page.blocked(session, request_context.tenant_id(), days[0], days[-1])
    hours = catalog.hours(session, request_context.current_tenant(), list(names), days[0], days[-1])
    busy, open_anyway = _busy(visits), _on_holidays(session, days)
    sources = [
        _source(
            each,
            key,
            names[key],
            [visit for visit in visits if visit.professional_id == key and _touches(visit, each)],
            blocks,
            # Who does not work here any more has visits, but no time to give away.
            replace(hours[key], busy=busy.get(key, ())) if key in people else Agenda(),
            asked,
            tuple(open_anyway.get(key, ())),
        )
        for each in days
        for key in names
    ]
    return day_grid.build(sources, request_context.now(), zone, attention)


def _names(people: Mapping[int, str], visits: list[Visit], asked: Asked) -> dict[int, str]:
    """Whose columns are shown: who works here, and who does not any more but has visits."""
    if asked.professional_id is not None:
        return {asked.professional_id: people[asked.professional_id]}
    former = {visit.professional_id: visit.professional for visit in visits}
    return dict(people) | {key: name for key, name in former.items() if key not in people}


def _busy(visits: list[Visit]) -> dict[int, tuple[Busy, ...]]:
    found: dict[int, list[Busy]] = defaultdict(list)
    for visit in visits:
        if visit.status in OCCUPYING:
            found[visit.professional_id].append(Busy(visit.busy_from, visit.busy_until))
    return {key: tuple(taken) for key, taken in found.items()}


def _on_holidays(session: Session, days: Collection[date]) -> dict[int, list[str]]:
    """What each professional does on holidays too; nobody is asked about where there is none."""
    calendar = request_context.current_tenant().holidays
    found: dict[int, list[str]] = defaultdict(list)
    if calendar and any(calendar.name_of(day) for day in days):
        for offer in catalog.offers(session, request_context.tenant_id()):
            for key, _ in offer.professionals if offer.on_holidays else ():
                found[key].append(offer.name)
    return found


def _touches(visit: Visit, day: date) -> bool:
    zone = shared.zone()
    begins, ends = day_grid.midnight(day, zone), day_grid.midnight(day + timedelta(days=1), zone)
    return visit.starts_at < ends and visit.ends_at > begins


def _source(
    day: date,
    professional_id: int,
    name: str,
    visits: list[Visit],
    blocks: list[Blocked],
    hours: Agenda,
    asked: Asked,
    on_holidays: tuple[str, ...],
) -> Source:
    calendar = request_context.current_tenant().holidays
    title = labels.WEEKDAYS[day.weekday()] if asked.week else name
    return Source(
        professional_id=professional_id,
        date=day,
        title=title,
        subtitle=f"{day:%d/%m}" if asked.week else "",
        agenda=hours,
        visits=visits,
        blocks=[
            block
            for block in blocks
            if block.professional_id in (None, professional_id) and block.first <= day <= block.last
        ],
        holiday=calendar.name_of(day) if calendar else None,
        on_holidays=on_holidays,
    )


def _waiting(entry: Attention) -> dict[str, object]:
    """One line of what wants attention, in words."""
    visit = entry.visit
    return {
        "id": visit.id,
        "customer": labels.person(visit.customer, visit.address),
        "what": f"{' + '.join(visit.services)} com {visit.professional}",
        "when": shared.when(visit.starts_at),
        "why": tell_customer.WHY[entry.why],
        "since": shared.at(entry.since),
    }
