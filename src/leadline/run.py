"""Do once, write down, read back: what every run shares, whatever keeps its records.

Where records are kept is a `Ledger`: SQLite in `store/`, a dictionary in `fakes/`. Everything else
about a step (its time limit, what is written down, what the caller gets back) is decided here.
"""

from __future__ import annotations

import asyncio
import copy
import functools
import hashlib
import json
from asyncio import FIRST_COMPLETED
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from datetime import datetime
from random import Random
from typing import Any, Protocol, TypeVar, cast

from leadline.errors import ENOUGH, BudgetSpent, ReasonerFailed, RunRefused, RunStopped, SourceLost
from leadline.ports import Begun, Run, RunInfo
from leadline.pulse import Clock, Kind, Past, Pulse
from leadline.results import Failure, Record, error_of, failure, from_json, to_json
from leadline.turns import my_turn
from leadline.types import Hit, Limits, Loss, Query, Stop, content_id

T = TypeVar("T")
A = TypeVar("A")
B = TypeVar("B")

CLEANUP_S = 0.5  # how long a cancelled step may tidy up before the run goes on without it
LAST_STEP_S = 0.5  # what a last step gets even when the deadline has passed


class Ledger(Protocol):
    """Keeps the records of one run, told apart by the order in which `once` is called."""

    def once(self, name: str, do: Callable[[], Awaitable[Record]]) -> Coroutine[Any, Any, Record]:
        """The record kept for this call, or that of `do`, kept before it is returned.

        The number is taken when this is called, not when it is awaited.
        """

    def child(self, name: str) -> Ledger:
        """The ledger of a child run: it counts its own calls, and is kept with this one."""


