"""Runs the service on a socket until it is told to stop."""

from __future__ import annotations

import asyncio
import ipaddress
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

import uvicorn

from leadline.errors import BadInput
from leadline.service.app import Service
from leadline.service.guard import HEAD_BYTES
from leadline.service.listening import BACKLOG, bound
from leadline.service.lodger import Lodger
from leadline.settings import Settings
from leadline.store.keyring import Keyring
from leadline.store.locks import FileLock

KEEP_ALIVE_S = 30


def refuse_open_door(settings: Settings, keys_needed: bool) -> None:
    """Beyond loopback nobody may ask without a key, so there must be one."""
    if keys_needed and not Keyring(settings.data_dir).any_valid():
        raise BadInput(
            f"the service would be reached from elsewhere ({settings.serve_host}) and there is no "
            "key; make one first: leadline keys create --owner NAME"
        )


def serve(settings: Settings, told: Callable[[str], None], lodger: Lodger | None = None) -> None:
    """Serve until a signal; every run is left so that it can be resumed."""
    service = Service(settings, lodger=lodger)
    refuse_open_door(settings, service.keys_needed)
    with _alone(settings), bound(settings.serve_host, settings.serve_port) as socket:
        _stand_nowhere(settings.data_dir / "service")
        asyncio.run(_Server(config_of(service, settings), service, told).serve([socket]))


@contextmanager
def _alone(settings: Settings) -> Iterator[None]:
    """One service carries out the runs of a data folder; several need somebody who hands out."""
    lock = FileLock(settings.data_dir.absolute() / "serve.lock")
    if not settings.engine_url and not lock.take():
        raise BadInput(
            f"another leadline serve carries out the runs in {settings.data_dir}; give this one "
            "another data_dir, or set store_url and engine_url and start workers: docs/scale.md"
        )
    try:
        yield
    finally:
        lock.free()


def config_of(service: Service, settings: Settings) -> uvicorn.Config:
    """How the service is served: no banner, no access log, small heads, no trust in proxies."""
    return uvicorn.Config(
        service,
        host=settings.serve_host,
        port=settings.serve_port,
        http="h11",  # it has a limit on the head of a request
        ws="none",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        timeout_keep_alive=KEEP_ALIVE_S,
        timeout_graceful_shutdown=max(1, round(settings.serve_grace_s)),
        backlog=BACKLOG,
        h11_max_incomplete_event_size=HEAD_BYTES,
    )


class _Server(uvicorn.Server):
    """Says where it listens, and hangs up on streams as soon as it is told to stop."""

    def __init__(
        self, config: uvicorn.Config, service: Service, told: Callable[[str], None]
    ) -> None:
        super().__init__(config)
        self._service, self._told = service, told
        self._loop: asyncio.AbstractEventLoop | None = None

    async def startup(self, sockets: Any = None) -> None:
        self._loop = asyncio.get_running_loop()
        await super().startup(sockets)
        for listener in self.servers:
            for socket in listener.sockets:
                self._told(_address(socket.getsockname()))

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        if self.should_exit and sig == signal.SIGINT:
            self.force_exit = True  # asked twice
        self.should_exit = True
        if self._loop is not None:
            self._loop.call_soon_threadsafe(self._service.stop)


def _address(name: tuple[Any, ...]) -> str:
    host, port = str(name[0]), name[1]
    wide = ipaddress.ip_address(host).version == 6
    return f"http://[{host}]:{port}" if wide else f"http://{host}:{port}"


def _stand_nowhere(folder: Path) -> None:
    """A question may name images of the current folder: a service's must hold nothing."""
    import os

    folder.mkdir(parents=True, exist_ok=True)
    os.chdir(folder)
