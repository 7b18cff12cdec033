"""What staff read instead of codes and numbers."""

from datetime import UTC, date, datetime, timedelta

import pytest

from bot.web.shared import labels

NOW = datetime(2026, 12, 2, 13, 20, tzinfo=UTC)
TODAY = date(2026, 12, 2)


@pytest.mark.parametrize(
    ("ago", "shown"),
    [(timedelta(seconds=-5), "agora"), (timedelta(seconds=59), "agora"), (timedelta(minutes=1), "1 min"),
     (timedelta(minutes=59, seconds=59), "59 min"), (timedelta(hours=1), "1 h"),
     (timedelta(hours=23, minutes=59), "23 h"),
     (timedelta(days=1), "1 dia"), (timedelta(days=40), "40 dias")],
)  # fmt: skip
def test_ago(ago: timedelta, shown: str) -> None:
    assert labels.ago(NOW, NOW - ago) == shown


@pytest.mark.parametrize(
    ("day", "long", "short"),
    [(date(2026, 12, 2), "hoje", "02/12"), (date(2026, 12, 1), "ontem", "ontem"),
     (date(2026, 12, 3), "amanhã", "03/12"), (date(2026, 11, 28), "sábado, 28 de novembro", "28/11"),
     (date(2025, 3, 4), "terça, 4 de março de 2025", "04/03/25")],
)  # fmt: skip
def test_days(day: date, long: str, short: str) -> None:
    assert labels.day(day, TODAY) == long
    assert labels.short_day(day, TODAY) == short


@pytest.mark.parametrize(
    ("address", "shown"),
    [("whatsapp:+5511987654321", "+55 11 98765-4321"), ("whatsapp:+551130001000", "+55 11 3000-1000"),
     ("whatsapp:+351912345678", "+351912345678"), ("whatsapp:BR.1234567890", "sem número de telefone")],
)  # fmt: skip
def test_phones(address: str, shown: str) -> None:
    assert labels.phone(address) == shown


@pytest.mark.parametrize(
    ("name", "address", "shown"),
    [
        (" Maria ", "", "Maria"),
        ("", "whatsapp:+551130001000", "+55 11 3000-1000"),
        ("", "", "cliente sem nome"),
    ],
)
def test_everybody_is_called_something(name: str, address: str, shown: str) -> None:
    assert labels.person(name, address) == shown


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("[audio]", "Áudio"),
        ("[empty]", "Mensagem vazia"),
        ("[oi]", "[oi]"),
        ("[audio] oi", "[audio] oi"),
        ("", ""),
    ],
)
def test_preview(text: str, shown: str) -> None:
    assert labels.preview(text) == shown
