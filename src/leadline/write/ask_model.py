"""How a reasoner asks a model: free text or a value, mended, and asked again when it is no use.

The request is built for a window, so that it can be built again smaller: when the model's real
window turns out to be less than was thought, and to make room for what was wrong with an answer.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, TypeVar

from leadline.errors import BudgetSpent, ReasonerFailed
from leadline.ports import Model
from leadline.prompts import load
from leadline.question.language import language, named
from leadline.text.model_json import Unreadable, parse, without_thoughts
from leadline.text.shape import shape_of
from leadline.text.tokens import Counter
from leadline.text.tool_calls import read_calls
from leadline.types import Ask, Call, Completion, Made
from leadline.values import replace
from leadline.write.prompt_fit import Section, assemble, section
from leadline.write.wrapper_name import Around

T = TypeVar("T")
Build = Callable[[int], Ask]
"""The request for a window of so many tokens; the assembler makes it."""

ATTEMPTS = 3
SHRINK = 0.6  # a refused prompt is built again for this share of the window, at most twice
WARMER = 0.3  # added to the temperature at each further attempt
SHOWN_CHARS = 400  # of a useless answer, in the request that asks again


@dataclass(frozen=True)
class Ways:
    """What shapes a model's prompts and never changes within a run."""

    today: datetime
    salt: str = ""
    prompts: Path | None = None  # the user's folder of prompts
    seconds: float = 120.0  # how long the whole run may take
    temperature: Callable[[str, float], float] = lambda role, default: default


class Tally(Around):
    """A model in a role, whose calls are noted down so that a stage can say what it took."""

    def __init__(self, model: Model, role: str, ways: Ways) -> None:
        self._model, self.role, self.ways = model, role, ways
        self.calls: list[Call] = []

    @property
    def made(self) -> Made:
        return Made(tuple(self.calls))

    async def value(
        self, schema: type[T], prompt: str, sections: Sequence[Section], about: str, **size: Any
    ) -> T:
        """The model's answer to `prompt` as a value of `schema`."""
        build = request(self, prompt, sections, self.ways, about=about, **size)
        return await structured(self, build, schema, prompts=self.ways.prompts)

    async def text(
        self,
        prompt: str,
        sections: Sequence[Section],
        about: str,
        *,
        attempts: int = 2,
        **size: Any,
    ) -> Completion:
        """The model's answer to `prompt` in words."""
        build = request(self, prompt, sections, self.ways, about=about, **size)
        return await written(self, build, attempts=attempts)

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
        call = Call(
            self.role,
            done.model or self.name,
            done.prompt_tokens,
            done.completion_tokens,
            done.cost,
            done.seconds,
            error,
        )
        self.calls.append(call)


async def attempt(
    tally: Tally,
    ask: Callable[[Tally], Awaitable[T]],
    without: str,
    seconds: float | None = None,
) -> tuple[T | None, Made]:
    """What `ask` makes of the model, and what it took; None where the model is of no help, and then
    the note says what went `without` it and why."""
    stop = None
    try:
        async with asyncio.timeout(seconds):
            return await ask(tally), tally.made
    except ReasonerFailed as failed:
        why = str(failed)
    except BudgetSpent as spent:
        why, stop = str(spent), spent.stop
    except TimeoutError:
        why = f"no answer of {tally.name} in the time that was left"
    return None, Made(tuple(tally.calls), (f"{without}: {why}",), stop)


# ── the request ─────────────────────────────────────────────────────────────────────────────


def task_section(task: str) -> Section:
    """The question itself, which every prompt needs."""
    return section("task", task, outside=False, needed=True, share=2.0)


def request(
    model: Model,
    prompt: str,
    sections: Sequence[Section],
    ways: Ways,
    *,
    about: str,
    max_tokens: int,
    most: int = 0,
    given: Mapping[str, str] | None = None,
    **options: Any,
) -> Build:
    """The request for any window, no larger than `most` (0: as it is); told the date and the
    language of what it is `about`."""
    values = {"today": f"{ways.today:%Y-%m-%d}", "language": named(language(about))}

    def build(window: int) -> Ask:
        return assemble(
            load(prompt, ways.prompts),
            values | dict(given or {}),
            sections,
            window=min(window, most) if most else window,
            counter=Counter(model.chars_per_token),
            max_tokens=max_tokens,
            salt=ways.salt,
            **options,
        )

    return build


