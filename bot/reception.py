"""What is answered without asking the model: wishes that we heed at once. Pure."""

from dataclasses import dataclass

from bot import texts
from bot.material import Material
from models.customer import Wish
from models.message import Message


@dataclass(frozen=True)
class Plain:
    """A fixed answer to a whole turn."""

    text: str


def answer(material: Material) -> Plain | None:
    """The fixed answer to all that came since the last one; None where the model is to answer."""
    wishes = [_only_wish(message) for message in material.inputs]
    last = wishes[-1]
    if last is None or None in wishes:
        return None
    if last == Wish.STOP:
        return Plain(texts.stopped(material.tenant, booked=bool(material.appointments)))
    return Plain(texts.started(material.tenant))


def _only_wish(message: Message) -> Wish | None:
    return Wish(message.extra["wish"]) if message.extra.get("only_wish") else None
