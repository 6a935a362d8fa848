"""What every bench can be told: which files to use, how much of them, and the seed."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class BenchOptions:
    """`format` names the layout of the data (else the folder's name); `limit` 0 means all of it.

    A bench that takes long keeps what it has made in the folder `work`, and goes on from there.
    """

    queries: Path | None = None
    qrels: Path | None = None
    format: str = ""
    no_titles: bool = False
    limit: int = 0
    seed: int = 0
    work: Path | None = None
