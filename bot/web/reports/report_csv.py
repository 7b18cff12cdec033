"""The files to download beside the page of figures: a line a day, and a line a figure. Pure."""

from datetime import date

from bot.web.reports.report_view import title
from bot.web.shared import labels
from bot.web.shared.spreadsheet import Cell
from models.appointment import AppointmentStatus
from models.handoff import Reason
from models.pages.report_figures import Day, Figures, Report, Waits, middle, ninetieth


def days(report: Report) -> list[list[Cell]]:
    """A line a day, with everything that can be added up."""
    head = [
        "Dia",
        "Respostas do assistente",
        "Passadas para a equipe",
        *(labels.REASONS[reason].words for reason in Reason),
        "Marcados pelo assistente",
        "Marcados pela equipe",
        "Atendidos",
        "Faltas",
        "Tokens lidos",
        "Tokens escritos",
        "Custo (US$)",
        "Erros de ferramentas",
        "Mensagens não entregues",
    ]
    return [list[Cell](head), *(_day_row(day, each) for day, each in report.days.items())]


def _day_row(day: date, each: Day) -> list[Cell]:
    return [
        day.isoformat(),
        each.use.runs,
        each.handoffs.total(),
        *(each.handoffs[reason] for reason in Reason),
        each.booked["bot"],
        each.booked["staff"],
        each.visits[AppointmentStatus.DONE],
        each.visits[AppointmentStatus.NO_SHOW],
        each.use.all_input,
        each.use.output_tokens,
        each.use.microdollars / 1_000_000,
        each.tool_errors.total(),
        each.failures.total(),
    ]


def summary(report: Report) -> list[list[Cell]]:
    """A line a figure: what, of what, in the period, and in the one before it."""
    now, before = report.now, report.before
    lines: list[list[Cell]] = [["Medida", "Detalhe", title(report.period), "Antes"]]
    for label, value in _plain(now).items():
        lines.append([*label, value, _plain(before).get(label, 0)])
    lines += [[*label, 0, value] for label, value in _plain(before).items() if label not in _plain(now)]
    return lines


def _plain(found: Figures) -> dict[tuple[str, str], Cell]:
    lines: dict[tuple[str, str], Cell] = {
        ("Conversas", ""): found.conversations,
        ("Conversas", "só com o assistente"): found.alone,
        **{("Passadas para a equipe", labels.REASONS[each].words): found.handoffs[each] for each in Reason},
        ("Conversas", "assumidas pela equipe"): found.taken,
        ("Conversas", "reabertas pelo cliente"): found.reopened,
    }
    for name, waits in (("Primeira resposta", found.first_reply), ("Encerramento", found.resolution)):
        lines |= _minutes(f"{name} (minutos)", waits)
    lines |= {
        ("Horários marcados", "pelo assistente"): found.booked["bot"],
        ("Horários marcados", "pela equipe"): found.booked["staff"],
        ("Visitas", "atendidas"): found.visits[AppointmentStatus.DONE],
        ("Visitas", "faltas"): found.visits[AppointmentStatus.NO_SHOW],
    }
    for model, use in found.models.items():
        lines["Custo (US$)", model] = use.microdollars / 1_000_000
        lines["Tokens lidos", model] = use.all_input
        lines["Tokens escritos", model] = use.output_tokens
    for (error_class, tool), count in found.tool_errors.items():
        lines[f"Erros de ferramentas: {labels.ERROR_CLASSES.get(error_class, error_class)}", tool] = count
    for code, count in found.failures.items():
        lines["Mensagens não entregues", labels.failure(code)] = count
    return lines


def _minutes(name: str, waits: Waits) -> dict[tuple[str, str], Cell]:
    found: dict[tuple[str, str], Cell] = {}
    for what, spans in (("", waits.clock), (", no horário de atendimento", waits.attended)):
        for label, value in (("mediana", middle(spans)), ("p90", ninetieth(spans))):
            found[name, label + what] = value.total_seconds() / 60 if value is not None else None
    return found
