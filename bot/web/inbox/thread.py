"""A conversation as it is shown: day lines, what was said, and what the assistant did in between. Pure."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from zoneinfo import ZoneInfo

from bot.web.shared import labels
from models.handoff import Reason
from models.message import Author, Direction, Status
from models.pages.conversation_page import Acts, Event, Line
from models.run import Outcome, RunStep


@dataclass(frozen=True)
class Day:
    """The line that begins a new day."""

    key: str
    label: str
    kind: str = "day"


@dataclass(frozen=True)
class Call:
    """One tool call: its input as JSON text, its result, and the sort of error it was, if it was one."""

    name: str
    label: str
    input: str
    result: str
    error: str


@dataclass(frozen=True)
class Work:
    """What the assistant did before it answered (or instead)."""

    key: str
    summary: str
    calls: tuple[Call, ...]
    facts: str
    failed: bool
    run_id: int
    kind: str = "work"


@dataclass(frozen=True)
class Done:
    """What somebody of the staff did with the conversation."""

    key: str
    icon: str
    words: str
    at: str
    iso: str
    kind: str = "done"


@dataclass(frozen=True)
class Attachment:
    """What came with a line: its kind in words, how it is opened ("play", "look", "save"; "" not at all)."""

    label: str
    way: str
    place: int


@dataclass(frozen=True)
class Said:
    """One line. `side`: "in" or "out"; `author` is the class that styles it; `who` are the words."""

    key: str
    seq: int
    side: str
    author: str
    who: str
    text: str
    attachments: tuple[Attachment, ...]
    at: str
    iso: str
    delivery: labels.Sign | None
    failed: bool
    note: bool
    fresh: bool
    kind: str = "said"


Item = Day | Work | Done | Said


def build(
    lines: Sequence[Line],
    acts: Sequence[Acts],
    events: Sequence[Event],
    now: datetime,
    zone: ZoneInfo,
    *,
    customer: str = "",
    fresh_after: int | None = None,
) -> list[Item]:
    """The items to show, in order. Lines above `fresh_after` are marked as new to the reader."""
    items: list[Item] = []
    today = now.astimezone(zone).date()
    spoke = {line.message.run_id for line in lines}
    waiting = [done for done in acts if _worth_showing(done)]
    coming = list(events)
    days: set[date] = set()

    def begin_day(moment: datetime) -> None:
        of = moment.astimezone(zone).date()
        if of not in days:
            days.add(of)
            items.append(Day(f"day-{of}", labels.day(of, today)))

    for line in lines:
        while coming and _is_before(coming[0], line):
            begin_day(coming[0].at)
            items.append(_done(coming.pop(0), now, zone))
        begin_day(line.message.created_at)
        due = [done for done in waiting if _is_due(done, line, spoke)]
        waiting = [done for done in waiting if done not in due]
        items.extend(_work(done) for done in due)
        items.append(_said(line, zone, customer, fresh_after))
    items.extend(_work(done) for done in waiting)
    for event in coming:
        begin_day(event.at)
        items.append(_done(event, now, zone))
    return items


def _is_before(event: Event, line: Line) -> bool:
    """Whether it was done before the line was said. A person's line of the same moment came of it."""
    by_staff = line.message.author == Author.STAFF
    return event.at < line.message.created_at or (by_staff and event.at == line.message.created_at)


def _done(event: Event, now: datetime, zone: ZoneInfo) -> Done:
    until = event.detail.get("until")
    then = labels.moment(datetime.fromisoformat(str(until)), event.at, zone) if until else ""
    sign = labels.event(event.act, event.name, event.other, event.detail, then)
    return Done(
        f"event-{event.id}", sign.icon, sign.words, labels.moment(event.at, now, zone), event.at.isoformat()
    )


def _worth_showing(done: Acts) -> bool:
    return bool(done.results) or done.run.outcome not in (None, Outcome.ANSWERED)


