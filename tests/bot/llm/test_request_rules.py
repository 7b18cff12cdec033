"""Every documented rule of a request is found broken where it is, and only there."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.llm.base import ChatMessage, ModelRequest, ToolSpec
from bot.llm.request_rules import broken_rules

SCHEMA = {
    "type": "object",
    "properties": {"dia": {"type": "string"}, "periodo": {"type": "string", "enum": ["manha", "tarde"]}},
    "required": ["dia"],
    "additionalProperties": False,
}
SPEC = ToolSpec("buscar_horarios", "Mostra os horários livres.", SCHEMA)


def text(words: str) -> dict[str, Any]:
    return {"type": "text", "text": words}


def call(call_id: str = "a", name: str = "buscar_horarios") -> dict[str, Any]:
    return {"type": "tool_use", "id": call_id, "name": name, "input": {"dia": "2026-12-01"}}


def result(call_id: str = "a", **more: Any) -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": call_id, "content": "10:00", **more}


def user(*content: Any) -> ChatMessage:
    return {"role": "user", "content": list(content)}


def model(*content: Any) -> ChatMessage:
    return {"role": "assistant", "content": list(content)}


def talk(*messages: ChatMessage) -> ModelRequest:
    """A request with these messages."""
    return ModelRequest("Você atende um salão.", list(messages), (SPEC,))


VALID = talk(
    user(text("oi")),
    model({"type": "thinking", "thinking": "", "signature": "s"}, text("Vou ver."), call("a"), call("b")),
    user(result("a"), result("b", is_error=True, content="dia inválido"), text("e amanhã?")),
    model(call("c")),
    user(result("c", content="")),
)


def tooled(**more: Any) -> ModelRequest:
    """A request whose tool has this in its schema."""
    return replace(VALID, tools=(ToolSpec("buscar_horarios", "", {**SCHEMA, **more}),))


def property_(**schema: Any) -> ModelRequest:
    return tooled(properties={"dia": schema})


def test_a_valid_request_breaks_none() -> None:
    assert broken_rules(VALID) == []


@pytest.mark.parametrize(
    "request_",
    [
        talk(user(text("oi")), user(text("tem horário?"))),
        talk(user(text("oi")), model(call("a"), call("b")), user(result("a")), user(result("b"))),
        talk(user(text("oi")), model({"type": "server_news", "x": 1}), user(text("e?"))),
        talk(
            user(text("oi")),
            model(call(), {"type": "thinking", "thinking": "", "signature": "s"}),
            user(result()),
        ),
        talk(user(text("oi")), model({**call(), "input": "texto"}), user(result())),
        replace(VALID, tool_choice="none"),
        replace(talk(user(text("oi"))), tools=()),
        property_(type="array", items={"type": "integer"}, minItems=1),
        property_(anyOf=[{"type": "integer"}, {"type": "null"}], default=None, title="Dia"),
        tooled(
            properties={"a": {"$ref": "#/$defs/P"}, "b": {"$ref": "#/$defs/P"}},
            **{"$defs": {"P": {"enum": [1]}}},
        ),
        property_(type="string", pattern="^[0-9]{4}-(0[1-9]|1[0-2])$", format="date"),
    ],
)
def test_what_the_api_takes_is_no_fault(request_: ModelRequest) -> None:
    """Neighbours of one role, unknown blocks, any input of a call, ordinary schemas."""
    assert broken_rules(request_) == []


BROKEN: list[tuple[str, ModelRequest, str]] = [
    ("2.1 no result", talk(user(text("oi")), model(call()), user(text("e?"))), "without `tool_result`"),
    ("2.1 at the end", talk(user(text("oi")), model(call())), "without `tool_result`"),
    ("2.1 one of two", talk(user(text("x")), model(call("a"), call("b")), user(result("a"))), "after: b."),
    (
        "2.1 too late",
        talk(user(text("x")), model(call()), user(text("y")), model(text("z")), user(result())),
        "after: a.",
    ),
    ("2.2 orphan", talk(user(result())), "unexpected `tool_use_id`"),
    (
        "2.2 from further up",
        talk(*VALID.messages, model(text("x")), user(result("a"))),
        "unexpected `tool_use_id`",
    ),
    ("2.2 twice", talk(user(text("x")), model(call()), user(result(), result())), "a single result"),
    ("2.3 text first", talk(user(text("x")), model(call()), user(text("y"), result())), "at the beginning"),
    ("2.3 merged", talk(user(text("x")), model(call()), user(text("y")), user(result())), "at the beginning"),
    (
        "2.5 text last",
        talk(user(text("x")), model(call(), text("y")), user(result())),
        "text after a `tool_use`",
    ),
    ("2.6 in one message", talk(user(text("x")), model(call(), call()), user(result())), "must be unique"),
    ("2.6 over turns", talk(*VALID.messages, model(call("a")), user(result("a"))), "must be unique"),
    (
        "2.7 id",
        talk(user(text("x")), model(call("a b")), user(result("a b"))),
        "tool_use.id: String should match",
    ),
    (
        "2.7 newline",
        talk(user(text("x")), model(call("a\n")), user(result("a\n"))),
        "tool_use.id: String should match",
    ),
    (
        "2.8 name in history",
        talk(user(text("x")), model(call(name="mu dar")), user(result())),
        "tool_use.name: String",
    ),
    (
        "2.8 name",
        replace(VALID, tools=(replace(SPEC, name="buscar horários"),)),
        "custom.name: String should match",
    ),
    (
        "2.8 long name",
        replace(VALID, tools=(replace(SPEC, name="n" * 65),)),
        "custom.name: String should match",
    ),
    ("2.8 twice", replace(VALID, tools=(SPEC, SPEC)), "names must be unique"),
    ("2.9 blank text", talk(user(text(" \n"))), "must be non-empty"),
    ("2.9 empty message", talk(user(text("x")), model(), user(text("y"))), "non-empty content"),
    ("2.9 blank system", replace(VALID, system=" "), "system: text content blocks must be non-empty"),
    ("0.4 prefill", talk(user(text("x")), model(text("y"))), "assistant message prefill"),
    ("2.11 first", talk(model(text("x")), user(text("y"))), 'must use the "user" role'),
    ("2.11 none", talk(), "at least one message"),
    ("2.13 system inside", talk({"role": "system", "content": [text("x")]}), "neither user nor assistant"),
    ("2.14 no tools", replace(VALID, tools=()), "must define tools"),
    (
        "2.15 none alone",
        replace(talk(user(text("x"))), tools=(), tool_choice="none"),
        "while providing `tools`",
    ),
    ("0.7 forced", replace(VALID, tool_choice="any"), "not supported for this model"),
    (
        "2.17 blank error",
        talk(user(text("x")), model(call()), user(result(is_error=True, content=" "))),
        "`is_error`",
    ),
    ("2.17 no boolean", talk(user(text("x")), model(call()), user(result(is_error="x"))), "a valid boolean"),
    ("2.19 more properties", tooled(additionalProperties=True), "additionalProperties must be false"),
    ("2.19 inner object", property_(type="object", properties={}), "additionalProperties must be false"),
    ("2.19 minimum", property_(type="integer", minimum=1), "minimum not permitted"),
    ("2.19 maxLength", property_(type="string", maxLength=5), "maxLength not permitted"),
    ("2.19 oneOf", property_(oneOf=[{"type": "integer"}]), "oneOf not permitted"),
    (
        "2.19 in a list",
        property_(type="array", items={"type": "number", "multipleOf": 2}),
        "multipleOf not permitted",
    ),
    ("2.19 minItems", property_(type="array", items={"type": "integer"}, minItems=2), "minItems"),
    ("2.19 format", property_(type="string", format="cpf"), "this format"),
    ("2.19 lookahead", property_(type="string", pattern="^(?=.*1)"), "lookaround"),
    ("2.19 backreference", property_(type="string", pattern=r"(a)\1"), "lookaround"),
    ("2.19 external", property_(**{"$ref": "https://example.com/x.json"}), "external $ref"),
    (
        "2.19 recursive",
        tooled(
            properties={"dia": {"$ref": "#/$defs/Node"}},
            **{"$defs": {"Node": {"type": "array", "items": {"$ref": "#/$defs/Node"}}}},
        ),
        "recursive $ref",
    ),
    ("2.19 no object", replace(VALID, tools=(replace(SPEC, input_schema={"type": "array"}),)), "'object'"),
    (
        "2.19 tools",
        replace(VALID, tools=tuple(replace(SPEC, name=f"t{n}") for n in range(21))),
        "at most 20 strict tools",
    ),
    (
        "2.19 optional",
        tooled(properties={f"p{n}": {"type": "string"} for n in range(26)}),
        "at most 24 optional parameters",
    ),
    (
        "2.19 unions",
        tooled(properties={f"p{n}": {"anyOf": [{"type": "null"}]} for n in range(17)}, required=[]),
        "at most 16 parameters of a union",
    ),
    ("2.20 foreign mark", talk(user({**text("x"), "cache_control": {"type": "ephemeral"}})), "cache_control"),
    ("2.21 no tokens", replace(VALID, max_tokens=0), "max_tokens"),
    ("2.21 a boolean", replace(VALID, max_tokens=True), "max_tokens"),
    ("2.22 size", talk(user(text("x" * (32 * 1024 * 1024)))), "request_too_large"),
    ("2.23 surrogate", talk(user(text("oi \ud83d"))), "not valid JSON"),
    (
        "2.23 in a call",
        talk(user(text("x")), model({**call(), "input": "\ud83d"}), user(result())),
        "not valid JSON",
    ),
    (
        "2.23 NaN",
        talk(user(text("x")), model({**call(), "input": float("nan")}), user(result())),
        "not valid JSON",
    ),
    (
        "2.23 infinity",
        replace(VALID, tools=(replace(SPEC, input_schema={"x": float("inf")}),)),
        "not valid JSON",
    ),
    (
        "2.23 a date",
        talk(user(text("x")), model({**call(), "input": object()}), user(result())),
        "not valid JSON",
    ),
    ("2.24 extra key", talk({**user(text("x")), "id": 1}), "other keys"),
    (
        "thinking of the user",
        talk(user({"type": "thinking", "thinking": "", "signature": ""})),
        "in `assistant`",
    ),
    ("a call of the user", talk(user(call()), user(result())), "in `assistant`"),
    ("a result of the model", talk(user(text("x")), model(result()), user(text("y"))), "in `user` messages"),
    (
        "unsigned thinking",
        talk(user(text("x")), model({"type": "thinking", "thinking": ""}), user(text("y"))),
        "signature",
    ),
    ("text without text", talk(user({"type": "text"})), "text.text"),
    (
        "a call without input",
        talk(user(text("x")), model({"type": "tool_use", "id": "a", "name": "b"})),
        "input: Field",
    ),
    (
        "content as a list",
        talk(user(text("x")), model(call()), user(result(content=[text("x")]))),
        "tool_result.content",
    ),
    ("content as text", talk({"role": "user", "content": "oi"}), "no list of blocks"),
    ("no block", talk(user("oi")), "no block"),
]


@pytest.mark.parametrize(("request_", "words"), [row[1:] for row in BROKEN], ids=[row[0] for row in BROKEN])
def test_each_rule_is_found_broken(request_: ModelRequest, words: str) -> None:
    assert any(words in fault for fault in broken_rules(request_)), broken_rules(request_)


ANY_TEXT = st.text(st.characters(exclude_categories=()))  # half surrogates too
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | ANY_TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(ANY_TEXT, inner, max_size=3),
    max_leaves=8,
)
NEARLY_BLOCKS = st.fixed_dictionaries(
    {"type": st.sampled_from(["text", "tool_use", "tool_result", "thinking", "x"])},
    optional=dict.fromkeys(
        ("text", "id", "name", "input", "tool_use_id", "content", "is_error", "signature"), JSON
    ),
)
NEARLY_MESSAGES = st.fixed_dictionaries(
    {
        "role": st.sampled_from(["user", "assistant"]) | JSON,
        "content": st.lists(NEARLY_BLOCKS | JSON, max_size=4) | JSON,
    }
)


@given(st.lists(NEARLY_MESSAGES | JSON, max_size=5))
def test_no_messages_make_the_validator_raise(messages: list[Any]) -> None:
    """It stands before every send, so whatever a stored history holds must end in a list of faults."""
    assert isinstance(broken_rules(replace(VALID, messages=messages)), list)
