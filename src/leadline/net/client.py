"""A small HTTP/1.1 client: h11 speaks the protocol, asyncio carries it, connections are kept.

Larger ones take as long to load as a search takes, and need bending to connect only to addresses
that were checked. It asks and reads; redirects, cookies and retries are for whoever asks.
"""

from __future__ import annotations

import asyncio
import socket
from base64 import b64encode
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from types import TracebackType
from typing import Protocol, Self

import h11

from leadline.net.asking import (
    Ask,
    BrokenOff,
    NotConnected,
    NotSendable,
    Origin,
    Place,
    SlowToConnect,
    TooSlow,
    place_of,
)
from leadline.net.dialling import Dial, ProxyOf, Streams, leave_of, no_proxy
from leadline.net.unpack import ENCODINGS, Unpacker

KEEPALIVE_S = 20.0
MAX_IDLE = 64
_HEAD = 100_000  # bytes of an answer's head
_READ = 1 << 16
_QUICKACK: int | None = getattr(socket, "TCP_QUICKACK", None)


class Response(Protocol):
    """An answer whose head has come."""

    @property
    def status(self) -> int: ...

    @property
    def reason(self) -> str: ...

    @property
    def headers(self) -> Mapping[str, str]:
        """By name in lower case."""
        ...

    @property
    def received(self) -> int:
        """Bytes that have come over the wire so far."""
        ...

    def parts(self) -> AsyncIterator[bytes]:
        """The body, unpacked, as it comes."""
        ...


class Sends(Protocol):
    """Whatever can ask a server."""

    def stream(self, ask: Ask) -> AbstractAsyncContextManager[Response]: ...


class Client:
    """`Sends` over the network; `aclose` when done. A silence of `silence_s` is too long."""

    def __init__(
        self,
        dial: Dial,
        *,
        headers: Mapping[str, str],
        connect_s: float,
        silence_s: float,
        proxy_of: ProxyOf = no_proxy,
    ) -> None:
        self.headers = _lower({"Accept": "*/*", "Accept-Encoding": ENCODINGS, **headers})
        self._dial, self._proxy_of = dial, proxy_of
        self._connect_s, self._silence_s = connect_s, silence_s
        self._idle: dict[Origin, list[_Line]] = {}

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.aclose()

    @asynccontextmanager
    async def stream(self, ask: Ask) -> AsyncGenerator[Response, None]:
        """The answer to `ask`; what is not read of it when the block ends is let go."""
        place = place_of(ask.url)
        line, head = await self._asked(place, ask)
        try:
            yield _Answer(line, head)
        finally:
            self._put_back(place.origin, line)

    async def _asked(self, place: Place, ask: Ask) -> tuple[_Line, h11.Response]:
        """A kept connection may have been ended by the server meanwhile: then a new one is made."""
        kept = self._kept(place.origin)
        if kept is not None:
            try:
                return kept, await self._exchange(kept, place, ask)
            except BrokenOff:
                if kept.answered or ask.method != "GET":
                    raise
        line = await self._connected(place.origin)
        return line, await self._exchange(line, place, ask)

    async def _exchange(self, line: _Line, place: Place, ask: Ask) -> h11.Response:
        try:
            return await line.ask(self._request(place, ask), ask.body)
        except BaseException:
            line.close()
            raise

    def _request(self, place: Place, ask: Ask) -> h11.Request:
        headers = {"host": place.origin.netloc, **self.headers, **_lower(ask.headers)}
        if place.userinfo:
            known = b64encode(place.userinfo.encode()).decode()
            headers.setdefault("authorization", f"Basic {known}")
        if ask.body or ask.method != "GET":
            headers["content-length"] = str(len(ask.body))
        target = place.target
        proxy = self._proxy_of(place.origin) if place.origin.scheme == "http" else None
        if proxy is not None:
            target = f"http://{place.origin.netloc}{target}"
            headers |= _lower(leave_of(proxy))
        try:
            sent = [(name.encode("ascii"), value.encode()) for name, value in headers.items()]
            return h11.Request(method=ask.method, target=target, headers=sent)
        except (h11.LocalProtocolError, UnicodeEncodeError) as error:
            raise NotSendable(str(error)) from error

    async def _connected(self, origin: Origin) -> _Line:
        try:
            async with asyncio.timeout(self._connect_s):
                return _Line(await self._dial(origin), self._silence_s)
        except TimeoutError as error:
            raise SlowToConnect(f"{origin.host} did not accept a connection") from error
        except (OSError, UnicodeError) as error:  # no such host, nobody there, no safe connection
            raise NotConnected(str(error) or type(error).__name__) from error

    def _kept(self, origin: Origin) -> _Line | None:
        now = asyncio.get_running_loop().time()
        lines = self._idle.get(origin, [])
        while lines:
            line = lines.pop()
            if line.usable and now - line.since < KEEPALIVE_S:
                return line
            line.close()
        return None

    def _put_back(self, origin: Origin, line: _Line) -> None:
        if line.finished() and sum(map(len, self._idle.values())) < MAX_IDLE:
            line.since = asyncio.get_running_loop().time()
            self._idle.setdefault(origin, []).append(line)
        else:
            line.close()

    async def aclose(self) -> None:
        """Close the connections."""
        idle, self._idle = self._idle, {}
        for lines in idle.values():
            for line in lines:
                line.close()


