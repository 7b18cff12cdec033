"""What a task is, and reading the tasks from their files."""

import re
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any, Literal

import yaml
from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field

from models.appointment import AppointmentStatus
from models.handoff import Reason
from tools.portuguese import folded

TEMPLATES = Path(__file__).parents[2] / "templates"
TASKS = TEMPLATES / "evals"
BUSINESSES = (TASKS / "business", TEMPLATES / "business")


def _pattern(text: str) -> str:
    try:
        re.compile(text)
    except re.error as error:
        raise ValueError(f"no pattern: {error}") from None
    return text


def _local(value: object) -> object:
    if not isinstance(value, str):
        return value
    if len(value) < len("2026-12-02 10:20"):  # a day alone would be read as its midnight
        raise ValueError("a day and an hour: YYYY-MM-DD HH:MM")
    return datetime.fromisoformat(value)


Pattern = Annotated[str, AfterValidator(_pattern)]
LocalTime = Annotated[datetime, BeforeValidator(_local)]  # without a zone: the business's own


def found(pattern: str, text: str) -> bool:
    """Whether a pattern (lower case, without accents) is in a text, whatever its case and accents."""
    return re.search(pattern, folded(text)) is not None


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Visit(_Part):
    """An appointment by the names of what it consists of."""

    services: tuple[str, ...]
    professional: str
    at: LocalTime
    status: AppointmentStatus = AppointmentStatus.BOOKED


class Existing(Visit):
    """One that is there before the talk."""

    of: Literal["customer", "somebody else"] = "customer"

    @property
    def visit(self) -> Visit:
        return Visit(services=self.services, professional=self.professional, at=self.at, status=self.status)


class Answer(_Part):
    """What the customer says where the bot's last words match, so many times at most."""

    when: Pattern
    says: str
    times: int = 1


class Goal(_Part):
    """What a customer wants who answers by what is proposed or was done, however it is worded.

    `details` are told one by one while nothing is proposed, `correction` where something else is. Any of `at`
    will do; without services, professional or `at` any is right.
    """

    act: Literal["agendar", "remarcar", "cancelar"] = "agendar"
    services: tuple[str, ...] = ()
    professional: str = ""
    at: tuple[LocalTime, ...] = ()
    details: tuple[str, ...] = ()
    correction: str = "não é isso"
    yes: str = "sim"
    thanks: str = "obrigada!"


class Persona(_Part):
    """Whom a second model plays as the customer: what they want, know and keep back, their temper, how they
    write.
    """

    wants: str
    knows: str = ""
    hides: str = ""
    temper: str = "educada e direta"
    writes: str = "mensagens curtas de WhatsApp, sem formalidade"


class Expected(_Part):
    """What must be so afterwards.

    `visits` are all of the customer's, whatever their status; everybody else's must be as before. `told` are
    patterns of what the customer must have read, `never` of what not. `handoff` is the reason for which
    people took over, None for none; "any": with or without people will do.
    """

    visits: tuple[Visit, ...] = ()
    told: tuple[Pattern, ...] = ()
    never: tuple[Pattern, ...] = ()
    handoff: Reason | Literal["any"] | None = None


class Task(_Part):
    """One talk. The customer begins with the first of `says`; each time nothing in `answers` fits, the next
    one follows; where none is left the talk is over, or goes on by the `goal` where there is one.

    `persona` is who a second model plays instead. `adversarial`: somebody who tries what must not succeed.
    `needs_model`: beyond the built-in rules.
    """

    name: str
    about: str
    business: str
    now: LocalTime
    customer: str = ""
    existing: tuple[Existing, ...] = ()
    says: Annotated[tuple[str, ...], Field(min_length=1)]
    answers: tuple[Answer, ...] = ()
    goal: Goal | None = None
    persona: Persona | None = None
    adversarial: bool = False
    needs_model: bool = False
    language: Literal["pt", "es", "en"] = "pt"
    expected: Expected
    max_turns: int = 12


def business(name: str) -> Path:
    """The file of a business that tasks speak of. Raises LookupError."""
    for folder in BUSINESSES:
        if (file := folder / f"{name}.yaml").exists():
            return file
    raise LookupError(name)


def load(folder: Path = TASKS) -> list[Task]:
    """All tasks of a folder, by name. Raises pydantic's ValidationError."""
    return [_read(file) for file in sorted(folder.glob("*.yaml"))]


def _read(file: Path) -> Task:
    content: dict[str, Any] = yaml.safe_load(file.read_text("utf-8"))
    return Task.model_validate({"name": file.stem, **content})
