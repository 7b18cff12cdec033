"""`python -m tests.bench`: every benchmark, one after the other."""

import importlib
import sys

NAMES = ("turn", "webhook", "agenda", "queue", "figures", "tokens")


def main() -> None:
    for name in sys.argv[1:] or NAMES:
        print(f"== {name}", flush=True)
        importlib.import_module(f"tests.bench.{name}").main()


if __name__ == "__main__":
    main()
