"""A worker: takes runs from the queue, so many at a time, until it is told to stop."""

from __future__ import annotations

import asyncio
import logging
from contextlib import suppress
from typing import Protocol

from leadline.errors import LeadlineError, StoreBroken
from leadline.queueing import Finished
from leadline.store.news import ANY, News, heard

IDLE_S = 1.0  # how often an idle worker looks at the queue; of our own process it hears at once
DOWN_S = 2.0  # how long it leaves a store alone that does not answer
# So many times its number a worker may have when others have died: whoever asked waits already.
OVERTIME = 3
log = logging.getLogger("leadline.worker")


class Player(Protocol):
    """What the worker needs of the engine."""

    async def take(self, orphans: bool = False) -> tuple[str, asyncio.Task[None]] | None: ...

    def token(self, run_id: str) -> str: ...

    async def release(self, run_id: str, token: str) -> None: ...

    async def halt(self, run_id: str) -> None: ...


async def work(
    engine: Player,
    news: News,
    concurrency: int,
    stop: asyncio.Event,
    grace_s: float,
    finished: Finished | None,
) -> None:
    """`queueing.Queue.work` over any engine."""
    hands = _Hands(engine, concurrency, finished)
    stopping: asyncio.Future[object] = asyncio.ensure_future(stop.wait())
    try:
        while not stop.is_set():
            event = news.of(ANY)
            await heard(event, await hands.fill(), stopping)
        await hands.drain(grace_s)
    finally:
        stopping.cancel()
        await hands.let_go()


class _Hands:
    """The runs that a worker has, each with our token for it."""

    def __init__(self, engine: Player, concurrency: int, finished: Finished | None) -> None:
        self._engine, self._concurrency, self._finished = engine, concurrency, finished
        self._held: dict[asyncio.Task[None], tuple[str, str]] = {}
        self._broken: dict[str, str] = {}  # left where they were when the store went away
        self._notes: set[asyncio.Task[None]] = set()

    async def fill(self) -> float:
        """Take what there is to take; how long to wait before looking again."""
        try:
            for run_id, token in list(self._broken.items()):
                await self._engine.release(run_id, token)
                del self._broken[run_id]
            while len(self._held) < OVERTIME * self._concurrency:
                taken = await self._engine.take(orphans=len(self._held) >= self._concurrency)
                if taken is None:
                    break
                self._hold(*taken)
        except StoreBroken as error:
            log.warning("the queue cannot be reached: %s", error)
            return DOWN_S
        return IDLE_S

    async def drain(self, grace_s: float) -> None:
        """Give what goes on a little time to end."""
        if self._held and grace_s > 0:
            await asyncio.wait(list(self._held), timeout=grace_s)

    async def let_go(self) -> None:
        """Stop what still goes on and give it back."""
        left = dict(self._held.values())
        for run_id, token in left.items():
            await self._engine.halt(run_id)
            with suppress(StoreBroken):  # others will see that we are gone
                await self._engine.release(run_id, token)
        if self._notes:
            await asyncio.wait(self._notes)

    def _hold(self, run_id: str, task: asyncio.Task[None]) -> None:
        self._held[task] = run_id, self._engine.token(run_id)
        log.info("took %s", run_id)
        task.add_done_callback(self._ended)

    def _ended(self, task: asyncio.Task[None]) -> None:
        run_id, token = self._held.pop(task)
        if not task.cancelled() and task.exception():
            log.warning("lost hold of %s: %s", run_id, task.exception())
            self._broken[run_id] = token
        elif not task.cancelled() and self._finished:
            note = asyncio.ensure_future(self._note(run_id, self._finished))
            self._notes.add(note)
            note.add_done_callback(self._notes.discard)

    async def _note(self, run_id: str, finished: Finished) -> None:
        try:
            await finished(run_id)
        except LeadlineError as error:
            log.info("%s: %s", run_id, error)
