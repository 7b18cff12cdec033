"""The part of the business file about holidays: where the business is, and which of them it keeps."""

import datetime as dt
import re
from dataclasses import dataclass, field

from yaml.nodes import Node, ScalarNode

from models import holiday
from models.business_file import values
from models.business_file.document import Section, line_of, read_scalar
from models.business_file.values import Scalar, Wrong, fold, suggestion
from models.holiday import ALL, Place

KEYS = ("country", "state", "city", "closed", "optional", "open")
NONE = "none"


@dataclass(frozen=True)
class Observance:
    """What the section says, under the names of `Tenant`'s columns without their prefix."""

    country: str | None = None
    state: str | None = None
    city: str | None = None
    closed: bool = False
    optional: list[str] = field(default_factory=list)
    opened: list[str] = field(default_factory=list)


def read(section: Section) -> Observance:
    """Names of days are put as python-holidays writes them. A file without the section keeps no holidays."""
    if not section.present:
        return Observance()
    closed = section.read("closed", values.yes_no, True)
    country = section.need("country", _country, "")
    if not country:
        return Observance()
    place = Place(
        country,
        section.read("state", lambda scalar: _state(country, scalar), None),
        section.read("city", lambda scalar: _city(country, scalar), None),
    )
    return Observance(*place, closed, _optional(section, place), _opened(section, place))


def _country(scalar: Scalar) -> str:
    if scalar.text not in holiday.countries():
        raise Wrong(f'must be a country code that python-holidays knows, such as "BR", not "{scalar.text}"')
    return scalar.text


def _state(country: str, scalar: Scalar) -> str:
    known = holiday.countries()[country]
    if scalar.text not in known:
        raise Wrong(f'"{scalar.text}" is no state of {country}; known: {", ".join(known) or "none"}')
    return scalar.text


def _city(country: str, scalar: Scalar) -> str:
    known = {fold(city): city for city in holiday.cities(country)}
    if fold(scalar.text) not in known:
        near = suggestion(scalar.text, known.values())
        raise Wrong(
            f'"{scalar.text}" is no city whose own holidays are known{near}; '
            f"known: {', '.join(known.values()) or 'none'}; write its holidays under closures"
        )
    return known[fold(scalar.text)]


def _optional(section: Section, place: Place) -> list[str]:
    """Names, or ALL alone."""
    node = section.node("optional")
    word = node.value if isinstance(node, ScalarNode) else ""
    if word in (ALL, NONE):
        return [ALL] if word == ALL else []
    if isinstance(node, ScalarNode):
        section.problems.add(
            line_of(node), f'"optional" must be a list of names, or {ALL} or {NONE}, not "{word}"'
        )
        return []
    known = {fold(name): name for name in place.optional_names()}
    return [
        name for item in section.items("optional") if (name := _named(section, item, known, "optional day"))
    ]


def _opened(section: Section, place: Place) -> list[str]:
    """Names and ISO dates. A date that is no holiday is only odd: the business is open then anyway."""
    known = {fold(name): name for name in place.names()}
    found = []
    for item in section.items("open"):
        if isinstance(item, ScalarNode) and re.match("[0-9]", item.value):
            day = read_scalar(section.problems, item, '"open"', values.day, dt.date.min)
            if day != dt.date.min and not place.is_named(day):
                section.problems.warn(
                    line_of(item), f"{day} is no holiday there, the business is open anyway"
                )
            found.append(day.isoformat())
        else:
            found.append(_named(section, item, known, "holiday"))
    return [name for name in found if name]


def _named(section: Section, node: Node, known: dict[str, str], what: str) -> str:
    """The name as the library writes it; an unknown one is a problem and gives ""."""

    def name_of(scalar: Scalar) -> str:
        if fold(scalar.text) not in known:
            near = suggestion(scalar.text, known.values())
            names = ", ".join(known.values()) or "none"
            raise Wrong(f'"{scalar.text}" is no name that is known there{near}; known: {names}')
        return known[fold(scalar.text)]

    return read_scalar(section.problems, node, what, name_of, "")
