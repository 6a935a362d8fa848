"""Where runs and what they need are kept: files of this machine, or a PostgreSQL for many."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from functools import partial
from importlib.util import find_spec
from typing import TYPE_CHECKING, TypeVar

from leadline.errors import BadInput, RunNotFound, StoreBroken, with_extra
from leadline.settings import Settings

if TYPE_CHECKING:
    from leadline.keep.pages import Snapshots
    from leadline.models.kept import CallBook, CallTable
    from leadline.ports import Engine
    from leadline.store.engine import DurableEngine
    from leadline.store.player import Body
    from leadline.store.postgres.keeping import PostgresSnapshots

T = TypeVar("T")
CALLS = "calls.db"  # as `models.kept` calls it; not imported, for a run without models
log = logging.getLogger(__name__)


def open_engine(settings: Settings, body: Body) -> DurableEngine:
    """The engine over the store that the settings name."""
    from leadline.hidden import Hidden
    from leadline.store.engine import DurableEngine

    engine = partial(
        DurableEngine,
        settings.data_dir,
        body,
        per_owner=settings.queue_per_owner,
        hide=Hidden(settings).text,
    )
    if bool(settings.store_url.get_secret_value()) != bool(settings.engine_url):
        raise BadInput(
            "store_url (PostgreSQL, what runs write) and engine_url (Temporal, who carries them "
            "out) belong together, and one of them is not set; see docs/scale.md"
        )
    url = database(settings)
    if not url:
        return engine()  # SQLite in the data folder, and this process
    from leadline.store.postgres.link import place_of
    from leadline.store.postgres.store import PostgresStore
    from leadline.store.temporal import Temporal

    place_of(url)
    store = PostgresStore(url)
    key = settings.engine_api_key.get_secret_value()
    return engine(store=store, elsewhere=Temporal(settings.engine_url, key, store))


def open_book(settings: Settings, run_id: str) -> CallBook:
    """What models answered in a run, in all its lives."""
    from leadline.models.kept import CallBook

    return CallBook(_calls(settings), run_id)


def _calls(settings: Settings) -> CallTable:
    if url := database(settings):
        from leadline.store.postgres.keeping import PostgresCalls

        return PostgresCalls(url)
    from leadline.models.kept import FileCalls

    return FileCalls(settings.data_dir)


async def prune_calls(settings: Settings, engine: Engine, finished: str = "") -> int:
    """Delete what models answered in runs that are finished, and say of how many.

    Where one is named only that one is looked at: with many under way, each that ends would look
    at all the others.

    Their reports have the bill; whatever can still be resumed keeps its answers. A book that
    cannot be pruned is no reason to withhold a report.
    """
    if not database(settings) and not (settings.data_dir / CALLS).exists():
        return 0
    from leadline.models.kept import drop_calls, kept_runs

    def with_calls(do: Callable[[CallTable], T]) -> T:
        table = _calls(settings)
        try:
            return do(table)
        finally:
            table.close()

    try:
        runs = [finished] if finished else await asyncio.to_thread(with_calls, kept_runs)
        done = [run for run in runs if await _is_finished(engine, run)]
        for run in done:
            await asyncio.to_thread(with_calls, partial(drop_calls, run_id=run))
    except StoreBroken as error:
        log.warning("the calls of finished runs are not deleted: %s", error)
        return 0
    return len(done)


async def _is_finished(engine: Engine, run_id: str) -> bool:
    try:
        return (await engine.info(run_id)).status == "finished"
    except RunNotFound:  # kept elsewhere, perhaps: nothing is known of it, so nothing is deleted
        return False


def open_snapshots(settings: Settings) -> Snapshots | PostgresSnapshots:
    """Every page that was fetched, shared by all runs of the store."""
    room = int(settings.snapshot_max_mb * 1_000_000)
    if url := database(settings):
        from leadline.store.postgres.keeping import PostgresSnapshots

        return PostgresSnapshots(url, room)
    from leadline.keep.pages import Snapshots

    return Snapshots(settings.data_dir / "pages", room)


def database(settings: Settings) -> str:
    """The address of the PostgreSQL to use, or ""; `BadInput` where it cannot be spoken to."""
    url = settings.store_url.get_secret_value()
    for package in ("psycopg", "temporalio"):
        if url and find_spec(package) is None:
            raise BadInput(
                f"store_url names a PostgreSQL, and the package {package} is not installed; "
                f"install it {with_extra('temporal')}"
            )
    return url
