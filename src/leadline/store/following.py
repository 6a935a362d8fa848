"""Tells the rows of a run as they are written: of our own runs at once, of others from the store.

Who follows a run that goes on in this process reads the store once, for what was there before; from
then on it is handed each row when that is kept. A run of elsewhere is looked at again and again.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, Iterator, Mapping
from contextlib import contextmanager

from leadline.errors import StoreBroken
from leadline.ports import Row
from leadline.results import Record, row_of
from leadline.store.news import News, heard
from leadline.store.runstore import RunStore

OWN_WAIT_S = 5.0  # who waits for one is told of every row and of its end, so this is for safety
QUEUED_WAIT_S = 0.5  # a worker of ours says when it takes one up; this is for those of elsewhere


class Following:
    """`turns`: at the runs that go on here; `broken`: those whose store went away."""

    def __init__(
        self,
        store: RunStore,
        news: News,
        turns: Mapping[str, int],
        broken: Mapping[str, StoreBroken],
    ) -> None:
        self._store, self._news, self._turns, self._broken = store, news, turns, broken
        self._ears: dict[str, list[deque[Row]]] = {}

    def wrote(self, run_id: str, record: Record) -> None:
        """A row of a run that goes on here was kept."""
        if ears := self._ears.get(run_id):
            row = row_of(record)
            for ear in ears:
                ear.append(row)
        self._news.tell(run_id)

    async def rows(self, run_id: str, after: int) -> AsyncGenerator[Row, None]:
        """The rows with a number above `after`, in order, until the run has ended."""
        position, last, caught = 0, after, 0
        with self._listening(run_id) as ear:
            while True:
                news, turn = self._news.of(run_id), self._turns.get(run_id, 0)
                told = [ear.popleft() for _ in range(len(ear))]
                live, status = True, "running"
                if not turn or turn != caught:
                    status = await self._store.status(run_id)
                    live = status in ("running", "queued") and run_id not in self._broken
                    more, position = await self._store.rows(run_id, position)
                    told, caught = [*told, *more], turn
                for row in sorted(told, key=lambda row: row.seq):
                    if row.seq > last:
                        last = row.seq
                        yield row
                if not live:
                    return
                await self.wait(run_id, news, queued=status == "queued")

    async def wait(self, run_id: str, news: asyncio.Event, queued: bool = False) -> None:
        """Until there is news of a run, or it is time to look again."""
        if run_id in self._turns:
            await heard(news, OWN_WAIT_S)
        else:
            self._store.hear(self._news.tell)
            wait_s = self._store.wait_s
            await heard(news, max(wait_s, QUEUED_WAIT_S) if queued else wait_s)

    @contextmanager
    def _listening(self, run_id: str) -> Iterator[deque[Row]]:
        ear: deque[Row] = deque()
        self._ears.setdefault(run_id, []).append(ear)
        try:
            yield ear
        finally:
            ears = self._ears[run_id]
            ears[:] = [one for one in ears if one is not ear]
            if not ears:
                del self._ears[run_id]
