"""What is answered without asking the model: wishes that were heeded already, and what it could not read.

Pure: from what there is to answer to a fixed answer, or none.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from bot.answering.context import Material
from bot.intents import choices
from bot.intents.choices import Choice, Question
from bot.sending import fixed_texts
from models.customer import Wish
from models.handoff import CloseReason, Reason, is_way_back
from models.message import Direction, Message, Status


@dataclass(frozen=True)
class Plain:
    """A fixed answer to a whole turn; `extra` is what its line keeps."""

    text: str
    extra: dict[str, Any]


WRITE, PERSON = Choice("write", "Vou escrever"), Choice("person", "Falar com uma pessoa")
UNREADABLE = ("audio", "image", "video", "document")
EMPTY = "empty"
_EVENTS = ("reaction", "system", "unsupported")


def wish(material: Material) -> Plain | None:
    """The answer where nothing was said but that they want no more messages, or them or the bot again."""
    if _is_back(material):
        return Plain(fixed_texts.back_text(material.tenant), {})
    wishes = [_only_wish(message) for message in _said(material)]
    if not wishes or None in wishes:
        return None
    if wishes[-1] == Wish.STOP:
        return Plain(fixed_texts.stopped(material.tenant, booked=bool(material.appointments)), {})
    if wishes[-1] == Wish.PROMOTION:
        return Plain(fixed_texts.no_promotion(material.tenant), {})
    return Plain(fixed_texts.started(material.tenant), {})


def answer(material: Material) -> Plain | Reason | None:
    """The fixed answer, or why people are to answer; None where the model is asked."""
    said, question = _said(material), choices.offered(_last_line(material))
    if question == (WRITE, PERSON) and len(said) == 1 and (choice := choices.chosen(question, said[0])):
        return Reason.PEDIDO_DO_CLIENTE if choice == PERSON else Plain(fixed_texts.WRITE_ON, {})
    if not said or not all(_is_wordless(message) for message in said):
        return wish(material)
    unread = next((message.kind for message in said if message.kind in UNREADABLE), None)
    if unread is None:
        return Plain(fixed_texts.EMPTY if said[0].kind == EMPTY else fixed_texts.STICKER, {})
    if question == (WRITE, PERSON):
        return Reason.MIDIA_NAO_SUPORTADA
    asked = Question(fixed_texts.unread(unread), (WRITE, PERSON))
    return Plain(asked.numbered(), asked.extra(tappable=material.tenant.buttons))


def choice(material: Material) -> tuple[Message, Choice] | None:
    """The message that chooses one of what our last line offered, by number or words, and its choice."""
    said = _said(material)
    if len(said) != 1:
        return None
    found = choices.chosen(choices.offered(_last_line(material)), said[0])
    return (said[0], found) if found else None


def _said(material: Material) -> Sequence[Message]:
    """What there is to answer; a message without anything in it only where there is nothing else."""
    said = [message for message in material.inputs if message.kind not in _EVENTS]
    return [message for message in said if message.kind != EMPTY] or said


def _is_back(material: Material) -> bool:
    """Whether the customer only said the word that ended their wait for people."""
    if not material.past.episodes or not material.inputs:
        return False
    last = material.past.episodes[-1]
    ended_by_word = last.close_reason == CloseReason.CUSTOMER_CANCELLED
    just_now = last.closed_seq == material.inputs[0].seq - 1
    return ended_by_word and just_now and all(is_way_back(message.text) for message in material.inputs)


def _only_wish(message: Message) -> Wish | None:
    return Wish(message.extra["wish"]) if message.extra.get("only_wish") else None


def _is_wordless(message: Message) -> bool:
    """Whether nothing in it could be read: a caption or a transcript is words, a picture may be shown."""
    if message.kind not in (*UNREADABLE, "sticker", EMPTY):
        return False
    return not message.text.strip() and not message.extra.keys() & {"transcript", "seen"}


def _last_line(material: Material) -> Message | None:
    """The last thing that we said to the customer before this turn."""
    first = material.inputs[0].seq
    ours = (
        line
        for line in reversed(material.past.messages)
        if line.direction == Direction.OUT and line.seq < first
    )
    return next((line for line in ours if line.status not in (Status.NOTE, Status.DROPPED)), None)
