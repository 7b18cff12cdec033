"""Recording what is said to models over the network, as files that tests replay: one file a run, scrubbed."""

import json
import os
import secrets
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx
import structlog

from bot.core.http import Http
from bot.llm.anonymise import Scrubber
from bot.llm.base import ModelClient, ModelReply, ModelRequest

log = structlog.get_logger()

KEPT_HEADERS = ("content-type", "retry-after", "retry-after-ms", "x-should-retry")
_STAMP = "%Y%m%d-%H%M%S"
_running: ContextVar["Tape | None"] = ContextVar("tape", default=None)


class Tape:
    """The exchanges of one run, written anew after each: names that came up late are then gone from all."""

    def __init__(self, file: Path, hidden: Iterable[str]) -> None:
        self._file = file
        self._hidden = tuple(hidden)
        self._exchanges: list[dict[str, Any]] = []

    def add(self, exchange: dict[str, Any]) -> None:
        """Never raises: a full disk must not cost a customer the answer."""
        self._exchanges.append(exchange)
        document = Scrubber(self._hidden).scrubbed({"exchanges": self._exchanges})
        try:
            self._file.parent.mkdir(parents=True, exist_ok=True)
            with open(self._file, "w", encoding="utf-8", opener=_for_us_alone) as file:
                file.write(json.dumps(document, ensure_ascii=False, indent=1) + "\n")
        except OSError as error:
            log.warning("recording_failed", error=error.strerror)


class TapedHttp:
    """Puts on the tape of the present run what goes over the network."""

    def __init__(self, http: Http) -> None:
        self._http = http

    @contextmanager
    def stream(
        self, method: str, url: str, *, content: bytes, headers: Mapping[str, str], timeout: httpx.Timeout
    ) -> Iterator[httpx.Response]:
        tape = _running.get()
        asked = {"path": httpx.URL(url).path, "request": _decoded(content)}
        heard = bytearray()
        try:
            with self._http.stream(
                method, url, content=content, headers=headers, timeout=timeout
            ) as response:
                if isinstance(response.stream, httpx.SyncByteStream):
                    response.stream = _Tee(response.stream, heard)
                yield response
        except httpx.HTTPError as error:
            if tape is not None:
                tape.add(asked | {"error": type(error).__name__})
            raise
        if tape is not None:
            tape.add(asked | _answer(response, bytes(heard)))


class TapedClient:
    """A model whose every call goes on the tape of one run: each run is to have a new one of these."""

    def __init__(self, client: ModelClient, tape: Tape) -> None:
        self.provider, self.model = client.provider, client.model
        self._client = client
        self._tape = tape

    def complete(self, request: ModelRequest, *, seconds: float) -> ModelReply:
        before = _running.set(self._tape)
        try:
            return self._client.complete(request, seconds=seconds)
        finally:
            _running.reset(before)


class Tapes:
    """A folder of tapes. `hidden` are secrets of the settings, `now` names the files."""

    def __init__(self, folder: Path, hidden: Iterable[str], now: Callable[[], datetime]) -> None:
        self._folder = folder
        self._hidden = tuple(hidden)
        self._now = now

    def try_out(self) -> None:
        """Raises OSError where no file can be put: a run itself would only log it."""
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=self._folder):
            pass

    def new(self) -> Tape:
        name = f"{self._now():{_STAMP}}-{secrets.token_hex(4)}.json"
        return Tape(self._folder / name, self._hidden)


def recorded_at(file: Path) -> datetime | None:
    """When the run of a tape began, to the second; None for a file of another name."""
    try:
        return datetime.strptime(file.name[:15], _STAMP).replace(tzinfo=UTC)
    except ValueError:
        return None


def _for_us_alone(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


class _Tee(httpx.SyncByteStream):
    """Passes bytes on and remembers them."""

    def __init__(self, stream: httpx.SyncByteStream, heard: bytearray) -> None:
        self._stream = stream
        self._heard = heard

    def __iter__(self) -> Iterator[bytes]:
        for chunk in self._stream:
            self._heard += chunk
            yield chunk

    def close(self) -> None:
        self._stream.close()


def _answer(response: httpx.Response, heard: bytes) -> dict[str, Any]:
    try:
        content = response.content  # a response that was made whole, without a stream
    except httpx.ResponseNotRead:
        content = httpx.Response(response.status_code, headers=response.headers, content=heard).content
    headers = {name: response.headers[name] for name in KEPT_HEADERS if name in response.headers}
    return {"status": response.status_code, "headers": headers, "response": _decoded(content)}


def _decoded(content: bytes) -> Any:
    try:
        return json.loads(content)
    except ValueError:
        return content.decode("utf-8", "replace")
