"""Reads fetched files in worker processes, a few at a time, each within its time.

A worker that hangs or dies costs the page it was at and is replaced. Workers are started when they
are needed, or ahead of time with `warm`, and are kept.
"""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any

from leadline.errors import SourceLost
from leadline.types import Page

COMMAND = (sys.executable, "-P", "-m", "leadline.read.worker")
SLICE = 1 << 18
MANY = 6  # pages under way at which another process is worth its memory
PATIENCE_S = 2.0  # or the time that one has waited, behind a page that takes long


class WorkerPool:
    """One worker process, up to `size` when many wait, or one waits `patience_s`; `limit_s` is
    what an answer may take."""

    def __init__(
        self, size: int, limit_s: float, command: Sequence[str], patience_s: float = PATIENCE_S
    ) -> None:
        self._limit_s, self._patience_s = limit_s, patience_s
        self._command = tuple(command)
        self._places = asyncio.Semaphore(1)
        self._size, self._grown, self._here = size, 1, 0
        self._threads = ThreadPoolExecutor(size, thread_name_prefix="reader")
        self._idle: list[_Worker] = []

    def warm(self) -> None:
        """Start a worker now, so that nobody waits for it later."""
        if not self._idle and not self._here:
            self._idle.append(_Worker(self._command))
            self._threads.submit(self._idle[-1].start)

    async def ask(self, head: dict[str, Any], data: bytes) -> tuple[dict[str, Any], bytes]:
        """What a worker answers. Raises `SourceLost` when it cannot, or not in time."""
        self._here += 1
        if self._here >= MANY:
            self._grow()
        tired = asyncio.get_running_loop().call_later(self._patience_s, self._grow)
        try:
            async with self._places:
                tired.cancel()
                worker = self._idle.pop() if self._idle else _Worker(self._command)
                about, answer = await self._ask(worker, head, data)
        finally:
            tired.cancel()
            self._here -= 1
        if "lost" in about:
            raise SourceLost(about["lost"])
        return about, answer

    def _grow(self) -> None:
        if self._grown < self._size:
            self._grown += 1
            self._places.release()

    async def _ask(
        self, worker: _Worker, head: dict[str, Any], data: bytes
    ) -> tuple[dict[str, Any], bytes]:
        loop = asyncio.get_running_loop()
        whole = False
        try:
            async with asyncio.timeout(self._limit_s):
                answer = await loop.run_in_executor(self._threads, worker.ask, head, data)
            whole = True
        except TimeoutError as error:
            raise SourceLost(f"reading it took longer than {self._limit_s:g} s") from error
        except (OSError, EOFError) as error:
            raise SourceLost("the page broke its reader") from error
        finally:
            if whole:
                self._idle.append(worker)
            else:
                worker.kill()
                self._threads.submit(worker.close)
        return answer

    async def aclose(self) -> None:
        """Let the workers end."""
        loop = asyncio.get_running_loop()
        idle, self._idle = self._idle, []
        await asyncio.gather(
            *(loop.run_in_executor(self._threads, worker.close) for worker in idle)
        )
        self._threads.shutdown(wait=False)


class ReaderPool(WorkerPool):
    """Reads pages."""

    def __init__(
        self,
        size: int = 2,
        limit_s: float = 20.0,
        command: Sequence[str] = COMMAND,
        patience_s: float = PATIENCE_S,
    ) -> None:
        super().__init__(size, limit_s, command, patience_s)

    async def read(self, data: bytes, url: str, content_type: str) -> Page:
        """The page in `data`. Raises `SourceLost` when it cannot be read, or not in time."""
        about, text = await self.ask({"url": url, "type": content_type}, data)
        return Page(url, about["title"], text.decode(), "web", about["author"], about["date"])


class _Worker:
    """One worker process. `ask` blocks, so it belongs in a thread; `kill` makes it return."""

    def __init__(self, command: Sequence[str]) -> None:
        self._command = command
        self._process: subprocess.Popen[bytes] | None = None
        self._starting = threading.Lock()
        self._ready = self._ended = False

    def start(self) -> subprocess.Popen[bytes]:
        """The process, started when first needed; it takes milliseconds, so not in the loop."""
        with self._starting:
            if self._ended:
                raise EOFError("the reader was ended")
            if self._process is None:
                self._process = subprocess.Popen(  # noqa: S603 - our own interpreter and module
                    self._command,
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.DEVNULL,
                )
            return self._process

    def ask(self, head: dict[str, Any], data: bytes) -> tuple[dict[str, Any], bytes]:
        try:
            return self._ask(head, data)
        except (OSError, EOFError):
            self.close()
            raise

    def _ask(self, head: dict[str, Any], data: bytes) -> tuple[dict[str, Any], bytes]:
        process = self.start()
        to, back = process.stdin, process.stdout
        assert to is not None
        assert back is not None
        if not self._ready:
            self._ready = bool(back.readline())
        to.write(json.dumps(head | {"size": len(data)}).encode() + b"\n")
        for start in range(0, len(data), SLICE):
            to.write(data[start : start + SLICE])
        to.flush()
        line = back.readline()
        if not line:
            raise EOFError("the reader ended")
        about = json.loads(line)
        text = back.read(about["size"])
        if len(text) != about["size"]:
            raise EOFError("the reader ended")
        return about, text

    def kill(self) -> None:
        with self._starting:
            self._ended = True
            if self._process is not None:
                self._process.kill()

    def close(self) -> None:
        """End the process and let go of it."""
        with self._starting:
            self._ended = True
        if self._process is None:
            return
        for pipe in (self._process.stdin, self._process.stdout):
            assert pipe is not None
            with suppress(BrokenPipeError):  # it died with something left to write
                pipe.close()
        self._process.wait()
