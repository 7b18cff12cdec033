"""Several models, one after the other: the next is asked where one cannot answer."""

import time
from collections.abc import Callable, Sequence
from dataclasses import replace

import structlog

from bot.llm.base import ModelClient, ModelError, ModelReply, ModelRequest

SHARE = 2 / 3  # of the time that is left, for a model that has another behind it

log = structlog.get_logger()


class FallbackClient:
    """Asks the models in order. Bears the provider and model name of the first; a reply names its own."""

    def __init__(
        self, clients: Sequence[ModelClient], *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.provider = clients[0].provider
        self.model = clients[0].model
        self._clients = clients
        self._clock = clock

    def complete(self, request: ModelRequest, *, seconds: float) -> ModelReply:
        """The first answer within `seconds`. Raises the last model's ModelError, or "rejected" at once: what
        is wrong with the request itself would be wrong again.
        """
        deadline = self._clock() + seconds
        *others, last = self._clients
        for client in others:
            try:
                return _named(client, request, (deadline - self._clock()) * SHARE)
            except ModelError as error:
                if error.kind == "rejected":
                    raise
                log.warning(
                    "model_fell_back",
                    provider=client.provider,
                    model=client.model,
                    kind=error.kind,
                    error=str(error),
                )
        return _named(last, request, max(deadline - self._clock(), 0.0))


def _named(client: ModelClient, request: ModelRequest, seconds: float) -> ModelReply:
    """The client's answer, which tells whose it is."""
    reply = client.complete(request, seconds=seconds)
    return replace(reply, provider=client.provider, model=reply.model or client.model)