class JournaledRun:
    """`ports.Run` over any ledger."""

    def __init__(
        self,
        id: str,
        ledger: Ledger,
        clock: Clock,
        *,
        seed: int,
        started: datetime,
        past: Past | None = None,
    ) -> None:
        self.id, self.seed, self.started = id, seed, started
        self._ledger, self._clock = ledger, clock
        self._pulse = Pulse(clock, past or Past())
        self._elapsed = 0.0
        self._limits: Limits | None = None
        self._ahead: list[asyncio.Future[Any]] = []
        self._within = ""  # the name of the child that this is
        self._children: dict[str, JournaledRun] = {}

    @property
    def elapsed(self) -> float:
        return self._elapsed

    @property
    def under_way(self) -> tuple[tuple[str, str], ...]:
        """What the run and its children are at now: a step's name, and which search or page."""
        return self._pulse.under_way

    def limit(self, limits: Limits) -> None:
        self._limits = limits

    def finish(self) -> None:
        """End what gathers, now and from now on; pages on their way have a few seconds, and the
        last steps still write the report."""
        self._pulse.finish()

    def dice(self, *key: str | int) -> Random:
        within = [self._within] if self._within else []
        text = json.dumps([self.seed, *within, *key])
        return Random(hashlib.sha256(text.encode()).digest())  # noqa: S311 - must repeat

    async def begin(self) -> None:
        """The first row: when the run started, for every life it will have."""

        async def start() -> datetime:
            return self._clock.now()

        self.started = await self.step("start", start)

    def step(
        self, name: str, do: Callable[..., Awaitable[T]], *args: Any
    ) -> Coroutine[Any, Any, T]:
        return self._result(self._record(name, lambda: do(*args), do, "gathering"), do)

    def last_step(
        self, name: str, do: Callable[..., Awaitable[T]], *args: Any
    ) -> Coroutine[Any, Any, T]:
        return self._result(self._record(name, lambda: do(*args), do, "writing"), do)

    def begin_step(self, name: str, do: Callable[..., Awaitable[T]], *args: Any) -> Begun[T]:
        record = self._record(name, lambda: do(*args), do, "gathering")
        return self._begun([record], lambda records: _result(records[0], do))

    def each(
        self, name: str, do: Callable[[A], Awaitable[T]], items: Sequence[A]
    ) -> Coroutine[Any, Any, list[T | Loss]]:
        records = self._records(name, do, items, "gathering")
        return self._wait(records, _outcomes(name, do, items))

    def begin_each(
        self, name: str, do: Callable[[A], Awaitable[T]], items: Sequence[A]
    ) -> Begun[list[T | Loss]]:
        records = self._records(name, do, items, "reading")
        return self._begun(records, _outcomes(name, do, items))

    def aside(
        self, name: str, do: Callable[..., Awaitable[T]], *args: Any
    ) -> Coroutine[Any, Any, T]:
        async def untimed() -> T:
            since = self._pulse.clock.ticks()
            try:
                return await do(*args)
            finally:
                self._pulse.before -= self._pulse.clock.ticks() - since

        return self._result(self._record(name, untimed, do, "gathering"), do)

    def child(self, name: str) -> JournaledRun:
        if name not in self._children:
            child = copy.copy(self)
            child.id, child._ledger = f"{self.id}/{name}", self._ledger.child(name)
            child._within = f"{self._within}/{name}" if self._within else name
            child._ahead, child._children = [], {}
            self._children[name] = child
        child = self._children[name]
        child._elapsed = max(child._elapsed, self._elapsed)
        return child

    async def split(self, do: Callable[[Run, A], Awaitable[T]], items: Sequence[A]) -> list[T]:
        children = [self.child(str(number)) for number in range(1, len(items) + 1)]

        async def one(child: JournaledRun, item: A) -> T:
            return await do(cast(Run, child), item)

        found = await _all(*(one(*each) for each in zip(children, items, strict=True)))
        self._elapsed = max([self._elapsed, *(child._elapsed for child in children)])
        return found

    async def close(self) -> None:
        """Stop what was begun and never waited for."""
        for task in self._ahead:
            await _stop(task)
        for child in self._children.values():
            await child.close()

    def _records(
        self, name: str, do: Callable[[A], Awaitable[T]], items: Sequence[A], kind: Kind
    ) -> list[Coroutine[Any, Any, Record]]:
        return [
            self._record(name, functools.partial(do, item), do, kind, _label(item))
            for item in items
        ]

    def _begun(
        self, work: list[Coroutine[Any, Any, Record]], read: Callable[[list[Record]], T]
    ) -> Begun[T]:
        task = asyncio.ensure_future(_all(*work))
        self._ahead.append(task)

        async def waited() -> T:
            return await self._read(await task, read)

        return waited

    async def _wait(
        self, work: list[Coroutine[Any, Any, Record]], read: Callable[[list[Record]], T]
    ) -> T:
        return await self._read(await _all(*work), read)

    async def _read(self, records: list[Record], read: Callable[[list[Record]], T]) -> T:
        """Time passes for the run when it learns of a result, so that it does so on replay too."""
        await my_turn()  # the loop goes on from here
        self._elapsed = max([self._elapsed, *(record["elapsed"] for record in records)])
        return read(records)

    async def _result(
        self, work: Coroutine[Any, Any, Record], do: Callable[..., Awaitable[T]]
    ) -> T:
        return await self._read([await work], lambda records: _result(records[0], do))

    def _record(
        self,
        name: str,
        call: Callable[[], Awaitable[T]],
        do: Callable[..., Awaitable[T]],
        kind: Kind,
        what: str = "",
    ) -> Coroutine[Any, Any, Record]:
        held = False

        async def perform() -> Record:
            nonlocal held
            started_at = self._clock.now()
            with self._pulse.doing(name, what):
                value, error = await self._attempt(call, kind)
            body = None if error else to_json(do, cast(T, value))
            # Held until the record is kept: rows are written in the order of `seq`. A number
            # whose record could not be kept is not used again; nobody counts on all of them.
            await self._pulse.turn.acquire()
            held = True
            self._pulse.seq += 1
            made = Record(
                seq=self._pulse.seq,
                name=name,
                started_at=started_at.isoformat(),
                finished_at=self._clock.now().isoformat(),
                elapsed=round(self._pulse.active(), 6),
                value=body,
                error=error,
            )
            if self._within:
                made["child"] = self._within
            if error and what:
                made["what"] = what
            return made

        kept = self._ledger.once(name, perform)  # now: its place is that of this call

        async def record() -> Record:
            try:
                return await kept
            finally:
                if held:
                    self._pulse.turn.release()

        return record()

    async def _attempt(
        self, call: Callable[[], Awaitable[T]], kind: Kind
    ) -> tuple[T | None, Failure | None]:
        try:
            return await self._in_time(call, kind), None
        except (SourceLost, BudgetSpent, ReasonerFailed) as error:
            return None, failure(error)

    async def _in_time(self, call: Callable[[], Awaitable[T]], kind: Kind) -> T:
        await my_turn()
        if self._limits is None:
            return await call()
        ceiling = self._limits.max_execution_time_s
        left = ceiling - self._pulse.spent()
        writing = kind == "writing"
        left = max(left, LAST_STEP_S) if writing else left - self._limits.reserve_s
        if left <= 0:
            raise BudgetSpent(Stop.MAX_TIME, f"the run's {ceiling:g} s were over")
        if self._pulse.enough and kind == "gathering":
            raise BudgetSpent(Stop.CANCELLED, ENOUGH)
        task, bell = asyncio.ensure_future(call()), self._pulse.bell(kind)
        try:
            done, _ = await asyncio.wait({task, bell}, timeout=left, return_when=FIRST_COMPLETED)
            if task in done:
                return task.result()
            if bell in done:
                raise BudgetSpent(Stop.CANCELLED, ENOUGH)
            # A clock that stood still while we waited must not give the time back.
            over = ceiling - self._limits.reserve_s - self._pulse.spent()
            self._pulse.before += max(0.0, over)
            raise BudgetSpent(Stop.MAX_TIME, f"the run's {ceiling:g} s ran out")
        finally:
            self._pulse.unhang(bell)
            if not task.done():
                await _stop(task)


