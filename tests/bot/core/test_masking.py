"""Phones and documents go, whatever their form; dates, times, prices and ids stay."""

import pytest

from bot.core.masking import mask


@pytest.mark.parametrize(
    "number",
    [
        "+5511999990001",
        "+55 11 99999-0001",
        "55 11 99999 0001",
        "(11) 99999-0001",
        "11 99999-0001",
        "99999-0001",
        "3222-0001",
        "+351 912 345 601",
        "123.456.789-01",
        "123456789-01",
        "12345678901",
    ],
)
@pytest.mark.parametrize("around", ["{}", "fone {}.", '"{}"', "({})", "a {}, b", "whatsapp:{}"])
def test_private_numbers_go(number: str, around: str) -> None:
    said = mask(around.format(number))
    assert "***01" in said
    assert sum(character.isdigit() for character in said) == 2


@pytest.mark.parametrize(
    "text",
    [
        "2026-12-03",
        '{"data": "2026-12-03", "hora": "14:00", "servico_id": 12}',
        "quinta, 03/12/2026, às 14:00",
        "09:00, 10:00, 11:00",
        "R$ 1.200,00",
        "2026-12-02T13:20:00+00:00",
        "120 minutos",
        "1830 tokens",
        "a1234567890b",
    ],
)
def test_what_is_no_private_number_stays(text: str) -> None:
    assert mask(text) == text


def test_each_of_several_goes() -> None:
    assert mask("11 99999-0001 ou 11 98888-7702") in ("***01 ou ***02",)
