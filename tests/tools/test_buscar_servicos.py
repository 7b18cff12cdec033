"""What can be booked, with prices and professionals."""

import pytest
from sqlmodel import col, update

from models.catalog import Professional, ProfessionalService, Service
from models.db import Database
from tests.fakes.agenda import Ids
from tests.tools.conftest import Model

CORTE = (
    "- Corte feminino (servico_id 1): 60 min, R$ 120,00. "
    "Com: Ana Souza (profissional_id 1), Bia Lima (profissional_id 2)."
)
ESCOVA = "- Escova (servico_id 2): 45 min, preço sob consulta. Com: Ana Souza (profissional_id 1)."
BARBA = "- Barba (servico_id 3): 30 min, R$ 50,00. Com: Ana Souza (profissional_id 1)."


def test_everything(model: Model) -> None:
    assert model.done("buscar_servicos").splitlines() == ["Serviços de Studio Bela:", CORTE, ESCOVA, BARBA]


@pytest.mark.parametrize(
    ("term", "lines"),
    [
        ("corte", [CORTE]),
        ("FEMININO  corte", [CORTE]),
        ("", [CORTE, ESCOVA, BARBA]),
        ("escôva", [ESCOVA]),
        ("ana", [CORTE.split(", Bia")[0] + ".", ESCOVA, BARBA]),
        ("bia", ["- Corte feminino (servico_id 1): 60 min, R$ 120,00. Com: Bia Lima (profissional_id 2)."]),
    ],
)
def test_term_names_a_service_or_a_professional(model: Model, term: str, lines: list[str]) -> None:
    assert model.done("buscar_servicos", termo=term).splitlines()[1:] == lines


def test_what_is_done_on_holidays_says_so(db: Database, ids: Ids, model: Model) -> None:
    with db.writing() as session:
        session.exec(update(Service).where(col(Service.id) == ids.barba).values(on_holidays=True))
    lines = model.done("buscar_servicos").splitlines()
    assert lines[1:] == [CORTE, ESCOVA, f"{BARBA} Também em feriados."]


def test_nothing_matches(model: Model) -> None:
    """R15: never an empty list."""
    text = model.done("buscar_servicos", termo="tatuagem")
    assert text.startswith("Nenhum serviço combina com “tatuagem”. Serviços de Studio Bela:")
    assert CORTE in text


def test_a_long_term_is_repeated_shortly_and_a_flood_refused(model: Model) -> None:
    assert len(model.done("buscar_servicos", termo="x" * 100).splitlines()[0]) < 140
    assert model("buscar_servicos", termo="x" * 5000).error_class == "invalid_input"


def test_deactivated_rows_are_left_out(db: Database, ids: Ids, model: Model) -> None:
    with db.writing() as session:
        session.exec(update(Service).where(col(Service.id) == ids.escova).values(active=False))
        session.exec(update(Professional).where(col(Professional.id) == ids.ana).values(active=False))
    text = model.done("buscar_servicos")
    assert "Escova" not in text
    assert "Ana" not in text
    assert "- Barba (servico_id 3): 30 min, R$ 50,00. Sem profissional disponível no momento." in text


def test_no_service_at_all(db: Database, model: Model) -> None:
    with db.writing() as session:
        session.exec(update(Service).values(active=False))
    assert "não tem nenhum serviço" in model.done("buscar_servicos")


def test_many_professionals_are_counted(db: Database, ids: Ids, model: Model) -> None:
    with db.writing() as session:
        for n in range(30):
            who = Professional(tenant_id=ids.tenant, name=f"Profissional {n:02d}")
            session.add(who)
            session.flush()
            session.add(
                ProfessionalService(tenant_id=ids.tenant, professional_id=who.id or 0, service_id=ids.corte)
            )
    assert model.done("buscar_servicos", termo="corte").endswith("(profissional_id 20) e mais 12.")
    assert "Profissional 29 (profissional_id 32)" in model.done("buscar_servicos", termo="profissional 29")
