"""What of an audit event stays when its customer is forgotten."""

from typing import Any

import pytest

from models import audit_redaction

PLACE = {"starts_at": "2026-12-03T13:00:00+00:00", "professional_id": 1, "squeeze_in": False}


@pytest.mark.parametrize(
    "detail",
    [
        {"from": 3, "why": "no_reply"},
        {"from": 3, "why": "disabled"},
        {"to": 4},
        {"until": "2026-12-03T13:00:00+00:00"},
        {"from": PLACE, "squeeze_in": True, "outside": "FERIADO"},
        {"status": "no_show"},
        {"of": 12},
        {},
    ],
)
def test_plain_values_of_the_business_stay(detail: dict[str, Any]) -> None:
    assert audit_redaction.kept(detail) == detail


@pytest.mark.parametrize(
    "detail",
    [
        {"why": "a Maria pediu"},
        {"why": None},
        {"why": ["no_reply"]},
        {"before": "Maria", "after": "Maria Souza"},
        {"to": "Maria"},
        {"to": True},
        {"from": "+5511987654321"},
        {"from": PLACE | {"customer": "Maria"}},
        {"from": PLACE | {"starts_at": "Maria"}},
        {"from": {}},
        {"until": "Maria"},
        {"until": 3},
        {"until": "2026-12-03"},
        {"status": "Maria"},
        {"outside": "Maria"},
        {"squeeze_in": "Maria"},
        {"new": 1},
    ],
)
def test_whatever_else_goes(detail: dict[str, Any]) -> None:
    assert audit_redaction.kept(detail | {"of": 7}) == {"of": 7}
