"""What a worker tells whoever watches it: `/ready` and `/metrics`, from a thread of its own."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

from leadline.errors import BadInput, LeadlineError
from leadline.queueing import Queue

PATIENCE_S = 10.0


@contextmanager
def answering(engine: Queue, port: int) -> Iterator[None]:
    """Answer on that port while the block goes on; for the loop that runs the engine."""
    from prometheus_client import CollectorRegistry, Gauge, generate_latest

    loop = asyncio.get_running_loop()
    registry = CollectorRegistry()
    running = Gauge("runs_in_progress", "Runs that are carried out", registry=registry)
    running.set_function(lambda: len(engine.going))

    class Answer(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            status, body = 404, b"/ready, /metrics\n"
            if self.path == "/metrics":
                status, body = 200, generate_latest(registry)
            elif self.path == "/ready":
                future = asyncio.run_coroutine_threadsafe(_missing(engine), loop)
                missing = future.result(PATIENCE_S)
                status, body = (503, missing.encode()) if missing else (200, b"ready\n")
            self.send_response(status)
            self.send_header("content-type", "text/plain; version=0.0.4; charset=utf-8")
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            """Not a line for each look."""

    try:
        server = ThreadingHTTPServer(("", port), Answer)
    except OSError as error:
        raise BadInput(f"cannot listen on port {port}: {error.strerror}") from error
    with server:
        Thread(target=server.serve_forever, name="probe", daemon=True).start()
        try:
            yield
        finally:
            server.shutdown()


async def _missing(engine: Queue) -> str:
    """What a worker needs and does not have, or ""."""
    try:
        await engine.list(1)
    except LeadlineError as error:
        return str(error)
    return await engine.fault()
