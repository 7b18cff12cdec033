"""What machines ask: alive, ready, and the figures, which nobody else may read."""

import pytest
from flask.testing import FlaskClient
from prometheus_client.parser import text_string_to_metric_families

from bot.core.call_stats import Calls
from bot.llm.circuit_breaker import Breaker
from models import schema, worker
from models.db import Database
from models.handoff import Reason
from models.message import Status
from tests.bot.web.office import Office


@pytest.fixture
def office(db: Database) -> Office:
    return Office(db)


@pytest.fixture
def client(office: Office) -> FlaskClient:
    return office.client(None)


def beat(office: Office) -> None:
    with office.db.writing() as session:
        worker.beat(session, "w1", office.clock())


def test_alive(client: FlaskClient) -> None:
    assert client.get("/healthz").text == "ok\n"


def test_ready_while_a_worker_beats(office: Office, client: FlaskClient) -> None:
    assert client.get("/readyz").status_code == 503
    beat(office)
    office.clock.forward(seconds=30)
    answer = client.get("/readyz")
    assert (answer.status_code, answer.json) == (200, {"database": "ok", "schema": "ok", "worker": "ok"})
    office.clock.forward(seconds=1)
    answer = client.get("/readyz")
    assert answer.status_code == 503
    assert answer.json
    assert answer.json["worker"] == "no worker is running"


def test_not_ready_on_an_old_schema(sqlite_db: Database) -> None:
    office = Office(sqlite_db)
    beat(office)
    with sqlite_db.engine.begin() as connection:
        connection.exec_driver_sql("update alembic_version set version_num = '0000'")
    answer = office.client(None).get("/readyz")
    assert answer.status_code == 503
    assert answer.json
    assert answer.json["schema"] == "not current: run horacerta migrate"
    assert schema.newest() != "0000"


def test_not_ready_without_a_database(sqlite_db: Database, tmp_path: object) -> None:
    office = Office(sqlite_db)
    sqlite_db.dispose()
    office.services.db.engine = Database(f"sqlite:///{tmp_path}").engine  # a folder is no database
    answer = office.client(None).get("/readyz")
    assert (answer.status_code, answer.json) == (503, {"database": "unreachable"})


def figures(client: FlaskClient) -> dict[tuple[str, ...], float]:
    """Samples by name and label values."""
    answer = client.get("/metrics")
    assert answer.content_type.startswith("text/plain; version=0.0.4")
    return {
        (sample.name, *sample.labels.values()): sample.value
        for family in text_string_to_metric_families(answer.text)
        for sample in family.samples
    }


def test_handoffs_are_counted_from_the_rows_of_all_businesses(office: Office, client: FlaskClient) -> None:
    """Every reason is there from the start; a claim that the bot did not ask for is none."""
    assert {name[1] for name in figures(client) if name[0] == "horacerta_handoffs_total"} == set(Reason)
    office.flags(office.says(), Reason.LIMITE_TEMPO)
    office.flags(office.says(phone="+5511911112222"), Reason.LIMITE_TEMPO)
    office.flags(office.says(ids=office.outra), Reason.REFUSAL)
    office.takes(office.says(phone="+5511911113333"), office.ana)
    counted = figures(client)
    assert counted["horacerta_handoffs_total", "limite_tempo"] == 2
    assert counted["horacerta_handoffs_total", "refusal"] == 1
    assert sum(value for name, value in counted.items() if name[0] == "horacerta_handoffs_total") == 3


def test_what_waits_is_told(office: Office, client: FlaskClient) -> None:
    conversation_id = office.says()
    office.clock.forward(seconds=61)
    assert figures(client)["horacerta_agent_lag_seconds",] == 60
    office.flags(conversation_id)
    office.answers(conversation_id, "Oi", status=Status.QUEUED)
    office.clock.forward(seconds=9)
    beat(office)
    waiting = office.says(phone="+5511911112222")
    office.flags(waiting)
    told = figures(client)
    assert told["horacerta_conversations", "queue"] == 2
    assert told["horacerta_conversations", "staff"] == 0
    assert told["horacerta_outbox_messages",] == 1
    assert told["horacerta_outbox_oldest_seconds",] == 9
    assert told["horacerta_worker_beat_age_seconds",] == 0
    assert told["horacerta_agent_lag_seconds",] == 0


def test_retries_and_breakers_of_each_worker_are_told(office: Office, client: FlaskClient) -> None:
    """Kept with its heartbeat: the process that is asked may be another one."""
    counted = Calls()
    breaker = Breaker(threshold=1)
    counted.watch("anthropic", breaker)
    for cause in ("529", "529", "ReadError"):
        counted.counting("anthropic")(cause)
    breaker.failed()
    with office.services.db.writing() as session:
        worker.beat(session, "w1", office.clock(), counted.state())
        worker.beat(session, "w2", office.clock())
    told = figures(client)
    assert told["horacerta_call_retries_total", "529", "anthropic", "w1"] == 2
    assert told["horacerta_call_retries_total", "ReadError", "anthropic", "w1"] == 1
    states = {name[2]: value for name, value in told.items() if name[0] == "horacerta_model_breaker"}
    assert states == {"closed": 0, "half_open": 0, "open": 1}


# Who may read them


@pytest.mark.parametrize(
    ("peer", "headers", "status"),
    [("127.0.0.1", {}, 200), ("::1", {}, 200), ("10.0.0.7", {}, 403), ("8.8.8.8", {}, 403),
     ("127.0.0.1", {"X-Forwarded-For": "8.8.8.8"}, 403), ("127.0.0.1", {"Forwarded": "for=8.8.8.8"}, 403),
     ("127.0.0.1", {"X-Real-IP": "8.8.8.8"}, 403), ("127.0.0.1", {"Host": "bot.bela.test"}, 403),
     ("127.0.0.1", {"Host": "[::1]:8000"}, 200), ("127.0.0.1", {"Host": "127.0.0.1:8000"}, 200)],
)  # fmt: skip
def test_without_a_token_only_this_machine_asked_directly(
    sqlite_db: Database, peer: str, headers: dict[str, str], status: int
) -> None:
    """Behind a proxy on this machine the whole world comes from loopback: its own marks give it away."""
    client = Office(sqlite_db).client(None)
    answer = client.get("/metrics", headers=headers, environ_base={"REMOTE_ADDR": peer})
    assert answer.status_code == status


@pytest.mark.parametrize(
    ("given", "status"),
    [
        ("Bearer a-token-for-figures", 200),
        ("Bearer another", 401),
        ("a-token-for-figures", 401),
        ("", 401),
        ("Bearer ação", 401),
    ],
)
def test_with_a_token_whoever_has_it(sqlite_db: Database, given: str, status: int) -> None:
    client = Office(sqlite_db, values={"metrics_token": "a-token-for-figures"}).client(None)
    for peer in ("127.0.0.1", "8.8.8.8"):
        answer = client.get("/metrics", headers={"Authorization": given}, environ_base={"REMOTE_ADDR": peer})
        assert answer.status_code == status
