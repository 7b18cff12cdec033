"""The stand-in refuses each documented rule: a double that accepts too much would prove nothing."""

import copy
import json
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import pytest

from tests.fakes.claude import FakeClaude, answer, error, text, thinking, tool_use
from tests.fakes.scripted import Body, Reply

MARK = {"type": "ephemeral"}
HEADERS = {"x-api-key": "k", "anthropic-version": "2026-10-21"}


def valid() -> Body:
    return {
        "model": "claude-haiku-5-5",
        "max_tokens": 4096,
        "system": [{"type": "text", "text": "s", "cache_control": MARK}],
        "tools": [
            {
                "name": "listar",
                "description": "d",
                "input_schema": {
                    "type": "object",
                    "properties": {},
                    "required": [],
                    "additionalProperties": False,
                },
                "strict": True,
            }
        ],
        "tool_choice": {"type": "auto"},
        "messages": [
            {"role": "user", "content": "oi"},
            {"role": "assistant", "content": [text("vejo"), tool_use("listar", id="a")]},
            {
                "role": "user",
                "content": [{"type": "tool_result", "tool_use_id": "a", "content": [text("10:00")]}],
            },
        ],
    }


def post(
    fake: FakeClaude, body: Body, headers: dict[str, str] | None = None, path: str = "/v1/messages"
) -> httpx.Response:
    with fake.client() as http:
        return http.post(f"http://fake{path}", json=body, headers=HEADERS if headers is None else headers)


def message_of(response: httpx.Response) -> str:
    message: str = response.json()["error"]["message"]
    return message


def last(body: Body) -> list[Body]:
    content: list[Body] = body["messages"][-1]["content"]
    return content


def calls(body: Body) -> list[Body]:
    content: list[Body] = body["messages"][1]["content"]
    return content


def test_a_valid_request_is_answered() -> None:
    fake = FakeClaude([answer(text("Olá!"))])
    response = post(fake, valid())
    assert response.status_code == 200
    assert response.json()["content"] == [text("Olá!")]
    assert response.headers["request-id"]
    assert fake.refusals == []
    assert fake.requests == [valid()]


RULES: dict[str, tuple[Callable[[Body], Any], str]] = {
    "0.1 temperature": (lambda b: b.update(temperature=1.0), "temperature: "),
    "0.1 top_p": (lambda b: b.update(top_p=1.0), "top_p: "),
    "0.1 top_k": (lambda b: b.update(top_k=1), "top_k: "),
    "0.1 citations": (lambda b: last(b).append({**text("x"), "citations": [{}]}), "citations"),
    "0.4 prefill": (lambda b: b["messages"].append({"role": "assistant", "content": "A"}), "prefill"),
    "0.6 thinking": (lambda b: b.update(thinking={"type": "enabled"}), '"thinking.type.enabled"'),
    "0.7 any": (lambda b: b.update(tool_choice={"type": "any"}), "not supported for this model"),
    "0.7 tool": (
        lambda b: b.update(tool_choice={"type": "tool", "name": "listar"}),
        "not supported for this",
    ),
    "2.1 no result": (
        lambda b: b["messages"].append({"role": "user", "content": "x"}) or b["messages"].pop(2),
        "after: a.",
    ),
    "2.2 orphan": (lambda b: b["messages"].pop(1), "unexpected `tool_use_id`"),
    "2.3 text first": (lambda b: last(b).insert(0, text("x")), "at the beginning"),
    "2.5 text last": (lambda b: calls(b).append(text("x")), "text after a `tool_use`"),
    "2.6 id twice": (lambda b: calls(b).append(tool_use("listar", id="a")), "ids must be unique"),
    "2.7 id": (
        lambda b: (calls(b)[1].update(id="a b"), last(b)[0].update(tool_use_id="a b")),
        "tool_use.id: String",
    ),
    "2.8 name": (lambda b: b["tools"][0].update(name="li star"), "custom.name: String should match"),
    "2.8 in history": (lambda b: calls(b)[1].update(name="li star"), "tool_use.name: String should match"),
    "2.8 twice": (lambda b: b["tools"].append(b["tools"][0]), "names must be unique"),
    "2.9 blank text": (lambda b: last(b).append(text(" ")), "text content blocks must be non-empty"),
    "2.9 blank string": (
        lambda b: b["messages"][0].update(content=""),
        "text content blocks must be non-empty",
    ),
    "2.9 empty message": (
        lambda b: b["messages"].insert(1, {"role": "assistant", "content": []}),
        "non-empty content",
    ),
    "2.9 blank system": (lambda b: b.update(system=""), "system: text content blocks must be"),
    "2.11 first": (
        lambda b: b["messages"].insert(0, {"role": "assistant", "content": "x"}),
        'the "user" role',
    ),
    "2.11 none": (lambda b: b.update(messages=[]), "at least one message"),
    "2.13 system": (
        lambda b: b["messages"].insert(0, {"role": "system", "content": "x"}),
        "neither user nor",
    ),
    "2.14 no tools": (lambda b: (b.pop("tools"), b.pop("tool_choice")), "must define tools"),
    "2.15 choice alone": (lambda b: b.pop("tools"), "may only be specified while providing `tools`"),
    "2.16 parallel": (
        lambda b: b.update(disable_parallel_tool_use=True),
        "disable_parallel_tool_use: Extra inputs",
    ),
    "2.16 under none": (
        lambda b: b.update(tool_choice={"type": "none", "disable_parallel_tool_use": True}),
        "tool_choice.none.disable_parallel_tool_use: Extra inputs",
    ),
    "2.17 blank error": (lambda b: last(b)[0].update(is_error=True, content=[]), "`is_error`"),
    "2.18 changed thinking": (
        lambda b: calls(b).insert(0, {**thinking("x"), "signature": ".0"}),
        "`signature`",
    ),
    "2.19 schema": (lambda b: b["tools"][0]["input_schema"].pop("additionalProperties"), "must be false"),
    "2.19 strict": (lambda b: b["tools"][0].pop("strict"), "not strict"),
    "2.20 five marks": (
        lambda b: last(b).extend({**text("x"), "cache_control": MARK} for _ in range(4)),
        "A maximum of 4 blocks with cache_control may be provided. Found 5.",
    ),
    "2.20 on empty text": (
        lambda b: last(b).append({**text(""), "cache_control": MARK}),
        "empty text blocks",
    ),
    "2.20 on thinking": (
        lambda b: calls(b).insert(0, {**thinking(), "signature": "s", "cache_control": MARK}),
        "thinking.cache_control: Extra inputs",
    ),
    "2.20 a made-up mark": (lambda b: b["system"][0].update(cache_control={"type": "for ever"}), "ephemeral"),
    "2.21 too many tokens": (lambda b: b.update(max_tokens=200_000), "max_tokens: 200000 > 128000"),
    "2.21 no tokens": (lambda b: b.update(max_tokens=0), "max_tokens"),
    "2.21 no limit": (lambda b: b.pop("max_tokens"), "max_tokens: Field required"),
    "2.24 top": (lambda b: b.update(session="x"), "session: Extra inputs are not permitted"),
    "2.24 block": (lambda b: last(b)[0].update(x=1), "tool_result.x: Extra inputs are not permitted"),
    "2.24 tool": (lambda b: b["tools"][0].update(x=1), "tools.0.custom.x: Extra inputs"),
    "2.24 message": (lambda b: b["messages"][0].update(name="Ana"), "messages.0.name: Extra inputs"),
    "an input that is no object": (
        lambda b: calls(b)[1].update(input="x"),
        "Input should be a valid dictionary",
    ),
    "no model": (lambda b: b.pop("model"), "model: Field required"),
}


