"""Durable runs: every finished step is a row of a journal, and a run goes on after the last one.

Who carries runs out is decided elsewhere: on one machine this process (`locks.py`, `pool.py`), on
many whoever `Temporal` says (`temporal.py`). Faces read and write the journal in both cases.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import AsyncGenerator, Callable, Collection, Sequence
from contextlib import aclosing, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Protocol

from leadline.errors import BadInput, StoreBroken
from leadline.ports import Row, RunInfo
from leadline.pulse import Clock, Past
from leadline.queueing import Finished
from leadline.records import before
from leadline.results import Place, Record
from leadline.run import ended
from leadline.store.files import FileStore
from leadline.store.news import News
from leadline.store.player import FINISH, LOOK_S, VERSION, Body, Player
from leadline.store.pool import Pool
from leadline.store.runstore import OWN, Entry, Origin, RunStore, Ticket, taken_id

HALT_S = 4 * LOOK_S  # how long another process may need to let go of a cancelled run
RESEND_S = 60.0  # how often runs are looked for that the engine elsewhere has not heard of
log = logging.getLogger("leadline.engine")


class SystemClock:
    """The machine's own time."""

    def now(self) -> datetime:
        return datetime.now(UTC)

    def ticks(self) -> float:
        return time.monotonic()


class Elsewhere(Protocol):
    """Who carries out the runs of the queue where this process does not."""

    async def send(self, entry: Entry) -> None:
        """Have a waiting run carried out; a second time changes nothing. `StoreBroken` where
        nobody answers: then it stays among those that wait."""

    async def work(
        self,
        player: Player,
        slots: int,
        stop: asyncio.Event,
        grace_s: float,
        finished: Finished | None,
    ) -> None:
        """Carry out runs here until `stop`."""

    async def fault(self) -> str:
        """Why it cannot be reached, or ""."""


