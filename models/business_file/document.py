"""YAML text as nodes that know their line, and the list of what is wrong with them."""

from collections.abc import Callable, Iterable
from enum import StrEnum
from typing import NamedTuple, TypeVar, cast

import yaml
from yaml.events import AliasEvent, Event
from yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from models.business_file.values import Scalar, Wrong, suggestion

MAX_BYTES = 1024 * 1024
MAX_DEPTH = 20
MAX_ALIASES = 200

T = TypeVar("T")


class Code(StrEnum):
    """What is wrong with values that are each right: a page has to say it in its own words."""

    NOTICE = "notice"  # beyond the horizon
    NAME_TWICE = "name_twice"
    NAME_TAKEN = "name_taken"  # by a row that is out of use
    NUMBER_TAKEN = "number_taken"
    OVERLAP = "overlap"
    TIME_TWICE = "time_twice"
    BACKWARDS = "backwards"
    OTHER = ""


class Problem(NamedTuple):
    """What is wrong (or odd) on a line of the file, counted from 1."""

    line: int
    sentence: str
    code: Code = Code.OTHER

    def __str__(self) -> str:
        return f"line {self.line}: {self.sentence}"


class BusinessFileErrors(ValueError):
    """The file cannot be used. `errors` holds every problem that was found, in line order."""

    def __init__(self, errors: Iterable[Problem]) -> None:
        self.errors = tuple(sorted(errors))
        super().__init__("\n".join(str(error) for error in self.errors))


class Problems:
    """Collects what is wrong, so that one look at the file reports all of it, and what is merely odd."""

    def __init__(self) -> None:
        self._found: list[Problem] = []
        self._odd: list[Problem] = []

    def add(self, line: int, sentence: str, code: Code = Code.OTHER) -> None:
        self._found.append(Problem(line, sentence, code))

    def warn(self, line: int, sentence: str) -> None:
        self._odd.append(Problem(line, sentence))

    @property
    def warnings(self) -> tuple[Problem, ...]:
        return tuple(sorted(self._odd))

    def raise_if_any(self) -> None:
        if self._found:
            raise BusinessFileErrors(self._found)


class _Loader(yaml.SafeLoader):
    """Builds nodes only, never objects; bounds what a hostile file could blow up."""

    depth = 0
    aliases = 0

    def compose_node(self, parent: Node | None, index: int) -> Node | None:
        self._refuse_bombs()
        self.depth += 1
        node: Node | None = super().compose_node(parent, index)
        self.depth -= 1
        return node

    def _refuse_bombs(self) -> None:
        event: Event = self.peek_event()  # type: ignore[no-untyped-call]  # the stubs leave it bare
        where = cast(yaml.Mark, event.start_mark)
        self.aliases += isinstance(event, AliasEvent)
        for is_so, problem in (
            (getattr(event, "tag", None) is not None, "tags such as !name are not allowed"),
            (self.depth >= MAX_DEPTH, "it is nested too deeply"),
            (self.aliases > MAX_ALIASES, f"there are more than {MAX_ALIASES} aliases"),
        ):
            if is_so:
                raise yaml.MarkedYAMLError(problem=problem, problem_mark=where)


def compose(text: str) -> Node:
    """The root node of the one document in `text`. Raises BusinessFileErrors where that is no clean YAML."""
    if len(text.encode(errors="replace")) > MAX_BYTES:
        raise BusinessFileErrors([Problem(1, f"the file is larger than {MAX_BYTES // 1024} KiB")])
    try:
        loader = _Loader(text)
        root = loader.get_single_node()
    except yaml.YAMLError as error:
        raise BusinessFileErrors([_syntax_problem(error, text)]) from error
    if root is None:
        raise BusinessFileErrors([Problem(1, "the file is empty")])
    return root


def _syntax_problem(error: yaml.YAMLError, text: str) -> Problem:
    if isinstance(error, yaml.MarkedYAMLError):
        mark = error.problem_mark or error.context_mark
        what = error.problem or error.context or ""
        cure = " (use spaces, not tabs)" if "'\\t'" in what else ""
        return Problem(mark.line + 1 if mark else 1, f"cannot be read: {what}{cure}")
    # The reader stops at the first character that YAML does not allow, and knows only its offset.
    offset = getattr(error, "position", 0)
    return Problem(text.count("\n", 0, offset) + 1, "cannot be read: a control character")


