"""What rouses a waiting worker: in its own process, or in any of this machine that shares the bell."""

import select
import socket
from contextlib import suppress
from typing import Protocol


class Wake(Protocol):
    """What a `threading.Event` and a `Bell` have in common."""

    def set(self) -> None: ...

    def wait(self, timeout: float) -> object: ...

    def clear(self) -> None: ...


class Bell:
    """One ring rouses one waiter, whichever process it is in. Made before the processes are.

    A ring that nobody hears is lost without harm: whoever waits looks for work by itself every so often.
    """

    def __init__(self) -> None:
        self._out, self._in = socket.socketpair()
        for end in (self._out, self._in):
            end.setblocking(False)

    def set(self) -> None:
        with suppress(BlockingIOError):  # rung so often already that one more tells nothing
            self._in.send(b"!")

    def wait(self, timeout: float) -> bool:
        """Wait for a ring, at most so many seconds."""
        waiting = select.poll()
        waiting.register(self._out, select.POLLIN)
        if not waiting.poll(timeout * 1000):
            return False
        try:
            return bool(self._out.recv(1))
        except BlockingIOError:  # another was quicker
            return False

    def clear(self) -> None:
        """A ring is taken by whoever has heard it."""
