"""The service as a process: it is stopped, it comes back, and no run is lost."""

from __future__ import annotations

import asyncio
import http.server
import json
import os
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx2
import pytest
from service_rig import FakeService, running

from leadline.cli.app import outcome
from leadline.service.told import pieces
from leadline.store.keyring import Keyring

# Which files can be read depends on their bytes, which no schema can tell.
UPLOADS = """
[[operations]]
include-path = "/uploads"
checks.positive_data_acceptance.enabled = false
"""
PATIENCE_S = 120.0  # a machine may be busy
FACT = "The head of finance approves every refund above 500 euros."


@contextmanager
def searxng(hold: threading.Event, asked: threading.Event) -> Iterator[str]:
    """A search server on loopback that answers when it may."""

    class Answer(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.set()
            hold.wait(600)
            hits = [
                {"url": f"https://example.org/{n}", "title": f"Refunds {n}", "content": FACT}
                for n in range(3)
            ]
            body = json.dumps({"results": hits}).encode()
            try:
                self.send_response(200)
                self.send_header("content-type", "application/json")
                self.end_headers()
                self.wfile.write(body)
            except OSError:
                return

        def log_message(self, format: str, *args: object) -> None:
            return

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Answer)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        hold.set()
        server.shutdown()
        thread.join()


@contextmanager
def serving(folder: Path, **env: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """`leadline serve` in a process of its own, and where it listens."""
    process = subprocess.Popen(
        [sys.executable, "-m", "leadline", "serve", "--port", "0"],
        cwd=folder,
        env={**os.environ, "RESEARCH_DATA_DIR": str(folder / "data"), **env},
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stderr is not None
    try:
        line = process.stderr.readline()
        found = re.search(r"http://\S+", line)
        assert found, line + process.stderr.read()
        yield process, found[0]
    finally:
        if process.poll() is None:
            process.kill()
        process.wait(PATIENCE_S)


def calling(url: str) -> httpx2.Client:
    return httpx2.Client(base_url=url, timeout=PATIENCE_S)


@pytest.mark.slow
@pytest.mark.contract("H1", "R9")
def test_a_stopped_service_leaves_its_runs_and_takes_them_up_again(tmp_path: Path) -> None:
    hold, asked = threading.Event(), threading.Event()
    with searxng(hold, asked) as address:
        env = {
            "RESEARCH_SEARXNG_URL": address,
            "RESEARCH_SEARCH_PROVIDERS": "searxng",
            "RESEARCH_SEARCH_TIMEOUT_S": "120",
            "RESEARCH_URL_ENRICH_COUNT": "0",
        }
        body = {"task": "Who approves a refund above 500 euros?", "async": True}
        with serving(tmp_path, **env) as (process, url), calling(url) as client:
            run_id = client.post("/run", json=body).json()["run_id"]
            assert asked.wait(PATIENCE_S)
            with client.stream("GET", f"/runs/{run_id}/events") as events:
                process.send_signal(signal.SIGTERM)
                assert "event: closing" in list(events.iter_lines())
            assert process.wait(PATIENCE_S) == 0
        hold.set()
        with serving(tmp_path, **env) as (process, url), calling(url) as client:
            with client.stream("GET", f"/runs/{run_id}/events") as events:
                assert "event: done" in list(events.iter_lines())
            run = client.get(f"/runs/{run_id}").json()
            assert run["run"]["status"] == "finished"
            assert run["searches"][0]["hits"]
            plans = [step for step in run["steps"] if step["name"] == "plan"]
            assert len(plans) == 1


@pytest.mark.slow
@pytest.mark.contract("H4")
def test_the_command_refuses_to_serve_everybody_without_a_key(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "leadline", "serve", "--host", "0.0.0.0", "--port", "0"],
        cwd=tmp_path,
        env={**os.environ, "RESEARCH_DATA_DIR": str(tmp_path / "data")},
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )
    assert done.returncode == 2
    assert "leadline keys create" in done.stderr


@pytest.mark.slow
@pytest.mark.contract("H1")
def test_schemathesis_finds_nothing(tmp_path: Path) -> None:
    (tmp_path / "schemathesis.toml").write_text(UPLOADS)
    with running(tmp_path / "data", FakeService()) as served:
        command = Path(sys.executable).with_name("schemathesis")
        done = subprocess.run(
            [
                command,
                "run",
                f"{served.url}/openapi.json",
                "--max-examples=10",
                "--seed=1",
                "--no-color",
                "--suppress-health-check=too_slow",  # of making data, on a busy machine
            ],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=1800,
            check=False,
        )
    assert done.returncode == 0, done.stdout[-6000:]


@pytest.mark.contract("H4")
def test_keys_are_made_listed_and_revoked_on_the_command_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    where = ["--data-dir", str(tmp_path)]
    assert outcome(["keys", "create", "--owner", "anna", "--runs-per-day", "5", *where]) == 0
    secret = capsys.readouterr().out.strip()
    found = Keyring(tmp_path).check(secret)
    assert found is not None
    assert (found.owner, found.runs_per_day) == ("anna", 5)
    assert outcome(["keys", "list", "--json", *where]) == 0
    told = capsys.readouterr().out
    assert json.loads(told)[0]["owner"] == "anna"
    assert secret.split("_", 2)[2] not in told
    assert outcome(["keys", "revoke", found.id, *where]) == 0
    assert Keyring(tmp_path).check(secret) is None
    assert outcome(["keys", "revoke", "nothing", *where]) == 2
    assert outcome(["keys", "create", "--owner", "a b", *where]) == 2
    assert "letters, digits" in capsys.readouterr().err


@pytest.mark.contract("H1", "R9")
def test_runs_of_a_service_before_are_taken_up_and_those_of_others_are_not(tmp_path: Path) -> None:
    fake = FakeService(holds=True)
    with running(tmp_path, fake) as served:
        run_id = served.job()
        with served.client.stream("GET", f"/runs/{run_id}/events") as events:
            lines = events.iter_lines()
            assert any('"step":"search"' in line for line in lines)  # it is held after this
    others = asyncio.run(_left_by_another(fake))
    fake.holds = False
    with running(tmp_path, fake) as served:
        assert served.events(run_id)[-1].name == "done"
        assert served.client.get(f"/runs/{others}").json()["run"]["status"] == "interrupted"


async def _left_by_another(fake: FakeService) -> str:
    from leadline.fakes.run import MemoryEngine

    engine = MemoryEngine(fake.body, store=fake.store)
    await engine.start("of the command line", {}, "by-hand")
    await engine.close()
    return "by-hand"


def test_pieces_joined_are_the_text() -> None:
    for text in ("", "one", "a\n\nb", "\n\n\nx\n\n", "long " * 1000 + "\n\n" + "b\n\n" * 2000):
        assert "".join(pieces(text)) == text
    assert max(map(len, pieces("short\n\n" * 1000))) <= 1200
