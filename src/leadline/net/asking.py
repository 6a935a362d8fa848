"""What is asked of a server, in the one spelling that goes over the wire, and what may go wrong."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import quote, unquote, urlsplit

PORTS = {"http": 80, "https": 443}
_AS_IS = "!#$%&'()*+,/:;=?@[]~"  # of a path and a query: everything that means something there


class NetError(Exception):
    """A server could not be asked, or did not answer."""


class NotSendable(NetError):
    """There is something in the request that HTTP cannot carry."""


class NoAddress(NetError):
    """What should be a web address is none."""


class NotConnected(NetError):
    """Nobody accepted a connection, or not a safe one."""


class ProxyTrouble(NotConnected):
    """The proxy on the way cannot be used; says which and why."""


class TooSlow(NetError):
    """Nothing came for too long."""


class SlowToConnect(TooSlow):
    """A connection was not accepted in time."""


class BrokenOff(NetError):
    """The connection ended in the middle, or what came is no HTTP."""


class Garbled(NetError):
    """A body is not packed as its header says."""


@dataclass(frozen=True)
class Ask:
    """One request; `headers` go over those of the client. Keys may be in them, so none is shown."""

    method: str
    url: str = field(repr=False)
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    body: bytes = field(default=b"", repr=False)


@dataclass(frozen=True)
class Origin:
    """Whom a connection leads to; `host` is in ASCII, without the brackets of IPv6."""

    scheme: str
    host: str
    port: int

    @property
    def netloc(self) -> str:
        name = f"[{self.host}]" if ":" in self.host else self.host
        return name if self.port == PORTS[self.scheme] else f"{name}:{self.port}"


@dataclass(frozen=True)
class Place:
    """A web address in its parts; `userinfo` is `name:password`, or nothing."""

    origin: Origin
    target: str
    userinfo: str = ""


def place_of(url: str) -> Place:
    """Where `url` leads. Raises `NoAddress`."""
    try:
        parts = urlsplit(url)
        scheme, host, port = parts.scheme.lower(), parts.hostname or "", parts.port
        target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        target = quote(target, safe=_AS_IS)
    except ValueError as error:
        raise NoAddress(str(error)) from error
    if scheme not in PORTS or not host:
        raise NoAddress("neither http nor https, or no host")
    userinfo = ""
    if parts.username is not None:
        userinfo = f"{unquote(parts.username)}:{unquote(parts.password or '')}"
    origin = Origin(scheme, _ascii(host), PORTS[scheme] if port is None else port)
    return Place(origin, target, userinfo)


def _ascii(host: str) -> str:
    if host.isascii():
        return host
    import idna

    try:
        return idna.encode(host, uts46=True).decode("ascii")
    except idna.IDNAError as error:
        raise NoAddress(str(error)) from error
