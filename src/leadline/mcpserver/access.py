"""Who asks, which runs are theirs, and how many they may have.

Over stdio, and on loopback without a key, it is the user of this machine, who sees every run.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

from leadline.errors import BadInput, RunNotFound
from leadline.ports import RunInfo
from leadline.queueing import Queue
from leadline.store.keyring import Key, Keyring


@dataclass(frozen=True)
class Caller:
    """Who asks; without a key it is the local user."""

    key: Key | None = None

    @property
    def owner(self) -> str:
        return self.key.owner if self.key else ""


LOCAL = Caller()
asking: ContextVar[Caller] = ContextVar("asking", default=LOCAL)


class Access:
    """What the caller of the moment may see and start."""

    def __init__(self, engine: Queue, keyring: Keyring, most: int) -> None:
        self._engine, self._keyring, self._most = engine, keyring, most
        self._active: Counter[str] = Counter()

    @property
    def owner(self) -> str:
        """Whose runs the caller's are; "" is the local user."""
        return asking.get().owner

    def mine(self, run_id: str) -> bool:
        """Whether the caller may see this run."""
        caller = asking.get()
        return caller.key is None or self._keyring.owner(run_id) == caller.owner

    async def info(self, run_id: str) -> RunInfo:
        """A run of the caller's; any other is not there."""
        if not self.mine(run_id):
            raise RunNotFound(f"no run has the id {run_id}")
        return await self._engine.info(run_id)

    async def list(self, limit: int) -> list[RunInfo]:
        """The caller's newest runs first."""
        caller = asking.get()
        if caller.key is None:
            return await self._engine.list(limit)
        return [await self._engine.info(one) for one in self._keyring.runs(caller.owner, limit)]

    def own(self, run_id: str) -> None:
        """Write down whose run it is; the local user's belong to nobody else anyway."""
        caller = asking.get()
        if caller.key is not None:
            self._keyring.own(run_id, caller.owner)

    @contextmanager
    def place(self) -> Iterator[None]:
        """A place among the runs of the caller's, within the quotas of the key."""
        caller = asking.get()
        self._admit(caller)
        self._active[caller.owner] += 1
        try:
            yield
        finally:
            self._active[caller.owner] -= 1

    def _admit(self, caller: Caller) -> None:
        if self._active.total() >= self._most:
            raise BadInput(f"{self._most} runs are under way already; ask again in a moment")
        key = caller.key
        if key is None:
            return
        if 0 < key.concurrency <= self._active[key.owner]:
            raise BadInput(
                f"{key.concurrency} runs at a time are allowed with this key; wait for one to end"
            )
        if key.runs_per_day:
            made, wait_s = self._keyring.started_today(key.owner)
            if made >= key.runs_per_day:
                raise BadInput(
                    f"{key.runs_per_day} runs a day are allowed with this key; "
                    f"the next one in {wait_s / 60:.0f} minutes"
                )
