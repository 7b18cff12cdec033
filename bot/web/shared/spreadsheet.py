"""Tables as CSV that a spreadsheet opens as it should: with Brazilian separators, and without formulas."""

import csv
import io
from collections.abc import Iterable, Sequence

from flask import Response

from bot.core import sanitise

# What a spreadsheet takes for the start of a formula; full-width forms are read like the plain ones.
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "＝", "＋", "－", "＠")
Cell = str | int | float | None


def text(rows: Iterable[Sequence[Cell]]) -> str:
    """Semicolons and decimal commas, which is what a spreadsheet in Portuguese expects."""
    written = io.StringIO()
    csv.writer(written, delimiter=";").writerows([_cell(each) for each in row] for row in rows)
    return written.getvalue()


def download(name: str, rows: Iterable[Sequence[Cell]]) -> Response:
    """The rows as a file of this name (of ours, in plain letters)."""
    # Without the mark, spreadsheets read it in an encoding of the last century.
    answer = Response("\ufeff" + text(rows), content_type="text/csv; charset=utf-8")
    answer.headers["Content-Disposition"] = f'attachment; filename="{name}.csv"'
    return answer


def _cell(value: Cell) -> str:
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:.2f}".replace(".", ",")
    if isinstance(value, int):
        return str(value)
    line = sanitise.line(value, 500)
    return f"'{line}" if line.startswith(_FORMULA) or value.startswith(_FORMULA) else line
