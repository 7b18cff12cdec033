"""Pictures as models take them: their kind by what they begin with, and the block that carries one."""

import base64
import binascii
import io
from collections.abc import Iterable

import imagesize  # its annotations are not marked as public

from bot.llm.base import Block, ChatMessage

MAX_SIDE = 8000  # pixels
MAX_BASE64 = 10 * 1024 * 1024
MAX_PICTURES = 100  # in one request
# Claude counts about one token for 750 pixels, and makes what is larger smaller first.
TOKENS = 1600
NOT_SHOWN = "[Uma imagem, que você não consegue ver.]"
_PNG = b"\x89PNG\r\n\x1a\n"


def kind_of(content: bytes) -> str | None:
    """The media type of a picture that models take, whatever it was said to be; None for anything else."""
    if content.startswith(b"\xff\xd8\xff"):
        return "image/jpeg"
    if content.startswith(_PNG):
        return "image/png"
    if content.startswith((b"GIF87a", b"GIF89a")):
        return "image/gif"
    return "image/webp" if content[:4] == b"RIFF" and content[8:12] == b"WEBP" else None


def fault_of(content: bytes) -> str:
    """What a model would refuse in it, in a word for the log; "" for nothing."""
    if kind_of(content) is None:
        return "no_picture"
    sides = imagesize.get(io.BytesIO(content))
    if min(sides) < 1:
        return "broken_picture"
    return "too_many_pixels" if max(sides) > MAX_SIDE else ""


def block_of(content: bytes) -> Block:
    """A picture without a fault, as part of a message."""
    data = base64.b64encode(content).decode()
    return {
        "type": "image",
        "source": {"type": "base64", "media_type": kind_of(content), "data": data},
    }


def fault_of_block(block: Block) -> str:
    """What the API would refuse in a block that carries a picture, in its words where they are known."""
    source = block["source"]
    if source.keys() != {"type", "media_type", "data"} or source["type"] != "base64":
        return "source: Input should be a base64 source"
    if not isinstance(source["data"], str) or len(source["data"]) > MAX_BASE64:
        return "source.base64.data: image exceeds the maximum size"
    try:
        content = base64.b64decode(source["data"], validate=True)
    except (binascii.Error, ValueError):
        return "source.base64.data: invalid base64 data"
    if kind_of(content) != source["media_type"]:
        return f"Image does not match the provided media type {source['media_type']}"
    return fault_of(content)


def without(messages: Iterable[ChatMessage]) -> list[ChatMessage]:
    """The messages with a word in place of each picture."""
    return [
        {
            **message,
            "content": [
                {"type": "text", "text": NOT_SHOWN} if block["type"] == "image" else block
                for block in message["content"]
            ],
        }
        for message in messages
    ]


def weighed(messages: Iterable[ChatMessage]) -> tuple[list[ChatMessage], int]:
    """The messages without their pictures, for counting characters; and what the pictures cost, in tokens."""
    said = list(messages)
    shown = sum(block["type"] == "image" for message in said for block in message["content"])
    return (without(said), shown * TOKENS) if shown else (said, 0)
