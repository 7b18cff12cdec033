"""Recorded talks with models, replayed: a new file in tests/fixtures/recorded/ is a new test by itself."""

import json
import threading
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest

from bot.agent.loop import Answered, HandedOff
from bot.agent.state import text_of
from bot.llm.anthropic import AnthropicClient
from bot.llm.base import ModelRequest
from bot.llm.recording import Tape, TapedClient, TapedHttp
from bot.process import bootstrap, retention
from models import erasure
from models.db import Database
from models.handoff import Reason
from tests.fakes.claude import FakeClaude, answer, error, text, tool_use
from tests.fakes.openai import FakeOpenAI, call, completion
from tests.fakes.replay import FOLDER, Recording, Replayed, replay
from tests.stage import MARIA, Stage

FILES = sorted(FOLDER.glob("*.json"))
PERSON = ("Marina Teixeira", "Marina", "Teixeira", "98765", "4321", "marina@casa.example", "123.456.789-09")
KEY = "sk-ant-secret-0123456789"


def same_echo(replayed: Replayed, recording: Recording) -> None:
    """Each request holds, of what the model said and the tools gave, what the recorded one held."""
    for sent, recorded in zip(replayed.sent, recording.requests, strict=True):
        assert _said(sent) == _said(recorded)
        assert (sent.tool_choice, sent.max_tokens) == (recorded.tool_choice, recorded.max_tokens)


def _said(request: ModelRequest) -> list[Any]:
    return [
        (
            message["role"],
            block.get("id") or block.get("tool_use_id"),
            block.get("text") or block.get("content"),
        )
        for message in request.messages
        for block in message["content"]
        if message["role"] == "assistant" or block["type"] == "tool_result"
    ]


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_recorded_talk(file: Path) -> None:
    """Every request is valid, every answer is used, and the run ends as the last of them says."""
    recording = Recording.load(file)
    replayed = replay(recording)
    assert replayed.refusals == []
    assert replayed.unused == 0
    same_echo(replayed, recording)
    if isinstance(replayed.outcome, Answered):
        assert replayed.outcome.text == text_of(replayed.replies[-1].content)


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_recorded_talk_names_nobody(file: Path) -> None:
    """What ships was scrubbed: no key, no address, no phone but the stand-ins."""
    content = file.read_text("utf-8")
    for sign in ("sk-", "Bearer", "api-key", "whatsapp:"):
        assert sign not in content


def test_something_is_recorded() -> None:
    assert {Recording.load(file).speaks_claude for file in FILES} == {True, False}


# Recording


def taped(stage: Stage, transport: Any, folder: Path) -> None:
    """Give the stage the models of its settings, recorded, over this network."""
    settings = stage.settings.model_copy(update={"record_dir": folder})
    network = httpx.Client(transport=httpx.MockTransport(transport))
    models = bootstrap.models(settings, network)
    stage.services = replace(stage.services, model=models)


BIA_AT_ELEVEN = {"servico_id": 1, "profissional_id": 2, "data": "2026-12-03", "hora": "11:00"}
BOOKS = (
    answer(text("Olá, Marina! Posso confirmar o corte com a Bia, quinta-feira, 03/12, às 11:00?")),
    answer(tool_use("agendar", BIA_AT_ELEVEN)),
    answer(text("Pronto, Marina! Até lá.")),
)


@pytest.fixture
def tapes(tmp_path: Path) -> Path:
    return tmp_path / "tapes"


@pytest.fixture
def stage(sqlite_db: Database, now: datetime) -> Stage:
    return Stage(sqlite_db, now, [], llm_provider="anthropic", anthropic_api_key=KEY)


def test_a_talk_is_recorded_scrubbed_and_replays(stage: Stage, tapes: Path) -> None:
    """One file a run; of the person and the key nothing is left; all of it replays to the same words."""
    taped(stage, FakeClaude(BOOKS), tapes)
    said = [
        *stage.say(
            "oi, aqui é a Marina Teixeira, marina@casa.example, cpf 123.456.789-09, fone (11) 98765-4321. "
            f"minha chave {KEY}. corte feminino com a Bia amanhã às 11h",
            ProfileName="Marina Teixeira",
        ),
        *stage.say("sim"),
    ]
    files = sorted(tapes.iterdir())
    assert len(files) == len(stage.runs) == len(said) == 2
    assert len(stage.appointments) == 1
    for file in files:
        assert file.stat().st_mode & 0o777 == 0o600
        content = file.read_text("utf-8")
        assert not [word for word in (*PERSON, KEY) if word in content]
    replayed = sorted(_words(replay(Recording.load(file))) for file in files)
    assert replayed == sorted(words.replace("Marina", "Fulano1") for words in said)


