"""A small world for measuring workers: a model, a search engine and pages on one loopback port.

Every request is logged with its time, so that what was asked twice can be counted afterwards. The
model's answers carry the number of the call as their prompt's tokens, which the kept call shows.
"""

from __future__ import annotations

import hashlib
import json
import re
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

FACTS = (
    "The harbour of {0} is {1} metres deep at low tide and was dredged in the year {2}.",
    "The lighthouse of {0} was built in {2} and its keepers recorded {1} storms.",
    "Every winter the pilots of {0} guide {1} ships past the reef, as the log of {2} shows.",
)


UNSURE = 0.6  # above this share of its calls an unsteady model wants to know more


@dataclass
class Seen:
    """One request: what kind, what it was about, when it came and which number it has."""

    kind: str
    key: str
    at: float
    number: int


@dataclass
class World:
    """What was asked, and how long each answer takes."""

    model_s: float = 0.3
    web_s: float = 0.1
    letters: bool = False  # tokens of a prompt by its length, and not the number of the call
    jitter: float = 0.0  # share by which a model is slower or faster, and its mind unsteady
    seen: list[Seen] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def note(self, kind: str, key: str) -> int:
        with self.lock:
            self.seen.append(Seen(kind, key, time.time(), len(self.seen) + 1))
            return len(self.seen)


def place_in(text: str) -> str:
    found = re.search(r"Port-?(\d+)", text)
    return f"Port{found.group(1)}" if found else "Port0"


def facts(place: str) -> list[str]:
    number = int(place.removeprefix("Port"))
    return [fact.format(place, 10 + number, 1800 + number) for fact in FACTS]


def _chance(body: bytes) -> float:
    """A number from 0 to 1 that the same request always has."""
    return int(hashlib.sha256(body).hexdigest()[:8], 16) / 0xFFFFFFFF


def said(request: dict[str, Any], unsure: bool = False) -> str:
    """JSON by the schema, or prose that quotes each source it was shown."""
    prompt = request["messages"][-1]["content"]
    place = place_in(prompt)
    if "response_format" in request:
        schema = request["response_format"]["json_schema"]["schema"]["properties"]
        if "search_queries" in schema:
            words = ("harbour depth", "lighthouse storms")
            queries = [{"query": f"{place} {word}", "intent": word} for word in words]
            return json.dumps({"search_queries": queries, "wanted_items": 0})
        more = [{"query": f"{place} annals {len(prompt)}", "intent": "more"}] if unsure else []
        told = {"sufficient": not unsure, "confidence": 0.9, "gaps": [], "new_queries": more}
        return json.dumps(told)
    lines = []
    for number, text in re.findall(r"^\[(\d+)\]\n\n(.+)$", prompt, re.MULTILINE):
        lines.append(f"{text.split('. ')[0].strip().rstrip('.')}. [{number}]")
    return "\n".join(lines[:6]) or "Nothing is known."


def _talk(world: World) -> type[BaseHTTPRequestHandler]:  # noqa: C901 - one small method a route
    class Talk(BaseHTTPRequestHandler):
        def log_message(self, *_: Any) -> None:
            pass

        def do_GET(self) -> None:
            address = urlsplit(self.path)
            if address.path == "/search":
                self._search(parse_qs(address.query)["q"][0])
            elif address.path.startswith("/page/"):
                self._page(address.path)
            elif address.path == "/v1/models":
                self._send(json.dumps({"data": [{"id": "sim", "max_model_len": 32_000}]}))
            else:
                self.send_error(404)

        def _search(self, query: str) -> None:
            world.note("search", query)
            time.sleep(world.web_s)
            place, base = place_in(query), f"http://{self.headers['Host']}"
            results = [
                {
                    "url": f"{base}/page/{place}/{number}",
                    "title": f"{place}, part {number}",
                    "content": fact,
                }
                for number, fact in enumerate(facts(place))
            ]
            self._send(json.dumps({"results": results}))

        def _page(self, path: str) -> None:
            world.note("page", path)
            time.sleep(world.web_s)
            place = place_in(path)
            text = "".join(f"<p>{fact} It is told in the annals.</p>" for fact in facts(place))
            page = f"<html><title>{place}</title><body><article>{text}</article></body></html>"
            self._send(page, "text/html")

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            number = world.note("model", hashlib.sha256(body).hexdigest())
            request = json.loads(body)
            luck = _chance(body)
            time.sleep(world.model_s * (1 + world.jitter * (2 * luck - 1)))
            text = said(request, unsure=world.jitter > 0 and luck > UNSURE)
            tokens = len(body) // 4 if world.letters else number
            usage = {"prompt_tokens": tokens, "completion_tokens": len(text) // 4}
            if request.get("stream"):
                self._stream(text, usage)
                return
            choice = {"message": {"content": text}, "finish_reason": "stop"}
            self._send(json.dumps({"model": "sim", "choices": [choice], "usage": usage}))

        def _stream(self, text: str, usage: dict[str, int]) -> None:
            parts: list[dict[str, Any]] = [
                {"choices": [{"delta": {"content": text}, "finish_reason": None}]},
                {"choices": [{"delta": {}, "finish_reason": "stop"}]},
                {"choices": [], "usage": usage},
            ]
            lines = "".join(f"data: {json.dumps(part)}\n\n" for part in parts)
            self._send(f"{lines}data: [DONE]\n\n", "text/event-stream")

        def _send(self, text: str, kind: str = "application/json") -> None:
            data = text.encode()
            try:
                self.send_response(200)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)
            except OSError:
                self.close_connection = True  # whoever asked was killed

    return Talk


@contextmanager
def open_world(world: World) -> Iterator[str]:
    """The address of the world while the block lasts."""

    class Server(ThreadingHTTPServer):
        daemon_threads = True
        request_queue_size = 256

        def handle_error(self, *_: Any) -> None:
            """Clients are killed here."""

    server = Server(("127.0.0.1", 0), _talk(world))
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()
