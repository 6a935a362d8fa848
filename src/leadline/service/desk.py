"""What the routes work with: begins runs for callers, follows them, and knows whose they are."""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import Any
from weakref import WeakValueDictionary

from leadline.errors import BadInput, LeadlineError, RunNotFound, RunStopped, StoreBroken
from leadline.hidden import Hidden
from leadline.observe.logs import PhaseLog
from leadline.observe.metrics import Metrics
from leadline.ports import Find, RunInfo
from leadline.service.asked import of_owner, settled
from leadline.service.feed import Feed, Feeds
from leadline.service.refusals import Refused
from leadline.service.told import ending, frame, step_frame, stopped_frame
from leadline.session import Session
from leadline.settings import Settings, check_task
from leadline.store.keyring import Key, Keyring
from leadline.store.reviews import Reviews
from leadline.store.runstore import other_request
from leadline.types import AgentResponse, Batch, Query

CLOSING = "the service is being stopped; the run is kept and goes on when it is back"
BUSY_S = 5.0
ALL = 1_000_000

Prepare = Callable[[Settings], Awaitable[None]]
OpenFind = Callable[[Settings], AbstractAsyncContextManager[Find]]
_log = logging.getLogger("leadline.service")


@dataclass(frozen=True)
class Caller:
    """Who asks. Without a key it is the local user, who sees every run of this machine."""

    owner: str = ""
    key: Key | None = None

    @property
    def local(self) -> bool:
        return self.key is None


LOCAL = Caller()


