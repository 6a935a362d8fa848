"""What a worker of the crew runs: jobs from one pipe, results into the other, until it closes."""

from __future__ import annotations

import signal
import sys
from multiprocessing.connection import Connection

from leadline.documents.ingest import take_in


def work(jobs: Connection, answers: Connection) -> None:
    embedder = jobs.recv()
    while True:
        answers.send(take_in(jobs.recv(), embedder))


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the owner decides what an interrupt means
    try:
        work(Connection(int(sys.argv[1])), Connection(int(sys.argv[2])))
    except (EOFError, BrokenPipeError, ConnectionResetError):
        sys.exit(0)