@pytest.mark.parametrize("rule", RULES)
def test_each_rule_is_refused(rule: str) -> None:
    change, words = RULES[rule]
    body = valid()
    change(body)
    fake = FakeClaude([])
    response = post(fake, copy.deepcopy(body))
    assert response.status_code == 400
    assert response.json()["error"]["type"] == "invalid_request_error"
    assert words in message_of(response)
    assert fake.refusals == [message_of(response)]


@pytest.mark.parametrize(
    ("headers", "path", "status"),
    [
        ({"anthropic-version": "2026-10-21"}, "/v1/messages", 401),
        ({"x-api-key": "k"}, "/v1/messages", 400),
        ({"x-api-key": "k", "anthropic-version": "2020-01-01"}, "/v1/messages", 400),
        (HEADERS, "/v1/complete", 404),
    ],
)
def test_headers_and_path_are_looked_at(headers: dict[str, str], path: str, status: int) -> None:
    assert post(FakeClaude([]), valid(), headers, path).status_code == status


@pytest.mark.parametrize("content", [b'{"x": "\\ud83d"}', b'{"x": NaN}', b"{", b"[]", b"\xff"])
def test_a_body_that_is_no_json_is_refused(content: bytes) -> None:
    """2.23"""
    with FakeClaude([]).client() as http:
        headers = {**HEADERS, "content-type": "application/json"}
        response = http.post("http://fake/v1/messages", content=content, headers=headers)
    assert response.status_code == 400


# The prefix check (0.8)


def turn(fake: FakeClaude, body: Body) -> None:
    """Send, and take the answer with a result for its call into the body."""
    reply = post(fake, body).json()
    body["messages"].append({"role": "assistant", "content": reply["content"]})
    results = [
        {"type": "tool_result", "tool_use_id": block["id"], "content": "x"}
        for block in reply["content"]
        if block["type"] == "tool_use"
    ]
    body["messages"].append({"role": "user", "content": results})


def after_two_thoughts() -> Body:
    """A body whose last two answers hold thinking of the stand-in's, at messages 3 and 5."""
    fake, body = FakeClaude(lambda body: answer(thinking("hm"), tool_use("listar"))), valid()
    turn(fake, body)
    turn(fake, body)
    return body


