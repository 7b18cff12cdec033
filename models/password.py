"""Passwords: what is accepted, how they are kept (argon2id), and readable new ones."""

import secrets
import unicodedata

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from models.errors import DomainError

MIN_LENGTH, MAX_LENGTH = 12, 128
# OWASP's minimum. The library's default (64 MiB in 4 lanes) is too much for a burst of logins.
HASHER = PasswordHasher(time_cost=2, memory_cost=19 * 1024, parallelism=1)
# A hash of no known password: an unknown login takes the same work as a known one.
DUMMY = "$argon2id$v=19$m=19456,t=2,p=1$8AIW7+/fwHsg1/pIEPJwWQ$Pkq66aq7KUoxxCeH39F7mFZxOGNk/b6q+GHpe/SUu4g"
# Without what is mistaken when read aloud or copied by hand: 0 and o, 1 and l and i.
LETTERS = "abcdefghjkmnpqrstuvwxyz23456789"


class Unacceptable(DomainError):
    """A password or another part of a login that cannot be taken; the text is a whole English sentence."""


def check(password: str) -> None:
    """Raises Unacceptable."""
    if len(password) < MIN_LENGTH:
        raise Unacceptable(f"The password must have at least {MIN_LENGTH} characters.")
    if len(password) > MAX_LENGTH:
        raise Unacceptable(f"The password must have at most {MAX_LENGTH} characters.")


def generate() -> str:
    """A new password such as "k7fm-9xqp-w3ht-bz6n": 79 bits, easy to read out."""
    return "-".join("".join(secrets.choice(LETTERS) for _ in range(4)) for _ in range(4))


def hash(password: str) -> str:
    return HASHER.hash(_bytes(password))


def verify(known_hash: str | None, password: str) -> bool:
    """Whether it is the password. Without a hash, or for an overlong one, it takes as long and says no."""
    try:
        HASHER.verify(known_hash or DUMMY, _bytes(password[: MAX_LENGTH + 1]))
    except (VerificationError, InvalidHashError):
        return False
    return known_hash is not None


def same(one: str, other: str) -> bool:
    """Whether both open the same door, however their accents were typed."""
    return _bytes(one) == _bytes(other)


def is_outdated(known_hash: str) -> bool:
    """Whether the hash was made with other parameters than today's."""
    return HASHER.check_needs_rehash(known_hash)


def _bytes(password: str) -> bytes:
    # One accented letter is typed as one code point here and as two there.
    return unicodedata.normalize("NFKC", password).encode("utf-8", "surrogatepass")
