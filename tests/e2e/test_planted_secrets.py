"""Keys are planted wherever one may stand; then everything that runs leave behind is searched."""

from __future__ import annotations

import io
import os
import re
import sqlite3
import subprocess
import sys
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import closing, contextmanager, nullcontext
from pathlib import Path
from typing import Any

import httpx2
import pytest

from leaky_world import QUESTION, World, leaky_world, settings
from many_machines import servers

MODEL_KEY = "sk-planted-model-0123456789abcdef"
SEARCH_WORD = "planted-search-password-7f3a"
SEARCH_TOKEN = "planted-url-token-91c2"
COLLECTOR = "planted-collector-header-55d0"
FORMATS = ("md", "html", "pdf", "docx", "json", "bib", "ris", "csl.json")


class Left:
    """Everything that came out of a service, by where it was found."""

    def __init__(self) -> None:
        self.found: list[tuple[str, bytes]] = []

    def add(self, where: str, data: bytes) -> None:
        self.found.append((where, data))
        if data[:2] == b"PK":
            with zipfile.ZipFile(io.BytesIO(data)) as packed:
                for name in packed.namelist():
                    self.add(f"{where}!{name}", packed.read(name))
        for start in (0, *(at.start() for at in re.finditer(rb"stream\r?\n", data))):
            try:
                plain = zlib.decompressobj().decompress(data[start:].removeprefix(b"stream\n"))
            except zlib.error:
                continue
            if plain:
                self.found.append((f"{where}, unpacked", plain))

    def folder(self, folder: Path) -> None:
        for path in sorted(folder.rglob("*")):
            if not path.is_file():
                continue
            data = path.read_bytes()
            self.add(str(path.relative_to(folder)), data)
            if data.startswith(b"SQLite format 3"):
                self._rows(path)

    def _rows(self, path: Path) -> None:
        """Cell by cell: a long one lies in pieces in the file, a packed one packed."""
        with closing(sqlite3.connect(path)) as db:
            tables = db.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
            for (table,) in tables:
                self.rows(f"{path.name}:{table}", db.execute(f'SELECT * FROM "{table}"'))

    def rows(self, where: str, rows: Any) -> None:
        for row in rows:
            for cell in row:
                if isinstance(cell, str | bytes):
                    self.add(where, cell.encode() if isinstance(cell, str) else cell)

    def with_any(self, *secrets: str) -> list[tuple[str, str]]:
        return [
            (where, secret)
            for where, data in self.found
            for secret in secrets
            if secret.encode() in data
        ]


