"""Runs that wait their turn: the engine with a queue before it, which workers take runs from."""

from __future__ import annotations

from asyncio import Event
from collections.abc import Awaitable, Callable, Collection, Sequence
from typing import Any, Protocol

from leadline.ports import Engine, RunInfo

Finished = Callable[[str], Awaitable[None]]
"""What a worker does with the id of a run that it has brought to an end."""


class Queue(Engine, Protocol):
    """An engine whose runs may be begun elsewhere: by a worker of this process or of another."""

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
        """Put a run into the queue and return its id; higher `priority` goes first.

        The same `key` of the same `owner` is the same run: its id is returned, whoever comes
        first. With another task it is `BadInput`, as is an id in use.
        """

    def under_way(self, run_id: str) -> tuple[tuple[str, str], ...]:
        """The steps that a run of this process is at now: each by its name, and which search, page
        or image it is about. Of runs that go on elsewhere nothing is known."""

    async def requeue(self, run_id: str) -> None:
        """Put an unfinished run back into the queue; one that is in it, or over, is left alone."""

    async def finish(self, run_id: str) -> None:
        """Have a run gather no more, wherever it is, and write its report from what it has.

        An unfinished one does so when it is resumed. A finished one raises `BadInput`.
        """

    async def say(self, run_id: str, name: str, value: Any) -> None:
        """Leave a word for whoever is at a run, in whatever process; None takes it back."""

    async def said(self, run_id: str, name: str) -> Any:
        """The word of that name; None where there is none."""

    async def list(self, limit: int = 50, owner: str | None = None) -> list[RunInfo]:
        """The newest runs first; with `owner` that one's alone."""

    async def open_runs(self) -> Sequence[RunInfo]:
        """The runs that wait, go on or were left by a process that died, the oldest first."""

    async def fork(
        self, run_id: str, step: str, settings: dict[str, Any], new_id: str, queued: bool = False
    ) -> str:
        """As `Engine.fork`; with `queued` a worker takes it up. Its owner is the other run's."""

    async def work(
        self,
        concurrency: int,
        stop: Event | None = None,
        grace_s: float = 0.0,
        finished: Finished | None = None,
    ) -> None:
        """Take runs from the queue, so many at a time, until `stop` is set or this is cancelled.

        Then nothing new is taken; what does not end within `grace_s` goes back into the queue.
        """

    async def serve(self, concurrency: int, stop: Event, finished: Finished | None = None) -> None:
        """What a service does beside answering, until `stop`: work, or where others do, see that
        they hear of every run that waits."""

    @property
    def going(self) -> Collection[str]:
        """The runs that go on in this process."""

    async def fault(self) -> str:
        """Why those who carry runs out cannot be reached, or ""."""
