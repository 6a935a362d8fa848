"""Where runs and what they need are kept: files of this machine, or a PostgreSQL for many."""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING

from leadline.errors import BadInput
from leadline.settings import Settings

if TYPE_CHECKING:
    from leadline.store.engine import Body, DurableEngine
    from leadline.store.runstore import RunStore


def open_engine(settings: Settings, body: Body) -> DurableEngine:
    """The engine over the store that the settings name."""
    from leadline.store.engine import DurableEngine
    from leadline.store.runstore import Caps

    caps = Caps(settings.queue_concurrency, settings.queue_per_owner)
    return DurableEngine(settings.data_dir, body, store=_store(settings), caps=caps)


def database(settings: Settings) -> str:
    """The address of the PostgreSQL to use, or ""; `BadInput` where it cannot be spoken to."""
    url = settings.store_url.get_secret_value()
    if url and find_spec("psycopg") is None:
        raise BadInput(
            "store_url names a PostgreSQL, and the package psycopg is not installed; "
            "install it with: pip install 'leadline[postgres]'"
        )
    return url


def _store(settings: Settings) -> RunStore | None:
    url = database(settings)
    if not url:
        return None  # the engine's own: SQLite in the data folder
    from leadline.store.postgres.link import place_of
    from leadline.store.postgres.store import PostgresStore

    place_of(url)
    return PostgresStore(url)
