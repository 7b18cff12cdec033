"""What goes to Claude, and what is made of what comes back."""

import copy
import json
from typing import Any, get_args

import httpx
import pytest
from anthropic.types import StopReason
from hypothesis import given
from hypothesis import strategies as st

from bot.llm.anthropic import AnthropicClient
from bot.llm.base import Block, ChatMessage, ModelError, ModelReply, ModelRequest, ToolSpec, Usage
from bot.llm.request_rules import broken_rules
from tests.bot.llm.stopwatch import Stopwatch
from tests.fakes import claude
from tests.fakes.claude import FakeClaude, answer, text, thinking, tool_use
from tests.fakes.scripted import Body, Reply, Step

SPEC = ToolSpec(
    "buscar_horarios",
    "Mostra os horários livres de um dia.",
    {
        "type": "object",
        "properties": {"data": {"type": "string"}},
        "required": ["data"],
        "additionalProperties": False,
    },
)
OTHER = ToolSpec(
    "chamar_atendente", "Chama uma pessoa.", {**SPEC.input_schema, "properties": {}, "required": []}
)


def client(fake: FakeClaude, watch: Stopwatch | None = None, **more: Any) -> AnthropicClient:
    watch = watch or Stopwatch()
    return AnthropicClient(fake.client(), key="chave", model="claude-haiku-5-5", **watch.arguments, **more)


def request(*messages: ChatMessage, system: str = "Você atende um salão.", **more: Any) -> ModelRequest:
    first: ChatMessage = {"role": "user", "content": [text("oi")]}
    return ModelRequest(system, list(messages) or [first], (SPEC, OTHER), **more)


def said(reply: ModelReply) -> ChatMessage:
    return {"role": "assistant", "content": reply.content}


def answered(reply: ModelReply) -> ChatMessage:
    """A result for every call of the reply, or else a word of the customer."""
    calls = [block for block in reply.content if block["type"] == "tool_use"]
    results = [{"type": "tool_result", "tool_use_id": call["id"], "content": "10:00"} for call in calls]
    return {"role": "user", "content": results or [text("e amanhã?")]}


def test_the_whole_request() -> None:
    """Exactly these fields and headers; a mark on the tools, the system and the newest block."""
    headers: list[httpx.Headers] = []
    fake = FakeClaude([answer(text("Olá!"))])

    def keep(sent: httpx.Request) -> httpx.Response:
        headers.append(sent.headers)
        return fake(sent)

    http = httpx.Client(transport=httpx.MockTransport(keep))
    AnthropicClient(http, key="chave", model="claude-haiku-5-5").complete(request(), seconds=45.0)
    mark = {"cache_control": {"type": "ephemeral"}}
    assert fake.requests == [
        {
            "model": "claude-haiku-5-5",
            "max_tokens": 4096,
            "system": [{"type": "text", "text": "Você atende um salão.", **mark}],
            "messages": [{"role": "user", "content": [{"type": "text", "text": "oi", **mark}]}],
            "tools": [
                {
                    "name": "buscar_horarios",
                    "description": SPEC.description,
                    "input_schema": SPEC.input_schema,
                    "strict": True,
                },
                {
                    "name": "chamar_atendente",
                    "description": OTHER.description,
                    "input_schema": OTHER.input_schema,
                    "strict": True,
                    **mark,
                },
            ],
            "tool_choice": {"type": "auto"},
        }
    ]
    assert headers[0]["x-api-key"] == "chave"
    assert headers[0]["anthropic-version"] == "2026-10-21"
    assert headers[0]["content-type"] == "application/json"
    assert fake.refusals == []


@pytest.mark.parametrize(
    ("choice", "parallel", "sent"),
    [
        ("auto", True, {"type": "auto"}),
        ("auto", False, {"type": "auto", "disable_parallel_tool_use": True}),
        ("none", True, {"type": "none"}),
        ("none", False, {"type": "none"}),
    ],
)
def test_the_tool_choice(choice: Any, parallel: bool, sent: Body) -> None:
    fake = FakeClaude([answer(text("Olá!"))])
    client(fake, parallel_tools=parallel).complete(request(tool_choice=choice), seconds=45.0)
    assert fake.requests[0]["tool_choice"] == sent
    assert len(fake.requests[0]["tools"]) == 2


