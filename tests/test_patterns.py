"""No text from outside holds a process: every pattern of the code base, found by itself, takes time in line
with the length of what it reads, also of texts made to hurt it.

A pattern is measured with the methods that its name is called with. Texts are made from its own pieces: what
stands before a repetition, then what is repeated, over and over, then nothing that ends it.
"""

import ast
import importlib
import pkgutil
import re
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import chain, islice, product
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import bot
import models
import tools

parser: Any = re._parser  # type: ignore[attr-defined]  # what a pattern is made of is told nowhere else
ROOT = Path(bot.__file__).parents[1]
# At first in small steps: what doubles with each sign is to be seen before it takes for ever.
SIZES = (12, 16, 19, 22, 25, 28, 32, 40, 64, 128, 256, 512, 1_024, 2_048, 4_096, 8_192)
TEXTS = 48  # of one pattern
SLOW = 0.02  # seconds; less than this is no proof of anything
LISTED = ("LITERAL", "RANGE")
MANY = 100  # a repetition with a lower bound than this is none
METHODS = ("match", "fullmatch", "search", "sub", "subn", "split", "findall", "finditer")


@dataclass(frozen=True)
class Found:
    where: str
    pattern: re.Pattern[str]
    whole: bool  # only ever asked about the head of a text, or all of it


@cache
def modules() -> tuple[ModuleType, ...]:
    names = chain.from_iterable(
        pkgutil.walk_packages(package.__path__, f"{package.__name__}.") for package in (bot, models, tools)
    )
    left_out = ("__main__", ".migrations.", "bot.agent.", "bot.llm.rule_based.")
    return tuple(
        importlib.import_module(info.name)
        for info in names
        if not any(part in f"{info.name}." for part in left_out)
    )


@cache
def methods() -> dict[str, set[str]]:
    """By the name of a pattern, what is called on it anywhere."""
    used: dict[str, set[str]] = {}
    for call in calls():
        match call.func:
            case ast.Attribute(value=ast.Name(id=name), attr=method) if method in METHODS:
                used.setdefault(name, set()).add(method)
    return used


@cache
def calls() -> tuple[ast.Call, ...]:
    sources = [path for module in modules() if (path := module.__file__)]
    trees = (ast.parse(Path(path).read_text()) for path in sources)
    return tuple(node for tree in trees for node in ast.walk(tree) if isinstance(node, ast.Call))


def named(where: str, name: str, value: object, seen: set[int]) -> Iterator[Found]:
    """The patterns in a value of a module, however deep."""
    if id(value) in seen:
        return
    seen.add(id(value))
    if isinstance(value, re.Pattern):
        used = methods().get(name, set())
        if isinstance(value.pattern, str):
            yield Found(f"{where}.{name}", value, bool(used) and used <= {"match", "fullmatch"})
    elif isinstance(value, dict):
        for item in chain(value.keys(), value.values()):
            yield from named(where, name, item, seen)
    elif isinstance(value, (tuple, list, set, frozenset)):
        for item in value:
            yield from named(where, name, item, seen)
    elif getattr(type(value), "__module__", "").startswith(("bot", "models", "tools")):
        for item in getattr(value, "__dict__", {}).values():
            yield from named(where, name, item, seen)


def written() -> Iterator[Found]:
    """The patterns that stand as literals in a call of `re`."""
    for call in calls():
        match call.func, call.args:
            case ast.Attribute(value=ast.Name(id="re"), attr=method), [ast.Constant(value=str(text)), *_]:
                if method in METHODS:
                    yield Found(f"re.{method}({text!r})", re.compile(text), method in ("match", "fullmatch"))


@cache
def patterns() -> tuple[Found, ...]:
    seen: set[int] = set()
    by_name = [
        found
        for module in modules()
        for holder in (module, *(c for c in vars(module).values() if isinstance(c, type)))
        for name, value in list(vars(holder).items())
        if holder is module or holder.__module__ == module.__name__
        for found in named(module.__name__, name, value, seen)
    ]
    unique = {(found.pattern, found.whole): found for found in (*by_name, *written())}
    return tuple(unique.values())


# Texts made to hurt


def sample(tree: Any, turn: int = 0) -> str:
    """A text that a piece of a pattern matches, or nearly; another one for each `turn`."""
    return "".join(of_node(kind, value, turn) for kind, value in tree)


def of_node(kind: Any, value: Any, turn: int) -> str:
    match str(kind):
        case "LITERAL":
            return chr(value)
        case "NOT_LITERAL" | "ANY":
            return "a_ 1"[turn % 4]
        case "IN":
            return of_class(value, turn)
        case "BRANCH":
            return sample(value[1][turn % len(value[1])], turn)
        case "SUBPATTERN":
            return sample(value[3], turn)
        case "ATOMIC_GROUP":
            return sample(value, turn)
        case "MAX_REPEAT" | "MIN_REPEAT" | "POSSESSIVE_REPEAT":
            return sample(value[2], turn) * max(1, min(value[0], 3))
        case _:
            return ""


