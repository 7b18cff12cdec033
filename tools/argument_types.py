"""The kinds of argument that tools share: what is accepted, and what is said of what is not."""

import re
import unicodedata
from collections.abc import Callable
from datetime import date
from typing import Annotated, Literal

from pydantic import AfterValidator, BeforeValidator, Field, WithJsonSchema
from pydantic_core import PydanticCustomError

from tools.portuguese import folded

# PostgreSQL's integer: a larger number would fail in the database instead of finding nothing.
LARGEST_ID = 2**31 - 1
MAX_SERVICES = 5  # of one visit
DAYS = ("segunda", "terca", "quarta", "quinta", "sexta", "sabado", "domingo")
# Half-open, in minutes of the local day.
PERIODS = {"manha": (0, 12 * 60), "tarde": (12 * 60, 18 * 60), "noite": (18 * 60, 24 * 60)}


def _identifier(value: int) -> int:
    if not 1 <= value <= LARGEST_ID:
        raise PydanticCustomError("identifier", "deve ser um identificador que uma ferramenta já mostrou")
    return value


def _date(value: object) -> date:
    if not isinstance(value, str) or not re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", value):
        raise PydanticCustomError("date", "deve ser uma data no formato AAAA-MM-DD")
    try:
        return date.fromisoformat(value)
    except ValueError:
        raise PydanticCustomError("date", "essa data não existe no calendário") from None


def _minute(value: object) -> int:
    if not isinstance(value, str) or not re.fullmatch(r"([01][0-9]|2[0-3]):[0-5][0-9]", value):
        raise PydanticCustomError(
            "time", "deve ser uma hora no formato HH:MM, no fuso do estabelecimento, sem data nem fuso"
        )
    return int(value[:2]) * 60 + int(value[3:])


def _plain(value: object) -> object:
    # An enum does not bind the model to its letters: "Terça-feira" is taken for "terca".
    return folded(value).removesuffix("-feira") if isinstance(value, str) else value


_JOINERS = "\u200c\u200d"  # within words of some scripts, and within emoji


def one_line(value: str) -> str:
    """Single spaces, nothing invisible: an override of the writing direction can hide what stands there."""
    seen = (c for c in value if unicodedata.category(c) != "Cf" or c in _JOINERS)
    return " ".join("".join(seen).split())


def _at_most(most: int) -> Callable[[str], str]:
    def check(value: str) -> str:
        line = one_line(value)
        if len(line) > most:
            raise PydanticCustomError("length", "deve ter no máximo {most} caracteres", {"most": most})
        return line

    return check


def check_services(one: int | None, several: list[int] | None) -> None:
    """Raises for a visit whose services are named in both ways, in none, or are too many."""
    if (one is None) == (several is None):
        raise PydanticCustomError("one_of", "informe `servico_id` ou `servico_ids`, e só um dos dois")
    if several is not None and not 1 <= len(several) <= MAX_SERVICES:
        raise PydanticCustomError("size", "`servico_ids` deve ter de um a cinco serviços")


Id = Annotated[int, AfterValidator(_identifier), Field(examples=[1])]
Day = Annotated[
    date,
    BeforeValidator(_date),
    WithJsonSchema(
        {"type": "string", "description": "Data no formato AAAA-MM-DD.", "examples": ["2026-12-04"]}
    ),
]
Minute = Annotated[
    int,
    BeforeValidator(_minute),
    WithJsonSchema(
        {
            "type": "string",
            "description": "Hora de início no formato HH:MM, no fuso do estabelecimento.",
            "examples": ["14:30"],
        }
    ),
]
Weekday = Annotated[
    Literal["segunda", "terca", "quarta", "quinta", "sexta", "sabado", "domingo"],
    BeforeValidator(_plain),
    Field(
        description=(
            "Dia da semana que você acredita que a data é. Se não combinar com a data, nada é feito e a "
            "resposta diz qual é o dia certo."
        ),
        examples=["sexta"],
    ),
]
Period = Annotated[
    Literal["manha", "tarde", "noite"],
    BeforeValidator(_plain),
    Field(
        description="Parte do dia: manha (antes das 12:00), tarde (das 12:00 às 18:00) ou noite (depois).",
        examples=["tarde"],
    ),
]
Term = Annotated[str, AfterValidator(_at_most(100))]
PersonName = Annotated[str, AfterValidator(_at_most(120))]
Motive = Annotated[str, AfterValidator(_at_most(300))]
