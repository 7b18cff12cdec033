"""A customer leaves the waiting list by their own words."""

import structlog

from bot.answering.context import Material
from bot.core.services import Services
from bot.sending import fixed_texts
from models import audit, conversation, message, waitlist
from models.conversation import Claim
from models.message import Author

log = structlog.get_logger()


def answer(services: Services, claim: Claim, material: Material) -> bool:
    """Take them off it where they ask for it; says whether nothing else is left to answer.

    Where something is, the model answers and is told that this is done. Raises LeaseLost.
    """
    leaves = material.answering.leaves
    if not leaves.entries:
        return False
    now = services.now()
    with services.db.writing() as session:
        # The line before the conversation: who offers a time locks them in this order.
        waitlist.leave(session, now, claim.tenant_id, leaves.entries, waitlist.ASKED)
        conversation.hold(session, claim)
        for entry_id in leaves.entries:
            audit.record(session, now, claim.tenant_id, "waitlist.leave", subject_id=entry_id)
        if leaves.only:
            conversation.finish(session, claim, answered_seq=claim.through_seq)
            text = fixed_texts.left_list(leaves.waited_for)
            place = (claim.tenant_id, claim.conversation_id)
            message.add(session, now, *place, author=Author.SYSTEM, text=text, epoch=claim.epoch)
    log.info("waitlist_left", entries=len(leaves.entries))
    return leaves.only
