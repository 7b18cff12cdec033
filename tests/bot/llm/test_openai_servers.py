"""Each server that people use gets back what it gave, and is asked again where it stumbled."""

import json
from pathlib import Path

import pytest

from bot.agent.history import window
from bot.llm.anthropic import AnthropicClient
from bot.llm.base import ChatMessage, ModelRequest
from bot.llm.request_rules import broken_rules
from models.message import Status
from models.run import Outcome
from tests.bot.agent.test_history import Story
from tests.bot.llm.stopwatch import Stopwatch
from tests.bot.llm.test_openai import SPEC, answered, client, request, text
from tests.fakes import claude
from tests.fakes.claude import FakeClaude
from tests.fakes.openai import completion
from tests.fakes.openai_servers import KINDS, Kind, Server

ANY = pytest.mark.parametrize("kind", KINDS.values(), ids=list(KINDS))
STATEFUL = pytest.mark.parametrize(
    "kind",
    [kind for kind in KINDS.values() if kind.missing],
    ids=[name for name, kind in KINDS.items() if kind.missing],
)


def called(kind: Kind) -> list[ChatMessage]:
    """A turn in which this server called a tool, as a crash leaves it: by way of the database."""
    first = request()
    reply = client(Server(kind, [kind.answer("buscar_horarios", '{"data":"x"}')])).complete(
        first, seconds=45.0
    )
    assert reply.stop_reason == "tool_use"
    return [*first.messages, *json.loads(json.dumps(answered(reply)))]


@ANY
def test_a_server_gets_back_what_it_gave(kind: Kind) -> None:
    """R4, R5: unchanged, also after a crash, and nothing that it refuses."""
    messages = called(kind)
    assert broken_rules(request(*messages)) == []
    fake = Server(kind, [completion("Temos 10h.")])
    reply = client(fake).complete(request(*messages), seconds=45.0)
    assert [block["text"] for block in reply.content if block["type"] == "text"] == ["Temos 10h."]
    limit_alone = [
        "Unsupported parameter: 'max_completion_tokens' is not supported. Use 'max_tokens' instead."
    ]
    assert fake.refusals == (limit_alone if kind.limit == "max_tokens" else [])


@ANY
def test_it_gets_it_back_in_later_turns_too(kind: Kind) -> None:
    _, asked, results = called(kind)
    story = Story()
    turn = {
        "said": ["oi"],
        "kind": "text",
        "outcome": Outcome.ANSWERED,
        "reason": None,
        "answer": "Temos 10h.",
    }
    story.run({**turn, "answers": [(True, [(True, False)])], "status": Status.SENT})
    answer, result = story.steps[1]
    answer.content, result.content["tool_use_id"] = asked["content"], results["content"][0]["tool_use_id"]
    history = window(story.past, max_turns=5, max_tokens=9000)
    fake = Server(kind, [completion("Olá!")])
    client(fake).complete(request(*history, {"role": "user", "content": [text("e aí?")]}), seconds=45.0)
    assert len(fake.requests) - len(fake.refusals) == 1
    assert all("thought" in refusal or "max_" in refusal for refusal in fake.refusals)


@ANY
def test_a_botched_call_is_asked_for_again(kind: Kind) -> None:
    """R6, R7: whatever dress it comes in."""
    fake = Server(kind, [kind.botched, completion("Olá!")])
    assert client(fake).complete(request(), seconds=45.0).stop_reason == "end_turn"


@STATEFUL
def test_state_that_is_refused_is_left_out_once(kind: Kind) -> None:
    fake = Server(kind, [completion("Olá!")], forgetful=True)
    client(fake).complete(request(*called(kind)), seconds=45.0)
    sent = next(message for message in fake.requests[-1]["messages"] if message["role"] == "assistant")
    assert sent.keys() == {"role", "content", "tool_calls"}
    assert sent["tool_calls"][0].keys() == {"id", "type", "function"}


@STATEFUL
def test_the_calls_of_another_model_are_told_in_words(kind: Kind) -> None:
    """Where a server wants to see its own state beside calls that another model made: a business that changes
    its model has no conversation that fails for ever.
    """
    earlier = called(Kind())
    said: list[ChatMessage] = [
        {"role": "assistant", "content": [text("Temos 10h.")]},
        {"role": "user", "content": [text("e 11h?")]},
    ]
    fake = Server(kind, [completion("Olá!")])
    client(fake).complete(request(*earlier, *said), seconds=45.0)
    roles = [message["role"] for message in fake.requests[-1]["messages"]]
    assert roles == ["system", "user", "assistant", "user"]


@STATEFUL
def test_no_other_model_is_shown_it(kind: Kind) -> None:
    fake = FakeClaude([claude.answer(claude.text("Olá!"))])
    model = AnthropicClient(fake.client(), key="k", model="claude-haiku-5-5", **Stopwatch().arguments)
    model.complete(ModelRequest("s", called(kind), (SPEC,)), seconds=45.0)
    assert fake.refusals == []
    assert all(word not in json.dumps(fake.requests) for word in ('"server_state"', '"state"'))


def test_the_table_for_people_names_each() -> None:
    page = (Path(__file__).parents[3] / "docs" / "model-servers.md").read_text()
    assert all(f"| {name}" in page for name in KINDS)
