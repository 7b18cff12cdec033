"""Long texts are cut where a reader would cut them, and nothing is lost."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.whatsapp.text_parts import LIMIT, split, units

# Each is one sign to the eye: accents as marks, joined emoji, skin tones, flags, keycaps, Hangul, Devanagari.
GRAPHEMES = (
    "a",
    "ç",
    "ã",
    "e\u0301",
    "o\u0302\u0323",
    "👍",
    "👍🏽",
    "👩‍👩‍👧‍👦",
    "🏳️‍🌈",
    "🇧🇷",
    "🇵🇹",
    "1️⃣",
    "❤️",
    "\u1112\u1161\u11ab",
    "한",
    "क\u093f",
    "\r\n",
)
signs = st.lists(st.sampled_from(GRAPHEMES), min_size=1, max_size=80)
prose = st.text(alphabet=st.sampled_from("ab çã.!?,\n🎉👍🏽e\u0301:/0123456789 "), max_size=400)


def squeezed(text: str) -> str:
    return re.sub(r"\s+", "", text)


@given(prose, st.integers(min_value=8, max_value=80))
def test_nothing_is_lost_and_no_part_is_too_long(text: str, limit: int) -> None:
    parts = split(text, limit)
    assert squeezed("".join(parts)) == squeezed(text)
    assert all(0 < units(part) <= limit for part in parts)
    assert all(part == part.strip() for part in parts)


@given(prose, st.integers(min_value=8, max_value=80))
def test_the_parts_stand_in_the_text_as_they_are_and_in_order(text: str, limit: int) -> None:
    """Only white space lies between two parts."""
    place = 0
    for part in split(text, limit):
        found = text.index(part, place)
        assert not text[place:found].strip()
        place = found + len(part)
    assert not text[place:].strip()


@given(signs, st.integers(min_value=12, max_value=40))
def test_graphemes_stay_whole(graphemes: list[str], limit: int) -> None:
    """Also in one endless word, every part is made of whole signs (the largest here has 11 units)."""
    whole = "".join(graphemes)
    bounds, place = {0}, 0
    for grapheme in graphemes:
        place += len(grapheme)
        bounds.add(place)
    place = 0
    for part in split(whole, limit):
        place = whole.index(part, place) + len(part)
        assert place in bounds or not whole[place - 1 : place + 1].strip()


@given(prose)
def test_a_text_within_the_limit_is_one_part(text: str) -> None:
    assert split(text, 2 * len(text) + 1) == ([text.strip()] if text.strip() else [])


def test_an_empty_text_has_no_parts() -> None:
    """B12: so that nothing empty is ever created at Twilio."""
    assert split(" \n ") == []


def test_it_counts_as_the_stricter_counter_does() -> None:
    """An emoji is one character and two UTF-16 units."""
    assert [len(part) for part in split("👍" * LIMIT)] == [LIMIT // 2, LIMIT // 2]


@pytest.mark.parametrize(
    ("text", "last_of_first", "first_of_second"),
    [
        (
            "A" * 700 + "\n\n" + "Uma frase. " * 60 + "fim\n\n" + "B" * 700,
            "fim",
            "BBBB",
        ),  # paragraph before sentence
        ("x" * 800 + "\n" + "y" * 600 + ". " + "z" * 600, "xxxx", "yyyy"),  # line before sentence
        ("Bom dia! " + "a" * 1000 + ". " + "b" * 1000, "a.", "bbbb"),  # sentence
        ("a" * 1000 + ". Dr. " + "b" * 700, "a.", "Dr. b"),  # not after an abbreviation
        ("a" * 100 + "\n\n" + "b " * 1400, "b", "b"),  # no tiny part for the sake of a paragraph
    ],
)
def test_where_it_cuts(text: str, last_of_first: str, first_of_second: str) -> None:
    first, second, *_ = split(text)
    assert first.endswith(last_of_first)
    assert second.startswith(first_of_second)


@pytest.mark.parametrize(
    "whole",
    [
        "quinta-feira, 10 de dezembro de 2026, às 14:30",
        "terça-feira (08/12/2026), às 9h",
        "sábado às 10h30",
        "dia 15 de março",
        "dia 7",
        "10/12 às 14:30",
        "das 9h às 12h",
        "R$ 1.120,00",
        "(31) 99896-6398",
        "+55 11 3000-1000",
        "https://exemplo.com.br/um/caminho?com=parametros&e=mais#fim",
    ],
)
def test_what_belongs_together_stays_together(whole: str) -> None:
    """Wherever the limit falls into it, it goes into one part as a whole."""
    for shift in range(len(whole) + 10):
        before = "x" * (LIMIT - len(whole) - 5 + shift)
        parts = split(f"{before} {whole} e mais {'texto ' * 100}")
        assert sum(part.count(whole) for part in parts) == 1, shift


def test_one_endless_word_is_cut_all_the_same() -> None:
    """B10: 1,700 characters without a blank."""
    parts = split("ção" * 566)
    assert len(parts) == 2
    assert "".join(parts) == "ção" * 566


def test_a_long_answer_becomes_ordered_parts() -> None:
    """B10: 2,300 characters with accents and emoji."""
    text = "Não há horários na terça à tarde 😕, mas há amanhã de manhã 👍🏽. " * 36
    parts = split(text)
    assert len(parts) == 2
    assert " ".join(parts) == text.strip()
    assert all(part.endswith(".") for part in parts)


def test_a_sign_larger_than_a_part_is_cut() -> None:
    """It ends, whatever is written."""
    assert "".join(split("a" + "\u0301" * 100, 10)) == "a" + "\u0301" * 100
