"""A write happens once: re-run, in two threads, with its result lost, or in a fresh model answer."""

import threading
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from pathlib import Path

import pytest
from sqlalchemy.exc import OperationalError
from sqlmodel import Session, select

from models import appointment
from models.appointment import Appointment
from models.db import ATTEMPTS, Database
from models.run import WriteKey
from models.tenant import Tenant
from tests.fakes import agenda
from tests.fakes.agenda import Ids
from tests.fakes.visits import BOOKED
from tests.tools.conftest import Model
from tools import agendar, idempotency, toolbox
from tools.contract import Tool, ToolContext, ToolOutcome
from tools.idempotency import Written
from tools.toolbox import Call, ErrorClass, Result, Toolbox

WISH = {"servico_id": 1, "profissional_id": 1, "data": "2026-12-04", "hora": "10:00"}


def rows(db: Database, model: type[Appointment] | type[WriteKey] = Appointment) -> int:
    with db.reading() as session:
        return len(session.exec(select(model)).all())


def test_key_depends_on_all_that_makes_a_wish(ids: Ids, model: Model) -> None:
    wish = agendar.Agendar.model_validate(WISH)
    other = agendar.Agendar.model_validate({**WISH, "hora": "10:30"})
    spelt_out = agendar.Agendar.model_validate({**WISH, "nome_cliente": None})
    here = model.context
    keys = [
        idempotency.key(here, "agendar", wish),
        idempotency.key(here, "agendar", other),
        idempotency.key(here, "remarcar", wish),
        idempotency.key(replace(here, turn_key="turn-2"), "agendar", wish),
        idempotency.key(replace(here, tenant_id=2), "agendar", wish),
    ]
    assert len(set(keys)) == 5
    assert {len(key) for key in keys} == {64}
    assert idempotency.key(here, "agendar", spelt_out) == keys[0]


def test_same_call_twice(db: Database, model: Model) -> None:
    """S57: the second gives the first result, as done before."""
    first = model.done("agendar", turn="t", **WISH)
    second = model.done("agendar", turn="t", **WISH)
    assert first.startswith("Agendado (agendamento_id 1): Corte feminino")
    assert second == f"Já estava agendado{first.removeprefix('Agendado')}"
    assert model.done("agendar", turn="t", **WISH) == second
    assert (rows(db), rows(db, WriteKey)) == (1, 1)


def test_twice_in_one_answer(db: Database, model: Model) -> None:
    box = Toolbox([agendar.TOOL], model.context, max_identical=2)
    results = box.execute([Call("1", "agendar", WISH), Call("2", "agendar", WISH)], lambda _result: None)
    assert [r.is_error for r in results] == [False, False]
    assert results[1].text.startswith("Já estava agendado (agendamento_id 1)")
    assert rows(db) == 1


def test_same_wish_in_another_turn(db: Database, model: Model) -> None:
    """The customer says it again tomorrow: the booking itself is found."""
    model.done("agendar", **WISH)
    assert model.done("agendar", **WISH).startswith("Já estava agendado (agendamento_id 1): Corte")
    assert rows(db) == 1


def test_other_arguments_are_a_new_wish(db: Database, model: Model) -> None:
    model.done("agendar", turn="t", **WISH)
    model.done("agendar", turn="t", **{**WISH, "hora": "11:00"})
    assert rows(db) == 2


