"""What came that is no text: voice messages become words, and pictures are shown to the model, where that is
configured and (pictures) the business allows it.
"""

import time
from collections.abc import Iterator

import structlog

from bot.answering.context import TurnContext
from bot.core.services import Services
from bot.intents import opt_out
from bot.llm import image_blocks
from bot.llm.base import Block
from bot.media.pictures import Eyes, Unseen
from bot.media.voice import Ears, Unheard
from models import conversation, message
from models.conversation import Claim
from models.message import Message

log = structlog.get_logger()

SECONDS = 40.0  # for all recordings of one turn, and again for all its pictures
MAX_PICTURES = 3  # of one turn, the newest


def hear(services: Services, turn: TurnContext) -> None:
    """Put the recordings of a turn into words, kept with their lines, in the rows and in `turn`.

    What cannot be heard stays as it is. Raises LeaseLost.
    """
    if services.ears is None:
        return
    deadline = time.monotonic() + SECONDS
    for line in turn.inputs:
        if line.kind == "audio" and line.media and "transcript" not in line.extra:
            words = _heard(services.ears, turn, line, deadline - time.monotonic())
            if words:
                _keep(services, turn.claim, line, words)


def _heard(ears: Ears, turn: TurnContext, line: Message, seconds: float) -> str:
    try:
        return ears.hear(turn.tenant, line.media[0]["url"], seconds=seconds)
    except Unheard as error:
        log.warning("audio_not_heard", message_id=line.id, error=str(error))
        return ""


def _keep(services: Services, claim: Claim, line: Message, words: str) -> None:
    said = opt_out.heard(words)
    wish, only = (said.wish, said.only) if said else (None, False)
    with services.db.writing() as session:
        conversation.hold(session, claim)
        extra = message.heeded(session, services.now(), claim.tenant_id, claim.customer_id, wish, only=only)
        extra["transcript"] = words
        message.annotate(session, line, **extra)


# Pictures: fetched for the run alone. Only that the model saw one is kept.


def see(services: Services, turn: TurnContext) -> None:
    """Fetch the pictures of a turn, and note with their lines that they are shown. Raises LeaseLost."""
    if services.eyes is None or not turn.tenant.images:
        return
    for line in _fetch(services.eyes, turn, list(_pictures(turn))[-MAX_PICTURES:]):
        with services.db.writing() as session:
            conversation.hold(session, turn.claim)
            message.annotate(session, line, seen=True)


def _pictures(turn: TurnContext) -> Iterator[Message]:
    return (line for line in turn.inputs if line.kind == "image" and line.media)


def _fetch(eyes: Eyes, turn: TurnContext, lines: list[Message]) -> Iterator[Message]:
    """Those whose picture is in `turn` then."""
    deadline = time.monotonic() + SECONDS
    for line in lines:
        assert line.id is not None
        try:
            url, left = line.media[0]["url"], deadline - time.monotonic()
            turn.pictures[line.id] = eyes.see(turn.tenant, url, seconds=left)
            yield line
        except Unseen as error:
            log.warning("picture_not_seen", message_id=line.id, error=str(error))


def with_pictures(services: Services, turn: TurnContext, blocks: list[Block]) -> list[Block]:
    """What opens the run, with the pictures that it is about before the customer's words.

    A resumed run looks at them once more: its first step has kept none.
    """
    shown = [line for line in _pictures(turn) if line.extra.get("seen")]
    missing = [line for line in shown if line.id not in turn.pictures]
    if missing and services.eyes is not None:
        list(_fetch(services.eyes, turn, missing))
    found = [turn.pictures[line.id] for line in shown if line.id in turn.pictures]
    return [*blocks[:-1], *map(image_blocks.block_of, found), *blocks[-1:]]
