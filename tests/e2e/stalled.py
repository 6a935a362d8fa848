"""A worker of many machines that a test stops and wakes again; each step is marked on disk."""

from __future__ import annotations

import asyncio
import os
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from leadline.ports import Run
from leadline.store.engine import DurableEngine
from many_machines import Machines

STEPS = 12
HELD_AT = 5  # the first worker stays in this step until it is let go


def mark(side: Path, text: str) -> None:
    handle = os.open(side, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    os.write(handle, f"{text}\n".encode())
    os.close(handle)


def let_go(folder: Path) -> None:
    """The first worker may end the step that it is held in."""
    (folder / "go").touch()


def engine(machines: Machines, folder: Path, name: str) -> DurableEngine:
    """An engine whose runs write down who began and who ended each step."""

    async def body(run: Run, _: dict[str, Any]) -> dict[str, str]:
        async def work(number: int) -> str:
            mark(folder / "side.txt", f"begin {number} {name}")
            await asyncio.sleep(0.25)
            # Another process lets it go.
            while name == "first" and number == HELD_AT and not (folder / "go").exists():  # noqa: ASYNC110
                await asyncio.sleep(0.02)
            mark(folder / "side.txt", f"end {number} {name}")
            return f"{number} by {name}"

        said = [await run.step("work", work, number) for number in range(STEPS)]
        return {"said": "; ".join(said), "stop_reason": "sufficient"}

    made: DurableEngine = machines.engine(folder, body)
    return made


def live(machines: Machines, folder: Path, name: str, tell: Connection) -> None:
    """Work until told to stop."""

    async def scene() -> None:
        async with engine(machines, folder, name) as one:
            stop = asyncio.Event()
            loop = asyncio.get_running_loop()
            loop.add_reader(tell.fileno(), stop.set)
            tell.send("working")
            await one.work(2, stop)

    asyncio.run(scene())