def _is_due(done: Acts, line: Line, spoke: set[int | None]) -> bool:
    """Whether the run stands before this line: its own first one, or the next of whoever, if it has none."""
    if done.run.id in spoke:
        return done.run.id == line.message.run_id
    return done.run.through_seq < line.message.seq


def _work(done: Acts) -> Work:
    run = done.run
    calls = tuple(_call(step) for step in done.results)
    tokens = run.input_tokens + run.cache_read_tokens + run.cache_write_tokens + run.output_tokens
    return Work(
        key=f"run-{run.id}",
        summary=_summary(done, calls),
        calls=calls,
        facts=f"{_count(run.iterations, 'consulta', 'consultas')} ao modelo · {_thousands(tokens)} tokens",
        failed=run.outcome == Outcome.CRASHED,
        run_id=run.id or 0,
    )


def _summary(done: Acts, calls: tuple[Call, ...]) -> str:
    parts = []
    if calls:
        parts.append(", ".join(dict.fromkeys(call.label for call in calls)))
    failed = sum(1 for call in calls if call.error)
    if failed:
        parts.append(_count(failed, "erro", "erros"))
    match done.run.outcome:
        case Outcome.HANDED_OFF:
            code = done.run.handoff_reason
            parts.append(
                "passou para a equipe"
                + (f": {labels.reason(Reason(code)).words}" if code in set(Reason) else "")
            )
        case Outcome.SUPERSEDED:
            parts.append("parou, porque uma pessoa assumiu")
        case Outcome.CRASHED:
            parts.append("parou no meio")
        case None:
            parts.append("em andamento")
    summary = " · ".join(parts)
    return summary[:1].upper() + summary[1:]


def _call(step: RunStep) -> Call:
    content = step.content if isinstance(step.content, dict) else {}
    name = str(content.get("name", ""))
    given = content.get("input")
    return Call(
        name=name,
        label=labels.TOOLS.get(name, name or "Ferramenta"),
        input=given if isinstance(given, str) else json.dumps(given, ensure_ascii=False, indent=2),
        result=str(content.get("text", "")),
        error=labels.ERROR_CLASSES.get(step.error_class or "", "erro") if step.is_error else "",
    )


def _said(line: Line, zone: ZoneInfo, customer: str, fresh_after: int | None) -> Said:
    message = line.message
    return Said(
        key=f"line-{message.seq}",
        seq=message.seq,
        side="in" if message.direction == Direction.IN else "out",
        author=message.author,
        who=_who(line, customer),
        text=message.said,
        attachments=_attachments(line),
        at=labels.clock(message.created_at, zone),
        iso=message.created_at.isoformat(),
        delivery=labels.delivery(message),
        failed=message.status == Status.FAILED,
        note=message.status == Status.NOTE,
        fresh=fresh_after is not None and message.seq > fresh_after,
    )


def _who(line: Line, customer: str) -> str:
    words_of = labels.AUTHORS[Author(line.message.author)]
    if line.message.author == Author.CUSTOMER:
        return customer or words_of
    return f"{line.staff_name} · {words_of.lower()}" if line.staff_name else words_of


_WAYS = {"audio": "play", "image": "look", "sticker": "look", "video": "look", "document": "save"}


def _attachments(line: Line) -> tuple[Attachment, ...]:
    message = line.message
    if message.media:
        way = _WAYS.get(message.kind, "save") if message.direction == Direction.IN else ""
        return tuple(
            Attachment(
                f"{labels.kind(message.kind)} ({item.get('content_type') or 'tipo desconhecido'})",
                way if item.get("url") else "",
                place,
            )
            for place, item in enumerate(message.media)
        )
    return () if message.kind == "text" else (Attachment(labels.kind(message.kind), "", 0),)


def _count(number: int, one: str, many: str) -> str:
    return f"{number} {one if number == 1 else many}"


def _thousands(number: int) -> str:
    return f"{number:,}".replace(",", ".")
