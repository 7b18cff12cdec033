"""CSV that a spreadsheet opens as a table and never runs."""

import csv
import io

import pytest

from bot.web.shared import spreadsheet

ATTACKS = [
    "=1+1",
    "=cmd|' /C calc'!A0",
    "+55 11 99999",
    "-2+3",
    "@SUM(A1)",
    "\t=1",
    "\r=1",
    " =1+1",
    "\u202e=1",
    "＝1+1",
    '"=1"',
    '=HYPERLINK("http://evil.test")',
]


def read(text: str) -> list[list[str]]:
    return list(csv.reader(io.StringIO(text), delimiter=";"))


@pytest.mark.parametrize("attack", ATTACKS)
def test_no_cell_begins_a_formula(attack: str) -> None:
    (row,) = read(spreadsheet.text([["nome", attack, 3]]))
    assert len(row) == 3
    assert row[1][:1] not in ("=", "+", "-", "@", "\t", "\r", "＝")
    assert row[1].lstrip("'\" ") != ""


def test_numbers_stay_numbers() -> None:
    assert spreadsheet.text([["a", 1, 2.5, None, 0]]) == "a;1;2,50;;0\r\n"


def test_separators_quotes_and_lines_stay_in_their_cell() -> None:
    assert read(spreadsheet.text([['a;b"c\nd', "x\x00y"]])) == [['a;b"c d', "xy"]]


def test_a_download_names_itself_and_says_its_encoding() -> None:
    answer = spreadsheet.download("horacerta-dias", [["Não veio"]])
    assert answer.data.startswith(b"\xef\xbb\xbfN\xc3\xa3o veio")
    assert answer.headers["Content-Disposition"] == 'attachment; filename="horacerta-dias.csv"'
    assert answer.mimetype == "text/csv"
