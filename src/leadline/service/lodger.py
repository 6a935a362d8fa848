"""Another application under a path of the service's own, opened when somebody first asks for it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, MutableMapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any

from leadline.session import Session

App = Callable[[MutableMapping[str, Any], Any, Any], Awaitable[None]]
Open = Callable[[Session, asyncio.Event], AbstractAsyncContextManager[App]]
"""Opens the application over our session; the event is set when the service is told to stop."""


class Lodger:
    """Answers what is asked at `path`. It lives in a task of its own, as some must."""

    def __init__(self, path: str, opening: Open) -> None:
        self._path, self._opening = path, opening
        self._wanted, self._over = asyncio.Event(), asyncio.Event()
        self._app: asyncio.Future[App]
        self._life: asyncio.Task[None]

    def answers(self, scope: MutableMapping[str, Any]) -> bool:
        path = str(scope.get("path", ""))
        return path == self._path or path.startswith(f"{self._path}/")

    async def __call__(self, scope: MutableMapping[str, Any], receive: Any, send: Any) -> None:
        self._wanted.set()
        ends: set[asyncio.Future[Any]] = {self._app, self._life}
        await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
        if not self._app.done():
            self._life.result()  # it could not be opened: whoever asks is told why
        app = await asyncio.shield(self._app)
        await app(scope, receive, send)

    @asynccontextmanager
    async def living(self, session: Session, closing: asyncio.Event) -> AsyncIterator[None]:
        """While the service does."""
        self._app = asyncio.get_running_loop().create_future()
        self._life = asyncio.create_task(self._live(session, closing))
        try:
            yield
        finally:
            self._wanted.set()
            self._over.set()
            await asyncio.wait({self._life})

    async def _live(self, session: Session, closing: asyncio.Event) -> None:
        await self._wanted.wait()
        if self._over.is_set():
            self._app.cancel()
            return
        async with self._opening(session, closing) as app:
            self._app.set_result(app)
            await self._over.wait()
