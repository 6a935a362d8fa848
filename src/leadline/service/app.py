"""The application: its routes, its errors and its life, over doors that a test may replace."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from typing import Any, NamedTuple

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.routing import Match, Route

from leadline.errors import LeadlineError
from leadline.observe.metrics import Metrics
from leadline.ports import Find
from leadline.service import (
    chat,
    routes_about,
    routes_browse,
    routes_page,
    routes_runs,
    routes_view,
    uploads,
)
from leadline.service.desk import ALL, Desk
from leadline.service.guard import Guard, shaped
from leadline.service.lodger import Lodger
from leadline.service.refusals import Refused, refusal, unfit
from leadline.session import Session, open_session
from leadline.settings import Settings
from leadline.store.keyring import Keyring
from leadline.text.urls import is_loopback

_PARTS = (routes_runs, routes_about, chat, routes_view, routes_browse, routes_page)
ABOUT = "Research whose every sentence is checked against a passage of a source."
_log = logging.getLogger("leadline.service")

OpenFind = Callable[[Settings], AbstractAsyncContextManager[Find]]


class Doors(NamedTuple):
    """How the service reaches the rest of the program."""

    open_session: Callable[[Settings], AbstractAsyncContextManager[Session]]
    prepare: Callable[[Settings], Any]
    open_find: OpenFind


class Service:
    """The ASGI application. `desk` is there while it runs; `stop` ends its streams."""

    def __init__(
        self, settings: Settings, doors: Doors | None = None, lodger: Lodger | None = None
    ) -> None:
        self.settings = settings
        self.keys_needed = needs_keys(settings)
        self.desk: Desk
        self._doors = doors or real_doors()
        self.app = _application(self._life)
        self._lodger = lodger
        self._guard = Guard(self._within, lambda: self.desk, self.keys_needed)

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        within = self._guard if scope["type"] == "http" else self.app
        await within(scope, receive, send)

    async def _within(self, scope: Any, receive: Any, send: Any) -> None:
        lodger = self._lodger if self._lodger and self._lodger.answers(scope) else None
        await (lodger or self.app)(scope, receive, send)

    @asynccontextmanager
    async def _life(self, app: FastAPI) -> AsyncIterator[None]:
        async with AsyncExitStack() as stack:
            session = await stack.enter_async_context(self._doors.open_session(self.settings))
            prepare = self._doors.prepare

            async def made_ready(settings: Settings) -> None:
                await asyncio.to_thread(prepare, settings)

            keyring = Keyring(self.settings.data_dir)
            desk = Desk(session, keyring, Metrics(), made_ready, self._doors.open_find)
            self.desk = app.state.desk = desk
            desk.hidden.guard_log(logging.getLogger("leadline"))
            stack.push_async_callback(desk.close)
            tidying = asyncio.ensure_future(
                uploads.tidying(self.settings, lambda: session.engine.list(ALL))
            )
            stack.callback(tidying.cancel)
            work = session.serve(desk.closing)
            stack.push_async_callback(asyncio.wait, {asyncio.ensure_future(work)})
            stack.push_async_callback(desk.close)  # before what it gives work to is waited for
            if self._lodger is not None:
                await stack.enter_async_context(self._lodger.living(session, desk.closing))
            if self.settings.serve_resume and (taken := await desk.take_up()):
                _log.info("%d runs of the last service are taken up", taken)
            yield

    def stop(self) -> None:
        """From now on nothing is begun, and whoever waits is told. Safe from a signal."""
        desk = getattr(self, "desk", None)
        if desk is not None:
            desk.hang_up()


def needs_keys(settings: Settings) -> bool:
    """Whether nobody may ask without a key."""
    beyond = not is_loopback(settings.serve_host)
    return beyond or bool(settings.serve_hosts) or settings.serve_require_keys


def real_doors() -> Doors:
    """The doors outside tests."""
    from leadline.kit import open_kit, prepare

    @asynccontextmanager
    async def open_find(settings: Settings) -> AsyncIterator[Find]:
        await asyncio.to_thread(prepare, settings)
        async with open_kit(settings) as kit:
            yield kit.find

    def open_runs(settings: Settings) -> AbstractAsyncContextManager[Session]:
        # Over a shared store a run may come from a service on another machine.
        shared = bool(settings.store_url.get_secret_value())
        return open_session(settings, worker=shared, waits=True)

    return Doors(open_runs, _prepared, open_find)


def _prepared(settings: Settings) -> None:
    from leadline.kit import prepare, refuse_empty

    refuse_empty(settings, prepare(settings))


def _application(life: Callable[[FastAPI], AbstractAsyncContextManager[None]]) -> FastAPI:
    from leadline import __version__

    app = FastAPI(
        title="Leadline",
        description=ABOUT,
        version=__version__,
        lifespan=life,
        docs_url=None,
        redoc_url=None,
        openapi_url=None,
        exception_handlers={
            HTTPException: _of_framework,
            RequestValidationError: _of_validation,
            LeadlineError: _of_ours,
            Exception: _unforeseen,
        },
    )
    for part in _PARTS:
        app.include_router(part.router)
    plain = app.openapi

    def openapi() -> dict[str, Any]:
        spec = plain()
        schemes = spec.setdefault("components", {}).setdefault("securitySchemes", {})
        schemes["key"] = {"type": "http", "scheme": "bearer"}
        spec["security"] = [{}, {"key": []}]
        return spec

    app.openapi = openapi  # type: ignore[method-assign]
    return app


# ── errors ──────────────────────────────────────────────────────────────────────────────────


async def _of_ours(request: Request, error: Exception) -> Response:
    assert isinstance(error, LeadlineError)
    return _told(request, refusal(error))


async def _unforeseen(request: Request, error: Exception) -> Response:
    """The guard writes it to the log."""
    return _told(request, Refused(500, "an error that nobody foresaw; the log says more"))


async def _of_validation(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    return _told(request, unfit(error.errors()))


async def _of_framework(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    said = {
        404: "there is nothing at this address; see /docs",
        405: f"{request.method} is not answered here; see /docs",
    }.get(error.status_code, str(error.detail))
    headers = {name.lower(): value for name, value in (error.headers or {}).items()}
    if error.status_code == 405:
        headers["allow"] = ", ".join(sorted(_methods(request)))
    return _told(request, Refused(error.status_code, said), headers)


def _methods(request: Request) -> set[str]:
    """All that an address answers to; the framework names those of one route alone."""
    found: set[str] = set()
    for route in (route for part in _PARTS for route in part.router.routes):
        if isinstance(route, Route) and route.matches(request.scope)[0] is not Match.NONE:
            found |= set(route.methods or ())
    return found


def _told(request: Request, refused: Refused, headers: dict[str, str] | None = None) -> Response:
    import json

    body = json.dumps(shaped(refused, request.url.path)).encode()
    return Response(
        body,
        refused.status,
        media_type="application/json",
        headers={**(headers or {}), **refused.headers()},
    )
