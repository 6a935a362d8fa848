"""The process that scans texts for orders to their reader: it takes a JSON list of texts at a time
and answers with what the scanner says of each."""

from __future__ import annotations

import json
import os
from threading import Thread
from typing import Any

from leadline.guard.doors import scanned_all
from leadline.guard.rules import compile_all
from leadline.guard.scan_result import packed
from leadline.read.worker import serve

_SENTENCE = "The harbour freezes in February, and ships wait for the thaw."  # as good as any


def answer(data: bytes, request: dict[str, Any]) -> tuple[dict[str, Any], bytes]:
    """What the scanner says; where it cannot work, whoever asked finds out why."""
    try:
        return {}, json.dumps([packed(said) for said in scanned_all(json.loads(data))]).encode()
    except (OSError, ValueError, RecursionError, MemoryError) as error:
        return {"lost": f"it cannot be scanned here ({type(error).__name__})"}, b""


def _load() -> None:
    answer(json.dumps([_SENTENCE]).encode(), {})
    # Nothing else is to be done until somebody asks, and whoever does need not wait for it.
    Thread(target=compile_all, daemon=True).start()


if __name__ == "__main__":
    serve(_load, answer)
    os._exit(0)  # there is nothing to tidy, and whoever ended the input waits
