"""Sends a provider's request and says in plain words what went wrong.

It does not retry, cache or limit: it only tells by `retryable` and `retry_after` whether trying
again may help. Redirects are refused, since a key in a header would travel with them.
"""

from __future__ import annotations

import asyncio
import json
import logging
import re
from dataclasses import is_dataclass
from datetime import UTC, datetime
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

import httpx2

from leadline.errors import UNREADABLE, BadInput, SourceLost
from leadline.fields.addresses import secrets_in
from leadline.retry import retry_after
from leadline.search.parsing import complaint
from leadline.search.provider import Provider, Request, Secret, TwoStep
from leadline.types import Hit, Query
from leadline.values import field_names, replace
from leadline.web.http import trusted

TIMEOUT_S = 10.0
MAX_BYTES = 5_000_000
_UNREACHED = re.compile(r"Connection refused|unreachable|No route to host|DNS")
_WORTH_ANOTHER_TRY = frozenset({408, 425, 429, 500, 502, 503, 504, 520, 521, 522, 523, 524, 529})


def open_client(contact: str = "", timeout_s: float = TIMEOUT_S) -> httpx2.AsyncClient:
    """The client that all providers of a run share, with the proxies that the environment names.
    Close it with `aclose`."""
    from leadline import __version__

    about = f" ({contact})" if contact else ""
    headers = {"User-Agent": f"leadline/{__version__}{about}"}
    try:
        return httpx2.AsyncClient(headers=headers, timeout=timeout_s, verify=trusted())
    except (ImportError, ValueError) as error:  # socks, or something that is no address
        raise BadInput(
            f"the proxy of the environment must be named http://host:port ({error})"
        ) from error


def proxy_of(url: str, *also: str) -> str:
    """The proxy that the environment or the system names for an address, as `http://host:port`, or
    ""; `also` are variables of others that come first, without their `_PROXY`."""
    parts, known = urlsplit(url), getproxies()
    named = [known[name] for name in (*also, parts.scheme, "all") if known.get(name)]
    if not named or proxy_bypass(parts.netloc.rpartition("@")[2]):
        return ""
    address = named[0] if "://" in named[0] else f"http://{named[0]}"
    return f"http://{urlsplit(address).netloc.rpartition('@')[2]}"


def unreached(why: str) -> str:
    """What `ddgs` says of a failure, in words for who has to do something about it; the library's
    own last words where it is not the network."""
    if not _UNREACHED.search(why):
        return why.rpartition(" > ")[2].strip(" \"')") or "no engine answered"
    no_network = "no engine is reached; connect this machine, or name a proxy in HTTPS_PROXY"
    return out_of_reach("https://duckduckgo.com", "ddgs", otherwise=no_network)


def out_of_reach(url: str, *also: str, otherwise: str) -> str:
    """What to tell who asked for an address that is not reached: the proxy is theirs to start, or
    to take away; `otherwise` where there is none."""
    if proxy := proxy_of(url, *also):
        what_to_do = "start it, or take it out of the environment"
        return f"the proxy at {proxy} cannot be reached; {what_to_do}"
    return otherwise


# It would log every address that is asked for, and a key may stand in one.
logging.getLogger("httpx2").setLevel(logging.WARNING)