@contextmanager
def serving(env: dict[str, str], left: Left) -> Iterator[str]:
    """`leadline serve`; all that it prints is kept."""
    process = subprocess.Popen(
        [sys.executable, "-m", "leadline", "serve", "--port", "0"],
        env=os.environ | env,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stderr is not None
    first = process.stderr.readline()
    found = re.search(rb"http://\S+", first)
    assert found, first + process.stderr.read()
    try:
        yield found[0].decode()
    finally:
        process.terminate()
        out, err = process.communicate(timeout=120)
        left.add("stdout", out)
        left.add("stderr", first + err)


def _three_runs(client: httpx2.Client, world: World, left: Left) -> None:
    """One that ends, one whose model and engine fail by saying what they were sent, one cancelled.

    Each is looked at by every route that tells of it.
    """

    def keep(answer: httpx2.Response) -> httpx2.Response:
        left.add(f"{answer.request.method} {answer.request.url.path}", answer.content)
        left.add("headers", str(answer.headers).encode())
        return answer

    ended = keep(client.post("/run", json={"task": f"{QUESTION} My key is {MODEL_KEY}."}))
    assert ended.status_code == 200, ended.text
    assert ended.json()["found"]
    world.mood = "echo"
    lost = keep(client.post("/run", json={"task": "Who keeps the lighthouse of Port9?"}))
    assert not lost.json().get("found")
    world.mood = "hold"
    begun = keep(client.post("/run", json={"task": "Which reef is at Port8?", "async": True}))
    assert world.held.wait(120)
    stopped = begun.json()["run_id"]
    assert keep(client.delete(f"/runs/{stopped}")).status_code == 200
    world.let_go.set()
    runs = keep(client.get("/runs")).json()["runs"]
    assert {run["status"] for run in runs} >= {"finished", "cancelled"}
    for run in runs:
        address = f"/runs/{run['id']}"
        for path in ("", "/events", "/file.leadline", *(f"/report.{one}" for one in FORMATS)):
            keep(client.get(address + path))
    for path in ("/health", "/ready", "/metrics", "/openapi.json", "/v1/models", "/search?q=Port7"):
        keep(client.get(path))
    keep(client.get("/runs", headers={"Authorization": f"Bearer {MODEL_KEY}"}))
    keep(client.post("/run", json={"task": MODEL_KEY, "no_such_setting": MODEL_KEY}))
    keep(client.post("/run", content=f"{{{MODEL_KEY}", headers={"Content-Type": "x"}))
    keep(client.get(f"/runs/{MODEL_KEY}"))


def _told_by(env: dict[str, str], *arguments: str) -> bytes:
    done = subprocess.run(
        [sys.executable, "-m", "leadline", *arguments],
        env=os.environ | env,
        capture_output=True,
        check=False,
        timeout=300,
    )
    return done.stdout + done.stderr


@contextmanager
def _worker(env: dict[str, str]) -> Iterator[None]:
    """Who carries the runs out, where the service does not."""
    command = [sys.executable, "-m", "leadline", "worker", "--slots", "3"]
    process = subprocess.Popen(command, env=os.environ | env, stderr=subprocess.DEVNULL)
    try:
        yield
    finally:
        process.terminate()
        process.wait()


def _searched(folder: Path, store: str = "", engine: str = "") -> tuple[Left, tuple[str, ...]]:
    left = Left()
    with leaky_world() as (world, base):
        env = settings(base) | {
            "RESEARCH_DATA_DIR": str(folder),
            "RESEARCH_OPENAI_API_KEY": MODEL_KEY,
            "RESEARCH_SEARXNG_URL": base.replace("//", f"//planted:{SEARCH_WORD}@"),
            "RESEARCH_OPENAI_BASE_URL": f"{base}/v1?token={SEARCH_TOKEN}",
            "RESEARCH_OTEL_ENDPOINT": base,
            "RESEARCH_OTEL_HEADERS": f"x-key={COLLECTOR}",
            "RESEARCH_OTEL_CONTENT": "1",
            "RESEARCH_SERVE_REQUIRE_KEYS": "1",
            "RESEARCH_LOG_LEVEL": "debug",
            "RESEARCH_STORE_URL": store,
            "RESEARCH_ENGINE_URL": engine,
        }
        made = _told_by(env, "keys", "create", "--owner", "anna")
        key = re.search(rb"ll_[0-9a-f]{8}_[A-Za-z0-9_-]{43}", made)
        assert key, made
        own = key[0].decode()
        with (
            _worker(env) if engine else nullcontext(),
            serving(env, left) as url,
            httpx2.Client(
                base_url=url, headers={"Authorization": f"Bearer {own}"}, timeout=300
            ) as client,
        ):
            _three_runs(client, world, left)
        for parcel in world.traces:
            left.add("trace", parcel)
        sent = str(world.heads)
        assert MODEL_KEY in sent
        assert COLLECTOR in sent
        assert world.traces
        for told in (("runs", "list"), ("runs", "stats"), ("doctor",), ("keys", "list")):
            left.add(" ".join(told), _told_by(env, *told))
    left.folder(folder)
    return left, (MODEL_KEY, SEARCH_WORD, SEARCH_TOKEN, COLLECTOR, own, own.split("_", 2)[2])


@pytest.mark.slow
@pytest.mark.contract("X2", "H4")
def test_no_planted_key_is_left_anywhere_by_ended_failed_and_cancelled_runs(
    tmp_path: Path,
) -> None:
    left, secrets = _searched(tmp_path)
    names = {where for where, _ in left.found}
    assert {"runs.jsonl", "runs.db:steps", "calls.db", "logs/leadline.log"} <= names
    assert "Port7" in str(left.found)
    assert left.with_any(*secrets) == []


@pytest.mark.slow
@pytest.mark.contract("X2", "H5")
def test_no_planted_key_is_left_in_postgresql_or_temporal_either(tmp_path: Path) -> None:
    psycopg = pytest.importorskip("psycopg")
    there = tmp_path / "servers"
    there.mkdir()
    with servers(there) as both:
        machines = both.machines()
        plain = machines.url
        with psycopg.connect(plain, autocommit=True) as db:
            db.execute("CREATE ROLE planted LOGIN SUPERUSER PASSWORD 'planted-store-password-3e'")
        with_word = re.sub(r"//([^@/]*@)?", "//planted:planted-store-password-3e@", plain, count=1)
        left, secrets = _searched(tmp_path / "data", with_word, machines.engine_url)
        with psycopg.connect(plain) as db:
            tables = db.execute(
                "SELECT tablename FROM pg_tables WHERE schemaname = 'leadline'"
            ).fetchall()
            for (table,) in tables:
                left.rows(f"postgres:{table}", db.execute(f'SELECT * FROM leadline."{table}"'))
        for file in there.glob("temporal.db*"):
            left.add(file.name, file.read_bytes())
    assert any(where == "postgres:steps" for where, _ in left.found)
    assert any(where == "temporal.db" for where, _ in left.found)
    assert left.with_any("planted-store-password-3e", *secrets) == []
