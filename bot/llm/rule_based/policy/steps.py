"""A conversation's next step as a generator: it yields the calls it needs and is sent their results.

The model keeps nothing between two requests. It runs the talk anew each time and feeds it with the results
that stand in the request already; the first calls without a result are the answer.
"""

import json
from collections.abc import Generator
from dataclasses import dataclass
from typing import Literal, TypeVar

from bot.llm.rule_based.state.slots import FRESH, State
from tools.facts import Fact

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


@dataclass(frozen=True)
class Result:
    """What a call came to. `refused`: a rule said no; `failed`: it did not work, or nobody knows."""

    kind: Literal["ok", "refused", "failed"]
    facts: tuple[Fact, ...] = ()


@dataclass(frozen=True)
class Reply:
    """What the customer is told, and where the talk stands then: the open question is the state's."""

    lead: str
    state: State = FRESH

    def after(self, *leads: str) -> "Reply":
        """The same with words before it."""
        return Reply("\n\n".join(filter(None, (*leads, self.lead))), self.state)


_T = TypeVar("_T")
# Yields calls that go out together and is sent one result for each.
Steps = Generator[tuple[Call, ...], tuple[Result, ...], _T]
Talk = Steps[Reply]
