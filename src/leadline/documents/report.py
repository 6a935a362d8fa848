"""What an update of the index tells its caller, while it runs and when it is done."""

from __future__ import annotations

from typing import Literal

from leadline.frozen import frozen
from leadline.types import Loss


@frozen
class Progress:
    """`done` of `total` files; `waiting` means that another process is updating this index."""

    stage: Literal["waiting", "scanning", "reading", "saving"]
    done: int = 0
    total: int = 0
    name: str = ""


@frozen
class IndexReport:
    """The index after an update. `notice` says why an index had to be rebuilt, if it had."""

    files: int
    chunks: int
    added: int = 0
    changed: int = 0
    deleted: int = 0
    skipped: tuple[Loss, ...] = ()
    rebuilt: bool = False
    notice: str = ""
