"""What is being arranged, and its words. Each question repeats them, for the last answer is all the memory
that this model has: what is written here, `memory` reads back.
"""

import re
from dataclasses import dataclass, replace
from datetime import date, time, timedelta

from bot.llm.rule_based.nlu.dates import Days
from bot.llm.rule_based.nlu.times import PARTS, Hours, Pick
from bot.llm.rule_based.tool_results import Appointment, Person, Service, read_day, read_time

WEEKDAYS = (
    "segunda-feira",
    "terça-feira",
    "quarta-feira",
    "quinta-feira",
    "sexta-feira",
    "sábado",
    "domingo",
)
ANYONE = "com qualquer profissional"


@dataclass(frozen=True)
class Wish:
    """A visit in the making. `anyone`: whoever is free. `moving`: the appointment that gets a new time.

    `may_wait`: there is a waiting list for it. `later`: services that wait for a visit of their own.
    """

    services: tuple[Service, ...] = ()
    person: Person | None = None
    anyone: bool = False
    days: Days | None = None
    hours: Hours | None = None
    moving: Appointment | None = None
    may_wait: bool = False
    later: tuple[Service, ...] = ()

    @property
    def team(self) -> tuple[Person, ...]:
        """Who does all of it, in the order of the first service."""
        first, *others = self.services or (None,)
        if first is None:
            return ()
        return tuple(
            person for person in first.team if all(person in other.team for other in others if other)
        )


def names_of(wish: Wish) -> str:
    """ "Corte masculino + Barba com Caio Reis" """
    services = joined(wish.services)
    person = f"com {wish.person.name}" if wish.person else ANYONE if wish.anyone else ""
    return " ".join(filter(None, (services, person)))


def joined(services: tuple[Service, ...]) -> str:
    """ "Corte masculino + Barba" """
    return " + ".join(service.name for service in services)


def told(wish: Wish) -> str:
    """ "Corte feminino com Ana Souza, quinta-feira, 03/12/2026, à tarde"; "" if nothing is known.

    Of a move only what is new is told.
    """
    names = names_of(replace(wish, services=()) if wish.moving else wish)
    days = days_told(wish.days) if wish.days else ""
    hours = hours_told(wish.hours) if wish.hours else ""
    return ", ".join(filter(None, (names, days, hours)))


def day_told(day: date) -> str:
    """ "quinta-feira, 03/12/2026" """
    return f"{WEEKDAYS[day.weekday()]}, {day:%d/%m/%Y}"


def appointment_told(appointment: Appointment) -> str:
    """ "Corte feminino com Ana Souza, quarta-feira, 02/12/2026, às 11:30" """
    who = f"{appointment.service} com {appointment.person.name}"
    return f"{who}, {day_told(appointment.day)}, às {appointment.time:%H:%M}"


def days_told(days: Days) -> str:
    dates = days.dates
    if len(dates) > 2 and dates[-1] - dates[0] == timedelta(days=len(dates) - 1):
        return f"de {day_told(dates[0])}, a {day_told(dates[-1])}"
    return " ou ".join(day_told(day) for day in dates)


_PART_NAMES = {window: name for name, window in PARTS.items()}


def hours_told(hours: Hours) -> str:
    if hours.starts:
        return "às " + " ou ".join(f"{start:%H:%M}" for start in hours.starts)
    pick = {"first": "no primeiro horário", "last": "no último horário", "": ""}[hours.pick]
    ends = f"terminando até as {hours.ends_by:%H:%M}" if hours.ends_by else ""
    return " ".join(filter(None, (_window_told(hours), ends, pick)))


def _window_told(hours: Hours) -> str:
    window = (hours.earliest, hours.latest)
    if window in _PART_NAMES:
        return _PART_NAMES[window]
    whole = Hours()
    if hours.latest == whole.latest and hours.earliest.minute % 5 == 1:  # "mais tarde" than that
        return f"depois das {_a_minute(hours.earliest, -1):%H:%M}"
    if hours.latest == whole.latest:
        return f"a partir das {hours.earliest:%H:%M}" if hours.earliest != whole.earliest else ""
    if hours.earliest == whole.earliest:
        return f"antes das {_a_minute(hours.latest, 1):%H:%M}"
    return f"entre {hours.earliest:%H:%M} e {hours.latest:%H:%M}"


def _a_minute(clock: time, step: int) -> time:
    return time(*divmod(clock.hour * 60 + clock.minute + step, 60))


# --- the same words, read back -----------------------------------------------------------------------------

_DAY = r"(?:segunda-feira|terça-feira|quarta-feira|quinta-feira|sexta-feira|sábado|domingo), \d\d/\d\d/\d{4}"
_CLOCK = r"\d\d:\d\d"
_WINDOW = "|".join([*PARTS, rf"(?:a partir|antes|depois) das {_CLOCK}", rf"entre {_CLOCK} e {_CLOCK}"])
_HOURS = (
    rf"às {_CLOCK}(?: ou {_CLOCK})*|"
    rf"(?:(?:{_WINDOW})(?: terminando até as {_CLOCK})?|terminando até as {_CLOCK})"
    r"(?: no (?:primeiro|último) horário)?|"
    r"no (?:primeiro|último) horário"
)
_TOLD = re.compile(
    rf"(?P<names>.*?)(?:(?:^|(?<=.), )(?P<days>de {_DAY}, a {_DAY}|{_DAY}(?: ou {_DAY})*))?"
    rf"(?:(?:^|(?<=.), )(?P<hours>{_HOURS}))?"
)


def read_told(text: str) -> tuple[str, Days | None, Hours | None]:
    """The names, days and hours of what `told` wrote. Names may hold anything; only their end is searched."""
    match = _TOLD.fullmatch(text)
    if match is None:
        return text, None, None
    days = read_days_told(match["days"]) if match["days"] else None
    return match["names"], days, _read_hours_told(match["hours"]) if match["hours"] else None


def read_days_told(text: str) -> Days:
    dates = [read_day(found) for found in re.findall(r"\d\d/\d\d/\d{4}", text)]
    if text.startswith("de "):
        first, last = dates
        dates = [first + timedelta(days=n) for n in range((last - first).days + 1)]
    return Days(tuple(dates))


def _read_hours_told(text: str) -> Hours:
    clocks = [read_time(found) for found in re.findall(_CLOCK, text)]
    if text.startswith("às"):
        return Hours(starts=tuple(clocks))
    ends_by = clocks.pop() if "terminando" in text else None
    earliest, latest = _read_window(text, clocks)
    pick: Pick = "first" if "primeiro horário" in text else "last" if "último horário" in text else ""
    return Hours(earliest=earliest, latest=latest, ends_by=ends_by, pick=pick)


def _read_window(text: str, clocks: list[time]) -> tuple[time, time]:
    part = next((window for name, window in PARTS.items() if text.startswith(name)), None)
    if part:
        return part
    whole = Hours()
    if text.startswith("depois"):
        return _a_minute(clocks[0], 1), whole.latest
    if text.startswith("antes"):
        return whole.earliest, _a_minute(clocks[0], -1)
    return (clocks[0] if clocks else whole.earliest, clocks[1] if len(clocks) > 1 else whole.latest)
