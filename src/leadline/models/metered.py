"""Put aside before a call, settle after it, and tell what it took."""

from __future__ import annotations

import time
from collections.abc import AsyncGenerator, Callable, Iterator
from contextlib import aclosing, contextmanager
from typing import Protocol

from leadline.errors import ReasonerFailed
from leadline.ports import Model
from leadline.purse import Price, Purse, Reservation
from leadline.text.tokens import Counter, weight
from leadline.types import Ask, Call, Completion
from leadline.values import replace
from leadline.write.prompt_fit import tokens_of
from leadline.write.wrapper_name import Around

_NEVER_SENT = frozenset({"unreachable", "refused", "missing", "busy", "overlong"})


class CallMeter(Protocol):
    """Is told of every call."""

    def called(self, call: Call) -> None: ...


class CallLog:
    """A `CallMeter` that keeps them all, in the order in which they ended."""

    def __init__(self) -> None:
        self.calls: list[Call] = []

    def called(self, call: Call) -> None:
        self.calls.append(call)


class MeteredModel(Around):
    """A model that spends from a purse in the name of a role."""

    def __init__(
        self,
        model: Model,
        role: str,
        purse: Purse,
        price: Price,
        meter: CallMeter,
        *,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._model, self._role, self._purse, self._price = model, role, purse, price
        self._meter, self._clock = meter, clock

    async def complete(self, ask: Ask) -> Completion:
        with self._spending(ask) as spending:
            return spending.end(await self._model.complete(ask))

    async def stream(self, ask: Ask) -> AsyncGenerator[str | Completion, None]:
        with self._spending(ask) as spending:
            async with aclosing(self._model.stream(ask)) as pieces:
                async for piece in pieces:
                    yield spending.end(piece) if isinstance(piece, Completion) else piece

    @contextmanager
    def _spending(self, ask: Ask) -> Iterator[_Spending]:
        more = ask.images or ask.schema or ask.tools or ask.turns
        letters = 0.0 if more else weight(f"{ask.system}{ask.prompt}")
        spending = _Spending(
            self._reserve(ask), self._price, self.chars_per_token, letters, self._clock
        )
        try:
            yield spending
        except ReasonerFailed as failed:
            spending.fail(str(failed), paid=failed.type not in _NEVER_SENT)
            failed.took = spending.took
            raise
        finally:
            self._settle(spending)

    def _reserve(self, ask: Ask) -> Reservation:
        prompt = tokens_of(ask, Counter(self.chars_per_token))
        return self._purse.reserve(prompt, ask.max_tokens, self._price, last=ask.last)

    def _settle(self, spending: _Spending) -> None:
        took = spending.took
        if spending.paid:
            self._purse.settle(spending.held, took)
        else:
            self._purse.release(spending.held)
        self._meter.called(
            Call(
                role=self._role,
                model=took.model or self.name,
                prompt_tokens=took.prompt_tokens,
                completion_tokens=took.completion_tokens,
                cost=took.cost,
                seconds=spending.seconds,
                error=spending.error,
                letters=spending.letters,
            )
        )


class _Spending:
    """One call under way. Cut short, it counts its prompt, since that was sent."""

    def __init__(
        self,
        held: Reservation,
        price: Price,
        chars_per_token: float,
        letters: float,
        clock: Callable[[], float],
    ) -> None:
        self.held, self._price, self._counter = held, price, Counter(chars_per_token)
        self._letters, self.letters = letters, 0.0
        self._clock, self._start = clock, clock()
        self.paid, self.error = True, "cancelled"
        cost = price.of(held.prompt_tokens, 0)
        self.took = Completion("", prompt_tokens=held.prompt_tokens, cost=cost)

    def end(self, done: Completion) -> Completion:
        """With its cost; a server that counts nothing is taken at what was put aside."""
        prompt = done.prompt_tokens or self.held.prompt_tokens
        said = done.text + "".join(f"{call.name}{call.arguments}" for call in done.calls)
        answer = done.completion_tokens or self._counter.count(said)
        cost = done.cost or self._price.of(prompt, answer)
        self.error = ""
        self.letters = self._letters if done.prompt_tokens else 0.0
        self.took = replace(
            done,
            prompt_tokens=prompt,
            completion_tokens=answer,
            cost=cost,
            seconds=round(self.seconds, 3),
        )
        return self.took

    @property
    def seconds(self) -> float:
        return self._clock() - self._start

    def fail(self, why: str, *, paid: bool) -> None:
        self.error, self.paid = why, paid
        if not paid:
            self.took = Completion("")
