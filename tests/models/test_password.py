"""Passwords: rules, hashing, readable new ones."""

import re
import time

import pytest
from argon2 import PasswordHasher, extract_parameters

from models import password

SECRET = "cavalo correto bateria"


@pytest.mark.parametrize("length", [12, 64, 128])
def test_length_is_all_that_is_asked(length: int) -> None:
    password.check("a" * length)


@pytest.mark.parametrize(
    ("length", "sentence"),
    [
        (0, "The password must have at least 12 characters."),
        (11, "The password must have at least 12 characters."),
        (129, "The password must have at most 128 characters."),
    ],
)
def test_other_lengths_are_refused(length: int, sentence: str) -> None:
    with pytest.raises(password.Unacceptable, match=re.escape(sentence)):
        password.check("a" * length)


def test_hashes_are_argon2id_and_salted() -> None:
    """OWASP's minimum: 19 MiB, two passes, one lane."""
    first, second = password.hash(SECRET), password.hash(SECRET)
    found = extract_parameters(first)
    assert first.startswith("$argon2id$")
    assert (found.memory_cost, found.time_cost, found.parallelism) == (19 * 1024, 2, 1)
    assert first != second
    assert not password.is_outdated(first)


def test_only_the_password_itself_is_right() -> None:
    known = password.hash(SECRET)
    assert password.verify(known, SECRET)
    assert not password.verify(known, SECRET.upper())
    assert not password.verify(known, SECRET + " ")
    assert not password.verify("no hash at all", SECRET)


def test_the_end_of_a_long_password_counts() -> None:
    """Nothing is cut off silently: 128 characters are not the same as 129."""
    known = password.hash("a" * 128)
    assert password.verify(known, "a" * 128)
    assert not password.verify(known, "a" * 129)
    assert not password.verify(known, "a" * 1_000_000)


def test_accents_may_be_typed_either_way() -> None:
    """A Mac writes ã as two code points, Windows as one."""
    assert password.verify(password.hash("Sa\u0303o Paulo 2026"), "S\u00e3o Paulo 2026")


def test_broken_text_is_only_wrong() -> None:
    assert not password.verify(password.hash(SECRET), "\ud800 \x00 nada disso")


def test_without_a_hash_nothing_is_right() -> None:
    assert not password.verify(None, SECRET)
    assert not password.verify(None, "")


def test_without_a_hash_it_takes_as_long() -> None:
    """Whether a login exists cannot be told by how hard the answer was: the same work is done."""
    assert not password.is_outdated(password.DUMMY)
    assert _cpu(None) > _cpu(password.hash(SECRET)) / 4


def _cpu(known_hash: str | None) -> float:
    start = time.process_time()
    password.verify(known_hash, "outra coisa qualquer")
    return time.process_time() - start


def test_weaker_hashes_are_outdated() -> None:
    assert password.is_outdated(PasswordHasher(time_cost=1, memory_cost=8192).hash(SECRET))


def test_generated_passwords_are_readable_and_differ() -> None:
    """Four groups of four, without the characters that are mistaken for others."""
    made = {password.generate() for _ in range(200)}
    assert len(made) == 200
    for one in made:
        assert re.fullmatch(r"[a-hjkmnp-z2-9]{4}(-[a-hjkmnp-z2-9]{4}){3}", one)
        password.check(one)