class DurableEngine:
    """`queueing.Queue` over a store: by default `DATA_DIR/runs.db`.

    `body` is what a run does with its request `{"task": …, "settings": …}`; it returns JSON.
    `hide` takes keys out of what is stored of a failure. At most `per_owner` queued runs of one
    owner go on here at once. With `elsewhere` all runs are queued, and it says who has them.
    """

    def __init__(
        self,
        data_dir: Path,
        body: Body,
        *,
        clock: Clock | None = None,
        store: RunStore | None = None,
        elsewhere: Elsewhere | None = None,
        per_owner: int = 0,
        hide: Callable[[str], str] = str,
    ) -> None:
        self._body = body
        self._clock: Clock = clock or SystemClock()
        self._store: RunStore = store or FileStore(data_dir)
        self._elsewhere, self._per_owner = elsewhere, per_owner
        self._open = False
        self._opening = asyncio.Lock()
        self._news = News()
        self._player = Player(self._store, body, self._clock, hide, self._news)
        self._following = self._player.following

    # ── what faces ask ──────────────────────────────────────────────────────────────────────

    async def start(self, task: str, settings: dict[str, Any], run_id: str) -> str:
        if self._elsewhere:
            return await self.enqueue(task, settings, run_id)
        return await self._begin_here(run_id, {"task": task, "settings": settings}, OWN)

    async def enqueue(
        self,
        task: str,
        settings: dict[str, Any],
        run_id: str,
        *,
        owner: str = "",
        priority: int = 0,
        key: str = "",
    ) -> str:
        request, ticket = {"task": task, "settings": settings}, Ticket(owner, priority, key)
        await self._opened()
        begun = await self._store.begin(run_id, request, VERSION, self._clock.now(), ticket=ticket)
        await self._queued(begun)
        return begun

    async def requeue(self, run_id: str) -> None:
        entry = await self._store.entry(run_id)
        if not entry.info.unfinished:
            return
        _refuse_other_version(entry)
        await self._opened()
        await self._store.reopen(entry, self._clock.now(), queued=True)
        await self._queued(run_id)

    async def result(self, run_id: str) -> Any:
        while True:
            news = self._news.of(run_id)
            status = await self._store.status(run_id)
            if status == "finished":
                return await self._store.result(run_id)
            if run_id in self._player.broken:
                raise self._player.broken[run_id]
            if status not in ("running", "queued"):
                raise ended((await self._store.entry(run_id)).info)
            await self._following.wait(run_id, news)

    async def follow(self, run_id: str, after: int = 0) -> AsyncGenerator[Row, None]:
        async with aclosing(self._following.rows(run_id, after)) as rows:
            async for row in rows:
                yield row

    async def rows(self, run_id: str) -> list[Row]:
        await self._store.status(run_id)
        return (await self._store.rows(run_id))[0]

    async def records(self, run_id: str) -> dict[Place, Record]:
        await self._store.status(run_id)
        return await self._store.records(run_id)

    async def list(self, limit: int = 50, owner: str | None = None) -> list[RunInfo]:
        return [entry.info for entry in await self._store.entries(limit, owner)]

    async def open_runs(self) -> Sequence[RunInfo]:
        return [entry.info for entry in await self._store.open_entries()]

    async def info(self, run_id: str) -> RunInfo:
        return (await self._store.entry(run_id)).info

    async def find_unfinished(self, task: str, settings: dict[str, Any]) -> RunInfo | None:
        for entry in await self._store.unfinished():
            if (entry.info.task, entry.info.settings) == (task, settings):
                return entry.info
        return None

    async def cancel(self, run_id: str) -> None:
        await self._store.status(run_id)
        await self._opened()
        if not await self._store.cancel(run_id, self._clock.now()):
            raise BadInput(f"run {run_id} is finished; there is nothing to cancel")
        await self._player.halt(run_id)
        self._news.tell(run_id)

    def under_way(self, run_id: str) -> tuple[tuple[str, str], ...]:
        return self._player.runs[run_id].under_way if run_id in self._player.runs else ()

    async def finish(self, run_id: str) -> None:
        if await self._store.status(run_id) == "finished":
            raise BadInput(f"run {run_id} is finished; it has its report")
        await self.say(run_id, FINISH, True)
        if run_id in self._player.runs:
            self._player.runs[run_id].finish()

    async def say(self, run_id: str, name: str, value: Any) -> None:
        await self._opened()
        await self._store.say(run_id, name, value)
        self._news.tell(run_id)

    async def said(self, run_id: str, name: str) -> Any:
        return (await self._store.said([run_id], name)).get(run_id)

    async def resume(self, run_id: str) -> None:
        entry = await self._store.entry(run_id)
        if entry.info.status == "finished":
            return
        if run_id in self._player.turns:
            if entry.info.unfinished:
                return  # it goes on here
            await self._player.halt(run_id)  # cancelled a moment ago, and on its way out
        if self._elsewhere:
            await self.requeue(run_id)
            return
        _refuse_other_version(entry)
        await self._opened()
        patience_s = HALT_S if entry.info.unfinished else 0.0
        now = self._clock.now()
        if not await self._store.hold(run_id, patience_s):
            raise BadInput(
                f"run {run_id} is running in another process; "
                f"to stop it there: leadline runs cancel {run_id}"
            )
        if entry.info.status != "queued":
            await self._store.reopen(entry, now, queued=False)
            entry = await self._store.entry(run_id)
        await self._player.play_here(entry)

    async def fork(
        self, run_id: str, step: str, settings: dict[str, Any], new_id: str, queued: bool = False
    ) -> str:
        entry = await self._store.entry(run_id)
        _refuse_other_version(entry)
        request = {"task": entry.info.task, "settings": settings}
        records = await self._store.records(run_id)
        kept = await before(step, new_id, records, request, self._body)
        origin = Origin(run_id, Past.of(kept.values()).elapsed, kept)
        ticket = Ticket(entry.info.owner, queued=queued or self._elsewhere is not None)
        if not ticket.queued:
            return await self._begin_here(new_id, request, ticket, origin)
        await self._opened()
        await self._store.begin(new_id, request, VERSION, self._clock.now(), origin, ticket)
        await self._queued(new_id)
        return new_id

    async def work(
        self,
        concurrency: int,
        stop: asyncio.Event | None = None,
        grace_s: float = 0.0,
        finished: Finished | None = None,
    ) -> None:
        await self._opened()
        stop = stop or asyncio.Event()
        if self._elsewhere:
            self._store.hear(self._news.tell)
            await self._elsewhere.work(self._player, concurrency, stop, grace_s, finished)
            return
        pool = Pool(self._player, concurrency, self._per_owner, finished)
        await pool.work(self._news, stop, grace_s)

    async def serve(
        self, concurrency: int, stop: asyncio.Event, finished: Finished | None = None
    ) -> None:
        if self._elsewhere is None:
            await self.work(concurrency, stop, finished=finished)
            return
        await self._opened()
        while not stop.is_set():
            try:
                for run_id in await self._store.waiting():
                    await self._elsewhere.send(await self._store.entry(run_id))
            except StoreBroken as error:
                log.warning("runs wait that nobody could be told of: %s", error)
            with suppress(TimeoutError):
                await asyncio.wait_for(stop.wait(), RESEND_S)

    @property
    def going(self) -> Collection[str]:
        return self._player.turns

    async def fault(self) -> str:
        return await self._elsewhere.fault() if self._elsewhere else ""

    async def close(self) -> None:
        await self._player.close()
        self._open = False
        await self._store.close()

    async def __aenter__(self) -> DurableEngine:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def _begin_here(
        self, run_id: str, request: dict[str, Any], ticket: Ticket, origin: Origin | None = None
    ) -> str:
        await self._opened()
        if not await self._store.hold(run_id):
            raise taken_id(run_id)
        try:
            await self._store.begin(
                run_id, request, VERSION, self._clock.now(), origin or Origin(), ticket
            )
            entry = await self._store.entry(run_id)
        except BaseException:
            self._store.let_go(run_id)
            raise
        self._player.play(entry, entry.turn)
        return run_id

    async def _queued(self, run_id: str) -> None:
        """A run waits from now on: tell who carries it out."""
        self._news.tell(run_id)
        if self._elsewhere is None:
            return
        entry = await self._store.entry(run_id)
        if entry.info.status != "queued":
            return  # the key was used before, and that run has begun
        try:
            await self._elsewhere.send(entry)
        except StoreBroken as error:  # it stands in the journal: a service sends it when it can
            log.warning("run %s waits until the engine can be reached: %s", run_id, error)

    async def _opened(self) -> None:
        async with self._opening:
            if not self._open:
                await self._store.open()
                self._open = True


def _refuse_other_version(entry: Entry) -> None:
    if entry.version != VERSION:
        raise BadInput(
            f"run {entry.info.id} was made by another version of Leadline (its steps are of "
            f"version {entry.version}, this one's of {VERSION}); ask the question again instead"
        )
