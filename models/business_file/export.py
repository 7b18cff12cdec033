"""A business as the file that `parse` reads: what the database has, as plain data and as YAML."""

import datetime as dt
import itertools
from collections.abc import Iterable
from dataclasses import asdict, fields
from typing import Any, TypeVar

import yaml
from sqlmodel import Session

from models.business_file import state as database
from models.business_file.reader import parse
from models.business_file.shape import (
    Assistant,
    Away,
    BusinessFile,
    Closed,
    Hours,
    Offer,
    OwnModel,
    Retention,
    Rules,
    Settings,
    Templates,
    UsageLimits,
    Waits,
    Worker,
    hours_of,
)
from models.business_file.state import Person, State, closed_of
from models.business_file.values import DAYS, clock_text
from models.business_file.words import price_text
from models.catalog import MINUTES_OF_DAY
from models.errors import NotFound
from models.holiday import ALL
from models.tenant import Tenant

Document = dict[str, Any]  # plain lists, dicts, texts and numbers, as YAML has them
P = TypeVar("P", Settings, Rules, Templates, Waits, Retention, OwnModel, UsageLimits, Assistant)


def export(session: Session, slug: str) -> str:
    """The business as YAML: importing it changes nothing. Raises NotFound("business")."""
    return dump(document(current(session, slug)))


def current(session: Session, slug: str) -> BusinessFile:
    """What the file would say of the business as it stands. Raises NotFound("business")."""
    return of_state(database.load(session, slug))


def of_state(state: State) -> BusinessFile:
    """Only what is in use; what staff have blocked in the agenda is not of the file."""
    tenant = state.tenant
    if tenant is None:
        raise NotFound("business")
    names = {row.id: row.name for row in state.services if row.active}
    return BusinessFile(
        settings=_part(Settings, tenant),
        rules=_part(Rules, tenant),
        templates=_part(Templates, tenant),
        waits=_part(Waits, tenant),
        retention=_part(Retention, tenant),
        own_model=_part(OwnModel, tenant),
        usage_limits=_part(UsageLimits, tenant),
        assistant=_part(Assistant, tenant),
        services=tuple(
            Offer(row.name, row.duration_minutes, row.buffer_minutes, row.price_cents, row.on_holidays)
            for row in state.services
            if row.active
        ),
        professionals=tuple(_worker(person, names) for person in state.people if person.row.active),
        closures=tuple(sorted(map(closed_of, state.closures))),
    )


def _part(kind: type[P], tenant: Tenant) -> P:
    return kind(**{field.name: getattr(tenant, field.name) for field in fields(kind)})


def _worker(person: Person, names: dict[int | None, str]) -> Worker:
    offered = tuple(names[link.service_id] for link in person.links if link.service_id in names)
    return Worker(person.row.name, offered, person.hours, person.time_off)


def of_document(given: Document) -> BusinessFile:
    """The business file that a document is, checked as any file. Raises BusinessFileErrors."""
    return parse(dump(given))


def dump(given: Document) -> str:
    return yaml.safe_dump(given, allow_unicode=True, sort_keys=False, width=100)


def document(file: BusinessFile) -> Document:
    """Whole: also what is as in a new business is written, so that it can be seen and changed."""
    whole = {
        "tenant": _tenant(file.settings) | _said({"model": _without_prefix("model_", file.own_model)}),
        "rules": _rules(file.rules),
        "assistant": _without_prefix("assistant_", file.assistant),
        "faq": [dict(each) for each in file.assistant.faq],
        "templates": _without_prefix("template_", file.templates),
        "handoff": _without_prefix("handoff_", file.waits),
        "retention": _without_prefix("retention_", file.retention),
        "limits": _limits(file.usage_limits),
        "services": [_service(offer) for offer in file.services],
        "professionals": [_professional(worker) for worker in file.professionals],
        "closures": [_closure(closed) for closed in file.closures],
    }
    return {key: value for key, value in whole.items() if value}


def _limits(limits: UsageLimits) -> Document:
    given = _without_prefix("limit_", limits)
    cents = given.pop("monthly_budget_cents", None)
    return given if cents is None else given | {"monthly_budget": price_text(cents)}


def _without_prefix(
    prefix: str, part: Assistant | Templates | Waits | Retention | OwnModel | UsageLimits
) -> Document:
    given = {
        name.removeprefix(prefix): value for name, value in asdict(part).items() if name.startswith(prefix)
    }
    return _said(given)


def _said(given: Document) -> Document:
    return {key: value for key, value in given.items() if value not in (None, "", [], {})}


def _tenant(settings: Settings) -> Document:
    simple = ("slug", "name", "whatsapp", "timezone", "address", "about")
    twilio = {"account_sid": settings.twilio_account_sid, "auth_token_env": settings.twilio_auth_token_env}
    return _said(
        {key: getattr(settings, key) for key in simple}
        | {"holidays": _holidays(settings), "twilio": _said(twilio)}
        | {"buttons": settings.buttons, "images": settings.images}
    )


def _holidays(settings: Settings) -> Document:
    if not settings.holidays_country:
        return {}
    optional = settings.holidays_optional
    return _said(
        {
            "country": settings.holidays_country,
            "state": settings.holidays_state,
            "city": settings.holidays_city,
            "closed": settings.holidays_closed,
            "optional": ALL if optional == [ALL] else list(optional),
            "open": list(settings.holidays_open),
        }
    )


def _rules(rules: Rules) -> Document:
    hours = _hours(hours_of(rules.handoff_hours))
    return asdict(rules) | {"reminders_hours": list(rules.reminders_hours), "handoff_hours": hours}


def _service(offer: Offer) -> Document:
    price = {} if offer.price_cents is None else {"price": price_text(offer.price_cents)}
    times = {"duration_minutes": offer.duration_minutes, "buffer_minutes": offer.buffer_minutes}
    return {"name": offer.name, **times, **price, **({"on_holidays": True} if offer.on_holidays else {})}


def _professional(worker: Worker) -> Document:
    return {
        "name": worker.name,
        "services": list(worker.services),
        "hours": _hours(worker.hours),
        **_said({"time_off": [_time_off(away) for away in worker.time_off]}),
    }


def _time_off(away: Away) -> Document:
    hours = "" if _is_whole(away.start, away.end) else f"{clock_text(away.start)}-{clock_text(away.end)}"
    dates = {"from": _date(away.first), "to": _date(away.last)}
    return dates | _said({"hours": hours, "reason": away.reason})


def _closure(closed: Closed) -> Document:
    part = {} if _is_whole(closed.start, closed.end) else {"from": closed.start, "to": closed.end}
    times = {key: clock_text(minute) for key, minute in part.items()}
    return {"date": _date(closed.date), **times, **_said({"reason": closed.reason})}


def _is_whole(start: int, end: int) -> bool:
    return (start, end) == (0, MINUTES_OF_DAY)


def _date(day: dt.date) -> str:
    return day.isoformat()


def _hours(hours: Hours) -> Document:
    """Days that are alike and follow each other go under one key."""
    days = [(day, tuple((w.start, w.end) for w in hours if w.weekday == day)) for day in range(7)]
    runs = [(spans, list(run)) for spans, run in itertools.groupby(days, key=lambda each: each[1])]
    return {_days([day for day, _ in run]): _spans(spans) for spans, run in runs if spans}


def _days(run: list[int]) -> str:
    return DAYS[run[0]] if len(run) == 1 else f"{DAYS[run[0]]}-{DAYS[run[-1]]}"


def _spans(spans: Iterable[tuple[int, int]]) -> list[str]:
    return [f"{clock_text(start)}-{clock_text(end)}" for start, end in spans]
