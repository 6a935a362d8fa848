"""A pass-through to a model's endpoint that keeps every prompt and reply, whoever asks."""

from __future__ import annotations

import http.client
import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import urlsplit

_WAIT_S = 3600


@contextmanager
def logged(endpoint: str) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """The address to ask instead of `endpoint`, and the calls as they come: each the request, the
    reply and its seconds."""
    calls: list[dict[str, Any]] = []
    place = urlsplit(endpoint)

    class Pass(BaseHTTPRequestHandler):
        def log_message(self, *_: Any) -> None:
            pass

        def do_GET(self) -> None:
            self._passed(None)

        def do_POST(self) -> None:
            self._passed(self.rfile.read(int(self.headers.get("Content-Length", 0))))

        def _passed(self, body: bytes | None) -> None:
            since = time.monotonic()
            kind = http.client.HTTPSConnection if place.scheme == "https" else _Plain
            link = kind(place.netloc, timeout=_WAIT_S)
            headers = {"Content-Type": "application/json"}
            if key := self.headers.get("Authorization"):
                headers["Authorization"] = key
            link.request(self.command, place.path + self.path, body, headers)
            reply = link.getresponse()
            data = reply.read()
            link.close()
            if body is not None:
                seconds = round(time.monotonic() - since, 1)
                calls.append({"request": _loaded(body), "reply": _loaded(data), "seconds": seconds})
            self.send_response(reply.status)
            self.send_header("Content-Type", reply.headers.get("Content-Type", ""))
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

    server = ThreadingHTTPServer(("127.0.0.1", 0), Pass)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}", calls
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


_Plain = http.client.HTTPConnection


def _loaded(data: bytes) -> Any:
    try:
        return json.loads(data)
    except ValueError:
        return data.decode("utf-8", "replace")
