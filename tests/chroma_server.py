"""A ChromaDB server of one's own for tests, in a temporary folder, on a loopback port."""

from __future__ import annotations

import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from held_port import HeldPort

_PATIENCE_S = 120.0


@contextmanager
def chroma_server() -> Iterator[str]:
    """Its address, while it runs."""
    program = Path(sys.executable).with_name("chroma")
    folder = tempfile.mkdtemp(prefix="leadline-chroma-")
    held = HeldPort()
    port = held.number
    server = subprocess.Popen(
        [program, "run", "--path", folder, "--host", "127.0.0.1", "--port", str(port)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        _wait(server, port)
        yield f"http://127.0.0.1:{port}"
    finally:
        server.kill()
        server.wait()
        held.give_up()
        shutil.rmtree(folder, ignore_errors=True)


def _wait(server: subprocess.Popen[bytes], port: int) -> None:
    until = time.monotonic() + _PATIENCE_S
    while time.monotonic() < until:
        assert server.poll() is None, "the ChromaDB server ended by itself"
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
        except OSError:
            time.sleep(0.05)
        else:
            return
    raise AssertionError("the ChromaDB server does not answer")
