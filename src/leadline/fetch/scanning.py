"""Scans texts in a process of its own, so that neither the run nor the next page waits for it."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence

from leadline.errors import SourceLost
from leadline.fetch.reading import WorkerPool
from leadline.guard.scan_result import Scan, unpacked

COMMAND = (sys.executable, "-P", "-m", "leadline.read.scanner")
QUEUE = 8  # who comes when so many wait scans as quickly by himself


class ScannerPool(WorkerPool):
    """One process that scans, once it has been started with `warm`."""

    def __init__(self, limit_s: float = 20.0, command: Sequence[str] = COMMAND) -> None:
        super().__init__(1, limit_s, command)

    async def scan(self, texts: Sequence[str]) -> dict[str, Scan]:
        """What the scanner says of each text; nothing where it does not run, cannot, or has too
        much to do: the texts are then to be scanned by whoever asks."""
        if not (self._idle or 0 < self._here < QUEUE):
            return {}
        try:
            _, said = await self.ask({}, json.dumps(texts).encode())
            return dict(zip(texts, map(unpacked, json.loads(said)), strict=True))
        except (SourceLost, ValueError, TypeError):
            return {}