def test_without_tools_there_is_no_choice() -> None:
    fake = FakeClaude([answer(text("Olá!"))])
    client(fake).complete(ModelRequest("s", request().messages, ()), seconds=45.0)
    assert fake.requests[0].keys() == {"model", "max_tokens", "system", "messages"}


def test_a_run_of_eight_calls_keeps_its_prefix_and_its_marks() -> None:
    """R40: never more than four marks, and the bytes before the newest block stay as they were."""
    fake = FakeClaude(
        lambda body: answer(thinking(), text("Vejo."), tool_use("buscar_horarios", {"data": "x"}))
    )
    model, messages = client(fake), list(request().messages)
    for _ in range(8):
        reply = model.complete(request(*messages), seconds=45.0)
        messages += [said(reply), answered(reply)]
    assert fake.refusals == []
    for earlier, later in zip(fake.requests, fake.requests[1:], strict=False):
        assert json.dumps([earlier["system"], earlier["tools"]]) == json.dumps(
            [later["system"], later["tools"]]
        )
        bare = json.loads(
            json.dumps(earlier["messages"]).replace(', "cache_control": {"type": "ephemeral"}', "")
        )
        assert later["messages"][: len(bare)] == bare
        assert json.dumps(later).count("cache_control") == 3


@pytest.mark.parametrize(
    ("content", "marked"),
    [
        ([{"type": "tool_result", "tool_use_id": "a", "content": "10:00"}], 0),
        (
            [
                {"type": "tool_result", "tool_use_id": "a", "content": "10:00"},
                {"type": "tool_result", "tool_use_id": "b", "content": ""},
            ],
            0,
        ),
        ([{"type": "tool_result", "tool_use_id": "a", "content": ""}], None),
        ([{"type": "tool_result", "tool_use_id": "a", "content": ""}, text("e?")], 1),
    ],
)
def test_the_moving_mark_stands_on_the_last_block_that_has_text(
    content: list[Block], marked: int | None
) -> None:
    """2.20. The caller's own list stays as it is."""
    calls = [
        tool_use("buscar_horarios", id=block["tool_use_id"]) for block in content if "tool_use_id" in block
    ]
    given = request(
        {"role": "user", "content": [text("oi")]},
        {"role": "assistant", "content": calls},
        {"role": "user", "content": content},
    )
    before = copy.deepcopy(given.messages)
    fake = FakeClaude([answer(text("Olá!"))])
    client(fake).complete(given, seconds=45.0)
    sent = fake.requests[0]["messages"][-1]["content"]
    assert [n for n, block in enumerate(sent) if "cache_control" in block] == (
        [] if marked is None else [marked]
    )
    assert given.messages == before


@pytest.mark.parametrize("reason", [*get_args(StopReason), "compaction", "", None])
def test_a_stop_reason_comes_as_it_is(reason: str | None) -> None:
    """Every one that the vendor's own package knows, and those that nobody knows yet."""
    fake = FakeClaude([answer(text("Olá!"), stop_reason=reason)])
    assert client(fake).complete(request(), seconds=45.0).stop_reason == reason


@pytest.mark.parametrize("reason", [5, True, ["tool_use"], {"type": "tool_use"}], ids=str)
def test_a_stop_reason_that_is_no_word_is_none(reason: Any) -> None:
    fake = FakeClaude([answer(text("Olá!"), stop_reason=reason)])
    assert client(fake).complete(request(), seconds=45.0).stop_reason is None


def test_a_missing_stop_reason_is_none() -> None:
    fake = FakeClaude([{"content": [text("Olá!")]}])
    reply = client(fake).complete(request(), seconds=45.0)
    assert reply == ModelReply([text("Olá!")], None, Usage(), request_id="req_1")


