"""For all tests of pages."""

import pytest
from argon2 import PasswordHasher

from models import password


@pytest.fixture(autouse=True)
def _cheap_passwords(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every test hires and logs in several people: at the real cost of a hash that is most of its time."""
    monkeypatch.setattr(password, "HASHER", PasswordHasher(time_cost=1, memory_cost=64, parallelism=1))
