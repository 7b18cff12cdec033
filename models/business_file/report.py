"""A plan as lines of text, for whoever runs the import."""

from collections import Counter

from models.business_file.compare import Change, FieldChange, Kind
from models.business_file.plans import Plan
from models.business_file.stranded import Stranded
from models.business_file.words import shown

WIDTH = 120
PLURALS = {"service": "services", "professional": "professionals", "closure": "closures"}


def render(plan: Plan) -> list[str]:
    """What changes (or would), who would be stranded, and how it ends. Holds no customer's data."""
    lines = [f"warning: {warning}" for warning in plan.warnings]
    for change in plan.changes:
        lines += _change(change)
    if plan.stranded:
        lines += _stranded(plan)
    if plan.forgotten:
        lines.append(_forgotten(plan))
    if plan.overwrites and not plan.applied:
        names = ", ".join(f'{change.noun} "{change.name}"' for change in plan.overwrites)
        lines.append(
            f"changed on the settings pages since the last import, and would be overwritten: {names}"
        )
    return [*lines, f"{plan.slug}: {_summary(plan)}"]


def _change(change: Change) -> list[str]:
    fields = [field for field in change.fields if change.kind != Kind.ADDED or field.new != change.name]
    return [f'{change.kind} {change.noun} "{change.name}"', *(_field(change.kind, field) for field in fields)]


def _field(kind: Kind, field: FieldChange) -> str:
    old = "" if kind == Kind.ADDED else f"{_short(shown(field.field, field.old))} → "
    return f"  {field.field}: {old}{_short(shown(field.field, field.new))}"


def _short(text: str) -> str:
    line = " ".join(text.split()) or "(none)"
    return line if len(line) <= WIDTH else f"{line[: WIDTH - 1]}…"


def _stranded(plan: Plan) -> list[str]:
    many = len(plan.stranded) != 1
    verb = ("no longer fit" if many else "no longer fits") if plan.applied else "would no longer fit"
    return [
        f"{len(plan.stranded)} future appointment{'s' if many else ''} {verb}:",
        *(f"  {_appointment(stranded)}" for stranded in plan.stranded),
    ]


def _forgotten(plan: Plan) -> str:
    who = f"{plan.forgotten} customer{'' if plan.forgotten == 1 else 's'}"
    return (
        f"{who} {'will' if plan.applied else 'would'} be forgotten for good within a day: silent for too long"
    )


def _appointment(stranded: Stranded) -> str:
    what = " + ".join(stranded.services) or "no service"
    when = f"{stranded.starts_at:%Y-%m-%d %H:%M}"
    return (
        f"appointment {stranded.appointment_id}: {when}, {stranded.professional}, {what} "
        f"({'; '.join(stranded.reasons)})"
    )


def _summary(plan: Plan) -> str:
    kept = ", ".join(_counted(count, noun) for noun, count in plan.unchanged.items() if noun in PLURALS)
    unchanged = f"; unchanged: {kept}" if kept else ""
    if plan.is_blocked:
        first = "move or cancel these appointments first, or repeat" if plan.stranded else "repeat"
        if plan.overwrites and not plan.stranded:
            first = "export the business first to see what the pages say, or repeat"
        return f"nothing was changed: {first} with --force"
    if not plan.changes:
        return f"nothing to change{unchanged}"
    counts = Counter(change.kind for change in plan.changes)
    told = ", ".join(f"{counts[kind]} {kind}" for kind in Kind if counts[kind])
    return f"{told if plan.applied else f'to be done: {told}'}{unchanged}"


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun if count == 1 else PLURALS[noun]}"
