"""What goes to OpenAI-compatible servers, and what is made of what they send: they differ much."""

import json
from typing import Any

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.llm.base import Block, ChatMessage, ModelError, ModelReply, ModelRequest, ToolSpec, Usage
from bot.llm.openai import OpenAIClient
from bot.llm.request_rules import broken_rules
from tests.bot.llm.stopwatch import Stopwatch
from tests.fakes import openai
from tests.fakes.openai import FakeOpenAI, call, completion
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


def client(fake: FakeOpenAI, **more: Any) -> OpenAIClient:
    return OpenAIClient(
        fake.client(), key="k", model="local", base_url="http://fake/v1/", **Stopwatch().arguments, **more
    )


def text(words: str) -> Block:
    return {"type": "text", "text": words}


def request(*messages: ChatMessage, **more: Any) -> ModelRequest:
    first: ChatMessage = {"role": "user", "content": [text("oi")]}
    return ModelRequest("Você atende um salão.", list(messages) or [first], (SPEC,), **more)


def answered(reply: ModelReply) -> list[ChatMessage]:
    """The reply, with a result for each of its calls, or else a word of the customer."""
    calls = [block for block in reply.content if block["type"] == "tool_use"]
    results = [{"type": "tool_result", "tool_use_id": call["id"], "content": "10:00"} for call in calls]
    said: ChatMessage = {"role": "assistant", "content": reply.content}
    return [*([said] if reply.content else []), {"role": "user", "content": results or [text("e amanhã?")]}]


def ask(step: Step, **more: Any) -> ModelReply:
    return client(FakeOpenAI([step])).complete(request(**more), seconds=45.0)


# The request


def test_facts_of_a_result_stay_with_us() -> None:
    fake = FakeOpenAI([completion("Ok.")])
    told = {"type": "tool_result", "tool_use_id": "a", "content": "10:00", "facts": [{"kind": "reminded"}]}
    called = {"type": "tool_use", "id": "a", "name": "buscar_horarios", "input": {}}
    messages = [("user", text("oi")), ("assistant", called), ("user", told)]
    asked = request(*({"role": role, "content": [block]} for role, block in messages))
    client(fake).complete(asked, seconds=45.0)
    assert "reminded" not in json.dumps(fake.requests)


def test_the_whole_request() -> None:
    """System first; one tool message a result, errors in words; neighbours of one role are one message."""
    fake = FakeOpenAI([completion("Olá!")])
    client(fake).complete(
        request(
            {"role": "user", "content": [text("oi"), text("tem horário?")]},
            {
                "role": "assistant",
                "content": [
                    {"type": "thinking", "thinking": "hm", "signature": "s"},
                    text("Vou ver."),
                    {
                        "type": "tool_use",
                        "id": "toolu_7",
                        "name": "buscar_horarios",
                        "input": {"data": "ação"},
                    },
                    {"type": "tool_use", "id": "toolu_8", "name": "buscar_horarios", "input": '{"data'},
                    {"type": "tool_use", "id": "toolu_9", "name": "buscar_horarios", "input": {}},
                ],
            },
            {
                "role": "user",
                "content": [
                    {
                        "type": "tool_result",
                        "tool_use_id": "toolu_8",
                        "content": "falta data",
                        "is_error": True,
                    },
                    {"type": "tool_result", "tool_use_id": "toolu_7", "content": "10:00"},
                    {"type": "tool_result", "tool_use_id": "toolu_9", "content": ""},
                    text("e?"),
                ],
            },
            {"role": "user", "content": [text("alô")]},
            {"role": "assistant", "content": [{"type": "thinking", "thinking": "hm", "signature": "s"}]},
        ),
        seconds=45.0,
    )

    def sent_call(call_id: str, arguments: str) -> Body:
        function = {"name": "buscar_horarios", "arguments": arguments}
        return {"id": call_id, "type": "function", "function": function}

    assert fake.requests == [
        {
            "model": "local",
            "messages": [
                {"role": "system", "content": "Você atende um salão."},
                {"role": "user", "content": "oi\n\ntem horário?"},
                {
                    "role": "assistant",
                    "content": "Vou ver.",
                    "tool_calls": [
                        sent_call("call00000", '{"data": "ação"}'),
                        sent_call("call00001", "{}"),
                        sent_call("call00002", "{}"),
                    ],
                },
                {"role": "tool", "tool_call_id": "call00001", "content": "ERRO: falta data"},
                {"role": "tool", "tool_call_id": "call00000", "content": "10:00"},
                {"role": "tool", "tool_call_id": "call00002", "content": "(sem conteúdo)"},
                {"role": "user", "content": "e?\n\nalô"},
            ],
            "max_completion_tokens": 4096,
            "tools": [
                {
                    "type": "function",
                    "function": {
                        "name": "buscar_horarios",
                        "description": SPEC.description,
                        "parameters": SPEC.input_schema,
                    },
                }
            ],
            "tool_choice": "auto",
        }
    ]
    assert fake.refusals == []


