"""A conversation's next step as a generator: it yields the calls it needs and is sent their results.

The model keeps nothing between two requests. It runs the talk anew each time and feeds it with the results
that stand in the request already; the first calls without a result are the answer.
"""

import json
from collections.abc import Generator
from dataclasses import dataclass

from bot.llm.rule_based.tool_results import Result

Value = int | str | tuple[int, ...]


@dataclass(frozen=True)
class Call:
    """A tool call: its name and its arguments in order."""

    name: str
    arguments: tuple[tuple[str, Value], ...] = ()

    @property
    def input(self) -> dict[str, object]:
        return {key: list(value) if isinstance(value, tuple) else value for key, value in self.arguments}

    @property
    def key(self) -> str:
        return call_key(self.name, self.input)


def call_key(name: str, arguments: object) -> str:
    """The same for the same call, whatever the order of its arguments."""
    return f"{name} {json.dumps(arguments, sort_keys=True, default=repr)}"


# Yields calls that go out together, is sent one result for each, returns the text for the customer.
Talk = Generator[tuple[Call, ...], tuple[Result, ...], str]
