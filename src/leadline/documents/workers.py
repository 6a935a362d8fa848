"""The crew: processes that take files in at the same time, and whom a bad file may kill.

Started as programs of their own, not forked or spawned by multiprocessing, since the caller may
have threads and a main module that must not run twice.
"""

from __future__ import annotations

import fcntl
import os
import pickle
import subprocess
import sys
from collections import deque
from collections.abc import Generator, Iterable
from contextlib import ExitStack, suppress
from dataclasses import replace
from multiprocessing.connection import Connection
from typing import TYPE_CHECKING

from leadline.documents.ingest import Job, Taken, lost, take_in

if TYPE_CHECKING:
    from leadline.ports import Embedder

_AHEAD = 2  # jobs a worker has in hand
_MOST = 6  # workers
_ROOM = 1 << 20  # bytes of an answer that wait in the pipe
_BIG = 4_000_000  # bytes below which starting workers costs more than it saves


def hands_for(size: int) -> int:
    """How many workers are worth starting for `size` bytes of files; 0 means none."""
    cores = os.cpu_count() or 1
    return min(cores, _MOST) if cores > 1 and size >= _BIG else 0


def taken_in(
    jobs: Iterable[Job], embedder: Embedder | None, hands: int
) -> Generator[list[Taken], None, None]:
    """The results of the jobs in their order; by this process when there are no hands."""
    if not hands:
        for job in jobs:
            yield take_in(job, embedder)
        return
    with ExitStack() as stack:
        crew = [stack.enter_context(Worker(embedder)) for _ in range(hands)]
        waiting: deque[tuple[Worker, Job]] = deque()
        for number, job in enumerate(jobs):
            if len(waiting) >= hands * _AHEAD:
                yield _result(*waiting.popleft())
            worker = crew[number % hands]
            worker.send(job)
            waiting.append((worker, job))
        while waiting:
            yield _result(*waiting.popleft())


def _result(worker: Worker, job: Job) -> list[Taken]:
    """The worker's answer. Where it died, its files one by one, to find the one that kills."""
    found = worker.answer()
    if found is not None:
        return found
    behind = worker.restart()
    alone = []
    for file in job.files:
        worker.send(replace(job, files=(file,)))
        single = worker.answer()
        if single is None:
            worker.restart()
            single = [Taken(file[0], lost(file[0], "the reader crashed on it"))]
        alone += single
    for later in behind[1:]:
        worker.send(later)
    return alone


class Worker:
    """A process that takes jobs in order. Dies with its owner, whose end of the pipe closes."""

    def __init__(self, embedder: Embedder | None) -> None:
        self._embedder = embedder
        self._sent: deque[Job] = deque()

    def __enter__(self) -> Worker:
        self._start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop()

    def send(self, job: Job) -> None:
        self._sent.append(job)
        try:
            self._jobs.send(job)
        except OSError:
            return  # it died; `answer` finds out

    def answer(self) -> list[Taken] | None:
        """The result of the oldest job; None when the process is gone."""
        try:
            found: list[Taken] = self._answers.recv()
        except (EOFError, OSError, pickle.UnpicklingError):
            return None
        self._sent.popleft()
        return found

    def restart(self) -> list[Job]:
        """A new process in place of a dead one; returns the jobs that were not answered."""
        self._stop()
        left = list(self._sent)
        self._sent.clear()
        self._start()
        return left

    def _start(self) -> None:
        theirs_in, ours_out = os.pipe()
        ours_in, theirs_out = os.pipe()
        program = [sys.executable, "-m", "leadline.documents.worker"]
        self._process = subprocess.Popen(  # noqa: S603 - our own module
            [*program, str(theirs_in), str(theirs_out)],
            pass_fds=(theirs_in, theirs_out),
            stdin=subprocess.DEVNULL,
        )
        os.close(theirs_in)
        os.close(theirs_out)
        _widen(ours_in)
        self._jobs = Connection(ours_out, readable=False)
        self._answers = Connection(ours_in, writable=False)
        try:
            self._jobs.send(self._embedder)
        except OSError:
            return

    def _stop(self) -> None:
        self._jobs.close()
        self._answers.close()
        self._process.terminate()
        self._process.wait()


def _widen(pipe: int) -> None:
    """Room for a whole answer, so that a worker goes on before it is taken; Linux only."""
    if hasattr(fcntl, "F_SETPIPE_SZ"):
        with suppress(OSError):  # a system may allow less
            fcntl.fcntl(pipe, fcntl.F_SETPIPE_SZ, _ROOM)
