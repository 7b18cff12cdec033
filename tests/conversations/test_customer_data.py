"""A customer's data: exported whole, and forgotten without a trace of the person, on both databases."""

import json
from collections.abc import Callable
from datetime import date, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from sqlmodel import SQLModel, select

from bot.answering import turn
from bot.cli import main
from models import audit, customer_data, delivery, erasure, message, schema, waitlist
from models.acts import conversation_acts
from models.audit import AuditEvent
from models.conversation import Conversation, Holder
from models.customer import Customer, CustomerAddress, find_or_create
from models.customer_data import find, parse_phone
from models.db import Database
from models.errors import Conflict, NotFound
from models.message import Incoming, Message, Status
from models.reminder import Reminder
from models.run import WriteKey
from models.tenant import Tenant
from models.waitlist import WaitlistEntry
from tests.fakes import agenda
from tests.fakes.claude import answer, text, tool_use
from tests.fakes.talk import PASSWORD, hire, together
from tests.fakes.twilio import START
from tests.stage import JOAO, MARIA, STUDIO, Stage

PHONE = "+5511987654321"
MARKER = "jabuticaba"  # in every text of this talk
WISH = {"servico_ids": [1, 2], "profissional_id": 1, "data": "2026-12-03", "hora": "10:00"}
SECRETS = (MARKER, "98765", "8765-4321", "Maria", "Souza e Silva")


def talk(stage: Stage) -> None:
    """Booked, cancelled with a reason, booked again, handed over, taken, answered and given back."""
    stage.say(f"{MARKER}: marca pra mim?", ProfileName="Maria Souza e Silva")
    stage.say(f"isso, {MARKER}")
    stage.say(f"cancela, {MARKER}")
    stage.say(f"quero falar com gente {MARKER}")
    [episode] = stage.handoffs
    place = (stage.clock(), episode.tenant_id, episode.conversation_id)
    with stage.db.writing() as session:
        person = hire(session, stage.clock(), episode.tenant_id, "carla@bela.test", "Carla Dias")
        conversation_acts.take(session, *place, person)
        seen = stage.conversations[0].last_seq
        conversation_acts.reply(
            session, *place, person, text=f"Oi {MARKER}", last_seen_seq=seen, client_key="k"
        )
        conversation_acts.give_back(session, *place, person, note=f"cliente {MARKER}")
        audit.record(
            session,
            stage.clock(),
            episode.tenant_id,
            "conversation.note",
            subject_id=episode.conversation_id,
            detail={"why": MARKER},
        )
    stage.work()


def script() -> list[dict[str, Any]]:
    return [
        answer(tool_use("inventada", {"x": MARKER})),
        answer(tool_use("agendar", WISH | {"nome_cliente": "Maria"})),
        answer(text(f"Marcado: quinta-feira, 03/12, às 10:00 ({MARKER}).")),
        answer(text("Pois não, Maria?")),
        answer(tool_use("cancelar", {"agendamento_id": 1, "motivo": MARKER})),
        answer(text("Cancelado o horário de quinta-feira, 03/12, às 10:00.")),
        answer(tool_use("chamar_atendente", {"motivo": f"Maria quer {MARKER}"})),
        answer(text(f"Já chamei ({MARKER}).")),
    ]


@pytest.fixture
def stage(db: Database, now: datetime) -> Stage:
    stage = Stage(db, now, [*script(), answer(text("Oi!"))])
    talk(stage)
    return stage


def export(stage: Stage, phone: str = PHONE) -> dict[str, Any]:
    with stage.db.reading() as session:
        tenant = stage.tenant()
        return customer_data.export(session, tenant, find(session, tenant.id or 0, phone))


def forget(stage: Stage, phone: str = PHONE) -> int:
    with stage.db.writing() as session:
        return erasure.forget(session, stage.clock(), stage.tenant().id or 0, phone)


def dump(db: Database) -> str:
    """Every row of every table."""
    with db.reading() as session:
        return "\n".join(
            str(row) for table in SQLModel.metadata.sorted_tables for row in session.execute(select(table))
        )


