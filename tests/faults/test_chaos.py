"""A model that sends anything at all: the invariants hold whatever it says.

CHAOS_EXAMPLES sets how many talks are tried (the suite tries few, a night many).
"""

import os
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bot.agent.stop_reasons import STEPS
from models.conversation import Holder
from models.db import Database
from models.handoff import Reason
from models.message import Direction, Status
from tests.databases import empty
from tests.fakes import claude
from tests.fakes.claude import answer
from tests.fakes.twilio import START
from tests.stage import Stage
from tools import TOOLS

EXAMPLES = int(os.environ.get("CHAOS_EXAMPLES", "150"))

json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 2000) | st.text(max_size=12) | st.floats(allow_nan=False),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)
plausible = st.fixed_dictionaries(
    {},
    optional={
        "servico_id": st.integers(0, 6),
        "profissional_id": st.integers(0, 6),
        "agendamento_id": st.integers(0, 4),
        "data": st.sampled_from(["2026-12-03", "2026-12-04", "2026-12-06", "2026-02-30", "amanhã"]),
        "hora": st.sampled_from(["10:00", "10:30", "15:00", "25:00", "10h"]),
        "motivo": st.text(max_size=20),
        "termo": st.text(max_size=10),
    },
)
names = st.sampled_from([*(tool.name for tool in TOOLS), "book_appointment", "a b", ""])
texts = st.sampled_from(
    [
        "Olá!",
        "",
        "  ",
        "Marcado para quinta-feira às 10:00!",
        "Vou verificar e já te aviso.",
        '<tool_call>{"name": "agendar"}</tool_call>',
        "Temos às 10:00. Qual prefere?",
        "x" * 4000,
        "\ud83d quebrado",
    ]
) | st.text(max_size=60)
blocks = st.one_of(
    texts.map(claude.text),
    st.builds(
        claude.tool_use,
        names,
        plausible | json_values,
        st.sampled_from(["toolu_1", "toolu_2", "call 1", "", "é"]),
    ),
    st.just(claude.thinking("hm")),
    st.just({"type": "server_tool_use", "id": "srv_1", "name": "web", "input": {}}),
    st.just({"type": "new_block", "payload": 1}),
)
reasons = st.sampled_from([*STEPS, None, "new_reason"])
usages = st.tuples(st.integers(0, 40_000), st.integers(0, 5000))
answers = st.builds(
    lambda content, reason, usage: answer(*content, stop_reason=reason, usage=usage),
    st.lists(blocks, max_size=4),
    reasons,
    usages,
)
# Most answers are of the kind that goes on: else every talk would end at the first one.
going_on = st.builds(
    lambda content, usage: answer(*content, usage=usage),
    st.lists(blocks, min_size=1, max_size=4),
    st.tuples(st.integers(0, 9000), st.integers(0, 900)),
)
failures = st.sampled_from([500, 529, 429, 400, 401]).map(claude.error)
scripts = st.lists(going_on | going_on | answers | failures, min_size=1, max_size=14)


class Reader:
    """Plays the script in a circle, however often it is asked."""

    def __init__(self, script: list[Any]) -> None:
        self.script = script
        self.asked = 0

    def __call__(self, body: dict[str, Any]) -> Any:
        self.asked += 1
        return self.script[self.asked % len(self.script)]


def check(stage: Stage, said: int) -> None:
    """What must hold after each message, whatever the model did."""
    assert stage.claude.refusals == []  # every request was valid
    [conversation] = stage.conversations
    assert conversation.lease_token is None
    outbound = [row for row in stage.messages if row.direction == Direction.OUT]
    assert outbound, "silence"
    assert all(row.status == Status.ACCEPTED and row.text.strip() for row in outbound)
    if conversation.holder == Holder.BOT:
        assert len([run for run in stage.runs if run.outcome == "answered"]) == said
        assert stage.handoffs == []
    else:
        [episode] = stage.handoffs
        assert episode.reason in set(Reason)
    assert all(run.outcome for run in stage.runs)
    assert all(run.iterations <= stage.settings.agent_max_iterations for run in stage.runs)
    active = sorted(row.busy_from for row in stage.appointments if row.status == "booked")
    assert len(set(active)) == len(active)
    sent = " ".join(stage.twilio.bodies)
    for leak in ("<tool_call>", "Traceback", "servico_id", "[Sistema]"):
        assert leak not in sent


@pytest.mark.timeout(600)  # hundreds of whole talks: a busy machine takes more than the two minutes of others
@settings(
    max_examples=EXAMPLES,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(script=scripts)
def test_whatever_the_model_sends(script: list[Any], sqlite_db: Database) -> None:
    """Two messages of a customer against an arbitrary model."""
    empty(sqlite_db)
    stage = Stage(sqlite_db, START, Reader(script))
    stage.say("oi, quero marcar")
    check(stage, 1)
    holder = stage.conversations[0].holder
    stage.clock.forward(minutes=1)
    stage.say("quinta às 10h")
    check(stage, 2 if holder == Holder.BOT else 1)
