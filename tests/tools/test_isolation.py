"""A tenant sees only itself: what belongs to another answers exactly like what does not exist."""

import re
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import text
from sqlmodel import SQLModel

from models.db import Database
from tests.conftest import NOW
from tests.databases import SqliteTemplate
from tests.fakes import agenda
from tests.fakes.agenda import Ids
from tests.tools.conftest import Model
from tools.toolbox import Result

NOBODY = 999_999


class Town:
    """Two businesses with the same people and services; in each one customer with an appointment, and in
    the first another customer with one as well."""

    def __init__(self, db: Database, now: datetime) -> None:
        self.db = db
        with db.writing() as session:
            self.here = agenda.studio(session, now)
            self.there = agenda.studio(session, now, slug="b", name="B", whatsapp="+551130001001")
            self.other = agenda.customer(session, now, self.here.tenant, phone="+5511999990002")
        self.model = Model(agenda.context(db, self.here, now))
        self.book(self.model, self.here, None, "10:00")
        self.book(Model(agenda.context(db, self.there, now)), self.there, None, "10:00")
        self.book(self.model, self.here, self.other, "14:00")

    @staticmethod
    def book(model: Model, ids: Ids, customer: int | None, hour: str) -> None:
        wish = {"servico_id": ids.corte, "profissional_id": ids.ana, "data": "2026-12-07", "hora": hour}
        model.done("agendar", customer=customer, **wish)

    def rows_of_the_other(self) -> list[object]:
        """Everything of the other tenant and of the other customer, to see that nothing changed."""
        found: list[object] = []
        with self.db.engine.connect() as connection:
            for name, table in sorted(SQLModel.metadata.tables.items()):
                if "tenant_id" in table.columns:
                    query = text(f'select * from "{name}" where tenant_id = :t')
                    found += [tuple(row) for row in connection.execute(query, {"t": self.there.tenant})]
            found += [
                tuple(row)
                for row in connection.execute(
                    text("select * from appointment where customer_id = :c"), {"c": self.other}
                )
            ]
        return found


@pytest.fixture(scope="module")
def town(sqlite_template: SqliteTemplate, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Town]:
    db = sqlite_template.copy(Path(tmp_path_factory.mktemp("town")))
    yield Town(db, NOW)
    db.dispose()


def same_but_for_the_id(result: Result, key: int) -> str:
    return re.sub(rf"\b{key}\b", "N", f"{result.error_class} {result.text}")


days = st.sampled_from(["2026-12-01", "2026-12-04", "2026-12-06", "2026-12-07", "2027-12-04"])
hours = st.sampled_from(["09:00", "10:00", "10:10", "11:30", "23:00"])
# Which field holds a foreign id, and of which kind.
FOREIGN = [
    ("buscar_horarios", "servico_id", "corte"),
    ("buscar_horarios", "servico_ids", "barba"),
    ("buscar_horarios", "profissional_id", "ana"),
    ("agendar", "servico_id", "corte"),
    ("agendar", "servico_ids", "barba"),
    ("agendar", "profissional_id", "ana"),
    ("remarcar", "agendamento_id", "theirs"),
    ("remarcar", "agendamento_id", "others"),
    ("remarcar", "profissional_id", "bia"),
    ("lista_de_espera", "servico_id", "corte"),
    ("lista_de_espera", "profissional_id", "bia"),
    ("cancelar", "agendamento_id", "theirs"),
    ("cancelar", "agendamento_id", "others"),
]


def arguments(town: Town, name: str, day: str, hour: str) -> dict[str, object]:
    """Arguments that fit, all of one's own."""
    when = {"data": day, "hora": hour}
    visit = {"servico_id": town.here.corte, "profissional_id": town.here.ana}
    return {
        "buscar_horarios": {**visit, "data": day},
        "agendar": {**visit, **when},
        "remarcar": {"agendamento_id": 1, **when},
        "cancelar": {"agendamento_id": 1},
        "lista_de_espera": {**visit, "data": day},
    }[name]


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.sampled_from(FOREIGN), days, hours)
def test_foreign_answers_like_missing(town: Town, where: tuple[str, str, str], day: str, hour: str) -> None:
    """The same words for an id of the neighbour, of another customer, and of nobody; nothing is touched."""
    name, field, kind = where
    foreign = {"theirs": 2, "others": 3}.get(kind) or getattr(town.there, kind)
    before = town.rows_of_the_other()
    answers = set()
    for key in (foreign, NOBODY):
        wish = arguments(town, name, day, hour)
        if field == "servico_ids":
            wish = {**wish, "servico_id": None, "servico_ids": [town.here.corte, key]}
        else:
            wish = {**wish, field: key}
        result = town.model(name, **wish)
        assert result.is_error
        answers.add(same_but_for_the_id(result, key))
    assert len(answers) == 1, answers
    assert town.rows_of_the_other() == before


def test_own_lists_hold_nothing_of_others(town: Town) -> None:
    texts = [
        town.model.done("buscar_servicos"),
        town.model.done("meus_agendamentos"),
        town.model.done("buscar_horarios", servico_id=town.here.corte, data="2026-12-07"),
    ]
    shown = {(kind, int(key)) for t in texts for kind, key in re.findall(r"(\w+_id) (\d+)", t)}
    foreign = {
        *(("servico_id", key) for key in (town.there.corte, town.there.escova, town.there.barba)),
        *(("profissional_id", key) for key in (town.there.ana, town.there.bia)),
        *(("agendamento_id", key) for key in (2, 3)),
    }
    assert shown
    assert not shown & foreign
    assert not any("Serviços de B" in t for t in texts)


def test_a_booking_next_door_takes_nothing_here(town: Town) -> None:
    """Both have Ana, and both Anas are booked at ten."""
    free = town.model.done("buscar_horarios", servico_id=town.here.corte, data="2026-12-07")
    ana = next(line for line in free.splitlines() if "Ana Souza" in line)
    assert "14:00" not in ana  # the other customer of this business
    Town.book(Model(agenda.context(town.db, town.there, NOW)), town.there, None, "16:00")
    assert town.model.done("buscar_horarios", servico_id=town.here.corte, data="2026-12-07") == free