def line_of(node: Node) -> int:
    return int(node.start_mark.line) + 1


def read_scalar(problems: Problems, node: Node, what: str, read: Callable[[Scalar], T], instead: T) -> T:
    """`read` the single value of `node`; a wrong one becomes a problem of `what`, and gives `instead`."""
    try:
        if not isinstance(node, ScalarNode):
            raise Wrong("must be a single value")
        return read(_scalar(node))
    except Wrong as wrong:
        problems.add(line_of(node), f"{what} {wrong}")
        return instead


def _scalar(node: ScalarNode) -> Scalar:
    return Scalar(text=node.value, kind=node.tag.rpartition(":")[2])


def is_null(node: Node) -> bool:
    return isinstance(node, ScalarNode) and _scalar(node).kind == "null"


def items_of(problems: Problems, node: Node, what: str) -> list[Node]:
    """The items of a list; anything else is a problem of `what` and gives none."""
    if isinstance(node, SequenceNode):
        return list(node.value)
    problems.add(line_of(node), f"{what} must be a list")
    return []


def entries_of(problems: Problems, node: Node, what: str) -> list[tuple[str, Node, Node]]:
    """(key, key node, value node) of a mapping in file order; repeated keys are problems and left out."""
    if not isinstance(node, MappingNode):
        problems.add(line_of(node), f"{what} must be a mapping of keys to values")
        return []
    first: dict[str, int] = {}
    entries: list[tuple[str, Node, Node]] = []
    for key_node, value in node.value:
        key, line = key_node.value, line_of(key_node)
        if not isinstance(key_node, ScalarNode):
            problems.add(line, f"a key in {what} must be plain text")
        elif key in first:
            problems.add(line, f'the key "{key}" is given twice in {what} (first on line {first[key]})')
        else:
            first[key] = line
            entries.append((key, key_node, value))
    return entries


def _unknown(key: str, what: str, keys: tuple[str, ...]) -> str:
    if "price" in keys and key.isdigit():
        return f'unknown key "{key}" in {what}: write a price in quotes and with a point, such as "50.00"'
    return f'unknown key "{key}" in {what}{suggestion(key, keys)}; known keys: {", ".join(keys)}'


class Section:
    """A mapping with known keys. Empty values count as absent; unknown keys are problems.

    A section that the file does not have is there too, without keys and not `present`.
    """

    def __init__(self, problems: Problems, node: Node | None, what: str, keys: tuple[str, ...]) -> None:
        self.problems = problems
        self.what = what
        self.line = 1 if node is None else line_of(node)
        self.present = isinstance(node, MappingNode)
        self._nodes: dict[str, Node] = {}
        for key, key_node, value in [] if node is None else entries_of(problems, node, what):
            if key in keys:
                self._nodes[key] = value
            else:
                problems.add(line_of(key_node), _unknown(key, what, keys))

    def node(self, key: str) -> Node | None:
        """The value of an optional key; None where it is absent or empty."""
        node = self._nodes.get(key)
        return None if node is None or is_null(node) else node

    def need_node(self, key: str) -> Node | None:
        """The value of a required key; its absence from a section that is there is a problem."""
        node = self.node(key)
        if node is None and self.present:
            self.problems.add(self.line_of(key), f'{self.what} needs a value for "{key}"')
        return node

    def need(self, key: str, read: Callable[[Scalar], T], instead: T) -> T:
        """A required value; `instead` only stands in until the problem is reported."""
        node = self.need_node(key)
        return instead if node is None else read_scalar(self.problems, node, f'"{key}"', read, instead)

    def read(self, key: str, read: Callable[[Scalar], T], default: T) -> T:
        node = self.node(key)
        return default if node is None else read_scalar(self.problems, node, f'"{key}"', read, default)

    def items(self, key: str) -> list[Node]:
        """The items of an optional list."""
        node = self.node(key)
        return [] if node is None else items_of(self.problems, node, f'"{key}"')

    def section(self, key: str, keys: tuple[str, ...]) -> "Section":
        return Section(self.problems, self.node(key), f'"{key}"', keys)

    def line_of(self, key: str) -> int:
        """The line of a key's value; the section's own where it has none."""
        node = self._nodes.get(key)
        return self.line if node is None else line_of(node)