def test_export_has_all_of_the_contract(stage: Stage) -> None:
    """Field by field, oldest first, times with São Paulo's offset."""
    data = export(stage)
    assert list(data) == ["customer", "conversation", "appointments", "messages", "handoffs", "runs"]
    assert data["customer"] == {
        "name": "Maria Souza e Silva",
        "addresses": [MARIA],
        "opted_out": False,
    }
    assert data["conversation"] == {"holder": "bot"}
    assert data["appointments"] == [
        {
            "id": 1,
            "service": "Corte feminino + Escova",
            "professional": "Ana Souza",
            "starts_at": "2026-12-03T10:00:00-03:00",
            "ends_at": "2026-12-03T11:45:00-03:00",
            "status": "cancelled",
        }
    ]
    assert data["messages"][0] == {
        "direction": "in",
        "author": "customer",
        "text": f"{MARKER}: marca pra mim?",
        "at": "2026-12-02T10:20:00-03:00",
        "status": "received",
    }
    assert {line["author"] for line in data["messages"]} == {"customer", "bot", "staff"}
    [episode] = data["handoffs"]
    assert list(episode) == ["reason", "opened_at", "claimed_at", "closed_at"]
    assert episode["reason"] == "pedido_do_cliente"
    assert episode["closed_at"].endswith("-03:00")
    assert [run["outcome"] for run in data["runs"]] == ["answered", "answered", "answered", "handed_off"]
    assert data["runs"][0] == {
        "outcome": "answered",
        "stop_reasons": ["tool_use", "tool_use", "end_turn"],
        "iterations": 3,
        "input_tokens": 2700,
        "output_tokens": 120,
        "tool_calls": [
            {
                "name": "inventada",
                "input": {"x": MARKER},
                "is_error": True,
                "error_class": "unknown_tool",
            },
            {
                "name": "agendar",
                "input": WISH | {"nome_cliente": "Maria"},
                "is_error": False,
                "error_class": None,
            },
        ],
    }
    assert data["runs"][3]["stop_reasons"] == ["tool_use", "end_turn"]
    json.dumps(data)


def test_export_of_somebody_who_never_wrote(db: Database, now: datetime) -> None:
    """Every field is there, and empty."""
    with db.writing() as session:
        ids = agenda.studio(session, now)
        key = agenda.customer(session, now, ids.tenant, phone="+5511988887777")
        tenant = session.get_one(Tenant, ids.tenant)
        data = customer_data.export(session, tenant, session.get_one(Customer, key))
    assert data["conversation"] == {"holder": "bot"}
    assert data["appointments"] == data["messages"] == data["handoffs"] == data["runs"] == []


@pytest.mark.parametrize(
    "phone", [PHONE, "+551187654321", "+55 (11) 98765-4321", "whatsapp:+5511987654321", "+55 11 8765.4321"]
)
def test_phone_is_known_however_it_is_written(stage: Stage, phone: str) -> None:
    """With and without the ninth digit."""
    assert export(stage, parse_phone(phone))["customer"]["addresses"] == [MARIA]


@pytest.mark.parametrize("phone", ["", "98765", "5511987654321", "+0511987654321", "+55 11 98765-432x"])
def test_what_is_no_phone_is_refused(phone: str) -> None:
    with pytest.raises(ValueError, match="country"):
        parse_phone(phone)


def test_another_businesss_customer_is_not_found(stage: Stage) -> None:
    """Nor anybody else's data touched."""
    other = stage.tenant("barbearia-rio-negro").id or 0
    with stage.db.writing() as session:
        with pytest.raises(NotFound):
            find(session, other, PHONE)
        with pytest.raises(NotFound):
            erasure.forget(session, stage.clock(), other, PHONE)


def test_nothing_of_a_forgotten_person_is_left(stage: Stage) -> None:
    """Not in any row of any table; before, every one of the secrets was there."""
    before = dump(stage.db)
    assert all(secret in before for secret in SECRETS if secret != "8765-4321")
    forget(stage)
    after = dump(stage.db)
    assert not [secret for secret in SECRETS if secret in after]
    with pytest.raises(NotFound):
        export(stage)


def test_what_the_business_must_know_stays(stage: Stage) -> None:
    """The visit with its times and services, reasons, counts, tokens; and the record that it was done."""
    before = export(stage)
    key = forget(stage)
    with stage.db.reading() as session:
        after = customer_data.export(session, stage.tenant(), session.get_one(Customer, key))
        event = session.exec(select(AuditEvent).where(AuditEvent.action == "customer.forget")).one()
        keys = session.exec(select(WriteKey)).all()
    assert (event.subject_id, event.detail) == (key, {})
    assert keys == []
    assert after["appointments"] == before["appointments"]
    assert after["handoffs"] == before["handoffs"]
    assert after["messages"] == [line | {"text": erasure.BLANK} for line in before["messages"]]
    for old, new in zip(before["runs"], after["runs"], strict=True):
        for name in ("outcome", "stop_reasons", "iterations", "input_tokens", "output_tokens"):
            assert new[name] == old[name]
        assert [call["error_class"] for call in new["tool_calls"]] == [
            call["error_class"] for call in old["tool_calls"]
        ]


