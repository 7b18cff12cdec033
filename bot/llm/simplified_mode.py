"""The built-in model in place of one that is away: it says so."""

from dataclasses import replace

from bot.llm.base import Block, ModelClient, ModelReply, ModelRequest

NOTICE = (
    "Estou em modo simplificado no momento e posso entender menos do que de costume; se preferir, é só pedir "
    "para falar com uma pessoa."
)


class HonestClient:
    """Begins each answer of the client inside with the notice."""

    def __init__(self, client: ModelClient) -> None:
        self.provider, self.model = client.provider, client.model
        self._client = client

    def complete(self, request: ModelRequest, *, seconds: float) -> ModelReply:
        reply = self._client.complete(request, seconds=seconds)
        return replace(reply, content=_announced(reply.content))


def _announced(content: list[Block]) -> list[Block]:
    """With the notice before the first text; what is said beside a call reaches nobody."""
    texts = [n for n, block in enumerate(content) if block["type"] == "text"]
    if not texts or any(block["type"] == "tool_use" for block in content):
        return content
    first = content[texts[0]]
    told = {**first, "text": f"{NOTICE}\n\n{first['text']}"}
    if offers := first.get("offers"):  # what is shown with buttons says so too
        told["offers"] = {**offers, "body": f"{NOTICE}\n\n{offers['body']}"}
    return [*content[: texts[0]], told, *content[texts[0] + 1 :]]