# ── the answer ──────────────────────────────────────────────────────────────────────────────


async def structured(
    model: Model,
    build: Build,
    schema: type[T],
    *,
    attempts: int = ATTEMPTS,
    prompts: Path | None = None,
) -> T:
    """A value of `schema`: native where the model can, mended once, asked again with the error.

    Raises `ReasonerFailed` of type "malformed" when no attempt gave one. `prompts` is the user's
    folder of prompts.
    """

    def shaped(window: int) -> Ask:
        return replace(build(window), schema=schema)

    def again(window: int, done: Completion, problem: str) -> Ask:
        return _with_error(shaped, window, done, problem, model, prompts)

    return await _read(model, shaped, lambda done: parse(done.text, schema), again, attempts)


async def written(model: Model, build: Build, *, attempts: int = 2) -> Completion:
    """Free text without thoughts. Raises `ReasonerFailed` of type "empty" when there is none."""

    def read(done: Completion) -> Completion:
        if not (text := without_thoughts(done.text)):
            raise Unreadable("it is empty")
        return replace(done, text=text)

    return await _read(model, build, read, None, attempts)


async def called(
    model: Model, build: Build, tools: Collection[str], *, attempts: int = 2
) -> Completion:
    """Tool calls, or an answer without thoughts. `ReasonerFailed` "empty" when there is neither.

    Calls that a model writes down in its answer count as calls; without `tools` they are nothing.
    """

    def read(done: Completion) -> Completion:
        if done.calls and tools:
            return replace(done, text="")
        text, calls = read_calls(done.text, tools)
        if not (text or (calls and tools)):
            raise Unreadable("it is empty")
        return replace(done, text="" if calls and tools else text, calls=calls if tools else ())

    return await _read(model, build, read, None, attempts)


async def _read(
    model: Model,
    build: Build,
    read: Callable[[Completion], T],
    again: Callable[[int, Completion, str], Ask] | None,
    attempts: int,
) -> T:
    """What `read` makes of an answer. Where it is `Unreadable` the model is asked once more, and
    warmer: at the same temperature it would only fail the same way."""
    window, done = await _fitting(model, build)
    made = 1
    while True:
        try:
            return read(done)
        except Unreadable as problem:
            if made == attempts:
                if again is None:
                    raise ReasonerFailed(f"{model.name} answered nothing", type="empty") from None
                raise ReasonerFailed(
                    f"{model.name} gave no usable answer in {attempts} attempts: {problem}",
                    type="malformed",
                ) from problem
            said = f"{problem} (attempt {made} of {attempts})"
            ask = again(window, done, said) if again else _roomier(build, window, done, 0)
        warm = round(min(1.0, ask.temperature + WARMER * made), 2)
        done = await model.complete(replace(ask, temperature=warm))
        made += 1


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


def _with_error(
    build: Build, window: int, done: Completion, problem: str, model: Model, prompts: Path | None
) -> Ask:
    """The request once more, with the useless answer and what was wrong with it."""
    repair = load("repair_json", prompts)
    values = {
        "answer": without_thoughts(done.text)[:SHOWN_CHARS] or "(nothing)",
        "problem": problem[-SHOWN_CHARS:],
        "shape": shape_of(build(window).schema),
    }
    added = repair.fill(values | {"instructions": "", "request": ""})[1]
    ask = _roomier(build, window, done, Counter(model.chars_per_token).count(added))
    system, prompt = repair.fill(values | {"instructions": ask.system, "request": ask.prompt})
    return replace(ask, system=system, prompt=prompt)


def _roomier(build: Build, window: int, done: Completion, added: int) -> Ask:
    """Built with `added` tokens left free, and with twice the answer's room where that ran out."""
    more = min(build(window).max_tokens, window // 4) if done.cut else 0
    ask = build(window - added - more)
    return replace(ask, max_tokens=ask.max_tokens + more)