def test_without_tools_nothing_is_said_of_them() -> None:
    fake = FakeOpenAI([completion("Olá!")])
    client(fake, parallel_tools=False).complete(ModelRequest("s", request().messages, ()), seconds=45.0)
    assert fake.requests[0].keys() == {"model", "messages", "max_completion_tokens"}


def test_one_call_at_a_time_is_asked_for_beside_tools() -> None:
    fake = FakeOpenAI([completion("Olá!")])
    client(fake, parallel_tools=False).complete(request(tool_choice="none"), seconds=45.0)
    assert fake.requests[0]["parallel_tool_calls"] is False
    assert fake.requests[0]["tool_choice"] == "none"
    assert len(fake.requests[0]["tools"]) == 1


def test_a_server_that_knows_the_old_limit_only_is_asked_the_new_way_once() -> None:
    fake = FakeOpenAI([completion("a"), completion("b")], limit="max_tokens")
    model = client(fake)
    assert [model.complete(request(), seconds=45.0).content for _ in range(2)] == [[text("a")], [text("b")]]
    assert len(fake.refusals) == 1
    assert [body.get("max_tokens") for body in fake.requests] == [None, 4096, 4096]


def test_other_refusals_are_not_sent_again() -> None:
    fake = FakeOpenAI([openai.error(400, "context length exceeded")])
    with pytest.raises(ModelError) as caught:
        client(fake).complete(request(), seconds=45.0)
    assert caught.value.kind == "rejected"
    assert len(fake.requests) == 1


def test_a_local_server_needs_no_key() -> None:
    fake = FakeOpenAI([completion("Olá!")], key=None)
    model = OpenAIClient(fake.client(), key=None, model="local", base_url="http://fake")
    assert model.complete(request(), seconds=45.0).content == [text("Olá!")]


# Finish reasons


CALL = call("buscar_horarios", '{"data":"2026-12-01"}', "c1")


@pytest.mark.parametrize(
    ("finish", "calls", "reason"),
    [
        ("stop", [], "end_turn"),
        ("stop", [CALL], "tool_use"),
        ("tool_calls", [CALL], "tool_use"),
        ("tool_calls", [], "tool_use"),
        ("function_call", [CALL], "tool_use"),
        ("length", [], "max_tokens"),
        ("length", [CALL], "max_tokens"),
        ("content_filter", [], "refusal"),
        ("content_filter", [CALL], "refusal"),
        ("STOP", [CALL], "tool_use"),
        ("eos_token", [], "end_turn"),
        ("endTurn", [], "end_turn"),
        ("toolUse", [CALL], "tool_use"),
        ("MAX_TOKENS", [CALL], "max_tokens"),
        ("model_length", [], "max_tokens"),
        ("FINISH_REASON_MAX_TOKENS", [], "max_tokens"),
        ("SAFETY", [], "refusal"),
        ("prohibited-content", [], "refusal"),
        ("other", [CALL], "other"),
        ("", [CALL], ""),
        (None, [CALL], None),
        (7, [CALL], None),
        (["stop"], [CALL], None),
        ({"reason": "stop"}, [], None),
    ],
)
def test_finish_reasons(finish: Any, calls: list[Body], reason: str | None) -> None:
    """Only a whole answer may run tools, and then the calls decide, not the label."""
    assert ask(completion("Vou ver.", *calls, finish=finish)).stop_reason == reason


def test_a_missing_finish_reason_is_none() -> None:
    body = completion("Olá!")
    del body["choices"][0]["finish_reason"]
    assert ask(body).stop_reason is None


@pytest.mark.parametrize("finish", ["stop", "tool_calls", "function_call"])
def test_an_answer_that_used_up_its_tokens_was_cut(finish: str) -> None:
    """Some servers put `tool_calls` over `length`, and mend the half JSON."""
    reply = ask(completion(None, CALL, finish=finish, usage=(900, 64)), max_tokens=64)
    assert reply.stop_reason == "max_tokens"


