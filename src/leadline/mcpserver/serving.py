"""Runs the server over stdio or HTTP until the client leaves or it is told to stop."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from types import FrameType
from typing import Any

import uvicorn

from leadline.errors import BadInput
from leadline.mcpserver.desk import Desk, open_desk
from leadline.mcpserver.door import Door, names, needs_keys, refuse_open_door
from leadline.mcpserver.server import ResearchServer
from leadline.service.listening import bound
from leadline.session import Session
from leadline.settings import Settings
from leadline.store.keyring import Keyring

PATH = "/mcp"
Told = Callable[[str], None]


def serve_stdio(settings: Settings) -> None:
    """Serve the client at the other end of stdin and stdout until it hangs up.

    The protocol has stdout to itself: whatever else is written there goes to stderr.
    """
    _refuse_missing(settings)
    _stand_nowhere(settings.data_dir / "service")
    _quiet(settings)

    if code := asyncio.run(_talk(settings)):
        logging.shutdown()
        os._exit(code)  # a thread of the library reads stdin and can be woken by nothing else


async def _talk(settings: Settings) -> int:
    """Serve until the client hangs up (0) or a signal comes (the code to exit with)."""
    told: asyncio.Future[int] = asyncio.get_running_loop().create_future()

    def stop(sign: int) -> None:
        if not told.done():
            told.set_result(128 + sign)

    if sys.platform != "win32":  # there the process just ends
        for sign in (signal.SIGINT, signal.SIGTERM):
            asyncio.get_running_loop().add_signal_handler(sign, stop, sign)
    async with open_desk(settings) as desk:
        serving = asyncio.create_task(ResearchServer(desk).run_stdio_async())
        either: set[asyncio.Future[Any]] = {serving, told}
        await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
        desk.closing = told.done()
        if not told.done():
            await serving
    return told.result() if told.done() else 0


def serve_http(settings: Settings, host: str, port: int, told: Told) -> None:
    """Serve HTTP until a signal; every run is left so that it can be resumed."""
    _refuse_missing(settings)
    refuse_open_door(settings, host)
    _stand_nowhere(settings.data_dir / "service")
    _quiet(settings)

    socket = bound(host, port)

    async def whole() -> None:
        async with open_desk(settings) as desk:
            await HttpServer(desk, host, told).serve([socket])

    with socket:
        asyncio.run(whole())


def application(desk: Desk, host: str) -> Door:
    """The ASGI application that speaks MCP at `PATH`."""
    settings = desk.settings
    inner = ResearchServer(desk).streamable_http_app(
        streamable_http_path=PATH,
        max_request_body_size=settings.serve_max_body_kb * 1024,
        transport_security=names(settings, host),
        host=host,
    )
    return Door(inner, Keyring(settings.data_dir), needs_keys(settings, host))


@asynccontextmanager
async def lodging(session: Session, host: str, closing: asyncio.Event) -> AsyncIterator[Door]:
    """The same application over the session of a service, whose queue its runs go through."""
    async with AsyncExitStack() as stack:
        desk = Desk(session, stack, queued=True)
        door = application(desk, host)
        stopping = asyncio.create_task(_close(desk, closing))
        stack.callback(stopping.cancel)
        async with door.living():
            yield door


async def _close(desk: Desk, closing: asyncio.Event) -> None:
    await closing.wait()
    desk.closing = True


class HttpServer(uvicorn.Server):
    """Says where it listens; once told to stop, runs are left and not cancelled."""

    def __init__(self, desk: Desk, host: str, told: Told) -> None:
        config = uvicorn.Config(
            application(desk, host),
            http="h11",
            ws="none",
            log_config=None,
            access_log=False,
            server_header=False,
            proxy_headers=False,
            timeout_graceful_shutdown=max(1, round(desk.settings.serve_grace_s)),
        )
        super().__init__(config)
        self._desk, self._told = desk, told

    async def startup(self, sockets: Any = None) -> None:
        await super().startup(sockets)
        for listener in self.servers:
            for socket in listener.sockets:
                host, port = socket.getsockname()[:2]
                self._told(f"http://{f'[{host}]' if ':' in host else host}:{port}{PATH}")

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Not as the library does, which sends the signal again before the session is closed."""
        self.force_exit = self.should_exit and sig == signal.SIGINT  # asked twice
        self.should_exit = True
        self._desk.closing = True


def _refuse_missing(settings: Settings) -> None:
    """What is not there is told at once; what is in it is read when it is asked for."""
    for docs in settings.docs:
        if not docs.exists():
            raise BadInput(f"there is no folder or file {docs}; name one with --docs PATH")


def _quiet(settings: Settings) -> None:
    """The library's log goes where ours goes, without our keys, and not to the terminal."""
    from leadline.hidden import Hidden

    ours, theirs = logging.getLogger("leadline"), logging.getLogger("mcp")
    Hidden(settings).guard_log(ours)
    theirs.handlers[:] = ours.handlers
    theirs.propagate = False
    if not logging.getLogger().handlers:
        logging.getLogger().addHandler(logging.NullHandler())  # or the library sets up its own


def _stand_nowhere(folder: Path) -> None:
    """A question may name images of the current folder: a server's must hold nothing."""
    folder.mkdir(parents=True, exist_ok=True)
    os.chdir(folder)
