"""The worker half: threads that answer and send, a heartbeat, timers, a stop that finishes what is begun."""

import contextlib
import os
import secrets
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import structlog
from apscheduler.schedulers import SchedulerNotRunningError

from bot.answering import turn
from bot.core.services import Services
from bot.process import schedule
from bot.sending import outbox
from models import conversation, schema, worker

log = structlog.get_logger()

TICK_SECONDS = 0.5  # how late another process's work may be noticed
BEAT_SECONDS = 5.0
OUTBOX_THREADS = 4
STOP_SECONDS = 17.0
LAST_SECONDS = 1.0


def _end_process() -> None:
    os.kill(os.getpid(), signal.SIGTERM)


class Worker:
    """All threads of one worker process. `owner` names it in its heartbeat."""

    def __init__(self, services: Services, end: Callable[[], object] = _end_process) -> None:
        self.services = services
        self._end = end
        self.owner = f"{socket.gethostname()[:30]}-{os.getpid()}-{secrets.token_hex(4)}"
        self._stop = threading.Event()
        self._free = threading.Semaphore(services.settings.worker_concurrency)
        self._runs = ThreadPoolExecutor(services.settings.worker_concurrency, "run")
        self._threads: list[threading.Thread] = []
        self._tokens: set[str] = set()  # leases of the claims in hand; the heartbeat renews these alone
        self._timers = schedule.scheduler(services)

    def start(self) -> None:
        # At many waiting threads the default of 5 ms makes a convoy; this costs nothing otherwise.
        sys.setswitchinterval(0.1)
        self._beat()
        loops = {"dispatch": self._dispatch, "heartbeat": self._heartbeat}
        loops |= {f"outbox-{number}": self._send for number in range(OUTBOX_THREADS)}
        self._threads = [threading.Thread(target=loop, name=name) for name, loop in loops.items()]
        for thread in self._threads:
            thread.start()
        self._timers.start()
        log.info("worker_started", owner=self.owner)

    def stop(self, seconds: float = STOP_SECONDS) -> bool:
        """Take nothing new, wait for what runs, release what is not finished by then.

        False if a run is still going: its thread cannot be ended, and would keep the process alive.
        """
        self._stop.set()
        self.services.wake_agent.set()
        self.services.wake_outbox.set()
        with contextlib.suppress(SchedulerNotRunningError):  # told to stop before it had begun
            self._timers.shutdown(wait=False)
        finisher = threading.Thread(target=self._runs.shutdown, name="finish", daemon=True)
        finisher.start()
        finisher.join(seconds)
        self._join(LAST_SECONDS)
        self._leave()
        log.info("worker_stopped", owner=self.owner, finished=not finisher.is_alive())
        return not finisher.is_alive()

    def _join(self, seconds: float) -> None:
        """Wait for the loops, all together at most this long."""
        until = time.monotonic() + seconds
        for thread in self._threads:
            if thread.is_alive():
                thread.join(max(0.0, until - time.monotonic()))

    def _leave(self) -> None:
        # A database that is away at the end: the leases end by themselves.
        with contextlib.suppress(Exception), self.services.db.writing() as session:
            conversation.release_all(session, tuple(self._tokens), self.services.now())
            worker.leave(session, self.owner)

    # Answering

    def _dispatch(self) -> None:
        """Claim in one thread, answer in many: a claim is only taken where a thread is free for it."""
        while not self._stop.is_set():
            found = self._guarded(self._dispatch_one)
            if not found:
                self.services.wake_agent.wait(self._until_due())
                self.services.wake_agent.clear()

    def _dispatch_one(self) -> bool:
        if not self._free.acquire(timeout=TICK_SECONDS):
            return True  # all threads are busy: look again
        claim = None
        try:
            with self.services.db.writing() as session:
                claim = conversation.claim(session, self.services.now(), turn.LEASE)
        finally:
            if claim is None:
                self._free.release()
        if claim is None:
            return False
        self._tokens.add(claim.token)
        self._runs.submit(self._answer, claim)
        return True

    def _answer(self, claim: conversation.Claim) -> None:
        try:
            turn.answer(self.services, claim)
            while outbox.send_next(self.services, claim.conversation_id):
                pass
        except Exception:  # the thread goes back to its pool; the lease brings the conversation back
            log.exception("answer_failed")
        finally:
            self._tokens.discard(claim.token)
            self._free.release()

    def _until_due(self) -> float:
        """Seconds until the next conversation is due, at most a tick."""
        # A look into the future, no more: where it fails, a tick is soon enough.
        with contextlib.suppress(Exception), self.services.db.reading() as session:
            due = conversation.next_due(session)
            if due is not None:
                return min(max((due - self.services.now()).total_seconds(), 0.005), TICK_SECONDS)
        return TICK_SECONDS

    # Sending

    def _send(self) -> None:
        while not self._stop.is_set():
            if not self._guarded(lambda: outbox.send_next(self.services)):
                self.services.wake_outbox.wait(TICK_SECONDS)
                self.services.wake_outbox.clear()

    # Living

    def _heartbeat(self) -> None:
        while not self._stop.wait(BEAT_SECONDS):
            self._guarded(self.keep_to_schema)
            self._guarded(self._beat)

    def keep_to_schema(self) -> bool:
        """Whether the tables are still this version's; else nothing new is begun, and the process ends.

        Started again, it says which version the database wants.
        """
        found = schema.current(self.services.db)
        if found == schema.newest():
            return True
        log.error("schema_changed", found=found, wanted=schema.newest())
        self._stop.set()
        self._end()
        return False

    def _beat(self) -> bool:
        now = self.services.now()
        with self.services.db.writing() as session:
            worker.beat(session, self.owner, now, self.services.meters.calls.state())
            conversation.renew(session, tuple(self._tokens), now + turn.LEASE)
        return True

    def _guarded(self, step: Callable[[], bool]) -> bool:
        """One step of a loop that must not die: a fault is logged, and the loop waits a tick."""
        try:
            return step()
        except Exception:  # whatever it was, the loop has other conversations to see to
            log.exception("worker_step_failed")
            self._stop.wait(TICK_SECONDS)
            return False


def drain(services: Services) -> None:
    """Do all that is due now, in this thread: for tests and for the terminal chat."""
    while turn.take_turn(services) or outbox.send_next(services):
        pass
