"""What a model's tokens cost, by model and day.

USD per million tokens is the same number as micro-dollars per token, which is how it is reckoned here.
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, TypeAdapter, ValidationError

if TYPE_CHECKING:
    from bot.llm.base import Usage

# "claude-haiku-5-5-20261007" is the name under which a server may answer for "claude-haiku-5-5".
_DATED = re.compile(r"-20[0-9]{6}\Z")
_Price = Annotated[Decimal, Field(ge=0, lt=100_000, allow_inf_nan=False)]


class Rate(BaseModel):
    """USD per million tokens. What the cache costs is the price of plain input where it is not given."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    input: _Price
    output: _Price
    cache_read: _Price | None = None
    cache_write: _Price | None = None

    def microdollars(self, usage: "Usage") -> Decimal:
        read = self.input if self.cache_read is None else self.cache_read
        write = self.input if self.cache_write is None else self.cache_write
        return (
            usage.input_tokens * self.input
            + usage.output_tokens * self.output
            + usage.cache_read_tokens * read
            + usage.cache_write_tokens * write
        )


class Step(Rate):
    """The rate of a call whose input (cache included) is larger than so many tokens."""

    above_tokens: int = Field(ge=1)


class Price(Rate):
    """The price of one model from a day (UTC) on, with its steps for long inputs."""

    since: date = date.min
    steps: tuple[Step, ...] = ()

    def rate(self, usage: "Usage") -> Rate:
        fitting = [step for step in self.steps if usage.total_input > step.above_tokens]
        return max(fitting, key=lambda step: step.above_tokens, default=self)


@dataclass(frozen=True)
class Prices:
    """The prices of all known models, each model's in any order of their days."""

    of: Mapping[str, Sequence[Price]]

    def microdollars(self, model: str, usage: "Usage", day: date) -> Decimal | None:
        """The cost of one call on that day; None where the model has no price."""
        price = self._price(model, day)
        return None if price is None else price.rate(usage).microdollars(usage)

    def _price(self, model: str, day: date) -> Price | None:
        listed = self.of.get(model) or self.of.get(_DATED.sub("", model)) or ()
        valid = [price for price in listed if price.since <= day]
        return max(valid, key=lambda price: price.since, default=None)


# USD per million tokens of input, output, cache reads, and writes to the five-minute cache (the one in use
# here), as on Anthropic's list of November 2026.
def _listed(*rate: str, since: str = "2026-01-01", above_100k: tuple[str, ...] = ()) -> tuple[Price, ...]:
    columns = ("input", "output", "cache_read", "cache_write")
    price: dict[str, object] = {"since": since, **dict(zip(columns, rate, strict=True))}
    if above_100k:
        price["steps"] = [{"above_tokens": 100_000, **dict(zip(columns, above_100k, strict=True))}]
    return (Price.model_validate(price),)


LIST = Prices(
    {
        "claude-haiku-5-5": _listed(
            *("0.10", "0.50", "0.01", "0.125"),
            since="2026-10-07",
            above_100k=("0.50", "2.50", "0.05", "0.625"),
        ),
        "claude-sonnet-5-5": _listed("2", "10", "0.10", "2.50", since="2026-10-07"),
        "claude-opus-5-5": _listed("4", "20", "0.20", "5", since="2026-09-22"),
        "claude-fable-5-1": _listed("10", "50", "0.25", "12.50"),
        "claude-sonnet-5": _listed("2", "10", "0.20", "2.50"),
        "claude-opus-5": _listed("5", "25", "0.50", "6.25"),
        "claude-haiku-4-5": _listed("1", "5", "0.10", "1.25"),
        "offline": _listed("0", "0", "0", "0"),
    }
)


def _as_list(value: object) -> object:
    return value if isinstance(value, list) else [value]


_GIVEN = TypeAdapter(dict[str, Annotated[tuple[Price, ...], BeforeValidator(_as_list), Field(min_length=1)]])


def with_given(text: str | None) -> Prices:
    """The list with the prices of `text` in place of its own: JSON, or the path of a JSON file.

    {"model": {"input": 0.25, "output": 2, "cache_read": 0.025, "since": "2026-10-01"}}, or several of them in
    a list. Raises ValueError with one sentence.
    """
    if not text:
        return LIST
    given = _parsed(text if text.lstrip().startswith(("{", "[")) else _content(Path(text)))
    return Prices({**LIST.of, **given})


def _content(file: Path) -> str:
    try:
        return file.read_text("utf-8")
    except (OSError, ValueError):
        raise ValueError("must be JSON, or the path of a JSON file that can be read") from None


def _parsed(text: str) -> dict[str, tuple[Price, ...]]:
    try:
        # Numbers are read as they stand: 0.1 is a tenth, not the float next to it.
        return _GIVEN.validate_python(json.loads(text, parse_float=Decimal))
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(str(part) for part in first["loc"])
        raise ValueError(f"{where}: {first['msg']}" if where else first["msg"]) from None
    except ValueError:
        raise ValueError("is no JSON") from None
