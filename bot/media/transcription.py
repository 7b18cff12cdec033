"""Speech to text by any server that speaks OpenAI's `/audio/transcriptions`."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import httpx

from bot.core import sanitise
from bot.core.http import Http
from bot.llm.transport import decode

CONNECT_SECONDS = 5.0
MAX_ANSWER_BYTES = 1024 * 1024
LANGUAGE = "pt"
NO_WORDS = "no_words"


class Untranscribed(Exception):
    """There are no words; the text is a word for the log."""


@dataclass(frozen=True)
class Format:
    """How a recording is called where it is sent: some servers go by the name alone."""

    extension: str
    content_type: str


def format_of(content: bytes) -> Format | None:
    """The kind of recording by what it begins with, whatever it was said to be; None for no recording."""
    head = content[:12]
    for signature, found in _SIGNATURES:
        if head.startswith(signature):
            return found
    if head[4:8] == b"ftyp":
        return Format("m4a", "audio/mp4")
    if head.startswith(b"RIFF") and head[8:12] == b"WAVE":
        return Format("wav", "audio/wav")
    return _mpeg(head)


_SIGNATURES = (
    (b"OggS", Format("ogg", "audio/ogg")),
    (b"#!AMR", Format("amr", "audio/amr")),
    (b"ID3", Format("mp3", "audio/mpeg")),
)


def _mpeg(head: bytes) -> Format | None:
    if len(head) < 2 or head[0] != 0xFF or head[1] & 0xE0 != 0xE0:
        return None
    # The two bits of the layer are empty in AAC alone.
    return Format("mp3", "audio/mpeg") if head[1] & 0x06 else Format("aac", "audio/aac")


class Transcriber:
    """One server with one model. Serves as many threads as `http` does."""

    def __init__(
        self,
        http: Http,
        base_url: str,
        model: str,
        key: str | None = None,
        *,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._http = http
        self._url = f"{base_url}/audio/transcriptions"
        self._model = model
        self._key = key
        self._clock = clock

    def transcribe(self, recording: bytes, *, seconds: float) -> str:
        """What is said in it, never empty. Raises Untranscribed."""
        found = format_of(recording)
        if found is None:
            raise Untranscribed("no_recording")
        deadline = self._clock() + seconds
        try:
            status, answer = self._exchange(self._request(recording, found), deadline)
        except httpx.HTTPError as error:
            raise Untranscribed(type(error).__name__) from None
        if status != httpx.codes.OK:
            raise Untranscribed(f"http_{status}")
        return _words(answer)

    def _request(self, recording: bytes, found: Format) -> httpx.Request:
        headers = {"authorization": f"Bearer {self._key}"} if self._key else {}
        return httpx.Request(
            "POST",
            self._url,
            headers=headers,
            data={"model": self._model, "language": LANGUAGE, "response_format": "json"},
            files={"file": (f"audio.{found.extension}", recording, found.content_type)},
        )

    def _exchange(self, request: httpx.Request, deadline: float) -> tuple[int, bytes]:
        left = max(deadline - self._clock(), 0.001)
        timeout = httpx.Timeout(left, connect=min(CONNECT_SECONDS, left))
        content, headers = request.read(), request.headers
        with self._http.stream("POST", self._url, content=content, headers=headers, timeout=timeout) as got:
            received = bytearray()
            for chunk in got.iter_bytes():
                received += chunk
                if len(received) > MAX_ANSWER_BYTES:
                    raise Untranscribed("answer_too_large")
                if self._clock() > deadline:
                    raise Untranscribed("out_of_time")
            return got.status_code, bytes(received)


def _words(answer: bytes) -> str:
    try:
        document = decode(answer)
    except ValueError:
        raise Untranscribed("answer_not_json") from None
    text = document.get("text") if isinstance(document, Mapping) else None
    words = sanitise.text(text).strip() if isinstance(text, str) else ""
    if not any(char.isalnum() for char in words):
        raise Untranscribed(NO_WORDS)
    return words
