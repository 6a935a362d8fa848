"""Counts the calls that one stage makes, so that its result can say what it took."""

from __future__ import annotations

from collections.abc import AsyncGenerator

from leadline.errors import ReasonerFailed
from leadline.ports import Model
from leadline.types import Ask, Call, Completion
from leadline.write.wrapper_name import Around


class Tally(Around):
    """A model in a role whose calls are noted down."""

    def __init__(self, model: Model, role: str) -> None:
        self._model, self._role = model, role
        self.calls: list[Call] = []

    async def complete(self, ask: Ask) -> Completion:
        try:
            done = await self._model.complete(ask)
        except ReasonerFailed as failed:
            self._note(failed.took or Completion(""), str(failed))
            raise
        self._note(done, "")
        return done

    async def stream(self, ask: Ask) -> AsyncGenerator[str | Completion, None]:
        yield await self.complete(ask)

    def _note(self, done: Completion, error: str) -> None:
        self.calls.append(
            Call(
                role=self._role,
                model=done.model or self.name,
                prompt_tokens=done.prompt_tokens,
                completion_tokens=done.completion_tokens,
                cost=done.cost,
                seconds=done.seconds,
                error=error,
            )
        )
