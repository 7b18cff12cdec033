"""`horacerta`, and `python -m bot`, which is the same."""

import os
import signal
import sys
from types import FrameType

RUNNING = ("serve", "web", "worker", "demo")  # whose end by Ctrl-C is no failure


def main() -> None:
    """Run the command that was given."""
    # What is imported takes a second or two: who changes their mind in it sees no traceback.
    signal.signal(signal.SIGINT, _leave)
    from bot import cli

    signal.signal(signal.SIGINT, signal.default_int_handler)
    cli.main()


def _leave(_number: int, _frame: FrameType | None) -> None:
    os._exit(0 if sys.argv[1:2] and sys.argv[1] in RUNNING else 128 + signal.SIGINT)


if __name__ == "__main__":
    main()
