"""Carries runs out in this process: each is a task of the event loop, its steps rows of the store.

A run that is taken up again reads the rows back and goes on after the last one.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from leadline.errors import LeadlineError, StoreBroken
from leadline.ports import Run
from leadline.pulse import Clock, Past
from leadline.results import Failure, Place, Record, failure
from leadline.run import JournaledRun, Ledger
from leadline.store.following import Following
from leadline.store.ledger import StepLedger
from leadline.store.news import News
from leadline.store.runstore import (
    GENERATION,
    MAX_ATTEMPTS,
    Entry,
    NotOurs,
    RunStore,
    worn_out,
)

Body = Callable[[Run, dict[str, Any]], Awaitable[Any]]

VERSION = "7"  # of the loop's order of steps: a run recorded under another cannot be resumed
LOOK_S = 0.5  # how often a run of our own is looked at: it may be cancelled from outside
FINISH = "finish"  # the word that a run is to write its report now
log = logging.getLogger("leadline.engine")


class Player:
    """The runs that go on here: their tasks, and our turn at each."""

    def __init__(
        self, store: RunStore, body: Body, clock: Clock, hide: Callable[[str], str], news: News
    ) -> None:
        self._store, self._body, self._clock = store, body, clock
        self._hide, self._news = hide, news
        self.turns: dict[str, int] = {}
        self.runs: dict[str, JournaledRun] = {}
        self.broken: dict[str, StoreBroken] = {}  # runs whose store went away
        self.following = Following(store, news, self.turns, self.broken)
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._watch: asyncio.Task[None] | None = None

    async def take(self, full: set[str]) -> tuple[str, str, asyncio.Task[None]] | None:
        """Begin the next run of the queue here, of an owner that is not `full`: its id, its owner,
        and what ends with it."""
        for run_id in await self._store.waiting(full):
            entry = await self._store.entry(run_id)
            ours = entry.version == VERSION or not entry.begun
            if not ours or run_id in self._tasks or not await self._store.hold(run_id):
                continue
            if await self.play_here(entry):
                return run_id, entry.info.owner, self._tasks[run_id]
        return None

    async def perform(self, run_id: str, turn: int) -> str:
        """Carry a run out as this turn of it, to its end or to that of the store; the version of
        the loop that must do so where that is another."""
        entry = await self._store.entry(run_id)
        if entry.begun and entry.version != VERSION:
            return entry.version
        if self.turns.get(run_id, turn) < turn:
            await self.halt(run_id)  # an attempt of ours that was taken for dead
        if await self._store.claim(run_id, turn, VERSION, self._clock.now()):
            task = self.play(entry, turn)
            await asyncio.wait({task})
            if not task.cancelled():
                task.result()  # a store that broke
        if not await self._is_over(run_id, turn):
            raise NotOurs(f"run {run_id} is carried out by somebody else")
        return ""

    async def give_up(self, run_id: str, turn: int) -> None:
        """The run fails: those who had it died, or their store did."""
        now = self._clock.now()
        if await self._store.claim(run_id, turn, VERSION, now):
            await self._store.fail(run_id, turn, worn_out(MAX_ATTEMPTS), now)

    async def give_back(self, run_id: str, turn: int = 0) -> None:
        """Stop a run of the queue here and put it back there."""
        turn = turn or self.turns.get(run_id, 0)
        if self.turns.get(run_id) == turn:
            await self.halt(run_id)
        await self._store.release(run_id, turn, self._clock.now())
        self._news.tell(run_id)

    async def halt(self, run_id: str) -> None:
        """Stop a run where it is, without an outcome."""
        task = self._tasks.get(run_id)
        if task is not None:
            task.cancel()
            await asyncio.wait({task})

    async def _is_over(self, run_id: str, turn: int) -> bool:
        entry = await self._store.entry(run_id)
        gone_on = entry.turn // GENERATION != turn // GENERATION
        return gone_on or entry.info.status not in ("running", "queued")

    # ── one run ─────────────────────────────────────────────────────────────────────────────

    async def play_here(self, entry: Entry) -> bool:
        """Whether a run that we hold is played here from now on; else we hold it no more."""
        run_id, turn, now = entry.info.id, entry.turn + 1, self._clock.now()
        ours = await self._store.claim(run_id, turn, VERSION, now)
        if ours and turn % GENERATION > MAX_ATTEMPTS:
            await self._store.fail(run_id, turn, worn_out(MAX_ATTEMPTS), now)
            ours = False
        if ours:
            self.play(entry, turn)
        else:
            self._store.let_go(run_id)
        return ours

    def play(self, entry: Entry, turn: int) -> asyncio.Task[None]:
        run_id = entry.info.id
        request = {"task": entry.info.task, "settings": entry.info.settings}
        self.broken.pop(run_id, None)
        self.turns[run_id] = turn
        task = asyncio.get_running_loop().create_task(self._perform(run_id, turn, request))
        self._tasks[run_id] = task
        task.add_done_callback(lambda _: self._over(run_id, task))
        self._news.tell(run_id)  # who follows it need not look for it any more
        log.info("took %s", run_id)
        if self._watch is None:
            self._watch = asyncio.get_running_loop().create_task(self._watching())
        return task

    async def _perform(self, run_id: str, turn: int, request: dict[str, Any]) -> None:
        """The run to its outcome. A store that broke, or a run that is no longer ours, has none."""
        work = asyncio.ensure_future(self._whole(run_id, turn, request))
        try:
            await asyncio.wait({work})
        finally:
            if not work.done():
                work.cancel()
                await asyncio.wait({work})
        error = work.exception()
        if isinstance(error, StoreBroken):
            raise error
        now = self._clock.now()
        if error is None:
            await self._store.finish(run_id, turn, work.result(), now)
        elif not isinstance(error, NotOurs):
            said = _written(error)
            said["message"] = self._hide(said["message"])
            await self._store.fail(run_id, turn, said, now)

    async def _whole(self, run_id: str, turn: int, request: dict[str, Any]) -> Any:
        records = await self._store.records(run_id)
        run = JournaledRun(
            run_id,
            self._ledger(run_id, turn, records),
            self._clock,
            seed=int(request["settings"].get("seed", 0)),
            started=self._clock.now(),
            past=Past.of(records.values(), (await self._store.entry(run_id)).origin_s),
        )
        self.runs[run_id] = run
        try:
            if await self._store.said([run_id], FINISH):
                run.finish()
            await run.begin()
            return await self._body(run, request)
        finally:
            if self.runs.get(run_id) is run:  # else another life of it has begun
                del self.runs[run_id]
            await run.close()

    def _ledger(self, run_id: str, turn: int, kept: Mapping[Place, Record]) -> Ledger:
        async def keep(place: Place, record: Record) -> None:
            await self._store.write(run_id, turn, place, record)
            self.following.wrote(run_id, record)

        return StepLedger(keep, kept, self._hide)

    def _over(self, run_id: str, task: asyncio.Task[None]) -> None:
        if self._tasks.get(run_id) is task:
            del self._tasks[run_id], self.turns[run_id]
            self._store.let_go(run_id)
        if not task.cancelled() and isinstance(error := task.exception(), StoreBroken):
            self.broken[run_id] = error
        self._news.tell(run_id)

    async def _watching(self) -> None:
        """Stop runs that were cancelled or taken over from outside, and end those told to."""
        while True:
            await asyncio.sleep(LOOK_S)
            if not self.turns:
                continue
            try:
                lost = await self._store.lost(dict(self.turns))
                told = await self._store.said(list(self.runs), FINISH)
            except StoreBroken:
                continue  # nobody can have taken them over through a store that is not there
            for run_id in lost:
                await self.halt(run_id)
            for run_id in told.keys() & self.runs.keys():
                self.runs[run_id].finish()

    async def close(self) -> None:
        """Every run stops where it is."""
        for run_id in list(self._tasks):
            await self.halt(run_id)
        if self._watch is not None:
            self._watch.cancel()
            await asyncio.wait({self._watch})
            self._watch = None


def _written(error: BaseException) -> Failure:
    """Why a run failed; an error that is not ours says its type too."""
    said = failure(error)
    if not isinstance(error, LeadlineError):
        said["message"] = f"{said['kind']}: {said['message']}"
    return said
