"""Voice messages become words before the model is asked, where that is configured."""

import time

import structlog

from bot import optout
from bot.ears import Ears, Unheard
from bot.material import Material
from bot.services import Services
from models import conversation, message
from models.conversation import Claim
from models.message import Message

log = structlog.get_logger()

SECONDS = 40.0  # for all recordings of one turn


def hear(services: Services, claim: Claim, material: Material) -> None:
    """Put the recordings of a turn into words, kept with their lines, in the rows and in `material`.

    What cannot be heard stays as it is. Raises LeaseLost.
    """
    if services.ears is None:
        return
    deadline = time.monotonic() + SECONDS
    for line in material.inputs:
        if line.kind == "audio" and line.media and "transcript" not in line.extra:
            words = _heard(services.ears, material, line, deadline - time.monotonic())
            if words:
                _keep(services, claim, line, words)


def _heard(ears: Ears, material: Material, line: Message, seconds: float) -> str:
    try:
        return ears.hear(material.tenant, line.media[0]["url"], seconds=seconds)
    except Unheard as error:
        log.warning("audio_not_heard", message_id=line.id, error=str(error))
        return ""


def _keep(services: Services, claim: Claim, line: Message, words: str) -> None:
    said = optout.heard(words)
    wish, only = (said.wish, said.only) if said else (None, False)
    with services.db.writing() as session:
        conversation.hold(session, claim)
        extra = message.heeded(session, services.now(), claim.tenant_id, claim.customer_id, wish, only=only)
        message.annotate(session, line, transcript=words, **extra)
