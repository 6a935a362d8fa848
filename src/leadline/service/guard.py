"""The door in front of every route: size, host, origin, key, headers, and the last catch.

Plain ASGI, so that event streams pass through it untouched.
"""

from __future__ import annotations

import asyncio
import json
import logging
import time
from collections.abc import Awaitable, Callable, MutableMapping
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from leadline.errors import LeadlineError
from leadline.hidden import Hidden
from leadline.service.desk import LOCAL, Caller
from leadline.service.refusals import Refused, refusal
from leadline.text.urls import is_loopback

if TYPE_CHECKING:
    from leadline.service.desk import Desk

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[MutableMapping[str, Any], Receive, Send], Awaitable[None]]

HEAD_BYTES = 32_768
_HEADERS = {
    b"x-content-type-options": b"nosniff",
    b"x-frame-options": b"DENY",
    b"referrer-policy": b"no-referrer",
    b"cross-origin-opener-policy": b"same-origin",
    b"cross-origin-resource-policy": b"same-origin",
    b"content-security-policy": b"default-src 'none'; frame-ancestors 'none'",
    b"cache-control": b"no-store",
}
_log = logging.getLogger("leadline.service")


def is_page(path: str) -> bool:
    """Whether an address is one of the page's own files, which hold nothing of anybody's."""
    return path == "/" or path.startswith("/page/")


class Guard:
    """Wraps the application. `keys_needed`: nobody gets in without one."""

    def __init__(self, app: App, desk: Callable[[], Desk], keys_needed: bool) -> None:
        self._app, self._desk, self._keys_needed = app, desk, keys_needed

    async def __call__(self, scope: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        answer = _Answer(scope, send, self._desk().hidden)
        try:
            _check_head(scope)
            self._admit(scope)
            receive = _measured(scope, receive, self._most(answer.path))
            await self._app(scope, receive, answer)
        except LeadlineError as error:
            await self._refuse(answer, refusal(error))
        except (OSError, asyncio.CancelledError):
            raise  # the client or the machine has gone
        except Exception:  # noqa: BLE001 - the last door: the caller gets an answer, the log the rest
            _log.exception("an error nobody foresaw at %s", answer.path)
            await self._refuse(answer, Refused(500, "an error that nobody foresaw"))
        finally:
            self._desk().metrics.request(
                str(scope["method"])[:10], _route(scope), answer.status, answer.seconds
            )

    def _admit(self, scope: MutableMapping[str, Any]) -> None:
        """Say who asks. The files of the page are open to all: it must come before its key."""
        headers = _headers(scope)
        self._check_host(headers)
        state = scope.setdefault("state", {})
        if not is_page(str(scope.get("path", ""))):
            state["caller"] = self._caller(headers)

    def _most(self, path: str) -> int:
        settings = self._desk().settings
        upload = int(settings.serve_max_upload_mb * 1_000_000)
        return upload if path == "/uploads" else settings.serve_max_body_kb * 1024

    def _caller(self, headers: dict[str, str]) -> Caller:
        given = _key(headers)
        # Clients that must send some key send any; on loopback only one of ours is looked at.
        if given and (self._keys_needed or given.startswith("ll_")):
            key = self._desk().keyring.check(given)
            if key is None:
                raise Refused(401, "that key is not known here or was revoked")
            return Caller(key.owner, key)
        if self._keys_needed:
            raise Refused(401, "a key is needed: Authorization: Bearer ll_…")
        return LOCAL

    def _check_host(self, headers: dict[str, str]) -> None:
        """Against pages that have a browser ask us: by another name, or from another origin."""
        host = _name(headers.get("host", ""))
        settings = self._desk().settings
        known = {settings.serve_host.lower(), *map(str.lower, settings.serve_hosts)}
        anywhere = not is_loopback(settings.serve_host) and not settings.serve_hosts
        if not anywhere and host not in known and not is_loopback(host):
            raise Refused(403, "this service is not known by that name; see serve_hosts")
        origin = headers.get("origin", "")
        if origin and _authority(origin) != headers.get("host", "").lower():
            raise Refused(403, "requests from pages of other origins are not answered")

    async def _refuse(self, answer: _Answer, refused: Refused) -> None:
        if answer.begun:
            return
        body = json.dumps(shaped(refused, answer.path)).encode()
        headers = {"content-type": "application/json", **refused.headers()}
        raw = [(name.encode(), value.encode()) for name, value in headers.items()]
        raw.append((b"content-length", str(len(body)).encode()))
        await answer({"type": "http.response.start", "status": refused.status, "headers": raw})
        await answer({"type": "http.response.body", "body": body})


def shaped(refused: Refused, path: str) -> dict[str, Any]:
    """`ErrorResponse`; under `/v1` with what clients of that interface look for beside it."""
    body = refused.body()
    if path.startswith("/v1/"):
        code = "model_not_found" if refused.type == "model_not_found" else None
        body["error"] = {
            "message": refused.message,
            "type": body["type"],
            "param": None,
            "code": code,
        }
    return body


class _Answer:
    """Sends, with our headers on every answer and no key of ours in any; knows what was sent."""

    def __init__(self, scope: MutableMapping[str, Any], send: Send, hidden: Hidden) -> None:
        self._send, self._hidden = send, hidden
        self._began = time.perf_counter()
        self.path = str(scope.get("path", ""))
        self.begun, self.status, self.seconds = False, 0, 0.0

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.begun, self.status = True, message["status"]
            self.seconds = time.perf_counter() - self._began
            given = {name.lower() for name, _ in message.get("headers", ())}
            more = [(name, value) for name, value in _HEADERS.items() if name not in given]
            message["headers"] = [*message.get("headers", ()), *more]
        elif message.get("body"):
            message["body"] = self._hidden(bytes(message["body"]))
        await self._send(message)


def _measured(scope: MutableMapping[str, Any], receive: Receive, most: int) -> Receive:
    """Reads no more of a body than is allowed, whatever its length is said to be."""
    too_large = Refused(413, f"the request has more than {most // 1024} kB")
    length = _headers(scope).get("content-length", "0")
    if not length.isascii() or not length.isdigit():
        raise Refused(400, "the content-length is no number")
    if int(length[:20]) > most:
        raise too_large
    had = 0

    async def measured() -> Message:
        nonlocal had
        message = await receive()
        had += len(message.get("body", b""))
        if had > most:
            from starlette.exceptions import HTTPException

            raise HTTPException(413, too_large.message)  # the framework passes this one on
        return message

    return measured


def _check_head(scope: MutableMapping[str, Any]) -> None:
    if sum(len(name) + len(value) for name, value in scope["headers"]) > HEAD_BYTES:
        raise Refused(431, f"the head of the request has more than {HEAD_BYTES // 1024} kB")


def _headers(scope: MutableMapping[str, Any]) -> dict[str, str]:
    return {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}


def _key(headers: dict[str, str]) -> str:
    scheme, _, given = headers.get("authorization", "").partition(" ")
    if scheme.lower() == "bearer":
        return given.strip()
    return headers.get("x-api-key", "").strip()


def _name(host: str) -> str:
    """A host header without its port."""
    host = host.strip().lower()
    if host.startswith("["):
        return host.partition("]")[0] + "]"
    return host.partition(":")[0]


def _authority(origin: str) -> str:
    try:
        return urlsplit(origin).netloc.lower() or origin
    except ValueError:
        return origin


def _route(scope: MutableMapping[str, Any]) -> str:
    route = scope.get("route")
    return str(getattr(route, "path", "none"))
