"""Which of a business's answers fits what a customer asks."""

import time

import pytest

from models import faq
from models.business_file.shape import Question

ENTRIES: list[Question] = [
    {"question": "Vocês aceitam cartão de crédito?", "answer": "Sim."},
    {"question": "Tem estacionamento?", "answer": "No 1010."},
    {"question": "Atendem crianças?", "answer": "Sim, de todas as idades."},
    {"question": "???", "answer": "Nada."},
]


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("aceita cartao credito?", [0]),
        ("oi, tem estacionamento e vcs atendem criança?", [1, 2]),
        ("dá pra parcelar no cartão?", []),
        ("quero cancelar", []),
        ("", []),
    ],
)
def test_what_fits_is_found(words: str, found: list[int]) -> None:
    assert faq.find(ENTRIES, words) == [ENTRIES[place] for place in found]


def test_a_long_text_costs_no_more_than_its_length() -> None:
    began = time.process_time()
    faq.find([{"question": "á" * 300, "answer": "b"}] * 200, "ã " * 6000)
    assert time.process_time() - began < 1


def test_only_a_small_list_is_told_with_every_call() -> None:
    assert faq.is_small(ENTRIES)
    assert not faq.is_small([{"question": "a" * 300, "answer": "b" * 1000}] * 5)