@pytest.mark.parametrize(("finish", "reason"), [("length", "max_tokens"), ("other", "other"), (None, None)])
def test_a_used_up_answer_keeps_a_worse_label(finish: str | None, reason: str | None) -> None:
    assert ask(completion("x", finish=finish, usage=(900, 64)), max_tokens=64).stop_reason == reason


def test_a_long_estimate_is_no_proof_of_a_cut() -> None:
    assert ask(completion("x" * 600, usage=None), max_tokens=64).stop_reason == "end_turn"


@pytest.mark.parametrize("finish", ["stop", "tool_calls"])
def test_calls_that_were_not_asked_for_are_dropped(finish: str) -> None:
    """R17: under `none` many servers call tools all the same."""
    reply = ask(completion("Até logo!", CALL, finish=finish), tool_choice="none")
    assert (reply.content, reply.stop_reason) == ([text("Até logo!")], "end_turn")


def test_a_refusal_in_its_own_field_is_a_refusal() -> None:
    reply = ask(completion(None, refusal="I cannot help with that."))
    assert (reply.content, reply.stop_reason, reply.detail) == ([], "refusal", "content_filter")


# Text


@pytest.mark.parametrize(
    ("content", "more", "kept"),
    [
        ("Olá!", {}, "Olá!"),
        ("Olá!", {"refusal": None, "annotations": [], "audio": None}, "Olá!"),
        (None, {"reasoning_content": "the user greets"}, None),
        ("", {}, None),
        (" \n", {}, None),
        ("<think>the user greets</think>\n\nOlá!", {}, "Olá!"),
        ("the user greets</think>Olá!", {}, "Olá!"),
        ("<think>a</think>b<think>c</think>Olá!", {}, "Olá!"),
        ("<think>the user gr", {}, None),
        (
            [
                {"type": "text", "text": "Olá"},
                {"type": "thinking", "thinking": []},
                {"type": "text", "text": "!"},
            ],
            {},
            "Olá!",
        ),
        ([{"type": "text"}, "x", None], {}, None),
        (5, {}, None),
    ],
)
def test_text(content: Any, more: dict[str, Any], kept: str | None) -> None:
    """Reasoning is never shown to a customer (R37)."""
    reply = ask(completion(content, **more))
    assert reply.content == ([] if kept is None else [text(kept)])
    assert reply.stop_reason == "end_turn"


# Calls


@pytest.mark.parametrize(
    ("arguments", "read"),
    [
        ('{"data":"2026-12-01"}', {"data": "2026-12-01"}),
        (' {"data": null}\n', {"data": None}),
        ({"data": "2026-12-01"}, {"data": "2026-12-01"}),
        # Blank: whether nothing will do is for the tool to say.
        ("", {}),
        (" ", {}),
        ("{}", {}),
        ("null", {}),
        (None, {}),
        ('""', {}),
        ("```json\n{}\n```", {}),
        # Wrapped once too often.
        ('```json\n{"data":"x"}\n```', {"data": "x"}),
        ('```\n{"data":"x"}```', {"data": "x"}),
        ('"{\\"data\\":\\"x\\"}"', {"data": "x"}),
        # Not to be guessed at.
        ("{}{}", "{}{}"),
        ('{"data":"x"}{"data":"y"}', '{"data":"x"}{"data":"y"}'),
        ('{"data":"2026-', '{"data":"2026-'),
        ("{'data': 'x'}", "{'data': 'x'}"),
        ("amanhã", "amanhã"),
        ("[1]", "[1]"),
        ("5", "5"),
        ('{"x": NaN}', '{"x": NaN}'),
        ('{"x": 1e999}', '{"x": 1e999}'),
        ('"\\"\\\\\\"{}\\\\\\"\\""', '"\\"\\\\\\"{}\\\\\\"\\""'),
        ("[" * 5000, "[" * 5000),
        ([1], [1]),
        (5, 5),
        # Escapes inside the text are cleaned like all others.
        ('{"data":"\\ud83d\\u0000x"}', {"data": "\ufffdx"}),
    ],
)
def test_arguments(arguments: Any, read: Any) -> None:
    """Anything but an object stays as it was sent, so that the toolbox can say what is wrong with it."""
    fake = FakeOpenAI([completion(None, call("buscar_horarios", arguments, "c1")), completion("Olá!")])
    model = client(fake)
    reply = model.complete(request(), seconds=45.0)
    assert reply.content == [{"type": "tool_use", "id": "c1", "name": "buscar_horarios", "input": read}]
    model.complete(request(*request().messages, *answered(reply)), seconds=45.0)
    assert fake.refusals == []


