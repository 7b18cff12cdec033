"""Input tokens billed per booking, against a loop without caching and without trimming.

A customer who comes again every week, with the whole product and the built-in model behind Claude's wire
format; how the cache bills is reckoned by `cache.py`.
"""

import tempfile
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any

from bot.core import log
from bot.llm.rule_based import OfflineModel
from models import schema
from models.db import Database
from tests.bench.cache import Billed, Cache
from tests.fakes.claude import _neutral, answer
from tests.fakes.twilio import START
from tests.stage import Stage

TALK = (
    "oi, tudo bem?",
    "quero marcar corte feminino",
    "com a Bia",
    "amanhã",
    "às {hour}h",
    "sim",
    "obrigada!",
)
PAUSE = 40  # seconds between two messages of the customer
BOOKINGS = (1, 5, 20)


@dataclass
class Meter:
    """Bills every request twice: as it was sent, and as the simple loop would have sent it."""

    stage: Stage | None = None
    cache: Cache = field(default_factory=Cache)
    ours: Billed = field(default_factory=Billed)
    simple: int = 0
    calls: int = 0
    largest: int = 0
    _before: list[Any] = field(default_factory=list)  # what the simple loop still holds of earlier runs
    _run: list[Any] = field(default_factory=list)

    def __call__(self, body: dict[str, Any]) -> dict[str, Any]:
        assert self.stage is not None
        billed = self.cache.ask(body, self.stage.clock().timestamp())
        self.ours += billed
        self.calls += 1
        self.largest = max(self.largest, billed.plain + billed.read + billed.written)
        self._run = _of_this_run(body["messages"])
        whole = _bare({**body, "messages": [*self._before, *self._run]})
        self.simple += Cache().ask(whole, 0.0).plain
        reply = OfflineModel().complete(_neutral(body), seconds=1)
        if reply.stop_reason == "end_turn":
            self._before += [*self._run, {"role": "assistant", "content": reply.content}]
        return answer(*reply.content, stop_reason=reply.stop_reason)


def _of_this_run(messages: list[Any]) -> list[Any]:
    """From the message with the newest context on."""
    opened = max(n for n, message in enumerate(messages) if "<contexto>" in str(message["content"]))
    return messages[opened:]


def _bare(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _bare(item) for key, item in value.items() if key != "cache_control"}
    return [_bare(item) for item in value] if isinstance(value, list) else value


def measured(bookings: int) -> Meter:
    """A customer with so many visits, one a week."""
    meter = Meter()
    with tempfile.TemporaryDirectory() as folder:
        db = Database(f"sqlite:///{Path(folder) / 'bench.db'}")
        schema.migrate(db)
        stage = meter.stage = Stage(db, START, meter)
        for week in range(bookings):
            for words in TALK:
                stage.clock.forward(seconds=PAUSE)
                stage.say(words.format(hour=10 + week % 2))
            assert len(stage.appointments) == week + 1, stage.twilio.bodies[-6:]
            stage.clock.now += timedelta(days=7)
        db.dispose()
    return meter


def main() -> None:
    log.configure("ERROR", "console")
    print("input tokens billed per booking (estimated), in tokens of plain input that cost the same")
    for bookings in BOOKINGS:
        meter = measured(bookings)
        ours, simple = meter.ours.worth / bookings, meter.simple / bookings
        kinds = f"plain {meter.ours.plain}, written {meter.ours.written}, read {meter.ours.read}"
        print(
            f"{bookings:3} bookings, {meter.calls:3} calls  ours {ours:7.0f}   simple loop {simple:7.0f}   "
            f"ratio {ours / simple:5.1%}   largest request {meter.largest}   ({kinds})"
        )


if __name__ == "__main__":
    main()
