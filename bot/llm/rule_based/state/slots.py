"""Where a talk stands: what is settled of the wish in hand, what is asked, was offered, and comes after.

All of it is plain values (ids, days, times), so that it goes out and comes back as JSON.
"""

from dataclasses import dataclass, replace
from datetime import date, datetime, time
from enum import StrEnum

from bot.intents.choices import Choice, slot_id
from bot.llm.rule_based.nlu.times import PARTS, Hours
from tools.facts import Visit


class Act(StrEnum):
    """What a wish is for."""

    BOOK = "book"
    MOVE = "move"
    CANCEL = "cancel"
    WAIT = "wait"


class Asked(StrEnum):
    """The question that is open."""

    NOTHING = ""
    SERVICE = "service"
    PERSON = "person"
    DAY = "day"
    WHICH_DAY = "which_day"
    TIME = "time"
    CHECK_HOUR = "check_hour"  # "uma hora" may be one o'clock
    VISIT = "visit"
    CONFIRM = "confirm"
    CHANGES = "changes"
    MOVE_OR_CANCEL = "move_or_cancel"
    SEE_TIMES = "see_times"
    PERSON_OF_STAFF = "staff"
    HELP = "help"


# Answers by yes or no: shown as buttons, never numbered.
YES_OR_NO = (Asked.CONFIRM, Asked.SEE_TIMES, Asked.PERSON_OF_STAFF, Asked.CHECK_HOUR)


@dataclass(frozen=True)
class Form:
    """One wish, as far as it is known. `visit`: the booked one that it moves or cancels.

    `anyone`: whoever is free. `not_with`: who is not wanted. `days`: any of these will do. `pair`: a second
    person comes along, at the same time if possible. `whose`: for whom it is, where that is not the customer.
    """

    act: Act = Act.BOOK
    services: tuple[int, ...] = ()
    person: int | None = None
    anyone: bool = False
    not_with: tuple[int, ...] = ()
    days: tuple[date, ...] = ()
    hours: Hours | None = None
    visit: int | None = None
    pair: bool = False
    whose: str = ""

    @property
    def begun(self) -> bool:
        return self != Form(self.act)

    @property
    def start(self) -> datetime | None:
        """The one start that it comes down to."""
        if len(self.days) != 1 or not self.hours or not self.hours.starts:
            return None
        return datetime.combine(self.days[0], self.hours.starts[0])

    def at(self, person: int, start: datetime) -> "Form":
        """Settled on exactly this."""
        hours = Hours(starts=(start.time(),))
        return replace(self, person=person, anyone=False, days=(start.date(),), hours=hours)


@dataclass(frozen=True)
class Full:
    """A day, or a part of it, on which nothing is free, and for which one may wait."""

    day: date
    period: str | None = None


@dataclass(frozen=True)
class State:
    """What stands after an answer. `words` is the open question without its `choices`.

    `later`: wishes that come after this one. `shown`: days of which times were shown. `full`: what one may
    wait for. `unclear`: how often in a row nothing was understood. `name`: the customer's, told in this talk;
    `name_asked`: they were asked for it. `done`: the visit that was booked or moved just now. `arguments`:
    the call that was proposed, as it stands with the tools.
    """

    asked: Asked = Asked.NOTHING
    form: Form = Form()
    words: str = ""
    choices: tuple[Choice, ...] = ()
    later: tuple[Form, ...] = ()
    shown: tuple[date, ...] = ()
    full: Full | None = None
    unclear: int = 0
    name: str = ""
    name_asked: bool = False
    done: int | None = None

    @property
    def numbered(self) -> bool:
        """Whether the choices are told with numbers."""
        return bool(self.choices) and self.asked not in YES_OR_NO

    @property
    def afresh(self) -> "State":
        """Nothing is open any more; what is known of the customer stays."""
        return State(name=self.name, name_asked=self.name_asked)

    def quietly(self) -> "State":
        """What is settled, with nothing asked: somebody else spoke in between."""
        return replace(self, asked=Asked.NOTHING, choices=())


FRESH = State()


# Choices: the id says what is meant


YES, NO, OTHER = Choice("yes", "Sim"), Choice("no", "Não"), Choice("other", "Outro horário")
STAFF = Choice("staff", "Falar com uma pessoa")


def slot(person: int, start: datetime, title: str, description: str = "") -> Choice:
    return Choice(slot_id(person, start.date(), start.time()), title, description)


@dataclass(frozen=True)
class Meant:
    """What a choice settles; `kind` alone for those that are only a word."""

    kind: str
    key: int | None = None
    day: date | None = None
    start: datetime | None = None


def meant_by(choice_id: str) -> Meant | None:
    """What an id of ours means; None for what is none, also where a number or date in it is broken."""
    kind, _, rest = choice_id.partition(":")
    try:
        match kind:
            case "slot":
                person, _, start = rest.partition(":")
                return Meant(kind, key=int(person), start=datetime.fromisoformat(start))
            case "day":
                return Meant(kind, day=date.fromisoformat(rest))
            case "service" | "person" | "visit":
                return Meant(kind, key=int(rest))
    except ValueError:
        return None
    return Meant(kind) if kind and not rest else None


def settled_by(form: Form, meant: Meant) -> Form:
    """The wish with what was chosen."""
    match meant:
        case Meant(kind="slot", key=int(person), start=datetime() as start):
            return form.at(person, start)
        case Meant(kind="day", day=date() as day):
            return replace(form, days=(day,))
        case Meant(kind="service", key=int(service)):
            return replace(form, services=(service,))
        case Meant(kind="person", key=int(person)):
            return replace(form, person=person, anyone=False)
        case Meant(kind="anyone"):
            return replace(form, person=None, anyone=True)
        case Meant(kind="visit", key=int(visit)):
            return replace(form, visit=visit)
    return form


# Parts of the day as the tools name them

PERIODS = (
    ("manha", time.min, time(11, 59)),
    ("tarde", time(12), time(17, 59)),
    ("noite", time(18), time(23, 59)),
)
PERIOD_WORDS = {"manha": "de manhã", "tarde": "à tarde", "noite": "à noite"}


def periods_of(hours: Hours | None) -> tuple[str, ...]:
    """The parts of the day that are touched; none where all are: long lists come shortened.

    The first one from some hour on may be what was left out.
    """
    if hours is None or hours.whole_day:
        return ()
    ends = hours.ends_by or time(23, 59)
    touched = tuple(
        name
        for name, first, last in PERIODS
        if any(first <= start <= last for start in hours.starts)
        or (not hours.starts and hours.earliest <= last and hours.latest >= first and first < ends)
    )
    return touched if len(touched) < len(PERIODS) or hours.pick else ()


def hours_of(period: str | None) -> Hours | None:
    if period is None:
        return None
    earliest, latest = PARTS[PERIOD_WORDS[period]]
    return Hours(earliest=earliest, latest=latest)


def visit_of(form: Form, visits: tuple[Visit, ...]) -> Visit | None:
    """The booked visit that a wish is about, if it is still there."""
    return next((one for one in visits if one.id == form.visit), None)
