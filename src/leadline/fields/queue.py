"""Settings of the store of runs and of its queue."""

from __future__ import annotations

from typing import Annotated

from leadline.fields.secret import NO_KEY, SecretText
from leadline.fields.setting import Bounds, Fields, setting


def _database(value: SecretText) -> SecretText:
    text = value.get_secret_value()
    if text and not text.startswith(("postgresql://", "postgres://")):
        raise ValueError("must be postgresql://user:password@host:port/name, or nothing")
    return value


class QueueFields(Fields):
    """Where runs are kept, and how many of those that wait may go on at once."""

    store_url: Annotated[SecretText, Bounds(check=_database)] = setting(
        default=NO_KEY,
        needs_trust="yes",
        description="PostgreSQL that many machines share; unset, SQLite in data_dir.",
    )
    queue_concurrency: int = setting(
        default=0,
        ge=0,
        le=100_000,
        description="Queued runs at the same time over all workers; 0 sets no ceiling.",
    )
    queue_per_owner: int = setting(
        default=0,
        ge=0,
        le=100_000,
        description="Queued runs of one owner at the same time; 0 sets no ceiling.",
    )
