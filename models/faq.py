"""What a business answers to what its customers often ask, and which of it fits a question."""

import re
from collections.abc import Iterable, Sequence

from models.business_file.shape import Question
from models.business_file.values import fold

# Characters of questions and answers that the model is told with every call; some 1,500 tokens, most of the
# time read from its cache. Beyond, it is told only what fits the question.
SMALL = 6000
MOST_FOUND = 3
LEAST_SHARED = 0.6  # of the telling words of an entry's question
STEM = 5  # letters: "aceita", "aceitam" and "aceitamos" are one word
_STOP = frozenset(
    """
    a o e as os um uma de do da dos das em no na nos nas por para pra pro com sem que qual quais como onde
    quando tem ter ha voces voce vcs vc eu meu minha seu sua fazem faz fazer posso pode podem ai la aqui se
    ou mais muito oi ola bom boa dia tarde noite favor gostaria saber queria quero me esta sao ser eh
    """.split()  # noqa: SIM905  # a list of these would be a page long
)


def is_small(entries: Sequence[Question]) -> bool:
    """Whether all of it can stand in the system prompt."""
    return sum(len(entry["question"]) + len(entry["answer"]) for entry in entries) <= SMALL


def find(entries: Iterable[Question], words: str, most: int = MOST_FOUND) -> list[Question]:
    """The entries that answer what was written, the best first: most of their question's words are in it."""
    asked = _stems(words)
    scored = [(_shared(_stems(entry["question"]), asked), entry) for entry in entries]
    fitting = sorted((each for each in scored if each[0] >= LEAST_SHARED), key=lambda each: -each[0])
    return [entry for _, entry in fitting[:most]]


def _shared(telling: frozenset[str], asked: frozenset[str]) -> float:
    return len(telling & asked) / len(telling) if telling else 0.0


def _stems(text: str) -> frozenset[str]:
    """What is telling in a text: its words without the small ones, each by its first letters."""
    return frozenset(word[:STEM] for word in re.findall(r"[a-z0-9]+", fold(text)) if word not in _STOP)