def test_a_recording_goes_with_the_customer(stage: Stage, tapes: Path) -> None:
    """K10: what was recorded while they were answered, and nothing else."""
    taped(stage, FakeClaude([answer(text("Olá!"))]), tapes / "now")
    stage.say("oi")
    [ours] = stage.runs
    for began in (ours.started_at, ours.started_at - timedelta(hours=1)):
        (tapes / f"{began:%Y%m%d-%H%M%S}-0badcafe.json").write_text("{}")
    (tapes / "mine.json").write_text("{}")
    assert retention.forget_recordings(stage.db, tapes) == 0
    with stage.db.writing() as session:
        erasure.forget(session, stage.clock(), stage.tenant().id or 0, MARIA.removeprefix("whatsapp:"))
    assert retention.forget_recordings(stage.db, tapes) == 1
    assert len(list(tapes.glob("*.json"))) == 2


def _words(replayed: Replayed) -> str:
    assert isinstance(replayed.outcome, Answered)
    assert replayed.refusals == []
    return replayed.outcome.text


def test_errors_are_recorded_and_replay(stage: Stage, tapes: Path) -> None:
    """An overload, a broken line, then the answer: as three exchanges, with what tells when to try again."""
    steps: Iterator[Any] = iter(
        [error(529, "overloaded_error", retry_after="0.01"), httpx.ReadError("x"), answer(text("Oi!"))]
    )
    taped(stage, FakeClaude(steps), tapes)
    assert stage.say("oi") == ["Oi!"]
    [file] = tapes.iterdir()
    recording = Recording.load(file)
    assert [one.get("status", one.get("error")) for one in recording.exchanges] == [529, "ReadError", 200]
    assert recording.exchanges[0]["headers"]["retry-after"] == "0.01"
    assert _words(replay(recording)) == "Oi!"


def test_hand_over_replays(stage: Stage, tapes: Path) -> None:
    """Also with the forced last answer."""
    steps = [answer(tool_use("chamar_atendente", {"motivo": "quer gente"})), answer(text("Já chamei."))]
    taped(stage, FakeClaude(steps), tapes)
    stage.say("quero uma pessoa")
    [file] = tapes.iterdir()
    outcome = replay(Recording.load(file)).outcome
    assert outcome == HandedOff(Reason.PEDIDO_DO_CLIENTE, "Já chamei.", (), "quer gente")


def test_other_servers_are_recorded_too(sqlite_db: Database, now: datetime, tapes: Path) -> None:
    """Names in arguments, which come as JSON within JSON, are found."""
    stage = Stage(sqlite_db, now, [], llm_provider="openai", openai_api_key="k", openai_model="local")
    wish = {"servico_id": 1, "profissional_id": 1, "data": "2026-12-03", "hora": "10:00"}
    steps = [
        completion(None, call("agendar", json.dumps(wish | {"nome_cliente": "José Peçanha"}))),
        completion("Agendado, José: quinta-feira, 03/12, às 10:00."),
    ]
    taped(stage, FakeOpenAI(steps), tapes)
    [said] = stage.say("isso", ProfileName=None)
    [file] = tapes.iterdir()
    content = file.read_text("utf-8")
    assert "José" not in content
    assert "Jos\\u00e9" not in content
    assert "Peçanha" not in content
    assert _words(replay(Recording.load(file))) == said.replace("José", "Fulano1")


def test_runs_at_once_have_tapes_of_their_own(tmp_path: Path) -> None:
    """What one thread says is on its tape alone."""
    request = ModelRequest("s", [{"role": "user", "content": [text("oi")]}], ())
    http = TapedHttp(
        httpx.Client(transport=httpx.MockTransport(FakeClaude(lambda body: answer(text("Oi.")))))
    )
    client = AnthropicClient(http, key="k", model="m")
    files = [tmp_path / f"{number}.json" for number in range(8)]
    threads = [
        threading.Thread(
            target=TapedClient(client, Tape(file, ())).complete, args=(request,), kwargs={"seconds": 5}
        )
        for file in files
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [len(Recording.load(file).exchanges) for file in files] == [1] * 8


def test_streams_are_recorded_as_they_are_read(tmp_path: Path) -> None:
    """Over a socket, compressed: the tape holds what the client read."""
    with FakeClaude([answer(text("Olá, ça va?"))]).serve() as address, httpx.Client() as network:
        client = AnthropicClient(TapedHttp(network), key="k", model="m", base_url=address)
        request = ModelRequest("s", [{"role": "user", "content": [text("oi")]}], ())
        reply = TapedClient(client, Tape(tmp_path / "a.json", ())).complete(request, seconds=5)
    [exchange] = Recording.load(tmp_path / "a.json").exchanges
    assert exchange["response"]["content"][0]["text"] == text_of(reply.content) == "Olá, ça va?"


def test_full_disk_costs_nobody_an_answer(stage: Stage, tapes: Path) -> None:
    """A folder that could be written at the start and can be no more: the talk goes on."""
    taped(stage, FakeClaude([answer(text("Oi!"))]), tapes)
    tapes.rmdir()
    tapes.write_text("")
    assert stage.say("oi", MARIA) == ["Oi!"]
