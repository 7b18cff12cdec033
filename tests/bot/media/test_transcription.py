"""Recordings into words: by what they are, within limits, and never more than a server really said."""

from collections.abc import Iterator

import httpx
import pytest

from bot.media.transcription import Transcriber, Untranscribed, format_of
from tests.fakes.media import KEY, MODEL, OGG, SPEECH, FakeMedia


@pytest.fixture
def fake() -> FakeMedia:
    return FakeMedia()


@pytest.fixture
def transcriber(fake: FakeMedia) -> Iterator[Transcriber]:
    with httpx.Client(transport=fake.transport()) as http:
        yield Transcriber(http, SPEECH, MODEL, KEY)


def failure(transcriber: Transcriber, recording: bytes = OGG) -> str:
    with pytest.raises(Untranscribed) as caught:
        transcriber.transcribe(recording, seconds=5)
    return str(caught.value)


def test_what_is_said_comes_back(transcriber: Transcriber, fake: FakeMedia) -> None:
    assert transcriber.transcribe(OGG, seconds=5) == "quero marcar um corte amanhã"
    assert fake.recordings == [OGG]


@pytest.mark.parametrize(
    ("head", "extension"),
    [
        (b"OggS\x00\x02", "ogg"),
        (b"#!AMR\n", "amr"),
        (b"ID3\x04", "mp3"),
        (b"\xff\xfb\x90", "mp3"),
        (b"\xff\xf1\x50", "aac"),
        (b"\xff\xf9\x50", "aac"),
        (b"\x00\x00\x00\x20ftypM4A ", "m4a"),
        (b"\x00\x00\x00\x1cftyp3gp4", "m4a"),
        (b"RIFF\x00\x00\x00\x00WAVE", "wav"),
    ],
)
def test_a_recording_is_known_by_its_first_bytes(head: bytes, extension: str) -> None:
    found = format_of(head + b"\x00" * 32)
    assert found is not None
    assert found.extension == extension


@pytest.mark.parametrize(
    "content",
    [b"", b"\xff", b"<html>", b"%PDF-1.7", b"\xff\xd8\xff\xe0", b"\x89PNG\r\n", b"RIFF\x00\x00\x00\x00WEBP"],
)
def test_what_is_no_recording_is_sent_nowhere(
    transcriber: Transcriber, fake: FakeMedia, content: bytes
) -> None:
    assert failure(transcriber, content) == "no_recording"
    assert fake.requests == []


@pytest.mark.parametrize(
    ("answer", "word"),
    [
        (httpx.Response(401), "http_401"),
        (httpx.Response(429), "http_429"),
        (httpx.Response(500, text="<html>"), "http_500"),
        (httpx.Response(302, headers={"location": "https://evil.example"}), "http_302"),
        (httpx.Response(200, text="quero um corte"), "answer_not_json"),
        (httpx.Response(200, json=["quero"]), "no_words"),
        (httpx.Response(200, json={"text": None}), "no_words"),
        (httpx.Response(200, json={"text": " \u200b… "}), "no_words"),
        (httpx.Response(200, content=b"x" * 2_000_000), "answer_too_large"),
        (httpx.ReadTimeout("secret"), "ReadTimeout"),
        (httpx.ConnectError("secret"), "ConnectError"),
    ],
)
def test_without_words_there_is_a_word_for_the_log(
    transcriber: Transcriber, fake: FakeMedia, answer: httpx.Response | Exception, word: str
) -> None:
    fake.speech.append(answer)
    assert failure(transcriber) == word


def test_words_are_made_harmless_and_bounded(transcriber: Transcriber, fake: FakeMedia) -> None:
    fake.words = "oi\x00 \u202eabc" + "a" * 9000
    words = transcriber.transcribe(OGG, seconds=5)
    assert words.startswith("oi abc")
    assert len(words) == 4096


def test_a_server_of_ones_own_needs_no_key(fake: FakeMedia) -> None:
    with httpx.Client(transport=fake.transport()) as http:
        assert failure(Transcriber(http, SPEECH, MODEL)) == "http_401"
    assert [given for _, _, given in fake.requests] == [None]
