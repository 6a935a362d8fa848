"""Experiments over the web: a warm-up fills the cache, and no measured run searches again."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from leadline.experiment import conduct, load_spec

SPEC = """
seed = 1
replications = 1
responses = ["searches", "claims", "lost"]
[factor]
setting = "policy"
levels = ["fixed", "saturation"]
[settings]
search_providers = ["searxng"]
searxng_url = "{url}"
url_enrich_count = 0
no_model = true
[[tasks]]
ask = "How deep is the harbour of Fenwick?"
"""


@pytest.fixture
def engine() -> Iterator[tuple[str, list[str]]]:
    """A search engine on loopback, and what it was asked."""
    asked: list[str] = []

    class Engine(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            text = "The harbour of Fenwick is forty metres deep at low tide. " * 40
            hit = {"title": "Fenwick", "url": "https://example.org/fenwick", "content": text}
            body = json.dumps({"results": [hit]}).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            return

    server = ThreadingHTTPServer(("127.0.0.1", 0), Engine)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}", asked
    server.shutdown()
    server.server_close()


@pytest.mark.contract("Z1")
def test_measured_runs_read_the_frozen_cache_and_ask_no_engine(
    engine: tuple[str, list[str]], tmp_path: Path
) -> None:
    url, asked = engine
    path = tmp_path / "web.toml"
    path.write_text(SPEC.format(url=url))
    warm: list[int] = []

    def progress(text: str) -> None:
        if text.startswith("warm-up 2 of 2"):
            warm.append(len(asked))

    done = conduct(load_spec(path), tmp_path / "out", progress=progress)
    assert done.failed == 0, done.rows
    assert warm[0] > 0
    assert len(asked) == warm[0]
    assert all(row.values["searches"] > 0 for row in done.rows), done.rows
