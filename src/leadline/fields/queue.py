"""Settings of the store of runs and of its queue."""

from __future__ import annotations

from typing import Annotated

from pydantic import AfterValidator, BaseModel, Field, SecretStr


def _database(value: SecretStr) -> SecretStr:
    text = value.get_secret_value()
    if text and not text.startswith(("postgresql://", "postgres://")):
        raise ValueError("must be postgresql://user:password@host:port/name, or nothing")
    return value


class QueueFields(BaseModel, defer_build=True):
    """Where runs are kept, and how many of those that wait may go on at once."""

    store_url: Annotated[SecretStr, AfterValidator(_database)] = Field(
        default=SecretStr(""),
        description="PostgreSQL that many machines share; unset, SQLite in data_dir.",
    )
    queue_concurrency: int = Field(
        default=0,
        ge=0,
        le=100_000,
        description="Queued runs at the same time over all workers; 0 sets no ceiling.",
    )
    queue_per_owner: int = Field(
        default=0,
        ge=0,
        le=100_000,
        description="Queued runs of one owner at the same time; 0 sets no ceiling.",
    )
