"""Several processes under one command: begun, watched, begun again when they die, stopped together."""

import multiprocessing
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from multiprocessing.connection import wait
from multiprocessing.process import BaseProcess
from typing import Protocol

import structlog

from bot.process import server

log = structlog.get_logger()

STOP_SECONDS = 19.0
ALIVE_SECONDS = 1.0
STUCK_SECONDS = 30.0  # a process of which no thread has run for so long is ended
BEGIN_SECONDS = 60.0  # and a new one has this long to begin
STEADY_SECONDS = 60.0  # who has lived this long is begun again at once
BACK_OFF = (0.0, 1.0, 2.0, 5.0, 10.0, 30.0)  # seconds before a new start, by quick deaths in a row

# Forked where that is safe: the processes share the memory of what is imported, and begin in milliseconds.
_LINUX = sys.platform == "linux"
_processes = multiprocessing.get_context("fork") if _LINUX else multiprocessing.get_context("spawn")


class Moment(Protocol):
    """A number that two processes see."""

    value: float


@dataclass
class Child:
    """One process, which is to run for ever. `alive` is the monotonic time of its last sign of life."""

    name: str
    target: Callable[[], None]
    alive: Moment = field(default_factory=lambda: _processes.Value("d", 0.0, lock=False))
    process: BaseProcess | None = None
    begun_at: float = 0.0
    begin_at: float = 0.0
    quick_deaths: int = 0

    def tend(self, now: float) -> None:
        """Begin it where it does not run and it is time; end it where it is stuck."""
        if self.process is not None and self.process.is_alive():
            if now - self.alive.value > STUCK_SECONDS:
                log.error("process_stuck", process=self.name, pid=self.process.pid)
                self.process.kill()
        elif self.process is not None:
            self._bury(now, self.process)
        elif now >= self.begin_at:
            self._begin(now)

    def _begin(self, now: float) -> None:
        self.begun_at, self.alive.value = now, now + BEGIN_SECONDS
        made = _processes.Process(target=_live, args=(self.target, self.alive, os.getpid()), name=self.name)
        made.start()
        self.process = made

    def _bury(self, now: float, dead: BaseProcess) -> None:
        steady = now - self.begun_at > STEADY_SECONDS
        self.quick_deaths = 0 if steady else self.quick_deaths + 1
        pause = BACK_OFF[min(max(self.quick_deaths - 1, 0), len(BACK_OFF) - 1)]
        log.error("process_ended", process=self.name, pid=dead.pid, code=dead.exitcode, again_in=pause)
        dead.close()
        self.process, self.begin_at = None, now + pause


def run(parts: Mapping[str, Callable[[], None]]) -> None:
    """Keep a process for each of these running, until SystemExit; then end them all."""
    children = [Child(name, target) for name, target in parts.items()]
    try:
        while True:
            for child in children:
                child.tend(time.monotonic())
            wait([child.process.sentinel for child in children if child.process], timeout=ALIVE_SECONDS)
    finally:
        _stop([child.process for child in children if child.process])


def _stop(processes: list[BaseProcess]) -> None:
    until = time.monotonic() + STOP_SECONDS
    for process in processes:
        process.terminate()
    for process in processes:
        process.join(max(0.0, until - time.monotonic()))
    for process in processes:
        if process.is_alive():
            log.error("process_did_not_stop", process=process.name, pid=process.pid)
            process.kill()
            process.join()


def _live(target: Callable[[], None], alive: Moment, parent: int) -> None:
    """In the new process: do its work, say that it lives, and end with whoever began it."""
    server.stop_on_signals()
    threading.Thread(target=_beat, args=(alive, parent), name="alive", daemon=True).start()
    target()


def _beat(alive: Moment, parent: int) -> None:
    while os.getppid() == parent:
        alive.value = time.monotonic()
        time.sleep(ALIVE_SECONDS)
    os.kill(os.getpid(), signal.SIGTERM)  # nobody would begin us again, and a new parent its own