@pytest.mark.parametrize(
    ("ids", "kept"),
    [
        (["c1", "c2"], ["c1", "c2"]),
        (["", ""], ["call_1", "call_2"]),
        (["call_0", "call_0"], ["call_0", "call_1"]),
        ([5, {}], ["call_1", "call_2"]),
        (["functions.buscar:0", "x"], ["call_1", "x"]),
    ],
)
def test_ids(ids: list[Any], kept: list[str]) -> None:
    reply = ask(completion(None, *(call("buscar_horarios", id=given) for given in ids)))
    assert [block["id"] for block in reply.content] == kept


def test_missing_ids_are_made() -> None:
    bare = {"function": {"name": "buscar_horarios", "arguments": "{}"}}
    assert [block["id"] for block in ask(completion(None, bare, bare)).content] == ["call_1", "call_2"]


def test_ids_that_a_server_repeats_each_turn_stay_apart() -> None:
    fake = FakeOpenAI([completion(None, call("buscar_horarios", id="call_0"))] * 4)
    model, messages = client(fake), list(request().messages)
    for _ in range(4):
        messages += answered(model.complete(request(*messages), seconds=45.0))
    assert broken_rules(request(*messages)) == []
    assert fake.refusals == []


@pytest.mark.parametrize(
    "calls",
    [
        None,
        "x",
        {},
        [None],
        ["x"],
        [{}],
        [{"id": "a", "type": "function"}],
        [{"function": "x"}],
        [{"function": None}],
    ],
    ids=str,
)
def test_calls_without_a_function_are_none(calls: Any) -> None:
    """The label says that there are calls: the loop then asks again, or ends."""
    body = completion("Vou ver.", finish="tool_calls")
    body["choices"][0]["message"]["tool_calls"] = calls
    reply = ask(body)
    assert (reply.content, reply.stop_reason) == ([text("Vou ver.")], "tool_use")


def test_the_old_single_call_is_a_call() -> None:
    function = {"name": "buscar_horarios", "arguments": '{"data":"x"}'}
    reply = ask(completion(None, finish="function_call", function_call=function))
    assert reply.content == [
        {"type": "tool_use", "id": "call_1", "name": "buscar_horarios", "input": {"data": "x"}}
    ]
    assert reply.stop_reason == "tool_use"


@pytest.mark.parametrize(
    ("name", "kept"), [("marcar hora", "marcar_hora"), (None, "sem_nome"), ("", "sem_nome"), ({}, "sem_nome")]
)
def test_names(name: Any, kept: str) -> None:
    assert ask(completion(None, call(name))).content[0]["name"] == kept


# Usage


@pytest.mark.parametrize(
    ("usage", "read"),
    [
        ({"prompt_tokens": 900, "completion_tokens": 40}, Usage(900, 40)),
        (
            {"prompt_tokens": 900, "completion_tokens": 40, "prompt_tokens_details": {"cached_tokens": 800}},
            Usage(100, 40, 800),
        ),
        (
            {"prompt_tokens": 900, "completion_tokens": 40, "prompt_tokens_details": {"cached_tokens": 1000}},
            Usage(0, 40, 900),
        ),
        ({"prompt_tokens": 900, "completion_tokens": 40, "prompt_tokens_details": None}, Usage(900, 40)),
        ({"prompt_tokens": 900, "completion_tokens": 40, "prompt_tokens_details": {}}, Usage(900, 40)),
    ],
)
def test_usage(usage: Any, read: Usage) -> None:
    assert ask({**completion("Olá!"), "usage": usage}).usage == read


@pytest.mark.parametrize("usage", [None, {}, [], {"prompt_tokens": 0, "completion_tokens": None}], ids=str)
def test_usage_that_is_missing_is_estimated(usage: Any) -> None:
    """Else the brake on input tokens would never be felt: about three characters a token, tools included."""
    reply = ask({**completion("Olá, tudo bem?"), "usage": usage})
    characters = len("Você atende um salão.") + len(
        json.dumps(
            [request().messages, [[SPEC.name, SPEC.description, SPEC.input_schema]]], ensure_ascii=False
        )
    )
    assert reply.usage.input_tokens == pytest.approx(characters / 3, abs=1)
    assert reply.usage.output_tokens == pytest.approx(len("Olá, tudo bem?[]") / 3, abs=1)


# Errors


def failed_choice(error: Body) -> Body:
    """An outage told inside a success (R7)."""
    body = completion("Vou", finish="error")
    body["choices"][0]["error"] = error
    return body


