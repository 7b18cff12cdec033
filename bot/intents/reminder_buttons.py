"""What a customer can tap under a reminder, and tapped.

The payloads are ours, or stand in the templates of a business: "confirm", "move" or "cancel", with ":" and
the appointment's id behind it where the template has it.
"""

import re
from dataclasses import dataclass
from enum import StrEnum

from bot.intents.choices import Choice
from models.message import Message

_PAYLOAD = re.compile(r"(confirm|move|cancel)(?::(?:ag_)?([0-9]{1,9}))?", re.ASCII)


class Action(StrEnum):
    CONFIRM = "confirm"
    MOVE = "move"
    CANCEL = "cancel"


@dataclass(frozen=True)
class Tap:
    """One tapped button; `appointment_id` None where the payload names none."""

    action: Action
    appointment_id: int | None


def of_reminder(appointment_id: int) -> tuple[Choice, ...]:
    """What stands under the reminder of a visit."""
    titles = {Action.CONFIRM: "Confirmar", Action.MOVE: "Remarcar", Action.CANCEL: "Cancelar"}
    return tuple(Choice(f"{action}:{appointment_id}", title) for action, title in titles.items())


def tapped(message: Message) -> Tap | None:
    """The button of a reminder that a message is; None for anything else."""
    found = _PAYLOAD.fullmatch(str(message.extra.get("button_payload", "")))
    return Tap(Action(found[1]), int(found[2]) if found[2] else None) if found else None


_WANTS = {
    Action.CONFIRM: "confirmar a presença no",
    Action.MOVE: "remarcar o",
    Action.CANCEL: "cancelar o",
}


def words(message: Message) -> list[str]:
    """The button as the model reads it; nothing where there is none."""
    tap = tapped(message)
    if tap is None:
        return []
    which = f"agendamento_id {tap.appointment_id}" if tap.appointment_id else "agendamento do lembrete"
    return [f"[O cliente enviou isto por um botão do lembrete: quer {_WANTS[tap.action]} {which}.]"]
