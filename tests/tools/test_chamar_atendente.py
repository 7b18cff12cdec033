"""Asking for a person."""

import pytest

from tests.tools.conftest import Model
from tools.facts import PersonCalled


@pytest.mark.parametrize(
    ("motive", "kept"),
    [
        ("Quer negociar um pacote", "Quer negociar um pacote"),
        ("  ", "Sem motivo informado"),
        ("x" * 5000, "x" * 299 + "…"),
        ("Quer\nfalar \u202ecom a dona", "Quer falar com a dona"),
    ],
)
def test_run_ends_with_a_handoff(model: Model, motive: str, kept: str) -> None:
    result = model("chamar_atendente", motivo=motive)
    assert (result.text, result.facts, result.is_error) == (
        "Pedido registrado: uma pessoa da equipe vai continuar esta conversa.",
        (PersonCalled(kept),),
        False,
    )
