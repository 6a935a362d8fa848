"""How a reasoner asks a model: free text or a value, mended, and asked again when it is no use.

The request is built for a window, so that it can be built again smaller: when the model's real
window turns out to be less than was thought, and to make room for what was wrong with an answer.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import replace
from pathlib import Path
from typing import Generic, TypeVar

from leadline.errors import ReasonerFailed
from leadline.frozen import frozen
from leadline.ports import Model
from leadline.prompts import Prompt, load
from leadline.text.model_json import Unreadable, parse, without_thoughts
from leadline.text.shape import shape_of
from leadline.text.tokens import Counter
from leadline.text.tool_calls import Said, read_calls
from leadline.types import Ask, Completion

T = TypeVar("T")
Build = Callable[[int], Ask]
"""The request for a window of so many tokens; the assembler makes it."""

ATTEMPTS = 3
SHRINK = 0.6  # a refused prompt is built again for this share of the window, at most twice
WARMER = 0.3  # added to the temperature at each further attempt
SHOWN_CHARS = 400  # of a useless answer, in the request that asks again


@frozen
class Answer(Generic[T]):
    """A value, what all asks for it took together, and how many there were."""

    value: T
    spent: Completion
    asks: int = 1


async def structured(
    model: Model,
    build: Build,
    schema: type[T],
    *,
    attempts: int = ATTEMPTS,
    prompts: Path | None = None,
) -> Answer[T]:
    """A value of `schema`: native where the model can, mended once, asked again with the error.

    Raises `ReasonerFailed` of type "malformed" when no attempt gave one. `prompts` is the user's
    folder of prompts.
    """
    repair = load("repair_json", prompts)

    def shaped(window: int) -> Ask:
        return replace(build(window), schema=schema)

    window, done = await _fitting(model, shaped)
    spent, made = done, 1
    while True:
        try:
            return Answer(parse(done.text, schema), spent, made)
        except Unreadable as problem:
            if made == attempts:
                raise _useless(model, attempts, problem) from problem
            said = f"{problem} (attempt {made} of {attempts})"
            ask = _again(repair, shaped, window, done, said, model)
        done = await model.complete(_warmer(ask, made))
        spent, made = _sum(spent, done), made + 1


async def written(model: Model, build: Build, *, attempts: int = 2) -> Completion:
    """Free text without thoughts. Raises `ReasonerFailed` of type "empty" when there is none."""
    window, done = await _fitting(model, build)
    spent = done
    for made in range(1, attempts + 1):
        if text := without_thoughts(done.text):
            return replace(spent, text=text, cut=done.cut)
        if made < attempts:
            done = await model.complete(_warmer(_roomier(build, window, done, 0), made))
            spent = _sum(spent, done)
    raise ReasonerFailed(f"{model.name} answered nothing", type="empty")


async def called(
    model: Model, build: Build, tools: Collection[str], *, attempts: int = 2
) -> Completion:
    """Tool calls, or an answer without thoughts. `ReasonerFailed` "empty" when there is neither.

    Calls that a model writes down in its answer count as calls; without `tools` they are nothing.
    """
    window, done = await _fitting(model, build)
    for made in range(1, attempts + 1):
        said = Said(calls=done.calls) if done.calls and tools else read_calls(done.text, tools)
        if said.calls and tools:
            return replace(done, text="", calls=said.calls)
        if said.text:
            return replace(done, text=said.text, calls=())
        if made < attempts:
            done = await model.complete(_warmer(_roomier(build, window, done, 0), made))
    raise ReasonerFailed(f"{model.name} answered nothing", type="empty")


async def _fitting(model: Model, build: Build) -> tuple[int, Completion]:
    """The first answer, and the window that its request was built for."""
    window = model.window
    while True:
        ask = build(window)
        try:
            return window, await model.complete(ask)
        except ReasonerFailed as failed:
            smaller = int(window * SHRINK)
            if failed.type != "overlong" or smaller < SHRINK * SHRINK * model.window - 1:
                raise
            window = smaller


def _again(
    repair: Prompt, build: Build, window: int, done: Completion, problem: str, model: Model
) -> Ask:
    """The request once more, with the useless answer and what was wrong with it."""
    values = {
        "answer": without_thoughts(done.text)[:SHOWN_CHARS] or "(nothing)",
        "problem": problem[-SHOWN_CHARS:],
        "shape": shape_of(build(window).schema),
    }
    added = repair.fill(values | {"instructions": "", "request": ""})[1]
    ask = _roomier(build, window, done, Counter(model.chars_per_token).count(added))
    whole = {"instructions": ask.system, "request": ask.prompt}
    system, prompt = repair.fill(values | whole)
    return replace(ask, system=system, prompt=prompt)


def _roomier(build: Build, window: int, done: Completion, added: int) -> Ask:
    """Built with `added` tokens left free, and with twice the answer's room where that ran out."""
    first = build(window)
    more = min(first.max_tokens, window // 4) if done.cut else 0
    ask = build(window - added - more)
    return replace(ask, max_tokens=ask.max_tokens + more)


def _warmer(ask: Ask, made: int) -> Ask:
    """At the same temperature a model would only fail the same way again."""
    return replace(ask, temperature=round(min(1.0, ask.temperature + WARMER * made), 2))


def _useless(model: Model, attempts: int, problem: Unreadable) -> ReasonerFailed:
    return ReasonerFailed(
        f"{model.name} gave no usable answer in {attempts} attempts: {problem}", type="malformed"
    )


def _sum(one: Completion, other: Completion) -> Completion:
    return replace(
        other,
        prompt_tokens=one.prompt_tokens + other.prompt_tokens,
        completion_tokens=one.completion_tokens + other.completion_tokens,
        cost=one.cost + other.cost,
    )