class HttpSearcher:
    """`ports.Searcher` over any provider."""

    def __init__(
        self,
        provider: Provider,
        client: httpx2.AsyncClient,
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
            raise self._late() from error
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
            why = hushed(self.provider, str(lost))
            raise self._lost(why, lost.retryable, lost.retry_after) from lost
        except UNREADABLE as error:
            why = hushed(self.provider, f"{error!r:.200}")
            raise self._lost(f"an answer of a shape it does not know ({why})") from error

    async def _send(self, request: Request) -> bytes:
        try:
            return await self._exchange(request)
        except httpx2.TimeoutException as error:
            raise self._late() from error
        except httpx2.ProxyError as error:
            why = f"the proxy at {proxy_of(request.url)} refused ({error})"
            raise self._lost(why, retryable=True) from error
        except httpx2.ConnectError as error:
            host = urlsplit(request.url).netloc.rpartition("@")[2]
            why = out_of_reach(request.url, otherwise=f"cannot connect to {host}")
            raise self._lost(why, retryable=True) from error
        except (httpx2.InvalidURL, httpx2.UnsupportedProtocol) as error:
            raise self._lost("its address is not a web address") from error
        except (httpx2.LocalProtocolError, UnicodeEncodeError) as error:
            raise self._lost("its key or address has characters that cannot be sent") from error
        except httpx2.DecodingError as error:
            raise self._lost("the answer is not compressed as it says") from error
        except httpx2.TransportError as error:
            raise self._lost("the connection broke off", retryable=True) from error

    async def _exchange(self, request: Request) -> bytes:
        url = httpx2.URL(request.url)
        async with self._client.stream(
            request.method,
            url.copy_merge_params(dict(request.params)) if request.params else url,
            headers=dict(request.headers),
            json=request.json,
            data=request.form,
        ) as response:
            body = bytearray()
            async for piece in response.aiter_bytes():
                body += piece
                if len(body) > self._max_bytes:
                    raise self._lost(f"the answer is larger than {self._max_bytes:,} bytes")
            if response.status_code != 200:
                raise self._refusal(response, bytes(body))
            return bytes(body)

    def _refusal(self, response: httpx2.Response, body: bytes) -> SourceLost:
        status = response.status_code
        if status in (401, 403):
            return self._lost(f"refused (HTTP {status}); {self._advice()}")
        if 300 <= status < 400:
            return self._lost(f"moved (HTTP {status}) to {_moved_to(response)}; set its address so")
        said = hushed(self.provider, _complaint_in(body))
        return self._lost(
            f"HTTP {status}{f' ({said})' if said else ''}",
            retryable=status in _WORTH_ANOTHER_TRY,
            retry_after=retry_after(response.headers, datetime.now(UTC)),
        )

    def _advice(self) -> str:
        if advice := getattr(self.provider, "advice", ""):
            return str(advice)
        names = setting_names(self.provider)
        keys = [name for name in names if isinstance(getattr(self.provider, name), Secret)]
        keys = keys or [name for name in names if name.endswith("_key")]
        return f"check the key in {' or '.join(keys)}" if keys else "it does not serve this machine"

    def _late(self) -> SourceLost:
        return self._lost(f"no answer within {self._timeout_s:g} s", retryable=True)

    def _lost(self, why: str, retryable: bool = False, retry_after: float = 0.0) -> SourceLost:
        return SourceLost(f"{self.name}: {why}", retryable=retryable, retry_after=retry_after)


def setting_names(provider: object) -> tuple[str, ...]:
    """The settings a provider takes, which are its fields."""
    return field_names(type(provider)) if is_dataclass(provider) else ()


def hushed(provider: object, text: str) -> str:
    """Without what only we and the server should know, should it say it back to us."""
    values = [getattr(provider, name) for name in setting_names(provider)]
    hidden = [str(value) for value in values if value and isinstance(value, Secret)]
    hidden += [secret for value in values for secret in secrets_in(str(value))]
    for secret in sorted(hidden, key=len, reverse=True):
        text = text.replace(secret, "…")
    return text


def _moved_to(response: httpx2.Response) -> str:
    try:
        parts = urlsplit(response.headers.get("location", ""))
    except ValueError:  # half an IPv6 address
        return "what is no address"
    return f"{parts.scheme}://{parts.hostname}{parts.path}" if parts.hostname else parts.path


def _complaint_in(body: bytes) -> str:
    """What the server's JSON says of the error, if it is JSON and says so."""
    try:
        return complaint(json.loads(body))
    except (ValueError, RecursionError):
        return ""
