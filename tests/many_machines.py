"""Engines over a PostgreSQL and a Temporal of one's own, for tests."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import pg_server
import temporal_server
from leadline.ports import Run
from leadline.store.engine import DurableEngine

Body = Callable[[Run, dict[str, Any]], Awaitable[Any]]
NAMESPACES = 80  # a test has one to itself


@dataclass(frozen=True)
class Machines:
    """Where the runs of one test are: `url` of the database, `engine_url` of Temporal."""

    url: str
    engine_url: str

    def engine(self, folder: Path, body: Body, kind: type[DurableEngine] = DurableEngine) -> Any:
        from leadline.store.postgres.store import PostgresStore
        from leadline.store.temporal import Temporal

        store = PostgresStore(self.url)
        return kind(folder, body, store=store, elsewhere=Temporal(self.engine_url, "", store))


class WithWorker(DurableEngine):
    """Has a worker beside it from the first run that is to go on until it is closed."""

    _stop: asyncio.Event | None = None

    async def start(self, task: str, settings: dict[str, Any], run_id: str) -> str:
        self._hire()
        return await super().start(task, settings, run_id)

    async def resume(self, run_id: str) -> None:
        self._hire()
        await super().resume(run_id)

    async def close(self) -> None:
        if self._stop is not None:
            self._stop.set()
            await self._worker
        await super().close()

    def _hire(self) -> None:
        if self._stop is None:
            self._stop = asyncio.Event()
            self._worker = asyncio.ensure_future(self.work(4, self._stop))


async def handed_over(engine: Any, run_ids: Sequence[str]) -> None:
    """Until each of these waits for a slot; at once where no Temporal hands runs to workers."""
    if temporal := getattr(engine, "_elsewhere", None):
        client = await temporal._client()
        for run_id in run_ids:
            handle = client.get_workflow_handle(f"{run_id}.1")
            while not (await handle.describe()).raw_description.pending_activities:  # noqa: ASYNC110
                await asyncio.sleep(0.01)  # Temporal tells nobody


@dataclass(frozen=True)
class Servers:
    """What many machines share."""

    postgres: pg_server.PgServer
    temporal: temporal_server.TemporalServer

    def machines(self) -> Machines:
        """An empty database and a namespace that nobody has used."""
        return Machines(self.postgres.new_database(), self.temporal.new_namespace())


@contextmanager
def servers(folder: Path) -> Iterator[Servers]:
    """Both servers, started; skips the test where one is not installed."""
    pytest.importorskip("temporalio")
    if pg_server.programs() is None:
        pytest.skip(pg_server.MISSING)
    if temporal_server.program() is None:
        pytest.skip(temporal_server.MISSING)
    made = Servers(pg_server.PgServer(), temporal_server.TemporalServer(folder, NAMESPACES))
    try:
        yield made
        assert not made.postgres.connected()
    finally:
        made.temporal.remove()
        made.postgres.remove()