async def _stop(task: asyncio.Future[Any]) -> None:
    """Cancel and let it tidy up, but not for ever: a limit is a limit."""
    task.cancel()
    await asyncio.wait({task}, timeout=CLEANUP_S)
    task.add_done_callback(lambda late: late.cancelled() or late.exception())


async def both(first: Coroutine[Any, Any, A], second: Coroutine[Any, Any, B]) -> tuple[A, B]:
    """Two steps at the same time; each is finished and written down before either may raise."""
    one, two = await _all(first, second)
    return one, two


async def _all(*work: Coroutine[Any, Any, Any]) -> list[Any]:
    """Every result, in order; the first error in that order once all have ended."""
    results = await asyncio.gather(*work, return_exceptions=True)
    for result in results:
        if isinstance(result, BaseException):
            raise result
    return results


def _label(item: object) -> str:
    """What a lost item is called in the report."""
    if isinstance(item, Query):
        return item.text
    return item.url if isinstance(item, Hit) else str(item)


# ── to JSON and back ────────────────────────────────────────────────────────────────────────


def _outcomes(
    name: str, do: Callable[[A], Awaitable[T]], items: Sequence[A]
) -> Callable[[list[Record]], list[T | Loss]]:
    """Reads the records of `each`: a lost item is a `Loss`, the others keep their results."""

    def read(records: list[Record]) -> list[T | Loss]:
        found: list[T | Loss] = []
        for item, record in zip(items, records, strict=True):
            error = record["error"]
            if error and error["kind"] != ReasonerFailed.__name__:
                found.append(Loss(stage=name, what=_label(item), why=error["message"]))
            else:
                found.append(_result(record, do))
        return found

    return read


def _result(record: Record, do: Callable[..., Awaitable[T]]) -> T:
    if record["error"]:
        raise error_of(record["error"])
    return from_json(do, record["value"])


def ended(info: RunInfo) -> RunStopped:
    """The error for whoever waits on a run that ended without a result."""
    kind = RunRefused if info.mendable else RunStopped
    return kind(info.id, info.status, info.reason)


def new_run_id(task: str, at: datetime) -> str:
    """An id that sorts by time and is short enough to type."""
    return f"{at:%y%m%d-%H%M%S}-{content_id(task, at.isoformat())[:6]}"