def test_pages_still_show_the_forgotten(stage: Stage) -> None:
    """Staff's list, conversation and agenda, and the figures, without the person."""
    forget(stage)
    client = stage.client()
    page = client.get("/entrar").text
    token = page.split('name="csrf_token"')[1].split('value="')[1].split('"')[0]
    client.post(
        "/entrar", data={"csrf_token": token, "email": "carla@bela.test", "password": PASSWORD, "next": ""}
    )
    for address in ("/fila?aba=todas", "/fila/1", "/agenda?dia=2026-12-03", "/metrics"):
        answer = client.get(address, base_url="http://localhost")
        assert answer.status_code == 200, address
        assert not [secret for secret in SECRETS if secret in answer.text]


def test_later_message_starts_clean(stage: Stage) -> None:
    """The same phone is somebody new: another customer, another conversation, nothing known."""
    forget(stage)
    assert stage.say("oi", ProfileName=None) == ["Oi!"]
    assert len(stage.conversations) == 2
    request = str(stage.claude.requests[-1]["messages"])
    assert "nome desconhecido" in request
    assert "nenhum" in request
    assert len(stage.claude.requests[-1]["messages"]) == 1
    assert export(stage)["customer"]["addresses"] == [MARIA]


def test_others_are_left_alone(db: Database, now: datetime) -> None:
    """Another customer's rows are the same before and after."""
    stage = Stage(db, now, lambda body: answer(text("Oi!")))
    stage.say(f"oi {MARKER}", MARIA)
    stage.say("bom dia", JOAO)
    before = export(stage, "+5511976543210")
    forget(stage)
    assert export(stage, "+5511976543210") == before


def test_nothing_is_said_to_the_forgotten(db: Database, now: datetime) -> None:
    """Reminders of a visit that stands are withdrawn, a place in the waiting list is given up."""
    stage = Stage(
        db,
        now,
        [
            answer(tool_use("agendar", WISH | {"data": "2026-12-08"})),
            answer(text("Marcado: terça-feira, 08/12, às 10:00.")),
        ],
    )
    stage.say("isso")
    [visit] = stage.appointments
    with db.writing() as session:
        wish = WaitlistEntry(
            tenant_id=visit.tenant_id,
            customer_id=visit.customer_id,
            service_id=1,
            date=date(2026, 12, 4),
            created_at=now,
        )
        waitlist.join(session, wish)
        line = stage.messages[0].id
        session.get_one(Message, line).content_variables = {"1": MARKER}
    assert {one.state for one in stage.rows(Reminder)} == {"pending"}
    forget(stage)
    assert {one.state for one in stage.rows(Reminder)} == {"obsolete"}
    assert [(one.state, one.reason) for one in stage.rows(WaitlistEntry)] == [("cancelled", erasure.ERASED)]
    assert stage.appointments[0].status == "booked"
    assert MARKER not in dump(db)


def test_every_table_about_a_customer_was_thought_of() -> None:
    """A new table that hangs on one of these needs a line in models/erasure.py, or a reason to be here."""
    about = {"customer", "conversation", "appointment", "message", "run"}
    hanging = {
        table.name
        for table in SQLModel.metadata.sorted_tables
        for key in table.foreign_keys
        if key.column.table.name in about
    }
    blanked = {"conversation", "customer_address", "appointment", "message", "run_step", "handoff"}
    ended = {"reminder", "waitlist"}
    wordless = {"run", "appointment_service", "alert", "stranded_appointment"}
    assert hanging == blanked | ended | wordless


def test_open_episode_ends(db: Database, now: datetime) -> None:
    """Who waits for people is forgotten too: nobody could answer them any more."""
    stage = Stage(db, now, [answer(tool_use("chamar_atendente", {"motivo": MARKER})), answer(text("Já."))])
    stage.say("gente?")
    forget(stage)
    [episode] = stage.handoffs
    [row] = stage.conversations
    assert episode.closed_at is not None
    assert (row.holder, row.unread, row.waiting_since, row.due_at) == (Holder.BOT, 0, None, None)


def test_refused_while_the_bot_answers(db: Database, now: datetime) -> None:
    """While a run is due, in hand, left behind by a crash, or its answer on its way: nothing changes.

    An answer that only waits for its (next) try is not sent any more: nobody knows how long it would.
    """
    seen = []

    def during(body: dict[str, Any]) -> dict[str, Any]:
        seen.append(refused())
        return answer(text("Oi!"))

    def refused() -> bool:
        with pytest.raises(Conflict):
            forget(stage)
        return True

    stage = Stage(db, now, during)
    stage.deliver("oi")
    assert refused()
    stage.clock.forward(seconds=2)
    assert turn.take_turn(stage.services)
    assert seen == [True]
    with stage.db.writing() as session:
        outgoing = delivery.claim_outgoing(session, stage.clock())
    assert outgoing is not None
    assert refused()
    assert export(stage)["messages"][0]["text"] == "oi"
    with stage.db.writing() as session:
        delivery.requeue(session, outgoing, stage.clock())
    forget(stage)
    stage.work()
    assert stage.twilio.sent == []
    assert [line.status for line in stage.messages] == [Status.RECEIVED, Status.DROPPED]