def test_a_refusal_tells_its_category() -> None:
    reply = client(FakeClaude([claude.refusal("bio")])).complete(request(), seconds=45.0)
    assert (reply.content, reply.stop_reason, reply.detail) == ([], "refusal", "bio")


@pytest.mark.parametrize(
    ("usage", "read"),
    [
        (
            {
                "input_tokens": 10,
                "output_tokens": 5,
                "cache_read_input_tokens": 7,
                "cache_creation_input_tokens": 3,
                "output_tokens_details": {"thinking_tokens": 2},
            },
            Usage(10, 5, 7, 3),
        ),
        ({"input_tokens": 10, "output_tokens": 5, "cache_read_input_tokens": None}, Usage(10, 5)),
        ({"input_tokens": -1, "output_tokens": "5", "cache_read_input_tokens": True}, Usage()),
        ({"input_tokens": 10**30, "output_tokens": 1.5}, Usage(10**9, 0)),
        (None, Usage()),
        ([], Usage()),
    ],
)
def test_usage(usage: Any, read: Usage) -> None:
    fake = FakeClaude([{**answer(text("Olá!")), "usage": usage}])
    assert client(fake).complete(request(), seconds=45.0).usage == read


def call(**more: Any) -> Block:
    return {"type": "tool_use", "id": "toolu_1", "name": "buscar_horarios", "input": {}, **more}


@pytest.mark.parametrize(
    ("content", "kept"),
    [
        # Blank text is refused on replay, and text behind a call parts it from its result (R3, R32).
        ([text(""), call()], [call()]),
        ([text(" \n"), text("oi")], [text("oi")]),
        ([call(), text("Um momento")], [text("Um momento"), call()]),
        (
            [text("a"), call(), text("b"), call(id="toolu_2")],
            [text("a"), text("b"), call(), call(id="toolu_2")],
        ),
        # Ids (2.6, 2.7) and names (2.8).
        ([call(), call()], [call(), call(id="call_1")]),
        ([call(id="call_2"), call(id="call_2"), call(id="")], [call(id=f"call_{n}") for n in (2, 1, 3)]),
        ([call(id="a b")], [call(id="call_1")]),
        ([call(id="x" * 65)], [call(id="call_1")]),
        ([call(id=None)], [call(id="call_1")]),
        ([call(name="marcar horário!")], [call(name="marcar_hor_rio_")]),
        ([call(name="n" * 80)], [call(name="n" * 64)]),
        ([call(name="")], [call(name="sem_nome")]),
        ([call(name=None)], [call(name="sem_nome")]),
        # Inputs are the toolbox's to refuse (R22, R23).
        ([call(input=None)], [call(input=None)]),
        ([call(input='{"data":"2026-12-01"}')], [call(input='{"data":"2026-12-01"}')]),
        ([{"type": "tool_use", "id": "toolu_1", "name": "buscar_horarios"}], [call(input=None)]),
        # Fields and blocks that nobody knows yet go back as they came.
        ([call(caller={"type": "direct"})], [call(caller={"type": "direct"})]),
        ([{"type": "server_news", "x": [1]}], [{"type": "server_news", "x": [1]}]),
        ([{**text("oi"), "citations": None}], [{**text("oi"), "citations": None}]),
        # What is no block, or could not be one of the model's.
        ([None, "oi", [], {"type": 5}, {}, {"type": "text"}, {"type": "text", "text": None}], []),
        ([{"type": "tool_result", "tool_use_id": "a", "content": "x"}], []),
        ([{**thinking(), "signature": None}, {"type": "thinking", "thinking": None, "signature": "s"}], []),
        ([{"type": "redacted_thinking"}], []),
        ([{**text("oi"), "cache_control": {"type": "ephemeral"}}], [text("oi")]),
        # Encoding.
        ([text("oi \ud83d\x00!")], [text("oi \ufffd!")]),
        ([call(input={"\udc00": "a\x07b"})], [call(input={"\ufffd": "ab"})]),
    ],
)
def test_an_answer_is_cleaned_of_what_would_be_refused_when_it_goes_back(
    content: Any, kept: list[Block]
) -> None:
    fake = FakeClaude([{**answer(), "content": content}, answer(text("Olá!"))])
    model, first = client(fake), request()
    reply = model.complete(first, seconds=45.0)
    assert reply.content == kept
    if kept:
        model.complete(request(*first.messages, said(reply), answered(reply)), seconds=45.0)
        assert fake.refusals == []


