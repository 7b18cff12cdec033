"""A model behind which the program breaks at some of its calls, as if it had been killed there."""

from collections.abc import Container

from bot.llm.base import ModelClient, ModelReply, ModelRequest


class FragileModel:
    """Raises at the calls with these numbers (from 1); answers the others as the model inside."""

    def __init__(self, inner: ModelClient, breaks_at: Container[int]) -> None:
        self.provider, self.model = inner.provider, inner.model
        self._inner = inner
        self._breaks_at = breaks_at
        self._calls = 0

    def complete(self, request: ModelRequest, *, seconds: float) -> ModelReply:
        self._calls += 1
        if self._calls in self._breaks_at:
            raise RuntimeError("broken on purpose")
        return self._inner.complete(request, seconds=seconds)