ALLOWED: dict[str, Callable[[Body], Any]] = {
    "nothing changed": lambda b: None,
    "other choice": lambda b: b.update(tool_choice={"type": "none"}),
    "other limit": lambda b: b.update(max_tokens=16_384),
    "marks moved": lambda b: (b["system"][0].pop("cache_control"), last(b)[0].update(cache_control=MARK)),
    "first thinking left out": lambda b: b["messages"][3]["content"].pop(0),
    "all thinking left out": lambda b: (
        b["messages"][3]["content"].pop(0),
        b["messages"][5]["content"].pop(0),
    ),
    "more appended": lambda b: last(b).append(text("e?")),
}
BOUND: dict[str, Callable[[Body], Any]] = {
    "system changed": lambda b: b["system"][0].update(text="amanhã"),
    "tool changed": lambda b: b["tools"][0].update(description="other"),
    "tool added": lambda b: b["tools"].append({**b["tools"][0], "name": "other"}),
    "earlier result shortened": lambda b: b["messages"][2]["content"][0].update(content="…"),
    "earlier text added": lambda b: b["messages"][2]["content"].append(text("x")),
    "earlier words changed": lambda b: b["messages"][0].update(content="olá"),
    "thinking edited": lambda b: b["messages"][5]["content"][0].update(thinking="other"),
}


@pytest.mark.parametrize("change", ALLOWED.values(), ids=ALLOWED)
def test_thinking_is_taken_back_by_any_stand_in(change: Callable[[Body], Any]) -> None:
    """It needs no memory, so a process that starts anew finds the same rules."""
    body = after_two_thoughts()
    change(body)
    assert post(FakeClaude([answer(text("Olá!"))]), body).status_code == 200


@pytest.mark.parametrize("change", BOUND.values(), ids=BOUND)
def test_thinking_of_another_conversation_is_refused(change: Callable[[Body], Any]) -> None:
    body = after_two_thoughts()
    change(body)
    assert "bound to a different conversation" in message_of(post(FakeClaude([]), body))


def test_thinking_is_not_left_out_in_the_middle() -> None:
    fake, body = FakeClaude(lambda body: answer(thinking("hm"), tool_use("listar"))), valid()
    for _ in range(3):
        turn(fake, body)
    body["messages"][5]["content"].pop(0)
    assert "bound to a different conversation" in message_of(post(FakeClaude([]), body))


def test_two_thoughts_of_one_answer_are_taken_back() -> None:
    fake, body = FakeClaude([answer(thinking("a"), thinking("b"), tool_use("listar"))]), valid()
    turn(fake, body)
    assert post(FakeClaude([answer(text("Olá!"))]), body).status_code == 200


def test_fields_of_its_own_are_taken_back() -> None:
    """The API may add output fields at any time, and wants them back."""
    fake = FakeClaude([answer({**tool_use("listar"), "novelty": 1}), answer(text("Olá!"))])
    body = valid()
    turn(fake, body)
    assert post(fake, body).status_code == 200


# The script


def test_steps_may_be_answers_errors_functions_and_broken_lines() -> None:
    fake = FakeClaude(
        [
            error(529, "overloaded_error", retry_after="1"),
            lambda body: answer(text(body["messages"][0]["content"])),
            httpx.ReadTimeout("slow"),
            Reply(200, b"<html>"),
        ]
    )
    overloaded = post(fake, valid())
    assert (overloaded.status_code, overloaded.headers["retry-after"]) == (529, "1")
    assert post(fake, valid()).json()["content"] == [text("oi")]
    with pytest.raises(httpx.ReadTimeout):
        post(fake, valid())
    assert post(fake, valid()).content == b"<html>"


def test_a_script_that_is_over_fails_the_test() -> None:
    with pytest.raises(AssertionError, match="script is over"):
        post(FakeClaude([]), valid())


def test_it_serves_on_a_real_socket() -> None:
    fake = FakeClaude([answer(text("Olá!")), httpx.ReadError("broken")])
    with fake.serve() as base, httpx.Client(trust_env=False) as http:
        response = http.post(
            f"{base}/v1/messages",
            content=json.dumps(valid()),
            headers={**HEADERS, "content-type": "application/json"},
        )
        assert response.json()["content"] == [text("Olá!")]
        with pytest.raises(httpx.RemoteProtocolError):
            http.post(f"{base}/v1/messages", json=valid(), headers=HEADERS)
    assert len(fake.requests) == 2


def test_a_slow_answer_holds_up_no_other() -> None:
    """Many runs wait for the model at once; each request here waits until both are there."""
    both = threading.Barrier(2, timeout=10.0)

    def slow(body: Body) -> Body:
        both.wait()
        return answer(text("Olá!"))

    fake = FakeClaude(slow)
    with ThreadPoolExecutor(2) as pool:
        replies = list(pool.map(lambda _: post(fake, valid()).status_code, range(2)))
    assert replies == [200, 200]