def erase(db: Database, now: datetime, tenant: int, phone: str) -> int:
    with db.writing() as session:
        return erasure.forget(session, now, tenant, phone)


def receive(db: Database, now: datetime, incoming: Incoming) -> int:
    return message.receive(db, incoming, now, timedelta(0)).conversation_id


def test_message_at_the_same_moment(db: Database, now: datetime) -> None:
    """It is somebody new's, or it comes first and the erasure is refused; it is never of the forgotten."""
    with db.writing() as session:
        tenant = agenda.studio(session, now).tenant
    for n in range(20):
        phone = f"+55119876500{n:02d}"
        with db.writing() as session:
            find_or_create(session, now, tenant, [f"whatsapp:{phone}"], "Maria")
        incoming = Incoming(tenant, (f"whatsapp:{phone}",), f"SM{n}", MARKER)

        gone, place = together([partial(erase, db, now, tenant, phone), partial(receive, db, now, incoming)])
        assert isinstance(place, int)
        with db.reading() as session:
            owner = session.get_one(Conversation, place).customer_id
            addresses = session.exec(
                select(CustomerAddress.address).where(CustomerAddress.customer_id == owner)
            ).all()
        assert addresses == [f"whatsapp:{phone}"]
        assert isinstance(gone, Conflict) or gone != owner


def test_file_itself_forgets(sqlite_db: Database, now: datetime) -> None:
    """SQLite leaves deleted text in its file until something is written over it; not here."""
    stage = Stage(sqlite_db, now, script())
    talk(stage)
    file = Path(sqlite_db.url.database or "")
    parts = [file, file.with_name(f"{file.name}-wal")]
    assert any(MARKER.encode() in part.read_bytes() for part in parts if part.exists())
    forget(stage)
    assert erasure.scrub(sqlite_db)
    assert not any(MARKER.encode() in part.read_bytes() for part in parts if part.exists())


# The commands


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Any]:
    """`horacerta customer …` on a file with one customer of studio-bela."""
    url = f"sqlite:///{tmp_path / 'c.db'}"
    monkeypatch.setenv("DATABASE_URL", url)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("structlog.configure", lambda **_: None)

    def invoke(*words: str) -> Any:
        return CliRunner().invoke(main, ["customer", *words])

    db = Database(url)
    schema.migrate(db)
    with db.writing() as session:
        ids = agenda.studio(session, START)
        find_or_create(session, START, ids.tenant, [MARIA], "Zélia")
    db.dispose()
    return invoke


def test_command_prints_one_json_object(run: Callable[..., Any]) -> None:
    result = run("export", "--tenant", STUDIO, "--phone", "+55 11 8765-4321")
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout)["customer"]["name"] == "Zélia"


def test_an_export_is_written_down(run: Callable[..., Any], tmp_path: Path) -> None:
    """Who may ask later: when did somebody read all of it? A failed one read nothing."""
    run("export", "--tenant", STUDIO, "--phone", "+5511900000000")
    run("export", "--tenant", STUDIO, "--phone", PHONE)
    db = Database(f"sqlite:///{tmp_path / 'c.db'}")
    with db.reading() as session:
        events = session.exec(select(AuditEvent)).all()
    db.dispose()
    assert [(each.action, each.detail) for each in events] == [("customer.export", {})]
    assert events[0].subject_id is not None


def test_command_forgets(run: Callable[..., Any]) -> None:
    """And then the phone is unknown."""
    assert run("forget", "--tenant", STUDIO, "--phone", PHONE).exit_code == 0
    result = run("export", "--tenant", STUDIO, "--phone", PHONE)
    assert result.exit_code == 1
    assert result.stderr == f"Error: {STUDIO} has no customer with the phone {PHONE}.\n"
    assert result.stdout == ""


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("export", "--tenant", STUDIO, "--phone", "+5511900000000"), 1),
        (("forget", "--tenant", STUDIO, "--phone", "+5511900000000"), 1),
        (("export", "--tenant", STUDIO, "--phone", "abc"), 2),
        (("forget", "--tenant", STUDIO), 2),
        (("export", "--tenant", "nada", "--phone", PHONE), 2),
        (("forget", "--tenant", "nada", "--phone", PHONE), 2),
    ],
)
def test_command_says_in_one_sentence_what_is_wrong(
    run: Callable[..., Any], words: tuple[str, ...], code: int
) -> None:
    result = run(*words)
    assert result.exit_code == code
    assert "Traceback" not in result.output
