"""A model, a search engine, pages and a collector of traces on one loopback port, for tests.

The model can be made to fail as real ones do: it says the caller's key, or what it was asked, in
its error.
"""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Literal
from urllib.parse import parse_qs, urlsplit

Mood = Literal["well", "echo", "hold"]
FACTS = (
    "The harbour of Port7 is 17 metres deep at low tide and was dredged in the year 1807.",
    "The lighthouse of Port7 was built in 1807 and its keepers recorded 17 storms.",
    "Every winter the pilots of Port7 guide 17 ships past the reef, as the log of 1807 shows.",
)
QUESTION = "How deep is the harbour of Port7?"


@dataclass
class World:
    """How it behaves, and what it was sent."""

    mood: Mood = "well"
    let_go: threading.Event = field(default_factory=threading.Event)
    held: threading.Event = field(default_factory=threading.Event)
    heads: list[dict[str, str]] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)
    traces: list[bytes] = field(default_factory=list)


def settings(base: str) -> dict[str, str]:
    """What a process needs in its environment to live in this world."""
    return {
        "RESEARCH_NO_MODEL": "0",
        "RESEARCH_MODEL": "openai:sim",
        "RESEARCH_OPENAI_BASE_URL": f"{base}/v1",
        "RESEARCH_SEARCH_PROVIDERS": "searxng",
        "RESEARCH_SEARXNG_URL": base,
        "RESEARCH_FETCH_ALLOW_HOSTS": base.removeprefix("http://"),
        "RESEARCH_FETCH_ROBOTS": "0",
        "RESEARCH_URL_ENRICH_COUNT": "1",
        "RESEARCH_TIER": "simple",
    }


def said(request: dict[str, Any]) -> str:
    prompt = request["messages"][-1]["content"]
    if "response_format" in request:
        schema = request["response_format"]["json_schema"]["schema"]["properties"]
        if "search_queries" in schema:
            words = ("Port7 harbour depth", "Port7 lighthouse storms")
            queries = [{"query": word, "intent": word} for word in words]
            return json.dumps({"search_queries": queries, "wanted_items": 0})
        return json.dumps({"sufficient": True, "confidence": 0.9, "gaps": [], "new_queries": []})
    found = re.findall(r"^\[(\d+)\]\n\n(.+)$", prompt, re.MULTILINE)
    lines = [f"{text.split('. ')[0].strip().rstrip('.')}. [{number}]" for number, text in found]
    return "\n".join(lines[:6]) or "Nothing is known."


def _talk(world: World) -> type[BaseHTTPRequestHandler]:  # noqa: C901 - one small method a route
    class Talk(BaseHTTPRequestHandler):
        def log_message(self, *_: Any) -> None: ...

        def do_GET(self) -> None:
            world.heads.append({name.lower(): value for name, value in self.headers.items()})
            address = urlsplit(self.path)
            if address.path.endswith("/search"):
                query = parse_qs(address.query)["q"][0]
                world.asked.append(query)
                if world.mood == "echo":
                    self._send(self._echo(query), status=403)
                    return
                base = f"http://{self.headers['Host']}"
                hits = [
                    {"url": f"{base}/page/{n}", "title": f"Port7, part {n}", "content": fact}
                    for n, fact in enumerate(FACTS)
                ]
                self._send(json.dumps({"results": hits}))
            elif address.path.startswith("/page/"):
                text = "".join(f"<p>{fact} It is told in the annals.</p>" for fact in FACTS)
                page = f"<html><title>Port7</title><body><article>{text}</article></body></html>"
                self._send(page, "text/html")
            else:
                self._send(json.dumps({"data": [{"id": "sim", "max_model_len": 32_000}]}))

        def do_POST(self) -> None:
            world.heads.append({name.lower(): value for name, value in self.headers.items()})
            body = self.rfile.read(int(self.headers["Content-Length"]))
            if self.path.endswith("/v1/traces"):
                world.traces.append(body)
                self._send("", "application/x-protobuf")
                return
            if world.mood == "hold":
                world.held.set()
                world.let_go.wait(600)
            if world.mood == "echo":
                self._send(self._echo(body.decode()[:2000]), status=401)
                return
            request = json.loads(body)
            text, usage = said(request), {"prompt_tokens": 120, "completion_tokens": 30}
            if request.get("stream"):
                parts: list[dict[str, Any]] = [
                    {"choices": [{"delta": {"content": text}, "finish_reason": None}]},
                    {"choices": [{"delta": {}, "finish_reason": "stop"}]},
                    {"choices": [], "usage": usage},
                ]
                lines = "".join(f"data: {json.dumps(part)}\n\n" for part in parts)
                self._send(f"{lines}data: [DONE]\n\n", "text/event-stream")
                return
            choice = {"message": {"content": text}, "finish_reason": "stop"}
            self._send(json.dumps({"model": "sim", "choices": [choice], "usage": usage}))

        def _echo(self, asked: str) -> str:
            """Tells everything it was sent, headers and address too."""
            heads = "; ".join(f"{name}: {value}" for name, value in self.headers.items())
            why = f"Incorrect API key provided. You sent {self.path} {heads} {asked}"
            return json.dumps({"error": {"message": why, "type": "invalid_request_error"}})

        def _send(self, text: str, kind: str = "application/json", status: int = 200) -> None:
            data = text.encode()
            try:
                self.send_response(status)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)
            except OSError:
                self.close_connection = True  # whoever asked was stopped

    return Talk


@contextmanager
def leaky_world() -> Iterator[tuple[World, str]]:
    """The world and its address while the block lasts."""

    class Server(ThreadingHTTPServer):
        daemon_threads = True

        def handle_error(self, *_: Any) -> None:
            """Clients are stopped in the middle here."""

    world = World()
    server = Server(("127.0.0.1", 0), _talk(world))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield world, f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        world.let_go.set()
        server.shutdown()
        server.server_close()
