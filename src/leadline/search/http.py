"""Sends a provider's request and says in plain words what went wrong.

It does not retry, cache or limit: it only tells by `retryable` and `retry_after` whether trying
again may help. Redirects are refused, since a key in a header would travel with them.
"""

from __future__ import annotations

import asyncio
import json
from dataclasses import is_dataclass
from datetime import UTC, datetime
from urllib.parse import urlencode, urlsplit

from leadline.errors import UNREADABLE, SourceLost
from leadline.fields.addresses import secrets_in
from leadline.net.asking import (
    Ask,
    Garbled,
    NetError,
    NoAddress,
    NotConnected,
    NotSendable,
    ProxyTrouble,
    TooSlow,
)
from leadline.net.client import Client, Response, Sends
from leadline.net.dialling import ProxyOf, dialling, no_proxy
from leadline.net.retry import retry_after
from leadline.net.tls import trusted
from leadline.search.provider import Provider, Request, Secret, TwoStep
from leadline.search.shapes import complaint
from leadline.types import Hit, Query
from leadline.values import field_names, replace

TIMEOUT_S = 10.0
MAX_BYTES = 5_000_000
_WORTH_ANOTHER_TRY = frozenset({408, 425, 429, 500, 502, 503, 504, 520, 521, 522, 523, 524, 529})


def open_client(
    contact: str = "", timeout_s: float = TIMEOUT_S, proxy_of: ProxyOf = no_proxy
) -> Client:
    """The client that all providers of a run share. Close it with `aclose`."""
    from leadline import __version__

    about = f" ({contact})" if contact else ""
    return Client(
        dialling(trusted(), proxy_of),
        headers={"User-Agent": f"leadline/{__version__}{about}"},
        connect_s=timeout_s,
        silence_s=timeout_s,
        proxy_of=proxy_of,
    )


class HttpSearcher:
    """`ports.Searcher` over any provider."""

    def __init__(
        self,
        provider: Provider,
        client: Sends,
        *,
        timeout_s: float = TIMEOUT_S,
        max_bytes: int = MAX_BYTES,
    ) -> None:
        self.name = provider.name
        self.provider, self._client = provider, client
        self._timeout_s, self._max_bytes = timeout_s, max_bytes

    async def search(self, query: Query, k: int) -> tuple[Hit, ...]:
        try:
            async with asyncio.timeout(self._timeout_s):
                hits = await self._ask(query.text, k)
        except TimeoutError as error:
            raise self._lost(f"no answer within {self._timeout_s:g} s", retryable=True) from error
        return tuple(replace(hit, provider=self.name) for hit in hits[:k])

    async def _ask(self, query: str, k: int) -> tuple[Hit, ...]:
        try:
            body = await self._send(self.provider.request(query, k))
            if isinstance(self.provider, TwoStep):
                second = self.provider.follow(body)
                if second is None:
                    return ()
                body = await self._send(second)
            return self.provider.parse(body)
        except SourceLost as lost:
            if str(lost).startswith(self.name):
                raise
            raise self._lost(self._hushed(str(lost)), lost.retryable, lost.retry_after) from lost
        except UNREADABLE as error:
            said = self._hushed(f"{error!r:.200}")
            raise self._lost(f"an answer of a shape it does not know ({said})") from error

    async def _send(self, request: Request) -> bytes:
        try:
            return await self._exchange(request)
        except TooSlow as error:
            raise self._lost(f"no answer within {self._timeout_s:g} s", retryable=True) from error
        except ProxyTrouble as error:
            raise self._lost(str(error), retryable=True) from error
        except NotConnected as error:
            host = urlsplit(request.url).netloc.rpartition("@")[2]
            raise self._lost(f"cannot connect to {host}", retryable=True) from error
        except NoAddress as error:
            raise self._lost("its address is not a web address") from error
        except NotSendable as error:
            raise self._lost("its key or address has characters that cannot be sent") from error
        except Garbled as error:
            raise self._lost("the answer is not compressed as it says") from error
        except NetError as error:
            raise self._lost("the connection broke off", retryable=True) from error

    async def _exchange(self, request: Request) -> bytes:
        async with self._client.stream(ask_of(request)) as response:
            body = await self._read(response)
            if response.status != 200:
                raise self._refusal(response, body)
            return body

    async def _read(self, response: Response) -> bytes:
        body = bytearray()
        async for piece in response.parts():
            body += piece
            if len(body) > self._max_bytes:
                raise self._lost(f"the answer is larger than {self._max_bytes:,} bytes")
        return bytes(body)

    def _refusal(self, response: Response, body: bytes) -> SourceLost:
        status = response.status
        if status in (401, 403):
            return self._lost(f"refused (HTTP {status}); {self._advice()}")
        if 300 <= status < 400:
            return self._lost(f"moved (HTTP {status}) to {_bare(response)}; set its address so")
        said = self._hushed(_said(body))
        return self._lost(
            f"HTTP {status}{f' ({said})' if said else ''}",
            retryable=status in _WORTH_ANOTHER_TRY,
            retry_after=retry_after(response.headers, datetime.now(UTC)),
        )

    def _advice(self) -> str:
        if advice := getattr(self.provider, "advice", ""):
            return str(advice)
        keys = [name for name, _ in _secrets(self.provider)] or [
            name for name in setting_names(self.provider) if name.endswith("_key")
        ]
        return f"check the key in {' or '.join(keys)}" if keys else "it does not serve this machine"

    def _hushed(self, text: str) -> str:
        return hushed(self.provider, text)

    def _lost(self, why: str, retryable: bool = False, retry_after: float = 0.0) -> SourceLost:
        return SourceLost(f"{self.name}: {why}", retryable=retryable, retry_after=retry_after)


def ask_of(request: Request) -> Ask:
    """What a provider wants, as it goes over the wire."""
    headers, url, body = dict(request.headers), request.url, b""
    if request.params:
        url += ("&" if urlsplit(url).query else "?") + urlencode(dict(request.params))
    if request.json is not None:
        headers.setdefault("Content-Type", "application/json")
        body = json.dumps(request.json, ensure_ascii=False).encode()
    elif request.form is not None:
        headers.setdefault("Content-Type", "application/x-www-form-urlencoded")
        body = urlencode(dict(request.form)).encode()
    return Ask(request.method, url, headers, body)


def setting_names(provider: object) -> tuple[str, ...]:
    """The settings a provider takes, which are its fields."""
    return field_names(type(provider)) if is_dataclass(provider) else ()


def hushed(provider: object, text: str) -> str:
    """Without what only we and the server should know, should it say it back to us."""
    known = [str(getattr(provider, name)) for name in setting_names(provider)]
    hidden = [secret for _, secret in _secrets(provider)]
    hidden += [secret for one in known for secret in secrets_in(one)]
    for secret in sorted(hidden, key=len, reverse=True):
        text = text.replace(str(secret), "…")
    return text


def _secrets(provider: object) -> list[tuple[str, str]]:
    values = ((name, getattr(provider, name)) for name in setting_names(provider))
    return [(name, value) for name, value in values if value and isinstance(value, Secret)]


def _bare(response: Response) -> str:
    try:
        parts = urlsplit(response.headers.get("location", ""))
    except ValueError:  # half an IPv6 address
        return "what is no address"
    return f"{parts.scheme}://{parts.hostname}{parts.path}" if parts.hostname else parts.path


def _said(body: bytes) -> str:
    """What the server's JSON says of the error, if it is JSON and says so."""
    try:
        return complaint(json.loads(body))
    except (ValueError, RecursionError):
        return ""
