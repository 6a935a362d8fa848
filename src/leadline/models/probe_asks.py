"""A model under examination: every request is streamed, timed, paid for and remembered."""

from __future__ import annotations

import time
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from dataclasses import dataclass

from leadline.errors import ReasonerFailed
from leadline.models.wire import told_in_words
from leadline.ports import Model
from leadline.purse import FREE, Price, Purse
from leadline.text.tokens import Counter, weight
from leadline.types import Ask, Completion, Limits
from leadline.values import replace
from leadline.write.prompt_fit import tokens_of
from leadline.write.wrapper_name import Around

_ODD = frozenset({"failed", "malformed"})  # what an endpoint says that does not stream


@dataclass(frozen=True)
class Heard:
    """One answer. Token counts are 0 where the server says nothing of them."""

    text: str
    prompt_tokens: int
    completion_tokens: int
    first_s: float  # until the first piece came
    whole_s: float
    pieces: int
    letters: float  # the weight of its prompt; 0 when more than that was sent
    cut: bool = False


class Examined(Around):
    """`ports.Model` over another that keeps all it `heard`."""

    def __init__(
        self,
        model: Model,
        *,
        purse: Purse | None = None,
        price: Price = FREE,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._model, self._price, self._clock = model, price, clock
        self.purse = purse or Purse(Limits(), kept=0.0)
        self.heard: list[Heard] = []
        self.streams = True

    @property
    def clock(self) -> Callable[[], float]:
        return self._clock

    @property
    def paid(self) -> bool:
        return bool(self._price.prompt or self._price.completion or not self._price.known)

    async def complete(self, ask: Ask) -> Completion:
        prompt = tokens_of(ask, Counter(self.chars_per_token))
        held = self.purse.reserve(prompt, ask.max_tokens, self._price)
        done = Completion("", prompt)  # what stands when it is cut short: the prompt was sent
        try:
            done = await self._timed(ask)
        except ReasonerFailed:
            self.purse.release(held)
            raise
        except BaseException:
            self.purse.settle(held, self._billed(done, prompt))
            raise
        self.purse.settle(held, self._billed(done, prompt))
        return done

    def stream(self, ask: Ask) -> AsyncGenerator[str | Completion, None]:
        return self._model.stream(ask)

    async def _timed(self, ask: Ask) -> Completion:
        start, first, pieces = self._clock(), 0.0, 0
        done = Completion("")
        if ask.tools:  # its calls come whole, and tell nothing of how it writes
            return await self._model.complete(ask)
        if self.streams:
            try:
                async with aclosing(self._model.stream(ask)) as parts:
                    async for part in parts:
                        first, pieces = first or self._clock(), pieces + 1
                        done = part if isinstance(part, Completion) else done
            except ReasonerFailed as failed:
                if self.heard or failed.type not in _ODD:
                    raise
                self.streams = False
        if not self.streams:
            done = await self._model.complete(ask)
        end = self._clock()
        letters = 0.0 if ask.schema else weight(ask.system + ask.prompt)
        self.heard.append(
            Heard(
                done.text,
                done.prompt_tokens,
                done.completion_tokens,
                (first or end) - start,
                end - start,
                max(0, pieces - 1),
                letters,
                done.cut,
            )
        )
        return done

    def _billed(self, done: Completion, prompt: int) -> Completion:
        prompt = done.prompt_tokens or prompt
        answer = done.completion_tokens or Counter(self.chars_per_token).count(done.text)
        return replace(
            done,
            prompt_tokens=prompt,
            completion_tokens=answer,
            cost=done.cost or self._price.of(prompt, answer),
        )


class Prompted(Around):
    """A model that is told of a shape in words alone, as if it took no schema."""

    def __init__(self, model: Model) -> None:
        self._model = model

    async def complete(self, ask: Ask) -> Completion:
        return await self._model.complete(_in_words(ask))

    def stream(self, ask: Ask) -> AsyncGenerator[str | Completion, None]:
        return self._model.stream(_in_words(ask))


def _in_words(ask: Ask) -> Ask:
    return replace(ask, system=told_in_words(ask), schema=None)