class Desk:
    """One service: its session, the runs that it carries out, and its feeds."""

    def __init__(
        self,
        session: Session,
        keyring: Keyring,
        metrics: Metrics,
        prepare: Prepare,
        open_find: OpenFind,
    ) -> None:
        self.session, self.keyring, self.metrics = session, keyring, metrics
        self.settings = session.settings
        self.hidden = Hidden(session.settings)
        self.closing = asyncio.Event()
        self.reviews = Reviews(session.engine)
        self._prepare, self._open_find = prepare, open_find
        self._found_with: tuple[Find, AsyncExitStack] | None = None
        self._opening = asyncio.Lock()
        self._active: Counter[str] = Counter()
        self._watched: dict[str, asyncio.Task[None]] = {}
        self._once: WeakValueDictionary[tuple[str, str], asyncio.Lock] = WeakValueDictionary()
        self.feeds = Feeds(self._fill)

    # ── begin ───────────────────────────────────────────────────────────────────────────────

    async def start(
        self, caller: Caller, task: str, options: Mapping[str, Any], idempotency: str = ""
    ) -> str:
        """Begin a run and return its id; the same key of idempotency gives the same run."""
        if not idempotency:
            return await self._start(caller, task, options)
        # One at a time of those alone that have the same key: a folder may have to be indexed.
        turn = self._once.setdefault((caller.owner, idempotency), asyncio.Lock())
        async with turn:
            same = self.keyring.repeated(caller.owner, idempotency)
            if not same:
                return await self._start(caller, task, options, idempotency)
        kept = await self.session.engine.info(same)
        if kept.task != self.hidden.text(check_task(task)):
            raise Refused(409, str(other_request(idempotency, same)))
        return same

    async def _start(
        self, caller: Caller, task: str, options: Mapping[str, Any], idempotency: str = ""
    ) -> str:
        settings = settled(self.settings, options)
        self._check_task(task)
        async with self._place(caller) as begun:
            try:
                await self._prepare(settings)
                asked = Session(of_owner(settings, caller.owner), self.session.engine)
                run_id = await asked.enqueue(task, owner=caller.owner, key=idempotency)
            except BadInput as error:  # each value is right, but not in this service
                raise Refused(409, str(error)) from error
            self.keyring.own(run_id, caller.owner, idempotency)
            begun(run_id)
        return run_id

    async def fork(self, caller: Caller, run_id: str, step: str, options: Mapping[str, Any]) -> str:
        """Begin a run that goes on from a step of another with other settings."""
        await self.info(caller, run_id)
        wanted = settled(self.settings, options)
        given = {name: getattr(wanted, name) for name, one in options.items() if one is not None}
        async with self._place(caller) as begun:
            try:
                new_id = await self.session.fork(run_id, step, given, queued=True)
            except BadInput as error:
                raise Refused(409, str(error)) from error
            self.keyring.own(new_id, caller.owner)
            begun(new_id)
        return new_id

    async def resume(self, caller: Caller, run_id: str) -> RunInfo:
        """Go on with an unfinished run; a finished or running one is left as it is."""
        info = await self.info(caller, run_id)
        if info.unfinished:
            async with self._place(caller) as begun:
                self.feeds.restart(run_id)
                await self.session.engine.requeue(run_id)
                begun(run_id)
        return await self.session.engine.info(run_id)

    async def ask(self, caller: Caller, run_id: str, question: str, update: bool) -> str:
        """Begin a run that answers a question on a finished one."""
        await self.finished(caller, run_id)
        self._check_task(question)
        async with self._place(caller) as begun:
            new_id = await self.session.ask(run_id, question, update=update, owner=caller.owner)
            self.keyring.own(new_id, caller.owner)
            begun(new_id)
        return new_id

    async def cancel(self, caller: Caller, run_id: str) -> RunInfo:
        """Stop a run; what it has stays. A finished one is a conflict."""
        info = await self.info(caller, run_id)
        if info.status == "finished":
            raise Refused(409, f"run {run_id} is finished; there is nothing to cancel")
        await self.session.engine.cancel(run_id)
        return await self.session.engine.info(run_id)

    async def finish(self, caller: Caller, run_id: str) -> RunInfo:
        """Have a run write its report from what it has; a stopped one goes on to do so."""
        await self.info(caller, run_id)
        try:
            stands = await self.session.finish(run_id)
        except BadInput as error:
            raise Refused(409, str(error)) from error
        if stands:
            return await self.resume(caller, run_id)
        return await self.session.engine.info(run_id)

    async def take_up(self) -> int:
        """Go on with the runs that a service before this one left; how many there were."""
        taken = 0
        for info in await self.session.engine.open_runs():
            owner = self.keyring.owner(info.id)
            if owner is None:
                continue
            try:
                await self.session.engine.requeue(info.id)
            except LeadlineError as error:
                _log.warning("run %s is not taken up: %s", info.id, error)
                continue
            self._active[owner] += 1
            self._watch(info.id, owner)
            taken += 1
        return taken

    # ── look ────────────────────────────────────────────────────────────────────────────────

    async def info(self, caller: Caller, run_id: str) -> RunInfo:
        """A run of the caller's; any other is not there."""
        if not caller.local and self.keyring.owner(run_id) != caller.owner:
            raise RunNotFound(f"no run has the id {run_id}")
        return await self.session.engine.info(run_id)

    async def list(self, caller: Caller, limit: int) -> list[RunInfo]:
        """The caller's newest runs first."""
        engine = self.session.engine
        if caller.local:
            return await engine.list(limit)
        return [await engine.info(one) for one in self.keyring.runs(caller.owner, limit)]

    async def response(self, run_id: str) -> AgentResponse:
        """What a run found, once it has its report; never after the service is told to stop."""
        work = asyncio.ensure_future(self.session.response(run_id))
        stop = asyncio.ensure_future(self.closing.wait())
        try:
            wait_s = self.settings.serve_wait_s
            done, _ = await asyncio.wait(
                {work, stop}, timeout=wait_s, return_when=asyncio.FIRST_COMPLETED
            )
        finally:
            stop.cancel()
        if work in done:
            return work.result()
        work.cancel()
        await asyncio.wait({work})
        if done:
            raise Refused(503, CLOSING, run_id=run_id)
        raise Refused(504, f"the run takes longer than {wait_s:g} s and goes on", run_id=run_id)

    async def waiting(self, run_id: str, beat_s: float) -> AsyncIterator[None]:
        """A beat now and then until the run has ended or the service is told to stop."""
        feed = self.feeds.open(run_id)
        try:
            while not feed.closed:
                if not await feed.ended(beat_s):
                    yield None
        finally:
            self.feeds.leave(run_id)

    async def finished(self, caller: Caller, run_id: str) -> AgentResponse:
        """The report of a finished run; one that has none yet is a conflict."""
        info = await self.info(caller, run_id)
        if info.status != "finished":
            why = f": {info.reason}" if info.reason else ""
            raise Refused(409, f"run {run_id} is {info.status}{why}; it has no report yet")
        return await self.session.response(run_id)

    async def find(self, settings: Settings, query: str, k: int) -> Batch:
        """One search without a run; what the service's own settings need is opened once."""
        asked = Query(query, origin="gap")
        if settings != self.settings:
            async with self._open_find(settings) as find:
                return await find(asked, k)
        async with self._opening:
            if self._found_with is None:
                stack = AsyncExitStack()
                find = await stack.enter_async_context(self._open_find(settings))
                self._found_with = find, stack
        return await self._found_with[0](asked, k)

    # ── carry out ───────────────────────────────────────────────────────────────────────────

    @property
    def running(self) -> int:
        return self._active.total()

    @asynccontextmanager
    async def _place(self, caller: Caller) -> AsyncIterator[Callable[[str], None]]:
        """A place among the runs that are carried out. It is the run's whose id is handed back
        here, to its end; where none is, it is free again."""
        self._admit(caller)
        self._active[caller.owner] += 1
        taken = False

        def begun(run_id: str) -> None:
            nonlocal taken
            taken = True
            self._watch(run_id, caller.owner)

        try:
            yield begun
        finally:
            if not taken:
                self._leave(caller.owner)

    def _admit(self, caller: Caller) -> None:
        if self.closing.is_set():
            raise Refused(503, CLOSING, BUSY_S)
        if self.running >= self.settings.serve_max_runs:
            raise Refused(429, f"{self.running} runs wait or go on already", BUSY_S)
        if caller.key is None:
            return
        if 0 < caller.key.concurrency <= self._active[caller.owner]:
            raise Refused(429, f"{caller.key.concurrency} runs at a time are allowed", BUSY_S)
        if caller.key.runs_per_day:
            made, wait_s = self.keyring.started_today(caller.owner)
            if made >= caller.key.runs_per_day:
                raise Refused(429, f"{caller.key.runs_per_day} runs a day are allowed", wait_s)

    def _leave(self, owner: str) -> None:
        self._active[owner] -= 1
        if self._active[owner] <= 0:
            del self._active[owner]
        self.metrics.running.set(self.running)

    def _check_task(self, task: str) -> None:
        most = self.settings.serve_max_task_chars
        if len(task) > most:
            raise Refused(413, f"the question has {len(task):,} characters, at most {most:,} here")
        check_task(task)

    def _watch(self, run_id: str, owner: str) -> None:
        """Follow a run of ours to its end: for its readers, the log and the metrics."""
        self.metrics.running.set(self.running)
        task = asyncio.create_task(self._watching(run_id, owner))
        self._watched[run_id] = task
        task.add_done_callback(lambda done: self._unwatch(run_id, done))

    def _unwatch(self, run_id: str, done: asyncio.Task[None]) -> None:
        if self._watched.get(run_id) is done:  # else it was resumed, and another has taken over
            del self._watched[run_id]

    async def _watching(self, run_id: str, owner: str) -> None:
        self.feeds.open(run_id)
        try:
            await self.feeds.filled(run_id)
        finally:
            self._leave(owner)
            self.feeds.leave(run_id)

    async def _fill(self, run_id: str, feed: Feed) -> None:
        """The events of a run: its rows as they are written, then its end."""
        ours = run_id in self._watched
        log = PhaseLog(run_id, self.settings.token_budget)
        number = rounds = 0
        seconds = 0.0
        try:
            tier = (await self.session.engine.info(run_id)).settings.get("tier") or ""
            async for row in self.session.engine.follow(run_id):
                number += 1
                feed.add((number, 0), step_frame(row, number, tier))
                if ours:
                    rounds += row.name == "gate"
                    seconds = max(seconds, row.elapsed)
                    log.row(row)
                    self.metrics.row(row)
            response = await self.session.response(run_id)
        except RunStopped as stopped:
            if ours:
                self.metrics.stopped(stopped.status)
            info = await self.session.engine.info(run_id)
            feed.close(stopped_frame(info))
            return
        except StoreBroken as broken:
            feed.close(
                frame("stopped", {"run_id": run_id, "status": "failed", "reason": str(broken)})
            )
            return
        for at, data in ending(response, number):
            feed.add(at, data)
        feed.close()
        if ours:
            self.metrics.finished(response, seconds, rounds)
            log.finished(response.stop_reason.value, response.found, response.usage.searches)

    def hang_up(self) -> None:
        """Nothing is begun from now on, and whoever waits or reads is told."""
        if not self.closing.is_set():
            self.closing.set()
            self.feeds.end(frame("closing", {"message": CLOSING}))

    async def close(self) -> None:
        """End every stream; the runs stay as they are and can be resumed."""
        self.hang_up()
        if self._found_with is not None:
            await self._found_with[1].aclose()
        await self.feeds.close()
        watched = set(self._watched.values())
        for task in watched:
            task.cancel()
        if watched:
            await asyncio.wait(watched)