def test_an_id_of_an_earlier_turn_is_not_used_again() -> None:
    """R29: some servers count from zero in each answer."""
    fake = FakeClaude(lambda body: answer(call(id="call_0")))
    model, messages = client(fake), list(request().messages)
    for _ in range(4):
        reply = model.complete(request(*messages), seconds=45.0)
        messages += [said(reply), answered(reply)]
    assert [m["content"][0]["id"] for m in messages[1::2]] == ["call_0", "call_2", "call_3", "call_4"]
    assert fake.refusals == []


def test_an_input_that_is_no_object_goes_back_as_an_empty_one() -> None:
    fake = FakeClaude([answer(call(input="texto")), answer(text("Olá!"))])
    model, first = client(fake), request()
    reply = model.complete(first, seconds=45.0)
    model.complete(request(*first.messages, said(reply), answered(reply)), seconds=45.0)
    assert fake.requests[1]["messages"][1]["content"][0]["input"] == {}


# Thinking


def run_with_thinking(*steps: Step) -> tuple[FakeClaude, AnthropicClient, list[ChatMessage]]:
    """A client whose first answer thought and called a tool, with the messages for the second call."""
    fake = FakeClaude([answer(thinking("hm"), tool_use("buscar_horarios", {"data": "x"})), *steps])
    model, messages = client(fake), list(request().messages)
    reply = model.complete(request(*messages), seconds=45.0)
    return fake, model, [*messages, said(reply), answered(reply)]


def test_thinking_goes_back_as_it_came() -> None:
    fake, model, messages = run_with_thinking(answer(text("Olá!")))
    model.complete(request(*messages), seconds=45.0)
    assert fake.refusals == []
    assert fake.requests[1]["messages"][1]["content"][0]["thinking"] == "hm"


def test_thinking_that_is_refused_is_left_out_once() -> None:
    """0.8: the system text changed, as it may over a deployment in mid-run."""
    fake, model, messages = run_with_thinking(answer(text("Olá!")))
    reply = model.complete(request(*messages, system="Outro texto."), seconds=45.0)
    assert reply.content == [text("Olá!")]
    assert [refusal[:44] for refusal in fake.refusals] == ["messages.1.content.0: Invalid `signature` in"]
    assert [block["type"] for block in fake.requests[2]["messages"][1]["content"]] == ["tool_use"]


def test_a_message_of_thinking_alone_falls_out_with_it() -> None:
    first: ChatMessage = {"role": "user", "content": [text("oi")]}
    thought: ChatMessage = {"role": "assistant", "content": [{**thinking(), "signature": "of another talk"}]}
    fake = FakeClaude([answer(text("Olá!"))])
    client(fake).complete(request(first, thought, {"role": "user", "content": [text("e?")]}), seconds=45.0)
    assert [message["role"] for message in fake.requests[1]["messages"]] == ["user", "user"]


def test_other_refusals_are_not_sent_again() -> None:
    refused = claude.error(400, "invalid_request_error", "messages.0: something else")
    fake, model, messages = run_with_thinking(refused)
    with pytest.raises(ModelError) as caught:
        model.complete(request(*messages), seconds=45.0)
    assert caught.value.kind == "rejected"
    assert len(fake.requests) == 2


def test_without_thinking_there_is_nothing_to_leave_out() -> None:
    refused = claude.error(400, "invalid_request_error", "Invalid `signature` in `thinking` block.")
    fake = FakeClaude([refused])
    with pytest.raises(ModelError):
        client(fake).complete(request(), seconds=45.0)
    assert len(fake.requests) == 1


# Errors


