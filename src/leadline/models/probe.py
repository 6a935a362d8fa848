"""Examines a model within a minute: JSON, thoughts, citations, speed, and how much it really reads.

It asks and counts. What follows from the findings is said in `advice`, printing is for a face.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Literal

from msgspec import Meta

from leadline.codec import loaded
from leadline.errors import BudgetSpent, ReasonerFailed
from leadline.models.needle import Needle, Reach
from leadline.models.probe_asks import Examined, Heard, Prompted
from leadline.models.probe_tools import UNASKED, Calling, calls_in_words, calls_natively
from leadline.models.profiles import LEAST_LETTERS
from leadline.ports import Model
from leadline.prompts import load
from leadline.text.model_json import Unreadable, parse, without_thoughts
from leadline.text.tokens import Counter, calibrated
from leadline.types import Ask
from leadline.values import replace
from leadline.write.ask_model import structured

WHOLE_S = 55.0  # for all probes after the first answer
TALK_S, CITE_S, JSON_S, TOOLS_S = 12.0, 10.0, 18.0, 8.0  # the window takes what is left
WINDOW_S = 22.0  # kept for the window before tools are tried
LONG_TOKENS = 800  # a prompt that tells how fast it reads
ROOMY = 512  # tokens of an answer that has thoughts before it
TASKS = ("How do tides work?", "Who built the Suez Canal?", "Why do leaves turn red in autumn?")
PUZZLE = "A shop has 17 red and 8 blue cups and sells 9 of them. How many cups are left?"
TALE = "Explain in four sentences why the sea has tides."

GONE = frozenset({"unreachable", "refused", "missing"})  # it will not answer the rest either

_MARKS = re.compile(
    r"</?(?:think|thinking|thought|thoughts|reasoning|reflection|analysis|scratchpad)>"
    r"|\[/?THINK\]|◁/?think▷|<\|[a-z_]{2,30}\|>",
    re.IGNORECASE,
)
_CITED = re.compile(r"\[([0-9]{1,4}(?:\s*,\s*[0-9]{1,4})*)\]")
# Numbers out of order: a model that counts from 1 by itself is found out.
_SOURCES = {
    "12": ("The Elster bridge was opened in 1931.", "1931"),
    "31": ("The Elster bridge is 412 metres long.", "412"),
    "47": ("The Elster bridge was painted green in 2004.", "2004"),
}
_QUESTION = "When was the Elster bridge opened, how long is it, and when was it painted?"

Told = Callable[[str], None]


@dataclass(frozen=True)
class Search:
    query: str
    intent: str = ""


@dataclass(frozen=True)
class Searches:
    """What is asked for as JSON: as nested as the plan of a run."""

    search_queries: Annotated[tuple[Search, ...], Meta(min_length=1, max_length=3)]
    tier: Literal["simple", "standard", "deep"] = "standard"


@dataclass(frozen=True)
class Shaped:
    """Of `asked` answers so many were JSON of the shape: as they came, mended, or asked again."""

    asked: int = 0
    at_once: int = 0
    mended: int = 0
    again: int = 0

    @property
    def kept(self) -> int:
        return self.at_once + self.mended + self.again


@dataclass(frozen=True)
class Cites:
    """Of three sources `right` many were cited where they belong; `invented` are other numbers."""

    asked: bool = False
    right: int = 0
    invented: tuple[str, ...] = ()


@dataclass(frozen=True)
class Thoughts:
    """Marks of thoughts in answers. `staying` ones we do not take out; `hidden` tokens were
    paid for and never shown; `empty` answers had nothing but thoughts."""

    answers: int = 0
    leaked: int = 0
    marks: tuple[str, ...] = ()
    staying: tuple[str, ...] = ()
    hidden: int = 0
    empty: int = 0


@dataclass(frozen=True)
class Speed:
    """Tokens a second, 0 where it could not be told."""

    prompt: float = 0.0
    answer: float = 0.0


@dataclass(frozen=True)
class Unfinished:
    """A probe that broke off, and why."""

    name: str
    why: str


@dataclass(frozen=True)
class Findings:
    """All that was found out about one model. `unfinished` are the probes that broke off."""

    model: str
    reach: Reach
    native: Shaped = Shaped()
    prompted: Shaped = Shaped()
    takes_schema: bool = True
    cites: Cites = Cites()
    calling: Calling = UNASKED
    thoughts: Thoughts = Thoughts()
    speed: Speed = Speed()
    chars_per_token: float = 0.0
    streams: bool = True
    cost: float = 0.0
    seconds: float = 0.0
    unfinished: tuple[Unfinished, ...] = ()
    judges: float | None = None  # balanced accuracy as a judge; None when it was not told


async def probe(
    model: Examined,
    *,
    told: Told = lambda _: None,
    takes_schema: Callable[[], bool] = lambda: True,
    ceiling: int = 0,
    whole_s: float = WHOLE_S,
) -> Findings:
    """Everything about `model`, in at most `whole_s` seconds after its first answer.

    Raises `ReasonerFailed` when it does not answer at all. `ceiling` bounds the longest prompt;
    0 takes the window that the model claims.
    """
    told("first answer: waiting for the model, which may have to be loaded")
    await model.complete(_talk("Say hello.", 16))
    start = model.clock()
    probing = _Probing(model, told, start + whole_s, ceiling or model.window)
    scale = whole_s / WHOLE_S
    await probing.within(TALK_S * scale, "thoughts and speed", probing.talk)
    await probing.within(CITE_S * scale, "citations", probing.cite)
    await probing.within(JSON_S * scale / 2, "JSON by schema", partial(probing.shape, native=True))
    await probing.within(JSON_S * scale / 2, "JSON in words", partial(probing.shape, native=False))
    spare = start + whole_s - model.clock() - WINDOW_S * scale  # the window matters to every run
    await probing.within(min(TOOLS_S * scale, spare), "tool calls", probing.tools)
    await probing.within(whole_s, "window", probing.reach)
    return replace(
        probing.found,
        takes_schema=takes_schema(),
        thoughts=_thoughts(model),
        speed=_speed(model),
        chars_per_token=_scale(model),
        streams=model.streams,
        cost=model.purse.spent.cost,
        seconds=model.clock() - start,
    )


class _Probing:
    """The probes one after another; each leaves what it found so far, also when time runs out."""

    def __init__(self, model: Examined, told: Told, deadline: float, ceiling: int) -> None:
        self._model, self._told, self._deadline = model, told, deadline
        self._ceiling = ceiling
        self.found = Findings(model.name, Reach(model.window))

    async def within(self, limit_s: float, name: str, do: Callable[[], Awaitable[None]]) -> None:
        """Run one probe, for at most its share of the time."""
        left = min(limit_s, self._deadline - self._model.clock())
        if left <= 0:
            self._stop(name, "no time")
            return
        self._told(f"{name}: up to {left:.0f} s")
        try:
            async with asyncio.timeout(left):
                await do()
        except TimeoutError:
            self._stop(name, "no time")
        except BudgetSpent:
            self._stop(name, "no money")
        except ReasonerFailed as failed:
            if failed.type in GONE:
                raise
            self._stop(name, "no time" if failed.type == "timeout" else str(failed))

    def _stop(self, name: str, why: str) -> None:
        broken = Unfinished(name, why)
        self.found = replace(self.found, unfinished=(*self.found.unfinished, broken))

    async def talk(self) -> None:
        await self._model.complete(_talk(PUZZLE, ROOMY))
        await self._model.complete(_talk(TALE, 160))

    async def cite(self) -> None:
        sources = "\n".join(f"[{number}] {text}" for number, (text, _) in _SOURCES.items())
        system, prompt = load("probe_cite").fill(
            {"example": "31", "ids": ", ".join(_SOURCES), "sources": sources, "task": _QUESTION}
        )
        room = ROOMY if _thinks(self._model) else 160
        done = await self._model.complete(Ask(system, prompt, None, room))
        self.found = replace(self.found, cites=_cites(without_thoughts(done.text)))

    async def shape(self, *, native: bool) -> None:
        room = ROOMY if _thinks(self._model) else 200
        for task in TASKS:
            if native:
                shaped = await _shaped(self._model, self._model, task, room, self.found.native)
                self.found = replace(self.found, native=shaped)
            else:
                model = Prompted(self._model)
                shaped = await _shaped(model, self._model, task, room, self.found.prompted)
                self.found = replace(self.found, prompted=shaped)

    async def tools(self) -> None:
        room = ROOMY if _thinks(self._model) else 120
        native = await calls_natively(self._model, room)
        self.found = replace(self.found, calling=Calling(native))
        if not native:
            in_words = await calls_in_words(self._model, room)
            self.found = replace(self.found, calling=Calling(native, in_words))

    async def reach(self) -> None:
        answer = ROOMY if _thinks(self._model) else 32
        needle = Needle(self._model, self._deadline, answer_tokens=answer)
        async for reach in needle.search(self.found.reach, self._ceiling):
            if (reach.held, reach.found) != (self.found.reach.held, self.found.reach.found):
                self._told(f"window: read {reach.held:,} tokens, found the fact in {reach.found:,}")
            self.found = replace(self.found, reach=reach)


def _talk(task: str, max_tokens: int) -> Ask:
    system, prompt = load("probe_talk").fill({"task": task})
    return Ask(system, prompt, None, max_tokens)


# ── JSON ────────────────────────────────────────────────────────────────────────────────────


async def _shaped(model: Model, ears: Examined, task: str, room: int, before: Shaped) -> Shaped:
    system, prompt = load("probe_json").fill({"task": task})
    shaped = replace(before, asked=before.asked + 1)
    heard = len(ears.heard)
    try:
        await structured(model, lambda _: Ask(system, prompt, None, room), Searches, attempts=2)
    except ReasonerFailed as failed:
        if failed.type not in ("malformed", "empty"):
            raise
        return shaped
    if len(ears.heard) - heard > 1:
        return replace(shaped, again=shaped.again + 1)
    if _as_it_came(ears.heard[heard].text):
        return replace(shaped, at_once=shaped.at_once + 1)
    return replace(shaped, mended=shaped.mended + 1)


def _as_it_came(text: str) -> bool:
    """Whether the answer is JSON of the shape with nothing around it and nothing to mend."""
    try:
        loaded(Searches, json.loads(text))
        parse(text, Searches)
    except (ValueError, RecursionError, Unreadable):
        return False
    return True


# ── what the answers tell ───────────────────────────────────────────────────────────────────


def _cites(text: str) -> Cites:
    groups = _CITED.findall(text)
    numbers = {number.strip() for group in groups for number in group.split(",")}
    right = 0
    for number, (_, fact) in _SOURCES.items():
        sentence = rf"{fact}[^\[]{{0,120}}(?:\[[0-9, ]+\])*\[(?:[0-9, ]*\b)?{number}\b"
        right += bool(re.search(sentence, text))
    invented = tuple(sorted(numbers - _SOURCES.keys(), key=int))
    return Cites(True, right, invented)


def _thoughts(model: Examined) -> Thoughts:
    leaks = [_MARKS.findall(one.text) for one in model.heard]
    stays = [_MARKS.findall(without_thoughts(one.text)) for one in model.heard]
    return Thoughts(
        answers=len(model.heard),
        leaked=sum(bool(found) for found in leaks),
        marks=tuple(sorted({mark for found in leaks for mark in found})),
        staying=tuple(sorted({mark for found in stays for mark in found})),
        hidden=sum(_hidden(one, model.chars_per_token) for one in model.heard),
        empty=sum(not without_thoughts(one.text) for one in model.heard),
    )


def _hidden(one: Heard, chars_per_token: float) -> int:
    """Tokens of an answer far beyond what is to be seen of it."""
    seen = Counter(chars_per_token).count(one.text) + 16
    return one.completion_tokens - seen if one.completion_tokens > 2 * seen else 0


def _thinks(model: Examined) -> bool:
    """Whether its answers so far had thoughts in them, shown or not."""
    seen = _thoughts(model)
    return bool(seen.leaked or seen.hidden or seen.empty)


def _speed(model: Examined) -> Speed:
    """From long prompts and the longest answer: in short ones the way there counts most."""
    asked = [one for one in model.heard if one.prompt_tokens and one.first_s > 0]
    longest = max((one.prompt_tokens for one in asked), default=0)
    # The slowest of the long ones: the others may have been kept from an earlier ask.
    long = [one for one in asked if one.prompt_tokens >= min(longest, LONG_TOKENS)]
    read = min(long, key=lambda one: one.prompt_tokens / one.first_s, default=None)
    wrote = max(model.heard, key=lambda one: one.whole_s - one.first_s, default=None)
    answer = 0.0
    if wrote:
        shown = Counter(model.chars_per_token, margin=1.0).count(wrote.text)
        tokens = min(wrote.completion_tokens or shown, 2 * shown)
        writing = wrote.whole_s - wrote.first_s if wrote.pieces > 1 else wrote.whole_s
        answer = tokens / writing if writing > 0 else 0.0
    return Speed(read.prompt_tokens / read.first_s if read else 0.0, answer)


def _scale(model: Examined) -> float:
    """Letters a token, 0 when the server counts nothing; a prompt that was cut tells too many."""
    told = [one for one in model.heard if one.prompt_tokens and one.letters > LEAST_LETTERS]
    if not told:
        return 0.0
    least = min(told, key=lambda one: one.letters / one.prompt_tokens)
    return calibrated(model.chars_per_token, least.letters, least.prompt_tokens)