@pytest.mark.parametrize(
    ("step", "kind", "calls"),
    [
        (openai.error(500), "unavailable", 3),
        (openai.error(429, "Rate limit", "rate_limit_exceeded", retry_after="1"), "unavailable", 3),
        (openai.error(429, "You exceeded your quota", "insufficient_quota"), "configuration", 1),
        (openai.error(401, "no key", "invalid_api_key"), "configuration", 1),
        (openai.error(404, "no model", "model_not_found"), "configuration", 1),
        (openai.error(400, "bad"), "rejected", 1),
        (Reply(422, {"detail": [{"loc": ["body"], "msg": "bad"}]}), "rejected", 1),
        (httpx.ConnectError("nobody there"), "unavailable", 3),
        (Reply(200, b"loading model"), "unavailable", 3),
        (Reply(200, {"error": {"code": 502, "message": "provider down"}}), "unavailable", 3),
        (Reply(200, {"error": {"code": 402, "message": "no credit"}}), "configuration", 1),
        (
            Reply(429, b'[{"error": {"code": 429, "message": "Quota", "status": "RESOURCE_EXHAUSTED"}}]'),
            "unavailable",
            3,
        ),
        (Reply(200, b'[{"error": {"code": 503, "message": "Overloaded"}}]'), "unavailable", 3),
        (completion("Vou", finish="error"), "unavailable", 3),
        (completion("Vou", finish="MALFORMED_FUNCTION_CALL"), "unavailable", 3),
        (completion("Vou", finish="insufficient_system_resource"), "unavailable", 3),
        (failed_choice({"code": 502, "message": "Upstream error"}), "unavailable", 3),
        (failed_choice({"code": 402, "message": "no credit"}), "configuration", 1),
        (openai.error(400, "Failed to call a function.", "tool_use_failed"), "unavailable", 3),
        (
            Reply(400, {"error": {"message": "x", "code": None, "failed_generation": "<fun"}}),
            "unavailable",
            3,
        ),
        ({"choices": []}, "unavailable", 3),
        ({"choices": None}, "unavailable", 3),
        ({"choices": [None]}, "unavailable", 3),
        ({"choices": [{"finish_reason": "stop"}]}, "unavailable", 3),
        ({"object": "list"}, "unavailable", 3),
    ],
    ids=str,
)
def test_errors(step: Step, kind: str, calls: int) -> None:
    fake = FakeOpenAI([step] * 3)
    with pytest.raises(ModelError) as caught:
        client(fake).complete(request(), seconds=45.0)
    assert caught.value.kind == kind
    assert len(fake.requests) == calls


# Whatever comes


ANY_TEXT = st.text(st.characters(exclude_categories=()))  # half surrogates too
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | ANY_TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(ANY_TEXT, inner, max_size=3),
    max_leaves=6,
)
CALLS = st.fixed_dictionaries(
    {},
    optional={
        "id": st.sampled_from(["call_1", "", "a b"]) | JSON,
        "function": JSON
        | st.fixed_dictionaries(
            {}, optional={"name": ANY_TEXT | JSON, "arguments": JSON.map(json.dumps) | JSON}
        ),
    },
)
MESSAGES = st.fixed_dictionaries(
    {},
    optional={
        "content": ANY_TEXT | JSON,
        "refusal": JSON,
        "tool_calls": st.lists(CALLS | JSON, max_size=4) | JSON,
        "function_call": JSON,
    },
)
CHOICES = st.fixed_dictionaries(
    {},
    optional={
        "message": MESSAGES | JSON,
        "finish_reason": st.sampled_from(["stop", "tool_calls", "length", "content_filter"]) | JSON,
    },
)
BODIES = JSON | st.fixed_dictionaries(
    {},
    optional={
        "choices": st.lists(CHOICES | JSON, max_size=2) | JSON,
        "usage": JSON,
        "id": JSON,
        "model": JSON,
    },
)


@given(BODIES, st.sampled_from(["auto", "none"]))
def test_whatever_comes_is_an_error_or_can_be_sent_back(body: Any, choice: Any) -> None:
    raw = Reply(200, json.dumps(body).encode())
    first = request(tool_choice=choice)
    try:
        reply = client(FakeOpenAI([raw] * 3)).complete(first, seconds=45.0)
    except ModelError:
        return
    again = request(*first.messages, *answered(reply))
    assert broken_rules(again) == []
    fake = FakeOpenAI([completion("Olá!")])
    client(fake).complete(again, seconds=45.0)
    assert fake.refusals == []
    if choice == "none":
        assert all(block["type"] == "text" for block in reply.content)
