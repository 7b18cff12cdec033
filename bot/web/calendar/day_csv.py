"""/agenda/dia.csv: a day as a table for spreadsheets."""

import csv
import io
from collections.abc import Iterable
from datetime import timedelta

from flask import Response, abort, request
from flask.typing import ResponseReturnValue

from bot.web.calendar import day_grid, shared
from bot.web.calendar.shared import blueprint
from bot.web.shared import labels, request_context
from models.appointment import AppointmentStatus
from models.pages import calendar_page
from models.pages.calendar_page import Visit

HEAD = ("Dia", "Início", "Fim", "Profissional", "Cliente", "Telefone", "Serviços", "Situação", "Encaixe")
DANGEROUS = ("=", "+", "-", "@", "\t", "\r", "\n")


@blueprint.get("/dia.csv")
def table() -> ResponseReturnValue:
    # A file is looked at later, without the address: of a mistyped day there is none.
    day, zone = shared.asked_day(request.args.get("dia", "")) or abort(404), shared.zone()
    begins = day_grid.midnight(day, zone)
    with request_context.services().db.reading() as session:
        found = calendar_page.visits(
            session, request_context.tenant_id(), begins, day_grid.midnight(day + timedelta(days=1), zone)
        )
    answer = Response(render(map(_row, found)), content_type="text/csv; charset=utf-8")
    answer.headers["Content-Disposition"] = f'attachment; filename="agenda-{day}.csv"'
    return answer


def render(rows: Iterable[Iterable[str]]) -> str:
    """With the mark that makes Excel read UTF-8, and semicolons, as Brazilian spreadsheets want them."""
    out = io.StringIO()
    writer = csv.writer(out, delimiter=";", lineterminator="\r\n")
    writer.writerow(HEAD)
    writer.writerows([safe(cell) for cell in row] for row in rows)
    return "\ufeff" + out.getvalue()


def safe(cell: str) -> str:
    """What a spreadsheet would take for a formula is put behind an apostrophe."""
    plain = cell.lstrip(" \u00a0\u200b\ufeff")
    return f"'{cell}" if plain.startswith(DANGEROUS) or cell.startswith(DANGEROUS) else cell


def _row(visit: Visit) -> tuple[str, ...]:
    zone = shared.zone()
    start = visit.starts_at.astimezone(zone)
    return (
        f"{start:%d/%m/%Y}",
        f"{start:%H:%M}",
        labels.clock(visit.ends_at, zone),
        visit.professional,
        visit.customer or "sem nome",
        # Without the plus, which would make it a formula.
        labels.phone(visit.address).removeprefix("+") if visit.address else "",
        " + ".join(visit.services),
        day_grid.STATUS[AppointmentStatus(visit.status)] or "Marcado",
        "sim" if visit.squeeze_in else "",
    )
