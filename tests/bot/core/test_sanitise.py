"""What strangers type can be stored, shown and read by a model."""

from hypothesis import given
from hypothesis import strategies as st

from bot.core import sanitise


def test_a_half_sign_is_left_out() -> None:
    """JSON can carry a lone surrogate, which no database takes."""
    assert sanitise.text("oi\ud83d!") == "oi!"


def test_emoji_keep_their_joiners() -> None:
    assert sanitise.text("👩🏽\u200d🚀 ❤\ufe0f") == "👩🏽\u200d🚀 ❤\ufe0f"


@given(st.text(st.characters(codec=None)))
def test_any_text_can_be_stored_and_stays_clean(value: str) -> None:
    found = sanitise.text(value)
    assert "\0" not in found
    found.encode()
    assert sanitise.text(found) == found
    assert len(found) <= sanitise.MAX_TEXT


@given(st.text(st.characters(codec=None)), st.integers(min_value=1, max_value=20))
def test_a_line_is_one_line(value: str, limit: int) -> None:
    found = sanitise.line(value, limit)
    assert len(found.splitlines()) <= 1
    assert found == " ".join(found.split())
    assert len(found) <= limit
