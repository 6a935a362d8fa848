"""Sends a dialect's requests and says in plain words what went wrong.

It does not retry or count money. The one thing it learns is what an endpoint refuses: a schema, a
temperature, the name of a limit. It then asks again without, and remembers.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

import httpx2

from leadline.errors import ModelTrouble, ReasonerFailed
from leadline.models.refusal import Refused, said_in, trouble, unwanted
from leadline.models.wire import NO_KEY, Dialect, Feature, Reply, Request, Secret
from leadline.text.tokens import PLAIN_CHARS_PER_TOKEN
from leadline.types import Ask, Completion

MAX_BYTES = 20_000_000


@dataclass(frozen=True)
class Endpoint:
    """Where a model is and what it can hold. `label` is what the user called it."""

    label: str
    base_url: str
    window: int
    timeout_s: float = 120.0
    key: Secret = NO_KEY
    chars_per_token: float = PLAIN_CHARS_PER_TOKEN


class HttpModel:
    """`ports.Model` over any dialect."""

    def __init__(
        self,
        endpoint: Endpoint,
        dialect: Dialect,
        client: httpx2.AsyncClient,
        without: frozenset[Feature] = frozenset(),
    ) -> None:
        self.endpoint, self._dialect, self._client = endpoint, dialect, client
        self._without = without

    @property
    def name(self) -> str:
        return self.endpoint.label

    @property
    def window(self) -> int:
        return self.endpoint.window

    @property
    def chars_per_token(self) -> float:
        return self.endpoint.chars_per_token

    @property
    def without(self) -> frozenset[Feature]:
        """What is left out of requests: told at the start, or learnt from a refusal."""
        return self._without

    async def complete(self, ask: Ask) -> Completion:
        try:
            async with asyncio.timeout(self.endpoint.timeout_s):
                return self._completion(await self._adapting(ask))
        except TimeoutError as error:
            raise self._timeout() from error

    async def stream(self, ask: Ask) -> AsyncGenerator[str | Completion, None]:
        whole = Reply()
        deadline = asyncio.get_running_loop().time() + self.endpoint.timeout_s
        events = self._events(ask)
        try:
            while True:
                async with asyncio.timeout_at(deadline):
                    piece = await anext(events, None)
                if piece is None:
                    break
                whole = _joined(whole, piece)
                if piece.text:
                    yield piece.text
        except TimeoutError as error:
            raise self._timeout() from error
        finally:
            await events.aclose()
        yield self._completion(whole)

    def _timeout(self) -> ReasonerFailed:
        return self._failed(
            f"no answer within {self.endpoint.timeout_s:g} s", "timeout", retryable=True
        )

    def _completion(self, reply: Reply) -> Completion:
        if reply.refusal:
            raise self._failed(self._hushed(reply.refusal), "refused")
        return Completion(
            text=reply.text,
            prompt_tokens=reply.prompt_tokens,
            completion_tokens=reply.completion_tokens,
            cost=reply.cost,
            model=self.name,
            cut=reply.cut,
            calls=reply.calls,
        )

    # ── asking ──────────────────────────────────────────────────────────────────────────────

    async def _adapting(self, ask: Ask) -> Reply:
        while True:
            try:
                body = await self._post(self._dialect.request(ask, self._without, stream=False))
                return self._read(body)
            except Refused as refused:
                self._learn(refused, ask)

    async def _events(self, ask: Ask) -> AsyncGenerator[Reply, None]:
        while True:
            try:
                request = self._dialect.request(ask, self._without, stream=True)
                async with aclosing(self._streamed(request)) as pieces:
                    async for piece in pieces:
                        yield piece
                return
            except Refused as refused:
                self._learn(refused, ask)

    def _learn(self, refused: Refused, ask: Ask) -> None:
        """Note what to leave out next time, or raise what cannot be helped."""
        feature = unwanted(refused, ask, self._without)
        if feature is None:
            raise self._trouble(refused)
        self._without |= {feature}

    async def _post(self, request: Request) -> bytes:
        async with self._open(request) as response:
            body = await self._body(response)
            if response.status_code != 200:
                raise self._refused(response, body)
            return body

    async def _streamed(self, request: Request) -> AsyncGenerator[Reply, None]:
        async with self._open(request) as response:
            if response.status_code != 200:
                raise self._refused(response, await self._body(response))
            async for line in response.aiter_lines():
                text = line.removeprefix("data:").strip()
                if text.startswith("{"):
                    yield self._decoded(text, self._dialect.piece)

    @asynccontextmanager
    async def _open(self, request: Request) -> AsyncIterator[httpx2.Response]:
        """One request on the wire, with the transport's errors in our words."""
        url = self.endpoint.base_url.rstrip("/") + request.path
        host = urlsplit(url).netloc.rpartition("@")[2]
        try:
            async with self._client.stream(
                "POST", url, json=dict(request.json), headers=dict(request.headers)
            ) as response:
                yield response
        except httpx2.TimeoutException as error:
            raise self._timeout() from error
        except httpx2.ConnectError as error:
            raise self._failed(
                f"cannot connect to {host}", "unreachable", retryable=True
            ) from error
        except (httpx2.InvalidURL, httpx2.UnsupportedProtocol) as error:
            raise self._failed("its address is not a web address", "unreachable") from error
        except (httpx2.LocalProtocolError, UnicodeEncodeError) as error:
            raise self._failed("its key or address cannot be sent", "refused") from error
        except httpx2.TransportError as error:
            raise self._failed("the connection broke off", "busy", retryable=True) from error
        except httpx2.DecodingError as error:
            raise self._failed("its answer is not compressed as it says", "failed") from error

    def _refused(self, response: httpx2.Response, body: bytes) -> Refused:
        wait = response.headers.get("retry-after", "")
        return Refused(response.status_code, self._hushed(said_in(body)), wait)

    async def _body(self, response: httpx2.Response) -> bytes:
        body = bytearray()
        async for piece in response.aiter_bytes():
            body += piece
            if len(body) > MAX_BYTES:
                raise self._failed(f"its answer is larger than {MAX_BYTES:,} bytes", "malformed")
        return bytes(body)

    def _read(self, body: bytes) -> Reply:
        return self._decoded(body.decode("utf-8", "replace"), self._dialect.reply)

    def _decoded(self, text: str, read: Callable[[Any], Reply]) -> Reply:
        try:
            return read(json.loads(text))
        except (LookupError, TypeError, ValueError, AttributeError, RecursionError) as error:
            said = self._hushed(said_in(text.encode())) or "its reply has a shape we do not know"
            raise self._failed(said, "failed", retryable=True) from error

    # ── saying what went wrong ──────────────────────────────────────────────────────────────

    def _trouble(self, refused: Refused) -> ReasonerFailed:
        kind, why, retryable = trouble(refused)
        return self._failed(why, kind, retryable=retryable, retry_after=refused.retry_after)

    def _failed(
        self,
        why: str,
        type: ModelTrouble,
        *,
        retryable: bool = False,
        retry_after: float = 0.0,
    ) -> ReasonerFailed:
        return ReasonerFailed(
            f"{self.name}: {why}", type=type, retryable=retryable, retry_after=retry_after
        )

    def _hushed(self, text: str) -> str:
        return text.replace(str(self.endpoint.key), "…") if self.endpoint.key else text


def _joined(whole: Reply, piece: Reply) -> Reply:
    return Reply(
        text=whole.text + piece.text,
        prompt_tokens=piece.prompt_tokens or whole.prompt_tokens,
        completion_tokens=piece.completion_tokens or whole.completion_tokens,
        cost=piece.cost or whole.cost,
        cut=whole.cut or piece.cut,
        refusal=whole.refusal or piece.refusal,
        calls=whole.calls + piece.calls,
    )
