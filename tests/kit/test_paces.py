"""Runs of one process ask a provider together no more than it allows."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from leadline.kit import open_kit
from leadline.settings import Settings
from leadline.types import Query

TEXT = "The harbour was dredged in 1931 and is twelve metres deep at low tide. " + " ".join(
    f"In {year} the pilots guided {year - 1700} ships past the reef." for year in range(1850, 1890)
)


class Engine:
    """A SearXNG that counts how many ask it at the same time; each waits for its fellows."""

    def __init__(self, wanted: int) -> None:
        self.most = self.now = self.asked = 0
        self.lock = threading.Lock()
        self.full = threading.Barrier(wanted)


@contextmanager
def engine(wanted: int) -> Iterator[tuple[Engine, str]]:
    state = Engine(wanted)

    class Talk(BaseHTTPRequestHandler):
        def log_message(self, *_: object) -> None: ...

        def do_GET(self) -> None:
            with state.lock:
                state.now += 1
                state.asked += 1
                state.most = max(state.most, state.now)
            state.full.wait(30)  # breaks with an error where fewer come than are allowed
            query = parse_qs(urlsplit(self.path).query)["q"][0]
            hits = [{"url": f"https://example.org/{query}", "title": query, "content": TEXT}]
            data = json.dumps({"results": hits}).encode()
            with state.lock:
                state.now -= 1
            self.send_response(200)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

    server = ThreadingHTTPServer(("127.0.0.1", 0), Talk)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield state, f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()


def _settings(base: str, folder: Path, **more: Any) -> Settings:
    return Settings(
        data_dir=folder,
        no_model=True,
        search_providers=("searxng",),
        searxng_url=base,
        cache=False,
        memory=False,
        **more,
    )


async def _ten_runs(settings: Settings) -> None:
    async def one(number: int) -> None:
        async with open_kit(settings) as kit:
            batch = await kit.find(Query(f"query-{number}"), 5)
            assert not batch.error
            assert len(batch.hits) == 1

    await asyncio.gather(*(one(number) for number in range(10)))


@pytest.mark.contract("S7", "H5")
def test_ten_runs_at_the_same_time_respect_one_providers_limit(tmp_path: Path) -> None:
    with engine(2) as (state, base):
        asyncio.run(_ten_runs(_settings(base, tmp_path, search_concurrency=2)))
    assert (state.asked, state.most) == (10, 2)


@pytest.mark.contract("S7")
def test_a_server_of_ones_own_may_be_asked_by_all_runs_at_once(tmp_path: Path) -> None:
    given = _settings(base="", folder=tmp_path, search_concurrency=10, search_per_second=1000)
    with engine(10) as (state, base):
        asyncio.run(_ten_runs(given.but(searxng_url=base)))
    assert state.most == 10