def test_twelve_at_once(db: Database, model: Model) -> None:
    """One does it, eleven are told so; nobody waits for ever or fails."""
    results: list[Result] = []
    gate = threading.Barrier(12)

    def call() -> None:
        box = Toolbox([agendar.TOOL], model.context, max_identical=1)
        gate.wait()
        results.extend(box.execute([Call("1", "agendar", WISH)], lambda _result: None))

    threads = [threading.Thread(target=call) for _ in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert Counter(result.text.split(" (")[0] for result in results) == {
        "Agendado": 1,
        "Já estava agendado": 11,
    }
    assert (rows(db), rows(db, WriteKey)) == (1, 1)


def test_twin_that_commits_in_between(postgres_db: Database, now: datetime) -> None:
    """On PostgreSQL two transactions may both find no key yet: the later takes the first one's result."""
    with postgres_db.writing() as session:
        ids = agenda.studio(session, now)
    context = agenda.context(postgres_db, ids, now)
    wish = agendar.Agendar.model_validate(WISH)

    def overtaken(session: Session) -> Written:
        twin = agendar.run(context, wish)
        assert twin.text.startswith("Agendado")
        return Written("never said", BOOKED, appointment.details(session, ids.tenant, 1))

    found = idempotency.once(context, "agendar", wish, overtaken)
    assert found.text.startswith("Já estava agendado (agendamento_id 1)")
    assert (rows(postgres_db), rows(postgres_db, WriteKey)) == (1, 1)


def test_refusals_are_not_kept(db: Database, ids: Ids, now: datetime, model: Model) -> None:
    """What was taken may be free again in a minute."""
    with db.writing() as session:
        other = agenda.customer(session, now, ids.tenant, phone="+5511999990002")
    model.done("agendar", customer=other, **WISH)
    assert "ocupada" in model.refused("agendar", turn="t", **WISH)
    assert rows(db, WriteKey) == 1
    model.done("cancelar", customer=other, agendamento_id=1)
    assert model.done("agendar", turn="t", **WISH).startswith("Agendado (agendamento_id 2)")


def test_replay_after_a_cancellation_tells_the_present_state(db: Database, model: Model) -> None:
    """It neither books again nor claims that the booking stands."""
    model.done("agendar", turn="t", **WISH)
    model.done("cancelar", agendamento_id=1)
    text = model.done("agendar", turn="t", **WISH)
    assert text == (
        "Este pedido já tinha sido atendido (agendamento_id 1) e depois houve outra mudança: Corte feminino "
        "com Ana Souza, sexta-feira, 04/12/2026, às 10:00, foi cancelado. Nada foi feito agora."
    )
    assert rows(db) == 1


def test_replay_after_a_move_tells_where_it_is_now(db: Database, model: Model) -> None:
    model.done("agendar", turn="t", **WISH)
    model.done("remarcar", agendamento_id=1, data="2026-12-07", hora="09:00")
    assert "segunda-feira, 07/12/2026, às 09:00, está marcado" in model.done("agendar", turn="t", **WISH)


def test_remarcar_and_cancelar_twice(db: Database, model: Model) -> None:
    model.done("agendar", **WISH)
    move = {"agendamento_id": 1, "data": "2026-12-07", "hora": "09:00"}
    first, second = model.done("remarcar", turn="m", **move), model.done("remarcar", turn="m", **move)
    assert second == f"Já estava {first[0].lower()}{first[1:]}"
    first, second = (
        model.done("cancelar", turn="c", agendamento_id=1),
        model.done("cancelar", turn="c", agendamento_id=1),
    )
    assert second == f"Já estava {first[0].lower()}{first[1:]}"


# --- failing half-way


class Broken(Exception):
    """A bug."""


OUTAGE = OperationalError("commit", {}, Exception("server closed the connection"))


def broken(error: Exception, *, after_commit: bool) -> Tool:
    """agendar that fails before or after its transaction."""

    def run(context: ToolContext, wish: agendar.Agendar) -> ToolOutcome:
        if after_commit:
            agendar.run(context, wish)
        raise error

    return replace(agendar.TOOL, run=run)


def executed(tool: Tool, context: ToolContext) -> Result:
    box = Toolbox([tool], context, max_identical=1)
    return box.execute([Call("1", "agendar", WISH)], lambda _result: None)[0]


@pytest.mark.parametrize("error", [OUTAGE, Broken()], ids=["infrastructure", "bug"])
def test_failure_after_the_commit_tells_the_true_result(db: Database, model: Model, error: Exception) -> None:
    """R43: the write is looked up before anything is said."""
    result = executed(broken(error, after_commit=True), model.context)
    assert (result.is_error, result.error_class) == (False, None)
    assert result.text.startswith("Já estava agendado (agendamento_id 1): Corte")
    assert rows(db) == 1


@pytest.mark.parametrize(
    ("error", "kind", "text"),
    [
        (OUTAGE, ErrorClass.infrastructure, toolbox.UNAVAILABLE),
        (Broken(), ErrorClass.bug, toolbox.BROKEN),
    ],
)
def test_failure_before_the_commit(
    db: Database, model: Model, error: Exception, kind: str, text: str
) -> None:
    result = executed(broken(error, after_commit=False), model.context)
    assert (result.error_class, result.text) == (kind, text)
    assert rows(db) == 0


@pytest.mark.parametrize("error", [OUTAGE, Broken()], ids=["infrastructure", "bug"])
def test_failing_look_up_leaves_the_state_unknown(model: Model, tmp_path: Path, error: Exception) -> None:
    """Here the database has no tables any more."""
    empty = Database(f"sqlite:///{tmp_path}/empty.db")
    result = executed(broken(error, after_commit=False), replace(model.context, db=empty))
    empty.dispose()
    assert (result.is_error, result.text) == (True, toolbox.UNCERTAIN)


def test_killed_between_work_and_key_leaves_nothing(
    db: Database, ids: Ids, now: datetime, model: Model
) -> None:
    """Both are in one transaction."""
    wish = agendar.Agendar.model_validate(WISH)

    def half(session: Session) -> Written:
        start = now.replace(day=4, hour=13, minute=0)
        tenant = session.get_one(Tenant, ids.tenant)
        appointment.book(session, now, tenant, ids.customer, ids.ana, [ids.corte], start, "bot")
        raise Broken

    with pytest.raises(Broken):
        idempotency.once(model.context, "agendar", wish, half)
    assert (rows(db), rows(db, WriteKey)) == (0, 0)
    assert idempotency.earlier(model.context, "agendar", wish) is None


class DriverError(Exception):
    """What psycopg raises, as far as we look at it."""

    def __init__(self, sqlstate: str | None) -> None:
        self.sqlstate = sqlstate


@pytest.mark.parametrize(
    ("sqlstate", "failures", "tries"),
    [("40001", 1, 2), ("40P01", 2, 3), ("40001", 5, ATTEMPTS), ("55P03", 1, 1), (None, 1, 1)],
)
def test_a_transaction_that_lost_a_race_is_tried_again(
    model: Model, sqlstate: str | None, failures: int, tries: int
) -> None:
    """Serialisation failures and deadlocks, a few times; nothing else."""
    wish = agendar.Agendar.model_validate(WISH)
    seen: list[int] = []

    def act(session: Session) -> Written:
        seen.append(1)
        if len(seen) <= failures:
            raise OperationalError("update", {}, DriverError(sqlstate))
        assert appointment.upcoming(session, 1, 1, model.context.now) == []
        raise Broken

    expected: type[Exception] = OperationalError if tries <= failures else Broken
    with pytest.raises(expected):
        idempotency.once(model.context, "agendar", wish, act)
    assert len(seen) == tries


def test_other_tenant_with_the_same_key_is_independent(
    db: Database, ids: Ids, now: datetime, model: Model
) -> None:
    with db.writing() as session:
        neighbour = agenda.studio(session, now, slug="b", name="B", whatsapp="+551130001001")
    model.done("agendar", turn="t", **WISH)
    there: Callable[..., str] = Model(agenda.context(db, neighbour, now)).done
    wish = {**WISH, "servico_id": neighbour.corte, "profissional_id": neighbour.ana}
    assert there("agendar", turn="t", **wish).startswith("Agendado (agendamento_id 2)")
