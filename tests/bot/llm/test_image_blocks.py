"""Pictures: what models take, and what each model is sent."""

import base64
from typing import Any

import pytest

from bot.agent.history import estimate
from bot.llm import image_blocks
from bot.llm.anonymise import Scrubber
from bot.llm.anthropic import AnthropicClient
from bot.llm.base import ModelRequest
from bot.llm.openai import OpenAIClient
from bot.llm.request_rules import broken_rules
from bot.llm.rule_based import OfflineModel
from tests.fakes.claude import FakeClaude, answer, error, text
from tests.fakes.openai import FakeOpenAI, completion
from tests.fakes.openai import error as other_error
from tests.fakes.pictures import GIF, JPEG, WEBP, png

WORDS = text("quanto custa assim?")


def request(*blocks: dict[str, Any]) -> ModelRequest:
    return ModelRequest("s", [{"role": "user", "content": [*blocks, WORDS]}], ())


@pytest.mark.parametrize(
    ("content", "kind"),
    [(png(), "png"), (GIF, "gif"), (WEBP, "webp"), (JPEG, "jpeg")],
    ids=["png", "gif", "webp", "jpeg"],
)
def test_each_kind_that_models_take_is_known_and_sent(content: bytes, kind: str) -> None:
    assert image_blocks.kind_of(content) == f"image/{kind}"
    assert image_blocks.fault_of(content) == ""
    block = image_blocks.block_of(content)
    assert broken_rules(request(block)) == []
    claude = FakeClaude([answer(text("R$ 120"))])
    AnthropicClient(claude.client(), key="k", model="m").complete(request(block), seconds=5)
    [shown, _] = claude.requests[0]["messages"][0]["content"]
    assert shown["source"]["media_type"] == f"image/{kind}"
    assert base64.b64decode(shown["source"]["data"]) == content


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        (b"", "no_picture"),
        (b"%PDF-1.4", "no_picture"),
        (b"<svg xmlns='http://www.w3.org/2000/svg'/>", "no_picture"),
        (b"\xff\xd8\xff", "broken_picture"),
        (b"GIF89a", "broken_picture"),
        (png()[:10], "broken_picture"),
        (png(8001, 1), "too_many_pixels"),
        (png(1, 8001), "too_many_pixels"),
        (png(8000, 1), ""),
    ],
)
def test_what_models_refuse_is_found_before(content: bytes, fault: str) -> None:
    assert image_blocks.fault_of(content) == fault


def spoilt(**source: object) -> dict[str, Any]:
    return {"type": "image", "source": image_blocks.block_of(png())["source"] | source}


@pytest.mark.parametrize(
    ("block", "said"),
    [
        (spoilt(media_type="image/jpeg"), "does not match the provided media type"),
        (spoilt(media_type="image/svg+xml"), "does not match"),
        (spoilt(data="###"), "invalid base64"),
        (spoilt(data=""), "does not match"),
        (spoilt(data="A" * (image_blocks.MAX_BASE64 + 4)), "maximum size"),
        (spoilt(type="url"), "base64 source"),
        (spoilt(more=1), "base64 source"),
        ({"type": "image", "source": "x"}, "source"),
        (image_blocks.block_of(png()) | {"cache_control": {"type": "ephemeral"}}, "cache_control"),
    ],
)
def test_a_request_with_a_wrong_picture_is_never_sent(block: dict[str, Any], said: str) -> None:
    assert any(said in fault for fault in broken_rules(request(block)))


def test_only_a_user_shows_pictures_and_not_too_many() -> None:
    block = image_blocks.block_of(png())
    shown = request(block)
    theirs = [*shown.messages, {"role": "assistant", "content": [block]}, *shown.messages]
    assert broken_rules(ModelRequest("s", theirs, ())) != []
    assert broken_rules(request(*[block] * 100)) == []
    assert broken_rules(request(*[block] * 101)) != []


def test_a_picture_is_estimated_by_its_tokens_not_by_its_bytes() -> None:
    large = image_blocks.block_of(png(2000, 2000) + b"\0" * 3_000_000)
    said = estimate(request(large).messages) - estimate(request().messages)
    assert said == pytest.approx(image_blocks.TOKENS, abs=50)


# Servers that refuse one all the same


@pytest.mark.parametrize(
    "refused",
    [
        error(
            400, "invalid_request_error", "messages.0.content.0.image.source.base64: Could not process image"
        ),
        error(413, "request_too_large"),
    ],
)
def test_claude_is_asked_once_more_without_a_picture_that_it_refuses(refused: Any) -> None:
    claude = FakeClaude([refused, answer(text("Não consegui ver a foto."))])
    client = AnthropicClient(claude.client(), key="k", model="m")
    reply = client.complete(request(image_blocks.block_of(png())), seconds=5)
    assert reply.content[0]["text"] == "Não consegui ver a foto."
    [told, words] = claude.requests[1]["messages"][0]["content"]
    assert (told["text"], words["text"]) == (image_blocks.NOT_SHOWN, WORDS["text"])


def openai(server: FakeOpenAI, *, images: bool) -> OpenAIClient:
    return OpenAIClient(server.client(), key="k", model="m", images=images)


def test_other_servers_are_shown_pictures_where_they_see() -> None:
    server = FakeOpenAI([completion("R$ 120")])
    openai(server, images=True).complete(request(image_blocks.block_of(GIF)), seconds=5)
    assert server.requests[0]["messages"][1]["content"] == [
        {
            "type": "image_url",
            "image_url": {"url": f"data:image/gif;base64,{base64.b64encode(GIF).decode()}"},
        },
        WORDS,
    ]


def test_and_told_of_them_in_words_where_they_do_not() -> None:
    server = FakeOpenAI([completion("Não vejo imagens.")])
    openai(server, images=False).complete(request(image_blocks.block_of(GIF)), seconds=5)
    said = f"{image_blocks.NOT_SHOWN}\n\n{WORDS['text']}"
    assert server.requests[0]["messages"][1]["content"] == said


def test_a_server_that_sees_less_than_was_said_is_asked_in_words() -> None:
    server = FakeOpenAI(
        [other_error(400, "This model does not support image input"), completion("Não vejo.")]
    )
    reply = openai(server, images=True).complete(request(image_blocks.block_of(GIF)), seconds=5)
    assert reply.content[0]["text"] == "Não vejo."
    assert image_blocks.NOT_SHOWN in server.requests[1]["messages"][1]["content"]


def test_the_built_in_model_reads_the_words_alone() -> None:
    shown = OfflineModel().complete(request(image_blocks.block_of(GIF)), seconds=5)
    assert shown.content == OfflineModel().complete(request(), seconds=5).content


# Recordings


def test_a_recording_shows_nobodys_picture() -> None:
    """What stands in its place is a picture too: the recording can be replayed."""
    url = f"data:image/gif;base64,{base64.b64encode(GIF).decode()}"
    scrubbed = Scrubber().scrubbed(
        {"a": [image_blocks.block_of(JPEG)], "b": [{"type": "image_url", "image_url": {"url": url}}]}
    )
    assert base64.b64encode(JPEG).decode()[:20] not in str(scrubbed)
    assert base64.b64encode(GIF).decode()[:20] not in str(scrubbed)
    assert broken_rules(request(scrubbed["a"][0])) == []
    assert scrubbed["b"][0]["image_url"]["url"].startswith("data:image/png;base64,iVBOR")


def test_no_other_data_is_taken_for_a_picture() -> None:
    thinking = {"type": "redacted_thinking", "data": "abc"}
    assert Scrubber().scrubbed(thinking) == thinking