def of_class(items: Any, turn: int) -> str:
    """A sign of a class; of what a class excludes, one that it does not."""
    listed = [value if str(kind) == "LITERAL" else value[0] for kind, value in items if str(kind) in LISTED]
    signs = [sign for sign in (*"a_ 1.*\n-é", *map(chr, listed)) if in_class(items, sign)]
    return signs[turn % len(signs)] if signs else "a"


def in_class(items: Any, sign: str) -> bool:
    tests = {
        "CATEGORY_DIGIT": str.isdigit,
        "CATEGORY_SPACE": str.isspace,
        "CATEGORY_WORD": lambda s: s.isalnum() or s == "_",
    }
    found, negated = False, False
    for kind, value in items:
        match str(kind):
            case "NEGATE":
                negated = True
            case "LITERAL":
                found |= value == ord(sign)
            case "RANGE":
                found |= value[0] <= ord(sign) <= value[1]
            case "CATEGORY":
                name = str(value)
                found |= tests[name.replace("_NOT_", "_")](sign) is not ("_NOT_" in name)
    return found is not negated


def repeated(tree: Any, before: str = "", turn: int = 0) -> Iterator[tuple[str, str]]:
    """Each repetition of a pattern that may go on: what stands before it, and what is repeated."""
    for kind, value in tree:
        match str(kind):
            case "MAX_REPEAT" | "MIN_REPEAT" | "POSSESSIVE_REPEAT":
                if value[1] >= MANY:
                    yield before, sample(value[2], turn)
                yield from repeated(value[2], before, turn)
            case "SUBPATTERN":
                yield from repeated(value[3], before, turn)
            case "ATOMIC_GROUP":
                yield from repeated(value, before, turn)
            case "BRANCH":
                for way in value[1]:
                    yield from repeated(way, before, turn)
            case "ASSERT" | "ASSERT_NOT":
                yield from repeated(value[1], before, turn)
        before += of_node(kind, value, turn)


def hostile(pattern: re.Pattern[str]) -> Iterator[Callable[[int], str]]:
    """Makers of texts of a given length."""
    tree = parser.parse(pattern.pattern, pattern.flags)
    found = dict.fromkeys(chain.from_iterable(repeated(tree, turn=turn) for turn in range(6)))
    pieces = [(before, piece) for before, piece in found if piece]
    whole = sample(tree)
    plain = [("", piece) for piece in (" ", "a", "\n", "_", "1", whole, whole[:-1], f"{whole} ") if piece]
    bodies = list(dict.fromkeys(piece for _, piece in pieces))[:5]
    mixed = [("", first + second) for first, second in product(bodies, bodies) if first != second]
    together = [("", before + piece) for before, piece in pieces if before]
    for before, piece in dict.fromkeys((*pieces, *together, *plain, *mixed)):
        yield lambda size, a=before, b=piece: a + b * (max(0, size - len(a)) // len(b)) + "\0"  # type: ignore[misc]


def seconds(found: Found, text: str) -> float:
    """The best of three; what is short is not worth three."""
    best = float("inf")
    for _ in range(3):
        began = time.process_time()
        if found.whole:
            found.pattern.match(text)
            found.pattern.fullmatch(text)
        else:
            for _hit in found.pattern.finditer(text):
                pass
        best = min(best, time.process_time() - began)
        if best < SLOW:
            break
    return best


def too_long(found: Found, make: Callable[[int], str]) -> tuple[int, float] | None:
    """The length and time at which it takes more than twelve times of what an eighth of the text takes."""
    for size in SIZES:
        taken = seconds(found, make(size))
        if taken > SLOW and taken > 12 * max(seconds(found, make(size // 8)), SLOW / 400):
            return size, taken
        if taken > 1:
            return None  # slow in line with its length: told by the tests of what uses it
    return None


@pytest.mark.parametrize("part", range(8))
def test_no_pattern_can_be_held_up(part: int) -> None:
    bad = []
    for found in patterns()[part::8]:
        for make in islice(hostile(found.pattern), TEXTS):
            if slow := too_long(found, make):
                bad.append(f"{found.where}: {slow[1]:.3f} s for {slow[0]} signs of {make(40)!r}")
                break
    assert not bad, "\n".join(bad)


def test_the_patterns_are_found_and_a_bad_one_would_be() -> None:
    names = {found.where for found in patterns()}
    assert {"bot.web.shared.whatsapp_html._LINK", "bot.llm.spoken._TURN"} <= names
    assert len(names) > 100
    for text in (r"(?:a+)+!", r"x\S+?(?=[*_]*(?:\s|$))", r"\s+$", r"<[^>]*>", r"(\w+\s?)*,"):
        bad = Found(text, re.compile(text), whole=False)
        assert any(too_long(bad, make) for make in hostile(bad.pattern)), text