@pytest.mark.parametrize(
    ("step", "kind", "calls"),
    [
        (claude.error(500), "unavailable", 3),
        (claude.error(529, "overloaded_error"), "unavailable", 3),
        (claude.error(429, "rate_limit_error", retry_after="2"), "unavailable", 3),
        (claude.error(429, "rate_limit_error", retry_after="120"), "unavailable", 1),
        (Reply(504, b"<html>"), "unavailable", 3),
        (httpx.ConnectError("no"), "unavailable", 3),
        (httpx.ReadTimeout("no"), "unavailable", 3),
        (Reply(200, b"<html>"), "unavailable", 3),
        ({"type": "message"}, "unavailable", 3),
        ({"content": "oi"}, "unavailable", 3),
        (claude.error(401, "authentication_error"), "configuration", 1),
        (claude.error(402, "billing_error"), "configuration", 1),
        (claude.error(403, "permission_error"), "configuration", 1),
        (claude.error(404, "not_found_error", "model: claude-x"), "configuration", 1),
        (
            claude.error(400, "invalid_request_error", "You have reached your specified API usage limits."),
            "configuration",
            1,
        ),
        (claude.error(400, "invalid_request_error", "prompt is too long"), "rejected", 1),
        (Reply(413, b"<html>too large</html>"), "rejected", 1),
        (claude.error(529, x_should_retry="false"), "unavailable", 1),
    ],
    ids=str,
)
def test_errors(step: Step, kind: str, calls: int) -> None:
    fake = FakeClaude(lambda body: step)
    with pytest.raises(ModelError) as caught:
        client(fake).complete(request(), seconds=45.0)
    assert caught.value.kind == kind
    assert len(fake.requests) == calls
    assert "chave" not in str(caught.value)


def test_an_answer_after_two_failures_is_an_answer() -> None:
    watch = Stopwatch()
    fake = FakeClaude([claude.error(529), httpx.ReadError("reset"), answer(text("Olá!"))])
    assert client(fake, watch).complete(request(), seconds=45.0).content == [text("Olá!")]
    assert watch.waits == [0.5, 1.0]
    assert fake.requests[0] == fake.requests[2]


# Whatever comes


ANY_TEXT = st.text(st.characters(exclude_categories=()))  # half surrogates too
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | ANY_TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(ANY_TEXT, inner, max_size=3),
    max_leaves=6,
)
KINDS = st.sampled_from(["text", "tool_use", "tool_result", "thinking", "redacted_thinking", "server_news"])
BLOCKS = st.fixed_dictionaries(
    {"type": KINDS | JSON},
    optional={
        "text": ANY_TEXT | JSON,
        "id": st.sampled_from(["toolu_1", "call_1", "a b", ""]) | JSON,
        "name": ANY_TEXT | JSON,
        "input": JSON,
        "thinking": st.text() | JSON,
        "signature": st.text() | JSON,
        "data": st.text() | JSON,
        "content": JSON,
        "cache_control": JSON,
    },
)
BODIES = JSON | st.fixed_dictionaries(
    {},
    optional={
        "content": st.lists(BLOCKS | JSON, max_size=5) | JSON,
        "stop_reason": st.sampled_from(get_args(StopReason)) | JSON,
        "stop_details": JSON,
        "usage": JSON,
        "model": JSON,
        "error": JSON,
    },
)


@given(BODIES)
def test_whatever_comes_is_an_error_or_can_be_sent_back(body: Any) -> None:
    step: Step = body if isinstance(body, dict) else Reply(200, json.dumps(body).encode())
    fake = FakeClaude(lambda sent: answer(text("Olá!")) if len(sent["messages"]) > 1 else step)
    model, first = client(fake), request()
    try:
        reply = model.complete(first, seconds=45.0)
    except ModelError:
        return
    said_before = [*first.messages, said(reply)] if reply.content else [*first.messages, *first.messages]
    again = request(*said_before, answered(reply))
    assert broken_rules(again) == []
    assert model.complete(again, seconds=45.0).content == [text("Olá!")]
    assert all("signature" in refusal for refusal in fake.refusals)