class _Line:
    """One connection."""

    def __init__(self, streams: Streams, silence_s: float) -> None:
        self._reader, self._writer = streams
        self._silence_s = silence_s
        self._talk = h11.Connection(h11.CLIENT, max_incomplete_event_size=_HEAD)
        self.since, self.received = 0.0, 0
        self.answered = False  # whether anything came back for what was last asked

    @property
    def usable(self) -> bool:
        return not (self._reader.at_eof() or self._writer.is_closing())

    async def ask(self, request: h11.Request, body: bytes) -> h11.Response:
        self.received, self.answered = 0, False
        self._hurry()
        try:
            self._writer.write(self._talk.send(request) or b"")
            if body:
                self._writer.write(self._talk.send(h11.Data(data=body)) or b"")
            self._writer.write(self._talk.send(h11.EndOfMessage()) or b"")
            async with asyncio.timeout(self._silence_s):
                await self._writer.drain()
        except h11.LocalProtocolError as error:
            raise NotSendable(str(error)) from error
        except TimeoutError as error:
            raise TooSlow("it took nothing") from error
        except OSError as error:
            raise BrokenOff(str(error)) from error
        while True:
            event = await self._event()
            if isinstance(event, h11.Response):
                return event
            if not isinstance(event, h11.InformationalResponse):
                raise BrokenOff("no answer came")

    async def parts(self) -> AsyncIterator[bytes]:
        while True:
            event = await self._event()
            if isinstance(event, h11.Data):
                yield bytes(event.data)
            elif isinstance(event, h11.EndOfMessage):
                return
            else:
                raise BrokenOff("the answer ended in the middle")

    async def _event(self) -> object:
        try:
            while (event := self._talk.next_event()) is h11.NEED_DATA:
                data = await self._read()
                self.received += len(data)
                self.answered = self.answered or bool(data)
                self._talk.receive_data(data)
        except h11.RemoteProtocolError as error:
            raise BrokenOff(str(error)) from error
        return event

    def _hurry(self) -> None:
        """Acknowledge at once what comes next. On a kept connection Linux takes 40 ms over it, and
        a server that sends head and body apart may wait for that in between."""
        line = self._writer.get_extra_info("socket")
        if line is not None and _QUICKACK is not None:
            with suppress(OSError):
                line.setsockopt(socket.IPPROTO_TCP, _QUICKACK, 1)

    async def _read(self) -> bytes:
        self._hurry()  # it holds for one piece only
        try:
            async with asyncio.timeout(self._silence_s):
                return await self._reader.read(_READ)
        except TimeoutError as error:
            raise TooSlow("it sent nothing") from error
        except OSError as error:
            raise BrokenOff(str(error) or type(error).__name__) from error

    def finished(self) -> bool:
        """Whether another request can follow."""
        if self._talk.our_state is not h11.DONE or self._talk.their_state is not h11.DONE:
            return False
        if self._talk.trailing_data[0]:  # more than it announced: it would pass for the next answer
            return False
        self._talk.start_next_cycle()
        return self.usable

    def close(self) -> None:
        self._writer.transport.abort()


class _Answer:
    """`Response` on a line."""

    def __init__(self, line: _Line, head: h11.Response) -> None:
        self._line = line
        self.status = head.status_code
        self.reason = bytes(head.reason).decode("latin-1")
        self.headers: dict[str, str] = {}
        for raw, value in head.headers:
            name, text = raw.decode("ascii"), value.decode("latin-1")
            known = self.headers.get(name)
            joint = "\n" if name == "set-cookie" else ", "  # a cookie's date has a comma in it
            self.headers[name] = text if known is None else f"{known}{joint}{text}"

    @property
    def received(self) -> int:
        return self._line.received

    async def parts(self) -> AsyncIterator[bytes]:
        unpacker = Unpacker(self.headers.get("content-encoding", ""))
        async for data in self._line.parts():
            for part in unpacker.unpacked(data):
                yield part
        unpacker.end()


def _lower(headers: Mapping[str, str]) -> dict[str, str]:
    return {name.lower(): value for name, value in headers.items()}
