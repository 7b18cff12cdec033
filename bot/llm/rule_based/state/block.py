"""The state as a block of its own, signed, beside the text of each answer.

The rule by which it stays valid: it is that of the last answer in the history, whole and with its own
signature. Another model's answer has none, so there it is void. What people of the business wrote since
voids it as well; what the product wrote by itself since (a reminder, an offer) keeps what is settled, but
closes what was asked, for a bare "sim" answers what was read last; that something could not be read leaves
all of it open. Whoever has no valid state starts afresh.
"""

import hashlib
import json
from collections.abc import Sequence
from typing import Any

from pydantic import TypeAdapter, ValidationError

from bot.llm.base import Block
from bot.llm.blocks import TALK_STATE
from bot.llm.rule_based.state.slots import State

_VERSION = 1  # a state of another form than today's is void
_STATE: TypeAdapter[State] = TypeAdapter(State)


def block_of(state: State) -> Block:
    """The block that keeps it."""
    dumped = _STATE.dump_python(state, mode="json")
    return {"type": TALK_STATE, "state": dumped, "signature": _signature(dumped)}


def state_in(content: Sequence[Block]) -> State:
    """The state that an answer keeps; a new one where it has none, or none of ours."""
    for block in content:
        if block.get("type") == TALK_STATE and block.get("signature") == _signature(block.get("state")):
            try:
                return _STATE.validate_python(block["state"])
            except ValidationError:
                return State()
    return State()


def _signature(dumped: Any) -> str:
    """Of exactly these values: neither cut nor touched by anybody."""
    told = json.dumps([_VERSION, dumped], sort_keys=True, ensure_ascii=False, default=repr)
    return hashlib.sha256(told.encode()).hexdigest()
