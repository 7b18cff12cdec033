"""The stand-in of a chat completions server refuses what real ones refuse."""

import copy
from collections.abc import Callable
from typing import Any

import httpx
import pytest

from tests.fakes.openai import FakeOpenAI, completion
from tests.fakes.scripted import Body


def sent_call(call_id: str = "call00000") -> Body:
    return {"id": call_id, "type": "function", "function": {"name": "listar", "arguments": "{}"}}


def valid() -> Body:
    function = {"name": "listar", "description": "d", "parameters": {"type": "object", "properties": {}}}
    return {
        "model": "local",
        "max_completion_tokens": 64,
        "tools": [{"type": "function", "function": function}],
        "tool_choice": "auto",
        "parallel_tool_calls": False,
        "messages": [
            {"role": "system", "content": "s"},
            {"role": "user", "content": "oi"},
            {"role": "assistant", "content": None, "tool_calls": [sent_call()]},
            {"role": "tool", "tool_call_id": "call00000", "content": "10:00"},
        ],
    }


def post(fake: FakeOpenAI, body: Body, key: str = "k", path: str = "/v1/chat/completions") -> httpx.Response:
    with fake.client() as http:
        return http.post(f"http://fake{path}", json=body, headers={"authorization": f"Bearer {key}"})


def test_a_valid_request_is_answered() -> None:
    fake = FakeOpenAI([completion("Olá!")])
    assert post(fake, valid()).json()["choices"][0]["message"]["content"] == "Olá!"
    assert (fake.requests, fake.refusals) == ([valid()], [])


RULES: dict[str, tuple[Callable[[Body], Any], str]] = {
    "unknown argument": (lambda b: b.update(top_k=1), "Unrecognized request argument supplied: top_k"),
    "old limit": (lambda b: b.update(max_tokens=1), "'max_tokens' is not supported"),
    "empty tools": (lambda b: b.update(tools=[]), "[] is too short"),
    "choice alone": (lambda b: b.pop("tools"), "'tool_choice' is only allowed when 'tools'"),
    "parallel alone": (
        lambda b: (b.pop("tools"), b.pop("tool_choice")),
        "'parallel_tool_calls' is only allowed",
    ),
    "forced": (lambda b: b.update(tool_choice="required"), "forced"),
    "tool name": (lambda b: b["tools"][0]["function"].update(name="li star"), "does not match pattern"),
    "tool field": (lambda b: b["tools"][0].update(strict=True), "does not match pattern"),
    "second system": (lambda b: b["messages"].append(b["messages"][0]), "exactly one system message"),
    "no system": (lambda b: b["messages"].pop(0), "exactly one system message"),
    "message field": (
        lambda b: b["messages"][3].update(is_error=True),
        "Additional properties are not allowed",
    ),
    "null content": (lambda b: b["messages"][1].update(content=None), "expected a string, got null"),
    "arguments": (
        lambda b: b["messages"][2]["tool_calls"][0]["function"].update(arguments=""),
        "not valid JSON",
    ),
    "object arguments": (
        lambda b: b["messages"][2]["tool_calls"][0]["function"].update(arguments={}),
        "not valid JSON",
    ),
    "called name": (
        lambda b: b["messages"][2]["tool_calls"][0]["function"].update(name="x y"),
        "does not match",
    ),
    "id": (lambda b: b["messages"][2]["tool_calls"][0].update(id="call_1"), "length 9"),
    "no result": (
        lambda b: b["messages"][3].update(role="user") or b["messages"][3].pop("tool_call_id"),
        "must be followed",
    ),
    "one of two": (lambda b: b["messages"][2]["tool_calls"].append(sent_call("call00001")), "last role"),
    "orphan": (lambda b: b["messages"].pop(2), "not found in 'tool_calls'"),
    "same role": (lambda b: b["messages"].insert(1, {"role": "user", "content": "x"}), "must alternate"),
    "prefill": (lambda b: b["messages"].append({"role": "assistant", "content": "x"}), "last role"),
}


@pytest.mark.parametrize("rule", RULES)
def test_each_rule_is_refused(rule: str) -> None:
    change, words = RULES[rule]
    body = valid()
    change(body)
    fake = FakeOpenAI([])
    response = post(fake, copy.deepcopy(body))
    assert response.status_code == 400
    assert words in response.json()["error"]["message"]
    assert len(fake.refusals) == 1


def test_key_and_path_are_looked_at() -> None:
    assert post(FakeOpenAI([]), valid(), key="other").status_code == 401
    assert post(FakeOpenAI([]), valid(), path="/v1/completions").status_code == 404
