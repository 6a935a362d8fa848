"""Settings of where runs are kept and who carries them out."""

from __future__ import annotations

import re
from typing import Annotated

from leadline.fields.secret import NO_KEY, SecretText
from leadline.fields.setting import Bounds, Fields, setting

_TEMPORAL = re.compile(r"temporal://[^/?#\s@]+(:\d+)?/[^/?#\s]+(\?tls)?")


def _database(value: SecretText) -> SecretText:
    text = value.get_secret_value()
    if text and not text.startswith(("postgresql://", "postgres://")):
        raise ValueError("must be postgresql://user:password@host:port/name, or nothing")
    return value


def _engine(value: str) -> str:
    if value and not _TEMPORAL.fullmatch(value):
        raise ValueError("must be temporal://host:7233/namespace (?tls behind it), or nothing")
    return value


class QueueFields(Fields):
    """One machine needs none of these; many need the first two together."""

    store_url: Annotated[SecretText, Bounds(check=_database)] = setting(
        default=NO_KEY,
        needs_trust="yes",
        description="PostgreSQL that many machines share; unset, SQLite in data_dir.",
    )
    engine_url: Annotated[str, Bounds(check=_engine)] = setting(
        default="",
        needs_trust="yes",
        description="Temporal that hands runs to workers, as temporal://host:7233/namespace.",
    )
    engine_api_key: SecretText = setting(
        default=NO_KEY, needs_trust="yes", description="API key for Temporal Cloud."
    )
    queue_per_owner: int = setting(
        default=0,
        ge=0,
        le=100_000,
        description="Runs of one owner that `leadline serve` carries out at once; 0: no limit.",
    )
