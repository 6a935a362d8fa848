"""The runs of the queue on one machine: so many at a time, so many of one owner, urgent ones first.

The queue itself is the journal, so nothing is lost with the process. Nobody else takes from it:
there is one pool over a data folder.
"""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from contextlib import suppress

from leadline.errors import LeadlineError, StoreBroken
from leadline.queueing import Finished
from leadline.store.news import ANY, News, heard
from leadline.store.player import Player

LOOK_S = 5.0  # a run that another process had may be left; what this one queues is heard at once
DOWN_S = 2.0  # how long a disk is left alone that takes nothing
log = logging.getLogger("leadline.pool")


class Pool:
    """Runs at most `slots` runs, and at most `per_owner` of one owner (0: as many as there are)."""

    def __init__(
        self, player: Player, slots: int, per_owner: int, finished: Finished | None
    ) -> None:
        self._player, self._slots, self._per_owner = player, slots, per_owner
        self._finished = finished
        self._going: dict[asyncio.Task[None], tuple[str, str]] = {}
        self._notes: set[asyncio.Task[None]] = set()
        self._down = False

    async def work(self, news: News, stop: asyncio.Event, grace_s: float) -> None:
        """Until `stop`; what does not end within `grace_s` then goes back into the queue."""
        stopping: asyncio.Future[object] = asyncio.ensure_future(stop.wait())
        try:
            while not stop.is_set():
                event = news.of(ANY)
                await self._fill()
                if self._down:
                    self._down = False
                    await asyncio.wait({stopping}, timeout=DOWN_S)
                else:
                    await heard(event, LOOK_S, stopping)
            if self._going and grace_s > 0:
                await asyncio.wait(list(self._going), timeout=grace_s)
        finally:
            stopping.cancel()
            for run_id, _ in list(self._going.values()):
                with suppress(StoreBroken):  # the next pool finds it
                    await self._player.give_back(run_id)
            if self._notes:
                await asyncio.wait(self._notes)

    async def _fill(self) -> None:
        try:
            while len(self._going) < self._slots and not self._down:
                owners = Counter(owner for _, owner in self._going.values())
                full = {one for one, n in owners.items() if 0 < self._per_owner <= n}
                taken = await self._player.take(full)
                if taken is None:
                    return
                run_id, owner, task = taken
                self._going[task] = run_id, owner
                task.add_done_callback(self._ended)
        except StoreBroken as error:
            log.warning("the queue cannot be read: %s", error)
            self._down = True

    def _ended(self, task: asyncio.Task[None]) -> None:
        run_id, _ = self._going.pop(task)
        if task.cancelled():
            return
        if error := task.exception():
            log.warning("lost hold of %s: %s", run_id, error)
            self._down = True
        elif self._finished:
            note = asyncio.ensure_future(self._note(run_id, self._finished))
            self._notes.add(note)
            note.add_done_callback(self._notes.discard)

    async def _note(self, run_id: str, finished: Finished) -> None:
        try:
            await finished(run_id)
        except LeadlineError as error:
            log.info("%s: %s", run_id, error)
