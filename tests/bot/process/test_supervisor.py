"""Processes that die, hang and are stopped: real ones, with nothing in them."""

import os
import signal
import time
from collections.abc import Callable
from functools import partial
from multiprocessing.connection import Connection

import pytest

from bot.process import supervisor
from bot.process.supervisor import Child
from tests.fakes.forks import forking


def sleep() -> None:
    while True:
        signal.pause()


def until(true: Callable[[], object]) -> None:
    deadline = time.monotonic() + 20
    while not true():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_one_that_dies_is_begun_again_and_later_each_time() -> None:
    child, now = Child("worker-1", lambda: os._exit(9)), time.monotonic()
    waits = []
    for _ in range(4):
        child.tend(now)
        until(lambda: child.process is not None and not child.process.is_alive())
        child.tend(now)
        assert child.process is None
        waits.append(child.begin_at - now)
        now = child.begin_at
    assert waits == pytest.approx([0, 1, 2, 5])


def test_one_that_hangs_is_ended() -> None:
    child = Child("worker-1", sleep)
    child.tend(time.monotonic())
    process = child.process
    assert process is not None
    child.alive.value = time.monotonic() + 1000
    child.tend(child.alive.value + supervisor.STUCK_SECONDS + 1)
    process.join(20)
    assert process.exitcode == -signal.SIGKILL


@pytest.mark.parametrize(("how", "code"), [(signal.SIGTERM, 0), (signal.SIGKILL, -9)])
def test_all_end_together(how: int, code: int) -> None:
    """Stopped by its signal, or killed outright: none of its processes is left."""
    context = forking()
    reader, writer = context.Pipe(duplex=False)
    command = context.Process(target=command_of, args=(writer,))
    command.start()
    writer.close()
    assert reader.poll(20)
    assert {reader.recv(), reader.recv()} == {"one", "two"}
    os.kill(command.pid or 0, how)
    command.join(20)
    assert command.exitcode == code
    assert reader.poll(20)
    with pytest.raises(EOFError):  # the last of them has closed its end
        reader.recv()


def command_of(writer: Connection) -> None:
    def part(name: str) -> None:
        writer.send(name)
        sleep()

    supervisor.server.stop_on_signals()
    supervisor.run({name: partial(part, name) for name in ("one", "two")})
