"""A real process, killed at every commit and on each side of every socket call of a turn that books.

Whatever the point: after a restart there is exactly one appointment, exactly one answer, a history that the
API accepts, and the same final state as without a crash.
"""

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

import pytest

from models.db import Database
from tests.fakes.claude import FakeClaude, answer, text, tool_use
from tests.fakes.forks import forking
from tests.fakes.twilio import ACCOUNT, PUBLIC_URL, START, TOKEN, FakeTwilio
from tests.faults.product import Life, live
from tests.stage import MARIA, Stage

SLOT = {"servico_id": 1, "profissional_id": 1, "data": "2026-12-03", "hora": "10:00"}
SEARCH = {"servico_id": 1, "data": "2026-12-03"}
DONE = "Marcado: quinta-feira, 03/12/2026, às 10:00, com a Ana Souza."


def receptionist(body: dict[str, Any]) -> dict[str, Any]:
    """A model whose every answer follows from the request alone, so that it may be asked again."""
    said = str(body["messages"][-1])
    if "obrigada" in said:
        return answer(text("Por nada! 😊"))
    done = str(body["messages"])
    if "Horários livres" not in done:
        return answer(tool_use("buscar_servicos"), tool_use("buscar_horarios", SEARCH))
    if "gendado (agendamento_id" not in done:
        return answer(tool_use("agendar", SLOT))
    return answer(text(DONE))


class Theatre:
    """What outlives a killed process: the database, Twilio, Claude."""

    def __init__(self, db: Database, claude: FakeClaude, twilio: FakeTwilio, urls: dict[str, str]) -> None:
        self.db, self.claude, self.twilio = db, claude, twilio
        self.stage = Stage(db, START, [])
        url = db.url.render_as_string(hide_password=False)
        self.settings: dict[str, Any] = {
            "database_url": url,
            "secret_key": "s" * 40,
            "public_url": PUBLIC_URL,
            "twilio_account_sid": ACCOUNT,
            "twilio_auth_token": (TOKEN,),
            "llm_provider": "anthropic",
            "anthropic_api_key": "k",
            "log_level": "ERROR",
            **urls,
        }
        self.headers, self.form = twilio.inbound_form(
            "marca corte quinta 10h com a Ana, pode confirmar direto",
            From=MARIA,
            To=f"whatsapp:{self.stage.tenant().whatsapp}",
            ExternalUserId=None,
        )

    def live(self, now: datetime, kill_at: int = 0, *, then: tuple[datetime, ...] = ()) -> list[str]:
        """One life of the process; gives the points that it passed ([] if it was killed)."""
        context = forking()
        receiver, sender = context.Pipe(duplex=False)
        life = Life(
            self.settings["database_url"],
            self.settings,
            now,
            kill_at,
            self.form,
            self.headers,
            then,
        )
        process = context.Process(target=live, args=(life, sender))
        process.start()
        sender.close()
        try:
            points: list[str] = receiver.recv()
        except EOFError:
            points = []
        process.join()
        assert (process.exitcode == 0) == bool(points), process.exitcode
        return points

    def state(self) -> object:
        """All that must be the same, crash or no crash."""
        return (
            [(row.starts_at, row.status) for row in self.stage.appointments],
            [(row.author, row.text, row.status) for row in self.stage.messages],
            [(row.holder, row.epoch, row.due_at, row.lease_token) for row in self.stage.conversations],
            [row.outcome for row in self.stage.runs],
            [row.reason for row in self.stage.handoffs],
            self.twilio.bodies,
        )


@pytest.fixture
def claude_and_twilio() -> Iterator[tuple[FakeClaude, FakeTwilio, dict[str, str]]]:
    claude, twilio = FakeClaude(receptionist), FakeTwilio()
    with claude.serve() as claude_url, twilio.server() as twilio_url:
        yield claude, twilio, {"anthropic_base_url": claude_url, "twilio_api_url": twilio_url}


@pytest.mark.timeout(600)
def test_killed_anywhere(
    db: Database, claude_and_twilio: tuple[FakeClaude, FakeTwilio, dict[str, str]]
) -> None:
    """Every point in turn, on a fresh database each time."""
    theatre = Theatre(db, *claude_and_twilio)
    names = theatre.live(START)
    expected = theatre.state()
    assert theatre.twilio.bodies == [DONE]
    assert len(names) > 30
    print(f"{len(names)} points")
    for number, name in enumerate(names, start=1):
        reset(theatre)
        assert theatre.live(START, number) == []
        # Twilio's retry delivers again what may not have been stored; then the leases have ended.
        later = START + timedelta(minutes=3)
        theatre.live(later, then=(later + timedelta(minutes=3),))
        assert theatre.state() == expected, f"killed at point {number}, {name}"
        assert theatre.claude.refusals == []
    theatre.form["Body"] = "obrigada"
    follow_up(theatre)


def reset(theatre: Theatre) -> None:
    """An empty database with the business in it, an empty Twilio."""
    from tests.databases import empty

    empty(theatre.db)
    theatre.twilio.sent.clear()
    theatre.stage.open()


def follow_up(theatre: Theatre) -> None:
    """The next turn after the last crash has a valid history."""
    headers, form = theatre.twilio.inbound_form(
        "obrigada", From=MARIA, To=theatre.form["To"], ExternalUserId=None
    )
    theatre.headers, theatre.form = headers, form
    theatre.live(START + timedelta(minutes=10))
    assert theatre.claude.refusals == []
    assert theatre.twilio.bodies[-1] == "Por nada! 😊"
