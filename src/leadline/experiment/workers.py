"""The processes that runs are made in: each takes one at a time, and a dead one is replaced."""

from __future__ import annotations

import asyncio
import contextlib
import json
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from leadline.experiment.spec import Task

_LINE = 64 * 1024 * 1024


@dataclass(frozen=True)
class Outcome:
    """What a run gave: figures, or why there are none."""

    values: Mapping[str, float]
    run_id: str = ""
    why: str = ""


class Carries(Protocol):
    """Whatever can make runs; one at a time."""

    async def run(
        self, task: Task, settings: Mapping[str, Any], responses: tuple[str, ...]
    ) -> Outcome: ...

    async def close(self) -> None: ...


class Worker:
    """A process of its own that makes runs; `limit_s` is how long one may take."""

    def __init__(self, data_dir: Path, config: Path | None, limit_s: float) -> None:
        self._data_dir, self._config, self._limit_s = data_dir, config, limit_s
        self._process: asyncio.subprocess.Process | None = None

    async def run(
        self, task: Task, settings: Mapping[str, Any], responses: tuple[str, ...]
    ) -> Outcome:
        request = {
            "task": task.ask,
            "gold": task.gold,
            "settings": {**settings, "data_dir": str(self._data_dir)},
            "responses": responses,
            "config": str(self._config) if self._config else "",
        }
        line = json.dumps(request, default=str).encode() + b"\n"
        try:
            answer = await asyncio.wait_for(self._exchange(line), self._limit_s)
        except TimeoutError:
            await self.close()
            return Outcome({}, why=f"it did not end within {self._limit_s:g} s")
        if not answer:
            code = await self._ended()
            return Outcome({}, why=f"the process of the run ended with code {code}")
        told = json.loads(answer)
        return Outcome(told.get("values", {}), told.get("run_id", ""), told.get("why", ""))

    async def close(self) -> None:
        """End the process, whatever it is at: its run can be made again."""
        if self._process is not None and self._process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                self._process.kill()
        await self._ended()

    async def _exchange(self, line: bytes) -> bytes:
        if self._process is None:
            self._process = await asyncio.create_subprocess_exec(
                sys.executable,
                "-m",
                "leadline.experiment.carry",
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.DEVNULL,
                limit=_LINE,
                start_new_session=True,  # Ctrl-C is for us: we end it
            )
        process = self._process
        if process.stdin is None or process.stdout is None:
            return b""
        try:
            process.stdin.write(line)
            await process.stdin.drain()
        except (BrokenPipeError, ConnectionResetError):
            return b""
        return await process.stdout.readline()

    async def _ended(self) -> int | None:
        process, self._process = self._process, None
        return await process.wait() if process is not None else None
