"""What `horacerta doctor` finds out about the models, the transcription and the clock."""

from collections.abc import Callable
from pathlib import Path

import httpx
import pytest

from bot.cli import doctor
from bot.cli.finding import Finding
from bot.core.settings import Settings
from tests.conftest import NOW
from tests.fakes.claude import FakeClaude, answer, error, text
from tests.fakes.openai import FakeOpenAI, completion


def models(tmp_path: Path, **settings: object) -> dict[str, Finding]:
    """The findings about models, by their subject."""
    given = Settings(
        _env_file=None,
        database_url=f"sqlite:///{tmp_path / 'd.db'}",
        twilio_api_url="http://127.0.0.1:1",  # nobody is there
        **settings,
    )
    found = doctor.examine(given, {})
    return {one.subject: one for one in found if one.subject.startswith("model")}


def test_every_model_is_asked(tmp_path: Path) -> None:
    """The second one too, which customers would meet only when the first is away."""
    with FakeClaude([answer(text("ok"))]).serve() as claude, FakeOpenAI([completion("ok")]).serve() as other:
        found = models(
            tmp_path,
            anthropic_api_key="k",
            anthropic_base_url=claude,
            llm_fallback="openai",
            openai_api_key="k",
            openai_model="local",
            openai_base_url=other,
        )
    assert found["model (anthropic)"] == Finding(True, "model (anthropic)", "claude-haiku-5-5 answers")
    assert found["model (openai)"].ok
    assert found["model (openai)"].text.endswith("what it costs is not known: give it in MODEL_PRICES")


def test_wrong_key_is_not_hidden_by_the_second_model(tmp_path: Path) -> None:
    with FakeClaude([error(401, "authentication_error")]).serve() as claude:
        found = models(tmp_path, anthropic_api_key="k", anthropic_base_url=claude, llm_fallback="offline")
    assert not found["model (anthropic)"].ok
    assert "ANTHROPIC_API_KEY" in found["model (anthropic)"].text
    assert found["model (offline)"].ok


# Recordings


def recordings(folder: Path) -> list[Finding]:
    return list(doctor._recordings(Settings(_env_file=None, record_dir=folder)))


def test_a_folder_that_takes_recordings_is_made_and_left_empty(tmp_path: Path) -> None:
    [found] = recordings(tmp_path / "a" / "b")
    assert found.ok
    assert list((tmp_path / "a" / "b").iterdir()) == []
    assert list(doctor._recordings(Settings(_env_file=None))) == []


@pytest.mark.parametrize("folder", ["file", "file/below"])
def test_a_folder_that_takes_no_recordings_is_named(folder: str, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    [found] = recordings(tmp_path / folder)
    assert not found.ok
    assert found.text.startswith(f"{tmp_path / folder} cannot be written (")


# Transcription


def transcription(answer: httpx.Response, **settings: object) -> tuple[list[Finding], list[httpx.Request]]:
    asked: list[httpx.Request] = []

    def server(request: httpx.Request) -> httpx.Response:
        asked.append(request)
        return answer

    given = {"transcription_model": "whisper", "transcription_base_url": "http://ears.example/v1"}
    with httpx.Client(transport=httpx.MockTransport(server)) as http:
        return list(doctor._transcription(Settings(_env_file=None, **(given | settings)), http)), asked


@pytest.mark.parametrize("words", ["", "Legendas pela comunidade"])
def test_a_server_that_takes_a_recording_is_ok(words: str) -> None:
    """Of silence some hear nothing, some hear words: neither is a fault."""
    [found], [asked] = transcription(httpx.Response(200, json={"text": words}))
    assert found == Finding(True, "transcription", "whisper hears voice messages")
    assert str(asked.url) == "http://ears.example/v1/audio/transcriptions"
    assert b"RIFF" in asked.content


def test_a_server_that_takes_none_is_named_with_its_settings() -> None:
    [found], _ = transcription(httpx.Response(401, json={}))
    assert not found.ok
    assert found.text.startswith("whisper does not hear (http_401)")
    assert "TRANSCRIPTION_API_KEY" in found.text


def test_without_a_model_nothing_is_sent() -> None:
    [found], asked = transcription(httpx.Response(500), transcription_model=None)
    assert found.ok
    assert asked == []


# The clock

EXACT = "Wed, 02 Dec 2026 13:20:00 GMT"


def clock(answer: Callable[[httpx.Request], httpx.Response], **settings: object) -> Finding:
    with httpx.Client(transport=httpx.MockTransport(answer)) as http:
        return doctor._clock(Settings(_env_file=None, **settings), http, lambda: NOW)


def test_the_clock_is_compared_without_a_public_url() -> None:
    """Any answer tells the time, a refusal too."""
    found = clock(lambda request: httpx.Response(404, headers={"date": EXACT}))
    assert found == Finding(True, "clock", "0 s away from that of api.twilio.com")


def test_a_wrong_clock_is_named_with_its_cure() -> None:
    found = clock(lambda request: httpx.Response(200, headers={"date": "Wed, 02 Dec 2026 13:18:00 GMT"}))
    assert not found.ok
    assert found.text == "120 s away from that of api.twilio.com; have the system set its clock by NTP"


@pytest.mark.parametrize("date", [None, "yesterday", ""])
def test_the_next_server_is_asked_where_one_does_not_tell(date: str | None) -> None:
    def answer(request: httpx.Request) -> httpx.Response:
        if request.url.host == "api.twilio.com":
            return httpx.Response(200, headers={"date": date} if date is not None else {})
        if request.url.host == "claude.example":
            raise httpx.ConnectError("away")
        return httpx.Response(200, headers={"date": EXACT})

    claude = {"anthropic_api_key": "k", "anthropic_base_url": "http://claude.example"}
    assert clock(answer, public_url="https://shop.example", **claude).text.endswith("that of shop.example")


def test_a_clock_that_nothing_can_be_compared_with_is_told() -> None:
    def away(request: httpx.Request) -> httpx.Response:
        raise httpx.ConnectError("away")

    assert not clock(away).ok
