"""The door of the HTTP transport: who may ask, by key, and by which names it is asked for."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, MutableMapping
from contextlib import AbstractAsyncContextManager
from typing import Any

from mcp.server.transport_security import TransportSecuritySettings
from starlette.applications import Starlette

from leadline.errors import BadInput
from leadline.mcpserver.access import LOCAL, Caller
from leadline.settings import Settings
from leadline.store.keyring import Keyring
from leadline.text.urls import is_loopback

Scope = MutableMapping[str, Any]
Send = Callable[[Scope], Awaitable[None]]


def needs_keys(settings: Settings, host: str) -> bool:
    """Whether nobody may ask without a key."""
    return not is_loopback(host) or bool(settings.serve_hosts) or settings.serve_require_keys


def refuse_open_door(settings: Settings, host: str) -> None:
    """Beyond loopback nobody may ask without a key, so there must be one."""
    if needs_keys(settings, host) and not Keyring(settings.data_dir).any_valid():
        raise BadInput(
            f"the server would be reached from elsewhere ({host}) and there is no key; "
            "make one first: leadline keys create --owner NAME"
        )


def names(settings: Settings, host: str) -> TransportSecuritySettings:
    """By which names it answers: a page that a browser shows may have it asked by another."""
    if not is_loopback(host) and not settings.serve_hosts:
        return TransportSecuritySettings(enable_dns_rebinding_protection=False)
    own = f"[{host}]" if ":" in host and not host.startswith("[") else host
    known = list(dict.fromkeys(("127.0.0.1", "localhost", "[::1]", own, *settings.serve_hosts)))
    hosts = [form for name in known for form in (name, f"{name}:*")]
    origins = [f"{way}://{name}" for way in ("http", "https") for name in hosts]
    return TransportSecuritySettings(allowed_hosts=hosts, allowed_origins=origins)


class Door:
    """Wraps the application; lets in who has a key, or anyone where none is needed."""

    def __init__(self, app: Starlette, keyring: Keyring, keys_needed: bool) -> None:
        self._app, self._keyring, self._keys_needed = app, keyring, keys_needed

    def living(self) -> AbstractAsyncContextManager[Any]:
        """The life of what is wrapped, for who does not send it through the protocol."""
        return self._app.router.lifespan_context(self._app)

    async def __call__(self, scope: Scope, receive: Any, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        caller = self._caller(_key(scope))
        if isinstance(caller, str):
            await _refuse(send, caller)
            return
        scope.setdefault("state", {})["caller"] = caller
        await self._app(scope, receive, send)

    def _caller(self, given: str) -> Caller | str:
        """Who it is, or why they are not let in."""
        # Clients that must send some key send any; on loopback only one of ours is looked at.
        if given and (self._keys_needed or given.startswith("ll_")):
            key = self._keyring.check(given)
            return Caller(key) if key else "that key is not known here or was revoked"
        return "a key is needed: Authorization: Bearer ll_…" if self._keys_needed else LOCAL


def _key(scope: Scope) -> str:
    headers: dict[str, str] = {
        name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]
    }
    scheme, _, given = headers.get("authorization", "").partition(" ")
    if scheme.lower() == "bearer":
        return given.strip()
    return headers.get("x-api-key", "").strip()


async def _refuse(send: Send, why: str) -> None:
    body = json.dumps({"type": "unauthorized", "message": why, "retryable": False}).encode()
    headers = [
        (b"content-type", b"application/json"),
        (b"content-length", str(len(body)).encode()),
        (b"www-authenticate", b"Bearer"),
        (b"cache-control", b"no-store"),
    ]
    await send({"type": "http.response.start", "status": 401, "headers": headers})
    await send({"type": "http.response.body", "body": body})
