"""A small run that can be killed at an exact point of an exact step; a child process plays it."""

from __future__ import annotations

import asyncio
import hashlib
import os
import signal
from collections.abc import Awaitable, Callable, Coroutine, Iterator, Mapping
from dataclasses import dataclass
from itertools import count
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, Literal

from leadline.errors import SourceLost
from leadline.ports import Run
from leadline.results import Place, Record
from leadline.run import Ledger
from leadline.store.engine import DurableEngine
from leadline.store.player import Player
from leadline.types import Limits, Loss

RUN_ID = "r"
TASK, SETTINGS = "what happened", {"seed": 11}
Point = Literal["inside", "unrecorded", "recorded"]


@dataclass(frozen=True)
class Doom:
    """Die inside a step, when it has ended, or when its row is written.

    The step is number `step`, or the first after it that comes to that point: steps that run at the
    same time may have been recorded in an earlier life.
    """

    step: int
    point: Point


class DoomedLedger:
    """Tells where each step is, and passes it on; the steps of children are counted too."""

    def __init__(
        self,
        ledger: Ledger,
        meet: Callable[[int, Point], None],
        numbers: Iterator[int] | None = None,
    ) -> None:
        self._ledger, self._meet, self._numbers = ledger, meet, numbers or count(1)

    def child(self, name: str) -> DoomedLedger:
        return DoomedLedger(self._ledger.child(name), self._meet, self._numbers)

    def once(self, name: str, do: Callable[[], Awaitable[Record]]) -> Coroutine[Any, Any, Record]:
        number = next(self._numbers)

        async def doomed() -> Record:
            self._meet(number, "inside")
            record = await do()
            self._meet(number, "unrecorded")
            return record

        kept = self._ledger.once(name, doomed)

        async def recorded() -> Record:
            record = await kept
            self._meet(number, "recorded")
            return record

        return recorded()


class DoomedEngine(DurableEngine):
    """Kills its own process at the appointed point."""

    def __init__(self, data_dir: Path, side: Path, doom: Doom | None) -> None:
        super().__init__(data_dir, lambda run, request: story(run, side))
        self._player = DoomedPlayer(self._store, self._body, self._clock, str, self._news)
        self._player.doom = doom
        self._following = self._player.following


class DoomedPlayer(Player):
    doom: Doom | None = None

    def _ledger(self, run_id: str, turn: int, kept: Mapping[Place, Record]) -> Ledger:
        return DoomedLedger(super()._ledger(run_id, turn, kept), self._meet)

    def _meet(self, number: int, point: Point) -> None:
        doom = self.doom
        if doom and number >= doom.step and point == doom.point:
            os.kill(os.getpid(), signal.SIGKILL)


async def story(run: Run, side: Path) -> dict[str, Any]:
    """Two rounds of three searches and a reflection, two children of two steps each, then a
    report: fifteen rows with the start."""

    async def work(key: str) -> str:
        digest = key.encode()
        for _ in range(20):  # gives a random kill something to fall into
            digest = hashlib.sha256(digest * 2000).digest()
            await asyncio.sleep(0)
        mark(side, key)
        if key.endswith("1.2"):
            raise SourceLost(f"{key} is gone")
        return f"{key}={digest.hex()[:8]}"

    run.limit(Limits())
    said: list[str] = [await run.step("plan", work, "plan")]
    for turn in (1, 2):
        keys = [f"search {turn}.{number}" for number in (1, 2, 3)]
        found = await run.each("search", work, keys)
        said += [one.why if isinstance(one, Loss) else one for one in found]
        said.append(await run.step("reflect", work, f"reflect {turn} {run.dice(turn).random()}"))

    async def part(child: Run, name: str) -> str:
        first = await child.step("search", work, f"{name} search {child.dice('luck').random()}")
        return first + await child.step("read", work, f"{name} read {len(first)}")

    said += await run.split(part, ["left", "right"])
    said.append(await run.last_step("write", work, f"write {len(said)}"))
    return {"report": "\n".join(said), "stop_reason": "sufficient"}


def mark(side: Path, key: str) -> None:
    """Say on disk that the body of a step has run to its end."""
    handle = os.open(side, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    os.write(handle, f"{key}\n".encode())
    os.fsync(handle)
    os.close(handle)


def live(data_dir: Path, side: Path, doom: Doom | None, tell: Connection) -> None:
    """One life: start the run or go on with it, and tell the parent when it begins and ends."""

    async def scene() -> None:
        async with DoomedEngine(data_dir, side, doom) as engine:
            tell.send("begun")
            if await engine.find_unfinished(TASK, SETTINGS):
                await engine.resume(RUN_ID)
            elif not await engine.list():
                await engine.start(TASK, SETTINGS, RUN_ID)
            await engine.result(RUN_ID)
            tell.send("ended")

    asyncio.run(scene())
