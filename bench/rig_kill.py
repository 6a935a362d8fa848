"""Kill a run over the rig's web at many instants, start it again, and count what was done twice.

    python bench/rig_kill.py --rig DIR --kills 8

The rig's `fake_web.py` serves searches and pages and logs each request. Every trial starts the
adapter, kills it with SIGKILL after a part of the time that an undisturbed run takes, and starts it
again with the same state. A search or page that was answered before the kill must not be asked for
again; one that was in flight may be.
"""

from __future__ import annotations

import argparse
import collections
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
RECORDED_S = 0.5  # from the server's last byte to our record of it; a page is read in between
QUESTION = (
    "How does SQLite write-ahead logging work, when do checkpoints happen, and what are its limits "
    "compared with the rollback journal?"
)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def serve(rig: Path, log: Path) -> tuple[subprocess.Popen[bytes], str]:
    port = free_port()
    command = [sys.executable, str(rig / "fake_web.py"), "--log", str(log), "--port", str(port)]
    command += ["--page-port", str(free_port())]
    server = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    url = f"http://127.0.0.1:{port}"
    for _ in range(600):
        try:
            with urllib.request.urlopen(f"{url}/_ctl/stats", timeout=2):
                return server, url
        except OSError:
            time.sleep(0.1)
    raise SystemExit("the rig's web did not start")


def start(url: str, folder: Path) -> subprocess.Popen[bytes]:
    command = [str(HERE / "rig_adapter"), QUESTION, str(folder / "report.md"), str(folder)]
    env = os.environ | {"SEARX_URL": url}
    return subprocess.Popen(
        command,
        env=env,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )


def requests(log: Path, since: int) -> list[dict[str, Any]]:
    return [json.loads(line) for line in log.read_text().splitlines()[since:]]


def trial(url: str, log: Path, wait: float) -> tuple[int, int, int, int, str]:
    """Requests answered before the kill and in flight at it, what was made twice, the report."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        begin = len(log.read_text().splitlines())
        run = start(url, folder)
        time.sleep(wait)
        os.killpg(run.pid, signal.SIGKILL)
        at = time.time()
        run.wait()
        time.sleep(1.0)  # the server still writes down what was in flight
        killed = len(log.read_text().splitlines())
        start(url, folder).wait()
        made, after = requests(log, begin)[: killed - begin], requests(log, killed)
        before = [row for row in made if row["ts"] + row.get("dur", 0.0) < at - RECORDED_S]
        searches = _asked(before, "search") & _asked(after, "search")
        pages = _asked(before, "page") & _asked(after, "page")
        report = (folder / "report.md").read_text()
        return len(before), len(made) - len(before), searches.total(), pages.total(), report


def _asked(rows: list[dict[str, Any]], kind: str) -> collections.Counter[object]:
    key = {"search": "q", "page": "id"}[kind]
    return collections.Counter(row.get(key) for row in rows if row.get("kind") == kind)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rig", type=Path, required=True)
    parser.add_argument("--kills", type=int, default=8)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        log = Path(name) / "web.jsonl"
        log.touch()
        server, url = serve(given.rig, log)
        try:
            began = time.monotonic()
            with tempfile.TemporaryDirectory() as folder:
                start(url, Path(folder)).wait()
                undisturbed = (Path(folder) / "report.md").read_text()
            whole = time.monotonic() - began
            for n in range(given.kills):
                wait = whole * (n + 1) / (given.kills + 1)
                done, flying, searches, pages, report = trial(url, log, wait)
                print(
                    f"killed at {wait:.1f} of {whole:.1f} s, {done} requests answered and {flying} "
                    f"in flight: {searches} searches and {pages} pages of the answered ones made "
                    f"again; same report: {report == undisturbed}"
                )
        finally:
            server.terminate()
            server.wait()


if __name__ == "__main__":
    main()
