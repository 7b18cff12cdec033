"""The words for dates, prices and refusals."""

from dataclasses import replace
from datetime import UTC, date, datetime, time
from string import Formatter
from zoneinfo import ZoneInfo

import pytest

from models.appointment import AppointmentStatus
from models.availability import Code
from tests.fakes.visits import ANA
from tools import portuguese
from tools.facts import FreeOf

ZONE = ZoneInfo("America/Sao_Paulo")


def test_moment_is_told_in_the_zone_of_the_business() -> None:
    """S07: the same instant and zone always give the same words."""
    moment = datetime(2026, 12, 3, 1, 30, tzinfo=UTC)
    assert portuguese.moment(moment, ZONE) == "quarta-feira, 02/12/2026, às 22:30"
    assert portuguese.moment(moment, ZoneInfo("America/Noronha")) == "quarta-feira, 02/12/2026, às 23:30"


@pytest.mark.parametrize(
    ("day", "words"),
    [
        (date(2026, 12, 5), "sábado, 05/12/2026"),
        (date(2026, 12, 6), "domingo, 06/12/2026"),
        (date(2028, 2, 29), "terça-feira, 29/02/2028"),
    ],
)
def test_day(day: date, words: str) -> None:
    assert portuguese.day(day) == words


@pytest.mark.parametrize(
    ("cents", "words"),
    [
        (12_000, "R$ 120,00"),
        (0, "R$ 0,00"),
        (5, "R$ 0,05"),
        (123_456_789, "R$ 1.234.567,89"),
        (None, "preço sob consulta"),
    ],
)
def test_price(cents: int | None, words: str) -> None:
    assert portuguese.price(cents) == words


@pytest.mark.parametrize(
    ("minutes", "words"),
    [
        (0, "0 minutos"),
        (1, "1 minuto"),
        (45, "45 minutos"),
        (60, "1 hora"),
        (90, "1 hora e 30 minutos"),
        (120, "2 horas"),
        (1440, "1 dia"),
        (2880, "2 dias"),
        (1500, "25 horas"),
    ],
)
def test_length(minutes: int, words: str) -> None:
    assert portuguese.length(minutes) == words


@pytest.mark.parametrize(
    ("words", "expected"), [([], ""), (["a"], "a"), (["a", "b"], "a e b"), (["a", "b", "c"], "a, b e c")]
)
def test_listed(words: list[str], expected: str) -> None:
    assert portuguese.listed(words) == expected


def test_a_shortened_line_says_so() -> None:
    some = FreeOf(ANA, (time(9), time(10, 30)))
    assert portuguese.free_line(some) == "- Ana Souza (profissional_id 1): 09:00, 10:30"
    assert portuguese.free_line(replace(some, more=4)) == f"{portuguese.free_line(some)} e mais 4"


def test_spread_keeps_both_ends_without_repeating() -> None:
    for size in range(60):
        found = portuguese.spread(range(size), 12)
        assert len(found) == len(set(found)) == min(size, 12)
        assert not size or (found[0], found[-1]) == (0, size - 1)


@pytest.mark.parametrize(
    ("text", "most", "expected"),
    [
        ("abc", 3, "abc"),
        ("a\nb\nc", 100, "a\nb\nc"),
        (
            "title\n" + "\n".join(f"- {n}" for n in range(100)),
            40,
            "title\n- 0\n- 1\n- 2\n- 3\n- 4\ne mais 95",
        ),
        ("x" * 50, 20, "x" * 19 + "…"),
    ],
)
def test_long_texts_are_cut_on_a_line(text: str, most: int, expected: str) -> None:
    assert portuguese.bounded(text, most) == expected
    assert len(portuguese.bounded(text, most)) <= most


@pytest.mark.parametrize(
    "text", ["João", "joao", "JOÃO", "Joa\u0303o", "Jo\u200bão", " João\t", "\u202eJoão"]
)
def test_folding_for_a_match(text: str) -> None:
    """S58: accents, case, composition and invisible characters make no difference."""
    assert portuguese.folded(text) == "joao"


def test_a_line_end_parts_words() -> None:
    assert portuguese.folded("com o Zé\nQual?\tEsse\r\n") == "com o ze qual? esse"


DETAIL = {
    "hours": [(540, 720), (780, 1440)],
    "minutes": 90,
    "last": date(2026, 12, 31),
    "date": date(2026, 12, 4),
    "reason": "Natal",
    "believed": "quinta",
    "limit": 3,
}


@pytest.mark.parametrize("code", list(Code))
def test_every_code_has_its_clause(code: Code) -> None:
    """With every value that it needs, and none left over as a brace."""
    clause = portuguese.refusal(code, DETAIL, "Ana")
    assert clause
    assert not clause.endswith(".")
    assert "{" not in clause
    assert {field for _, field, _, _ in Formatter().parse(portuguese.CLAUSES[code]) if field} <= {
        *DETAIL,
        "who",
        "customer",
    }


@pytest.mark.parametrize(
    ("code", "clause"),
    [
        (
            Code.FORA_DO_EXPEDIENTE,
            "não cabe no expediente de Ana nesse dia, que é das 09:00 às 12:00 e das 13:00 às 24:00",
        ),
        (Code.ANTECEDENCIA, "é preciso agendar com pelo menos 1 hora e 30 minutos de antecedência"),
        (Code.HORIZONTE, "a agenda está aberta só até quinta-feira, 31/12/2026"),
        (Code.FERIADO, "é feriado (Natal) e não há atendimento"),
        (Code.DIA_SEMANA_ERRADO, "a data é sexta-feira, 04/12/2026, e não quinta"),
    ],
)
def test_clauses(code: Code, clause: str) -> None:
    assert portuguese.refusal(code, DETAIL, "Ana") == clause


def test_clause_without_hours_or_reason() -> None:
    assert portuguese.refusal(Code.FORA_DO_EXPEDIENTE, {"hours": []}, "Ana") == "Ana não atende nesse dia"
    assert portuguese.refusal(Code.FECHADO, {"reason": ""}, "Ana") == "o estabelecimento estará fechado"


def test_braces_in_what_people_wrote_are_only_text() -> None:
    assert "({who})" in portuguese.refusal(Code.FECHADO, {"reason": "{who}"}, "{limit}")


def test_every_status_has_words() -> None:
    assert set(portuguese.STATUS) == set(AppointmentStatus)
