"""How a reasoner asks a model: free text or a value, mended, and asked again when it is no use.

The request is built for a window, so that it can be built again smaller when the model's real
window turns out to be less than was thought.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Generic, TypeVar

from leadline.errors import ReasonerFailed
from leadline.ports import Model
from leadline.prompts import load
from leadline.text.repair import Unreadable, parse, without_thoughts
from leadline.text.shape import shape_of
from leadline.types import Ask, Completion

T = TypeVar("T")
Build = Callable[[int], Ask]
"""The request for a window of so many tokens; the assembler makes it."""

ATTEMPTS = 3
SHRINK = 0.6  # a refused prompt is built again for this share of the window, at most twice
SHOWN_CHARS = 400  # of a useless answer, in the request that asks again


@dataclass(frozen=True, slots=True)
class Answer(Generic[T]):
    """A value, what all asks for it took together, and how many there were."""

    value: T
    spent: Completion
    asks: int = 1


async def structured(
    model: Model, build: Build, schema: type[T], *, attempts: int = ATTEMPTS
) -> Answer[T]:
    """A value of `schema`: native where the model can, mended once, asked again with the error.

    Raises `ReasonerFailed` of type "malformed" when no attempt gave one.
    """
    ask, done = await _fitting(model, lambda window: replace(build(window), schema=schema))
    spent, first = done, ask
    for made in range(1, attempts + 1):
        try:
            return Answer(parse(done.text, schema), spent, made)
        except Unreadable as problem:
            if made == attempts:
                raise ReasonerFailed(
                    f"{model.name} gave no usable answer in {attempts} attempts: {problem}",
                    type="malformed",
                ) from problem
            ask = _again(first, done, str(problem), schema, model.window)
        done = await model.complete(ask)
        spent = _sum(spent, done)
    raise AssertionError("unreachable")


async def written(model: Model, build: Build, *, attempts: int = 2) -> Completion:
    """Free text without thoughts. Raises `ReasonerFailed` of type "empty" when there is none."""
    ask, done = await _fitting(model, build)
    spent = done
    for made in range(1, attempts + 1):
        if text := without_thoughts(done.text):
            return replace(spent, text=text, cut=done.cut)
        if made < attempts:
            done = await model.complete(_roomier(ask, done, model.window))
            spent = _sum(spent, done)
    raise ReasonerFailed(f"{model.name} answered nothing", type="empty")


async def _fitting(model: Model, build: Build) -> tuple[Ask, Completion]:
    window = model.window
    while True:
        ask = build(window)
        try:
            return ask, await model.complete(ask)
        except ReasonerFailed as failed:
            smaller = int(window * SHRINK)
            if failed.type != "overlong" or smaller < SHRINK * SHRINK * model.window:
                raise
            window = smaller


def _again(ask: Ask, done: Completion, problem: str, schema: type[T], window: int) -> Ask:
    """The request once more, with the useless answer and what was wrong with it."""
    shown = without_thoughts(done.text)[:SHOWN_CHARS] or "(nothing)"
    system, prompt = load("repair_json").fill(
        {
            "instructions": ask.system,
            "request": ask.prompt,
            "answer": shown,
            "problem": problem,
            "shape": shape_of(schema),
        }
    )
    return replace(_roomier(ask, done, window), system=system, prompt=prompt)


def _roomier(ask: Ask, done: Completion, window: int) -> Ask:
    """With twice the room for the answer where the last one ran out of it."""
    if not done.cut:
        return ask
    room = max(ask.max_tokens, (window - done.prompt_tokens) // 2)
    return replace(ask, max_tokens=min(2 * ask.max_tokens, room))


def _sum(one: Completion, other: Completion) -> Completion:
    return replace(
        other,
        prompt_tokens=one.prompt_tokens + other.prompt_tokens,
        completion_tokens=one.completion_tokens + other.completion_tokens,
        cost=one.cost + other.cost,
    )
