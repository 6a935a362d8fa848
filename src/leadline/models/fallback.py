"""The next model of a list takes over when one fails."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing

from leadline.errors import BadInput, ReasonerFailed
from leadline.ports import Model
from leadline.types import Ask, Completion

_FOR_GOOD = frozenset({"refused", "missing", "unreachable"})
_NOT_THE_MODEL = frozenset({"overlong"})  # the prompt must be mended, whoever is asked


class FallbackModel:
    """Models in the order in which they take over. Prompts fit the smallest of their windows."""

    def __init__(self, models: Sequence[Model]) -> None:
        if not models:
            raise BadInput("a list of fallbacks needs at least one model")
        self._models = tuple(models)
        self._gone: set[int] = set()  # a wrong key stays wrong: not asked again in this run

    @property
    def name(self) -> str:
        return self._models[0].name

    @property
    def window(self) -> int:
        return min(model.window for model in self._models)

    @property
    def chars_per_token(self) -> float:
        return min(model.chars_per_token for model in self._models)

    async def complete(self, ask: Ask) -> Completion:
        failures: list[ReasonerFailed] = []
        for number in self._order():
            try:
                return await self._models[number].complete(ask)
            except ReasonerFailed as failed:
                failures.append(self._noted(number, failed))
        raise _all_failed(failures)

    async def stream(self, ask: Ask) -> AsyncGenerator[str | Completion, None]:
        failures: list[ReasonerFailed] = []
        for number in self._order():
            begun = False
            try:
                async with aclosing(self._models[number].stream(ask)) as pieces:
                    async for piece in pieces:
                        begun = True
                        yield piece
                return
            except ReasonerFailed as failed:
                if begun:
                    raise
                failures.append(self._noted(number, failed))
        raise _all_failed(failures)

    def _order(self) -> list[int]:
        """Those that may still answer; all of them again when none may."""
        every = range(len(self._models))
        return [number for number in every if number not in self._gone] or list(every)

    def _noted(self, number: int, failed: ReasonerFailed) -> ReasonerFailed:
        if failed.type in _NOT_THE_MODEL:
            raise failed
        if failed.type in _FOR_GOOD:
            self._gone.add(number)
        return failed


def _all_failed(failures: list[ReasonerFailed]) -> ReasonerFailed:
    if len(failures) == 1:
        return failures[0]
    return ReasonerFailed(
        "every model failed: " + "; ".join(str(one) for one in failures),
        type=failures[-1].type,
        retryable=any(one.retryable for one in failures),
    )
