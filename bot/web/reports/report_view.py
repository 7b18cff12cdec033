"""A report in words, as the page and the files show it. Pure."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from bot.web.reports import bar_chart
from bot.web.reports.bar_chart import Bin, Chart
from bot.web.shared import labels
from bot.web.shared.number_format import change, decimal, dollars, length, number, percent, points
from models.handoff import Reason
from models.pages.prompt_regressions import Jump
from models.pages.report_cases import Case
from models.pages.report_figures import Figures, Report, Use, Waits, attended_share, middle, ninetieth
from models.period import Period
from models.run import Outcome
from models.tenant import Tenant

MOST_TOOLS = 6  # named in one line


@dataclass(frozen=True)
class Card:
    """One figure: what it is, how much, how that compares, and what it counts."""

    label: str
    value: str
    compared: str
    about: str


@dataclass(frozen=True)
class ReasonRow:
    """One reason with its bars. `jumps` are sentences."""

    code: str
    sign: labels.Sign
    count: str
    share: str
    compared: str
    chart: Chart
    jumps: tuple[str, ...]


@dataclass(frozen=True)
class WaitTable:
    """How long something takes: rows of (what, by the clock, in hours of attendance)."""

    title: str
    about: str
    count: int
    rows: tuple[tuple[str, str, str], ...]


@dataclass(frozen=True)
class ErrorRow:
    """Failed tool calls of one class, by tool."""

    code: str
    words: str
    count: str
    tools: str


@dataclass(frozen=True)
class Panel:
    """All of the page, in the order in which it is read."""

    empty: bool
    cards: tuple[Card, ...]
    total: Chart
    reasons: tuple[ReasonRow, ...]
    unasked: tuple[str, ...]
    table: tuple[tuple[str, ...], ...]
    span: tuple[str, str]
    marks: tuple[str, ...]
    waits: tuple[WaitTable, ...]
    has_hours: bool
    agenda: tuple[Card, ...]
    use: tuple[Card, ...]
    models: tuple[tuple[str, str, str, str, str], ...]
    unpriced: str
    errors: tuple[ErrorRow, ...]
    deliveries: str


def title(period: Period) -> str:
    """ "2 de dezembro", "26/11 a 02/12/2026" """
    if period.first == period.last:
        return f"{period.last:%d/%m/%Y}"
    year = "" if period.first.year == period.last.year else f"/{period.first.year}"
    return f"{period.first:%d/%m}{year} a {period.last:%d/%m/%Y}"


def of(report: Report, tenant: Tenant) -> Panel:
    found, binned = report.now, _binned(report)
    over = list(binned)
    marks = [(report.period.day_of(era.since), _changed(era.since, tenant.zone)) for era in report.eras]
    return Panel(
        empty=found == Figures(),
        cards=_cards(report, bool(tenant.handoff_hours)),
        total=bar_chart.draw(over, [counts.total() for counts in binned.values()], marks),
        reasons=tuple(_reasons(report, binned, tenant.zone)),
        unasked=tuple(_unasked(found)),
        table=_table(report, binned),
        span=(over[0].words, over[-1].words),
        marks=tuple(words_ for _, words_ in marks),
        waits=_waits(report),
        has_hours=bool(tenant.handoff_hours),
        agenda=_agenda(report),
        use=_use(report),
        models=tuple(_models(found)),
        unpriced=_unpriced(found.use),
        errors=tuple(_errors(found)),
        deliveries=_deliveries(report),
    )


def _was(value: str, by: str = "") -> str:
    """What it was before, and by how much it has changed."""
    return f"{by} · antes {value}" if by else f"antes {value}"


def _counted(now: int, before: int) -> str:
    return _was(number(before), change(now, before))


def _reply(wait: timedelta | None) -> str:
    """A median of nothing at all: most were answered in hours that are not counted."""
    return "fora do horário" if wait == timedelta() else length(wait)


def _cards(report: Report, has_hours: bool) -> tuple[Card, ...]:
    now, before = report.now, report.before
    first, earlier = (
        middle(each.first_reply.attended if has_hours else each.first_reply.clock) for each in (now, before)
    )
    alone, was_alone = ((each.alone, each.conversations) for each in (now, before))
    within = " no horário de atendimento" if has_hours else ""
    return (
        Card(
            "Conversas",
            number(now.conversations),
            _counted(now.conversations, before.conversations),
            "em que o assistente ou a equipe trabalhou",
        ),
        Card(
            "Só com o assistente",
            percent(*alone),
            _was(percent(*was_alone), points(alone, was_alone)),
            "das conversas, sem precisar de ninguém",
        ),
        Card(
            "Passadas para a equipe",
            number(now.handed_over),
            _counted(now.handed_over, before.handed_over),
            "vezes em que o assistente chamou uma pessoa",
        ),
        Card("Primeira resposta", _reply(first), _was(_reply(earlier)), f"da equipe, mediana{within}"),
    )


# Handoffs


def _binned(report: Report) -> dict[Bin, Counter[Reason]]:
    """The handoffs of each bar."""
    return {
        each: sum((report.days[day].handoffs for day in each.days()), Counter[Reason]())
        for each in bar_chart.bins(list(report.days))
    }


def _reasons(report: Report, binned: Mapping[Bin, Counter[Reason]], zone: ZoneInfo) -> Iterator[ReasonRow]:
    now, before = report.now.handoffs, report.before.handoffs
    for reason in _ordered(now, before):
        jumps = [jump for jump in report.jumps if jump.reason == reason]
        marks = [(report.period.day_of(jump.since), _changed(jump.since, zone)) for jump in jumps]
        yield ReasonRow(
            code=reason,
            sign=labels.REASONS[reason],
            count=number(now[reason]),
            share=percent(now[reason], report.now.handed_over),
            compared=_counted(now[reason], before[reason]),
            chart=bar_chart.draw(list(binned), [counts[reason] for counts in binned.values()], marks),
            jumps=tuple(_jumped(jump, zone) for jump in jumps),
        )


def _ordered(now: Counter[Reason], before: Counter[Reason]) -> list[Reason]:
    """The most frequent first; what came up only before is last."""
    return sorted({*+now, *+before}, key=lambda each: (-now[each], -before[each], each))


def _changed(since: datetime, zone: ZoneInfo) -> str:
    return f"{since.astimezone(zone):%d/%m às %H:%M}"


def _jumped(jump: Jump, zone: ZoneInfo) -> str:
    was, now = (
        decimal(100 * part / whole) if part else "0"
        for part, whole in ((jump.was, jump.runs_before), (jump.now, jump.runs))
    )
    return (
        f"Aumentou depois que as instruções do assistente mudaram, em {_changed(jump.since, zone)}: "
        f"de {was} para {now} em cada 100 respostas."
    )


def _unasked(found: Figures) -> Iterator[str]:
    """Episodes that the bot did not begin: they are no handoffs of it."""
    if found.taken:
        yield f"{_times(found.taken)} a equipe assumiu uma conversa por conta própria."
    if found.reopened:
        yield f"{_times(found.reopened)} o cliente voltou a escrever logo depois de encerrado."
    if found.unanswered:
        many = found.unanswered != 1
        yield f"{found.unanswered} {'ainda esperam' if many else 'ainda espera'} a primeira resposta."
    if found.gave_up:
        yield f"{_times(found.gave_up)} o cliente preferiu voltar ao assistente."


def _times(count: int) -> str:
    return f"{number(count)} {'vez' if count == 1 else 'vezes'}"


def _table(report: Report, binned: Mapping[Bin, Counter[Reason]]) -> tuple[tuple[str, ...], ...]:
    """The bars in numbers: a head, a line a bar, and the sum."""
    reasons = _ordered(report.now.handoffs, Counter())
    unit = "Dia" if len(binned) == len(report.days) else "Semana"
    head = (unit, *(labels.REASONS[each].words for each in reasons))
    lines = [
        (each.words, *(number(counts[reason]) for reason in reasons), number(counts.total()))
        for each, counts in binned.items()
    ]
    totals = (*(number(report.now.handoffs[each]) for each in reasons), number(report.now.handed_over))
    return ((*head, "Total"), *lines, ("Período", *totals))


def _waits(report: Report) -> tuple[WaitTable, ...]:
    now, before = report.now, report.before
    return (
        _wait_table(
            "Até a primeira resposta",
            "de quando o assistente passou a conversa até uma pessoa responder",
            now.first_reply,
            before.first_reply,
        ),
        _wait_table(
            "Até encerrar",
            "de quando o assistente passou a conversa até ela ser encerrada ou devolvida",
            now.resolution,
            before.resolution,
        ),
    )


def _wait_table(title_: str, about: str, now: Waits, before: Waits) -> WaitTable:
    rows = (
        ("Metade em até", length(middle(now.clock)), length(middle(now.attended))),
        ("9 em cada 10 em até", length(ninetieth(now.clock)), length(ninetieth(now.attended))),
        ("Metade, antes", length(middle(before.clock)), length(middle(before.attended))),
        ("9 em cada 10, antes", length(ninetieth(before.clock)), length(ninetieth(before.attended))),
    )
    return WaitTable(title_, about, len(now.clock), rows if before.clock else rows[:2])


# Agenda


def _agenda(report: Report) -> tuple[Card, ...]:
    now, before = report.now, report.before
    (missed, due), (was_missed, was_due) = (attended_share(each.visits) for each in (now, before))
    made = now.booked.total()
    return (
        Card(
            "Marcados pelo assistente",
            number(now.booked["bot"]),
            _counted(now.booked["bot"], before.booked["bot"]),
            f"{percent(now.booked['bot'], made)} dos horários marcados no período",
        ),
        Card(
            "Marcados pela equipe",
            number(now.booked["staff"]),
            _counted(now.booked["staff"], before.booked["staff"]),
            f"{percent(now.booked['staff'], made)} dos horários marcados no período",
        ),
        Card(
            "Faltas",
            number(missed),
            _was(number(was_missed), points((missed, due), (was_missed, was_due))),
            f"{percent(missed, due)} de {number(due)} com presença anotada"
            if due
            else "nenhuma presença anotada",
        ),
    )


# The assistant


def _use(report: Report) -> tuple[Card, ...]:
    now, before = report.now, report.before
    each = now.use.microdollars // now.conversations if now.conversations else 0
    cached = percent(now.use.cache_read_tokens, now.use.all_input)
    return (
        Card(
            "Custo",
            dollars(now.use.microdollars),
            _was(dollars(before.use.microdollars), change(now.use.microdollars, before.use.microdollars)),
            f"{dollars(each)} por conversa",
        ),
        Card(
            "Respostas",
            number(now.use.runs),
            _counted(now.use.runs, before.use.runs),
            _runs_that_failed(now),
        ),
        Card(
            "Tokens lidos",
            number(now.use.all_input),
            _counted(now.use.all_input, before.use.all_input),
            f"{cached} do cache",
        ),
        Card(
            "Tokens escritos",
            number(now.use.output_tokens),
            _counted(now.use.output_tokens, before.use.output_tokens),
            "pelo modelo",
        ),
    )


def _runs_that_failed(found: Figures) -> str:
    crashed, dropped = found.runs[Outcome.CRASHED], found.runs[Outcome.SUPERSEDED]
    parts = (
        f"{number(crashed)} {'interrompida' if crashed == 1 else 'interrompidas'}" if crashed else "",
        f"{number(dropped)} {'descartada' if dropped == 1 else 'descartadas'}" if dropped else "",
    )
    return " e ".join(filter(None, parts)) or "todas chegaram ao fim"


def _models(found: Figures) -> Iterator[tuple[str, str, str, str, str]]:
    for name, use in sorted(found.models.items(), key=lambda each: -each[1].runs):
        cost = "sem preço" if use.unpriced == use.runs else dollars(use.microdollars)
        yield name, number(use.runs), number(use.all_input), number(use.output_tokens), cost


def _unpriced(use: Use) -> str:
    if not use.unpriced:
        return ""
    what = "resposta é" if use.unpriced == 1 else "respostas são"
    return (
        f"O custo está incompleto: {number(use.unpriced)} {what} de um modelo sem preço conhecido. "
        "Os preços ficam na configuração MODEL_PRICES."
    )


def _errors(found: Figures) -> Iterator[ErrorRow]:
    classes: Counter[str] = Counter()
    for (error_class, _), count in found.tool_errors.items():
        classes[error_class] += count
    for error_class, count in classes.most_common():
        tools = Counter({tool: n for (code, tool), n in found.tool_errors.items() if code == error_class})
        said = [f"{labels.TOOLS.get(tool, tool)} ({number(n)})" for tool, n in tools.most_common(MOST_TOOLS)]
        if len(tools) > MOST_TOOLS:  # a model may make up as many names as it likes
            said.append(f"e mais {number(len(tools) - MOST_TOOLS)}")
        yield ErrorRow(
            error_class, labels.ERROR_CLASSES.get(error_class, error_class), number(count), ", ".join(said)
        )


def _deliveries(report: Report) -> str:
    """One line: how many could not be delivered, and why."""
    now, before = report.now.failures, report.before.failures
    if not now:
        return f"Nenhuma falha de entrega no período ({_counted(0, before.total())})."
    causes: Counter[str] = Counter()
    for code, count in now.items():
        causes[labels.failure(code)] += count
    said = "; ".join(f"{cause} ({number(count)})" for cause, count in causes.most_common())
    one = now.total() == 1
    what = "mensagem não foi entregue" if one else "mensagens não foram entregues"
    return f"{number(now.total())} {what} ({_counted(now.total(), before.total())}): {said}."


def case(found: Case, now: datetime, zone: ZoneInfo) -> dict[str, object]:
    """One line of the list behind a figure."""
    local, today = found.at.astimezone(zone), now.astimezone(zone).date()
    return {
        "when": f"{labels.short_day(local.date(), today)} {local:%H:%M}",
        "iso": found.at.isoformat(),
        "who": labels.person(found.customer, found.address),
        "reason": labels.REASONS[Reason(found.reason)] if found.reason else None,
        "tool": labels.TOOLS.get(found.tool, found.tool),
        "conversation_id": found.conversation_id,
        "run_id": found.run_id,
    }
