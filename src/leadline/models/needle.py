"""How long a text a model really reads: a fact near its start, in texts of growing length.

A server may refuse a text that is too long, cut it in silence, or read it all and lose the fact;
each is told apart where the server says how many tokens it read.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from random import Random
from typing import Literal

from leadline.errors import BudgetSpent, ReasonerFailed
from leadline.models.probe_asks import Examined
from leadline.prompts import load
from leadline.text.tokens import Counter
from leadline.types import Ask
from leadline.values import replace
from leadline.write.prompt_fit import tokens_of

Stop = Literal["", "lost", "refused", "cut", "time", "money", "limit"]

SMALLEST = 1024
ANSWER_TOKENS = 32
FILL = 0.96  # of a length is filled: our count of what is not yet measured may be a little low
READ = 0.95  # of what was sent; a server that counts less has cut it
USEFUL = 2048  # a window in which our prompts have room
DEPTH = 5  # lines before the fact: what is cut is cut from the start
NARROWING = 3  # lengths tried between the last that held and the first that did not

_BOXES = ("red", "blue", "green", "white", "black", "yellow")
_WHO = ("baker", "pilot", "clerk", "gardener", "painter", "miller", "tailor", "sailor", "teacher")
_DOES = ("paints", "carries", "mends", "counts", "sells", "washes", "finds", "keeps", "borrows")
_WHAT = ("lamps", "boats", "coats", "ladders", "baskets", "mirrors", "kettles", "ropes", "letters")
_WHERE = ("harbour", "market", "mill", "orchard", "chapel", "tower", "bridge", "square", "station")
_WHEN = ("early in spring", "before the rain", "every other week", "late at night", "on holidays")
_DIGITS = re.compile(r"\d{5}")


@dataclass(frozen=True)
class Reach:
    """`claimed` is what the server says or we guessed; `held` the longest it read whole, prompt
    and answer together; `found` the longest in which the fact was found, `lost` the shortest in
    which it was not. `stop` is why no longer one was tried."""

    claimed: int
    held: int = 0
    found: int = 0
    lost: int = 0
    stop: Stop = ""

    @property
    def measured(self) -> int:
        """The window to go by; 0 when there was no time or money to find its end.

        A model that finds nothing in a short text either is not helped by a window in which
        no prompt has room; it gets what the server holds.
        """
        if self.stop in ("", "time", "money"):
            return self.found if self.found >= self.claimed else 0
        lost_to_a_cut = self.stop == "cut" and self.found
        return self.found if self.found >= USEFUL or lost_to_a_cut else self.held


@dataclass(frozen=True)
class Trial:
    """One length: did the server take it, read it whole, and was the fact found?"""

    size: int
    read: bool
    found: bool
    stop: Stop = ""


class Needle:
    """Tries lengths on one model. How many tokens a line takes is learnt from what it reports."""

    def __init__(
        self, model: Examined, deadline: float, *, answer_tokens: int = ANSWER_TOKENS
    ) -> None:
        self._model, self._deadline, self._answer = model, deadline, answer_tokens
        self._per_line = 0.0
        self._weak = False  # it loses the fact in short texts: only see how much is read

    async def search(self, reach: Reach, ceiling: int) -> AsyncIterator[Reach]:
        """What is known after each length, up to `ceiling` tokens."""
        for size in _lengths(max(SMALLEST, 4 * self._answer), reach.claimed, ceiling):
            trial = await self._try(size)
            if trial.stop == "lost" and reach.found < USEFUL and self._per_line:
                self._weak, trial = True, replace(trial, stop="")
            reach = _after(reach, trial)
            yield reach
            if trial.stop:
                break
        else:
            yield replace(reach, stop="limit")
            return
        if trial.stop not in ("time", "money"):
            async for narrower in self._narrowed(reach, trial.size):
                yield narrower

    async def _narrowed(self, reach: Reach, over: int) -> AsyncIterator[Reach]:
        """Halve the gap between the longest that held and the shortest that did not."""
        why, best = reach.stop, reach.held if self._weak else reach.found
        for _ in range(NARROWING):
            size = (best + over) // 2
            if size - best < 128:
                return
            trial = await self._try(size)
            if trial.stop in ("time", "money"):
                return
            reach = replace(_after(reach, trial), stop=why)
            yield reach
            good = trial.read and (trial.found or self._weak)
            best, over = (size, over) if good else (best, size)

    async def _try(self, size: int) -> Trial:
        """One length, with another text when the fact is lost."""
        trial = await self._within(size, 0)
        if trial.stop == "lost" and not self._weak:
            second = await self._within(size, 1)
            trial = trial if second.stop in ("time", "money") else second
        return trial

    async def _within(self, size: int, text: int) -> Trial:
        left = self._left(size)
        stop: Stop = "time"
        try:
            async with asyncio.timeout(left):
                return await self._ask(size, text) if left > 0 else Trial(size, False, False, stop)
        except TimeoutError:
            pass
        except BudgetSpent:
            stop = "money"
        except ReasonerFailed as failed:
            if failed.type not in ("overlong", "timeout"):
                raise
            stop = "refused" if failed.type == "overlong" else "time"
        return Trial(size, False, False, stop)

    def _left(self, size: int) -> float:
        """Seconds for one ask; none when by all we know they would not do."""
        left = self._deadline - self._model.clock()
        last = max(self._model.heard, key=lambda one: one.prompt_tokens, default=None)
        if last and last.prompt_tokens > SMALLEST // 2:
            # The server may have kept what it read before: half of the time may be enough.
            left = left if last.whole_s * size / last.prompt_tokens < 2 * left else 0.0
        return left

    async def _ask(self, size: int, text: int) -> Trial:
        # A longer text begins with the shorter one, so that a server that keeps what it has read
        # need not read it again. A second try is with another text.
        dice = Random(text)  # noqa: S311 - the same again
        code, box = str(dice.randrange(10_000, 100_000)), dice.choice(_BOXES)

        def made(lines: int) -> Ask:
            return _request(Random(code), lines, box, code, self._answer)  # noqa: S311 - as above

        bare = made(0)
        lines = self._lines(made, size)
        ask = made(lines)
        done = await self._model.complete(ask)
        found = code in _DIGITS.findall(done.text)
        expected = self._tokens(bare) + lines * self._per_line if self._per_line else 0.0
        if done.prompt_tokens and expected and done.prompt_tokens < READ * expected:
            return Trial(size, False, found, "cut")
        if done.prompt_tokens and not self._per_line:
            self._per_line = max(1.0, (done.prompt_tokens - self._tokens(bare)) / lines)
        return Trial(size, True, found, "" if found else "lost")

    def _lines(self, made: Callable[[int], Ask], size: int) -> int:
        """How many lines fill a length."""
        room = FILL * size - self._answer
        each = self._per_line or (self._tokens(made(20)) - self._tokens(made(0))) / 20
        return max(1, int((room - self._tokens(made(0))) / each))

    def _tokens(self, ask: Ask) -> int:
        return tokens_of(ask, Counter(self._model.chars_per_token))


def _lengths(smallest: int, claimed: int, ceiling: int) -> list[int]:
    """Doubling, with the claimed one among them."""
    sizes = {claimed}
    size = smallest
    while size <= ceiling:
        sizes.add(size)
        size *= 2
    return sorted(one for one in sizes if one <= ceiling)


def _after(reach: Reach, trial: Trial) -> Reach:
    held = max(reach.held, trial.size) if trial.read else reach.held
    if trial.read and trial.found:
        return replace(reach, held=held, found=max(reach.found, trial.size), stop=trial.stop)
    lost = min(reach.lost or trial.size, trial.size) if trial.read else reach.lost
    return replace(reach, held=held, lost=lost, stop=trial.stop)


def _request(dice: Random, lines: int, box: str, code: str, answer_tokens: int) -> Ask:
    text = [_line(dice) for _ in range(lines)]
    text.insert(min(lines, DEPTH), f"The code of the {box} box is {code}.")
    system, prompt = load("probe_needle").fill({"text": "\n".join(text), "box": box})
    return Ask(system, prompt, None, answer_tokens)


def _line(dice: Random) -> str:
    who, does, what = dice.choice(_WHO), dice.choice(_DOES), dice.choice(_WHAT)
    return f"The {who} {does} the {what} near the {dice.choice(_WHERE)} {dice.choice(_WHEN)}."
