"""A session that works off the queue: what ends is noted, and what goes on is not waited for."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from leadline.errors import RunStopped
from leadline.fakes.run import MemoryEngine
from leadline.ports import Run
from leadline.session import Session
from leadline.settings import Settings


@pytest.mark.contract("H5", "R10")
def test_a_run_that_is_cancelled_and_queued_again_at_once_is_taken_again(tmp_path: Path) -> None:
    begun: list[asyncio.Event] = []

    async def body(run: Run, request: dict[str, Any]) -> dict[str, Any]:
        begun.append(asyncio.Event())
        if len(begun) == 1:
            came.set()
            await begun[0].wait()
        raise asyncio.CancelledError if len(begun) == 1 else ValueError("no report, but an end")

    came = asyncio.Event()

    async def scene() -> None:
        engine, stop = MemoryEngine(body), asyncio.Event()
        session = Session(Settings(data_dir=tmp_path), engine)
        worker = asyncio.ensure_future(session.work(1, stop))
        async with asyncio.timeout(60):
            await engine.enqueue("task", {}, "r")
            await came.wait()
            await engine.cancel("r")
            await engine.requeue("r")  # before the worker has looked at what is over
            with pytest.raises(RunStopped, match="no report, but an end"):
                await engine.result("r")
            stop.set()
            await worker

    asyncio.run(scene())
    assert len(begun) == 2
